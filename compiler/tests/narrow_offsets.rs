//! Offsets from addresses of objects that fit 32 bits, on drivers that make use of narrow offsets.

mod module_support;

use hekla_compiler::Target;
use module_support::{count, module};
use rspirv::dr::Operand;
use rspirv::spirv::Op;

/// Returns the number of 64-bit shifts in a kernel.
fn wide_shifts(text: &str, target: &Target) -> usize {
    let module = module(text, target);
    let is_wide = |operands: &[Operand]| operands[0] == Operand::LiteralBit32(64);
    let wide = module
        .types_global_values
        .iter()
        .find(|inst| inst.class.opcode == Op::TypeInt && is_wide(&inst.operands));
    let wide = wide.and_then(|inst| inst.result_id);
    count(&module, |inst| {
        inst.class.opcode == Op::ShiftLeftLogical && wide.is_some() && inst.result_type == wide
    })
}

#[test]
fn offsets_that_are_not_negative_are_narrow() {
    let narrow = Target { narrow_offsets: Some(u32::MAX - 3), ..Target::generic() };
    let check = |expected: usize, text: &str| {
        assert_eq!(wide_shifts(text, &narrow), expected, "{text}");
        assert_ne!(wide_shifts(text, &Target::generic()), 0, "{text}");
    };
    check(0, "kernel void k(global int *a, uint i) { a[i] = a[i + 3]; }");
    check(
        0,
        "kernel void k(global int *a) { size_t i = get_global_id(0); a[i] = 1; a[i + 4] = 2; }",
    );
    // The shift of 64 bits is for launches with a global offset.
    check(1, "kernel void k(global int *a) { int i = get_global_id(0); a[i] = 1; }");
    check(0, "kernel void k(global int *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }");
    check(1, "kernel void k(global int *a, int i) { a[i] = 1; }");
    check(1, "kernel void k(global int *a, int n) { for (int i = n; i > -5; i--) a[i] = i; }");
    check(1, "kernel void k(global int *a, uint i) { a[i] = &a[i] > a; }");
    check(2, "kernel void k(global int *a, uint i, int j) { (a + i)[j * 3] = 1; }");
}
