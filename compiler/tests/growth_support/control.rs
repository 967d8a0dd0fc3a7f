//! Branches, loops, jumps and switches.

use super::{body, each, kernel, lines, Row};

pub const SHAPES: &[Row] = &[
    ("ifs", |count| body(&each(count, |i| format!("if (p[{i}] > n) p[{i}] = {i};\n")))),
    ("ifs with else", |count| {
        body(&each(count, |i| format!("if (p[{i}] > n) p[{i}] = {i}; else p[n] = {i};\n")))
    }),
    ("ifs that write a variable", |count| {
        body(&format!(
            "int x = n;\n{}*p = x;",
            each(count, |i| format!("if (p[{i}] > x) x += p[x];\n"))
        ))
    }),
    ("ifs on one condition", |count| body(&each(count, |i| format!("if (n > 7) p[{i}] = {i};\n")))),
    ("else-ifs", |count| {
        body(&format!(
            "if (n < 0) p[0] = 1;\n{}",
            each(count, |i| format!("else if (n == {}) p[{i}] = n;\n", 3 * i))
        ))
    }),
    ("else-ifs with a value", |count| {
        let arms = each(count, |i| format!("else if (p[{i}] == n) x = p[x + {i}];\n"));
        body(&format!("int x = 0; if (n < 0) x = 1;\n{arms}*p = x;"))
    }),
    ("nested ifs", |count| {
        let group = format!("{}p[n]++;{}\n", "if (p[n++]) { ".repeat(60), " }".repeat(60));
        body(&lines(count.div_ceil(60), &group))
    }),
    ("breaks", |count| {
        let breaks = each(count, |i| format!("if (p[i] == n + {i}) break;\n"));
        body(&format!("for (int i = 0; i < n; i++) {{\n{breaks} }}"))
    }),
    ("breaks with values", |count| {
        let breaks = each(count, |i| format!("if (v == {}) {{ r = {i}; break; }}\n", 7 * i));
        body(&format!(
            "int r = -1; for (int i = 0; i < n; i++) {{ int v = p[i];\n{breaks} }} p[0] = r;"
        ))
    }),
    ("breaks past variables", |count| {
        let variables = each(count, |i| format!("int v{i} = 0;\n"));
        let breaks = each(count, |i| format!("v{i} = p[{i}]; if (v{i} == n) break;\n"));
        let sum = each(count, |i| format!("p[{i}] = v{i};\n"));
        body(&format!("{variables}for (int i = 0; i < n; i++) {{\n{breaks} }}\n{sum}"))
    }),
    ("continues", |count| {
        let parts = each(count, |i| format!("if (p[i] == n + {i}) continue; p[i] = n;\n"));
        body(&format!("for (int i = 0; i < n; i++) {{\n{parts} }}"))
    }),
    ("continues with values", |count| {
        let parts = each(count, |i| format!("if (p[x] == {i}) {{ x += p[x + {i}]; continue; }}\n"));
        body(&format!("int x = 0; for (int i = 0; i < n; i++) {{\n{parts} }} *p = x;"))
    }),
    ("breaks and continues", |count| {
        let parts = each(count, |i| {
            format!("if (p[x] == {i}) {{ x++; continue; }} if (p[x] == n) {{ x--; break; }}\n")
        });
        body(&format!("int x = 0; for (int i = 0; i < n; i++) {{\n{parts} }} *p = x;"))
    }),
    ("returns", |count| {
        body(&each(count, |i| format!("if (p[{i}] == n) return; p[{i}] = {i};\n")))
    }),
    ("returns alone", |count| body(&each(count, |i| format!("if (p[{i}] == n) return;\n")))),
    ("returns of a function", |count| {
        let parts = each(count, |i| format!("if (p[{i}] == n) return {i};\n"));
        kernel(
            &format!("int f(global int *p, int n) {{ {parts} return n; }}\n"),
            "*p = f(p, n) + f(p + 1, n);",
        )
    }),
    ("returns in a loop", |count| {
        let parts = each(count, |i| format!("if (p[i + {i}] == n) return {i};\n"));
        kernel(
            &format!("int f(global int *p, int n) {{ for (int i = 0; i < n; i++) {{ {parts} }} return n; }}\n"),
            "*p = f(p, n);",
        )
    }),
    ("returns before a barrier", |count| {
        let parts = each(count, |i| format!("if (p[{i}] == n) return; p[{i}] = {i};\n"));
        body(&format!("{parts} barrier(CLK_GLOBAL_MEM_FENCE); *p = n;"))
    }),
    ("gotos forward", |count| {
        body(&each(count, |i| format!("if (p[{i}] > n) goto l{i}; p[{i}] = {i}; l{i}: ;\n")))
    }),
    ("gotos to one label", |count| {
        let jumps = each(count, |i| format!("if (p[{i}] > n) goto end; p[{i}] = {i};\n"));
        body(&format!("{jumps} end: *p = n;"))
    }),
    ("gotos over the next label", |count| {
        let part = |i| format!("l{i}: if (p[{i}] > n) goto l{}; p[{i}]++;\n", i + 2);
        body(&format!("{} l{count}: ; l{}: ;", each(count, part), count + 1))
    }),
    ("gotos out of a loop", |count| {
        let jumps = each(count, |i| format!("if (p[i] == {i}) goto l{i};\n"));
        let labels = each(count, |i| format!("l{i}: p[{i}] += {i};\n"));
        body(&format!("for (int i = 0; i < n; i++) {{\n{jumps} }}\n{labels}"))
    }),
    ("gotos backward", |count| {
        body(&each(count, |i| format!("l{i}: p[{i}]++; if (p[{i}] < n) goto l{i};\n")))
    }),
    ("gotos backward, nested", |count| {
        let labels = each(count, |i| format!("l{i}: p[{i}]++;\n"));
        let jumps = each(count, |i| format!("if (p[{i}] < n) goto l{};\n", count - 1 - i));
        body(&format!("{labels}{jumps}"))
    }),
    ("gotos backward to one label", |count| {
        body(&format!("l: ;\n{}", each(count, |i| format!("if (p[{i}]++ < n) goto l;\n"))))
    }),
    ("gotos into loops", |count| {
        body(&each(count, |i| {
            format!("if (p[{i}] > n) goto m{i}; l{i}: p[{i}]++; m{i}: p[n]++; if (p[{i}] < n) goto l{i};\n")
        }))
    }),
    ("gotos into one another", |count| {
        body(&each(count, |i| {
            format!("l{i}: if (p[{i}]++ > n) goto l{};\n", (i * 7919 + 13) % count)
        }))
    }),
    ("states", |count| {
        let cases =
            each(count, |i| format!("case {i}: p[{i}]++; s = p[s] ? {} : s + 1; break;\n", i / 2));
        body(&format!("int s = 0; while (s >= 0) switch (s) {{\n{cases} default: s = -1; }}"))
    }),
    ("cases", |count| {
        body(&format!(
            "switch (n) {{\n{}}}",
            each(count, |i| format!("case {}: p[{i}] = n; break;\n", 3 * i))
        ))
    }),
    ("cases that fall through", |count| {
        body(&format!(
            "switch (n) {{\n{}}}",
            each(count, |i| format!("case {}: p[{i}] = n;\n", 3 * i))
        ))
    }),
    ("cases that fall through with a value", |count| {
        body(&format!(
            "int x = 1; switch (n) {{\n{}}} *p = x;",
            each(count, |i| format!("case {i}: x = p[x] * {i};\n"))
        ))
    }),
    ("cases of one block", |count| {
        body(&format!(
            "switch (n) {{\n{} *p = 1; }}",
            each(count, |i| format!("case {}:\n", 3 * i))
        ))
    }),
    ("cases with values", |count| {
        body(&format!(
            "int x = 1; switch (n) {{\n{}}} *p = x;",
            each(count, |i| format!("case {i}: x = p[{i}]; break;\n"))
        ))
    }),
    ("cases, some of which return", |count| {
        let case = |i| match i % 3 {
            0 => format!("case {i}: p[{i}] = n; return;\n"),
            1 => format!("case {i}: p[{i}] = n;\n"),
            _ => format!("case {i}: if (p[{i}]) break; p[2] = {i}; break;\n"),
        };
        body(&format!("switch (n) {{\n{}}} *p = n;", each(count, case)))
    }),
    ("ranges of cases", |count| {
        body(&format!(
            "switch (n) {{\n{}}}",
            each(count, |i| format!("case {} ... {}: p[{i}] = n; break;\n", 3 * i, 3 * i + 1))
        ))
    }),
    ("switches", |count| {
        body(&each(count, |i| {
            format!("switch (p[{i}]) {{ case 1: p[{i}] = 2; case 2: p[3] = {i}; break; default: p[4] = n; }}\n")
        }))
    }),
    ("switches in a loop", |count| {
        let parts = each(count, |i| {
            format!(
                "switch (p[{i}]) {{ case 1: x += 2; case 2: x *= {i}; break; default: x -= n; }}\n"
            )
        });
        body(&format!("int x = 0; for (int i = 0; i < n; i++) {{\n{parts} }} *p = x;"))
    }),
    ("loops", |count| {
        body(&each(count, |i| format!("for (int i = {i}; i < n; i++) p[i] += {i};\n")))
    }),
    ("loops of loads alone", |count| {
        let loops = each(count, |i| format!("for (int i = {i}; i < n; i++) x += p[i] * {i};\n"));
        body(&format!("int x = 0; {loops} *p = x;"))
    }),
    ("loops that are unrolled", |count| {
        body(&each(count, |i| format!("for (int i = 0; i < 8; i++) p[i] += {i};\n")))
    }),
    ("loops in loops", |count| {
        body(&each(count, |i| {
            format!("for (int i = {i}; i < n; i++) for (int j = 0; j < i; j++) p[i] += p[j];\n")
        }))
    }),
    ("loops in one loop", |count| {
        let loops = each(count, |i| format!("for (int j = {i}; j < n; j++) p[j] += i;\n"));
        body(&format!("for (int i = 0; i < n; i++) {{\n{loops} }}"))
    }),
    ("deep loops", |count| {
        let deep = format!("{}p[n]++;{}\n", "while (p[n++]) { ".repeat(20), " }".repeat(20));
        body(&lines(count.div_ceil(20), &deep))
    }),
    ("loops with a condition that leaves them", |count| {
        body(&each(count, |i| {
            format!("for (int i = {i}; i < p[1]; i++) if (n > {i}) p[i] += {i}; else p[i] = 1;\n")
        }))
    }),
    ("statements in a loop", |count| {
        let parts = each(count, |i| format!("p[i + {i}] += n * {i};\n"));
        body(&format!("for (int i = 0; i < n; i++) {{\n{parts} }}"))
    }),
    ("barriers", |count| {
        body(&each(count, |i| format!("p[{i}] = p[n]; barrier(CLK_GLOBAL_MEM_FENCE);\n")))
    }),
    ("atomics", |count| body(&each(count, |i| format!("atomic_add(&p[{i}], n);\n")))),
    ("sub-groups", |count| {
        kernel(
            "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n",
            &each(count, |i| format!("p[{i}] = sub_group_reduce_add(p[{i}]);\n")),
        )
    }),
    ("sub-groups in a loop with breaks", |count| {
        let parts = each(count, |i| {
            format!("if (p[{i}] == i) break; p[{i}] = sub_group_reduce_add(p[{i}]);\n")
        });
        body(&format!("for (int i = 0; i < n; i++) {{\n{parts} }}"))
    }),
    ("empty blocks", |count| body(&lines(count, "{ ; }"))),
    ("labels", |count| body(&format!("{};", each(count, |i| format!("l{i}:\n"))))),
];
