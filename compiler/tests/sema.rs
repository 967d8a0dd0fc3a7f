//! The semantic analysis: which programs it accepts, which messages it gives for the others, and which tree it builds.

use hekla_compiler::options::ClStd;
use hekla_compiler::preprocess::{preprocess, Interner};
use hekla_compiler::sema::hir::{self, ExprKind, Stmt};
use hekla_compiler::sema::types::TypeKind;
use hekla_compiler::sema::{analyze, Origin};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::syntax::parse;
use hekla_compiler::{Options, Source, Target};

/// Returns the tree and the messages, one a line.
fn analyzed_with(
    text: &str,
    options: &Options,
    target: &Target,
    origin: Origin,
) -> (hir::Module, String) {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let mut diags = Diagnostics::new(options);
    let mut predefined = Vec::new();
    if target.float64 {
        predefined.push(("cl_khr_fp64".to_string(), "1".to_string()));
    }
    let tokens = preprocess(&source, options, &predefined, &mut sources, &mut interner, &mut diags);
    let unit = parse(&tokens, &mut interner, &mut diags, options);
    let module = analyze(&unit, &interner, options, target, &mut diags, origin);
    let mut log = String::new();
    for diagnostic in diags.list() {
        log.push_str(&format!("{:?}: {}\n", diagnostic.severity, diagnostic.message));
        for (_, note) in &diagnostic.notes {
            log.push_str(&format!("  note: {note}\n"));
        }
    }
    (module, log)
}

fn analyzed(text: &str) -> (hir::Module, String) {
    analyzed_with(text, &Options::default(), &Target::generic(), Origin::Program)
}

/// Asserts that a program has no diagnostics at all.
#[track_caller]
fn accept(text: &str) -> hir::Module {
    let (module, log) = analyzed(text);
    assert_eq!(log, "", "for:\n{text}");
    module
}

/// Asserts that `message` is the first diagnostic of a program.
#[track_caller]
fn reject(text: &str, message: &str) {
    let (_, log) = analyzed(text);
    let first = log.lines().next().unwrap_or("nothing");
    assert_eq!(first, message, "for:\n{text}\nall:\n{log}");
}

/// Returns a kernel with some statements behind declarations of a few variables of common types.
fn body(statements: &str) -> String {
    format!(
        "kernel void k(global float4 *v, global int *p, local int *l, constant float *c) {{\n\
         float4 f4 = v[0]; int4 i4 = (int4)(1); int i = 1; float f = 2.0f; uint u = 3u;\n\
         long n = 4; uchar b = 5; double d = 6.0; size_t z = 7;\n{statements}\n}}\n"
    )
}

#[track_caller]
fn accept_body(statements: &str) {
    accept(&body(statements));
}

#[track_caller]
fn reject_body(statements: &str, message: &str) {
    reject(&body(statements), message);
}

#[test]
fn common_programs_are_accepted() {
    for text in [
        "kernel void add(global const float *a, global const float *b, global float *c) {\n\
           size_t i = get_global_id(0); c[i] = a[i] + b[i]; }",
        "void f(global int *global *p, global int *q) { p[0] = q; q[0] = *p[1]; }\n\
         kernel void k(global ulong *p, global int *q) { f((global int *global *)p, q); }",
        "typedef struct { float4 pos; int id; struct { uchar r, g; } c; } item;\n\
         kernel void k(global item *a, item b) { a[0] = b; a[1].c.r = a->pos.x; }",
        "struct node { global struct node *next; int value; };\n\
         kernel void k(global struct node *n) { while (n) { n->value++; n = n->next; } }",
        "constant float table[] = {1, 2, 3.5f, [7] = -1}; constant int n = sizeof(table) / 4;\n\
         kernel void k(global float *o) { for (int i = 0; i < n; ++i) o[i] = table[i]; }",
        "enum op { ADD, SUB = 5, MUL }; int f(enum op o) { switch (o) { case ADD: return 1;\n\
           case SUB ... MUL: return 2; default: return 0; } } kernel void k(global int *p) { *p = f(MUL); }",
        "kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(local float *t) {\n\
           local float tile[8][9]; tile[get_local_id(1)][get_local_id(0)] = 0; \n\
           barrier(CLK_LOCAL_MEM_FENCE); t[0] = tile[1][1]; }",
        "void swap(private int *a, int *b) { int t = *a; *a = *b; *b = t; }\n\
         kernel void k(global int *p) { int x[2] = {1, 2}; swap(x, x + 1); p[0] = x[0]; }",
        "constant char *constant names[] = {\"a\", \"b\"}; kernel void k(global char *o) { o[0] = names[1][0]; }",
        "int __attribute__((overloadable)) f(int x) { return 1; }\n\
         int __attribute__((overloadable)) f(float x) { return 2; }\n\
         kernel void k(global int *p) { p[0] = f(1) + f(1.0f); }",
        "#define MAX(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })\n\
         kernel void k(global int *p) { p[0] = MAX(p[1], p[2]); }",
        "kernel void k(global int *p) { int i = 0; again: if (i++ < 3) goto again; *p = i; }",
        "float max3(float a, float b, float c); kernel void k(global float *p) { *p = max3(1, 2, 3); }\n\
         float max3(float a, float b, float c) { return max(a, max(b, c)); }",
        "union u { float f; uint i; }; kernel void k(global uint *p) { union u x = { .f = 1.0f }; *p = x.i; }",
    ] {
        accept(text);
    }
}

