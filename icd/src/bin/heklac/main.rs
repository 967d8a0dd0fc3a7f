//! The offline compiler: `heklac FILE.cl [OpenCL build options] -o FILE.spv`. Its input may also be OpenCL SPIR-V, as
//! `FILE.spv` or, through spirv-as, as `FILE.spvasm`.
//!
//! `heklac --reflection` prints the metadata that a program needs to run the kernels with Vulkan itself (docs/offline.md).
//!
//! `heklac --describe` writes the device file of the machine's device.
//!
//! `heklac --explain` reports why there is a device for OpenCL programs, or none; `heklac --doctor` reports what is wrong with
//! the machine's OpenCL.
//!
//! `heklac --replay FILE` runs the work-groups of a launch's findings again, and tells how their values came about
//! (docs/check.md).
//!
//! Each kernel becomes a SPIR-V module of its own, as at run time: a single kernel is written to the given file, several
//! kernels to `FILE.KERNEL.spv`.

mod doctor;
mod replay;

use hekla::core::check;
use hekla::core::device::open;
use hekla::core::offline::is_spirv;
use hekla_compiler::checks::Checks;
use hekla_compiler::kernel::Kernel;
use hekla_compiler::{
    compile_il, compile_il_to_ir, compile_timed, compile_to_ir, find_certain_mistakes, reflection,
    Compiled, Il, IrAt, Options, Program, Source, SpecValue, Target,
};
use hekla_vk_backend::DeviceFile;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: heklac FILE [OpenCL build options] -o FILE.spv
       heklac FILE [OpenCL build options] --reflection
       heklac FILE [OpenCL build options] --emit=metadata|ir|ir:lower|ir:PASS
       heklac FILE.cl [OpenCL build options] --check=all|KIND,KIND...
       heklac --explain | --doctor | --describe > FILE.toml
       heklac --replay FILE.replay
  FILE         OpenCL C (.cl), OpenCL SPIR-V (.spv) or its text (.spvasm, by spirv-as)
  --spec ID=N  give a specialization constant of SPIR-V a value: an integer, or bits as 0x...
  --minimal    compile for the weakest device (no 64-, 16- or 8-bit integers, no double)
  --limit-to D compile for the device that a file describes: D is a path, or one of those that docs/weak-devices.md lists
  --reflection print arguments, layout of the kernel-argument buffer and all else that a launch needs, as JSON
  --emit=...   print, in place of SPIR-V: metadata (arguments and kernel-argument buffer of each kernel); the IR as the
               passes leave it, as lowering leaves it, or after each run of a pass
  --check=...  tell what is certain to be wrong, in place of compiling: bounds, null, align (of private and local variables),
               arith, init (private variables), barriers; with -Werror the exit status tells it, too
  --explain    tell what Vulkan devices there are and why each is offered to OpenCL programs or not
  --doctor     examine loader, drivers, permissions, memory and cache, and run a kernel on each device
  --describe   write what the compiler must know of the machine's device (HEKLA_DEVICE names it) as a file for --limit-to
  --replay     run the work-groups in which HEKLA_CHECK found mistakes again, and tell how their values came about
  --time       print the time that each stage took";

/// The output that is written.
#[derive(PartialEq)]
enum Emit {
    Spirv,
    Metadata,
    Reflection,
    Ir(IrAt),
    Mistakes(Checks),
}

/// The input that is compiled.
enum Input {
    Text(Source),
    Module(Il, Vec<SpecValue>),
}

struct Request {
    input: PathBuf,
    output: Option<PathBuf>,
    options: String,
    specs: Vec<SpecValue>,
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
    if std::env::args().skip(1).eq(["--describe"]) {
        print!("{}", hekla::core::device::description::device_file()?);
        return Ok(());
    }
    if std::env::args().skip(1).eq(["--doctor"]) {
        return doctor::run();
    }
    if std::env::args().skip(1).eq(["--doctor-loader"]) {
        return doctor::run_loader();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, file] = &arguments[..] {
        if first == "--replay" {
            print!("{}", replay::run(Path::new(file)).map_err(|e| format!("heklac: {file}: {e}"))?);
            return Ok(());
        }
    }
    let request = parse(arguments.into_iter())?;
    let input = read(&request)?;
    let options = Options::parse(&request.options).map_err(|e| format!("heklac: {e}"))?;
    if let Emit::Ir(at) = &request.emit {
        print!("{}", input.compile_to_ir(&options, &request.target, at)?);
        return Ok(());
    }
    if let Emit::Mistakes(checks) = request.emit {
        return tell_mistakes(&input, &options, &request.target, checks);
    }
    let compiled = input.compile(&options, &request);
    let Some(program) = compiled.program else { return Err(compiled.log) };
    eprint!("{}", compiled.log);
    match request.emit {
        Emit::Metadata => {
            for kernel in program.kernels.iter().cloned() {
                println!("{:#?}", Kernel { spirv: Vec::new(), ..kernel });
            }
        }
        Emit::Reflection => {
            let path =
                |kernel: &Kernel| Some(output_of(&program, kernel, request.output.as_ref()?));
            let name = |kernel: &Kernel| path(kernel).map(|path| path.display().to_string());
            print!("{}", reflection::json(&program, name));
        }
        Emit::Spirv | Emit::Ir(_) | Emit::Mistakes(_) => {}
    }
    match &request.output {
        Some(output) => write(&program, output),
        None => Ok(()),
    }
}

