//! Types, program-scope variables and their initializers.

use super::{body, each, kernel, lines, Row};

pub const SHAPES: &[Row] = &[
    ("program-scope variables", |count| {
        kernel(
            &each(count, |i| format!("global int g{i} = {i};\n")),
            &each(count, |i| format!("p[{i}] = g{i}++;\n")),
        )
    }),
    ("constant variables", |count| {
        kernel(
            &each(count, |i| format!("constant int c{i}[2] = {{{i}, 7}};\n")),
            &each(count, |i| format!("p[{i}] = c{i}[n];\n")),
        )
    }),
    ("variables that nothing uses", |count| {
        kernel(&each(count, |i| format!("constant int c{i} = {i};\n")), "*p = n;")
    }),
    ("variables with addresses of others", |count| {
        let variable =
            |i| format!("global int g{0} = 1; global int *global h{0} = &g{i};\n", i + 1);
        kernel(
            &format!("global int g0 = 1;\n{}", each(count, variable)),
            &each(count, |i| format!("p[{i}] = *h{};\n", i + 1)),
        )
    }),
    ("elements of a constant array", |count| {
        kernel(
            &format!("constant int c[] = {{\n{}}};\n", each(count, |i| format!("{i},\n"))),
            "*p = c[n];",
        )
    }),
    ("zeros of a constant array", |count| {
        kernel(&format!("constant int c[] = {{\n{}}};\n", "0,".repeat(count)), "*p = c[n];")
    }),
    ("bytes of a constant array", |count| {
        kernel(&format!("constant uchar c[] = {{\n{}}};\n", "7,".repeat(count)), "*p = c[n];")
    }),
    ("rows of a constant array", |count| {
        let rows = each(count, |i| format!("{{{i}, 2, 3}},\n"));
        kernel(&format!("constant int c[][3] = {{\n{rows}}};\n"), "*p = c[n][1];")
    }),
    ("structs of a constant array", |count| {
        let rows = each(count, |i| format!("{{{i}, {{2, 3}}, 4.5f}},\n"));
        kernel(
            &format!("struct s {{ int a; char b[2]; float c; }};\nconstant struct s c[] = {{\n{rows}}};\n"),
            "*p = c[n].a;",
        )
    }),
    ("designated elements", |count| {
        let rows = each(count, |i| format!("[{}] = {i},\n", (i * 7919) % count));
        kernel(&format!("constant int c[] = {{\n{rows}}};\n"), "*p = c[n];")
    }),
    ("designated ranges", |count| {
        let rows = each(count, |i| format!("[{} ... {}] = {i},\n", 4 * i, 4 * i + 3));
        kernel(&format!("constant int c[] = {{\n{rows}}};\n"), "*p = c[n];")
    }),
    ("addresses in a constant array", |count| {
        kernel(
            &format!(
                "constant int x[9] = {{1}};\nconstant int *constant c[] = {{\n{}}};\n",
                lines(count, "x + 1,")
            ),
            "*p = *c[n];",
        )
    }),
    ("strings of a constant array", |count| {
        kernel(
            &format!(
                "constant char *constant c[] = {{\n{}}};\n",
                each(count, |i| format!("\"s{i}\",\n"))
            ),
            "*p = *c[n];",
        )
    }),
    ("one long string", |count| {
        kernel(&format!("constant char c[] = \"{}\";\n", "x".repeat(count)), "*p = c[n];")
    }),
    ("strings joined", |count| {
        kernel(&format!("constant char c[] = {};\n", lines(count, "\"text\"")), "*p = c[n];")
    }),
    ("elements of a private array's initializer", |count| {
        body(&format!("int a[] = {{\n{}}}; *p = a[n];", each(count, |i| format!("{i},\n"))))
    }),
    ("elements of a private array, computed", |count| {
        body(&format!("int a[] = {{\n{}}}; *p = a[n];", each(count, |i| format!("n + {i},\n"))))
    }),
    ("elements of a private array, known", |count| {
        body(&format!("int a[] = {{\n{}}}; *p = a[3];", each(count, |i| format!("n + {i},\n"))))
    }),
    ("structs of a private array", |count| {
        kernel(
            "struct s { int a; char b[2]; float c; };\n",
            &format!(
                "struct s a[] = {{\n{}}}; *p = a[n].a;",
                each(count, |i| format!("{{{i}, {{n, 3}}, 4}},\n"))
            ),
        )
    }),
    ("types of structs", |count| {
        kernel(
            &each(count, |i| format!("struct s{i} {{ int a; float b[{}]; }};\n", i % 9 + 1)),
            &each(count, |i| format!("struct s{i} v{i}; v{i}.a = n; p[{i}] = v{i}.a;\n")),
        )
    }),
    ("members", |count| {
        kernel(
            &format!("struct s {{ {} }};\n", each(count, |i| format!("int m{i};\n"))),
            &each(count, |i| format!("((global struct s *)p)->m{i} = n;\n")),
        )
    }),
    ("structs in structs", |count| {
        let part = |i| format!("struct s{} {{ struct s{i} a; int b; }};\n", i + 1);
        kernel(
            &format!("struct s0 {{ int a; }};\n{}", each(count, part)),
            &format!("((global struct s{count} *)p)->b = n;"),
        )
    }),
    ("pointers to structs", |count| {
        let part = |i| format!("struct s{} {{ global struct s{i} *a; int b; }};\n", i + 1);
        kernel(
            &format!("struct s0 {{ int b; }};\n{}", each(count, part)),
            &format!("global struct s{count} *x = (global struct s{count} *)p; x->b = x->a->b;"),
        )
    }),
    ("unions", |count| {
        kernel(
            &each(count, |i| format!("union u{i} {{ int a; float b; }};\n")),
            &each(count, |i| format!("union u{i} v{i}; v{i}.a = p[{i}]; q[{i}] = v{i}.b;\n")),
        )
    }),
    ("typedefs", |count| {
        kernel(
            &format!("typedef int t0;\n{}", each(count, |i| format!("typedef t{i} t{};\n", i + 1))),
            &format!("t{count} x = n; *p = x;"),
        )
    }),
    ("enumerators", |count| {
        kernel(&format!("enum {{ {} e }};\n", each(count, |i| format!("e{i},\n"))), "*p = e;")
    }),
    ("enumerators of others", |count| {
        let part = |i| format!("e{} = e{i} + 1,\n", i + 1);
        kernel(&format!("enum {{ e0, {} }};\n", each(count, part)), "*p = e1;")
    }),
    ("attributes", |count| {
        kernel(&format!("int {}x(int a);\n", lines(count, "__attribute__((const))")), "*p = n;")
    }),
    ("attributes of one list", |count| {
        kernel(
            &format!("int __attribute__(({} const)) x(int a);\n", lines(count, "const,")),
            "*p = n;",
        )
    }),
    ("qualifiers", |count| kernel("", &format!("{} int x = n; *p = x;", lines(count, "const")))),
    ("static assertions", |count| {
        kernel(&each(count, |i| format!("_Static_assert({i} + 1 > {i}, \"m\");\n")), "*p = n;")
    }),
    ("samplers", |count| {
        kernel(
            &each(count, |i| format!("constant sampler_t s{i} = CLK_FILTER_NEAREST;\n")),
            "*p = n;",
        )
    }),
];
