//! Reads of images through samplers: the interpreter runs kernels, and the results are compared with the formulas of OpenCL C
//! 8.2. The interpreter refuses accesses to texels beyond an image, whatever the coordinates are.

mod lower_support;

use hekla_compiler::ir::ImageDim::{self, *};
use hekla_compiler::kernel::{image_word, sampler_word as bits};
use hekla_compiler::Target;
use lower_support::interpreter::{Image, Machine};
use lower_support::try_lower;

/// Channel orders, counted from CL_R: one with an opaque border colour, and one without.
const CL_RG: u32 = 2;
const CL_RGBA: u32 = 5;

/// Returns an image whose texels are all different.
fn image(dim: ImageDim, size: &[u64]) -> Image {
    let count = size.iter().product::<u64>();
    let value = |i: u64, c: u64| f32::to_bits((i * 7 % 31) as f32 * 0.25 + c as f32 * 10.0).into();
    let texels = (0..count).map(|i| [0, 1, 2, 3].map(|c| value(i, c))).collect();
    Image { dim, size: size.to_vec(), texels }
}

/// Returns a device on which kernels fetch texels, and one on which samplers find them.
fn devices() -> [Target; 2] {
    [Target::generic(), Target { samples_texels: true, ..Target::generic() }]
}

/// Runs a kernel on images in slots 0, 1, ... with arguments that are words, and a buffer of float4 after them.
fn run(
    text: &str,
    images: &mut Vec<Image>,
    words: &[u32],
    buffer: &[f32],
) -> Result<Vec<f32>, String> {
    run_on(&Target::generic(), text, images, words, buffer)
}

/// Like [`run`], on a given device.
fn run_on(
    target: &Target,
    text: &str,
    images: &mut Vec<Image>,
    words: &[u32],
    buffer: &[f32],
) -> Result<Vec<f32>, String> {
    let module = try_lower(text, "-cl-std=CL3.0", target).unwrap_or_else(|log| panic!("{log}"));
    let mut machine = Machine::new(&module);
    machine.images = std::mem::take(images);
    let bytes: Vec<u8> = buffer.iter().flat_map(|v| v.to_le_bytes()).collect();
    let address = machine.allocate(bytes);
    machine.args = words.iter().map(|word| word.to_le_bytes().to_vec()).collect();
    machine.args.push(address.to_le_bytes().to_vec());
    machine.call(module.kernels[0].func, Vec::new())?;
    *images = std::mem::take(&mut machine.images);
    let bytes = machine.global_bytes(address, buffer.len() * 4);
    Ok(bytes.chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
}

/// Returns the texel of an image at indices, or the border's colour.
fn texel(image: &Image, order: u32, at: &[i64]) -> [f32; 4] {
    let mut index = 0;
    for (&at, &size) in at.iter().zip(&image.size).rev() {
        if at < 0 || at >= size as i64 {
            return [0.0, 0.0, 0.0, if order == CL_RG { 1.0 } else { 0.0 }];
        }
        index = index * size + at as u64;
    }
    image.texels[index as usize].map(|bits| f32::from_bits(bits as u32))
}

/// Returns the texels that one coordinate selects, with their weights (OpenCL C 8.2).
fn axis(s: f32, size: u64, sampler: u32) -> Vec<(i64, f32)> {
    let mode = sampler >> bits::ADDRESS_SHIFT & bits::ADDRESS_MASK;
    let (n, linear) = (size as i64, sampler & bits::LINEAR != 0);
    let u = match mode {
        bits::REPEAT => (s - s.floor()) * size as f32,
        bits::MIRRORED_REPEAT => (s - 2.0 * (0.5 * s).round_ties_even()).abs() * size as f32,
        _ if sampler & bits::NORMALIZED != 0 => s * size as f32,
        _ => s,
    };
    let address = |i: i64| match mode {
        bits::CLAMP => i.clamp(-1, n),
        bits::REPEAT if i < 0 => i + n,
        bits::REPEAT if i > n - 1 => i - n,
        bits::REPEAT => i,
        _ => i.clamp(0, n - 1),
    };
    if !linear {
        return vec![(address(u.floor() as i64), 1.0)];
    }
    let t = u - 0.5;
    let (i, a) = (t.floor() as i64, t - t.floor());
    vec![(address(i), 1.0 - a), (address(i + 1), a)]
}

/// Returns the colour that a read of an image through a sampler must give.
fn sampled(image: &Image, order: u32, sampler: u32, coords: &[f32]) -> [f32; 4] {
    let is_array = image.dim.is_array();
    let mut places: Vec<(Vec<i64>, f32)> = vec![(Vec::new(), 1.0)];
    for (i, (&s, &size)) in coords.iter().zip(&image.size).enumerate() {
        let texels = match is_array && i + 1 == image.size.len() {
            true => vec![((s.round_ties_even() as i64).clamp(0, size as i64 - 1), 1.0)],
            false => axis(s, size, sampler),
        };
        let mut more = Vec::new();
        for (index, weight) in texels {
            for (indices, w) in &places {
                more.push(([indices.as_slice(), &[index]].concat(), w * weight));
            }
        }
        places = more;
    }
    let mut sum = [0.0; 4];
    for (indices, weight) in places {
        let color = texel(image, order, &indices);
        (0..4).for_each(|c| sum[c] += weight * color[c]);
    }
    sum
}

/// Image types, each with a size, the type of its coordinates, and how many coordinates count.
const KINDS: [(ImageDim, &str, &str, &[u64]); 5] = [
    (D1, "image1d_t", "at.x", &[7]),
    (D1Array, "image1d_array_t", "at.xy", &[5, 3]),
    (D2, "image2d_t", "at.xy", &[6, 4]),
    (D2Array, "image2d_array_t", "at", &[3, 5, 4]),
    (D3, "image3d_t", "at", &[5, 2, 3]),
];

/// Returns coordinates in and around an image of a size.
fn coordinates(size: &[u64], normalized: bool) -> Vec<[f32; 4]> {
    let mut list = Vec::new();
    for step in 0..40 {
        let mut at = [0.0; 4];
        for (i, &n) in size.iter().enumerate() {
            let part = (step * (i + 3) % 40) as f32 / 40.0 * 3.0 - 1.0 + 0.013 * i as f32;
            at[i] = if normalized { part } else { part * n as f32 };
        }
        list.push(at);
    }
    // Coordinates at the borders and the centers of texels.
    list.extend([0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, -0.5, -1.0].map(|x| [x; 4]));
    list
}

fn samplers() -> Vec<u32> {
    let modes = [bits::NONE, bits::CLAMP_TO_EDGE, bits::CLAMP, bits::REPEAT, bits::MIRRORED_REPEAT];
    let mut list = Vec::new();
    for mode in modes {
        for filter in [0, bits::LINEAR] {
            list.push(mode << bits::ADDRESS_SHIFT | filter | bits::NORMALIZED);
            if mode < bits::REPEAT {
                list.push(mode << bits::ADDRESS_SHIFT | filter);
            }
        }
    }
    list
}

fn assert_close(found: &[f32], expected: [f32; 4], what: &str) {
    for (&f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= 1e-4, "{what}: {found:?}, not {expected:?}");
    }
}