#[test]
fn expressions_are_accepted() {
    for statements in [
        "f4 = f4 * 2 + f4 / f; f4 *= 2.0f; f4 += 1.0f; i4 = f4 < 1.0f; i4 = !i4 && f4 == f4;",
        "f4.xy = f4.zw; f4.s03 = (float2)(1, f); f4.lo.x = 3; f4[i] = 1; f4[2]++; v->w = 1; v[1].hi = f4.even;",
        "i4 <<= 2; i4 = i4 >> i4; u = u << n; n >>= b; b += 1; b = b << 3; i4 = ~i4 | 3;",
        "f4 = i4 ? f4 : 0.0f; i4 = i4 > 2 ? i4 : -i4; f = i ? 1 : f; p = i ? p : 0; p = NULL;",
        "if (p) {} if (!p || f && i) {} while (p == 0) {} do {} while (p != NULL && p > p - 1);",
        "n = p - (p + 3); p += n; p++; *p++ = 1; i = *--p; i = 2[p]; int *q = &i; q = (int *)0;",
        "f4 = (float4)(f4.xy, 1, 2); f4 = (float4)(f, f4.yzw); f4 = (float4)f; f4 = (float4)(1);",
        "f4 = convert_float4(i4); i4 = convert_int4_sat_rte(f4); b = convert_uchar_sat(f); f = as_float(i); i4 = as_int4(f4);",
        "float3 a = (float3)(1); a = cross(a, a); f = dot(a.xy, a.yz); f = length(a); a = as_float3((int4)(1));",
        "f = sin(f); f4 = sin(f4); d = sin(d); f = pow(f, 2); f = sqrt(2); f4 = pow(f4, (float4)(2.0f)); f = fmax(f, 0); f4 = clamp(f4, 0.0f, 1.0f);",
        "i = max(i, 3); u = max(u, 3u); u = min(i, u); b = max(b, b); i4 = min(i4, 2); z = max(z, (size_t)1); i = clamp(i, 0, 255); f = clamp(f, 0, 1);",
        "i = mad24(i, i, i); u = mul24(u, 3); u = abs(i); i = abs_diff(i, 2); i4 = rotate(i4, (int4)(3)); i = upsample((short)1, (ushort)2);",
        "f = fract(f, &f); f4 = frexp(f4, &i4); f = sincos(f, &f); f = remquo(f, f, &i); f4 = ldexp(f4, 2); f = pown(f, i);",
        "i = isnan(f); i4 = isless(f4, f4); i = any(i4) && all(i4 > 0); f4 = select(f4, f4, i4); f = select(f, f, u); f4 = bitselect(f4, f4, f4); d = select(d, d, i);",
        "f4 = vload4(0, c); vstore4(f4, i, (global float *)v); float2 h = vload2(1, &f); f = vload_half(0, (global half *)p); vstore_half4_rtz(f4, 0, (global half *)p);",
        "atomic_add(p, 1); i = atomic_inc(l); u = atomic_max((volatile global uint *)p, u); atomic_cmpxchg(p, 0, 1); atomic_xchg((global float *)p, 1.0f); atom_add((global long *)p, 1L);",
        "event_t e = async_work_group_copy(l, p, 16, 0); wait_group_events(1, &e); prefetch(p, 4); mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);",
        "i4 = shuffle(i4, (uint4)(3, 2, 1, 0)); f4 = shuffle2(f4.xy, f4.zw, (uint4)(0)); i = vec_step(float3) + vec_step(f4);",
        "float m[2][3] = {{1, 2, 3}, {4}}; float m2[2][3] = {1, 2, 3, 4}; f = m[1][2]; char s[] = \"abc\"; i = sizeof(s) + s[1];",
        "struct s { int a; float4 b; int c[2]; } x = {1, (float4)(2), {3, 4}}, y = {.c[1] = 5, .a = 6}; x = y; x = (struct s){1, f4}; f = ((struct s){2, f4}).b.x; f = f4.wzyx.x;",
        "const int w = 3; float t[w]; t[0] = NAN; f = INFINITY; f = M_PI_F; n = LONG_MIN; u = UINT_MAX;",
        "(void)i; i = (int)f; p = (global int *)(size_t)p; n = (long)p; global char *g = (global char *)p; i = (i, 2); bool t = p; t = f;",
        "i = native_recip(f) > half_sqrt(f); f = nan(1u); f = mix(f, f, 0.5f); f4 = mix(f4, f4, f); f4 = step(f, f4); f4 = smoothstep(f, f, f4); f = fma(f, f, f); f4 = mad(f4, f4, f4);",
        "i = get_global_id(0) % 3; for (uint j = 0, k = 1; j < 4; j++, k++) { if (j == 2) continue; break; }",
        "float4 a[2] = {f4, {1, 2, 3, 4}}; int2 q = (int2)(i, 2).yx; q.x ^= 1; f = ((float *)&f4)[1]; i = __builtin_expect(i, 0);",
    ] {
        accept_body(statements);
    }
}

