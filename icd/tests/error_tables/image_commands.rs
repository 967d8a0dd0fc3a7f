//! Commands on images (5.3): enqueued ones, and the rows that they share with recorded ones.

use crate::images::{desc, FORMAT};
use crate::prelude::*;
use crate::world::{made, SIZE};

/// A place or an extent; `None` is NULL.
pub type Three = Option<&'static [usize; 3]>;

/// Returns the pointer that C's functions take.
pub fn raw(three: Three) -> *const usize {
    three.map_or(null(), |values| values.as_ptr())
}

/// All of an image of [`desc`], from its first texel on.
const WHOLE: (Three, Three) = (Some(&[0; 3]), Some(&[4, 4, 1]));

/// Origins and regions that no image of [`desc`] has.
const BAD_REGIONS: [(&str, Three, Three); 7] = [
    ("origin is NULL", None, Some(&[1; 3])),
    ("region is NULL", Some(&[0; 3]), None),
    ("an element of region is 0", Some(&[0; 3]), Some(&[1, 0, 1])),
    ("the region is out of bounds", Some(&[1, 0, 0]), Some(&[4, 4, 1])),
    ("the region is out of bounds", Some(&[0, usize::MAX, 0]), Some(&[1; 3])),
    ("origin does not follow the rules of the image's type", Some(&[0, 0, 1]), Some(&[1; 3])),
    ("region does not follow the rules of the image's type", Some(&[0; 3]), Some(&[1, 1, 2])),
];

/// Returns an image of four by four texels.
fn image_of(context: cl_context, flags: cl_mem_flags, format: cl_image_format) -> cl_mem {
    made(|e| unsafe { clCreateImage(context, flags, &format, &desc(), null_mut(), e) })
}

/// Returns handles that are not images.
fn no_images(w: &World) -> Vec<(&'static str, cl_mem)> {
    let mut all = w.no_buffers();
    all.push(("a buffer", w.buffer));
    all
}

/// Adds the rows of an operand that is an image.
fn image_rows(t: &mut Table, w: &World, name: &str, call: impl Fn(cl_mem) -> cl_int) {
    t.each(CL_INVALID_MEM_OBJECT, name, no_images(w), &call);
    let stranger = image_of(w.other.context, 0, FORMAT);
    t.row(CL_INVALID_CONTEXT, &format!("{name} is of another context"), call(stranger));
}

/// Adds the rows of an operand that is a buffer: `call` is given the buffer and an offset; the command uses 64 bytes
/// from the offset on.
fn buffer_rows(t: &mut Table, w: &World, call: impl Fn(cl_mem, usize) -> cl_int) {
    t.each(CL_INVALID_MEM_OBJECT, "the buffer", w.no_buffers(), |mem| call(mem, 0));
    let image = image_of(w.context, 0, FORMAT);
    t.row(CL_INVALID_MEM_OBJECT, "the buffer is an image", call(image, 0));
    t.row(CL_INVALID_CONTEXT, "the buffer is of another context", call(w.other.buffer, 0));
    for offset in [SIZE - 63, usize::MAX - 3] {
        t.row(CL_INVALID_VALUE, "the buffer's region is out of bounds", call(w.buffer, offset));
    }
}

fn region_rows(t: &mut Table, call: impl Fn(Three, Three) -> cl_int) {
    for (what, origin, region) in BAD_REGIONS {
        t.row(CL_INVALID_VALUE, what, call(origin, region));
    }
}

