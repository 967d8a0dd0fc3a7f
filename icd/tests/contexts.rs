//! Contexts report errors to their creator, and call their destructors when they end.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::{c_char, c_void, CStr};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

/// The messages that a context reported.
#[derive(Default)]
struct Heard {
    texts: Mutex<Vec<String>>,
    context: Mutex<usize>,
}

impl Heard {
    fn data(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// Takes all messages that were reported.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.texts.lock().unwrap())
    }
}

unsafe extern "C" fn hear(text: *const c_char, _: *const c_void, size: usize, data: *mut c_void) {
    let (text, heard) = unsafe { (CStr::from_ptr(text), &*data.cast::<Heard>()) };
    heard.texts.lock().unwrap().push(text.to_str().unwrap().to_string());
    assert_eq!(size, 0);
    // The callback may call the API again; errors of its own calls are not reported to it.
    let context = *heard.context.lock().unwrap() as cl_context;
    if !context.is_null() {
        let devices: u32 = value(|z, p, r| unsafe {
            (cl().clGetContextInfo)(context, CL_CONTEXT_NUM_DEVICES, z, p, r)
        });
        assert_eq!(devices, 1);
    }
}

fn context_that_tells(s: &Setup, heard: &Heard) -> cl_context {
    let context = made(|e| unsafe {
        (s.cl.clCreateContext)(null(), 1, &s.device, Some(hear), heard.data(), e)
    });
    *heard.context.lock().unwrap() = context as usize;
    context
}

#[test]
fn errors_are_told_to_the_creator_of_the_context() {
    let (s, heard) = (Setup::new(), Heard::default());
    let context = context_that_tells(&s, &heard);
    assert!(heard.take().is_empty());
    unsafe {
        let code = refused(|e| (s.cl.clCreateBuffer)(context, 0, 0, null_mut(), e));
        assert_eq!(code, CL_INVALID_BUFFER_SIZE);
        assert_eq!(heard.take(), ["clCreateBuffer: CL_INVALID_BUFFER_SIZE"]);

        let queue = made(|e| (s.cl.clCreateCommandQueue)(context, s.device, 0, e));
        let mem = made(|e| (s.cl.clCreateBuffer)(context, 0, 64, null_mut(), e));
        let mut bytes = [0u8; 64];
        let place = bytes.as_mut_ptr().cast();
        let read = |queue, mem, offset| {
            let (none, n) = (null(), null_mut());
            (s.cl.clEnqueueReadBuffer)(queue, mem, CL_TRUE, offset, 64, place, 0, none, n)
        };
        assert_eq!(read(queue, mem, 0), CL_SUCCESS);
        assert!(heard.take().is_empty());
        assert_eq!(read(queue, mem, 1), CL_INVALID_VALUE);
        assert_eq!(heard.take(), ["clEnqueueReadBuffer: CL_INVALID_VALUE"]);
        // The error is reported to the queue's context, not to the buffer's.
        assert_eq!(read(s.queue, mem, 0), CL_INVALID_CONTEXT);
        assert!(heard.take().is_empty());
        assert_eq!(read(queue, s.buffer(0, 64), 0), CL_INVALID_CONTEXT);
        assert_eq!(heard.take(), ["clEnqueueReadBuffer: CL_INVALID_CONTEXT"]);
        // Errors of other contexts, and errors that belong to no context, are not reported here.
        assert_eq!(refused(|e| (s.cl.clCreateBuffer)(s.context, 0, 0, null_mut(), e)), -61);
        assert_eq!((s.cl.clWaitForEvents)(0, null()), CL_INVALID_VALUE);
        assert!(heard.take().is_empty());

        let source = c"kernel void k(int a) { return 1 +; }".as_ptr();
        let program = made(|e| (s.cl.clCreateProgramWithSource)(context, 1, &source, null(), e));
        let code = (s.cl.clBuildProgram)(program, 0, null(), null(), None, null_mut());
        assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
        assert_eq!(heard.take(), ["clBuildProgram: CL_BUILD_PROGRAM_FAILURE"]);
        check((s.cl.clReleaseProgram)(program));
        check((s.cl.clReleaseMemObject)(mem));
        check((s.cl.clReleaseCommandQueue)(queue));
        *heard.context.lock().unwrap() = 0;
        check((s.cl.clReleaseContext)(context));
    }
    assert!(heard.take().is_empty());
}

#[test]
fn creation_that_fails_is_told() {
    let (s, heard) = (Setup::new(), Heard::default());
    let unknown = [0x4242, 1, 0];
    let code = refused(|e| unsafe {
        let (list, data) = (unknown.as_ptr(), heard.data());
        (s.cl.clCreateContext)(list, 1, &s.device, Some(hear), data, e)
    });
    assert_eq!(code, CL_INVALID_PROPERTY);
    assert_eq!(heard.take(), ["clCreateContext: CL_INVALID_PROPERTY"]);
    let code = refused(|e| unsafe {
        let (kind, data) = (CL_DEVICE_TYPE_CUSTOM, heard.data());
        (s.cl.clCreateContextFromType)(null(), kind, Some(hear), data, e)
    });
    assert_eq!(code, CL_DEVICE_NOT_FOUND);
    assert_eq!(heard.take(), ["clCreateContextFromType: CL_DEVICE_NOT_FOUND"]);
}

/// Names of destructors, in the order of their calls.
static ENDED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

unsafe extern "C" fn ended(_: cl_context, data: *mut c_void) {
    ENDED.lock().unwrap().push(data as usize);
}

#[test]
fn destructors_run_in_reverse_once_nothing_needs_the_context() {
    let s = Setup::new();
    unsafe {
        let context = made(|e| (s.cl.clCreateContext)(null(), 1, &s.device, None, null_mut(), e));
        for number in 1..=3 {
            let data = number as *mut c_void;
            check((s.cl.clSetContextDestructorCallback)(context, Some(ended), data));
        }
        let mem = made(|e| (s.cl.clCreateBuffer)(context, 0, 64, null_mut(), e));
        check((s.cl.clReleaseContext)(context));
        assert!(ENDED.lock().unwrap().is_empty(), "a buffer still needs the context");
        check((s.cl.clReleaseMemObject)(mem));
        assert_eq!(*ENDED.lock().unwrap(), [3, 2, 1]);
    }
}
