//! How kernels access the memory of their arguments, as the compiler reports it to a runtime with several devices.

use hekla_compiler::kernel::ArgAccess;
use hekla_compiler::{compile, Options, Source, Target};

const READ: ArgAccess = ArgAccess { reads: true, writes: false, covers: 0 };
const WRITTEN: ArgAccess = ArgAccess { reads: false, writes: true, covers: 0 };
const NEITHER: ArgAccess = ArgAccess { reads: false, writes: false, covers: 0 };

fn covered(covers: u32) -> ArgAccess {
    ArgAccess { covers, ..WRITTEN }
}

/// Compiles a program for a capable and for a weak device, and compares the access of the first kernel's arguments.
fn check(text: &str, expected: &[ArgAccess]) {
    for target in [Target::generic(), Target::minimal()] {
        let source = Source { text: text.into(), ..Source::default() };
        let options = Options::parse("-cl-std=CL2.0").unwrap();
        let compiled = compile(&source, &options, &target);
        let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
        assert_eq!(program.kernels[0].access, expected, "{text}");
    }
}

#[test]
fn arguments_are_read_written_or_both() {
    check(
        "kernel void k(global int *a, global int *b, global int *c, global int *d, constant int *e) {
             int i = get_global_id(0) * 2;
             b[i] = a[i] + e[i];
             c[i] += 1;
         }",
        &[READ, WRITTEN, ArgAccess::ALL, NEITHER, READ],
    );
    check(
        "kernel void k(global int *a, global int *b) { atomic_add(a, 1); *b = atomic_load((global atomic_int *)a); }",
        &[ArgAccess::ALL, WRITTEN],
    );
}

#[test]
fn functions_that_are_called_count() {
    check(
        "void __attribute__((noinline)) f(global int *p, int n) { for (int i = 0; i < n; i++) p[i * i] = i; }
         kernel void k(global int *a, int n, global int *b) { f(a, n); f(a + n, n); *b = 0; }",
        &[ArgAccess::ALL, ArgAccess::ALL, WRITTEN],
    );
}

#[test]
fn addresses_that_lead_anywhere_may_be_any_argument() {
    // The store may reach any argument that is not declared const.
    check(
        "kernel void k(global int *a, global int *b, global const int *c, int n) {
             global int *p = n ? a : b;
             *p = *c;
         }",
        &[WRITTEN, WRITTEN, READ, ArgAccess::ALL],
    );
    check(
        "kernel void k(global int *a, global ulong *b) { *b = (ulong)a; }",
        &[ArgAccess::ALL, WRITTEN],
    );
    check(
        "kernel void k(global int *a, global ulong *b) { *(global int *)*b = 1; }",
        &[WRITTEN, ArgAccess::ALL],
    );
    // The program casts const away.
    check("kernel void k(global const int *a) { *(global int *)a = 1; }", &[WRITTEN]);
}

#[test]
fn arrays_are_covered_by_what_all_work_items_store() {
    check("kernel void k(global int *a) { a[get_global_id(0)] = 1; }", &[covered(4)]);
    check(
        "kernel void k(global float4 *a, global const float4 *b, global char *c) {
             int i = get_global_id(0);
             a[i] = b[i];
             c[i] = 1;
         }",
        &[covered(16), READ, covered(1)],
    );
    // Not all work-items write, or they do not write a whole element, or they write another element than their own.
    for text in [
        "kernel void k(global int *a) { if (get_global_id(0) < 5) a[get_global_id(0)] = 1; }",
        "kernel void k(global int *a) { if (get_global_id(0) < 5) return; a[get_global_id(0)] = 1; }",
        "kernel void k(global int *a) { a[get_global_id(1)] = 1; }",
        "kernel void k(global int *a) { a[get_local_id(0)] = 1; }",
        "kernel void k(global int *a) { a[get_global_id(0) + 1] = 1; }",
        "kernel void k(global int2 *a) { a[get_global_id(0)].x = 1; }",
        "kernel void k(global int *a) { a[(char)get_global_id(0)] = 1; }",
        "kernel void k(global int *a) { a++; a[get_global_id(0)] = 1; }",
    ] {
        check(text, &[WRITTEN]);
    }
    // An argument that is also read is not overwritten as a whole.
    check("kernel void k(global int *a) { a[get_global_id(0)] *= 3; }", &[ArgAccess::ALL]);
}
