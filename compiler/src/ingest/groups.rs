//! Barriers, and operations of the work-items of a work-group together (SPIR-V 3.49.20, 3.49.21).

use super::function::{unsupported, Translator};
use super::types::Kind;
use super::words::Inst;
use crate::builtins::{ArgType, Number};
use crate::ir::{
    AddressSpace, BarrierFlags, MemoryOrder, MemoryScope, Scalar, ScalarKinds, SyncSemantics, Type,
    Value,
};
use rspirv::spirv::{GroupOperation, Op, Scope};

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(op, ControlBarrier | MemoryBarrier | GroupAsyncCopy | GroupWaitEvents)
        || matches!(op, ControlBarrierArriveINTEL | ControlBarrierWaitINTEL)
        || op == UntypedGroupAsyncCopyKHR
        || matches!(op, GroupAll | GroupAny | GroupBroadcast)
        || combination(op).is_some()
}

/// Returns the last part of a collective function's name, and whether its integers are signed.
fn combination(op: Op) -> Option<(&'static str, bool)> {
    Some(match op {
        Op::GroupIAdd | Op::GroupFAdd => ("add", true),
        Op::GroupFMin | Op::GroupSMin => ("min", true),
        Op::GroupUMin => ("min", false),
        Op::GroupFMax | Op::GroupSMax => ("max", true),
        Op::GroupUMax => ("max", false),
        Op::GroupIMulKHR | Op::GroupFMulKHR => ("mul", true),
        Op::GroupBitwiseAndKHR => ("and", true),
        Op::GroupBitwiseOrKHR => ("or", true),
        Op::GroupBitwiseXorKHR => ("xor", true),
        Op::GroupLogicalAndKHR => ("logical_and", true),
        Op::GroupLogicalOrKHR => ("logical_or", true),
        Op::GroupLogicalXorKHR => ("logical_xor", true),
        _ => return None,
    })
}

/// Returns true for the instructions of SPV_KHR_uniform_group_instructions.
fn is_khr(op: Op) -> bool {
    use Op::*;
    matches!(op, GroupIMulKHR | GroupFMulKHR)
        || matches!(op, GroupBitwiseAndKHR | GroupBitwiseOrKHR | GroupBitwiseXorKHR)
        || matches!(op, GroupLogicalAndKHR | GroupLogicalOrKHR | GroupLogicalXorKHR)
}

