//! Sharing of addresses between devices and the host, and blocks of memory that both know by one address.

use super::import_pool::{alignment, import, Import};
use super::open::Gpu;
use super::pages::{HostMemory, Pages, PAGE};
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use hekla_vk_backend as vk;
use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

/// The number of allocations that are tried to find one whose address is free on the host.
const TRIES: usize = 10;
/// Bytes of device memory that are held after the first attempt, so that the next allocation has a higher address. After each
/// further attempt twice as many bytes are held.
const STEP: u64 = 1 << 20;

/// The way in which a device shares addresses of its own memory with the host.
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
        match SharedBlock::of_device(device, PAGE, PAGE, Other::Shadow) {
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

/// The way in which a device reaches memory of the host at the host's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostReach {
    None,
    /// The device has an address of its own for the memory, and the host can map the memory at that address as well.
    Twofold,
    /// The device uses the host's address for the memory.
    InPlace,
}

impl HostReach {
    /// Finds out, with one page, how a device reaches the host's memory.
    pub fn probe(gpu: &Gpu) -> HostReach {
        let device = &gpu.device;
        if !device.info().memory.host_import {
            return HostReach::None;
        }
        let reach = match SharedBlock::imported(&[device], PAGE) {
            Ok(block) => Some((block, HostReach::InPlace)),
            Err(_) => {
                let block = SharedBlock::imported_twofold(gpu, PAGE).ok();
                block.map(|block| (block, HostReach::Twofold))
            }
        };
        match reach {
            Some((block, reach)) if is_seen_by_both(gpu, &block) => reach,
            _ => HostReach::None,
        }
    }
}

/// Returns true if host and device see each other's writes at the address of a block of one page.
fn is_seen_by_both(gpu: &Gpu, block: &SharedBlock) -> bool {
    const WORDS: [u32; 2] = [0x600D_CAFE, 0x0BAD_F00D];
    let word = block.address as *mut u32;
    let seen = || -> Result<bool> {
        let buffer = &block.buffers[0];
        let copy = gpu.readback.take(4)?;
        // SAFETY: the block is this function's alone, and the host sees it at its address.
        unsafe { word.write_volatile(WORDS[0]) };
        gpu.with_service(|queue| {
            let ((), value) = queue.record(|recorder| {
                recorder.copy(buffer, 0, &copy.buffer, 0, 4);
                recorder.barrier();
                recorder.fill(buffer, 0, 4, WORDS[1]);
                recorder.retain(copy.clone());
            });
            Ok(queue.wait(value)?)
        })?;
        let mut read = [0; 4];
        // SAFETY: the command that writes them is complete.
        unsafe { copy.buffer.read(0, &mut read) }?;
        // SAFETY: the command that writes them is complete.
        let written = unsafe { word.read_volatile() };
        Ok([u32::from_le_bytes(read), written] == WORDS)
    };
    seen().unwrap_or(false)
}

/// Returns device memory whose only use is to shift the address of the next allocation; `None` if there is not enough.
fn step(device: &Arc<vk::Device>, attempt: usize) -> Option<Arc<vk::Buffer>> {
    device.create_buffer(STEP << attempt, vk::MemoryKind::Device).ok()
}

/// The memory that the host gets at the address of a device's memory, unless it finds the device's bytes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// Memory of the host's own.
    Shadow,
    /// No memory.
    Nothing,
}

