//! Buffers: memory with a device address, mapped where the host can reach it.

use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use ash::vk;

use crate::copy::copy;
use crate::external::MemoryHandles;
use crate::import::import_fd;
use crate::memory::{Memory, MemoryKind, Reach};
use crate::{Device, Error};

/// What every buffer may be used for.
pub(crate) const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw()
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS.as_raw(),
);

/// Buffers are padded to a multiple of this, so that kernels may load whole words at the end.
pub(crate) const PADDING: u64 = 16;

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
    /// Somebody has the address of this buffer, which the host reads.
    reached: AtomicBool,
}

impl Buffer {
    /// Makes a buffer of `size` bytes.
    pub(crate) fn create(
        device: &Arc<Device>,
        size: u64,
        kind: MemoryKind,
    ) -> Result<Arc<Buffer>, Error> {
        let padded = check_size(device, size, kind)?;
        let info = vk::BufferCreateInfo::default().size(padded).usage(USAGE);
        let limits = &device.info().limits;
        if padded > limits.max_allocation_size && device.info().features.sparse_binding {
            return Buffer::create_sparse(device, &info, size);
        }
        let raw = create_raw(device, &info)?;
        // SAFETY: the buffer was just created on this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        match device.heap.allocate(&device.raw, raw, needs, kind) {
            Ok(memory) => Buffer::bind(device, raw, memory, kind, size),
            Err(e) => {
                // SAFETY: the buffer was just created, nothing uses it.
                unsafe { device.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    /// Makes a buffer of device memory that no single allocation holds: several are bound to it. Its
    /// addresses are contiguous as any buffer's; the host cannot map it.
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
                let buffer = Buffer::own(device, raw, memory, MemoryKind::Device, size);
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
    /// As [`Device::import_host`].
    pub(crate) unsafe fn import(
        device: &Arc<Device>,
        ptr: NonNull<u8>,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        let functions = device
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
        let info =
            vk::BufferCreateInfo::default().size(whole).usage(USAGE).push_next(&mut external);
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
            Ok(memory) => Buffer::bind(device, raw, memory, MemoryKind::Readback, size),
            Err(e) => {
                // SAFETY: the buffer was just created, nothing uses it.
                unsafe { device.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    /// Makes a buffer of memory that a file descriptor stands for; see [`Device::import_memory`].
    pub(crate) fn import_fd(
        device: &Arc<Device>,
        fd: OwnedFd,
        kind: MemoryHandles,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        if !device.info().features.external.memory_import.contains(kind) {
            return Err(Error::Unsupported("the device does not take such memory".into()));
        }
        check_size(device, size, MemoryKind::Readback)?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default()
            .handle_types(vk::ExternalMemoryHandleTypeFlags::from_raw(kind.bits()));
        // Fills are of whole words.
        let whole = size.next_multiple_of(4);
        let info =
            vk::BufferCreateInfo::default().size(whole).usage(USAGE).push_next(&mut external);
        let raw = create_raw(device, &info)?;
        match import_fd(device, raw, fd, kind) {
            Ok(memory) => Buffer::bind(device, raw, memory, MemoryKind::Device, size),
            Err(e) => {
                // SAFETY: the buffer was just created, nothing uses it.
                unsafe { device.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    /// Binds `memory` to `raw` and takes both over.
    fn bind(
        device: &Arc<Device>,
        raw: vk::Buffer,
        memory: Memory,
        kind: MemoryKind,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        let (handle, offset) = (memory.raw, memory.offset);
        let buffer = Buffer::own(device, raw, memory, kind, size);
        // SAFETY: the memory was made for this buffer's requirements and neither is bound yet.
        unsafe { device.raw.bind_buffer_memory(raw, handle, offset) }
            .map_err(|e| device.fault("vkBindBufferMemory", e))?;
        buffer.addressed()
    }

    /// Takes `raw` and its memory over: from here on, dropping the buffer cleans up.
    fn own(
        device: &Arc<Device>,
        raw: vk::Buffer,
        memory: Memory,
        kind: MemoryKind,
        size: u64,
    ) -> Buffer {
        let (device, memory) = (device.clone(), Some(memory));
        Buffer { device, raw, memory, kind, size, address: 0, reached: AtomicBool::new(false) }
    }

    /// The buffer, whose memory is bound now, with its address.
    ///
    /// lavapipe (Mesa 25.0) maps memory when it is bound, does not look whether that failed, and gives
    /// MAP_FAILED, with the offset added, for the address.
    fn addressed(mut self) -> Result<Arc<Buffer>, Error> {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.raw);
        // SAFETY: the buffer has the usage flag, its memory the address flag.
        self.address = unsafe { self.device.raw.get_buffer_device_address(&info) };
        match is_address(self.address) {
            true => Ok(Arc::new(self)),
            false => Err(Error::OutOfDeviceMemory),
        }
    }

    /// Bytes, as asked for.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Device address of the first byte; a multiple of 256 (of the page size for imported memory).
    pub fn address(&self) -> u64 {
        if self.read_by_host() && !self.reached.swap(true, Ordering::AcqRel) {
            self.device.host_memory_is_reached();
        }
        self.address
    }

    /// Where the host finds the bytes; `None` when it cannot reach them. Valid while the buffer lives.
    pub fn mapped(&self) -> Option<NonNull<u8>> {
        self.memory.as_ref()?.mapped
    }

    /// How the host reaches the bytes.
    pub fn reach(&self) -> Reach {
        match &self.memory {
            Some(m) if m.mapped.is_none() => Reach::None,
            Some(m) if m.device_local && !self.device.info().memory.unified => Reach::Bus,
            Some(_) => Reach::Memory,
            None => Reach::None,
        }
    }

    /// Whether the host reads what the device writes there, without asking for it by
    /// [`crate::Queue::wait_shown`].
    pub(crate) fn read_by_host(&self) -> bool {
        self.kind == MemoryKind::Readback
    }

    /// Whether the bytes lie in the device's own memory.
    pub(crate) fn device_local(&self) -> bool {
        self.memory.as_ref().is_some_and(|m| m.device_local)
    }

    /// Whether host and device see each other's writes without [`Buffer::flush`] and
    /// [`Buffer::invalidate`]. (Waiting for the command is needed in any case.)
    pub fn is_coherent(&self) -> bool {
        self.memory.as_ref().is_some_and(|m| m.coherent)
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Copies `data` to byte `offset` of a mapped buffer. The caller orders this with the commands
    /// and threads that use the same bytes.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the buffer is not mapped or the range reaches beyond its end.
    pub fn write(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        let p = self.host_range(offset, data.len() as u64)?;
        // SAFETY: `host_range` checked that the bytes are the buffer's and mapped; `data` is other
        // memory, as a shared slice cannot alias what only raw pointers reach.
        unsafe { copy(p.as_ptr(), data.as_ptr(), data.len(), self.streams()) };
        self.flush(offset, data.len() as u64)
    }

    /// Copies bytes from `offset` of a mapped buffer into `out`. The caller has waited for the
    /// commands that write them.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the buffer is not mapped or the range reaches beyond its end.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let p = self.host_range(offset, out.len() as u64)?;
        self.invalidate(offset, out.len() as u64)?;
        // SAFETY: as in `write`.
        unsafe { copy(out.as_mut_ptr(), p.as_ptr(), out.len(), self.streams()) };
        Ok(())
    }

    /// Makes host writes through [`Buffer::mapped`] visible to commands submitted later. Does nothing
    /// when the memory is coherent.
    ///
    /// # Errors
    /// [`Error::Invalid`] as in [`Buffer::write`].
    pub fn flush(&self, offset: u64, size: u64) -> Result<(), Error> {
        let Some(range) = self.atoms(offset, size)? else { return Ok(()) };
        // SAFETY: the range is mapped and whole atoms, which are this buffer's alone.
        unsafe { self.device.raw.flush_mapped_memory_ranges(&[range]) }
            .map_err(|e| self.device.fault("vkFlushMappedMemoryRanges", e))
    }

    /// Makes what completed commands wrote visible to the host. Does nothing when the memory is
    /// coherent.
    ///
    /// # Errors
    /// [`Error::Invalid`] as in [`Buffer::write`].
    pub fn invalidate(&self, offset: u64, size: u64) -> Result<(), Error> {
        let Some(range) = self.atoms(offset, size)? else { return Ok(()) };
        // SAFETY: the range is mapped and whole atoms, which are this buffer's alone.
        unsafe { self.device.raw.invalidate_mapped_memory_ranges(&[range]) }
            .map_err(|e| self.device.fault("vkInvalidateMappedMemoryRanges", e))
    }

    /// Whether large copies go past the caches: not where kernels run on the same caches.
    fn streams(&self) -> bool {
        !self.device.info().memory.unified
    }

    /// Whether `size` bytes at `offset` are in the buffer, counting its padding to a multiple of 4.
    pub(crate) fn contains(&self, offset: u64, size: u64) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.size.next_multiple_of(4))
    }

    /// Address on the host of `size` bytes at `offset`.
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

    /// The non-coherent atoms that cover a range; `None` when the memory is coherent or the range
    /// empty.
    fn atoms(&self, offset: u64, size: u64) -> Result<Option<vk::MappedMemoryRange<'_>>, Error> {
        self.host_range(offset, size)?;
        let Some(memory) = self.memory.as_ref().filter(|m| !m.coherent && size > 0) else {
            return Ok(None);
        };
        let atom = self.device.info().limits.non_coherent_atom_size;
        let start = (memory.offset + offset) / atom * atom;
        let end = (memory.offset + offset + size).next_multiple_of(atom);
        let end = end.min(memory.offset + memory.size);
        let range = vk::MappedMemoryRange::default().memory(memory.raw);
        Ok(Some(range.offset(start).size(end - start)))
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

impl Drop for Buffer {
    fn drop(&mut self) {
        if *self.reached.get_mut() {
            self.device.host_memory_is_left();
        }
        // SAFETY: this is the last owner; batches that use the buffer own it too.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        if let Some(memory) = self.memory.take() {
            self.device.heap.free(&self.device.raw, memory);
        }
    }
}

/// Checks a buffer's size and returns it with padding.
fn check_size(device: &Device, size: u64, kind: MemoryKind) -> Result<u64, Error> {
    let limits = &device.info().limits;
    let limit = match kind {
        MemoryKind::Device => limits.max_buffer_size,
        // What the host maps is one allocation.
        MemoryKind::Upload | MemoryKind::Readback => {
            limits.max_buffer_size.min(limits.max_allocation_size / PADDING * PADDING)
        }
    };
    if size == 0 {
        return Err(Error::Invalid("a buffer of 0 bytes was asked for".into()));
    }
    if size > limit {
        return Err(Error::TooLarge { size, limit });
    }
    Ok(size.next_multiple_of(PADDING))
}

fn create_raw(device: &Device, info: &vk::BufferCreateInfo<'_>) -> Result<vk::Buffer, Error> {
    device.check_lost()?;
    // SAFETY: the size is within the device's limit and `info` outlives the call.
    unsafe { device.raw.create_buffer(info, None) }.map_err(|e| device.fault("vkCreateBuffer", e))
}

/// Whether a driver means what it gives for a buffer's address: every buffer lies at a multiple of 16 bytes
/// at least, as its memory does.
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
