//! Tests that the bytes are right in both directions, in objects of every kind.

use crate::common::*;
use crate::gl::*;
use crate::world::{ObjectInfo, TextureInfo, World};

/// GL_RGBA_INTEGER, GL_RED_INTEGER, GL_RED, GL_RG, GL_DEPTH_COMPONENT
const RGBA_INTEGER: u32 = 0x8D99;
const RED_INTEGER: u32 = 0x8D94;
const RED: u32 = 0x1903;
const RG: u32 = 0x8227;
const DEPTH: u32 = 0x1902;
const FLOAT: u32 = 0x1406;

/// Formats of OpenGL, how their texels are transferred, and their order and type in OpenCL.
const FORMATS: [([u32; 3], usize, u32, u32); 10] = [
    ([RGBA8, RGBA, UNSIGNED_BYTE], 4, CL_RGBA, CL_UNORM_INT8),
    // GL_RGBA32F, GL_R32UI, GL_RG16, GL_RGBA16F, GL_R8I, GL_RGBA16_SNORM, GL_SRGB8_ALPHA8
    ([0x8814, RGBA, FLOAT], 16, CL_RGBA, CL_FLOAT),
    ([0x8236, RED_INTEGER, 0x1405], 4, CL_R, CL_UNSIGNED_INT32),
    ([0x822C, RG, 0x1403], 4, CL_RG, CL_UNORM_INT16),
    ([0x881A, RGBA, 0x140B], 8, CL_RGBA, CL_HALF_FLOAT),
    ([0x8231, RED_INTEGER, 0x1400], 1, CL_R, CL_SIGNED_INT8),
    ([0x8F9B, RGBA, 0x1402], 8, CL_RGBA, CL_SNORM_INT16),
    ([0x8C43, RGBA, UNSIGNED_BYTE], 4, CL_sRGBA, CL_UNORM_INT8),
    ([0x8D76, RGBA_INTEGER, 0x1403], 8, CL_RGBA, CL_UNSIGNED_INT16),
    ([0x8229, RED, UNSIGNED_BYTE], 1, CL_R, CL_UNORM_INT8),
];

/// Returns texels of a format. None is a NaN, whose bits may change, and no signed fraction is -32768, which means -1
/// as -32767 does.
fn texels(size: [usize; 3], texel: usize, data_type: u32, seed: usize) -> Vec<u8> {
    let bytes = pattern(size.iter().product::<usize>() * texel, seed);
    let width = match data_type {
        FLOAT => 4,
        0x140B | 0x1402 => 2,
        _ => return bytes,
    };
    let tame = |number: &[u8]| {
        let mut number = number.to_vec();
        number[width - 1] &= 0x3F;
        number
    };
    bytes.chunks(width).flat_map(tame).collect()
}

fn info<T: Copy>(w: &World, mem: cl_mem, name: u32) -> T {
    value(|z, p, r| unsafe { (w.s.cl.clGetImageInfo)(mem, name, z, p, r) })
}

/// Tests one level of a texture: OpenCL sees what OpenGL wrote, and OpenGL what OpenCL wrote, twice.
fn both_ways(w: &World, kind: Kind, level: i32, size: [usize; 3], name: u32) -> cl_mem {
    let mem = w.texture(CL_MEM_READ_WRITE, kind.target, level, name);
    for round in 0..2 {
        let from_gl = texels(size, kind.texel, kind.data_type, round);
        w.gl.level(name, kind, level, size, &from_gl);
        w.acquire(mem);
        assert!(w.read_image(mem, size, kind.texel) == from_gl, "{kind:x?} level {level}");
        let from_cl = texels(size, kind.texel, kind.data_type, 7 + round);
        w.write_image(mem, size, &from_cl);
        w.release(mem);
        w.s.finish();
        let seen = w.gl.read_level(name, kind, level, size);
        assert!(seen == from_cl, "{kind:x?} level {level}: what OpenCL wrote");
    }
    mem
}

