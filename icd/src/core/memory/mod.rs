//! Memory objects: buffers and sub-buffers, where their bytes live on each device of the context,
//! and the regions that are mapped.

pub mod fetch;
pub mod host;
pub mod mapping;
pub mod operand;
pub mod properties;
pub mod rect;
pub mod reservation;
pub mod residency;
pub mod sampler;
mod spans;
mod usage;

use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::context::svm::Allocation;
use crate::core::context::Context;
use crate::core::device::staging::Staging;
use crate::core::device::BASE_ALIGNMENT;
use crate::core::memory::host::HostAddress;
use crate::core::memory::properties::{BufferProperties, Import};
use crate::object::callbacks::UserData;
use crate::object::notify::Notifier;
use crate::object::{callbacks, Kind, Ref};
use mapping::Mapped;
use parking_lot::Mutex;
use residency::Storage;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_POINTER: cl_mem_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// A buffer or sub-buffer.
pub struct Mem {
    pub context: Ref<Context>,
    pub flags: cl_mem_flags,
    pub size: usize,
    /// The application's memory (CL_MEM_USE_HOST_PTR), for sub-buffers shifted by their origin.
    pub host_ptr: Option<HostAddress>,
    pub properties: Vec<cl_mem_properties>,
    /// The address on each device of the context (CL_MEM_DEVICE_ADDRESS_EXT); empty unless requested at creation.
    pub device_addresses: Vec<u64>,
    /// Set if the memory is another API's.
    pub import: Option<Import>,
    /// The buffer that a sub-buffer is part of.
    pub parent: Option<Ref<Mem>>,
    /// Offset of the object's bytes in the device's buffer, for sub-buffers and objects in shared virtual memory.
    pub origin: usize,
    /// The host's address, if the bytes are shared virtual memory.
    pub svm: Option<HostAddress>,
    /// Number of live sub-buffers: the handle stays valid while there are any.
    sub_buffers: AtomicU32,
    storage: Storage,
    /// The mapped regions of a buffer and of its sub-buffers.
    maps: Mutex<Vec<Mapped>>,
    /// Staging memory of the last mapping: large pinned memory is slow to make. With
    /// CL_MEM_ALLOC_HOST_PTR there is some from the beginning, for the whole buffer.
    spare: Mutex<Option<Arc<Staging>>>,
    destructors: Mutex<Vec<(MemDestructor, UserData)>>,
}

impl Kind for Mem {
    type Target = _cl_mem;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }

    fn reachable(&self) -> bool {
        self.sub_buffers.load(Ordering::Acquire) > 0
    }

    fn dropped(&mut self, handle: cl_mem) {
        self.forget_mappings();
        if let Some(parent) = &self.parent {
            parent.sub_buffers.fetch_sub(1, Ordering::AcqRel);
        }
        if self.svm.is_none() {
            self.context.addresses.remove(&self.device_addresses);
        }
        // Most recently registered first (clSetMemObjectDestructorCallback).
        for (callback, data) in self.destructors.get_mut().drain(..).rev() {
            let handle = UserData(handle.cast());
            // The callback may free the memory behind CL_MEM_USE_HOST_PTR: commands that touch it
            // hold the object.
            callbacks::defer(move || {
                if let Some(callback) = callback {
                    // SAFETY: the application registered this function with this data.
                    unsafe { callback(handle.get().cast(), data.get()) };
                }
            });
        }
    }
}

