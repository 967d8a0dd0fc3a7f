//! The pipeline: which stages run, in what order, on what.
//!
//! ```text
//! text --preprocess--> tokens --syntax--> AST --sema--> HIR --lower--> IR --passes--> IR --emit--> SPIR-V
//! ```
//!
//! [`compile`] runs all of it; [`compile_object`] stops at the IR of one program, and [`link()`] continues with the IR of
//! several programs.

use crate::analysis::argument_access::argument_access;
use crate::analysis::call_graph::{bottom_up, calls};
use crate::big_stack::{on_big_stack, Failure, Shortage};
use crate::checks::{Certain, Checks};
use crate::ingest::{self, Il, SpecValue};
use crate::kernel::Program;
use crate::object::{ModuleFlags, Object};
use crate::options::{LinkOptions, Options};
use crate::passes::{self, Pipeline};
use crate::preprocess::{self, Interner};
use crate::source::{Diagnostics, Lookup, Source, SourceMap};
use crate::target::Target;
use crate::timing::{Stage, Stopwatch, Timing};
use crate::{emit, ir, lower, quirks, sema, syntax, verified_bodies};
use cranelift_entity::SecondaryMap;
use hekla_device::Quirks;
use std::cell::RefCell;

/// The structure of each function, which structurization finds.
type Structures = SecondaryMap<ir::Func, ir::Structure>;

/// The memory of a compilation: a fixed number of bytes, and a number of bytes for each byte of its input. Together they are
/// three times the measured need of kernels of straight-line statements.
const ROOM: usize = 16 << 20;
const ROOM_PER_BYTE: usize = 200;

/// Returns an upper estimate of the memory in bytes that the compilation of an input of `size` bytes needs.
fn room(size: usize) -> usize {
    size.saturating_mul(ROOM_PER_BYTE).saturating_add(ROOM).min(isize::MAX as usize)
}

/// Returns the size in bytes of a program's texts.
fn size_of_source(source: &Source) -> usize {
    source.headers.iter().map(|(_, text)| text.len()).sum::<usize>() + source.text.len()
}

/// Returns the size in bytes of objects, which is about the size of their texts.
fn size_of_objects(objects: &[&Object]) -> usize {
    objects.iter().map(|object| object.size()).sum()
}

/// The result of a build: a log, and a program unless there were errors.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// Diagnostics in clang's format; empty if there are none.
    pub log: String,
    /// `None` when the log holds an error.
    pub program: Option<Program>,
    /// The paths at which headers were looked for on disk. The result depends only on them, the text and
    /// the options.
    pub lookups: Vec<Lookup>,
    /// What the system lacked, if the compilation ended for that reason and says nothing about the program.
    pub shortage: Option<Shortage>,
}

impl Compiled {
    fn failed(errors: &[String]) -> Compiled {
        Compiled { log: error_log(errors), ..Compiled::default() }
    }

    fn ended(failure: Failure) -> Compiled {
        let shortage = failure.shortage();
        Compiled { shortage, ..Compiled::failed(&[failure.to_string()]) }
    }
}

/// The result of a compilation for linking: a log, and an object unless there were errors.
#[derive(Debug, Clone, Default)]
pub struct CompiledObject {
    /// Like [`Compiled::log`].
    pub log: String,
    /// `None` when the log holds an error.
    pub object: Option<Object>,
    /// Like [`Compiled::lookups`].
    pub lookups: Vec<Lookup>,
    /// Like [`Compiled::shortage`].
    pub shortage: Option<Shortage>,
}

impl CompiledObject {
    fn of(object: Object) -> CompiledObject {
        CompiledObject { object: Some(object), ..CompiledObject::default() }
    }

    fn failed(errors: &[String]) -> CompiledObject {
        CompiledObject { log: error_log(errors), ..CompiledObject::default() }
    }

    fn ended(failure: Failure) -> CompiledObject {
        let shortage = failure.shortage();
        CompiledObject { shortage, ..CompiledObject::failed(&[failure.to_string()]) }
    }
}

/// Compiles and links one program for a device (clBuildProgram).
///
/// Runs on a thread with a large stack of its own; a panic, which would be a bug of the compiler,
/// ends in the log.
pub fn compile(source: &Source, options: &Options, target: &Target) -> Compiled {
    compile_timed(source, options, target).0
}