#[test]
fn samplers_follow_the_formulas() {
    for (dim, ty, at, size) in KINDS {
        for sampler in samplers() {
            for order in [CL_RG, CL_RGBA] {
                let points = coordinates(size, sampler & bits::NORMALIZED != 0);
                let buffer: Vec<f32> = points.iter().flatten().flat_map(|&x| [x]).collect();
                let n = points.len();
                let text = format!(
                    "kernel void k({ty} image, sampler_t s, global float4 *p) {{
                        for (int i = 0; i < {n}; i++) {{
                            float4 at = p[i];
                            p[i] = read_imagef(image, s, {at});
                        }}
                    }}"
                );
                let constant = text.replace("image, s,", &format!("image, {sampler},"));
                let word = order << image_word::ORDER_SHIFT;
                let texts =
                    devices().map(|device| [&text, &constant].map(|text| (device.clone(), text)));
                for (device, text) in texts.into_iter().flatten() {
                    let mut images = vec![image(dim, size)];
                    let words = [word, sampler];
                    let found = run_on(&device, text, &mut images, &words, &buffer).unwrap();
                    for (found, point) in found.chunks_exact(4).zip(&points) {
                        let mode = sampler >> bits::ADDRESS_SHIFT & bits::ADDRESS_MASK;
                        let expected = sampled(&images[0], order, sampler, &point[..size.len()]);
                        let what = format!("{ty} {sampler:#x} (mode {mode}) at {point:?}");
                        assert_close(found, expected, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn no_coordinate_leads_beyond_an_image() {
    let wild =
        [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 3e9, -3e9, 2147483648.0, 1e-40];
    for (dim, ty, at, size) in KINDS {
        let n = wild.len();
        let text = format!(
            "kernel void k({ty} image, sampler_t s, global float4 *p) {{
                for (int i = 0; i < {n}; i++) {{
                    float4 at = p[i];
                    p[i] = read_imagef(image, s, {at});
                    int4 at_int = as_int4(at);
                    p[i] += read_imagef(image, s, at_int{0}) + read_imagef(image, at_int{0});
                }}
            }}",
            &at[2..]
        );
        let buffer: Vec<f32> = wild.iter().flat_map(|&x| [x; 4]).collect();
        for sampler in samplers() {
            let constant = text.replace("image, s,", &format!("image, {sampler},"));
            for device in devices() {
                for text in [&text, &constant] {
                    let mut images = vec![image(dim, size)];
                    run_on(&device, text, &mut images, &[0, sampler], &buffer)
                        .unwrap_or_else(|e| panic!("{ty} {sampler:#x}: {e}"));
                }
            }
        }
    }
}

#[test]
fn integer_coordinates_are_indices() {
    for mode in [bits::NONE, bits::CLAMP_TO_EDGE, bits::CLAMP] {
        let sampler = mode << bits::ADDRESS_SHIFT;
        let points: Vec<[i64; 2]> = (-2..8).flat_map(|x| (-2..6).map(move |y| [x, y])).collect();
        let text = "kernel void k(image2d_t image, sampler_t s, global float4 *p) {
            for (int y = -2, i = 0, x = -2; x < 8; x++)
                for (y = -2; y < 6; y++) p[i++] = read_imagef(image, s, (int2)(x, y));
        }";
        let constant = text.replace("image, s,", &format!("image, {sampler},"));
        let texts = devices().map(|device| [text, &constant].map(|text| (device.clone(), text)));
        for (device, text) in texts.into_iter().flatten() {
            let mut images = vec![image(D2, &[6, 4])];
            let buffer = vec![0.0; points.len() * 4];
            let found = run_on(&device, text, &mut images, &[0, sampler], &buffer).unwrap();
            for (found, &[x, y]) in found.chunks_exact(4).zip(&points) {
                let inside = (0..6).contains(&x) && (0..4).contains(&y);
                let expected = match mode {
                    bits::CLAMP => texel(&images[0], CL_RG, &[x, y]),
                    bits::NONE if !inside => continue,
                    _ => texel(&images[0], CL_RG, &[x.clamp(0, 5), y.clamp(0, 3)]),
                };
                assert_close(found, expected, &format!("mode {mode} at {x}, {y}"));
            }
        }
    }
}

/// Returns the texels of an image of two texels by one, after a kernel wrote it.
fn written(text: &str, word: u32) -> Vec<[u32; 4]> {
    let mut images = vec![image(D2, &[2, 1])];
    images[0].texels.fill([0; 4]);
    run(text, &mut images, &[word], &[0.0; 8]).unwrap();
    images[0].texels.iter().map(|texel| texel.map(|bits| bits as u32)).collect()
}

#[test]
fn colors_are_stored_in_the_order_of_the_image() {
    let text = "kernel void k(write_only image2d_t image, global float4 *p) {
        write_imagef(image, (int2)(1, 0), (float4)(0.5f, 0.25f, 0.125f, ALPHA));
        write_imagef(image, (int2)(2, 0), (float4)(7));
        write_imagef(image, (int2)(-1, 0), (float4)(7));
        write_imagef(image, (int2)(0, 1), (float4)(7));
    }";
    let stored_with = |order: u32, alpha: f32| {
        let text = text.replace("ALPHA", &format!("{alpha:?}f"));
        let texels = written(&text, order << image_word::STORE_SHIFT);
        assert_eq!(texels[0], [0; 4], "what lies beyond the image is not written");
        texels[1].map(f32::from_bits)
    };
    let stored = |order: u32| stored_with(order, 1.0);
    let [r, g, b, a] = [0.5, 0.25, 0.125, 1.0];
    assert_eq!(stored(image_word::STORE_RGBA), [r, g, b, a]);
    assert_eq!(stored(image_word::STORE_BGRA), [b, g, r, a]);
    assert_eq!(stored(image_word::STORE_ARGB), [a, r, g, b]);
    assert_eq!(stored(image_word::STORE_ABGR), [a, b, g, r]);
    assert_eq!(stored(image_word::STORE_A)[0], a);
    // The channels are rounded to bytes: 127.5 and 4.5 to the even neighbours.
    let curve = |x: f32| ((1.055 * x.powf(1.0 / 2.4) - 0.055) * 255.0).round() / 255.0;
    for (a, expected) in [(1.0, 1.0), (0.5, 128.0 / 255.0), (4.5 / 255.0, 4.0 / 255.0)] {
        let found = stored_with(image_word::STORE_SRGB, a);
        assert_close(&found, [curve(r), curve(g), curve(b), expected], "sRGB");
    }
}

#[test]
fn what_is_stored_reads_back() {
    let text = "kernel void k(read_write image2d_t image, global float4 *p) {
        write_imagef(image, (int2)(1, 0), (float4)(0.50288f, 0.25016f, 0.00091f, 1.0f));
        p[0] = read_imagef(image, (int2)(1, 0));
        write_imagei(image, (int2)(1, 0), (int4)(1, 2, 3, 4));
        p[1] = convert_float4(read_imagei(image, (int2)(1, 0)));
    }";
    for order in 0..=5 {
        let mut images = vec![image(D2, &[2, 1])];
        let word = order << image_word::STORE_SHIFT;
        let found = run(text, &mut images, &[word], &[0.0; 8]).unwrap();
        let alpha = order == image_word::STORE_A;
        // The values of bytes in sRGB that are nearest to the colour.
        let expected = if alpha { [0.0, 0.0, 0.0, 1.0] } else { [0.50288, 0.25016, 0.00091, 1.0] };
        assert_close(&found[..4], expected, &format!("order {order}"));
        let expected = if alpha { [0.0, 0.0, 0.0, 4.0] } else { [1.0, 2.0, 3.0, 4.0] };
        assert_close(&found[4..], expected, &format!("order {order}"));
    }
}

