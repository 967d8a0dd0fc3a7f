//! Generic pointers: 64-bit integers whose top bits say which address space they point to.
//!
//! An access through a generic pointer becomes a branch on those bits, with an access in each address space; conversions
//! become operations on integers.

use super::atomics;
use super::split::Splitter;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::SecondaryMap;

/// Bits 61 and up of a generic pointer, which say which space it points to. In a device address these bits are all
/// equal, so the following patterns are free.
const TAG_PRIVATE: i64 = 0x2000_0000;
const TAG_LOCAL: i64 = 0x4000_0000;
const TAG_MASK: i64 = 0xe000_0000;

/// The address spaces besides global memory that generic pointers may point to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spaces {
    local: bool,
    private: bool,
    /// True if there are generic pointers.
    used: bool,
}

/// Returns the spaces for each function: the spaces from which pointers are cast to generic ones, in the functions that
/// share kernels with it.
pub fn spaces_of_functions(
    module: &Module,
    component: &SecondaryMap<Func, Func>,
) -> SecondaryMap<Func, Spaces> {
    let mut spaces: SecondaryMap<Func, Spaces> = SecondaryMap::new();
    for (id, func) in module.functions.iter() {
        let found = &mut spaces[component[id]];
        for inst in func.layout_insts() {
            found.visit(func, inst);
        }
    }
    let mut all = SecondaryMap::new();
    for id in module.functions.keys() {
        all[id] = spaces[component[id]];
    }
    all
}

impl Spaces {
    fn visit(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        if let InstData::Convert { op: ConvertOp::SpaceCast, arg } = *data {
            let result = func.result(inst).and_then(|value| func.ty(value).space());
            let from = func.ty(arg).space();
            if result == Some(AddressSpace::Generic) {
                self.used = true;
                self.local |= from == Some(AddressSpace::Local);
                self.private |= from == Some(AddressSpace::Private);
            }
        }
        let ptr = data.address().or(match *data {
            InstData::Convert { arg, .. } => Some(arg),
            _ => None,
        });
        self.used |= ptr.is_some_and(|ptr| is_generic(func, ptr));
    }
}

fn is_generic(func: &Function, ptr: Value) -> bool {
    func.ty(ptr).space() == Some(AddressSpace::Generic)
}

/// Legalizes a function. Returns true if anything changed.
pub fn run(func: &mut Function, spaces: Spaces) -> bool {
    if !spaces.used {
        return false;
    }
    let mut changed = false;
    for block in func.layout.clone() {
        let mut s = Splitter::new(func, block);
        for inst in s.take_insts() {
            s.c.func.stand_at(inst);
            changed |= legalize(&mut s, inst, spaces);
        }
        s.finish();
    }
    changed
}

/// Writes the legal form of an instruction. Returns true if the instruction changed.
fn legalize(s: &mut Splitter<'_>, inst: Inst, spaces: Spaces) -> bool {
    let data = &s.c.func.insts[inst];
    match data.address() {
        Some(ptr) if is_generic(s.c.func, ptr) => {
            access(s, inst, ptr, spaces);
            return true;
        }
        _ => {}
    }
    let converted = match *data {
        InstData::Convert { op: ConvertOp::SpaceCast, arg } => {
            s.c.func.result(inst).and_then(|result| space_cast(&mut s.c, arg, result))
        }
        InstData::Convert { op: ConvertOp::ToSpace, arg } => {
            s.c.func.result(inst).map(|result| to_space(&mut s.c, arg, result))
        }
        _ => None,
    };
    let changed = converted.is_some();
    if let Some(data) = converted {
        s.c.func.replace_inst(inst, data);
    }
    s.c.keep(inst);
    changed
}

/// Returns the words of a generic pointer, the low one first.
fn words(c: &mut Cursor<'_>, ptr: Value) -> (Value, Value) {
    let address = c.convert(ConvertOp::PtrToInt, ptr, Type::I64);
    c.words_of(address)
}

/// Returns the tag of a generic pointer, and the offset that it contains if it has a tag.
fn tag_and_offset(c: &mut Cursor<'_>, ptr: Value) -> (Value, Value) {
    let (offset, high) = words(c, ptr);
    (c.binary_imm(BinaryOp::And, high, TAG_MASK), offset)
}

