//! Mapped regions of a buffer, and the memory behind them.

use super::buffer::Buffer;
use super::host::HostAddress;
use super::residency::Storage;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::host_ranges::HostRange;
use crate::core::device::pages::Pages;
use crate::core::device::staging::{Pool, Staging};
use smallvec::smallvec;
use std::sync::Arc;

/// A mapped region.
#[derive(Clone)]
pub struct Mapping {
    pub pointer: HostAddress,
    pub offset: usize,
    pub size: usize,
    pub flags: cl_map_flags,
    /// Staging memory behind the pointer, if the pointer leads neither to the device's memory nor to the application's.
    pub staging: Option<Arc<Staging>>,
    /// Ordinary memory behind the pointer, if there is no staging memory for the region.
    pub pages: Option<Arc<Pages>>,
}

impl Mapping {
    /// Returns true if the pointer leads to memory that exists only for the mapping.
    pub fn is_copy(&self) -> bool {
        self.staging.is_some() || self.pages.is_some()
    }

    /// Returns true if the pointer leads to the buffer's own memory. (Shared virtual memory is known by its
    /// addresses, mapped or not.)
    fn is_direct(&self, mem: &Buffer) -> bool {
        !self.is_copy() && mem.host_ptr.is_none() && mem.svm.is_none()
    }

    /// Returns true if the pointer leads to the host's shadow of shared virtual memory.
    fn is_shadow(&self, mem: &Buffer) -> bool {
        !self.is_copy() && mem.host_ptr.is_some() && mem.svm.is_some()
    }

    /// Returns true if the map copies the device's bytes to the pointer.
    pub fn reads(&self) -> bool {
        self.flags & CL_MAP_WRITE_INVALIDATE_REGION == 0
    }

    /// Returns true if the unmap copies bytes to the device.
    pub fn writes(&self) -> bool {
        self.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
    }
}

/// A mapped region of a buffer or of one of its sub-buffers.
pub(super) struct Mapped {
    /// Address of the memory object through which the region was mapped.
    owner: usize,
    /// Offset of the region in the device's buffer, in bytes.
    start: usize,
    mapping: Mapping,
}

impl Mapped {
    /// Returns true if both regions are for writing and have bytes in common.
    fn conflicts(&self, other: &Mapped) -> bool {
        self.mapping.writes()
            && other.mapping.writes()
            && self.start < other.start + other.mapping.size
            && other.start < self.start + self.mapping.size
    }
}

