//! The measurements: each metric is a function of a session that checks its own result.

use super::arithmetic::{rate, Steps};
use super::cl::{Access, Order, Result, Session};
use super::command_buffer::CommandBuffer;
use super::images::{self, Direction, Filter, Shape, Texel};
use super::kinds::{self, Pause};
use super::matrices;
use super::overlap;
use super::scale::Scale;
use super::text::{self, Large, LARGE_LOCAL};
use std::time::{Duration, Instant};

/// A shorter sample would measure the clock rather than the driver.
const SAMPLE: Duration = Duration::from_millis(40);
/// Work-items per group.
pub const LOCAL: usize = 256;

/// The direction in which a value improves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Better {
    More,
    Less,
}

/// One line of the table.
pub struct Metric {
    pub name: &'static str,
    pub unit: &'static str,
    pub better: Better,
    pub measure: fn(&Session, &Scale) -> Result<f64>,
}

const fn less(
    name: &'static str,
    unit: &'static str,
    measure: fn(&Session, &Scale) -> Result<f64>,
) -> Metric {
    Metric { name, unit, better: Better::Less, measure }
}

const fn more(
    name: &'static str,
    unit: &'static str,
    measure: fn(&Session, &Scale) -> Result<f64>,
) -> Metric {
    Metric { name, unit, better: Better::More, measure }
}

/// The inverse of this measurement is a line of its own.
pub const DEPENDENT_LAUNCH: &str = "dependent launch in a batch";

