//! Memory that another API or process made and hands over by file descriptor.

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use ash::vk;

use crate::external::{discard, one_more, MemoryHandles};
use crate::memory::Memory;
use crate::{Device, Error};

/// Imports what `fd` stands for as the memory of `buffer`, which is made for such and not bound yet.
pub(crate) fn import_fd(
    device: &Arc<Device>,
    buffer: vk::Buffer,
    fd: OwnedFd,
    kind: MemoryHandles,
) -> Result<Memory, Error> {
    let (needs, dedicated) = requirements(device, buffer, kind);
    let size = allocation_size(&fd, kind, &needs)?;
    let bits = needs.memory_type_bits & types_of(device, &fd, kind)?;
    let mut last = Error::Unsupported("no memory type suits what is imported".into());
    for index in device.heap.types_to_import(bits) {
        let number = one_more(&fd)?;
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
        // SAFETY: the device takes this kind of handle, the type is one that the buffer takes, the chain
        // outlives the call. An import that succeeds takes the descriptor over.
        match unsafe { device.raw.allocate_memory(&info, None) } {
            Ok(raw) => return Ok(device.heap.imported(&device.raw, raw, size, index)),
            Err(e) => {
                discard(number, &fd);
                last = refusal("vkAllocateMemory", e);
            }
        }
    }
    Err(last)
}

/// What the buffer needs, and whether its memory must be its alone.
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

/// How large the memory is, as an import must name it. A dma_buf tells. Of the opaque kind only its maker
/// knows; it is taken to be what a buffer of this size needs, as its maker will have found out.
fn allocation_size(
    fd: &OwnedFd,
    kind: MemoryHandles,
    needs: &vk::MemoryRequirements,
) -> Result<u64, Error> {
    if is_stream(fd) {
        // A driver might read from it, and wait.
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

/// Whether a descriptor is of a kind that memory never is.
fn is_stream(fd: &OwnedFd) -> bool {
    let mut found = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the descriptor is open; zeros are a valid `stat`.
    let found = unsafe {
        libc::fstat(fd.as_raw_fd(), found.as_mut_ptr());
        found.assume_init()
    };
    matches!(found.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFSOCK)
}

/// The memory types that the memory may have: a dma_buf tells, of the opaque kind its maker knows.
fn types_of(device: &Device, fd: &OwnedFd, kind: MemoryHandles) -> Result<u32, Error> {
    if kind == MemoryHandles::OPAQUE_FD {
        return Ok(!0);
    }
    let Some(functions) = &device.memory_fd else {
        return Err(Error::Unsupported("the device does not take such memory".into()));
    };
    let mut properties = vk::MemoryFdPropertiesKHR::default();
    let handle = vk::ExternalMemoryHandleTypeFlags::from_raw(kind.bits());
    // SAFETY: the device takes this kind of handle, and the descriptor is open.
    unsafe { functions.get_memory_fd_properties(handle, fd.as_raw_fd(), &mut properties) }
        .map_err(|e| refusal("vkGetMemoryFdPropertiesKHR", e))?;
    Ok(properties.memory_type_bits)
}

/// The error for a descriptor that a driver refuses.
fn refusal(call: &'static str, e: vk::Result) -> Error {
    match e {
        vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => {
            Error::Invalid("the file descriptor is no memory of this kind".into())
        }
        e => Error::from_vk(call, e),
    }
}
