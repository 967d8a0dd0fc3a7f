//! `cargo xtask demo`: real OpenCL programs, written by others, on this machine's Vulkan device.

use crate::system::{self, step};
use crate::{artifact, Outcome};

const PACKAGES: [&str; 6] =
    ["ocl-icd-libopencl1", "libvulkan1", "mesa-vulkan-drivers", "clinfo", "clpeak", "python3-venv"];

/// Installs, builds, and runs clinfo, a pyopencl Mandelbrot and clpeak.
pub fn run() -> Outcome {
    step("packages");
    system::ensure_packages(&PACKAGES)?;
    let python = system::python()?;
    step("building libhekla.so (release)");
    artifact::build()?;
    artifact::find_device()?;
    step("clinfo: the devices that Hekla offers");
    let list = system::capture(artifact::client("clinfo")?.arg("--list"))?;
    println!("{list}");
    if !list.contains("Device #") {
        return Err("no Vulkan device that Hekla can use; see above for why".to_string());
    }
    let info = system::capture(&mut artifact::client("clinfo")?)?;
    for line in info.lines().filter(|l| is_interesting(l)) {
        println!("{line}");
    }
    step("Mandelbrot with pyopencl: target/mandelbrot.png");
    let image = system::target().join("mandelbrot.png");
    system::run(artifact::client(&python)?.arg("examples/mandelbrot.py").arg(&image))?;
    step("clpeak");
    system::run(&mut artifact::client("clpeak")?)?;
    println!("\nAll of it ran on Vulkan through libhekla.so. Your own program:");
    println!("  cargo xtask run -- PROGRAM ARGS");
    Ok(())
}

fn is_interesting(line: &str) -> bool {
    let names =
        ["Device Name", "Device Type", "Device Version", "Driver Version", "Global memory size"];
    names.iter().any(|name| line.trim_start().starts_with(name))
}
