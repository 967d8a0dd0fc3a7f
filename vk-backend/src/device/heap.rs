//! Device memory: the memory type of each buffer and image, and allocation.
//!
//! Small buffers and images share blocks (gpu-allocator). Large ones have a dedicated allocation, so that freeing one frees its
//! memory at once and drivers can place it well.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::time::Duration;

use ash::vk;
use gpu_allocator::vulkan as pool;
use gpu_allocator::{AllocationError, AllocationSizes, MemoryLocation};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::config;
use crate::device::incoherent::HostCopy;
use crate::device::kept_resources::{Keepable, Kept, KeptResources, FREED_AFTER};
use crate::error::Error;
use crate::physical::{MemoryKind, MemoryTypes, PhysicalDevice};

/// Buffers of at least this many bytes have a dedicated allocation. (A block that they would share is made and freed with them:
/// on an H200 1.4 ms for a buffer of 60 MiB, and 0.9 with an allocation of its own.)
const DEDICATED: u64 = 16 << 20;
/// Buffers of fewer bytes are in device memory that the host sees, where the device has it (resizable BAR).
const SEEN: u64 = 64 << 20;
/// Freed buffers and images of at least this many bytes are kept for a while.
const KEPT: u64 = 64 << 10;
/// Bytes of the first and of the largest block that small buffers share: device memory, host-visible memory.
const DEVICE_BLOCK: (u64, u64) = (16 << 20, 128 << 20);
const HOST_BLOCK: (u64, u64) = (8 << 20, 64 << 20);
/// The address of every buffer is a multiple of this.
pub(crate) const ALIGNMENT: u64 = 256;

/// A buffer or image that memory is allocated for.
#[derive(Clone, Copy)]
pub(crate) enum Resource {
    Buffer(vk::Buffer),
    /// An image of optimal tiling.
    Image(vk::Image),
}

/// Memory bound to one buffer or image.
pub(crate) struct Memory {
    backing: Backing,
    /// The memory type, if a freed buffer or image of this memory may be kept for the next one.
    keeps: Option<u32>,
    /// Null for memory of several allocations, which is never mapped.
    pub(crate) raw: vk::DeviceMemory,
    /// Offset of the buffer in `raw`.
    pub(crate) offset: u64,
    /// Bytes of `raw` that are the buffer's.
    pub(crate) size: u64,
    pub(crate) mapped: Option<NonNull<u8>>,
    pub(crate) coherent: bool,
    /// The host's copy of the memory, if the memory is simulated to be non-coherent.
    pub(crate) host_copy: Option<HostCopy>,
    /// True for the device's own memory.
    pub(crate) device_local: bool,
    /// The kinds of handle that other buffers must name to be bound to `raw`, too; `None` where `raw` is one buffer's alone.
    pub(crate) shareable: Option<vk::ExternalMemoryHandleTypeFlags>,
}

// SAFETY: the mapped pointer is only an address; accesses through it are the buffer's responsibility.
unsafe impl Send for Memory {}
// SAFETY: as above; nothing in `Memory` changes through a shared reference.
unsafe impl Sync for Memory {}

impl Memory {
    /// Returns a part of this memory: `size` bytes from `offset` on. The part is freed with this memory, which must outlive it.
    pub(crate) fn part(&self, offset: u64, size: u64) -> Memory {
        let there =
            |mapped: NonNull<u8>| NonNull::new(mapped.as_ptr().wrapping_add(offset as usize));
        Memory {
            backing: Backing::Part,
            keeps: None,
            raw: self.raw,
            offset: self.offset + offset,
            size,
            mapped: self.mapped.and_then(there),
            coherent: self.coherent,
            host_copy: None,
            device_local: self.device_local,
            shareable: self.shareable,
        }
    }

    /// Returns true for memory in a block of the pool.
    fn is_shared(&self) -> bool {
        matches!(self.backing, Backing::Pool(_))
    }