/// All measurements that are made within one process.
pub const METRICS: &[Metric] = &[
    less("build, 1 line", "ms", |s, _| build_small(s, false)),
    less("build and first run, 1 line", "ms", |s, _| build_small(s, true)),
    less("build, 200 lines", "ms", |s, _| build_large(s, false)),
    less("build and first run, 200 lines", "ms", |s, _| build_large(s, true)),
    less("first launch and finish, 0.2 s after its kernel was created", "ms", first_launch),
    less(DEPENDENT_LAUNCH, "us", |s, _| Ok(launch(s)? * 1e6)),
    less("dependent launch in a command buffer of 100", "us", |s, _| Ok(replayed_launch(s)? * 1e6)),
    less("one launch and finish", "us", launch_and_finish),
    less("command buffer of 100 launches and finish", "us", replay_and_finish),
    less("launch behind one in another queue", "us", |s, _| {
        overlap::behind_another_queue(s, Order::Given)
    }),
    less("launch behind one in another queue, out of order", "us", |s, _| {
        overlap::behind_another_queue(s, Order::Any)
    }),
    less("8 independent kernels in an out-of-order queue", "x one", |s, _| {
        overlap::out_of_order(s)
    }),
    less("8 independent kernels in 8 queues", "x one", |s, _| overlap::in_queues(s)),
    less("8 independent kernels in a command buffer", "x one", |s, _| {
        overlap::in_command_buffer(s)
    }),
    less("blocking read of 4 bytes", "us", |s, _| small_read(s, false)),
    less("launch and blocking read of 4 bytes", "us", |s, _| small_read(s, true)),
    more("write", "GB/s", write),
    more("read", "GB/s", read),
    more("map, fill, unmap", "GB/s", map_write),
    more("map, read, unmap", "GB/s", map_read),
    more("copy of buffers", "GB/s", copy),
    more("STREAM copy", "GB/s", |s, scale| stream(s, scale, "copy", LOCAL)),
    more("STREAM triad", "GB/s", |s, scale| stream(s, scale, "triad", LOCAL)),
    more("STREAM triad, local size 1", "GB/s", |s, scale| stream(s, scale, "triad", 1)),
    more("STREAM triad, local size 8", "GB/s", |s, scale| stream(s, scale, "triad", 8)),
    more("STREAM triad, local size 32", "GB/s", |s, scale| stream(s, scale, "triad", 32)),
    more("STREAM triad by group ids, local size 1", "GB/s", |s, scale| {
        stream(s, scale, "triad_by_groups", 1)
    }),
    more("float mad", "GFLOP/s", |s, scale| chain(s, scale, "float", "mad(x, a, b)", 1f32)),
    more("float fma", "GFLOP/s", |s, scale| chain(s, scale, "float", "fma(x, a, b)", 1f32)),
    more("int multiply and add", "GOP/s", |s, scale| chain(s, scale, "int", "(x * a + b)", 1i32)),
    more("double mad", "GFLOP/s", double),
    more("float a * x + b", "GFLOP/s", |s, scale| rate(s, scale, &Steps::of("a * x + b"))),
    more("float a * x + b, -cl-fast-relaxed-math", "GFLOP/s", |s, scale| {
        rate(s, scale, &Steps { options: "-cl-fast-relaxed-math", ..Steps::of("a * x + b") })
    }),
    more("float mad, one chain", "GFLOP/s", |s, scale| {
        rate(s, scale, &Steps { chains: 1, ..Steps::of("mad(a, x, b)") })
    }),
    more("half mad", "GFLOP/s", |s, scale| {
        rate(s, scale, &Steps::halves("half", 1, "mad(a, x, b)"))
    }),
    more("half2 mad", "GFLOP/s", |s, scale| {
        rate(s, scale, &Steps::halves("half2", 2, "mad(a, x, b)"))
    }),
    more("half2 a * x + b", "GFLOP/s", |s, scale| {
        rate(s, scale, &Steps::halves("half2", 2, "a * x + b"))
    }),
    more("half4 mad", "GFLOP/s", |s, scale| {
        rate(s, scale, &Steps::halves("half4", 4, "mad(a, x, b)"))
    }),
    more("SGEMM, tiled", "GFLOP/s", sgemm),
    more("reduction", "GB/s", reduction),
    more("image read, 2D float4, nearest", "GB/s", |s, scale| {
        images::transfer(s, scale, Shape::D2, Texel::Float4, Direction::Read(Filter::Nearest))
    }),
    more("image read, 2D float4, linear", "GB/s", |s, scale| {
        images::transfer(s, scale, Shape::D2, Texel::Float4, Direction::Read(Filter::Linear))
    }),
    more("image read, 2D uchar4, nearest", "GB/s", |s, scale| {
        images::transfer(s, scale, Shape::D2, Texel::Bytes, Direction::Read(Filter::Nearest))
    }),
    more("image read, 2D uchar4, linear", "GB/s", |s, scale| {
        images::transfer(s, scale, Shape::D2, Texel::Bytes, Direction::Read(Filter::Linear))
    }),
    more("image read, 3D float4, nearest", "GB/s", |s, scale| {
        images::transfer(s, scale, Shape::D3, Texel::Float4, Direction::Read(Filter::Nearest))
    }),
    more("image write, 2D float4", "GB/s", |s, scale| {
        images::transfer(s, scale, Shape::D2, Texel::Float4, Direction::Write)
    }),
    more("image write, 2D uchar4", "GB/s", |s, scale| {
        images::transfer(s, scale, Shape::D2, Texel::Bytes, Direction::Write)
    }),
    more("image write, 3D float4", "GB/s", |s, scale| {
        images::transfer(s, scale, Shape::D3, Texel::Float4, Direction::Write)
    }),
    less("launch with 8 buffers, set anew", "us", |s, _| images::launch_with_buffers(s)),
    less("launch with 8 images, set anew", "us", |s, _| images::launch_with_images(s)),
    less("build and first run, 24 functions that call sin of float4", "ms", |s, _| {
        kinds::many_sines(s)
    }),
    more("first 10 ms behind 0.1 s of rest", "x steady", |s, scale| rest(s, scale, 100)),
    more("first 10 ms behind 1 s of rest", "x steady", |s, scale| rest(s, scale, 1000)),
    more("first 10 ms behind 4 s of rest", "x steady", |s, scale| rest(s, scale, 4000)),
    more("first 10 ms behind a write of 512 MiB", "x steady", |s, scale| {
        kinds::behind(s, scale, &Pause::Write(512 << 20))
    }),
    more("SGEMM, 8 x 8 results for each work-item", "GFLOP/s", kinds::sgemm),
    more(matrices::HALF.name, "GFLOP/s", |s, scale| matrices::gemm(s, scale, &matrices::HALF)),
    more(matrices::BFLOAT16.name, "GFLOP/s", |s, scale| {
        matrices::gemm(s, scale, &matrices::BFLOAT16)
    }),
    more(matrices::CHAR.name, "GFLOP/s", |s, scale| matrices::gemm(s, scale, &matrices::CHAR)),
    more("bodies, tile of float4", "G/s", |s, scale| kinds::bodies(s, scale, "float")),
    more("bodies, tile of double4", "G/s", |s, scale| kinds::bodies(s, scale, "double")),
    more("particles in boxes, float", "G/s", |s, scale| kinds::boxes(s, scale, "float")),
    more("particles in boxes, double", "G/s", |s, scale| kinds::boxes(s, scale, "double")),
    more("particles with neighbours, double", "G/s", kinds::neighbours),
    more("stencil of 27 points, local size left open", "G/s", kinds::stencil),
    more("Fourier transforms of 1,024 points", "GFLOP/s", kinds::fourier),
    more("random numbers by shifts", "G/s", kinds::random),
];