impl Buffer {
    /// Returns the address that identifies the object as an owner of mapped regions.
    fn as_owner(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Notes a mapping; CL_INVALID_OPERATION if it overlaps another mapping of the buffer or of a sub-buffer and both are for
    /// writing (5.2.4).
    pub fn add_mapping(&self, mapping: Mapping) -> Result<()> {
        let start = self.origin + mapping.offset;
        let mapped = Mapped { owner: self.as_owner(), start, mapping };
        let mut maps = self.root().maps.lock();
        ensure!(!maps.iter().any(|other| other.conflicts(&mapped)), CL_INVALID_OPERATION);
        self.share(&mapped.mapping);
        maps.push(mapped);
        Ok(())
    }

    /// Removes and returns the mapping at a pointer; CL_INVALID_VALUE if this object has no region mapped there.
    pub fn take_mapping(&self, pointer: HostAddress) -> Result<Mapping> {
        let mut maps = self.root().maps.lock();
        let owner = self.as_owner();
        let found = maps.iter().rposition(|m| m.owner == owner && m.mapping.pointer == pointer);
        let index = found.ok_or(ClError(CL_INVALID_VALUE))?;
        let mapping = maps.remove(index).mapping;
        self.unshare(&mapping);
        let mut spare = self.spare.lock();
        if !(self.is_pinned() && is_larger(&spare, &mapping.staging)) {
            *spare = mapping.staging.clone();
        }
        Ok(mapping)
    }

    /// Forgets the mapped regions of an object that is being destroyed.
    pub(super) fn forget_mappings(&self) {
        let owner = self.as_owner();
        let gone = |mapped: &mut Mapped| mapped.owner == owner;
        let gone: Vec<_> = self.root().maps.lock().extract_if(.., gone).collect();
        gone.iter().for_each(|mapped| self.unshare(&mapped.mapping));
    }

    /// Registers the addresses of a mapping with the memory behind them, so that commands find it. Memory that is not coherent
    /// belongs to the host while it is mapped: it is invalidated at the map and flushed at the unmap.
    fn share(&self, mapping: &Mapping) {
        let ranges = &self.context.host_ranges;
        match (self.only_buffer(), &mapping.staging) {
            (_, Some(staging)) if staging.buffer.is_coherent() => ranges.add(HostRange {
                start: mapping.pointer.0,
                end: mapping.pointer.0 + mapping.size,
                buffers: smallvec![staging.buffer.clone()],
                offset: 0,
                in_place: true,
                staging: Some(staging.clone()),
            }),
            (Some(buffer), None) if mapping.is_direct(self) => {
                let start = mapping.pointer.0 - self.origin - mapping.offset;
                ranges.add(HostRange {
                    start,
                    end: start + buffer.size() as usize,
                    buffers: smallvec![buffer.clone()],
                    offset: 0,
                    in_place: true,
                    staging: None,
                });
            }
            _ if mapping.is_shadow(self) => ranges.map_shadow(mapping.pointer.0, mapping.size),
            _ => {}
        }
    }

    /// Removes the addresses that [`Buffer::share`] registered.
    fn unshare(&self, mapping: &Mapping) {
        let ranges = &self.context.host_ranges;
        let pointer = mapping.pointer.0;
        match &mapping.staging {
            Some(staging) if staging.buffer.is_coherent() => ranges.remove(pointer),
            None if mapping.is_direct(self) => {
                ranges.remove(pointer - self.origin - mapping.offset);
            }
            _ if mapping.is_shadow(self) => ranges.unmap_shadow(pointer, mapping.size),
            _ => {}
        }
    }

    /// Returns true for CL_MEM_ALLOC_HOST_PTR: the host must always have memory for the buffer's mappings.
    pub fn is_pinned(&self) -> bool {
        self.flags & CL_MEM_ALLOC_HOST_PTR != 0
    }

    /// Allocates the memory for mappings of a buffer with CL_MEM_ALLOC_HOST_PTR, if the host does not see the device's memory.
    pub(super) fn reserve_mapping(&self) -> Result<()> {
        let (Storage::Single(buffer), [gpu]) = (&self.storage, &self.context.gpus[..]) else {
            return Ok(());
        };
        let seen = gpu.host_view(buffer).is_some() && buffer.is_coherent();
        let limit = gpu.device.info().limits.max_allocation_size;
        if self.is_pinned() && !seen && self.size as u64 <= limit {
            *self.spare.lock() = Some(gpu.readback.take(self.size as u64)?);
        }
        Ok(())
    }

    /// Returns staging memory for a mapping of `size` bytes: the last mapping's if nobody holds it any more (a command that is
    /// not complete may), otherwise new memory.
    pub fn map_staging(&self, pool: &Arc<Pool>, size: usize) -> Result<Arc<Staging>> {
        let mut spare = self.spare.lock();
        let fits = |staging: &mut Arc<Staging>| {
            staging.is_of(pool)
                && staging.buffer.size() >= size as u64
                && Arc::strong_count(staging) == 1
        };
        if let Some(staging) = spare.take_if(fits) {
            return Ok(staging);
        }
        if !self.is_pinned() {
            *spare = None;
        }
        drop(spare);
        pool.take(size as u64)
    }

    /// Returns CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        let owner = self.as_owner();
        self.root().maps.lock().iter().filter(|mapped| mapped.owner == owner).count() as u32
    }
}

/// Returns true if there is a piece, and it is not smaller than `other`.
fn is_larger(piece: &Option<Arc<Staging>>, other: &Option<Arc<Staging>>) -> bool {
    let size = |piece: &Arc<Staging>| piece.buffer.size();
    piece.is_some() && piece.as_ref().map(size) >= other.as_ref().map(size)
}
