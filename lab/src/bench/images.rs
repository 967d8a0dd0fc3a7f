//! Measures images: how fast kernels read and write them, and the cost of images as arguments.

use super::cl::{Buffer, Result, Session};
use super::cl_image::Image;
pub use super::cl_image::Texel;
use super::measure::{expect, repeat};
use super::scale::Scale;

/// The axes of an image.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    D2,
    D3,
}

/// The filter of a sampler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Nearest,
    Linear,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Read(Filter),
    Write,
}

/// The number of texels that each work-item reads, spread over the image; it writes one sum.
const READS: usize = 16;
/// Rows, columns and slices of a work-group.
const GROUP: [[usize; 3]; 2] = [[16, 16, 1], [16, 4, 4]];

/// A texel's components are POINT of its place, so that sums of floats are exact. A linear read between four texels
/// returns a quarter of their sum.
const SOURCE: &str = "
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#define POINT(x, y, z) (float4)((x) & 7, (y) & 15, (z) & 3, ((x) + (y)) & 1)
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | FILTER;
#if IS_3D
#define IMAGE image3d_t
#define COORDINATE int4
#define AT(x, y, z) (float4)((x) + OFFSET, (y) + OFFSET, (z) + 0.5f, 0.0f)
#else
#define IMAGE image2d_t
#define COORDINATE int2
#define AT(x, y, z) (float2)((x) + OFFSET, (y) + OFFSET)
#endif
#if IS_READ
kernel void transfer(read_only IMAGE im, global float4 *sums)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int w = get_global_size(0), h = get_global_size(1);
    float4 sum = 0.0f;
    for (int i = 0; i < READS; i++) sum += read_imagef(im, s, AT(x, y + i * h, z));
    sums[(z * h + y) * w + x] = sum;
}
#else
kernel void transfer(write_only IMAGE im)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int4 at = (int4)(x, y, z, 0);
#if IS_3D
    write_imagef(im, at, POINT(x, y, z) / 15.0f);
#else
    write_imagef(im, at.xy, POINT(x, y, z) / 15.0f);
#endif
}
#endif";

/// Returns POINT of the source above.
fn point([x, y, z]: [usize; 3]) -> [f32; 4] {
    [x & 7, y & 15, z & 3, (x + y) & 1].map(|v| v as f32)
}

/// Returns the sizes of an image that has as many texels as the arrays of STREAM have vectors.
fn sizes(scale: &Scale, shape: Shape) -> [usize; 3] {
    let bits = (scale.stream / 16).ilog2();
    match shape {
        Shape::D2 => [1 << (bits / 2), 1 << bits.div_ceil(2), 1],
        Shape::D3 => [1 << (bits / 3), 1 << (bits - 2 * (bits / 3)), 1 << (bits / 3)],
    }
}

fn source(shape: Shape, direction: Direction) -> String {
    let (is_read, filter, offset) = match direction {
        Direction::Read(Filter::Nearest) => (1, "CLK_FILTER_NEAREST", "0.5f"),
        // At the corners of texels, where all four count.
        Direction::Read(Filter::Linear) => (1, "CLK_FILTER_LINEAR", "1.0f"),
        Direction::Write => (0, "CLK_FILTER_NEAREST", "0.5f"),
    };
    let is_3d = i32::from(shape == Shape::D3);
    format!(
        "#define IS_3D {is_3d}\n#define IS_READ {is_read}\n#define FILTER {filter}\n\
         #define OFFSET {offset}\n#define READS {READS}\n{SOURCE}"
    )
}

/// Returns billions of bytes of texels a second that a kernel reads or writes.
pub fn transfer(
    s: &Session,
    scale: &Scale,
    shape: Shape,
    texel: Texel,
    direction: Direction,
) -> Result<f64> {
    let sizes = sizes(scale, shape);
    let image = Image::new(s, texel, sizes)?;
    let refused = |log: String| log.lines().next().unwrap_or("").to_string();
    let kernel = s.build(&source(shape, direction), "transfer", "").map_err(refused)?;
    let group = GROUP[usize::from(shape == Shape::D3)];
    image.set(&kernel, 0)?;
    let run = |global: [usize; 3]| {
        repeat(10_000, |count| {
            (0..count).try_for_each(|_| s.launch(&kernel, &global, &group))?;
            s.finish()
        })
    };
    let seconds = match direction {
        Direction::Read(filter) => {
            fill(s, &image, texel, sizes)?;
            let rows = sizes[1] / READS;
            let sums = s.buffer(sizes[0] * rows * sizes[2] * 16)?;
            kernel.set_buffer(1, &sums)?;
            let seconds = run([sizes[0], rows, sizes[2]])?;
            check_sums(s, &sums, texel, filter, sizes)?;
            seconds
        }
        Direction::Write => {
            let seconds = run(sizes)?;
            check_texels(s, &image, texel, sizes)?;
            seconds
        }
    };
    Ok((sizes.iter().product::<usize>() * texel.bytes()) as f64 / seconds / 1e9)
}

/// Writes POINT to every texel: as floats, or as bytes.
fn fill(
    s: &Session,
    image: &Image,
    texel: Texel,
    [width, height, depth]: [usize; 3],
) -> Result<()> {
    let place = |i: usize| [i % width, i / width % height, i / width / height];
    let points = (0..width * height * depth).map(|i| point(place(i)));
    match texel {
        Texel::Float4 => image.write(s, &points.collect::<Vec<_>>()),
        Texel::Bytes => image.write(s, &points.map(|p| p.map(|v| v as u8)).collect::<Vec<_>>()),
    }
}