/// Like [`compile`]; also returns the time that each stage took.
pub fn compile_timed(source: &Source, options: &Options, target: &Target) -> (Compiled, Timing) {
    let mut watch = Stopwatch::start();
    let compiled = on_big_stack(room(size_of_source(source)), || {
        let mut sources = SourceMap::new();
        let mut diags = Diagnostics::new(options);
        let program = build(source, options, target, &mut sources, &mut diags, &mut watch);
        let program = program.filter(|_| !diags.has_errors());
        let lookups = sources.take_lookups();
        Compiled { log: diags.render(&sources), program, lookups, shortage: None }
    });
    (compiled.unwrap_or_else(Compiled::ended), watch.stop())
}

/// The places of the pipeline where the IR can be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IrAt {
    /// The IR as lowering leaves it.
    Lowered,
    /// Each function on which the pass with this name ran, after each run.
    Pass(String),
    /// The IR as the passes leave it.
    End,
}

/// Returns the text of a program's IR at a place in the pipeline; for debugging. Runs as [`compile`] does. The error is a
/// build log, or lists the names of the passes.
pub fn compile_to_ir(
    source: &Source,
    options: &Options,
    target: &Target,
    at: &IrAt,
) -> Result<String, String> {
    check_pass(at)?;
    let text = on_big_stack(room(size_of_source(source)), || {
        let mut sources = SourceMap::new();
        let mut diags = Diagnostics::new(options);
        let watch = &mut Stopwatch::start();
        let hir = analyze(source, options, target, false, &mut sources, &mut diags, watch);
        let module = hir.map(|hir| {
            let sources = target.keeps_locations(options).then_some(&sources);
            lower::lower(&hir, options, target, sources, &mut diags)
        });
        match module.filter(|_| !diags.has_errors()) {
            Some(module) => ir_text(module, target, at).map_err(|error| error_log(&[error])),
            None => Err(diags.render(&sources)),
        }
    });
    text.unwrap_or_else(|failure| Err(error_log(&[failure.to_string()])))
}

/// Runs the passes up to a place in the pipeline. Returns the text of the IR there.
fn ir_text(mut module: ir::Module, target: &Target, at: &IrAt) -> Result<String, String> {
    let IrAt::Pass(wanted) = at else {
        if *at == IrAt::End {
            run_passes(&mut module, target, &Pipeline::new(target))?;
        }
        return Ok(module.to_string());
    };
    let text = RefCell::new(String::new());
    let observer = |pass: &'static str, module: &ir::Module, func: Option<ir::Func>| {
        if pass == wanted {
            let ir = match func {
                Some(func) => ir::print::print_function(module, func),
                None => module.to_string(),
            };
            text.borrow_mut().push_str(&format!("; after {pass}\n{ir}\n"));
        }
    };
    run_passes(&mut module, target, &Pipeline::observed(target, &observer))?;
    Ok(text.into_inner())
}

/// Compiles a program for a device, to be linked with others (clCompileProgram). Runs as
/// [`compile`] does.
pub fn compile_object(source: &Source, options: &Options, target: &Target) -> CompiledObject {
    on_big_stack(room(size_of_source(source)), || {
        let mut sources = SourceMap::new();
        let mut diags = Diagnostics::new(options);
        let watch = &mut Stopwatch::start();
        let hir = analyze(source, options, target, true, &mut sources, &mut diags, watch);
        let module = hir.as_ref().map(|hir| {
            let sources = target.keeps_locations(options).then_some(&sources);
            lower::lower_object(hir, options, target, sources, &mut diags)
        });
        if let (Some(hir), Some(module)) = (&hir, &module) {
            check_recursion_of_object(hir, module, target, &mut diags);
        }
        let module = module.filter(|_| !diags.has_errors());
        let object = module.map(|module| Object { module, flags: ModuleFlags::of(options) });
        let lookups = sources.take_lookups();
        CompiledObject { log: diags.render(&sources), object, lookups, shortage: None }
    })
    .unwrap_or_else(CompiledObject::ended)
}

