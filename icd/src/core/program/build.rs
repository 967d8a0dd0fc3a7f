//! Building programs (clBuildProgram, clCompileProgram and clLinkProgram), on the calling thread or in the
//! background.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::{room, *};
use crate::core::clang;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::diagnostics::dump;
use crate::core::program::cached;
use crate::core::program::il::{IlInput, IlModule};
use crate::core::program::recipe::Recipe;
use crate::core::program::{Build, Code, Executable, Origin, Program};
use crate::object::{callbacks, Ref};
use hekla_compiler as compiler;
use parking_lot::{Condvar, Mutex};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// Builds the program for its device number `index`. Fails on errors of the system; errors in the program's text are in the
/// build's log.
type Step = Box<dyn Fn(&Program, usize) -> Result<Build> + Send>;

/// A build in progress: the devices report CL_BUILD_IN_PROGRESS until it ends.
#[must_use]
pub struct Job {
    pub program: Ref<Program>,
    devices: Vec<usize>,
    /// The error code if the build ends with errors in its log.
    failure: cl_int,
    step: Step,
}

impl Job {
    /// Begins a build. CL_INVALID_OPERATION while kernels exist, or while another build is in progress.
    fn begin(
        program: &Ref<Program>,
        mut devices: Vec<usize>,
        failure: cl_int,
        step: Step,
    ) -> Result<Job> {
        devices.sort_unstable();
        devices.dedup();
        let mut builds = program.builds.lock();
        // The check is made under the lock: a kernel that is created from now on finds no executable.
        ensure!(program.kernels_attached() == 0, CL_INVALID_OPERATION);
        let busy = |&index: &usize| {
            builds.get(index).is_some_and(|build| build.status == CL_BUILD_IN_PROGRESS)
        };
        ensure!(!devices.iter().any(busy), CL_INVALID_OPERATION);
        for &index in &devices {
            if let Some(build) = builds.get_mut(index) {
                build.status = CL_BUILD_IN_PROGRESS;
            }
        }
        Ok(Job { program: program.clone(), devices, failure, step })
    }

    /// Does the build on this thread.
    pub fn run(&self) -> Result<()> {
        let mut result = Ok(());
        for &index in &self.devices {
            let step = catch_unwind(AssertUnwindSafe(|| (self.step)(&self.program, index)));
            let ended = step.unwrap_or(Err(ClError(CL_OUT_OF_RESOURCES))).unwrap_or_else(|error| {
                result = Err(error);
                Build { status: CL_BUILD_ERROR, ..Build::default() }
            });
            if ended.status != CL_BUILD_SUCCESS && result.is_ok() {
                result = Err(ClError(self.failure));
            }
            if let Some(slot) = self.program.builds.lock().get_mut(index) {
                *slot = ended;
            }
        }
        result
    }

    /// Builds on a thread of its own, which then calls `notify`.
    pub fn start(self, notify: impl FnOnce(&Ref<Program>) + Send + 'static) {
        self.program.background.fetch_add(1, Ordering::AcqRel);
        // The thread takes the job and `notify` from here, so that both are still available if no thread can be started.
        let work = Arc::new(Mutex::new(Some((self, notify))));
        let theirs = work.clone();
        let body = move || {
            let Some((job, notify)) = theirs.lock().take() else { return };
            job.finish(notify);
        };
        let started = hekla_vk_backend::spawn("hekla-build", body);
        if let Err(error) = started {
            tracing::warn!("no thread to build in the background: {error}");
            let Some((job, notify)) = work.lock().take() else { return };
            callbacks::defer(move || job.finish(notify));
        }
    }

    /// Does the work of the background thread. An error becomes the program's build status.
    fn finish(self, notify: impl FnOnce(&Ref<Program>)) {
        let turn = Turn::take();
        let _ = self.run();
        drop(turn);
        let program = self.program;
        // The memory that the step holds is released before the application's callback, which may take long.
        drop(self.step);
        if catch_unwind(AssertUnwindSafe(|| notify(&program))).is_err() {
            tracing::error!("a build callback panicked");
        }
        program.background.fetch_sub(1, Ordering::AcqRel);
        drop(program);
        callbacks::run_deferred();
    }
}

/// Permission to compile in the background. As many builds run at once as there are processors, even if an application starts
/// hundreds. Callbacks need no permission, since they may wait for other builds.
struct Turn;

struct Turns {
    taken: Mutex<usize>,
    returned: Condvar,
}

static TURNS: Turns = Turns { taken: Mutex::new(0), returned: Condvar::new() };

impl Turn {
    fn take() -> Turn {
        let most = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
        let mut taken = TURNS.taken.lock();
        while *taken >= most {
            TURNS.returned.wait(&mut taken);
        }
        *taken += 1;
        Turn
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TURNS.taken.lock() -= 1;
        TURNS.returned.notify_one();
    }
}

