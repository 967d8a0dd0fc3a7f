//! OpenCL C in, Vulkan SPIR-V and kernel metadata out: the whole pipeline on one screen.
//!
//! ```text
//! text --preprocess--> tokens --syntax--> AST --sema--> HIR --lower--> IR --passes--> IR --emit--> SPIR-V
//! ```
//!
//! [`compile`] runs it all; [`compile_object`] stops at the IR of one program, and [`link()`] goes on
//! from that of several. No stage knows Vulkan's API or the OpenCL runtime's; no stage is unsafe;
//! nothing in a program's text makes it panic, hang or exhaust memory.
#![forbid(unsafe_code)]

pub mod emit;
pub mod ir;
pub mod kernel;
pub mod library;
pub mod link;
pub mod lower;
pub mod object;
pub mod options;
pub mod passes;
pub mod preprocess;
pub mod printf;
mod rounding;
pub mod sema;
pub mod source;
pub mod syntax;
pub mod target;
pub mod timing;
mod verified_bodies;

pub use kernel::Program;
pub use object::{ModuleFlags, Object};
pub use options::{LinkOptions, Options};
pub use preprocess::read_header;
pub use source::Lookup;
pub use target::{FloatTraits, Target};
pub use timing::Timing;

use cranelift_entity::SecondaryMap;
use preprocess::Interner;
use source::{Diagnostics, SourceMap};
use std::sync::OnceLock;
use timing::{Stage, Stopwatch};

/// Tells builds of the compiler apart: derived from its sources. What it compiled is keyed by it.
pub const BUILD_ID: &str = env!("HEKLA_COMPILER_BUILD_ID");

/// Source of a program: its main text and the headers given to clCompileProgram.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Name that diagnostics show for the main text.
    pub name: String,
    pub text: String,
    /// Headers by include name.
    pub headers: Vec<(String, String)>,
}

/// The result of a build: a log, and a program unless there were errors.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// Diagnostics as clang prints them; empty when there are none.
    pub log: String,
    /// `None` when the log holds an error.
    pub program: Option<Program>,
    /// Where headers were looked for on disk: with the text and the options, all that the result
    /// depends on.
    pub lookups: Vec<Lookup>,
}

impl Compiled {
    fn failed(log: String) -> Compiled {
        Compiled { log, ..Compiled::default() }
    }
}

/// Stack of the compiling thread in bytes: enough for the tallest tree that the parser builds.
const STACK_SIZE: usize = 256 << 20;

/// The result of a compilation for linking: a log, and an object unless there were errors.
#[derive(Debug, Clone, Default)]
pub struct CompiledObject {
    /// As [`Compiled::log`].
    pub log: String,
    /// `None` when the log holds an error.
    pub object: Option<Object>,
}

/// Compiles and links one program for a device (clBuildProgram).
///
/// Runs on a thread with a large stack of its own; a panic, which would be a bug of the compiler,
/// ends in the log.
pub fn compile(source: &Source, options: &Options, target: &Target) -> Compiled {
    compile_timed(source, options, target).0
}

/// As [`compile`], and tells where the time went.
pub fn compile_timed(source: &Source, options: &Options, target: &Target) -> (Compiled, Timing) {
    let mut watch = Stopwatch::start();
    let compiled = on_big_stack(|| {
        let mut sources = SourceMap::new();
        let mut diags = Diagnostics::new(options);
        let program = build(source, options, target, &mut sources, &mut diags, &mut watch);
        let program = program.filter(|_| !diags.has_errors());
        Compiled { log: diags.render(&sources), program, lookups: sources.take_lookups() }
    });
    (compiled.unwrap_or_else(Compiled::failed), watch.stop())
}

/// Compiles a program for a device, to be linked with others (clCompileProgram). Runs as
/// [`compile`] does.
pub fn compile_object(source: &Source, options: &Options, target: &Target) -> CompiledObject {
    on_big_stack(|| {
        let mut sources = SourceMap::new();
        let mut diags = Diagnostics::new(options);
        let watch = &mut Stopwatch::start();
        let hir = analyze(source, options, target, true, &mut sources, &mut diags, watch);
        let module = hir.map(|hir| lower::lower_object(&hir, options, target, &mut diags));
        let module = module.filter(|_| !diags.has_errors());
        let object = module.map(|module| Object { module, flags: ModuleFlags::of(options) });
        CompiledObject { log: diags.render(&sources), object }
    })
    .unwrap_or_else(|log| CompiledObject { log, object: None })
}

/// Links objects and libraries into a program (clLinkProgram). Runs as [`compile`] does.
pub fn link(objects: &[&Object], options: &LinkOptions, target: &Target) -> Compiled {
    on_big_stack(|| {
        let program = link::link(objects, options)
            .and_then(|object| finish_linked(object, target).map_err(|error| vec![error]));
        match program {
            Ok(program) => Compiled { program: Some(program), ..Compiled::default() },
            Err(errors) => Compiled::failed(error_log(&errors)),
        }
    })
    .unwrap_or_else(Compiled::failed)
}

/// Links objects and libraries into a library (clLinkProgram with `-create-library`). Runs as
/// [`compile`] does.
pub fn link_library(objects: &[&Object], options: &LinkOptions) -> CompiledObject {
    let options = LinkOptions { create_library: true, ..options.clone() };
    on_big_stack(|| match link::link(objects, &options) {
        Ok(object) => CompiledObject { log: String::new(), object: Some(object) },
        Err(errors) => CompiledObject { log: error_log(&errors), object: None },
    })
    .unwrap_or_else(|log| CompiledObject { log, object: None })
}

