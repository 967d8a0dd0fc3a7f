//! Images: copies, and kernels that read, sample and write images by the numbers of their slots.

mod common;

use std::sync::Arc;

use hekla_vk_backend::asm::{DescriptorArray, KernelBuilder, Op};
use hekla_vk_backend::{
    AddressMode, Binding, Buffer, Component, Device, Filters, Format, Image, ImageBox, ImageDesc,
    ImageKind, MemoryKind, PipelineDesc, SamplerDesc, Slot,
};

fn desc(kind: ImageKind, format: Format, extent: [u32; 3]) -> ImageDesc {
    ImageDesc {
        kind,
        format,
        read_as: format,
        extent,
        layers: 1,
        levels: 1,
        components: Component::IDENTITY,
    }
}

/// Makes an image with these bytes.
fn image(device: &Arc<Device>, desc: &ImageDesc, bytes: &[u8]) -> Arc<Image> {
    let image = device.create_image(desc).expect("an image");
    let staging = device.create_buffer(bytes.len() as u64, MemoryKind::Upload).expect("a buffer");
    // SAFETY: nothing uses the buffer yet.
    unsafe { staging.write(0, bytes) }.expect("it is mapped");
    let queue = device.create_queue(false).expect("a queue");
    let at = ImageBox { level: 0, origin: [0; 3], size: image.size_of_level(0) };
    let ((), value) = queue.record(|r| {
        r.prepare(&image);
        r.copy_to_image(&staging, 0u64, &image, at);
    });
    queue.wait(value).expect("the copy completes");
    image
}

/// Returns the bytes of a box of an image.
fn texels(image: &Arc<Image>, at: ImageBox) -> Vec<u8> {
    let size = at.texels() * u64::from(image.desc().format.bytes());
    let device = image.device();
    let staging = device.create_buffer(size, MemoryKind::Readback).expect("a buffer");
    let queue = device.create_queue(false).expect("a queue");
    let ((), value) = queue.record(|r| r.copy_from_image(image, at, &staging, 0u64));
    queue.wait(value).expect("the copy completes");
    let mut bytes = vec![0; size as usize];
    common::read(&staging, 0, &mut bytes).expect("it is mapped");
    bytes
}

/// Runs a kernel with the numbers of slots as its push constants, and then the address of `out`.
fn run(k: KernelBuilder, slots: &[&Arc<Slot>], out: &Arc<Buffer>, groups: u32) {
    let spirv = k.finish();
    let push_constant_size = 8 * (slots.len() as u32 + 1);
    let desc = PipelineDesc {
        spirv: &spirv,
        entry: "main",
        name: "test",
        specialization: &[],
        push_constant_size,
        uses_images: true,
        subgroups: Default::default(),
    };
    let pipeline = common::create_pipeline(out.device(), &desc).expect("a pipeline");
    let mut push: Vec<u8> =
        slots.iter().flat_map(|slot| u64::from(slot.index()).to_le_bytes()).collect();
    push.extend(out.address().to_le_bytes());
    let queue = out.device().create_queue(false).expect("a queue");
    let ((), value) = queue.record(|r| {
        for slot in slots {
            r.retain((*slot).clone());
        }
        r.retain(out.clone());
        // SAFETY: the kernel writes to `out`, which is large enough, and to images that are retained.
        unsafe { r.dispatch(&pipeline, &push, [groups, 1, 1]) };
    });
    queue.wait(value).expect("the kernel completes");
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}

/// Returns the coordinates (x, 0) of this work-item.
fn row(k: &mut KernelBuilder) -> u32 {
    let (x, zero, pair) = (k.global_id_x(), k.constant(0), k.uints(2));
    k.compose(pair, &[x, zero])
}

fn store_texel(k: &mut KernelBuilder, address: u32, component: u32, texel: u32) {
    let vector = k.vector(component, 4);
    let i = k.global_id_x();
    k.store(address, vector, i, texel);
}