/// Compiles and links a module of SPIR-V for a device (clBuildProgram of a program with IL). Runs as [`compile`] does. The
/// version of OpenCL C does not matter here: only `-cl-uniform-work-group-size` makes work-groups uniform.
pub fn compile_il(il: &Il, specs: &[SpecValue], options: &Options, target: &Target) -> Compiled {
    on_big_stack(room(il.size()), || {
        let module = ingest::ingest(il, specs, options, target, false);
        let (pipeline, mut watch) = (Pipeline::new(target), Stopwatch::start());
        let program =
            module.and_then(|module| finish(module, options, target, &pipeline, &mut watch));
        match program {
            Ok(program) => {
                let uniform_groups = options.uniform_work_group_size;
                let program = Program { uniform_groups, ..program };
                Compiled { program: Some(program), ..Compiled::default() }
            }
            Err(error) => Compiled::failed(&[error]),
        }
    })
    .unwrap_or_else(Compiled::ended)
}

/// Like [`compile_to_ir`] for a module of SPIR-V.
pub fn compile_il_to_ir(
    il: &Il,
    specs: &[SpecValue],
    options: &Options,
    target: &Target,
    at: &IrAt,
) -> Result<String, String> {
    check_pass(at)?;
    let text = on_big_stack(room(il.size()), || {
        let module = ingest::ingest(il, specs, options, target, false);
        module.and_then(|module| ir_text(module, target, at)).map_err(|e| error_log(&[e]))
    });
    text.unwrap_or_else(|failure| Err(error_log(&[failure.to_string()])))
}

/// Returns the mistakes of a program that are certain before it runs, of some kinds (in private memory, in divisions, at
/// barriers), and the log of warnings. Runs as [`compile`] does. The error is a build log.
pub fn find_certain_mistakes(
    source: &Source,
    options: &Options,
    target: &Target,
    checks: Checks,
) -> Result<(Vec<Certain>, String), String> {
    let target = &Target { checks, ..target.clone() };
    let found = on_big_stack(room(size_of_source(source)), || {
        let mut sources = SourceMap::new();
        let mut diags = Diagnostics::new(options);
        let watch = &mut Stopwatch::start();
        let hir = analyze(source, options, target, false, &mut sources, &mut diags, watch);
        let module = hir.map(|hir| lower::lower(&hir, options, target, Some(&sources), &mut diags));
        match module.filter(|_| !diags.has_errors()) {
            Some(mut module) => {
                tell_of_target(&mut module, target);
                let pipeline = Pipeline::new(target);
                passes::check::find_certain(&mut module, checks, &pipeline)
                    .map(|found| (found, diags.render(&sources)))
                    .map_err(|error| error_log(&[error]))
            }
            None => Err(diags.render(&sources)),
        }
    });
    found.unwrap_or_else(|failure| Err(error_log(&[failure.to_string()])))
}

/// Returns an error if no pass has the name that is asked for.
fn check_pass(at: &IrAt) -> Result<(), String> {
    let IrAt::Pass(name) = at else { return Ok(()) };
    let names = [passes::names(), quirks::names()].concat();
    match names.contains(&name.as_str()) {
        true => Ok(()),
        false => Err(format!("no pass '{name}': one of {}\n", names.join(", "))),
    }
}

/// Compiles a program as [`compile`] does, up to the passes. Program binaries keep the resulting object, from which
/// [`compile_linked`] compiles the program again.
pub fn compile_to_linked(source: &Source, options: &Options, target: &Target) -> CompiledObject {
    on_big_stack(room(size_of_source(source)), || {
        let mut sources = SourceMap::new();
        let mut diags = Diagnostics::new(options);
        let watch = &mut Stopwatch::start();
        let hir = analyze(source, options, target, false, &mut sources, &mut diags, watch);
        let module = hir.map(|hir| {
            let sources = target.keeps_locations(options).then_some(&sources);
            lower::lower(&hir, options, target, sources, &mut diags)
        });
        let module = module.filter(|_| !diags.has_errors());
        let object = module.map(|module| Object { module, flags: ModuleFlags::of(options) });
        let lookups = sources.take_lookups();
        CompiledObject { log: diags.render(&sources), object, lookups, shortage: None }
    })
    .unwrap_or_else(CompiledObject::ended)
}

