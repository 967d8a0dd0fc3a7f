//! Zero-initialization of work-group memory when a kernel begins (cl_khr_initialize_memory): the work-items share
//! the work, and none goes on before all is done.

use super::emitter::Emitter;
use super::error::EmitResult;
use super::position::Prologue;
use crate::ir::{BarrierFlags, WorkItemQuery};
use rspirv::spirv::Op;

impl Emitter<'_> {
    /// Returns what a kernel does before its first block, if there is memory to clear.
    ///
    /// The block is as long as this launch's arguments make it, and a work-group may be one at the edge, of
    /// fewer work-items: both lengths are specialization constants.
    pub fn zero_initialize_local(&mut self) -> EmitResult<Option<Prologue>> {
        if !self.info.zero_initializes_local {
            return Ok(None);
        }
        let label = self.enter_prologue();
        let (view, length) = self.whole_local()?;
        let (first, step) = self.share_of_work()?;
        let any = self.bool_op(Op::ULessThan, &[first, length]);
        let word = self.builder.u32;
        let clear = |e: &mut Self| {
            e.emit_loop([word], [first], |e, [index]| {
                e.zero_local_element(view, index)?;
                let next = e.u32_op(Op::IAdd, index, step);
                Ok((e.bool_op(Op::UGreaterThanEqual, &[next, length]), [next]))
            })?;
            Ok(0)
        };
        self.emit_if(any, None, clear, |_| Ok(0))?;
        self.barrier(BarrierFlags::LOCAL);
        Ok(Some(Prologue { label, code: std::mem::take(&mut self.body) }))
    }

    /// This work-item's number in its work-group, and how many there are.
    fn share_of_work(&mut self) -> EmitResult<(u32, u32)> {
        let mut number = self.work_item(WorkItemQuery::LocalId, 2)?;
        let mut count = self.work_item(WorkItemQuery::LocalSize, 2)?;
        for dim in [1, 0] {
            let size = self.work_item(WorkItemQuery::LocalSize, dim)?;
            let id = self.work_item(WorkItemQuery::LocalId, dim)?;
            number = self.u32_op(Op::IMul, number, size);
            number = self.u32_op(Op::IAdd, number, id);
            count = self.u32_op(Op::IMul, count, size);
        }
        Ok((number, count))
    }
}
