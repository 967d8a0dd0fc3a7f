//! ffmpeg's OpenCL filters on frames that it generates, against PoCL's frames and, where the filter on the processor
//! computes the same, against that filter's frames.

use super::picture::{judge, psnr};
use super::vendor::Vendor;
use super::{write, App, Bench, Check, Measure, DECIBELS};

/// Two moving pictures: one of flat colours and sharp edges, one of fine detail.
const SOURCES: [&str; 2] = [
    "testsrc2=s=320x240:r=10:d=0.5",
    "mandelbrot=s=320x240:r=10:start_scale=0.1:end_scale=0.01:end_pts=10",
];
const PROGRAM: &str = include_str!("program.cl");

/// How close frames must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bar {
    /// Byte for byte: the filter moves values, or computes what no rounding touches.
    Equal,
    /// Close by the signal-to-noise ratio.
    Close,
}

/// A filter with its parameters: `NAME_opencl=PARAMETERS`, or a kernel of `program.cl`.
struct Row {
    name: &'static str,
    /// The format of each input, with filters that make it.
    inputs: &'static [&'static str],
    filter: &'static str,
    parameters: &'static str,
    /// How close the frames must be to PoCL's.
    bar: Bar,
    /// How close they must be to the frames of the filter on the processor, where it computes the same.
    cpu: Option<Bar>,
}

const GREY: &[&str] = &["gray"];
const YUV: &[&str] = &["yuv420p"];
const RGBA: &[&str] = &["rgba"];
const TWO_YUV: &[&str] = &["yuv420p", "yuv420p"];
const TWO_RGBA: &[&str] = &["rgba", "rgba"];
/// The second picture is transparent in part.
const OVER_YUV: &[&str] = &["yuv420p", "rgba,colorkey=black:0.4:0.4,format=yuva420p"];
const OVER_RGBA: &[&str] = &["rgba", "rgba,colorkey=black:0.4:0.4"];

const fn row(
    name: &'static str,
    inputs: &'static [&'static str],
    filter: &'static str,
    parameters: &'static str,
    bar: Bar,
    cpu: Option<Bar>,
) -> Row {
    Row { name, inputs, filter, parameters, bar, cpu }
}

use Bar::{Close, Equal};
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("avgblur", YUV, "avgblur", "sizeX=3:sizeY=5", Close, None),
    row("avgblur rgba", RGBA, "avgblur", "sizeX=3", Close, None),
    row("boxblur", YUV, "boxblur", "lr=2:lp=1:cr=3:cp=1", Close, Some(Close)),
    row("boxblur twice", YUV, "boxblur", "lr=8:lp=2", Close, None),
    row("convolution 3x3", GREY, "convolution", "0m=1 2 1 2 4 2 1 2 1:0rdiv=0.0625", Close, Some(Close)),
    row("convolution 5x5", YUV, "convolution",
        "0m=-1 -1 -1 -1 -1 -1 2 2 2 -1 -1 2 8 2 -1 -1 2 2 2 -1 -1 -1 -1 -1 -1:0rdiv=0.125", Close, None),
    row("erosion", YUV, "erosion", "threshold0=80:coordinates=231", Equal, Some(Equal)),
    row("dilation", YUV, "dilation", "threshold0=80:coordinates=231", Equal, Some(Equal)),
    row("sobel", YUV, "sobel", "scale=2", Close, None),
    row("prewitt", YUV, "prewitt", "scale=2:delta=10", Close, None),
    row("roberts", YUV, "roberts", "scale=2", Close, None),
    row("unsharp", YUV, "unsharp", "lx=7:ly=5:la=1.5:ca=0.5", Close, None),
    row("unsharp wide", YUV, "unsharp", "lx=17:ly=17:la=-1.5", Close, None),
    row("nlmeans", YUV, "nlmeans", "s=3:p=5:r=7", Close, None),
    row("overlay", TWO_YUV, "overlay", "x=40:y=32", Equal, Some(Equal)),
    row("overlay alpha", OVER_YUV, "overlay", "x=40:y=32", Close, None),
    row("overlay alpha rgba", OVER_RGBA, "overlay", "x=40:y=32", Close, None),
    row("transpose", YUV, "transpose", "clock", Equal, Some(Equal)),
    row("transpose flip", RGBA, "transpose", "cclock_flip", Equal, Some(Equal)),
    row("pad", YUV, "pad", "w=iw+40:h=ih+30:x=10:y=20:color=olive", Equal, None),
    row("colorkey", RGBA, "colorkey", "color=red:similarity=0.3:blend=0.2", Close, None),
    row("program nearest", RGBA, "program", "shift", Equal, None),
    row("program linear", RGBA, "program", "turn", Close, None),
    row("program mirrored", RGBA, "program", "mirror", Equal, None),
    row("program of two", TWO_RGBA, "program", "comb:inputs=2", Equal, None),
    row("xfade fade", TWO_YUV, "xfade", "transition=fade:duration=0.3:offset=0.1", Close, None),
    row("xfade wipe", TWO_RGBA, "xfade", "transition=wipeleft:duration=0.3:offset=0.1", Equal, Some(Equal)),
    row("xfade slide", TWO_YUV, "xfade", "transition=slidedown:duration=0.3:offset=0.1", Equal, None),
];

