//! Memory that another API or process exports by file descriptor.

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use ash::vk;

use crate::device::{Device, Memory};
use crate::error::Error;
use crate::fd;
use crate::physical::MemoryHandles;

/// Imports the memory that `fd` exports for `buffer`, which was created for it and is not bound yet.
pub(crate) fn import_fd(
    device: &Arc<Device>,
    buffer: vk::Buffer,
    fd: OwnedFd,
    kind: MemoryHandles,
) -> Result<Memory, Error> {
    let (needs, dedicated) = requirements(device, buffer, kind);
    let size = allocation_size(&fd, kind, &needs)?;
    let bits = needs.memory_type_bits & types_of(device, &fd, kind)?;
    let mut last = Error::Unsupported("no memory type suits the imported memory".into());
    for index in device.heap.types.ranked_for_import(bits) {
        let number = fd::duplicate(&fd)?;
        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(vk::ExternalMemoryHandleTypeFlags::from_raw(kind.bits()))
            .fd(number);
        let mut flags =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut only = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(index)
            .push_next(&mut import)
            .push_next(&mut flags);
        if dedicated {
            info = info.push_next(&mut only);
        }
        // SAFETY: the device imports this kind of handle, the type is one that the buffer allows, the chain
        // outlives the call. An import that succeeds takes ownership of the descriptor.
        match unsafe { device.raw.allocate_memory(&info, None) } {
            Ok(raw) => return Ok(device.heap.imported(&device.raw, raw, size, index)),
            Err(e) => {
                fd::close_rejected(number, &fd);
                last = rejection("vkAllocateMemory", e);
            }
        }
    }
    Err(last)
}

/// Returns the buffer's requirements, and true if it needs a dedicated allocation.
fn requirements(
    device: &Device,
    buffer: vk::Buffer,
    kind: MemoryHandles,
) -> (vk::MemoryRequirements, bool) {
    let info = vk::BufferMemoryRequirementsInfo2::default().buffer(buffer);
    let mut dedicated = vk::MemoryDedicatedRequirements::default();
    let mut needs = vk::MemoryRequirements2::default().push_next(&mut dedicated);
    // SAFETY: the buffer was just created on this device.
    unsafe { device.raw.get_buffer_memory_requirements2(&info, &mut needs) };
    let needs = needs.memory_requirements;
    let only = device.info().features.external.memory_dedicated.contains(kind);
    (needs, only || dedicated.requires_dedicated_allocation == vk::TRUE)
}

/// Returns the allocation size to import. A dma_buf reports its size. An opaque descriptor does not: its size is
/// assumed to be what a buffer of this size requires, as the exporter will have found out.
fn allocation_size(
    fd: &OwnedFd,
    kind: MemoryHandles,
    needs: &vk::MemoryRequirements,
) -> Result<u64, Error> {
    if is_stream(fd) {
        // A driver might read from it and block.
        return Err(Error::Invalid("the file descriptor is a pipe or socket".into()));
    }
    // SAFETY: the descriptor is open; one that cannot seek says so.
    let (end, _) = unsafe {
        let end = libc::lseek(fd.as_raw_fd(), 0, libc::SEEK_END);
        (end, libc::lseek(fd.as_raw_fd(), 0, libc::SEEK_SET))
    };
    match u64::try_from(end) {
        Ok(limit) if limit > 0 && limit < needs.size => {
            Err(Error::TooLarge { size: needs.size, limit })
        }
        Ok(size) if size > 0 && kind == MemoryHandles::DMA_BUF => Ok(size),
        _ => Ok(needs.size),
    }
}

/// Returns true if a descriptor is a pipe or a socket.
fn is_stream(fd: &OwnedFd) -> bool {
    let mut found = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the descriptor is open; zeros are a valid `stat`.
    let found = unsafe {
        libc::fstat(fd.as_raw_fd(), found.as_mut_ptr());
        found.assume_init()
    };
    matches!(found.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFSOCK)
}

/// Returns the memory types as which a descriptor can be imported: all for an opaque one, which does not report
/// any.
fn types_of(device: &Device, fd: &OwnedFd, kind: MemoryHandles) -> Result<u32, Error> {
    if kind == MemoryHandles::OPAQUE_FD {
        return Ok(!0);
    }
    let Some(functions) = &device.functions.memory_fd else {
        return Err(Error::Unsupported("the device does not import such memory".into()));
    };
    let mut properties = vk::MemoryFdPropertiesKHR::default();
    let handle = vk::ExternalMemoryHandleTypeFlags::from_raw(kind.bits());
    // SAFETY: the device imports this kind of handle, and the descriptor is open.
    unsafe { functions.get_memory_fd_properties(handle, fd.as_raw_fd(), &mut properties) }
        .map_err(|e| rejection("vkGetMemoryFdPropertiesKHR", e))?;
    Ok(properties.memory_type_bits)
}

/// Returns the error for a descriptor that a driver rejects.
fn rejection(call: &'static str, e: vk::Result) -> Error {
    match e {
        vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => {
            Error::Invalid("the file descriptor exports no memory of this kind".into())
        }
        e => Error::from_vk(call, e),
    }
}
