//! The passes keep what programs mean: random programs give the same memory before and after.

mod interpreter;
mod random;

use hekla_compiler::ir::{parse, verify, Module};
use hekla_compiler::{passes, Target};
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
fn check(seed: u64, names: &[&str], target: &Target) {
    check_of(60, seed, names, target);
}

/// As [`check`], on programs of so many statements.
fn check_of(statements: usize, seed: u64, names: &[&str], target: &Target) {
    let mut module = random::module(&mut Random::new(seed), statements);
    verify::verify_module(&module).expect("a valid program");
    let Ok(expected) = execute(&module, seed) else { return };
    for (i, name) in names.iter().enumerate() {
        let before = module.to_string();
        let result = passes::run_named(&mut module, name, target).expect("a pass");
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
    (0..seeds()).for_each(|seed| check(seed, &["optimize", "structurize"], &Target::generic()));
}

#[test]
fn large_programs() {
    let names = ["optimize", "legalize", "simplify", "structurize"];
    (0..seeds() / 20).for_each(|seed| check_of(1500, seed, &names, &Target::minimal()));
}

#[test]
fn legalized_code_keeps_meaning() {
    let names = ["optimize", "small_int", "int64", "simplify", "cse", "dce", "structurize"];
    (0..seeds()).for_each(|seed| check(seed, &names, &Target::minimal()));
}

#[test]
fn partly_capable_devices() {
    let mut target = Target::minimal();
    for bits in 0..16u64 {
        target.int8 = bits & 1 != 0;
        target.int16 = bits & 2 != 0;
        target.storage8 = bits & 4 != 0;
        target.storage16 = bits & 8 != 0;
        let names = ["optimize", "small_int", "simplify", "dce"];
        (0..seeds() / 10).for_each(|seed| check(seed + bits * 1000, &names, &target));
    }
}

#[test]
fn passes_in_any_order() {
    let all =
        ["unreachable", "mem2reg", "sroa", "simplify", "cse", "dce", "scalarize", "licm", "unroll"];
    for seed in 0..seeds() {
        let mut random = Random::new(seed ^ 0x77);
        let mut names: Vec<&str> = (0..8).map(|_| random.pick(&all)).collect();
        names.insert(random.below(8), "inline");
        check(seed + 5000, &names, &Target::generic());
    }
}

/// What a function `f` of 64-bit values gives, before and after 64-bit integers are legalized. (A
/// pair that comes or goes counts as one value.)
fn before_and_after(text: &str, args: &[u64], split: bool) -> (u64, u64) {
    let mut module = parse::parse_module(text).expect("IR");
    verify::verify_module(&module).expect("valid");
    let run = |module: &Module, args: Vec<Vec<u64>>| {
        let func = module.functions.keys().next().expect("one function");
        let result = Machine::new(Vec::new(), Vec::new()).call(module, func, &args);
        let lanes = result.expect("runs").expect("a result");
        lanes.iter().rev().fold(0, |all, &lane| all << 32 | lane)
    };
    let before = run(&module, args.iter().map(|&bits| vec![bits]).collect());
    let _ = passes::run_named(&mut module, "int64", &Target::minimal());
    verify::verify_module(&module).expect("valid");
    let words = |&bits: &u64| match split {
        true => vec![vec![bits & 0xffff_ffff], vec![bits >> 32]],
        false => vec![vec![bits]],
    };
    (before, run(&module, args.iter().flat_map(words).collect()))
}

#[test]
fn pairs_compute_like_integers() {
    let mut random = Random::new(5);
    let mut numbers = vec![0, 1, 2, 3, 31, 32, 33, 63, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    numbers.extend([0x1_0000_0000, 0xffff_ffff_0000_0000, i64::MAX as u64, 1 << 63]);
    numbers.extend([u64::MAX, u64::MAX - 1, (1 << 63) + 1, 0xaaaa_5555_0f0f_1234]);
    numbers.extend((0..6).map(|_| random.next()));
    let ops = "iadd isub imul and or xor shl lshr ashr smin smax umin umax umulhi smulhi \
               sdiv udiv srem urem";
    for op in ops.split_whitespace() {
        let text = format!(
            "fn @f(v0:i64, v1:i64) -> i64 {{\nblock0:\n v2:i64 = {op} v0, v1\n return v2\n}}\n"
        );
        for &a in &numbers {
            for &b in &numbers {
                let b = if op.starts_with("sh") || op.contains("shr") { b & 63 } else { b };
                if b == 0 && (op.contains("div") || op.contains("rem")) {
                    continue;
                }
                let (before, after) = before_and_after(&text, &[a, b], true);
                assert_eq!(before, after, "{op} {a:#x}, {b:#x}");
            }
        }
    }
}

#[test]
fn conversions_of_pairs_round_once() {
    let convert = |from: &str, op: &str, to: &str, bits: u64| {
        let text =
            format!("fn @f(v0:{from}) -> {to} {{\nblock0:\n v1:{to} = {op} v0\n return v1\n}}\n");
        before_and_after(&text, &[bits], from == "i64")
    };
    let mut random = Random::new(9);
    let mut numbers: Vec<u64> = (0..2000).map(|_| random.next() >> random.below(64)).collect();
    for exponent in 0..64 {
        // Halfway cases of 24 and 53 bits, and their neighbours.
        let bit = 1u64 << exponent;
        for low in [bit >> 24, bit >> 25, bit >> 53, 1] {
            numbers.extend([bit, bit - 1, bit | low, (bit | low) + 1, (bit | low) - 1]);
        }
    }
    numbers.extend([0, u64::MAX, 1 << 63, i64::MAX as u64]);
    for &number in &numbers {
        for (op, to) in [("stof", "f32"), ("utof", "f32"), ("stof", "f64"), ("utof", "f64")] {
            let (before, after) = convert("i64", op, to, number);
            assert_eq!(before, after, "{op} {number:#x} to {to}");
        }
        let signed = number as i64;
        let floats = [
            ("f32", "ftos", u64::from((signed as f32).to_bits()), signed as f32 as f64),
            ("f32", "ftou", u64::from((number as f32).to_bits()), number as f32 as f64),
            ("f64", "ftos", (signed as f64 / 3.0).to_bits(), signed as f64 / 3.0),
            ("f64", "ftou", (number as f64 / 3.0).to_bits(), number as f64 / 3.0),
        ];
        for (from, op, bits, value) in floats {
            if value >= if op == "ftos" { 9.2e18 } else { 1.84e19 } {
                continue;
            }
            let (before, after) = convert(from, op, "i64", bits);
            assert_eq!(before, after, "{op} {value} from {from}");
        }
    }
}
