//! Buffers (5.2): creation, and the commands that read, write, copy, fill and map them.

use crate::prelude::*;
use crate::world::SIZE;

const READ_ONLY: u64 = CL_MEM_READ_ONLY;
const WRITE_ONLY: u64 = CL_MEM_WRITE_ONLY;
const READ_WRITE: u64 = CL_MEM_READ_WRITE;
const HOST_READ: u64 = CL_MEM_HOST_READ_ONLY;
const HOST_WRITE: u64 = CL_MEM_HOST_WRITE_ONLY;
const HOST_NONE: u64 = CL_MEM_HOST_NO_ACCESS;
const HOST_POINTERS: [u64; 3] = [CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR];

pub fn rows(t: &mut Table, w: &World) {
    create_rows(t, w);
    sub_buffer_rows(t, w);
    transfer_rows(t, w, "clEnqueueReadBuffer", read, [HOST_WRITE, HOST_NONE]);
    transfer_rows(t, w, "clEnqueueWriteBuffer", write, [HOST_READ, HOST_NONE]);
    boxes_rows(t, w, "clEnqueueReadBufferRect", read_box, [HOST_WRITE, HOST_NONE]);
    boxes_rows(t, w, "clEnqueueWriteBufferRect", write_box, [HOST_READ, HOST_NONE]);
    copy_rows(t, w);
    copy_box_rows(t, w);
    fill_rows(t, w);
    map_rows(t, w);
}

/// Adds the rows that clCreateBuffer and clCreateBufferWithProperties have in common.
fn creation_rows(
    t: &mut Table,
    w: &World,
    create: impl Fn(cl_context, cl_mem_flags, usize, *mut c_void) -> cl_int,
) {
    let mut bytes = [0u8; 64];
    let host = bytes.as_mut_ptr().cast();
    let with = |flags, size, host| create(w.context, flags, size, host);
    t.correct(with(0, 64, null_mut()));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| create(c, 0, 64, null_mut()));
    for flags in [1 << 30, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_KERNEL_READ_AND_WRITE] {
        t.row(CL_INVALID_VALUE, "flags has an invalid bit", with(flags, 64, null_mut()));
    }
    let exclusive = [
        READ_ONLY | WRITE_ONLY,
        READ_ONLY | READ_WRITE,
        WRITE_ONLY | READ_WRITE,
        HOST_READ | HOST_WRITE,
        HOST_READ | HOST_NONE,
        HOST_WRITE | HOST_NONE,
    ];
    for flags in exclusive {
        t.row(CL_INVALID_VALUE, "flags exclude each other", with(flags, 64, null_mut()));
    }
    for flag in [CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
        let condition = "CL_MEM_USE_HOST_PTR excludes the other host pointers";
        t.row(CL_INVALID_VALUE, condition, with(CL_MEM_USE_HOST_PTR | flag, 64, host));
    }
    t.row(CL_INVALID_BUFFER_SIZE, "size is 0", with(0, 0, null_mut()));
    let large = "size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE of all devices";
    for size in [max_allocation(w.device) + 1, usize::MAX] {
        t.row(CL_INVALID_BUFFER_SIZE, large, with(0, size, null_mut()));
    }
    for flag in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
        t.row(CL_INVALID_HOST_PTR, "host_ptr is NULL and wanted", with(flag, 64, null_mut()));
    }
    for flag in [0, CL_MEM_ALLOC_HOST_PTR] {
        t.row(CL_INVALID_HOST_PTR, "host_ptr is given and not wanted", with(flag, 64, host));
    }
    let shared = unsafe { clSVMAlloc(w.context, READ_WRITE, 64, 0) };
    if !shared.is_null() {
        for flag in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
            t.correct(with(flag, 64, shared));
            let condition = "host_ptr is of clSVMAlloc and size greater than what was asked for";
            t.row(CL_INVALID_BUFFER_SIZE, condition, with(flag, 65, shared));
        }
    }
}

fn max_allocation(device: cl_device_id) -> usize {
    let mut most = 0u64;
    let place = (&raw mut most).cast();
    unsafe { clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, place, null_mut()) };
    most as usize
}

