//! A queue's launch, as one command.

use super::reach::Object;
use super::Launch;
use crate::cl::error::Result;
use crate::core::command::printout::Printout;
use crate::core::command::replay;
use crate::core::command::system_memory::WritesAnywhere;
use crate::core::context::svm::Allocation;
use crate::core::memory::reservation::{Effect, RangeUse};
use crate::core::program::ndrange::NdRange;
use crate::core::queue::event::Phase;
use crate::core::queue::execute::{Execute, Execution};
use hekla_compiler::kernel::ArgAccess;
use hekla_vk_backend as vk;
use std::sync::Arc;

impl Execute for Launch {
    fn name(&self) -> &str {
        &self.kernel.kernel.name
    }

    fn execute(&self, execution: &mut Execution<'_>) -> Result<Phase> {
        execution.launch(self)
    }

    fn may_reach(&self, memory: &Allocation) -> bool {
        let named = |buffer| self.others.iter().any(|other| Arc::ptr_eq(other, buffer));
        let in_object = |object: &Object| match object {
            Object::Buffer { bytes, .. } => memory.has(bytes),
            Object::Image { .. } | Object::Shadowed { .. } => false,
        };
        memory.usm.is_some_and(|usm| self.indirect.reaches(usm.owner))
            || memory.block.buffers.iter().any(named)
            || self.objects.iter().any(in_object)
    }

    fn uses(&self) -> Vec<RangeUse<'_>> {
        let objects = self.objects.iter().map(|object| match object {
            Object::Buffer { mem, access, .. } => {
                RangeUse::whole(mem, effect(*access, &self.shape.range, mem.size))
            }
            Object::Image { image, effect, .. } | Object::Shadowed { image, effect, .. } => {
                image.whole(*effect)
            }
        });
        let pointed = self.pointed.iter().map(|mem| RangeUse::whole(mem, Effect::Modify));
        objects.chain(pointed).collect()
    }
}

impl Execution<'_> {
    /// Records a launch as one command.
    pub fn launch(&mut self, launch: &Launch) -> Result<Phase> {
        let queue = self.queue;
        if launch.reaches_system {
            self.settle_all()?;
        }
        let printf = self.printf_buffer(launch)?;
        let mut prepared = launch.prepare(queue, &mut self.state.upload, printf.clone(), false)?;
        prepared.keep_for_replay(queue, replay::MOST)?;
        let printer = &queue.context.printer;
        let append = |recorder: &mut vk::Recorder| prepared.append(printer, recorder);
        let value = self.record_compiled(|recorder| prepared.compile(recorder), append);
        if let Some(buffer) = printf {
            let printout = Printout::of_command(queue, value, launch.data(), buffer);
            let printout = printout.with_capture(prepared.capture());
            queue.add_completion(value, Arc::new(printout));
        }
        if launch.reaches_system {
            queue.add_completion(value, Arc::new(WritesAnywhere::default()));
        }
        Ok(Phase::Recorded { first: value, last: value })
    }

    /// Returns the buffer for the launch's output, if its kernel prints.
    fn printf_buffer(&mut self, launch: &Launch) -> Result<Option<Arc<vk::Buffer>>> {
        if !launch.prints() {
            return Ok(None);
        }
        let queue = self.queue;
        while let Some(oldest) = queue.oldest_printout() {
            self.wait_for(oldest)?;
        }
        queue.context.printer.buffer(&queue.gpu, queue.device_index).map(Some)
    }
}

/// Returns the effect of a launch on the `size` bytes of a buffer, given how its kernel accesses the buffer.
fn effect(access: ArgAccess, range: &NdRange, size: usize) -> Effect {
    let bytes = |items: u64| items.checked_mul(access.covers.into()).filter(|at| *at < 1 << 31);
    let end = range.offset[0].checked_add(range.global[0]).and_then(bytes);
    let is_covered = range.offset[0] == 0 && end.is_some_and(|end| end >= size as u64);
    match access {
        ArgAccess { writes: false, .. } => Effect::Read,
        ArgAccess { covers: 1.., .. } if is_covered => Effect::Overwrite,
        _ => Effect::Modify,
    }
}
