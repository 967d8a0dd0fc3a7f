//! Queues on the device (SPIR-V 3.49.23): queues, events and ranges. The commands that kernels enqueue are in
//! `device_enqueue`.

use super::function::Translator;
use super::types::{Kind, Ty};
use super::words::Inst;
use crate::builtins::Range;
use crate::ir::{Addr, AddressSpace, Scalar, Type, Value};
use rspirv::spirv::Op;

/// CmdExecTime of the mask of profiling information (SPIR-V 3.25).
const COMMAND_TIME: u64 = 1;
/// The most dimensions of a range.
const DIMENSIONS: usize = 3;

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        GetDefaultQueue
            | CreateUserEvent
            | IsValidEvent
            | RetainEvent
            | ReleaseEvent
            | SetUserEventStatus
            | CaptureEventProfilingInfo
            | BuildNDRange
    )
}

impl Translator<'_, '_, '_> {
    pub(super) fn device_queue(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        self.check_device_queues()?;
        match inst.op {
            Op::BuildNDRange => self.build_range(inst),
            Op::GetDefaultQueue => {
                self.queue_call(inst, "get_default_queue", &[], Some(Kind::Queue))
            }
            Op::CreateUserEvent => {
                self.queue_call(inst, "create_user_event", &[], Some(Kind::DeviceEvent))
            }
            Op::IsValidEvent => {
                let event = self.event(inst.arg(0)?)?;
                let truth = Some(Kind::Value(Type::BOOL));
                self.queue_call(inst, "is_valid_event", &[event], truth)
            }
            Op::RetainEvent | Op::ReleaseEvent => {
                let event = self.event(inst.arg(0)?)?;
                let retains = inst.op == Op::RetainEvent;
                let name = if retains { "retain_event" } else { "release_event" };
                self.queue_call(inst, name, &[event], None)
            }
            Op::SetUserEventStatus => {
                let [event, status] = inst.get()?;
                let args = [self.event(event)?, self.integer(status, &[32])?];
                self.queue_call(inst, "set_user_event_status", &args, None)
            }
            _ => self.capture_times(inst),
        }
    }

    /// Returns an error if the device has no queues for kernels.
    pub(super) fn check_device_queues(&self) -> Result<(), String> {
        match self.m.out.target().device_enqueue() {
            true => Ok(()),
            false => Err("the device has no queues for kernels".to_string()),
        }
    }

    /// Calls a function of OpenCL C. Checks that the instruction's type is of the kind of the result.
    fn queue_call(
        &mut self,
        inst: &Inst<'_>,
        name: &str,
        args: &[Value],
        result: Option<Kind>,
    ) -> Result<(), String> {
        if let Some(wanted) = &result {
            let found = self.m.types.of(inst.ty)?;
            if self.m.types.kind(found) != wanted {
                return Err("its type is not that of its result".to_string());
            }
        }
        let types = self.arg_types(args, true);
        let value = self.builtin(name, args, &types, Type::I64)?;
        match (value, result) {
            (Some(value), Some(_)) => self.give(inst, value),
            (None, Some(_)) => Err("it is not supported".to_string()),
            (_, None) => Ok(()),
        }
    }

    fn capture_times(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [event, information, memory] = inst.get()?;
        let event = self.event(event)?;
        let asked = self.integer(information, &[32])?;
        let (pointer, _) = self.pointer(memory)?;
        if self.b.space(pointer) != AddressSpace::Global {
            return Err(format!("%{memory} is not a pointer to global memory"));
        }
        if self.b.func.as_const(asked) != Some(COMMAND_TIME) {
            return Err(format!("%{information} is not the constant CmdExecTime"));
        }
        let args = [event, asked, pointer];
        self.queue_call(inst, "capture_event_profiling_info", &args, None)
    }

    pub(super) fn queue(&mut self, id: u32) -> Result<Value, String> {
        let val = self.val(id)?;
        match *self.m.types.kind(val.ty) {
            Kind::Queue => Ok(val.leaves[0]),
            _ => Err(format!("%{id} is not a queue")),
        }
    }

    fn event(&mut self, id: u32) -> Result<Value, String> {
        let val = self.val(id)?;
        match *self.m.types.kind(val.ty) {
            Kind::DeviceEvent => Ok(val.leaves[0]),
            _ => Err(format!("%{id} is not an event of the device")),
        }
    }

    /// Returns an integer whose number of bits is one of `widths`.
    pub(super) fn integer(&mut self, id: u32, widths: &[u32]) -> Result<Value, String> {
        let value = self.number(id)?;
        let ty = self.b.ty(value);
        match ty.lanes == 1 && ty.scalar.is_int() && widths.contains(&ty.scalar.bits()) {
            true => Ok(value),
            false => Err(format!("%{id} is not an integer of {} bits", widths[0])),
        }
    }

    /// Makes a range. Operands: global size, local size and offset, each a number or an array of two or three.
    fn build_range(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let result = self.m.types.of(inst.ty)?;
        self.check_range_type(result)?;
        let [global, local, offset] = inst.get()?;
        let dimensions = self.val_ref(global)?.leaves.len();
        let mut leaves = vec![self.b.int(Scalar::I32, dimensions as i64)];
        for id in [offset, global, local] {
            let val = self.val(id)?;
            let are_sizes = val.leaves.iter().all(|&leaf| self.b.ty(leaf) == Type::I64);
            let is_known = matches!(self.m.types.kind(val.ty), Kind::Value(_) | Kind::Array { .. });
            if !are_sizes || !is_known || !(1..=DIMENSIONS).contains(&val.leaves.len()) {
                return Err(format!("%{id} is neither a size nor an array of two or three"));
            }
            if val.leaves.len() != dimensions {
                return Err("its sizes differ in dimensions".to_string());
            }
            leaves.extend(&val.leaves);
            let zero = self.b.int(Scalar::I64, 0);
            leaves.extend((dimensions..DIMENSIONS).map(|_| zero));
        }
        self.define(inst, &leaves)
    }

    /// Checks that a type is `ndrange_t`: a struct of a number and three arrays of three sizes.
    fn check_range_type(&self, ty: Ty) -> Result<(), String> {
        let types = &self.m.types;
        let is_range = match types.kind(ty) {
            Kind::Struct { members } => match members.as_slice() {
                [(dimensions, _), sizes @ ..] if sizes.len() == 3 => {
                    let is_three = |&(array, _): &(Ty, u64)| match *types.kind(array) {
                        Kind::Array { element, length } => {
                            length == DIMENSIONS as u64 && types.value(element) == Some(Type::I64)
                        }
                        _ => false,
                    };
                    types.value(*dimensions) == Some(Type::I32) && sizes.iter().all(is_three)
                }
                _ => false,
            },
            _ => false,
        };
        match is_range {
            true => Ok(()),
            false => Err("its range is not of the type that OpBuildNDRange has".to_string()),
        }
    }

    /// Returns the range that is an operand: a value or, as compilers write it, a pointer to one.
    pub(super) fn range(&mut self, id: u32) -> Result<Range, String> {
        let mut val = self.val(id)?;
        if let Kind::Pointer { .. } = *self.m.types.kind(val.ty) {
            let pointee = self.m.types.pointee(val.ty)?;
            self.check_range_type(pointee)?;
            let addr = Addr::new(val.leaves[0], self.m.types.align(pointee));
            val.leaves = self.load_leaves(pointee, addr)?;
        } else {
            self.check_range_type(val.ty)?;
        }
        let leaf = |index: usize| val.leaves.get(index).copied().ok_or("the range has no sizes");
        let three = |first: usize| -> Result<[Value; 3], String> {
            Ok([leaf(first)?, leaf(first + 1)?, leaf(first + 2)?])
        };
        let (offset, global, local) = (three(1)?, three(4)?, three(7)?);
        Ok(Range { dimensions: leaf(0)?, offset, global, local })
    }
}
