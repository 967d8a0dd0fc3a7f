//! Shared virtual memory (5.6): allocations that host and device know by one address.
//!
//! The address is the one that the device gave the allocation. On many devices (software and some
//! integrated ones) it is where the host finds the bytes too; then sharing is fine-grained. Elsewhere
//! the host gets memory of its own at that address, a *shadow*, which maps and unmaps keep in step
//! with the device's: coarse-grained sharing.

use super::context::Context;
use super::gpu::Gpu;
use super::host::HostAddress;
use super::memory::Mem;
use crate::api::cl::*;
use crate::core::error::{ensure, fail, Result};
use crate::object::Ref;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Shadows consist of whole pages.
const PAGE: usize = 4096;
/// How many allocations are tried for one whose address is free on the host.
const TRIES: usize = 8;
/// The alignment of the largest built-in type, long16: the default, and the most that may be asked for.
const MAX_ALIGNMENT: usize = 128;

/// How a device shares addresses with the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    None,
    /// The host has a shadow at the device's address.
    Shadow,
    /// The device's address is where the host finds the bytes.
    Direct,
}

impl Sharing {
    /// What a device does, found out with a small allocation.
    pub fn probe(gpu: &Gpu) -> Sharing {
        match Allocation::new(gpu, PAGE, MAX_ALIGNMENT) {
            Ok(allocation) if allocation.shadow.is_none() => Sharing::Direct,
            Ok(_) => Sharing::Shadow,
            Err(_) => Sharing::None,
        }
    }

    /// CL_DEVICE_SVM_CAPABILITIES.
    pub fn capabilities(self) -> u64 {
        match self {
            Sharing::None => 0,
            Sharing::Shadow => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
            Sharing::Direct => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
        }
    }
}

/// Anonymous memory of the process at an address of our choice.
struct Shadow {
    address: usize,
    size: usize,
}

impl Shadow {
    /// Takes whole pages at `address`, unless the process uses some of them.
    fn at(address: usize, size: usize) -> Option<Shadow> {
        let size = size.next_multiple_of(PAGE);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE
            | libc::MAP_ANONYMOUS
            | libc::MAP_NORESERVE
            | libc::MAP_FIXED_NOREPLACE;
        let wanted = address as *mut libc::c_void;
        // SAFETY: NOREPLACE leaves alone what is mapped there already.
        let got = unsafe { libc::mmap(wanted, size, protection, flags, -1, 0) };
        if got == libc::MAP_FAILED {
            return None;
        }
        let shadow = Shadow { address: got as usize, size };
        // Kernels older than NOREPLACE take the address for a hint.
        (got == wanted).then_some(shadow)
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // SAFETY: the pages were mapped for this object, and the application has given them back.
        unsafe { libc::munmap(self.address as *mut libc::c_void, self.size) };
    }
}

/// A region that the host has mapped.
struct SharedMap {
    address: usize,
    size: usize,
    flags: cl_map_flags,
}

/// One allocation.
pub struct Allocation {
    pub address: usize,
    pub size: usize,
    pub buffer: Arc<vk::Buffer>,
    /// Where the allocation begins in the buffer.
    origin: usize,
    shadow: Option<Shadow>,
    maps: Mutex<Vec<SharedMap>>,
}

impl Allocation {
    fn new(gpu: &Gpu, size: usize, alignment: usize) -> Result<Allocation> {
        let alignment = alignment.max(PAGE);
        let Some(room) = size.checked_add(alignment + PAGE) else {
            return fail(CL_OUT_OF_RESOURCES);
        };
        // Those whose address is taken are kept until one is found, lest they be tried again.
        let mut taken = Vec::new();
        for _ in 0..TRIES {
            let buffer = gpu.device.create_buffer(room as u64, vk::MemoryKind::Device)?;
            let address = (buffer.address() as usize).next_multiple_of(alignment);
            let origin = address - buffer.address() as usize;
            let seen = buffer.mapped().map(|base| base.as_ptr() as usize + origin);
            let direct = seen == Some(address) && buffer.is_coherent();
            let shadow = if direct { None } else { Shadow::at(address, size) };
            if direct || shadow.is_some() {
                let maps = Mutex::default();
                return Ok(Allocation { address, size, buffer, origin, shadow, maps });
            }
            taken.push(buffer);
        }
        fail(CL_OUT_OF_RESOURCES)
    }

    /// A memory object of the bytes from `offset` on, for commands.
    pub fn mem(
        &self,
        context: &Ref<Context>,
        flags: cl_mem_flags,
        offset: usize,
        size: usize,
    ) -> Ref<Mem> {
        Ref::new(self.body(context, flags, offset, size))
    }

    /// The same, to be completed by clCreateBuffer.
    pub fn body(
        &self,
        context: &Ref<Context>,
        flags: cl_mem_flags,
        offset: usize,
        size: usize,
    ) -> Mem {
        let address = HostAddress(self.address + offset);
        let shadow = self.shadow.is_some();
        Mem::of_shared(
            context,
            self.buffer.clone(),
            flags,
            (self.origin + offset, size),
            address,
            shadow,
        )
    }

    /// Whether host and device have different memory at the address.
    pub fn has_shadow(&self) -> bool {
        self.shadow.is_some()
    }

    /// Notes that the host has mapped a region.
    pub fn add_map(&self, address: usize, size: usize, flags: cl_map_flags) {
        self.maps.lock().push(SharedMap { address, size, flags });
    }

    /// Removes the newest map that begins at an address: its size, and whether the host may have
    /// written there. CL_INVALID_VALUE when there is none.
    pub fn take_map(&self, address: usize) -> Result<(usize, bool)> {
        let mut maps = self.maps.lock();
        let Some(index) = maps.iter().rposition(|map| map.address == address) else {
            return fail(CL_INVALID_VALUE);
        };
        let map = maps.remove(index);
        Ok((map.size, map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0))
    }
}

/// The allocations of a context, by address.
#[derive(Default)]
pub struct Allocations(Mutex<BTreeMap<usize, Arc<Allocation>>>);

impl Allocations {
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
        let allocation = Arc::new(Allocation::new(gpu, size, alignment)?);
        let address = allocation.address;
        self.0.lock().insert(address, allocation);
        Ok(address)
    }

    /// clSVMFree. Nothing happens for an address that no allocation begins at.
    pub fn free(&self, address: usize) {
        let allocation = self.0.lock().remove(&address);
        drop(allocation);
    }

    /// The allocation that an address lies in, and the offset there.
    pub fn find(&self, address: usize) -> Option<(Arc<Allocation>, usize)> {
        let allocations = self.0.lock();
        let (base, allocation) = allocations.range(..=address).next_back()?;
        let offset = address - base;
        (offset < allocation.size).then(|| (allocation.clone(), offset))
    }

    /// The allocation that `size` bytes at an address lie in; `None` for the host's own memory,
    /// CL_INVALID_VALUE for bytes of which only some lie in one.
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