impl Translator<'_, '_, '_> {
    pub(super) fn group(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match inst.op {
            Op::ControlBarrier => return self.control_barrier(inst),
            Op::ControlBarrierArriveINTEL | Op::ControlBarrierWaitINTEL => {
                return self.split_barrier(inst)
            }
            Op::MemoryBarrier => return self.memory_barrier(inst),
            _ => {}
        }
        let prefix = match self.execution_scope(inst.arg(0)?)? {
            Scope::Workgroup => "work_group",
            Scope::Subgroup if is_khr(inst.op) => {
                self.check_subgroups(inst.arg(0)?)?;
                "sub_group_non_uniform"
            }
            Scope::Subgroup if combination(inst.op).is_some() => {
                self.check_subgroups(inst.arg(0)?)?;
                "sub_group"
            }
            Scope::Subgroup => return self.uniform_subgroup(inst),
            _ => return unsupported(),
        };
        match inst.op {
            Op::GroupAsyncCopy => self.async_copy(inst),
            Op::UntypedGroupAsyncCopyKHR => self.async_copy_of_bytes(inst),
            Op::GroupWaitEvents => {
                self.b.barrier(BarrierFlags::all());
                Ok(())
            }
            Op::GroupAll | Op::GroupAny => {
                let predicate = self.number(inst.arg(1)?)?;
                if self.b.ty(predicate) != Type::BOOL {
                    return Err("the predicate is not a bool".to_string());
                }
                let name =
                    if inst.op == Op::GroupAll { "work_group_all" } else { "work_group_any" };
                let predicate = self.b.int_of_bool(predicate, Type::I32);
                let value = self.collective(name, &[predicate], true, Type::I32)?;
                let truth = self.b.is_nonzero(value);
                self.give(inst, truth)
            }
            Op::GroupBroadcast => {
                let value = self.number(inst.arg(1)?)?;
                let id = self.number(inst.arg(2)?)?;
                let ids = self.b.ty(id);
                if !ids.scalar.is_int() || ids.lanes > 3 {
                    return Err("the local id is not of up to three integers".to_string());
                }
                let mut args = vec![value];
                for lane in self.lanes(id) {
                    args.push(self.b.resize_lanes(lane, Scalar::I64, false));
                }
                self.lanewise(inst, value, |this, lane| {
                    args[0] = lane;
                    let result = this.b.ty(lane);
                    this.collective("work_group_broadcast", &args, true, result)
                })
            }
            _ => self.combine(inst, prefix),
        }
    }

    /// Returns an execution scope, which is a constant.
    pub(super) fn execution_scope(&mut self, id: u32) -> Result<Scope, String> {
        let scope = self.known_integer(id)?.ok_or("the scope is not a constant")?;
        let scope = u32::try_from(scope).ok().and_then(Scope::from_u32);
        scope.ok_or_else(|| "unknown scope".to_string())
    }

    fn combine(&mut self, inst: &Inst<'_>, prefix: &str) -> Result<(), String> {
        let (name, signed) = combination(inst.op).ok_or("it is not supported")?;
        let operation = match GroupOperation::from_u32(inst.arg(1)?) {
            Some(GroupOperation::Reduce) => "reduce",
            Some(GroupOperation::InclusiveScan) => "scan_inclusive",
            Some(GroupOperation::ExclusiveScan) => "scan_exclusive",
            _ => return Err("this group operation is not supported".to_string()),
        };
        let name = format!("{prefix}_{operation}_{name}");
        let value = self.number(inst.arg(2)?)?;
        if self.b.ty(value) == Type::BOOL && name.contains("logical") {
            let predicate = self.b.int_of_bool(value, Type::I32);
            let combined = self.collective(&name, &[predicate], true, Type::I32)?;
            let truth = self.b.is_nonzero(combined);
            return self.give(inst, truth);
        }
        use Op::{GroupFAdd, GroupFMax, GroupFMin, GroupFMulKHR};
        let is_float = matches!(inst.op, GroupFAdd | GroupFMin | GroupFMax | GroupFMulKHR);
        self.check_kind(value, if is_float { ScalarKinds::FLOAT } else { ScalarKinds::INT })?;
        self.lanewise(inst, value, |this, lane| {
            let result = this.b.ty(lane);
            this.collective(&name, &[lane], signed, result)
        })
    }

    /// Calls `compute` with each lane of a value, and makes the results the lanes of the instruction's result.
    fn lanewise(
        &mut self,
        inst: &Inst<'_>,
        value: Value,
        mut compute: impl FnMut(&mut Self, Value) -> Result<Value, String>,
    ) -> Result<(), String> {
        let lanes = self.lanes(value);
        let mut results = Vec::with_capacity(lanes.len());
        for lane in lanes {
            results.push(compute(self, lane)?);
        }
        let value = self.b.build(&results);
        self.give(inst, value)
    }

    fn collective(
        &mut self,
        name: &str,
        args: &[Value],
        signed: bool,
        result: Type,
    ) -> Result<Value, String> {
        let of_value = self.b.ty(args[0]);
        let is_small = matches!(of_value.scalar, Scalar::I8 | Scalar::I16);
        if of_value.scalar == Scalar::Bool || is_small && name.starts_with("work_group") {
            return Err(format!("groups do not combine {of_value}"));
        }
        let types = self.arg_types(args, signed);
        let value = self.builtin(name, args, &types, result)?;
        value.ok_or_else(|| "it is not supported for these types".to_string())
    }

    /// A barrier of a wider scope is a fence on both sides too.
    fn control_barrier(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [execution, memory, semantics] = inst.get()?;
        // No barrier is wider than a work-group; clang 22 writes the memory's scope as the execution scope.
        let execution = self.execution_scope(execution)?;
        if execution == Scope::Subgroup {
            let (flags, scope) = (self.memory_of(semantics)?, self.scope(memory)?);
            return self.subgroup_barrier(flags, scope);
        }
        if !matches!(execution, Scope::Workgroup | Scope::Device | Scope::CrossDevice) {
            return unsupported();
        }
        let flags = self.memory_of(semantics)?;
        let order = self.order(semantics)?;
        let wide = self.scope(memory)? == MemoryScope::Device
            && flags.contains(BarrierFlags::GLOBAL)
            && order != MemoryOrder::Relaxed;
        let fence = SyncSemantics { order: MemoryOrder::AcqRel, scope: MemoryScope::Device };
        if wide {
            self.b.fence(flags, fence);
        }
        self.b.barrier(flags);
        if wide {
            self.b.fence(flags, fence);
        }
        Ok(())
    }

    /// Translates a split barrier (SPV_INTEL_split_barrier): the wait becomes the barrier, the arrival becomes nothing. Work
    /// before the arrival is also before the wait.
    fn split_barrier(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [execution, memory, semantics] = inst.get()?;
        if self.execution_scope(execution)? != Scope::Workgroup {
            return unsupported();
        }
        if inst.op == Op::ControlBarrierWaitINTEL {
            return self.control_barrier(inst);
        }
        self.scope(memory)?;
        self.memory_of(semantics).map(|_| ())
    }

    fn memory_barrier(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [scope, semantics] = inst.get()?;
        let (flags, order) = (self.memory_of(semantics)?, self.order(semantics)?);
        let scope = self.scope(scope)?;
        if order != MemoryOrder::Relaxed {
            self.b.fence(flags, SyncSemantics { order, scope });
        }
        Ok(())
    }

    /// Operands: scope, destination, source, number of elements, stride, event.
    fn async_copy(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        use AddressSpace::{Global, Local};
        let [_, to, from, count, stride, event] = inst.get()?;
        let ((to, to_ty), (from, from_ty)) = (self.pointer(to)?, self.pointer(from)?);
        let mut element = self.m.types.pointee(to_ty)?;
        self.m.types.pointee(from_ty)?;
        // The elements are numbers; clang 22 writes pointers to arrays of them.
        while let Kind::Array { element: inner, .. } = *self.m.types.kind(element) {
            element = inner;
        }
        let element = self.m.types.numeric(element)?;
        let number = Number { scalar: element.scalar, signed: true };
        let element = ArgType { number, lanes: element.lanes, image: None };
        let (count, stride) = (self.number(count)?, self.number(stride)?);
        let event = self.one(event)?;
        let is_count = |value| matches!(self.b.ty(value), Type::I32 | Type::I64);
        let spaces = (self.b.space(to), self.b.space(from));
        let fits = matches!(spaces, (Local, Global) | (Global, Local));
        if !fits || !is_count(count) || !is_count(stride) || self.b.ty(event) != Type::I64 {
            return Err("an operand is of the wrong type".to_string());
        }
        let mut types = vec![element; 2];
        let rest = [count, stride, event];
        types.extend(self.arg_types(&rest, false));
        let args = [to, from, count, stride, event];
        let value = self.builtin("async_work_group_strided_copy", &args, &types, Type::I64)?;
        self.give(inst, value.ok_or("it is not supported for these types")?)
    }

    /// Operands: scope, destination, source, bytes of an element, number of elements, stride in bytes, event. The stride is the
    /// distance of the elements in global memory; if it is 0, they are adjacent.
    fn async_copy_of_bytes(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        use AddressSpace::{Global, Local};
        let [_, to, from, bytes, count, stride, event] = inst.get()?;
        let ((to, _), (from, _)) = (self.pointer(to)?, self.pointer(from)?);
        let [bytes, count, stride] = self.numbers([bytes, count, stride])?;
        let event = self.one(event)?;
        let to_local = match (self.b.space(to), self.b.space(from)) {
            (Local, Global) => true,
            (Global, Local) => false,
            _ => return Err("an operand is of the wrong type".to_string()),
        };
        if self.b.ty(bytes) != Type::I64 || self.b.ty(event) != Type::I64 {
            return Err("an operand is of the wrong type".to_string());
        }
        let is_apart = self.b.is_nonzero(stride);
        let stride = self.b.select(is_apart, stride, bytes);
        let (zero, one) = (self.b.int(Scalar::I64, 0), self.b.int(Scalar::I64, 1));
        let [to_line, from_line] = if to_local { [bytes, stride] } else { [stride, bytes] };
        let args = [to, zero, from, zero, one, bytes, count, from_line, to_line, event];
        let types = self.arg_types(&args, false);
        let value = self.builtin("async_work_group_copy_2D2D", &args, &types, Type::I64)?;
        self.give(inst, value.ok_or("it is not supported for these types")?)
    }
}
