//! The passes keep the meaning of programs: random programs leave the same memory before and after each pass.

#[path = "../interpreter/mod.rs"]
mod interpreter;
mod random;

use hekla_compiler::ir::{verify, Module, WorkItemQuery};
use hekla_compiler::passes;
use interpreter::Machine;
use random::{Random, BUFFER};
use std::ops::Range;

/// Returns the contents of the buffer after kernel 0 ran.
fn execute(module: &Module, seed: u64) -> Result<Vec<u8>, String> {
    let mut random = Random::new(seed ^ 0xabcd);
    let buffer = (0..BUFFER).map(|_| random.next() as u8).collect();
    let values = (0..32).map(|_| random.next() as u8).collect();
    let mut machine = Machine::new(module);
    let buffer = machine.allocate(buffer);
    machine.args = vec![buffer.to_le_bytes().to_vec(), values];
    // Passes turn memory that was never written into undefined values, so both are zero here.
    machine.unwritten = 0;
    machine.work_item = wide_number;
    machine.steps = 2_000_000;
    machine.call(module.kernels[0].func, Vec::new())?;
    Ok(machine.global_bytes(buffer, BUFFER))
}

/// Returns a number of more than 32 bits for each query.
fn wide_number(query: WorkItemQuery, dim: u8) -> u64 {
    0x1_0000_0005 * (query as u64 + 1) + u64::from(dim)
}

/// Runs passes on a program one after the other and compares the program's results after each. Returns false if the program
/// does not reach its end, so that there is nothing to compare.
fn check(seed: u64, names: &[&str]) -> bool {
    check_of(60, seed, names)
}

/// Like [`check`], for programs with this number of statements.
fn check_of(statements: usize, seed: u64, names: &[&str]) -> bool {
    let mut module = random::module(&mut Random::new(seed), statements);
    verify::verify_module(&module).expect("a valid program");
    let Ok(expected) = execute(&module, seed) else { return false };
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
    true
}

/// Checks the programs of consecutive seeds; nearly all of them must reach their end.
fn check_all(seeds: Range<u64>, mut check: impl FnMut(u64) -> bool) {
    let count = seeds.end - seeds.start;
    let ended = seeds.filter(|&seed| check(seed)).count() as u64;
    assert!(ended * 10 >= count * 9, "only {ended} of {count} programs come to their end");
}

/// Returns how many programs each test tries: 200, or the number in `HEKLA_SEEDS`.
fn seeds() -> u64 {
    std::env::var("HEKLA_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

#[test]
fn the_pipeline_keeps_meaning() {
    check_all(0..seeds(), |seed| check(seed, &["optimize", "structurize"]));
}

#[test]
fn functions_that_stay_keep_meaning() {
    check_all(0..seeds() * 3, |seed| check(seed + 9000, &["optimize_calls", "structurize"]));
}

#[test]
fn calls_that_share_call_sites_keep_meaning() {
    let names = ["optimize_calls", "shared_calls", "structurize"];
    check_all(0..seeds() * 3, |seed| check(seed + 19000, &names));
}

#[test]
fn large_programs() {
    let names = ["optimize", "structurize"];
    check_all(0..seeds() / 20, |seed| check_of(1500, seed, &names));
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
        "loop_promotion",
        "unroll",
        "if_conversion",
        "bytes",
        "dot_products",
    ];
    check_all(0..seeds(), |seed| {
        let mut random = Random::new(seed ^ 0x77);
        let mut names: Vec<&str> = (0..8).map(|_| random.pick(&all)).collect();
        names.insert(random.below(8), "inline");
        check(seed + 5000, &names)
    });
}
