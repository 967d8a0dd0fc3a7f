//! Kernels of the kinds that programs have, whose speed depends on the compiler: tiles in local memory that are read in
//! vectors, sums in memory, vectors of doubles, divisions by strides, loops that only compute, a local size that is
//! left open, functions that are called repeatedly. Also the clocks of a GPU after a rest.

use super::cl::{Kernel, Result, Session};
use super::measure::{expect, repeat};
use super::scale::Scale;
use super::text;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// One of this many values is checked.
const CHECKED: usize = 997;

/// Returns the seconds of a launch.
fn time(s: &Session, kernel: &Kernel, global: &[usize], local: &[usize]) -> Result<f64> {
    repeat(1000, |times| {
        (0..times).try_for_each(|_| s.launch(kernel, global, local))?;
        s.finish()
    })
}

/// Returns true if values are near the expected ones.
fn near(values: &[f32], expected: impl Fn(usize) -> f64) -> bool {
    let is_near = |(i, &value): (usize, &f32)| {
        let expected = expected(i);
        (f64::from(value) - expected).abs() <= 1e-3 * expected.abs().max(1e-3)
    };
    values.iter().enumerate().step_by(CHECKED).all(is_near)
}

const SGEMM: &str = "
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void sgemm(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[8][128], tb[8][128];
    int x = get_local_id(0), y = get_local_id(1), t = y * 16 + x;
    int left = get_group_id(0) * 128, top = get_group_id(1) * 128;
    float sums[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) sums[i][j] = 0;
    for (int k0 = 0; k0 < n; k0 += 8) {
        float4 v = vload4(0, a + (top + t / 2) * n + k0 + t % 2 * 4);
        ta[t % 2 * 4][t / 2] = v.x;
        ta[t % 2 * 4 + 1][t / 2] = v.y;
        ta[t % 2 * 4 + 2][t / 2] = v.z;
        ta[t % 2 * 4 + 3][t / 2] = v.w;
        vstore4(vload4(0, b + (k0 + t / 32) * n + left + t % 32 * 4), 0, &tb[t / 32][t % 32 * 4]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++) {
            float ra[8], rb[8];
            for (int i = 0; i < 8; i++) { ra[i] = ta[k][y * 8 + i]; rb[i] = tb[k][x * 8 + i]; }
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) sums[i][j] = mad(ra[i], rb[j], sums[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) c[(top + y * 8 + i) * n + left + x * 8 + j] = sums[i][j];
}";

/// Returns GFLOP/s of a matrix product with 8 x 8 results in the registers of each work-item.
pub fn sgemm(s: &Session, scale: &Scale) -> Result<f64> {
    let n = scale.matrix.min(2048);
    let a: Vec<f32> = (0..n * n).map(|i| (i % n % 3) as f32).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % n % 5) as f32).collect();
    let (a, b, c) = (s.buffer_of(&a)?, s.buffer_of(&b)?, s.buffer(4 * n * n)?);
    let kernel = s.build(SGEMM, "sgemm", "")?;
    kernel.set_buffers(&[&a, &b, &c])?;
    kernel.set(3, n as i32)?;
    let seconds = time(s, &kernel, &[n / 8, n / 8], &[16, 16])?;
    let mut out = vec![0f32; n * n];
    s.read(&c, 0, &mut out)?;
    let sum: usize = (0..n).map(|k| k % 3).sum();
    expect(near(&out, |i| (sum * (i % n % 5)) as f64), "the matrix product")?;
    Ok(2.0 * (n as f64).powi(3) / seconds / 1e9)
}

