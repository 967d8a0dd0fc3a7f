//! Mapped regions of a buffer, and the memory behind them.

use super::host::{HostAddress, Pages};
use super::residency::Storage;
use super::Mem;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::device::staging::{Pool, Staging};
use std::sync::Arc;

/// A mapped region.
#[derive(Clone)]
pub struct Mapping {
    pub pointer: HostAddress,
    pub offset: usize,
    pub size: usize,
    pub flags: cl_map_flags,
    /// Memory behind the pointer when it is neither the device's nor the application's.
    pub staging: Option<Arc<Staging>>,
    /// The same, where staging memory does not hold the region.
    pub pages: Option<Arc<Pages>>,
}

impl Mapping {
    /// Returns true if the pointer leads to memory that exists for the mapping.
    pub fn is_copy(&self) -> bool {
        self.staging.is_some() || self.pages.is_some()
    }

    /// Returns true if the device's bytes are wanted at the pointer.
    pub fn reads(&self) -> bool {
        self.flags & CL_MAP_WRITE_INVALIDATE_REGION == 0
    }

    /// Returns true if unmapping brings bytes to the device.
    pub fn writes(&self) -> bool {
        self.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
    }
}

impl Mem {
    /// Notes a mapping; CL_INVALID_OPERATION when it overlaps another and both are for writing.
    pub fn add_mapping(&self, mapping: Mapping) -> Result<()> {
        let mut maps = self.maps.lock();
        let conflict = maps.iter().any(|other| {
            other.writes()
                && mapping.writes()
                && other.offset < mapping.offset + mapping.size
                && mapping.offset < other.offset + other.size
        });
        ensure!(!conflict, CL_INVALID_OPERATION);
        if let Some(staging) = &mapping.staging {
            staging.show();
        }
        maps.push(mapping);
        Ok(())
    }

    /// Removes and returns the mapping at a pointer; CL_INVALID_VALUE when there is none.
    pub fn take_mapping(&self, pointer: HostAddress) -> Result<Mapping> {
        let mut maps = self.maps.lock();
        let found = maps.iter().rposition(|m| m.pointer == pointer);
        let mapping = found.map(|index| maps.remove(index)).ok_or(ClError(CL_INVALID_VALUE))?;
        if let Some(staging) = &mapping.staging {
            staging.hide();
        }
        let mut spare = self.spare.lock();
        if !(self.is_pinned() && is_larger(&spare, &mapping.staging)) {
            *spare = mapping.staging.clone();
        }
        Ok(mapping)
    }

    /// CL_MEM_ALLOC_HOST_PTR: the host is to have room for the buffer, now and later.
    pub fn is_pinned(&self) -> bool {
        self.flags & CL_MEM_ALLOC_HOST_PTR != 0
    }

    /// Takes memory in which the host will see a buffer that it is to have room for, where it does not see
    /// the device's.
    pub(super) fn reserve_mapping(&self) -> Result<()> {
        let (Storage::Single(buffer), [gpu]) = (&self.storage, &self.context.gpus[..]) else {
            return Ok(());
        };
        let seen = gpu.host_view(buffer).is_some() && buffer.is_coherent();
        let limit = gpu.device.info().limits.max_allocation_size;
        if self.is_pinned() && !seen && self.size as u64 <= limit {
            let staging = gpu.readback.take(self.size as u64);
            let staging = staging.map_err(|_| ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
            *self.spare.lock() = Some(staging);
        }
        Ok(())
    }

    /// Staging memory for a mapping of `size` bytes: the last mapping's, when nobody (a command
    /// that is under way, say) holds it any more, or new.
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

    /// CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        self.maps.lock().len() as u32
    }
}

/// Returns true if there is a piece, and no smaller than another.
fn is_larger(piece: &Option<Arc<Staging>>, other: &Option<Arc<Staging>>) -> bool {
    let size = |piece: &Arc<Staging>| piece.buffer.size();
    piece.is_some() && piece.as_ref().map(size) >= other.as_ref().map(size)
}
