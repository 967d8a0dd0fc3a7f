//! Variables of functions, and values that become phis and registers.

use super::{body, each, kernel, Row};

pub const SHAPES: &[Row] = &[
    ("variables", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        body(&format!("{variables}{}", each(count, |i| format!("p[{i}] = v{i} + n;\n"))))
    }),
    ("variables that are never used", |count| {
        body(&each(count, |i| format!("int v{i} = n + {i};\n")))
    }),
    ("variables in blocks", |count| {
        body(&each(count, |i| format!("{{ int x = p[{i}]; p[x] = n; }}\n")))
    }),
    ("variables alive across ifs", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        let ifs = each(count, |i| format!("if (p[{i}] > n) p[{i}] = 1;\n"));
        body(&format!("{variables}{ifs}{}", each(count, |i| format!("p[{i}] = v{i};\n"))))
    }),
    ("variables that ifs write", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        let ifs = each(count, |i| format!("if (p[{i}] > n) v{i} = n;\n"));
        body(&format!("{variables}{ifs}{}", each(count, |i| format!("p[{i}] = v{i};\n"))))
    }),
    ("variables of a loop", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        let sums = each(count, |i| format!("v{i} += p[v{i}];\n"));
        let stores = each(count, |i| format!("p[{i}] = v{i};\n"));
        body(&format!("{variables}for (int i = 0; i < n; i++) {{\n{sums} }}\n{stores}"))
    }),
    ("variables of a loop with breaks", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        let sums = each(count, |i| format!("v{i} += p[v{i}]; if (v{i} == n) break;\n"));
        let stores = each(count, |i| format!("p[{i}] = v{i};\n"));
        body(&format!("{variables}for (int i = 0; i < n; i++) {{\n{sums} }}\n{stores}"))
    }),
    ("variables of a loop with continues", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        let sums = each(count, |i| format!("v{i} += p[v{i}]; if (v{i} == n) continue;\n"));
        let stores = each(count, |i| format!("p[{i}] = v{i};\n"));
        body(&format!("{variables}for (int i = 0; i < n; i++) {{\n{sums} }}\n{stores}"))
    }),
    ("variables of nested gotos", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        let labels = each(count, |i| format!("l{i}: v{i}++;\n"));
        let jumps = each(count, |i| format!("if (v{i} < n) goto l{};\n", count - 1 - i));
        let stores = each(count, |i| format!("p[{i}] = v{i};\n"));
        body(&format!("{variables}{labels}{jumps}{stores}"))
    }),
    ("variables past gotos to one label", |count| {
        let variables = each(count, |i| format!("int v{i} = 0;\n"));
        let jumps = each(count, |i| format!("v{i} = p[{i}]; if (p[{i}] > n) goto end;\n"));
        let stores = each(count, |i| format!("p[{i}] = v{i};\n"));
        body(&format!("{variables}{jumps}end:\n{stores}"))
    }),
    ("variables of a switch", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        let cases = each(count, |i| format!("case {i}: v{i} = n;\n"));
        let stores = each(count, |i| format!("p[{i}] = v{i};\n"));
        body(&format!("{variables}switch (n) {{\n{cases}}}\n{stores}"))
    }),
    ("variables of states", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}];\n"));
        let cases = each(count, |i| format!("case {i}: v{i} += v{}; s = p[s]; break;\n", i / 2));
        let stores = each(count, |i| format!("p[{i}] = v{i};\n"));
        body(&format!(
            "{variables}int s = 0; while (s >= 0) switch (s) {{\n{cases}default: s--; }}\n{stores}"
        ))
    }),
    ("variables whose addresses are taken", |count| {
        let variables = each(count, |i| format!("int v{i} = p[{i}]; f(&v{i});\n"));
        let large = each(100, |i| format!("*x = *x * {i} ^ x[*x & 1];"));
        kernel(
            &format!("void f(int *x) {{ {large} }}\n"),
            &format!("{variables}{}", each(count, |i| format!("p[{i}] = v{i};\n"))),
        )
    }),
    ("private arrays", |count| {
        body(&each(count, |i| {
            format!("int a{i}[4]; a{i}[n & 3] = {i}; p[{i}] = a{i}[p[{i}] & 3];\n")
        }))
    }),
    ("private arrays with constant subscripts", |count| {
        body(&each(count, |i| {
            format!("int a{i}[4]; a{i}[2] = {i}; a{i}[1] = n; p[{i}] = a{i}[1] + a{i}[2];\n")
        }))
    }),
    ("elements of one private array", |count| {
        let stores = each(count, |i| format!("a[{i}] = p[{i}];\n"));
        let loads = each(count, |i| format!("p[{i}] = a[{i}];\n"));
        body(&format!("int a[{}];\n{stores}{loads}", count + 1))
    }),
    ("accesses to one private array", |count| {
        let parts = each(count, |i| format!("a[p[{i}] & 255] += a[n & 255];\n"));
        body(&format!("int a[256];\n{parts}*p = a[3];"))
    }),
    ("bytes of a private array", |count| {
        let parts = each(count, |i| format!("a[x + {i}] = p[{i}];\n"));
        body(&format!("uchar a[{}]; int x = n & 7;\n{parts}*p = a[n];", count + 10))
    }),
    ("structs", |count| {
        kernel(
            "struct s { int x; float y; int z[3]; };\n",
            &each(count, |i| {
                format!("struct s s{i} = {{p[{i}], 2, {{n}}}}; p[{i}] = s{i}.x + s{i}.z[0];\n")
            }),
        )
    }),
    ("copies of structs", |count| {
        kernel(
            "struct s { int x; float y; int z[3]; };\n",
            &format!(
                "struct s a = {{n}}, b;\n{}*p = a.x;",
                each(count, |i| format!("b = a; a.x = b.x + p[{i}];\n"))
            ),
        )
    }),
    ("members of a private struct", |count| {
        let members = each(count, |i| format!("int m{i};\n"));
        let stores = each(count, |i| format!("s.m{i} = p[{i}];\n"));
        let loads = each(count, |i| format!("p[{i}] = s.m{i};\n"));
        kernel(&format!("struct s {{ {members} }};\n"), &format!("struct s s;\n{stores}{loads}"))
    }),
    ("choices between pointers", |count| {
        let arrays = each(count, |i| format!("int a{i} = p[{i}]; x = p[{i}] ? &a{i} : x;\n"));
        body(&format!("int z = 0; int *x = &z;\n{arrays}*p = *x;"))
    }),
    ("local variables", |count| {
        body(&each(count, |i| {
            format!("local int l{i}[4]; l{i}[n & 3] = {i}; p[{i}] = l{i}[p[{i}] & 3];\n")
        }))
    }),
    ("vectors", |count| {
        body(&format!(
            "int4 v = (int4)(n);\n{}*p = v.x;",
            each(count, |i| format!("v = v.yzwx * {i} + vload4({i}, p);\n"))
        ))
    }),
    ("wide vectors", |count| {
        body(&format!(
            "float16 v = (float16)(n);\n{}vstore16(v, 0, q);",
            each(count, |i| format!("v = v * vload16({i}, q) + v.s{:x};\n", i % 16))
        ))
    }),
    ("generic pointers", |count| {
        body(&format!(
            "int x = n; int *g = n ? &x : (int *)p;\n{}",
            each(count, |i| format!("p[{i}] = *g; *g = {i};\n"))
        ))
    }),
    ("loads", |count| {
        body(&format!("int x = 0;\n{}*p = x;", each(count, |i| format!("x += p[{i}];\n"))))
    }),
    ("loads at indices", |count| {
        body(&format!("int x = 0;\n{}*p = x;", each(count, |i| format!("x += p[n * {i}];\n"))))
    }),
    ("stores", |count| body(&each(count, |i| format!("p[{i}] = n;\n")))),
    ("stores downward", |count| body(&each(count, |i| format!("p[{}] = n;\n", count - i)))),
    ("stores to one place", |count| body(&each(count, |i| format!("p[n] = {i};\n")))),
    ("stores to two arguments", |count| {
        body(&each(count, |i| format!("p[{i}] = n; q[{i}] = p[{i}];\n")))
    }),
    ("pointers that go on", |count| {
        body(&format!(
            "global int *x = p;\n{}",
            each(count, |i| format!("*x = {i}; x += p[{i}];\n"))
        ))
    }),
    ("pointers that go on by one", |count| {
        body(&format!("global int *x = p;\n{}", each(count, |_| "*x++ = n;\n".to_string())))
    }),
];
