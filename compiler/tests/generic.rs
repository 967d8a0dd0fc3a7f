//! The generic address space (OpenCL C 6.7.5 to 6.7.9, 6.15.10): which uses of pointers that name no address space are legal in
//! programs in OpenCL C 3.0, which are not, and which are as in 1.2.

use hekla_compiler::options::ClStd;
use hekla_compiler::{compile, Compiled, Options, Source, Target};

fn compiled(text: &str, std: &str, target: &Target) -> Compiled {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    compile(&source, &Options::parse(&format!("-cl-std={std}")).unwrap(), target)
}

/// Asserts that a program compiles without a message, for strong and weak devices.
#[track_caller]
fn accept_in(std: &str, text: &str) {
    for target in [Target::generic(), Target::minimal()] {
        let compiled = compiled(text, std, &target);
        assert_eq!(compiled.log, "", "for:\n{text}");
        assert!(compiled.program.is_some());
    }
}

#[track_caller]
fn accept(text: &str) {
    accept_in("CL3.0", text);
}

/// Asserts that `message` is the first line of a program's log.
#[track_caller]
fn reject_in(std: &str, text: &str, message: &str) {
    let compiled = compiled(text, std, &Target::generic());
    let first = compiled.log.lines().next().unwrap_or("nothing");
    let (_, said) = first.split_once(": ").unwrap_or(("", first));
    assert_eq!(said, message, "for:\n{text}\nall:\n{}", compiled.log);
}

/// Returns a kernel with some statements behind declarations of pointers to every address space.
fn body(statements: &str) -> String {
    format!(
        "kernel void k(global int *g, local int *l, constant int *c, global uint *out) {{\n\
         int own[4]; private int *q = own; int *p = g; int i = get_global_id(0);\n{statements}\n}}\n"
    )
}

#[track_caller]
fn accept_body(statements: &str) {
    accept(&body(statements));
}

#[track_caller]
fn reject_body(statements: &str, message: &str) {
    reject_in("CL3.0", &body(statements), message);
}

#[test]
fn the_feature_is_told() {
    accept(
        "#ifndef __opencl_c_generic_address_space\n#error no\n#endif\n\
         kernel void k(global int *g) { int *p = g; *p = 1; }",
    );
    accept_in(
        "CL1.2",
        "#ifdef __opencl_c_generic_address_space\n#error yes\n#endif\n\
         kernel void k(global int *g) { int x = 1; int *p = &x; *g = *p; }",
    );
}

#[test]
fn versions_that_are_not_offered_are_refused() {
    let without_subgroups = Target { subgroups: None, ..Target::generic() };
    let log = compiled("kernel void k() {}", "CL3.1", &without_subgroups).log;
    let wanted = "error: '-cl-std=CL3.1' needs OpenCL C 3.1 which this device does not offer";
    assert_eq!(log.lines().next(), Some(wanted));
    for version in ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "CL3.1"] {
        accept_in(version, "kernel void k() {}");
    }
}

/// A device that lacks a part of OpenCL C 2.0 does not list that part, and accepts programs that do not need it.
#[test]
fn programs_in_20_are_refused_for_what_they_need() {
    let without_order = Target { vulkan_memory_model: false, ..Target::generic() };
    assert!(!without_order.c_versions().contains(&ClStd::Cl20));
    assert!(Target::generic().c_versions().contains(&ClStd::Cl20));
    let log =
        compiled("kernel void k(global int *p) { int *q = p; *q = 1; }", "CL2.0", &without_order)
            .log;
    assert_eq!(log, "");
    let text = "kernel void k(global int *p) {\n\
                enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ *p = 1; }); }";
    let log = compiled(text, "CL2.0", &without_order).log;
    assert!(log.contains("requires device-side enqueue which this device does not offer"), "{log}");
}

