//! OpenCV's functions on UMat, each against the same function on the processor. OpenCV falls back to the processor
//! without a message, so kernels are counted.

use super::picture::judge;
use super::{App, Bench, Check, Measure, DECIBELS};

const SCRIPT: &str = include_str!("opencv.py");

/// Expressions on the script's pictures.
#[rustfmt::skip]
const ROWS: &[(&str, &str)] = &[
    ("resize nearest", "cv2.resize(u(colour), (400, 300), interpolation=cv2.INTER_NEAREST)"),
    ("resize linear", "cv2.resize(u(colour), (700, 500), interpolation=cv2.INTER_LINEAR)"),
    ("resize linear float", "cv2.resize(u(grey.astype(np.float32)), (700, 500), interpolation=cv2.INTER_LINEAR)"),
    ("resize area", "cv2.resize(u(colour), (256, 192), interpolation=cv2.INTER_AREA)"),
    ("blur", "cv2.blur(u(colour), (7, 5))"),
    ("GaussianBlur", "cv2.GaussianBlur(u(colour), (9, 9), 2)"),
    ("medianBlur", "cv2.medianBlur(u(colour), 5)"),
    ("warpAffine nearest", "cv2.warpAffine(u(colour), turn, (512, 384), flags=cv2.INTER_NEAREST)"),
    ("warpAffine linear", "cv2.warpAffine(u(colour), turn, (512, 384), flags=cv2.INTER_LINEAR)"),
    ("warpAffine cubic", "cv2.warpAffine(u(colour), turn, (512, 384), flags=cv2.INTER_CUBIC)"),
    ("warpPerspective", "cv2.warpPerspective(u(colour), perspective, (512, 384))"),
    ("remap nearest", "cv2.remap(u(colour), u(waves[0]), u(waves[1]), cv2.INTER_NEAREST)"),
    ("remap linear", "cv2.remap(u(colour), u(waves[0]), u(waves[1]), cv2.INTER_LINEAR)"),
    ("Canny", "cv2.Canny(u(grey), 30, 80)"),
    ("Canny L2", "cv2.Canny(u(grey), 30, 80, L2gradient=True)"),
    ("HOG", "hog.compute(u(grey[:256, :192].copy()))"),
    ("matchTemplate", "cv2.matchTemplate(u(grey), u(grey[100:140, 200:260].copy()), cv2.TM_CCOEFF_NORMED)"),
    ("matchTemplate small", "cv2.matchTemplate(u(colour), u(colour[100:110, 200:210].copy()), cv2.TM_SQDIFF)"),
];

pub fn app() -> App {
    let checks = ROWS
        .iter()
        .map(|&(name, expression)| Check::new(name, move |bench: &Bench| check(expression, bench)));
    App::new("opencv", &["python3-opencv"], checks.collect())
        .what("functions on UMat, against the same on the processor")
}

fn check(expression: &str, bench: &Bench) -> Measure {
    // Debian's Python, which has Debian's packages.
    let mut command = bench.client(&bench.vendor, "/usr/bin/python3")?;
    // A GPU if there is one, else the processor.
    command.env("OPENCV_OPENCL_DEVICE", "::").args(["-c", SCRIPT, expression]);
    let output = bench.finish(&mut command)?;
    let psnr = output.lines().find_map(|line| line.strip_prefix("psnr ")?.parse::<f64>().ok());
    let psnr = psnr.ok_or_else(|| format!("no result\n{}", super::tail(&output)))?;
    let kernels = bench.kernels()?;
    Ok(format!("{} to the CPU's, {kernels}", judge(psnr, DECIBELS)?))
}
