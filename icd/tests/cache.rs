//! The disk cache: the next process finds its entries, does not use them when headers changed or bytes are damaged, and
//! does without them when the folder is full or read-only. Each use is a process of its own: this binary again.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
#[path = "common/spirv.rs"]
mod spirv;
use common::*;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const ROLE: &str = "HEKLA_TEST_ROLE";
const FOUND: &str = "cache: a program was found";

/// Runs in the processes that the tests start: builds a program, runs it, and prints what it computed. Does nothing
/// in the process of the tests.
#[test]
fn role() {
    let Ok(options) = std::env::var(ROLE) else { return };
    let s = Setup::new();
    let out = s.buffer(0, 4);
    if std::env::var_os("HEKLA_TEST_SMALL_FILES").is_some() {
        // lavapipe's memory is a file: the memory that small buffers share is made now, before the limit on files.
        s.read(out, 0, 4);
        let limit = libc::rlimit { rlim_cur: 100, rlim_max: 100 };
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
    }
    let source = std::env::var("HEKLA_TEST_SOURCE").unwrap_or_else(|_| SOURCE.into());
    let program = match std::env::var("HEKLA_TEST_SPEC") {
        Ok(value) => module(&s, &options, value.parse().unwrap()),
        Err(_) => s.program(&source, &options),
    };
    let kernel = s.kernel(program, "run");
    s.set(kernel, 0, &out);
    check(s.launch(kernel, &[1], None));
    let bytes = s.read(out, 0, 4);
    let log = s.build_log(program);
    println!("\nresult: {} {}", u32::from_le_bytes(bytes.try_into().unwrap()), log.len());
}

/// Builds a program in SPIR-V whose constant has a value.
fn module(s: &Setup, options: &str, value: u32) -> cl_program {
    let il = spirv::module("run");
    let options = std::ffi::CString::new(options).unwrap();
    let (none, options) = (std::ptr::null(), options.as_ptr());
    unsafe {
        let program =
            made(|e| (s.cl.clCreateProgramWithIL)(s.context, il.as_ptr().cast(), il.len() * 4, e));
        let value = (&raw const value).cast();
        check((s.cl.clSetProgramSpecializationConstant)(program, spirv::ID, 4, value));
        let data = std::ptr::null_mut();
        check((s.cl.clBuildProgram)(program, 0, none, options, None, data));
        program
    }
}

const SOURCE: &str = "
#ifdef HEADER
#include HEADER
#else
#define VALUE 41
#endif
#warning of something
kernel void run(global uint *out) { out[0] = VALUE + 1; }";

/// Returns a folder for caches and headers, empty at first.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{name}"));
    let _ = Command::new("chmod").args(["-R", "u+w"]).arg(&folder).output();
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns a process with its cache under `folder`.
fn command(folder: &Path, options: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "role", "--nocapture"])
        .env(ROLE, options)
        .env("HEKLA_CACHE", "1")
        .env("HEKLA_LOG", "debug")
        // Mesa's own cache would be in the same folder, and does not survive the damage that Hekla's must survive.
        // NVIDIA's cache would answer first.
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("__GL_SHADER_DISK_CACHE", "0")
        .env("XDG_CACHE_HOME", folder);
    command
}

/// The report of a process: whether the program came from the cache, the computed value, and the size of the build log.
#[derive(Debug, PartialEq, Clone, Copy)]
struct Ran {
    found: bool,
    value: u32,
    /// Bytes of the build log.
    log: usize,
}

fn ran(output: &Output) -> Ran {
    let (out, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{said}", output.status);
    let result = out.lines().find_map(|line| line.strip_prefix("result: ")).expect(&out);
    let (value, log) = result.split_once(' ').unwrap();
    Ran { found: said.contains(FOUND), value: value.parse().unwrap(), log: log.parse().unwrap() }
}

fn run(command: &mut Command) -> Ran {
    ran(&command.output().unwrap())
}

/// Returns the paths of complete entries.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("hekla")).map(|files| files.flatten().collect());
    let files: Vec<std::fs::DirEntry> = files.unwrap_or_default();
    let unfinished = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with("tmp-");
    files.iter().map(|file| file.path()).filter(|path| !unfinished(path)).collect()
}

#[test]
fn the_next_process_finds_the_program() {
    let folder = scratch("found");
    let first = run(&mut command(&folder, ""));
    assert_eq!((first.found, first.value), (false, 42));
    assert!(first.log > 0, "the warning is in the log");
    assert!(!entries(&folder).is_empty());
    // The build log comes with the program.
    assert_eq!(run(&mut command(&folder, "")), Ran { found: true, ..first });
    // Programs with other options or another text have entries of their own.
    assert_eq!(run(&mut command(&folder, "-w")), Ran { found: false, value: 42, log: 0 });
    let other = SOURCE.replace("41", "51");
    let other = run(command(&folder, "").env("HEKLA_TEST_SOURCE", other));
    assert_eq!((other.found, other.value), (false, 52));
}

