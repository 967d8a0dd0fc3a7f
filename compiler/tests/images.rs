//! Images and samplers from OpenCL C to SPIR-V: the modules are valid on every kind of device, and reads with constant samplers
//! have no branches.

#[allow(dead_code)]
#[path = "emit/support.rs"]
mod support;

use hekla_compiler::kernel::{
    spec_id, ArgAddress, ArgKind, Field, ImageAccess, ImageDim, Kernel, Program,
};
use hekla_compiler::Quirks;
use hekla_compiler::{compile, Options, Source, Target};
use support::{disassemble, validate};

/// Compiles a program, and checks that the module of every kernel is valid.
fn program(text: &str, target: &Target) -> Program {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let options = Options::parse("-cl-std=CL3.0").unwrap();
    let compiled = compile(&source, &options, target);
    let program = compiled.program.unwrap_or_else(|| panic!("{}\n{text}", compiled.log));
    assert_eq!(compiled.log, "", "{text}");
    for kernel in &program.kernels {
        if let Err(message) = validate(&kernel.spirv) {
            panic!("{message}\n{text}\n{}", disassemble(&kernel.spirv));
        }
    }
    program
}

/// Returns the only kernel of a program, and its text.
fn kernel(text: &str) -> (Kernel, String) {
    let kernel = program(text, &Target::generic()).kernels.remove(0);
    let text = disassemble(&kernel.spirv);
    (kernel, text)
}

/// Returns how often each instruction occurs in a module, without the branch of the check of bounds.
fn counts<const N: usize>(text: &str, names: [&str; N]) -> [usize; N] {
    let bounded = text.lines().any(|line| line.ends_with(&format!("SpecId {}", spec_id::BOUNDED)));
    names.map(|name| {
        let words = text.split_whitespace().filter(|&word| word == format!("Op{name}"));
        words.count() - usize::from(bounded && name == "BranchConditional")
    })
}

/// Returns devices with images that are otherwise weak in different ways.
fn devices() -> [Target; 7] {
    let generic = Target::generic;
    let images = Target {
        images: true,
        read_write_images: true,
        image_writes_3d: true,
        ..Target::minimal()
    };
    [
        generic(),
        images,
        Target { int64: false, float16: true, ..generic() },
        Target { hardware_linear: true, ..generic() },
        Target { hardware_linear: true, ..software() },
        Target {
            hardware_linear: true,
            quirks: software().quirks | Quirks::COARSE_BYTE_FILTERS,
            ..software()
        },
        Target { vulkan_memory_model: false, push_constant_size: 8, ..generic() },
    ]
}

/// Returns a device that is a processor, whose samplers are faster than fetches.
fn software() -> Target {
    let quirks = Quirks::LOST_FAR_PLACES | Quirks::SLOW_SAMPLING_LOOPS;
    Target { samples_texels: true, quirks, ..Target::generic() }
}

#[test]
fn modules_are_valid_on_every_device() {
    let kinds = [
        ("image1d_t", "int", "float", "float"),
        ("image1d_array_t", "int2", "float2", "float"),
        ("image2d_t", "int2", "float2", "float2"),
        ("image2d_array_t", "int4", "float4", "float2"),
        ("image3d_t", "int4", "float4", "float4"),
    ];
    for target in devices() {
        for (image, int, float, gradient) in kinds {
            let text = format!(
                "constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
                kernel void k(read_only {image} a, write_only {image} b, read_write {image} c, sampler_t s,
                              global float4 *f, global int4 *i) {{
                    {int} at = ({int})(get_global_id(0));
                    {float} place = ({float})(i->x * 0.3f);
                    f[0] = read_imagef(a, s, place) + read_imagef(a, linear, place) + read_imagef(a, s, at);
                    i[0] = read_imagei(a, s, place) + read_imagei(a, at) + as_int4(read_imageui(a, s, at));
                    f[2] = read_imagef(a, s, place, 1.5f) + read_imagef(a, linear, place, (float)i->y);
                    {gradient} dx = ({gradient})(f->x), dy = ({gradient})(f->y);
                    f[3] = read_imagef(a, s, place, dx, dy) * get_image_num_mip_levels(a);
                    i[2] = read_imagei(a, s, place, 2.0f) + as_int4(read_imageui(a, s, place, dx, dy));
                    write_imagef(b, at, f[1]);
                    write_imagei(b, at, i[1]);
                    write_imageui(b, at, as_uint4(i[1]));
                    write_imagef(c, at, read_imagef(c, at));
                    work_group_barrier(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
                    write_imagei(c, at, read_imagei(c, at) + get_image_width(c));
                }}"
            );
            program(&text, &target);
        }
        program(
            "kernel void k(image1d_buffer_t a, write_only image1d_buffer_t b, read_write image1d_buffer_t c,
                           image2d_depth_t d, write_only image2d_array_depth_t e, sampler_t s, global int *n) {
                int i = get_global_id(0);
                write_imagef(b, i, read_imagef(a, i) + read_imagef(d, s, (float2)(0.5f)));
                write_imagei(c, i, read_imagei(c, i) + get_image_width(b));
                write_imagef(e, (int4)(i), read_imagef(d, s, (int2)(i)) + read_imagef(d, s, (float2)(i), 1.0f));
                *n = get_image_array_size(e) + get_image_dim(d).y;
            }",
            &target,
        );
    }
}

