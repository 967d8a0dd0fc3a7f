//! Image objects: creation, queries, contents, lifetime.

use crate::*;
use hekla_compiler::kernel::{image_word, ImageAccess};

/// Returns the word that stands for an image in kernels on the first device.
fn word(image: &Image, access: ImageAccess) -> u32 {
    image.argument(&image.context.devices[0], 0, access).unwrap().unwrap().0
}

#[test]
fn every_type_of_image_says_what_it_is() {
    let context = context();
    // Type, width, height, depth, layers, slice pitch.
    let all = [
        (CL_MEM_OBJECT_IMAGE1D, [5, 0, 0], 0, 0),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 0, 0], 3, 20),
        (CL_MEM_OBJECT_IMAGE2D, [5, 4, 0], 0, 0),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 4, 0], 3, 80),
        (CL_MEM_OBJECT_IMAGE3D, [5, 4, 2], 0, 80),
    ];
    for (image_type, size, layers, slice) in all {
        // Members of the descriptor that the type does not use are ignored.
        let given = desc(image_type, size.map(|n: usize| n.max(77)), layers.max(99));
        let given = cl_image_desc {
            image_width: 5,
            image_height: if size[1] > 0 { size[1] } else { 77 },
            image_depth: if size[2] > 0 { size[2] } else { 77 },
            image_array_size: if layers > 0 { layers } else { 99 },
            ..given
        };
        let image = image(context, CL_MEM_READ_ONLY, RGBA8, &given, null_mut());
        let names = [CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH];
        assert_eq!(names.map(|name| info::<usize>(image, name)), size);
        assert_eq!(info::<usize>(image, CL_IMAGE_ARRAY_SIZE), layers);
        assert_eq!(info::<usize>(image, CL_IMAGE_ELEMENT_SIZE), 4);
        assert_eq!(info::<usize>(image, CL_IMAGE_ROW_PITCH), 20);
        assert_eq!(info::<usize>(image, CL_IMAGE_SLICE_PITCH), slice);
        assert_eq!(info::<[u32; 2]>(image, CL_IMAGE_FORMAT), [CL_RGBA, CL_UNORM_INT8]);
        assert_eq!(info::<usize>(image, CL_IMAGE_BUFFER), 0);
        assert_eq!(info::<u32>(image, CL_IMAGE_NUM_MIP_LEVELS), 0);
        assert_eq!(mem_info::<u32>(image, CL_MEM_TYPE), image_type);
        assert_eq!(mem_info::<u64>(image, CL_MEM_FLAGS), CL_MEM_READ_ONLY);
        let count = size.into_iter().chain([layers]).map(|n| n.max(1)).product::<usize>();
        assert_eq!(mem_info::<usize>(image, CL_MEM_SIZE), 4 * count);
        check(unsafe { clRetainMemObject(image) });
        assert_eq!(mem_info::<u32>(image, CL_MEM_REFERENCE_COUNT), 2);
        check(unsafe { clReleaseMemObject(image) });
        check(unsafe { clReleaseMemObject(image) });
        assert_eq!(unsafe { clRetainMemObject(image) }, CL_INVALID_MEM_OBJECT);
    }
}

#[test]
fn images_begin_with_the_texels_of_the_application() {
    let context = context();
    // Type, size, layers, pitches, and the numbers of rows and slices in memory.
    let all = [
        (CL_MEM_OBJECT_IMAGE1D, [6, 0, 0], 0, [28, 0], [1, 1]),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [6, 0, 0], 3, [24, 48], [3, 1]),
        (CL_MEM_OBJECT_IMAGE2D, [6, 5, 0], 0, [32, 0], [5, 1]),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [6, 5, 0], 3, [32, 192], [5, 3]),
        (CL_MEM_OBJECT_IMAGE3D, [6, 5, 3], 0, [0, 0], [5, 3]),
        (CL_MEM_OBJECT_IMAGE3D, [6, 5, 3], 0, [28, 140], [5, 3]),
    ];
    for (image_type, size, layers, [row, slice], [rows, slices]) in all {
        let mut bytes = pattern(4096);
        let given = cl_image_desc {
            image_row_pitch: row,
            image_slice_pitch: slice,
            ..desc(image_type, size, layers)
        };
        let host = bytes.as_mut_ptr().cast();
        let image = image(context, CL_MEM_COPY_HOST_PTR, RGBA8, &given, host);
        let row = if row == 0 { 24 } else { row };
        let [row, slice] = match image_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => [slice, 0],
            _ => [row, if slice == 0 { row * rows } else { slice }],
        };
        let starts = (0..slices).flat_map(|z| (0..rows).map(move |y| z * slice + y * row));
        let expected: Vec<u8> = starts.flat_map(|at| bytes[at..at + 24].to_vec()).collect();
        assert_eq!(texels_on(image, 0), expected, "{image_type:#x}");
        check(unsafe { clReleaseMemObject(image) });
    }
}

