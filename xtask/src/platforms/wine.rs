//! Debian's Wine, and stand-ins for what it lacks and test programs need.

use super::emulated::Emulator;
use crate::system;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const TARGET: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";
/// Wine's program in Debian's package.
const PROGRAM: &str = "/usr/lib/wine/wine64";

/// A stand-in for the library from which Rust's standard library takes random numbers, and which Wine 8 does not have.
const RANDOM_NUMBERS: &str = r#"
__declspec(dllimport) unsigned char SystemFunction036(void *buffer, unsigned long size);

__declspec(dllexport) int ProcessPrng(unsigned char *data, unsigned long long size) {
    while (size > 0) {
        unsigned long part = size > 65536 ? 65536 : (unsigned long)size;
        if (!SystemFunction036(data, part)) return 0;
        data += part;
        size -= part;
    }
    return 1;
}
"#;

/// A program by which programs in Wine run the host's SPIRV-Tools.
const HOST_TOOL: &str = include_str!("host_tool.c");
const TOOLS: [&str; 3] = ["spirv-as", "spirv-dis", "spirv-val"];

const HOST_MATH: &str =
    "takes the C library's functions for the truth; those of Windows are off for large arguments";
const HOST_ROOT: &str =
    "takes the C library's square root for the truth; that of MinGW rounds twice";

/// Tests that cannot pass in Wine.
const SKIPPED: [(&str, &str); 4] = [
    ("errors_are_within_the_bounds", HOST_MATH),
    ("double_functions_keep_their_bounds", HOST_MATH),
    ("float_functions_keep_their_bounds", HOST_MATH),
    ("roots_and_inverses_of_doubles_are_correctly_rounded", HOST_ROOT),
];

/// Makes a Windows folder of its own below `target/`, with the stand-ins.
pub fn emulator() -> Result<Emulator, String> {
    if !Path::new(PROGRAM).exists() {
        return Err(format!("no Wine at {PROGRAM}"));
    }
    let target = std::path::absolute(system::target()).map_err(|e| e.to_string())?;
    let folder = target.join("wine");
    system::make_folder(&folder)?;
    let random = compiled(&folder, "bcryptprimitives.dll", RANDOM_NUMBERS);
    random.and_then(|mut command| system::run(command.args(["-shared", "-ladvapi32"])))?;
    for tool in TOOLS {
        system::run(&mut compiled(&folder, &format!("{tool}.exe"), HOST_TOOL)?)?;
    }
    let path = format!("Z:{}", folder.display()).replace('/', "\\");
    Ok(Emulator {
        target: TARGET,
        environment: vec![
            ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", COMPILER.into()),
            ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", PROGRAM.into()),
            ("WINEPREFIX", folder.join("prefix").into()),
            ("WINEPATH", path.into()),
            ("WINEDEBUG", "-all".into()),
        ],
        runner: vec![OsString::from(PROGRAM)],
        skipped: &SKIPPED,
    })
}

/// Returns a command that compiles a text of C to a program or library for Windows.
fn compiled(folder: &Path, name: &str, text: &str) -> Result<Command, String> {
    let source: PathBuf = folder.join(name).with_extension("c");
    system::write_file(&source, text)?;
    let mut command = Command::new(COMPILER);
    command.args(["-O2", "-s", "-o"]).arg(folder.join(name)).arg(&source);
    Ok(command)
}
