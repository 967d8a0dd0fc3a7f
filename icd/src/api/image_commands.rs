//! Commands that read, write, copy, fill and map images (spec 5.3).

use super::args;
use crate::cl::error::{fail, Result};
use crate::cl::*;
use crate::dispatch::boundary::entry;
use std::ffi::c_void;

/// Returns the result of a command on images: CL_INVALID_OPERATION, after the check of the queue.
fn no_image_commands(queue: cl_command_queue) -> Result<()> {
    args::queue(queue)?;
    fail(CL_INVALID_OPERATION)
}

entry! {
    /// clEnqueueReadImage.
    fn clEnqueueReadImage(
        command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_read: cl_bool,
        _origin: *const usize,
        _region: *const usize,
        _row_pitch: usize,
        _slice_pitch: usize,
        _ptr: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_image_commands(command_queue)
    }

    /// clEnqueueWriteImage.
    fn clEnqueueWriteImage(
        command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_write: cl_bool,
        _origin: *const usize,
        _region: *const usize,
        _input_row_pitch: usize,
        _input_slice_pitch: usize,
        _ptr: *const c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_image_commands(command_queue)
    }

    /// clEnqueueFillImage.
    fn clEnqueueFillImage(
        command_queue: cl_command_queue,
        _image: cl_mem,
        _fill_color: *const c_void,
        _origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_image_commands(command_queue)
    }

    /// clEnqueueCopyImage.
    fn clEnqueueCopyImage(
        command_queue: cl_command_queue,
        _src_image: cl_mem,
        _dst_image: cl_mem,
        _src_origin: *const usize,
        _dst_origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_image_commands(command_queue)
    }

    /// clEnqueueCopyImageToBuffer.
    fn clEnqueueCopyImageToBuffer(
        command_queue: cl_command_queue,
        _src_image: cl_mem,
        _dst_buffer: cl_mem,
        _src_origin: *const usize,
        _region: *const usize,
        _dst_offset: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_image_commands(command_queue)
    }

    /// clEnqueueCopyBufferToImage.
    fn clEnqueueCopyBufferToImage(
        command_queue: cl_command_queue,
        _src_buffer: cl_mem,
        _dst_image: cl_mem,
        _src_offset: usize,
        _dst_origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_image_commands(command_queue)
    }

    /// clEnqueueMapImage.
    fn clEnqueueMapImage(
        command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_map: cl_bool,
        _map_flags: cl_map_flags,
        _origin: *const usize,
        _region: *const usize,
        _image_row_pitch: *mut usize,
        _image_slice_pitch: *mut usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> handle *mut c_void {
        no_image_commands(command_queue)?;
        fail(CL_INVALID_OPERATION)
    }
}
