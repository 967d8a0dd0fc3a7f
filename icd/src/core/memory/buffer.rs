//! Buffers and sub-buffers (5.2).

use super::flags::{self, HOST_POINTER};
use super::host::HostAddress;
use super::mapping::Mapped;
use super::operand;
use super::properties::{Import, MemoryProperties};
use super::residency::Storage;
use super::MemBase;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::svm::Allocation;
use crate::core::context::Context;
use crate::core::device::staging::Staging;
use crate::core::device::BASE_ALIGNMENT;
use crate::core::gl::{Object, Shared};
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Returns the error for an object of OpenGL's for which there is no memory.
pub(super) fn no_memory(error: ClError) -> ClError {
    match error.0 {
        CL_MEM_OBJECT_ALLOCATION_FAILURE => ClError(CL_OUT_OF_RESOURCES),
        _ => error,
    }
}

/// A buffer or sub-buffer.
pub struct Buffer {
    base: MemBase,
    /// The address on each device of the context (CL_MEM_DEVICE_ADDRESS_EXT); empty unless requested at creation.
    pub device_addresses: Vec<u64>,
    /// The origin of the memory, if it is another API's.
    pub import: Option<Import>,
    /// The buffer that a sub-buffer is part of.
    pub parent: Option<Ref<Buffer>>,
    /// Offset of the object's bytes in the device's buffer, for sub-buffers and objects in shared virtual memory.
    pub origin: usize,
    /// The host's address, if the bytes are shared virtual memory or [`Buffer::is_host_memory`].
    pub svm: Option<HostAddress>,
    /// True if the bytes are the application's own memory (`host_memory.rs`).
    pub is_host_memory: bool,
    pub(super) storage: Storage,
    /// True if nothing can have written the bytes yet; false if that is not known.
    pub(super) unwritten: AtomicBool,
    /// The mapped regions of a buffer and of its sub-buffers.
    pub(super) maps: Mutex<Vec<Mapped>>,
    /// Staging memory of the last mapping, kept because large pinned memory is slow to make. A buffer with
    /// CL_MEM_ALLOC_HOST_PTR has some from the beginning, for all of its bytes.
    pub(super) spare: Mutex<Option<Arc<Staging>>>,
}

impl Deref for Buffer {
    type Target = MemBase;
    fn deref(&self) -> &MemBase {
        &self.base
    }
}

impl Kind for Buffer {
    type Target = _cl_mem;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }

    fn reachable(&self) -> bool {
        self.has_children()
    }

    fn dropped(&mut self, handle: cl_mem) {
        self.forget_mappings();
        if let Some(parent) = &self.parent {
            parent.remove_child();
        }
        self.forget_host_memory();
        if !self.is_svm() {
            self.context.addresses.remove(&self.device_addresses);
        }
        self.base.call_destructors(handle);
    }
}

impl Buffer {
    /// clCreateBuffer. `host` is the application's pointer, not NULL when given.
    pub fn new(
        context: Ref<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: Option<HostAddress>,
        properties: MemoryProperties,
    ) -> Result<Ref<Buffer>> {
        flags::check(flags)?;
        if properties.import.is_some() {
            ensure!(flags & HOST_POINTER == 0, CL_INVALID_VALUE);
            ensure!(host.is_none(), CL_INVALID_HOST_PTR);
        }
        ensure!(size > 0, CL_INVALID_BUFFER_SIZE);
        let fits = context.devices.iter().any(|d| size as u64 <= d.max_allocation());
        ensure!(fits, CL_INVALID_BUFFER_SIZE);
        let wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        ensure!(wants_host == host.is_some(), CL_INVALID_HOST_PTR);
        flags::check_contents(flags, properties.import.is_some())?;
        let flags = flags::with_access(flags);

        let shared = host.and_then(|host| context.svm.find(host.0));
        if let Some((allocation, offset)) = &shared {
            ensure!(size <= allocation.size - offset, CL_INVALID_BUFFER_SIZE);
        }
        let used_host = host.filter(|_| flags & CL_MEM_USE_HOST_PTR != 0);
        let shared = shared.filter(|_| used_host.is_some());
        // When the buffer is mapped, the application would not find the bytes at an address that the host does not see.
        let mappable = shared.as_ref().is_none_or(|(allocation, _)| !allocation.is_out_of_reach());
        ensure!(mappable, CL_INVALID_HOST_PTR);
        // Host memory that is shared with the device needs no copy (5.2.1). In a context of several devices, each has a copy.
        let shared = shared.filter(|_| context.gpus.len() == 1);
        let mut mem = match (shared, properties.import) {
            (Some((allocation, offset)), _) => {
                Buffer::within(&allocation, &context, flags, (offset, size), 0)?
            }
            (None, Some(handle)) => {
                let import = (handle, properties.devices.as_deref());
                Buffer::imported(&context, flags, (0, size), import)?
            }
            (None, None) => match used_host {
                Some(host) => Buffer::of_host(&context, flags, size, host)?,
                None => Buffer::with_contents(&context, flags, size, host)?,
            },
        };
        mem.base.properties = properties.list;
        let is_own = matches!(mem.storage, Storage::Single(_)) && mem.import.is_none();
        let has_contents = host.is_some() || properties.device_address || mem.svm.is_some();
        *mem.unwritten.get_mut() = is_own && !has_contents;
        if properties.device_address {
            mem.device_addresses = mem.find_addresses()?;
        }
        mem.reserve_mapping()?;
        let mem = Ref::new(mem);
        if !mem.is_svm() {
            mem.context.addresses.add(&mem.device_addresses, mem.size as u64, &mem);
        }
        Ok(mem)
    }