/// The examples that the specification calls legal. (In the first, of 6.7.5, one side of `?:` is cast, since 6.7.9 calls the
/// expression an error where the sides are in disjoint address spaces.)
#[test]
fn examples_of_the_specification() {
    for text in [
        "kernel void foo(int a) { private int b; local int c; int *p = a ? (int *)&b : &c; *p = a; }",
        "void foo(int *a) { *a = *a + 2; } kernel void k1(local int *a) { foo(a); }\n\
         kernel void k2(global int *a) { foo(a); }",
        "kernel void bar(global int *g, local int *l) { int *var;\n\
         if (get_global_id(0) % 2 == 0) var = g; else var = l; *var = 42; }",
        "kernel void k(global int *gp, local int *lp) { private int x; private int *pp = &x; int *p;\n\
         p = gp; p = lp; p = pp; p = (int *)gp; gp = (global int *)p; lp = (local int *)p; pp = (private int *)p; }",
        "kernel void k(global int *arr, global int *out) { int *p = &arr[1]; global int *q = &arr[3];\n\
         if (q >= p) out[0] = 1; if (p <= q) out[1] = 1; out[2] = q - p; int *v = (q >= p) ? q : p; *v = 1; }",
        "kernel void k(global int *gptr, global int *out) { int *ptr = NULL; local int lval; local int *lptr = &lval;\n\
         ptr = lptr; if (ptr == gptr) out[0] = 1; if (ptr == lptr) out[1] = 1; if (ptr == NULL) out[2] = 1;\n\
         intptr_t n = (intptr_t)lptr; if (n == 0) out[3] = 1; }",
    ] {
        accept(text);
    }
}

#[test]
fn pointers_of_all_kinds_are_accepted() {
    for statements in [
        // Declarations: structs, arrays, pointers to pointers, typedefs, results.
        "struct { int *a, *b; } s = {g, l}; *s.a = *s.b;",
        "int *table[3] = {g, l, own}; table[i % 3][0] = 1;",
        "int **pp = &p; **pp = 1; *pp = l; **pp = 2;",
        "typedef int *ip; ip a = l; *a = 1; typedef global int gi; gi *b = g; g = b;",
        "generic int *a = l; __generic const int *b = g; *a = *b; p = a;",
        "void *v = l; p = v; p = (int *)v; const volatile int *r = p; r = g;",
        "int *volatile a = g; *a = 1; a = l;",
        // Conversions: assignments, arguments, ternaries, comparisons, differences.
        "p = i ? g : p; p = i ? p : l; p = i ? NULL : p; void *v = i ? (void *)g : p; *out = v == p;",
        "*out = (p == q) + (q != p) + (p < l) + (l >= p) + !p + (p && g) + (p == 0) + (NULL != p);",
        "long n = p - g; n += l - p; *out = n; p += 2; p++; --p; p = p + i - 1; *out = p[i];",
        "*out = (uintptr_t)p; p = (int *)(uintptr_t)g; bool b = p; *out = b; b = (bool)p;",
        "const int *r = i ? (const int *)p : g; *out = *r;",
        "float *f = (float *)p; *f = 1; char *b = (char *)l; b[i] = 1; short4 *v = (short4 *)p; v->xy = 1;",
        // Functions of the library.
        "float x; float *f = &x; *f = fract(1.5f, f) + modf(2.5f, f) + sincos(1.0f, f);",
        "float4 x; float4 *f = &x; *f = fract(x, f); int4 y; int4 *e = &y; *f = frexp(*f, e) + lgamma_r(x, e);",
        "float x = 1; p = l; x = remquo(x, 2.0f, p) + frexp(x, p) + lgamma_r(x, p); p = g; x = remquo(x, x, p); *out = x;",
        "p = l; int4 v = vload4(0, p); p = g; vstore4(v, 1, p); vstore3(v.xyz, i, p); *out = vload16(0, p).s3;",
        "half *h = (half *)g; float4 f = vload_half4(0, h) + vloada_half4(0, h); vstore_half4(f, 0, h); vstorea_half4_rtz(f, 0, h);",
        "event_t e = async_work_group_copy(l, g, 4, 0); event_t *pe = &e; wait_group_events(1, pe); wait_group_events(1, &e);",
        "atomic_add(g, 1); atomic_xchg(l, 2);",
        // The functions that tell where a pointer points.
        "global int *a = to_global(p); local int *b = to_local(p); private int *d = to_private(p); *out = a == NULL && b && d;",
        "const int *r = p; global const int *a = to_global(r); *out = a ? *a : 0; volatile int *v = p; local volatile int *w = to_local(v); *out = w == l;",
        "struct s { int x; } s; struct s *ps = &s; private struct s *b = to_private(ps); *out = b->x; void *v = g; *out = to_global(v) == g;",
        "*out = get_fence(p) | get_fence(g) | get_fence(l) | get_fence(q); const void *v = p; barrier(get_fence(v));",
        "*out = to_global(g) == g && to_local(l) == l && to_private(q) == q && !to_local(g);",
    ] {
        accept_body(statements);
    }
}

