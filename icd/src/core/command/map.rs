//! Mapping and unmapping regions of buffers.

use crate::cl::error::Result;
use crate::core::context::host_writes::HostWrite;
use crate::core::device::staging::Staging;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::mapping::Mapping;
use crate::core::memory::operand::Operand;
use crate::core::memory::rect::Rect;
use crate::core::queue::completion::{CompletionWork, Keep};
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::object::Ref;
use parking_lot::Mutex;
use std::sync::Arc;

/// Makes the device's writes to memory that is not coherent visible to the host.
struct Invalidate {
    staging: Arc<Staging>,
    /// Address and size in bytes, as the application sees it.
    region: (usize, usize),
    /// The pending write, held until the device's writes are visible.
    _write: Option<Arc<HostWrite>>,
    /// True once the writes were made visible, which must happen once: the host may write to the region afterwards.
    done: Mutex<bool>,
}

impl CompletionWork for Invalidate {
    fn run(&self) -> Result<()> {
        let mut done = self.done.lock();
        if !std::mem::replace(&mut *done, true) {
            self.staging.buffer.invalidate(0, self.region.1 as u64)?;
        }
        Ok(())
    }

    fn is_pending(&self) -> bool {
        !*self.done.lock()
    }

    fn will_write(&self, start: usize, end: usize) -> bool {
        let (address, size) = self.region;
        address < end && start < address + size && self.is_pending()
    }
}

impl Execution<'_> {
    /// Copies the device's bytes to the memory of a mapping, `to`.
    pub fn map(&mut self, mem: &Ref<Buffer>, mapping: &Mapping, to: &Operand) -> Result<Phase> {
        if !mapping.reads() {
            return self.mark();
        }
        if let Some(staging) = &mapping.staging {
            return self.map_staging(mem, mapping, staging, to);
        }
        let from = Rect::linear(mem.origin + mapping.offset, mapping.size);
        let phase = self.read(mem, from, to)?;
        if let (Phase::Recorded { last, .. }, Some(pages)) = (phase, &mapping.pages) {
            self.queue.add_completion(last, Arc::new(Keep(pages.clone())));
        }
        Ok(phase)
    }

    /// Copies the host's writes to a mapping to the device.
    pub fn unmap(&mut self, mem: &Ref<Buffer>, mapping: &Mapping) -> Result<Phase> {
        if !mapping.writes() {
            return self.mark();
        }
        let of_device = |staging: &&Arc<Staging>| staging.is_of(&self.queue.gpu.readback);
        if let Some(staging) = mapping.staging.as_ref().filter(of_device) {
            return self.unmap_staging(mem, mapping, staging);
        }
        let from = Operand::own_source(mapping.pointer.range(mapping.size));
        self.write(mem, &from, Rect::linear(mem.origin + mapping.offset, mapping.size))
    }

    fn map_staging(
        &mut self,
        mem: &Ref<Buffer>,
        mapping: &Mapping,
        staging: &Arc<Staging>,
        to: &Operand,
    ) -> Result<Phase> {
        let buffer = mem.on_device(self.queue.device_index)?;
        let from = (mem.origin + mapping.offset) as u64;
        let target = (&staging.buffer, 0);
        let phase = self.copy_staged((&buffer, from), target, mapping.size, staging);
        if let (Phase::Recorded { last, .. }, false) = (phase, staging.buffer.is_coherent()) {
            let region = (mapping.pointer.0, mapping.size);
            self.queue.add_completion(
                last,
                Arc::new(Invalidate {
                    staging: staging.clone(),
                    region,
                    _write: to.write().cloned(),
                    done: Mutex::new(false),
                }),
            );
        }
        Ok(phase)
    }

    fn unmap_staging(
        &mut self,
        mem: &Ref<Buffer>,
        mapping: &Mapping,
        staging: &Arc<Staging>,
    ) -> Result<Phase> {
        // The host may have a write to the mapping pending.
        let (start, size) = (mapping.pointer.0, mapping.size);
        self.settle((start, start + size))?;
        staging.buffer.flush(0, size as u64)?;
        let buffer = mem.on_device(self.queue.device_index)?;
        let to = (mem.origin + mapping.offset) as u64;
        Ok(self.copy_staged((&staging.buffer, 0), (&buffer, to), size, staging))
    }
}