#[test]
fn mistakes_in_expressions() {
    for (statements, message) in [
        ("i = nope;", "Error: use of undeclared identifier 'nope'"),
        ("i = nope(1);", "Error: implicit declaration of function 'nope' is invalid in OpenCL"),
        ("f = sin();", "Error: no matching function for call to 'sin'"),
        ("f = sin(p);", "Error: no matching function for call to 'sin'"),
        ("f4 = i4;", "Error: assigning to 'float4' from incompatible type 'int4'"),
        ("i = f4;", "Error: assigning to 'int' from incompatible type 'float4'"),
        ("f4 = f4 + i4;", "Error: cannot convert between vector values ('float4' and 'int4')"),
        ("f4 = f4 + d;", "Error: scalar operand type has greater rank than the type of the vector element. ('float4' and 'double')"),
        ("i4 = i4 % f;", "Error: invalid operands to binary expression ('int4' and 'float')"),
        ("f = f % 2;", "Error: invalid operands to binary expression ('float' and 'int')"),
        ("i = i << f;", "Error: invalid operands to binary expression ('int' and 'float')"),
        ("i = ~f;", "Error: invalid argument type 'float' to unary expression"),
        ("p = i;", "Error: incompatible integer to pointer conversion assigning to '__global int *' from 'int'"),
        ("i = p;", "Error: incompatible pointer to integer conversion assigning to 'int' from '__global int *'"),
        ("p = l;", "Error: assigning '__local int *' to '__global int *' changes address space of pointer"),
        ("int *q = p;", "Error: initializing '__private int *' with an expression of type '__global int *' changes address space of pointer"),
        ("int *q = (int *)p;", "Error: casting '__global int *' to type '__private int *' changes address space of pointer"),
        ("c[0] = 1;", "Error: read-only variable is not assignable"),
        ("const int w = 1; w = 2;", "Error: cannot assign to variable 'w' with const-qualified type 'const int'"),
        ("i + 1 = 2;", "Error: expression is not assignable"),
        ("f4.xx = f4.xy;", "Error: vector is not assignable (contains duplicate components)"),
        ("f4.q = 1;", "Error: illegal vector component name 'q'"),
        ("f4.s4 = 1;", "Error: vector component access exceeds type 'float4': '4'"),
        ("f4.xyzwx;", "Error: vector component access has invalid length 5.  Supported: 1,2,3,4,8,16."),
        ("&f4.x;", "Error: address of vector element requested"),
        ("&1;", "Error: cannot take the address of an rvalue of type 'int'"),
        ("*i;", "Error: indirection requires pointer operand ('int' invalid)"),
        ("i.x = 1;", "Error: member reference base type 'int' is not a structure or union"),
        ("i[0] = 1;", "Error: subscripted value is not an array, pointer, or vector"),
        ("p[f] = 1;", "Error: array subscript is not an integer"),
        ("i();", "Error: called object type 'int' is not a function or function pointer"),
        ("f4 = (float4)(1, 2, 3);", "Error: too few elements in vector initialization (expected 4 elements, have 3)"),
        ("f4 = (float4)(1, 2, 3, 4, 5);", "Error: excess elements in vector initializer"),
        ("f4 = (float4)i4;", "Error: invalid conversion between ext-vector type 'float4' and 'int4'"),
        ("f4 = convert_float4(i);", "Error: no matching function for call to 'convert_float4'"),
        ("i = as_int(d);", "Error: invalid reinterpretation: sizes of 'int' and 'double' must match"),
        ("if (f4) {}", "Error: statement requires expression of scalar type ('float4' invalid)"),
        ("switch (f) {}", "Error: statement requires expression of integer type ('float' invalid)"),
        ("switch (i) { case 1: case 1: ; }", "Error: duplicate case value '1'"),
        ("switch (i) { case 1 ... 5: case 3: ; }", "Error: duplicate case value '3'"),
        ("switch (i) { default: default: ; }", "Error: multiple default labels in one switch"),
        ("switch (i) { case i: ; }", "Error: expression is not an integer constant expression"),
        ("case 1: ;", "Error: 'case' statement not in switch statement"),
        ("break;", "Error: 'break' statement not in loop or switch statement"),
        ("switch (i) { case 1: continue; }", "Error: 'continue' statement not in loop statement"),
        ("goto out;", "Error: use of undeclared label 'out'"),
        ("return 1;", "Error: void function 'k' should not return a value"),
        ("int x[i];", "Error: variable length arrays are not supported in OpenCL"),
        ("int x[-1];", "Error: 'x' declared as an array with a negative size"),
        ("int x[1 << 30][1 << 30];", "Error: size of array is too large"),
        ("int i;", "Error: redefinition of 'i'"),
        ("half h;", "Error: declaring variable of type 'half' is not allowed"),
        ("f = *(global half *)p;", "Error: loading directly from pointer to type 'half' requires cl_khr_fp16. Use vector data load builtin functions instead"),
        ("void (*q)(int);", "Error: pointers to functions are not allowed"),
        ("static int s;", "Error: static local variable must reside in constant address space"),
        ("{ local int s; }", "Error: variables in the local address space can only be declared in the outermost scope of a kernel function"),
        ("local int s = 1;", "Error: '__local' variable cannot have an initializer"),
        ("global int s;", "Error: function scope variable cannot be declared in global address space"),
        ("struct t x;", "Error: variable has incomplete type 'struct t'"),
        ("struct t { int a; } x; x.b = 1;", "Error: no member named 'b' in 'struct t'"),
        ("struct t { int a : 3; };", "Error: bit-fields are not supported in OpenCL"),
        ("struct t { int a, a; };", "Error: duplicate member 'a'"),
        ("image2d_t im;", "Error: type '__read_only image2d_t' can only be used as a function parameter in OpenCL"),
        ("atomic_add(&i, 1);", "Error: no matching function for call to 'atomic_add'"),
        ("vstore4(f4, 0, c);", "Error: no matching function for call to 'vstore4'"),
        ("f = sin;", "Error: taking address of function is not allowed"),
        ("constant int w = i;", "Error: initializer element is not a compile-time constant"),
        ("_Static_assert(sizeof(int) == 8, \"no\");", "Error: static assertion failed \"no\""),
        ("p > l;", "Error: comparison between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces"),
        ("i = i ? f4 : p;", "Error: incompatible operand types ('float4' and '__global int *')"),
        ("p = i / 0;", "Warning: division by zero is undefined"),
        ("uint *q = &i;", "Warning: initializing '__private uint *' with an expression of type '__private int *' converts between pointers to integer types with different sign"),
        ("float *q = &i;", "Warning: incompatible pointer types initializing '__private float *' with an expression of type '__private int *'"),
        ("const int w = 1; int *q = &w;", "Warning: initializing '__private int *' with an expression of type '__private const int *' discards qualifiers"),
    ] {
        reject_body(statements, message);
    }
}