    /// Returns a buffer for the contents of a buffer of OpenGL.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if there is no memory for the contents; CL_OUT_OF_HOST_MEMORY.
    pub fn of_gl(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        object: Object,
    ) -> Result<Ref<Buffer>> {
        let Some(mut mem) = Buffer::in_gl_memory(context, flags, &object) else {
            tracing::info!("a buffer of OpenGL is shared by copies");
            return Ok(Ref::new(Buffer::for_gl(context, flags, object)?));
        };
        tracing::info!("a buffer of OpenGL is shared without copies");
        mem.base.gl = Some(Box::new(Shared::new(object)));
        mem.reserve_mapping()?;
        Ok(Ref::new(mem))
    }

    /// Like [`Buffer::of_gl`], but returns the buffer before it becomes a memory object.
    pub(super) fn for_gl(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        object: Object,
    ) -> Result<Buffer> {
        let size = object.bytes();
        let fits = context.devices.iter().any(|device| size as u64 <= device.max_allocation());
        ensure!(fits, CL_OUT_OF_RESOURCES);
        let mut mem = Buffer::with_contents(context, flags::with_access(flags), size, None)
            .map_err(no_memory)?;
        mem.base.gl = Some(Box::new(Shared::new(object)));
        mem.reserve_mapping()?;
        Ok(mem)
    }

    /// Removes the object of OpenGL from a buffer that becomes the memory of an image: the image has the object.
    pub(super) fn forget_gl(&mut self) {
        self.base.gl = None;
    }

    /// Returns a buffer of `size` bytes of another API's memory, from the offset `origin` on. `handle`: the kind of handle and
    /// the descriptor; `devices`: the devices that may import it.
    pub(super) fn imported(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        (origin, size): (usize, usize),
        (handle, devices): ((vk::MemoryHandles, i32), Option<&[usize]>),
    ) -> Result<Buffer> {
        let end = origin.checked_add(size).ok_or(ClError(CL_INVALID_BUFFER_SIZE))?;
        let (storage, import) = Storage::imported(context, end, handle, devices)?;
        let base = MemBase::new(context.clone(), flags, size);
        Ok(Buffer { origin, import: Some(import), ..Buffer::of(base, storage) })
    }

    /// Returns a buffer of the application's memory (CL_MEM_USE_HOST_PTR): the application's own bytes if the device shares
    /// them with the host, otherwise a copy.
    fn of_host(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: HostAddress,
    ) -> Result<Buffer> {
        if let Some(shared) = Buffer::in_host_memory(context, flags, size, host) {
            return Ok(shared);
        }
        let mut mem = Buffer::with_contents(context, flags, size, Some(host))?;
        mem.base.host_ptr = Some(host);
        Ok(mem)
    }

    /// Returns a buffer with memory of its own. If `host` is given, the contents are copied from this address.
    fn with_contents(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: Option<HostAddress>,
    ) -> Result<Buffer> {
        let shadowed = host.map_or(Ok(None), |host| operand::behind_shadow(context, host, size))?;
        let current = shadowed.as_ref().map(|b| HostAddress(b.as_ptr() as usize));
        let storage = Storage::new(context, size, current.or(host))?;
        Ok(Buffer::of(MemBase::new(context.clone(), flags, size), storage))
    }

    /// Returns the application's pointer (CL_MEM_USE_HOST_PTR).
    pub fn used_host_ptr(&self) -> Option<HostAddress> {
        self.host_ptr.or(self.svm.filter(|_| self.is_host_memory))
    }

    /// Returns true if the bytes are shared virtual memory.
    pub fn is_svm(&self) -> bool {
        self.svm.is_some() && !self.is_host_memory
    }

