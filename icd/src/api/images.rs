//! Image objects (spec 5.3). No device offers them yet (CL_DEVICE_IMAGE_SUPPORT is false): none can be created, so no
//! handle is an image's.

use super::args;
use crate::cl::error::{ensure, fail, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::flags;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Returns the result of creating an image: CL_INVALID_OPERATION, after the check of the context.
fn no_image_support(context: cl_context) -> Result<cl_mem> {
    Ref::<Context>::from_handle(context)?;
    fail(CL_INVALID_OPERATION)
}

/// Returns the result of a command on images: CL_INVALID_OPERATION, after the check of the queue.
fn no_image_commands(queue: cl_command_queue) -> Result<()> {
    args::queue(queue)?;
    fail(CL_INVALID_OPERATION)
}

entry! {
    /// clCreateImage.
    fn clCreateImage(
        context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_desc: *const cl_image_desc,
        _host_ptr: *mut c_void,
    ) -> handle cl_mem {
        no_image_support(context)
    }

    /// clCreateImageWithProperties.
    fn clCreateImageWithProperties(
        context: cl_context,
        _properties: *const cl_mem_properties,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_desc: *const cl_image_desc,
        _host_ptr: *mut c_void,
    ) -> handle cl_mem {
        no_image_support(context)
    }

    /// clCreateImage2D.
    fn clCreateImage2D(
        context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_width: usize,
        _image_height: usize,
        _image_row_pitch: usize,
        _host_ptr: *mut c_void,
    ) -> handle cl_mem {
        no_image_support(context)
    }

    /// clCreateImage3D.
    fn clCreateImage3D(
        context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_width: usize,
        _image_height: usize,
        _image_depth: usize,
        _image_row_pitch: usize,
        _image_slice_pitch: usize,
        _host_ptr: *mut c_void,
    ) -> handle cl_mem {
        no_image_support(context)
    }

    /// clGetSupportedImageFormats: an empty list.
    fn clGetSupportedImageFormats(
        context: cl_context,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: *mut cl_image_format,
        num_image_formats: *mut cl_uint,
    ) -> status {
        Ref::<Context>::from_handle(context)?;
        // CL_MEM_KERNEL_READ_AND_WRITE is for this query alone, and goes with any other flag (5.3.2).
        flags::check(flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
        let known = CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER;
        ensure!(known.contains(&image_type), CL_INVALID_VALUE);
        ensure!(image_formats.is_null() || num_entries > 0, CL_INVALID_VALUE);
        // SAFETY: the place is as the API requires.
        unsafe { args::store(num_image_formats, 0) };
        Ok(())
    }

    /// clGetImageInfo.
    fn clGetImageInfo(
        image: cl_mem,
        _param_name: cl_image_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> status {
        Ref::<Buffer>::from_handle(image)?;
        fail(CL_INVALID_MEM_OBJECT)
    }

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