#[test]
fn mistakes_at_file_scope() {
    for (text, message) in [
        ("int x = 1;", "Error: program scope variable must reside in constant address space"),
        ("constant int x;", "Error: variable in constant address space must be initialized"),
        ("kernel int k() { return 1; }", "Error: kernel must have void return type"),
        ("kernel void k(int *p) {}", "Error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space"),
        ("kernel void k(bool b) {}", "Error: 'bool' cannot be used as the type of a kernel parameter"),
        ("int f(int a); int f(float a) { return 1; }", "Error: conflicting types for 'f'"),
        ("int f() { return 1; } int f() { return 1; }", "Error: redefinition of 'f'"),
        ("int f() { }", "Warning: non-void function does not return a value in all control paths"),
        ("int f(int i) { return; }", "Error: non-void function 'f' should return a value"),
        ("int f(int, float x) { return 1; }", "Error: parameter name omitted"),
        ("void f(int x, ...) {}", "Error: invalid prototype, variadic arguments are not allowed in OpenCL"),
        ("void f(void x) {}", "Error: argument may not have 'void' type"),
        ("void f(int a) {} void g() { f(1, 2); }", "Error: too many arguments to function call, expected 1, have 2"),
        ("void f(int a) {} void g() { f(); }", "Error: too few arguments to function call, expected 1, have 0"),
        ("void f(int a) {} void g(float4 v) { f(v); }", "Error: passing 'float4' to parameter of incompatible type 'int'"),
        ("int f(float4 v) { return v; }", "Error: returning 'float4' from a function with incompatible result type 'int'"),
        ("void f(void) { local int x; }", "Error: non-kernel function variable cannot be declared in local address space"),
        ("struct s { struct s x; };", "Error: field has incomplete type 'struct s'"),
        ("struct s { int a; }; struct s { int b; };", "Error: redefinition of 's'"),
        ("typedef int t; typedef float t;", "Error: typedef redefinition with different types ('float' vs 'int')"),
        ("constant int a[2] = {1, 2, 3};", "Warning: excess elements in array initializer"),
        ("constant int a[2] = {[5] = 1};", "Error: array designator index (5) exceeds array bounds (2)"),
        ("void f() __attribute__((bogus));", "Warning: unknown attribute 'bogus' ignored"),
        ("#pragma OPENCL EXTENSION cl_khr_bogus : enable\n", "Warning: unsupported OpenCL extension 'cl_khr_bogus' - ignoring"),
        ("void __attribute__((overloadable)) f(uint a); void __attribute__((overloadable)) f(long a); void g() { f(1); }", "Error: call to 'f' is ambiguous"),
        ("constant int a[1 << 29] = {1}, b[1 << 29] = {1};", "Error: size of array is too large: program-scope data exceeds 64 MiB"),
    ] {
        reject(text, message);
    }
}

