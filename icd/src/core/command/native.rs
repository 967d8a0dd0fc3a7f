//! Functions of the host as commands (clEnqueueNativeKernel, 5.10), on devices whose memory the host
//! sees as its own.
//!
//! Such a command is a marker before it, the function on a thread of its own once the marker is complete,
//! and a marker behind it, which waits for the function as for a user event. Commands that another thread
//! enqueues between the two markers are ordered behind the first one alone.

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

/// 16 bytes as the most demanding C type is aligned.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Unit([u8; 16]);

/// The application's arguments, copied.
struct Arguments {
    units: Vec<Unit>,
    /// Bytes in use.
    size: usize,
}

impl Arguments {
    /// CL_OUT_OF_HOST_MEMORY where there is no room for them.
    fn copy_of(bytes: &[u8]) -> Result<Arguments> {
        let mut units = room::list(bytes.len().div_ceil(16))?;
        for piece in bytes.chunks(16) {
            let mut unit = Unit([0; 16]);
            unit.0[..piece.len()].copy_from_slice(piece);
            units.push(unit);
        }
        Ok(Arguments { units, size: bytes.len() })
    }

    /// Stores an address at a byte offset, where it fits.
    fn put(&mut self, offset: usize, address: usize) {
        for (at, byte) in (offset..).zip(address.to_ne_bytes()) {
            self.units[at / 16].0[at % 16] = byte;
        }
    }

    /// Returns the pointer that the function is called with: NULL for no arguments.
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
    /// Where in the arguments the address of a buffer's bytes goes; NULL for none.
    buffers: Vec<(usize, Option<Ref<Buffer>>)>,
}

impl NativeCall {
    /// `buffers` are offsets in the arguments and the buffers whose handles stand there.
    ///
    /// CL_INVALID_VALUE when a handle does not lie within the arguments; CL_OUT_OF_HOST_MEMORY where there is no room for
    /// a copy of them.
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

    /// Makes the call. All its dependencies are complete.
    fn make(mut self, queue: &Queue) -> Result<()> {
        let mems = self.buffers.iter().filter_map(|(_, mem)| mem.as_deref());
        let uses: Vec<_> = mems.map(|mem| RangeUse::whole(mem, Effect::Modify)).collect();
        let target = Target { context: &queue.context, device: queue.device_index };
        // The uses end when the function has returned.
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

/// Returns where the host finds a buffer's bytes.
fn address_of(queue: &Queue, mem: &Buffer) -> Result<usize> {
    let buffer = mem.on_device(queue.device_index)?;
    let base = queue.gpu.host_view(&buffer).filter(|_| buffer.is_coherent());
    let base = base.ok_or(ClError(CL_OUT_OF_RESOURCES))?;
    Ok(base.as_ptr() as usize + mem.origin)
}

/// A call that is made when its queue's marker is complete.
struct Waiting {
    call: NativeCall,
    queue: Ref<Queue>,
    event: Ref<Event>,
    /// The function may write anywhere.
    _writes: Arc<HostWrite>,
}

impl Waiting {
    /// Starts the call when the marker before it has ended with a status. Returns the effects if the call cannot be
    /// made.
    fn begin(self, status: cl_int) -> Effects {
        let event = self.event.clone();
        on_thread("hekla-native", &event, status, move || self.run())
    }

    /// Makes the call on this thread, and runs the effects of its end.
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
