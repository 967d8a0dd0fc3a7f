//! Reads of buffers that nobody has written. The launch knows which are: those that were made without contents, and that no
//! command but kernels that read them has been given ([`checks::UNWRITTEN`]).

use super::Check;
use crate::analysis::argument_access::argument_access;
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::checks::{self, Checks};
use crate::ir::*;
use crate::kernel::ArgAccess;
use crate::passes::cursor::Cursor;

/// Finds out how kernels access the memory of their arguments, before checks hide it.
///
/// Errors: recursion.
pub fn find_access(module: &mut Module) -> Result<(), String> {
    for place in 0..module.kernels.len() {
        let mut access = argument_access(module, &module.kernels[place])?;
        // A store that is found to be wrong is not made.
        access.iter_mut().for_each(|access| access.covers = 0);
        if let Some(kernel) = module.kernels.at_mut(place) {
            kernel.access = access;
        }
    }
    Ok(())
}

/// What a kernel knows of the arguments that it only reads.
#[derive(Default)]
pub struct Unwritten {
    /// Their bits.
    read_only: u32,
    /// The launch's word.
    word: Option<Value>,
}

impl Unwritten {
    pub fn new(kernel: &KernelEntry) -> Unwritten {
        let is_read = |access: &ArgAccess| access.reads && !access.writes;
        let known = kernel.access.iter().take(32).enumerate();
        let bits = known.filter(|(_, access)| is_read(access)).map(|(index, _)| 1 << index);
        Unwritten { read_only: bits.sum(), word: None }
    }

    /// Loads the launch's word, when the kernel begins. `area`: its check area.
    pub fn begin(&mut self, c: &mut Cursor<'_>, area: Value) {
        if self.read_only != 0 {
            let place = c.ptr_add_const(area, checks::UNWRITTEN as i64);
            self.word = Some(c.load(Type::I32, place, 4, MemFlags::INVARIANT));
        }
    }

    /// Checks that the memory of an argument that is loaded was written; `None` for what is no such load, or only copies.
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
