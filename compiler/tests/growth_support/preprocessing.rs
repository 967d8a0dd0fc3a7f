//! Macros and directives of the preprocessor.

use super::{body, each, kernel, lines, Program, Row};

pub const SHAPES: &[Row] = &[
    ("macros", |count| {
        kernel(
            &each(count, |i| format!("#define M{i} (n + {i})\n")),
            &each(count, |i| format!("p[{i}] = M{i};\n")),
        )
    }),
    ("macros that nothing uses", |count| {
        kernel(&each(count, |i| format!("#define M{i}(x) (x + {i})\n")), "*p = n;")
    }),
    ("uses of a macro", |count| {
        kernel("#define M(x, y) ((x) + (y))\n", &each(count, |i| format!("p[{i}] = M(n, {i});\n")))
    }),
    ("chain of macros", |count| {
        let chain = each(count, |i| format!("#define M{} M{i}\n", i + 1));
        kernel(&format!("#define M0 n\n{chain}"), &format!("*p = M{count};"))
    }),
    ("chain of macros with arguments", |count| {
        let chain = each(count, |i| format!("#define M{}(x) M{i}(x)\n", i + 1));
        kernel(&format!("#define M0(x) x\n{chain}"), &format!("*p = M{count}(n);"))
    }),
    ("chain of macros, each used", |count| {
        let chain = each(count, |i| format!("#define M{} M{i}\n", i + 1));
        kernel(&format!("#define M0 n\n{chain}"), &each(count, |i| format!("*p = M{i};\n")))
    }),
    ("macros in arguments of macros", |count| {
        let group = format!("*p += {}n{};\n", "M(".repeat(50), ")".repeat(50));
        kernel("#define M(x) (x + 1)\n", &group.repeat(count.div_ceil(50)))
    }),
    ("one deep use of a macro", |count| {
        kernel("#define M(x) x\n", &format!("*p = {}n{};\n", "M(".repeat(count), ")".repeat(count)))
    }),
    ("macros that double", |count| {
        let chain = each(count, |i| format!("#define M{} M{i} M{i}\n", i + 1));
        kernel(&format!("#define M0 +n\n{chain}"), &format!("*p = M{count};"))
    }),
    ("macros with long arguments", |count| {
        kernel("#define M(x) x\n", &format!("*p = M(0{});", lines(count, "+ n")))
    }),
    ("macros with many arguments", |count| {
        let names = each(count, |i| format!(", a{i}"));
        let sum = each(count, |i| format!("+ a{i}"));
        kernel(
            &format!("#define M(a{names}) a {sum}\n"),
            &format!("*p = M(n{});", ", n".repeat(count)),
        )
    }),
    ("macros with any number of arguments", |count| {
        kernel(
            "#define M(...) f(__VA_ARGS__)\nint f(int x, int y) { return x + y; }\n",
            &each(count, |i| format!("p[{i}] = M(n, {i});\n")),
        )
    }),
    ("names pasted", |count| {
        kernel("#define M(x) x##x\n", &each(count, |i| format!("int M(v{i}) = n;\n")))
    }),
    ("one long paste", |count| {
        kernel(&format!("#define M(x) x{}\n", "##x".repeat(count)), "int M(v) = n;")
    }),
    ("texts of arguments", |count| {
        kernel("#define M(x) #x\n", &each(count, |i| format!("printf(M(a b {i}));\n")))
    }),
    ("redefined macros", |count| {
        let part = |i| format!("#undef M\n#define M {i}\n");
        kernel(&each(count, part), "*p = M;")
    }),
    ("conditionals", |count| {
        kernel(
            &each(count, |i| format!("#if {i} > 7 && defined(X)\nint x{i};\n#endif\n")),
            "*p = n;",
        )
    }),
    ("conditionals in others", |count| {
        kernel(&format!("{}{}", lines(count, "#if 1"), lines(count, "#endif")), "*p = n;")
    }),
    ("conditionals with #elif", |count| {
        let part = |i| format!("#elif X == {i}\nint x{i};\n");
        kernel(&format!("#define X -7\n#if X == -1\n{}#endif\n", each(count, part)), "*p = n;")
    }),
    ("one long condition", |count| {
        kernel(&format!("#if 1{}\n#endif\n", " + 1".repeat(count)), "*p = n;")
    }),
    ("one deep condition", |count| {
        kernel(&format!("#if {}1{}\n#endif\n", "(".repeat(count), ")".repeat(count)), "*p = n;")
    }),
    ("pragmas", |count| {
        kernel(&lines(count, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable"), "*p = n;")
    }),
    ("pragmas by operator", |count| kernel(&lines(count, "_Pragma(\"unknown\")"), "*p = n;")),
    ("lines renumbered", |count| {
        kernel(&each(count, |i| format!("#line {} \"f{i}\"\n", i + 1)), "*p = n;")
    }),
    ("comments", |count| kernel(&lines(count, "/* a comment */ // another"), "*p = n;")),
    ("one long comment", |count| kernel(&format!("/*{}*/\n", "*".repeat(count)), "*p = n;")),
    ("blank lines", |count| kernel(&"\n".repeat(count), "*p = n;")),
    ("lines joined", |count| body(&format!("*p = n{};", "\\\n + n".repeat(count)))),
    ("one long line", |count| body(&each(count, |i| format!("p[{i}] = n; ")))),
    ("one long line of a macro", |count| {
        kernel(&format!("#define M {}\n", each(count, |i| format!("p[{i}] = n; "))), "M")
    }),
    ("unknown directives", |count| Program::Text(lines(count, "#unknown"))),
    ("errors in a macro", |count| kernel("#define M(x) x = = n;\n", &lines(count, "M(p)"))),
];
