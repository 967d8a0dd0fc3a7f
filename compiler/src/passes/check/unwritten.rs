//! Reads of buffers that nobody has written. The launch knows these buffers: they were created without contents, and only
//! kernels that read them have used them so far ([`checks::UNWRITTEN`]).

use super::Check;
use crate::analysis::argument_access::argument_access;
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::checks::{self, Checks};
use crate::ir::*;
use crate::kernel::ArgAccess;
use crate::passes::cursor::Cursor;

/// Finds out how kernels access the memory of their arguments, before checks hide the accesses.
///
/// Errors: recursion.
pub fn find_access(module: &mut Module) -> Result<(), String> {
    for place in 0..module.kernels.len() {
        let mut access = argument_access(module, &module.kernels[place])?;
        // A store that a check finds wrong is not executed, so no store is certain to cover the memory.
        access.iter_mut().for_each(|access| access.covers = 0);
        if let Some(kernel) = module.kernels.at_mut(place) {
            kernel.access = access;
        }
    }
    Ok(())
}

/// The arguments that a kernel only reads, and the launch's bits of unwritten arguments.
#[derive(Default)]
pub struct Unwritten {
    /// A bit for each argument that the kernel only reads.
    read_only: u32,
    /// The launch's word with a bit for each unwritten argument.
    word: Option<Value>,
}

impl Unwritten {
    pub fn new(kernel: &KernelEntry) -> Unwritten {
        let is_read = |access: &ArgAccess| access.reads && !access.writes;
        let known = kernel.access.iter().take(32).enumerate();
        let bits = known.filter(|(_, access)| is_read(access)).map(|(index, _)| 1 << index);
        Unwritten { read_only: bits.sum(), word: None }
    }

    /// Loads the launch's word at the start of the kernel. `area`: the launch's check area.
    pub fn begin(&mut self, c: &mut Cursor<'_>, area: Value) {
        if self.read_only != 0 {
            let place = c.ptr_add_const(area, checks::UNWRITTEN as i64);
            self.word = Some(c.load(Type::I32, place, 4, MemFlags::INVARIANT));
        }
    }

    /// Checks that the memory of an argument that is loaded was written; `None` for other instructions and for copies.
    pub fn check(
        &self,
        c: &mut Cursor<'_>,
        inst: Inst,
        objects: &UnderlyingObjects,
    ) -> Option<Check> {
        let InstData::Load { ptr, flags, .. } = c.func.insts[inst] else { return None };
        let UnderlyingObject::KernelArgument(index) = objects.of(c.func, ptr).object else {
            return None;
        };
        let bit = 1u32.checked_shl(index)? & self.read_only;
        if bit == 0 || flags.contains(MemFlags::COPY) {
            return None;
        }
        let its = c.binary_imm(BinaryOp::And, self.word?, i64::from(bit));
        let ok = c.icmp_imm(IntCC::Eq, its, 0);
        Some(Check::of(c, ok, Checks::INIT))
    }
}