/// Returns the seconds of one repetition, from a long enough sample; `run` does a number of repetitions and waits.
pub fn repeat(limit: usize, mut run: impl FnMut(usize) -> Result<()>) -> Result<f64> {
    run(1)?;
    let mut count = 1;
    loop {
        let start = Instant::now();
        run(count)?;
        let elapsed = start.elapsed();
        if elapsed >= SAMPLE || count >= limit {
            return Ok(elapsed.as_secs_f64() / count as f64);
        }
        let wanted = SAMPLE.as_secs_f64() / elapsed.as_secs_f64().max(1e-9) * 1.2;
        count = ((count as f64 * wanted.clamp(2.0, 20.0)) as usize).min(limit);
    }
}

/// Returns the median of single, separately timed repetitions, in seconds.
pub fn median_of_singles(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    run()?;
    let (mut times, start) = (Vec::new(), Instant::now());
    while times.len() < 15 || (times.len() < 1000 && start.elapsed() < 3 * SAMPLE) {
        let before = Instant::now();
        run()?;
        times.push(before.elapsed().as_secs_f64());
    }
    Ok(median(&mut times))
}

/// Returns the median; NaN if there are no values.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

/// Returns an error unless a result is right.
pub fn expect(right: bool, what: &str) -> Result<()> {
    match right {
        true => Ok(()),
        false => Err(format!("WRONG RESULT of {what}")),
    }
}

/// Returns milliseconds to build a new one-line kernel, and to run it if `run` is set.
fn build_small(s: &Session, run: bool) -> Result<f64> {
    let seed = text::new_seed();
    let source = text::one_line(seed);
    let buffer = s.buffer_of(&[1u32; 64])?;
    s.finish()?;
    let start = Instant::now();
    let kernel = s.build(&source, "add", "")?;
    let mut elapsed = start.elapsed();
    kernel.set_buffers(&[&buffer])?;
    s.launch(&kernel, &[64], &[64])?;
    s.finish()?;
    if run {
        elapsed = start.elapsed();
    }
    let mut out = [0u32; 64];
    s.read(&buffer, 0, &mut out)?;
    expect(out == [seed.wrapping_add(1); 64], "the one-line kernel")?;
    Ok(elapsed.as_secs_f64() * 1e3)
}

/// Returns milliseconds of the first launch, with many work-items, of a kernel that was created a while before, to its end.
fn first_launch(s: &Session, _: &Scale) -> Result<f64> {
    const ITEMS: usize = 1 << 18;
    let seed = text::new_seed();
    let kernel = s.build(&text::one_line(seed), "add", "")?;
    let buffer = s.buffer_of(&vec![1u32; ITEMS])?;
    kernel.set_buffers(&[&buffer])?;
    s.finish()?;
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    s.launch(&kernel, &[ITEMS], &[LOCAL])?;
    s.finish()?;
    let elapsed = start.elapsed();
    let mut out = vec![0u32; ITEMS];
    s.read(&buffer, 0, &mut out)?;
    expect(out.iter().all(|word| *word == seed.wrapping_add(1)), "the first launch")?;
    Ok(elapsed.as_secs_f64() * 1e3)
}

