//! Offsets from the start of an object, which no access makes negative, whatever is known of their signs.
//!
//! In launches whose arguments are buffers, the memory of a kernel's argument begins at its address, and a variable does in
//! any. So the sum of all that is added to it for an access is an offset in the object (C99 6.5.6 p8). Each access vouches
//! for its own address, and for others at constant distances if they are accessed only where it is.

use super::{insts, is_of_device};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use crate::kernel::ArgKind;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The most additions that are followed to the start of an object.
const MAX_ADDITIONS: usize = 4;

/// A sum of the start of an object and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    pub start: Value,
    pub offsets: SmallVec<[Value; MAX_ADDITIONS]>,
    pub constant: i64,
}

/// The changes that make of addresses the start of an object plus an offset that no access makes negative, or such a sum
/// plus a constant that is not negative.
#[derive(Default)]
pub struct Starts {
    /// Additions that become sums.
    pub sums: FxHashMap<Inst, Sum>,
    /// Additions of constants to changed addresses, with their new constants.
    pub constants: FxHashMap<Inst, i64>,
    /// Accesses of changed addresses, with the constant that is to be added for them.
    pub accesses: FxHashMap<Inst, i64>,
}

impl Starts {
    /// Finds the changes for a kernel's entry. `stays`: additions that do not change.
    pub fn find(
        func: &Function,
        kernel: &KernelEntry,
        cfg: &Cfg,
        stays: impl Fn(Inst) -> bool,
    ) -> Starts {
        let uses = Uses::find(func, cfg);
        let mut dom = None;
        let mut starts = Starts::default();
        for (_, inst) in insts(func, cfg) {
            let InstData::PtrAdd { ptr, offset, .. } = func.insts[inst] else { continue };
            let Some(pointer) = func.result(inst) else { continue };
            let is_wide = func.ty(offset) == Type::I64 && func.as_const(offset).is_none();
            if !is_of_device(func, ptr) || !is_wide || uses.others.contains(&pointer) || stays(inst)
            {
                continue;
            }
            let Some(sum) = sum(func, kernel, pointer) else { continue };
            let Some(places) = uses.places(func, pointer) else { continue };
            let dom = dom.get_or_insert_with(|| DomTree::compute(cfg));
            starts.change(func, dom, inst, &sum, &places);
        }
        starts
    }

    /// Notes the changes for an addition, and for the additions of constants to its result.
    fn change(&mut self, func: &Function, dom: &DomTree, inst: Inst, sum: &Sum, places: &[Place]) {
        let of = |constant| Sum { constant: sum.constant.wrapping_add(constant), ..sum.clone() };
        let Some(least) = places.iter().map(|place| place.constant).min() else { return };
        let vouching: Vec<Block> = places
            .iter()
            .filter(|place| place.constant == least)
            .map(|place| place.block)
            .collect();
        let vouched = |place: &Place| {
            let calls = |block: Block| {
                func.blocks[block]
                    .insts
                    .iter()
                    .any(|i| matches!(func.insts[*i], InstData::Call { .. }))
            };
            vouching.iter().any(|&block| dom.dominates(block, place.block) && !calls(block))
        };
        if places.iter().all(|place| place.constant == least || vouched(place)) {
            self.sums.insert(inst, of(least));
            if least == 0 {
                return;
            }
            for place in places {
                match place.by {
                    Some(derived) => self.constants.insert(derived, place.constant - least),
                    None => self.accesses.insert(place.access, -least),
                };
            }
            return;
        }
        for place in places {
            self.sums.insert(place.by.unwrap_or(inst), of(place.constant));
        }
    }
}

/// An access of an address, or of one at a constant distance from it.
struct Place {
    access: Inst,
    block: Block,
    /// The addition of the distance; `None` for the address itself.
    by: Option<Inst>,
    constant: i64,
}

/// The uses of pointers.
#[derive(Default)]
struct Uses {
    /// Loads, stores and atomic operations.
    accesses: FxHashMap<Value, Vec<(Inst, Block)>>,
    /// Additions of constants.
    derived: FxHashMap<Value, Vec<(Inst, i64)>>,
    /// Pointers that are used in other ways than these and as the base of other additions.
    others: FxHashSet<Value>,
}

impl Uses {
    fn find(func: &Function, cfg: &Cfg) -> Uses {
        let mut uses = Uses::default();
        for (block, inst) in insts(func, cfg) {
            let data = &func.insts[inst];
            let known = match *data {
                InstData::PtrAdd { ptr, offset, .. } => {
                    match func.as_signed_const(offset) {
                        Some(k) => uses.derived.entry(ptr).or_default().push((inst, k)),
                        // A changed address may be too large for what is added to it.
                        None => _ = uses.others.insert(ptr),
                    }
                    Some(ptr)
                }
                InstData::MatrixLoad { .. } | InstData::MatrixStore { .. } => None,
                _ => {
                    let address = data.address();
                    if let Some(ptr) = address {
                        uses.accesses.entry(ptr).or_default().push((inst, block));
                    }
                    address
                }
            };
            // A pointer may be what is stored and where.
            let mut is_seen = false;
            data.for_each_arg(|arg| {
                if func.ty(arg).scalar.is_ptr() && (Some(arg) != known || is_seen) {
                    uses.others.insert(arg);
                }
                is_seen |= Some(arg) == known;
            });
            data.for_each_target(|call| uses.others.extend(&call.args));
        }
        uses
    }

    /// Returns the accesses of an address and of those at constant distances; `None` if one of these is used otherwise.
    fn places(&self, func: &Function, pointer: Value) -> Option<Vec<Place>> {
        let mut places = Vec::new();
        let direct = self.accesses.get(&pointer).into_iter().flatten();
        places.extend(direct.map(|&(access, block)| Place {
            access,
            block,
            by: None,
            constant: 0,
        }));
        for &(derived, constant) in self.derived.get(&pointer).into_iter().flatten() {
            let other = func.result(derived)?;
            if self.others.contains(&other) || self.derived.contains_key(&other) {
                return None;
            }
            let accesses = self.accesses.get(&other).into_iter().flatten();
            places.extend(accesses.map(|&(access, block)| Place {
                access,
                block,
                by: Some(derived),
                constant,
            }));
        }
        Some(places)
    }
}

/// Returns a pointer as the start of an object and what is added to it; `None` if it is no such sum.
fn sum(func: &Function, kernel: &KernelEntry, pointer: Value) -> Option<Sum> {
    let mut sum = Sum { start: pointer, offsets: SmallVec::new(), constant: 0 };
    loop {
        match *func.def_inst(sum.start)? {
            InstData::GlobalAddr { .. } => return Some(sum),
            // A value may contain an address, too.
            InstData::LoadArg { arg, offset: 0 } => {
                let kind = kernel.args.get(arg as usize).map(|arg| arg.kind);
                return (kind == Some(ArgKind::Buffer)).then_some(sum);
            }
            InstData::PtrAdd { ptr, offset, .. } => {
                match func.as_signed_const(offset) {
                    Some(k) => sum.constant = sum.constant.checked_add(k)?,
                    None if sum.offsets.len() == MAX_ADDITIONS => return None,
                    None => sum.offsets.push(offset),
                }
                sum.start = ptr;
            }
            _ => return None,
        }
    }
}
