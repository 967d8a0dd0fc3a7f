//! Kernel commands that change between replays.

use crate::common::*;
use crate::recorder::*;
use std::ptr::{null, null_mut};

const SOURCE: &str = "
    kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
    kernel void where(global uint *p) {
        size_t i = get_global_id(0) - get_global_offset(0);
        p[i] = get_global_offset(0) * 1000000 + get_global_size(0) * 1000 + get_local_size(0);
    }
    kernel void room(global uint *p, local uint *room) {
        room[get_local_id(0)] = p[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        p[get_global_id(0)] = room[get_local_size(0) - 1 - get_local_id(0)];
    }
    kernel void copy(global uint *from, global uint *to) {
        to[get_global_id(0)] = from[get_global_id(0)];
    }";

const ARGUMENTS: [u64; 3] =
    [CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0];

fn adder(s: &Setup, mem: cl_mem, n: u32) -> cl_kernel {
    let kernel = s.kernel(s.program(SOURCE, ""), "add");
    s.set(kernel, 0, &mem);
    s.set(kernel, 1, &n);
    kernel
}

#[test]
fn arguments_change_and_stay_changed() {
    let s = Setup::new();
    let (p, other) = (filled(&s, 16, 0), filled(&s, 16, 0));
    let kernel = adder(&s, p, 1);
    let r = Recorder::mutable(&s);
    let (_, first) = r.launch(kernel, 16, &[]);
    let (_, second) = r.launch_with(kernel, &ARGUMENTS, &[16], None, &[]);
    r.finalize();
    r.enqueue();
    r.set(first, &[arg(1, &10u32)]);
    r.enqueue();
    r.enqueue();
    r.set(second, &[arg(0, &other), arg(1, &100u32)]);
    r.enqueue();
    assert_eq!(words(&s, p, 16), vec![2 + 2 * 11 + 10; 16]);
    assert_eq!(words(&s, other, 16), vec![100; 16]);
    // The kernel object still has the arguments that the application set.
    check(s.launch(kernel, &[16], None));
    assert_eq!(words(&s, p, 16), vec![35; 16]);
}

#[test]
fn a_change_leaves_alone_what_is_enqueued() {
    let s = Setup::new();
    let p = filled(&s, 16, 0);
    let r = Recorder::mutable(&s);
    let (_, command) = r.launch(adder(&s, p, 1), 16, &[]);
    r.finalize();
    let gate = s.user_event();
    r.enqueue_to(s.queue, &[gate]);
    for n in [10u32, 100, 1000] {
        r.set(command, &[arg(1, &n)]);
        r.enqueue();
    }
    r.set(command, &[arg(1, &10_000u32)]);
    r.release();
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    assert_eq!(words(&s, p, 16), vec![1111; 16]);
}

#[test]
fn sizes_and_offset_change() {
    let s = Setup::new();
    let kernel = s.kernel(s.program(SOURCE, ""), "where");
    let p = filled(&s, 64, 0);
    s.set(kernel, 0, &p);
    let r = Recorder::mutable(&s);
    let (_, command) = r.launch_with(kernel, &[], &[16], Some(&[4]), &[]);
    r.finalize();
    let expect = |count: usize, word: u32| {
        s.write(p, true, 0, &[0; 256]);
        r.enqueue();
        let mut all = vec![word; count];
        all.resize(64, 0);
        assert_eq!(words(&s, p, 64), all);
    };
    expect(16, 16_004);
    let (offset, global, local) = ([7usize], [32usize], [8usize]);
    r.update(&[cl_mutable_dispatch_config_khr {
        global_work_offset: offset.as_ptr(),
        ..config(command)
    }]);
    expect(16, 7_016_004);
    // A change may give the number of dimensions; the sizes of one call belong together.
    r.update(&[cl_mutable_dispatch_config_khr {
        work_dim: 1,
        global_work_size: global.as_ptr(),
        local_work_size: local.as_ptr(),
        ..config(command)
    }]);
    expect(32, 7_032_008);
    let sizes = |name| -> Vec<u8> { r.command_info(command, name) };
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), 7usize.to_ne_bytes());
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), 32usize.to_ne_bytes());
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), 8usize.to_ne_bytes());
    // Changes the range to an empty one, which runs nothing, and back.
    let nothing = [0usize];
    let to = |global: &[usize; 1]| cl_mutable_dispatch_config_khr {
        global_work_size: global.as_ptr(),
        ..config(command)
    };
    r.update(&[to(&nothing)]);
    expect(0, 0);
    r.update(&[to(&global)]);
    expect(32, 7_032_008);
}

