//! Async copies (OpenCL C 6.15.11): the work-items of the group copy element by element, and
//! waiting is a barrier.

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::Addr;
use crate::ir::{BarrierFlags, BinaryOp, Scalar, Type, Value};
use crate::lower::function::Lowering;
use crate::lower::types;
use crate::sema::types::{TypeId, TypeKind};

/// An operand of a copy: a pointer and the distance between elements, in elements.
struct CopyOperand {
    ptr: Value,
    stride: Option<Value>,
}

impl Lowering<'_, '_> {
    pub fn async_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        match (call.name, call.args.as_slice()) {
            ("async_work_group_copy", &[to, from, count, event]) => {
                let (to, from) = (
                    CopyOperand { ptr: to, stride: None },
                    CopyOperand { ptr: from, stride: None },
                );
                self.copy_elements(call, to, from, count)?;
                done(event)
            }
            ("async_work_group_strided_copy", &[to, from, count, stride, event]) => {
                // The stride is that of the side in global memory.
                let to_local = self.b.space(to) == crate::ir::AddressSpace::Local;
                let (to_stride, from_stride) =
                    if to_local { (None, Some(stride)) } else { (Some(stride), None) };
                let to = CopyOperand { ptr: to, stride: to_stride };
                let from = CopyOperand { ptr: from, stride: from_stride };
                self.copy_elements(call, to, from, count)?;
                done(event)
            }
            ("wait_group_events", _) => {
                self.b.barrier(BarrierFlags::all());
                Some(None)
            }
            _ => None,
        }
    }

    /// `for (i = local id; i < count; i += local size) to[i] = from[i]`.
    fn copy_elements(
        &mut self,
        call: &BuiltinCall,
        to: CopyOperand,
        from: CopyOperand,
        count: Value,
    ) -> Option<()> {
        let element = self.pointee(call.arg_type(0)?)?;
        let (size, align) = types::layout(self.types(), element);
        let ty = types::value_type(self.types(), element)?;
        let count = self.b.resize(count, Scalar::I64, false);
        let start = self.local_linear_id();
        let start = self.b.resize(start, Scalar::I64, false);
        let step = self.local_count();
        let step = self.b.resize(step, Scalar::I64, false);
        let open = self.b.open_loop(start, count);
        let source = self.element_address(&from, open.counter, size, align);
        let target = self.element_address(&to, open.counter, size, align);
        let value = self.load_element(ty, source);
        self.b.write(target, value);
        self.b.close_loop(open, BinaryOp::IAdd, step);
        Some(())
    }

    fn load_element(&mut self, ty: Type, addr: Addr) -> Value {
        self.b.load(ty.in_memory(), addr.ptr, addr.align, addr.flags)
    }

    fn element_address(&mut self, operand: &CopyOperand, i: Value, size: u64, align: u32) -> Addr {
        let index = match operand.stride {
            Some(stride) => {
                let stride = self.b.resize(stride, Scalar::I64, false);
                self.b.binary(BinaryOp::IMul, i, stride)
            }
            None => i,
        };
        let index = self.b.pointer_sized(index, operand.ptr, false);
        self.b.indexed(Addr::new(operand.ptr, align), index, size)
    }

    fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match self.types().kind(ty) {
            TypeKind::Pointer(pointer) => Some(pointer.pointee),
            _ => None,
        }
    }
}
