//! `cargo xtask package --newcomer`: the steps of somebody who has a fresh Debian and has never heard of Hekla, with
//! the time of each: first with the source and README's commands, then with the packages.

use super::clean_root::{fresh_debian, inside, shown, timed, PROGRAM};
use super::write;
use crate::system::{self, capture, step};
use crate::Outcome;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The longest time that a step with a package may take.
const LIMIT: Duration = Duration::from_secs(60);

/// rustup's own program, which the script on its web page downloads.
const RUSTUP: &str =
    "https://static.rust-lang.org/rustup/dist/$(uname -m)-unknown-linux-gnu/rustup-init";

/// Goes through all steps in a fresh Debian. The packages are those that have just been made.
pub fn run(deb: &Path, wheel: &Path) -> Outcome {
    system::ensure_packages(&["debootstrap"])?;
    step("a fresh Debian");
    let root = fresh_debian()?;
    let walked = walk(&root, deb, wheel);
    std::fs::remove_dir_all(&root).map_err(|e| e.to_string())?;
    walked
}

fn walk(root: &Path, deb: &Path, wheel: &Path) -> Outcome {
    step("what README takes for granted: apt, cargo, the source");
    long(root, "apt-get install -y -qq --no-install-recommends ca-certificates curl git gcc libc6-dev > /dev/null")?;
    trust_as_here(root)?;
    let rust = format!(
        "curl -sSfo rustup-init {RUSTUP} && chmod +x rustup-init && ./rustup-init -y -q --profile minimal"
    );
    long(root, &rust)?;
    let mut clone = Command::new("git");
    clone.args(["clone", "--quiet", "--no-hardlinks", "."]).arg(root.join("root/hekla"));
    timed("git clone", || capture(&mut clone))?;
    step("README's commands");
    long(root, "cd hekla && cargo xtask demo")?;
    long(root, "cd hekla && cargo xtask run -- clinfo --list")?;
    inside(root, "rm -rf hekla/target .cargo .rustup .cache")?;
    step("the wheel");
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for package in [deb, wheel] {
        std::fs::copy(package, root.join("root").join(name(package)))
            .map_err(|e| format!("{}: {e}", package.display()))?;
    }
    write(&root.join("root/program.py"), PROGRAM)?;
    quick(root, "apt-get install -y -qq -t $(. /etc/os-release; echo $VERSION_CODENAME)-backports mesa-vulkan-drivers > /dev/null")?;
    quick(root, "python3 -m venv env")?;
    quick(root, &format!("env/bin/pip install -q pyopencl numpy ./{}", name(wheel)))?;
    quick(root, "env/bin/python3 program.py")?;
    finds_hekla(root, "OCL_ICD_VENDORS=$(env/bin/python3 -c 'import hekla_opencl as h; print(h.library())') clinfo --list")?;
    step("the Debian package");
    quick(root, &format!("apt-get install -y -qq ./{} > /dev/null", name(deb)))?;
    finds_hekla(root, "clinfo --list")?;
    quick(root, "heklac --explain").map(drop)
}

/// Runs clinfo and checks its output, since it ends without an error even if it finds no device.
fn finds_hekla(root: &Path, command: &str) -> Outcome {
    let list = quick(root, command)?;
    match list.contains("Platform #0: Hekla") && list.contains("Device #0") {
        true => Ok(()),
        false => Err(format!("`{command}` shows no device of Hekla")),
    }
}

/// Makes the root trust the certificates that this machine's administrator has added, a proxy's for instance.
fn trust_as_here(root: &Path) -> Outcome {
    let added = Path::new("usr/local/share/ca-certificates");
    for file in std::fs::read_dir(Path::new("/").join(added)).into_iter().flatten().flatten() {
        std::fs::copy(file.path(), root.join(added).join(file.file_name()))
            .map_err(|e| format!("{}: {e}", file.path().display()))?;
    }
    inside(root, "update-ca-certificates").map(drop)
}

/// Runs a command that may take long.
fn long(root: &Path, command: &str) -> Outcome {
    let start = Instant::now();
    shown(root, &format!("PATH=$PATH:/root/.cargo/bin; {command}"))?;
    println!("-- {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a command that may take no more than a minute, and returns its output.
fn quick(root: &Path, command: &str) -> Result<String, String> {
    let start = Instant::now();
    let text = shown(root, command)?;
    let took = start.elapsed();
    println!("-- {:.1} s", took.as_secs_f64());
    match took < LIMIT {
        true => Ok(text),
        false => Err(format!("`{command}` takes more than a minute")),
    }
}