#[test]
fn constants_and_options_tell_modules_apart() {
    let folder = scratch("modules");
    let go = |value: &str, options| run(command(&folder, options).env("HEKLA_TEST_SPEC", value));
    let ran = |found, value| Ran { found, value, log: 0 };
    assert_eq!(go("5", ""), ran(false, 5));
    assert_eq!(go("5", ""), ran(true, 5));
    assert_eq!(go("6", ""), ran(false, 6));
    assert_eq!(go("6", "-cl-opt-disable"), ran(false, 6));
    assert_eq!(go("5", ""), ran(true, 5));
}

/// Lavapipe and SwiftShader keep nothing of pipelines; `core/cache/pipelines.rs` has a driver that keeps them and is on
/// every machine.
#[test]
fn the_next_process_finds_the_pipelines() {
    const MADE: &str = "a pipeline took";
    let folder = scratch("pipelines");
    let made = || -> Vec<String> {
        let output = command(&folder, "").output().unwrap();
        ran(&output);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        said.lines().filter(|line| line.contains(MADE)).map(String::from).collect()
    };
    let first = made();
    assert!(!first.is_empty());
    assert!(first.iter().all(|line| line.ends_with("nothing was known of it")), "{first:#?}");
    // One entry is the program; three are findings about the driver.
    let keeps_pipelines = entries(&folder).len() > 4;
    let second = made();
    println!("{first:#?}\n{second:#?}");
    // The probes' kernels are not run again.
    assert!(second.len() == 1 && first.len() > 5);
    if !keeps_pipelines {
        skip("the driver keeps nothing of pipelines");
        return;
    }
    for line in second {
        assert!(line.contains("the driver found it") || line.contains("does not tell"), "{line}");
    }
}

#[test]
fn an_injected_defect_is_not_kept() {
    let folder = scratch("fault");
    let fails = |folder: &Path| {
        let output = command(folder, "").env("HEKLA_FAULT", "defect").output().unwrap();
        assert!(!output.status.success());
    };
    fails(&folder);
    assert_eq!(run(&mut command(&folder, "")).value, 42);
    // The fault has its effect although the cache has findings about the driver.
    fails(&folder);
}

#[test]
fn off_means_off() {
    let folder = scratch("off");
    run(command(&folder, "").env("HEKLA_CACHE", "0"));
    assert!(!folder.join("hekla").exists());
    // Without a home folder there is no cache, either; a relative path is ignored.
    let mut homeless = command(&folder, "");
    homeless.env_remove("HOME").env("XDG_CACHE_HOME", "relative");
    assert_eq!(run(&mut homeless).value, 42);
    assert!(!Path::new("relative/hekla").exists());
    let mut at_home = command(&folder, "");
    at_home.env_remove("XDG_CACHE_HOME").env("HOME", folder.join("home"));
    assert!(!run(&mut at_home).found);
    assert!(run(&mut at_home).found);
    assert!(folder.join("home/.cache/hekla").is_dir());
}

#[test]
fn changed_headers_are_noticed() {
    let folder = scratch("headers");
    let (first, second) = (folder.join("first"), folder.join("second"));
    std::fs::create_dir_all(&first).unwrap();
    std::fs::create_dir_all(&second).unwrap();
    let options = format!("-I {} -I {} -DHEADER=<value.h> -w", first.display(), second.display());
    let go = || run(&mut command(&folder, &options));
    let ran = |found, value| Ran { found, value, log: 0 };
    std::fs::write(second.join("value.h"), "#include \"more.h\"\n").unwrap();
    std::fs::write(second.join("more.h"), "#define VALUE 6").unwrap();
    assert_eq!(go(), ran(false, 7));
    assert_eq!(go(), ran(true, 7));
    // A header that another header includes.
    std::fs::write(second.join("more.h"), "#define VALUE 7").unwrap();
    assert_eq!(go(), ran(false, 8));
    assert_eq!(go(), ran(true, 8));
    // A header that now comes first.
    std::fs::write(first.join("value.h"), "#define VALUE 8").unwrap();
    assert_eq!(go(), ran(false, 9));
    std::fs::remove_file(first.join("value.h")).unwrap();
    assert_eq!(go(), ran(false, 8));
    assert_eq!(go(), ran(true, 8));
}

