//! Shared virtual memory (5.6): allocations that host and device know by one address.
//!
//! The address is the one that the device gave the allocation. On many devices (software and some integrated ones) the host
//! finds the bytes at the same address; sharing is fine-grained there. On other devices the host gets memory of its own at that
//! address, a *shadow*, which maps and unmaps keep in step with the device's memory: coarse-grained sharing.

use crate::cl::error::{ensure, fail, Result};
use crate::cl::*;
use crate::core::context::host_ranges::HostRange;
use crate::core::context::usm::{IndirectUse, Usm};
use crate::core::context::Context;
use crate::core::device::open::Gpu;
use crate::core::device::sharing::{Other, SharedBlock, Sharing};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The alignment of the largest built-in type, long16: the default alignment, and the largest that may be requested.
pub const MAX_ALIGNMENT: usize = 128;

/// A region that the host has mapped.
struct SharedMap {
    address: usize,
    size: usize,
    flags: cl_map_flags,
}

/// One allocation.
pub struct Allocation {
    pub size: usize,
    pub block: SharedBlock,
    /// The properties as unified shared memory; `None` for memory of clSVMAlloc.
    pub usm: Option<Usm>,
    maps: Mutex<Vec<SharedMap>>,
}

impl Allocation {
    pub fn new(size: usize, block: SharedBlock, usm: Option<Usm>) -> Allocation {
        Allocation { size, block, usm, maps: Mutex::default() }
    }

    /// Returns true if the host sees neither the device's bytes nor a shadow of them at the address.
    pub fn is_out_of_reach(&self) -> bool {
        !self.block.is_seen_by_host() && !self.has_shadow()
    }

    /// Returns the memory for a device; `None` for one that does not reach it.
    pub fn on(&self, gpu: &Gpu) -> Option<&Arc<vk::Buffer>> {
        self.block.on(&gpu.device)
    }

    /// Returns true if host and device have different memory at the address.
    pub fn has_shadow(&self) -> bool {
        self.block.has_shadow()
    }

    /// Returns true if a buffer is the allocation's memory on a device.
    pub fn has(&self, buffer: &Arc<vk::Buffer>) -> bool {
        self.block.buffers.iter().any(|own| Arc::ptr_eq(own, buffer))
    }

    /// Returns true if commands or memory objects keep the memory alive.
    pub fn is_retained(&self) -> bool {
        self.block.buffers.iter().any(|buffer| Arc::strong_count(buffer) > 1)
    }

    /// Returns the addresses of the allocation.
    fn host_range(&self) -> HostRange {
        let SharedBlock { address, buffers, origin, .. } = &self.block;
        HostRange {
            start: *address,
            end: *address + self.size,
            buffers: buffers.clone(),
            offset: *origin as u64,
            in_place: self.block.is_seen_by_host(),
            staging: None,
        }
    }

    /// Notes that the host has mapped a region.
    pub fn add_map(&self, context: &Context, address: usize, size: usize, flags: cl_map_flags) {
        if self.has_shadow() {
            context.host_ranges.map_shadow(address, size);
        }
        self.maps.lock().push(SharedMap { address, size, flags });
    }

    /// Removes the newest map that begins at an address. Returns its size, and true if the host may have written to it.
    /// CL_INVALID_VALUE if there is no such map.
    pub fn take_map(&self, context: &Context, address: usize) -> Result<(usize, bool)> {
        let mut maps = self.maps.lock();
        let Some(index) = maps.iter().rposition(|map| map.address == address) else {
            return fail(CL_INVALID_VALUE);
        };
        let map = maps.remove(index);
        if self.has_shadow() {
            context.host_ranges.unmap_shadow(address, map.size);
        }
        Ok((map.size, map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0))
    }
}

/// The allocations of a context, by address.
#[derive(Default)]
pub struct Allocations {
    by_address: Mutex<BTreeMap<usize, Arc<Allocation>>>,
    /// The kinds of unified shared memory that launched kernels may have reached without naming an allocation.
    pub(super) reached_indirectly: IndirectUse,
}