#[test]
fn buffers_have_the_same_bytes() {
    for api in [Api::Desktop, Api::Es] {
        let Some(w) = World::new(api) else { return };
        let source = "kernel void add(global uchar *p) { p[get_global_id(0)] += 3; }";
        let kernel = w.s.kernel(w.s.program(source, ""), "add");
        let name = w.gl.buffer(&pattern(4097, 1));
        let mem = w.buffer(CL_MEM_READ_WRITE, name);
        let size: usize =
            value(|z, p, r| unsafe { (w.s.cl.clGetMemObjectInfo)(mem, CL_MEM_SIZE, z, p, r) });
        assert_eq!(size, 4097);
        w.s.set(kernel, 0, &mem);
        for round in 0..3 {
            let bytes = pattern(4097, round);
            w.gl.write_buffer(name, &bytes);
            w.acquire(mem);
            check(w.s.launch(kernel, &[4097], None));
            w.release(mem);
            w.s.finish();
            let expected: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_add(3)).collect();
            assert!(w.gl.read_buffer(name, 4097) == expected, "{api:?} round {round}");
        }
        // The host may write a buffer that kernels only read.
        let read = w.buffer(CL_MEM_READ_ONLY, name);
        w.acquire(read);
        w.s.write(read, true, 0, &[9; 16]);
        w.release(read);
        w.s.finish();
        assert_eq!(w.gl.read_buffer(name, 16), [9; 16]);
        let object: ObjectInfo = w.s.extension(c"clGetGLObjectInfo");
        let (mut kind, mut told) = (0, 0);
        check(unsafe { object(mem, &mut kind, &mut told) });
        assert_eq!((kind, told), (CL_GL_OBJECT_BUFFER, name));
    }
}

#[test]
fn textures_of_every_format_have_the_same_texels() {
    let Some(w) = World::new(Api::Desktop) else { return };
    for ([internal, format, data_type], texel, order, channel) in FORMATS {
        let kind = Kind { target: TEXTURE_2D, internal, format, data_type, texel };
        let (name, size) = (w.gl.texture(), [61, 35, 1]);
        w.gl.level(name, kind, 0, size, &texels(size, texel, data_type, 0));
        let mem = both_ways(&w, kind, 0, size, name);
        let told: cl_image_format = info(&w, mem, CL_IMAGE_FORMAT);
        assert_eq!((told.image_channel_order, told.image_channel_data_type), (order, channel));
        check(unsafe { (w.s.cl.clReleaseMemObject)(mem) });
    }
}

/// Targets, the size of their first level, and the types of images and objects.
const TARGETS: [(u32, [usize; 3], u32, u32); 7] = [
    (TEXTURE_1D, [70, 1, 1], CL_MEM_OBJECT_IMAGE1D, CL_GL_OBJECT_TEXTURE1D),
    (ARRAY_1D, [70, 5, 1], CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_GL_OBJECT_TEXTURE1D_ARRAY),
    (TEXTURE_2D, [70, 33, 1], CL_MEM_OBJECT_IMAGE2D, CL_GL_OBJECT_TEXTURE2D),
    (RECTANGLE, [70, 33, 1], CL_MEM_OBJECT_IMAGE2D, CL_GL_OBJECT_TEXTURE2D),
    (FACE, [34, 34, 1], CL_MEM_OBJECT_IMAGE2D, CL_GL_OBJECT_TEXTURE2D),
    (ARRAY_2D, [34, 21, 6], CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_GL_OBJECT_TEXTURE2D_ARRAY),
    (TEXTURE_3D, [34, 21, 10], CL_MEM_OBJECT_IMAGE3D, CL_GL_OBJECT_TEXTURE3D),
];