/// Returns build options in the form that all builds share. Fails if there is no memory to parse them.
fn options_text(text: String) -> Result<Arc<str>> {
    /// An upper bound for the copies of each byte: the text, its words, the parsed options, and the spare room of lists.
    const COPIES: usize = 8;
    room::check(text.len().saturating_mul(COPIES))?;
    Ok(text.into())
}

/// Fails if the system lacked memory or threads for the compilation, whose result then says nothing about the program.
pub(super) fn check_shortage(shortage: Option<compiler::Shortage>) -> Result<()> {
    match shortage {
        None => Ok(()),
        Some(compiler::Shortage::Thread) => fail(CL_OUT_OF_RESOURCES),
        Some(compiler::Shortage::Memory) => fail(CL_OUT_OF_HOST_MEMORY),
    }
}

/// clBuildProgram for some devices of a program.
///
/// CL_INVALID_BUILD_OPTIONS; CL_INVALID_OPERATION for a program of clLinkProgram, while kernels exist, and while another build
/// is in progress; CL_INVALID_BINARY for a binary that is not an executable. The job's failure is CL_BUILD_PROGRAM_FAILURE.
pub fn build(program: &Ref<Program>, devices: Vec<usize>, text: String) -> Result<Job> {
    ensure!(!matches!(program.origin, Origin::Linked), CL_INVALID_OPERATION);
    let text = options_text(text)?;
    let options = compiler::Options::parse(&text).map_err(|error| {
        tracing::info!("build options: {error}");
        ClError(CL_INVALID_BUILD_OPTIONS)
    })?;
    if matches!(program.origin, Origin::Binary) {
        let builds = program.builds.lock();
        let is_executable = |&index: &usize| {
            matches!(builds.get(index), Some(Build { code: Code::Executable(_), .. }))
        };
        ensure!(devices.iter().all(is_executable), CL_INVALID_BINARY);
    }
    let input = Input::of(program, Vec::new())?;
    let step = move |program: &Program, index: usize| {
        let Some(input) = &input else {
            return Ok(Build::ended(&text, String::new(), Some(program.build_of(index).code)));
        };
        let gpu = program.gpu(index)?;
        input.dump(&text);
        let target = program.context.target(gpu);
        let (module, warnings) = match input.translated(&options, &target)? {
            Ok(translated) => translated,
            Err(log) => return Ok(Build::ended(&text, log, None)),
        };
        let input = module.as_ref().unwrap_or(input);
        let mut compiled = cached::compile(input, &text, &options, &target);
        compiled.log.insert_str(0, &warnings);
        check_shortage(compiled.shortage)?;
        let specs = match input {
            Input::Source(_) => Vec::new(),
            Input::Il(il) => il.specs.clone(),
        };
        let make = |program| Executable::new(gpu, program, Recipe::Built(specs));
        let executable = compiled.program.map(make);
        Ok(Build::ended(&text, compiled.log, executable.map(Code::Executable)))
    };
    Job::begin(program, devices, CL_BUILD_PROGRAM_FAILURE, Box::new(step))
}

/// clCompileProgram for some devices of a program, with headers by include name.
///
/// CL_INVALID_COMPILER_OPTIONS; CL_INVALID_OPERATION for a program that has neither source nor IL, while kernels exist, and
/// while another build is in progress. The job's failure is CL_COMPILE_PROGRAM_FAILURE.
pub fn compile(
    program: &Ref<Program>,
    devices: Vec<usize>,
    text: String,
    headers: Vec<(String, String)>,
) -> Result<Job> {
    let input = Input::of(program, headers)?.ok_or(ClError(CL_INVALID_OPERATION))?;
    let text = options_text(text)?;
    let options = compiler::Options::parse(&text).map_err(|error| {
        tracing::info!("compiler options: {error}");
        ClError(CL_INVALID_COMPILER_OPTIONS)
    })?;
    let step = move |program: &Program, index: usize| {
        let gpu = program.gpu(index)?;
        input.dump(&text);
        let target = program.context.target(gpu);
        let (module, warnings) = match input.translated(&options, &target)? {
            Ok(translated) => translated,
            Err(log) => return Ok(Build::ended(&text, log, None)),
        };
        let mut compiled = match module.as_ref().unwrap_or(&input) {
            Input::Source(source) => compiler::compile_object(source, &options, &target),
            Input::Il(il) => {
                compiler::compile_il_object(il.module.module(), &il.specs, &options, &target)
            }
        };
        compiled.log.insert_str(0, &warnings);
        check_shortage(compiled.shortage)?;
        let object = compiled.object.map(|object| Code::Object(Arc::new(object)));
        Ok(Build::ended(&text, compiled.log, object))
    };
    Job::begin(program, devices, CL_COMPILE_PROGRAM_FAILURE, Box::new(step))
}

