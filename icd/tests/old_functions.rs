//! Functions that OpenCL has deprecated still work: programs of the 1.x days call them.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::{null, null_mut};

const COUNT: usize = 64;

/// `p[0] = p[0] * factor + 1` for one work-item.
const SOURCE: &str = "kernel void step(global int *p, int factor) { p[0] = p[0] * factor + 1; }";

fn first(s: &Setup, mem: cl_mem) -> i32 {
    i32::from_ne_bytes(s.read(mem, 0, 4).try_into().unwrap())
}

fn zeros(s: &Setup) -> cl_mem {
    s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 4 * COUNT])
}

#[test]
fn tasks_markers_and_barriers() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let (kernel, mem) = (s.kernel(program, "step"), zeros(&s));
    s.set(kernel, 0, &mem);
    s.set(kernel, 1, &2i32);
    let (mut task, mut marker) = (null_mut(), null_mut());
    unsafe {
        check((s.cl.clEnqueueTask)(s.queue, kernel, 0, null(), &mut task));
        check((s.cl.clEnqueueBarrier)(s.queue));
        let other = s.second_queue();
        check((s.cl.clEnqueueWaitForEvents)(other, 1, &task));
        check((s.cl.clEnqueueTask)(other, kernel, 0, null(), null_mut()));
        check((s.cl.clEnqueueMarker)(other, &mut marker));
        check((s.cl.clWaitForEvents)(1, &marker));
    }
    assert_eq!(first(&s, mem), 3);
    let kind = |event| -> u32 {
        value(|z, p, r| unsafe { (s.cl.clGetEventInfo)(event, CL_EVENT_COMMAND_TYPE, z, p, r) })
    };
    assert_eq!((kind(task), kind(marker)), (CL_COMMAND_TASK, CL_COMMAND_MARKER));
}

#[test]
fn a_queue_waits_for_events() {
    let s = Setup::new();
    let queue = s.second_queue();
    let gate = s.user_event();
    let mut marker = null_mut();
    unsafe {
        check((s.cl.clEnqueueWaitForEvents)(queue, 1, &gate));
        check((s.cl.clEnqueueMarker)(queue, &mut marker));
        assert_eq!(s.status(marker), CL_QUEUED);
        check((s.cl.clSetUserEventStatus)(gate, CL_COMPLETE));
        check((s.cl.clWaitForEvents)(1, &marker));
    }
}

#[test]
fn compilers_are_unloaded_and_come_back() {
    let s = Setup::new();
    let build = || {
        let program = s.program(SOURCE, "");
        check(unsafe { (s.cl.clReleaseProgram)(program) });
    };
    build();
    check(unsafe { (s.cl.clUnloadPlatformCompiler)(s.platform) });
    build();
}

/// A clone has the arguments that are set at the moment of its creation; later changes are its own.
#[test]
fn clones_keep_the_arguments_they_were_made_with() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let (kernel, mem, other) = (s.kernel(program, "step"), zeros(&s), zeros(&s));
    s.set(kernel, 0, &mem);
    s.set(kernel, 1, &10i32);
    let clone = made(|e| unsafe { (s.cl.clCloneKernel)(kernel, e) });
    s.set(kernel, 0, &other);
    s.set(clone, 1, &100i32);
    for _ in 0..2 {
        check(s.launch(kernel, &[1], None));
        check(s.launch(clone, &[1], None));
    }
    assert_eq!((first(&s, other), first(&s, mem)), (11, 101));
    let references: u32 = value(|z, p, r| unsafe {
        (s.cl.clGetKernelInfo)(clone, CL_KERNEL_REFERENCE_COUNT, z, p, r)
    });
    assert_eq!(references, 1);

    // Arguments that are not set in the original are not set in the clone.
    let bare = s.kernel(program, "step");
    let clone = made(|e| unsafe { (s.cl.clCloneKernel)(bare, e) });
    s.set(bare, 0, &mem);
    s.set(bare, 1, &1i32);
    assert_eq!(s.launch(clone, &[1], None), CL_INVALID_KERNEL_ARGS);
    check(s.launch(bare, &[1], None));
    s.finish();
}