#[test]
fn copies_between_buffers_and_images() {
    let device = common::device();
    let bytes: Vec<u8> = (0..4 * 3 * 2 * 4).map(|i| i as u8).collect();
    let solid = image(&device, &desc(ImageKind::D3, Format::R8G8B8A8_UINT, [4, 3, 2]), &bytes);
    let whole = ImageBox { level: 0, origin: [0; 3], size: [4, 3, 2] };
    assert_eq!(texels(&solid, whole), bytes);
    let part = ImageBox { level: 0, origin: [1, 2, 1], size: [2, 1, 1] };
    let start = ((3 + 2) * 4 + 1) * 4;
    assert_eq!(texels(&solid, part), bytes[start..start + 8]);
    let layered =
        ImageDesc { layers: 2, ..desc(ImageKind::D2Array, Format::R8G8B8A8_UINT, [4, 3, 1]) };
    let layered = image(&device, &layered, &vec![255; bytes.len()]);
    let queue = device.create_queue(false).expect("a queue");
    let ((), value) = queue.record(|r| r.copy_image((&solid, whole), (&layered, 0, [0; 3])));
    queue.wait(value).expect("the copy completes");
    assert_eq!(texels(&layered, whole), bytes);
    let lines = ImageDesc { layers: 3, ..desc(ImageKind::D1Array, Format::R16_UINT, [8, 1, 1]) };
    let lines = image(&device, &lines, &bytes[..48]);
    let part = ImageBox { level: 0, origin: [2, 1, 0], size: [4, 1, 1] };
    assert_eq!(texels(&lines, part), bytes[20..28]);
}

#[test]
fn kernels_fetch_texels() {
    let device = common::device();
    let desc = ImageDesc {
        components: [Component::B, Component::G, Component::R, Component::One],
        ..desc(ImageKind::D2, Format::R8G8B8A8_UNORM, [4, 1, 1])
    };
    let image = image(&device, &desc, &(0..16).map(|i| i * 17).collect::<Vec<u8>>());
    let slot = Slot::of_image(&image, Binding::SampledImage, 0).expect("a slot");
    let mut k = KernelBuilder::new(2);
    let float = k.float(32);
    let images = k.images(Binding::SampledImage, ImageKind::D2, float);
    let (number, at) = (k.push_word(0), row(&mut k));
    let texel = k.fetch(images, number, at);
    store_texel(&mut k, 1, float, texel);
    let out = device.create_buffer(64, MemoryKind::Device).expect("a buffer");
    run(k, &[&slot], &out, 4);
    let expected: Vec<f32> = (0..4u32)
        .flat_map(|x| [4 * x + 2, 4 * x + 1, 4 * x, 15])
        .map(|i| (i * 17) as f32 / 255.0)
        .collect();
    for (texel, expected) in floats(&common::download(&out)).iter().zip(expected) {
        assert!((texel - expected).abs() < 1e-6, "{texel} is not {expected}");
    }
}

/// Samples a line of the four texels 0, 1, 2, 3 at x / 2 texels, for x from -2 on.
fn sample_line(device: &Arc<Device>, desc: &SamplerDesc) -> Vec<f32> {
    let line: Vec<u8> = (0..4).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let image_desc = self::desc(ImageKind::D2, Format::R32_SFLOAT, [4, 1, 1]);
    let image = image(device, &image_desc, &line);
    let slot = Slot::of_image(&image, Binding::SampledImage, 0).expect("a slot");
    let sampler = Slot::of_sampler(device, desc).expect("a sampler");
    let mut k = KernelBuilder::new(3);
    let float = k.float(32);
    let images = k.images(Binding::SampledImage, ImageKind::D2, float);
    let samplers = k.samplers();
    let (image, sampler_number) = (k.push_word(0), k.push_word(1));
    let pair = k.vector(float, 2);
    let i = k.global_id_x();
    let (minus_two, half) =
        (k.constant(-2i32 as u32), k.float_constant(float, &[0.5f32.to_bits()]));
    let uint = k.uint();
    let x = k.binary(Op::IAdd, uint, i, minus_two);
    let x = k.unary(Op::ConvertSToF, float, x);
    let scale = match desc.normalized {
        true => k.float_constant(float, &[0.125f32.to_bits()]),
        false => half,
    };
    let x = k.binary(Op::FMul, float, x, scale);
    let at = k.compose(pair, &[x, half]);
    let texel = k.sample((images, image), (samplers, sampler_number), at);
    store_texel(&mut k, 2, float, texel);
    let out = device.create_buffer(16 * 14, MemoryKind::Device).expect("a buffer");
    run(k, &[&slot, &sampler], &out, 14);
    let all = floats(&common::download(&out));
    assert!(all.chunks(4).all(|texel| texel[1] == 0.0 && texel[2] == 0.0), "{all:?}");
    all.chunks(4).map(|texel| texel[0]).collect()
}