#[test]
fn textures_of_every_target_and_level_have_the_same_texels() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let object: ObjectInfo = w.s.extension(c"clGetGLObjectInfo");
    let texture: TextureInfo = w.s.extension(c"clGetGLTextureInfo");
    for (target, size, image_type, object_type) in TARGETS {
        let [internal, format, data_type] = FORMATS[0].0;
        let kind = Kind { target, internal, format, data_type, texel: 4 };
        let name = w.gl.texture();
        let levels = if target == RECTANGLE { 1 } else { 3 };
        let size_of = |level: i32| {
            let part = |texels: usize| (texels >> level).max(1);
            let [width, height, depth] = size;
            match target {
                ARRAY_1D => [part(width), height, 1],
                ARRAY_2D => [part(width), part(height), depth],
                _ => size.map(part),
            }
        };
        for level in 0..levels {
            let size = size_of(level);
            w.gl.level(name, kind, level, size, &texels(size, 4, data_type, 3));
        }
        for level in 0..levels {
            let mem = both_ways(&w, kind, level, size_of(level), name);
            let width: usize = info(&w, mem, CL_IMAGE_WIDTH);
            assert_eq!(width, size_of(level)[0]);
            let kind: u32 =
                value(|z, p, r| unsafe { (w.s.cl.clGetMemObjectInfo)(mem, CL_MEM_TYPE, z, p, r) });
            assert_eq!(kind, image_type);
            let (mut kind, mut told) = (0, 0);
            check(unsafe { object(mem, &mut kind, &mut told) });
            assert_eq!((kind, told), (object_type, name));
            let asked: u32 =
                value(|z, p, r| unsafe { texture(mem, CL_GL_TEXTURE_TARGET, z, p, r) });
            assert_eq!(asked, target);
            let asked: i32 = value(|z, p, r| unsafe { texture(mem, CL_GL_MIPMAP_LEVEL, z, p, r) });
            assert_eq!(asked, level);
            check(unsafe { (w.s.cl.clReleaseMemObject)(mem) });
        }
    }
}

/// The first level of a texture with several levels is shared in the same way as a texture's only level, and the other
/// levels keep their texels.
#[test]
fn first_levels_are_shared_as_others_are() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let kind = Kind {
        target: TEXTURE_2D,
        internal: RGBA8,
        format: RGBA,
        data_type: UNSIGNED_BYTE,
        texel: 4,
    };
    // When the object no longer exists, shared memory lives on, and copies fail.
    let is_shared = |name: u32, mem: cl_mem| {
        w.s.finish();
        unsafe { (w.gl.f.glDeleteTextures)(1, &name) };
        w.end(w.hand_over(true, &[mem], &[])) == CL_COMPLETE
    };
    let sizes = |level: usize| {
        [[90, 34, 1], [45, 17, 1], [22, 8, 1], [11, 4, 1], [5, 2, 1], [2, 1, 1], [1, 1, 1]][level]
    };
    let below = |level: usize| pattern(sizes(level).iter().product::<usize>() * 4, level);
    let plain = w.gl.texture();
    w.gl.level(plain, kind, 0, sizes(0), &below(0));
    let alone = both_ways(&w, kind, 0, sizes(0), plain);
    let name = w.gl.texture();
    for level in 0..7 {
        w.gl.level(name, kind, level as i32, sizes(level), &below(level));
    }
    let first = both_ways(&w, kind, 0, sizes(0), name);
    for level in 1..7 {
        assert!(w.gl.read_level(name, kind, level as i32, sizes(level)) == below(level), "{level}");
    }
    assert_eq!(is_shared(name, first), is_shared(plain, alone));
}

/// A view is a level of another texture: OpenCL sees that level alone.
#[test]
fn views_have_the_texels_of_their_level() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let kind = Kind {
        target: TEXTURE_2D,
        internal: RGBA8,
        format: RGBA,
        data_type: UNSIGNED_BYTE,
        texel: 4,
    };
    let (name, view, f) = (w.gl.texture(), w.gl.texture(), &w.gl.f);
    unsafe {
        (f.glBindTexture)(TEXTURE_2D, name);
        (f.glTexStorage2D)(TEXTURE_2D, 3, RGBA8, 64, 64);
        for (level, size) in [(0, 64i32), (1, 32), (2, 16)] {
            let texels = pattern((4 * size * size) as usize, level as usize);
            let from = texels.as_ptr().cast();
            let (format, data_type) = (RGBA, UNSIGNED_BYTE);
            (f.glTexSubImage2D)(TEXTURE_2D, level, 0, 0, size, size, format, data_type, from);
        }
        (f.glTextureView)(view, TEXTURE_2D, name, RGBA8, 1, 1, 0, 1);
    }
    w.gl.check();
    let mem = w.texture(CL_MEM_READ_WRITE, TEXTURE_2D, 0, view);
    w.acquire(mem);
    let size = [32, 32, 1];
    assert!(w.read_image(mem, size, 4) == pattern(4096, 1));
    w.write_image(mem, size, &pattern(4096, 9));
    w.release(mem);
    w.s.finish();
    assert!(w.gl.read_level(name, kind, 1, size) == pattern(4096, 9));
    assert!(w.gl.read_level(name, kind, 0, [64, 64, 1]) == pattern(16384, 0));
    assert!(w.gl.read_level(name, kind, 2, [16, 16, 1]) == pattern(1024, 2));
}