#[test]
fn doubles_depend_on_the_device() {
    let text = "kernel void k(global float *p) { p[0] = 1.0 * p[1]; }";
    let options = Options::default();
    let (_, log) = analyzed_with(text, &options, &Target::minimal(), Origin::Program);
    assert_eq!(log, "");
    let text = "kernel void k(global double *p) { p[0] = 1; }";
    let (_, log) = analyzed_with(text, &options, &Target::minimal(), Origin::Program);
    let wanted =
        "Error: use of type 'double' requires cl_khr_fp64 which this device does not offer\n";
    assert_eq!(log, wanted);
}

/// Returns the bytes of a program-scope variable.
fn bytes_of(module: &hir::Module, name: &str) -> Vec<u8> {
    let global = module.globals.values().find(|global| global.name == name).unwrap();
    let size = module.types.size(global.ty).unwrap() as usize;
    global.init.clone().unwrap_or_else(|| vec![0; size])
}

#[test]
fn constants_have_their_bytes() {
    let module = accept(
        "typedef struct __attribute__((packed)) { char a; int b; } packed_t;\n\
         struct s { char a; float4 v; short c[2]; };\n\
         constant packed_t P = {1, 0x01020304};\n\
         constant struct s S = {.v = (float4)(1, 2, 3, 4), .c = {5, 6}};\n\
         constant float F = 1.0 / 4 + (1 << 2); constant uint U = ~0u >> 28;\n\
         constant int I[3] = {-1, sizeof(struct s), (int)F}; constant char C[4] = \"ab\";\n\
         constant float3 V = 2; constant int *constant Q = &I[2]; constant long L = -5L / 2;",
    );
    assert_eq!(bytes_of(&module, "P"), [1, 4, 3, 2, 1]);
    let s = bytes_of(&module, "S");
    assert_eq!(s.len(), 48);
    assert_eq!(s[28..32], 4.0f32.to_le_bytes());
    assert_eq!(s[32..36], [5, 0, 6, 0]);
    assert_eq!(bytes_of(&module, "F"), 4.25f32.to_le_bytes());
    assert_eq!(bytes_of(&module, "U"), 15u32.to_le_bytes());
    assert_eq!(bytes_of(&module, "I")[..8], [255, 255, 255, 255, 48, 0, 0, 0]);
    assert_eq!(bytes_of(&module, "I")[8..], 4i32.to_le_bytes());
    assert_eq!(bytes_of(&module, "C"), *b"ab\0\0");
    assert_eq!(bytes_of(&module, "V").len(), 16);
    assert_eq!(bytes_of(&module, "L"), (-2i64).to_le_bytes());
    let q = module.globals.values().find(|global| global.name == "Q").unwrap();
    assert_eq!((q.relocations.len(), q.relocations[0].addend), (1, 8));
}

#[test]
fn kernel_metadata() {
    let module = accept(
        "typedef float real; struct s { int a; };\n\
         kernel __attribute__((reqd_work_group_size(4, 2, 1))) __attribute__((vec_type_hint(float4)))\n\
         void k(global const real * restrict a, constant uint4 *b, local volatile float *c, struct s d, unsigned int e) {}",
    );
    let kernel = module.functions.values().next().unwrap().kernel.as_ref().unwrap();
    assert_eq!(kernel.required_local_size, Some([4, 2, 1]));
    assert_eq!(kernel.attributes, "reqd_work_group_size(4,2,1) vec_type_hint(float4)");
    let types: Vec<&str> = kernel.args.iter().map(|arg| arg.type_name.as_str()).collect();
    assert_eq!(types, ["real*", "uint4*", "float*", "struct s", "uint"]);
    assert!(kernel.args[0].is_const && kernel.args[0].is_restrict && kernel.args[1].is_const);
    assert!(kernel.args[2].is_volatile && !kernel.args[2].is_const);
}

/// Returns the type of the expression of the last statement of function `f`.
fn type_of(expr: &str) -> String {
    let text = format!(
        "void f(float f, double d, int i, uint u, uchar b, long l, ulong z, float4 f4, uchar4 b4, \
         int4 i4, global int *p, global ulong *pz, size_t n) {{ {expr}; }}"
    );
    let module = accept(&text);
    let body = module.functions.values().next().unwrap().body.as_ref().unwrap();
    let Some(Stmt::Expr(expr)) = body.last() else { panic!("no expression: {body:?}") };
    match module.types.kind(expr.ty) {
        TypeKind::Scalar(s) => s.spelling().to_string(),
        TypeKind::Vector(s, n) => format!("{}{n}", s.spelling()),
        other => format!("{other:?}"),
    }
}

