//! Uniform loads on drivers that execute a load from an address that all invocations agree on even where none of
//! them gets to it: [`Target::unmasked_uniform_loads`](crate::target::Target::unmasked_uniform_loads).
//!
//! lavapipe of Mesa 26.2 makes one scalar load of such a load, outside of the mask that it executes branches
//! and loops with: `if (p) x = *p` with a null `p` ends the process. Addresses that differ between
//! invocations as far as the driver can tell are loaded from under the mask; so a zero is added that depends
//! on the invocation's number in its sub-group.

use super::emitter::Emitter;
use super::error::EmitResult;
use crate::ir::Scalar;
use rspirv::spirv::{BuiltIn, Capability, Op};

impl Emitter<'_> {
    /// Returns the address to load from in place of `address`.
    pub fn load_address(&mut self, address: u32) -> EmitResult<u32> {
        // Addresses of two words are those of other drivers.
        if !(self.target.unmasked_uniform_loads && self.target.int64) {
            return Ok(address);
        }
        let zero = self.varying_zero();
        let wide = self.scalar_type(Scalar::I64)?;
        let zero = self.op(Op::UConvert, wide, &[zero]);
        Ok(self.op(Op::IAdd, wide, &[address, zero]))
    }

    /// Returns a word that is zero, which no driver finds out: n (n + 1) is even.
    fn varying_zero(&mut self) -> u32 {
        self.builder.require_capability(Capability::GroupNonUniform);
        let n = self.word_builtin(BuiltIn::SubgroupLocalInvocationId);
        let next = self.u32_op_const(Op::IAdd, n, 1);
        let even = self.u32_op(Op::IMul, n, next);
        self.u32_op_const(Op::BitwiseAnd, even, 1)
    }
}
