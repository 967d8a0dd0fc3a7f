//! Wrong calls: each must be refused with the code that the specification names, and change nothing.

use super::api::*;
use super::object::Object;
use super::world::World;
use cl3::types::{cl_buffer_region, cl_event, cl_mem};
use std::ptr::{from_ref, null, null_mut};

/// Sizes and offsets that no object has.
pub const HUGE: [usize; 6] =
    [usize::MAX, usize::MAX - 1, usize::MAX - 4095, 1 << 63, 1 << 62, usize::MAX / 2];

impl World<'_> {
    /// Makes a wrong call.
    pub fn wrong_call(&mut self) -> Result<()> {
        match self.random.below(8) {
            0 => self.wrong_transfer(),
            5 | 6 => self.wrong_image(),
            7 => self.wrong_shared(),
            1 if self.random.once_in(2) => self.wrong_copy(),
            1 => self.wrong_box_copy(),
            2 => self.wrong_handle(),
            3 => self.wrong_launch(),
            _ => self.wrong_creation(),
        }
    }

    /// Fails unless the call's status is one of the codes.
    pub fn refuse(&mut self, what: &str, status: i32, codes: &[i32]) -> Result<()> {
        self.refused += 1;
        let step = self.line(format!("wrong call: {what}: {status}"), Vec::new());
        match codes.contains(&status) {
            true => Ok(()),
            false => {
                Err(self.report(step, &format!("{what}: {status}, where {codes:?} is right"), &[]))
            }
        }
    }

    /// Returns a range that a buffer does not have.
    fn wrong_range(&mut self, bytes: usize) -> (usize, usize) {
        let huge = *self.random.pick(&HUGE);
        match self.random.below(6) {
            0 => (huge, 1),
            1 => (0, huge),
            2 => (bytes, 1),
            3 => (self.random.below(bytes), bytes + 1),
            4 => (huge, huge),
            _ => (usize::MAX - bytes + 1, bytes),
        }
    }

    fn wrong_transfer(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.is_buffer()) else { return Ok(()) };
        let Object { bytes, host, .. } = self.objects[object];
        let mem = self.objects[object].mem();
        let queue = self.random.below(self.queues.len());
        let queue = self.queues[queue].handle();
        let (at, count) = self.wrong_range(bytes);
        let mut memory = self.random.bytes(64);
        let place = memory.as_mut_ptr().cast();
        let (none, event) = (null(), null_mut());
        let what = format!("of object {object}, {count} bytes from {at}");
        match self.random.below(7) {
            0 => {
                let status =
                    call!(clEnqueueReadBuffer(queue, mem, 1, at, count, place, 0, none, event));
                let code = if host.read { CL_INVALID_VALUE } else { CL_INVALID_OPERATION };
                self.refuse(&format!("read {what}"), status, &[code, CL_INVALID_VALUE])
            }
            1 => {
                let status =
                    call!(clEnqueueWriteBuffer(queue, mem, 1, at, count, place, 0, none, event));
                let code = if host.write { CL_INVALID_VALUE } else { CL_INVALID_OPERATION };
                self.refuse(&format!("write {what}"), status, &[code, CL_INVALID_VALUE])
            }
            2 => {
                let status =
                    call!(clEnqueueFillBuffer(queue, mem, place, 1, at, count, 0, none, event));
                self.refuse(&format!("fill {what}"), status, &[CL_INVALID_VALUE])
            }
            3 => {
                let size = *self.random.pick(&[0, 3, 256, usize::MAX]);
                let status =
                    call!(clEnqueueFillBuffer(queue, mem, place, size, 0, bytes, 0, none, event));
                self.refuse(
                    &format!("fill with a pattern of {size} bytes"),
                    status,
                    &[CL_INVALID_VALUE],
                )
            }
            4 => {
                let flags = *self.random.pick(&[
                    CL_MAP_READ,
                    8,
                    1 << 40,
                    CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION,
                ]);
                let mapped =
                    make!(clEnqueueMapBuffer(queue, mem, 1, flags, at, count, 0, none, event));
                let codes = [CL_INVALID_VALUE, CL_INVALID_OPERATION];
                self.refuse(
                    &format!("map {what}, flags {flags:#x}"),
                    mapped.err().unwrap_or(0),
                    &codes,
                )
            }
            5 => {
                let status =
                    call!(clEnqueueReadBuffer(queue, mem, 1, 0, 1, null_mut(), 0, none, event));
                let codes = [CL_INVALID_VALUE, CL_INVALID_OPERATION];
                self.refuse("read to NULL", status, &codes)
            }
            _ => {
                let huge = *self.random.pick(&HUGE);
                let region = *self.random.pick(&[
                    [huge, 1, 1],
                    [1, huge, 1],
                    [1, 2, huge],
                    [0, 1, 1],
                    [1, 1, 0],
                ]);
                let (origin, pitch) = ([0; 3], if self.random.once_in(2) { huge } else { 0 });
                let (origin, regions) = (origin.as_ptr(), region.as_ptr());
                let status = call!(clEnqueueWriteBufferRect(
                    queue, mem, 1, origin, origin, regions, pitch, 0, 0, pitch, place, 0, none,
                    event
                ));
                let codes = [CL_INVALID_VALUE, CL_INVALID_OPERATION];
                self.refuse(&format!("write a box {region:?}, pitch {pitch}"), status, &codes)
            }
        }
    }

    fn wrong_copy(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.is_buffer() && o.bytes > 2) else { return Ok(()) };
        let Object { bytes, .. } = self.objects[object];
        let mem = self.objects[object].mem();
        let queue = self.queues[0].handle();
        let (none, event) = (null(), null_mut());
        if self.random.once_in(2) {
            let count = self.random.between(2, bytes - 1);
            let from = self.random.below(bytes - count);
            let status =
                call!(clEnqueueCopyBuffer(queue, mem, mem, from, from + 1, count, 0, none, event));
            return self.refuse("copy to an overlapping range", status, &[CL_MEM_COPY_OVERLAP]);
        }
        let (at, count) = self.wrong_range(bytes);
        let (from, to) = if self.random.once_in(2) { (at, 0) } else { (0, at) };
        let status = call!(clEnqueueCopyBuffer(queue, mem, mem, from, to, count, 0, none, event));
        let codes = [CL_INVALID_VALUE, CL_MEM_COPY_OVERLAP];
        self.refuse(
            &format!("copy {count} bytes of object {object} from {from} to {to}"),
            status,
            &codes,
        )
    }

    fn wrong_handle(&mut self) -> Result<()> {
        let queue = self.queues[0].handle();
        let (context, none, event) = (self.context.handle(), null(), null_mut());
        let mut memory = [0u8; 16];
        let place = memory.as_mut_ptr().cast();
        let Some(object) = self.pick(|o| o.is_buffer() && o.host.write) else { return Ok(()) };
        let mem = self.objects[object].mem();
        match self.random.below(7) {
            0 => {
                let status =
                    call!(clEnqueueWriteBuffer(null_mut(), mem, 1, 0, 1, place, 0, none, event));
                self.refuse("write by no queue", status, &[CL_INVALID_COMMAND_QUEUE])
            }
            1 => {
                let status = call!(clEnqueueWriteBuffer(mem, mem, 1, 0, 1, place, 0, none, event));
                self.refuse("write by a buffer for a queue", status, &[CL_INVALID_COMMAND_QUEUE])
            }
            2 => {
                let wrong: cl_mem = *self.random.pick(&[null_mut(), queue, context]);
                let status =
                    call!(clEnqueueWriteBuffer(queue, wrong, 1, 0, 1, place, 0, none, event));
                self.refuse("write to no buffer", status, &[CL_INVALID_MEM_OBJECT])
            }
            3 => {
                let list: [cl_event; 1] = [*self.random.pick(&[null_mut(), mem])];
                let status = call!(clEnqueueWriteBuffer(
                    queue,
                    mem,
                    1,
                    0,
                    1,
                    place,
                    1,
                    list.as_ptr(),
                    event
                ));
                self.refuse("wait for no event", status, &[CL_INVALID_EVENT_WAIT_LIST])
            }
            4 => {
                let list = null();
                let status =
                    call!(clEnqueueWriteBuffer(queue, mem, 1, 0, 1, place, 2, list, event));
                self.refuse("wait for events at NULL", status, &[CL_INVALID_EVENT_WAIT_LIST])
            }
            5 => self.wrong_context(),
            _ => {
                let status = call!(clEnqueueUnmapMemObject(queue, mem, place, 0, none, event));
                self.refuse("unmap what is not mapped", status, &[CL_INVALID_VALUE])
            }
        }
    }

    /// Uses objects of two contexts in one call.
    fn wrong_context(&mut self) -> Result<()> {
        let other = self.device.context()?;
        let made_now = make!(clCreateBuffer(other.handle(), CL_MEM_READ_WRITE, 64, null_mut()));
        let buffer = made("clCreateBuffer", made_now)?;
        let made_now = make!(clCreateUserEvent(other.handle()));
        let event = super::event::Event::own(made("clCreateUserEvent", made_now)?);
        let queue = self.queues[0].handle();
        let mut memory = [0u8; 64];
        let place = memory.as_mut_ptr().cast();
        let status =
            call!(clEnqueueReadBuffer(queue, buffer, 1, 0, 64, place, 0, null(), null_mut()));
        self.refuse("read a buffer of another context", status, &[CL_INVALID_CONTEXT])?;
        let list = event.handle();
        let status = call!(clEnqueueMarkerWithWaitList(queue, 1, &list, null_mut()));
        event.complete()?;
        self.refuse("wait for an event of another context", status, &[CL_INVALID_CONTEXT])?;
        done!(clReleaseMemObject(buffer))
    }

    fn wrong_launch(&mut self) -> Result<()> {
        let name = "mix";
        self.kernels.forget(name);
        let kernel = self.kernels.get(name)?;
        let queue = self.queues[0].handle();
        let (none, event) = (null(), null_mut());
        let one = [1usize; 4];
        let place = from_ref(&one).cast();
        let launch = |dimensions: u32, global: &[usize], local: *const usize| {
            let sizes = global.as_ptr();
            call!(clEnqueueNDRangeKernel(
                queue,
                kernel,
                dimensions,
                null(),
                sizes,
                local,
                0,
                none,
                event
            ))
        };
        match self.random.below(7) {
            0 => {
                let status = launch(1, &one, null());
                self.refuse("launch without arguments", status, &[CL_INVALID_KERNEL_ARGS])
            }
            1 => {
                let status = launch(*self.random.pick(&[0, 4, u32::MAX]), &one, null());
                self.refuse(
                    "launch in 0 or 4 dimensions",
                    status,
                    &[CL_INVALID_WORK_DIMENSION, CL_INVALID_KERNEL_ARGS],
                )
            }
            2 => {
                let local = [self.device.group + 1, 1, 1];
                let status = launch(1, &local, local.as_ptr());
                self.refuse(
                    "launch a large group",
                    status,
                    &[CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_KERNEL_ARGS],
                )
            }
            3 => {
                let index = *self.random.pick(&[2, 3, u32::MAX]);
                let status = call!(clSetKernelArg(kernel, index, 4, place));
                self.refuse("set an argument that is not there", status, &[CL_INVALID_ARG_INDEX])
            }
            4 => {
                let size = *self.random.pick(&[0, 3, 5, 8, usize::MAX]);
                let status = call!(clSetKernelArg(kernel, 1, size, place));
                self.refuse("set an argument of another size", status, &[CL_INVALID_ARG_SIZE])
            }
            5 => {
                let status = call!(clSetKernelArg(queue, 0, 8, place));
                self.refuse("set an argument of a queue", status, &[CL_INVALID_KERNEL])
            }
            _ => {
                let made_now = make!(clCreateKernel(kernel, c"mix".as_ptr()));
                self.refuse(
                    "a kernel of a kernel",
                    made_now.err().unwrap_or(0),
                    &[CL_INVALID_PROGRAM],
                )
            }
        }
    }

    fn wrong_creation(&mut self) -> Result<()> {
        let context = self.context.handle();
        let huge = *self.random.pick(&HUGE);
        match self.random.below(6) {
            0 => {
                let made_now = make!(clCreateBuffer(context, CL_MEM_READ_WRITE, 0, null_mut()));
                self.refuse(
                    "a buffer of no bytes",
                    made_now.err().unwrap_or(0),
                    &[CL_INVALID_BUFFER_SIZE],
                )
            }
            1 => {
                let made_now = make!(clCreateBuffer(context, CL_MEM_READ_WRITE, huge, null_mut()));
                self.refuse("a huge buffer", made_now.err().unwrap_or(0), &[CL_INVALID_BUFFER_SIZE])
            }
            2 => {
                let flags = *self.random.pick(&[
                    3,
                    5,
                    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                    1 << 40,
                    384,
                ]);
                let made_now = make!(clCreateBuffer(context, flags, 64, null_mut()));
                // CL_INVALID_HOST_PTR, where flags and host pointer are both wrong.
                let status = made_now.err().unwrap_or(0);
                self.refuse(
                    &format!("a buffer with flags {flags:#x}"),
                    status,
                    &[CL_INVALID_VALUE, -37],
                )
            }
            3 => {
                let Some(parent) = self.pick(|o| o.is_buffer()) else { return Ok(()) };
                let Object { bytes, is_view, .. } = self.objects[parent];
                let (origin, size) = self.wrong_range(bytes);
                let (region, mem) = (cl_buffer_region { origin, size }, self.objects[parent].mem());
                let made_now = make!(clCreateSubBuffer(mem, 0, 0x1220, from_ref(&region).cast()));
                // CL_MISALIGNED_SUB_BUFFER_OFFSET (-13) where the origin is not aligned.
                let code = if is_view { CL_INVALID_MEM_OBJECT } else { CL_INVALID_VALUE };
                let status = made_now.err().unwrap_or(0);
                self.refuse(
                    &format!("a sub-buffer of {size} bytes from {origin}"),
                    status,
                    &[code, -13],
                )
            }
            4 => {
                let event = make!(clCreateUserEvent(null_mut()));
                self.refuse(
                    "a user event of no context",
                    event.err().unwrap_or(0),
                    &[CL_INVALID_CONTEXT],
                )
            }
            _ => {
                let status = call!(clSetUserEventStatus(self.queues[0].handle(), 0));
                self.refuse("complete a queue", status, &[CL_INVALID_EVENT])
            }
        }
    }
}