pub fn app() -> App {
    let rows = ROWS.iter().map(|row| Check::new(row.name, move |bench| check(row, bench)));
    App::new("ffmpeg", &["ffmpeg"], rows.collect()).what("filters of video, against PoCL's frames")
}

fn check(row: &Row, bench: &Bench) -> Measure {
    write(&bench.folder.join("program.cl"), PROGRAM)?;
    let frames = frames(row, bench, Some(&bench.vendor))?;
    let count = bench.kernels()?;
    let mut words = vec![count];
    if !bench.vendor.is("pocl") {
        let others = self::frames(row, bench, Some(bench.reference.as_ref()?))?;
        words.push(format!("{} to PoCL", compare(&frames, &others, row.bar)?));
    }
    if let Some(bar) = row.cpu {
        let others = self::frames(row, bench, None)?;
        words.push(format!("{} to the CPU's filter", compare(&frames, &others, bar)?));
    }
    Ok(words.join(", "))
}

fn compare(frames: &[u8], others: &[u8], bar: Bar) -> Measure {
    if frames.len() != others.len() || frames.is_empty() {
        return Err(format!("{} bytes of {}", frames.len(), others.len()));
    }
    let bound = match bar {
        Bar::Equal => f64::MAX,
        Bar::Close => DECIBELS,
    };
    judge(psnr(frames, others, 255.0), bound).map_err(|why| format!("{why} where {bar:?} is due"))
}

/// Returns a row's frames, computed by a driver, or by the processor without a driver.
fn frames(row: &Row, bench: &Bench, vendor: Option<&Vendor>) -> Result<Vec<u8>, String> {
    let mut command = bench.client(vendor.unwrap_or(&bench.vendor), "ffmpeg")?;
    command.args(["-v", "error", "-nostdin", "-y"]);
    if vendor.is_some() {
        command.args(["-init_hw_device", "opencl=cl:0.0", "-filter_hw_device", "cl"]);
    }
    for source in SOURCES.iter().take(row.inputs.len()) {
        command.args(["-f", "lavfi", "-i", source]);
    }
    command.args(["-filter_complex", &graph(row, vendor.is_some()), "-frames:v", "5"]);
    command.args(["-f", "rawvideo", "frames"]);
    bench.finish(&mut command)?;
    std::fs::read(bench.folder.join("frames")).map_err(|e| format!("no frames: {e}"))
}

/// Returns the graph of filters: `[0:v]format=F,hwupload[i0]; [i0]FILTER,hwdownload,format=F`.
fn graph(row: &Row, on_device: bool) -> String {
    let (upload, download, suffix) = match on_device {
        true => (",hwupload", ",hwdownload", "_opencl"),
        false => ("", "", ""),
    };
    let input = |(n, format): (usize, &&str)| format!("[{n}:v]format={format}{upload}[i{n}];");
    let mut graph: String = row.inputs.iter().enumerate().map(input).collect();
    graph.extend((0..row.inputs.len()).map(|n| format!("[i{n}]")));
    let parameters = match row.filter {
        "program" => format!("source=program.cl:kernel={}", row.parameters),
        _ => row.parameters.to_string(),
    };
    graph + &format!("{}{suffix}={parameters}{download},format={}", row.filter, row.inputs[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_upload_what_the_filter_takes() {
        let row = row("", &["rgba", "gray"], "overlay", "x=1", Equal, None);
        assert_eq!(
            graph(&row, true),
            "[0:v]format=rgba,hwupload[i0];[1:v]format=gray,hwupload[i1];\
             [i0][i1]overlay_opencl=x=1,hwdownload,format=rgba"
        );
        assert_eq!(
            graph(&row, false),
            "[0:v]format=rgba[i0];[1:v]format=gray[i1];[i0][i1]overlay=x=1,format=rgba"
        );
    }
}
