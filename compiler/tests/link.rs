//! Objects and the linker: linkage of functions and variables, the errors of linking, and the text
//! form of objects.

use hekla_compiler::{
    compile_object, link, link_library, Compiled, LinkOptions, Object, Options, Source, Target,
};

fn object_with(text: &str, options: &str) -> Object {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let options = Options::parse(options).unwrap();
    let compiled = compile_object(&source, &options, &Target::generic());
    compiled.object.unwrap_or_else(|| panic!("{}", compiled.log))
}

fn object(text: &str) -> Object {
    object_with(text, "")
}

fn try_link(objects: &[&Object]) -> Compiled {
    link(objects, &LinkOptions::default(), &Target::generic())
}

/// Links objects that must link, as they are and as read back from their text.
fn linked(objects: &[&Object]) -> hekla_compiler::Program {
    let read = |object: &&Object| {
        let kernels = object.module.kernels.to_vec();
        Object::read(&object.text(), kernels, object.flags).unwrap_or_else(|e| panic!("{e}"))
    };
    let again: Vec<Object> = objects.iter().map(read).collect();
    let again = try_link(&again.iter().collect::<Vec<_>>());
    let compiled = try_link(objects);
    let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
    assert_eq!(again.program.map(|p| p.kernels.len()), Some(program.kernels.len()));
    program
}

fn refused(objects: &[&Object]) -> String {
    let compiled = try_link(objects);
    assert!(compiled.program.is_none());
    compiled.log
}

#[test]
fn functions_and_constants_meet_their_definitions() {
    let user = object(
        "float helper(float x); extern constant int table[];
         kernel void k(global float *p) { p[0] = helper(p[1]) + table[2]; }",
    );
    let definer = object(
        "float helper(float x) { return x * 2; } constant int table[3] = {1, 2, 3};
         kernel void other(global int *p) { p[0] = table[p[1]]; }",
    );
    for objects in [[&user, &definer], [&definer, &user]] {
        let program = linked(&objects);
        assert_eq!(program.kernels.len(), 2);
        assert_eq!(program.data.bytes.len(), 12);
    }
}