#[test]
fn accesses_that_are_ordered_between_work_groups_say_so() {
    let text = "kernel void k(read_write image2d_t a, global atomic_int *n) {
        write_imagef(a, (int2)(1), (float4)(2));
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_fetch_add_explicit(n, 1, memory_order_acq_rel, memory_scope_device);
        write_imagef(a, (int2)(2), read_imagef(a, (int2)(1)));
    }";
    let (_, spirv) = kernel(text);
    assert_eq!(spirv.matches("NonPrivateTexel").count(), 3, "{spirv}");
}

#[test]
fn reads_with_constant_samplers_are_straight_lines() {
    let read = |sampler: &str, at: &str| {
        let (_, text) = kernel(&format!(
            "kernel void k(image2d_t a, global float4 *f) {{
                int2 i = (int2)(get_global_id(0), get_global_id(1));
                *f = read_imagef(a, {sampler}, {at});
            }}"
        ));
        counts(&text, ["ImageQuerySizeLod", "ImageFetch", "BranchConditional", "FunctionCall"])
    };
    assert_eq!(read("CLK_ADDRESS_CLAMP_TO_EDGE", "i"), [1, 1, 0, 0]);
    assert_eq!(read("CLK_ADDRESS_CLAMP", "i"), [1, 1, 0, 0]);
    assert_eq!(read("CLK_ADDRESS_NONE", "convert_float2(i)"), [1, 1, 0, 0]);
    let normalized = "CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR";
    for mode in ["CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"] {
        let sampler = format!("{normalized} | CLK_ADDRESS_{mode}");
        assert_eq!(read(&sampler, "convert_float2(i)"), [1, 4, 0, 0], "{mode}");
    }
}

/// Returns how often some instructions occur in a kernel that reads an image, on a device whose samplers filter.
fn filtered(image: &str, sampler: &str, at: &str) -> [usize; 4] {
    let target = Target { hardware_linear: true, ..Target::generic() };
    let text = format!(
        "kernel void k({image} a, sampler_t s, global float4 *f) {{
            float4 i = convert_float4((int4)(get_global_id(0)));
            *f = read_imagef(a, {sampler}, i{at});
        }}"
    );
    let text = disassemble(&program(&text, &target).kernels[0].spirv);
    let names = ["ImageSampleExplicitLod", "ImageFetch", "ImageQuerySizeLod", "BranchConditional"];
    counts(&text, names)
}

#[test]
fn samplers_of_the_device_filter_where_they_are_exact_enough() {
    let (texels, normalized) =
        ("CLK_FILTER_LINEAR", "CLK_FILTER_LINEAR | CLK_NORMALIZED_COORDS_TRUE");
    // One bit of the image's word chooses between the sampler and fetches: the sampler does not filter all formats well enough.
    for (image, at, texels_read) in [("image1d_t", ".x", 2), ("image2d_t", ".xy", 4)] {
        assert_eq!(filtered(image, texels, at), [1, texels_read, 1, 1], "{image}");
        assert_eq!(filtered(image, normalized, at), [1, texels_read, 1, 1], "{image}");
    }
    // Vulkan's samplers accept coordinates in texels only for one- and two-dimensional images that are not arrays.
    for (image, at, texels_read) in
        [("image1d_array_t", ".xy", 2), ("image2d_array_t", "", 4), ("image3d_t", "", 8)]
    {
        assert_eq!(filtered(image, texels, at), [0, texels_read, 1, 0], "{image}");
        assert_eq!(filtered(image, normalized, at), [1, texels_read, 1, 1], "{image}");
    }
    assert_eq!(filtered("image2d_t", "CLK_FILTER_NEAREST", ".xy")[..2], [0, 1]);
    // A sampler that is an argument may filter linearly, by the hardware or by fetches, or not filter at all.
    assert_eq!(filtered("image2d_t", "s", ".xy")[..2], [1, 5]);
    assert_eq!(filtered("image3d_t", "s", "")[..2], [1, 9]);
}

