//! darktable develops a raw photograph: its kernels build, and its picture with OpenCL equals its picture without
//! OpenCL; the modules must have run on the device.

use super::picture::{judge, Picture};
use super::{dng, fresh, write, App, Bench, Check, Measure};
use std::process::Command;

/// The least signal-to-noise ratio, in decibels, between pictures with OpenCL and without it.
const AGREEMENT: f64 = 45.0;

/// The folder of darktable's kernels.
const KERNELS: &str = "/usr/share/darktable/kernels";

/// A module with its parameters as a history stack has them: the bytes of a struct.
struct Module {
    operation: &'static str,
    /// The module's name in the log.
    title: &'static str,
    version: u32,
    parameters: &'static str,
}

const fn module(
    operation: &'static str,
    title: &'static str,
    version: u32,
    parameters: &'static str,
) -> Module {
    Module { operation, title, version, parameters }
}

/// Modules that darktable does not apply to pictures by default.
const MODULES: &[Module] = &[
    module("sharpen", "sharpen", 1, "000000400000003f0000003f"),
    module("bilat", "local contrast", 3, "010000000000000000000000c3f5a83e0000003f"),
    module("soften", "soften", 1, "000048420000c842c3f5a83e00004842"),
    module("nlmeans", "astrophoto denoise", 2, "00000040000048420000003f0000803f"),
    module("hazeremoval", "haze removal", 1, "cdcc4c3ecdcc4c3e"),
    module("velvia", "velvia", 2, "0000c8410000803f"),
    module("colisa", "contrast brightness saturation", 1, "0000003fcdcccc3d0000003f"),
    module("monochrome", "monochrome", 2, "00000042000080423333134000000000"),
    module("splittoning", "split-toning", 1, "3fe9933d1f856b3f398ee33d1f856b3fae47213f00000000"),
    module(
        "graduatednd",
        "graduated density",
        1,
        "000000400000964200000000000048420000000000000000",
    ),
    module("lowpass", "lowpass", 4, "0000000000004842000080bf00000000000000000000000001000000"),
    module("relight", "fill light", 1, "0000803e0000803e00008040"),
    module("colorcorrection", "color correction", 1, "333373bf0000904033336340000000000000803f"),
    module("flip", "orientation", 2, "06000000"),
    // A rotation by five degrees.
    module("ashift", "rotate and perspective", 1, "0000a040000000000000000000000000"),
    module(
        "blurs",
        "blurs",
        1,
        "0000000008000000050000000000803f0000803f00000000000000000000000000000000",
    ),
    module(
        "diffuse",
        "diffuse or sharpen",
        2,
        "080000000000000008000000000040400000803f0000803f000000000000803f0000000000000000000080be0000003e000000bf0000803e00000000",
    ),
];

pub fn app() -> App {
    let mut checks = vec![Check::new("cltest", builds), Check::new("development", develops)];
    checks.extend(MODULES.iter().map(|module| {
        Check::new(module.operation, move |bench| compare(bench, Some(module), &[module.title]))
    }));
    App::new("darktable", &["darktable"], checks)
        .what("develops a raw photograph: each module against its code for processors")
}

/// Checks that all kernels build, and that darktable accepts the device.
fn builds(bench: &Bench) -> Measure {
    let mut command = client(bench, "darktable-cltest")?;
    command.args(["--conf", &device_setting(bench)]);
    let log = bench.finish(&mut command)?;
    let bad = ["failed to compile", "could not build", "NOT AVAILABLE"];
    let lines: Vec<&str> = log.lines().collect();
    if let Some(at) = lines.iter().position(|line| bad.iter().any(|bad| line.contains(bad))) {
        // The compiler's messages are in the lines around the failure.
        let around = at.saturating_sub(6)..(at + 12).min(lines.len());
        return Err(lines[around].join("\n"));
    }
    let list = std::fs::read_to_string(format!("{KERNELS}/programs.conf"));
    let programs = list.unwrap_or_default().lines().filter(|line| line.contains(".cl")).count();
    match log.contains("opencl is AVAILABLE") {
        true => Ok(format!("{programs} programs, OpenCL is available")),
        false => Err(format!("OpenCL is not said to be available\n{}", super::tail(&log))),
    }
}

/// Checks the modules that every raw photograph passes through.
fn develops(bench: &Bench) -> Measure {
    let titles = ["white balance", "demosaic", "exposure", "input color profile", "filmic rgb"];
    compare(bench, None, &titles)
}

/// Develops with OpenCL and without it; the named modules must have run on the device.
fn compare(bench: &Bench, module: Option<&Module>, titles: &[&str]) -> Measure {
    let folder = bench.folder.join("darktable");
    fresh(&folder)?;
    write(&folder.join("scene.dng"), dng::file())?;
    if let Some(module) = module {
        write(&folder.join("scene.xmp"), history(module))?;
    }
    let develop = |picture: &str, options: &[&str]| {
        let mut command = client(bench, "darktable-cli")?;
        command.arg(folder.join("scene.dng"));
        if module.is_some() {
            command.arg(folder.join("scene.xmp"));
        }
        command.arg(folder.join(picture)).args(["--core", "--library", ":memory:"]);
        let log = bench.finish(command.args(options))?;
        Ok::<_, String>((log, Picture::read(&folder.join(picture))?))
    };
    let (log, picture) =
        develop("device.ppm", &["--conf", &device_setting(bench), "-d", "opencl", "-d", "perf"])?;
    let ran = |place: &str| {
        log.lines().filter(|line| line.contains("processed `") && line.contains(place)).count()
    };
    for title in titles {
        let is_on_device = |line: &str| line.contains(&format!("processed `{title}' on GPU"));
        if !log.lines().any(is_on_device) {
            return Err(format!("{title} did not run on the device\n{}", super::tail(&log)));
        }
    }
    let kernels = bench.kernels()?;
    let (_, expected) = develop("processor.ppm", &["--disable-opencl"])?;
    let measure = judge(picture.psnr(&expected)?, AGREEMENT)?;
    let (device, all) = (ran("' on GPU"), ran("' on "));
    Ok(format!("{measure} to the CPU's, {device} of {all} modules on the device, {kernels}"))
}

fn client(bench: &Bench, program: &str) -> Result<Command, String> {
    let mut command = bench.client(&bench.vendor, program)?;
    if bench.vendor.is("pocl") {
        // It looks for included files here, but not in folders that are named within quotation marks.
        command.current_dir(KERNELS);
    }
    Ok(command)
}

/// Returns the setting that makes darktable use the device. By the eighth number darktable would disable a processor.
/// The ninth number is the time of a benchmark, by which it would disable a slow device; it runs the benchmark only for
/// 0.
fn device_setting(bench: &Bench) -> String {
    let device = bench.vendor.canonical_device();
    format!("cldevice_v4_{device}=0 250 0 16 16 128 0 0 0.001000 0.000")
}

/// Returns a history stack of one module.
fn history(module: &Module) -> String {
    let Module { operation, version, parameters, .. } = module;
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/"
    darktable:xmp_version="5" darktable:raw_params="0" darktable:auto_presets_applied="0"
    darktable:history_end="1" darktable:iop_order_version="2">
   <darktable:history>
    <rdf:Seq>
     <rdf:li darktable:num="0" darktable:operation="{operation}" darktable:enabled="1"
      darktable:modversion="{version}" darktable:params="{parameters}"
      darktable:multi_name="" darktable:multi_priority="0"/>
    </rdf:Seq>
   </darktable:history>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
"#
    )
}