fn create_rows(t: &mut Table, w: &World) {
    t.about("clCreateBuffer");
    creation_rows(t, w, |context, flags, size, host| {
        code(|e| unsafe { clCreateBuffer(context, flags, size, host, e) })
    });

    t.about("clCreateBufferWithProperties");
    let create = |context, list: &[u64], flags, size, host| {
        let list = list.as_ptr();
        code(|e| unsafe { clCreateBufferWithProperties(context, list, flags, size, host, e) })
    };
    creation_rows(t, w, |context, flags, size, host| create(context, &[0], flags, size, host));
    for list in [[0x4242, 1, 0], [u64::from(CL_CONTEXT_PLATFORM), 0, 0]] {
        let condition = "a property name is not a supported property name";
        t.row(CL_INVALID_PROPERTY, condition, create(w.context, &list, 0, 64, null_mut()));
    }
}

fn sub_buffer_rows(t: &mut Table, w: &World) {
    t.about("clCreateSubBuffer");
    let create = |buffer, flags, kind, region: Option<[usize; 2]>| {
        let region = region.map(|[origin, size]| cl_buffer_region { origin, size });
        let info = region.as_ref().map_or(null(), |region| (&raw const *region).cast());
        code(|e| unsafe { clCreateSubBuffer(buffer, flags, kind, info, e) })
    };
    let region = CL_BUFFER_CREATE_TYPE_REGION;
    let good = Some([128, 64]);
    let of = |flags, part| create(w.buffer, flags, region, part);
    t.correct(of(0, good));
    let part = w.part_of(w.buffer, 0, 512);
    t.each(CL_INVALID_MEM_OBJECT, "buffer", w.no_buffers(), |b| create(b, 0, region, good));
    t.row(CL_INVALID_MEM_OBJECT, "buffer is a sub-buffer", create(part, 0, region, good));

    let wider = [
        (WRITE_ONLY, READ_WRITE),
        (WRITE_ONLY, READ_ONLY),
        (READ_ONLY, READ_WRITE),
        (READ_ONLY, WRITE_ONLY),
        (HOST_WRITE, HOST_READ),
        (HOST_READ, HOST_WRITE),
        (HOST_NONE, HOST_READ),
        (HOST_NONE, HOST_WRITE),
    ];
    for (whole, flags) in wider {
        let condition = "flags gives access that the buffer does not";
        let buffer = w.buffer_with(whole);
        t.correct(create(buffer, whole, region, good));
        t.row(CL_INVALID_VALUE, condition, create(buffer, flags, region, good));
    }
    for flags in HOST_POINTERS {
        t.row(CL_INVALID_VALUE, "flags names a host pointer", of(flags, good));
    }
    t.row(CL_INVALID_VALUE, "flags has an invalid bit", of(1 << 30, good));
    t.row(CL_INVALID_VALUE, "flags exclude each other", of(READ_ONLY | WRITE_ONLY, good));
    let kind = create(w.buffer, 0, region + 1, good);
    t.row(CL_INVALID_VALUE, "buffer_create_type is not valid", kind);
    t.row(CL_INVALID_VALUE, "buffer_create_info is NULL", of(0, None));
    for part in [[0, SIZE + 1], [128, SIZE], [SIZE, 1], [128, usize::MAX], [!127, 256]] {
        t.row(CL_INVALID_VALUE, "the region is out of bounds", of(0, Some(part)));
    }
    t.row(CL_INVALID_BUFFER_SIZE, "the region's size is 0", of(0, Some([128, 0])));
    for origin in [1, 64, 127] {
        let condition = "origin is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN";
        t.row(CL_MISALIGNED_SUB_BUFFER_OFFSET, condition, of(0, Some([origin, 64])));
    }
}

/// Arguments of clEnqueueReadBuffer and clEnqueueWriteBuffer.
#[derive(Clone, Copy)]
struct Transfer {
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    pointer: *mut c_void,
    waits: Waits,
}

