//! Developer commands of Hekla: `cargo xtask COMMAND`.

mod apps;
mod artifact;
mod attack;
mod bench;
mod checks;
mod corpus;
mod cts;
mod demo;
mod differ;
mod docs;
mod driver;
mod fuzz;
mod gpus;
mod hashcat;
mod header;
mod heard;
mod ingest;
mod install;
mod instructions;
mod layering;
mod mesa;
mod package;
mod platform;
mod platforms;
mod pool;
mod reference;
mod release;
mod soak;
mod system;
mod system_code;
mod test;
mod ulp;
mod vendors;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  demo                      install what is missing, then run clinfo, a Mandelbrot and clpeak on
                            the best Vulkan device of this machine
  test [--drivers all | --limit-to NAME]
                            install what is missing, then run every check and test on lavapipe and SwiftShader; all:
                            also on lavapipe of Debian unstable; NAME: the Python suite alone, on lavapipe that is
                            restricted to a device file (vk-backend/devices)
  check                     the checks of the source that test begins with: format, lints,
                            documentation, imports between folders, the C header
  run -- PROGRAM ARGS...    run a program with Hekla as its only OpenCL platform
  install [--prefix DIR] [--libdir DIR] [--destdir DIR]
                            install library, hekla.icd, heklac, header and manual pages (default prefix: /usr)
  package [deb] [wheel] [tarball] [recipes] [--test | --newcomer]
                            make packages under target/packages; --test installs each in a clean place and runs
                            clinfo and a kernel there; --newcomer follows README in a fresh Debian and times it
  cts --bin DIR [--group NAME]... [--subtest NAME] [--driver NAME] [--jobs N] [--devices N]
      [--limit SECONDS] [--library FILE] [--record] [--results DIR]
                            run Khronos CTS binaries as cts-config/ describes; --devices: spread over so many devices
  bench [--out FILE] [--plot FILE.svg [--from TABLE.md]] [--library FILE] [--vendors DIR] [--vulkan PROGRAM] [--skip NAME]... [--only TEXT]...
                            measure all OpenCL platforms side by side with Hekla
  corpus [--dir DIR] [--validate] [--minimal] [--only TEXT] [--threads N] [--vector N]
                            compile every program of hashcat, darktable, ufo-filters, silx, pyFAI,
                            clpeak, CLBlast, llama.cpp and Khronos's dumps of CTS kernels
  docs [--check]            check that what the documents link to is there and that the commands that they show
                            work; --check: run none of them
  platforms [NAME...] [--check] [--only TEXT]
                            build for 64-bit ARM and Windows and run the compiler's tests in QEMU and Wine;
                            type-check for macOS and Android; --check: type-check for all; --only: those test
                            programs whose name has the text
  fuzz [TARGET...] [--minutes N]
                            fuzz preprocessor, parser, lowering and IR reader (60 minutes)
  differ [--count N] [--first N] [--programs DIR] [--library FILE] [--vendors DIR] [--skip NAME]
  differ --ingest [--driver NAME]
                            run random programs with one right result on all OpenCL platforms
  reference [--first N] [--count N]
                            the same programs in a SPIR-V interpreter, as devices of several kinds,
                            against the C compiler's result
  gpus [NAME...] [--suite unstable|trixie] [--only kernels|conformance] [--corpus TEXT]...
       [--compiler FILE] [--record | --bless]
                            compile programs for GPUs that are not here, and make their pipelines with those GPUs' own
                            compilers, which Mesa's stand-ins for the kernel open; --record writes docs/gpus.md,
                            --bless the budgets that `test` holds three of them to
  hashcat [--driver NAME] [--library FILE] [--hashcat FILE] [--modes N,N...] [--pure] [--seconds N]
                            hashcat tests itself and cracks an example hash in each of 41 modes
  apps [NAME...] [--vendor NAME] [--vendors DIR] [--driver NAME] [--library FILE] [--seconds N]
       [--beside NAME] [--record DEVICE] [--prepared FOLDER] [--jobs N]
                            programs of Debian, PyPI and public repositories, their results checked: ffmpeg,
                            darktable, OpenCV, GEGL, llama.cpp and SYCL against PoCL or the processor, others by
                            their own tests; --beside measures another driver, --record writes docs/programs.md;
                            --prepared takes them from a folder where nothing can be installed; --jobs: so many
                            programs at once
  soak [--minutes N] [--threads N] [--seed N] [--scene TEXT] [--devices N] [--losses N] [--driver NAME] [--race]
                            threads create, use and release every kind of object at random, under
                            synchronization validation or, with --race, ThreadSanitizer; N processes lose their device
  attack [KIND...] [--minutes N] [--count N] [--seed N] [--jobs N] [--driver NAME] [--library FILE]
         [--with story]
                            attack the library, for a minute each kind, or so many cases from a seed on:
                            sequences: random sequences of commands against a model (--with story: standard
                            error has each step, which is shown where a sequence crashes)
                            binaries, modules, texts: program binaries, SPIR-V and OpenCL C, changed
                            (--with build-only: binaries launch nothing; --with launch: the others do)
                            cache: a disk cache with entries damaged, forged and exchanged
                            faults: no memory, no threads, huge sizes, signals, forks (--with CASE: one of its cases)
  attack growth | bombs [--compiler FILE] [--only TEXT]
                            what the compiler takes for programs of twice the size, and for small ones that want much
  ulp [--arguments N] [--exhaustive] [--only NAME]... [--type TYPE] [--library FILE] [--vendors DIR]
      [--skip NAME] [--results DIR] [--seconds N] [--render]
                            measure the errors of the math functions, for docs/accuracy.md
  instructions [--library FILE] [--driver NAME]
                            count the host's instructions in launches and in clSetKernelArg (valgrind)
  release [--notes]         print what a release of this version would be, and what is missing for it;
                            --notes: its section of the changelog
  header                    write include/hekla.h anew";

/// The result of a command: nothing, or a message for the person who ran it.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let outcome = match command {
        "demo" => demo::run(),
        "test" => test::run(rest),
        "check" => checks::run_all(),
        "run" => artifact::run_program(rest),
        "install" => install::run(rest),
        "package" => package::run(rest),
        "cts" => cts::run(rest),
        "bench" => bench::run(rest),
        "corpus" => corpus::run_command(rest),
        "docs" => docs::run(rest),
        "platforms" => platforms::run(rest),
        "fuzz" => fuzz::run_command(rest),
        "differ" => differ::run(rest),
        "reference" => reference::run(rest),
        "gpus" => gpus::run(rest),
        "hashcat" => hashcat::run(rest),
        "apps" => apps::run(rest),
        "soak" => soak::run_command(rest),
        "attack" => attack::run(rest),
        "ulp" => ulp::run(rest),
        "instructions" => instructions::run(rest),
        "release" => release::run(rest),
        "header" => header::write(),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => Err(format!("unknown command '{other}'\n\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