const BODIES: &str = "
#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
kernel void bodies(global const T4 *p, global T4 *a, int n, local T4 *tile)
{
    int l = get_local_id(0), count = get_local_size(0);
    T4 x = p[get_global_id(0)];
    T fx = 0, fy = 0, fz = 0;
    for (int first = 0; first < n; first += count) {
        tile[l] = p[first + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < count; j++) {
            T4 q = tile[j];
            T dx = q.x - x.x, dy = q.y - x.y, dz = q.z - x.z;
            T r = rsqrt(dx * dx + dy * dy + dz * dz + (T)1);
            T f = q.w * r * r * r;
            fx += dx * f;
            fy += dy * f;
            fz += dz * f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[get_global_id(0)] = (T4)(fx, fy, fz, 0);
}";

/// Returns billions of interactions a second of bodies whose places are read from a tile of vectors.
pub fn bodies(s: &Session, scale: &Scale, ty: &str) -> Result<f64> {
    const TILE: usize = 256;
    let n = scale.items / 32;
    let bytes = if ty == "double" { 8 } else { 4 };
    // Every other body has mass, and is one unit away in x.
    let places: Vec<f32> =
        (0..4 * n).map(|i| ((i / 4 % 2 == 1) && i % 4 % 3 == 0).into()).collect();
    let places = match bytes {
        8 => s.buffer_of(&places.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>())?,
        _ => s.buffer_of(&places)?,
    };
    let forces = s.buffer(4 * bytes * n)?;
    let kernel = s.build(BODIES, "bodies", &format!("-DT={ty} -DT4={ty}4"))?;
    kernel.set_buffers(&[&places, &forces])?;
    kernel.set(2, n as i32)?;
    kernel.set_local(3, 4 * bytes * TILE)?;
    let seconds = time(s, &kernel, &[n], &[TILE])?;
    let force = match bytes {
        8 => {
            let mut out = [0f64; 4];
            s.read(&forces, 0, &mut out)?;
            out[0]
        }
        _ => {
            let mut out = [0f32; 4];
            s.read(&forces, 0, &mut out)?;
            out[0].into()
        }
    };
    let expected = n as f64 / 2.0 / 8f64.sqrt();
    expect((force / expected - 1.0).abs() < 1e-3, "the force on a body")?;
    Ok((n * n) as f64 / seconds / 1e9)
}

const BOXES: &str = "
#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef struct { T v, x, y, z; } Place;
kernel void boxes(global const Place *p, global const T *q, global Place *f, int count, T a)
{
    local Place own[128], other[128];
    local T charge[128];
    int l = get_local_id(0), first = get_group_id(0) * 128;
    own[l] = p[first + l];
    for (int k = 0; k < 27; k++) {
        int neighbour = (get_group_id(0) + k * 7) % count * 128;
        other[l] = p[neighbour + l];
        charge[l] = q[neighbour + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 128; j++) {
            T r = own[l].v + other[j].v - (own[l].x * other[j].x + own[l].y * other[j].y + own[l].z * other[j].z);
            T e = exp(-a * r), d = 2 * e;
            f[first + l].v += charge[j] * e;
            f[first + l].x += charge[j] * d * (own[l].x - other[j].x);
            f[first + l].y += charge[j] * d * (own[l].y - other[j].y);
            f[first + l].z += charge[j] * d * (own[l].z - other[j].z);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}";

/// Billions of interactions a second of particles in boxes: structures in local memory, sums in device memory.
pub fn boxes(s: &Session, scale: &Scale, ty: &str) -> Result<f64> {
    let count = scale.items / 512;
    let n = 128 * count;
    let bytes = if ty == "double" { 8 } else { 4 };
    let (places, charges) = match bytes {
        8 => (s.buffer_of(&vec![0f64; 4 * n])?, s.buffer_of(&vec![1f64; n])?),
        _ => (s.buffer_of(&vec![0f32; 4 * n])?, s.buffer_of(&vec![1f32; n])?),
    };
    let sums = s.buffer_of(&vec![0u64; n * bytes / 2])?;
    let kernel = s.build(BOXES, "boxes", &format!("-DT={ty}"))?;
    kernel.set_buffers(&[&places, &charges, &sums])?;
    kernel.set(3, count as i32)?;
    match bytes {
        8 => kernel.set(4, 0.5f64)?,
        _ => kernel.set(4, 0.5f32)?,
    }
    s.launch(&kernel, &[n], &[128])?;
    let sum = match bytes {
        8 => {
            let mut out = [0f64; 1];
            s.read(&sums, 0, &mut out)?;
            out[0]
        }
        _ => {
            let mut out = [0f32; 1];
            s.read(&sums, 0, &mut out)?;
            out[0].into()
        }
    };
    expect(sum == 27.0 * 128.0, "the sum over boxes")?;
    let seconds = time(s, &kernel, &[n], &[128])?;
    Ok((n * 27 * 128) as f64 / seconds / 1e9)
}

const NEIGHBOURS: &str = "
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void neighbours(global const double4 *p, global const int *list, global double4 *f, int n, int count)
{
    int i = get_global_id(0);
    double4 x = p[i], sum = 0;
    for (int k = 0; k < count; k++) {
        double4 q = p[list[k * n + i]];
        double dx = x.x - q.x, dy = x.y - q.y, dz = x.z - q.z;
        double r = dx * dx + dy * dy + dz * dz;
        if (r < 4) {
            double by = 1 / r, six = by * by * by, force = by * six * (six - 0.5);
            sum.x += dx * force;
            sum.y += dy * force;
            sum.z += dz * force;
        }
    }
    f[i] = sum;
}";

/// Billions of interactions a second of particles of doubles with lists of neighbours.
pub fn neighbours(s: &Session, scale: &Scale) -> Result<f64> {
    const COUNT: usize = 128;
    let n = scale.items / 8;
    let places: Vec<f64> =
        (0..4 * n).map(|i| if i % 4 == 0 { (i / 4) as f64 } else { 0.0 }).collect();
    let list: Vec<i32> = (0..COUNT * n).map(|i| ((i % n + i / n + 1) % n) as i32).collect();
    let (places, list) = (s.buffer_of(&places)?, s.buffer_of(&list)?);
    let forces = s.buffer(32 * n)?;
    let kernel = s.build(NEIGHBOURS, "neighbours", "")?;
    kernel.set_buffers(&[&places, &list, &forces])?;
    kernel.set(3, n as i32)?;
    kernel.set(4, COUNT as i32)?;
    let seconds = time(s, &kernel, &[n], &[256])?;
    let mut out = [0f64; 1];
    s.read(&forces, 0, &mut out)?;
    // One of the neighbours in x is at a distance below 2.
    expect((out[0] + 0.5).abs() < 1e-12, "the force on a particle")?;
    Ok((n * COUNT) as f64 / seconds / 1e9)
}

const STENCIL: &str = "
kernel void stencil(global const float *a, global float *b, int n)
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
    float s = 0;
    for (int k = -1; k <= 1; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++) s += a[((z + k) * n + y + j) * n + x + i];
    b[(z * n + y) * n + x] = s / 27;
}";

/// Billions of points a second of a stencil of 27 points, whose local size is left open.
pub fn stencil(s: &Session, scale: &Scale) -> Result<f64> {
    let n = if scale.items >= 1 << 20 { 256 } else { 64 };
    let a = s.buffer_of(&vec![3f32; n * n * n])?;
    let b = s.buffer(4 * n * n * n)?;
    let kernel = s.build(STENCIL, "stencil", "")?;
    kernel.set_buffers(&[&a, &b])?;
    kernel.set(2, n as i32)?;
    let inside = [n - 2; 3];
    let seconds = time(s, &kernel, &inside, &[])?;
    let mut out = vec![0f32; 4];
    s.read(&b, 4 * ((n + 1) * n + 1), &mut out)?;
    expect(out == [3.0; 4], "the stencil")?;
    Ok(inside.iter().product::<usize>() as f64 / seconds / 1e9)
}

const FOURIER: &str = "
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
kernel void fourier(global const float2 *in, global float2 *out)
{
    local float2 s[1024];
    int l = get_local_id(0), first = get_group_id(0) * 1024;
    float2 v[4];
    for (int i = 0; i < 4; i++) v[i] = in[first + l + 256 * i];
    for (int stride = 1; stride < 1024; stride *= 4) {
        float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
        int k = l % stride;
        v[0] = a + c;
        v[1] = b + (float2)(d.y, -d.x);
        v[2] = a - c;
        v[3] = b - (float2)(d.y, -d.x);
        barrier(CLK_LOCAL_MEM_FENCE);
        int to = l / stride * stride * 4 + k;
        for (int i = 0; i < 4; i++) s[to + i * stride] = v[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        float angle = -6.28318530718f * (l % (stride * 4)) / (stride * 16);
        for (int i = 0; i < 4; i++) {
            float c0, s0 = sincos(angle * i, &c0);
            v[i] = times(s[l + 256 * i], (float2)(c0, s0));
        }
    }
    for (int i = 0; i < 4; i++) out[first + l + 256 * i] = v[i];
}";

/// GFLOP/s, counted as 5 n log2 n, of transforms of 1,024 complex numbers in stages that divide by their strides.
pub fn fourier(s: &Session, scale: &Scale) -> Result<f64> {
    const POINTS: usize = 1024;
    let groups = scale.items / 128;
    let n = POINTS * groups;
    // An impulse has all frequencies.
    let input: Vec<f32> = (0..2 * n).map(|i| (i % (2 * POINTS) == 0).into()).collect();
    let (input, out) = (s.buffer_of(&input)?, s.buffer(8 * n)?);
    let kernel = s.build(FOURIER, "fourier", "")?;
    kernel.set_buffers(&[&input, &out])?;
    let seconds = time(s, &kernel, &[256 * groups], &[256])?;
    let mut values = vec![0f32; 2 * POINTS];
    s.read(&out, 0, &mut values)?;
    // Each stage has four times the energy of the one before (Parseval).
    let energy: f64 = values.iter().map(|&x| f64::from(x).powi(2)).sum();
    expect((energy / POINTS as f64 - 1.0).abs() < 1e-3, "the energy of a transform")?;
    Ok(5.0 * (n * 10) as f64 / seconds / 1e9)
}

const RANDOM: &str = "
kernel void random(global uint *out, int n)
{
    uint s = get_global_id(0) * 747796405u + 1, inside = 0;
    for (int i = 0; i < n; i++) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        float x = (s >> 8) * 5.9604645e-8f;
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        float y = (s >> 8) * 5.9604645e-8f;
        if (x * x + y * y < 1) inside++;
    }
    out[get_global_id(0)] = inside;
}";

/// Billions of random numbers a second, each made of the last by shifts.
pub fn random(s: &Session, scale: &Scale) -> Result<f64> {
    const COUNT: usize = 256;
    let n = scale.items;
    let out = s.buffer(4 * n)?;
    let kernel = s.build(RANDOM, "random", "")?;
    kernel.set_buffers(&[&out])?;
    kernel.set(1, COUNT as i32)?;
    let seconds = time(s, &kernel, &[n], &[256])?;
    let mut first = [0u32; 2];
    s.read(&out, 0, &mut first)?;
    expect(first == [inside(1, COUNT), inside(747_796_406, COUNT)], "the random points")?;
    Ok((2 * n * COUNT) as f64 / seconds / 1e9)
}

/// Computes the random numbers of the kernel.
fn inside(mut s: u32, count: usize) -> u32 {
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        (s >> 8) as f32 * 5.960_464_5e-8
    };
    let mut is_inside = || {
        let (x, y) = (next(), next());
        u32::from(x * x + y * y < 1.0)
    };
    (0..count).map(|_| is_inside()).sum()
}

/// Milliseconds from a text of 24 functions, each with a loop that calls sin of float4 and a branch, to its first result.
pub fn many_sines(s: &Session) -> Result<f64> {
    const FUNCTIONS: usize = 24;
    let seed = text::new_seed();
    let mut source = String::new();
    for i in 0..FUNCTIONS {
        let _ = write!(
            source,
            "float4 f{i}(float4 v, int n) {{\n\
             float4 s = (float4)({i}.5f);\n\
             for (int k = 0; k < n; k++) {{\n\
             s += sin(v * (float)(k + {i}));\n\
             if (s.x > {i}.0f) s.y -= v.z * 0.5f;\n\
             }}\n\
             return s * 0.25f + v;\n}}\n"
        );
    }
    let _ = write!(source, "kernel void many(global float4 *o, int n) {{\nfloat4 v = o[0];\n");
    (0..FUNCTIONS).for_each(|i| _ = writeln!(source, "v = f{i}(v, n);"));
    let _ = write!(source, "o[0] = v + {seed}u * 0.0f;\n}}\n");
    let buffer = s.buffer_of(&[0f32; 4])?;
    s.finish()?;
    let start = Instant::now();
    let kernel = s.build(&source, "many", "")?;
    kernel.set_buffers(&[&buffer])?;
    kernel.set(1, 0i32)?;
    s.launch(&kernel, &[1], &[1])?;
    s.finish()?;
    let elapsed = start.elapsed();
    let mut out = [0f32; 4];
    s.read(&buffer, 0, &mut out)?;
    let expected: f32 = (0..FUNCTIONS).map(|i| (i as f32 + 0.5) * 0.25).sum();
    expect(out.iter().all(|&x| (x - expected).abs() < 1e-2), "the kernel of many sines")?;
    Ok(elapsed.as_secs_f64() * 1e3)
}

const CHAIN: &str = "
kernel void chain(global float *o, int n)
{
    float x = get_global_id(0), y = x + 1, z = x + 2, w = x + 3;
    for (int i = 0; i < n; i++) {
        x = fma(x, 0.5f, 1.0f);
        y = fma(y, 0.5f, 1.0f);
        z = fma(z, 0.5f, 1.0f);
        w = fma(w, 0.5f, 1.0f);
    }
    o[get_global_id(0)] = x + y + z + w;
}";

/// A pause of the program before it has work for the device again.
pub enum Pause {
    Rest(Duration),
    /// A write of this many bytes to the device.
    Write(usize),
}

/// Returns the rate of the first 10 ms after a pause, as a part of the steady rate. Another platform that is open in
/// the process may keep the clocks up: `--skip` leaves it out.
pub fn behind(s: &Session, scale: &Scale, pause: &Pause) -> Result<f64> {
    let out = s.buffer(4 * scale.items)?;
    let kernel = s.build(CHAIN, "chain", "")?;
    kernel.set_buffers(&[&out])?;
    kernel.set(1, 2048i32)?;
    let run = |times: usize| -> Result<f64> {
        let start = Instant::now();
        for _ in 0..times {
            s.launch(&kernel, &[scale.items], &[256])?;
        }
        s.finish()?;
        Ok(start.elapsed().as_secs_f64() / times as f64)
    };
    let warm = Instant::now();
    while warm.elapsed() < Duration::from_millis(700) {
        run(10)?;
    }
    let steady = (0..3).map(|_| run(100)).collect::<Result<Vec<f64>>>()?;
    let steady = steady.into_iter().fold(f64::INFINITY, f64::min);
    match *pause {
        Pause::Rest(time) => std::thread::sleep(time),
        Pause::Write(bytes) => {
            let to = s.buffer(bytes)?;
            s.write(&to, &vec![1u8; bytes])?;
        }
    }
    let first = run(((0.01 / steady) as usize).max(1))?;
    Ok(steady / first)
}
