//! Many threads at once: queues that wait for each other's events and for user events of other
//! threads, on buffers of one context.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::{null, null_mut};
use std::sync::{mpsc, Arc, Barrier};

/// Handles may be used from every thread.
struct Shared<T>(*mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}
unsafe impl<T> Send for Shared<T> {}
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn get(self) -> *mut T {
        self.0
    }
}

const THREADS: usize = 4;
const ROUNDS: usize = 100;
const SIZE: usize = 20_000;

/// Runs one thread's rounds: write behind a user event that another thread sets, copy on a second queue,
/// read on the first.
fn work(
    index: usize,
    context: Shared<_cl_context>,
    device: Shared<_cl_device_id>,
    gates: &mpsc::Sender<Shared<_cl_event>>,
) {
    let cl = cl();
    let (context, device) = (context.get(), device.get());
    unsafe {
        let queue = made(|e| (cl.clCreateCommandQueue)(context, device, 0, e));
        let other = made(|e| (cl.clCreateCommandQueue)(context, device, 0, e));
        let a = made(|e| (cl.clCreateBuffer)(context, 0, SIZE, null_mut(), e));
        let b = made(|e| (cl.clCreateBuffer)(context, 0, SIZE, null_mut(), e));
        for round in 0..ROUNDS {
            let contents = pattern(SIZE, index * ROUNDS + round);
            let mut back = vec![0u8; SIZE];
            let gate = made(|e| (cl.clCreateUserEvent)(context, e));
            let (mut written, mut copied) = (null_mut(), null_mut());
            check((cl.clEnqueueWriteBuffer)(
                queue,
                a,
                CL_FALSE,
                0,
                SIZE,
                contents.as_ptr().cast(),
                1,
                &gate,
                &mut written,
            ));
            check((cl.clEnqueueCopyBuffer)(other, a, b, 0, 0, SIZE, 1, &written, &mut copied));
            check((cl.clRetainEvent)(gate));
            gates.send(Shared(gate)).unwrap();
            check((cl.clEnqueueReadBuffer)(
                queue,
                b,
                CL_TRUE,
                0,
                SIZE,
                back.as_mut_ptr().cast(),
                1,
                &copied,
                null_mut(),
            ));
            assert!(back == contents, "thread {index}, round {round}");
            for event in [gate, written, copied] {
                check((cl.clReleaseEvent)(event));
            }
        }
        for mem in [a, b] {
            check((cl.clReleaseMemObject)(mem));
        }
        for queue in [queue, other] {
            check((cl.clReleaseCommandQueue)(queue));
        }
    }
}

#[test]
fn threads_share_a_context() {
    let s = Setup::new();
    let (context, device) = (Shared(s.context), Shared(s.device));
    let (sender, receiver) = mpsc::channel::<Shared<_cl_event>>();
    let opener = std::thread::spawn(move || {
        for gate in receiver {
            let gate = gate.get();
            unsafe {
                check((cl().clSetUserEventStatus)(gate, CL_COMPLETE));
                check((cl().clReleaseEvent)(gate));
            }
        }
    });
    let workers: Vec<_> = (0..THREADS)
        .map(|index| {
            let sender = sender.clone();
            std::thread::spawn(move || work(index, context, device, &sender))
        })
        .collect();
    drop(sender);
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    opener.join().unwrap();
}

#[test]
fn threads_share_a_queue() {
    let s = Setup::new();
    let (queue, barrier) = (Shared(s.queue), Arc::new(Barrier::new(THREADS)));
    let mems: Vec<_> = (0..THREADS).map(|_| Shared(s.buffer(0, SIZE))).collect();
    let workers: Vec<_> = mems
        .into_iter()
        .enumerate()
        .map(|(index, mem)| {
            let barrier = barrier.clone();
            std::thread::spawn(move || {
                let (cl, queue, mem) = (cl(), queue.get(), mem.get());
                barrier.wait();
                for round in 0..ROUNDS {
                    let contents = pattern(SIZE, index * ROUNDS + round);
                    let mut back = vec![0u8; SIZE];
                    let target = back.as_mut_ptr().cast();
                    unsafe {
                        check((cl.clEnqueueWriteBuffer)(
                            queue,
                            mem,
                            CL_TRUE,
                            0,
                            SIZE,
                            contents.as_ptr().cast(),
                            0,
                            null(),
                            null_mut(),
                        ));
                        check((cl.clEnqueueReadBuffer)(
                            queue,
                            mem,
                            CL_TRUE,
                            0,
                            SIZE,
                            target,
                            0,
                            null(),
                            null_mut(),
                        ));
                    }
                    assert!(back == contents, "thread {index}, round {round}");
                }
            })
        })
        .collect();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}

#[test]
fn all_again_under_validation() {
    run_again("0");
}

#[test]
fn all_again_through_staging_memory() {
    run_again("1");
}
