//! GEGL's operations, which are GIMP's, with OpenCL and without. Their kernels work on buffers.

use super::picture::{judge, Picture};
use super::{App, Bench, Check, Measure, DECIBELS};

/// Operations with their parameters.
#[rustfmt::skip]
const ROWS: &[&str] = &[
    "invert-linear",
    "brightness-contrast contrast=1.5 brightness=0.1",
    "exposure exposure=0.7 black-level=0.05",
    "levels in-low=0.1 in-high=0.8",
    "posterize levels=6",
    "threshold value=0.3",
    "mono-mixer red=0.5 green=0.4 blue=0.3",
    "color-temperature intended-temperature=9000",
    "value-invert",
    "stretch-contrast",
    "noise-hurl pct-random=30 seed=3",
    "noise-hsv seed=3",
    "red-eye-removal",
    "box-blur radius=5",
    "bilateral-filter blur-radius=5",
    "edge-laplace",
    "pixelize size-x=9 size-y=7",
    "motion-blur-linear length=20 angle=30",
];

pub fn app() -> App {
    let checks = ROWS.iter().map(|row| {
        let name = row.split(' ').next().unwrap_or(row);
        Check::new(name, move |bench: &Bench| check(row, bench))
    });
    App::new("gegl", &["gegl", "ffmpeg"], checks.collect())
        .what("GIMP's operations, against those without OpenCL")
}

fn check(row: &str, bench: &Bench) -> Measure {
    let mut source = bench.client(&bench.vendor, "ffmpeg")?;
    source.args(["-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "mandelbrot=s=640x480"]);
    bench.finish(source.args(["-frames:v", "1", "source.png"]))?;
    // GEGL does not choose a processor by itself.
    let device = if bench.vendor.is_cpu() { "cpu" } else { "gpu" };
    let picture = result(row, bench, device)?;
    let kernels = bench.kernels()?;
    let expected = result(row, bench, "no")?;
    Ok(format!("{} to the CPU's, {kernels}", judge(picture.psnr(&expected)?, DECIBELS)?))
}

/// Returns the picture that an operation makes.
fn result(row: &str, bench: &Bench, opencl: &str) -> Result<Picture, String> {
    let mut command = bench.client(&bench.vendor, "gegl")?;
    command.env("GEGL_USE_OPENCL", opencl).args(["source.png", "-o", "result.ppm", "--"]);
    let mut words = row.split(' ');
    command.arg(format!("gegl:{}", words.next().unwrap_or_default())).args(words);
    let log = bench.finish(&mut command)?;
    let picture = bench.folder.join("result.ppm");
    let result = Picture::read(&picture).map_err(|why| format!("{why}\n{}", super::tail(&log)));
    let _ = std::fs::remove_file(picture);
    result
}