/// Checks that some sums equal the sums of the texels that the kernel has read.
fn check_sums(
    s: &Session,
    sums: &Buffer,
    texel: Texel,
    filter: Filter,
    [width, height, depth]: [usize; 3],
) -> Result<()> {
    let (rows, unit) = (height / READS, if texel == Texel::Bytes { 255.0 } else { 1.0 });
    // Some drivers round the filtered value of bytes to a byte.
    let is_coarse = texel == Texel::Bytes && filter == Filter::Linear;
    let tolerance = if is_coarse { 0.5 * READS as f32 } else { 0.25 };
    for i in 0..64 {
        let [x, y, z] = [i * 97 % width, i * 31 % rows, i * 13 % depth];
        let mut expected = [0f32; 4];
        for read in 0..READS {
            let corners: &[[usize; 2]] = match filter {
                Filter::Nearest => &[[0, 0]; 4],
                Filter::Linear => &[[0, 0], [1, 0], [0, 1], [1, 1]],
            };
            for [right, down] in corners {
                let at = [x + right, y + read * rows + down];
                let texel = point([at[0].min(width - 1), at[1].min(height - 1), z]);
                expected.iter_mut().zip(texel).for_each(|(sum, v)| *sum += v / 4.0);
            }
        }
        let mut got = [0f32; 4];
        s.read(sums, ((z * rows + y) * width + x) * 16, &mut got)?;
        let near = got.iter().zip(expected).all(|(g, e)| (g * unit - e).abs() <= tolerance);
        expect(near, "image reads")?;
    }
    Ok(())
}

/// Checks that some texels are a fifteenth of their POINT.
fn check_texels(s: &Session, image: &Image, texel: Texel, sizes: [usize; 3]) -> Result<()> {
    for i in 0..64 {
        let at = [i * 97 % sizes[0], i * 31 % sizes[1], i * 13 % sizes[2]];
        let got = match texel {
            Texel::Float4 => {
                let mut texels = [[0f32; 4]];
                image.read(s, at, &mut texels)?;
                texels[0]
            }
            Texel::Bytes => {
                let mut texels = [[0u8; 4]];
                image.read(s, at, &mut texels)?;
                texels[0].map(|v| f32::from(v) / 255.0)
            }
        };
        let near = got.iter().zip(point(at)).all(|(g, p)| (g * 15.0 - p).abs() < 0.05);
        expect(near, "image writes")?;
    }
    Ok(())
}

/// Number of arguments of each of the kernels below.
const ARGUMENTS: usize = 8;
/// Work-items of each kernel, and texels or vectors of each argument.
const ITEMS: usize = 64;

const LAUNCHES: &str = "
kernel void buffers(global const float4 *a, global const float4 *b, global const float4 *c,
                    global const float4 *d, global const float4 *e, global const float4 *f,
                    global const float4 *g, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i];
}
#ifdef __IMAGE_SUPPORT__
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void images(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c,
                   read_only image2d_t d, read_only image2d_t e, read_only image2d_t f,
                   read_only image2d_t g, write_only image2d_t out)
{
    int2 i = (int2)(get_global_id(0), 0);
    write_imagef(out, i, read_imagef(a, s, i) + read_imagef(b, s, i) + read_imagef(c, s, i) + read_imagef(d, s, i)
        + read_imagef(e, s, i) + read_imagef(f, s, i) + read_imagef(g, s, i));
}
#endif";

/// Returns microseconds of a launch, among many, whose eight buffers are set before it.
pub fn launch_with_buffers(s: &Session) -> Result<f64> {
    let kernel = s.build(LAUNCHES, "buffers", "")?;
    let make = |i: usize| s.buffer_of(&[[i as f32; 4]; ITEMS]);
    let buffers = (0..ARGUMENTS).map(make).collect::<Result<Vec<_>>>()?;
    let seconds = repeat(50_000, |count| {
        for _ in 0..count {
            for (index, buffer) in buffers.iter().enumerate() {
                kernel.set_buffer(index as u32, buffer)?;
            }
            s.launch(&kernel, &[ITEMS], &[ITEMS])?;
        }
        s.finish()
    })?;
    let mut out = [[0f32; 4]; ITEMS];
    s.read(&buffers[ARGUMENTS - 1], 0, &mut out)?;
    expect(out == [[21.0; 4]; ITEMS], "launches with eight buffers")?;
    Ok(seconds * 1e6)
}

/// Returns microseconds of a launch, among many, whose eight images are set before it.
pub fn launch_with_images(s: &Session) -> Result<f64> {
    let make = |i: usize| {
        let image = Image::new(s, Texel::Float4, [ITEMS, 1, 1])?;
        image.write(s, &[[i as f32; 4]; ITEMS])?;
        Ok(image)
    };
    let images = (0..ARGUMENTS).map(make).collect::<Result<Vec<_>>>()?;
    let kernel = s.build(LAUNCHES, "images", "")?;
    let seconds = repeat(50_000, |count| {
        for _ in 0..count {
            for (index, image) in images.iter().enumerate() {
                image.set(&kernel, index as u32)?;
            }
            s.launch(&kernel, &[ITEMS], &[ITEMS])?;
        }
        s.finish()
    })?;
    let mut out = [[0f32; 4]; ITEMS];
    images[ARGUMENTS - 1].read(s, [0; 3], &mut out)?;
    expect(out == [[21.0; 4]; ITEMS], "launches with eight images")?;
    Ok(seconds * 1e6)
}