    /// Returns memory without an allocation, for tests.
    #[cfg(test)]
    pub(crate) fn of_nothing(size: u64) -> Memory {
        Memory {
            backing: Backing::Part,
            keeps: None,
            raw: vk::DeviceMemory::null(),
            offset: 0,
            size,
            mapped: None,
            coherent: true,
            host_copy: None,
            device_local: true,
            shareable: None,
        }
    }

    /// Gives the host a copy of mapped memory, which flushes and invalidations bring up to date.
    fn simulate_noncoherent(&mut self) {
        self.host_copy = self.mapped.and_then(|mapped| HostCopy::new(mapped, self.size));
        if let Some(copy) = &self.host_copy {
            self.mapped = Some(copy.address());
            self.coherent = false;
        }
    }
}

/// The memory that the small buffers of a device use, in bytes. Buffers of 16 MiB and more, and imported ones, do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolUse {
    /// Bytes that the small buffers use.
    pub held: u64,
    /// Bytes of the blocks that these buffers share.
    pub reserved: u64,
}

enum Backing {
    Pool(pool::Allocation),
    Dedicated,
    /// Several allocations in sequence, bound to a sparse buffer.
    Several(Vec<vk::DeviceMemory>),
    /// A part of the memory of another buffer.
    Part,
}

/// Arranges for [`crate::Device::free_unused`] to be called after some time.
pub type FreeLater = Box<dyn Fn(Duration) + Send + Sync>;

/// Allocates and frees the memory of one device.
pub(crate) struct Heap {
    /// `None` once the device is being destroyed.
    pool: Mutex<Option<pool::Allocator>>,
    kept: KeptResources,
    free_later: OnceCell<FreeLater>,
    pub(crate) types: MemoryTypes,
    unified: bool,
    rebar: bool,
    /// True if mapped memory is simulated to be non-coherent.
    noncoherent: bool,
    atom: u64,
}

impl Heap {
    pub(crate) fn new(p: &PhysicalDevice, device: &ash::Device) -> Result<Heap, Error> {
        let desc = pool::AllocatorCreateDesc {
            instance: p.instance.raw.clone(),
            device: device.clone(),
            physical_device: p.raw,
            debug_settings: Default::default(),
            buffer_device_address: true,
            allocation_sizes: AllocationSizes::new(DEVICE_BLOCK.0, HOST_BLOCK.0)
                .with_max_device_memblock_size(DEVICE_BLOCK.1)
                .with_max_host_memblock_size(HOST_BLOCK.1),
        };
        let pool = pool::Allocator::new(&desc).map_err(from_pool)?;
        Ok(Heap {
            pool: Mutex::new(Some(pool)),
            kept: KeptResources::default(),
            free_later: OnceCell::new(),
            types: p.memory_types(),
            unified: p.info.memory.unified,
            rebar: p.info.memory.rebar,
            noncoherent: config::noncoherent(),
            atom: p.info.limits.non_coherent_atom_size,
        })
    }

    /// Frees every shared block and what is kept. Called once, when no buffers are left.
    pub(crate) fn close(&self, device: &ash::Device) {
        self.free_kept(device);
        drop(self.pool.lock().take());
    }

    /// Returns a buffer or image that suits and was freed a moment ago, with its memory.
    pub(crate) fn take_kept<R: Keepable>(
        &self,
        device: &ash::Device,
        suits: impl Fn(&R) -> bool,
    ) -> Option<(Box<R>, Memory)> {
        let kept = self.kept.take(suits);
        self.destroy_all(device, self.kept.take_old());
        kept
    }

    /// Destroys a buffer or image and frees its memory: at once where it is small, or not whole because making it has failed.
    ///
    /// # Safety
    /// Nothing uses it any more: the caller is the last owner, and batches that use it own it too.
    pub(crate) unsafe fn free_resource(&self, device: &ash::Device, one: Kept, is_whole: bool) {
        let Memory { keeps, size, .. } = one.memory;
        match keeps.filter(|_| is_whole && size >= KEPT && one.memory.host_copy.is_none()) {
            Some(index) => {
                self.destroy_all(device, self.kept.keep(one, self.types.heap_size(index)));
                self.ask_to_be_freed();
            }
            None => self.destroy(device, one),
        }
    }