/// Like [`compile_to_linked`] for a module of SPIR-V.
pub fn compile_il_to_linked(
    il: &Il,
    specs: &[SpecValue],
    options: &Options,
    target: &Target,
) -> CompiledObject {
    on_big_stack(room(il.size()), || ingest_object(il, specs, options, target, false))
        .unwrap_or_else(CompiledObject::ended)
}

/// Like [`compile_to_linked`] for the objects and libraries that [`link()`] makes a program of.
pub fn link_to_linked(objects: &[&Object], options: &LinkOptions) -> CompiledObject {
    let options = LinkOptions { create_library: false, ..options.clone() };
    on_big_stack(room(size_of_objects(objects)), || link_object(objects, &options))
        .unwrap_or_else(CompiledObject::ended)
}

/// Compiles an object without undefined imports for a device, from the passes on. Runs as [`compile`] does.
pub fn compile_linked(object: &Object, target: &Target) -> Compiled {
    on_big_stack(room(object.size()), || match finish_linked(object.clone(), target) {
        Ok(program) => Compiled { program: Some(program), ..Compiled::default() },
        Err(error) => Compiled::failed(&[error]),
    })
    .unwrap_or_else(Compiled::ended)
}

/// Compiles a module of SPIR-V, to be linked with other programs (clCompileProgram). Runs as [`compile`] does.
pub fn compile_il_object(
    il: &Il,
    specs: &[SpecValue],
    options: &Options,
    target: &Target,
) -> CompiledObject {
    on_big_stack(room(il.size()), || ingest_object(il, specs, options, target, true))
        .unwrap_or_else(CompiledObject::ended)
}

/// Reads a module of SPIR-V. If it is compiled `separate`ly, other programs may use its functions.
fn ingest_object(
    il: &Il,
    specs: &[SpecValue],
    options: &Options,
    target: &Target,
    separate: bool,
) -> CompiledObject {
    match ingest::ingest(il, specs, options, target, separate) {
        Ok(module) => {
            let uniform_groups = options.uniform_work_group_size;
            let flags = ModuleFlags { uniform_groups, ..ModuleFlags::of(options) };
            CompiledObject::of(Object { module, flags })
        }
        Err(error) => CompiledObject::failed(&[error]),
    }
}

/// Links objects and libraries into a program (clLinkProgram). Runs as [`compile`] does.
pub fn link(objects: &[&Object], options: &LinkOptions, target: &Target) -> Compiled {
    on_big_stack(room(size_of_objects(objects)), || {
        let program = crate::link::link(objects, options)
            .and_then(|object| finish_linked(object, target).map_err(|error| vec![error]));
        match program {
            Ok(program) => Compiled { program: Some(program), ..Compiled::default() },
            Err(errors) => Compiled::failed(&errors),
        }
    })
    .unwrap_or_else(Compiled::ended)
}

/// Links objects and libraries into a library (clLinkProgram with `-create-library`). Runs as
/// [`compile`] does.
pub fn link_library(objects: &[&Object], options: &LinkOptions) -> CompiledObject {
    let options = LinkOptions { create_library: true, ..options.clone() };
    on_big_stack(room(size_of_objects(objects)), || link_object(objects, &options))
        .unwrap_or_else(CompiledObject::ended)
}

fn link_object(objects: &[&Object], options: &LinkOptions) -> CompiledObject {
    match crate::link::link(objects, options) {
        Ok(object) => CompiledObject::of(object),
        Err(errors) => CompiledObject::failed(&errors),
    }
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
    if options.cxx.is_some() {
        let message =
            "C++ for OpenCL is compiled by clang: give its SPIR-V (clang --target=spirv64)";
        diags.error(None, message);
        return None;
    }
    if !target.takes(options.std) {
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
    if diags.list().is_empty() && !diags.muting.is_used() {
        verified_bodies::insert(&unused);
    }
    watch.end(Stage::Sema);
    (!diags.has_errors()).then_some(hir)
}

/// Runs the whole pipeline for a program that is not linked with others.
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
    let texts = target.keeps_locations(options).then_some(&*sources);
    let mut ir = lower::lower(&hir, options, target, texts, diags);
    watch.end(Stage::Lower);
    if diags.has_errors() {
        return None;
    }
    unfold_recursion(&hir, &mut ir, target, diags)?;
    match finish(ir, options, target, &Pipeline::new(target), watch) {
        Ok(program) => Some(program),
        Err(message) => {
            diags.error(None, message);
            None
        }
    }
}

