//! Pipes (spec 5.4): optional, and not offered (CL_DEVICE_PIPE_SUPPORT is false).

use crate::cl::error::fail;
use crate::cl::*;
use crate::core::context::Context;
use crate::core::memory::buffer::Buffer;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

entry! {
    /// clCreatePipe.
    fn clCreatePipe(
        context: cl_context,
        _flags: cl_mem_flags,
        _pipe_packet_size: cl_uint,
        _pipe_max_packets: cl_uint,
        _properties: *const cl_pipe_properties,
    ) -> handle cl_mem {
        Ref::<Context>::from_handle(context)?;
        fail(CL_INVALID_OPERATION)
    }

    /// clGetPipeInfo: no memory object is a pipe.
    fn clGetPipeInfo(
        pipe: cl_mem,
        _param_name: cl_pipe_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> status {
        Ref::<Buffer>::from_handle(pipe)?;
        fail(CL_INVALID_MEM_OBJECT)
    }
}