    /// Frees what is kept for too long.
    pub(crate) fn free_old(&self, device: &ash::Device) {
        self.destroy_all(device, self.kept.take_old());
        self.ask_to_be_freed();
    }

    /// Sets who frees what is kept, while the program makes and frees nothing.
    pub(crate) fn set_free_later(&self, free_later: FreeLater) {
        let _ = self.free_later.set(free_later);
    }

    fn ask_to_be_freed(&self) {
        if let Some(free_later) = self.free_later.get() {
            if self.kept.asks_to_be_freed() {
                free_later(FREED_AFTER);
            }
        }
    }

    /// Allocates; where memory is short, frees what is kept and allocates again.
    fn with_room<T>(
        &self,
        device: &ash::Device,
        allocate: impl Fn() -> Result<T, Error>,
    ) -> Result<T, Error> {
        match allocate() {
            Err(e) if e.is_out_of_memory() && self.free_kept(device) => allocate(),
            result => result,
        }
    }

    /// Frees what is kept. Returns false if that was nothing.
    fn free_kept(&self, device: &ash::Device) -> bool {
        let kept = self.kept.take_all();
        let some = !kept.is_empty();
        self.destroy_all(device, kept);
        some
    }

    fn destroy_all(&self, device: &ash::Device, kept: Vec<Kept>) {
        kept.into_iter().for_each(|one| self.destroy(device, one));
    }

    fn destroy(&self, device: &ash::Device, Kept { resource, memory }: Kept) {
        // SAFETY: whoever gave it to this heap has promised so.
        unsafe { resource.destroy(device) };
        self.free(device, memory);
    }

    pub(crate) fn pool_use(&self) -> PoolUse {
        let pool = self.pool.lock();
        let report = pool.as_ref().map(|pool| pool.generate_report());
        report.map_or(PoolUse::default(), |report| PoolUse {
            held: report
                .total_allocated_bytes
                .saturating_sub(self.kept.bytes_in(Memory::is_shared)),
            reserved: report.total_capacity_bytes,
        })
    }

    /// Allocates memory for `resource`, which has the requirements `needs` and is not bound yet.
    pub(crate) fn allocate(
        &self,
        device: &ash::Device,
        resource: Resource,
        needs: vk::MemoryRequirements,
        kind: MemoryKind,
    ) -> Result<Memory, Error> {
        let is_buffer = matches!(resource, Resource::Buffer(_));
        let rebar = self.rebar && is_buffer && needs.size < SEEN;
        let types = self.types.ranked(needs.memory_type_bits, kind, rebar);
        let mut last = Error::Unsupported("no memory type suits a buffer or image".into());
        for index in types {
            let flags = self.types.flags(index);
            let made = self.with_room(device, || match needs.size >= DEDICATED {
                true => self.allocate_dedicated(device, resource, &needs, index),
                false => self.allocate_shared(resource, needs, index),
            });
            match made {
                Ok(mut m) => {
                    m.coherent = flags.contains(vk::MemoryPropertyFlags::HOST_COHERENT);
                    m.device_local = flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
                    if self.noncoherent && is_buffer && kind != MemoryKind::Upload {
                        m.simulate_noncoherent();
                    }
                    return Ok(m);
                }
                Err(e) if e.is_out_of_memory() => last = e,
                Err(e) => return Err(e),
            }
        }
        Err(last)
    }