/// Unfolds recursion whose end depends on constants alone, and reports all other recursion at its place in the text.
fn unfold_recursion(
    hir: &sema::hir::Module,
    ir: &mut ir::Module,
    target: &Target,
    diags: &mut Diagnostics,
) -> Option<()> {
    if hir.recursive_calls.is_empty() {
        return Some(());
    }
    tell_of_target(ir, target);
    let error = match Pipeline::new(target).unfold_recursion(ir) {
        Ok(()) => return Some(()),
        Err(error) => error,
    };
    if let passes::recursion::Error::Endless(functions) = &error {
        sema::recursion::report(hir, functions, diags);
    }
    if !diags.has_errors() {
        diags.error(None, error.to_string());
    }
    None
}

/// Reports recursion in an object that imports nothing from others; linking finds recursion in other objects.
fn check_recursion_of_object(
    hir: &sema::hir::Module,
    object: &ir::Module,
    target: &Target,
    diags: &mut Diagnostics,
) {
    let functions = object.functions.values().map(|function| function.linkage);
    let mut linkages = functions.chain(object.globals.values().map(|global| global.linkage));
    let is_import = |linkage: ir::Linkage| linkage == ir::Linkage::Import;
    if !hir.recursive_calls.is_empty() && !diags.has_errors() && !linkages.any(is_import) {
        // The errors are in `diags`; the result is not needed.
        let _ = unfold_recursion(hir, &mut object.clone(), target, diags);
    }
}

/// Runs the second half of the pipeline for a linked object.
fn finish_linked(object: Object, target: &Target) -> Result<Program, String> {
    let flags = object.flags;
    let options = Options {
        finite_math_only: flags.finite_only,
        no_signed_zeros: flags.finite_only,
        denorms_are_zero: flags.flush_denorms,
        ..Options::default()
    };
    let pipeline = Pipeline::new(target);
    let program = finish(object.module, &options, target, &pipeline, &mut Stopwatch::start())?;
    Ok(Program { uniform_groups: flags.uniform_groups, ..program })
}

/// Runs the second half of the pipeline: passes, then SPIR-V.
fn finish(
    mut ir: ir::Module,
    options: &Options,
    target: &Target,
    pipeline: &Pipeline<'_>,
    watch: &mut Stopwatch,
) -> Result<Program, String> {
    let structures = run_passes(&mut ir, target, pipeline)?;
    watch.end(Stage::Passes);
    let program = emit_kernels(&ir, &structures, options, target);
    watch.end(Stage::Emit);
    program
}

/// Runs all passes, down to the structure of each function.
fn run_passes(
    ir: &mut ir::Module,
    target: &Target,
    pipeline: &Pipeline<'_>,
) -> Result<Structures, String> {
    crate::link::number_kernels(ir);
    tell_of_target(ir, target);
    if !target.checks.is_empty() {
        passes::check::run(ir, target.checks, pipeline)?;
    }
    pipeline.optimize_module(ir)?;
    crate::link::drop_unused(ir);
    passes::matrices::check(ir, target)?;
    pipeline.align_called(ir, target)?;
    pipeline.contract(ir, target)?;
    pipeline.dot_products(ir, target)?;
    pipeline.mark_invariant_loads(ir, target)?;
    // With checks, the access is known already.
    if target.checks.is_empty() {
        find_argument_access(ir)?;
    }
    pipeline.narrow_counters(ir, target)?;
    pipeline.narrow_offsets(ir, target)?;
    pipeline.vectorize_local(ir, target)?;
    quirks::before_legalization(ir, pipeline)?;
    let doubles = soft_doubles(ir, target)?;
    pipeline.legalize(ir, target, doubles.as_ref())?;
    quirks::after_legalization(ir, pipeline)?;
    check_frames(ir, target)?;
    pipeline.structurize(ir, target.call_sharing)
}

