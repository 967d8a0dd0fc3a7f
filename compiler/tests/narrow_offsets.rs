//! Offsets from addresses of objects that 32 bits hold, on drivers that make use of it.

use hekla_compiler::{compile, Options, Source, Target};

// Of SPIR-V.
const TYPE_INT: u32 = 21;
const SHIFT_LEFT_LOGICAL: u32 = 196;

/// Returns how many shifts of 64 bits a kernel has.
fn wide_shifts(text: &str, target: &Target) -> usize {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let compiled = compile(&source, &Options::default(), target);
    let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
    let mut rest = &program.kernels[0].spirv[5..];
    let mut wide = None;
    let mut count = 0;
    while let Some(&word) = rest.first() {
        let (this, next) = rest.split_at((word >> 16) as usize);
        match word & 0xffff {
            TYPE_INT if this[2] == 64 => wide = Some(this[1]),
            SHIFT_LEFT_LOGICAL if Some(this[1]) == wide => count += 1,
            _ => {}
        }
        rest = next;
    }
    count
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
    // The wide one is of launches with an offset.
    check(1, "kernel void k(global int *a) { int i = get_global_id(0); a[i] = 1; }");
    check(0, "kernel void k(global int *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }");
    check(1, "kernel void k(global int *a, int i) { a[i] = 1; }");
    check(1, "kernel void k(global int *a, int n) { for (int i = n; i > -5; i--) a[i] = i; }");
    check(1, "kernel void k(global int *a, uint i) { a[i] = &a[i] > a; }");
    check(2, "kernel void k(global int *a, uint i, int j) { (a + i)[j * 3] = 1; }");
}
