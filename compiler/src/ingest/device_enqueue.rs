//! Commands that kernels enqueue (SPIR-V 3.49.23), and queries about the kernels that they may enqueue.
//!
//! The operand Param points to bytes, which are copied into the record like the captured values of a block of OpenCL C. It
//! is not known which of the bytes are pointers.

use super::block_kernels::Invoked;
use super::constants::{Const, Constant};
use super::function::Translator;
use super::module::Entity;
use super::types::Kind;
use super::words::Inst;
use crate::builtins::{Enqueued, Events};
use crate::device_queue::{property, record};
use crate::ir::{Addr, AddressSpace, BinaryOp, IntCC, Scalar, Type, Value};
use rspirv::spirv::Op;

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        EnqueueKernel
            | EnqueueMarker
            | GetKernelNDrangeSubGroupCount
            | GetKernelNDrangeMaxSubGroupSize
            | GetKernelWorkGroupSize
            | GetKernelPreferredWorkGroupSizeMultiple
            | GetKernelLocalSizeForSubgroupCount
            | GetKernelMaxNumSubgroups
    )
}

impl Translator<'_, '_, '_> {
    pub(super) fn device_enqueue(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        self.check_device_queues()?;
        let ty = self.m.types.of(inst.ty)?;
        if *self.m.types.kind(ty) != Kind::Value(Type::I32) {
            return Err("its type is not that of an integer of 32 bits".to_string());
        }
        let value = match inst.op {
            Op::EnqueueKernel => self.enqueue_kernel(inst)?,
            Op::EnqueueMarker => {
                let queue = self.queue(inst.arg(0)?)?;
                let events = self.events(inst, 1)?;
                let filling = self.with_lowerer(|lowerer| lowerer.open_record(queue, None, events));
                let filling = filling.ok_or("it is not supported")?;
                self.with_lowerer(|lowerer| lowerer.close_record(filling))
            }
            _ => self.kernel_query(inst)?,
        };
        self.give(inst, value)
    }

    fn enqueue_kernel(&mut self, inst: &Inst<'_>) -> Result<Value, String> {
        let queue = self.queue(inst.arg(0)?)?;
        let flags = self.integer(inst.arg(1)?, &[32])?;
        let range = self.range(inst.arg(2)?)?;
        let events = self.events(inst, 3)?;
        let invoked = self.invoked(inst, 6)?;
        let sizes = inst.rest(10);
        if sizes.len() != invoked.locals {
            return Err(format!(
                "there are sizes of {} local arguments, of which the function has {}",
                sizes.len(),
                invoked.locals
            ));
        }
        let local_sizes =
            sizes.iter().map(|&id| self.local_size(id)).collect::<Result<Vec<_>, _>>()?;
        let captured_bytes = invoked.size.next_multiple_of(record::ALIGN);
        let enqueued =
            Enqueued { kernel: invoked.kernel, flags, range, local_sizes, captured_bytes };
        let filling =
            self.with_lowerer(|lowerer| lowerer.open_record(queue, Some(&enqueued), events));
        let filling = filling.ok_or("it is not supported")?;
        let source = Addr::new(invoked.param, invoked.align);
        self.copy_constant(filling.captured, source, u64::from(invoked.size), &[]);
        Ok(self.with_lowerer(|lowerer| lowerer.close_record(filling)))
    }

    /// Returns the events of a command from its operands: the number of events to wait for, a pointer to them, and a pointer to
    /// the variable for the command's own event.
    fn events(&mut self, inst: &Inst<'_>, at: usize) -> Result<Events, String> {
        let count = self.integer(inst.arg(at)?, &[32])?;
        let list = self.event_pointer(inst.arg(at + 1)?)?;
        let event = self.event_pointer(inst.arg(at + 2)?)?;
        if event.is_some_and(|event| self.b.space(event) == AddressSpace::Constant) {
            return Err("constant memory is not written to".to_string());
        }
        Ok(Events { count, list, event })
    }

    /// Returns a pointer to events; `None` for the null pointer.
    fn event_pointer(&mut self, id: u32) -> Result<Option<Value>, String> {
        let (pointer, ty) = self.pointer(id)?;
        if !self.m.types.is_untyped(ty) {
            let pointee = self.m.types.pointee(ty)?;
            if *self.m.types.kind(pointee) != Kind::DeviceEvent {
                return Err(format!("%{id} is not a pointer to events of the device"));
            }
        }
        let is_null = matches!(
            self.m.entities.get(&id),
            Some(Entity::Constant(Constant { value: Const::Null, .. }))
        );
        Ok((!is_null).then_some(pointer))
    }

    /// Returns the size in bytes of a local argument. The translator from LLVM writes a pointer to the size.
    fn local_size(&mut self, id: u32) -> Result<Value, String> {
        let val = self.val(id)?;
        let value = match *self.m.types.kind(val.ty) {
            Kind::Pointer { .. } => {
                let pointee = self.m.types.pointee(val.ty)?;
                match *self.m.types.kind(pointee) {
                    Kind::Value(ty @ (Type::I32 | Type::I64)) => {
                        let place = Addr::new(val.leaves[0], self.m.types.align(pointee));
                        self.b.read(ty, place)
                    }
                    _ => return Err(format!("%{id} does not point to a size")),
                }
            }
            _ => self.integer(id, &[32, 64])?,
        };
        if self.b.ty(value) == Type::I32 {
            return Ok(value);
        }
        // A size beyond 32 bits is too large for every device, and so is the greatest number of 32 bits.
        let most = self.b.int(Scalar::I64, i64::from(u32::MAX));
        let size = self.b.binary(BinaryOp::UMin, value, most);
        Ok(self.b.resize(size, Type::I32, false))
    }

    /// Returns the enqueued function from four operands: function, pointer to its bytes, their number, their alignment.
    fn invoked(&mut self, inst: &Inst<'_>, at: usize) -> Result<Invoked, String> {
        let [function, param, size, align] = [0, 1, 2, 3].map(|index| inst.arg(at + index));
        let (param, _) = self.pointer(param?)?;
        let mut known = |id: u32, what: &str| {
            self.integer(id, &[32])?;
            let known = self.known_integer(id)?;
            known.ok_or_else(|| format!("the {what} of what the function takes is not a constant"))
        };
        let (size, align) = (known(size?, "size")?, known(align?, "alignment")?);
        self.m.invoked(function?, param, size, align)
    }

    /// Answers a query about a kernel.
    fn kernel_query(&mut self, inst: &Inst<'_>) -> Result<Value, String> {
        use Op::*;
        let first = match inst.op {
            GetKernelWorkGroupSize
            | GetKernelPreferredWorkGroupSizeMultiple
            | GetKernelMaxNumSubgroups => 0,
            _ => 1,
        };
        let of_ranges =
            matches!(inst.op, GetKernelNDrangeSubGroupCount | GetKernelNDrangeMaxSubGroupSize);
        let range = if of_ranges { Some(self.range(inst.arg(0)?)?) } else { None };
        let count = match inst.op {
            GetKernelLocalSizeForSubgroupCount => Some(self.integer(inst.arg(0)?, &[32])?),
            _ => None,
        };
        let kernel = self.invoked(inst, first)?.kernel;
        let told = |this: &mut Self, word| {
            this.with_lowerer(|lowerer| lowerer.kernel_property(kernel, word))
        };
        Ok(match (inst.op, range, count) {
            (GetKernelWorkGroupSize, ..) => told(self, property::WORK_GROUP_SIZE),
            (GetKernelPreferredWorkGroupSizeMultiple, ..) => {
                told(self, property::PREFERRED_MULTIPLE)
            }
            (GetKernelNDrangeMaxSubGroupSize, ..) => told(self, property::SUBGROUP_SIZE),
            (GetKernelNDrangeSubGroupCount, Some(range), _) => {
                self.with_lowerer(|lowerer| lowerer.subgroups_of(&range, kernel))
            }
            (_, _, count) => {
                if self.m.out.target().subgroups.is_none() {
                    return Err("the device has no sub-groups".to_string());
                }
                let size = told(self, property::SUBGROUP_SIZE);
                let items = told(self, property::WORK_GROUP_SIZE);
                match count {
                    Some(count) => self.items_of(count, size, items),
                    None => {
                        // The last sub-group need not be full.
                        let rounded = self.b.binary(BinaryOp::IAdd, items, size);
                        let rounded = self.b.add_const(rounded, -1);
                        self.b.binary(BinaryOp::UDiv, rounded, size)
                    }
                }
            }
        })
    }

    /// Returns the number of work-items in `count` full sub-groups, or 0 if a work-group of `most` work-items has fewer
    /// sub-groups.
    fn items_of(&mut self, count: Value, size: Value, most: Value) -> Value {
        let full = self.b.binary(BinaryOp::UDiv, most, size);
        let fits = self.b.icmp(IntCC::Ule, count, full);
        let items = self.b.binary(BinaryOp::IMul, count, size);
        let zero = self.b.int(Scalar::I32, 0);
        self.b.select(fits, items, zero)
    }
}
