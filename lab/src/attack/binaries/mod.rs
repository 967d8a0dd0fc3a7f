//! `attack binaries`: program binaries that are changed, with the digest made right again. For any content a function
//! returns CL_SUCCESS or an error of the specification.
//!
//! `--with build-only` launches nothing.

mod format;
pub(super) mod mutate;
mod programs;

use super::batch::child::{Child, Verdict};
use super::batch::exercise::{exercise, Results};
use super::batch::opencl::{Program, World};
use super::batch::random::Random;
use super::batch::{self, Batch};
use super::process::Target;
use super::Request;
use crate::{system, Outcome};
use programs::{Make, Source};

/// One of this many binaries keeps a wrong digest.
const UNREPAIRED: usize = 200;

/// Runs the attack, or one of its processes.
pub fn run(request: &Request) -> Outcome {
    if request.is_child {
        return child(request);
    }
    system::ensure_packages(&["spirv-tools"])?;
    let target = Target::of(request)?;
    let batch = Batch::of_programs("binaries", &target, request);
    batch::attack(request, &Batch { per_process: 1000, ..batch })
}

/// A binary that was made for this device, and what its kernels do.
struct Original {
    make: Make,
    bytes: Vec<u8>,
    /// The binary with which it is linked.
    companion: Option<Vec<u8>>,
    results: Results,
}

fn child(request: &Request) -> Outcome {
    let mut child = Child::open(request)?;
    let launch = child.mode != "build-only";
    let world = World::open()?;
    let mut originals = Vec::new();
    for source in programs::ALL {
        match original(&world, source, launch, &mut child) {
            Ok(original) => originals.push(original),
            Err(verdict) => eprintln!("{} is left out: {verdict:?}", source.name),
        }
    }
    if originals.len() < programs::ALL.len() / 2 {
        return Err(format!("{} of {} programs build", originals.len(), programs::ALL.len()));
    }
    let all: Vec<Vec<u8>> = originals.iter().map(|original| original.bytes.clone()).collect();
    child.run(request, |seed, child| {
        let mut random = Random::new(seed);
        let original = random.of(&originals);
        let mut bytes = original.bytes.clone();
        mutate::change(&mut bytes, &all, &mut random);
        if !random.once_in(UNREPAIRED) {
            format::repair(&mut bytes);
        }
        child.keep(&bytes, "bin");
        match attempt(&world, original, &bytes, launch, child) {
            Ok(results) if results == original.results => Verdict::Same,
            Ok(_) => Verdict::Accepted,
            Err(verdict) => verdict,
        }
    })
}

/// Makes a binary of a program, and tries it.
fn original(
    world: &World,
    source: &Source,
    launch: bool,
    child: &mut Child,
) -> Result<Original, Verdict> {
    let compiled = |text: &str| -> Result<Vec<u8>, Verdict> {
        let program = world.source(text.as_bytes())?;
        program.compile(source.options)?;
        program.to_binary()
    };
    let linked = |objects: &[Vec<u8>], options: &str| -> Result<Vec<u8>, Verdict> {
        let objects: Vec<Program<'_>> =
            objects.iter().map(|object| world.binary(object)).collect::<Result<_, _>>()?;
        let objects: Vec<&Program<'_>> = objects.iter().collect();
        world.link(&objects, options)?.to_binary()
    };
    let built = |program: Program<'_>| -> Result<Vec<u8>, Verdict> {
        program.build(source.options)?;
        program.to_binary()
    };
    let text = source.texts[0];
    let bytes = match source.make {
        Make::Build => built(world.source(text.as_bytes())?)?,
        Make::Object => compiled(text)?,
        Make::Library => linked(&[compiled(text)?], "-create-library")?,
        Make::Link => linked(&[compiled(text)?, compiled(source.texts[1])?], "")?,
        Make::Module => built(world.module(&assemble(text)?)?)?,
    };
    let is_linked = matches!(source.make, Make::Object | Make::Library);
    let companion = is_linked.then(|| compiled(source.texts[1])).transpose()?;
    let mut original = Original { make: source.make, bytes, companion, results: Results::new() };
    original.results = attempt(world, &original, &original.bytes, launch, child)?;
    Ok(original)
}

/// Returns the module of a text.
fn assemble(text: &str) -> Result<Vec<u8>, Verdict> {
    batch::spirv::assemble(text).map_err(Verdict::Refused)
}

/// Tries bytes as the binary of a program: creates, builds or links the program, and exercises it.
fn attempt(
    world: &World,
    original: &Original,
    bytes: &[u8],
    launch: bool,
    child: &mut Child,
) -> Result<Results, Verdict> {
    child.stage("create");
    let program = world.binary(bytes)?;
    let Some(companion) = &original.companion else {
        child.stage("build");
        program.build("")?;
        return exercise(&program, launch, child);
    };
    // Queries an object.
    exercise(&program, launch, child)?;
    let companion = world.binary(companion)?;
    if original.make == Make::Object {
        child.stage("link a library");
        let library = world.link(&[&program], "-create-library")?;
        exercise(&library, launch, child)?;
    }
    child.stage("link");
    let linked = world.link(&[&program, &companion], "")?;
    exercise(&linked, launch, child)
}
