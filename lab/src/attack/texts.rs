//! `attack texts`: OpenCL C whose tokens are exchanged, repeated and removed, and options that are changed likewise.
//! Every text builds, or fails with a log.
//!
//! `--with launch` also launches the kernels of one in eight of the programs that build.

use super::batch::child::{Child, Verdict};
use super::batch::exercise::exercise;
use super::batch::opencl::World;
use super::batch::random::Random;
use super::batch::{self, files_in, Batch, LAUNCHED};
use super::process::Target;
use super::Request;
use crate::{system, Outcome};

/// The folder of programs: a file has many, each begun by lines with `//#`.
const PROGRAMS: &str = "compiler/tests/conformance";
/// The most bytes of a text.
const MOST: usize = 200_000;
/// Options: complete ones, and parts of options.
const OPTIONS: [&str; 22] = [
    "-cl-std=CL1.0",
    "-cl-std=CL1.2",
    "-cl-std=CL2.0",
    "-cl-std=CL3.0",
    "-cl-std=CLC++",
    "-cl-opt-disable",
    "-cl-fast-relaxed-math",
    "-cl-denorms-are-zero",
    "-cl-kernel-arg-info",
    "-w",
    "-Werror",
    "-D",
    "-DX=1",
    "-D uint=int",
    "-DX(a,b)=a##b",
    "-I",
    "-I/dev",
    "-include",
    "-cl-single-precision-constant",
    "-cl-uniform-work-group-size",
    "-g",
    "\"",
];
/// Tokens that may be missing from all programs of the folder.
const TOKENS: [&str; 40] = [
    "0",
    "-1",
    "2147483647",
    "4294967296",
    "18446744073709551615",
    "1e400",
    "0x1p-1074",
    "\"\"",
    "'\\377'",
    "#",
    "##",
    "\\\n",
    "/*",
    "//",
    "\n#if 1\n",
    "\n#endif\n",
    "\n#define x x\n",
    "\n#include \"x\"\n",
    "...",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ";",
    "__attribute__((aligned(1073741824)))",
    "[1073741824]",
    "[18446744073709551615]",
    "struct",
    "union",
    "typedef",
    "goto",
    "case",
    "switch",
    "void",
    "half16",
    "sizeof",
];

/// Runs the attack, or one of its processes.
pub fn run(request: &Request) -> Outcome {
    if request.is_child {
        return child(request);
    }
    let target = Target::of(request)?;
    batch::attack(request, &Batch::of_programs("texts", &target, request))
}

fn child(request: &Request) -> Outcome {
    let child = Child::open(request)?;
    let launch = child.mode == "launch";
    let programs = programs()?;
    let world = World::open()?;
    child.run(request, |seed, child| {
        let mut random = Random::new(seed);
        let text = changed(&programs, &mut random);
        let options: Vec<&str> = (0..random.small(4)).map(|_| *random.of(&OPTIONS)).collect();
        let launch = launch && random.once_in(LAUNCHED);
        child.keep(text.as_bytes(), "cl");
        child.keep(options.join(" ").as_bytes(), "options");
        child.stage("build");
        let mut attempt = || -> Result<(), Verdict> {
            let program = world.source(text.as_bytes())?;
            program.build(&options.join(" "))?;
            exercise(&program, launch, child).map(drop)
        };
        attempt().err().unwrap_or(Verdict::Accepted)
    })
}

/// Returns the tokens of all programs.
fn programs() -> Result<Vec<Vec<String>>, String> {
    let mut programs = Vec::new();
    for path in files_in(&system::root().join(PROGRAMS), "cl")? {
        let text = system::read_text(&path)?;
        let mut program = String::new();
        for line in text.lines() {
            if line.starts_with("//#") {
                programs.extend((!program.is_empty()).then(|| tokens(&program)));
                program.clear();
            } else {
                program.extend([line, "\n"]);
            }
        }
        programs.push(tokens(&program));
    }
    programs.retain(|program| program.len() > 4);
    Ok(programs)
}

/// Returns the tokens of a text, roughly: words, numbers, characters, and the separators.
fn tokens(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' => 1,
        ' ' => 2,
        _ => 0,
    };
    let mut all: Vec<String> = Vec::new();
    let mut last = 0;
    for c in text.chars() {
        match all.last_mut() {
            Some(token) if kind(c) != 0 && kind(c) == last => token.push(c),
            _ => all.push(c.to_string()),
        }
        last = kind(c);
    }
    all
}

/// Returns one of the programs with one to six changes.
fn changed(programs: &[Vec<String>], random: &mut Random) -> String {
    let mut tokens = programs[random.below(programs.len())].clone();
    for _ in 0..=random.small(6) {
        if tokens.is_empty() {
            break;
        }
        let at = random.below(tokens.len());
        let end = (at + 1 + random.small(24)).min(tokens.len());
        let other = &programs[random.below(programs.len())];
        let from = random.below(other.len());
        match random.below(12) {
            0 => drop(tokens.drain(at..end)),
            1 => drop(tokens.remove(at)),
            2 => {
                let copy = tokens[at..end].to_vec();
                tokens.splice(at..at, copy);
            }
            3 => {
                let copy = tokens[at..end].to_vec();
                let times = random.small(200);
                for _ in 0..times {
                    tokens.splice(at..at, copy.iter().cloned());
                }
            }
            4 | 5 => tokens[at] = random.of(&TOKENS).to_string(),
            6 => tokens.insert(at, random.of(&TOKENS).to_string()),
            7 => tokens[at] = tokens[random.below(tokens.len())].clone(),
            8 => tokens.swap(at, end - 1),
            9 => tokens[at] = other[from].clone(),
            _ => {
                let until = (from + 1 + random.small(60)).min(other.len());
                tokens.splice(at..end, other[from..until].iter().cloned());
            }
        }
    }
    let mut text = tokens.concat();
    if text.len() > MOST {
        let end = (0..=MOST).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_all_of_the_text() {
        let text = "kernel void f(global int *a) {\n  a[0] = 1.5f + x;\n}\n";
        let tokens = tokens(text);
        assert_eq!(tokens.concat(), text);
        assert_eq!(tokens[..6], ["kernel", " ", "void", " ", "f", "("]);
        assert!(tokens.contains(&"1.5f".to_string()));
    }

    #[test]
    fn a_seed_gives_its_text() {
        let programs = [tokens("kernel void f() {}"), tokens("int g(int x) { return x; }")];
        let text = |seed| changed(&programs, &mut Random::new(seed));
        let all: std::collections::BTreeSet<String> = (0..200).map(text).collect();
        assert!(all.len() > 100, "{}", all.len());
        assert_eq!(text(7), text(7));
    }
}