/// Adds the rows of copies between images: `call` is given both images, both origins, and the region.
pub fn copy_rows(
    t: &mut Table,
    w: &World,
    call: impl Fn(cl_mem, cl_mem, Three, Three, Three) -> cl_int,
) {
    let [one, two] = [0; 2].map(|flags| image_of(w.context, flags, FORMAT));
    let (start, region) = WHOLE;
    t.correct(call(one, two, start, start, region));
    image_rows(t, w, "src_image", |image| call(image, two, start, start, region));
    image_rows(t, w, "dst_image", |image| call(one, image, start, start, region));
    region_rows(t, |origin, region| call(one, two, origin, start, region));
    for (what, origin, region) in BAD_REGIONS {
        let got = call(one, two, start, origin, region);
        t.row(CL_INVALID_VALUE, &format!("{what}, of dst_image"), got);
    }
    let other = cl_image_format { image_channel_data_type: CL_UNSIGNED_INT8, ..FORMAT };
    let got = call(one, image_of(w.context, 0, other), start, start, region);
    t.row(CL_IMAGE_FORMAT_MISMATCH, "src_image and dst_image have different formats", got);
    let (there, part) = (Some(&[1, 1, 0]), Some(&[2, 2, 1]));
    let got = call(one, one, start, there, part);
    t.row(CL_MEM_COPY_OVERLAP, "the images are one and the regions overlap", got);
    t.correct(call(one, one, start, Some(&[2, 2, 0]), part));
}

/// Rows of copies between an image and a buffer, in either direction: `call` is given the image, the buffer, the
/// region's origin, the region, and the offset in the buffer.
pub fn buffer_copy_rows(
    t: &mut Table,
    w: &World,
    call: impl Fn(cl_mem, cl_mem, Three, Three, usize) -> cl_int,
) {
    let image = image_of(w.context, 0, FORMAT);
    let (start, region) = WHOLE;
    t.correct(call(image, w.buffer, start, region, SIZE - 64));
    image_rows(t, w, "the image", |image| call(image, w.buffer, start, region, 0));
    buffer_rows(t, w, |buffer, offset| call(image, buffer, start, region, offset));
    region_rows(t, |origin, region| call(image, w.buffer, origin, region, 0));
}

/// Rows of fills: `call` is given the image, the colour, and a region.
pub fn fill_rows(
    t: &mut Table,
    w: &World,
    call: impl Fn(cl_mem, *const c_void, Three, Three) -> cl_int,
) {
    let image = image_of(w.context, 0, FORMAT);
    let (colour, (start, region)) = ([0f32; 4].as_ptr().cast(), WHOLE);
    t.correct(call(image, colour, start, region));
    image_rows(t, w, "image", |image| call(image, colour, start, region));
    region_rows(t, |origin, region| call(image, colour, origin, region));
    t.row(CL_INVALID_VALUE, "fill_color is NULL", call(image, null(), start, region));
}

pub fn rows(t: &mut Table, w: &World) {
    transfer_rows(t, w);
    map_rows(t, w);

    t.about("clEnqueueFillImage");
    let fill = |queue, image, colour, origin, region, waits: Waits| unsafe {
        let (origin, region, none) = (raw(origin), raw(region), null_mut());
        clEnqueueFillImage(queue, image, colour, origin, region, waits.count, waits.list, none)
    };
    let (start, region) = WHOLE;
    let [one, two] = [0; 2].map(|flags| image_of(w.context, flags, FORMAT));
    let colour = [0f32; 4].as_ptr().cast();
    fill_rows(t, w, |i, c, origin, region| fill(w.queue, i, c, origin, region, Waits::NONE));
    queue_rows(t, w, |queue, waits| fill(queue, one, colour, start, region, waits));

    t.about("clEnqueueCopyImage");
    let copy = |queue, source, target, from, to, region, waits: Waits| unsafe {
        let (from, to, region) = (raw(from), raw(to), raw(region));
        let (count, list) = (waits.count, waits.list);
        clEnqueueCopyImage(queue, source, target, from, to, region, count, list, null_mut())
    };
    copy_rows(t, w, |s, d, from, to, region| copy(w.queue, s, d, from, to, region, Waits::NONE));
    queue_rows(t, w, |queue, waits| copy(queue, one, two, start, start, region, waits));

    t.about("clEnqueueCopyImageToBuffer");
    let copy = |queue, image, buffer, origin, region, offset, waits: Waits| unsafe {
        let (origin, region) = (raw(origin), raw(region));
        let (count, list, none) = (waits.count, waits.list, null_mut());
        clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, offset, count, list, none)
    };
    buffer_copy_rows(t, w, |i, b, at, region, n| copy(w.queue, i, b, at, region, n, Waits::NONE));
    queue_rows(t, w, |queue, waits| copy(queue, one, w.buffer, start, region, 0, waits));

    t.about("clEnqueueCopyBufferToImage");
    let copy = |queue, image, buffer, origin, region, offset, waits: Waits| unsafe {
        let (origin, region) = (raw(origin), raw(region));
        let (count, list, none) = (waits.count, waits.list, null_mut());
        clEnqueueCopyBufferToImage(queue, buffer, image, offset, origin, region, count, list, none)
    };
    buffer_copy_rows(t, w, |i, b, at, region, n| copy(w.queue, i, b, at, region, n, Waits::NONE));
    queue_rows(t, w, |queue, waits| copy(queue, one, w.buffer, start, region, 0, waits));
}