/// Returns milliseconds to build a new kernel of 200 lines, and to run it if `run` is set.
fn build_large(s: &Session, run: bool) -> Result<f64> {
    let large = Large::new(text::new_seed());
    let input: Vec<u32> = (0..LARGE_LOCAL as u32).collect();
    let buffers = [s.buffer(4 * LARGE_LOCAL)?, s.buffer_of(&input)?, s.buffer(4 * LARGE_LOCAL)?];
    s.finish()?;
    let start = Instant::now();
    let kernel = s.build(&large.source, "large", "")?;
    let mut elapsed = start.elapsed();
    kernel.set_buffers(&[&buffers[0], &buffers[1], &buffers[2]])?;
    s.launch(&kernel, &[LARGE_LOCAL], &[LARGE_LOCAL])?;
    s.finish()?;
    if run {
        elapsed = start.elapsed();
    }
    let mut out = [0u32; LARGE_LOCAL];
    s.read(&buffers[0], 0, &mut out)?;
    let right = out.iter().zip(&input).all(|(o, i)| *o == large.expected(*i));
    expect(right, "the kernel of 200 lines")?;
    Ok(elapsed.as_secs_f64() * 1e3)
}

/// Returns the rate of [`kinds::behind`], after milliseconds of rest.
fn rest(s: &Session, scale: &Scale, milliseconds: u64) -> Result<f64> {
    kinds::behind(s, scale, &Pause::Rest(Duration::from_millis(milliseconds)))
}

const INCREMENT: &str = "kernel void increment(global uint *a) { a[get_global_id(0)]++; }";

/// Seconds of a launch among many that depend on each other.
fn launch(s: &Session) -> Result<f64> {
    let kernel = s.build(INCREMENT, "increment", "")?;
    let buffer = s.buffer_of(&[0u32; 64])?;
    kernel.set_buffers(&[&buffer])?;
    let mut total = 0;
    let seconds = repeat(50_000, |count| {
        for _ in 0..count {
            s.launch(&kernel, &[64], &[64])?;
        }
        total += count as u32;
        s.finish()
    })?;
    let mut out = [0u32; 64];
    s.read(&buffer, 0, &mut out)?;
    expect(out == [total; 64], "dependent launches")?;
    Ok(seconds)
}

/// Launches in the command buffers below.
const RECORDED: usize = 100;

/// Seconds of a launch among many that depend on each other, recorded once and replayed.
fn replayed_launch(s: &Session) -> Result<f64> {
    let kernel = s.build(INCREMENT, "increment", "")?;
    let buffer = s.buffer_of(&[0u32; 64])?;
    kernel.set_buffers(&[&buffer])?;
    let recorded = CommandBuffer::of_launches(s, &kernel, RECORDED, (64, 64))?;
    let mut total = 0;
    let seconds = repeat(500, |count| {
        (0..count).try_for_each(|_| recorded.replay())?;
        total += (count * RECORDED) as u32;
        s.finish()
    })?;
    let mut out = [0u32; 64];
    s.read(&buffer, 0, &mut out)?;
    expect(out == [total; 64], "replayed launches")?;
    Ok(seconds / RECORDED as f64)
}

/// Microseconds of a replay that is waited for.
fn replay_and_finish(s: &Session, _: &Scale) -> Result<f64> {
    let kernel = s.build(INCREMENT, "increment", "")?;
    let buffer = s.buffer_of(&[0u32; 64])?;
    kernel.set_buffers(&[&buffer])?;
    let recorded = CommandBuffer::of_launches(s, &kernel, RECORDED, (64, 64))?;
    let seconds = median_of_singles(|| {
        recorded.replay()?;
        s.finish()
    })?;
    Ok(seconds * 1e6)
}

