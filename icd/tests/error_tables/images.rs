//! Images (5.3).

use crate::prelude::*;
use crate::world::{made, SIZE};

pub const FORMAT: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };

pub fn desc() -> cl_image_desc {
    cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        image_width: 4,
        image_height: 4,
        image_depth: 1,
        image_array_size: 1,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: null_mut(),
    }
}

pub fn rows(t: &mut Table, w: &World) {
    create_rows(t, w);
    format_rows(t, w);

    t.about("clGetImageInfo");
    let image = made(|e| unsafe { clCreateImage(w.context, 0, &FORMAT, &desc(), null_mut(), e) });
    let info =
        |image, name, size, place| unsafe { clGetImageInfo(image, name, size, place, null_mut()) };
    t.query(CL_IMAGE_WIDTH, |name, size, place| info(image, name, size, place));
    t.answered(CL_IMAGE_FORMAT..=CL_IMAGE_NUM_SAMPLES, |name, size, place| {
        info(image, name, size, place)
    });
    let width = |image| info(image, CL_IMAGE_WIDTH, 0, null_mut());
    t.each(CL_INVALID_MEM_OBJECT, "image", w.no_buffers(), width);
    t.row(CL_INVALID_MEM_OBJECT, "image is a buffer", width(w.buffer));
    shared_rows(t, w, image);
}

/// Adds rows with an image where any memory object is accepted, and where only buffers are accepted.
fn shared_rows(t: &mut Table, w: &World, image: cl_mem) {
    t.about("clGetMemObjectInfo");
    let all = (CL_MEM_TYPE..=CL_MEM_PROPERTIES).map(|name| (name, CL_SUCCESS));
    for (name, code) in all.chain([(CL_MEM_DEVICE_ADDRESS_EXT, CL_INVALID_OPERATION)]) {
        let mut room = [0u64; 16];
        let place = room.as_mut_ptr().cast();
        let got = unsafe { clGetMemObjectInfo(image, name, 128, place, null_mut()) };
        t.row(code, &format!("parameter {name:#x} of an image"), got);
    }
    t.about("clEnqueueMigrateMemObjects");
    t.correct(unsafe { clEnqueueMigrateMemObjects(w.queue, 1, &image, 0, 0, null(), null_mut()) });
    t.about("clCreateSubBuffer");
    let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, cl_buffer_region { origin: 0, size: 4 });
    let region = (&raw const region).cast();
    let part = code(|e| unsafe { clCreateSubBuffer(image, 0, kind, region, e) });
    t.row(CL_INVALID_MEM_OBJECT, "buffer is an image", part);
    t.about("clEnqueueFillBuffer");
    let pattern = [0u8; 4].as_ptr().cast();
    let fill =
        unsafe { clEnqueueFillBuffer(w.queue, image, pattern, 4, 0, 4, 0, null(), null_mut()) };
    t.row(CL_INVALID_MEM_OBJECT, "buffer is an image", fill);
    t.about("clReleaseMemObject");
    t.correct(unsafe { clReleaseMemObject(image) });
    t.row(CL_INVALID_MEM_OBJECT, "memobj is a released image", unsafe {
        clReleaseMemObject(image)
    });
}

/// Adds the rows of wrong flags, formats and host pointers, for all functions that create images.
fn common_rows(
    t: &mut Table,
    w: &World,
    create: &dyn Fn(cl_context, cl_mem_flags, *const cl_image_format, *mut c_void) -> cl_int,
) {
    let host = [0u8; 1024].as_mut_ptr().cast::<c_void>();
    let none = null_mut();
    t.correct(create(w.context, 0, &FORMAT, none));
    t.correct(create(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &FORMAT, host));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| create(c, 0, &FORMAT, none));
    for flags in [
        1 << 30,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
        CL_MEM_KERNEL_READ_AND_WRITE,
    ] {
        let got = create(w.context, flags, &FORMAT, none);
        t.row(CL_INVALID_VALUE, "values specified in flags are not valid", got);
    }
    let bad = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    t.row(bad, "image_format is NULL", create(w.context, 0, null(), none));
    for (order, data_type) in [
        (0, CL_UNORM_INT8),
        (CL_RGBA, 0),
        (CL_RGB, CL_FLOAT),
        (CL_RGBA, CL_UNORM_SHORT_565),
        (CL_LUMINANCE, CL_SIGNED_INT32),
    ] {
        let format =
            cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
        let got = create(w.context, 0, &format, none);
        t.row(bad, "values specified in image_format are not valid", got);
    }
    let absent =
        cl_image_format { image_channel_order: CL_RGx, image_channel_data_type: CL_UNORM_INT8 };
    let got = create(w.context, 0, &absent, none);
    t.row(CL_IMAGE_FORMAT_NOT_SUPPORTED, "no devices support image_format", got);
    for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
        let got = create(w.context, flags, &FORMAT, none);
        t.row(CL_INVALID_HOST_PTR, "host_ptr is NULL and flags use it", got);
    }
    let got = create(w.context, CL_MEM_ALLOC_HOST_PTR, &FORMAT, host);
    t.row(CL_INVALID_HOST_PTR, "host_ptr is not NULL and flags do not use it", got);
}

