//! Handles that are released when they go out of scope, and numbers to choose by.

use crate::common::*;
use std::ptr::{null, null_mut};

type Release<T> = unsafe extern "C" fn(*mut T) -> cl_int;

/// One reference to an object.
pub struct Owned<T>(*mut T, Release<T>);

// Handles may be used from every thread.
unsafe impl<T> Send for Owned<T> {}
unsafe impl<T> Sync for Owned<T> {}

impl<T> Owned<T> {
    pub fn new(handle: *mut T, release: Release<T>) -> Owned<T> {
        Owned(handle, release)
    }

    pub fn get(&self) -> *mut T {
        self.0
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        let code = unsafe { (self.1)(self.0) };
        assert!(code == CL_SUCCESS || std::thread::panicking());
    }
}

pub type Context = Owned<_cl_context>;
pub type Queue = Owned<_cl_command_queue>;
pub type Buffer = Owned<_cl_mem>;
pub type Program = Owned<_cl_program>;
pub type Kernel = Owned<_cl_kernel>;
pub type Event = Owned<_cl_event>;

impl Event {
    /// Returns one more reference.
    pub fn share(&self) -> Event {
        check(unsafe { (cl().clRetainEvent)(self.get()) });
        Owned::new(self.get(), cl().clReleaseEvent)
    }

    pub fn wait(&self) -> cl_int {
        let event = self.get();
        unsafe { (cl().clWaitForEvents)(1, &event) }
    }

    pub fn status(&self) -> cl_int {
        let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
        let mut status: cl_int = 1 << 30;
        let place = (&raw mut status).cast();
        check(unsafe { (cl().clGetEventInfo)(self.get(), name, 4, place, null_mut()) });
        status
    }
}

/// Returns the event of a command that `enqueue` enqueues behind others, given count and address of the list.
pub fn event(
    waits: &[&Event],
    enqueue: impl FnOnce(u32, *const cl_event, *mut cl_event) -> cl_int,
) -> Event {
    let list: Vec<cl_event> = waits.iter().map(|event| event.get()).collect();
    let (count, list) = (list.len() as u32, if list.is_empty() { null() } else { list.as_ptr() });
    let mut event = null_mut();
    check(enqueue(count, list, &mut event));
    Owned::new(event, cl().clReleaseEvent)
}

/// A generator of numbers (xorshift).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 to less than `end`.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 16) % end as u64) as usize
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 24) as u8).collect()
    }
}