fn read(t: Transfer) -> cl_int {
    let Transfer { queue, buffer, blocking, offset, size, pointer, waits: w } = t;
    unsafe {
        let nobody = null_mut();
        clEnqueueReadBuffer(queue, buffer, blocking, offset, size, pointer, w.count, w.list, nobody)
    }
}

fn write(t: Transfer) -> cl_int {
    let Transfer { queue, buffer, blocking, offset, size, pointer, waits: w } = t;
    unsafe {
        let nobody = null_mut();
        clEnqueueWriteBuffer(
            queue, buffer, blocking, offset, size, pointer, w.count, w.list, nobody,
        )
    }
}

fn transfer_rows(
    t: &mut Table,
    w: &World,
    name: &'static str,
    call: fn(Transfer) -> cl_int,
    closed: [cl_mem_flags; 2],
) {
    t.about(name);
    let mut bytes = [0u8; SIZE];
    let good = Transfer {
        queue: w.queue,
        buffer: w.buffer,
        blocking: CL_TRUE,
        offset: 0,
        size: SIZE,
        pointer: bytes.as_mut_ptr().cast(),
        waits: Waits::NONE,
    };
    t.correct(call(good));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Transfer { queue, ..good })
    });
    let condition = "queue and buffer are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(Transfer { buffer: w.other.buffer, ..good }));
    t.each(CL_INVALID_MEM_OBJECT, "buffer", w.no_buffers(), |buffer| {
        call(Transfer { buffer, ..good })
    });
    for (offset, size) in [(1, SIZE), (0, SIZE + 1), (SIZE, 1), (usize::MAX, 2), (1, usize::MAX)] {
        let condition = "the region is out of bounds";
        t.row(CL_INVALID_VALUE, condition, call(Transfer { offset, size, ..good }));
    }
    let nowhere = call(Transfer { pointer: null_mut(), ..good });
    t.row(CL_INVALID_VALUE, "ptr is NULL", nowhere);
    t.wait_lists(w, |waits| call(Transfer { waits, ..good }));
    t.failed_wait(w, |waits| call(Transfer { waits, ..good }));
    for flags in closed {
        let buffer = w.buffer_with(flags);
        let condition = "the buffer's flags forbid it to the host";
        t.row(CL_INVALID_OPERATION, condition, call(Transfer { buffer, ..good }));
        let buffer = w.part_of(buffer, 0, SIZE);
        t.row(CL_INVALID_OPERATION, condition, call(Transfer { buffer, ..good }));
    }
}

/// One side of a rectangular copy.
#[derive(Clone, Copy)]
struct Side {
    origin: Option<[usize; 3]>,
    row_pitch: usize,
    slice_pitch: usize,
}

impl Side {
    fn origin(&self) -> *const usize {
        self.origin.as_ref().map_or(null(), |origin| origin.as_ptr())
    }
}

/// A side into which a region of 8 x 4 x 2 bytes just fits.
const TIGHT: Side = Side { origin: Some([0; 3]), row_pitch: 8, slice_pitch: 32 };
const REGION: [usize; 3] = [8, 4, 2];

