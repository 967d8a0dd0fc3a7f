//! Launches: arguments and sizes.

use super::api::{call, cl, done, made, make, Result};
use super::program::{Kernels, Program};
use super::slot::Slot;
use super::span::Span;
use super::world::{Command, World};
use cl3::types::cl_kernel;
use std::ptr::{from_ref, null};

const CL_KERNEL_EXEC_INFO_SVM_PTRS: u32 = 0x11B6;

/// An argument of a kernel.
pub enum Arg {
    /// The object with this number.
    Object(usize),
    /// The address of shared memory, with an offset in bytes.
    Address(usize, usize),
    /// The same address, as a number: clSetKernelExecInfo reports that the kernel uses the memory.
    Number(usize, usize),
    Bytes(Vec<u8>),
    /// Local memory of a size in bytes.
    Local(usize),
}

/// Makes an argument of a number.
pub fn uint(value: u32) -> Arg {
    Arg::Bytes(value.to_le_bytes().to_vec())
}

/// The sizes of a launch.
#[derive(Debug, Clone)]
pub struct Sizes {
    pub offset: Option<Vec<usize>>,
    pub global: Vec<usize>,
    pub local: Option<Vec<usize>>,
}

impl World<'_> {
    /// Returns sizes for up to `most` work-items in one to three dimensions, and the number of work-items.
    pub fn sizes(&mut self, most: usize) -> (Sizes, usize) {
        let dimensions = self.random.between(1, 3);
        let mut global = vec![1; dimensions];
        let mut left = most;
        for size in &mut global {
            *size = self.random.size(left);
            left /= *size;
        }
        let axis = self.random.below(dimensions);
        global.swap(0, axis);
        let items = global.iter().product();
        let local = self.local(&global);
        let offset = self.offset(dimensions);
        (Sizes { offset, global, local }, items)
    }

    /// Returns a global offset, or none.
    pub fn offset(&mut self, dimensions: usize) -> Option<Vec<usize>> {
        let random = &mut self.random;
        random.once_in(3).then(|| (0..dimensions).map(|_| random.below(1000)).collect())
    }

    /// Returns work-group sizes, or none: divisors, or any sizes where the device accepts them.
    pub fn local(&mut self, global: &[usize]) -> Option<Vec<usize>> {
        if self.random.once_in(2) {
            return None;
        }
        let any = self.kernels.non_uniform() && self.random.once_in(3);
        let mut left = self.device.group.min(128);
        let mut local = Vec::new();
        for (all, most) in global.iter().zip(self.device.items.clone()) {
            let fits: Vec<usize> =
                (1..=left.min(*all).min(most)).filter(|size| any || all % size == 0).collect();
            let size = *self.random.pick(&fits);
            left /= size;
            local.push(size);
        }
        Some(local)
    }

    /// Enqueues a kernel.
    pub fn launch(
        &mut self,
        name: &str,
        args: &[Arg],
        sizes: &Sizes,
        spans: Vec<Span>,
        effect: impl Fn(&mut World) + 'static,
    ) -> Result<()> {
        let kernel = self.kernels.get(name)?;
        for (index, arg) in args.iter().enumerate() {
            match arg {
                Arg::Bytes(bytes) => Kernels::set(kernel, index, bytes.len(), Some(bytes))?,
                Arg::Local(bytes) => Kernels::set(kernel, index, *bytes, None)?,
                Arg::Object(object) if self.objects[*object].is_svm() => {
                    self.set_address(kernel, index, *object, 0)?;
                }
                Arg::Address(object, at) => self.set_address(kernel, index, *object, *at)?,
                Arg::Number(object, at) => {
                    let start = self.objects[*object].handle;
                    let (size, place) = (size_of::<usize>(), from_ref(&start).cast());
                    done!(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, size, place))?;
                    let bytes = (start.wrapping_byte_add(*at).addr() as u64).to_le_bytes();
                    Kernels::set(kernel, index, bytes.len(), Some(&bytes))?;
                }
                Arg::Object(object) => {
                    let bytes = self.objects[*object].handle.addr().to_ne_bytes();
                    Kernels::set(kernel, index, bytes.len(), Some(&bytes))?;
                }
            }
        }
        // A clone has the arguments that are set at this moment.
        let copied = self.random.once_in(10);
        let kernel = match copied {
            true => made("clCloneKernel", make!(clCloneKernel(kernel)))?,
            false => kernel,
        };
        let shown: Vec<String> = args.iter().map(show).collect();
        let what = format!("kernel {name}({}), {sizes:?}", shown.join(", "));
        let command = Command { what, spans, blocking: false };
        let place =
            |sizes: &Option<Vec<usize>>| sizes.as_ref().map_or(null(), |sizes| sizes.as_ptr());
        let (dimensions, global) = (sizes.global.len() as u32, sizes.global.as_ptr());
        let (offset, local) = (place(&sizes.offset), place(&sizes.local));
        let is_task = sizes.offset.is_none() && sizes.global == [1] && self.random.once_in(2);
        let call = |s: Slot| match is_task && s.recorder.is_none() {
            true => call!(clEnqueueTask(s.queue, kernel, s.count, s.list, s.event)),
            false => s.kernel(kernel, dimensions, [offset, global, local]),
        };
        self.apply(command, call, effect)?;
        if copied {
            done!(clReleaseKernel(kernel))?;
        }
        if self.random.once_in(10) {
            self.kernels.forget(name);
        }
        Ok(())
    }

    fn set_address(&self, kernel: cl_kernel, index: usize, object: usize, at: usize) -> Result<()> {
        let address = self.objects[object].handle.wrapping_byte_add(at);
        match cl().clSetKernelArgSVMPointer(kernel, index as u32, address) {
            Some(0) => Ok(()),
            status => Err(format!("clSetKernelArgSVMPointer gives {status:?}")),
        }
    }

    /// Builds the program anew, with another constant, and uses it from now on.
    pub fn rebuild(&mut self) -> Result<()> {
        let program = Program::new(self.device, self.context, &mut self.random)?;
        self.line(format!("build, K = {}", program.constant), Vec::new());
        self.kernels.replace(program);
        Ok(())
    }
}

fn show(arg: &Arg) -> String {
    match arg {
        Arg::Object(object) => format!("object {object}"),
        Arg::Address(object, at) | Arg::Number(object, at) => format!("object {object} from {at}"),
        Arg::Local(bytes) => format!("{bytes} local bytes"),
        Arg::Bytes(bytes) if bytes.len() == 4 => {
            u32::from_le_bytes(bytes.as_slice().try_into().unwrap_or_default()).to_string()
        }
        Arg::Bytes(bytes) => format!("{bytes:02x?}"),
    }
}