/// Checks flags of clCreateBuffer (5.2.1): unknown bits and contradictions are CL_INVALID_VALUE.
pub fn check_flags(flags: cl_mem_flags) -> Result<()> {
    ensure!(flags & !(ACCESS | HOST_POINTER | HOST_ACCESS) == 0, CL_INVALID_VALUE);
    ensure!((flags & ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
    ensure!((flags & HOST_ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
    let use_host = flags & CL_MEM_USE_HOST_PTR != 0;
    let others = flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure!(!(use_host && others), CL_INVALID_VALUE);
    Ok(())
}

impl Mem {
    /// clCreateBuffer. `host` is the application's pointer, not NULL when given.
    pub fn new_buffer(
        context: Ref<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: Option<HostAddress>,
        properties: BufferProperties,
    ) -> Result<Ref<Mem>> {
        check_flags(flags)?;
        if properties.import.is_some() {
            ensure!(flags & HOST_POINTER == 0, CL_INVALID_VALUE);
            ensure!(host.is_none(), CL_INVALID_HOST_PTR);
        }
        ensure!(size > 0, CL_INVALID_BUFFER_SIZE);
        let fits = context.devices.iter().any(|d| size as u64 <= d.max_allocation());
        ensure!(fits, CL_INVALID_BUFFER_SIZE);
        let wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        ensure!(wants_host == host.is_some(), CL_INVALID_HOST_PTR);
        let flags = if flags & ACCESS == 0 { flags | CL_MEM_READ_WRITE } else { flags };

        let shared = host.and_then(|host| context.svm.find(host.0));
        if let Some((allocation, offset)) = &shared {
            ensure!(size <= allocation.size - offset, CL_INVALID_BUFFER_SIZE);
        }
        // Host memory that is shared with the device needs no copy (5.2.1).
        let used_host = host.filter(|_| flags & CL_MEM_USE_HOST_PTR != 0);
        let mut mem = match (shared.filter(|_| used_host.is_some()), properties.import) {
            (Some((allocation, offset)), _) => {
                Mem::within(&allocation, &context, flags, (offset, size))
            }
            (None, Some(handle)) => {
                let (storage, import) =
                    Storage::imported(&context, size, handle, properties.devices.as_deref())?;
                Mem { import: Some(import), ..Mem::of(context, flags, size, storage) }
            }
            (None, None) => {
                let shadowed =
                    host.map_or(Ok(None), |host| operand::behind_shadow(&context, host, size))?;
                let current = shadowed.as_ref().map(|b| HostAddress(b.as_ptr() as usize));
                let storage = Storage::new(&context, size, current.or(host))?;
                Mem { host_ptr: used_host, ..Mem::of(context, flags, size, storage) }
            }
        };
        mem.properties = properties.list;
        if properties.device_address {
            mem.device_addresses = mem.find_addresses()?;
        }
        mem.reserve_mapping()?;
        let mem = Ref::new(mem);
        if mem.svm.is_none() {
            mem.context.addresses.add(&mem.device_addresses, mem.size as u64, &mem);
        }
        Ok(mem)
    }

    /// Returns a buffer with these bytes and no other properties.
    fn of(context: Ref<Context>, flags: cl_mem_flags, size: usize, storage: Storage) -> Mem {
        Mem {
            context,
            flags,
            size,
            host_ptr: None,
            properties: Vec::new(),
            device_addresses: Vec::new(),
            import: None,
            parent: None,
            origin: 0,
            svm: None,
            sub_buffers: AtomicU32::new(0),
            storage,
            maps: Mutex::default(),
            spare: Mutex::default(),
            destructors: Mutex::default(),
        }
    }

    /// Returns a memory object, for commands, of bytes (first, count) of an allocation of shared virtual
    /// memory.
    pub fn of_shared(
        allocation: &Allocation,
        context: &Ref<Context>,
        flags: cl_mem_flags,
        range: (usize, usize),
    ) -> Ref<Mem> {
        Ref::new(Mem::within(allocation, context, flags, range))
    }

    /// Returns such an object, to be completed by clCreateBuffer.
    fn within(
        allocation: &Allocation,
        context: &Ref<Context>,
        flags: cl_mem_flags,
        (offset, size): (usize, usize),
    ) -> Mem {
        let address = HostAddress(allocation.block.address + offset);
        let storage = Storage::Single(allocation.block.buffer.clone());
        Mem {
            host_ptr: allocation.has_shadow().then_some(address),
            origin: allocation.block.origin + offset,
            svm: Some(address),
            ..Mem::of(context.clone(), flags, size, storage)
        }
    }

    /// Returns CL_MEM_OFFSET: where a sub-buffer begins in its parent.
    pub fn offset_in_parent(&self) -> usize {
        self.parent.as_ref().map_or(0, |parent| self.origin - parent.origin)
    }

    /// clCreateSubBuffer of a region.
    pub fn new_sub_buffer(
        parent: &Ref<Mem>,
        flags: cl_mem_flags,
        region: cl_buffer_region,
    ) -> Result<Ref<Mem>> {
        ensure!(parent.parent.is_none(), CL_INVALID_MEM_OBJECT);
        check_flags(flags)?;
        ensure!(flags & HOST_POINTER == 0, CL_INVALID_VALUE);
        let access = inherited_access(parent.flags, flags)?;
        let host_access = inherited_host_access(parent.flags, flags)?;
        ensure!(region.size > 0, CL_INVALID_BUFFER_SIZE);
        let end = region.origin.checked_add(region.size);
        ensure!(end.is_some_and(|end| end <= parent.size), CL_INVALID_VALUE);
        ensure!(region.origin.is_multiple_of(BASE_ALIGNMENT), CL_MISALIGNED_SUB_BUFFER_OFFSET);
        parent.sub_buffers.fetch_add(1, Ordering::AcqRel);
        let flags = access | host_access | parent.flags & HOST_POINTER;
        let shifted = |host: HostAddress| HostAddress(host.0 + region.origin);
        Ok(Ref::new(Mem {
            host_ptr: parent.host_ptr.map(shifted),
            svm: parent.svm.map(shifted),
            parent: Some(parent.clone()),
            origin: parent.origin + region.origin,
            ..Mem::of(parent.context.clone(), flags, region.size, Storage::Parent)
        }))
    }

    /// Returns the buffer that owns the bytes.
    pub fn root(&self) -> &Mem {
        self.parent.as_deref().unwrap_or(self)
    }

    /// Returns the position in the context of the device whose memory was imported, if the context has several.
    pub fn imported_at(&self) -> Option<usize> {
        self.import.as_ref().map(|import| import.home)
    }

    /// Returns true if the host may read (clEnqueueReadBuffer, CL_MAP_READ).
    pub fn host_readable(&self) -> bool {
        self.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// Returns true if the host may write (clEnqueueWriteBuffer, CL_MAP_WRITE).
    pub fn host_writable(&self) -> bool {
        self.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// CL_INVALID_VALUE unless `[offset, offset + size)` lies within.
    pub fn check_range(&self, offset: usize, size: usize) -> Result<()> {
        let end = offset.checked_add(size);
        ensure!(end.is_some_and(|end| end <= self.size), CL_INVALID_VALUE);
        Ok(())
    }

    pub fn add_destructor(&self, callback: MemDestructor, data: UserData) {
        self.destructors.lock().push((callback, data));
    }
}

/// Access flags of a sub-buffer: inherited when none are given; never wider than the parent's.
fn inherited_access(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    let wanted = flags & ACCESS;
    let forbidden = if parent & CL_MEM_WRITE_ONLY != 0 {
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY
    } else if parent & CL_MEM_READ_ONLY != 0 {
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY
    } else {
        0
    };
    ensure!(wanted & forbidden == 0, CL_INVALID_VALUE);
    Ok(if wanted == 0 { parent & ACCESS } else { wanted })
}

/// Returns the host access flags of a sub-buffer in the same way.
fn inherited_host_access(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    let wanted = flags & HOST_ACCESS;
    let forbidden = if parent & CL_MEM_HOST_WRITE_ONLY != 0 {
        CL_MEM_HOST_READ_ONLY
    } else if parent & CL_MEM_HOST_READ_ONLY != 0 {
        CL_MEM_HOST_WRITE_ONLY
    } else if parent & CL_MEM_HOST_NO_ACCESS != 0 {
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY
    } else {
        0
    };
    ensure!(wanted & forbidden == 0, CL_INVALID_VALUE);
    Ok(if wanted == 0 { parent & HOST_ACCESS } else { wanted })
}
