//! Sharing of addresses between a device and the host, and blocks of memory that both know by one address.

use crate::cl::error::{fail, Result};
use crate::cl::*;
use hekla_vk_backend as vk;
use std::sync::Arc;

/// Shadows consist of whole pages.
const PAGE: usize = 4096;
/// The number of allocations that are tried to find one whose address is free on the host.
const TRIES: usize = 8;

/// The way in which a device shares addresses with the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    None,
    /// The host has a shadow at the device's address.
    Shadow,
    /// The host finds the bytes at the device's address.
    Direct,
}

impl Sharing {
    /// Finds out, with a small allocation, how a device shares addresses.
    pub fn probe(device: &Arc<vk::Device>) -> Sharing {
        match SharedBlock::new(device, PAGE, PAGE) {
            Ok(block) if !block.has_shadow() => Sharing::Direct,
            Ok(_) => Sharing::Shadow,
            Err(_) => Sharing::None,
        }
    }

    /// CL_DEVICE_SVM_CAPABILITIES.
    pub fn capabilities(self) -> u64 {
        match self {
            Sharing::None => 0,
            Sharing::Shadow => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
            Sharing::Direct => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
        }
    }
}

/// Anonymous memory of the process at a chosen address.
struct Shadow {
    address: usize,
    size: usize,
}

impl Shadow {
    /// Takes whole pages at `address`, unless the process uses some of them.
    fn at(address: usize, size: usize) -> Option<Shadow> {
        let size = size.next_multiple_of(PAGE);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE
            | libc::MAP_ANONYMOUS
            | libc::MAP_NORESERVE
            | libc::MAP_FIXED_NOREPLACE;
        let wanted = address as *mut libc::c_void;
        // SAFETY: NOREPLACE leaves alone what is mapped there already.
        let got = unsafe { libc::mmap(wanted, size, protection, flags, -1, 0) };
        if got == libc::MAP_FAILED {
            return None;
        }
        let shadow = Shadow { address: got as usize, size };
        // Kernels older than NOREPLACE take the address for a hint.
        (got == wanted).then_some(shadow)
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // SAFETY: the pages were mapped for this object, and the application has given them back.
        unsafe { libc::munmap(self.address as *mut libc::c_void, self.size) };
    }
}

/// Memory of a device that the host knows by the device's own address.
pub struct SharedBlock {
    pub address: usize,
    pub buffer: Arc<vk::Buffer>,
    /// Offset of the block in the buffer, in bytes.
    pub origin: usize,
    shadow: Option<Shadow>,
}

impl SharedBlock {
    /// Allocates `size` bytes at an address that is a multiple of `alignment`.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES where the host uses all addresses that the device gave; no memory.
    pub fn new(device: &Arc<vk::Device>, size: usize, alignment: usize) -> Result<SharedBlock> {
        let alignment = alignment.max(PAGE);
        let Some(room) = size.checked_add(alignment + PAGE) else {
            return fail(CL_OUT_OF_RESOURCES);
        };
        // Blocks whose address is taken are kept until one is found, so that they are not tried again.
        let mut taken = Vec::new();
        for _ in 0..TRIES {
            let buffer = device.create_buffer(room as u64, vk::MemoryKind::Device)?;
            let address = (buffer.address() as usize).next_multiple_of(alignment);
            let origin = address - buffer.address() as usize;
            let seen = buffer.mapped().map(|base| base.as_ptr() as usize + origin);
            let direct = seen == Some(address) && buffer.is_coherent();
            let shadow = if direct { None } else { Shadow::at(address, size) };
            if direct || shadow.is_some() {
                return Ok(SharedBlock { address, buffer, origin, shadow });
            }
            taken.push(buffer);
        }
        fail(CL_OUT_OF_RESOURCES)
    }

    /// Returns true if host and device have different memory at the address.
    pub fn has_shadow(&self) -> bool {
        self.shadow.is_some()
    }
}