    /// Allocates memory for a sparse buffer with the requirements `needs`, in allocations of at most `most` bytes. Returns the
    /// memory with the binds to make.
    pub(crate) fn allocate_several(
        &self,
        device: &ash::Device,
        needs: vk::MemoryRequirements,
        most: u64,
    ) -> Result<(Memory, Vec<vk::SparseMemoryBind>), Error> {
        // The alignment is the size of a block that can be bound.
        let piece = (most / needs.alignment * needs.alignment).max(needs.alignment);
        let mut last = Error::Unsupported("no memory type suits a sparse buffer".into());
        for index in self.types.ranked(needs.memory_type_bits, MemoryKind::Device, false) {
            let allocate = || self.allocate_pieces(device, needs.size, piece, index);
            match self.with_room(device, allocate) {
                Ok(binds) => {
                    let pieces = binds.iter().map(|b| b.memory).collect();
                    let memory = Memory {
                        backing: Backing::Several(pieces),
                        keeps: None,
                        raw: vk::DeviceMemory::null(),
                        offset: 0,
                        size: needs.size,
                        mapped: None,
                        coherent: true,
                        host_copy: None,
                        device_local: true,
                        shareable: None,
                    };
                    return Ok((memory, binds));
                }
                Err(e) if e.is_out_of_memory() => last = e,
                Err(e) => return Err(e),
            }
        }
        Err(last)
    }

    /// Makes allocations of `piece` bytes, the last one smaller, that add up to `size`. If one fails, none is kept.
    fn allocate_pieces(
        &self,
        device: &ash::Device,
        size: u64,
        piece: u64,
        index: u32,
    ) -> Result<Vec<vk::SparseMemoryBind>, Error> {
        if size > self.types.heap_size(index) {
            return Err(Error::OutOfDeviceMemory);
        }
        let mut binds: Vec<vk::SparseMemoryBind> = Vec::new();
        let mut offset = 0;
        while offset < size {
            let wanted = piece.min(size - offset);
            let mut flags = vk::MemoryAllocateFlagsInfo::default()
                .flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(wanted)
                .memory_type_index(index)
                .push_next(&mut flags);
            // SAFETY: the size fits the heap, the type is one the buffer takes.
            match unsafe { device.allocate_memory(&info, None) } {
                Ok(memory) => binds.push(
                    vk::SparseMemoryBind::default()
                        .resource_offset(offset)
                        .size(wanted)
                        .memory(memory),
                ),
                Err(e) => {
                    for made in binds {
                        // SAFETY: just allocated, and bound to nothing.
                        unsafe { device.free_memory(made.memory, None) };
                    }
                    return Err(Error::from_vk("vkAllocateMemory", e));
                }
            }
            offset += wanted;
        }
        Ok(binds)
    }

    fn allocate_shared(
        &self,
        resource: Resource,
        needs: vk::MemoryRequirements,
        index: u32,
    ) -> Result<Memory, Error> {
        // The size is in whole non-coherent atoms, so that flushing and invalidating a buffer never touches its neighbours.
        let alignment = needs.alignment.max(ALIGNMENT).max(self.atom);
        let size = needs.size.next_multiple_of(self.atom);
        let requirements = vk::MemoryRequirements { size, alignment, memory_type_bits: 1 << index };
        let desc = pool::AllocationCreateDesc {
            name: match resource {
                Resource::Buffer(_) => "buffer",
                Resource::Image(_) => "image",
            },
            requirements,
            // The bits are those of the type that is already chosen.
            location: MemoryLocation::Unknown,
            linear: matches!(resource, Resource::Buffer(_)),
            allocation_scheme: pool::AllocationScheme::GpuAllocatorManaged,
        };
        let mut pool = self.pool.lock();
        let pool = pool.as_mut().ok_or(Error::DeviceLost)?;
        let allocation = pool.allocate(&desc).map_err(from_pool)?;
        if allocation.mapped_ptr().is_some_and(|p| !is_mapping(p.cast())) {
            let _ = pool.free(allocation);
            return Err(NO_ROOM_FOR_MAPPING);
        }
        Ok(Memory {
            // SAFETY: the handle is only bound to the buffer that owns this allocation.
            raw: unsafe { allocation.memory() },
            offset: allocation.offset(),
            size,
            mapped: allocation.mapped_ptr().map(NonNull::cast),
            coherent: false,
            host_copy: None,
            device_local: false,
            shareable: Some(vk::ExternalMemoryHandleTypeFlags::empty()),
            backing: Backing::Pool(allocation),
            keeps: Some(index),
        })
    }