/// Microseconds of a launch that is waited for.
fn launch_and_finish(s: &Session, _: &Scale) -> Result<f64> {
    let kernel = s.build(INCREMENT, "increment", "")?;
    let buffer = s.buffer_of(&[0u32; 64])?;
    kernel.set_buffers(&[&buffer])?;
    let seconds = median_of_singles(|| {
        s.launch(&kernel, &[64], &[64])?;
        s.finish()
    })?;
    Ok(seconds * 1e6)
}

/// Returns microseconds of a blocking read of 4 bytes, behind a launch if `behind_launch` is set.
fn small_read(s: &Session, behind_launch: bool) -> Result<f64> {
    let kernel = s.build(INCREMENT, "increment", "")?;
    let buffer = s.buffer_of(&[0u32; 64])?;
    kernel.set_buffers(&[&buffer])?;
    let (mut out, mut total) = ([0u32], 0);
    let seconds = median_of_singles(|| {
        if behind_launch {
            s.launch(&kernel, &[64], &[64])?;
            total += 1;
        }
        s.read(&buffer, 0, &mut out)
    })?;
    expect(out[0] == total, "a read behind a launch")?;
    Ok(seconds * 1e6)
}

/// Returns bytes that a host fills buffers with.
fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i ^ (i >> 8)) as u8).collect()
}

/// Checks that the last bytes of a buffer hold the pattern.
fn expect_pattern(s: &Session, buffer: &super::cl::Buffer, host: &[u8], what: &str) -> Result<()> {
    let mut tail = [0u8; 64];
    s.read(buffer, host.len() - 64, &mut tail)?;
    expect(tail == host[host.len() - 64..], what)
}

fn write(s: &Session, scale: &Scale) -> Result<f64> {
    let host = pattern(scale.transfer);
    let buffer = s.buffer(host.len())?;
    let seconds = repeat(1000, |count| (0..count).try_for_each(|_| s.write(&buffer, &host)))?;
    expect_pattern(s, &buffer, &host, "a write")?;
    Ok(host.len() as f64 / seconds / 1e9)
}

fn read(s: &Session, scale: &Scale) -> Result<f64> {
    let host = pattern(scale.transfer);
    let buffer = s.buffer_of(&host)?;
    let mut back = vec![0u8; host.len()];
    let seconds = repeat(1000, |count| (0..count).try_for_each(|_| s.read(&buffer, 0, &mut back)))?;
    expect(back == host, "a read")?;
    Ok(host.len() as f64 / seconds / 1e9)
}

fn map_write(s: &Session, scale: &Scale) -> Result<f64> {
    let host = pattern(scale.transfer);
    let buffer = s.buffer(host.len())?;
    let seconds = repeat(1000, |count| {
        for _ in 0..count {
            s.map(&buffer, Access::Overwrite, |bytes| bytes.copy_from_slice(&host))?;
            s.finish()?;
        }
        Ok(())
    })?;
    expect_pattern(s, &buffer, &host, "a mapping for writing")?;
    Ok(host.len() as f64 / seconds / 1e9)
}

fn map_read(s: &Session, scale: &Scale) -> Result<f64> {
    let host = pattern(scale.transfer);
    let buffer = s.buffer_of(&host)?;
    let mut back = vec![0u8; host.len()];
    let seconds = repeat(1000, |count| {
        for _ in 0..count {
            s.map(&buffer, Access::Read, |bytes| back.copy_from_slice(bytes))?;
            s.finish()?;
        }
        Ok(())
    })?;
    expect(back == host, "a mapping for reading")?;
    Ok(host.len() as f64 / seconds / 1e9)
}

fn copy(s: &Session, scale: &Scale) -> Result<f64> {
    let host = pattern(scale.stream);
    let (from, to) = (s.buffer_of(&host)?, s.buffer(host.len())?);
    let seconds = repeat(10_000, |count| {
        (0..count).try_for_each(|_| s.copy(&from, &to, host.len()))?;
        s.finish()
    })?;
    expect_pattern(s, &to, &host, "a copy")?;
    Ok(2.0 * host.len() as f64 / seconds / 1e9)
}