/// Rows of a command's queue and wait list.
fn queue_rows(t: &mut Table, w: &World, call: impl Fn(cl_command_queue, Waits) -> cl_int) {
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(queue, Waits::NONE)
    });
    t.wait_lists(w, |waits| call(w.queue, waits));
}

/// The arguments of a transfer between an image and the host.
#[derive(Clone, Copy)]
struct Transfer {
    queue: cl_command_queue,
    image: cl_mem,
    origin: Three,
    region: Three,
    pitches: [usize; 2],
    pointer: *mut c_void,
    waits: Waits,
}

/// clEnqueueReadImage and clEnqueueWriteImage.
fn transfer_rows(t: &mut Table, w: &World) {
    let read = |g: Transfer| unsafe {
        let (origin, region, [row, slice]) = (raw(g.origin), raw(g.region), g.pitches);
        let (blocks, count, list) = (CL_TRUE, g.waits.count, g.waits.list);
        let (queue, image, place, event) = (g.queue, g.image, g.pointer, null_mut());
        clEnqueueReadImage(
            queue, image, blocks, origin, region, row, slice, place, count, list, event,
        )
    };
    let write = |g: Transfer| unsafe {
        let (origin, region, [row, slice]) = (raw(g.origin), raw(g.region), g.pitches);
        let (blocks, count, list) = (CL_TRUE, g.waits.count, g.waits.list);
        let (queue, image, place, event) = (g.queue, g.image, g.pointer.cast_const(), null_mut());
        clEnqueueWriteImage(
            queue, image, blocks, origin, region, row, slice, place, count, list, event,
        )
    };
    let hidden = [CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS];
    host_rows(t, w, "clEnqueueReadImage", hidden, &read);
    let hidden = [CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS];
    host_rows(t, w, "clEnqueueWriteImage", hidden, &write);
}

/// Adds the rows of a transfer; the host may not transfer images with one of the flags `hidden`.
fn host_rows(
    t: &mut Table,
    w: &World,
    name: &'static str,
    hidden: [cl_mem_flags; 2],
    call: &dyn Fn(Transfer) -> cl_int,
) {
    t.about(name);
    let mut bytes = [0u8; SIZE];
    let (origin, region) = WHOLE;
    let good = Transfer {
        queue: w.queue,
        image: image_of(w.context, 0, FORMAT),
        origin,
        region,
        pitches: [0; 2],
        pointer: bytes.as_mut_ptr().cast(),
        waits: Waits::NONE,
    };
    t.correct(call(good));
    t.correct(call(Transfer { pitches: [32, 0], ..good }));
    queue_rows(t, w, |queue, waits| call(Transfer { queue, waits, ..good }));
    t.failed_wait(w, |waits| call(Transfer { waits, ..good }));
    image_rows(t, w, "image", |image| call(Transfer { image, ..good }));
    region_rows(t, |origin, region| call(Transfer { origin, region, ..good }));
    let got = call(Transfer { pointer: null_mut(), ..good });
    t.row(CL_INVALID_VALUE, "ptr is NULL", got);
    for (what, pitches) in [
        ("row_pitch is less than a row", [15, 0]),
        ("slice_pitch is not 0 and the image has no slices", [0, 64]),
    ] {
        t.row(CL_INVALID_VALUE, what, call(Transfer { pitches, ..good }));
    }
    let layered = cl_image_desc { image_type: CL_MEM_OBJECT_IMAGE2D_ARRAY, ..desc() };
    let layered =
        made(|e| unsafe { clCreateImage(w.context, 0, &FORMAT, &layered, null_mut(), e) });
    let got = call(Transfer { image: layered, pitches: [16, 60], ..good });
    t.row(CL_INVALID_VALUE, "slice_pitch is less than a slice", got);
    for flags in hidden {
        let got = call(Transfer { image: image_of(w.context, flags, FORMAT), ..good });
        t.row(CL_INVALID_OPERATION, "the image's flags forbid it to the host", got);
    }
}

