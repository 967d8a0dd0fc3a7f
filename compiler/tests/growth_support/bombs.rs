//! Small programs that need large amounts of time or memory.

use super::words::{Op, Words, CROSS_WORKGROUP, UNIFORM_CONSTANT};
use super::{body, each, kernel, lines, Program};

/// Returns a kernel whose body is `middle` inside `count` pairs of `open` and `close`.
fn nested(open: &str, middle: &str, close: &str, count: usize) -> Program {
    body(&format!("{}{middle}{}", open.repeat(count), close.repeat(count)))
}

/// Returns `count` functions, each with a body that calls the function before it.
fn tree(count: usize, part: impl Fn(usize) -> String) -> Program {
    let functions =
        each(count, |i| format!("int f{}(int x, local int *l) {{ {} }}\n", i + 1, part(i)));
    kernel(
        &format!("int f0(int x, local int *l) {{ return x * x; }}\n{functions}"),
        &format!("local int l[9]; *p = f{count}(n, l);"),
    )
}

/// Returns a module with a constant variable whose type is an array of arrays, `levels` deep, with `length` elements at each
/// level.
fn arrays(levels: usize, length: u32, storage: u32) -> Program {
    let mut words = Words::new();
    let count = words.constant(length);
    let mut ty = words.int;
    for _ in 0..levels {
        ty = words.declare(Op::TypeArray, &[ty, count]);
    }
    let null = words.declare_of(Op::ConstantNull, ty, &[]);
    let pointer = words.declare(Op::TypePointer, &[storage, ty]);
    words.declare_of(Op::Variable, pointer, &[storage, null]);
    words.begin_kernel("k");
    words.act(Op::Return, &[]);
    words.end();
    Program::Module(words.finish())
}

