//! Addresses of elements on drivers that compute them faster by access chains into arrays.

mod module_support;

use hekla_compiler::Quirks;
use hekla_compiler::Target;
use module_support::{count, module};
use rspirv::spirv::Op;

/// Returns the number of runtime array types in a kernel's module.
fn arrays(text: &str, target: &Target) -> usize {
    count(&module(text, target), |inst| inst.class.opcode == Op::TypeRuntimeArray)
}

#[test]
fn an_index_is_one_of_an_array() {
    let chained = Target { quirks: Quirks::CHAINED_ADDRESSES, ..Target::generic() };
    let check = |expected: usize, text: &str| {
        assert_eq!(arrays(text, &chained), expected, "{text}");
        assert_eq!(arrays(text, &Target::generic()), 0, "{text}");
    };
    check(1, "kernel void k(global int *a) { a[get_global_id(0)] = 1; }");
    check(1, "kernel void k(global float4 *a, uint i) { a[i] = a[i + 1]; }");
    check(2, "kernel void k(global int *a, global double *b, uint i) { a[i] = b[i]; }");
    check(1, "kernel void k(global int *a, uint i) { atomic_inc(a + i); }");
    // A member of an element, and of a struct of any size.
    check(1, "kernel void k(global int2 *a, uint i) { a[i].y = 1; }");
    check(
        1,
        "struct S { int x[3]; }; kernel void k(global struct S *a, uint i) { a[i].x[1] = 1; }",
    );
    // Across the end of an element.
    check(1, "kernel void k(global float *a, uint i) { a[0] = dot(vload3(i, a + 1), 1.0f); }");
    // No access chain: there is no variable index.
    check(0, "kernel void k(global int *a) { a[3] = 1; }");
}
