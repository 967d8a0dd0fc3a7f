//! Build times of real programs: some of hashcat's, small and large, where hashcat is installed.
//!
//! Each build is of a text that is new, so that no cache of kernels answers; the headers that it includes are the same
//! each time, as they are for an application.

use super::cl::{Result, Session};
use super::measure::{self, Better};
use super::table::Row;
use super::{text, ROUNDS};
use std::path::Path;
use std::time::Instant;

/// The folder of hashcat's kernels.
const HASHCAT: &str = "/usr/share/hashcat/OpenCL";

/// A program: its file, one of its kernels, and attack mode, execution and hash type.
struct Program {
    file: &'static str,
    kernel: &'static str,
    attack: u32,
    exec: u32,
    hash: u32,
}

const fn program(
    file: &'static str,
    kernel: &'static str,
    (attack, exec, hash): (u32, u32, u32),
) -> Program {
    Program { file, kernel, attack, exec, hash }
}

/// MD5 with rules, by mask and combined, SHA-1, bcrypt, WPA.
const PROGRAMS: [Program; 6] = [
    program("m00000_a0-optimized.cl", "m00000_m04", (0, 11, 0)),
    program("m00000_a3-pure.cl", "m00000_mxx", (3, 11, 0)),
    program("m00060_a1-pure.cl", "m00060_mxx", (1, 11, 60)),
    program("m00100_a3-optimized.cl", "m00100_m04", (3, 11, 100)),
    program("m03200-pure.cl", "m03200_init", (0, 10, 3200)),
    program("m22000-pure.cl", "m22000_init", (0, 10, 22000)),
];

impl Program {
    /// The options with which hashcat 6.2.6 builds for a device that it does not know.
    fn options(&self) -> String {
        let Program { attack, exec, hash, .. } = self;
        let none = [
            "ADD", "ADDC", "SUB", "SUBC", "VADD", "VADDC", "VADD_CO", "VADDC_CO", "VSUB", "VSUBB",
            "VSUB_CO", "VSUBB_CO", "VPERM", "VADD3", "VBFE", "BFE", "LOP3", "MOV64", "PRMT",
        ];
        let none: String = none.iter().map(|name| format!("-D HAS_{name}=0 ")).collect();
        format!(
            "-D KERNEL_STATIC -D INCLUDE_PATH={HASHCAT} -I {HASHCAT} -D XM2S(x)=#x \
             -D M2S(x)=XM2S(x) -D LOCAL_MEM_TYPE=1 -D VENDOR_ID=16 -D CUDA_ARCH=0 {none}\
             -D VECT_SIZE=1 -D DEVICE_TYPE=4 -D DGST_R0=0 -D DGST_R1=1 -D DGST_R2=2 -D DGST_R3=3 \
             -D DGST_ELEM=16 -D KERN_TYPE={hash} -D ATTACK_EXEC={exec} -D ATTACK_KERN={attack} \
             -D ATTACK_MODE={attack} -D FIXED_LOCAL_SIZE=8 -D FIXED_LOCAL_SIZE_COMP=64 -D _unroll -w"
        )
    }

    /// Milliseconds of a build, or of a compilation alone.
    fn measure(&self, session: &Session, stage: Stage) -> Result<f64> {
        let path = Path::new(HASHCAT).join(self.file);
        let source = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
        let source = format!("#define BENCH_TEXT {}\n{source}", text::new_seed());
        let options = self.options();
        let start = Instant::now();
        match stage {
            Stage::Build => drop(session.build(&source, self.kernel, &options)?),
            Stage::Compile => session.compile(&source, &options)?,
        }
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }
}

/// The stage that is measured.
#[derive(Clone, Copy)]
enum Stage {
    /// clBuildProgram.
    Build,
    /// clCompileProgram, which does not generate code for the device: in rusticl it is clang's part of a build.
    Compile,
}

/// A platform that takes longer, in milliseconds, is measured in one round only.
const SLOW: f64 = 2000.0;

/// Returns lines for each program that is installed: medians of rounds in turn.
pub fn rows(sessions: &[Session], wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let stages = [(Stage::Build, "build"), (Stage::Compile, "compile alone")];
    let pairs = PROGRAMS.iter().flat_map(|program| stages.map(|stage| (program, stage)));
    for (program, (stage, what)) in pairs {
        let name = format!("{what}, hashcat {}", program.file);
        if !wanted(&name) || !Path::new(HASHCAT).join(program.file).is_file() {
            continue;
        }
        eprintln!("{name}");
        let mut values: Vec<Result<Vec<f64>>> = vec![Ok(Vec::new()); sessions.len()];
        for _ in 0..ROUNDS {
            for (session, so_far) in sessions.iter().zip(&mut values) {
                let Ok(list) = so_far else { continue };
                if list.last().is_some_and(|&value| value > SLOW) {
                    continue;
                }
                match program.measure(session, stage) {
                    Ok(value) => list.push(value),
                    // The first line of a log is enough.
                    Err(log) => *so_far = Err(log.lines().next().unwrap_or("").to_string()),
                }
            }
        }
        let middle = |v: Result<Vec<f64>>| v.map(|mut list| measure::median(&mut list));
        let values = values.into_iter().map(middle).collect();
        rows.push(Row { name, unit: "ms".into(), better: Better::Less, values });
    }
    rows
}
