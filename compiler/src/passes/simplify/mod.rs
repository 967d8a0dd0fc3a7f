//! Simplifies instructions (constants, identities, casts of casts, addresses, loads of known constants) and control flow
//! (constant branches, chains of blocks, unneeded parameters).

mod arith;
mod control;
mod convert;
mod memory;
mod ranges;

use super::cursor::Cursor;
use crate::ir::cfg::Cfg;
use crate::ir::fold;
use crate::ir::*;
use cranelift_entity::{PrimaryMap, SecondaryMap};

/// The most times that the pass visits the whole function.
const ROUNDS: usize = 4;

/// The information that rules may use.
#[derive(Clone, Copy)]
struct Scope<'a> {
    globals: &'a PrimaryMap<Global, GlobalData>,
    /// The kernel that has the function as its entry.
    kernel: Option<&'a KernelEntry>,
    /// False after legalization, which has brought operations on floats into the form that the device needs.
    floats: bool,
}

/// Simplifies a function. `kernel` is given if the function is a kernel's entry. Returns true if anything changed.
pub fn run(
    func: &mut Function,
    globals: &PrimaryMap<Global, GlobalData>,
    kernel: Option<&KernelEntry>,
) -> bool {
    run_in(func, Scope { globals, kernel, floats: true })
}

/// Like [`run`], without the rules for floats: for use after legalization.
pub fn run_on_integers(func: &mut Function, globals: &PrimaryMap<Global, GlobalData>) -> bool {
    run_in(func, Scope { globals, kernel: None, floats: false })
}

fn run_in(func: &mut Function, scope: Scope<'_>) -> bool {
    let mut changed = false;
    for _ in 0..ROUNDS {
        let (cfg, flow) = control::run(func);
        let insts = instructions(func, &cfg, scope);
        changed |= flow || insts;
        if !flow && !insts {
            break;
        }
    }
    changed
}

/// The result of simplifying an instruction.
pub(crate) enum Simplified {
    /// No rule applies.
    Keep,
    /// The instruction's result is this value.
    Value(Value),
    /// This instruction replaces the old one.
    Become(InstData),
}

fn instructions(func: &mut Function, cfg: &Cfg, scope: Scope<'_>) -> bool {
    let mut replaced: SecondaryMap<Value, Option<Value>> = func.value_map();
    let (mut changed, mut any_replaced) = (false, false);
    let mut cursor = Cursor::new(func);
    for &block in cfg.rpo() {
        let insts = cursor.begin(block);
        for &inst in &insts {
            cursor.func.stand_at(inst);
            if any_replaced {
                cursor.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            }
            // Another rule may apply to a rule's result. The number of rules is limited.
            for _ in 0..8 {
                match simplify(&mut cursor, inst, scope) {
                    Simplified::Keep => break,
                    Simplified::Become(data) => {
                        cursor.func.replace_inst(inst, data);
                        changed = true;
                    }
                    Simplified::Value(value) => {
                        if let Some(result) = cursor.func.result(inst) {
                            replaced[result] = Some(value);
                        }
                        (changed, any_replaced) = (true, true);
                        break;
                    }
                }
            }
            let is_gone = |value: Value| any_replaced && replaced[value].is_some();
            let gone = cursor.func.result(inst).is_some_and(is_gone);
            if !gone {
                cursor.keep(inst);
            }
        }
        cursor.finish_in(block, insts);
    }
    changed
}

fn simplify(cursor: &mut Cursor, inst: Inst, scope: Scope<'_>) -> Simplified {
    let Some(result) = cursor.func.result(inst) else { return Simplified::Keep };
    let ty = cursor.ty(result);
    if !scope.floats && (ty.scalar.is_float() || takes_floats(cursor.func, inst)) {
        return Simplified::Keep;
    }
    let func = &*cursor.func;
    if let Some(bits) = fold::inst(func, &func.insts[inst], ty, |arg| func.as_const(arg)) {
        return Simplified::Value(cursor.func.constant(ty, bits));
    }
    match cursor.func.insts[inst] {
        InstData::Unary { op, arg, .. } => arith::unary(cursor, op, arg, ty),
        InstData::Binary { op, args, flags } => {
            match ranges::binary(cursor, op, args, scope.kernel) {
                Simplified::Keep => arith::binary(cursor, op, args, flags, ty),
                simplified => simplified,
            }
        }
        InstData::Math { op, ref args, .. } => {
            let args = args.clone();
            arith::math(cursor, op, &args)
        }
        InstData::ICmp { cc, args } => arith::icmp(cursor, cc, args, ty),
        InstData::FCmp { cc, args, flags } => arith::fcmp(cc, args, flags),
        InstData::Select { args } => arith::select(cursor, args, ty),
        InstData::Convert { op, arg } => convert::convert(cursor, op, arg, ty),
        InstData::Build { ref args } => {
            let args = args.clone();
            convert::build(cursor, &args, ty)
        }
        InstData::Extract { arg, lane } => convert::extract(cursor, arg, lane, ty),
        InstData::ExtractDynamic { arg, index } => {
            let lanes = u64::from(cursor.ty(arg).lanes.max(1));
            match cursor.func.as_const(index) {
                Some(i) => Simplified::Become(InstData::Extract { arg, lane: (i % lanes) as u8 }),
                None => Simplified::Keep,
            }
        }
        InstData::InsertDynamic { arg, element, index } => {
            let lanes = u64::from(ty.lanes.max(1));
            match cursor.func.as_const(index) {
                Some(i) => {
                    Simplified::Become(InstData::Insert { arg, element, lane: (i % lanes) as u8 })
                }
                None => Simplified::Keep,
            }
        }
        InstData::Shuffle { args, ref lanes } => {
            let lanes = lanes.clone();
            convert::shuffle(cursor, args, &lanes, ty)
        }
        InstData::PtrAdd { ptr, offset, within } => {
            memory::ptr_add(cursor, ptr, offset, within, ty)
        }
        InstData::Load { ptr, .. } => memory::load(cursor, scope.globals, ptr, ty),
        _ => Simplified::Keep,
    }
}

fn takes_floats(func: &Function, inst: Inst) -> bool {
    let mut any = false;
    func.insts[inst].for_each_arg(|arg| any |= func.ty(arg).scalar.is_float());
    any
}
