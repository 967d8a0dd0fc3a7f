//! Recursion whose depth constants bound (`conformance/6.11-restrictions.cl` has programs with their results): what code it
//! becomes, and that programs which ask for too much are refused in bounded time.

use hekla_compiler::{compile, Compiled, Options, Source, Target};
use rspirv::binary::parse_words;
use rspirv::dr::{Loader, Module};
use std::time::Instant;

fn compiled(text: &str) -> Compiled {
    let source = Source { name: "k.cl".into(), text: text.to_string(), headers: Vec::new() };
    compile(&source, &Options::default(), &Target::generic())
}

/// Returns the SPIR-V of the only kernel.
fn module(text: &str) -> Module {
    let compiled = compiled(text);
    let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
    let mut loader = Loader::new();
    parse_words(&program.kernels[0].spirv, &mut loader).expect("SPIR-V");
    loader.module()
}

#[test]
fn functions_that_are_not_inlined_stay_one_for_each_constant() {
    let module = module(
        "__attribute__((noinline)) uint f(global uint *p, uint x, int n) {
             if (n == 0 || p[x] > n) return x;
             return f(p, x + 1, n - 1) + f(p, x + 2, n - 1);
         }
         kernel void k(global uint *p) { p[0] = f(p, p[1], 20); }",
    );
    // The kernel's own function, and copies for 20 to 0, the last of which may be inlined.
    assert!((21..=23).contains(&module.functions.len()), "{}", module.functions.len());
}

#[test]
fn calls_grow_no_faster_than_constants() {
    let size = |depth: usize| {
        let module = module(&format!(
            "uint f(uint x, int n) {{ return n == 0 ? x * x : f(x ^ n, n - 1) * f(x + n, n - 1); }}
             kernel void k(global uint *p) {{ p[0] = f(p[1], {depth}); }}"
        ));
        let blocks = module.functions.iter().flat_map(|function| &function.blocks);
        blocks.map(|block| block.instructions.len()).sum::<usize>()
    };
    let sizes = [size(20), size(40)];
    assert!(sizes[1] < sizes[0] + 20_000 && sizes[1] < 50_000, "{sizes:?}");
}

#[test]
fn what_asks_for_much_is_refused_soon() {
    for (what, functions, call) in [
        ("for ever", "uint f(uint x, uint n) { return x ? f(x / 2, n + 1) : n; }", "f(p[1], 0)"),
        (
            "in two directions",
            "uint g(uint x, uint n, uint m);
             uint f(uint x, uint n, uint m) { return x ? g(x, n + 1, m) + g(x, n, m + 1) + f(x, n + 2, m * 3) : n; }
             uint g(uint x, uint n, uint m) { return x ? f(x, n * 5, m) + f(x, n, m * 7) + g(x, n + 3, m) : m; }",
            "f(p[1], 1, 1)",
        ),
        (
            "in objects",
            "struct s { uint x, n; };
             uint f(struct s a) {
                 struct s b = {a.x, a.n + 1}, c = {a.x + 1, a.n + 2};
                 return a.x ? f(b) + f(c) + f(b) * f(c) : a.n;
             }
             uint g(uint x) { struct s a = {x, 0}; return f(a); }",
            "g(p[1])",
        ),
        (
            "in loops",
            "uint f(uint x, uint n) { for (int i = 0; i < 64; i++) x += x ? f(x, n * 64 + i) : 0; return x; }",
            "f(p[1], 1)",
        ),
        (
            "very deep",
            "uint f(uint x, uint n) { return n ? f(x * x, n - 1) : x; }",
            "f(p[1], 1000000000)",
        ),
    ] {
        let start = Instant::now();
        let compiled = compiled(&format!("{functions}\nkernel void k(global uint *p) {{ p[0] = {call}; }}"));
        assert!(compiled.program.is_none(), "{what}");
        assert!(compiled.log.contains("error: recursive call to "), "{what}: {}", compiled.log);
        // Without a bound, copying would never end; a slow machine takes a few seconds.
        assert!(start.elapsed().as_secs() < 60, "{what}: {:?}", start.elapsed());
        println!("{what}: {:?}", start.elapsed());
    }
}

#[test]
fn only_what_does_not_end_is_reported() {
    let compiled = compiled(
        "uint good(uint x, int n) { return n ? good(x + n, n - 1) : x; }
         uint bad(uint x) { return x ? bad(good(x, 3)) : 0; }
         kernel void k(global uint *p) { p[0] = good(p[0], 5) + bad(p[1]); }",
    );
    assert!(compiled.log.contains("k.cl:2:40: error: recursive call to 'bad'"), "{}", compiled.log);
    assert!(!compiled.log.contains("'good'"), "{}", compiled.log);
}
