//! Buffers and images of the application's own memory (CL_MEM_USE_HOST_PTR) on devices whose memory is the host's: each
//! device of the context imports the pages, so that host and devices see each other's stores without a map.
//!
//! The specification lets an implementation cache the bytes (OpenCL API 5.2.1), which Hekla does across a bus. But some
//! programs (FluidX3D) read and write the memory without a map on devices where CL_DEVICE_HOST_UNIFIED_MEMORY is true, since
//! drivers for integrated GPUs and processors share it.

use super::buffer::Buffer;
use super::host::HostAddress;
use super::residency::Storage;
use super::MemBase;
use crate::cl::cl_mem_flags;
use crate::core::context::host_ranges::HostRange;
use crate::core::context::Context;
use crate::core::device::import_pool::alignment;
use crate::core::device::open::Gpu;
use crate::object::Ref;
use hekla_vk_backend as vk;
use std::sync::{Arc, Once};

/// The application's memory, as imported by the devices of a context.
struct HostMemory {
    /// The pages that contain the bytes, as a buffer of each device.
    buffers: Vec<Arc<vk::Buffer>>,
    /// Offset of the first byte in the pages.
    origin: usize,
}

impl HostMemory {
    /// Imports the pages around `size` bytes of the application's for the devices of a context, if all of them share memory
    /// with the host. `None` if the bytes must be copied: some of them belong to another object, or a device or its driver does
    /// not import them. The log reports these two reasons, once.
    fn import(context: &Context, host: HostAddress, size: usize) -> Option<HostMemory> {
        let is_shared = |gpu: &Arc<Gpu>| gpu.device.info().memory.unified && !gpu.hides_memory();
        if !context.gpus.iter().all(is_shared) {
            return None;
        }
        let imported = import_pages(&context.gpus, host, size).and_then(|memory| {
            let range = HostRange {
                start: host.0,
                end: host.0 + size,
                buffers: memory.buffers.iter().cloned().collect(),
                offset: memory.origin as u64,
                in_place: true,
                staging: None,
            };
            match context.host_ranges.add_apart(range) {
                true => Ok(memory),
                false => Err("it has bytes in common with another object's".to_string()),
            }
        });
        match imported {
            Ok(memory) => Some(memory),
            Err(reason) => {
                warn(&reason);
                None
            }
        }
    }
}

/// The largest alignment in bytes of views of texels (`image1d_buffer_t`) that does not prevent an import. Memory with less
/// alignment than the device's is still imported, and cannot have such views; devices that require a larger alignment get
/// copies.
const MOST_TEXEL_ALIGNMENT: u64 = 64;

/// Imports whole pages for each device. The error is the reason why that is not possible.
fn import_pages(gpus: &[Arc<Gpu>], host: HostAddress, size: usize) -> Result<HostMemory, String> {
    for info in gpus.iter().map(|gpu| gpu.device.info()) {
        if !info.memory.host_import {
            return Err("the driver lacks VK_EXT_external_memory_host".into());
        }
        let texels = info.limits.min_texel_buffer_offset_alignment;
        if texels > MOST_TEXEL_ALIGNMENT && !(host.0 as u64).is_multiple_of(texels) {
            return Err(format!("the device wants texels at multiples of {texels} bytes"));
        }
    }
    // The alignment of each device is a power of two, so the largest is a multiple of all.
    let page = gpus.iter().map(|gpu| alignment(&gpu.device)).max().unwrap_or(1);
    let origin = host.0 % page;
    let start = host.0 - origin;
    let whole = origin.checked_add(size).and_then(|size| size.checked_next_multiple_of(page));
    let whole = whole.ok_or("it reaches beyond the address space")?;
    let import = |gpu: &Arc<Gpu>| {
        // SAFETY: the application's bytes exist as long as the object (5.2.1), so the pages in which they lie do too. Whether
        // the device may write there is the application's to know, as for any command that writes the object.
        let buffer = unsafe { gpu.device.import_host(start as *mut u8, whole as u64) };
        let buffer = buffer.map_err(|error| error.to_string())?;
        match gpu.host_view(&buffer).is_some() && buffer.is_coherent() {
            true => Ok(buffer),
            false => Err("the memory is not coherent".to_string()),
        }
    };
    let buffers = gpus.iter().map(import).collect::<Result<_, _>>()?;
    Ok(HostMemory { buffers, origin })
}

fn warn(reason: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::warn!(
            "memory of CL_MEM_USE_HOST_PTR is copied, and seen by the host only while it is mapped: {reason}"
        );
    });
}

impl Buffer {
    /// Returns a buffer of bytes that devices and host share at the application's address: shared virtual memory, or memory
    /// that the devices import. `None` if the bytes must be copied.
    pub(super) fn in_place(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: HostAddress,
    ) -> Option<Buffer> {
        let Some((allocation, offset)) = context.svm.find(host.0) else {
            return Buffer::in_host_memory(context, flags, size, host);
        };
        let is_whole = size <= allocation.size - offset && !allocation.has_shadow();
        let is_seen = is_whole && !allocation.is_out_of_reach() && context.gpus.len() == 1;
        let bytes = is_seen.then(|| Buffer::within(&allocation, context, flags, (offset, size), 0));
        bytes?.ok()
    }

    /// Returns a buffer of the application's own bytes, which all devices of the context share with the host; `None` if the
    /// bytes must be copied.
    pub(super) fn in_host_memory(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: HostAddress,
    ) -> Option<Buffer> {
        let HostMemory { mut buffers, origin } = HostMemory::import(context, host, size)?;
        let storage = match buffers.len() {
            1 => Storage::Single(buffers.remove(0)),
            _ => Storage::Shared(buffers),
        };
        let mut bytes = Buffer::of(MemBase::new(context.clone(), flags, size), storage);
        (bytes.origin, bytes.svm, bytes.is_host_memory) = (origin, Some(host), true);
        Some(bytes)
    }

    /// Removes the application's addresses of the buffer's bytes from the context.
    pub(super) fn forget_host_memory(&self) {
        if let Some(host) = self.svm.filter(|_| self.is_host_memory && self.parent.is_none()) {
            self.context.host_ranges.remove(host.0);
        }
    }
}
