//! The format of ingestion tests: modules of SPIR-V as text, each with the rule that it tests and its expected outcome.
//!
//! A program begins with `;# accept: RULE` or `;# reject: RULE`. What follows in `;#` lines: `expect: WORDS`, what kernel
//! `test` writes to its only argument; `global: SIZES` and `local: SIZES` of the launch; `spec: ID=VALUE ...`;
//! `error: TEXT`, a part of the log of what is rejected; `requires: half` and the like; `options: OPTIONS`.
//!
//! A text without OpMemoryModel is put into [`PRELUDE`], which has a kernel with the argument `%out`: it is the kernel's
//! instructions, with declarations before them, and annotations before these, each ended by a line `---`. Other functions
//! may follow, behind an OpFunctionEnd.

#![allow(dead_code)] // Each test file uses its part.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A module with its expected outcome.
#[derive(Debug, Default)]
pub struct Module {
    /// `file.spvasm:LINE`.
    pub place: String,
    pub rule: String,
    pub accept: bool,
    pub options: String,
    pub specs: Vec<(u32, u64)>,
    pub requires: Vec<String>,
    pub global: Vec<u64>,
    pub local: Option<Vec<u32>>,
    pub expect: Vec<u32>,
    pub error: String,
    /// The text of the module.
    pub text: String,
}

/// Returns the modules of every file of a folder.
pub fn read_folder(folder: &Path) -> Vec<Module> {
    let entries = std::fs::read_dir(folder).expect("the folder of ingestion tests");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "spvasm"));
    paths.sort();
    let mut modules = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable test");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let first = modules.len();
        for (number, line) in (1..).zip(text.lines()) {
            read_line(&mut modules, format!("{name}:{number}"), line);
        }
        assert!(modules.len() > first, "{name} has no program");
    }
    modules
}

fn read_line(modules: &mut Vec<Module>, place: String, line: &str) {
    let Some(header) = line.strip_prefix(";#") else {
        if let Some(module) = modules.last_mut() {
            module.text.extend([line, "\n"]);
        }
        return;
    };
    let (key, value) = header.split_once(':').unwrap_or((header, ""));
    let (key, value) = (key.trim(), value.trim());
    if let "accept" | "reject" = key {
        let (accept, rule) = (key == "accept", value.to_string());
        modules.push(Module { place, rule, accept, global: vec![1], ..Module::default() });
        return;
    }
    let module = modules.last_mut().unwrap_or_else(|| panic!("{place}: no program yet"));
    match key {
        "options" => module.options = value.to_string(),
        "requires" => module.requires = value.split_whitespace().map(str::to_string).collect(),
        "global" => module.global = value.split_whitespace().flat_map(str::parse).collect(),
        "local" => module.local = Some(value.split_whitespace().flat_map(str::parse).collect()),
        "expect" => {
            module.expect = value.split_whitespace().map(|item| word(&place, item)).collect()
        }
        "error" => module.error = value.to_string(),
        "spec" => {
            let pairs = value.split_whitespace().flat_map(|item| item.split_once('='));
            module.specs = pairs.map(|(id, value)| (number(id) as u32, number(value))).collect();
        }
        _ => panic!("{place}: unknown header '{key}'"),
    }
}

fn number(text: &str) -> u64 {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok().or_else(|| text.parse::<i64>().ok().map(|value| value as u64)),
    };
    parsed.unwrap_or_else(|| panic!("'{text}' is no number"))
}

/// Returns a word: an integer, or the bits of a float (`1.5f`).
fn word(place: &str, item: &str) -> u32 {
    match item.strip_suffix('f').filter(|_| !item.starts_with("0x")) {
        Some(float) => float.parse::<f32>().map(f32::to_bits).ok(),
        None => Some(number(item) as u32),
    }
    .unwrap_or_else(|| panic!("{place}: '{item}' is no word"))
}

/// The declarations that most modules need.
const PRELUDE: &str = include_str!("prelude.spvasm");

/// Returns the whole text of a module.
fn completed(text: &str) -> String {
    if text.contains("OpMemoryModel") {
        return text.to_string();
    }
    let mut parts = vec![String::new()];
    for line in text.lines() {
        match (line, parts.last_mut()) {
            ("---", _) | (_, None) => parts.push(String::new()),
            (line, Some(part)) => part.extend([line, "\n"]),
        }
    }
    let mut body = parts.pop().unwrap_or_default();
    let declarations = parts.pop().unwrap_or_default();
    let annotations = parts.pop().unwrap_or_default();
    if !body.contains("OpFunctionEnd") {
        let last = body.trim_end().lines().last().unwrap_or_default();
        if !["OpBranch", "OpReturn", "OpUnreachable"].iter().any(|end| last.starts_with(end)) {
            body.push_str("OpReturn\n");
        }
        body.push_str("OpFunctionEnd\n");
    }
    let whole = PRELUDE.replace("; annotations", &annotations);
    whole.replace("; declarations", &declarations).replace("; body", &body)
}

/// Gives all floats of a width an encoding in a module of little-endian words.
fn encode_floats(module: &[u8], width: u32, encoding: u32) -> Vec<u8> {
    let words: Vec<u32> =
        module.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (header, mut rest) = words.split_at(5.min(words.len()));
    let mut all = header.to_vec();
    while let Some((inst, others)) =
        rest.split_at_checked((rest.first().unwrap_or(&0) >> 16) as usize)
    {
        match *inst {
            [] => break,
            [0x0003_0016, id, found] if found == width => {
                all.extend([0x0004_0016, id, width, encoding]);
            }
            _ => all.extend(inst),
        }
        rest = others;
    }
    all.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Assembles a module with spirv-as, which keeps its ids. `BFloat16KHR` behind the width of floats, which not every spirv-as
/// knows, is the encoding of all floats of that width.
pub fn assemble(text: &str) -> Result<Vec<u8>, String> {
    const BFLOAT16: &str = " BFloat16KHR";
    let Some((before, after)) = text.split_once(BFLOAT16) else { return assemble_plain(text) };
    let width = before.rsplit(' ').next().and_then(|width| width.parse().ok());
    let module = assemble_plain(&[before, after].concat())?;
    Ok(encode_floats(&module, width.ok_or("an encoding without a width")?, 0))
}

fn assemble_plain(text: &str) -> Result<Vec<u8>, String> {
    let mut child = Command::new("spirv-as")
        .args(["--target-env", "spv1.6", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("spirv-as (package spirv-tools): {error}"))?;
    let mut stdin = child.stdin.take().expect("it is piped");
    let text = completed(text);
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let _ = writer.join();
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