/// Sides with pitches that the specification forbids for [`REGION`].
fn bad_pitches() -> [(&'static str, Side); 3] {
    [
        ("row pitch is not 0 and less than region[0]", Side { row_pitch: 7, ..TIGHT }),
        ("slice pitch is not 0 and less than region[1] rows", Side { slice_pitch: 24, ..TIGHT }),
        ("slice pitch is not a multiple of the row pitch", Side { slice_pitch: 36, ..TIGHT }),
    ]
}

/// Sides with which the region exceeds a buffer of [`SIZE`] bytes.
fn out_of_bounds() -> [Side; 6] {
    let at = |origin| Side { origin: Some(origin), ..TIGHT };
    [
        at([SIZE - 7, 0, 0]),
        at([0, SIZE / 8, 0]),
        at([0, 0, SIZE / 32 - 1]),
        at([0, 0, usize::MAX]),
        Side { row_pitch: SIZE, slice_pitch: 0, ..TIGHT },
        Side { slice_pitch: SIZE, ..TIGHT },
    ]
}

/// Arguments of clEnqueueReadBufferRect and clEnqueueWriteBufferRect.
#[derive(Clone, Copy)]
struct Boxes {
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    device: Side,
    host: Side,
    region: Option<[usize; 3]>,
    pointer: *mut c_void,
    waits: Waits,
}

fn read_box(b: Boxes) -> cl_int {
    let region = b.region.as_ref().map_or(null(), |region| region.as_ptr());
    unsafe {
        clEnqueueReadBufferRect(
            b.queue,
            b.buffer,
            b.blocking,
            b.device.origin(),
            b.host.origin(),
            region,
            b.device.row_pitch,
            b.device.slice_pitch,
            b.host.row_pitch,
            b.host.slice_pitch,
            b.pointer,
            b.waits.count,
            b.waits.list,
            null_mut(),
        )
    }
}

fn write_box(b: Boxes) -> cl_int {
    let region = b.region.as_ref().map_or(null(), |region| region.as_ptr());
    unsafe {
        clEnqueueWriteBufferRect(
            b.queue,
            b.buffer,
            b.blocking,
            b.device.origin(),
            b.host.origin(),
            region,
            b.device.row_pitch,
            b.device.slice_pitch,
            b.host.row_pitch,
            b.host.slice_pitch,
            b.pointer,
            b.waits.count,
            b.waits.list,
            null_mut(),
        )
    }
}

fn boxes_rows(
    t: &mut Table,
    w: &World,
    name: &'static str,
    call: fn(Boxes) -> cl_int,
    closed: [cl_mem_flags; 2],
) {
    t.about(name);
    let mut bytes = [0u8; SIZE];
    let good = Boxes {
        queue: w.queue,
        buffer: w.buffer,
        blocking: CL_TRUE,
        device: TIGHT,
        host: TIGHT,
        region: Some(REGION),
        pointer: bytes.as_mut_ptr().cast(),
        waits: Waits::NONE,
    };
    t.correct(call(good));
    t.correct(call(Boxes { device: Side { row_pitch: 0, slice_pitch: 0, ..TIGHT }, ..good }));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Boxes { queue, ..good })
    });
    let condition = "queue and buffer are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(Boxes { buffer: w.other.buffer, ..good }));
    t.each(CL_INVALID_MEM_OBJECT, "buffer", w.no_buffers(), |b| call(Boxes { buffer: b, ..good }));
    let value = CL_INVALID_VALUE;
    let nowhere = Side { origin: None, ..TIGHT };
    t.row(value, "buffer_origin is NULL", call(Boxes { device: nowhere, ..good }));
    t.row(value, "host_origin is NULL", call(Boxes { host: nowhere, ..good }));
    t.row(value, "region is NULL", call(Boxes { region: None, ..good }));
    for device in out_of_bounds() {
        t.row(value, "the region is out of bounds", call(Boxes { device, ..good }));
    }
    for empty in 0..3 {
        let mut region = REGION;
        region[empty] = 0;
        let region = Some(region);
        t.row(value, "an element of region is 0", call(Boxes { region, ..good }));
    }
    for (condition, side) in bad_pitches() {
        t.row(value, &format!("buffer {condition}"), call(Boxes { device: side, ..good }));
        t.row(value, &format!("host {condition}"), call(Boxes { host: side, ..good }));
    }
    t.row(value, "ptr is NULL", call(Boxes { pointer: null_mut(), ..good }));
    t.wait_lists(w, |waits| call(Boxes { waits, ..good }));
    t.failed_wait(w, |waits| call(Boxes { waits, ..good }));
    for flags in closed {
        let buffer = w.buffer_with(flags);
        let condition = "the buffer's flags forbid it to the host";
        t.row(CL_INVALID_OPERATION, condition, call(Boxes { buffer, ..good }));
    }
}

/// Arguments of clEnqueueCopyBuffer.
#[derive(Clone, Copy)]
struct Copying {
    queue: cl_command_queue,
    source: cl_mem,
    target: cl_mem,
    from: usize,
    to: usize,
    size: usize,
    waits: Waits,
}

