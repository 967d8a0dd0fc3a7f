//! Address space qualifier functions (OpenCL C 6.15.10).

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::{AddressSpace, ConvertOp, IntCC, Type};
use crate::lower::function::Lowering;

/// CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
const LOCAL_FENCE: i64 = 1;
const GLOBAL_FENCE: i64 = 2;

impl Lowering<'_, '_> {
    pub fn space_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        let &[ptr] = call.args.as_slice() else { return None };
        match call.name {
            "to_global" | "to_local" | "to_private" => {
                done(self.b.convert(ConvertOp::ToSpace, ptr, call.result))
            }
            // Private memory needs no fence, so that any will do for it.
            "get_fence" => {
                let local = Type::ptr(AddressSpace::Local);
                let local = self.b.convert(ConvertOp::ToSpace, ptr, local);
                let null = self.b.zero(self.b.ty(local));
                let is_local = self.b.icmp(IntCC::Ne, local, null);
                let local = self.b.iconst(call.result, LOCAL_FENCE);
                let global = self.b.iconst(call.result, GLOBAL_FENCE);
                done(self.b.select(is_local, local, global))
            }
            _ => None,
        }
    }
}
