//! The disk cache: found by the next process, never believed when headers changed or bytes are
//! damaged, and nothing but a cache when its folder is full or read-only. Each use is a process of its
//! own, this binary again.

mod common;
use common::*;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::ptr::{null, null_mut};

const ROLE: &str = "HEKLA_TEST_ROLE";
const FOUND: &str = "cache: a program was found";

/// What the processes do: build a program, run it, and print what it computed. Ends at once in the
/// process of the tests.
#[test]
fn role() {
    let Ok(options) = std::env::var(ROLE) else { return };
    let s = Setup::new();
    if std::env::var_os("HEKLA_TEST_SMALL_FILES").is_some() {
        let limit = libc::rlimit { rlim_cur: 100, rlim_max: 100 };
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
    }
    let source = std::env::var("HEKLA_TEST_SOURCE").unwrap_or_else(|_| SOURCE.into());
    let program = match std::env::var(LINKING) {
        Ok(how) => linked(&s, &options, &how),
        Err(_) => s.program(&source, &options),
    };
    let kernel = s.kernel(program, "run");
    let out = s.buffer(0, 4);
    s.set(kernel, 0, &out);
    check(s.launch(kernel, &[1], None));
    let bytes = s.read(out, 0, 4);
    let log = s.build_log(program);
    println!("\nresult: {} {}", u32::from_le_bytes(bytes.try_into().unwrap()), log.len());
}

const SOURCE: &str = "
#ifdef HEADER
#include HEADER
#else
#define VALUE 41
#endif
#warning of something
kernel void run(global uint *out) { out[0] = VALUE + 1; }";

/// A folder for caches and headers, empty at first.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{name}"));
    let _ = Command::new("chmod").args(["-R", "u+w"]).arg(&folder).output();
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A process with its cache under `folder`.
fn command(folder: &Path, options: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "role", "--nocapture"])
        .env(ROLE, options)
        .env("HEKLA_CACHE", "1")
        .env("HEKLA_LOG", "debug")
        // Mesa's own cache would lie in the same folder, and does not bear what ours must. NVIDIA's would
        // answer first.
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("__GL_SHADER_DISK_CACHE", "0")
        .env("XDG_CACHE_HOME", folder);
    command
}

/// Whether the program came from the cache, and what it computed.
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

/// Whole entries.
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
    // The log comes with it.
    assert_eq!(run(&mut command(&folder, "")), Ran { found: true, ..first });
    // Options and text tell programs apart.
    assert_eq!(run(&mut command(&folder, "-w")), Ran { found: false, value: 42, log: 0 });
    let other = SOURCE.replace("41", "51");
    let other = run(command(&folder, "").env("HEKLA_TEST_SOURCE", other));
    assert_eq!((other.found, other.value), (false, 52));
}

/// Lavapipe and SwiftShader keep nothing of pipelines; see `core/cache/pipelines.rs` for a driver that does
/// and is on every machine.
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
    if entries(&folder).len() == 1 {
        println!("skipped: the driver keeps nothing of pipelines");
        return;
    }
    let second = made();
    println!("{first:#?}\n{second:#?}");
    assert_eq!(second.len(), first.len());
    for line in second {
        assert!(line.contains("the driver found it") || line.contains("does not tell"), "{line}");
    }
}

#[test]
fn off_means_off() {
    let folder = scratch("off");
    run(command(&folder, "").env("HEKLA_CACHE", "0"));
    assert!(!folder.join("hekla").exists());
    // Without a home there is none, either; a relative path is none.
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
    // A header of a header.
    std::fs::write(second.join("more.h"), "#define VALUE 7").unwrap();
    assert_eq!(go(), ran(false, 8));
    assert_eq!(go(), ran(true, 8));
    // One that now comes first.
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
    // Entries that are no files at all.
    for path in entries(&folder) {
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
    }
    assert_eq!(run(&mut command(&folder, "")), good);
}