fn copy_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueCopyBuffer");
    let call = |c: Copying| unsafe {
        let Copying { queue, source, target, from, to, size, waits } = c;
        let (count, list) = (waits.count, waits.list);
        clEnqueueCopyBuffer(queue, source, target, from, to, size, count, list, null_mut())
    };
    let target = w.buffer_with(0);
    let (queue, source) = (w.queue, w.buffer);
    let good = Copying { queue, source, target, from: 0, to: 0, size: SIZE, waits: Waits::NONE };
    t.correct(call(good));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Copying { queue, ..good })
    });
    let stranger = w.other.buffer;
    let condition = "queue and src_buffer are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(Copying { source: stranger, ..good }));
    let condition = "queue and dst_buffer are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(Copying { target: stranger, ..good }));
    let object = CL_INVALID_MEM_OBJECT;
    t.each(object, "src_buffer", w.no_buffers(), |b| call(Copying { source: b, ..good }));
    t.each(object, "dst_buffer", w.no_buffers(), |b| call(Copying { target: b, ..good }));
    for (at, size) in [(1, SIZE), (0, SIZE + 1), (SIZE, 1), (usize::MAX, 2), (1, usize::MAX)] {
        let condition = "src_offset and size are out of bounds";
        t.row(CL_INVALID_VALUE, condition, call(Copying { from: at, size, ..good }));
        let condition = "dst_offset and size are out of bounds";
        t.row(CL_INVALID_VALUE, condition, call(Copying { to: at, size, ..good }));
    }
    t.wait_lists(w, |waits| call(Copying { waits, ..good }));

    let within = Copying { target: source, size: 64, ..good };
    t.correct(call(Copying { to: 64, ..within }));
    for (from, to) in [(0, 0), (0, 63), (63, 0), (10, 12)] {
        let condition = "the regions overlap in one buffer";
        t.row(CL_MEM_COPY_OVERLAP, condition, call(Copying { from, to, ..within }));
    }
    let (low, high) = (w.part_of(source, 0, 512), w.part_of(source, 256, 512));
    let parts = Copying { source: low, target: high, size: 128, ..good };
    t.correct(call(parts));
    let condition = "the regions overlap in two sub-buffers of one buffer";
    t.row(CL_MEM_COPY_OVERLAP, condition, call(Copying { from: 256, ..parts }));
    t.row(CL_MEM_COPY_OVERLAP, condition, call(Copying { from: 384, to: 64, ..parts }));
    let condition = "the regions overlap in a buffer and its sub-buffer";
    t.row(CL_MEM_COPY_OVERLAP, condition, call(Copying { source, from: 256, ..parts }));
}

/// Arguments of clEnqueueCopyBufferRect.
#[derive(Clone, Copy)]
struct CopyingBoxes {
    queue: cl_command_queue,
    source: cl_mem,
    target: cl_mem,
    from: Side,
    to: Side,
    region: Option<[usize; 3]>,
    waits: Waits,
}

fn copy_box(c: CopyingBoxes) -> cl_int {
    let region = c.region.as_ref().map_or(null(), |region| region.as_ptr());
    unsafe {
        clEnqueueCopyBufferRect(
            c.queue,
            c.source,
            c.target,
            c.from.origin(),
            c.to.origin(),
            region,
            c.from.row_pitch,
            c.from.slice_pitch,
            c.to.row_pitch,
            c.to.slice_pitch,
            c.waits.count,
            c.waits.list,
            null_mut(),
        )
    }
}

