//! Commands that are either enqueued or recorded into a command buffer, with the same arguments.

use super::api::call;
use super::recording::Recorder;
use cl3::types::{cl_command_queue, cl_event, cl_kernel, cl_mem};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// The arguments that all enqueueing functions have in common.
pub struct Slot<'a> {
    pub queue: cl_command_queue,
    pub count: u32,
    pub list: *const cl_event,
    pub event: *mut cl_event,
    /// The place where the command is recorded, if it is recorded.
    pub recorder: Option<Recorder<'a>>,
}

/// Three sizes, as OpenCL takes them.
type Triple = [usize; 3];

/// Records a command; returns the status.
macro_rules! record {
    ($recorder:expr, $record:ident, ($($arg:expr),* $(,)?)) => {{
        let Recorder { api, buffer, points, point } = $recorder;
        let list = if points.is_empty() { null() } else { points.as_ptr() };
        let count = points.len() as u32;
        match api.$record {
            // SAFETY: the handles are alive, and the arguments are valid for the call that would enqueue it.
            Some(record) => unsafe {
                record(buffer, null_mut(), null(), $($arg,)* count, list, point, null_mut())
            },
            None => super::api::MISSING,
        }
    }};
}

/// Enqueues a command, or records it: the functions differ in their names, and in the arguments before and behind the
/// command's own. Returns the status.
macro_rules! either {
    ($slot:expr, $enqueue:ident, $record:ident, $args:tt) => {
        match $slot.recorder {
            None => enqueue!($slot, $enqueue, $args),
            Some(recorder) => record!(recorder, $record, $args),
        }
    };
}

/// Enqueues a command; returns the status.
macro_rules! enqueue {
    ($slot:expr, $enqueue:ident, ($($arg:expr),* $(,)?)) => {
        call!($enqueue($slot.queue, $($arg,)* $slot.count, $slot.list, $slot.event))
    };
}

impl Slot<'_> {
    pub fn copy_buffer(
        self,
        from: cl_mem,
        to: cl_mem,
        source: usize,
        place: usize,
        bytes: usize,
    ) -> i32 {
        either!(self, clEnqueueCopyBuffer, copy_buffer, (from, to, source, place, bytes))
    }

    pub fn fill_buffer(self, mem: cl_mem, pattern: &[u8], at: usize, bytes: usize) -> i32 {
        let (place, size) = (pattern.as_ptr().cast(), pattern.len());
        either!(self, clEnqueueFillBuffer, fill_buffer, (mem, place, size, at, bytes))
    }

    /// Pitches: row and slice, of the source and of the target.
    pub fn copy_rect(
        self,
        (from, to): (cl_mem, cl_mem),
        boxes: [Triple; 3],
        pitches: [usize; 4],
    ) -> i32 {
        let [source, place, region] = &boxes;
        let (source, place, region) = (source.as_ptr(), place.as_ptr(), region.as_ptr());
        let [a, b, c, d] = pitches;
        either!(
            self,
            clEnqueueCopyBufferRect,
            copy_rect,
            (from, to, source, place, region, a, b, c, d)
        )
    }

    pub fn copy_image(self, (from, to): (cl_mem, cl_mem), boxes: [Triple; 3]) -> i32 {
        let [source, place, region] = &boxes;
        let (source, place, region) = (source.as_ptr(), place.as_ptr(), region.as_ptr());
        either!(self, clEnqueueCopyImage, copy_image, (from, to, source, place, region))
    }

    pub fn copy_image_to_buffer(
        self,
        image: cl_mem,
        buffer: cl_mem,
        boxes: [Triple; 2],
        at: usize,
    ) -> i32 {
        let [origin, region] = &boxes;
        let (origin, region) = (origin.as_ptr(), region.as_ptr());
        either!(
            self,
            clEnqueueCopyImageToBuffer,
            image_to_buffer,
            (image, buffer, origin, region, at)
        )
    }

    pub fn copy_buffer_to_image(
        self,
        buffer: cl_mem,
        image: cl_mem,
        boxes: [Triple; 2],
        at: usize,
    ) -> i32 {
        let [origin, region] = &boxes;
        let (origin, region) = (origin.as_ptr(), region.as_ptr());
        either!(
            self,
            clEnqueueCopyBufferToImage,
            buffer_to_image,
            (buffer, image, at, origin, region)
        )
    }

    pub fn fill_image(self, mem: cl_mem, colour: [u32; 4], boxes: [Triple; 2]) -> i32 {
        let [origin, region] = &boxes;
        let (origin, region, colour) = (origin.as_ptr(), region.as_ptr(), colour.as_ptr().cast());
        either!(self, clEnqueueFillImage, fill_image, (mem, colour, origin, region))
    }

    pub fn fill_shared(self, to: *mut c_void, pattern: &[u8], bytes: usize) -> i32 {
        let (from, size) = (pattern.as_ptr().cast(), pattern.len());
        either!(self, clEnqueueSVMMemFill, fill_shared, (to, from, size, bytes))
    }

    /// Copies shared memory; a recorded command never blocks.
    pub fn copy_shared(
        self,
        blocking: bool,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> i32 {
        match self.recorder {
            None => enqueue!(self, clEnqueueSVMMemcpy, (blocking.into(), to, from, bytes)),
            Some(recorder) => record!(recorder, copy_shared, (to, from, bytes)),
        }
    }

    pub fn kernel(self, kernel: cl_kernel, dimensions: u32, sizes: [*const usize; 3]) -> i32 {
        let [offset, global, local] = sizes;
        either!(self, clEnqueueNDRangeKernel, kernel, (kernel, dimensions, offset, global, local))
    }
}