#[test]
fn a_folder_that_cannot_be_written_costs_nothing() {
    let good = Ran { found: false, value: 42, log: 0 };
    // Permissions do not stop root; what is no folder does.
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
    // What is there is still used.
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
    assert!(entries(&folder).is_empty());

    // A real disk that is full, where the machine lets us make one.
    let disk = folder.join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount = ["-t", "tmpfs", "-o", "size=4k", "none"];
    let mounted = Command::new("mount").args(mount).arg(&disk).stderr(Stdio::null()).status();
    if !mounted.is_ok_and(|status| status.success()) {
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

/// How the processes make their program of two texts, if they do: a header for `value.h` or nothing, how
/// the second comes to the link, and options for the linker, by lines.
const LINKING: &str = "HEKLA_TEST_LINKING";

const MAIN: &str = "
int value(void);
kernel void run(global uint *out) { out[0] = value() + 1; }";
const PART: &str = "
#include <value.h>
#warning of something
int value(void) { return VALUE; }";

fn linked(s: &Setup, options: &str, how: &str) -> cl_program {
    let [header, way, link_options] = how.split('\n').collect::<Vec<_>>()[..] else {
        panic!("{how}")
    };
    let source = |text: &str| {
        let text = CString::new(text).unwrap();
        let pointer = text.as_ptr();
        made(|e| unsafe { (s.cl.clCreateProgramWithSource)(s.context, 1, &pointer, null(), e) })
    };
    let compiled = |text: &str| {
        let (program, options) = (source(text), CString::new(options).unwrap());
        let (headers, names) = (source(header), c"value.h".as_ptr());
        let (count, headers, names) = match header {
            "" => (0, null(), null()),
            _ => (1, &headers as *const _, &names as *const _),
        };
        let compile = s.cl.clCompileProgram;
        let (options, none) = (options.as_ptr(), None);
        check(unsafe {
            compile(program, 0, null(), options, count, headers, names, none, null_mut())
        });
        println!("\ncompiled: {}", s.build_log(program).len());
        program
    };
    let link = |options: &str, inputs: &[cl_program]| -> cl_program {
        let (options, count, none) = (CString::new(options).unwrap(), inputs.len() as u32, None);
        let (options, inputs) = (options.as_ptr(), inputs.as_ptr());
        let link = s.cl.clLinkProgram;
        made(|e| unsafe { link(s.context, 0, null(), options, count, inputs, none, null_mut(), e) })
    };
    let (main, part) = (compiled(MAIN), compiled(PART));
    let part = match way {
        "object" => part,
        "library" => link("-create-library", &[part]),
        "binary" => reloaded(s, part),
        _ => panic!("{way}"),
    };
    link(link_options, &[main, part])
}

/// The program made from the binary of another.
fn reloaded(s: &Setup, program: cl_program) -> cl_program {
    let query = s.cl.clGetProgramInfo;
    unsafe {
        let size: usize = value(|z, p, r| query(program, CL_PROGRAM_BINARY_SIZES, z, p, r));
        let mut binary = vec![0u8; size];
        let mut place = binary.as_mut_ptr();
        let places: *mut *mut u8 = &mut place;
        check(query(program, CL_PROGRAM_BINARIES, size_of::<usize>(), places.cast(), null_mut()));
        let (pointer, mut status) = (binary.as_ptr(), 1);
        let create = s.cl.clCreateProgramWithBinary;
        made(|e| create(s.context, 1, &s.device, &size, &pointer, &mut status, e))
    }
}

/// What came from the cache, and what was computed.
#[derive(Debug, PartialEq, Clone, Copy)]
struct Link {
    /// Texts of which it was known that they compile.
    objects: usize,
    program: bool,
    value: u32,
    /// Bytes of the second text's log.
    log: usize,
}

/// A process that links; `how` as in [`LINKING`].
fn link(folder: &Path, options: &str, how: [&str; 3]) -> Link {
    let output = command(folder, options).env(LINKING, how.join("\n")).output().unwrap();
    let value = ran(&output).value;
    let said = String::from_utf8_lossy(&output.stderr);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let logs: Vec<usize> =
        out.lines().filter_map(|line| line.strip_prefix("compiled: ")?.parse().ok()).collect();
    assert_eq!((logs.len(), logs[0]), (2, 0), "{out}");
    Link {
        objects: said.matches("cache: an object was found").count(),
        program: said.contains("cache: a linked program was found"),
        value,
        log: logs[1],
    }
}

#[test]
fn the_next_process_finds_what_was_linked() {
    let folder = scratch("linked");
    let go = |header, options| link(&folder, "", [header, "object", options]);
    let first = go("#define VALUE 41", "");
    assert_eq!((first.objects, first.program, first.value), (0, false, 42));
    assert!(first.log > 0, "the warning is in the log");
    assert_eq!(go("#define VALUE 41", ""), Link { objects: 2, program: true, ..first });
    // The objects are compiled again where they are needed.
    let relaxed = "-cl-fast-relaxed-math";
    assert_eq!(go("#define VALUE 41", relaxed), Link { objects: 2, ..first });
    assert_eq!(go("#define VALUE 41", relaxed), Link { objects: 2, program: true, ..first });
    // Embedded headers tell texts apart, also for those who do not include them.
    let other = go("#define VALUE 51", "");
    assert_eq!(other, Link { objects: 0, program: false, value: 52, ..first });
    assert_eq!(go("#define VALUE 51", ""), Link { objects: 2, program: true, ..other });
    // So do options.
    let defined = link(&folder, "-DX", ["#define VALUE 41", "object", ""]);
    assert_eq!(defined, first);
}

#[test]
fn libraries_and_binaries_are_told_apart() {
    let folder = scratch("libraries");
    for way in ["object", "library", "binary"] {
        let objects = if way == "object" { 0 } else { 2 };
        let first = link(&folder, "-w", ["#define VALUE 41", way, ""]);
        assert_eq!(first, Link { objects, program: false, value: 42, log: 0 }, "{way}");
        let second = link(&folder, "-w", ["#define VALUE 41", way, ""]);
        assert_eq!(second, Link { objects: 2, program: true, ..first }, "{way}");
    }
}

#[test]
fn objects_with_headers_on_disk_are_compiled_again() {
    let folder = scratch("linked-headers");
    let options = format!("-I {} -w", folder.display());
    let go = || link(&folder, &options, ["", "object", ""]);
    let found = |objects, program, value| Link { objects, program, value, log: 0 };
    let includes: String = (0..8).map(|i| format!("#include \"part{i}.h\"\n")).collect();
    std::fs::write(folder.join("value.h"), includes).unwrap();
    (0..7).for_each(|i| std::fs::write(folder.join(format!("part{i}.h")), "").unwrap());
    let last = folder.join("part7.h");
    std::fs::write(&last, "#define VALUE 6").unwrap();
    assert_eq!(go(), found(0, false, 7));
    // The other one has no headers.
    assert_eq!(go(), found(1, true, 7));
    std::fs::write(&last, "#define VALUE 7").unwrap();
    assert_eq!(go(), found(1, false, 8));
    assert_eq!(go(), found(1, true, 8));
}
