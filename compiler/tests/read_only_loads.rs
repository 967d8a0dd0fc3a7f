//! Loads of memory that nothing writes, on drivers that make use of this: the loads go through structure members that are
//! NonWritable.

mod module_support;

use hekla_compiler::Quirks;
use hekla_compiler::Target;
use module_support::{count, module};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op};

/// Returns the number of NonWritable members in a kernel's module.
fn read_only_members(text: &str, target: &Target) -> usize {
    let is_read_only = |operand: &Operand| *operand == Operand::Decoration(Decoration::NonWritable);
    count(&module(text, target), |inst| {
        inst.class.opcode == Op::MemberDecorate && inst.operands.iter().any(is_read_only)
    })
}

#[test]
fn what_nothing_writes_is_declared() {
    let scalar = Target { quirks: Quirks::READ_ONLY_LOADS, ..Target::generic() };
    let check = |expected: usize, text: &str| {
        assert_eq!(read_only_members(text, &scalar), expected, "{text}");
        assert_eq!(read_only_members(text, &Target::generic()), 0, "{text}");
    };
    check(1, "kernel void k(constant int *a, global int *b) { *b = *a; }");
    check(1, "constant int t[9] = {1, 2, 3}; kernel void k(global int *b, int i) { *b = t[i]; }");
    check(1, "kernel void k(const global int *restrict a, global int *restrict b) { *b = *a; }");
    // Both arguments may be one buffer.
    check(0, "kernel void k(const global int *a, global int *b) { *b = *a; }");
    check(
        0,
        "kernel void k(const global volatile int *restrict a, global int *restrict b) { *b = *a; }",
    );
    check(0, "kernel void k(const global int *restrict a, global int *restrict b) { *b = 1; mem_fence(3); *b = *a; }");
    check(0, "kernel void k(constant volatile int *a, global int *b) { *b = *a; }");
    check(0, "kernel void k(const global int *restrict a, global int *restrict b) { atomic_inc(b); barrier(2); *b = *a; }");
    check(1, "kernel void k(const global int *restrict a, global int *restrict b) { atomic_add(b, *a); }");
    check(
        1,
        "kernel void k(constant int *a, global int *b) { atomic_inc(b); mem_fence(3); *b = *a; }",
    );
    // More arguments than push constants can hold.
    check(2, "kernel void k(constant int *a, global int *b, long16 x, long16 y, long16 z) { *b = *a + x.s0 + y.sf + z.s1; }");
}
