//! Zero-initialization of work-group memory when a kernel begins (cl_khr_initialize_memory): the work-items share
//! the work, and a barrier ends it.

use super::emitter::Emitter;
use super::error::EmitResult;
use super::position::Prologue;
use crate::ir::{BarrierFlags, WorkItemQuery};
use rspirv::spirv::{LoopControl, Op};

impl Emitter<'_> {
    /// Returns the code that a kernel executes before its first block, if there is memory to clear.
    ///
    /// Both the length of the memory, which depends on the launch's local arguments, and the size of the
    /// work-group, which may be smaller at the edge of the index space, are specialization constants.
    pub fn zero_initialize_local(&mut self) -> EmitResult<Option<Prologue>> {
        if !self.info.zero_initializes_local {
            return Ok(None);
        }
        let [label, header, inside, next, merge] = [(); 5].map(|()| self.builder.new_id());
        let (view, length) = self.whole_local()?;
        let (first, step) = self.share_of_work()?;
        self.op_void(Op::Branch, &[header]);
        self.op_void(Op::Label, &[header]);
        let (word, following) = (self.builder.u32, self.builder.new_id());
        let index = self.op(Op::Phi, word, &[first, label, following, next]);
        let more = self.bool_op(Op::ULessThan, &[index, length]);
        self.op_void(Op::LoopMerge, &[merge, next, LoopControl::NONE.bits()]);
        self.op_void(Op::BranchConditional, &[more, inside, merge]);
        self.op_void(Op::Label, &[inside]);
        self.zero_local_element(view, index)?;
        self.op_void(Op::Branch, &[next]);
        self.op_void(Op::Label, &[next]);
        self.op_into(following, Op::IAdd, word, &[index, step]);
        self.op_void(Op::Branch, &[header]);
        self.op_void(Op::Label, &[merge]);
        self.barrier(BarrierFlags::LOCAL);
        Ok(Some(Prologue { label, code: std::mem::take(&mut self.body) }))
    }

    /// Returns this work-item's number in its work-group, and the number of work-items in the work-group.
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
