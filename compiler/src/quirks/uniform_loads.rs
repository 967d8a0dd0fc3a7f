//! Uniform loads on drivers that execute a load from an address that is the same for all invocations even if none of
//! them reaches it: [`Quirks::UNMASKED_UNIFORM_LOADS`](hekla_device::Quirks::UNMASKED_UNIFORM_LOADS).
//!
//! lavapipe of Mesa 26.2 turns such a load into one scalar load, outside of the mask with which it executes branches and
//! loops: `if (p) x = *p` with a null `p` ends the process. It loads from addresses that may differ between invocations
//! under the mask. So the pass adds to the address a zero that depends on the invocation's number in its sub-group.

use crate::ir::*;
use crate::passes::cursor::Cursor;

/// Rewrites the loads from memory of devices. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    let is_load = |func: &Function, inst| match func.insts[inst] {
        InstData::Load { ptr, .. } => func.ty(ptr).scalar.bits() == 64,
        _ => false,
    };
    let blocks = func.layout.clone();
    if !blocks.iter().flat_map(|&b| &func.blocks[b].insts).any(|&inst| is_load(func, inst)) {
        return false;
    }
    let mut c = Cursor::new(func);
    let zero = varying_zero(&mut c);
    let mut start = std::mem::take(&mut c.out);
    for block in blocks {
        let insts = c.begin(block);
        c.out.append(&mut start);
        for &inst in &insts {
            c.func.stand_at(inst);
            if let InstData::Load { ptr, align, flags } = c.func.insts[inst] {
                if c.ty(ptr).scalar.bits() == 64 {
                    let ptr = c.ptr_add(ptr, zero);
                    c.func.replace_inst(inst, InstData::Load { ptr, align, flags });
                }
            }
            c.keep(inst);
        }
        c.finish_in(block, insts);
    }
    true
}

/// Returns an I64 that is zero, which no driver can find out: n (n + 1) is even.
fn varying_zero(c: &mut Cursor<'_>) -> Value {
    let query = WorkItemQuery::SubgroupInvocation;
    let n = c.inst(InstData::WorkItem { query, dim: 0 }, query.ty());
    let next = c.binary_imm(BinaryOp::IAdd, n, 1);
    let even = c.binary(BinaryOp::IMul, n, next);
    let zero = c.binary_imm(BinaryOp::And, even, 1);
    c.resize(zero, Type::I64, false)
}
