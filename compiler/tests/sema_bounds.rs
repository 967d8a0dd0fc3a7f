//! The semantic analysis ends without a panic, and in a time that is proportional to the text, whatever the text is.

use hekla_compiler::preprocess::{preprocess, Interner};
use hekla_compiler::sema::{analyze, Origin};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::syntax::parse;
use hekla_compiler::{Options, Source, Target};

/// Returns the first error, if there is one.
fn first_error(text: &str, target: &Target) -> Option<String> {
    let options = Options::default();
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let mut diags = Diagnostics::new(&options);
    let tokens = preprocess(&source, &options, &[], &mut sources, &mut interner, &mut diags);
    let unit = parse(&tokens, &mut interner, &mut diags, &options);
    analyze(&unit, &interner, &options, target, &mut diags, Origin::Program);
    diags.has_errors().then(|| diags.list()[0].message.clone())
}

/// Runs a function on a stack as large as the compiler's.
fn on_large_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread.spawn(work).unwrap().join().unwrap();
}

/// Returns a kernel with some statements behind declarations of a few variables.
fn body(statements: &str) -> String {
    format!(
        "struct s {{ struct s *n; int v; }}; int g(int x) {{ return x; }}\n\
         kernel void k(global int *p, global float4 *v) {{\n\
         int x = 1; float f = 1; struct s t; struct s *q = &t;\n{statements}\n}}\n"
    )
}

#[test]
fn tall_trees() {
    on_large_stack(|| {
        let n = 1400;
        for statements in [
            format!("x = {}x;", "x + ".repeat(n)),
            format!("f = {}f;", "f * 2.0 - ".repeat(n / 2)),
            format!("x = {}x;", "x && ".repeat(n)),
            format!("x = ({}x);", "x, ".repeat(n)),
            format!("{}x;", "x = ".repeat(n)),
            format!("x = {}2;", "x ? 1 : ".repeat(n)),
            format!("x = q{}->v;", "->n".repeat(n)),
            format!("x = {}2;", "x ?: ".repeat(n)),
            format!("x = {}x{};", "(".repeat(200), " ?: 1)".repeat(200)),
            format!("x = {}x;", "- ".repeat(n)),
            format!("x = {}x;", "!".repeat(n)),
            format!("x = {}x{};", "g(".repeat(200), ")".repeat(200)),
            format!("x = {}x{};", "p[".repeat(200), "]".repeat(200)),
            format!("x = {}x;", "(int)(float)".repeat(n / 2)),
            format!("x = {}x;", "*&".repeat(n / 2)),
            format!("if (x) x++; {}", "else if (x) x++; ".repeat(n / 2)),
            format!("{}x++;{}", "for (;;) {".repeat(200), "}".repeat(200)),
            format!("{}x++;{}", "switch (x) { case 1: ".repeat(100), "}".repeat(100)),
        ] {
            let text = body(&statements);
            assert_eq!(first_error(&text, &Target::generic()), None, "{}", &text[..300]);
        }
    });
}

#[test]
fn long_lists() {
    on_large_stack(|| {
        let cases: String = (0..50_000).map(|i| format!("case {i}: x++; break;\n")).collect();
        let variables: String = (0..20_000).map(|i| format!("int v{i} = x + {i};\n")).collect();
        let members: String = (0..20_000).map(|i| format!("int m{i};\n")).collect();
        let uses: String = (0..20_000).map(|i| format!("x += big.m{i};\n")).collect();
        for statements in [
            format!("switch (x) {{ {cases} }}"),
            variables,
            format!("struct {{ {members} }} big; {uses}"),
            format!("int a[1000000] = {{ {} }};", "1, ".repeat(100_000)),
        ] {
            assert_eq!(first_error(&body(&statements), &Target::generic()), None);
        }
        let ranges = "[0 ... 67000000] = 1, ".repeat(1000);
        let error =
            first_error(&format!("constant char t[] = {{ {ranges} }};"), &Target::generic());
        assert_eq!(
            error.as_deref(),
            Some("size of array is too large: program-scope data exceeds 64 MiB")
        );
        let empty = "struct e {}; constant struct e t[] = {[0 ... 0x7fffffffffffff] = {}};";
        first_error(empty, &Target::generic());
        let overloads: String = (0..2000)
            .map(|i| format!("void __attribute__((overloadable)) f(int (*x)[{}]);\n", i + 1))
            .collect();
        let error = first_error(&overloads, &Target::generic());
        assert_eq!(error.as_deref(), Some("too many overloads of 'f'"));
    });
}

#[test]
fn mutated_texts() {
    let texts = [
        body("float4 a = v[0]; a.xy = a.zw * 2; v[x] = clamp(a, 0.0f, 1.0f); p[0] += (int)a.x;"),
        body("struct s w[2] = {{&t, 1}, {.v = 3}}; for (int i = 0; i < 2; i++) x += w[i].v;"),
        body("switch (x) { case 1 ... 3: x = max(x, 2); break; default: f = sin(f) + (float)x; }"),
        body(
            "local int m[4]; m[x & 3] = atomic_add(p, 1); barrier(CLK_LOCAL_MEM_FENCE); x = m[0];",
        ),
        "constant struct { char c; float2 v; int a[3]; } T[] = {{1, {2, 3}, {4}}, {.a[1] = 5}};\n\
         enum e { A, B = sizeof(T) }; typedef union { float f; uint u; } bits;\n\
         uint h(bits b) { b.f *= A + B; return b.u ^ as_uint(T[1].v.x); }\n\
         constant char *constant names[2] = {\"a\", \"b\"};"
            .to_string(),
    ];
    on_large_stack(move || {
        let mut seed = 0x9e37_79b9u64;
        let mut random = |bound: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % bound as u64) as usize
        };
        let words: Vec<Vec<&str>> = texts.iter().map(|text| split(text)).collect();
        for round in 0..6000 {
            let mut text = words[random(words.len())].clone();
            for _ in 0..1 + random(4) {
                let other = &words[random(words.len())];
                let (at, from) = (random(text.len()), random(other.len()));
                match random(4) {
                    0 => drop(text.remove(at)),
                    1 => text[at] = other[from],
                    2 => text.insert(at, other[from]),
                    _ => {
                        let to = random(text.len());
                        text.swap(at, to);
                    }
                }
            }
            let target = if round % 3 == 0 { Target::minimal() } else { Target::generic() };
            first_error(&text.concat(), &target);
        }
    });
}

/// Words of which texts are made, and characters between them.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = match word(first) {
            true => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (part, tail) = rest.split_at(end);
        parts.push(part);
        rest = tail;
    }
    parts
}
