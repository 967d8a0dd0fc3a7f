//! The kernel-argument buffer of a launch, on the host.

use super::Launch;
use hekla_compiler::kernel::Field;
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A kernel-argument buffer on the host; one of common size is kept on the stack.
pub(super) type ArgumentBuffer = SmallVec<[u8; ON_STACK]>;
const ON_STACK: usize = 128;

impl Launch {
    /// Sets the device address of the context, for a kernel that uses device queues. The launch keeps `used` alive while it
    /// runs.
    pub fn set_queue_context(&mut self, address: u64, used: [Arc<vk::Buffer>; 2]) {
        for entry in &self.kernel.kernel.argument_fields {
            if entry.field == Field::QueueContext {
                put(&mut self.arguments, entry.offset as usize, &address.to_le_bytes());
            }
        }
        self.others.extend(used);
    }
}

/// Returns a kernel-argument buffer of zeros.
pub(super) fn zeros(size: usize) -> ArgumentBuffer {
    match size {
        0..=ON_STACK => SmallVec::from_buf_and_len([0; ON_STACK], size),
        _ => SmallVec::from_elem(0, size),
    }
}

pub(super) fn put(arguments: &mut ArgumentBuffer, at: usize, bytes: &[u8]) {
    if let Some(slot) = arguments.get_mut(at..at + bytes.len()) {
        slot.copy_from_slice(bytes);
    }
}

pub(super) fn put_u64x3(arguments: &mut ArgumentBuffer, at: usize, values: [u64; 3]) {
    for (d, value) in values.iter().enumerate() {
        put(arguments, at + 8 * d, &value.to_le_bytes());
    }
}
