//! Expressions, literals, built-in functions, and programs with errors.

use super::{body, each, kernel, lines, Program, Row};

pub const SHAPES: &[Row] = &[
    ("terms", |count| body(&format!("p[0] = 0{};", each(count, |i| format!("+ p[{i}] * n\n"))))),
    ("terms of one variable", |count| body(&format!("p[0] = n{};", lines(count, "+ n")))),
    ("terms of constants", |count| {
        body(&format!("p[0] = n{};", each(count, |i| format!("+ {i}\n"))))
    }),
    ("terms of floats", |count| {
        body(&format!("q[0] = 0{};", each(count, |i| format!("+ q[{i}] * {i}.5f\n"))))
    }),
    ("products in brackets", |count| {
        let group = format!("{}n{}", "(".repeat(100), " * n + 1)".repeat(100));
        body(&lines(count.div_ceil(100), &format!("*p += {group};")))
    }),
    ("conditional expressions", |count| {
        body(&format!("p[0] = {}0;", each(count, |i| format!("p[{i}] == n ? {i} :\n"))))
    }),
    ("conditional expressions of one variable", |count| {
        body(&format!("p[0] = {}0;", each(count, |i| format!("{i} == n ? {} :\n", 7 * i))))
    }),
    ("conditions joined", |count| {
        body(&format!("if (1{}) p[0] = 1;", each(count, |i| format!("&& p[{i}] != n\n"))))
    }),
    ("conditions joined both ways", |count| {
        body(&format!("if (1{}) p[0] = 1;", each(count, |i| format!("&& p[{i}] != n || p[n]\n"))))
    }),
    ("commas", |count| body(&format!("p[0] = (0{});", each(count, |i| format!(", p[{i}]++\n"))))),
    ("assignments", |count| body(&each(count, |_| "*p = *p * n + 1;\n".to_string()))),
    ("assignments to a variable", |count| {
        body(&format!("int x = n;\n{}*p = x;", each(count, |i| format!("x = x * n ^ {i};\n"))))
    }),
    ("assignments that double", |count| {
        body(&format!("int x = n;\n{}*p = x;", lines(count, "x = x + x;")))
    }),
    ("assignments of two", |count| {
        body(&format!("int x = n, y = *p;\n{}*p = x;", lines(count, "x = x * y; y = x + y;")))
    }),
    ("equal expressions", |count| body(&each(count, |i| format!("p[{i}] = n * n / 7;\n")))),
    ("shifts and masks", |count| {
        body(&format!(
            "uint x = n;\n{}*p = x;",
            each(count, |i| format!("x = (x << {}) | (x & {i}u);\n", i % 31))
        ))
    }),
    ("divisions", |count| body(&each(count, |i| format!("p[{i}] = p[{i}] / n % {};\n", i + 3)))),
    ("long divisions", |count| {
        body(&each(count, |i| format!("p[{i}] = (long)p[{i}] * n / (n + {i}l);\n")))
    }),
    ("doubles", |count| body(&each(count, |i| format!("p[{i}] = (double)p[{i}] * {i}.25;\n")))),
    ("halves", |count| {
        kernel(
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
            &each(count, |i| format!("q[{i}] = (half)q[{i}] * (half){i};\n")),
        )
    }),
    ("conversions", |count| {
        body(&each(count, |i| format!("p[{i}] = convert_char_sat(q[{i}]) + (uchar)q[n];\n")))
    }),
    ("math functions", |count| {
        body(&each(count, |i| format!("q[{i}] = sin(q[{i}]) + exp(q[n]);\n")))
    }),
    ("functions of vectors", |count| {
        body(&each(count, |i| format!("vstore4(atan2(vload4({i}, q), (float4)(n)), {i}, q);\n")))
    }),
    ("geometric functions", |count| {
        body(&each(count, |i| format!("q[{i}] = dot(vload4({i}, q), vload4(n, q));\n")))
    }),
    ("printf", |count| body(&each(count, |i| format!("printf(\"%d {i}\\n\", n);\n")))),
    ("work-item functions", |count| {
        body(&each(count, |i| format!("p[{i}] = get_global_id({});\n", i % 4)))
    }),
    ("copies to local memory", |count| {
        body(&format!(
            "local int l[64];\n{}",
            lines(count, "wait_group_events(1, (event_t[]){async_work_group_copy(l, p, 64, 0)});")
        ))
    }),
    ("long numbers", |count| {
        body(&each(count, |i| format!("q[{i}] = 0.{}f;\n", "123456789".repeat(20))))
    }),
    ("one long number", |count| body(&format!("q[0] = 0.{}f;", "1".repeat(count)))),
    ("one long name", |count| body(&format!("int {0} = n; *p = {0};", "x".repeat(count)))),
    ("long names", |count| {
        let long = "x".repeat(100);
        body(&each(count, |i| format!("int {long}{i} = n;\n")))
    }),
    ("compound literals", |count| {
        body(&each(count, |i| format!("p[{i}] = ((int[]){{n, {i}}})[n & 1];\n")))
    }),
    ("vector literals", |count| {
        body(&each(count, |i| format!("vstore4((int4)(n, {i}, p[1], 4).wzyx, {i}, p);\n")))
    }),
    ("sizeofs", |count| body(&format!("p[0] = 0{};", lines(count, "+ sizeof(int)")))),
    ("statement expressions", |count| {
        body(&each(count, |i| format!("p[{i}] = ({{ int x = n; x * {i}; }});\n")))
    }),
    ("unknown names", |count| body(&each(count, |i| format!("x{i} = n;\n")))),
    ("errors of types", |count| body(&lines(count, "p = n;"))),
    ("errors of syntax", |count| body(&lines(count, "p = = n;"))),
    ("errors on one line", |count| body(&"p = n; ".repeat(count))),
    ("warnings", |count| body(&each(count, |i| format!("global float *x{i} = p;\n")))),
    ("warnings on one line", |count| body(&each(count, |i| format!("global float *x{i} = p; ")))),
    ("redefinitions", |count| kernel(&lines(count, "int f(int x) { return x; }"), "*p = n;")),
    ("stray characters", |count| Program::Text("@".repeat(count))),
    ("open brackets", |count| body(&"(".repeat(count))),
    ("open braces", |count| body(&"{".repeat(count))),
    ("stars", |count| body(&format!("int {}x;", "*".repeat(count)))),
];