#[test]
fn functions_choose_by_address_space() {
    accept(
        "#define O __attribute__((overloadable))\n\
         int O f(global int *p) { return 1; } int O f(local int *p) { return 2; } int O f(int *p) { return 3; }\n\
         kernel void k(global int *g, local int *l) { int x; int *p = l; *g = f(g) + 10 * f(l) + 100 * f(&x) + 1000 * f(p); }",
    );
    accept(
        "int *pick(int *a, int *b, int c) { return c ? a : b; }\n\
         void twice(int **p) { **p *= 2; }\n\
         kernel void k(global int *g, local int *l) { int *p = pick(g, l, get_global_id(0)); twice(&p); }",
    );
    // Names of functions that 1.2 does not have can be defined in programs in 1.2.
    accept_in(
        "CL1.2",
        "int to_global(int x) { return x; } kernel void k(global int *g) { *g = to_global(1); }",
    );
}

#[test]
fn conversions_that_are_errors() {
    for (statements, message) in [
        ("g = p;", "error: assigning '__generic int *' to '__global int *' changes address space of pointer"),
        ("l = p;", "error: assigning '__generic int *' to '__local int *' changes address space of pointer"),
        ("q = p;", "error: assigning '__generic int *' to '__private int *' changes address space of pointer"),
        ("c = p;", "error: assigning '__generic int *' to '__constant int *' changes address space of pointer"),
        ("p = c;", "error: assigning '__constant int *' to '__generic int *' changes address space of pointer"),
        ("g = l;", "error: assigning '__local int *' to '__global int *' changes address space of pointer"),
        ("l = q;", "error: assigning '__private int *' to '__local int *' changes address space of pointer"),
        ("q = g;", "error: assigning '__global int *' to '__private int *' changes address space of pointer"),
        ("int *r = c;", "error: initializing '__generic int *' with an expression of type '__constant int *' changes address space of pointer"),
        ("char *s = \"abc\";", "error: initializing '__generic char *' with an expression of type '__constant char *' changes address space of pointer"),
        ("p = (int *)c;", "error: casting '__constant int *' to type '__generic int *' changes address space of pointer"),
        ("c = (constant int *)p;", "error: casting '__generic int *' to type '__constant int *' changes address space of pointer"),
        ("g = (global int *)l;", "error: casting '__local int *' to type '__global int *' changes address space of pointer"),
        ("*out = g == l;", "error: comparison between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces"),
        ("*out = p < c;", "error: comparison between ('__generic int *' and '__constant int *') which are pointers to non-overlapping address spaces"),
        ("*out = p - c;", "error: arithmetic operation with operands of type ('__generic int *' and '__constant int *') which are pointers to non-overlapping address spaces"),
        ("p = i ? g : l;", "error: conditional operator with the second and third operands of type ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces"),
        ("const int *r = i ? p : c;", "error: conditional operator with the second and third operands of type ('__generic int *' and '__constant int *') which are pointers to non-overlapping address spaces"),
        ("global int **gg = &g; int **pp = gg;", "error: initializing '__generic int *__generic *' with an expression of type '__global int *__generic *' changes address space of nested pointer"),
        ("global int *private *gg = &g; int *private *pp; pp = gg;", "error: assigning '__global int *__private *' to '__generic int *__private *' changes address space of nested pointer"),
        ("global int **gg = &g; int **pp = (int **)gg;", "warning: casting '__global int *__generic *' to type '__generic int *__generic *' discards qualifiers in nested pointer types"),
        ("float *f = p;", "warning: incompatible pointer types initializing '__generic float *' with an expression of type '__generic int *'"),
        ("const int *r = p; p = r;", "warning: assigning to '__generic int *' from '__generic const int *' discards qualifiers"),
        ("float *f; p = i ? p : f;", "warning: pointer type mismatch ('__generic int *' and '__generic float *')"),
        ("generic int x;", "error: function scope variable cannot be declared in generic address space"),
        ("generic global int *r;", "error: multiple address spaces specified for type"),
        ("struct { generic int x; } s;", "error: field may not be qualified with an address space"),
        ("to_global(i);", "error: invalid argument 'int' to function: 'to_global', expecting a generic pointer type"),
        ("to_local(c);", "error: invalid argument '__constant int *' to function: 'to_local', expecting a generic pointer type"),
        ("to_private();", "error: too few arguments to function call, expected 1, have 0"),
        ("to_private(p, p);", "error: too many arguments to function call, expected 1, have 2"),
        ("get_fence(c);", "error: no matching function for call to 'get_fence'"),
        ("local int *r = to_global(p);", "error: initializing '__local int *' with an expression of type '__global int *' changes address space of pointer"),
        ("int *r = to_global;", "error: taking address of function is not allowed"),
        ("atomic_add(p, 1);", "error: no matching function for call to 'atomic_add'"),
        ("async_work_group_copy(p, g, 4, 0);", "error: no matching function for call to 'async_work_group_copy'"),
        ("prefetch(p, 1);", "error: no matching function for call to 'prefetch'"),
        ("const float *f; modf(1.0f, f);", "error: no matching function for call to 'modf'"),
    ] {
        reject_body(statements, message);
    }
}