fn copy_box_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueCopyBufferRect");
    let call = copy_box;
    let good = CopyingBoxes {
        queue: w.queue,
        source: w.buffer,
        target: w.buffer_with(0),
        from: TIGHT,
        to: TIGHT,
        region: Some(REGION),
        waits: Waits::NONE,
    };
    t.correct(call(good));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(CopyingBoxes { queue, ..good })
    });
    let stranger = w.other.buffer;
    let condition = "queue and src_buffer are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(CopyingBoxes { source: stranger, ..good }));
    let condition = "queue and dst_buffer are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(CopyingBoxes { target: stranger, ..good }));
    let object = CL_INVALID_MEM_OBJECT;
    t.each(object, "src_buffer", w.no_buffers(), |b| call(CopyingBoxes { source: b, ..good }));
    t.each(object, "dst_buffer", w.no_buffers(), |b| call(CopyingBoxes { target: b, ..good }));
    let value = CL_INVALID_VALUE;
    let nowhere = Side { origin: None, ..TIGHT };
    t.row(value, "src_origin is NULL", call(CopyingBoxes { from: nowhere, ..good }));
    t.row(value, "dst_origin is NULL", call(CopyingBoxes { to: nowhere, ..good }));
    t.row(value, "region is NULL", call(CopyingBoxes { region: None, ..good }));
    for side in out_of_bounds() {
        let condition = "the source region is out of bounds";
        t.row(value, condition, call(CopyingBoxes { from: side, ..good }));
        let condition = "the target region is out of bounds";
        t.row(value, condition, call(CopyingBoxes { to: side, ..good }));
    }
    for empty in 0..3 {
        let mut region = REGION;
        region[empty] = 0;
        let region = Some(region);
        t.row(value, "an element of region is 0", call(CopyingBoxes { region, ..good }));
    }
    for (condition, side) in bad_pitches() {
        t.row(value, &format!("src {condition}"), call(CopyingBoxes { from: side, ..good }));
        t.row(value, &format!("dst {condition}"), call(CopyingBoxes { to: side, ..good }));
    }
    t.wait_lists(w, |waits| call(CopyingBoxes { waits, ..good }));

    let far = Side { origin: Some([0, 0, 8]), ..TIGHT };
    let within = CopyingBoxes { target: w.buffer, to: far, ..good };
    t.correct(call(within));
    let rows = CopyingBoxes { to: Side { row_pitch: 16, slice_pitch: 64, ..far }, ..within };
    t.row(value, "the row pitches differ within one buffer", call(rows));
    let slices = CopyingBoxes { to: Side { slice_pitch: 64, ..far }, ..within };
    t.row(value, "the slice pitches differ within one buffer", call(slices));
    for origin in [[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]] {
        let to = Side { origin: Some(origin), ..TIGHT };
        let condition = "the regions overlap in one buffer";
        t.row(CL_MEM_COPY_OVERLAP, condition, call(CopyingBoxes { to, ..within }));
    }
    let source = w.part_of(w.buffer, 0, 512);
    let parts = CopyingBoxes { source, target: w.part_of(w.buffer, 128, 512), ..good };
    t.correct(call(parts));
    let from = Side { origin: Some([0, 0, 4]), ..TIGHT };
    let condition = "the regions overlap in two sub-buffers of one buffer";
    t.row(CL_MEM_COPY_OVERLAP, condition, call(CopyingBoxes { from, ..parts }));
}

/// Arguments of clEnqueueFillBuffer.
#[derive(Clone, Copy)]
struct Filling {
    queue: cl_command_queue,
    buffer: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    waits: Waits,
}

