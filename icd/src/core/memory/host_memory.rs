//! Buffers of the application's own memory (CL_MEM_USE_HOST_PTR) on devices whose memory is the host's: the device imports
//! the pages, so that host and device see each other's stores without a map.
//!
//! The specification lets an implementation cache the bytes (OpenCL API 5.2.1), and across a bus that is what Hekla does. But
//! programs (FluidX3D) read and write the memory without a map where CL_DEVICE_HOST_UNIFIED_MEMORY is true, since
//! drivers for integrated GPUs and processors share it.

use super::buffer::Buffer;
use super::host::HostAddress;
use crate::core::context::host_ranges::HostRange;
use crate::core::context::Context;
use crate::core::device::import_pool::alignment;
use crate::core::device::open::Gpu;
use hekla_vk_backend as vk;
use smallvec::smallvec;
use std::sync::{Arc, Once};

/// The application's memory as a device's.
pub struct HostMemory {
    /// The pages in which the bytes lie.
    pub buffer: Arc<vk::Buffer>,
    /// Offset of the first byte in the pages.
    pub origin: usize,
}

impl HostMemory {
    /// Imports the pages around `size` bytes of the application's for the one device of a context, if that has its memory
    /// in common with the host. `None` where the bytes must be copied: the device or its driver does not import them, or
    /// some of them are another buffer's already. The latter two are told in the log, once.
    pub fn import(context: &Context, host: HostAddress, size: usize) -> Option<HostMemory> {
        let [gpu] = &context.gpus[..] else { return None };
        if !gpu.device.info().memory.unified || gpu.hides_memory() {
            return None;
        }
        let imported = import_pages(gpu, host, size).and_then(|memory| {
            let range = HostRange {
                start: host.0,
                end: host.0 + size,
                buffers: smallvec![memory.buffer.clone()],
                offset: memory.origin as u64,
                in_place: true,
                staging: None,
            };
            match context.host_ranges.add_apart(range) {
                true => Ok(memory),
                false => Err("it has bytes in common with another buffer's".to_string()),
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

/// Views of texels (`image1d_buffer_t`) begin at multiples of a device's alignment. Up to this one, in bytes, memory is
/// imported all the same where it is less aligned, and has no such views; devices that want more get copies.
const MOST_TEXEL_ALIGNMENT: u64 = 64;

/// Imports whole pages. The error says why that cannot be.
fn import_pages(gpu: &Gpu, host: HostAddress, size: usize) -> Result<HostMemory, String> {
    if !gpu.device.info().memory.host_import {
        return Err("the driver lacks VK_EXT_external_memory_host".into());
    }
    let texels = gpu.device.info().limits.min_texel_buffer_offset_alignment;
    if texels > MOST_TEXEL_ALIGNMENT && !(host.0 as u64).is_multiple_of(texels) {
        return Err(format!("the device wants texels at multiples of {texels} bytes"));
    }
    let page = alignment(&gpu.device);
    let origin = host.0 % page;
    let start = host.0 - origin;
    let whole = origin.checked_add(size).and_then(|size| size.checked_next_multiple_of(page));
    let whole = whole.ok_or("it reaches beyond the address space")?;
    // SAFETY: the application's bytes exist as long as the buffer (5.2.1), so the pages in which they lie do too. Whether the
    // device may write there is the application's to know, as for any command that writes the buffer.
    let buffer = unsafe { gpu.device.import_host(start as *mut u8, whole as u64) };
    let buffer = buffer.map_err(|error| error.to_string())?;
    match gpu.host_view(&buffer).is_some() && buffer.is_coherent() {
        true => Ok(HostMemory { buffer, origin }),
        false => Err("the memory is not coherent".into()),
    }
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
    /// Forgets that addresses of the application's stand for the buffer's bytes.
    pub(super) fn forget_host_memory(&self) {
        if let Some(host) = self.svm.filter(|_| self.is_host_memory && self.parent.is_none()) {
            self.context.host_ranges.remove(host.0);
        }
    }
}
