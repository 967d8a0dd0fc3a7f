//! Faults of the system while the library works.

use super::super::batch::child::{Child, Verdict};
use super::super::batch::known;
use super::super::batch::opencl::{call, judge, World};
use super::super::batch::random::Random;
use super::super::batch::scene::bound;
use crate::platform::attack::{self as system, limit, Limit};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Threads that call at once.
const THREADS: u64 = 6;

/// Turns an error of the attack itself into a refusal.
fn unplayed<T>(result: std::io::Result<T>) -> Result<T, Verdict> {
    result.map_err(|error| Verdict::Refused(format!("left out: {error}")))
}

/// Makes some calls with the memory that is left.
pub fn memory(world: &World, random: &mut Random, child: &mut Child) -> Result<(), Verdict> {
    let left = random.small(768 << 20) as u64;
    child.stage(&format!("memory, {left} bytes left"));
    unplayed(bound(Limit::Memory, left))?;
    let result = work(world, random);
    let _ = limit(Limit::Memory, None);
    result
}

/// Builds, makes objects, or transfers.
fn work(world: &World, random: &mut Random) -> Result<(), Verdict> {
    let number = random.below(1000) as u32;
    match random.below(6) {
        0..=2 => known::run(world, number, ["", "-cl-opt-disable"][random.below(2)]),
        3 => {
            let source = known::source(number);
            let program = world.source(source.as_bytes())?;
            match program.compile("") {
                Err(Verdict::Refused(why)) if why.contains("COMPILE_PROGRAM_FAILURE") => {
                    return Err(Verdict::Wrong(format!("a good program gives {why}")));
                }
                compiled => compiled?,
            }
            let binary = program.to_binary()?;
            let again = world.binary(&binary)?;
            match world.link(&[&again], "") {
                Err(Verdict::Refused(why)) if why.contains("LINK_PROGRAM_FAILURE") => {
                    Err(Verdict::Wrong(format!("a good object gives {why}")))
                }
                linked => linked.map(drop),
            }
        }
        4 => buffers(world, random),
        _ => queues(world),
    }
}

/// Makes buffers until there is no memory, or there are enough.
fn buffers(world: &World, random: &mut Random) -> Result<(), Verdict> {
    let size = 1 + random.small(64 << 20);
    let mut made = Vec::new();
    let mut result = Ok(());
    for _ in 0..8 {
        let mut code = 0;
        let buffer = call!(world, clCreateBuffer(world.context, 1, size, null_mut(), &mut code));
        result = judge("clCreateBuffer", code, &[-4]);
        if result.is_err() {
            break;
        }
        made.push(buffer);
        let (queue, pattern) = (world.queue, 7u32);
        let (size, from) = (size / 4 * 4, (&raw const pattern).cast());
        let code = call!(
            world,
            clEnqueueFillBuffer(queue, buffer, from, 4, 0, size, 0, null(), null_mut())
        );
        // CL_INVALID_VALUE for no bytes at all.
        result = judge("clEnqueueFillBuffer", code, if size == 0 { &[-30] } else { &[-4] });
        if result.is_err() {
            break;
        }
    }
    let finished = judge("clFinish", call!(world, clFinish(world.queue)), &[]);
    for buffer in made {
        judge("clReleaseMemObject", call!(world, clReleaseMemObject(buffer)), &[])?;
    }
    result.and(finished)
}

/// Makes a context with queues, and events.
fn queues(world: &World) -> Result<(), Verdict> {
    let mut code = 0;
    let device = &world.device;
    let context = call!(world, clCreateContext(null(), 1, device, None, null_mut(), &mut code));
    judge("clCreateContext", code, &[])?;
    let mut result = Ok(());
    for properties in [0, 1, 2, 3] {
        let device = world.device;
        let queue = call!(world, clCreateCommandQueue(context, device, properties, &mut code));
        result = result.and(judge("clCreateCommandQueue", code, &[]));
        if code != 0 {
            continue;
        }
        let mut event = null_mut();
        let code = call!(world, clEnqueueMarkerWithWaitList(queue, 0, null(), &mut event));
        result = result.and(judge("clEnqueueMarkerWithWaitList", code, &[]));
        if code == 0 {
            result =
                result.and(judge("clWaitForEvents", call!(world, clWaitForEvents(1, &event)), &[]));
            call!(world, clReleaseEvent(event));
        }
        call!(world, clReleaseCommandQueue(queue));
    }
    call!(world, clReleaseContext(context));
    result
}

/// Leaves no file descriptors.
pub fn files(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let most = 3 + random.below(60) as u64;
    unplayed(limit(Limit::Files, Some(most)))?;
    work(world, random)
}

/// Leaves no room in files. Writing beyond the limit raises a signal, which is ignored here.
pub fn file_size(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    // The log of the attack itself grows, too.
    let most = (16 << 20) + random.small(64 << 20) as u64;
    unplayed(bound(Limit::FileSize, most))?;
    work(world, random)
}

/// Interrupts system calls by a signal, again and again.
pub fn interrupts(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    system::interrupt_always(100 + random.small(5000) as u32);
    let mut result = Ok(());
    for _ in 0..3 {
        result = result.and(waited(world)).and(known::run(world, random.below(1000) as u32, ""));
    }
    system::interrupt_always(0);
    // No resource is missing, so every error is a fault.
    result.map_err(|verdict| Verdict::Wrong(format!("{verdict:?}")))
}

/// Waits for an event that another thread completes.
fn waited(world: &World) -> Result<(), Verdict> {
    let mut code = 0;
    let event = call!(world, clCreateUserEvent(world.context, &mut code));
    judge("clCreateUserEvent", code, &[])?;
    let number = event as usize;
    let code = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            call!(world, clSetUserEventStatus(number as *mut _, 0));
        });
        call!(world, clWaitForEvents(1, &event))
    });
    call!(world, clReleaseEvent(event));
    judge("clWaitForEvents", code, &[])
}