const STREAM: &str = "
kernel void copy(global float *a, global const float *b, global const float *c, float k)
{ size_t i = get_global_id(0); a[i] = b[i]; }
kernel void triad(global float *a, global const float *b, global const float *c, float k)
{ size_t i = get_global_id(0); a[i] = b[i] + k * c[i]; }
kernel void triad_by_groups(global float *a, global const float *b, global const float *c, float k)
{
    size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    a[i] = b[i] + k * c[i];
}";

/// McCalpin's STREAM in work-groups of a size: copy moves two arrays, triad three.
fn stream(s: &Session, scale: &Scale, kernel: &str, local: usize) -> Result<f64> {
    let count = scale.stream / 4;
    let host: Vec<f32> = (0..count).map(|i| (i % 1000) as f32).collect();
    let (a, b, c) = (s.buffer(scale.stream)?, s.buffer_of(&host)?, s.buffer_of(&host)?);
    let triad = kernel != "copy";
    let kernel = s.build(STREAM, kernel, "")?;
    kernel.set_buffers(&[&a, &b, &c])?;
    kernel.set(3, 3f32)?;
    let seconds = repeat(10_000, |times| {
        (0..times).try_for_each(|_| s.launch(&kernel, &[count], &[local]))?;
        s.finish()
    })?;
    let mut tail = [0f32; 64];
    s.read(&a, scale.stream - 256, &mut tail)?;
    let factor = if triad { 4.0 } else { 1.0 };
    let right = tail.iter().zip(&host[count - 64..]).all(|(x, y)| *x == factor * y);
    expect(right, "STREAM")?;
    let arrays = if triad { 3.0 } else { 2.0 };
    Ok(arrays * scale.stream as f64 / seconds / 1e9)
}

const CHAIN: &str = "
#define ROUND STEP(x0) STEP(x1) STEP(x2) STEP(x3) STEP(x4) STEP(x5) STEP(x6) STEP(x7)
#define STEP(v) { T x = v; v = OP; }
kernel void chain(global T *out, T a, T b)
{
    size_t i = get_global_id(0);
    T x0 = (T)(i & 7), x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
    T x4 = x0 + 4, x5 = x0 + 5, x6 = x0 + 6, x7 = x0 + 7;
    for (int k = 0; k < STEPS / 4; k++) { ROUND ROUND ROUND ROUND }
    out[i] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
}";
/// Steps of each of the eight chains.
const STEPS: usize = 2048;

/// Billions of operations a second, two a step, in eight independent chains of each work-item.
fn chain<T>(s: &Session, scale: &Scale, name: &str, op: &str, one: T) -> Result<f64>
where
    T: Copy + Default + Into<f64>,
{
    let source = format!("#define STEPS {STEPS}\n#define T {name}\n#define OP {op}\n{CHAIN}");
    let kernel = s.build(&source, "chain", "")?;
    let out = s.buffer(scale.items * size_of::<T>())?;
    kernel.set_buffers(&[&out])?;
    kernel.set(1, one)?;
    kernel.set(2, one)?;
    let seconds = repeat(1000, |count| {
        (0..count).try_for_each(|_| s.launch(&kernel, &[scale.items], &[LOCAL]))?;
        s.finish()
    })?;
    let mut head = [T::default(); 8];
    s.read(&out, 0, &mut head)?;
    let expected = |i: usize| (8 * (i + STEPS) + 28) as f64;
    let right = head.iter().enumerate().all(|(i, v)| (*v).into() == expected(i));
    expect(right, "a chain of multiply and add")?;
    Ok(scale.items as f64 * (8 * 2 * STEPS) as f64 / seconds / 1e9)
}

fn double(s: &Session, scale: &Scale) -> Result<f64> {
    match s.has_double {
        true => chain(s, scale, "double", "mad(x, a, b)", 1f64),
        false => Err("no double".to_string()),
    }
}

