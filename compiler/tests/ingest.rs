//! Modules of SPIR-V that are broken in all kinds of ways: each is refused with a message or becomes valid SPIR-V.
//!
//! `HEKLA_MUTATIONS=100000` makes that many mutations of each module, in place of a few; `HEKLA_MODULES=DIR` mutates the
//! modules in a folder as well, and `HEKLA_SEED=N` makes other mutations. (`-- --nocapture` shows the slowest module.)

mod ingest_support;

use hekla_compiler::Quirks;
use hekla_compiler::{compile_il, compile_il_object, Il, Options, SpecConstant, Target};
use ingest_support::{assemble, read_folder};
use rspirv::spirv::Op;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Mutations that are made of each module by default.
const MUTATIONS: u64 = 40;
/// spirv-val validates one in `VALIDATED` of the modules that are accepted.
const VALIDATED: usize = 40;

/// Returns the number in an environment variable.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A generator of pseudo-random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Changes a module in one or two places.
fn mutate(words: &mut Vec<u32>, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let at = 5 + random.below(words.len().saturating_sub(5));
        let other = random.below(words.len());
        match random.below(13) {
            0 => words[at] ^= 1 << random.below(32),
            1 | 8..=10 => words[at] = words[other],
            2 => {
                let bits = random.below(17);
                words[at] = random.below(1 << bits) as u32;
            }
            3 => words[at] = words[at].wrapping_add(1),
            4 => words.truncate(at),
            5 => {
                words.remove(at);
            }
            6 => words.insert(at, words[other]),
            7 => change_type(words, random),
            _ => {
                let (from, to) = instruction(words, at);
                let copy = words[from..to].to_vec();
                let other = 5 + random.below(words.len() - 5);
                let (place, end) = instruction(words, other);
                match random.below(3) {
                    0 => drop(words.splice(place..end, copy)),
                    1 => drop(words.splice(place..place, copy)),
                    _ => drop(words.drain(from..to)),
                }
            }
        }
        if words.len() < 6 {
            return;
        }
    }
}

/// Turns a type into another one: an integer of another width, more lanes, a pointer into another storage class.
fn change_type(words: &mut [u32], random: &mut Random) {
    let is_type = |&at: &usize| choices(words[at]).is_some();
    let types: Vec<usize> = instructions(words).filter(is_type).collect();
    let Some(&at) = types.get(random.below(types.len())) else { return };
    if let Some((operand, choices)) = choices(words[at]) {
        words[at + operand] = choices[random.below(choices.len())];
    }
}

/// Returns the index of a type's parameter, and the values that it can have, by the first word of the type's instruction.
fn choices(first: u32) -> Option<(usize, &'static [u32])> {
    const INT: u32 = 4 << 16 | Op::TypeInt as u32;
    const FLOAT: u32 = 3 << 16 | Op::TypeFloat as u32;
    const VECTOR: u32 = 4 << 16 | Op::TypeVector as u32;
    const POINTER: u32 = 4 << 16 | Op::TypePointer as u32;
    Some(match first {
        INT => (2, &[8, 16, 32, 64]),
        FLOAT => (2, &[16, 32, 64]),
        VECTOR => (3, &[2, 3, 4, 8, 16]),
        // UniformConstant, Workgroup, CrossWorkgroup, Function, Generic.
        POINTER => (2, &[0, 4, 5, 7, 8]),
        _ => return None,
    })
}

/// Returns where the instructions of a module begin, without one whose words are incomplete.
fn instructions(words: &[u32]) -> impl Iterator<Item = usize> + '_ {
    let end = |at: usize| at + (words[at] >> 16).max(1) as usize;
    let begins =
        std::iter::successors(Some(5), move |&at| Some(end(at)).filter(|&at| at < words.len()));
    begins.take_while(move |&at| at < words.len() && end(at) <= words.len())
}

