//! Commands that kernels enqueue (OpenCL C 6.15.17): a block's kernel with the values that the block captured, or a marker.

use super::function::Lowering;
use crate::builtins::{Enqueued, Events, Range};
use crate::device_queue::property;
use crate::ir::{Func, Scalar, Type, Value};
use crate::sema::hir::{Enqueue, EnqueuedBlock, Expr, FunctionId, KernelProperty};
use crate::source::Span;

/// Byte offsets in a range (`ndrange_t`) behind the number of dimensions.
const OFFSET: u64 = 8;
const GLOBAL_SIZE: u64 = 32;
const LOCAL_SIZE: u64 = 56;

impl Lowering<'_, '_> {
    /// Lowers `enqueue_kernel` or `enqueue_marker`; the result is CLK_SUCCESS or an error.
    pub fn enqueue(&mut self, enqueue: &Enqueue, span: Span) -> Value {
        let queue = self.value(&enqueue.queue);
        let enqueued = enqueue.block.as_ref().map(|block| self.enqueued(block));
        let events = enqueue.events.as_ref().map(|events| Events {
            count: self.value(&events.count),
            list: events.list.as_ref().map(|list| self.value(list)),
            event: events.event.as_ref().map(|event| self.value(event)),
        });
        let zero = self.b.int(Scalar::I32, 0);
        let events = events.unwrap_or(Events { count: zero, list: None, event: None });
        let filling = self
            .with_lowerer(span, |lowerer| lowerer.open_record(queue, enqueued.as_ref(), events));
        let Some(filling) = filling else { return zero };
        if let Some(block) = &enqueue.block {
            let address = self.local(block.captured);
            self.b.write(address, filling.captured.ptr);
            self.stmts(&block.stores);
        }
        self.with_lowerer(span, |lowerer| lowerer.close_record(filling))
    }

    fn enqueued(&mut self, block: &EnqueuedBlock) -> Enqueued {
        Enqueued {
            kernel: self.entry(block.kernel, block.range.span),
            flags: self.value(&block.flags),
            range: self.range(&block.range),
            local_sizes: block.local_sizes.iter().map(|size| self.value(size)).collect(),
            captured_bytes: block.captured_bytes,
        }
    }

    /// Returns the entry of a block's kernel.
    fn entry(&mut self, kernel: FunctionId, span: Span) -> Func {
        self.context.entry(kernel, span)
    }

    fn range(&mut self, range: &Expr) -> Range {
        let range = self.record(range);
        let mut three = |offset: u64| {
            [0, 8, 16].map(|d| {
                let place = self.b.offset(range, offset + d);
                self.b.read(Type::I64, place)
            })
        };
        let [offset, global, local] = [OFFSET, GLOBAL_SIZE, LOCAL_SIZE].map(&mut three);
        Range { dimensions: self.b.read(Type::I32, range), offset, global, local }
    }

    /// Lowers `get_kernel_work_group_size` and its like.
    pub fn kernel_property(
        &mut self,
        property: KernelProperty,
        kernel: FunctionId,
        range: Option<&Expr>,
        span: Span,
    ) -> Value {
        let range = range.map(|range| self.range(range));
        let kernel = self.entry(kernel, span);
        self.with_lowerer(span, |lowerer| match (property, range) {
            (KernelProperty::SubgroupCount, Some(range)) => lowerer.subgroups_of(&range, kernel),
            _ => lowerer.kernel_property(kernel, word_of(property)),
        })
    }
}

/// Returns the number of the word in [`property`] that holds a property.
fn word_of(property: KernelProperty) -> usize {
    match property {
        KernelProperty::WorkGroupSize => property::WORK_GROUP_SIZE,
        KernelProperty::PreferredMultiple => property::PREFERRED_MULTIPLE,
        KernelProperty::MaxSubgroupSize | KernelProperty::SubgroupCount => property::SUBGROUP_SIZE,
    }
}
