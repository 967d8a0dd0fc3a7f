//! Command queues.

use super::api::{call, made, make, Result};
use super::device::{Context, Device};
use super::random::Random;
use cl3::types::cl_command_queue;
use std::sync::Arc;

const CL_QUEUE_PROPERTIES: u64 = 0x1093;
const OUT_OF_ORDER: u64 = 1;
const PROFILING: u64 = 2;

/// A queue, which other threads may use as well.
#[derive(Clone)]
pub struct Queue {
    handle: Arc<Handle>,
    pub in_order: bool,
    pub profiles: bool,
    /// The number of barriers that were enqueued.
    pub epoch: usize,
}

struct Handle(usize);

impl Drop for Handle {
    fn drop(&mut self) {
        call!(clReleaseCommandQueue(std::ptr::with_exposed_provenance_mut(self.0)));
    }
}

impl Queue {
    /// Makes a queue of any kind.
    pub fn new(device: &Device, context: &Context, random: &mut Random) -> Result<Queue> {
        let both = OUT_OF_ORDER | PROFILING;
        let flags = *random.pick(&[0, 0, OUT_OF_ORDER, OUT_OF_ORDER, PROFILING, both]);
        let flags = flags & device.queue_properties;
        let properties = [CL_QUEUE_PROPERTIES, flags, 0];
        let (context, id) = (context.handle(), device.id());
        let made_now = make!(clCreateCommandQueueWithProperties(context, id, properties.as_ptr()));
        let handle = made("clCreateCommandQueueWithProperties", made_now)?;
        Ok(Queue {
            handle: Arc::new(Handle(handle.expose_provenance())),
            in_order: flags & OUT_OF_ORDER == 0,
            profiles: flags & PROFILING != 0,
            epoch: 0,
        })
    }

    pub fn handle(&self) -> cl_command_queue {
        std::ptr::with_exposed_provenance_mut(self.handle.0)
    }
}
