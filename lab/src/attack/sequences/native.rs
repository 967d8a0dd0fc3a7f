//! Native kernels: functions of the host that get the addresses of memory objects.

use super::api::{call, Result};
use super::object::Object;
use super::slot::Slot;
use super::world::{Command, World};
use std::ffi::c_void;
use std::ptr::{from_mut, from_ref};

/// The arguments of the native kernel. The library puts the address of the memory object in their copy.
#[repr(C)]
struct Args {
    bytes: *mut u8,
    at: usize,
    count: usize,
    k: u8,
}

/// Changes bytes of a memory object.
unsafe extern "C" fn change(args: *mut c_void) {
    // SAFETY: the library passes its copy of the arguments, and the object has the range.
    let range = unsafe {
        let Args { bytes, at, count, .. } = *args.cast::<Args>();
        std::slice::from_raw_parts_mut(bytes.add(at), count)
    };
    // SAFETY: the library passes its copy of the arguments, and the object has the range.
    let k = unsafe { (*args.cast::<Args>()).k };
    range.iter_mut().enumerate().for_each(|(i, byte)| *byte = changed(i, *byte, k));
}

fn changed(i: usize, byte: u8, k: u8) -> u8 {
    byte.wrapping_mul(3).wrapping_add(i as u8) ^ k
}

impl World<'_> {
    /// Enqueues a native kernel, where the device runs any.
    pub fn native_kernel(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.is_buffer() && !o.read_only) else { return Ok(()) };
        if !self.device.native {
            return Ok(());
        }
        let (at, count) = self.range(object);
        let k = self.random.number() as u8;
        let mut args = Args { bytes: std::ptr::null_mut(), at, count, k };
        // The native kernel gets the object as a whole.
        let span = self.whole_span(object).written();
        let what = format!("native kernel on {count} bytes of object {object} from {at}");
        let command = Command { what, spans: vec![span], blocking: false };
        let Object { handle, .. } = self.objects[object];
        let (size, place) = (size_of::<Args>(), from_ref(&args.bytes).cast::<c_void>());
        let copied = from_mut(&mut args).cast();
        let call = |s: Slot| {
            call!(clEnqueueNativeKernel(
                s.queue,
                Some(change),
                copied,
                size,
                1,
                &handle,
                &place,
                s.count,
                s.list,
                s.event
            ))
        };
        self.submit(command, call)?;
        let old = self.get(object, at, count).iter().enumerate();
        let new: Vec<u8> = old.map(|(i, byte)| changed(i, *byte, k)).collect();
        self.put(object, at, &new);
        Ok(())
    }
}
