//! Ownership transfers: imported memory acquired from other APIs and released to them
//! (cl_khr_external_memory).

use crate::cl::error::Result;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::reservation::{Effect, RangeUse};
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::object::Ref;
use hekla_vk_backend as vk;
use std::sync::Arc;

/// The direction of an ownership transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From another API to OpenCL.
    Acquire,
    /// From OpenCL to another API.
    Release,
}

/// Returns the uses of a transfer, on the device that has the memory: acquiring replaces the contents, releasing
/// needs them.
pub fn uses(mems: &[Ref<Buffer>], direction: Direction) -> impl Iterator<Item = RangeUse<'_>> {
    let effect = match direction {
        Direction::Acquire => Effect::Overwrite,
        Direction::Release => Effect::Read,
    };
    mems.iter().map(move |mem| {
        let used = RangeUse::whole(mem, effect);
        match mem.imported_at() {
            Some(home) => used.on(home),
            None => used,
        }
    })
}

impl Execution<'_> {
    /// Transfers the ownership of imported memory. In a context of several devices one of them has the memory and the
    /// others have copies: the contents are acquired on that device, and are moved there before a release.
    pub fn transfer_ownership(
        &mut self,
        mems: &[Ref<Buffer>],
        direction: Direction,
    ) -> Result<Phase> {
        let queue = self.queue;
        let mut here = Vec::new();
        for mem in mems {
            let home = mem.imported_at().unwrap_or(queue.device_index);
            let buffer = mem.on_device(home)?;
            if home == queue.device_index {
                here.push(buffer);
            } else {
                let queue = queue.context.gpus[home].device.create_queue(false)?;
                let ((), value) = queue.record(|recorder| transfer(recorder, &buffer, direction));
                queue.wait(value)?;
            }
        }
        let value = self.record(|recorder| {
            here.iter().for_each(|buffer| transfer(recorder, buffer, direction));
        });
        Ok(Phase::Recorded { first: value, last: value })
    }
}

fn transfer(recorder: &mut vk::Recorder, buffer: &Arc<vk::Buffer>, direction: Direction) {
    match direction {
        Direction::Acquire => recorder.acquire(buffer),
        Direction::Release => recorder.release(buffer),
    }
}
