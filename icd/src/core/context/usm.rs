//! Unified shared memory (cl_intel_unified_shared_memory): allocations of the host, of a device, or of both. The application
//! uses their pointers without maps.
//!
//! An allocation of a device is device memory at the address that the device gave. The host's pages at the same address are
//! reserved, so that the address means nothing else. Allocations of the host and shared allocations are memory that the host
//! sees at the device's address: the device's own memory if the host finds it there, otherwise memory of the host, which
//! devices import. Neither kind ever moves.

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::svm::{Allocation, Allocations, MAX_ALIGNMENT};
use crate::core::context::Context;
use crate::core::device::open::Gpu;
use crate::core::device::sharing::{HostReach, Other, SharedBlock, Sharing};
use crate::core::device::usm::{common_capabilities, cross_device_capabilities, Capabilities};
use crate::core::device::Device;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// The owner of an allocation. Devices are identified by their positions in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Host,
    Device(usize),
    /// Host and device together; `None` if the allocation is not associated with one device.
    Shared(Option<usize>),
}

impl Owner {
    /// Returns CL_MEM_ALLOC_TYPE_INTEL.
    pub fn memory_type(self) -> cl_unified_shared_memory_type_intel {
        match self {
            Owner::Host => CL_MEM_TYPE_HOST_INTEL,
            Owner::Device(_) => CL_MEM_TYPE_DEVICE_INTEL,
            Owner::Shared(_) => CL_MEM_TYPE_SHARED_INTEL,
        }
    }

    /// Returns the associated device.
    pub fn device(self) -> Option<usize> {
        match self {
            Owner::Host => None,
            Owner::Device(device) => Some(device),
            Owner::Shared(device) => device,
        }
    }
}

/// The properties that an allocation of unified shared memory was requested with.
#[derive(Debug, Clone, Copy)]
pub struct Usm {
    pub owner: Owner,
    /// CL_MEM_ALLOC_FLAGS_INTEL.
    pub flags: cl_mem_alloc_flags_intel,
}

/// The owners whose allocations a kernel may reach without naming them (CL_KERNEL_EXEC_INFO_INDIRECT_…_INTEL).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Indirect {
    pub host: bool,
    pub device: bool,
    pub shared: bool,
}

impl Indirect {
    /// Returns true if `owner` is one of these owners.
    pub fn reaches(self, owner: Owner) -> bool {
        match owner {
            Owner::Host => self.host,
            Owner::Device(_) => self.device,
            Owner::Shared(_) => self.shared,
        }
    }
}

/// The owners whose allocations launches of a context may have reached without naming them.
#[derive(Default)]
pub struct IndirectUse {
    host: AtomicBool,
    device: AtomicBool,
    shared: AtomicBool,
}

impl IndirectUse {
    fn note(&self, indirect: Indirect) {
        let all = [
            (&self.host, indirect.host),
            (&self.device, indirect.device),
            (&self.shared, indirect.shared),
        ];
        for (noted, _) in all.iter().filter(|(_, used)| *used) {
            noted.store(true, Ordering::Release);
        }
    }

    fn so_far(&self) -> Indirect {
        let [host, device, shared] =
            [&self.host, &self.device, &self.shared].map(|noted| noted.load(Ordering::Acquire));
        Indirect { host, device, shared }
    }
}

/// The positions in the context of the devices that reach an allocation; at least one.
struct Reach(Vec<usize>);

impl Reach {
    /// Returns the devices for an owner. CL_INVALID_OPERATION if no device, or not the requested one, has such memory.
    fn of(context: &Context, owner: Owner) -> Result<Reach> {
        let with = |capabilities: fn(&Gpu) -> Capabilities| -> Vec<usize> {
            let all = 0..context.gpus.len();
            all.filter(|device| capabilities(&context.gpus[*device]) != 0).collect()
        };
        let devices = match owner {
            Owner::Device(device) => vec![device],
            Owner::Host => with(common_capabilities),
            Owner::Shared(device) => {
                let across = with(cross_device_capabilities);
                match device {
                    Some(device) if !across.contains(&device) => {
                        let mut able = with(common_capabilities);
                        able.retain(|other| *other == device);
                        able
                    }
                    None if across.is_empty() => {
                        with(common_capabilities).into_iter().take(1).collect()
                    }
                    _ => across,
                }
            }
        };
        ensure!(!devices.is_empty(), CL_INVALID_OPERATION);
        Ok(Reach(devices))
    }

