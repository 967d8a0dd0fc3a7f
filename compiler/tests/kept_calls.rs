//! Functions that are called from several places are marked DontInline where a driver would inline all calls of a large kernel.

mod module_support;

use hekla_compiler::{Quirks, Target};
use module_support::module;
use rspirv::spirv::FunctionControl;

/// Returns a kernel that calls sin of float4 `calls` times.
fn program(calls: usize) -> String {
    let calls = "v += sin(v * 1.5f);\n".repeat(calls);
    format!("kernel void k(global float4 *o) {{ float4 v = o[0];\n{calls}o[0] = v; }}")
}

/// Returns how many functions of the kernel's module are marked DontInline, and how many are not.
fn functions(calls: usize, quirks: Quirks) -> (usize, usize) {
    let target = Target { quirks, ..Target::generic() };
    let module = module(&program(calls), &target);
    let says_so = |function: &&rspirv::dr::Function| {
        let operands = function.def.as_ref().map_or(&[][..], |def| &def.operands);
        operands.contains(&rspirv::dr::Operand::FunctionControl(FunctionControl::DONT_INLINE))
    };
    let kept = module.functions.iter().filter(says_so).count();
    (kept, module.functions.len() - kept)
}

#[test]
fn large_kernels_keep_their_calls() {
    assert_eq!(functions(24, Quirks::INLINED_CALLS), (1, 1));
    assert_eq!(functions(24, Quirks::empty()), (0, 2));
}

#[test]
fn small_kernels_leave_them_to_the_driver() {
    let (kept, _) = functions(4, Quirks::INLINED_CALLS);
    assert_eq!(kept, 0);
}