    /// Returns a buffer with this storage that is not a part of another buffer.
    pub(super) fn of(base: MemBase, storage: Storage) -> Buffer {
        Buffer {
            base,
            device_addresses: Vec::new(),
            import: None,
            parent: None,
            origin: 0,
            svm: None,
            is_host_memory: false,
            storage,
            unwritten: AtomicBool::new(false),
            maps: Mutex::default(),
            spare: Mutex::default(),
        }
    }

    /// Returns a memory object for a range (first byte, count) of an allocation of shared memory, for commands on a device of
    /// the context. CL_INVALID_VALUE if the device does not reach the memory.
    pub fn of_shared(
        allocation: &Allocation,
        context: &Ref<Context>,
        range: (usize, usize),
        device: usize,
    ) -> Result<Ref<Buffer>> {
        Ok(Ref::new(Buffer::within(allocation, context, CL_MEM_READ_WRITE, range, device)?))
    }

    /// Returns a memory object for a range of an allocation of shared memory, which clCreateBuffer completes.
    pub(super) fn within(
        allocation: &Allocation,
        context: &Ref<Context>,
        flags: cl_mem_flags,
        (offset, size): (usize, usize),
        device: usize,
    ) -> Result<Buffer> {
        let address = HostAddress(allocation.block.address + offset);
        let bytes = allocation.on(&context.gpus[device]).ok_or(ClError(CL_INVALID_VALUE))?;
        let host_ptr = allocation.has_shadow().then_some(address);
        let base = MemBase { host_ptr, ..MemBase::new(context.clone(), flags, size) };
        Ok(Buffer {
            origin: allocation.block.origin + offset,
            svm: Some(address),
            ..Buffer::of(base, Storage::Single(bytes.clone()))
        })
    }

    /// Returns CL_MEM_OFFSET: the offset of a sub-buffer in its parent.
    pub fn offset_in_parent(&self) -> usize {
        self.parent.as_ref().map_or(0, |parent| self.origin - parent.origin)
    }

    /// clCreateSubBuffer of a region.
    pub fn new_sub_buffer(
        parent: &Ref<Buffer>,
        flags: cl_mem_flags,
        region: cl_buffer_region,
    ) -> Result<Ref<Buffer>> {
        ensure!(parent.parent.is_none(), CL_INVALID_MEM_OBJECT);
        flags::check(flags)?;
        ensure!(flags & HOST_POINTER == 0, CL_INVALID_VALUE);
        let access = flags::inherited_access(parent.flags, flags)?;
        let host_access = flags::inherited_host_access(parent.flags, flags)?;
        ensure!(region.size > 0, CL_INVALID_BUFFER_SIZE);
        let end = region.origin.checked_add(region.size);
        ensure!(end.is_some_and(|end| end <= parent.size), CL_INVALID_VALUE);
        ensure!(region.origin.is_multiple_of(BASE_ALIGNMENT), CL_MISALIGNED_SUB_BUFFER_OFFSET);
        parent.add_child();
        let flags = access | host_access | parent.flags & HOST_POINTER;
        let shifted = |host: HostAddress| HostAddress(host.0 + region.origin);
        let base = MemBase::new(parent.context.clone(), flags, region.size);
        let base = MemBase { host_ptr: parent.host_ptr.map(shifted), ..base };
        Ok(Ref::new(Buffer {
            svm: parent.svm.map(shifted),
            is_host_memory: parent.is_host_memory,
            parent: Some(parent.clone()),
            origin: parent.origin + region.origin,
            ..Buffer::of(base, Storage::Parent)
        }))
    }

    /// Returns the buffer that owns the bytes.
    pub fn root(&self) -> &Buffer {
        self.parent.as_deref().unwrap_or(self)
    }

    /// CL_INVALID_GL_OBJECT for an object of OpenGL's that is not acquired, and for parts of such an object: commands would use
    /// a copy that is not current.
    pub fn check_acquired(&self) -> Result<()> {
        ensure!(self.root().is_acquired(), CL_INVALID_GL_OBJECT);
        Ok(())
    }

    /// Returns the position in the context of the device that has the imported memory; `None` for a buffer that is not
    /// imported.
    pub fn imported_at(&self) -> Option<usize> {
        self.import.as_ref().map(|import| import.home)
    }

    /// CL_INVALID_VALUE unless `[offset, offset + size)` is within the buffer.
    pub fn check_range(&self, offset: usize, size: usize) -> Result<()> {
        let end = offset.checked_add(size);
        ensure!(end.is_some_and(|end| end <= self.size), CL_INVALID_VALUE);
        Ok(())
    }
}
