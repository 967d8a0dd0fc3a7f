//! Event objects (spec 5.11), and profiling of commands (5.14).

use super::args;
use crate::cl::error::{ensure, fail};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::context::Context;
use crate::core::queue::event::Event;
use crate::dispatch::boundary::entry;
use crate::object::callbacks::UserData;
use crate::object::Ref;
use std::ffi::c_void;

entry! {
    /// clCreateUserEvent.
    fn clCreateUserEvent(context: cl_context) -> handle cl_event {
        Ok(Event::user(Ref::<Context>::from_handle(context)?).expose())
    }

    /// clSetUserEventStatus.
    fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) -> status {
        Ref::<Event>::from_handle(event)?.set_user_status(execution_status)
    }

    /// clWaitForEvents.
    fn clWaitForEvents(num_events: cl_uint, event_list: *const cl_event) -> status {
        ensure!(num_events > 0 && !event_list.is_null(), CL_INVALID_VALUE);
        // SAFETY: the array is as the API requires.
        let events = unsafe { args::objects::<Event>(event_list, num_events) }?;
        let context = &events[0].context;
        ensure!(events.iter().all(|event| event.context == *context), CL_INVALID_CONTEXT);
        // All queues are submitted before the first wait.
        for event in &events {
            event.execution_status()?;
        }
        let mut failed = false;
        for event in &events {
            failed |= event.wait()? < 0;
        }
        ensure!(!failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        Ok(())
    }

    /// clGetEventInfo.
    fn clGetEventInfo(
        event: cl_event,
        param_name: cl_event_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let event = Ref::<Event>::from_handle(event)?;
        let null = std::ptr::null_mut::<_cl_command_queue>();
        let value = match param_name {
            CL_EVENT_COMMAND_QUEUE => {
                Some(Value::of(event.queue.as_ref().map_or(null, Ref::handle)))
            }
            CL_EVENT_CONTEXT => Some(Value::of(event.context.handle())),
            CL_EVENT_COMMAND_TYPE => Some(Value::of(event.command_type)),
            CL_EVENT_COMMAND_EXECUTION_STATUS => Some(Value::of(event.execution_status()?)),
            CL_EVENT_REFERENCE_COUNT => Some(Value::of(event.reference_count())),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clSetEventCallback.
    fn clSetEventCallback(
        event: cl_event,
        command_exec_callback_type: cl_int,
        pfn_notify: EventNotify,
        user_data: *mut c_void,
    ) -> status {
        let event = Ref::<Event>::from_handle(event)?;
        ensure!(pfn_notify.is_some(), CL_INVALID_VALUE);
        let known = matches!(command_exec_callback_type, CL_COMPLETE | CL_RUNNING | CL_SUBMITTED);
        ensure!(known, CL_INVALID_VALUE);
        event.add_callback(command_exec_callback_type, pfn_notify, UserData(user_data));
        Ok(())
    }

    /// clRetainEvent.
    fn clRetainEvent(event: cl_event) -> status {
        Ref::<Event>::retain(event)
    }

    /// clReleaseEvent.
    fn clReleaseEvent(event: cl_event) -> status {
        Ref::<Event>::release(event)
    }

    /// clGetEventProfilingInfo.
    fn clGetEventProfilingInfo(
        event: cl_event,
        param_name: cl_profiling_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let event = Ref::<Event>::from_handle(event)?;
        let profiling = event.queue.as_ref().is_some_and(|queue| queue.profiling());
        ensure!(profiling, CL_PROFILING_INFO_NOT_AVAILABLE);
        let known = CL_PROFILING_COMMAND_QUEUED..=CL_PROFILING_COMMAND_COMPLETE;
        ensure!(known.contains(&param_name), CL_INVALID_VALUE);
        let times = event.profile()?;
        let value = match param_name {
            CL_PROFILING_COMMAND_QUEUED => times.queued,
            CL_PROFILING_COMMAND_SUBMIT => times.submitted,
            CL_PROFILING_COMMAND_START => times.start,
            CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => times.end,
            _ => return fail(CL_INVALID_VALUE),
        };
        let value = Some(Value::of(value));
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