#[test]
fn types_of_expressions() {
    for (expr, ty) in [
        ("b + b", "int"),
        ("i + u", "uint"),
        ("u + l", "long"),
        ("l + z", "ulong"),
        ("f + i", "float"),
        ("f + d", "double"),
        ("f + 1.0", "double"),
        ("f + 1.0f", "float"),
        ("b4 + b", "uchar4"),
        ("b4 == b4", "char4"),
        ("f4 < f4", "int4"),
        ("f < f", "int"),
        ("f4 && f4", "int4"),
        ("!d", "int"),
        ("b << 1", "int"),
        ("b4 << 1", "uchar4"),
        ("sizeof(f4)", "ulong"),
        ("p - p", "long"),
        ("1 ? b : b", "int"),
        ("0x80000000", "uint"),
        ("2147483648", "long"),
        ("'a'", "int"),
        ("f4.x", "float"),
        ("f4.xyz", "float3"),
        ("f4.lo", "float2"),
        ("b4[i]", "uchar"),
        ("max(i, u)", "uint"),
        ("max(b, b)", "uchar"),
        ("max(b, 3)", "int"),
        ("max(f, 0)", "float"),
        ("max(n, 1u)", "ulong"),
        ("fmax(f, 1.0)", "double"),
        ("pow(2, 3)", "float"),
        ("sqrt(i)", "float"),
        ("sqrt(d)", "double"),
        ("abs(i)", "uint"),
        ("abs(b4)", "uchar4"),
        ("isnan(f4)", "int4"),
        ("isnan(d)", "int"),
        ("any(i4)", "int"),
        ("upsample(i, u)", "long"),
        ("get_global_id(0)", "ulong"),
        ("get_work_dim()", "uint"),
        ("ilogb(f4)", "int4"),
        ("dot(f4, f4)", "float"),
        ("nan(u)", "float"),
        ("nan(z)", "double"),
        ("vload3(0, p)", "int3"),
        ("atom_inc(pz)", "ulong"),
        ("convert_char4_sat(f4)", "char4"),
        ("as_uint(f)", "uint"),
        ("shuffle(b4, (uchar8)(0))", "uchar8"),
        ("select(f, f, 1)", "float"),
        ("clamp(f4, 0.0f, 1.0f)", "float4"),
        ("clamp(b4, (uchar)1, (uchar)2)", "uchar4"),
        ("clz(b)", "uchar"),
        ("mul24(i, i)", "int"),
        ("i4 ? f4 : f4", "float4"),
        ("(i, f)", "float"),
        ("({ int q = 1; q + f; })", "float"),
    ] {
        assert_eq!(type_of(expr), ty, "{expr}");
    }
}

/// Returns the last statement of the only function.
fn last_stmt(text: &str) -> String {
    let module = accept(text);
    let body = module.functions.values().next_back().unwrap().body.as_ref().unwrap();
    format!("{:?}", body.last())
}

#[test]
fn conditions_are_bools_and_loads_are_explicit() {
    let module = accept("void f(int i, float *p) { if (i) p[i] = i; }");
    let function = module.functions.values().next().unwrap();
    let Some(Stmt::If { cond, then, .. }) = function.body.as_ref().unwrap().last() else {
        panic!("no if")
    };
    assert!(matches!(cond.kind, ExprKind::Convert { .. }));
    let Some(Stmt::Expr(assign)) = then.first() else { panic!("no assignment") };
    let ExprKind::Assign { value, .. } = &assign.kind else { panic!("no assignment") };
    let ExprKind::Convert { value, .. } = &value.kind else { panic!("no conversion") };
    assert!(matches!(value.kind, ExprKind::Load(_)));
}

#[test]
fn lanes_are_composed_and_constants_folded() {
    assert!(last_stmt("float f(float4 v) { return v.zwxy.yx.x; }").contains("lanes: [3]"));
    let text = last_stmt("float f(float x) { return x * -2 + (float)1.5; }");
    assert!(text.contains("Float(-2.0)") && text.contains("Float(1.5)"), "{text}");
}

#[test]
fn initializers_are_flattened() {
    let text = last_stmt("void f() { int a[4] = {1, [3] = 4}; }");
    assert!(text.contains("zero: true") && text.contains("(12, "), "{text}");
    let text = last_stmt("void f() { int a[2][2] = {1, 2, 3, 4}; }");
    assert!(text.contains("zero: false"), "{text}");
    let text = last_stmt(
        "void f() { struct { int n; struct { float x, y; } p[2]; } s = {1, {{2, 3}, 4, 5}}; }",
    );
    assert!(text.contains("zero: false") && text.contains("(16, "), "{text}");
}

