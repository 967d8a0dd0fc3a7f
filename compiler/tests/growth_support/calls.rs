//! Functions and their calls, kernels, arguments.

use super::{body, each, kernel, lines, Program, Row};

pub const SHAPES: &[Row] = &[
    ("chain of calls", |count| {
        let functions =
            each(count, |i| format!("int f{}(int x) {{ return f{i}(x + 1); }}\n", i + 1));
        kernel(
            &format!("int f0(int x) {{ return x; }}\n{functions}"),
            &format!("*p = f{count}(n);"),
        )
    }),
    ("chain of calls with work", |count| {
        let functions = each(count, |i| {
            format!(
                "int f{}(global int *p, int x) {{ p[x] += {i}; return f{i}(p, x + 1); }}\n",
                i + 1
            )
        });
        kernel(
            &format!("int f0(global int *p, int x) {{ return x; }}\n{functions}"),
            &format!("*p = f{count}(p, n);"),
        )
    }),
    ("chain of calls with loops", |count| {
        let functions = each(count, |i| {
            format!(
                "void f{}(global int *p, int n) {{ for (int i = 0; i < n; i++) p[i] += {i}; f{i}(p, n); }}\n",
                i + 1
            )
        });
        kernel(
            &format!("void f0(global int *p, int n) {{ }}\n{functions}"),
            &format!("f{count}(p, n);"),
        )
    }),
    ("chain of calls, each twice", |count| {
        let functions = each(count, |i| {
            format!("int f{0}(int x) {{ return f{i}(x + {i}) * f{i}(x - 1); }}\n", i + 1)
        });
        kernel(
            &format!("int f0(int x) {{ return x * x; }}\n{functions}"),
            &format!("*p = f{count}(n);"),
        )
    }),
    ("chain of calls, each with a barrier", |count| {
        let functions = each(count, |i| {
            format!(
                "void f{}(local int *l) {{ l[{i}] = l[0]; barrier(CLK_LOCAL_MEM_FENCE); f{i}(l); }}\n",
                i + 1
            )
        });
        kernel(
            &format!("void f0(local int *l) {{ }}\n{functions}"),
            &format!("local int l[9]; f{count}(l);"),
        )
    }),
    ("chain of calls by pointers to private memory", |count| {
        let functions = each(count, |i| {
            format!("void f{}(int *x) {{ x[0] += x[1] ^ {i}; f{i}(x); }}\n", i + 1)
        });
        kernel(
            &format!("void f0(int *x) {{ }}\n{functions}"),
            &format!("int x[2] = {{n, n}}; f{count}(x); *p = x[0];"),
        )
    }),
    ("chain of two calls down the list", |count| {
        let functions = each(count, |i| {
            format!(
                "int f{}(int x) {{ return x > {i} ? f{}(x / 3) : f{i}(x + 1); }}\n",
                i + 2,
                i + 1
            )
        });
        kernel(
            &format!(
                "int f0(int x) {{ return x; }}\nint f1(int x) {{ return 2 * x; }}\n{functions}"
            ),
            &format!("*p = f{}(n);", count + 1),
        )
    }),
    ("functions called once", |count| {
        let functions = each(count, |i| format!("int f{i}(int x) {{ return x * {i} + 1; }}\n"));
        kernel(&functions, &each(count, |i| format!("p[{i}] = f{i}(n);\n")))
    }),
    ("functions called twice", |count| {
        let functions = each(count, |i| {
            format!(
                "void f{i}(global int *p, int n) {{ for (int i = 0; i < n; i++) p[i] += {i}; }}\n"
            )
        });
        kernel(&functions, &each(count, |i| format!("f{i}(p, n); f{i}(p + n, n);\n")))
    }),
    ("calls of one function", |count| {
        kernel(
            "int f(int x) { return x * x + 7; }\n",
            &each(count, |i| format!("p[{i}] = f(n + {i});\n")),
        )
    }),
    ("calls of one large function", |count| {
        let large = each(100, |i| format!("x = x * {i} ^ p[x & {i}];"));
        kernel(
            &format!("int f(global int *p, int x) {{ {large} return x; }}\n"),
            &each(count, |i| format!("p[{i}] = f(p, n + {i});\n")),
        )
    }),
    ("calls of one function with a branch", |count| {
        kernel(
            "int f(global int *p, int x) { if (x > 3) return p[x]; return x * x; }\n",
            &each(count, |i| format!("p[{i}] = f(p, n + {i});\n")),
        )
    }),
    ("calls within calls", |count| {
        let group = format!("*p += {}n{};\n", "f(".repeat(50), ", 1)".repeat(50));
        kernel("int f(int x, int y) { return x ^ y + 1; }\n", &group.repeat(count.div_ceil(50)))
    }),
    ("functions that nothing calls", |count| {
        let function = |i| format!("int f{i}(int x) {{ return x * {i} + 1; }}\n");
        kernel(&each(count, function), "*p = n;")
    }),
    ("prototypes", |count| {
        kernel(&each(count, |i| format!("int f{i}(int x, float y);\n")), "*p = n;")
    }),
    ("prototypes of one function", |count| {
        kernel(
            &format!("{}int f(int x) {{ return x; }}", lines(count, "int f(int x);")),
            "*p = f(n);",
        )
    }),
    ("overloads", |count| {
        let function = |i| {
            format!("struct s{i} {{ int x; }}; int __attribute__((overloadable)) f{}(struct s{i} x) {{ return x.x; }}\n", i / 50)
        };
        let call = |i| format!("{{ struct s{i} x = {{n}}; *p += f{}(x); }}\n", i / 50);
        kernel(&each(count, function), &each(count, call))
    }),
    ("parameters of a function", |count| {
        let parameters = each(count, |i| format!(", int a{i}"));
        let sum = each(count, |i| format!(" + a{i}"));
        kernel(
            &format!("int f(int x{parameters}) {{ return x{sum}; }}\n"),
            &format!("*p = f(n{}) + f(3{0});", each(count, |i| format!(", n * {i}"))),
        )
    }),
    ("arguments of a kernel", |count| {
        let parameters = each(count, |i| format!(", int a{i}"));
        let sum = each(count, |i| format!(" + a{i}"));
        Program::Text(format!("kernel void k(global int *p{parameters}) {{ *p = 0{sum}; }}\n"))
    }),
    ("pointer arguments of a kernel", |count| {
        let parameters = each(count, |i| format!(", global int *restrict a{i}"));
        let sum = each(count, |i| format!("a{i}[0] = a{i}[1] + 1;\n"));
        Program::Text(format!("kernel void k(global int *p{parameters}) {{ {sum} }}\n"))
    }),
    ("local arguments of a kernel", |count| {
        let parameters = each(count, |i| format!(", local int *a{i}"));
        let sum = each(count, |i| format!("a{i}[0] = a{i}[1] + 1;\n"));
        Program::Text(format!("kernel void k(global int *p{parameters}) {{ {sum} }}\n"))
    }),
    ("image arguments of a kernel", |count| {
        let parameters = each(count, |i| format!(", read_only image2d_t a{i}"));
        let sum = each(count, |i| format!("s += read_imagef(a{i}, (int2)(s.x, 1));\n"));
        Program::Text(format!(
            "kernel void k(global float4 *p{parameters}) {{ float4 s = *p; {sum} *p = s; }}\n"
        ))
    }),
    ("kernels", |count| {
        Program::Text(each(count, |i| {
            format!("kernel void k{i}(global int *p) {{ p[{i}] = {i}; }}\n")
        }))
    }),
    ("kernels that call one function", |count| {
        let large = each(100, |i| format!("x = x * {i} ^ p[x & {i}];"));
        let function = format!("int f(global int *p, int x) {{ {large} return x; }}\n");
        let kernels = each(count, |i| {
            format!("kernel void k{i}(global int *p) {{ p[{i}] = f(p, {i}) + f(p, p[1]); }}\n")
        });
        Program::Text(function + &kernels)
    }),
    ("kernels that share variables", |count| {
        let data =
            each(100, |i| format!("constant int c{i}[2] = {{{i}, 2}};\nglobal int g{i} = {i};\n"));
        let kernels = each(count, |i| {
            format!(
                "kernel void k{i}(global int *p) {{ p[{i}] = c{0}[p[1]] + g{0}++; }}\n",
                i % 100
            )
        });
        Program::Text(data + &kernels)
    }),
    ("kernels that call kernels", |count| {
        let kernels = each(count, |i| {
            format!("kernel void k{}(global int *p) {{ p[{i}] = 1; k{i}(p); }}\n", i + 1)
        });
        Program::Text(format!("kernel void k0(global int *p) {{ }}\n{kernels}"))
    }),
    ("blocks", |count| {
        body(&each(count, |i| {
            format!("int (^b{i})(int) = ^(int x) {{ return x + {i}; }};\np[{i}] = b{i}(n);\n")
        }))
    }),
];