/// The memory that the host has at the address of a block.
enum HostSide {
    /// The device's bytes.
    Bytes,
    /// Memory of the host's own.
    Shadow(#[allow(dead_code)] Pages),
    /// Nothing. The pages are reserved, so that their addresses mean nothing else.
    Nothing(#[allow(dead_code)] Option<Pages>),
}

/// Memory that the host and devices know by one address.
pub struct SharedBlock {
    pub address: usize,
    /// The memory, as a buffer for each device that reaches it.
    pub buffers: SmallVec<[Arc<vk::Buffer>; 1]>,
    /// Offset of the block in the buffers, in bytes.
    pub origin: usize,
    host: HostSide,
}

impl SharedBlock {
    /// Allocates `size` bytes of a device's memory at an address that is a multiple of `alignment`.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES where the host uses all addresses that the device gave; no memory.
    pub fn of_device(
        device: &Arc<vk::Device>,
        size: usize,
        alignment: usize,
        other: Other,
    ) -> Result<SharedBlock> {
        let alignment = alignment.max(PAGE);
        let Some(room) = size.checked_add(alignment + PAGE) else {
            return fail(CL_OUT_OF_RESOURCES);
        };
        // Blocks at addresses that the host uses are kept until a free address is found, so that no address is tried twice.
        let mut taken = Vec::new();
        for attempt in 0..TRIES {
            let buffer = device.create_buffer(room as u64, vk::MemoryKind::Device)?;
            let address = (buffer.address() as usize).next_multiple_of(alignment);
            let origin = address - buffer.address() as usize;
            let host = match other {
                _ if is_direct(&buffer) => Some(HostSide::Bytes),
                Other::Shadow => Pages::at(address, size).map(HostSide::Shadow),
                Other::Nothing => {
                    Pages::reserve(address, size).map(|pages| HostSide::Nothing(Some(pages)))
                }
            };
            if let Some(host) = host {
                return Ok(SharedBlock { address, buffers: smallvec![buffer], origin, host });
            }
            taken.push(buffer);
            taken.extend(step(device, attempt));
        }
        fail(CL_OUT_OF_RESOURCES)
    }

    /// Allocates `size` bytes of a device's memory that the host finds at the device's address, which is a multiple of 256.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if the host does not find the memory there; errors of allocation.
    pub fn direct(device: &Arc<vk::Device>, size: usize) -> Result<SharedBlock> {
        let buffer = device.create_buffer(size as u64, vk::MemoryKind::Device)?;
        if !is_direct(&buffer) {
            return fail(CL_OUT_OF_RESOURCES);
        }
        let address = buffer.address() as usize;
        let (buffers, host) = (smallvec![buffer], HostSide::Bytes);
        Ok(SharedBlock { address, buffers, origin: 0, host })
    }

    /// Allocates `size` bytes of the host's memory at whole pages, which all of the devices know by the host's address.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if the devices do not use the host's address; errors of allocation.
    pub fn imported(devices: &[&Arc<vk::Device>], size: usize) -> Result<SharedBlock> {
        let alignment = devices.iter().map(|device| alignment(device)).fold(PAGE, usize::max);
        let memory = HostMemory::new(size, alignment, false);
        let memory = Arc::new(memory.ok_or(ClError(CL_OUT_OF_HOST_MEMORY))?);
        let buffers = devices.iter().map(|device| import(device, &memory, size));
        let buffers = buffers.collect::<Result<SmallVec<_>>>()?;
        let address = memory.address();
        let is_there = |buffer: &Arc<vk::Buffer>| buffer.address() as usize == address;
        ensure!(buffers.iter().all(is_there), CL_OUT_OF_RESOURCES);
        Ok(SharedBlock { address, buffers, origin: 0, host: HostSide::Bytes })
    }

    /// Allocates `size` bytes of the host's memory at whole pages, which the host finds at the device's address as well.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if the device does not reach such memory, or if the host uses all addresses that the device gave;
    /// errors of allocation.
    pub fn imported_twofold(gpu: &Gpu, size: usize) -> Result<SharedBlock> {
        let import = match Import::new(&gpu.device, size)? {
            Ok(import) => import,
            Err(_taken) => gpu.imports.take(&gpu.device, size)?,
        };
        let Import { address, buffer } = import;
        Ok(SharedBlock { address, buffers: smallvec![buffer], origin: 0, host: HostSide::Bytes })
    }

    /// Hides the bytes from the host, as on a device whose memory the host does not see.
    pub fn hidden(mut self) -> SharedBlock {
        if matches!(self.host, HostSide::Bytes) {
            self.host = HostSide::Nothing(None);
        }
        self
    }

    /// Returns true if host and device have different memory at the address.
    pub fn has_shadow(&self) -> bool {
        matches!(self.host, HostSide::Shadow(_))
    }

    /// Returns true if the host finds the device's bytes at the address.
    pub fn is_seen_by_host(&self) -> bool {
        matches!(self.host, HostSide::Bytes)
    }

    /// Returns the memory for a device; `None` for one that does not reach it.
    pub fn on(&self, device: &Arc<vk::Device>) -> Option<&Arc<vk::Buffer>> {
        self.buffers.iter().find(|buffer| Arc::ptr_eq(buffer.device(), device))
    }
}

/// Returns true if the host finds a buffer's bytes at the device's address.
fn is_direct(buffer: &vk::Buffer) -> bool {
    let seen = buffer.mapped().map(|base| base.as_ptr() as u64);
    seen == Some(buffer.address()) && buffer.is_coherent()
}
