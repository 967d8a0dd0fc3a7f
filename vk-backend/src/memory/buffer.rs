//! Buffers: memory with a device address, mapped where the host can reach it.

use std::any::Any;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use ash::vk;

use crate::device::{Device, Keepable, Kept, Memory, Resource};
use crate::error::Error;
use crate::memory::host_copy::copy;
use crate::memory::import_fd::{import_fd, Importer};
use crate::physical::{MemoryHandles, MemoryKind, BUFFER_PADDING, BUFFER_USAGE};
use crate::platform::Descriptor;

/// Bytes of a copy that leaves nothing of use in the host's caches: source and destination together are as large as a
/// last-level cache.
const BEYOND_CACHES: usize = 16 << 20;

/// The host's access to a buffer's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HostAccess {
    /// The host accesses the bytes through commands only.
    None,
    /// Mapped through the resizable BAR of a discrete device: writes stream, each read waits for a round trip
    /// across the bus (about a microsecond for every 16 bytes).
    Rebar,
    /// Mapped, in memory that the host reads as its own.
    Memory,
}

/// A piece of device memory with an address that kernels can use.
///
/// The address is a multiple of 256, and at least [`Buffer::size`] rounded up to 16 bytes may be
/// accessed. A buffer must not be dropped while submitted commands use it: give it to
/// [`crate::Recorder::retain`] (copies and fills retain theirs by themselves).
pub struct Buffer {
    device: Arc<Device>,
    pub(crate) raw: vk::Buffer,
    /// `None` only while dropping.
    memory: Option<Memory>,
    kind: MemoryKind,
    size: u64,
    address: u64,
    /// True if the host reads this buffer and kernels may have its address.
    reachable: AtomicBool,
    /// The owner of the imported memory; dropped after the memory is freed.
    _owner: Option<Arc<dyn Any + Send + Sync>>,
}

impl Device {
    /// Makes a buffer. Its contents are undefined.
    ///
    /// # Errors
    /// [`Error::TooLarge`] beyond [`crate::Limits::max_buffer_size`]; [`Error::Invalid`] for size 0;
    /// [`Error::OutOfDeviceMemory`], [`Error::OutOfHostMemory`].
    pub fn create_buffer(
        self: &Arc<Self>,
        size: u64,
        kind: MemoryKind,
    ) -> Result<Arc<Buffer>, Error> {
        Buffer::create(self, size, kind)
    }

    /// Makes a buffer of the host's own memory: `size` bytes at `ptr`, which must be a multiple of
    /// [`crate::Limits::min_imported_host_pointer_alignment`]. The buffer is mapped at `ptr`.
    ///
    /// # Safety
    /// The memory, up to `size` rounded up to that alignment, must be readable and writable and stay
    /// allocated until the buffer is dropped.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device or this memory does not allow it;
    /// [`Error::Invalid`] for a null or unaligned pointer.
    pub unsafe fn import_host(
        self: &Arc<Self>,
        ptr: *mut u8,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        let ptr = NonNull::new(ptr).ok_or_else(|| Error::Invalid("a null pointer".into()))?;
        // SAFETY: the caller's promise is this function's own.
        unsafe { Buffer::import(self, ptr, size, None) }
    }