#[test]
fn own_functions_shadow_built_in_ones() {
    let text = last_stmt("float sin(float x) { return x; } float f() { return sin(1.0f); }");
    assert!(text.contains("Call {"), "{text}");
    let text = last_stmt("float f(float max) { return max; }");
    assert!(text.contains("Load("), "{text}");
}

#[test]
fn the_library_overloads() {
    let text = "float g(float x) { return x; } float g(int x) { return g((float)x); }";
    let options = Options { std: ClStd::Cl12, ..Options::default() };
    let (_, log) = analyzed_with(text, &options, &Target::generic(), Origin::Library);
    assert_eq!(log, "");
}

#[test]
fn specifiers_are_analyzed_once() {
    accept(
        "struct s { int a; } f(struct s x) { return x; } struct t { float b; } g(void), h(void);",
    );
    let nested = "struct { int a; ".repeat(100) + &"};".repeat(100);
    accept(
        &format!("struct s {{ {nested} }}; int f(struct s *p) {{ return p->a; }}")
            .replace("int a; struct", "struct"),
    );
    let open = "int __attribute__((aligned(sizeof(struct { ".repeat(80);
    let close = "int x; })))) a, b; ".repeat(80);
    let (_, log) = analyzed(&format!("struct s {{ {open}{close} }};"));
    assert!(!log.is_empty());
}

#[test]
fn hostile_texts_end_in_a_diagnostic() {
    let mut chain = "typedef int *t0;\n".to_string();
    for i in 0..3000 {
        chain.push_str(&format!("typedef t{i} *t{};\n", i + 1));
    }
    reject(&chain, "Error: type is nested too deeply");
    let mut nest = "struct s0 { int a; };\n".to_string();
    for i in 0..3000 {
        nest.push_str(&format!("struct s{} {{ struct s{i} a; }};\n", i + 1));
    }
    reject(&nest, "Error: type is nested too deeply");
    let mut grow = "typedef struct { int a[1024]; } g0;\n".to_string();
    for i in 0..40 {
        grow.push_str(&format!("typedef struct {{ g{i} a[1024]; }} g{};\n", i + 1));
    }
    reject(&grow, "Error: size of array is too large");
    let mut calls = "int f0(int x) { return x; }\n".to_string();
    for i in 0..20000 {
        calls.push_str(&format!("int f{}(int x) {{ return f{i}(x); }}\n", i + 1));
    }
    accept(&calls);
    accept(
        "struct e {}; constant struct e x[3] = {{}, {}}; kernel void k() { struct e y[2] = {}; }",
    );
    reject(
        "struct e {}; constant struct e x[] = {1, 2};",
        "Warning: excess elements in initializer",
    );
}

/// Analyzed as OpenCL C 2.0, which has program-scope variables in global memory.
fn analyzed_20(text: &str) -> (hir::Module, String) {
    let options = Options { std: ClStd::Cl20, ..Options::default() };
    analyzed_with(text, &options, &Target::generic(), Origin::Program)
}

#[track_caller]
fn accept_20(text: &str) -> hir::Module {
    let (module, log) = analyzed_20(text);
    assert_eq!(log, "", "for:\n{text}");
    module
}

fn global<'m>(module: &'m hir::Module, name: &str) -> &'m hir::Global {
    module.globals.values().find(|global| global.name == name).unwrap()
}

#[test]
fn program_scope_variables_lie_in_global_memory() {
    use hekla_compiler::ir::AddressSpace;
    let module = accept_20(
        "int a; global int b = 3; static float4 c; const int d = 4; extern int e; bool f = true;\n\
         global int *p = &b + 1; constant char *names[2] = {\"x\", \"y\"}; constant int g = 5;\n\
         struct node { global struct node *next; int n; }; struct node n = {&n, 1};\n\
         struct node ring[2] = {{ring + 1, 0}, {&ring[0], 1}}; size_t at = (size_t)&n.n;\n\
         union { float f; uint u; } u = {1.0f}; int big __attribute__((aligned(256)));\n\
         kernel void k() { static int s = 7; static global int t; static constant int v = 8;\n\
           extern int e; extern global int b; a = e + b + s + t + v; }",
    );
    for name in ["a", "b", "c", "d", "e", "f", "p", "names", "n", "ring", "u", "s", "t"] {
        assert_eq!(global(&module, name).space, AddressSpace::Global, "{name}");
    }
    assert_eq!(global(&module, "v").space, AddressSpace::Constant);
    for (name, external) in [("a", true), ("b", true), ("c", false), ("e", true), ("s", false)] {
        assert_eq!(global(&module, name).is_external, external, "{name}");
    }
    assert!(!global(&module, "e").is_defined && global(&module, "a").is_defined);
    assert!(global(&module, "d").is_const && !global(&module, "b").is_const);
    assert_eq!(global(&module, "big").align, 256);
    assert_eq!(global(&module, "p").relocations[0].addend, 4);
    assert_eq!(global(&module, "n").relocations.len(), 1);
    let addends: Vec<i64> = global(&module, "ring").relocations.iter().map(|r| r.addend).collect();
    assert_eq!(addends, [16, 0]);
    assert_eq!(global(&module, "at").relocations[0].addend, 8);
    assert_eq!(bytes_of(&module, "u"), 1.0f32.to_le_bytes());
    assert_eq!(module.globals.values().filter(|global| global.name == "b").count(), 1);
}