/// Prints the mistakes that are certain to happen when the program runs. Fails under `-Werror` if there are any.
fn tell_mistakes(
    input: &Input,
    options: &Options,
    target: &Target,
    checks: Checks,
) -> Result<(), String> {
    let Input::Text(source) = input else {
        return Err("heklac: --check is of OpenCL C".to_string());
    };
    let (found, log) = find_certain_mistakes(source, options, target, checks)?;
    let text: String = found.iter().map(check::warning).collect();
    match found.is_empty() || !options.warnings_are_errors {
        true => {
            eprint!("{log}{text}");
            Ok(())
        }
        false => Err(log + &text),
    }
}

/// Reads the input file; its extension or first bytes determine the kind.
fn read(request: &Request) -> Result<Input, String> {
    let show = request.input.display().to_string();
    let bytes = || std::fs::read(&request.input).map_err(|e| format!("heklac: {show}: {e}"));
    let extension = request.input.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let contents = match extension {
        "spvasm" => assemble(&request.input)?,
        _ => bytes()?,
    };
    if extension != "spvasm" && extension != "spv" && !is_spirv(&contents) {
        let text = String::from_utf8_lossy(&contents).into_owned();
        return Ok(Input::Text(Source { name: show, text, headers: Vec::new() }));
    }
    let module = contents;
    let module = Il::read(&module).map_err(|e| format!("heklac: {show}: {e}"))?;
    Ok(Input::Module(module, request.specs.clone()))
}

/// Returns the module that spirv-as of the SPIR-V tools assembles from a text.
fn assemble(path: &Path) -> Result<Vec<u8>, String> {
    let mut command = Command::new("spirv-as");
    command.args(["--preserve-numeric-ids", "-o", "-"]).arg(path);
    let done = command.output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            "heklac: .spvasm needs spirv-as of the SPIR-V tools (package spirv-tools)".to_string()
        }
        _ => format!("heklac: spirv-as: {e}"),
    })?;
    match done.status.success() {
        true => Ok(done.stdout),
        false => Err(format!("heklac: {}", String::from_utf8_lossy(&done.stderr))),
    }
}

impl Input {
    fn compile(&self, options: &Options, request: &Request) -> Compiled {
        match self {
            Input::Text(source) => {
                let (compiled, timing) = compile_timed(source, options, &request.target);
                if request.time {
                    eprintln!("{timing}");
                }
                compiled
            }
            Input::Module(module, specs) => compile_il(module, specs, options, &request.target),
        }
    }

    fn compile_to_ir(
        &self,
        options: &Options,
        target: &Target,
        at: &IrAt,
    ) -> Result<String, String> {
        match self {
            Input::Text(source) => compile_to_ir(source, options, target, at),
            Input::Module(module, specs) => compile_il_to_ir(module, specs, options, target, at),
        }
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
        specs: Vec::new(),
        target: Target::generic(),
        emit: Emit::Spirv,
        time: false,
    };
    let mut args = args.peekable();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-o" => request.output = args.next().map(PathBuf::from),
            "--minimal" => request.target = Target::minimal(),
            "--limit-to" => request.target = target_of_file(&args.next().unwrap_or_default())?,
            "--reflection" => request.emit = Emit::Reflection,
            "--spec" => request.specs.push(spec(&args.next().unwrap_or_default())?),
            "--time" => request.time = true,
            "-h" | "--help" => return Err(USAGE.to_string()),
            "-D" | "-U" | "-I" => {
                let operand = args.next().unwrap_or_default();
                request.options.push_str(&format!(" {arg} \"{operand}\""));
            }
            "--check" => request.emit = Emit::Mistakes(Checks::all()),
            _ if arg.starts_with("--check=") => {
                let checks = check::named(&arg["--check=".len()..]);
                request.emit = Emit::Mistakes(checks.map_err(|e| format!("heklac: {e}"))?);
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

/// Returns the target for a device file, as `--limit-to` names it.
fn target_of_file(name: &str) -> Result<Target, String> {
    let file = DeviceFile::find(name).map_err(|e| format!("heklac: {e}"))?;
    let device = file.device();
    match &device.info.refusal {
        Some(reason) => Err(format!("heklac: {} {reason}", file.device)),
        None => Ok(open::target_of_file(&device)),
    }
}

/// Returns the value of a specialization constant: `ID=N`.
fn spec(text: &str) -> Result<SpecValue, String> {
    let value = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse::<i64>().map(|n| n as u64).or_else(|_| text.parse()).ok(),
    };
    let parts = text.split_once('=').and_then(|(id, n)| Some((id.parse().ok()?, value(n)?)));
    match parts {
        Some((id, bits)) => Ok(SpecValue { id, bits }),
        None => Err(format!("heklac: --spec {text} is not ID=N\n{USAGE}")),
    }
}

/// Returns the kind of output that an argument of `--emit` selects.
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

/// Returns the file of a kernel's module.
fn output_of(program: &Program, kernel: &Kernel, output: &Path) -> PathBuf {
    match program.kernels.len() {
        1 => output.to_path_buf(),
        _ => output.with_extension(format!("{}.spv", kernel.name)),
    }
}

fn write(program: &Program, output: &Path) -> Result<(), String> {
    for kernel in &program.kernels {
        let path = output_of(program, kernel, output);
        let bytes: Vec<u8> = kernel.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(&path, bytes).map_err(|e| format!("heklac: {}: {e}", path.display()))?;
    }
    Ok(())
}
