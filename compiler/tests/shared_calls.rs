//! Calls of large functions on drivers that inline all calls: the calls share a call site in kernels that would become too
//! large.

mod module_support;

use hekla_compiler::target::CallSharing;
use hekla_compiler::Quirks;
use hekla_compiler::Target;
use module_support::{count, module};
use rspirv::spirv::Op;

/// Returns a kernel with `calls` calls of a function of about 1,100 instructions, and with `rest` among its statements.
fn calling(calls: usize, rest: &str) -> String {
    let rounds: String = (0..150)
        .map(|i| {
            let (by, word) = (i % 13 + 3, i % 16);
            format!("t = rotate(a, {by}u) + (b & c ^ ~b & d) + w[{word}] + {i}u; d = c; c = b; b = a; a = t;\n")
        })
        .collect();
    let calls: String =
        (0..calls).map(|i| format!("mix(h, w, p); h[{}] ^= p[{i}];\n", i % 4)).collect();
    format!(
        "void mix(uint *h, const uint *w, global const uint *p) {{
             uint a = h[0], b = h[1], c = h[2], d = h[3], t;
             {rounds} h[0] += a ^ p[d % 8]; h[1] += b; h[2] += c; h[3] += d; }}
         kernel void k(global uint *p) {{
             uint h[4], w[16];
             for (int i = 0; i < 4; i++) h[i] = p[i];
             for (int i = 0; i < 16; i++) w[i] = p[i + 4];
             {rest} {calls} p[0] = h[0] ^ h[1] ^ h[2] ^ h[3]; }}"
    )
}

/// Returns the number of calls in a kernel's module.
fn calls(text: &str, target: &Target) -> usize {
    count(&module(text, target), |inst| inst.class.opcode == Op::FunctionCall)
}

#[test]
fn calls_of_a_large_function_share_a_call_site() {
    let sharing = Target { call_sharing: Some(CallSharing::DEFAULT), ..Target::generic() };
    let large = calling(60, "");
    assert_eq!(calls(&large, &sharing), 1);
    assert_eq!(calls(&large, &Target::generic()), 60);
    // Functions that share call sites may contain loads that ask for the invocation's number in its sub-group.
    let uniform = Target { quirks: Quirks::UNMASKED_UNIFORM_LOADS, ..sharing.clone() };
    assert_eq!(calls(&large, &uniform), 1);
    // Even with all calls inlined, the kernel is small enough.
    assert_eq!(calls(&calling(20, ""), &sharing), 20);
}

#[test]
fn work_items_that_act_together_make_calls_together() {
    let sharing = Target { call_sharing: Some(CallSharing::DEFAULT), ..Target::generic() };
    assert_eq!(calls(&calling(60, "barrier(CLK_GLOBAL_MEM_FENCE);"), &sharing), 60);
    let waits = "while (atomic_or((volatile global uint *)p, 0u) == 0);";
    assert_eq!(calls(&calling(60, waits), &sharing), 60);
    assert_eq!(calls(&calling(60, "atomic_inc((volatile global uint *)p);"), &sharing), 1);
}