#[test]
fn samplers_filter_and_wrap() {
    let device = common::device();
    let nearest = SamplerDesc {
        address_mode: AddressMode::ClampToEdge,
        linear: false,
        normalized: false,
        integer: false,
    };
    let clamped = [0., 0., 0., 0., 1., 1., 2., 2., 3., 3., 3., 3., 3., 3.];
    assert_eq!(sample_line(&device, &nearest), clamped);
    let linear = SamplerDesc { linear: true, ..nearest };
    let between = [0., 0., 0., 0., 0.5, 1., 1.5, 2., 2.5, 3., 3., 3., 3., 3.];
    assert_eq!(sample_line(&device, &linear), between);
    let border = SamplerDesc { address_mode: AddressMode::ClampToBorder, ..nearest };
    let bordered = [0., 0., 0., 0., 1., 1., 2., 2., 3., 3., 0., 0., 0., 0.];
    assert_eq!(sample_line(&device, &border), bordered);
    let repeat = SamplerDesc { address_mode: AddressMode::Repeat, normalized: true, ..nearest };
    let repeated = [3., 3., 0., 0., 1., 1., 2., 2., 3., 3., 0., 0., 1., 1.];
    assert_eq!(sample_line(&device, &repeat), repeated);
    let mirrored =
        SamplerDesc { address_mode: AddressMode::MirroredRepeat, normalized: true, ..nearest };
    let reversed = sample_line(&device, &mirrored);
    // In the middle of the two texels behind the last one.
    assert_eq!([reversed[11], reversed[13]], [3., 2.]);
}

#[test]
fn the_probe_tells_filters_from_others() {
    let device = common::device();
    let linear = SamplerDesc {
        address_mode: AddressMode::ClampToBorder,
        linear: true,
        normalized: true,
        integer: false,
    };
    let found = |desc: SamplerDesc, of| {
        let slot = Slot::of_sampler(&device, &desc).expect("a sampler");
        let farthest = [f32::INFINITY; 2];
        device.find_filters(&[(desc, slot)], of, farthest).expect("it is probed")
    };
    assert_eq!(found(linear, Filters::all()), [Filters::all(); 2]);
    let bytes = [Filters::UNORM_8; 2];
    assert_eq!(found(linear, Filters::UNORM_8), bytes, "others are not asked about");
    let nearest = SamplerDesc { linear: false, ..linear };
    assert_eq!(found(nearest, Filters::all()), [Filters::empty(); 2]);
}

#[test]
fn the_probe_tells_samplers_that_find_texels_from_others() {
    let device = common::device();
    let by_texel = SamplerDesc {
        address_mode: AddressMode::ClampToEdge,
        linear: false,
        normalized: false,
        integer: false,
    };
    let normalized = SamplerDesc { normalized: true, ..by_texel };
    let found = |samplers: [SamplerDesc; 2]| {
        let [by_texel, normalized] =
            samplers.map(|desc| Slot::of_sampler(&device, &desc).expect("a sampler"));
        device.finds_texels(&by_texel, &normalized, 1048576.0).expect("it is probed")
    };
    assert!(found([by_texel, normalized]));
    assert!(!found([SamplerDesc { linear: true, ..by_texel }, normalized]));
    let border = AddressMode::ClampToBorder;
    assert!(!found([SamplerDesc { address_mode: border, ..by_texel }, normalized]));
    assert!(!found([by_texel, SamplerDesc { address_mode: AddressMode::Repeat, ..normalized }]));
}

