//! What a random program computes, by the C compiler of this machine: its C form, compiled and run.

use super::{numbered, Language};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

/// Work-items, and how many of them make a work-group.
pub const ITEMS: usize = 8;
pub const GROUP: usize = 4;

/// What a program is given and what it leaves behind: the words of its arguments `in` and `words`, or of
/// `words` and `out`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    pub input: Vec<u32>,
    pub words: Vec<u64>,
}

/// Returns the arguments of programs: small numbers, large ones, zero and all ones.
pub fn arguments() -> Memory {
    let input: Vec<u32> = (0..4 * ITEMS as u32)
        .map(|n| match n % 7 {
            0 => 0,
            1 => u32::MAX,
            2 => n,
            _ => n.wrapping_mul(0x9e37_79b9),
        })
        .collect();
    let words = input.iter().rev().map(|n| u64::from(*n).wrapping_mul(0x1_0000_0801)).collect();
    Memory { input, words }
}

/// The contents of `words` and of `out` after a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    pub words: Vec<u64>,
    pub out: Vec<u32>,
}

/// Compiles the program of a number as C, runs it and returns its results. The files go to a folder.
///
/// # Errors
/// When there is no C compiler (`cc`, or what the variable CC names), or the program fails: the
/// commands' messages.
pub fn results(number: u64, double: bool, folder: &Path) -> Result<Results, String> {
    let text = numbered(number, double, Language::C).map_err(|error| error.to_string())?;
    let (source, program) = (folder.join(format!("{number}.c")), folder.join(format!("{number}")));
    std::fs::write(&source, whole(&text)).map_err(|e| format!("{}: {e}", source.display()))?;
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let mut compile = Command::new(compiler);
    // Wrapping arithmetic, a signed char, and floats that are not contracted, as OpenCL C has it here.
    compile.args(["-std=gnu11", "-O0", "-w", "-fwrapv", "-fsigned-char", "-ffp-contract=off"]);
    compile
        .args(["-frounding-math", "-fno-strict-aliasing"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .arg("-lm");
    output(&mut compile)?;
    let printed = output(&mut Command::new(&program))?;
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let mut numbers = printed.split_whitespace().map(|word| u64::from_str_radix(word, 16));
    let mut next = || match numbers.next() {
        Some(Ok(number)) => Ok(number),
        _ => Err(format!("{} prints too little", program.display())),
    };
    Ok(Results {
        words: (0..4 * ITEMS).map(|_| next()).collect::<Result<_, _>>()?,
        out: (0..ITEMS).map(|_| next().map(|number| number as u32)).collect::<Result<_, _>>()?,
    })
}

/// Returns the C program with what it needs, and a `main` that runs all work-items and prints.
fn whole(text: &str) -> String {
    let mut all = include_str!("prelude.h").to_string();
    let Memory { input, words } = arguments();
    let list = |numbers: Vec<String>| numbers.join("u, ") + "u";
    let input = list(input.iter().map(u32::to_string).collect());
    let words = list(words.iter().map(u64::to_string).collect());
    let _ = write!(
        all,
        "{text}
static uint input_[] = {{ {input} }};
static ulong words_[] = {{ {words} }};
static uint cells_[4 * GROUP], out_[{ITEMS}];
int main(void) {{
    for (item = 0; item < {ITEMS}; item++)
        k(input_, words_, cells_, out_);
    for (int i = 0; i < 4 * {ITEMS}; i++)
        printf(\"%lx\\n\", words_[i]);
    for (int i = 0; i < {ITEMS}; i++)
        printf(\"%x\\n\", out_[i]);
}}
"
    );
    all
}

fn output(command: &mut Command) -> Result<Output, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(output),
        false => {
            Err(format!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
        }
    }
}