    /// Like [`Device::import_host`], for memory that `owner` keeps allocated: the buffer keeps the owner.
    ///
    /// # Safety
    /// The memory, up to `size` rounded up to that alignment, must be readable and writable and stay
    /// allocated until the owner is dropped.
    ///
    /// # Errors
    /// Like [`Device::import_host`].
    pub unsafe fn import_host_of(
        self: &Arc<Self>,
        ptr: *mut u8,
        size: u64,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<Arc<Buffer>, Error> {
        let ptr = NonNull::new(ptr).ok_or_else(|| Error::Invalid("a null pointer".into()))?;
        // SAFETY: the buffer keeps the owner until its memory is freed, and that keeps the host's memory.
        unsafe { Buffer::import(self, ptr, size, Some(owner)) }
    }

    /// Makes a buffer of the first `size` bytes of memory that `fd` exports, which other APIs or processes
    /// may use as well: see [`crate::Recorder::acquire`] and [`crate::Recorder::release`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device does not import this kind of handle, or buffers of this memory;
    /// [`Error::Invalid`] when `fd` is not such a descriptor; [`Error::TooLarge`] when the memory is smaller than `size`.
    pub fn import_memory(
        self: &Arc<Self>,
        fd: &Descriptor,
        kind: MemoryHandles,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        Buffer::import_fd(self, fd, kind, size)
    }
}

impl Buffer {
    /// Makes a buffer of `size` bytes.
    pub(crate) fn create(
        device: &Arc<Device>,
        size: u64,
        kind: MemoryKind,
    ) -> Result<Arc<Buffer>, Error> {
        let padded = check_size(device, size, kind)?;
        let info = vk::BufferCreateInfo::default().size(padded).usage(BUFFER_USAGE);
        let limits = &device.info().limits;
        if padded > limits.max_allocation_size && device.info().features.sparse_binding {
            return Buffer::create_sparse(device, &info, size);
        }
        device.check_lost()?;
        if let Some(buffer) = Buffer::kept(device, padded, kind, size) {
            return Ok(Arc::new(buffer));
        }
        let raw = create_raw(device, &info)?;
        // SAFETY: the buffer was just created on this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        match device.heap.allocate(&device.raw, Resource::Buffer(raw), needs, kind) {
            Ok(memory) => Buffer::bind(device, raw, memory, kind, size, None),
            Err(e) => {
                // SAFETY: the buffer was just created, nothing uses it.
                unsafe { device.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    /// Returns a buffer that was freed a moment ago as a new one.
    fn kept(device: &Arc<Device>, padded: u64, wanted: MemoryKind, size: u64) -> Option<Buffer> {
        let suits = |kept: &KeptBuffer| kept.kind == wanted && kept.size == padded;
        let (kept, memory) = device.heap.take_kept(&device.raw, suits)?;
        let KeptBuffer { raw, address, .. } = *kept;
        let mut buffer = Buffer::own(device, raw, memory, wanted, size, None);
        buffer.address = address;
        Some(buffer)
    }

    /// Makes a buffer that is larger than one allocation: several allocations are bound to it. Its addresses are contiguous;
    /// the host cannot map it.
    fn create_sparse(
        device: &Arc<Device>,
        info: &vk::BufferCreateInfo<'_>,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        let info = info.flags(vk::BufferCreateFlags::SPARSE_BINDING);
        let raw = create_raw(device, &info)?;
        // SAFETY: the buffer was just created on this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let most = device.info().limits.max_allocation_size;
        match device.heap.allocate_several(&device.raw, needs, most) {
            Ok((memory, binds)) => {
                let buffer = Buffer::own(device, raw, memory, MemoryKind::Device, size, None);
                device.bind_sparse(raw, &binds)?;
                buffer.addressed()
            }
            Err(e) => {
                // SAFETY: the buffer was just created, nothing uses it.
                unsafe { device.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    /// Makes a buffer of the host's memory.
    ///
    /// # Safety
    /// Like [`Device::import_host`].
    pub(crate) unsafe fn import(
        device: &Arc<Device>,
        ptr: NonNull<u8>,
        size: u64,
        owner: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Result<Arc<Buffer>, Error> {
        let functions = device
            .functions
            .host_import
            .as_ref()
            .ok_or_else(|| Error::Unsupported("the device cannot import host memory".into()))?;
        let alignment = device.info().limits.min_imported_host_pointer_alignment;
        if !(ptr.as_ptr() as u64).is_multiple_of(alignment) {
            return Err(Error::Invalid(format!("{ptr:p} is not a multiple of {alignment}")));
        }
        check_size(device, size, MemoryKind::Readback)?;
        let whole = size.checked_next_multiple_of(alignment).ok_or(Error::OutOfHostMemory)?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default()
            .handle_types(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
        let info = vk::BufferCreateInfo::default()
            .size(whole)
            .usage(BUFFER_USAGE)
            .push_next(&mut external);
        let raw = create_raw(device, &info)?;
        // SAFETY: the buffer was just created on this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let memory = if needs.size > whole {
            Err(Error::Unsupported("the device pads buffers beyond imported memory".into()))
        } else {
            // SAFETY: pointer and size are multiples of the alignment; the caller keeps them alive.
            unsafe { device.heap.import(&device.raw, functions, ptr, whole, &needs) }
        };
        match memory {
            Ok(memory) => Buffer::bind(device, raw, memory, MemoryKind::Readback, size, owner),
            Err(e) => {
                // SAFETY: the buffer was just created, nothing uses it.
                unsafe { device.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    /// Makes a buffer of imported memory; see [`Device::import_memory`].
    pub(crate) fn import_fd(
        device: &Arc<Device>,
        fd: &Descriptor,
        kind: MemoryHandles,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        if !device.info().features.external.memory_import.contains(kind) {
            return Err(Error::Unsupported("the device does not import such memory".into()));
        }
        check_size(device, size, MemoryKind::Readback)?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default()
            .handle_types(vk::ExternalMemoryHandleTypeFlags::from_raw(kind.bits()));
        // Fills write whole words.
        let whole = size.next_multiple_of(4);
        let info = vk::BufferCreateInfo::default()
            .size(whole)
            .usage(BUFFER_USAGE)
            .push_next(&mut external);
        let raw = create_raw(device, &info)?;
        let only = device.info().features.external.memory_dedicated.contains(kind);
        match import_fd(device, Importer::Buffer(raw), fd, kind, only) {
            Ok(memory) => Buffer::bind(device, raw, memory, MemoryKind::Device, size, None),
            Err(e) => {
                // SAFETY: the buffer was just created, nothing uses it.
                unsafe { device.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    /// Makes a buffer of `size` bytes of this buffer's memory, from `offset` on, which the host lent
    /// ([`Device::import_host_of`]). The new buffer keeps this buffer and `owner`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for bytes beyond the end, memory that is not mapped as it is, or an offset at which the device does
    /// not bind buffers; [`Error::Unsupported`] where the part's address is not `offset` bytes behind this buffer's.
    pub fn part(
        self: &Arc<Self>,
        offset: u64,
        size: u64,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<Arc<Buffer>, Error> {
        let device = &self.device;
        let padded = check_size(device, size, self.kind)?;
        let whole = self.memory.as_ref().filter(|m| m.mapped.is_some() && m.host_copy.is_none());
        let fits = |m: &&Memory| offset.checked_add(padded).is_some_and(|end| end <= m.size);
        let invalid = || Error::Invalid(format!("no {size} bytes at {offset} of host memory"));
        let memory = whole.filter(fits).ok_or_else(invalid)?.part(offset, padded);
        let raw = create_over(device, &memory, BUFFER_USAGE)?.ok_or_else(invalid)?;
        let owner = Arc::new((self.clone(), owner));
        let part = Buffer::own(device, raw, memory, self.kind, size, Some(owner)).addressed()?;
        match part.address == self.address + offset {
            true => Ok(part),
            false => Err(Error::Unsupported("parts of memory have addresses of their own".into())),
        }
    }

    /// Makes another Vulkan buffer of the same bytes, for views with some usage. `None` where the memory cannot have another
    /// buffer.
    pub(crate) fn create_for_views(
        &self,
        usage: vk::BufferUsageFlags,
    ) -> Result<Option<vk::Buffer>, Error> {
        match &self.memory {
            Some(memory) => create_over(&self.device, memory, usage),
            None => Ok(None),
        }
    }

    /// Binds `memory` to `raw` and takes ownership of both.
    fn bind(
        device: &Arc<Device>,
        raw: vk::Buffer,
        memory: Memory,
        kind: MemoryKind,
        size: u64,
        owner: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Result<Arc<Buffer>, Error> {
        let (handle, offset) = (memory.raw, memory.offset);
        let buffer = Buffer::own(device, raw, memory, kind, size, owner);
        // SAFETY: the memory was made for this buffer's requirements and neither is bound yet.
        unsafe { device.raw.bind_buffer_memory(raw, handle, offset) }
            .map_err(|e| device.fault("vkBindBufferMemory", e))?;
        buffer.addressed()
    }

    /// Takes ownership of `raw` and its memory, which are freed when the buffer is dropped.
    fn own(
        device: &Arc<Device>,
        raw: vk::Buffer,
        memory: Memory,
        kind: MemoryKind,
        size: u64,
        owner: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Buffer {
        Buffer {
            device: device.clone(),
            raw,
            memory: Some(memory),
            kind,
            size,
            address: 0,
            reachable: AtomicBool::new(false),
            _owner: owner,
        }
    }

    /// Queries the address of a buffer whose memory is bound.
    ///
    /// lavapipe (Mesa 25.0) maps memory when it is bound, does not check whether that failed, and returns MAP_FAILED, with the
    /// offset added, as the address.
    fn addressed(mut self) -> Result<Arc<Buffer>, Error> {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.raw);
        // SAFETY: the buffer has the usage flag, its memory the address flag.
        self.address = unsafe { self.device.raw.get_buffer_device_address(&info) };
        match is_address(self.address) {
            true => Ok(Arc::new(self)),
            false => {
                self.address = 0;
                Err(Error::OutOfDeviceMemory)
            }
        }
    }

    /// Returns the size in bytes, without padding.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the device address of the first byte: a multiple of 256 (of the page size for imported memory).
    pub fn address(&self) -> u64 {
        if self.read_by_host() && !self.reachable.swap(true, Ordering::AcqRel) {
            self.device.host_visibility.add_reachable_buffer();
        }
        self.address
    }

    /// Returns where the buffer is mapped on the host; `None` when it is not. Valid while the buffer lives.
    pub fn mapped(&self) -> Option<NonNull<u8>> {
        self.memory.as_ref()?.mapped
    }

    /// Returns how the host accesses the bytes.
    pub fn host_access(&self) -> HostAccess {
        match &self.memory {
            Some(m) if m.mapped.is_none() => HostAccess::None,
            Some(m) if m.device_local && !self.device.info().memory.unified => HostAccess::Rebar,
            Some(_) => HostAccess::Memory,
            None => HostAccess::None,
        }
    }

    /// Returns true if the host reads the device's writes without asking for them by [`crate::Queue::wait_host_visible`].
    pub(crate) fn read_by_host(&self) -> bool {
        self.kind == MemoryKind::Readback
    }

    /// Returns true if the memory is device-local.
    pub(crate) fn device_local(&self) -> bool {
        self.memory.as_ref().is_some_and(|m| m.device_local)
    }

    /// Returns true if host and device see each other's writes without [`Buffer::flush`] and
    /// [`Buffer::invalidate`]. (Waiting for the command is needed in any case.)
    pub fn is_coherent(&self) -> bool {
        self.memory.as_ref().is_some_and(|m| m.coherent)
    }

    /// Returns the device that the buffer belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Copies `data` to byte `offset` of a mapped buffer.
    ///
    /// # Safety
    /// No command that accesses these bytes is executing, and no other thread accesses them meanwhile. In memory
    /// that is not coherent that holds for the whole non-coherent atoms ([`crate::Limits::non_coherent_atom_size`]).
    ///
    /// # Errors
    /// [`Error::Invalid`] when the buffer is not mapped or the range reaches beyond its end.
    pub unsafe fn write(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        // SAFETY: a slice is readable; the rest is the caller's promise.
        unsafe { self.write_from(offset, data.as_ptr(), data.len()) }
    }

    /// Copies `size` bytes at `from`, which other threads may read meanwhile, to byte `offset` of a mapped buffer.
    ///
    /// # Safety
    /// Like [`Buffer::write`]; the bytes at `from` are readable, not written meanwhile, and not the buffer's.
    ///
    /// # Errors
    /// Like [`Buffer::write`].
    pub unsafe fn write_from(
        &self,
        offset: u64,
        from: *const u8,
        size: usize,
    ) -> Result<(), Error> {
        let p = self.host_range(offset, size as u64)?;
        self.load_partial_atoms(offset, size as u64)?;
        // SAFETY: `host_range` checked that the bytes are the buffer's and mapped; the rest is the caller's promise.
        unsafe { copy(p.as_ptr(), from, size, self.streams(size)) };
        self.flush(offset, size as u64)
    }

    /// Copies bytes from `offset` of a mapped buffer into `out`. The caller has waited for the commands that write
    /// them.
    ///
    /// # Safety
    /// No command that writes these bytes is executing, and no other thread writes them meanwhile.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the buffer is not mapped or the range reaches beyond its end.
    pub unsafe fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: a slice is writable; the rest is the caller's promise.
        unsafe { self.read_to(offset, out.as_mut_ptr(), out.len()) }
    }

    /// Copies `size` bytes from `offset` of a mapped buffer to `to`.
    ///
    /// # Safety
    /// Like [`Buffer::read`]; the bytes at `to` are writable, not accessed meanwhile, and not the buffer's.
    ///
    /// # Errors
    /// Like [`Buffer::read`].
    pub unsafe fn read_to(&self, offset: u64, to: *mut u8, size: usize) -> Result<(), Error> {
        let p = self.host_range(offset, size as u64)?;
        self.invalidate(offset, size as u64)?;
        // SAFETY: as in `write_from`.
        unsafe { copy(to, p.as_ptr(), size, self.streams(size)) };
        Ok(())
    }

    /// Makes host writes through [`Buffer::mapped`] visible to commands submitted later. Does nothing
    /// when the memory is coherent.
    ///
    /// # Errors
    /// [`Error::Invalid`] as in [`Buffer::write`].
    pub fn flush(&self, offset: u64, size: u64) -> Result<(), Error> {
        let Some((memory, start, size)) = self.atoms(offset, size)? else { return Ok(()) };
        if let Some(copy) = &memory.host_copy {
            // SAFETY: the memory is mapped while the buffer lives.
            unsafe { copy.flush(start - memory.offset, size) };
        }
        let range = vk::MappedMemoryRange::default().memory(memory.raw).offset(start).size(size);
        // SAFETY: the range is mapped and whole atoms, which are this buffer's alone.
        unsafe { self.device.raw.flush_mapped_memory_ranges(&[range]) }
            .map_err(|e| self.device.fault("vkFlushMappedMemoryRanges", e))
    }

    /// Makes the writes of completed commands visible to the host. Host writes to these non-coherent atoms that are not flushed
    /// may be lost. Does nothing when the memory is coherent.
    ///
    /// # Errors
    /// [`Error::Invalid`] as in [`Buffer::write`].
    pub fn invalidate(&self, offset: u64, size: u64) -> Result<(), Error> {
        let Some((memory, start, size)) = self.atoms(offset, size)? else { return Ok(()) };
        let range = vk::MappedMemoryRange::default().memory(memory.raw).offset(start).size(size);
        // SAFETY: the range is mapped and whole atoms, which are this buffer's alone.
        unsafe { self.device.raw.invalidate_mapped_memory_ranges(&[range]) }
            .map_err(|e| self.device.fault("vkInvalidateMappedMemoryRanges", e))?;
        if let Some(copy) = &memory.host_copy {
            // SAFETY: the memory is mapped while the buffer lives.
            unsafe { copy.invalidate(start - memory.offset, size) };
        }
        Ok(())
    }

    /// Invalidates the non-coherent atoms that a write of `size` bytes covers in part: the flush after the write writes whole
    /// atoms, with the bytes that the host has in its cache.
    fn load_partial_atoms(&self, offset: u64, size: u64) -> Result<(), Error> {
        if self.is_coherent() || size == 0 {
            return Ok(());
        }
        let atom = self.device.info().limits.non_coherent_atom_size;
        let end = offset + size;
        if !offset.is_multiple_of(atom) {
            self.invalidate(offset, 1)?;
        }
        if !end.is_multiple_of(atom) {
            self.invalidate(end - 1, 1)?;
        }
        Ok(())
    }

    /// Returns true if a large copy should bypass the host's caches: where kernels do not use the same caches, or the copy is
    /// too large to stay in them.
    fn streams(&self, size: usize) -> bool {
        !self.device.info().memory.unified || size >= BEYOND_CACHES
    }

    /// Returns true if `size` bytes at `offset` are in the buffer, counting its padding to a multiple of 4.
    pub(crate) fn contains(&self, offset: u64, size: u64) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.size.next_multiple_of(4))
    }

    /// Returns the host's address of `size` bytes at `offset`; an error if they are not mapped, or not in the buffer.
    fn host_range(&self, offset: u64, size: u64) -> Result<NonNull<u8>, Error> {
        let base =
            self.mapped().ok_or_else(|| Error::Invalid("the buffer is not mapped".into()))?;
        if offset.checked_add(size).is_none_or(|end| end > self.size) {
            return Err(Error::Invalid(format!(
                "{size} bytes at {offset} reach beyond a buffer of {}",
                self.size
            )));
        }
        // SAFETY: `offset` is at most the buffer's size, all of which is mapped.
        Ok(unsafe { base.add(offset as usize) })
    }

    /// Returns the memory, and the offset and the size of the non-coherent atoms that cover a range; `None` when the memory is
    /// coherent or the range empty.
    fn atoms(&self, offset: u64, size: u64) -> Result<Option<(&Memory, u64, u64)>, Error> {
        self.host_range(offset, size)?;
        let Some(memory) = self.memory.as_ref().filter(|m| !m.coherent && size > 0) else {
            return Ok(None);
        };
        let atom = self.device.info().limits.non_coherent_atom_size;
        let start = (memory.offset + offset) / atom * atom;
        let end = (memory.offset + offset + size).next_multiple_of(atom);
        let end = end.min(memory.offset + memory.size);
        Ok(Some((memory, start, end - start)))
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (size, address) = (self.size, format_args!("{:#x}", self.address));
        f.debug_struct("Buffer")
            .field("size", &size)
            .field("address", &address)
            .finish_non_exhaustive()
    }
}

/// A dropped buffer of `size` bytes, with padding.
struct KeptBuffer {
    raw: vk::Buffer,
    kind: MemoryKind,
    size: u64,
    address: u64,
}

impl Keepable for KeptBuffer {
    unsafe fn destroy(&self, device: &ash::Device) {
        // SAFETY: the caller's promise.
        unsafe { device.destroy_buffer(self.raw, None) };
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if *self.reachable.get_mut() {
            self.device.host_visibility.remove_reachable_buffer();
        }
        let Some(memory) = self.memory.take() else { return };
        let Buffer { raw, kind, address, .. } = *self;
        let size = self.size.next_multiple_of(BUFFER_PADDING);
        let kept = Kept { resource: Box::new(KeptBuffer { raw, kind, size, address }), memory };
        // SAFETY: this is the last owner; batches that use the buffer own it too.
        unsafe { self.device.heap.free_resource(&self.device.raw, kept, address != 0) };
    }
}

/// Checks a buffer's size and returns the size with padding.
fn check_size(device: &Device, size: u64, kind: MemoryKind) -> Result<u64, Error> {
    let limits = &device.info().limits;
    let limit = match kind {
        MemoryKind::Device => limits.max_buffer_size,
        // Mapped memory is one allocation.
        MemoryKind::Upload | MemoryKind::Readback => {
            limits.max_buffer_size.min(limits.max_allocation_size / BUFFER_PADDING * BUFFER_PADDING)
        }
    };
    if size == 0 {
        return Err(Error::Invalid("a buffer of 0 bytes was asked for".into()));
    }
    if size > limit {
        return Err(Error::TooLarge { size, limit });
    }
    Ok(size.next_multiple_of(BUFFER_PADDING))
}

/// Makes a Vulkan buffer that the queues of all families use without transfers of its ownership.
fn create_raw(device: &Device, info: &vk::BufferCreateInfo<'_>) -> Result<vk::Buffer, Error> {
    device.check_lost()?;
    let (families, mut info) = (device.families(), *info);
    if families.len() > 1 {
        info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&families);
    }
    // SAFETY: the size is within the device's limit and `info` outlives the call.
    unsafe { device.raw.create_buffer(&info, None) }.map_err(|e| device.fault("vkCreateBuffer", e))
}

/// Makes a Vulkan buffer over memory that another buffer has already, and binds it. `None` where the memory cannot have another
/// buffer, or not at that offset.
fn create_over(
    device: &Device,
    memory: &Memory,
    usage: vk::BufferUsageFlags,
) -> Result<Option<vk::Buffer>, Error> {
    let Some(handles) = memory.shareable else { return Ok(None) };
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handles);
    let mut info = vk::BufferCreateInfo::default().size(memory.size).usage(usage);
    if !handles.is_empty() {
        info = info.push_next(&mut external);
    }
    let raw = create_raw(device, &info)?;
    // SAFETY: the buffer was just created on this device.
    let needs = unsafe { device.raw.get_buffer_memory_requirements(raw) };
    let fits = needs.size <= memory.size && memory.offset.is_multiple_of(needs.alignment);
    let bound = match fits {
        // SAFETY: the memory is large and aligned enough, and of a type that buffers of these usages have.
        true => unsafe { device.raw.bind_buffer_memory(raw, memory.raw, memory.offset) }
            .map_err(|e| device.fault("vkBindBufferMemory", e)),
        false => Ok(()),
    };
    if !fits || bound.is_err() {
        // SAFETY: as above; nothing uses it.
        unsafe { device.raw.destroy_buffer(raw, None) };
    }
    bound.map(|()| fits.then_some(raw))
}

/// Returns true if a driver's answer to the query for a buffer's address is an address: every buffer is at a multiple of 16
/// bytes at least, as its memory is.
fn is_address(address: u64) -> bool {
    address != 0 && address.is_multiple_of(16)
}

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn failed_mappings_are_no_addresses() {
        assert!(is_address(0x7fff_d1ff_d500));
        for offset in [0, 1, 256, 0x28_8010_0000] {
            assert!(!is_address(u64::MAX.wrapping_add(offset)), "{offset:#x}");
        }
    }
}