/// Threads that call functions with handles of other kinds, and with none.
pub fn wrong_handles(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let seed = random.any();
    let results: Vec<Result<(), Verdict>> = std::thread::scope(|scope| {
        let calls = |number| {
            scope.spawn(move || {
                let mut random = Random::new(seed ^ number);
                (0..200).try_for_each(|_| wrong_call(world, &mut random))
            })
        };
        let threads: Vec<_> = (0..THREADS).map(calls).collect();
        let panicked = || Err(Verdict::Wrong("a thread panicked".to_string()));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())).collect()
    });
    results.into_iter().collect()
}

/// Calls one of several functions with a handle of a wrong kind.
fn wrong_call(world: &World, random: &mut Random) -> Result<(), Verdict> {
    let handles = [
        null_mut(),
        world.device,
        world.context,
        world.queue,
        world.buffers[0],
        world.sampler.unwrap_or(null_mut()),
    ];
    let pick = |random: &mut Random, right: usize| {
        let index = random.below(handles.len() - 1);
        handles[if index >= right { index + 1 } else { index }]
    };
    let (device, context, queue, buffer, none) = (1, 2, 3, 4, 6);
    let any = |random: &mut Random| handles[random.below(handles.len())];
    let (mut code, mut size) = (0, 0);
    let (name, code) = match random.below(14) {
        0 => ("clRetainContext", call!(world, clRetainContext(pick(random, context)))),
        1 => ("clReleaseKernel", call!(world, clReleaseKernel(any(random)))),
        2 => ("clReleaseProgram", call!(world, clReleaseProgram(any(random)))),
        3 => ("clReleaseEvent", call!(world, clReleaseEvent(any(random)))),
        4 => ("clFinish", call!(world, clFinish(pick(random, queue)))),
        5 => ("clRetainMemObject", call!(world, clRetainMemObject(pick(random, buffer)))),
        6 => {
            let event = any(random);
            ("clWaitForEvents", call!(world, clWaitForEvents(1, &event)))
        }
        7 => {
            let context = pick(random, context);
            call!(world, clCreateBuffer(context, 1, 16, null_mut(), &mut code));
            ("clCreateBuffer", code)
        }
        8 => {
            let context = pick(random, context);
            call!(world, clCreateCommandQueue(context, world.device, 0, &mut code));
            ("clCreateCommandQueue", code)
        }
        9 => {
            let (from, to) = (pick(random, buffer), world.buffers[1]);
            let (queue, none) = (world.queue, null_mut());
            let code =
                call!(world, clEnqueueCopyBuffer(queue, from, to, 0, 0, 16, 0, null(), none));
            ("clEnqueueCopyBuffer", code)
        }
        10 => {
            let event = any(random);
            let code =
                call!(world, clEnqueueMarkerWithWaitList(world.queue, 1, &event, null_mut()));
            ("clEnqueueMarkerWithWaitList", code)
        }
        11 => {
            let device = pick(random, device);
            let what = random.any() as u32;
            (
                "clGetDeviceInfo",
                call!(world, clGetDeviceInfo(device, what, 0, null_mut(), &mut size)),
            )
        }
        12 => {
            let device = pick(random, device);
            call!(world, clCreateContext(null(), 1, &device, None, null_mut(), &mut code));
            ("clCreateContext", code)
        }
        _ => {
            let kernel = pick(random, none);
            ("clSetKernelArg", call!(world, clSetKernelArg(kernel, 0, 8, null())))
        }
    };
    match code {
        0 => Err(Verdict::Wrong(format!("{name} takes a handle of another kind"))),
        _ => Ok(()),
    }
}

/// Forks while threads use the library: the fork gets errors and ends, and this process continues to work.
pub fn fork(world: &World, random: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let stop = AtomicBool::new(false);
    let exits = random.once_in(2);
    let (forked, used) = std::thread::scope(|scope| {
        let user = scope.spawn(|| {
            let mut result = Ok(());
            while result.is_ok() && !stop.load(Ordering::Relaxed) {
                result = known::run(world, 5, "");
            }
            result
        });
        std::thread::sleep(Duration::from_micros(random.small(50_000) as u64));
        let forked = system::fork_and_run(10, || {
            let refused = known::run(world, 6, "");
            if exits {
                // This runs the handlers of exit().
                std::process::exit(i32::from(!matches!(refused, Err(Verdict::Refused(_)))));
            }
        });
        stop.store(true, Ordering::Relaxed);
        (forked, user.join())
    });
    match unplayed(forked)? {
        Some(0) => {}
        Some(status) => {
            return Err(Verdict::Wrong(format!("the fork ends with status {status:#x}")))
        }
        None => return Err(Verdict::Wrong("the fork hangs".to_string())),
    }
    used.unwrap_or_else(|_| Err(Verdict::Wrong("a panic in a thread".to_string())))
}

/// Cancels a thread that waits in a call: the call is not cancelled.
pub fn cancellation(world: &World, _: &mut Random, _: &mut Child) -> Result<(), Verdict> {
    let mut code = 0;
    let event = call!(world, clCreateUserEvent(world.context, &mut code));
    judge("clCreateUserEvent", code, &[])?;
    let wait = || {
        call!(world, clWaitForEvents(1, &event));
    };
    let complete = || {
        call!(world, clSetUserEventStatus(event, 0));
    };
    let result = unplayed(system::cancel(&wait, &complete));
    call!(world, clReleaseEvent(event));
    result
}