/// Returns the bombs with their names.
pub fn bombs() -> Vec<(&'static str, Program)> {
    let file = |declarations: &str| kernel(declarations, "*p = n;");
    vec![
        ("brackets", nested("(", "n", ");", 300_000)),
        ("braces", nested("{", ";", "}", 400_000)),
        ("ifs in ifs", nested("if (n) ", ";", "", 100_000)),
        ("loops in loops", nested("for (;;) ", ";", "", 100_000)),
        ("loops in loops, as deep as is allowed", nested("while (p[n++]) { ", "p[n]++;", "}", 250)),
        ("switches in switches", nested("switch (n) { case 1: ", "p[n]++;", "}", 250)),
        ("subscripts in subscripts", body(&format!("*p = {}n{};", "p[".repeat(250), "]".repeat(250)))),
        ("minus signs", body(&format!("*p = {}n;", "- ".repeat(400_000)))),
        ("casts", body(&format!("*p = {}n;", "(int)".repeat(190_000)))),
        ("assignments in a row", body(&format!("int x; {} n;", "x = ".repeat(240_000)))),
        ("pointers to pointers", body(&format!("int {}x;", "*".repeat(900_000)))),
        ("dimensions", body(&format!("int x{};", "[2]".repeat(300_000)))),
        ("dimensions, as many as are allowed", body(&format!("int x{};", "[2]".repeat(250)))),
        ("functions of functions", file(&format!("int x{};", "(int)".repeat(190_000)))),
        ("structs in structs", file(&format!("{} int x; {}", "struct { ".repeat(60_000), "} s;".repeat(60_000)))),
        ("a struct of itself", file("struct s { struct s a; int b; };\n")),
        ("types that double", file(&format!(
            "struct s0 {{ int a; }};\n{}global struct s60 g;\n",
            each(60, |i| format!("struct s{} {{ struct s{i} a, b; }};\n", i + 1))
        ))),
        ("types of typedefs that square", file(&format!(
            "typedef int t0[2];\n{}global t12 g;\n",
            each(12, |i| format!("typedef t{i} t{}[1000];\n", i + 1))
        ))),
        ("a constant array of 2 GB", kernel("constant char c[1u << 31] = {1};\n", "*p = c[n];")),
        ("a constant array of 60 MB", kernel("constant char c[60 << 20] = {1};\n", "*p = c[n];")),
        ("a constant array with its last element", kernel("constant char c[] = {[0x7ffffff0] = 1};\n", "*p = c[n];")),
        ("a constant array of 2^62 bytes", kernel("constant char c[1ul << 62] = {1};\n", "*p = c[n];")),
        ("a global array of 2^62 bytes", kernel("global char c[1ul << 62];\n", "*p = c[n];")),
        ("a private array of 2^31 bytes", body("char c[1ul << 31] = {1}; *p = c[n];")),
        ("a private array of 2^20 elements", body("int c[1 << 20] = {n}; *p = c[n];")),
        ("private arrays of arrays", body("int c[300][300][300] = {{{n}}}; *p = c[n][n][n];")),
        ("a local array of 2^40 bytes", body("local char c[1ul << 40]; *p = c[n];")),
        ("ranges of designators", kernel(
            &format!("constant char c[] = {{{}}};\n", "[0 ... 60000000] = 1,".repeat(1000)),
            "*p = c[n];",
        )),
        ("ranges of empty structs", kernel("struct e {}; constant struct e c[] = {[0 ... 0x7fffffffffff] = {}};\n", "*p = n;")),
        ("ranges in a private array", body("int c[] = {[0 ... 1000000] = n}; *p = c[n];")),
        ("recursion that goes two ways for ever", kernel(
            "int f(int x, int n, int m) { return x ? f(x, n + 1, m) + f(x, n * 3, m + 1) : n; }\n",
            "*p = f(n, 1, 1);",
        )),
        ("recursion of a large function", kernel(
            &format!("int f(int x, int n) {{ {} return n ? f(x, n - 1) + f(x, n - 2) : x; }}\n", "x = x * n ^ x >> 3;".repeat(5_000)),
            "*p = f(n, 1000);",
        )),
        ("recursion in loops", kernel(
            &format!("int f(int x, int n) {{ {} x += f(x, n * 64 + i); return x; }}\n", each(8, |i| format!("for (int i{i} = 0; i{i} < 64; i{i}++) for (int i = 0; i < 64; i++)"))),
            "*p = f(n, 1);",
        )),
        ("recursion by a struct", kernel(
            "struct s { int x, n; }; int f(struct s a) { struct s b = {a.x, a.n + 1}; return a.x ? f(b) + f(a) * f(b) : a.n; }\n",
            "struct s a = {n, 0}; *p = f(a);",
        )),
        ("copies of a large struct", kernel(
            "struct s { int a[100000]; };\n",
            &format!("struct s a, b; {} *p = a.a[n];", "a = b; b = a;".repeat(1000)),
        )),
        ("large structs by value", kernel(
            &format!(
                "struct s {{ int a[10000]; }}; struct s f0(struct s x) {{ return x; }}\n{}",
                each(100, |i| format!("struct s f{}(struct s x) {{ x.a[{i}]++; return f{i}(f{i}(x)); }}\n", i + 1))
            ),
            "struct s a; a.a[n] = n; *p = f100(a).a[n];",
        )),
        ("an alignment of 2^30", body("int x __attribute__((aligned(1 << 30))); x = n; *p = x + (int)(size_t)&x;")),
        ("macros that double", file(&format!(
            "#define A0 n +\n{}int x = A60 1;\n",
            each(60, |i| format!("#define A{} A{i} A{i}\n", i + 1))
        ))),
        ("macros that double an argument", file(&format!(
            "#define A0(x) x\n{}int y = A60(1);\n",
            each(60, |i| format!("#define A{}(x) A{i}(x x)\n", i + 1))
        ))),
        ("macros that double a text", file(&format!(
            "#define S(x) #x\n#define A0(x) S(x)\n{}constant char *y = A60(a);\n",
            each(60, |i| format!("#define A{}(x) A{i}(x x)\n", i + 1))
        ))),
        ("pastes that double", file(&format!(
            "#define P(x) x##x\n#define A0(x) P(x)\n{}int A60(a);\n",
            each(60, |i| format!("#define A{0}(x) B{0}(P(x))\n#define B{0}(x) A{i}(x)\n", i + 1))
        ))),
        ("macros of themselves", file("#define A A A\n#define B C C\n#define C B B\nint x = A B;\n")),
        ("a file that includes itself", Program::Text("#include __FILE__\n#include __FILE__\n".to_string())),
        ("conditions of macros that double", file(&format!(
            "#define A0 1 +\n{}#if A60 1\n#endif\n",
            each(60, |i| format!("#define A{} A{i} A{i}\n", i + 1))
        ))),
        ("ifs of the preprocessor", file(&lines(140_000, "#if 1"))),
        ("one line", body(&"*p += n; ".repeat(100_000))),
        ("one number", body(&format!("*q = {}.0;", "9".repeat(900_000)))),
        ("one exponent", body(&format!("*q = 1e{};", "9".repeat(900_000)))),
        ("one name", body(&format!("int {} = 1;", "x".repeat(900_000)))),
        ("one string", body(&format!("printf(\"{}\");", "%d".repeat(400_000)))),
        ("conversions of printf", body(&format!("printf(\"%{}d\", n);", "9".repeat(900_000)))),
        ("a switch", body(&format!("switch (n) {{ {} }}", each(40_000, |i| format!("case {i}: p[{i}]++;"))))),
        ("a switch of one range", body("switch (n) { case 0 ... 0x7fffffff: *p = 1; }")),
        ("a switch of ranges", body(&format!("switch (n) {{ {} }}", each(20_000, |i| format!("case {} ... {}: p[{i}]++;", 1000 * i, 1000 * i + 999))))),
        ("breaks", body(&format!("for (int i = 0; i < n; i++) {{ {} }}", each(40_000, |i| format!("if(p[i]=={i})break;"))))),
        ("returns", body(&each(32_000, |i| format!("if(p[{i}]==n)return;")))),
        ("calls of one another", tree(16_000, |i| format!("return f{i}(x + 1, l);"))),
        ("a tree of calls", tree(10_000, |i| format!("return f{i}(x, l) + f{i}(x + 1, l);"))),
        ("a tree of calls with loops", tree(60, |i| {
            format!("for (int i = 0; i < x; i++) x += f{i}(i, l) * f{i}(x, l); return x;")
        })),
        ("a tree of calls with barriers", tree(60, |i| {
            format!("l[x] = x; barrier(CLK_LOCAL_MEM_FENCE); return f{i}(l[1], l) + f{i}(l[2], l);")
        })),
        ("a tree of calls by generic pointers", kernel(
            &format!(
                "int f0(int *x) {{ return *x; }}\n{}",
                each(60, |i| format!("int f{}(int *x) {{ return f{i}(x) + f{i}(x + 1); }}\n", i + 1))
            ),
            "int x = n; *p = f60(n ? &x : (int *)p);",
        )),
        ("a ring of calls", file("int g(int x); int f(int x) { return g(x); } int g(int x) { return f(x); }\n")),
        ("unrolled loops in one another", body(&format!(
            "{} p[n]++; {}",
            each(60, |i| format!("#pragma unroll\nfor (int i{i} = 0; i{i} < 200; i{i}++) {{\n")),
            "}".repeat(60)
        ))),
        ("a loop that is unrolled 2^31 times", body("#pragma unroll 2147483647\nfor (int i = 0; i < n; i++) p[i] += i;")),
        ("many loops that are unrolled", body(&lines(15_000, "#pragma unroll 64\nfor (int i = 0; i < 64; i++) p[i] += i;"))),
        ("loops of constant arrays", body(&lines(5_000, "{ int a[64]; for (int i = 0; i < 64; i++) a[i] = n * i; *p = a[n & 63]; }"))),
        ("attributes", file(&format!("int {}x(int a);\n", "__attribute__((const)) ".repeat(40_000)))),
        ("parameters", Program::Text(format!("kernel void k(global int *p{}) {{ *p = 1; }}\n", each(60_000, |i| format!(", int a{i}"))))),
        ("kernels", Program::Text(each(20_000, |i| format!("kernel void k{i}(global int *p) {{ p[{i}] = 1; }}\n")))),
        ("kernels of one large function", {
            let large = each(20_000, |i| format!("x ^= p[x & {i}];"));
            let function = format!("int f(global int *p, int x) {{ {large} return x; }}\n");
            let kernels = each(8_000, |i| format!("kernel void k{i}(global int *p) {{ p[{i}] = f(p, {i}) + f(p, 1); }}\n"));
            Program::Text(function + &kernels)
        }),
        ("vectors of large functions", body(&lines(3_000, "vstore16(sincos(pow(vload16(n, q), vload16(1, q)), (private float16[]){0}), n, q);"))),
        ("doubles of large functions", body(&lines(3_000, "*q = lgamma((double)*q) + tgamma((double)*q) + pow((double)*q, 3.1);"))),
        ("divisions of long vectors", body(&lines(5_000, "*(global long16 *)p /= *(global long16 *)q;"))),
        ("errors", body(&lines(90_000, "x = y;"))),
        ("warnings", body(&lines(30_000, "{ global float *x = p; }"))),
        ("IL: arrays of arrays", arrays(60, 1000, CROSS_WORKGROUP)),
        ("IL: an array of 2^32 bytes", arrays(1, 1 << 30, UNIFORM_CONSTANT)),
        ("IL: an array of 2^28 bytes", arrays(1, 1 << 26, UNIFORM_CONSTANT)),
        ("IL: a large bound of ids", {
            let Program::Module(mut words) = arrays(1, 4, CROSS_WORKGROUP) else { unreachable!("a module") };
            words[3] = u32::MAX;
            Program::Module(words)
        }),
    ]
}