fn create_rows(t: &mut Table, w: &World) {
    t.about("clCreateImage");
    common_rows(t, w, &|context, flags, format, host| {
        code(|e| unsafe { clCreateImage(context, flags, format, &desc(), host, e) })
    });
    t.about("clCreateImageWithProperties");
    let create = |context, properties, flags, format, host| {
        code(|e| unsafe {
            clCreateImageWithProperties(context, properties, flags, format, &desc(), host, e)
        })
    };
    common_rows(t, w, &|context, flags, format, host| create(context, null(), flags, format, host));
    let with = |list: &[u64]| create(w.context, list.as_ptr(), 0, &FORMAT, null_mut());
    t.correct(with(&[0]));
    for list in [[0x4242, 1, 0], [u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), 1, 0]] {
        t.row(CL_INVALID_PROPERTY, "a property name is not supported", with(&list));
    }
    let devices = u64::from(CL_MEM_DEVICE_HANDLE_LIST_KHR);
    for list in [&[devices, 0, 0][..], &[devices, w.device as u64, 0, 0]] {
        t.row(CL_INVALID_PROPERTY, "there is a list of devices and no handle", with(list));
    }
    t.about("clCreateImage2D");
    common_rows(t, w, &|context, flags, format, host| {
        code(|e| unsafe { clCreateImage2D(context, flags, format, 4, 4, 0, host, e) })
    });
    let flat = |size: [usize; 2], pitch, flags, host| {
        let [x, y] = size;
        code(|e| unsafe { clCreateImage2D(w.context, flags, &FORMAT, x, y, pitch, host, e) })
    };
    let host = [0u8; 1024].as_mut_ptr().cast::<c_void>();
    for size in [[0, 4], [4, 0], [1 << 30, 4], [4, 1 << 30]] {
        t.row(CL_INVALID_IMAGE_SIZE, "a dimension is not valid", flat(size, 0, 0, null_mut()));
    }
    let pitches = "image_row_pitch does not follow the rules";
    t.row(CL_INVALID_IMAGE_SIZE, pitches, flat([4, 4], 16, 0, null_mut()));
    for pitch in [12, 18] {
        let got = flat([4, 4], pitch, CL_MEM_COPY_HOST_PTR, host);
        t.row(CL_INVALID_IMAGE_SIZE, pitches, got);
    }
    t.about("clCreateImage3D");
    common_rows(t, w, &|context, flags, format, host| {
        code(|e| unsafe { clCreateImage3D(context, flags, format, 4, 4, 4, 0, 0, host, e) })
    });
    let deep = |[x, y, z]: [usize; 3], [row, slice]: [usize; 2]| {
        let (c, flags) = (w.context, CL_MEM_COPY_HOST_PTR);
        code(|e| unsafe { clCreateImage3D(c, flags, &FORMAT, x, y, z, row, slice, host, e) })
    };
    t.correct(deep([4, 4, 2], [16, 64]));
    for size in [[0, 4, 4], [4, 0, 4], [4, 4, 0], [4, 4, 1], [4, 4, 1 << 30]] {
        t.row(CL_INVALID_IMAGE_SIZE, "a dimension is not valid", deep(size, [0; 2]));
    }
    for pitch in [[12, 0], [16, 48], [16, 72]] {
        let got = deep([4, 4, 2], pitch);
        t.row(CL_INVALID_IMAGE_SIZE, "pitches do not follow the rules", got);
    }
    descriptor_rows(t, w);
    buffer_rows(t, w);
    solid_rows(t, w);
    alias_rows(t, w);
}