#[test]
fn declarations_that_are_errors() {
    for (text, message) in [
        ("kernel void k(int *p) {}", "error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space"),
        ("kernel void k(generic int *p) {}", "error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space"),
        ("void f(int *p) {} kernel void k(constant int *c) { f(c); }", "error: passing '__constant int *' to parameter of type '__generic int *' changes address space of pointer"),
        ("global int *f(int *p) { return p; }", "error: returning '__generic int *' from a function with result type '__global int *' changes address space of pointer"),
        ("int *f(constant int *p) { return p; }", "error: returning '__constant int *' from a function with result type '__generic int *' changes address space of pointer"),
        ("void f(generic int p) {}", "error: parameter may not be qualified with an address space ('__generic')"),
        ("void f(local int *p); kernel void k(global int *g) { int *p = g; f(p); }", "error: passing '__generic int *' to parameter of type '__local int *' changes address space of pointer"),
    ] {
        reject_in("CL3.0", text, message);
    }
}

/// Without the generic address space, pointers that name no address space are private.
#[test]
fn older_programs_have_private_pointers() {
    for (text, message) in [
        ("kernel void k(global int *g) { int *p = g; }", "error: initializing '__private int *' with an expression of type '__global int *' changes address space of pointer"),
        ("kernel void k(global int *g) { __generic int *p = g; }", "error: OpenCL C version 1.2 does not support the '__generic' type qualifier on this device"),
        ("kernel void k(global int *g) { to_global(g); }", "error: implicit declaration of function 'to_global' is invalid in OpenCL"),
        ("kernel void k(global int *g) { get_fence(g); }", "error: implicit declaration of function 'get_fence' is invalid in OpenCL"),
    ] {
        reject_in("CL1.2", text, message);
    }
}

/// Variables at program scope and pointers to them (OpenCL C 6.7.8).
#[test]
fn program_scope_pointers_are_generic() {
    accept(
        "global int g = 1; int h; int *p = &g; int *global q = &h; global int *constant r = &g;\n\
         int *constant s = &h; struct { int *a; const char *b; } t = {&g, (char *)&h + 1};\n\
         kernel void k(local int *l) { *p += *q; p = l; t.a = l; *r = *s + t.b[0] + *t.a; static int *u = &g; u = l; }",
    );
    for (text, message) in [
        ("constant int c = 1; int *p = &c;", "error: initializing '__generic int *' with an expression of type '__constant int *' changes address space of pointer"),
        ("int *p; global int *q = p;", "error: initializing '__global int *' with an expression of type '__generic int *' changes address space of pointer"),
    ] {
        reject_in("CL3.0", text, message);
    }
}
