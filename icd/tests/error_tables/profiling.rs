//! Times of commands (5.14).

use crate::events::of_command;
use crate::prelude::*;
use crate::world::made;

pub fn rows(t: &mut Table, w: &World) {
    t.about("clGetEventProfilingInfo");
    let info = |event, name, size, place| unsafe {
        clGetEventProfilingInfo(event, name, size, place, null_mut())
    };
    let end = CL_PROFILING_COMMAND_END;
    let queue = made(|e| unsafe {
        clCreateCommandQueue(w.context, w.device, CL_QUEUE_PROFILING_ENABLE, e)
    });
    let timed = of_command(queue);
    t.query(end, |name, size, place| info(timed, name, size, place));
    let all = CL_PROFILING_COMMAND_QUEUED..=CL_PROFILING_COMMAND_COMPLETE;
    t.answered(all, |name, size, place| info(timed, name, size, place));
    t.each(CL_INVALID_EVENT, "event", w.no_events(), |event| info(event, end, 0, null_mut()));
    let missing = CL_PROFILING_INFO_NOT_AVAILABLE;
    let got = info(of_command(w.queue), end, 0, null_mut());
    t.row(missing, "the queue was made without CL_QUEUE_PROFILING_ENABLE", got);
    t.row(missing, "event is a user event", info(w.complete, end, 0, null_mut()));
    let gate = made(|e| unsafe { clCreateUserEvent(w.context, e) });
    let mut waiting = null_mut();
    let got = unsafe { clEnqueueMarkerWithWaitList(queue, 1, &gate, &mut waiting) };
    t.row(CL_SUCCESS, "a command that waits is enqueued", got);
    t.row(missing, "the command is not complete", info(waiting, end, 0, null_mut()));
    unsafe {
        clSetUserEventStatus(gate, -1);
        clFinish(queue);
    }
    t.row(missing, "the command failed", info(waiting, end, 0, null_mut()));
}
