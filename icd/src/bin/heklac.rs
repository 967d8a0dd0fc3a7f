//! The offline compiler: `heklac FILE.cl [OpenCL build options] -o FILE.spv`.
//!
//! `heklac --explain` tells why there is a device for OpenCL programs, or none.
//!
//! Each kernel becomes a SPIR-V module of its own, as at run time: one kernel is written to the file
//! named, several to `FILE.KERNEL.spv`.

use hekla_compiler::kernel::Kernel;
use hekla_compiler::{compile_timed, compile_to_ir, IrAt, Options, Program, Source, Target};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: heklac FILE.cl [OpenCL build options] -o FILE.spv
       heklac FILE.cl [OpenCL build options] --emit=metadata|ir|ir:lower|ir:PASS
       heklac --explain
  --minimal    compile for the weakest device (no 64-, 16- or 8-bit integers, no double)
  --emit=...   print, in place of SPIR-V: metadata (arguments and kernel-argument buffer of each kernel); the IR as the
               passes leave it, as lowering leaves it, or after each run of a pass
  --explain    tell what Vulkan devices there are and why each is offered to OpenCL programs or not
  --time       print the time that each stage took";

/// What is written.
#[derive(PartialEq)]
enum Emit {
    Spirv,
    Metadata,
    Ir(IrAt),
}

struct Request {
    input: PathBuf,
    output: Option<PathBuf>,
    options: String,
    target: Target,
    emit: Emit,
    time: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    if std::env::args().skip(1).eq(["--explain"]) {
        return explain();
    }
    let request = parse(std::env::args().skip(1))?;
    let show = request.input.display().to_string();
    let text = std::fs::read(&request.input).map_err(|e| format!("heklac: {show}: {e}"))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let options = Options::parse(&request.options).map_err(|e| format!("heklac: {e}"))?;
    let source = Source { name: show, text, headers: Vec::new() };
    if let Emit::Ir(at) = &request.emit {
        print!("{}", compile_to_ir(&source, &options, &request.target, at)?);
        return Ok(());
    }
    let (compiled, timing) = compile_timed(&source, &options, &request.target);
    if request.time {
        eprintln!("{timing}");
    }
    let Some(program) = compiled.program else { return Err(compiled.log) };
    eprint!("{}", compiled.log);
    if request.emit == Emit::Metadata {
        for kernel in program.kernels.iter().cloned() {
            println!("{:#?}", Kernel { spirv: Vec::new(), ..kernel });
        }
    }
    match &request.output {
        Some(output) => write(&program, output),
        None => Ok(()),
    }
}

/// Fails where no device is offered.
fn explain() -> Result<(), String> {
    let (text, offered) = hekla::core::device::selection::explain();
    match offered {
        true => {
            print!("{text}");
            Ok(())
        }
        false => Err(text),
    }
}

fn parse(args: impl Iterator<Item = String>) -> Result<Request, String> {
    let mut request = Request {
        input: PathBuf::new(),
        output: None,
        options: String::new(),
        target: Target::generic(),
        emit: Emit::Spirv,
        time: false,
    };
    let mut args = args.peekable();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-o" => request.output = args.next().map(PathBuf::from),
            "--minimal" => request.target = Target::minimal(),
            "--time" => request.time = true,
            "-h" | "--help" => return Err(USAGE.to_string()),
            "-D" | "-U" | "-I" => {
                let operand = args.next().unwrap_or_default();
                request.options.push_str(&format!(" {arg} \"{operand}\""));
            }
            _ if arg.starts_with("--emit=") => request.emit = emit(&arg["--emit=".len()..])?,
            _ if arg.starts_with('-') => request.options.push_str(&format!(" \"{arg}\"")),
            _ if request.input.as_os_str().is_empty() => request.input = PathBuf::from(arg),
            _ => return Err(format!("heklac: one input file, not also '{arg}'\n{USAGE}")),
        }
    }
    match request.input.as_os_str().is_empty() {
        true => Err(USAGE.to_string()),
        false => Ok(request),
    }
}

/// Returns what an argument of `--emit` asks for.
fn emit(what: &str) -> Result<Emit, String> {
    Ok(match what {
        "spirv" => Emit::Spirv,
        "metadata" => Emit::Metadata,
        "ir" => Emit::Ir(IrAt::End),
        "ir:lower" => Emit::Ir(IrAt::Lowered),
        _ => match what.strip_prefix("ir:") {
            Some(pass) => Emit::Ir(IrAt::Pass(pass.to_string())),
            None => return Err(format!("heklac: --emit={what} is unknown\n{USAGE}")),
        },
    })
}

fn write(program: &Program, output: &Path) -> Result<(), String> {
    for kernel in &program.kernels {
        let path = match program.kernels.len() {
            1 => output.to_path_buf(),
            _ => output.with_extension(format!("{}.spv", kernel.name)),
        };
        let bytes: Vec<u8> = kernel.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(&path, bytes).map_err(|e| format!("heklac: {}: {e}", path.display()))?;
    }
    Ok(())
}
