//! Memory that another API or process exports by file descriptor.

use std::sync::Arc;

use ash::vk;

use crate::device::{Device, Memory};
use crate::error::Error;
use crate::physical::MemoryHandles;
use crate::platform::Descriptor;

/// The object that imported memory is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Importer {
    Buffer(vk::Buffer),
    Image(vk::Image),
}

/// Imports the memory that `fd` exports for a buffer or an image, which was created for it and is not bound yet.
/// `dedicated`: the device imports such memory for one object alone.
pub(crate) fn import_fd(
    device: &Arc<Device>,
    importer: Importer,
    fd: &Descriptor,
    kind: MemoryHandles,
    dedicated: bool,
) -> Result<Memory, Error> {
    let (needs, required) = requirements(device, importer);
    let dedicated = dedicated || required;
    let size = allocation_size(fd, kind, &needs)?;
    let bits = needs.memory_type_bits & types_of(device, fd, kind)?;
    let mut last = Error::Unsupported("no memory type suits the imported memory".into());
    for index in device.heap.types.ranked_for_import(bits) {
        let number = fd.duplicate_number().ok_or(Error::OutOfHostMemory)?;
        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(vk::ExternalMemoryHandleTypeFlags::from_raw(kind.bits()))
            .fd(number);
        let mut flags =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let only = vk::MemoryDedicatedAllocateInfo::default();
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(index)
            .push_next(&mut import);
        let mut only = match importer {
            Importer::Buffer(buffer) => {
                info = info.push_next(&mut flags);
                only.buffer(buffer)
            }
            Importer::Image(image) => only.image(image),
        };
        if dedicated {
            info = info.push_next(&mut only);
        }
        // SAFETY: the device imports this kind of handle, the type is one that the importer allows, the chain
        // outlives the call. An import that succeeds takes ownership of the descriptor.
        match unsafe { device.raw.allocate_memory(&info, None) } {
            Ok(raw) => return Ok(device.heap.imported(&device.raw, raw, size, index)),
            Err(e) => {
                fd.close_rejected(number);
                last = rejection("vkAllocateMemory", e);
            }
        }
    }
    Err(last)
}

/// Returns the importer's requirements, and true if it needs a dedicated allocation.
fn requirements(device: &Device, importer: Importer) -> (vk::MemoryRequirements, bool) {
    let mut dedicated = vk::MemoryDedicatedRequirements::default();
    let mut needs = vk::MemoryRequirements2::default().push_next(&mut dedicated);
    // SAFETY: the buffer or image was just created on this device.
    unsafe {
        match importer {
            Importer::Buffer(buffer) => {
                let info = vk::BufferMemoryRequirementsInfo2::default().buffer(buffer);
                device.raw.get_buffer_memory_requirements2(&info, &mut needs);
            }
            Importer::Image(image) => {
                let info = vk::ImageMemoryRequirementsInfo2::default().image(image);
                device.raw.get_image_memory_requirements2(&info, &mut needs);
            }
        }
    }
    let needs = needs.memory_requirements;
    (needs, dedicated.requires_dedicated_allocation == vk::TRUE)
}

/// Returns the allocation size to import. A dma_buf reports its size. An opaque descriptor does not: its size is assumed to be
/// the one that the importer requires, which the exporter will have queried, too.
fn allocation_size(
    fd: &Descriptor,
    kind: MemoryHandles,
    needs: &vk::MemoryRequirements,
) -> Result<u64, Error> {
    if fd.is_stream() {
        // A driver might read from the pipe or socket and block.
        return Err(Error::Invalid("the file descriptor is a pipe or socket".into()));
    }
    match fd.size() {
        Some(limit) if limit < needs.size => Err(Error::TooLarge { size: needs.size, limit }),
        Some(size) if kind == MemoryHandles::DMA_BUF => Ok(size),
        _ => Ok(needs.size),
    }
}

/// Returns the memory types as which a descriptor can be imported: all for an opaque descriptor, which does not report any.
fn types_of(device: &Device, fd: &Descriptor, kind: MemoryHandles) -> Result<u32, Error> {
    if kind == MemoryHandles::OPAQUE_FD {
        return Ok(!0);
    }
    let Some(functions) = &device.functions.memory_fd else {
        return Err(Error::Unsupported("the device does not import such memory".into()));
    };
    let mut properties = vk::MemoryFdPropertiesKHR::default();
    let handle = vk::ExternalMemoryHandleTypeFlags::from_raw(kind.bits());
    // SAFETY: the device imports this kind of handle, and the descriptor is open.
    unsafe { functions.get_memory_fd_properties(handle, fd.number(), &mut properties) }
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
