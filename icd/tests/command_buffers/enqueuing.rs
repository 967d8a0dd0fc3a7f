//! Kernels of a command buffer that enqueue others (CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR).

use crate::common::*;
use crate::recorder::*;
use std::ptr::null_mut;

const SOURCE: &str = "
    void grow(global uint *p, uint by, int left) {
        p[get_global_id(0)] += by;
        if (left > 0 && get_global_id(0) == 0)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(get_global_size(0)),
                           ^{ grow(p, by, left - 1); });
    }
    kernel void enqueuing(global uint *p, uint by) { grow(p, by, 3); }
    kernel void twice(global uint *p) { p[get_global_id(0)] *= 2; }";
const COUNT: usize = 256;

/// Commands before, between and behind kernels that enqueue others keep their order in each replay, and so do commands
/// enqueued behind the replay; the event covers all.
#[test]
fn what_kernels_enqueue_is_done_before_what_follows() {
    let s = Setup::new();
    let properties = [
        u64::from(CL_QUEUE_PROPERTIES),
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        0,
    ];
    let on_device = made(|e| unsafe {
        (s.cl.clCreateCommandQueueWithProperties)(s.context, s.device, properties.as_ptr(), e)
    });
    let program = s.program(SOURCE, "-cl-std=CL3.0");
    let (p, copy) = (filled(&s, COUNT, 1), filled(&s, COUNT, 0));
    let (enqueuing, twice) = (s.kernel(program, "enqueuing"), s.kernel(program, "twice"));
    s.set(enqueuing, 0, &p);
    s.set(enqueuing, 1, &5u32);
    s.set(twice, 0, &p);
    let r = Recorder::mutable(&s);
    r.launch(twice, COUNT, &[]);
    let (_, command) = r.launch(enqueuing, COUNT, &[]);
    r.launch(twice, COUNT, &[]);
    r.launch(enqueuing, COUNT, &[]);
    r.copy(p, copy, 4 * COUNT, &[]);
    r.finalize();
    let (mut x, mut by) = (1u32, 5);
    for round in 0..4 {
        let event = r.enqueue_to(s.queue, &[]);
        x = (x * 2 + 4 * by) * 2 + 4 * 5;
        check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
        assert_eq!(words(&s, copy, COUNT), vec![x; COUNT], "round {round}");
        check(unsafe { (s.cl.clReleaseEvent)(event) });
        // From the third round on the argument has another value.
        if round == 1 {
            by = 7;
            let args = [arg(1, &by)];
            let change = cl_mutable_dispatch_config_khr {
                num_args: 1,
                arg_list: args.as_ptr(),
                ..config(command)
            };
            r.update(&[change]);
        }
    }
    r.enqueue();
    check(unsafe { (s.cl.clFinish)(s.queue) });
    x = (x * 2 + 4 * by) * 2 + 4 * 5;
    assert_eq!(words(&s, copy, COUNT), vec![x; COUNT]);
    let mut event = null_mut();
    check(unsafe { (s.cl.clEnqueueMarkerWithWaitList)(s.queue, 0, null_mut(), &mut event) });
    check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
    check(unsafe { (s.cl.clReleaseCommandQueue)(on_device) });
}