/// The function that the compiler's threads call first.
static THREAD_START: OnceLock<fn()> = OnceLock::new();

/// Makes every thread that the compiler starts call `f` first: a library that must leave signals to its
/// application masks them there. The first call counts.
pub fn set_thread_start(f: fn()) {
    let _ = THREAD_START.set(f);
}

/// Runs a stage on a thread with a stack for the tallest of trees. The error is a build log.
fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let work = || {
        if let Some(start) = THREAD_START.get() {
            start();
        }
        work()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
        match thread.spawn_scoped(scope, work).map(|thread| thread.join()) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(_)) => {
                let message = "internal error of the compiler; please report it";
                Err(error_log(&[message.to_string()]))
            }
            Err(error) => Err(error_log(&[format!("no thread to compile on: {error}")])),
        }
    })
}

fn error_log(errors: &[String]) -> String {
    errors.iter().map(|error| format!("error: {error}\n")).collect()
}

/// Runs the first half of the pipeline. Ends early after a stage that reported an error. Other programs
/// may use the functions of a program that is compiled `separate`ly.
fn analyze(
    source: &Source,
    options: &Options,
    target: &Target,
    separate: bool,
    sources: &mut SourceMap,
    diags: &mut Diagnostics,
    watch: &mut Stopwatch,
) -> Option<sema::hir::Module> {
    if !target.c_versions().contains(&options.std) {
        let std = options.std;
        let message =
            format!("'-cl-std=CL{std}' needs OpenCL C {std} which this device does not offer");
        diags.error(None, message);
        return None;
    }
    let mut names = Interner::new();
    let macros = target.feature_macros(options.std);
    let preprocessed =
        preprocess::preprocess_segments(source, options, &macros, sources, &mut names, diags);
    watch.end(Stage::Preprocess);
    let (tokens, unused) = match separate {
        true => (preprocessed.flatten(), Vec::new()),
        false => verified_bodies::tokens_to_parse(preprocessed, &names, options, target),
    };
    let unit = syntax::parse_skipping(&tokens, &unused, &mut names, diags, options);
    watch.end(Stage::Parse);
    if diags.has_errors() {
        return None;
    }
    let hir = sema::analyze(&unit, &names, options, target, diags, sema::Origin::Program);
    if diags.list().is_empty() {
        verified_bodies::insert(&unused);
    }
    watch.end(Stage::Sema);
    (!diags.has_errors()).then_some(hir)
}

/// Runs the whole pipeline for a program of its own.
fn build(
    source: &Source,
    options: &Options,
    target: &Target,
    sources: &mut SourceMap,
    diags: &mut Diagnostics,
    watch: &mut Stopwatch,
) -> Option<Program> {
    let hir = analyze(source, options, target, false, sources, diags, watch)?;
    watch.end(Stage::Rest);
    let ir = lower::lower(&hir, options, target, diags);
    watch.end(Stage::Lower);
    if diags.has_errors() {
        return None;
    }
    match finish(ir, options, target, watch) {
        Ok(program) => Some(program),
        Err(message) => {
            diags.error(None, message);
            None
        }
    }
}

/// Runs the second half of the pipeline, for what was linked.
fn finish_linked(object: Object, target: &Target) -> Result<Program, String> {
    let flags = object.flags;
    let options = Options {
        finite_math_only: flags.finite_only,
        no_signed_zeros: flags.finite_only,
        denorms_are_zero: flags.flush_denorms,
        ..Options::default()
    };
    let program = finish(object.module, &options, target, &mut Stopwatch::start())?;
    Ok(Program { uniform_groups: flags.uniform_groups, ..program })
}

/// Runs the second half of the pipeline: passes, then SPIR-V.
fn finish(
    mut ir: ir::Module,
    options: &Options,
    target: &Target,
    watch: &mut Stopwatch,
) -> Result<Program, String> {
    for function in ir.functions.values_mut() {
        function.undefined_is_zero = target.zero_private;
    }
    passes::optimize(&mut ir)?;
    link::drop_unused(&mut ir);
    watch.end(Stage::Passes);
    let program = emit_kernels(&mut ir, options, target);
    watch.end(Stage::Emit);
    program
}

/// Structures each function's control flow and writes each kernel's SPIR-V.
fn emit_kernels(
    ir: &mut ir::Module,
    options: &Options,
    target: &Target,
) -> Result<Program, String> {
    let (data, _) = emit::layout_data(ir).map_err(|e| e.to_string())?;
    let mut kernels = Vec::with_capacity(ir.kernels.len());
    let mut structures = SecondaryMap::new();
    if !target.merges_signs {
        passes::rewrite_sign_merges(ir, target.float64)?;
    }
    for (func, function) in ir.functions.iter_mut() {
        structures[func] = passes::structurize::run(function);
    }
    for entry in &ir.kernels {
        let kernel = emit::emit(ir, entry, &structures, options, target)
            .map_err(|e| format!("kernel '{}': {e}", entry.name))?;
        kernels.push(kernel);
    }
    Ok(Program { kernels, data, uniform_groups: options.uniform_groups() })
}