/// Replaces an access by accesses in each space that the pointer may point to.
fn access(s: &mut Splitter<'_>, inst: Inst, ptr: Value, spaces: Spaces) {
    let mut others = Vec::new();
    if spaces.local {
        others.push((TAG_LOCAL, AddressSpace::Local));
    }
    if spaces.private {
        others.push((TAG_PRIVATE, AddressSpace::Private));
    }
    let global = Type::ptr(AddressSpace::Global);
    if others.is_empty() {
        let ptr = s.c.convert(ConvertOp::SpaceCast, ptr, global);
        let data = through(&s.c.func.insts[inst], ptr);
        s.c.func.replace_inst(inst, data);
        s.c.keep(inst);
        return;
    }
    let (tag, offset) = tag_and_offset(&mut s.c, ptr);
    let merge = s.new_block();
    for (number, space) in others {
        let here = s.c.icmp_imm(IntCC::Eq, tag, number);
        let [then, otherwise] = s.branch(here);
        s.switch_to(then);
        let ptr = s.c.convert(ConvertOp::IntToPtr, offset, Type::ptr(space));
        access_and_jump(s, inst, ptr, merge);
        s.switch_to(otherwise);
    }
    let ptr = s.c.convert(ConvertOp::SpaceCast, ptr, global);
    access_and_jump(s, inst, ptr, merge);
    s.switch_to(merge);
    s.become_param(inst, merge);
}

/// Writes a copy of an access through another pointer, and a jump that passes its result.
fn access_and_jump(s: &mut Splitter<'_>, inst: Inst, ptr: Value, to: Block) {
    let data = through(&s.c.func.insts[inst], ptr);
    let result = s.c.func.result(inst).map(|value| s.c.ty(value));
    let is_private = s.c.ty(ptr).space() == Some(AddressSpace::Private);
    let value = match (atomic_type(s.c.func, &data, result), result) {
        (Some(ty), _) if is_private => atomics::on_private_memory(&mut s.c, &data, ty),
        (_, Some(ty)) => Some(s.c.inst(data, ty)),
        (_, None) => {
            s.c.void(data);
            None
        }
    };
    s.jump(to, value.as_slice());
}

/// Returns the type of an atomic operation's value; `None` for other accesses.
fn atomic_type(func: &Function, data: &InstData, result: Option<Type>) -> Option<Type> {
    match *data {
        InstData::Load { .. } | InstData::Store { .. } => None,
        InstData::AtomicStore { value, .. } => Some(func.ty(value)),
        _ => result,
    }
}

/// Returns a copy of an access with another pointer.
fn through(data: &InstData, ptr: Value) -> InstData {
    let mut data = data.clone();
    match &mut data {
        InstData::Load { ptr: place, .. }
        | InstData::Store { ptr: place, .. }
        | InstData::AtomicRmw { ptr: place, .. }
        | InstData::AtomicCmpXchg { ptr: place, .. }
        | InstData::AtomicLoad { ptr: place, .. }
        | InstData::AtomicStore { ptr: place, .. } => *place = ptr,
        _ => {}
    }
    data
}

/// Returns the replacement of a cast to or from generic; `None` if the bits do not change.
fn space_cast(c: &mut Cursor<'_>, arg: Value, result: Value) -> Option<InstData> {
    use AddressSpace::*;
    let tag = match (c.ty(arg).space()?, c.ty(result).space()?) {
        (Local, Generic) => TAG_LOCAL,
        (Private, Generic) => TAG_PRIVATE,
        (Generic, Local | Private) => {
            let (offset, _) = words(c, arg);
            return Some(InstData::Convert { op: ConvertOp::IntToPtr, arg: offset });
        }
        _ => return None,
    };
    // The null pointer stays null.
    let offset = c.convert(ConvertOp::PtrToInt, arg, Type::I32);
    let is_null = c.icmp_imm(IntCC::Eq, offset, 0);
    let (zero, tag) = (c.iconst(Type::I32, 0), c.iconst(Type::I32, tag));
    let high = c.select(is_null, zero, tag);
    let words = c.build(&[offset, high]);
    let address = c.bitcast(words, Type::I64);
    Some(InstData::Convert { op: ConvertOp::IntToPtr, arg: address })
}

/// Returns the pointer in the result's space if the tag is that of the space; otherwise null.
fn to_space(c: &mut Cursor<'_>, arg: Value, result: Value) -> InstData {
    let (tag, offset) = tag_and_offset(c, arg);
    let ty = c.ty(result);
    let number = match ty.space() {
        Some(AddressSpace::Local) => TAG_LOCAL,
        Some(AddressSpace::Private) => TAG_PRIVATE,
        _ => {
            let is_local = c.icmp_imm(IntCC::Eq, tag, TAG_LOCAL);
            let is_private = c.icmp_imm(IntCC::Eq, tag, TAG_PRIVATE);
            let elsewhere = c.binary(BinaryOp::Or, is_local, is_private);
            let null = c.iconst(ty, 0);
            let ptr = c.convert(ConvertOp::SpaceCast, arg, ty);
            return InstData::Select { args: [elsewhere, null, ptr] };
        }
    };
    let here = c.icmp_imm(IntCC::Eq, tag, number);
    let zero = c.iconst(Type::I32, 0);
    let offset = c.select(here, offset, zero);
    InstData::Convert { op: ConvertOp::IntToPtr, arg: offset }
}