#[test]
fn what_is_static_stays_apart() {
    let text = |n: i32| {
        format!(
            "static constant int table[2] = {{{n}, 0}};
             static int f(int i) {{ return table[i]; }}
             inline int g(int i) {{ return f(i); }}
             kernel void k{n}(global int *p) {{ p[0] = g(p[1]); }}"
        )
    };
    let (a, b) = (object(&text(5)), object(&text(6)));
    let program = linked(&[&a, &b]);
    assert_eq!(program.data.bytes, [5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn overloads_are_symbols_of_their_own() {
    let o = "__attribute__((overloadable))";
    let user = object(&format!(
        "float {o} f(float x); int {o} f(int x); float {o} f(float4 x);
         kernel void k(global float *p) {{ p[0] = f(p[1]) + f(1) + f((float4)(2)); }}"
    ));
    let floats = object(&format!(
        "float {o} f(float x) {{ return x; }} float {o} f(float4 x) {{ return x.y; }}"
    ));
    let ints = object(&format!("int {o} f(int x) {{ return x; }}"));
    linked(&[&user, &floats, &ints]);
    assert_eq!(refused(&[&user, &floats]), "error: undefined symbol: f(int) (referenced by k)\n");
}

#[test]
fn kernels_are_called_from_other_objects() {
    let user = object(
        "kernel void callee(global int *p);
         kernel void caller(global int *p) { callee(p + 1); }",
    );
    let callee = object("kernel void callee(global int *p) { p[0] = 7; }");
    assert_eq!(linked(&[&user, &callee]).kernels.len(), 2);
}

#[test]
fn of_definitions_that_are_linked_once_one_is_taken() {
    let user = object(
        "int f(int x); extern constant int c[2];
         kernel void k(global int *p) { p[0] = f(c[p[1]]); }",
    );
    let definition = |n| {
        object(&format!("int f(int x) {{ return x + {n}; }} constant int c[2] = {{{n}, {n}}};"))
    };
    // Definitions as modules of SPIR-V declare them (SPV_KHR_linkonce_odr).
    let once = |n| {
        let text = definition(n).text();
        assert!(text.matches("external").count() == 2, "{text}");
        Object::read(&text.replace("external", "linkonce"), Vec::new(), user.flags).unwrap()
    };
    let taken = |objects: &[&Object]| linked(objects).data.bytes[0];
    let (first, second, only) = (once(1), once(2), definition(3));
    assert_eq!(taken(&[&user, &first, &second]), 1);
    assert_eq!(taken(&[&second, &user, &first]), 2);
    assert_eq!(taken(&[&first, &only, &user, &second]), 3);
    assert_eq!(taken(&[&only, &user, &second]), 3);
    let log = refused(&[&only, &first, &only]);
    assert_eq!(log, "error: duplicate symbol: f\nerror: duplicate symbol: c\n");
}

#[test]
fn errors_name_the_symbol() {
    let defines = object("int f(int x) { return x; } constant int c = 3;");
    let user = object("int f(int x); kernel void k(global int *p) { p[0] = f(1); }");
    assert_eq!(refused(&[&user]), "error: undefined symbol: f (referenced by k)\n");
    let log = refused(&[&defines, &defines]);
    assert_eq!(log, "error: duplicate symbol: f\nerror: duplicate symbol: c\n");
    let other = object("float f(int x); kernel void k(global float *p) { p[0] = f(1); }");
    let log = refused(&[&defines, &other]);
    assert_eq!(log, "error: conflicting types for symbol 'f': i32 (i32) and f32 (i32)\n");
    let variable = object("extern constant int f; kernel void k(global int *p) { p[0] = f; }");
    let log = refused(&[&defines, &variable]);
    assert_eq!(log, "error: symbol 'f' is both a function and a variable\n");
    let size = object("extern constant int c[4]; kernel void k(global int *p) { p[0] = c[3]; }");
    let log = refused(&[&defines, &size]);
    assert_eq!(log, "error: conflicting types for symbol 'c': 4 bytes and 16\n");
    let kernels = object("kernel void k(global int *p) { p[0] = 1; }");
    assert_eq!(refused(&[&kernels, &kernels]), "error: duplicate symbol: k\n");
}

#[test]
fn recursion_through_objects_is_refused() {
    let a = object("int f(int x); int g(int x) { return f(x); }");
    let b = object(
        "int g(int x); int f(int x) { return g(x); }
         kernel void k(global int *p) { p[0] = f(1); }",
    );
    assert!(refused(&[&a, &b]).contains("recursion is not supported: '"));
}

#[test]
fn recursion_through_objects_ends_by_constants() {
    let a = object("int f(int x, int n); int g(int x, int n) { return n ? f(x + 1, n) : x; }");
    let b = object(
        "int g(int x, int n); int f(int x, int n) { return g(x, n - 1); }
         kernel void k(global int *p) { p[0] = f(p[0], 3); }",
    );
    linked(&[&a, &b]);
}

#[test]
fn recursion_in_an_object_is_reported_where_it_stands() {
    let compile = |text: &str| {
        let source = Source { name: "k.cl".into(), text: text.into(), headers: Vec::new() };
        compile_object(&source, &Options::default(), &Target::generic())
    };
    let refused = compile(
        "int f(int x) { return x ? f(x - 1) : 0; }
         kernel void k(global int *p) { p[0] = f(p[0]); }",
    );
    assert!(refused.log.contains("k.cl:1:27: error: recursive call to 'f'"), "{}", refused.log);
    // No kernel calls it yet.
    assert!(compile("int f(int x) { return x ? f(x - 1) : 0; }").object.is_some());
}

#[test]
fn libraries_may_lack_definitions() {
    let part = object("int f(int x); int g(int x) { return f(x); }");
    let more = object("int h(int x) { return x + 1; }");
    let options = LinkOptions::parse("-create-library").unwrap();
    let library = link_library(&[&part, &more], &options).object.unwrap();
    let user = object("int g(int x); kernel void k(global int *p) { p[0] = g(1); }");
    let last = object("int h(int x); int f(int x) { return h(x); }");
    linked(&[&user, &library, &last]);
    assert_eq!(refused(&[&user, &library]), "error: undefined symbol: f (referenced by g)\n");
    assert!(link_library(&[&more, &more], &options).object.is_none());
}

#[test]
fn modes_are_those_that_all_objects_share() {
    let kernel = "kernel void k(global float *p) { p[0] += 1; }";
    let fast = object_with(kernel, "-cl-fast-relaxed-math -cl-std=CL3.0");
    let plain = object("int f(int x) { return x; }");
    assert!(!linked(&[&fast]).uniform_groups);
    assert!(linked(&[&fast, &plain]).uniform_groups);
    let relax = LinkOptions::parse("-create-library -cl-fast-relaxed-math").unwrap();
    let library = link_library(&[&plain], &relax).object.unwrap();
    assert!(library.flags.finite_only && library.flags.fixed);
    let none = LinkOptions::default();
    assert!(!link_library(&[&fast, &plain], &none).object.unwrap().flags.finite_only);
    assert!(link_library(&[&fast], &none).object.unwrap().flags.finite_only);
}

#[test]
fn an_undefined_variable_is_an_error_of_a_build() {
    let text = "extern constant int c; kernel void k(global int *p) { p[0] = c; }";
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let compiled = hekla_compiler::compile(&source, &Options::default(), &Target::generic());
    assert!(compiled.program.is_none() && compiled.log.contains("undefined variable 'c'"));
}

#[test]
fn repeated_declarations_are_one() {
    linked(&[&object(
        "extern constant struct later s; struct later { int x; };
         constant struct later s = {4}; extern constant struct never n;
         extern constant int c[]; constant int c[2] = {1, 2}; extern constant int c[2];
         extern constant int c[]; int f(int); int f(int x) { return c[x]; } int f(int x);
         kernel void k(global int *p) { p[0] = f(p[1]); }",
    )]);
}

#[test]
fn global_variables_are_one_in_all_objects() {
    let object = |text| object_with(text, "-cl-std=CL3.0");
    let user = object(
        "extern int counter; extern global int table[]; extern int *other; static int own;
         kernel void k(global int *p) { counter += table[p[0]] + own++; }",
    );
    let definer = object(
        "int counter; int table[3] __attribute__((aligned(64))) = {1, 2, 3}; static int own = 4;
         global int *at = &table[1];
         kernel void other(global int *p) { p[0] = counter + own + *at; }",
    );
    for objects in [[&user, &definer], [&definer, &user]] {
        let data = linked(&objects).data;
        // Initialized variables: table, own and at; zero: counter and the other object's own.
        assert_eq!((data.align, data.global_size), (64, 12 + 4 + 8 + 4 + 4));
        assert!(data.is_sound() && data.size > data.bytes.len() as u64);
        assert_eq!(data.relocations.len(), 1);
        let at = data.relocations[0] as usize;
        let target = u64::from_le_bytes(data.bytes[at..at + 8].try_into().unwrap()) as usize;
        assert_eq!(data.bytes[target - 4..target + 8], [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    }
    let twice = object("int counter = 1; kernel void twice(global int *p) { p[0] = counter; }");
    let log = refused(&[&user, &definer, &twice]);
    assert_eq!(log, "error: duplicate symbol: counter\n");
    let constant = object("constant int counter = 1;");
    let log = refused(&[&user, &constant]);
    assert_eq!(
        log,
        "error: conflicting address spaces for symbol 'counter': global and constant\n"
    );
    let wide = object("long counter;");
    let log = refused(&[&user, &wide]);
    assert_eq!(log, "error: conflicting types for symbol 'counter': 4 bytes and 8\n");
    let log = refused(&[&user]);
    assert!(log.contains("undefined symbol: counter (referenced by k)"), "{log}");
}

#[test]
fn constant_variables_in_global_memory_are_folded() {
    let folded =
        object_with("const int n = 5; kernel void k(global int *p) { p[0] = n; }", "-cl-std=CL3.0");
    assert_eq!(linked(&[&folded]).data.size, 0);
    let kept = object_with(
        "const volatile int n = 5; int m = 6; kernel void k(global int *p) { p[0] = n + m; }",
        "-cl-std=CL3.0",
    );
    assert_eq!(linked(&[&kept]).data.size, 8);
}

/// The typedef of a record without a tag is its name for linkage, as in clang.
#[test]
fn records_without_a_tag_are_told_apart_by_their_typedefs() {
    let types = "typedef struct { int v; } A; typedef struct { float v; } B;
        typedef union { struct { int x; } a; float f; } U;
        #define OVERLOADABLE __attribute__((overloadable))\n";
    let define = format!(
        "{types} int OVERLOADABLE get(A a) {{ return a.v; }} int OVERLOADABLE get(B b) {{ return (int)b.v; }}
        int OVERLOADABLE get(A *a) {{ return a->v + 1; }} int OVERLOADABLE get(U u) {{ return u.a.x; }}"
    );
    let declare = format!(
        "{types} int OVERLOADABLE get(A a); int OVERLOADABLE get(B b); int OVERLOADABLE get(A *a);
        int OVERLOADABLE get(U u);"
    );
    let user = object(&format!(
        "{declare} kernel void k(global int *p) {{
            A a; a.v = p[0]; B b; b.v = p[1]; U u; u.f = 1.0f;
            p[0] = get(a) + get(b) + get(&a) + get(u);
        }}"
    ));
    linked(&[&object(&define), &user]);
    // The overload for B is defined, which is not the one for A that is declared.
    let other = object(&format!("{types} int OVERLOADABLE get(B b) {{ return (int)b.v; }}"));
    let only_a = object(&format!(
        "{types} int OVERLOADABLE get(A a); kernel void k(global int *p) {{ A a; a.v = 1; p[0] = get(a); }}"
    ));
    let log = try_link(&[&other, &only_a]).log;
    assert!(log.contains("get(A)"), "{log}");
}
