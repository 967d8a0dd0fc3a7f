//! Images (5.3) on devices without them: creation and commands are CL_INVALID_OPERATION, and no handle is
//! an image's.

use crate::prelude::*;
use crate::world::SIZE;

const FORMAT: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };

fn desc() -> cl_image_desc {
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
    command_rows(t, w);

    t.about("clGetImageInfo");
    let info = |image| unsafe { clGetImageInfo(image, CL_IMAGE_WIDTH, 0, null_mut(), null_mut()) };
    t.each(CL_INVALID_MEM_OBJECT, "image", w.no_buffers(), info);
    t.row(CL_INVALID_MEM_OBJECT, "image is a buffer", info(w.buffer));
}

fn create_rows(t: &mut Table, w: &World) {
    type Create<'a> = &'a dyn Fn(cl_context) -> cl_int;
    let image = |c| code(|e| unsafe { clCreateImage(c, 0, &FORMAT, &desc(), null_mut(), e) });
    let with_properties = |c| {
        code(|e| unsafe {
            clCreateImageWithProperties(c, null(), 0, &FORMAT, &desc(), null_mut(), e)
        })
    };
    let flat = |c| code(|e| unsafe { clCreateImage2D(c, 0, &FORMAT, 4, 4, 0, null_mut(), e) });
    let deep =
        |c| code(|e| unsafe { clCreateImage3D(c, 0, &FORMAT, 4, 4, 4, 0, 0, null_mut(), e) });
    let all: [(&str, Create); 4] = [
        ("clCreateImage", &image),
        ("clCreateImageWithProperties", &with_properties),
        ("clCreateImage2D", &flat),
        ("clCreateImage3D", &deep),
    ];
    for (name, create) in all {
        t.about(name);
        t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), create);
        let condition = "no device in context supports images";
        t.row(CL_INVALID_OPERATION, condition, create(w.context));
    }
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

/// A command with everything but its queue.
type Command = Box<dyn Fn(cl_command_queue) -> cl_int>;

/// Returns the commands on images.
fn commands(w: &World, place: *mut c_void) -> [(&'static str, Command); 7] {
    const AT: *const usize = [0usize; 3].as_ptr();
    const REGION: *const usize = [1usize; 3].as_ptr();
    let (image, n) = (w.buffer, null_mut());
    [
        (
            "clEnqueueReadImage",
            Box::new(move |q| unsafe {
                clEnqueueReadImage(q, image, CL_TRUE, AT, REGION, 0, 0, place, 0, null(), n)
            }),
        ),
        (
            "clEnqueueWriteImage",
            Box::new(move |q| unsafe {
                clEnqueueWriteImage(q, image, CL_TRUE, AT, REGION, 0, 0, place, 0, null(), n)
            }),
        ),
        (
            "clEnqueueFillImage",
            Box::new(move |q| unsafe {
                clEnqueueFillImage(q, image, place, AT, REGION, 0, null(), n)
            }),
        ),
        (
            "clEnqueueCopyImage",
            Box::new(move |q| unsafe {
                clEnqueueCopyImage(q, image, image, AT, AT, REGION, 0, null(), n)
            }),
        ),
        (
            "clEnqueueCopyImageToBuffer",
            Box::new(move |q| unsafe {
                clEnqueueCopyImageToBuffer(q, image, image, AT, REGION, 0, 0, null(), n)
            }),
        ),
        (
            "clEnqueueCopyBufferToImage",
            Box::new(move |q| unsafe {
                clEnqueueCopyBufferToImage(q, image, image, 0, AT, REGION, 0, null(), n)
            }),
        ),
        (
            "clEnqueueMapImage",
            Box::new(move |q| {
                let (mut row, mut slice) = (0, 0);
                let pitches = (&raw mut row, &raw mut slice);
                code(|e| unsafe {
                    let (row, slice) = pitches;
                    let read = CL_MAP_READ;
                    clEnqueueMapImage(
                        q,
                        image,
                        CL_TRUE,
                        read,
                        AT,
                        REGION,
                        row,
                        slice,
                        0,
                        null(),
                        n,
                        e,
                    )
                })
            }),
        ),
    ]
}

fn command_rows(t: &mut Table, w: &World) {
    let mut bytes = [0u8; SIZE];
    for (name, call) in commands(w, bytes.as_mut_ptr().cast()) {
        t.about(name);
        t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), &call);
        let condition = "the queue's device does not support images";
        t.row(CL_INVALID_OPERATION, condition, call(w.queue));
    }
}
