//! Lowers the alignment of loads and stores where constants in the address contradict it, so that legalization cuts them.
//!
//! A pointer has to be aligned as its type demands (OpenCL C 6.3.5), but programs do read a `uint` two bytes into a structure of
//! 22 bytes, or a `float4` behind two floats: processors and some GPUs allow it. Others, as NVIDIA's, read other bytes, and
//! say nothing.

use crate::analysis::known_bits::KnownBits;
use crate::ir::*;

/// How far the computation of an address is followed.
const MAX_DEPTH: u32 = 12;
/// The exponent of an alignment that nothing contradicts.
const ANY: u32 = 63;

/// Lowers the alignments of a function's loads and stores. Returns true if any changed.
pub fn run(func: &mut Function) -> bool {
    let mut lowered = Vec::new();
    let addresses = Addresses { func, known: KnownBits::new(func, None) };
    for inst in func.layout_insts() {
        if let InstData::Load { ptr, align, .. } | InstData::Store { ptr, align, .. } =
            func.insts[inst]
        {
            let exponent = addresses.pointer(ptr, MAX_DEPTH);
            if align > 1 && exponent < align.trailing_zeros() {
                lowered.push((inst, 1 << exponent));
            }
        }
    }
    for &(inst, lower) in &lowered {
        if let InstData::Load { align, .. } | InstData::Store { align, .. } = &mut func.insts[inst]
        {
            *align = lower;
        }
    }
    !lowered.is_empty()
}

/// Exponents of the greatest powers of two that divide addresses, and integers, for all that the constants in them say. What
/// is not known may be a multiple of anything.
struct Addresses<'a> {
    func: &'a Function,
    known: KnownBits<'a>,
}

impl Addresses<'_> {
    fn pointer(&self, ptr: Value, depth: u32) -> u32 {
        match (self.func.def_inst(ptr), depth.checked_sub(1)) {
            (Some(&InstData::PtrAdd { ptr, offset, .. }), Some(depth)) => {
                self.integer(offset, depth).min(self.pointer(ptr, depth))
            }
            _ => ANY,
        }
    }

    fn integer(&self, value: Value, depth: u32) -> u32 {
        if let Some(bits) = self.func.as_const(value) {
            return bits.trailing_zeros().min(ANY);
        }
        let Some(depth) = depth.checked_sub(1) else { return ANY };
        let exponent = match self.func.def_inst(value) {
            Some(&InstData::Binary { op, args: [a, b], .. }) => match op {
                BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::Or => {
                    self.integer(a, depth).min(self.integer(b, depth))
                }
                BinaryOp::IMul => match [a, b].map(|arg| self.func.as_signed_const(arg)) {
                    [_, Some(factor)] => self.multiple(a, factor, depth),
                    [Some(factor), _] => self.multiple(b, factor, depth),
                    _ => ANY,
                },
                BinaryOp::Shl => match self.func.as_const(b) {
                    Some(by) => self.integer(a, depth) + by.min(63) as u32,
                    None => ANY,
                },
                _ => ANY,
            },
            Some(&InstData::Convert {
                op: ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc,
                arg,
            }) => self.integer(arg, depth),
            _ => ANY,
        };
        exponent.min(ANY)
    }

    /// Returns the exponent of a multiple of a constant. Powers of two are sizes of elements, of which programs count as many as
    /// keep vectors aligned; another constant is the size of something that is counted one by one.
    fn multiple(&self, value: Value, factor: i64, depth: u32) -> u32 {
        let own = factor.trailing_zeros();
        match factor.unsigned_abs().is_power_of_two() {
            true => self.integer(value, depth) + own,
            false => self.known.trailing_zeros(value) + own,
        }
    }
}