const SGEMM: &str = "
#define TILE 64
#define DEPTH 16
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void sgemm(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[DEPTH][TILE], tb[DEPTH][TILE];
    const int lx = get_local_id(0), ly = get_local_id(1), id = ly * 16 + lx;
    const int row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;
    float sum[4][4];
    #pragma unroll
    for (int i = 0; i < 4; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = 0.0f;
    for (int t = 0; t < n; t += DEPTH) {
        #pragma unroll
        for (int k = 0; k < 4; k++) {
            int e = id + k * 256;
            ta[e % DEPTH][e / DEPTH] = a[(row + e / DEPTH) * n + t + e % DEPTH];
            tb[e / TILE][e % TILE] = b[(t + e / TILE) * n + column + e % TILE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float x[4], y[4];
            #pragma unroll
            for (int i = 0; i < 4; i++) { x[i] = ta[k][ly + 16 * i]; y[i] = tb[k][lx + 16 * i]; }
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] = mad(x[i], y[j], sum[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    #pragma unroll
    for (int i = 0; i < 4; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++) c[(row + ly + 16 * i) * n + column + lx + 16 * j] = sum[i][j];
}";

/// Product of square matrices of small whole numbers, so that every sum is exact.
pub fn sgemm_of(s: &Session, n: usize) -> Result<f64> {
    let at = |row: usize, column: usize| ((row * 3 + column * 5) % 7) as f32 - 3.0;
    let host: Vec<f32> = (0..n * n).map(|i| at(i / n, i % n)).collect();
    let (a, b, c) = (s.buffer_of(&host)?, s.buffer_of(&host)?, s.buffer(4 * n * n)?);
    let kernel = s.build(SGEMM, "sgemm", "")?;
    kernel.set_buffers(&[&a, &b, &c])?;
    kernel.set(3, n as i32)?;
    let seconds = repeat(1000, |count| {
        (0..count).try_for_each(|_| s.launch(&kernel, &[n / 4, n / 4], &[16, 16]))?;
        s.finish()
    })?;
    for i in 0..64 {
        let (row, column) = ((i * 37) % n, (i * i * 11 + 5) % n);
        let expected: f32 = (0..n).map(|k| at(row, k) * at(k, column)).sum();
        let mut value = [0f32];
        s.read(&c, 4 * (row * n + column), &mut value)?;
        expect(value[0] == expected, "SGEMM")?;
    }
    Ok(2.0 * (n as f64).powi(3) / seconds / 1e9)
}

fn sgemm(s: &Session, scale: &Scale) -> Result<f64> {
    sgemm_of(s, scale.matrix)
}

const REDUCTION: &str = "
kernel void reduce(global const float *in, global float *sums, uint n)
{
    local float scratch[256];
    uint l = get_local_id(0);
    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
    scratch[l] = sum;
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) scratch[l] += scratch[l + step];
    }
    if (l == 0) sums[get_group_id(0)] = scratch[0];
}";

/// Sums an array by groups; the host adds the groups' sums.
fn reduction(s: &Session, scale: &Scale) -> Result<f64> {
    let count = scale.stream / 4;
    let host: Vec<f32> = (0..count).map(|i| (i % 4) as f32).collect();
    let (input, sums) = (s.buffer_of(&host)?, s.buffer(4 * scale.groups)?);
    let kernel = s.build(REDUCTION, "reduce", "")?;
    kernel.set_buffers(&[&input, &sums])?;
    kernel.set(2, count as u32)?;
    let seconds = repeat(10_000, |times| {
        let global = [scale.groups * LOCAL];
        (0..times).try_for_each(|_| s.launch(&kernel, &global, &[LOCAL]))?;
        s.finish()
    })?;
    let mut parts = vec![0f32; scale.groups];
    s.read(&sums, 0, &mut parts)?;
    let sum: f64 = parts.iter().map(|v| f64::from(*v)).sum();
    expect(sum == 1.5 * count as f64, "the reduction")?;
    Ok(scale.stream as f64 / seconds / 1e9)
}
