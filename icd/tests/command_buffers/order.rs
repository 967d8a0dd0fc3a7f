//! The order of commands within a command buffer.

use crate::common::*;
use crate::recorder::*;

const SOURCE: &str = "
    kernel void step(global uint *p) { size_t i = get_global_id(0); p[i] = p[i] * 3 + 1; }
    kernel void sum(global uint *a, global uint *b, global uint *out) {
        size_t i = get_global_id(0);
        out[i] = a[i] + b[i];
    }";
const COUNT: usize = 4096;

fn any_order(s: &Setup) -> cl_command_queue {
    let properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, properties, e) })
}

fn stepped(mut x: u32, times: u32) -> u32 {
    for _ in 0..times {
        x = x.wrapping_mul(3).wrapping_add(1);
    }
    x
}

/// Returns a kernel `step` for a buffer.
fn step(s: &Setup, program: cl_program, mem: cl_mem) -> cl_kernel {
    let kernel = s.kernel(program, "step");
    s.set(kernel, 0, &mem);
    kernel
}

fn finish(s: &Setup, queue: cl_command_queue) {
    check(unsafe { (s.cl.clFinish)(queue) });
}

#[test]
fn sync_points_order_what_no_queue_orders() {
    let s = Setup::new();
    let queue = any_order(&s);
    let program = s.program(SOURCE, "");
    let (a, b, out) = (filled(&s, COUNT, 1), filled(&s, COUNT, 2), s.buffer(0, 4 * COUNT));
    let (step_a, step_b) = (step(&s, program, a), step(&s, program, b));
    let sum = s.kernel(program, "sum");
    [a, b, out].iter().zip(0..).for_each(|(mem, index)| s.set(sum, index, mem));
    let r = Recorder::on(&s, queue, &[]);
    let (mut last_a, mut last_b) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        last_a = vec![r.launch(step_a, COUNT, &last_a).0];
        last_b = vec![r.launch(step_b, COUNT, &last_b).0];
    }
    let both = [last_a, last_b].concat();
    let (summed, _) = r.launch(sum, COUNT, &both);
    let copied = r.copy(out, a, 4 * COUNT, &[summed]);
    r.fill(b, &[5, 0, 0, 0], (0, 4 * COUNT), &[summed, copied]);
    r.finalize();
    let (mut x, mut y) = (1, 2);
    for _ in 0..5 {
        r.enqueue();
        finish(&s, queue);
        x = stepped(x, 8).wrapping_add(stepped(y, 8));
        y = 5;
        assert_eq!(words(&s, out, COUNT), vec![x; COUNT]);
        assert_eq!(words(&s, a, COUNT), vec![x; COUNT]);
        assert_eq!(words(&s, b, COUNT), vec![y; COUNT]);
    }
}

#[test]
fn barriers_hold_back_what_follows() {
    let s = Setup::new();
    let queue = any_order(&s);
    let program = s.program(SOURCE, "");
    let (a, b) = (filled(&s, COUNT, 1), filled(&s, COUNT, 1));
    let (step_a, step_b) = (step(&s, program, a), step(&s, program, b));
    let r = Recorder::on(&s, queue, &[]);
    let (first, _) = r.launch(step_a, COUNT, &[]);
    let (second, _) = r.launch(step_b, COUNT, &[]);
    // The barrier waits for one command; later commands wait for the barrier and so for that
    // command.
    let barrier = r.barrier(&[first]);
    let (third, _) = r.launch(step_a, COUNT, &[]);
    // The barrier waits for all commands.
    r.barrier(&[]);
    r.launch(step_a, COUNT, &[]);
    r.launch(step_b, COUNT, &[]);
    let after = r.barrier(&[]);
    r.copy(a, b, 4 * COUNT, &[]);
    let all = [first, second, barrier, third, after];
    assert!((1..all.len()).all(|i| !all[..i].contains(&all[i])), "sync points differ: {all:?}");
    r.finalize();
    r.enqueue();
    finish(&s, queue);
    assert_eq!(words(&s, a, COUNT), vec![stepped(1, 3); COUNT]);
    assert_eq!(words(&s, b, COUNT), vec![stepped(1, 3); COUNT]);
}

#[test]
fn an_in_order_queue_orders_all() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let (a, b) = (filled(&s, COUNT, 1), filled(&s, COUNT, 0));
    let kernel = step(&s, program, a);
    let r = Recorder::new(&s);
    for _ in 0..20 {
        r.launch(kernel, COUNT, &[]);
        r.copy(a, b, 4 * COUNT, &[]);
        r.copy(b, a, 4 * COUNT, &[]);
        // A copy of nothing does not break the chain.
        r.copy(a, b, 0, &[]);
    }
    r.finalize();
    r.enqueue();
    assert_eq!(words(&s, b, COUNT), vec![stepped(1, 20); COUNT]);
}
