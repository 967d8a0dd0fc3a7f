//! Address space qualifier functions (OpenCL C 6.15.10).

use super::row::{Check, Lower, Names, Row};
use super::{Call, Lowerer};
use crate::ir::{AddressSpace, ConvertOp, IntCC, Type, Value};

/// CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
const LOCAL_FENCE: i64 = 1;
const GLOBAL_FENCE: i64 = 2;

const fn to_space(names: Names, space: AddressSpace) -> Row {
    let lower = Lower::Unary(|l, c, ptr| l.b.convert(ConvertOp::ToSpace, ptr, c.result));
    Row::new(names, &[], lower).check(Check::Space(Some(space)))
}

pub(super) const ROWS: &[Row] = &[
    to_space(&["to_global"], AddressSpace::Global),
    to_space(&["to_local"], AddressSpace::Local),
    to_space(&["to_private"], AddressSpace::Private),
    Row::unary(&["get_fence"], &[], |l, c, ptr| l.fence_of(c, ptr)).check(Check::Space(None)),
];

impl Lowerer<'_, '_> {
    /// Returns the fence flags for the memory of a pointer. Private memory needs no fence, so any flags are right for it.
    fn fence_of(&mut self, call: &Call<'_>, ptr: Value) -> Value {
        let local = self.b.convert(ConvertOp::ToSpace, ptr, Type::ptr(AddressSpace::Local));
        let null = self.b.zero(self.b.ty(local));
        let is_local = self.b.icmp(IntCC::Ne, local, null);
        let local = self.b.iconst(call.result, LOCAL_FENCE);
        let global = self.b.iconst(call.result, GLOBAL_FENCE);
        self.b.select(is_local, local, global)
    }
}