/// Returns where the instruction that contains a word begins and ends.
fn instruction(words: &[u32], at: usize) -> (usize, usize) {
    let mut start = 5;
    loop {
        let length = (words[start] >> 16) as usize;
        let end = (start + length.max(1)).min(words.len());
        if at < end || end == words.len() {
            return (start, end);
        }
        start = end;
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn modules() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ingest");
    let modules = read_folder(&folder).into_iter();
    let modules = modules.filter(|module| module.accept);
    let ours = modules.map(|module| {
        let assembled = assemble(&module.text);
        (module.place, assembled.unwrap_or_else(|error| panic!("{error}")))
    });
    ours.chain(others()).collect()
}

/// Returns the modules (`.spv`) in the folder HEKLA_MODULES, if it is given.
fn others() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = std::env::var_os("HEKLA_MODULES") else { return Vec::new() };
    let files = std::fs::read_dir(folder).expect("the folder HEKLA_MODULES").flatten();
    let mut paths: Vec<_> = files.map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "spv"));
    paths.sort();
    paths.iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn broken_modules_are_refused_in_words() {
    let count = number("HEKLA_MUTATIONS").unwrap_or(MUTATIONS);
    let capable = Target { float16: true, ..Target::generic() };
    let targets = [
        Target { int8: false, storage8: false, int64: false, ..capable.clone() },
        Target {
            int64: false,
            scalar_block_layout: false,
            quirks: Quirks::BOUNDED_NESTING,
            ..Target::generic()
        },
        capable,
        Target::minimal(),
    ];
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ number("HEKLA_SEED").unwrap_or(0));
    let mut slowest = (Duration::ZERO, String::new());
    let (mut accepted, mut refused) = (0, 0);
    // The first failure of each kind: what is wrong, where, and the module.
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (place, module) in modules() {
        for i in 0..count {
            let mut mutated = words(&module);
            mutate(&mut mutated, &mut random);
            let il = match Il::read(&bytes(&mutated)) {
                Ok(il) => il,
                Err(message) => {
                    assert!(!message.is_empty());
                    refused += 1;
                    continue;
                }
            };
            let start = Instant::now();
            let compiled =
                compile_il(&il, &[], &Options::default(), &targets[i as usize % targets.len()]);
            slowest = slowest.max((start.elapsed(), format!("{place}, number {i}")));
            let wrong = match compiled.program {
                None => {
                    refused += 1;
                    is_wrong(&compiled.log).then_some(compiled.log)
                }
                Some(program) => {
                    accepted += 1;
                    let validated = accepted % VALIDATED == 0;
                    let kernels = program.kernels.iter().filter(|_| validated);
                    kernels.filter_map(|kernel| validate(&kernel.spirv).err()).next()
                }
            };
            if let Some(wrong) = wrong {
                let what = wrong.rsplit("error: ").next().unwrap_or_default().trim().to_string();
                found.entry(what).or_insert(format!("{place}, number {i}: {wrong}\n{mutated:x?}"));
            }
        }
    }
    println!("{accepted} accepted, {refused} refused; slowest: {slowest:?}");
    assert!(found.is_empty(), "{}", found.into_values().collect::<Vec<_>>().join("\n\n"));
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}

/// Returns true if the message for a refused module does not say what is wrong with the module.
fn is_wrong(log: &str) -> bool {
    !log.starts_with("error: ")
        || log.contains("internal error")
        || log.contains("the module is not valid") && !log.contains("dominate")
}

fn validate(spirv: &[u32]) -> Result<(), String> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.2", "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("spirv-val (package spirv-tools): {error}"))?;
    let mut stdin = child.stdin.take().expect("it is piped");
    let text = bytes(spirv);
    let writer = std::thread::spawn(move || stdin.write_all(&text));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let _ = writer.join();
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn first_module() -> Vec<u8> {
    let modules = modules();
    let (_, module) = modules.first().expect("some module");
    module.clone()
}

#[test]
fn words_come_in_either_order_of_bytes() {
    let module = first_module();
    let swapped: Vec<u8> = module.chunks_exact(4).flat_map(|b| [b[3], b[2], b[1], b[0]]).collect();
    let (little, big) = (Il::read(&module).unwrap(), Il::read(&swapped).unwrap());
    assert_eq!(little.words(), big.words());
}

#[test]
fn what_is_no_module_is_refused() {
    let module = first_module();
    let refused = |change: &dyn Fn(&mut Vec<u32>), message: &str| {
        let mut changed = words(&module);
        change(&mut changed);
        let error = Il::read(&bytes(&changed)).err().unwrap_or_default();
        assert!(error.contains(message), "{error}");
    };
    refused(&|words| words.clear(), "size");
    refused(&|words| words[0] = 1, "magic number");
    refused(&|words| words[1] = 0x0002_0000, "version 2.0");
    refused(&|words| words[1] = 0x0001_0700, "version 1.7");
    refused(&|words| words[3] = 0, "bound");
    refused(&|words| words[3] = 2, "instruction ");
    refused(&|words| words[3] = u32::MAX, "bound");
    refused(&|words| words[4] = 1, "schema 1");
    refused(&|words| words[5] = 0, "length");
    refused(&|words| words[5] |= 0xFFFF_0000, "length");
    refused(&|words| words[5] = 2 << 16 | 0xFFFF, "unknown opcode 65535");
    assert!(Il::read(&module[..module.len() - 1]).is_err());
}