    fn allocate_dedicated(
        &self,
        device: &ash::Device,
        resource: Resource,
        needs: &vk::MemoryRequirements,
        index: u32,
    ) -> Result<Memory, Error> {
        if needs.size > self.types.heap_size(index) {
            return Err(Error::OutOfDeviceMemory);
        }
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default();
        let mut flags = vk::MemoryAllocateFlagsInfo::default();
        match resource {
            Resource::Buffer(buffer) => {
                dedicated = dedicated.buffer(buffer);
                flags = flags.flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            }
            Resource::Image(image) => dedicated = dedicated.image(image),
        }
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index)
            .push_next(&mut dedicated)
            .push_next(&mut flags);
        // SAFETY: the size fits the heap, the type is one the buffer takes, the chain outlives the call.
        let raw = unsafe { device.allocate_memory(&info, None) }
            .map_err(|e| Error::from_vk("vkAllocateMemory", e))?;
        let is_buffer = matches!(resource, Resource::Buffer(_));
        let mut memory = Memory {
            backing: Backing::Dedicated,
            keeps: Some(index),
            raw,
            offset: 0,
            size: needs.size,
            mapped: None,
            coherent: false,
            host_copy: None,
            device_local: false,
            shareable: None,
        };
        if is_buffer && self.types.flags(index).contains(vk::MemoryPropertyFlags::HOST_VISIBLE) {
            match map(device, raw) {
                Ok(p) => memory.mapped = Some(p),
                Err(e) => {
                    self.free(device, memory);
                    return Err(e);
                }
            }
        }
        Ok(memory)
    }

    /// Imports the host's `size` bytes at `ptr`.
    ///
    /// # Safety
    /// `ptr` and `size` are multiples of minImportedHostPointerAlignment, and those bytes stay
    /// allocated until the memory is freed.
    pub(crate) unsafe fn import(
        &self,
        device: &ash::Device,
        functions: &ash::ext::external_memory_host::Device,
        ptr: NonNull<u8>,
        size: u64,
        needs: &vk::MemoryRequirements,
    ) -> Result<Memory, Error> {
        let handle = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
        let address = ptr.as_ptr().cast::<c_void>();
        let bits = host_pointer_types(device, functions, address)?;
        let candidates =
            self.types.ranked(bits & needs.memory_type_bits, MemoryKind::Readback, false);
        let coherent = |i: &u32| {
            let flags = self.types.flags(*i);
            flags.contains(vk::MemoryPropertyFlags::HOST_COHERENT)
        };
        let index = candidates
            .into_iter()
            .find(coherent)
            .ok_or_else(|| Error::Unsupported("this host memory cannot be imported".into()))?;
        let mut import =
            vk::ImportMemoryHostPointerInfoEXT::default().handle_type(handle).host_pointer(address);
        let mut flags =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(index)
            .push_next(&mut import)
            .push_next(&mut flags);
        // SAFETY: pointer and size are aligned and allocated (the caller's promise); the type is one
        // that both the pointer and the buffer take.
        let raw = unsafe { device.allocate_memory(&info, None) }
            .map_err(|e| Error::from_vk("vkAllocateMemory", e))?;
        let backing = Backing::Dedicated;
        let mapped = Some(ptr);
        Ok(Memory {
            backing,
            keeps: None,
            raw,
            offset: 0,
            size,
            mapped,
            coherent: true,
            host_copy: None,
            device_local: false,
            shareable: Some(handle),
        })
    }

    /// Frees memory. The buffer bound to it has already been destroyed.
    pub(crate) fn free(&self, device: &ash::Device, memory: Memory) {
        match memory.backing {
            Backing::Pool(allocation) => {
                if let Some(pool) = self.pool.lock().as_mut() {
                    if let Err(e) = pool.free(allocation) {
                        tracing::error!("freeing device memory: {e}");
                    }
                }
            }
            // SAFETY: the memory is this object's alone and nothing is bound to it any more.
            // Freeing unmaps.
            Backing::Dedicated => unsafe { device.free_memory(memory.raw, None) },
            Backing::Several(pieces) => {
                for piece in pieces {
                    // SAFETY: as above; the sparse buffer they were bound to is destroyed.
                    unsafe { device.free_memory(piece, None) };
                }
            }
            Backing::Part => {}
        }
    }

    /// Wraps an allocation of type `index` that was just imported. The memory is mapped if it is unified and the driver can map
    /// it.
    pub(crate) fn imported(
        &self,
        device: &ash::Device,
        raw: vk::DeviceMemory,
        size: u64,
        index: u32,
    ) -> Memory {
        let flags = self.types.flags(index);
        let visible = self.unified && flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE);
        Memory {
            backing: Backing::Dedicated,
            keeps: None,
            raw,
            offset: 0,
            size,
            mapped: visible.then(|| map(device, raw).ok()).flatten(),
            coherent: flags.contains(vk::MemoryPropertyFlags::HOST_COHERENT),
            host_copy: None,
            device_local: flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL),
            shareable: None,
        }
    }
}