#[test]
fn samplers_find_texels_where_fetches_are_slower() {
    let read = |image: &str, sampler: &str, at: &str| {
        let text = format!(
            "kernel void k({image} a, sampler_t s, global float4 *f, int4 i) {{
                *f = read_imagef(a, {sampler} {at});
            }}"
        );
        let text = disassemble(&program(&text, &software()).kernels[0].spirv);
        let names =
            ["ImageSampleExplicitLod", "ImageFetch", "ImageQuerySizeLod", "BranchConditional"];
        (counts(&text, names), counts(&text, ["ConvertFToS", "ConvertSToF"]))
    };
    let (edge, border) = ("CLK_ADDRESS_CLAMP_TO_EDGE,", "CLK_ADDRESS_CLAMP,");
    let float2 = "as_float2(i.xy)";
    // The module queries no size and computes no index.
    assert_eq!(read("image2d_t", edge, float2), ([1, 0, 0, 0], [0, 0]));
    assert_eq!(read("image1d_t", "CLK_ADDRESS_NONE,", "as_float(i.x)"), ([1, 0, 0, 0], [0, 0]));
    assert_eq!(read("image2d_t", border, float2), ([1, 0, 1, 0], [0, 2]));
    assert_eq!(read("image3d_t", edge, "as_float4(i)"), ([1, 0, 1, 0], [0, 3]));
    let repeat = "CLK_ADDRESS_REPEAT | CLK_NORMALIZED_COORDS_TRUE,";
    assert_eq!(read("image2d_t", repeat, float2), ([1, 0, 1, 0], [0, 2]));
    assert_eq!(read("image2d_t", edge, "i.xy"), ([1, 0, 0, 0], [0, 2]));
    assert_eq!(read("image2d_t", "", "i.xy"), ([1, 0, 0, 0], [0, 2]));
    assert_eq!(read("image1d_buffer_t", "", "i.x").0[..2], [0, 1], "a buffer has no samplers");
    assert_eq!(read("image2d_t", "s,", float2).0[..2], [1, 4], "a filter is arithmetic");
}

#[test]
fn loops_that_sample_are_unrolled_where_masks_are_software() {
    let text = "kernel void k(image2d_t a, global float4 *f, float x, float y) {
        float4 sum = 0.0f;
        for (int i = 0; i < 16; i++)
            sum += read_imagef(a, CLK_ADDRESS_CLAMP_TO_EDGE, (float2)(x, y + i * 7));
        *f = sum;
    }";
    let reads = |target: &Target| {
        let text = disassemble(&program(text, target).kernels[0].spirv);
        counts(&text, ["ImageSampleExplicitLod", "LoopMerge"])
    };
    assert_eq!(reads(&software()), [16, 0]);
    let hardware = Target { quirks: Quirks::LOST_FAR_PLACES, ..software() };
    assert_eq!(reads(&hardware), [4, 1], "the loads of four iterations are under way at once");
}

#[test]
fn places_far_away_are_moved_near_where_samplers_lose_them() {
    let selects = |sampler: &str, quirks: Quirks| {
        let target = Target { hardware_linear: true, quirks, ..Target::generic() };
        let text = format!(
            "kernel void k(image2d_t a, global float4 *f, float2 at) {{
                const sampler_t s = CLK_FILTER_LINEAR | {sampler};
                *f = read_imagef(a, s, at);
            }}"
        );
        let text = disassemble(&program(&text, &target).kernels[0].spirv);
        counts(&text, ["Select"])[0]
    };
    let (lost, kept) = (Quirks::LOST_FAR_PLACES, Quirks::empty());
    for sampler in ["CLK_ADDRESS_CLAMP_TO_EDGE", "CLK_ADDRESS_CLAMP | CLK_NORMALIZED_COORDS_TRUE"] {
        assert_eq!(selects(sampler, lost), selects(sampler, kept) + 4, "{sampler}");
    }
    let repeat = "CLK_ADDRESS_REPEAT | CLK_NORMALIZED_COORDS_TRUE";
    assert_eq!(selects(repeat, lost), selects(repeat, kept), "none of those is far away");
}