    /// Returns the devices whose limits apply to the allocation.
    fn limiting<'a>(&'a self, context: &'a Context) -> impl Iterator<Item = &'a Device> {
        self.0.iter().map(|device| &*context.devices[*device])
    }

    /// Allocates memory that all of these devices reach.
    fn allocate(&self, context: &Context, owner: Owner, size: usize) -> Result<SharedBlock> {
        let gpus: Vec<&Arc<Gpu>> = self.0.iter().map(|device| &context.gpus[*device]).collect();
        let direct = |gpu: &Gpu| gpu.sharing() == Sharing::Direct;
        match (owner, &gpus[..]) {
            (Owner::Device(_), [gpu]) if !direct(gpu) => {
                SharedBlock::of_device(&gpu.device, size, MAX_ALIGNMENT, Other::Nothing)
            }
            (Owner::Device(_), [gpu]) if gpu.hides_memory() => {
                Ok(SharedBlock::direct(&gpu.device, size)?.hidden())
            }
            (_, [gpu]) if direct(gpu) => SharedBlock::direct(&gpu.device, size),
            (_, [gpu]) if gpu.host_reach() == HostReach::Twofold => {
                SharedBlock::imported_twofold(gpu, size)
            }
            _ => {
                let devices: Vec<_> = gpus.iter().map(|gpu| &gpu.device).collect();
                SharedBlock::imported(&devices, size)
            }
        }
    }
}

/// A request for an allocation. It holds errors of its properties, which are reported after other errors.
pub struct UsmRequest {
    pub owner: Owner,
    pub flags: Result<cl_mem_alloc_flags_intel>,
    pub size: usize,
    pub alignment: usize,
}

impl Allocations {
    /// clHostMemAllocINTEL, clDeviceMemAllocINTEL, clSharedMemAllocINTEL: the new allocation's address.
    pub fn allocate_usm(&self, context: &Context, request: UsmRequest) -> Result<usize> {
        let UsmRequest { owner, flags, size, alignment } = request;
        let reach = Reach::of(context, owner)?;
        let aligned = alignment == 0 || alignment.is_power_of_two();
        ensure!(aligned && alignment <= MAX_ALIGNMENT, CL_INVALID_VALUE);
        let flags = flags?;
        ensure!(size > 0, CL_INVALID_BUFFER_SIZE);
        let fits = |device: &Device| size as u64 <= device.max_allocation();
        ensure!(reach.limiting(context).all(fits), CL_INVALID_BUFFER_SIZE);
        let block = reach.allocate(context, owner, size).map_err(|error| match error.0 {
            CL_OUT_OF_HOST_MEMORY => error,
            _ => ClError(CL_OUT_OF_RESOURCES),
        })?;
        Ok(self.add(context, Allocation::new(size, block, Some(Usm { owner, flags }))))
    }

    /// Returns the allocation of unified shared memory that contains an address.
    pub fn find_usm(&self, address: usize) -> Option<(Arc<Allocation>, Usm)> {
        let (allocation, _) = self.find(address)?;
        let usm = allocation.usm?;
        Some((allocation, usm))
    }

    /// Removes the allocation that begins at an address from the context, and returns it; CL_INVALID_VALUE if none begins
    /// there.
    pub fn take_usm(&self, context: &Context, address: usize) -> Result<(Arc<Allocation>, Usm)> {
        let taken = self.remove(context, address, |allocation| allocation.usm.is_some());
        let allocation = taken.ok_or(ClError(CL_INVALID_VALUE))?;
        let usm = allocation.usm.ok_or(ClError(CL_INVALID_VALUE))?;
        Ok((allocation, usm))
    }

    /// Notes a launch of a kernel that may reach any allocation of these owners.
    pub fn note_indirect(&self, indirect: Indirect) {
        if indirect != Indirect::default() {
            self.reached_indirectly.note(indirect);
        }
    }

    /// Returns true if a launch may have reached an allocation of an owner without naming it.
    pub fn is_reached_indirectly(&self, owner: Owner) -> bool {
        self.reached_indirectly.so_far().reaches(owner)
    }
}
