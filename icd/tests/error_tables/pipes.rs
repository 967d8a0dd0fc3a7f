//! Pipes (5.4) on devices without them.

use crate::prelude::*;

pub fn rows(t: &mut Table, w: &World) {
    t.about("clCreatePipe");
    let create = |context| code(|e| unsafe { clCreatePipe(context, 0, 4, 4, null(), e) });
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), create);
    t.row(CL_INVALID_OPERATION, "no devices in context support pipes", create(w.context));

    t.about("clGetPipeInfo");
    let info =
        |pipe| unsafe { clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, 0, null_mut(), null_mut()) };
    t.each(CL_INVALID_MEM_OBJECT, "pipe", w.no_buffers(), info);
    t.row(CL_INVALID_MEM_OBJECT, "pipe is a buffer", info(w.buffer));
}
