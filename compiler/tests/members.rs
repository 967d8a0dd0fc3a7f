//! Members of private structs that are subscripted: each becomes an object of its own, so that the other members become
//! registers.

use hekla_compiler::{compile_to_ir, IrAt, Options, Source, Target};

const STRUCT: &str = "typedef struct { int n; int a[8]; float m[4][4]; int last[4]; } S;";

/// Returns the sizes of the private objects that remain in a kernel.
fn objects(text: &str) -> Vec<u64> {
    let source = Source { name: "t.cl".into(), text: format!("{STRUCT} {text}"), headers: vec![] };
    let options = Options::default();
    let ir = compile_to_ir(&source, &options, &Target::generic(), &IrAt::Pass("dce".into()));
    let ir = ir.unwrap_or_else(|log| panic!("{log}"));
    let last = ir.split("; after").last().unwrap_or_default();
    let sizes = last.split("= alloca ").skip(1).map(|rest| rest.split(',').next().unwrap());
    let mut sizes: Vec<u64> = sizes.map(|size| size.parse().unwrap()).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn members_are_objects_of_their_own() {
    let text = "kernel void k(global int *p, int i, int j) {
        S s = { 0 };
        for (int l = 0; l < p[0]; l++) { s.a[p[l] & i] += l; s.n += p[l]; s.m[0][1] += l; }
        p[0] = s.a[j] + s.n + (int)s.m[0][1];
    }";
    assert_eq!(objects(text), [32]);
}

#[test]
fn members_are_found_behind_pointers() {
    let text = "void add(S *s, int i, int by) { s->a[i] += by; s->n++; s->last[i] = s->n; }
    kernel void k(global int *p, int i, int j) {
        S s = { 0 };
        for (int l = 0; l < p[0]; l++) add(&s, p[l], l);
        p[0] = s.a[j] + s.n + s.last[i];
    }";
    assert_eq!(objects(text), [16, 32]);
    let generic = text.replace("S s = { 0 };", "S s = { 0 }; S *q = &s;").replace("&s,", "q,");
    assert_eq!(objects(&generic), [16, 32]);
}

#[test]
fn unrolled_loops_leave_no_memory() {
    let text = "kernel void k(global int *p) {
        S s;
        for (int l = 0; l < 8; l++) s.a[l] = p[l];
        for (int l = 0; l < 4; l++) s.last[l] = s.a[l] + s.a[7 - l];
        for (int l = 0; l < 4; l++) p[l] = s.last[3 - l];
    }";
    assert_eq!(objects(text), []);
}

/// Programs may subscript a row beyond its end, so the rows of a member stay together.
#[test]
fn rows_stay_together() {
    let text = "kernel void k(global float *p, int i) {
        S s = { 0 };
        s.n = i; s.m[1][2] = p[0]; s.m[1][i] = p[1];
        p[2] = s.m[0][6] + s.m[i][i] + s.n;
    }";
    assert_eq!(objects(text), [64]);
}

/// A pointer that the program keeps may reach the whole struct, which stays one object.
#[test]
fn other_pointers_reach_the_object() {
    let size = 4 + 32 + 64 + 16;
    for access in ["int *q = s.a; q[i] = i;", "((char *)&s)[i] = i;", "(&s.a[1])[i] = i;"] {
        let text = format!(
            "kernel void k(global int *p, int i) {{ S s = {{ 0 }}; {access} p[0] = s.a[2] + s.n; }}"
        );
        assert_eq!(objects(&text), [size], "{access}");
    }
    // Programs may subscript the last array of a struct beyond the struct's end.
    let text = "typedef struct { S s; int behind[4]; } T; kernel void k(global int *p, int i) {
        T t = { 0 }; S *s = &t.s; s->last[i] = 1; p[0] = t.behind[0] + t.s.n;
    }";
    assert_eq!(objects(text), [32]);
    // If the structs are named, the access does not reach `behind`, and nothing reads `last`.
    let named = text.replace("s->last", "t.s.last");
    assert_eq!(objects(&named), []);
}