/// clLinkProgram: returns the job of a new program, whose failure is CL_LINK_PROGRAM_FAILURE. Devices for which no input is
/// compiled are left out.
///
/// CL_INVALID_LINKER_OPTIONS; CL_INVALID_OPERATION if only some inputs are compiled for a device, or if an input is being
/// compiled.
pub fn link(
    context: Ref<Context>,
    devices: Vec<Ref<Device>>,
    text: String,
    inputs: &[Ref<Program>],
) -> Result<Job> {
    let text = options_text(text)?;
    let options = compiler::LinkOptions::parse(&text).map_err(|error| {
        tracing::info!("link options: {error}");
        ClError(CL_INVALID_LINKER_OPTIONS)
    })?;
    let objects: Vec<_> = devices.iter().map(|d| linkable(inputs, d)).collect::<Result<_>>()?;
    let taking_part = (0..devices.len()).filter(|&index| !objects[index].is_empty()).collect();
    let builds = vec![Build::default(); devices.len()];
    let program = Program::new(context, devices, Origin::Linked, builds);
    let step = move |program: &Program, index: usize| {
        link_for(program, index, &objects[index], &text, &options)
    };
    Job::begin(&program, taking_part, CL_LINK_PROGRAM_FAILURE, Box::new(step))
}

/// The compiler's input.
pub enum Input {
    Source(compiler::Source),
    Il(IlInput),
}

impl Input {
    /// Returns a program's current text or module; `None` for a program that has neither. CL_OUT_OF_HOST_MEMORY if there is no
    /// memory for a copy.
    pub(super) fn of(program: &Program, headers: Vec<(String, String)>) -> Result<Option<Input>> {
        Ok(match &program.origin {
            Origin::Source(text) => {
                let (name, text) = ("<source>".into(), room::text(room::copy(text.as_bytes())?)?);
                Some(Input::Source(compiler::Source { name, text, headers }))
            }
            Origin::Il(module) => Some(Input::Il(module.input())),
            Origin::Binary | Origin::Linked => None,
        })
    }

    /// Returns the module that clang makes of a text in C++ for OpenCL, and clang's warnings. There is no module for an input
    /// that needs no translation. The inner error is the build log if clang refuses the text.
    pub(super) fn translated(
        &self,
        options: &compiler::Options,
        target: &compiler::Target,
    ) -> Result<std::result::Result<(Option<Input>, String), String>> {
        let (Input::Source(source), true) = (self, options.cxx.is_some()) else {
            return Ok(Ok((None, String::new())));
        };
        Ok(match clang::translate(source, options, target) {
            Ok(clang::Translated { module, log }) => {
                let module = IlModule::read(&module)?;
                Ok((Some(Input::Il(module.input())), log))
            }
            Err(log) => Err(log),
        })
    }

    /// Writes the input to the folder of `HEKLA_DUMP`.
    fn dump(&self, options: &str) {
        match self {
            Input::Source(source) => dump::source(source, options),
            Input::Il(il) => dump::il(il.module.bytes(), options),
        }
    }
}

/// Returns the objects of all inputs for a device, or none if no input is compiled for it (clLinkProgram).
fn linkable(inputs: &[Ref<Program>], device: &Ref<Device>) -> Result<Vec<Arc<compiler::Object>>> {
    let mut objects = Vec::with_capacity(inputs.len());
    for input in inputs {
        let Ok(index) = input.index_of(device) else { continue };
        let build = input.build_of(index);
        ensure!(build.status != CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION);
        objects.extend(build.object().cloned());
    }
    ensure!(objects.is_empty() || objects.len() == inputs.len(), CL_INVALID_OPERATION);
    Ok(objects)
}

/// Links objects for a program's device number `index`.
fn link_for(
    program: &Program,
    index: usize,
    objects: &[Arc<compiler::Object>],
    text: &Arc<str>,
    options: &compiler::LinkOptions,
) -> Result<Build> {
    let inputs = objects;
    let objects: Vec<&compiler::Object> = inputs.iter().map(Arc::as_ref).collect();
    if options.create_library {
        let linked = compiler::link_library(&objects, options);
        check_shortage(linked.shortage)?;
        let library = linked.object.map(|object| Code::Library(Arc::new(object)));
        return Ok(Build::ended(text, linked.log, library));
    }
    let gpu = program.gpu(index)?;
    let linked = compiler::link(&objects, options, &program.context.target(gpu));
    check_shortage(linked.shortage)?;
    let recipe = Recipe::Linked(inputs.to_vec(), options.clone());
    let executable = linked.program.map(|program| Executable::new(gpu, program, recipe));
    Ok(Build::ended(text, linked.log, executable.map(Code::Executable)))
}