/// Descriptors of clCreateImage.
fn descriptor_rows(t: &mut Table, w: &World) {
    let image = made(|e| unsafe { clCreateImage(w.context, 0, &FORMAT, &desc(), null_mut(), e) });
    t.about("clCreateImage");
    let host = [0u8; 4096].as_mut_ptr().cast::<c_void>();
    let create = |desc: *const cl_image_desc, flags, host| {
        code(|e| unsafe { clCreateImage(w.context, flags, &FORMAT, desc, host, e) })
    };
    let bad = CL_INVALID_IMAGE_DESCRIPTOR;
    t.row(bad, "image_desc is NULL", create(null(), 0, null_mut()));
    let (base, copy) = (desc(), CL_MEM_COPY_HOST_PTR);
    for (what, desc) in [
        ("image_type is no image's", cl_image_desc { image_type: CL_MEM_OBJECT_BUFFER, ..base }),
        ("there are more levels than sizes", cl_image_desc { num_mip_levels: 4, ..base }),
        ("num_samples is not 0", cl_image_desc { num_samples: 1, ..base }),
        ("there is a row pitch and no host_ptr", cl_image_desc { image_row_pitch: 16, ..base }),
        ("there is a slice pitch and no host_ptr", cl_image_desc { image_slice_pitch: 64, ..base }),
        (
            "an image of three dimensions is of another one",
            cl_image_desc { image_type: CL_MEM_OBJECT_IMAGE3D, mem_object: image, ..base },
        ),
        (
            "there is no memory object",
            cl_image_desc { image_type: CL_MEM_OBJECT_IMAGE1D_BUFFER, ..base },
        ),
    ] {
        t.row(bad, what, create(&desc, 0, null_mut()));
    }
    let layered = cl_image_desc { image_type: CL_MEM_OBJECT_IMAGE2D_ARRAY, ..base };
    for (row, slice) in [(15, 0), (18, 0), (16, 48), (16, 72), (32, 64)] {
        let desc = cl_image_desc { image_row_pitch: row, image_slice_pitch: slice, ..layered };
        t.row(bad, "pitches do not follow the rules", create(&desc, copy, host));
    }
    let of = |image_type, size: [usize; 3], layers| cl_image_desc {
        image_type,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: layers,
        ..base
    };
    for desc in [
        of(CL_MEM_OBJECT_IMAGE1D, [0, 1, 1], 1),
        of(CL_MEM_OBJECT_IMAGE1D, [1 << 30, 1, 1], 1),
        of(CL_MEM_OBJECT_IMAGE1D_ARRAY, [4, 1, 1], 0),
        of(CL_MEM_OBJECT_IMAGE1D_ARRAY, [4, 1, 1], 1 << 30),
        of(CL_MEM_OBJECT_IMAGE2D, [4, 0, 1], 1),
        of(CL_MEM_OBJECT_IMAGE2D, [4, 1 << 30, 1], 1),
        of(CL_MEM_OBJECT_IMAGE2D_ARRAY, [4, 4, 1], 0),
        of(CL_MEM_OBJECT_IMAGE3D, [4, 4, 0], 1),
        of(CL_MEM_OBJECT_IMAGE3D, [4, 4, 1 << 30], 1),
        of(CL_MEM_OBJECT_IMAGE3D, [4, 4, usize::MAX], 1),
    ] {
        let got = create(&desc, 0, null_mut());
        t.row(CL_INVALID_IMAGE_SIZE, "dimensions are not valid or exceed the maximum", got);
    }
}

