//! Tests of packages in places without Hekla: a fresh Debian in a folder, a fresh Python environment.

use super::{empty, write};
use crate::driver::Driver;
use crate::system::{self, capture};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A program that runs a kernel on Hekla's first device, even if there are other platforms, and prints the device's
/// name if the result is right.
pub const PROGRAM: &str = "\
import numpy as np
import pyopencl as cl
hekla = [platform for platform in cl.get_platforms() if platform.name == 'Hekla']
assert hekla, cl.get_platforms()
device = hekla[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
numbers = np.arange(100000, dtype=np.float32)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
program = cl.Program(context, 'kernel void k(global float *x) { size_t i = get_global_id(0); x[i] = x[i] * 2 + i; }')
cl.Kernel(program.build(), 'k')(queue, numbers.shape, None, buffer)
result = np.empty_like(numbers)
cl.enqueue_copy(queue, result, buffer)
assert (result == 3 * numbers).all()
print('a kernel ran on', device.platform.name, device.name)
";

/// Installs the Debian package with apt in a fresh Debian of this machine's release, and checks it with lintian.
pub fn test_deb(package: &Path) -> Outcome {
    system::ensure_packages(&["lintian", "debootstrap"])?;
    let mut lintian = Command::new("lintian");
    println!("{}", capture(lintian.args(["--fail-on", "error", "--allow-root"]).arg(package))?);
    let root = fresh_debian()?;
    let to = root.join("root/hekla.deb");
    std::fs::copy(package, &to).map_err(|e| format!("cannot copy the package: {e}"))?;
    write(&root.join("root/program.py"), PROGRAM)?;
    inside(&root, "apt-get install -y --no-install-recommends -t $(. /etc/os-release; echo $VERSION_CODENAME)-backports mesa-vulkan-drivers")?;
    timed("apt install", || {
        inside(&root, "apt-get install -y --no-install-recommends /root/hekla.deb")
    })?;
    inside(
        &root,
        "apt-get install -y --no-install-recommends clinfo python3-pyopencl ocl-icd-libopencl1",
    )?;
    timed("clinfo", || shown(&root, "clinfo --list"))?;
    shown(&root, "heklac --explain")?;
    shown(&root, "python3 /root/program.py")?;
    inside(&root, "apt-get remove -y --purge hekla")?;
    let left =
        shown(&root, "find / -xdev -name '*hekla*' -not -path '/root/*' -not -path '/proc/*'")?;
    match left.trim() {
        "" => Ok(()),
        left => Err(format!("removing the package leaves\\n{left}")),
    }
}

/// Installs the wheel in a fresh Python environment, beside pyopencl.
pub fn test_wheel(package: &Path) -> Outcome {
    let (environment, program) = fresh_python(Some(package))?;
    let mut run = Command::new(environment.join("bin/python3"));
    run.arg(&program).env_remove("OCL_ICD_VENDORS").env("HEKLA_CACHE", "0");
    Driver::Lavapipe.select(&mut run)?;
    timed("program", || capture(&mut run)).map(|text| print!("{text}"))
}

/// Unpacks the tarball and uses it as its script says.
pub fn test_tarball(package: &Path) -> Outcome {
    let (environment, program) = fresh_python(None)?;
    let folder = empty(system::target().join("packages/unpacked"))?;
    capture(
        Command::new("tar")
            .arg("-xf")
            .arg(package)
            .arg("-C")
            .arg(&folder)
            .arg("--strip-components=1"),
    )?;
    let python = environment.join("bin/python3");
    let script = format!(
        "eval \"$({}/setup.sh)\" && heklac --explain && {} {}",
        folder.display(),
        python.display(),
        program.display()
    );
    let mut run = Command::new("sh");
    run.args(["-c", &script]).env("HEKLA_CACHE", "0");
    Driver::Lavapipe.select(&mut run)?;
    println!("{}", capture(&mut run)?);
    std::fs::remove_dir_all(&folder).map_err(|e| e.to_string())
}

/// Returns a fresh Python environment with pyopencl and maybe a wheel, and the path of the program.
fn fresh_python(wheel: Option<&Path>) -> Result<(PathBuf, PathBuf), String> {
    let folder = empty(system::target().join("packages/python"))?;
    capture(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let program = folder.join("program.py");
    write(&program, PROGRAM)?;
    let mut install = Command::new(folder.join("bin/python3"));
    install.args(["-m", "pip", "install", "--quiet", "pyopencl", "numpy"]).args(wheel);
    timed("pip install", || capture(&mut install))?;
    Ok((folder, program))
}

/// Returns the root of a fresh Debian with this machine's sources of packages, and backports.
pub fn fresh_debian() -> Result<PathBuf, String> {
    let root = empty(system::target().join("packages/root"))?;
    let release =
        capture(Command::new("sh").args(["-c", ". /etc/os-release; echo $VERSION_CODENAME"]))?;
    let release = release.trim();
    let mut sources = Command::new("apt-get");
    let sources = capture(sources.args(["indextargets", "--format", "$(REPO_URI)"]))?;
    let main = |uri: &&str| uri.contains("/debian/") && !uri.contains("security");
    let mirror = sources.lines().find(main).ok_or("apt has no source of packages")?;
    let mut make = Command::new("debootstrap");
    timed("debootstrap", || {
        capture(make.args(["--variant=minbase", release]).arg(&root).arg(mirror))
    })?;
    let list = format!("deb {mirror} {release} main\ndeb {mirror} {release}-backports main\n");
    write(&root.join("etc/apt/sources.list"), &list)?;
    inside(&root, "apt-get update")?;
    Ok(root)
}

/// Runs a command in another root, in the home folder, and returns its output.
pub fn inside(root: &Path, command: &str) -> Result<String, String> {
    // Mounts hold for the command alone.
    let mount = "mount -t proc proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && \
                 exec chroot \"$0\" sh -c \"cd && $1\"";
    let mut run = Command::new("unshare");
    run.args(["--mount", "sh", "-c", mount]).arg(root).arg(command);
    run.env("DEBIAN_FRONTEND", "noninteractive").env("HOME", "/root");
    run.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    capture(&mut run)
}

/// Does the same as [`inside`], and prints the command.
pub fn shown(root: &Path, command: &str) -> Result<String, String> {
    println!("$ {command}");
    let text = inside(root, command)?;
    print!("{text}");
    Ok(text)
}

/// Prints the time that a step took.
pub fn timed<T>(what: &str, run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let start = Instant::now();
    let result = run()?;
    println!("{what}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(result)
}