#[test]
fn bytes_are_filtered_within_a_border_where_samplers_with_an_edge_are_coarse() {
    let counted = |sampler: &str, is_coarse: bool| {
        let coarse = if is_coarse { Quirks::COARSE_BYTE_FILTERS } else { Quirks::empty() };
        let target = Target { hardware_linear: true, quirks: coarse, ..Target::generic() };
        let text = format!(
            "kernel void k(image2d_t a, global float4 *f, float2 at) {{
                const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR | {sampler};
                *f = read_imagef(a, s, at);
            }}"
        );
        let text = disassemble(&program(&text, &target).kernels[0].spirv);
        counts(&text, ["Select", "INotEqual", "ImageSampleExplicitLod"])
    };
    let [selects, comparisons, samples] = counted("CLK_ADDRESS_CLAMP_TO_EDGE", false);
    let edge = counted("CLK_ADDRESS_CLAMP_TO_EDGE", true);
    assert_eq!(edge, [selects + 5, comparisons, samples], "the slot, and two bounds of each place");
    let [selects, comparisons, samples] = counted("CLK_ADDRESS_REPEAT", false);
    let repeat = counted("CLK_ADDRESS_REPEAT", true);
    assert_eq!(repeat, [selects, comparisons + 1, samples], "bytes are left to arithmetic");
    for sampler in ["CLK_ADDRESS_CLAMP", "CLK_ADDRESS_MIRRORED_REPEAT"] {
        assert_eq!(counted(sampler, true), counted(sampler, false), "{sampler}");
    }
}

#[test]
fn writes_leave_it_to_the_device_what_lies_beyond_an_image() {
    let write = |image: &str, at: &str| {
        let (_, text) = kernel(&format!(
            "kernel void k(write_only {image} a, int4 i, float4 f) {{ write_imagef(a, i{at}, f); }}"
        ));
        counts(&text, ["ImageQuerySize"])
    };
    assert_eq!(write("image3d_t", ""), [0]);
    assert_eq!(write("image2d_array_t", ""), [0]);
    assert_eq!(write("image1d_buffer_t", ".x"), [1], "of buffers Vulkan says nothing");
}

#[test]
fn a_sampler_that_is_handed_on_is_still_a_constant() {
    let (_, text) = kernel(
        "float4 read(image2d_t a, sampler_t s, float2 at) { return read_imagef(a, s, at); }
        kernel void k(image2d_t a, global float4 *f) {
            const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
            *f = read(a, s, (float2)(get_global_id(0)));
        }",
    );
    assert_eq!(counts(&text, ["ImageFetch", "BranchConditional"]), [1, 0], "{text}");
}

#[test]
fn arguments_are_words() {
    let (kernel, text) = kernel(
        "kernel void k(image2d_t a, write_only image2d_array_depth_t b, sampler_t s, global float4 *f) {
            *f = read_imagef(a, s, (int2)(1));
            write_imagef(b, (int4)(1), f->x);
        }",
    );
    assert!(kernel.uses_images);
    let image = |dim, depth, access| ArgKind::Image { dim, depth, access };
    let kinds: Vec<ArgKind> = kernel.args.iter().map(|arg| arg.kind).collect();
    let expected = [
        image(ImageDim::D2, false, ImageAccess::ReadOnly),
        image(ImageDim::D2Array, true, ImageAccess::WriteOnly),
        ArgKind::Sampler,
        ArgKind::Buffer,
    ];
    assert_eq!(kinds, expected);
    let types: Vec<&str> = kernel.args.iter().map(|arg| arg.type_name.as_str()).collect();
    assert_eq!(types, ["image2d_t", "image2d_array_depth_t", "sampler_t", "float4*"]);
    assert_eq!(kernel.args[0].address, ArgAddress::Global);
    assert_eq!(kernel.args[2].address, ArgAddress::Private);
    let fields: Vec<(Field, u32)> =
        kernel.argument_fields.iter().map(|entry| (entry.field, entry.offset)).collect();
    assert_eq!(fields[..3], [(Field::Arg(0), 0), (Field::Arg(1), 4), (Field::Arg(2), 8)]);
    assert!(text.contains("NonReadable"), "{text}");
}

#[test]
fn kernels_without_images_declare_none() {
    let (kernel, text) =
        kernel("kernel void k(sampler_t s, image2d_t a, global int *n) { *n = 1; }");
    assert!(!kernel.uses_images);
    assert_eq!(counts(&text, ["TypeImage"]), [0]);
}