/// 2D images of buffers and of images.
fn alias_rows(t: &mut Table, w: &World) {
    let create =
        |mem_object, format: &cl_image_format, (size, pitch): ([usize; 2], usize), flags| {
            let [image_width, image_height] = size;
            let given = cl_image_desc {
                image_width,
                image_height,
                image_row_pitch: pitch,
                mem_object,
                ..desc()
            };
            code(|e| unsafe { clCreateImage(w.context, flags, format, &given, null_mut(), e) })
        };
    let of_buffer = |size, pitch| create(w.buffer, &FORMAT, (size, pitch), 0);
    t.correct(of_buffer([4, 4], 0));
    t.correct(of_buffer([4, 4], 20));
    let bad = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    for pitch in [12, 18] {
        t.row(bad, "image_row_pitch does not follow the rules", of_buffer([4, 4], pitch));
    }
    let got = of_buffer([SIZE / 8, 3], 0);
    t.row(CL_INVALID_IMAGE_SIZE, "the image is larger than mem_object", got);
    let other = create(w.other.buffer, &FORMAT, ([4, 4], 0), 0);
    t.row(CL_INVALID_CONTEXT, "mem_object is of another context", other);
    let contradicting =
        create(w.buffer_with(CL_MEM_READ_ONLY), &FORMAT, ([4, 4], 0), CL_MEM_WRITE_ONLY);
    t.row(CL_INVALID_VALUE, "flags contradict those of mem_object", contradicting);
    let image = made(|e| unsafe { clCreateImage(w.context, 0, &FORMAT, &desc(), null_mut(), e) });
    let format = |order| cl_image_format { image_channel_order: order, ..FORMAT };
    let of_image = |order, size, pitch, flags| create(image, &format(order), (size, pitch), flags);
    t.correct(of_image(CL_sRGBA, [4, 4], 0, 0));
    t.correct(of_image(CL_sRGBA, [4, 4], 16, 0));
    for order in [CL_RGBA, CL_BGRA, CL_sBGRA, CL_R] {
        t.row(bad, "the channel orders are not compatible", of_image(order, [4, 4], 0, 0));
    }
    for (size, pitch) in [([4, 3], 0), ([3, 4], 0), ([4, 4], 32)] {
        let got = of_image(CL_sRGBA, size, pitch, 0);
        t.row(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc differs from mem_object's", got);
    }
    let got = of_image(CL_sRGBA, [4, 4], 0, CL_MEM_ALLOC_HOST_PTR);
    t.row(CL_INVALID_VALUE, "flags say where the host's memory is", got);
}

/// Images of buffers.
fn buffer_rows(t: &mut Table, w: &World) {
    let base = cl_image_desc { image_type: CL_MEM_OBJECT_IMAGE1D_BUFFER, ..desc() };
    let create = |mem_object, width, flags| {
        let desc = cl_image_desc { mem_object, image_width: width, ..base };
        code(|e| unsafe { clCreateImage(w.context, flags, &FORMAT, &desc, null_mut(), e) })
    };
    t.correct(create(w.buffer, SIZE / 4, 0));
    for (what, bad) in w.no_buffers().split_off(1) {
        let condition = format!("mem_object is {what}");
        t.row(CL_INVALID_IMAGE_DESCRIPTOR, &condition, create(bad, 4, 0));
    }
    t.row(CL_INVALID_CONTEXT, "mem_object is of another context", create(w.other.buffer, 4, 0));
    t.row(CL_INVALID_IMAGE_SIZE, "the image is larger than mem_object", create(w.buffer, SIZE, 0));
    t.row(CL_INVALID_IMAGE_SIZE, "image_width is 0", create(w.buffer, 0, 0));
    for (of_buffer, flags) in [
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY),
        (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY),
        (0, CL_MEM_ALLOC_HOST_PTR),
    ] {
        let got = create(w.buffer_with(of_buffer), 4, flags);
        t.row(CL_INVALID_VALUE, "flags contradict those of mem_object", got);
    }
}

/// Images of buffers, with slices (cl_ext_image_from_buffer).
fn solid_rows(t: &mut Table, w: &World) {
    let create = |image_type, [row, slice]: [usize; 2], count: usize| {
        let desc = cl_image_desc {
            image_type,
            image_depth: count,
            image_array_size: count,
            image_row_pitch: row,
            image_slice_pitch: slice,
            mem_object: w.buffer,
            ..desc()
        };
        code(|e| unsafe { clCreateImage(w.context, 0, &FORMAT, &desc, null_mut(), e) })
    };
    for image_type in [CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D] {
        t.correct(create(image_type, [0, 0], 2));
        t.correct(create(image_type, [20, 100], 2));
        for pitches in [[12, 0], [18, 0], [16, 48], [16, 72]] {
            let got = create(image_type, pitches, 2);
            let bad = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
            t.row(bad, "pitches do not follow the rules", got);
        }
        let got = create(image_type, [16, SIZE / 2], 3);
        t.row(CL_INVALID_IMAGE_SIZE, "the image is larger than mem_object", got);
    }
    for image_type in [CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY] {
        t.correct(create(image_type, [0, 0], 2));
    }
    let got = create(CL_MEM_OBJECT_IMAGE1D_ARRAY, [16, SIZE / 2 + 16], 2);
    t.row(CL_INVALID_IMAGE_SIZE, "the image is larger than mem_object", got);
}

fn format_rows(t: &mut Table, w: &World) {
    t.about("clGetSupportedImageFormats");
    let mut format = FORMAT;
    let place = &raw mut format;
    let call = |context, flags, kind, room, place| unsafe {
        let mut count = 0;
        clGetSupportedImageFormats(context, flags, kind, room, place, &mut count)
    };
    let kind = CL_MEM_OBJECT_IMAGE2D;
    t.correct(call(w.context, CL_MEM_READ_WRITE, kind, 1, place));
    t.correct(call(w.context, CL_MEM_KERNEL_READ_AND_WRITE, kind, 0, null_mut()));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| call(c, 0, kind, 1, place));
    for flags in [1 << 30, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY] {
        let got = call(w.context, flags, kind, 1, place);
        t.row(CL_INVALID_VALUE, "flags is not valid", got);
    }
    for kind in [0, CL_MEM_OBJECT_BUFFER, CL_MEM_OBJECT_PIPE] {
        let got = call(w.context, CL_MEM_READ_WRITE, kind, 1, place);
        t.row(CL_INVALID_VALUE, "image_type is not valid", got);
    }
    let no_room = call(w.context, CL_MEM_READ_WRITE, kind, 0, place);
    t.row(CL_INVALID_VALUE, "num_entries is 0 and image_formats is not NULL", no_room);
}