/// Depths are images of one channel; depths beside a stencil can only be read, and only by kernels.
#[test]
fn depths_have_the_same_texels() {
    let Some(w) = World::new(Api::Desktop) else { return };
    assert!(w.s.offers("cl_khr_gl_depth_images"));
    let size = [40, 30, 1];
    // GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT16
    for (internal, data_type, texel) in [(0x8CAC, FLOAT, 4), (0x81A5, 0x1403, 2)] {
        let kind = Kind { target: TEXTURE_2D, internal, format: DEPTH, data_type, texel };
        let depths = |seed: usize| -> Vec<u8> {
            let numbers = (0..1200).map(|index| (index * 37 + seed * 11) % 65536);
            match texel {
                4 => numbers.flat_map(|n| (n as f32 / 65535.0).to_ne_bytes()).collect(),
                _ => numbers.flat_map(|n| (n as u16).to_ne_bytes()).collect(),
            }
        };
        let name = w.gl.texture();
        w.gl.level(name, kind, 0, size, &depths(0));
        let mem = w.texture(CL_MEM_READ_WRITE, TEXTURE_2D, 0, name);
        w.acquire(mem);
        assert!(w.read_image(mem, size, texel) == depths(0));
        w.write_image(mem, size, &depths(1));
        w.release(mem);
        w.s.finish();
        assert!(w.gl.read_level(name, kind, 0, size) == depths(1));
    }
    // GL_DEPTH24_STENCIL8
    let kind =
        Kind { target: TEXTURE_2D, internal: 0x88F0, format: 0x84F9, data_type: 0x84FA, texel: 4 };
    let words: Vec<u32> = (0..1200u32).map(|index| (index * 13_977) << 8 | 0x5A).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let name = w.gl.texture();
    w.gl.level(name, kind, 0, size, &bytes);
    let mem = w.texture(CL_MEM_READ_ONLY, TEXTURE_2D, 0, name);
    let told: cl_image_format = info(&w, mem, CL_IMAGE_FORMAT);
    let (order, channel) = (told.image_channel_order, told.image_channel_data_type);
    assert_eq!((order, channel), (CL_DEPTH_STENCIL, CL_UNORM_INT24));
    let source = "kernel void depths(read_only image2d_depth_t i, global float *out) {
        int x = get_global_id(0), y = get_global_id(1);
        out[y * get_global_size(0) + x] = read_imagef(i, (int2)(x, y));
    }";
    let kernel = w.s.kernel(w.s.program(source, "-cl-std=CL2.0"), "depths");
    let out = w.s.buffer(0, 4 * 1200);
    w.s.set(kernel, 0, &mem);
    w.s.set(kernel, 1, &out);
    w.acquire(mem);
    check(w.s.launch(kernel, &[40, 30], None));
    let seen = w.s.read(out, 0, 4 * 1200);
    for (word, depth) in words.iter().zip(seen.chunks(4)) {
        let depth = f32::from_ne_bytes(depth.try_into().unwrap());
        let expected = (word >> 8) as f32 / 16_777_215.0;
        assert!((depth - expected).abs() < 1e-6, "{depth} for {expected}");
    }
    w.release(mem);
    w.s.finish();
    assert!(w.gl.read_level(name, kind, 0, size) == bytes, "the stencil is unchanged");
}

