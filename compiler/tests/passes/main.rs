//! The passes keep what programs mean: random programs give the same memory before and after.

mod interpreter;
mod random;

use hekla_compiler::ir::{verify, Module};
use hekla_compiler::passes;
use interpreter::{Machine, GLOBAL_BASE};
use random::{Random, BUFFER};

/// Contents of the buffer after kernel 0 ran.
fn execute(module: &Module, seed: u64) -> Result<Vec<u8>, String> {
    let mut random = Random::new(seed ^ 0xabcd);
    let buffer = (0..BUFFER).map(|_| random.next() as u8).collect();
    let values = (0..32).map(|_| random.next() as u8).collect();
    let mut machine = Machine::new(buffer, vec![GLOBAL_BASE.to_le_bytes().to_vec(), values]);
    machine.call(module, module.kernels[0].func, &[])?;
    Ok(machine.global)
}

/// Runs passes one after the other and compares after each.
fn check(seed: u64, names: &[&str]) {
    check_of(60, seed, names);
}

/// As [`check`], on programs of so many statements.
fn check_of(statements: usize, seed: u64, names: &[&str]) {
    let mut module = random::module(&mut Random::new(seed), statements);
    verify::verify_module(&module).expect("a valid program");
    let Ok(expected) = execute(&module, seed) else { return };
    for (i, name) in names.iter().enumerate() {
        let before = module.to_string();
        let result = passes::run_named(&mut module, name).expect("a pass");
        result.expect("success");
        let context = || format!("seed {seed}, {:?}\n{before}\n==== after\n{module}", &names[..=i]);
        if let Err(error) = verify::verify_module(&module) {
            panic!("{error}\n{}", context());
        }
        match execute(&module, seed) {
            Err(error) => panic!("{error}\n{}", context()),
            Ok(memory) => {
                let at = (0..BUFFER).find(|&i| memory[i] != expected[i]);
                assert!(at.is_none(), "byte {at:?} differs\n{}", context());
            }
        }
    }
}

/// How many programs each test tries; `HEKLA_SEEDS` for more.
fn seeds() -> u64 {
    std::env::var("HEKLA_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

#[test]
fn the_pipeline_keeps_meaning() {
    (0..seeds()).for_each(|seed| check(seed, &["optimize", "structurize"]));
}

#[test]
fn functions_that_stay_keep_meaning() {
    for seed in 0..seeds() * 3 {
        check(seed + 9000, &["optimize_calls", "structurize"]);
    }
}

#[test]
fn large_programs() {
    let names = ["optimize", "structurize"];
    (0..seeds() / 20).for_each(|seed| check_of(1500, seed, &names));
}

#[test]
fn passes_in_any_order() {
    let all = [
        "unreachable",
        "mem2reg",
        "sroa",
        "simplify",
        "cse",
        "dce",
        "scalarize",
        "licm",
        "unroll",
        "flatten",
    ];
    for seed in 0..seeds() {
        let mut random = Random::new(seed ^ 0x77);
        let mut names: Vec<&str> = (0..8).map(|_| random.pick(&all)).collect();
        names.insert(random.below(8), "inline");
        check(seed + 5000, &names);
    }
}
