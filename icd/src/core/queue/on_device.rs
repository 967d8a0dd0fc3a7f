//! Queues on the device (OpenCL API 5.1): queues into which kernels enqueue.

use super::Queue;
use crate::cl::*;
use crate::core::context::Context;
use crate::object::Ref;
use std::sync::atomic::Ordering;

impl Queue {
    /// Returns true if kernels, and not the application, enqueue in this queue.
    pub fn is_on_device(&self) -> bool {
        self.properties.bits & CL_QUEUE_ON_DEVICE != 0
    }

    /// Returns true if this is the default queue on its device.
    pub fn is_default_on_device(&self) -> bool {
        self.is_on_device() && self.is_default.load(Ordering::Acquire)
    }

    /// Returns the handle that `get_default_queue` returns in kernels that enqueue in this queue: 0 unless it is the default
    /// queue.
    pub fn default_handle(&self) -> u64 {
        if self.is_default_on_device() {
            self.number
        } else {
            0
        }
    }

    /// Returns CL_QUEUE_SIZE in bytes.
    pub fn on_device_size(&self) -> u32 {
        self.properties.on_device_size
    }

    /// Returns the queue on this queue's device in which kernels enqueue: the default one or, if there is none, any other.
    pub fn device_queue(&self) -> Option<Ref<Queue>> {
        let all = on_device(&self.context, self.device_index);
        let default = all.iter().find(|queue| queue.is_default_on_device());
        default.or(all.first()).cloned()
    }
}

/// Returns the queues on a device of a context.
fn on_device(context: &Context, device_index: usize) -> Vec<Ref<Queue>> {
    let queues = context.queues.all::<Queue>().into_iter().filter_map(|(queue, _)| queue);
    queues.filter(|queue| queue.is_on_device() && queue.device_index == device_index).collect()
}

impl Ref<Queue> {
    /// Makes this queue the default queue on its device, in place of any other (clSetDefaultDeviceCommandQueue).
    pub fn make_default_on_device(&self) {
        for queue in on_device(&self.context, self.device_index) {
            queue.is_default.store(queue == *self, Ordering::Release);
        }
    }
}

/// Returns the default queue on a device of a context.
pub fn default_on_device(context: &Context, device_index: usize) -> Option<Ref<Queue>> {
    on_device(context, device_index).into_iter().find(|queue| queue.is_default_on_device())
}
