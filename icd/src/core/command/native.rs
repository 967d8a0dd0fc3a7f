//! Functions of the host as commands (clEnqueueNativeKernel, 5.10), on devices whose memory the host sees as its own.
//!
//! A native kernel is enqueued as two markers. The first marker's completion starts the function on a thread of its own; the
//! second marker waits for the function as for a user event. Commands that another thread enqueues between the two markers are
//! ordered behind the first one alone.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::{room, *};
use crate::core::command::host_part::{end, hold_back, marker, on_thread};
use crate::core::context::host_writes::HostWrite;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::reservation::{Effect, RangeUse, Target};
use crate::core::process::clock;
use crate::core::queue::effects::Effects;
use crate::core::queue::event::Event;
use crate::core::queue::Queue;
use crate::object::Ref;
use std::ffi::c_void;
use std::sync::Arc;

/// 16 bytes with the alignment of the most demanding C type.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Unit([u8; 16]);

/// A copy of the application's arguments.
struct Arguments {
    units: Vec<Unit>,
    /// The number of bytes in use.
    size: usize,
}

impl Arguments {
    /// Copies the arguments; CL_OUT_OF_HOST_MEMORY if there is no memory for them.
    fn copy_of(bytes: &[u8]) -> Result<Arguments> {
        let mut units = room::list(bytes.len().div_ceil(16))?;
        for piece in bytes.chunks(16) {
            let mut unit = Unit([0; 16]);
            unit.0[..piece.len()].copy_from_slice(piece);
            units.push(unit);
        }
        Ok(Arguments { units, size: bytes.len() })
    }

    /// Stores an address at a byte offset. The address must fit in the arguments.
    fn put(&mut self, offset: usize, address: usize) {
        for (at, byte) in (offset..).zip(address.to_ne_bytes()) {
            self.units[at / 16].0[at % 16] = byte;
        }
    }

    /// Returns the pointer that is passed to the function: NULL for no arguments.
    fn pointer(&mut self) -> *mut c_void {
        if self.units.is_empty() {
            return std::ptr::null_mut();
        }
        self.units.as_mut_ptr().cast()
    }
}

/// A call of the application's function.
pub struct NativeCall {
    function: unsafe extern "C" fn(*mut c_void),
    arguments: Arguments,
    /// The offsets in the arguments at which the addresses of buffers' bytes are stored; `None` stores NULL.
    buffers: Vec<(usize, Option<Ref<Buffer>>)>,
}

impl NativeCall {
    /// Returns a call. `buffers` are offsets in the arguments, and the buffers whose handles are at these offsets.
    ///
    /// CL_INVALID_VALUE if a handle is not within the arguments; CL_OUT_OF_HOST_MEMORY if there is no memory for a copy of the
    /// arguments.
    pub fn new(
        function: unsafe extern "C" fn(*mut c_void),
        arguments: &[u8],
        buffers: Vec<(usize, Option<Ref<Buffer>>)>,
    ) -> Result<NativeCall> {
        let arguments = Arguments::copy_of(arguments)?;
        let last = arguments.size.checked_sub(size_of::<usize>());
        ensure!(buffers.iter().all(|(offset, _)| Some(*offset) <= last), CL_INVALID_VALUE);
        Ok(NativeCall { function, arguments, buffers })
    }

    /// Makes the call. All commands that it depends on must be complete.
    fn make(mut self, queue: &Queue) -> Result<()> {
        let mems = self.buffers.iter().filter_map(|(_, mem)| mem.as_deref());
        let uses: Vec<_> = mems.map(|mem| RangeUse::whole(mem, Effect::Modify)).collect();
        let target = Target { context: &queue.context, device: queue.device_index };
        // The reservation lasts until the function has returned.
        let _reservation = target.reserve(None, &uses)?;
        for (offset, mem) in &self.buffers {
            let address = mem.as_ref().map_or(Ok(0), |mem| address_of(queue, mem))?;
            self.arguments.put(*offset, address);
        }
        // SAFETY: the application gave this function for these arguments.
        unsafe { (self.function)(self.arguments.pointer()) };
        Ok(())
    }
}

/// Returns the address at which the host sees a buffer's bytes.
fn address_of(queue: &Queue, mem: &Buffer) -> Result<usize> {
    let buffer = mem.on_device(queue.device_index)?;
    let base = queue.gpu.host_view(&buffer).filter(|_| buffer.is_coherent());
    let base = base.ok_or(ClError(CL_OUT_OF_RESOURCES))?;
    Ok(base.as_ptr() as usize + mem.origin)
}

/// A call that starts when the queue's marker is complete.
struct Waiting {
    call: NativeCall,
    queue: Ref<Queue>,
    event: Ref<Event>,
    /// A pending write to all addresses: the function may write anywhere.
    _writes: Arc<HostWrite>,
}

impl Waiting {
    /// Starts the call when the marker before it has ended with `status`. Returns the effects of the event's end if the call
    /// cannot be made.
    fn begin(self, status: cl_int) -> Effects {
        let event = self.event.clone();
        on_thread("hekla-native", &event, status, move || self.run())
    }

    /// Makes the call on this thread, and runs the effects of the event's end.
    fn run(self) {
        let Waiting { call, queue, event, _writes } = self;
        let begun = clock::now();
        let status = call.make(&queue).map_or_else(|error| error.0, |()| CL_COMPLETE);
        end(event, begun, status, queue);
    }
}

impl Ref<Queue> {
    /// Enqueues a call and returns its event. The device must be one that
    /// [`runs_native_kernels`](crate::core::device::open::Gpu::runs_native_kernels).
    pub fn enqueue_native(&self, call: NativeCall, waits: Vec<Ref<Event>>) -> Result<Ref<Event>> {
        let command_type = CL_COMMAND_NATIVE_KERNEL;
        let event = Event::of_command(self, command_type);
        let Some(ready) = self.enqueue(marker(command_type, waits, true))? else {
            return fail(CL_OUT_OF_RESOURCES);
        };
        let _writes = self.context.host_writes.add(0, usize::MAX);
        let waiting = Waiting { call, queue: self.clone(), event: event.clone(), _writes };
        let behind = hold_back(self, &event);
        ready.then(move |status| waiting.begin(status));
        behind?;
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_copied_and_patched() {
        let mut arguments = Arguments::copy_of(&[1; 24]).unwrap();
        arguments.put(12, 0x0807_0605_0403_0202);
        let pointer = arguments.pointer();
        assert_eq!(pointer as usize % 16, 0);
        // SAFETY: the arguments have 24 bytes.
        let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), 24) };
        assert_eq!(bytes[..12], [1; 12]);
        assert_eq!(bytes[12..20], [2, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bytes[20..], [1; 4]);
        assert!(Arguments::copy_of(&[]).unwrap().pointer().is_null());
    }
}
