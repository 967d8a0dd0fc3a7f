//! Checks that bytes of private variables were written before they are read. Each variable whose address does not leave the
//! function has a *shadow* of the same size, in which a byte is 1 if the variable's byte was written.
//!
//! A shadow is accessed in the same way as its variable, so that optimizations turn both into values, and remove the check
//! if they see that a variable is written first. Copies of whole objects (`MemFlags::COPY`) may copy bytes that were not
//! written; such copies copy the shadow as well.

use super::extents::{Extent, Extents};
use super::Check;
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::checks::Checks;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use crate::passes::legalize::split::Splitter;
use rustc_hash::{FxHashMap, FxHashSet};

/// Shadows of at most this many bytes are cleared without a loop.
const UNROLLED: u64 = 64;

/// The shadows of a function's variables.
#[derive(Default)]
pub struct Initialized {
    /// The shadow of each alloca that has one, and its size.
    shadows: Vec<(Value, u64)>,
    /// By pointer, the shadow of the object that it points into.
    of_pointer: FxHashMap<Value, Value>,
    /// By loaded value that is only copied, its shadow.
    copied: FxHashMap<Value, Value>,
}

/// The place in the shadow that belongs to an access: its address and type.
pub type Place = Option<(Value, Type)>;

impl Initialized {
    /// Makes shadows for variables that are read and whose address is used for accesses only. Variables in `written` are
    /// known to be written before they are read and get none.
    pub fn new(
        func: &mut Function,
        objects: &UnderlyingObjects,
        written: &FxHashSet<Inst>,
    ) -> Initialized {
        let alloca_of = |func: &Function, ptr: Value| match objects.of(func, ptr).object {
            UnderlyingObject::Alloca(inst) => Some(inst),
            _ => None,
        };
        let (mut escaped, mut read) = (FxHashSet::default(), FxHashSet::default());
        let mut pointers: Vec<(Value, Inst)> = Vec::new();
        for inst in func.layout_insts() {
            let data = &func.insts[inst];
            if let InstData::Load { ptr, .. } = *data {
                read.extend(alloca_of(func, ptr));
            }
            let result = func.result(inst).and_then(|result| alloca_of(func, result));
            if let (Some(alloca), Some(result)) = (result, func.result(inst)) {
                pointers.push((result, alloca));
            }
            let address = data.address();
            let mut seen_address = false;
            data.for_each_arg(|arg| {
                let Some(alloca) = alloca_of(func, arg) else { return };
                // The address is the first operand that has its value; a later one is the stored value, which may be
                // the same.
                let is_address =
                    address == Some(arg) && !std::mem::replace(&mut seen_address, true);
                let is_plain = matches!(data, InstData::Load { .. } | InstData::Store { .. });
                if !(is_address && is_plain || result == Some(alloca)) {
                    escaped.insert(alloca);
                }
            });
            // The address that a branch passes must only reach a parameter that always points into the same object.
            data.for_each_target(|call| {
                let params = &func.blocks[call.block].params;
                for (&param, &arg) in params.iter().zip(&call.args) {
                    let alloca = alloca_of(func, arg);
                    if alloca.is_some() && alloca_of(func, param) != alloca {
                        escaped.extend(alloca);
                    }
                }
            });
        }
        let mut it = Initialized::default();
        let mut shadow_of: FxHashMap<Inst, Value> = FxHashMap::default();
        let entry = func.entry();
        for inst in func.blocks[entry].insts.clone() {
            let InstData::Alloca { size, align } = func.insts[inst] else { continue };
            if escaped.contains(&inst) || !read.contains(&inst) || written.contains(&inst) {
                continue;
            }
            func.stand_at(inst);
            let ty = Type::ptr(AddressSpace::Private);
            let shadow = func.make_inst(InstData::Alloca { size, align }, Some(ty));
            func.blocks[entry].insts.insert(0, shadow);
            if let Some(address) = func.result(shadow) {
                it.shadows.push((address, size));
                shadow_of.insert(inst, address);
            }
        }
        for &block in &func.layout {
            let params = func.blocks[block].params.iter();
            pointers.extend(params.filter_map(|&p| Some((p, alloca_of(func, p)?))));
        }
        let known = pointers.into_iter();
        it.of_pointer = known.filter_map(|(p, inst)| Some((p, *shadow_of.get(&inst)?))).collect();
        it
    }