/// An image that is written in several parts: many slices, and rows of one.
#[test]
fn large_images_begin_with_the_texels_of_the_application() {
    let context = context();
    for (image_type, size) in
        [(CL_MEM_OBJECT_IMAGE3D, [64, 64, 600]), (CL_MEM_OBJECT_IMAGE2D, [3000, 1000, 0])]
    {
        let count = size.into_iter().map(|n: usize| n.max(1)).product::<usize>();
        let mut bytes = pattern(4 * count);
        let host = bytes.as_mut_ptr().cast();
        let given = desc(image_type, size, 0);
        // With CL_MEM_USE_HOST_PTR the texels may still be in the application's memory alone: the device may have no image.
        let in_use = image(context, CL_MEM_USE_HOST_PTR, RGBA8, &given, host);
        assert_eq!(mem_info::<usize>(in_use, CL_MEM_HOST_PTR), host as usize);
        let copied = image(context, CL_MEM_COPY_HOST_PTR, RGBA8, &given, host);
        assert!(texels_on(copied, 0) == bytes);
        check(unsafe { clReleaseMemObject(in_use) });
        check(unsafe { clReleaseMemObject(copied) });
    }
}

/// Images can be made of every listed format, and their texels have the format's size.
#[test]
fn images_of_every_format_are_made() {
    let context = context();
    let types = CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER;
    let buffer = made(|e| unsafe { clCreateBuffer(context, 0, 256, null_mut(), e) });
    for image_type in types {
        let all = formats(context, CL_MEM_READ_ONLY, image_type);
        assert!(all.contains(&RGBA8) && all.len() > 20, "{image_type:#x}: {all:?}");
        let written = formats(context, CL_MEM_WRITE_ONLY, image_type);
        assert!(written.contains(&RGBA8), "{image_type:#x}");
        let both = formats(context, CL_MEM_READ_WRITE, image_type);
        assert!(both.iter().all(|format| all.contains(format) && written.contains(format)));
        let at_once = formats(context, CL_MEM_KERNEL_READ_AND_WRITE, image_type);
        assert!(at_once.iter().all(|format| both.contains(format)));
        let deep = usize::from(image_type == CL_MEM_OBJECT_IMAGE3D);
        let by_use = |flags, formats: Vec<_>| formats.into_iter().map(move |f| (flags, f));
        let of_use = by_use(CL_MEM_READ_ONLY, all).chain(by_use(CL_MEM_WRITE_ONLY, written));
        for (flags, format) in of_use.chain(by_use(0, both)) {
            let mut given = desc(image_type, [4, 3, 2 * deep], 2);
            if image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER {
                given.mem_object = buffer;
            }
            let image = image(context, flags, format, &given, null_mut());
            let size = info::<usize>(image, CL_IMAGE_ELEMENT_SIZE);
            assert!(size.is_power_of_two() && size <= 16);
            check(unsafe { clReleaseMemObject(image) });
        }
    }
}

