//! OpenCL C in, Vulkan SPIR-V and kernel metadata out: the whole pipeline on one screen.
//!
//! ```text
//! text --preprocess--> tokens --syntax--> AST --sema--> HIR --lower--> IR --passes--> IR --emit--> SPIR-V
//! ```
//!
//! [`compile`] runs it all. No stage knows Vulkan's API or the OpenCL runtime's; no stage is unsafe;
//! nothing in a program's text makes it panic, hang or exhaust memory.
#![forbid(unsafe_code)]

pub mod emit;
pub mod ir;
pub mod kernel;
pub mod library;
pub mod lower;
pub mod options;
pub mod passes;
pub mod preprocess;
pub mod sema;
pub mod source;
pub mod syntax;
pub mod target;

pub use kernel::Program;
pub use options::Options;
pub use target::Target;

use preprocess::Interner;
use source::{Diagnostics, SourceMap};

/// Source of a program: its main text and the headers given to clCompileProgram.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Name that diagnostics show for the main text.
    pub name: String,
    pub text: String,
    /// Headers by include name.
    pub headers: Vec<(String, String)>,
}

/// What a build gives: a log, and a program unless there were errors.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// Diagnostics as clang prints them; empty when there are none.
    pub log: String,
    /// `None` when the log holds an error.
    pub program: Option<Program>,
}

/// Stack of the compiling thread in bytes: enough for the tallest tree that the parser builds.
const STACK_SIZE: usize = 256 << 20;

/// Compiles a program for a device.
///
/// Runs on a thread with a large stack of its own; a panic, which would be a bug of the compiler,
/// ends in the log.
pub fn compile(source: &Source, options: &Options, target: &Target) -> Compiled {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
        let compiled = thread.spawn_scoped(scope, || compile_here(source, options, target));
        match compiled.map(|thread| thread.join()) {
            Ok(Ok(compiled)) => compiled,
            Ok(Err(_)) => refusal("error: internal error of the compiler; please report it"),
            Err(error) => refusal(&format!("error: no thread to compile on: {error}")),
        }
    })
}

fn refusal(message: &str) -> Compiled {
    Compiled { log: format!("{message}\n"), program: None }
}

fn compile_here(source: &Source, options: &Options, target: &Target) -> Compiled {
    let mut sources = SourceMap::new();
    let mut diags = Diagnostics::new(options);
    let program = build(source, options, target, &mut sources, &mut diags);
    let program = program.filter(|_| !diags.has_errors());
    Compiled { log: diags.render(&sources), program }
}

/// The pipeline. Ends early, without a program, after a stage that reported an error.
fn build(
    source: &Source,
    options: &Options,
    target: &Target,
    sources: &mut SourceMap,
    diags: &mut Diagnostics,
) -> Option<Program> {
    let mut names = Interner::new();
    let macros = target.feature_macros(options.std);
    let tokens = preprocess::preprocess(source, options, &macros, sources, &mut names, diags);
    let unit = syntax::parse(&tokens, &mut names, diags, options);
    if diags.has_errors() {
        return None;
    }
    let hir = sema::analyze(&unit, &names, options, target, diags, sema::Origin::Program);
    if diags.has_errors() {
        return None;
    }
    let mut ir = lower::lower(&hir, options, target, diags);
    if diags.has_errors() {
        return None;
    }
    if let Err(message) = passes::optimize(&mut ir) {
        diags.error(None, message);
        return None;
    }
    match emit_kernels(&mut ir, options, target) {
        Ok(program) => Some(program),
        Err(message) => {
            diags.error(None, message);
            None
        }
    }
}

/// Structures each kernel's control flow and writes its SPIR-V.
fn emit_kernels(
    ir: &mut ir::Module,
    options: &Options,
    target: &Target,
) -> Result<Program, String> {
    let (data, _) = emit::layout_data(ir).map_err(|e| e.to_string())?;
    let mut kernels = Vec::with_capacity(ir.kernels.len());
    for entry in ir.kernels.clone() {
        let structure = passes::structurize::run(&mut ir.functions[entry.func]);
        let kernel = emit::emit(ir, &entry, &structure, options, target)
            .map_err(|e| format!("kernel '{}': {e}", entry.name))?;
        kernels.push(kernel);
    }
    Ok(Program { kernels, data })
}