#[test]
fn damaged_entries_are_built_anew() {
    let folder = scratch("damaged");
    let good = run(&mut command(&folder, ""));
    let damages: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.clear(),
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes[0] ^= 1,
        |bytes| bytes.iter_mut().for_each(|byte| *byte = 0),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x80;
        },
    ];
    for damage in damages {
        for path in entries(&folder) {
            let mut bytes = std::fs::read(&path).unwrap();
            damage(&mut bytes);
            std::fs::write(&path, bytes).unwrap();
        }
        assert_eq!(run(&mut command(&folder, "")), good);
        assert!(run(&mut command(&folder, "")).found, "it is stored again");
    }
    // Folders in the place of entries.
    for path in entries(&folder) {
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
    }
    assert_eq!(run(&mut command(&folder, "")), good);
}

#[test]
fn a_folder_that_cannot_be_written_costs_nothing() {
    let good = Ran { found: false, value: 42, log: 0 };
    // Permissions do not stop root; a file in the place of the folder does.
    let folder = scratch("file");
    std::fs::write(folder.join("hekla"), "").unwrap();
    assert_eq!(run(&mut command(&folder, "-w")), good);
    assert_eq!(run(&mut command(&folder.join("hekla"), "-w")), good);
    assert_eq!(run(&mut command(Path::new("/proc"), "-w")), good);

    let folder = scratch("read-only");
    let mode = |mode| {
        let ran = Command::new("chmod").arg(mode).arg(folder.join("hekla")).status();
        assert!(ran.unwrap().success());
    };
    std::fs::create_dir(folder.join("hekla")).unwrap();
    mode("u-w");
    assert_eq!(run(&mut command(&folder, "-w")), good);
    mode("u+w");
    run(&mut command(&folder, "-w"));
    mode("u-w");
    // Entries that are in the folder are still used.
    assert_eq!(run(&mut command(&folder, "-w")), Ran { found: true, ..good });
    mode("u+w");
}

#[test]
fn a_full_disk_costs_nothing() {
    let good = Ran { found: false, value: 42, log: 0 };
    let folder = scratch("full");
    // Every write of more than 100 bytes to a file would end the process.
    for _ in 0..2 {
        assert_eq!(run(command(&folder, "-w").env("HEKLA_TEST_SMALL_FILES", "1")), good);
    }
    // Opening the device stored entries before the limit was set: pipelines, and the driver's answers, of which those
    // about defects and filters are small. No entry is written in part.
    let small = |path: &PathBuf| std::fs::metadata(path).unwrap().len() <= 100;
    let small: Vec<_> = entries(&folder).into_iter().filter(small).collect();
    assert!(small.len() <= 2, "{small:?}");

    // A real disk that is full, where the machine lets us make one.
    let disk = folder.join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount = ["-t", "tmpfs", "-o", "size=4k", "none"];
    let mounted = Command::new("mount").args(mount).arg(&disk).stderr(Stdio::null()).status();
    if !mounted.is_ok_and(|status| status.success()) {
        skip("in part: no file system can be mounted here");
        return;
    }
    std::fs::write(disk.join("fill"), [1; 4096]).unwrap();
    let output = command(&disk, "-w").output();
    let left = entries(&disk);
    Command::new("umount").arg(&disk).status().unwrap();
    assert_eq!(ran(&output.unwrap()), good);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn processes_share_it() {
    let folder = scratch("shared");
    for round in 0..3 {
        let start = |_| -> Child {
            let mut command = command(&folder, &format!("-DROUND={round}"));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let processes: Vec<Child> = (0..6).map(start).collect();
        for process in processes {
            assert_eq!(ran(&process.wait_with_output().unwrap()).value, 42);
        }
        assert!(run(&mut command(&folder, &format!("-DROUND={round}"))).found);
    }
    let left = std::fs::read_dir(folder.join("hekla")).unwrap().count();
    assert_eq!(left, entries(&folder).len(), "nothing unfinished is left");
}

#[test]
fn its_size_is_bounded() {
    let folder = scratch("bounded");
    for number in 0..12 {
        // Programs of some 100 KB each.
        let table: String = (0..25_000).map(|i| format!("{},", i ^ number)).collect();
        let source = format!(
            "constant uint table[] = {{{table}}};
             kernel void run(global uint *out) {{ out[0] = table[*out & 1023]; }}"
        );
        let path = folder.join("table.h");
        std::fs::write(&path, source).unwrap();
        let include = format!("#include \"{}\"", path.display());
        let mut command = command(&folder, &format!("-DNUMBER={number}"));
        run(command.env("HEKLA_TEST_SOURCE", include).env("HEKLA_CACHE_SIZE", "1"));
    }
    let total: u64 = entries(&folder).iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(total <= 1 << 20, "{total} bytes");
    assert!(total > 1 << 18, "{total} bytes");
}