#[test]
fn kernels_write_texels() {
    let device = common::device();
    for kind in [ImageKind::D1, ImageKind::D2] {
        let desc = desc(kind, Format::R8G8B8A8_UNORM, [4, 1, 1]);
        let image = image(&device, &desc, &[9; 16]);
        assert!(image.support().storage);
        let slot = Slot::of_image(&image, Binding::StorageImage, 0).expect("a slot");
        let mut k = KernelBuilder::new(2);
        let float = k.float(32);
        let images = k.images(Binding::StorageImage, kind, float);
        let number = k.push_word(0);
        let x = k.global_id_x();
        let at = if kind == ImageKind::D1 { x } else { row(&mut k) };
        let fraction = k.unary(Op::ConvertSToF, float, x);
        let third = k.float_constant(float, &[0.2f32.to_bits()]);
        let fraction = k.binary(Op::FMul, float, fraction, third);
        let one = k.float_constant(float, &[1f32.to_bits()]);
        let vector = k.vector(float, 4);
        let texel = k.compose(vector, &[fraction, one, fraction, one]);
        write(&mut k, images, number, at, texel);
        let out = device.create_buffer(64, MemoryKind::Device).expect("a buffer");
        run(k, &[&slot], &out, 4);
        let whole = ImageBox { level: 0, origin: [0; 3], size: [4, 1, 1] };
        let expected: Vec<u8> = (0..4).flat_map(|x| [51 * x, 255, 51 * x, 255]).collect();
        assert_eq!(texels(&image, whole), expected, "{kind:?}");
    }
}

fn write(k: &mut KernelBuilder, images: DescriptorArray, slot: u32, at: u32, texel: u32) {
    k.write_image(images, slot, at, texel);
}

/// A kernel copies texels from a view of one buffer to a view of another buffer, with another format.
#[test]
fn kernels_read_and_write_views_of_buffers() {
    let device = common::device();
    let source = device.create_buffer(64, MemoryKind::Upload).expect("a buffer");
    common::write(&source, 0, &(0..64).map(|i| i * 3).collect::<Vec<u8>>()).expect("it is mapped");
    let target = device.create_buffer(2048, MemoryKind::Device).expect("a buffer");
    let align = device.info().limits.min_texel_buffer_offset_alignment;
    let view = |buffer, binding, format, range| Slot::of_buffer(buffer, binding, format, range);
    let (uniform, storage) = (Binding::UniformTexelBuffer, Binding::StorageTexelBuffer);
    let from = view(&source, uniform, Format::R8G8B8A8_UNORM, (0, 16)).expect("a slot");
    let to = view(&target, storage, Format::R32G32B32A32_SFLOAT, (align, 16)).expect("a slot");
    let mut k = KernelBuilder::new(3);
    let float = k.float(32);
    let (sources, targets) = (k.texel_buffers(uniform, float), k.texel_buffers(storage, float));
    let (source_slot, target_slot) = (k.push_word(0), k.push_word(1));
    let i = k.global_id_x();
    let texel = k.fetch_from_buffer(sources, source_slot, i);
    k.write_image(targets, target_slot, i, texel);
    run(k, &[&from, &to], &target, 16);
    let written = &floats(&common::download(&target))[align as usize / 4..][..64];
    for (i, value) in written.iter().enumerate() {
        let expected = (i * 3) as f32 / 255.0;
        assert!((value - expected).abs() < 1e-6, "{i}: {value} is not {expected}");
    }
    let most = u64::from(device.info().limits.max_texel_buffer_elements);
    for range in [(1, 1), (0, 0), (0, most + 1), (align, 128)] {
        assert!(view(&target, uniform, Format::R32G32B32A32_SFLOAT, range).is_err(), "{range:?}");
    }
    assert!(view(&target, Binding::SampledImage, Format::R8_UNORM, (0, 1)).is_err());
    drop((from, to));
    assert_eq!(device.slots_in_use(), 0);
}

#[test]
fn slots_are_used_again() {
    let device = common::device();
    let desc = desc(ImageKind::D2, Format::R8_UNORM, [4, 4, 1]);
    for _ in 0..1000 {
        let image = device.create_image(&desc).expect("an image");
        let first = Slot::of_image(&image, Binding::SampledImage, 0).expect("a slot");
        let second = Slot::of_image(&image, Binding::SampledImage, 0).expect("a slot");
        assert!(first.index() != second.index() && first.index().max(second.index()) < 2);
    }
    assert_eq!(device.slots_in_use(), 0);
    assert_eq!(device.pool_use().held, 0);
}

#[test]
fn impossible_images_are_refused() {
    let device = common::device();
    let most = device.info().limits.max_image_dimension[1];
    let large = desc(ImageKind::D2, Format::R8_UNORM, [most + 1, 1, 1]);
    assert!(device.create_image(&large).is_err());
    let empty = desc(ImageKind::D2, Format::R8_UNORM, [0, 1, 1]);
    assert!(device.create_image(&empty).is_err());
}