fn fill_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueFillBuffer");
    let call = |f: Filling| unsafe {
        let Filling { queue, buffer, pattern, pattern_size, offset, size, waits } = f;
        let (count, list, nobody) = (waits.count, waits.list, null_mut());
        clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, count, list, nobody)
    };
    let bytes = [7u8; 256];
    let good = Filling {
        queue: w.queue,
        buffer: w.buffer,
        pattern: bytes.as_ptr().cast(),
        pattern_size: 4,
        offset: 0,
        size: SIZE,
        waits: Waits::NONE,
    };
    for pattern_size in [1, 2, 4, 8, 16, 32, 64, 128] {
        t.correct(call(Filling { pattern_size, ..good }));
    }
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Filling { queue, ..good })
    });
    let condition = "queue and buffer are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(Filling { buffer: w.other.buffer, ..good }));
    t.each(CL_INVALID_MEM_OBJECT, "buffer", w.no_buffers(), |b| {
        call(Filling { buffer: b, ..good })
    });
    let value = CL_INVALID_VALUE;
    for (offset, size) in [(4, SIZE), (0, SIZE + 4), (SIZE, 4), (usize::MAX - 3, 8)] {
        t.row(value, "the region is out of bounds", call(Filling { offset, size, ..good }));
    }
    t.row(value, "pattern is NULL", call(Filling { pattern: null(), ..good }));
    t.row(value, "pattern_size is 0", call(Filling { pattern_size: 0, ..good }));
    let odd = Filling { pattern_size: 3, size: 9, ..good };
    t.row(value, "pattern_size is not a power of two", call(odd));
    t.row(value, "pattern_size is greater than 128", call(Filling { pattern_size: 256, ..good }));
    let shifted = Filling { offset: 2, size: 8, ..good };
    t.row(value, "offset is not a multiple of pattern_size", call(shifted));
    t.row(value, "size is not a multiple of pattern_size", call(Filling { size: 6, ..good }));
    t.wait_lists(w, |waits| call(Filling { waits, ..good }));
}

/// Arguments of clEnqueueMapBuffer.
#[derive(Clone, Copy)]
struct Mapping {
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    offset: usize,
    size: usize,
    waits: Waits,
}

fn map_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueMapBuffer");
    let call = |m: Mapping| {
        code(|e| unsafe {
            let Mapping { queue, buffer, blocking, flags, offset, size, waits } = m;
            let (count, list, nobody) = (waits.count, waits.list, null_mut());
            clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, count, list, nobody, e)
        })
    };
    let good = Mapping {
        queue: w.queue,
        buffer: w.buffer_with(0),
        blocking: CL_TRUE,
        flags: CL_MAP_READ,
        offset: 0,
        size: SIZE,
        waits: Waits::NONE,
    };
    t.correct(call(good));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Mapping { queue, ..good })
    });
    let condition = "queue and buffer are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(Mapping { buffer: w.other.buffer, ..good }));
    t.each(CL_INVALID_MEM_OBJECT, "buffer", w.no_buffers(), |b| {
        call(Mapping { buffer: b, ..good })
    });
    let value = CL_INVALID_VALUE;
    for (offset, size) in [(1, SIZE), (0, SIZE + 1), (SIZE, 1), (usize::MAX, 2)] {
        t.row(value, "the region is out of bounds", call(Mapping { offset, size, ..good }));
    }
    t.row(value, "size is 0", call(Mapping { size: 0, ..good }));
    let invalidate = CL_MAP_WRITE_INVALIDATE_REGION;
    for flags in [1 << 20, CL_MAP_READ | invalidate, CL_MAP_WRITE | invalidate] {
        t.row(value, "map_flags are not valid", call(Mapping { flags, ..good }));
    }
    t.wait_lists(w, |waits| call(Mapping { waits, ..good }));
    t.failed_wait(w, |waits| call(Mapping { waits, ..good }));

    let operation = CL_INVALID_OPERATION;
    for (access, flags) in [
        (HOST_WRITE, CL_MAP_READ),
        (HOST_NONE, CL_MAP_READ),
        (HOST_READ, CL_MAP_WRITE),
        (HOST_READ, invalidate),
        (HOST_NONE, CL_MAP_WRITE),
        (HOST_NONE, invalidate),
    ] {
        let condition = "the buffer's flags forbid the access to the host";
        let buffer = w.buffer_with(access);
        t.row(operation, condition, call(Mapping { buffer, flags, ..good }));
    }
    let buffer = w.buffer_with(0);
    let first = Mapping { buffer, flags: CL_MAP_WRITE, size: 64, ..good };
    t.correct(call(first));
    t.correct(call(Mapping { offset: 64, ..first }));
    let condition = "regions that are mapped for writing would overlap";
    for flags in [CL_MAP_WRITE, invalidate] {
        t.row(operation, condition, call(Mapping { flags, offset: 32, ..first }));
    }
}
