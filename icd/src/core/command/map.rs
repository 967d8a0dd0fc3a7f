//! Mapping and unmapping regions of buffers.

use crate::cl::error::Result;
use crate::core::device::open::Access;
use crate::core::memory::host::Pages;
use crate::core::memory::mapping::Mapping;
use crate::core::memory::rect::Rect;
use crate::core::memory::Mem;
use crate::core::queue::completion::CompletionWork;
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::object::Ref;
use std::sync::Arc;

/// Keeps the memory of a mapping until the copies to it are done.
struct KeepPages {
    _pages: Arc<Pages>,
}

impl CompletionWork for KeepPages {
    fn run(&self) -> Result<()> {
        Ok(())
    }

    fn is_pending(&self) -> bool {
        false
    }

    fn runs_once(&self) -> bool {
        false
    }
}

impl Execution<'_> {
    /// Brings the device's bytes to the memory of a mapping.
    pub fn map(&mut self, mem: &Ref<Mem>, mapping: &Mapping) -> Result<Phase> {
        match &mapping.pages {
            Some(pages) => self.map_pages(mem, mapping, pages),
            None => self.map_staging(mem, mapping),
        }
    }

    /// Brings what the host wrote to a mapping to the device.
    pub fn unmap(&mut self, mem: &Ref<Mem>, mapping: &Mapping) -> Result<Phase> {
        match &mapping.pages {
            Some(pages) => self.unmap_pages(mem, mapping, pages),
            None => self.unmap_staging(mem, mapping),
        }
    }

    fn map_staging(&mut self, mem: &Ref<Mem>, mapping: &Mapping) -> Result<Phase> {
        let Some(staging) = mapping.staging.as_ref().filter(|_| mapping.reads()) else {
            return self.mark();
        };
        let buffer = mem.on_device(self.queue.device_index, Access::Read)?;
        let from = (mem.origin + mapping.offset) as u64;
        self.copy_staged(mem, (&buffer, from), (&staging.buffer, 0), mapping.size, staging)
    }

    fn unmap_staging(&mut self, mem: &Ref<Mem>, mapping: &Mapping) -> Result<Phase> {
        let Some(staging) = mapping.staging.as_ref().filter(|_| mapping.writes()) else {
            return self.mark();
        };
        let buffer = mem.on_device(self.queue.device_index, Access::Write)?;
        let to = (mem.origin + mapping.offset) as u64;
        self.copy_staged(mem, (&staging.buffer, 0), (&buffer, to), mapping.size, staging)
    }

    /// Copies from the device to the ordinary memory of a mapping, which stays at least as long as that takes.
    fn map_pages(
        &mut self,
        mem: &Ref<Mem>,
        mapping: &Mapping,
        pages: &Arc<Pages>,
    ) -> Result<Phase> {
        if !mapping.reads() {
            return self.mark();
        }
        let from = Rect::linear(mem.origin + mapping.offset, mapping.size);
        let to = Rect::linear(pages.address().0, mapping.size);
        let phase = self.read(mem, from, &to)?;
        if let Phase::Recorded { last, .. } = phase {
            self.queue.add_completion(last, Arc::new(KeepPages { _pages: pages.clone() }));
        }
        Ok(phase)
    }

    fn unmap_pages(&mut self, mem: &Ref<Mem>, mapping: &Mapping, pages: &Pages) -> Result<Phase> {
        if !mapping.writes() {
            return self.mark();
        }
        let from = Rect::linear(pages.address().0, mapping.size);
        let to = Rect::linear(mem.origin + mapping.offset, mapping.size);
        self.write(mem, &from, to)
    }
}
