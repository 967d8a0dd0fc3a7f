//! Random programs with one right result (`hekla_random_programs::exact`), on devices of several kinds: each gives the same
//! results as the same program compiled by the C compiler.
//!
//! `HEKLA_SEEDS=FIRST..END` tries other programs than those of every run (`cargo xtask reference`).

mod support;

use hekla_compiler::target::CallSharing;
use hekla_random_programs::exact::reference::{self, Results, GROUP, ITEMS};
use hekla_random_programs::exact::{numbered, Language};
use hekla_spirv_interp::{Argument, Bytes, Launch, Memory};
use std::ops::Range;
use std::path::Path;
use support::Device;

/// The programs that every run tries.
const FEW: Range<u64> = 0..60;

#[test]
fn programs_give_what_c_gives() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut devices = vec![support::capable(), support::middling(), support::weak()];
    devices.push(support::weakest());
    devices.extend(support::mixed());
    devices.extend(support::with_soft_doubles());
    let seeds = seeds();
    let mut failures = Vec::new();
    for seed in seeds.clone() {
        let (text, expected) = match program(seed, folder) {
            Ok(program) => program,
            Err(error) => {
                failures.push(error);
                continue;
            }
        };
        // Each program runs on some of the devices, and each device runs many programs.
        let chosen =
            devices.iter().enumerate().filter(|(i, _)| !(*i as u64 + seed).is_multiple_of(3));
        for (i, device) in chosen {
            let options = if (i as u64 + seed).is_multiple_of(2) { "" } else { "-cl-opt-disable" };
            failures.extend(failure(&text, options, device, seed, &expected));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(!seeds.is_empty());
}

/// Forbids inlining of helper functions, so that their calls can share call sites.
fn without_inlining(text: &str) -> String {
    let line = |line: &str| match line.contains(" helper") && line.ends_with(") {") {
        true => format!("__attribute__((noinline)) {line}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn calls_that_share_call_sites_give_what_c_gives() {
    // The other test compiles its programs at the same time, under the same names, so this test has its own folder.
    let folder = &Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-calls");
    std::fs::create_dir_all(folder).expect("a folder");
    let mut device = support::capable();
    device.target.call_sharing = Some(CallSharing::ALL);
    let mut failures = Vec::new();
    for seed in seeds() {
        let (text, expected) = match program(seed, folder) {
            Ok(program) => program,
            Err(error) => {
                failures.push(error);
                continue;
            }
        };
        failures.extend(failure(&without_inlining(&text), "", &device, seed, &expected));
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Returns a program, and the results of the same program in C, which is compiled in a folder.
fn program(seed: u64, folder: &Path) -> Result<(String, Results), String> {
    let expected = reference::results(seed, true, folder);
    let expected = expected.map_err(|error| format!("{seed} in C: {error}"))?;
    Ok((numbered(seed, true, Language::OpenCl).expect("a program"), expected))
}

/// Runs a program on a device. Returns a description of the error, if there is one.
fn failure(
    text: &str,
    options: &str,
    device: &Device,
    seed: u64,
    expected: &Results,
) -> Option<String> {
    let wrong = match run(text, options, device, seed) {
        Ok(results) if results == *expected => return None,
        Ok(results) => {
            let [place, got, right] = first_difference(&results, expected);
            format!("{place} is {got}, not {right}")
        }
        Err(error) => error,
    };
    Some(format!("{seed} {} {options}: {wrong}", device.name))
}

/// Returns the numbers of the programs to try.
fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("HEKLA_SEEDS") else { return FEW };
    let range =
        text.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    range.unwrap_or_else(|| panic!("HEKLA_SEEDS is no FIRST..END"))
}

/// Runs a program on a device. A program with doubles is refused where the device has none.
fn run(text: &str, options: &str, device: &Device, seed: u64) -> Result<Results, String> {
    let mut target = device.target.clone();
    target.float64 |= text.contains("double");
    let program = support::build(text, &format!("-cl-std=CL1.2 {options}"), &target)?;
    let kernel = support::kernel(&program, "k")?;
    let mut memory = Memory::new();
    let arguments = reference::arguments();
    let input: Vec<u8> = arguments.input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let words: Vec<u8> = arguments.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (input, at) = (memory.allocate_bytes(&input), memory.allocate_bytes(&words));
    let out = memory.allocate(Bytes::undefined(4 * ITEMS), 256);
    let go = |memory: &mut Memory| {
        let launch = Launch {
            args: vec![
                Argument::Address(input),
                Argument::Address(at),
                Argument::Local(4 * 4 * GROUP as u64),
                Argument::Address(out),
            ],
            global: [ITEMS as u64, 1, 1],
            local: [GROUP as u32, 1, 1],
            data: Launch::place_data(&program.data, memory)?,
            floats: device.floats,
            seed,
            ..Launch::default()
        };
        launch.run(kernel, memory)?;
        Ok((memory.bytes(at, words.len())?, memory.bytes(out, 4 * ITEMS)?))
    };
    let (words, out) =
        go(&mut memory).map_err(|error: hekla_spirv_interp::Error| error.to_string())?;
    let halves = support::words_of(&words);
    let words = halves.chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
    Ok(Results { words, out: support::words_of(&out) })
}

/// Returns the first place where results differ, and both values.
fn first_difference(got: &Results, right: &Results) -> [String; 3] {
    let mut pairs = got.out.iter().zip(&right.out).enumerate();
    if let Some((i, (got, right))) = pairs.find(|(_, (a, b))| a != b) {
        return [format!("out[{i}]"), format!("{got:#x}"), format!("{right:#x}")];
    }
    let mut pairs = got.words.iter().zip(&right.words).enumerate();
    match pairs.find(|(_, (a, b))| a != b) {
        Some((i, (a, b))) => [format!("words[{i}]"), format!("{a:#x}"), format!("{b:#x}")],
        None => ["nothing", "", ""].map(String::from),
    }
}
