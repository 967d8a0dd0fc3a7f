//! The format of conformance files: small OpenCL C programs, each with the rule that it tests and its expected outcome
//! (docs/testing.md describes the format).

#![allow(dead_code)] // Each test file uses its part.

use std::path::{Path, PathBuf};

/// One program of a conformance file.
pub struct Program {
    /// `file.cl:LINE`, the line of the program's first header.
    pub place: String,
    pub rule: String,
    /// True if the compiler must accept the program; false if it must reject it.
    pub accept: bool,
    pub options: String,
    /// Features and extensions that the device must have, or, with a `!` before the name, must lack.
    pub requires: Vec<String>,
    /// Work-items in each dimension; one in each if the file does not say.
    pub global: Vec<u64>,
    /// Work-items of a work-group in each dimension, if the file says.
    pub local: Option<Vec<u32>>,
    /// The words of `out`.
    pub expect: Vec<u32>,
    pub errors: Vec<Message>,
    /// The message with which the options themselves are refused; `None` if they are valid.
    pub invalid: Option<String>,
    pub warnings: Vec<Message>,
    pub text: String,
}

/// A message that must be in the build log.
#[derive(Debug)]
pub struct Message {
    /// Line in the program that the message is about; 0 for a message without a place.
    pub line: u32,
    pub substring: String,
}

impl Program {
    /// Returns true if the program can run on a device that offers these extensions and features.
    pub fn runs_with(&self, offered: &[&str]) -> bool {
        self.requires.iter().all(|name| match name.strip_prefix('!') {
            Some(name) => !offers(offered, name),
            None => offers(offered, name),
        })
    }
}

/// Returns true if `name` is one of the names, or one of them without its prefix: `fp64` stands for cl_khr_fp64, `generic` for
/// __opencl_c_generic_address_space.
fn offers(offered: &[&str], name: &str) -> bool {
    offered.iter().any(|full| {
        let prefixes = ["cl_khr_", "__opencl_c_"];
        let short = prefixes.iter().find_map(|p| full.strip_prefix(p)).unwrap_or(full);
        let rest = [*full, short].into_iter().find_map(|full| full.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    })
}

/// Returns every program of every file of a folder. The error says where a file breaks the format.
pub fn read_folder(folder: &Path) -> Result<Vec<Program>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cl"));
    paths.sort();
    let mut programs = Vec::new();
    for path in paths {
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        programs.extend(parse(&name, &text)?);
    }
    Ok(programs)
}

/// Returns the programs of one file.
fn parse(name: &str, text: &str) -> Result<Vec<Program>, String> {
    if !text.starts_with("//! ") {
        return Err(format!("{name}:1: the first line is '//! SECTION TITLE'"));
    }
    let mut programs: Vec<Program> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let place = format!("{name}:{number}");
        let Some(header) = line.strip_prefix("//#") else {
            match programs.last_mut() {
                Some(program) => program.text.extend([line, "\n"]),
                None if line.is_empty() || line.starts_with("//!") => {}
                None => return Err(format!("{place}: text before the first program")),
            }
            continue;
        };
        let (key, value) = header.split_once(':').unwrap_or((header, ""));
        let (key, value) = (key.trim(), value.trim());
        match (key, programs.last_mut()) {
            ("accept" | "reject", _) => programs.push(begin(place, key, value)),
            (_, Some(program)) if program.text.is_empty() => {
                apply(program, key, value).map_err(|error| format!("{place}: {error}"))?;
            }
            _ => return Err(format!("{place}: header without 'accept' or 'reject' before it")),
        }
    }
    match programs.iter().find_map(|program| complete(program).err()) {
        Some(error) => Err(error),
        None => Ok(programs),
    }
}

fn begin(place: String, key: &str, rule: &str) -> Program {
    Program {
        place,
        rule: rule.to_string(),
        accept: key == "accept",
        options: String::new(),
        requires: Vec::new(),
        global: vec![1],
        local: None,
        expect: Vec::new(),
        errors: Vec::new(),
        invalid: None,
        warnings: Vec::new(),
        text: String::new(),
    }
}

fn apply(program: &mut Program, key: &str, value: &str) -> Result<(), String> {
    match key {
        "options" => program.options = value.to_string(),
        "requires" => program.requires = value.split(',').map(|s| s.trim().to_string()).collect(),
        "expect" => {
            for item in value.split_whitespace() {
                program.expect.push(word(item).ok_or_else(|| format!("'{item}' is no word"))?);
            }
        }
        "error" => program.errors.push(message(value)?),
        "invalid" => program.invalid = Some(value.to_string()),
        "warn" => program.warnings.push(message(value)?),
        "global" => program.global = sizes(value)?,
        "local" => program.local = Some(sizes(value)?),
        // Only tests that run the program on a device compare its output.
        "prints" => {}
        _ => return Err(format!("unknown header '{key}'")),
    }
    Ok(())
}

fn complete(program: &Program) -> Result<(), String> {
    let complaint = if program.accept && program.expect.is_empty() {
        "an accept program needs 'expect'"
    } else if !program.accept && program.errors.is_empty() && program.invalid.is_none() {
        "a reject program needs 'error' or 'invalid'"
    } else if program.accept && !(program.errors.is_empty() && program.invalid.is_none()) {
        "an accept program has no 'error' and no 'invalid'"
    } else {
        return Ok(());
    };
    Err(format!("{}: {complaint}", program.place))
}

fn sizes<T: std::str::FromStr>(value: &str) -> Result<Vec<T>, String> {
    let sizes: Result<Vec<T>, _> = value.split_whitespace().map(str::parse).collect();
    sizes.map_err(|_| format!("'{value}' are no sizes"))
}

/// Reads a message written as `LINE: substring`.
fn message(value: &str) -> Result<Message, String> {
    let parts = value.split_once(": ").and_then(|(line, rest)| Some((line.parse().ok()?, rest)));
    let (line, substring) = parts.ok_or_else(|| format!("'{value}' is not 'LINE: substring'"))?;
    Ok(Message { line, substring: substring.to_string() })
}

/// Returns a word: an integer that fits 32 bits with or without sign, or the bits of a float (`1.5f`).
fn word(item: &str) -> Option<u32> {
    if let Some(digits) = item.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    if let Some(float) = item.strip_suffix('f') {
        return float.parse().ok().map(f32::to_bits);
    }
    item.parse().ok().or_else(|| item.parse::<i32>().ok().map(|value| value as u32))
}
