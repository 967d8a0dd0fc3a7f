//! Async copies and prefetch (OpenCL C 6.15.11): the work-items of the group copy element by element, and
//! waiting is a barrier.

use super::row::Row;
use super::signature::TypePattern::{self, Event};
use super::signature::{Elements, Scalar as Name, Sig, Spaces};
use super::{ArgType, Call, Lowerer};
use crate::ir::{Addr, AddressSpace, BarrierFlags, BinaryOp, Scalar, Value};
use crate::options::ClStd;

/// An operand of a copy: a pointer and the distance between elements, in elements.
struct CopyOperand {
    ptr: Value,
    stride: Option<Value>,
}

const SIZE: TypePattern = TypePattern::S(Name::ULong);
const GLOBAL: TypePattern = TypePattern::In(Spaces::GLOBAL);
const LOCAL: TypePattern = TypePattern::In(Spaces::LOCAL);
const TO_GLOBAL: TypePattern = TypePattern::Out(Spaces::GLOBAL);
const TO_LOCAL: TypePattern = TypePattern::Out(Spaces::LOCAL);

const fn copy(to_local: &'static [TypePattern], to_global: &'static [TypePattern]) -> [Sig; 2] {
    [Sig::new(Elements::ALL, Event, to_local), Sig::new(Elements::ALL, Event, to_global)]
}

pub(super) const ROWS: &[Row] = &[
    Row::call(
        &["async_work_group_copy"],
        &copy(&[TO_LOCAL, GLOBAL, SIZE, Event], &[TO_GLOBAL, LOCAL, SIZE, Event]),
        |l, c| match *c.args {
            [to, from, count, event] => l.copy_elements(c, [to, from], count, None, event),
            _ => None,
        },
    ),
    Row::call(
        &["async_work_group_strided_copy"],
        &copy(&[TO_LOCAL, GLOBAL, SIZE, SIZE, Event], &[TO_GLOBAL, LOCAL, SIZE, SIZE, Event]),
        |l, c| match *c.args {
            [to, from, count, stride, event] => {
                l.copy_elements(c, [to, from], count, Some(stride), event)
            }
            _ => None,
        },
    )
    .since(ClStd::Cl11),
    Row::call(
        &["wait_group_events"],
        &[Sig::plain(TypePattern::Void, &[TypePattern::S(Name::Int), TypePattern::Events])],
        |l, _| {
            l.b.barrier(BarrierFlags::all());
            None
        },
    ),
    Row::call(
        &["async_work_group_copy_fence"],
        &[Sig::plain(TypePattern::Void, &[TypePattern::S(Name::UInt)])],
        |l, c| {
            // The work-items of the group make the copies, so a barrier between them orders the copies.
            let flags = l.fence_flags(c);
            l.b.barrier(flags);
            None
        },
    ),
    Row::call(
        &["prefetch"],
        &[Sig::new(Elements::ALL, TypePattern::Void, &[GLOBAL, SIZE])],
        |_, _| None,
    ),
];

impl Lowerer<'_, '_> {
    /// Writes `for (i = local id; i < count; i += local size) to[i] = from[i]`, where `stride` is that of the side in global
    /// memory. Returns the event.
    fn copy_elements(
        &mut self,
        call: &Call<'_>,
        [to, from]: [Value; 2],
        count: Value,
        stride: Option<Value>,
        event: Value,
    ) -> Option<Value> {
        let element = *call.types.first()?;
        let to_local = self.b.space(to) == AddressSpace::Local;
        let (to_stride, from_stride) = if to_local { (None, stride) } else { (stride, None) };
        let to = CopyOperand { ptr: to, stride: to_stride };
        let from = CopyOperand { ptr: from, stride: from_stride };
        let count = self.b.resize_lanes(count, Scalar::I64, false);
        let start = self.local_linear_id();
        let start = self.b.resize_lanes(start, Scalar::I64, false);
        let step = self.local_count();
        let step = self.b.resize_lanes(step, Scalar::I64, false);
        let open = self.b.open_loop(start, count);
        let source = self.element_address(&from, open.counter, element);
        let target = self.element_address(&to, open.counter, element);
        let value = self.b.read(element.value(), source);
        self.b.write(target, value);
        self.b.close_loop(open, BinaryOp::IAdd, step);
        Some(event)
    }

    fn element_address(&mut self, operand: &CopyOperand, i: Value, element: ArgType) -> Addr {
        let (size, align) = element.layout();
        let index = match operand.stride {
            Some(stride) => {
                let stride = self.b.resize_lanes(stride, Scalar::I64, false);
                self.b.binary(BinaryOp::IMul, i, stride)
            }
            None => i,
        };
        let index = self.b.pointer_sized(index, operand.ptr, false);
        self.b.indexed(Addr::new(operand.ptr, align), index, u64::from(size))
    }
}