#[test]
fn declarations_of_a_variable_add_up() {
    let module = accept_20(
        "int x; int x; extern int x; int x = 5; int x; extern int a[]; int a[3]; extern int a[];\n\
         static int s; extern int s; static int s = 2; extern constant int c; constant int c = 6;\n\
         void f() { extern int a[]; extern int x; { extern int late; late = x + a[2]; } }\n\
         int late = 9; int n = sizeof(a);",
    );
    assert_eq!(module.globals.len(), 6);
    assert_eq!(bytes_of(&module, "x"), 5i32.to_le_bytes());
    assert_eq!(bytes_of(&module, "n"), 12i32.to_le_bytes());
    assert_eq!(bytes_of(&module, "late"), 9i32.to_le_bytes());
    assert!(!global(&module, "s").is_external);
}

#[test]
fn mistakes_of_program_scope_variables() {
    for (text, message) in [
        ("local int x;", "program scope variable must reside in global or constant address space"),
        ("private int x = 1;", "program scope variable must reside in global or constant address space"),
        ("void f() { static private int x; }", "static local variable must reside in global or constant address space"),
        ("kernel void f() { extern local int x; }", "extern variable must reside in global or constant address space"),
        ("void f() { global int x; }", "function scope variable cannot be declared in global address space"),
        ("void f() { extern int x = 1; }", "'extern' variable cannot have an initializer"),
        ("constant int x;", "variable in constant address space must be initialized"),
        ("event_t e;", "the 'event_t' type cannot be used to declare a program scope variable"),
        ("void f() { static event_t e[2]; }", "the 'event_t' type cannot be used to declare a program scope variable"),
        ("image2d_t i;", "the '__read_only image2d_t' type cannot be used to declare a program scope variable"),
        ("int f(); int x = f();", "initializer element is not a compile-time constant"),
        ("int y; int x = y;", "initializer element is not a compile-time constant"),
        ("int x = x + 1;", "initializer element is not a compile-time constant"),
        ("int y; int x = (int)(size_t)&y;", "initializer element is not a compile-time constant"),
        ("kernel void f(int n) { static int x = n; }", "initializer element is not a compile-time constant"),
        ("int baz; constant int *global ptr = &baz;", "initializing '__constant int *' with an expression of type '__global int *' changes address space of pointer"),
        ("int x = 1; int x = 1;", "redefinition of 'x'"),
        ("int x; float x;", "redefinition of 'x' with a different type: 'float' vs 'int'"),
        ("int x[2]; int x[3];", "redefinition of 'x' with a different type: 'int[3]' vs 'int[2]'"),
        ("int x; const int x;", "redefinition of 'x' with different qualifiers"),
        ("int x; extern constant int x;", "redefinition of 'x' with a different address space"),
        ("int x; void f() { extern float x; }", "redefinition of 'x' with a different type: 'float' vs 'int'"),
        ("int x; static int x;", "static declaration of 'x' follows non-static declaration"),
        ("static int x; int x;", "non-static declaration of 'x' follows static declaration"),
        ("void f() { int x; extern int x; }", "redefinition of 'x'"),
        ("void f() { static int x; static int x; }", "redefinition of 'x'"),
        ("int f; void f() {}", "redefinition of 'f' as different kind of symbol"),
        ("const int x = 1; void f() { x = 2; }", "cannot assign to variable 'x' with const-qualified type 'const int'"),
        ("char x[(64 << 20) + 1];", "size of 'x' (67108865 bytes) exceeds that of program scope variables (67108864 bytes)"),
        ("int x[];", "definition of variable with array type needs an explicit size or an initializer"),
        ("struct s x;", "variable has incomplete type 'struct s'"),
    ] {
        let (_, log) = analyzed_20(text);
        let first = log.lines().next().unwrap_or("nothing");
        assert_eq!(first, format!("Error: {message}"), "for:\n{text}\nall:\n{log}");
    }
}

#[test]
fn program_scope_variables_depend_on_the_version() {
    for std in [ClStd::Cl10, ClStd::Cl12, ClStd::Cl20, ClStd::Cl30] {
        let options = Options { std, ..Options::default() };
        let text = "int x; kernel void k() { static int y; x = y; }";
        let (_, log) = analyzed_with(text, &options, &Target::minimal(), Origin::Program);
        assert_eq!(log.is_empty(), std >= ClStd::Cl20, "{std:?}: {log}");
    }
}