impl Allocations {
    /// Adds an allocation. Returns its address.
    pub(super) fn add(&self, context: &Context, allocation: Allocation) -> usize {
        let address = allocation.block.address;
        context.host_ranges.add(allocation.host_range());
        self.by_address.lock().insert(address, Arc::new(allocation));
        address
    }

    /// Removes the allocation that begins at an address, if `wanted` returns true for it.
    pub(super) fn remove(
        &self,
        context: &Context,
        address: usize,
        wanted: impl Fn(&Allocation) -> bool,
    ) -> Option<Arc<Allocation>> {
        let mut allocations = self.by_address.lock();
        allocations.get(&address).filter(|allocation| wanted(allocation))?;
        let allocation = allocations.remove(&address);
        drop(allocations);
        context.host_ranges.remove(address);
        allocation
    }

    /// clSVMAlloc: the new allocation's address. Errors: flags or alignment that the spec rejects,
    /// granularity that the device does not have, no memory; contexts of several devices, whose
    /// addresses differ.
    pub fn allocate(
        &self,
        context: &Context,
        flags: cl_svm_mem_flags,
        size: usize,
        alignment: usize,
    ) -> Result<usize> {
        const ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
        const FINE: u64 = CL_MEM_SVM_FINE_GRAIN_BUFFER;
        ensure!(flags & !(ACCESS | FINE | CL_MEM_SVM_ATOMICS) == 0, CL_INVALID_VALUE);
        ensure!((flags & ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
        ensure!(flags & CL_MEM_SVM_ATOMICS == 0, CL_INVALID_OPERATION);
        let alignment = if alignment == 0 { MAX_ALIGNMENT } else { alignment };
        ensure!(alignment.is_power_of_two() && alignment <= MAX_ALIGNMENT, CL_INVALID_VALUE);
        let [gpu] = &context.gpus[..] else { return fail(CL_INVALID_OPERATION) };
        ensure!(
            size > 0 && size as u64 <= context.devices[0].max_allocation(),
            CL_INVALID_BUFFER_SIZE
        );
        let needed = if flags & FINE != 0 {
            [Sharing::Direct; 2]
        } else {
            [Sharing::Direct, Sharing::Shadow]
        };
        ensure!(needed.contains(&gpu.sharing()), CL_INVALID_OPERATION);
        let block = match gpu.sharing() {
            Sharing::Direct => SharedBlock::direct(&gpu.device, size)?,
            _ => SharedBlock::of_device(&gpu.device, size, alignment, Other::Shadow)?,
        };
        Ok(self.add(context, Allocation::new(size, block, None)))
    }

    /// clSVMFree. Does nothing unless an allocation of clSVMAlloc begins at the address.
    pub fn free(&self, context: &Context, address: usize) {
        drop(self.remove(context, address, |allocation| allocation.usm.is_none()));
    }

    /// Returns address and size of all allocations.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        let allocations = self.by_address.lock();
        allocations.iter().map(|(&at, found)| (at as u64, found.size as u64)).collect()
    }

    /// Returns true for a buffer that contains an allocation.
    pub fn is_in(&self, buffer: &Arc<vk::Buffer>) -> bool {
        let allocations = self.by_address.lock();
        let mut buffers = allocations.values().flat_map(|allocation| &allocation.block.buffers);
        buffers.any(|own| Arc::ptr_eq(own, buffer))
    }

    /// Returns the allocation that contains an address, and the offset in the allocation.
    pub fn find(&self, address: usize) -> Option<(Arc<Allocation>, usize)> {
        let allocations = self.by_address.lock();
        let (base, allocation) = allocations.range(..=address).next_back()?;
        let offset = address - base;
        (offset < allocation.size).then(|| (allocation.clone(), offset))
    }

    /// Returns the allocation that contains `size` bytes at an address; `None` for the host's own memory, CL_INVALID_VALUE if
    /// only some of the bytes are in an allocation.
    pub fn find_range(
        &self,
        address: usize,
        size: usize,
    ) -> Result<Option<(Arc<Allocation>, usize)>> {
        let found = self.find(address);
        if let Some((allocation, offset)) = &found {
            ensure!(size <= allocation.size - offset, CL_INVALID_VALUE);
        }
        Ok(found)
    }
}
