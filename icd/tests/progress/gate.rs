//! A kernel that runs until the host ends it.

use crate::common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const SOURCE: &str = "
kernel void until(volatile global uint *flag, volatile global uint *ended, uint most)
{
    bool told = false;
    for (uint i = 0; i < most && !told; i++)
        told = atomic_or(flag, 0u) != 0;
    if (get_global_id(0) == get_global_size(0) - 1) *ended = 1 + told;
}";

/// A kernel that runs until a flag in memory ends it, and two words of memory: this flag, and the one that the kernel sets.
pub struct Gate<'a> {
    s: &'a Setup,
    program: cl_program,
    kernel: cl_kernel,
    words: Words,
    /// The number of work-items. Where they run one after the other, each runs for a share of the time, since some
    /// drivers bound the rounds of a loop.
    items: usize,
}

/// Two words: one that the kernel reads, one that it sets at its end.
enum Words {
    /// In memory that host and device share.
    Shared(*mut c_void),
    /// In memory that another queue's commands write and read.
    Buffers([cl_mem; 2], cl_command_queue),
}

impl Gate<'_> {
    /// Returns a closed gate.
    pub fn new(s: &Setup) -> Gate<'_> {
        let program = s.program(SOURCE, "");
        let kernel = s.kernel(program, "until");
        let capabilities: u64 = value(|n, p, r| unsafe {
            (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_SVM_CAPABILITIES, n, p, r)
        });
        let (words, items, most) = if capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0 {
            let kind = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
            let words = unsafe { (s.cl.clSVMAlloc)(s.context, kind, 8, 0) };
            unsafe { words.cast::<[u32; 2]>().write_volatile([0; 2]) };
            for (index, word) in [words, words.wrapping_byte_add(4)].into_iter().enumerate() {
                check(unsafe { (s.cl.clSetKernelArgSVMPointer)(kernel, index as u32, word) });
            }
            (Words::Shared(words), 1 << 16, 60_000u32)
        } else {
            let words = [0; 2].map(|_| s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 4]));
            s.set(kernel, 0, &words[0]);
            s.set(kernel, 1, &words[1]);
            (Words::Buffers(words, s.second_queue()), 1, 200_000_000)
        };
        s.set(kernel, 2, &most);
        Gate { s, program, kernel, words, items }
    }

    /// Launches the kernel in a queue, and makes the device begin with it.
    pub fn launch(&self, queue: cl_command_queue, event: *mut cl_event) {
        let s = self.s;
        check(unsafe {
            let enqueue = s.cl.clEnqueueNDRangeKernel;
            enqueue(queue, self.kernel, 1, null(), &self.items, null(), 0, null(), event)
        });
        check(unsafe { (s.cl.clFlush)(queue) });
    }

    /// Releases the kernel and its program.
    pub fn release_kernel(&self) {
        check(unsafe { (self.s.cl.clReleaseKernel)(self.kernel) });
        check(unsafe { (self.s.cl.clReleaseProgram)(self.program) });
    }

    /// Ends the kernel.
    pub fn open(&self) {
        match self.words {
            Words::Shared(words) => unsafe { words.cast::<u32>().write_volatile(1) },
            Words::Buffers([flag, _], queue) => {
                let one = 1u32;
                check(unsafe {
                    let (write, one) = (self.s.cl.clEnqueueWriteBuffer, (&raw const one).cast());
                    write(queue, flag, CL_TRUE, 0, 4, one, 0, null(), null_mut())
                });
            }
        }
    }

    /// Returns 0 while the kernel runs, 2 if the host ended it, 1 if the bound of its loop ended it.
    fn ended(&self) -> u32 {
        match self.words {
            Words::Shared(words) => unsafe { words.cast::<u32>().add(1).read_volatile() },
            Words::Buffers([_, ended], queue) => {
                let mut word = 0u32;
                check(unsafe {
                    let (read, word) = (self.s.cl.clEnqueueReadBuffer, (&raw mut word).cast());
                    read(queue, ended, CL_TRUE, 0, 4, word, 0, null(), null_mut())
                });
                word
            }
        }
    }

    /// Asserts that the kernel still runs.
    pub fn expect_closed(&self) {
        assert_eq!(self.ended(), 0, "the kernel has ended");
    }
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        // The kernel ends even if the test fails.
        if let Words::Shared(words) = self.words {
            unsafe { words.cast::<u32>().write_volatile(1) };
        }
    }
}
