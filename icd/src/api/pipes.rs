//! Pipes (spec 5.4).

use super::args;
use crate::cl::error::ensure;
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::{info, language};
use crate::core::memory::pipe::Pipe;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

entry! {
    /// clCreatePipe.
    fn clCreatePipe(
        context: cl_context,
        flags: cl_mem_flags,
        pipe_packet_size: cl_uint,
        pipe_max_packets: cl_uint,
        properties: *const cl_pipe_properties,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        let offered = context.devices.iter().any(|device| language::has_pipes(&info::compiled_for(device)));
        ensure!(offered, CL_INVALID_OPERATION);
        ensure!(properties.is_null(), CL_INVALID_VALUE);
        Ok(Pipe::new(context, flags, pipe_packet_size, pipe_max_packets)?.expose())
    }

    /// clGetPipeInfo.
    fn clGetPipeInfo(
        pipe: cl_mem,
        param_name: cl_pipe_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let pipe = Ref::<Pipe>::from_handle(pipe)?;
        let value = match param_name {
            CL_PIPE_PACKET_SIZE => Some(Value::of(pipe.packet_size)),
            CL_PIPE_MAX_PACKETS => Some(Value::of(pipe.max_packets)),
            CL_PIPE_PROPERTIES => Some(Value::list::<cl_pipe_properties>(&[])),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