#[test]
fn one_channel_may_be_several_components() {
    let text = "kernel void k(read_write image2d_t image, global float4 *p) {
        write_imagef(image, (int2)(1, 0), (float4)(0.5f, 0.25f, 0.125f, 0.75f));
        p[0] = read_imagef(image, (int2)(1, 0));
    }";
    let read = |order: u32| {
        let word = (order - image_word::CL_R) << image_word::ORDER_SHIFT;
        run(text, &mut vec![image(D2, &[2, 1])], &[word], &[0.0; 4]).unwrap()
    };
    assert_eq!(read(0x10B8), [0.5; 4]);
    assert_eq!(read(0x10B9), [0.5, 0.5, 0.5, 1.0]);
}

#[test]
fn integers_saturate_to_the_width_of_the_channels() {
    let text = |function: &str, ty: &str| {
        format!(
            "kernel void k(write_only image2d_t image, global float4 *p) {{
                write_image{function}(image, (int2)(0, 0), ({ty}4)(100, -70000, 70000, 200));
            }}"
        )
    };
    let of = |function: &str, ty: &str, kind: u32| {
        written(&text(function, ty), (kind - image_word::CL_SNORM_INT8) << image_word::TYPE_SHIFT)
            [0]
    };
    let signed = |kind| of("i", "int", kind).map(|bits| bits as i32);
    assert_eq!(signed(0x10D7), [100, -128, 127, 127]);
    assert_eq!(signed(0x10D8), [100, -32768, 32767, 200]);
    assert_eq!(signed(0x10D9), [100, -70000, 70000, 200]);
    let negative = -70000i32 as u32;
    assert_eq!(of("ui", "uint", 0x10DA), [100, 255, 255, 200]);
    assert_eq!(of("ui", "uint", 0x10DB), [100, 65535, 65535, 200]);
    assert_eq!(of("ui", "uint", 0x10DC), [100, negative, 70000, 200]);
}

#[test]
fn queries_tell_size_and_format() {
    let text = "kernel void k(image3d_t a, write_only image2d_array_t b, global float4 *p) {
        p[0] = convert_float4(get_image_dim(a));
        p[1] = (float4)(get_image_width(b), get_image_height(b), get_image_array_size(b), get_image_depth(a));
        p[2] = (float4)(get_image_channel_order(b), get_image_channel_data_type(b), 0, 0);
    }";
    let mut images = vec![image(D3, &[5, 2, 3]), image(D2Array, &[3, 5, 4])];
    let word = 1 | 5 << image_word::ORDER_SHIFT | 2 << image_word::TYPE_SHIFT;
    let found = run(text, &mut images, &[0, word], &[0.0; 12]).unwrap();
    assert_eq!(found[..8], [5.0, 2.0, 3.0, 0.0, 3.0, 5.0, 4.0, 3.0]);
    assert_eq!(found[8..10], [f32::from(0x10B5u16), f32::from(0x10D2u16)]);
}
