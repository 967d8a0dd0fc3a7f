//! Words that a kernel takes apart into bytes, from OpenCL C to SPIR-V.

mod module_support;

use hekla_compiler::target::DotProducts;
use hekla_compiler::Target;
use module_support::{count, module};
use rspirv::spirv::Op;

/// Returns the number of a kernel's instructions with an opcode.
fn number_of(op: Op, text: &str, target: &Target) -> usize {
    count(&module(text, target), |inst| inst.class.opcode == op)
}

#[test]
fn bytes_that_are_put_together_again_are_their_word() {
    let check = |text: &str| {
        assert_eq!(number_of(Op::BitwiseOr, text, &Target::generic()), 0, "{text}");
    };
    check("kernel void k(global uint *p) { *p = as_uint(as_char4(*p)) + 1; }");
    check("kernel void k(global uint *p, global uchar4 *b) { *p = as_uint(*b) + 1; }");
    check(
        "kernel void k(global uint *p, uint n) {
             uchar4 x = as_uchar4(*p);
             for (uint i = 0; i < n; i++) x = as_uchar4(as_uint(x) * 3 + x.s2);
             *p = as_uint(x); }",
    );
}

#[test]
fn sums_of_products_of_bytes_are_dot_products_where_those_are_fast() {
    let text = "kernel void k(global int *p, global char4 *x, global char4 *y) {
                    char4 a = *x, b = *y;
                    *p += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }";
    let with = |accelerated_dot_products| Target {
        integer_dot_product: true,
        accelerated_dot_products,
        ..Target::generic()
    };
    let unsigned = DotProducts { unsigned: true, ..DotProducts::default() };
    assert_eq!(number_of(Op::SDot, text, &with(DotProducts::ALL)), 1);
    assert_eq!(number_of(Op::SDot, text, &with(unsigned)), 0);
}