/// Returns the arithmetic of doubles that a module needs if the device has no doubles.
fn soft_doubles(ir: &ir::Module, target: &Target) -> Result<Option<ir::Module>, String> {
    if !target.soft_float64 || !passes::legalize::soft_doubles::is_needed(ir) {
        return Ok(None);
    }
    let mut library = lower::lower_soft_doubles(target);
    Pipeline::new(target).optimize_library(&mut library)?;
    Ok(Some(library))
}

/// Finds out how kernels access the memory of their arguments.
fn find_argument_access(ir: &mut ir::Module) -> Result<(), String> {
    for place in 0..ir.kernels.len() {
        let access = argument_access(ir, &ir.kernels[place])?;
        if let Some(kernel) = ir.kernels.at_mut(place) {
            kernel.access = access;
        }
    }
    Ok(())
}

/// Sets the target's rules for undefined values and for objects in all functions.
fn tell_of_target(ir: &mut ir::Module, target: &Target) {
    for function in ir.functions.values_mut() {
        function.undefined_is_zero = target.zero_private;
        function.exact_objects = target.exact_objects;
    }
}

/// The most instructions of a kernel with its calls inlined, for drivers whose compilers crash on larger kernels.
const MAX_FRAME: usize = 50_000;

/// Returns an error if doubles that are computed by integers make a kernel larger than the driver can compile.
fn check_frames(ir: &ir::Module, target: &Target) -> Result<(), String> {
    if !target.soft_float64 || !target.has(Quirks::SMALL_FRAMES) {
        return Ok(());
    }
    let mut sizes: SecondaryMap<ir::Func, usize> = SecondaryMap::new();
    for func in bottom_up(ir, ir.kernels.iter().map(|kernel| kernel.func))? {
        let function = &ir.functions[func];
        let own = function.num_insts();
        let inlined = calls(function).map(|(callee, _)| sizes[callee]);
        sizes[func] = inlined.fold(own, usize::saturating_add);
    }
    let large = ir.kernels.iter().find(|kernel| sizes[kernel.func] > MAX_FRAME);
    large.map_or(Ok(()), |kernel| {
        let name = &kernel.name;
        Err(format!(
            "kernel '{name}': with doubles computed by integers it needs larger frames which this \
             device does not offer"
        ))
    })
}

/// The limit on the instructions of all kernels' modules together: `EMITTED` for each instruction of the program, plus
/// `MIN_EMITTED`.
const EMITTED: usize = 16;
const MIN_EMITTED: usize = 500_000;

/// Returns an error if the kernels' modules, each of which has all functions that its kernel reaches, would be much larger
/// than the program.
fn check_size_of_kernels(ir: &ir::Module) -> Result<(), String> {
    let sizes: SecondaryMap<ir::Func, usize> =
        ir.functions.iter().map(|(func, function)| (func, function.num_insts())).collect();
    let mut room = EMITTED * sizes.values().sum::<usize>() + MIN_EMITTED;
    for kernel in ir.kernels.iter() {
        for func in bottom_up(ir, [kernel.func])? {
            // Each function has a cost besides its instructions.
            room = room.checked_sub(sizes[func] + 8).ok_or_else(|| {
                let name = &kernel.name;
                format!("the program's kernels are too large with all that they call (at '{name}')")
            })?;
        }
    }
    Ok(())
}

/// Writes each kernel's SPIR-V.
fn emit_kernels(
    ir: &ir::Module,
    structures: &Structures,
    options: &Options,
    target: &Target,
) -> Result<Program, String> {
    check_size_of_kernels(ir)?;
    let (data, _) = emit::layout_data(ir).map_err(|e| e.to_string())?;
    let mut kernels = Vec::with_capacity(ir.kernels.len());
    for entry in ir.kernels.iter() {
        let kernel = emit::emit(ir, entry, structures, options, target)
            .map_err(|e| format!("kernel '{}': {e}", entry.name))?;
        kernels.push(kernel);
    }
    Ok(Program { kernels, data, uniform_groups: options.uniform_groups() })
}