/// A texture of a buffer is an image of a buffer, from the offset on that was given to OpenGL.
#[test]
fn textures_of_buffers_have_the_same_texels() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let bytes = pattern(4 * 300, 5);
    let buffer = w.gl.buffer(&bytes);
    let name = w.gl.texture();
    unsafe {
        (w.gl.f.glBindTexture)(TEXTURE_BUFFER, name);
        // GL_R32UI
        (w.gl.f.glTexBuffer)(TEXTURE_BUFFER, 0x8236, buffer);
    }
    w.gl.check();
    let mem = w.texture(CL_MEM_READ_WRITE, TEXTURE_BUFFER, 0, name);
    let source = "kernel void invert(read_write image1d_buffer_t i) {
        int x = get_global_id(0);
        write_imageui(i, x, ~read_imageui(i, x));
    }";
    let kernel = w.s.kernel(w.s.program(source, "-cl-std=CL3.0"), "invert");
    w.s.set(kernel, 0, &mem);
    w.acquire(mem);
    check(w.s.launch(kernel, &[300], None));
    w.release(mem);
    w.s.finish();
    let expected: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
    assert!(w.gl.read_buffer(buffer, 1200) == expected);
}

#[test]
fn renderbuffers_have_the_same_texels() {
    for api in [Api::Desktop, Api::Es] {
        let Some(w) = World::new(api) else { return };
        let name = w.gl.renderbuffer(RGBA8, [50, 20]);
        w.gl.framebuffer();
        let (attachment, f) = (0x8CE0, &w.gl.f);
        unsafe {
            (f.glFramebufferRenderbuffer)(FRAMEBUFFER, attachment, RENDERBUFFER, name);
            assert_eq!((f.glCheckFramebufferStatus)(FRAMEBUFFER), 0x8CD5);
            (f.glClearColor)(1.0, 0.0, 0.2, 1.0);
            (f.glClear)(0x4000);
        }
        let mem =
            made(|e| unsafe { (w.create_renderbuffer)(w.s.context, CL_MEM_READ_WRITE, name, e) });
        let size = [50, 20, 1];
        w.acquire(mem);
        assert!(w.read_image(mem, size, 4) == [255, 0, 51, 255].repeat(1000), "{api:?}");
        let texels = pattern(4000, 2);
        w.write_image(mem, size, &texels);
        w.release(mem);
        w.s.finish();
        assert!(w.gl.read_pixels([50, 20]) == texels, "{api:?}");
    }
}

/// OpenGL ES has textures of the same kinds; the tests read them through framebuffers.
#[test]
fn textures_of_opengl_es_have_the_same_texels() {
    let Some(w) = World::new(Api::Es) else { return };
    for (target, size) in [(TEXTURE_2D, [30, 20, 1]), (FACE, [24, 24, 1]), (ARRAY_2D, [30, 20, 4])]
    {
        let kind =
            Kind { target, internal: RGBA8, format: RGBA, data_type: UNSIGNED_BYTE, texel: 4 };
        let (name, bytes) = (w.gl.texture(), pattern(size.iter().product::<usize>() * 4, 1));
        w.gl.level(name, kind, 0, size, &bytes);
        let mem = w.texture(CL_MEM_READ_WRITE, target, 0, name);
        w.acquire(mem);
        assert!(w.read_image(mem, size, 4) == bytes, "{target:#x}");
        let written = pattern(bytes.len(), 2);
        w.write_image(mem, size, &written);
        w.release(mem);
        w.s.finish();
        w.gl.framebuffer();
        let layer_size = 4 * size[0] * size[1];
        for layer in 0..size[2] {
            unsafe {
                match target {
                    ARRAY_2D => (w.gl.f.glFramebufferTextureLayer)(
                        FRAMEBUFFER,
                        0x8CE0,
                        name,
                        0,
                        layer as i32,
                    ),
                    _ => (w.gl.f.glFramebufferTexture2D)(FRAMEBUFFER, 0x8CE0, target, name, 0),
                }
            }
            let expected = &written[layer * layer_size..][..layer_size];
            assert!(w.gl.read_pixels([size[0], size[1]]) == expected, "{target:#x} {layer}");
        }
    }
}
