//! The check of bounds at the beginning of a kernel: work-items beyond the global size return at once. With the check, a
//! kernel that cannot observe its local size needs no smaller work-groups at the end of the index space, and few pipelines
//! serve all global sizes.

use super::emitter::Emitter;
use super::error::EmitResult;
use super::position::Prologue;
use crate::kernel::{spec_id, Field};
use rspirv::spirv::{BuiltIn, Op, SelectionControl};

impl Emitter<'_> {
    /// Returns the code of the check, which a kernel with [`Field::Bounds`] executes before its first block. Drivers remove the
    /// code if the kernel is not specialized for bounds.
    pub fn return_beyond_bounds(&mut self) -> EmitResult<Prologue> {
        let [label, beyond, within] = [(); 3].map(|()| self.builder.new_id());
        let words = self.builder.vector(self.builder.u32, 3);
        let bools = self.builder.vector(self.builder.bool, 3);
        let first = self.field(Field::Bounds)? / 4;
        let bounds = [0, 1, 2].map(|dim| self.argument_word(first + dim));
        let bounds = self.op(Op::CompositeConstruct, words, &bounds);
        let id = self.load_builtin(BuiltIn::GlobalInvocationId, words);
        let beyond_in = self.op(Op::UGreaterThanEqual, bools, &[id, bounds]);
        let beyond_any = self.bool_op(Op::Any, &[beyond_in]);
        let bounded = self.builder.spec_const_bool(spec_id::BOUNDED, false);
        let returns = self.bool_op(Op::LogicalAnd, &[bounded, beyond_any]);
        self.op_void(Op::SelectionMerge, &[within, SelectionControl::NONE.bits()]);
        self.op_void(Op::BranchConditional, &[returns, beyond, within]);
        self.op_void(Op::Label, &[beyond]);
        self.op_void(Op::Return, &[]);
        self.op_void(Op::Label, &[within]);
        Ok(Prologue { label, code: std::mem::take(&mut self.body) })
    }
}
