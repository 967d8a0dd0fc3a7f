//! Events (5.11).

use crate::prelude::*;
use crate::world::made;

/// Returns the event of a command that is complete.
pub fn of_command(queue: cl_command_queue) -> cl_event {
    let mut event = null_mut();
    unsafe {
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 0, null(), &mut event), CL_SUCCESS);
        assert_eq!(clFinish(queue), CL_SUCCESS);
    }
    event
}

pub fn rows(t: &mut Table, w: &World) {
    t.about("clCreateUserEvent");
    let create = |context| code(|e| unsafe { clCreateUserEvent(context, e) });
    t.correct(create(w.context));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), create);

    status_rows(t, w);
    wait_rows(t, w);
    query_rows(t, w);
    callback_rows(t, w);

    let event = CL_INVALID_EVENT;
    t.about("clRetainEvent");
    t.correct(unsafe { clRetainEvent(w.complete) });
    t.each(event, "event", w.no_events(), |event| unsafe { clRetainEvent(event) });
    t.about("clReleaseEvent");
    t.correct(unsafe { clReleaseEvent(w.complete) });
    t.each(event, "event", w.no_events(), |event| unsafe { clReleaseEvent(event) });
}

fn status_rows(t: &mut Table, w: &World) {
    t.about("clSetUserEventStatus");
    let set = |event, status| unsafe { clSetUserEventStatus(event, status) };
    let open = || made(|e| unsafe { clCreateUserEvent(w.context, e) });
    t.correct(set(open(), CL_COMPLETE));
    t.correct(set(open(), -5));
    t.each(CL_INVALID_EVENT, "event", w.no_events(), |event| set(event, CL_COMPLETE));
    let got = set(of_command(w.queue), CL_COMPLETE);
    t.row(CL_INVALID_EVENT, "event is a command's", got);
    for status in [CL_RUNNING, CL_SUBMITTED, CL_QUEUED, i32::MAX] {
        let condition = "execution_status is neither CL_COMPLETE nor negative";
        t.row(CL_INVALID_VALUE, condition, set(open(), status));
    }
    for event in [w.complete, w.failed] {
        let condition = "the status has been changed already";
        t.row(CL_INVALID_OPERATION, condition, set(event, CL_COMPLETE));
        t.row(CL_INVALID_OPERATION, condition, set(event, -1));
    }
}

fn wait_rows(t: &mut Table, w: &World) {
    t.about("clWaitForEvents");
    let wait =
        |events: &[cl_event]| unsafe { clWaitForEvents(events.len() as u32, events.as_ptr()) };
    t.correct(wait(&[w.complete]));
    t.row(CL_INVALID_VALUE, "num_events is 0", wait(&[]));
    t.row(CL_INVALID_VALUE, "event_list is NULL", unsafe { clWaitForEvents(1, null()) });
    let condition = "the events are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, wait(&[w.complete, w.other.event]));
    t.each(CL_INVALID_EVENT, "an event", w.no_events(), |event| wait(&[w.complete, event]));
    let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    let condition = "the status of an event is negative";
    t.row(failed, condition, wait(&[w.failed]));
    t.row(failed, condition, wait(&[w.complete, w.failed]));
    let mut behind = null_mut();
    let marker = unsafe { clEnqueueMarkerWithWaitList(w.queue, 1, &w.failed, &mut behind) };
    t.row(CL_SUCCESS, "a command behind a failed event is enqueued", marker);
    t.row(failed, "a command behind a failed event", wait(&[behind]));
}

fn query_rows(t: &mut Table, w: &World) {
    t.about("clGetEventInfo");
    let info =
        |event, name, size, place| unsafe { clGetEventInfo(event, name, size, place, null_mut()) };
    t.query(CL_EVENT_CONTEXT, |name, size, place| info(w.complete, name, size, place));
    for event in [w.complete, of_command(w.queue)] {
        let all = CL_EVENT_COMMAND_QUEUE..=CL_EVENT_CONTEXT;
        t.answered(all, |name, size, place| info(event, name, size, place));
    }
    t.each(CL_INVALID_EVENT, "event", w.no_events(), |event| {
        info(event, CL_EVENT_CONTEXT, 0, null_mut())
    });
}

fn callback_rows(t: &mut Table, w: &World) {
    t.about("clSetEventCallback");
    unsafe extern "C" fn ignore(_: cl_event, _: cl_int, _: *mut c_void) {}
    let set =
        |event, kind, function| unsafe { clSetEventCallback(event, kind, function, null_mut()) };
    for kind in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
        t.correct(set(w.complete, kind, Some(ignore)));
    }
    t.each(CL_INVALID_EVENT, "event", w.no_events(), |e| set(e, CL_COMPLETE, Some(ignore)));
    t.row(CL_INVALID_VALUE, "pfn_notify is NULL", set(w.complete, CL_COMPLETE, None));
    for kind in [CL_QUEUED, 4, -1] {
        let condition = "command_exec_callback_type is not a stage that calls";
        t.row(CL_INVALID_VALUE, condition, set(w.complete, kind, Some(ignore)));
    }
}