/// The error where the process has no room to map memory of a buffer, so that the buffer cannot be made
/// (CL_MEM_OBJECT_ALLOCATION_FAILURE).
const NO_ROOM_FOR_MAPPING: Error = Error::OutOfDeviceMemory;

/// Returns false for addresses that cannot be mappings: mappings are aligned to minMemoryMapAlignment, 64 bytes at least.
/// (lavapipe of Mesa 25.0 takes MAP_FAILED, all ones, for an address where the process has no room for a mapping.)
fn is_mapping(p: NonNull<u8>) -> bool {
    p.addr().get().is_multiple_of(64)
}

/// Maps the whole of `memory`.
fn map(device: &ash::Device, memory: vk::DeviceMemory) -> Result<NonNull<u8>, Error> {
    // SAFETY: the memory is host visible, not mapped yet, and no other thread knows it.
    let p = unsafe { device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) }
        .map_err(|e| match e {
            vk::Result::ERROR_MEMORY_MAP_FAILED => NO_ROOM_FOR_MAPPING,
            e => Error::from_vk("vkMapMemory", e),
        })?;
    NonNull::new(p.cast()).filter(|p| is_mapping(*p)).ok_or(NO_ROOM_FOR_MAPPING)
}

/// Returns the memory types with which the host memory at `ptr` can be imported.
fn host_pointer_types(
    device: &ash::Device,
    functions: &ash::ext::external_memory_host::Device,
    ptr: *const c_void,
) -> Result<u32, Error> {
    let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
    // SAFETY: the extension is enabled (its functions were loaded), the pointer is aligned.
    unsafe {
        (functions.fp().get_memory_host_pointer_properties_ext)(
            device.handle(),
            vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT,
            ptr,
            &mut properties,
        )
    }
    .result()
    .map_err(|e| match e {
        vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => {
            Error::Unsupported("this host memory cannot be imported".into())
        }
        e => Error::from_vk("vkGetMemoryHostPointerPropertiesEXT", e),
    })?;
    Ok(properties.memory_type_bits)
}

fn from_pool(e: AllocationError) -> Error {
    match e {
        AllocationError::OutOfMemory => Error::OutOfDeviceMemory,
        AllocationError::FailedToMap(_) => NO_ROOM_FOR_MAPPING,
        // The allocator reports other results of vkAllocateMemory only as text.
        AllocationError::Internal(text) if text.contains("HOST_MEMORY") => Error::OutOfHostMemory,
        AllocationError::Internal(text) if text.contains("DEVICE_LOST") => Error::DeviceLost,
        AllocationError::Internal(text) if text.contains("TOO_MANY") => Error::OutOfDeviceMemory,
        other => Error::Unsupported(format!("device memory cannot be allocated: {other}")),
    }
}