#[test]
fn local_arguments_change() {
    let s = Setup::new();
    let kernel = s.kernel(s.program(SOURCE, ""), "room");
    let p = s.buffer(0, 64);
    s.set(kernel, 0, &p);
    check(unsafe { (s.cl.clSetKernelArg)(kernel, 1, 8, null()) });
    let r = Recorder::mutable(&s);
    let (_, command) = r.launch_with(kernel, &[], &[16], Some(&[2]), &[]);
    r.finalize();
    let start = || s.write(p, true, 0, &(0..16u32).flat_map(u32::to_ne_bytes).collect::<Vec<_>>());
    start();
    r.enqueue();
    assert_eq!(words(&s, p, 4), [1, 0, 3, 2]);
    let local = [8usize];
    let bigger = cl_mutable_dispatch_arg_khr { arg_index: 1, arg_size: 32, arg_value: null() };
    r.update(&[cl_mutable_dispatch_config_khr {
        num_args: 1,
        arg_list: &bigger,
        local_work_size: local.as_ptr(),
        ..config(command)
    }]);
    start();
    r.enqueue();
    assert_eq!(words(&s, p, 9), [7, 6, 5, 4, 3, 2, 1, 0, 15]);
}

#[test]
fn arguments_may_be_set_after_finalizing() {
    let s = Setup::new();
    let kernel = s.kernel(s.program(SOURCE, ""), "copy");
    let (from, to) = (filled(&s, 16, 9), filled(&s, 16, 0));
    let r = Recorder::mutable(&s);
    let (_, command) = r.launch_with(kernel, &ARGUMENTS, &[16], None, &[]);
    r.finalize();
    let refused = || {
        assert_eq!(r.state(), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
        let enqueue = r.f.clEnqueueCommandBufferKHR;
        let got = unsafe { enqueue(0, null_mut(), r.buffer, 0, null(), null_mut()) };
        assert_eq!(got, CL_INVALID_OPERATION);
    };
    refused();
    r.set(command, &[arg(0, &from)]);
    refused();
    r.set(command, &[arg(1, &to)]);
    assert_eq!(r.state(), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    r.enqueue();
    assert_eq!(words(&s, to, 16), vec![9; 16]);
}

#[test]
fn all_changes_are_made_or_none() {
    let s = Setup::new();
    let p = filled(&s, 16, 0);
    let kernel = adder(&s, p, 1);
    let r = Recorder::mutable(&s);
    let (_, first) = r.launch(kernel, 16, &[]);
    let (_, second) = r.launch(kernel, 16, &[]);
    r.finalize();
    let (ten, hundred) = (arg(1, &10u32), arg(1, &100u32));
    let to = |command, arg: &cl_mutable_dispatch_arg_khr| cl_mutable_dispatch_config_khr {
        num_args: 1,
        arg_list: arg,
        ..config(command)
    };
    let wrong = cl_mutable_dispatch_arg_khr { arg_size: 3, ..ten };
    assert_eq!(r.try_update(&[to(first, &ten), to(second, &wrong)]), CL_INVALID_ARG_SIZE);
    let far = [usize::MAX];
    let wrong =
        cl_mutable_dispatch_config_khr { global_work_offset: far.as_ptr(), ..config(second) };
    assert_eq!(r.try_update(&[to(first, &ten), wrong]), CL_INVALID_GLOBAL_OFFSET);
    r.enqueue();
    assert_eq!(words(&s, p, 16), vec![2; 16]);
    // Where two changes of a command in one call meet, the later one counts.
    let global = [8usize];
    let narrow =
        cl_mutable_dispatch_config_khr { global_work_size: global.as_ptr(), ..config(first) };
    r.update(&[to(first, &hundred), narrow, to(first, &ten), to(second, &hundred)]);
    r.enqueue();
    assert_eq!(words(&s, p, 16), [[112; 8], [102; 8]].concat());
}

#[test]
fn objects_that_are_replaced_may_go() {
    let s = Setup::new();
    let r = Recorder::mutable(&s);
    let mut mems: Vec<_> = (0..5).map(|_| filled(&s, 16, 0)).collect();
    let (_, command) = r.launch(adder(&s, mems[0], 3), 16, &[]);
    r.finalize();
    r.enqueue();
    for next in 1..mems.len() {
        r.set(command, &[arg(0, &mems[next])]);
        check(unsafe { (s.cl.clReleaseMemObject)(mems[next - 1]) });
        r.enqueue();
        r.enqueue();
    }
    assert_eq!(words(&s, mems.pop().unwrap(), 16), vec![6; 16]);
}

#[test]
fn replays_that_differ_may_overlap() {
    let s = Setup::new();
    let any_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let queue = made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, any_order, e) });
    let flags = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    let r = Recorder::on(&s, queue, &[CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0]);
    let mems: Vec<_> = (0..50).map(|_| filled(&s, 256, 0)).collect();
    let (_, command) = r.launch(adder(&s, mems[0], 0), 256, &[]);
    r.finalize();
    for (mem, n) in mems.iter().zip(1u32..) {
        r.set(command, &[arg(0, mem), arg(1, &n)]);
        r.enqueue();
    }
    check(unsafe { (s.cl.clFinish)(queue) });
    for (mem, n) in mems.iter().zip(1u32..) {
        assert_eq!(words(&s, *mem, 256), vec![n; 256]);
    }
}

