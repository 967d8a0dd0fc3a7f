//! `attack modules`: OpenCL's SPIR-V, changed word by word. Each module is refused with a message, or becomes a program
//! that answers all queries.
//!
//! `--with launch` also launches the kernels of one in eight of the programs that build.

mod mutate;
#[path = "../../../../compiler/tests/ingest_support/mod.rs"]
mod texts;

use super::batch::child::{Child, Verdict};
use super::batch::exercise::exercise;
use super::batch::opencl::{call, judge, Program, World};
use super::batch::random::Random;
use super::batch::{self, files_in, spirv, Batch, LAUNCHED};
use super::process::Target;
use super::Request;
use crate::{system, Outcome};
use std::path::Path;

/// The folders of modules as text: one with many programs in a file, in the form that the compiler's tests use, and one
/// with a program in a file.
const MANY: &str = "compiler/tests/ingest";
const SINGLE: &str = "icd/tests/python/spirv";
/// Options to build with.
const OPTIONS: [&str; 6] = [
    "",
    "",
    "-cl-kernel-arg-info",
    "-cl-opt-disable",
    "-cl-fast-relaxed-math -cl-denorms-are-zero",
    "-cl-uniform-work-group-size",
];

/// Runs the attack, or one of its processes.
pub fn run(request: &Request) -> Outcome {
    let folder = request.folder("modules")?;
    if request.is_child {
        return child(request, &folder);
    }
    system::ensure_packages(&["spirv-tools"])?;
    assemble(&folder)?;
    let target = Target::of(request)?;
    batch::attack(request, &Batch::of_programs("modules", &target, request))
}

/// Writes all modules to a folder.
fn assemble(folder: &Path) -> Outcome {
    let write = |name: String, bytes: Vec<u8>| {
        let path = folder.join(format!("{name}.spv"));
        system::write_file(&path, bytes)
    };
    for module in texts::read_folder(&system::root().join(MANY)) {
        if module.accept {
            write(module.place.replace(':', "-"), texts::assemble(&module.text)?)?;
        }
    }
    for path in files_in(&system::root().join(SINGLE), "spvasm")? {
        let text = system::read_text(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // The modules are of different versions of SPIR-V.
        write(name, spirv::assemble(&text)?)?;
    }
    Ok(())
}

fn child(request: &Request, folder: &Path) -> Outcome {
    let child = Child::open(request)?;
    let launch = child.mode == "launch";
    let mut modules = Vec::new();
    for path in files_in(folder, "spv")? {
        let bytes = system::read_bytes(&path)?;
        modules.push(words(&bytes));
    }
    let world = World::open()?;
    child.run(request, |seed, child| {
        let mut random = Random::new(seed);
        let mut module = random.of(&modules).clone();
        mutate::change(&mut module, &modules, &mut random);
        match attempt(&world, &module, launch, &mut random, child) {
            Ok(()) => Verdict::Accepted,
            Err(verdict) => verdict,
        }
    })
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Builds or compiles a module, and exercises the program.
fn attempt(
    world: &World,
    module: &[u32],
    launch: bool,
    random: &mut Random,
    child: &mut Child,
) -> Result<(), Verdict> {
    child.stage("create");
    let bytes: Vec<u8> = module.iter().flat_map(|word| word.to_le_bytes()).collect();
    child.keep(&bytes, "il");
    let program = world.module(&bytes)?;
    if random.once_in(4) {
        child.stage("constants");
        specialize(&program, random)?;
    }
    let options = *random.of(&OPTIONS);
    if random.once_in(8) {
        child.stage("compile");
        program.compile(options)?;
        exercise(&program, false, child)?;
        child.stage("link");
        let linked = world.link(&[&program], "")?;
        return exercise(&linked, false, child).map(drop);
    }
    child.stage("build");
    program.build(options)?;
    exercise(&program, launch && random.once_in(LAUNCHED), child).map(drop)
}

/// Sets specialization constants that may exist to values of right and of wrong sizes.
fn specialize(program: &Program<'_>, random: &mut Random) -> Result<(), Verdict> {
    let value = random.any().to_le_bytes();
    for id in [0, 1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 15, u32::MAX] {
        for size in [4, 8, 1, 2] {
            let (handle, place) = (program.handle, value.as_ptr().cast());
            let code =
                call!(program.world, clSetProgramSpecializationConstant(handle, id, size, place));
            // CL_INVALID_SPEC_ID, and CL_INVALID_VALUE for a wrong size.
            match judge("clSetProgramSpecializationConstant", code, &[-71, -30]) {
                Ok(()) => break,
                Err(Verdict::Refused(_)) => {}
                Err(wrong) => return Err(wrong),
            }
        }
    }
    Ok(())
}