#[test]
fn specialization_constants_are_listed_with_their_defaults() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ingest");
    let modules = read_folder(&folder);
    let module = modules.iter().find(|module| module.place == "constants.spvasm:1").unwrap();
    let il = Il::read(&assemble(&module.text).unwrap()).unwrap();
    let expected = [(3, 4, 7), (4, 1, 1), (5, 4, 3)];
    let expected = expected.map(|(id, size, default)| SpecConstant { id, size, default });
    assert_eq!(il.spec_constants(), expected);
}

#[test]
fn work_groups_are_uniform_where_an_option_says_so() {
    let il = Il::read(&first_module()).unwrap();
    for (options, uniform) in [("", false), ("-cl-uniform-work-group-size", true)] {
        let options = Options::parse(options).unwrap();
        let program = compile_il(&il, &[], &options, &Target::generic()).program.unwrap();
        assert_eq!(program.uniform_groups, uniform);
        let object = compile_il_object(&il, &[], &options, &Target::generic()).object.unwrap();
        assert_eq!(object.flags.uniform_groups, uniform);
    }
}

#[test]
fn objects_keep_what_others_link_to() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ingest");
    let modules = read_folder(&folder);
    let module = modules.iter().find(|module| module.rule.contains("is defined")).unwrap();
    let il = Il::read(&assemble(&module.text).unwrap()).unwrap();
    let compiled = compile_il_object(&il, &[], &Options::default(), &Target::generic());
    let object = compiled.object.expect("an object");
    assert!(object.text().contains("@missing"), "{}", object.text());
}

#[test]
fn half_is_refused_where_the_device_has_none() {
    // Some producers declare only pointers to half (Float16Buffer), and yet compute with half.
    let text = "OpCapability Addresses\nOpCapability Kernel\nOpCapability Float16Buffer\n\
        OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n\
        %void = OpTypeVoid\n%half = OpTypeFloat 16\n%pointer = OpTypePointer CrossWorkgroup %half\n\
        %type = OpTypeFunction %void %pointer\n%k = OpFunction %void None %type\n\
        %p = OpFunctionParameter %pointer\n%entry = OpLabel\n%x = OpLoad %half %p\n\
        %y = OpFAdd %half %x %x\nOpStore %p %y\nOpReturn\nOpFunctionEnd\n";
    let il = Il::read(&assemble(text).unwrap()).unwrap();
    let compile = |target| compile_il(&il, &[], &Options::default(), &target);
    assert!(compile(Target { float16: true, ..Target::generic() }).program.is_some());
    let compiled = compile(Target::minimal());
    assert!(compiled.log.contains("the device has no half"), "{}", compiled.log);
}

#[test]
fn depths_are_written_as_floats_of_either_width() {
    let target = Target { float16: true, ..Target::generic() };
    for width in [16, 32] {
        let text = format!(
            "OpCapability Addresses\nOpCapability Kernel\nOpCapability ImageBasic\n\
            OpCapability Float16\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n\
            %void = OpTypeVoid\n%float = OpTypeFloat {width}\n%uint = OpTypeInt 32 0\n\
            %pair = OpTypeVector %uint 2\n%place = OpConstantNull %pair\n\
            %pointer = OpTypePointer CrossWorkgroup %float\n\
            %image = OpTypeImage %void 2D 1 0 0 0 Unknown WriteOnly\n\
            %type = OpTypeFunction %void %image %pointer\n%k = OpFunction %void None %type\n\
            %i = OpFunctionParameter %image\n%p = OpFunctionParameter %pointer\n\
            %entry = OpLabel\n%x = OpLoad %float %p\nOpImageWrite %i %place %x\n\
            OpReturn\nOpFunctionEnd\n"
        );
        let il = Il::read(&assemble(&text).unwrap()).unwrap();
        let compiled = compile_il(&il, &[], &Options::default(), &target);
        let program = compiled.program.unwrap_or_else(|| panic!("{width}: {}", compiled.log));
        assert_eq!(validate(&program.kernels[0].spirv), Ok(()));
    }
}

/// The modules (`.spv`) in the folder `HEKLA_MODULES` compile, and spirv-val accepts the results.
#[test]
fn modules_of_others_compile() {
    let mut failures = Vec::new();
    let target = Target { float16: true, ..Target::generic() };
    let modules = others();
    for (name, module) in &modules {
        let il = match Il::read(module) {
            Ok(il) => il,
            Err(error) => {
                failures.push(format!("{name}: {error}\n"));
                continue;
            }
        };
        let compiled = compile_il(&il, &[], &Options::default(), &target);
        match compiled.program {
            None => failures.push(format!("{name}: {}", compiled.log)),
            Some(program) => {
                let errors = program.kernels.iter().filter_map(|k| validate(&k.spirv).err());
                failures.extend(errors.map(|error| format!("{name}: {error}")));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), modules.len(), failures.concat());
}