#[test]
fn a_command_tells_what_it_is() {
    let s = Setup::new();
    let p = filled(&s, 16, 0);
    let kernel = adder(&s, p, 1);
    let r = Recorder::mutable(&s);
    let (_, plain) = r.launch_with(kernel, &[], &[4, 2], None, &[]);
    let (_, changing) = r.launch_with(kernel, &ARGUMENTS, &[4], Some(&[2]), &[]);
    fn of<T: Copy>(bytes: Vec<u8>) -> T {
        assert_eq!(bytes.len(), size_of::<T>());
        unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
    }
    let info = |name| r.command_info(plain, name);
    assert_eq!(of::<cl_command_queue>(info(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR)), s.queue);
    assert_eq!(of::<cl_command_buffer_khr>(info(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR)), r.buffer);
    assert_eq!(of::<cl_kernel>(info(CL_MUTABLE_DISPATCH_KERNEL_KHR)), kernel);
    let kind = of::<cl_uint>(info(CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR));
    assert_eq!(kind, CL_COMMAND_NDRANGE_KERNEL);
    assert_eq!(of::<cl_uint>(info(CL_MUTABLE_DISPATCH_DIMENSIONS_KHR)), 2);
    assert_eq!(of::<[usize; 2]>(info(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR)), [0, 0]);
    assert_eq!(of::<[usize; 2]>(info(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR)), [4, 2]);
    assert_eq!(of::<[usize; 2]>(info(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR)), [0, 0]);
    assert!(info(CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR).is_empty());
    let list = r.command_info(changing, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR);
    assert_eq!(of::<[u64; 3]>(list), ARGUMENTS);
    let local = r.command_info(changing, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR);
    assert_eq!(of::<[usize; 1]>(local), [2]);
}