fn map_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueMapImage");
    let (mut row, mut slice) = (0usize, 0usize);
    let pitches = (&raw mut row, &raw mut slice);
    let map = |queue, image, flags, origin, region, (row, slice), waits: Waits| {
        code(|e| unsafe {
            let (origin, region) = (raw(origin), raw(region));
            let (blocks, count, list, event) = (CL_TRUE, waits.count, waits.list, null_mut());
            clEnqueueMapImage(
                queue, image, blocks, flags, origin, region, row, slice, count, list, event, e,
            )
        })
    };
    let (none, read, write) = (Waits::NONE, CL_MAP_READ, CL_MAP_WRITE);
    let (origin, region) = WHOLE;
    let fresh = |flags| image_of(w.context, flags, FORMAT);
    let image = fresh(0);
    t.correct(map(w.queue, image, read, origin, region, pitches, none));
    t.correct(map(w.queue, image, read, origin, region, (pitches.0, null_mut()), none));
    queue_rows(t, w, |queue, waits| map(queue, image, read, origin, region, pitches, waits));
    t.failed_wait(w, |waits| map(w.queue, image, read, origin, region, pitches, waits));
    image_rows(t, w, "image", |image| map(w.queue, image, read, origin, region, pitches, none));
    region_rows(t, |origin, region| map(w.queue, image, read, origin, region, pitches, none));
    for flags in [1 << 20, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ] {
        let got = map(w.queue, image, flags, origin, region, pitches, none);
        t.row(CL_INVALID_VALUE, "map_flags are not valid", got);
    }
    let got = map(w.queue, image, read, origin, region, (null_mut(), pitches.1), none);
    t.row(CL_INVALID_VALUE, "image_row_pitch is NULL", got);
    let layered = cl_image_desc { image_type: CL_MEM_OBJECT_IMAGE2D_ARRAY, ..desc() };
    let layered =
        made(|e| unsafe { clCreateImage(w.context, 0, &FORMAT, &layered, null_mut(), e) });
    let got = map(w.queue, layered, read, origin, region, (pitches.0, null_mut()), none);
    t.row(CL_INVALID_VALUE, "image_slice_pitch is NULL and the image has layers", got);
    for (flags, map_flags) in [
        (CL_MEM_HOST_WRITE_ONLY, read),
        (CL_MEM_HOST_NO_ACCESS, read),
        (CL_MEM_HOST_READ_ONLY, write),
        (CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE_INVALIDATE_REGION),
        (CL_MEM_HOST_NO_ACCESS, write),
    ] {
        let got = map(w.queue, fresh(flags), map_flags, origin, region, pitches, none);
        t.row(CL_INVALID_OPERATION, "the image's flags forbid it to the host", got);
    }
    let image = fresh(0);
    t.correct(map(w.queue, image, write, origin, region, pitches, none));
    let got = map(w.queue, image, write, Some(&[1, 1, 0]), Some(&[1; 3]), pitches, none);
    t.row(CL_INVALID_OPERATION, "the region is mapped for writing already", got);
    t.about("clEnqueueUnmapMemObject");
    let wrong = &raw mut row;
    let got =
        unsafe { clEnqueueUnmapMemObject(w.queue, image, wrong.cast(), 0, null(), null_mut()) };
    t.row(CL_INVALID_VALUE, "mapped_ptr was not returned by a map of an image", got);
}