    /// Clears the shadows at the start of the function.
    pub fn begin(&self, s: &mut Splitter<'_>) {
        for &(shadow, size) in &self.shadows {
            let step = match size {
                n if n.is_multiple_of(8) && n > UNROLLED => 8,
                n if n.is_multiple_of(4) => 4,
                n if n.is_multiple_of(2) => 2,
                _ => 1,
            };
            let ty = Type::of(Scalar::int(8 * step as u32));
            if size <= UNROLLED {
                for at in (0..size).step_by(step as usize) {
                    let place = s.c.ptr_add_const(shadow, at as i64);
                    let zero = s.c.iconst(ty, 0);
                    s.c.store(place, zero, 1, MemFlags::empty());
                }
                continue;
            }
            let [header, behind] = [s.new_block(), s.new_block()];
            let at = s.c.func.add_param(header, Type::I32);
            let first = s.c.iconst(Type::I32, 0);
            s.jump(header, &[first]);
            s.switch_to(header);
            let place = s.c.ptr_add(shadow, at);
            let zero = s.c.iconst(ty, 0);
            s.c.store(place, zero, 1, MemFlags::empty());
            let next = s.c.binary_imm(BinaryOp::IAdd, at, step as i64);
            let more = s.c.icmp_imm(IntCC::Ult, next, size as i64);
            s.c.brif_with(more, (header, &[next]), (behind, &[]));
            s.finish();
            s.switch_to(behind);
        }
    }

    /// Returns the place in the shadow that belongs to a load or store, which is in bounds.
    pub fn shadow(&self, c: &mut Cursor<'_>, inst: Inst, extents: &Extents<'_>) -> Place {
        let (ptr, ty) = c.func.access(inst)?;
        let shadow = *self.of_pointer.get(&ptr)?;
        let Extent::Relative { offset, .. } = extents.of(c.func, ptr)? else { return None };
        let place = match c.func.as_signed_const(offset) {
            Some(bytes) => c.ptr_add_const(shadow, bytes),
            None => c.ptr_add(shadow, offset),
        };
        let ints = Type { scalar: Scalar::int(8 * ty.scalar.bytes()), ..ty };
        Some((place, ints))
    }

    /// Checks that loaded bytes were written; `None` for other instructions and for copies. A vector passes if one of its
    /// lanes was written, because programs keep three numbers in vectors of four. Lanes that were not written are found when
    /// they are read alone; not in a copy of the vector whose load was `guarded` by a branch, which counts as written.
    pub fn check(
        &mut self,
        c: &mut Cursor<'_>,
        inst: Inst,
        guarded: bool,
        shadow: Place,
    ) -> Option<Check> {
        let InstData::Load { align, flags, .. } = c.func.insts[inst] else { return None };
        let (place, ty) = shadow?;
        if flags.contains(MemFlags::COPY) {
            return None;
        }
        let written = c.load(ty, place, align, MemFlags::empty());
        let ones = written_lane(c, ty);
        let mut ok = None;
        for lane in 0..ty.lanes {
            let lane = c.extract(written, lane);
            let is_written = c.icmp(IntCC::Eq, lane, ones);
            ok = Some(ok.map_or(is_written, |ok| c.binary(BinaryOp::Or, ok, is_written)));
        }
        let ok = ok?;
        if let (true, Some(result)) = (ty.lanes > 1 && !guarded, c.func.result(inst)) {
            // Bytes that were reported once count as written when the value is stored elsewhere.
            let all = c.splat(ones, ty.lanes);
            let copied = c.select(ok, written, all);
            self.copied.insert(result, copied);
        }
        Some(Check::of(c, ok, Checks::INIT))
    }

    /// Removes the `COPY` flag that lowering set, and remembers that the value is copied.
    pub fn forget_copy(&mut self, func: &mut Function, inst: Inst) {
        let result = func.result(inst);
        if let InstData::Load { flags, .. } = &mut func.insts[inst] {
            if flags.contains(MemFlags::COPY) {
                *flags -= MemFlags::COPY;
                if let Some(result) = result {
                    // Filled in by `note`.
                    self.copied.insert(result, result);
                }
            }
        }
    }

    /// Updates the shadow behind an access. If a load is `guarded` by a branch, the value that it copies counts as
    /// written.
    pub fn note(&mut self, c: &mut Cursor<'_>, inst: Inst, guarded: bool, shadow: Place) {
        match c.func.insts[inst] {
            InstData::Load { align, .. } => {
                let result = c.func.result(inst).unwrap_or(Value::from_u32(0));
                if self.copied.get(&result) != Some(&result) {
                    return;
                }
                self.copied.remove(&result);
                if let (Some((place, ty)), false) = (shadow, guarded) {
                    let written = c.load(ty, place, align, MemFlags::empty());
                    self.copied.insert(result, written);
                }
            }
            InstData::Store { value, align, .. } => {
                let Some((place, ty)) = shadow else { return };
                let written = match self.copied.get(&value) {
                    Some(&written) if c.ty(written) == ty => written,
                    _ => {
                        let lane = written_lane(c, ty);
                        c.splat(lane, ty.lanes)
                    }
                };
                c.store(place, written, align, MemFlags::empty());
            }
            _ => {}
        }
    }
}

/// Returns the shadow of a lane that was written.
fn written_lane(c: &mut Cursor<'_>, ty: Type) -> Value {
    c.func.constant(ty.lane(), 0x0101_0101_0101_0101)
}