/// The slots of images in the descriptor set are free again when the images are released.
#[test]
fn words_name_slots_that_are_used_again() {
    let context = context();
    let buffer = made(|e| unsafe { clCreateBuffer(context, 0, 4096, null_mut(), e) });
    let bgra = cl_image_format { image_channel_order: CL_BGRA, ..RGBA8 };
    for _ in 0..100 {
        let of_buffer = cl_image_desc {
            mem_object: buffer,
            ..desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [64, 0, 0], 0)
        };
        let flat = desc(CL_MEM_OBJECT_IMAGE2D, [4, 4, 0], 0);
        for given in [flat, of_buffer] {
            let handle = image(context, 0, RGBA8, &given, null_mut());
            let image = Ref::<Image>::from_handle(handle).unwrap();
            let (read, write) =
                (word(&image, ImageAccess::ReadOnly), word(&image, ImageAccess::WriteOnly));
            assert_eq!(word(&image, ImageAccess::WriteOnly), write);
            assert!(read & 0xFFFF < 100 && write & 0xFFFF < 100, "{read:#x} {write:#x}");
            let format = 5 << 16 | 2 << 21;
            // The words have a bit for images that some devices filter by samplers.
            let read = read & !(1 << image_word::FILTERED_SHIFT);
            assert_eq!((read >> 16 << 16, write >> 16 << 16), (format, format));
            check(unsafe { clReleaseMemObject(handle) });
        }
        let handle = image(context, 0, bgra, &flat, null_mut());
        let image = Ref::<Image>::from_handle(handle).unwrap();
        assert_eq!(word(&image, ImageAccess::WriteOnly) >> 16, 6 | 2 << 5 | 1 << 10);
        check(unsafe { clReleaseMemObject(handle) });
    }
}

#[test]
fn an_image_of_an_image_holds_it() {
    let context = context();
    let given = desc(CL_MEM_OBJECT_IMAGE2D, [4, 3, 0], 0);
    let parent = image(context, CL_MEM_READ_ONLY, RGBA8, &given, null_mut());
    let seen = cl_image_desc { mem_object: parent, ..given };
    let srgb = cl_image_format { image_channel_order: CL_sRGBA, ..RGBA8 };
    let child = image(context, 0, srgb, &seen, null_mut());
    check(unsafe { clReleaseMemObject(parent) });
    assert_eq!(mem_info::<usize>(child, CL_MEM_ASSOCIATED_MEMOBJECT), parent as usize);
    assert_eq!(mem_info::<u64>(child, CL_MEM_FLAGS), CL_MEM_READ_ONLY);
    assert_eq!(info::<usize>(child, CL_IMAGE_BUFFER), 0);
    assert_eq!(info::<usize>(child, CL_IMAGE_ROW_PITCH), 16);
    // The child has kept the parent alive.
    assert_eq!(info::<usize>(parent, CL_IMAGE_HEIGHT), 3);
    check(unsafe { clReleaseMemObject(child) });
    assert_eq!(unsafe { clRetainMemObject(parent) }, CL_INVALID_MEM_OBJECT);
}

#[test]
fn devices_tell_how_images_lie_in_buffers() {
    for name in [CL_DEVICE_IMAGE_PITCH_ALIGNMENT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT] {
        let mut texels = 0u32;
        let place = (&raw mut texels).cast();
        check(unsafe { clGetDeviceInfo(devices()[0], name, 4, place, null_mut()) });
        assert!(texels.is_power_of_two(), "{texels}");
    }
}

#[test]
fn an_image_of_a_buffer_holds_it() {
    let context = context();
    let mut bytes = pattern(1024);
    let flags = CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY;
    let host = bytes.as_mut_ptr().cast();
    let buffer = made(|e| unsafe { clCreateBuffer(context, flags, 1024, host, e) });
    let region = cl_buffer_region { origin: 256, size: 512 };
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    let place = (&raw const region).cast();
    let part = made(|e| unsafe { clCreateSubBuffer(buffer, 0, kind, place, e) });
    let given =
        cl_image_desc { mem_object: part, ..desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [128, 0, 0], 0) };
    let image = image(context, 0, RGBA8, &given, null_mut());
    check(unsafe { clReleaseMemObject(part) });
    assert_eq!(info::<usize>(image, CL_IMAGE_BUFFER), part as usize);
    assert_eq!(mem_info::<usize>(image, CL_MEM_ASSOCIATED_MEMOBJECT), part as usize);
    assert_eq!(mem_info::<u64>(image, CL_MEM_FLAGS), flags);
    assert_eq!(mem_info::<usize>(image, CL_MEM_HOST_PTR), host as usize + 256);
    assert_eq!(mem_info::<usize>(image, CL_MEM_SIZE), 512);
    assert_eq!(info::<usize>(image, CL_IMAGE_WIDTH), 128);
    // The image has kept the sub-buffer alive.
    assert_eq!(mem_info::<usize>(part, CL_MEM_OFFSET), 256);
    check(unsafe { clReleaseMemObject(image) });
    assert_eq!(unsafe { clRetainMemObject(part) }, CL_INVALID_MEM_OBJECT);
    check(unsafe { clReleaseMemObject(buffer) });
}
