//! The cost of waiting: no thread polls, and no cost grows with the square of the number of waiting commands.

use crate::common::*;
use crate::gate::Gate;
use crate::{alone, comes, finish};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

unsafe extern "C" fn count(_: cl_event, _: cl_int, data: *mut c_void) {
    unsafe { &*data.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
}

/// Returns a counter for [`count`].
fn counter() -> &'static AtomicUsize {
    Box::leak(Box::default())
}

fn count_at_end(s: &Setup, event: cl_event, counter: &'static AtomicUsize) {
    let data = std::ptr::from_ref(counter).cast_mut().cast();
    check(unsafe { (s.cl.clSetEventCallback)(event, CL_COMPLETE, Some(count), data) });
}

/// Returns a field of the status of each of the library's own threads, which are found by name.
fn of_own_threads(field: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        let Ok(status) = std::fs::read_to_string(task.path().join("status")) else { continue };
        let value = |field: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
            line.unwrap_or_default().trim().to_string()
        };
        if value("Name").starts_with("hekla-") {
            found.push((value("Name"), value(field)));
        }
    }
    found
}

#[test]
fn a_pending_callback_wakes_nobody() {
    let _alone = alone();
    let s = Setup::new();
    let gate = Gate::new(&s);
    let (called, mut event) = (counter(), null_mut());
    gate.launch(s.queue, &mut event);
    count_at_end(&s, event, called);
    let wake_ups = || {
        let switches = of_own_threads("voluntary_ctxt_switches");
        switches.iter().map(|(_, count)| count.parse::<u64>().unwrap()).sum::<u64>()
    };
    // Threads without work end in this time.
    std::thread::sleep(Duration::from_secs(1));
    let before = wake_ups();
    std::thread::sleep(Duration::from_millis(500));
    let during = wake_ups().saturating_sub(before);
    gate.expect_closed();
    // The waiting thread checks every 100 ms whether the device is lost. A GPU's driver may poll by itself: NVIDIA's
    // does so every 10 ms.
    let most = if s.device_type() == CL_DEVICE_TYPE_CPU { 6 } else { 99 };
    assert!(during <= most, "{during} times in half a second");
    gate.open();
    assert!(comes(|| called.load(Ordering::SeqCst) == 1));
}

#[test]
fn threads_of_the_library_receive_no_signals() {
    let _alone = alone();
    let s = Setup::new();
    let gate = Gate::new(&s);
    let (called, mut event) = (counter(), null_mut());
    let user = s.user_event();
    count_at_end(&s, user, called);
    check(unsafe { (s.cl.clSetUserEventStatus)(user, CL_COMPLETE) });
    let queue = s.second_queue();
    gate.launch(queue, null_mut());
    check(unsafe { (s.cl.clReleaseCommandQueue)(queue) });
    gate.launch(s.queue, &mut event);
    count_at_end(&s, event, called);
    let has = |name: &str| of_own_threads("Name").iter().any(|(known, _)| known == name);
    let names = ["hekla-callbacks", "hekla-complete", "hekla-release"];
    assert!(comes(|| names.iter().all(|name| has(name))));
    for (name, blocked) in of_own_threads("SigBlk") {
        let blocked = u64::from_str_radix(&blocked, 16).unwrap();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGUSR1, libc::SIGALRM, libc::SIGPROF] {
            assert!(blocked & 1 << (signal - 1) != 0, "{name} receives signal {signal}");
        }
        // A handler for faults that the application has installed also handles faults of its callbacks.
        assert_eq!(blocked & 1 << (libc::SIGSEGV - 1), 0);
    }
    gate.open();
    assert!(comes(|| called.load(Ordering::SeqCst) == 2));
}

/// Returns the processor time that this process has used; other processes do not count.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) }, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Returns the shortest time of `run` for `count` commands, and for eight times as many.
fn once_and_eightfold(count: usize, run: impl Fn(usize)) -> [Duration; 2] {
    let best = |count| {
        let time = || {
            let start = processor_time();
            run(count);
            processor_time() - start
        };
        (0..3).map(|_| time()).min().unwrap()
    };
    let times = [best(count), best(8 * count)];
    println!("{count}: {times:?}");
    times
}

/// Asserts that the cost grows with the number of commands. A cost that grows with the number of pairs of commands
/// would be 64 times as high.
fn expect_linear(count: usize, run: impl Fn(usize)) {
    let [once, eightfold] = once_and_eightfold(count, run);
    assert!(eightfold < 32 * once, "{once:?} for {count}, {eightfold:?} for eight times as many");
}

fn out_of_order(s: &Setup) -> cl_command_queue {
    let properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, properties, e) })
}

fn marker_behind(s: &Setup, queue: cl_command_queue, gate: cl_event, event: *mut cl_event) {
    check(unsafe { (s.cl.clEnqueueMarkerWithWaitList)(queue, 1, &gate, event) });
}

#[test]
fn deferred_commands_that_are_released_one_by_one_cost_what_each_costs() {
    let _alone = alone();
    let s = Setup::new();
    for queue in [s.queue, out_of_order(&s)] {
        expect_linear(4000, |count| {
            let gates: Vec<_> = (0..count).map(|_| s.user_event()).collect();
            gates.iter().for_each(|gate| marker_behind(&s, queue, *gate, null_mut()));
            for gate in gates {
                check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
                check(unsafe { (s.cl.clReleaseEvent)(gate) });
            }
            finish(queue);
        });
    }
}

#[test]
fn callbacks_behind_one_event_cost_what_each_costs() {
    let _alone = alone();
    let s = Setup::new();
    for queue in [s.queue, out_of_order(&s)] {
        expect_linear(4000, |count| {
            let (gate, called) = (s.user_event(), counter());
            for _ in 0..count {
                let mut event = null_mut();
                marker_behind(&s, queue, gate, &mut event);
                count_at_end(&s, event, called);
                check(unsafe { (s.cl.clReleaseEvent)(event) });
            }
            check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
            assert!(comes(|| called.load(Ordering::SeqCst) == count));
            check(unsafe { (s.cl.clReleaseEvent)(gate) });
        });
    }
}

#[test]
fn times_are_known_of_all_commands_whose_events_live() {
    let _alone = alone();
    let s = Setup::new();
    let (a, b) = (s.buffer(0, 64), s.buffer(0, 64));
    s.write(a, true, 0, &[1; 64]);
    let mut first = null_mut();
    const COUNT: usize = 70_000;
    for index in 0..COUNT {
        let mut event = null_mut();
        check(unsafe {
            (s.cl.clEnqueueCopyBuffer)(s.queue, a, b, 0, 0, 64, 0, null(), &mut event)
        });
        if index == 0 {
            first = event;
        } else {
            check(unsafe { (s.cl.clReleaseEvent)(event) });
        }
    }
    finish(s.queue);
    let time = |name| -> u64 {
        value(|z, p, r| unsafe { (s.cl.clGetEventProfilingInfo)(first, name, z, p, r) })
    };
    let times = [CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END];
    assert!(times.map(time).is_sorted());
}
