//! Pipes (5.4).

use crate::prelude::*;

pub fn rows(t: &mut Table, w: &World) {
    t.about("clCreatePipe");
    let create = |context| code(|e| unsafe { clCreatePipe(context, 0, 4, 4, null(), e) });
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), create);
    let with = |flags, size, count| {
        code(|e| unsafe { clCreatePipe(w.context, flags, size, count, null(), e) })
    };
    for flags in [CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_COPY_HOST_PTR, 1 << 40] {
        t.row(CL_INVALID_VALUE, "flags", with(flags, 4, 4));
    }
    t.row(CL_INVALID_VALUE, "flags has CL_MEM_IMMUTABLE_EXT", with(CL_MEM_IMMUTABLE_EXT, 4, 4));
    let none: cl_pipe_properties = 0;
    let code_of = code(|e| unsafe { clCreatePipe(w.context, 0, 4, 4, &none, e) });
    t.row(CL_INVALID_VALUE, "properties is not NULL", code_of);
    t.row(CL_INVALID_PIPE_SIZE, "pipe_packet_size is 0", with(0, 0, 4));
    t.row(CL_INVALID_PIPE_SIZE, "pipe_packet_size exceeds the limit", with(0, 1025, 4));
    t.row(CL_INVALID_PIPE_SIZE, "pipe_max_packets is 0", with(0, 4, 0));
    let failure = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    t.row(failure, "more packets than memory has room for", with(0, 1024, u32::MAX));

    t.about("clGetPipeInfo");
    let info =
        |pipe| unsafe { clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, 0, null_mut(), null_mut()) };
    t.each(CL_INVALID_MEM_OBJECT, "pipe", w.no_buffers(), info);
    t.row(CL_INVALID_MEM_OBJECT, "pipe is a buffer", info(w.buffer));
    let pipe = unsafe { clCreatePipe(w.context, 0, 4, 4, null(), null_mut()) };
    let ask = |name, size| {
        let mut place = [0u8; 8];
        unsafe { clGetPipeInfo(pipe, name, size, place.as_mut_ptr().cast(), null_mut()) }
    };
    t.row(CL_INVALID_VALUE, "param_name", ask(0, 8));
    t.row(CL_INVALID_VALUE, "param_value_size", ask(CL_PIPE_MAX_PACKETS, 3));
    assert_eq!(ask(CL_PIPE_MAX_PACKETS, 4), CL_SUCCESS);
    assert_eq!(unsafe { clReleaseMemObject(pipe) }, CL_SUCCESS);
    t.row(CL_INVALID_MEM_OBJECT, "pipe was released", info(pipe));
}
