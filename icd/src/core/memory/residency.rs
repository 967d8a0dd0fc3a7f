//! Where a buffer's bytes live on each device of the context, and how they come to the device that
//! needs them.

use super::properties::Import;
use super::Mem;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::external;
use crate::core::device::open::Access;
use crate::core::memory::host::HostAddress;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::Arc;

/// Where the bytes are.
pub enum Storage {
    /// In the parent.
    Parent,
    /// The context has one device.
    Single(Arc<vk::Buffer>),
    /// One replica for each device of the context, made when the device first needs it.
    Replicas(Mutex<Vec<Replica>>),
}

#[derive(Default)]
pub struct Replica {
    buffer: Option<Arc<vk::Buffer>>,
    /// Holds the current contents.
    current: bool,
    /// The last command of each queue that used it.
    uses: Vec<(Arc<vk::Queue>, u64)>,
}

impl Mem {
    /// Returns where the bytes lie on each device of the context, on all of which they have a place from
    /// now on.
    pub(super) fn find_addresses(&self) -> Result<Vec<u64>> {
        let address = |buffer: &vk::Buffer| buffer.address() + self.origin as u64;
        match &self.storage {
            Storage::Single(buffer) => Ok(vec![address(buffer)]),
            Storage::Replicas(replicas) => {
                let (mut replicas, mut addresses) = (replicas.lock(), Vec::new());
                for (device, replica) in replicas.iter_mut().enumerate() {
                    addresses.push(address(replica.place(&self.context, device, self.size)?));
                }
                Ok(addresses)
            }
            Storage::Parent => fail(CL_INVALID_MEM_OBJECT),
        }
    }

    /// Returns true if two memory objects share storage.
    pub fn same_storage(&self, other: &Mem) -> bool {
        match (&self.root().storage, &other.root().storage) {
            (Storage::Single(one), Storage::Single(two)) => Arc::ptr_eq(one, two),
            _ => std::ptr::eq(self.root(), other.root()),
        }
    }

    /// Returns the bytes, where all devices of the context have the same.
    pub fn only_buffer(&self) -> Option<&Arc<vk::Buffer>> {
        match &self.root().storage {
            Storage::Single(buffer) => Some(buffer),
            _ => None,
        }
    }

    /// Returns the bytes on a device of the context, made current there. Offsets into a sub-buffer are to
    /// be shifted by `origin`.
    pub fn on_device(&self, device: usize, access: Access) -> Result<Arc<vk::Buffer>> {
        match &self.root().storage {
            Storage::Single(buffer) => Ok(buffer.clone()),
            Storage::Replicas(replicas) => {
                let root = self.root();
                make_current(&root.context, root.size, &mut replicas.lock(), device, access)
            }
            Storage::Parent => fail(CL_INVALID_MEM_OBJECT),
        }
    }

    /// Returns the bytes on a device, where something outside may have changed them: what others have is old.
    pub fn renewed_on(&self, device: usize) -> Result<Arc<vk::Buffer>> {
        if let Storage::Replicas(replicas) = &self.storage {
            for (index, replica) in replicas.lock().iter_mut().enumerate() {
                replica.current = index == device;
            }
        }
        self.on_device(device, Access::Write)
    }

    /// Notes the command that uses the bytes on a device, so that another device can wait for it.
    pub fn used(&self, device: usize, queue: &Arc<vk::Queue>, value: u64) {
        if let Storage::Replicas(replicas) = &self.root().storage {
            if let Some(replica) = replicas.lock().get_mut(device) {
                replica.uses.retain(|(other, _)| !Arc::ptr_eq(other, queue));
                replica.uses.push((queue.clone(), value));
            }
        }
    }
}

/// Device memory for a buffer of `size` bytes. Transfers fill words: whole words are allocated.
fn allocate(context: &Context, device: usize, size: usize) -> Result<Arc<vk::Buffer>> {
    let size = (size as u64).next_multiple_of(16);
    let buffer = context.gpus[device].device.create_buffer(size, vk::MemoryKind::Device);
    buffer.map_err(|error| match error {
        vk::Error::OutOfHostMemory => ClError(CL_OUT_OF_HOST_MEMORY),
        error => {
            tracing::warn!("a buffer of {size} bytes: {error}");
            ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        }
    })
}

impl Replica {
    /// Returns the device's memory for the bytes, made at first use.
    fn place(&mut self, context: &Context, device: usize, size: usize) -> Result<&Arc<vk::Buffer>> {
        if self.buffer.is_none() {
            self.buffer = Some(allocate(context, device, size)?);
        }
        self.buffer.as_ref().ok_or(ClError(CL_OUT_OF_RESOURCES))
    }
}

impl Storage {
    /// Memory that a descriptor of the application stands for, on the first of the devices (positions in
    /// the context; `None`: all) that takes it. The descriptor is ours then.
    pub fn imported(
        context: &Context,
        size: usize,
        (kind, fd): (vk::MemoryHandles, i32),
        devices: Option<&[usize]>,
    ) -> Result<(Storage, Import)> {
        let all: Vec<_> = (0..context.devices.len()).collect();
        let devices = devices.unwrap_or(&all);
        let takes = |i: &usize| context.devices[*i].info().features.external.memory_import;
        ensure!(devices.iter().all(|i| takes(i).contains(kind)), CL_INVALID_DEVICE);
        let mut last = ClError(CL_INVALID_DEVICE);
        for home in devices.iter().copied() {
            let own = external::duplicate(fd)?;
            match context.gpus[home].device.import_memory(own, kind, size as u64) {
                Ok(buffer) => {
                    external::consume(fd);
                    let devices = devices.iter().map(|i| context.devices[*i].clone()).collect();
                    let storage = Storage::only_on(context, home, buffer);
                    return Ok((storage, Import { devices, home }));
                }
                Err(error) => {
                    tracing::warn!("memory of another API: {error}");
                    last = match error {
                        vk::Error::Invalid(_) => ClError(CL_INVALID_PROPERTY),
                        vk::Error::TooLarge { .. } => ClError(CL_INVALID_BUFFER_SIZE),
                        vk::Error::OutOfHostMemory => ClError(CL_OUT_OF_HOST_MEMORY),
                        _ => ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                    };
                }
            }
        }
        Err(last)
    }

    /// Returns bytes that one device has at first.
    fn only_on(context: &Context, device: usize, buffer: Arc<vk::Buffer>) -> Storage {
        if context.gpus.len() == 1 {
            return Storage::Single(buffer);
        }
        let mut replicas: Vec<_> = context.gpus.iter().map(|_| Replica::default()).collect();
        replicas[device] = Replica { buffer: Some(buffer), current: true, uses: Vec::new() };
        Storage::Replicas(Mutex::new(replicas))
    }

    pub fn new(context: &Context, size: usize, contents: Option<HostAddress>) -> Result<Storage> {
        let single = context.gpus.len() == 1;
        if !single && contents.is_none() {
            let replicas = (0..context.gpus.len()).map(|_| Replica::default());
            return Ok(Storage::Replicas(Mutex::new(replicas.collect())));
        }
        let buffer = allocate(context, 0, size)?;
        if let Some(host) = contents {
            // SAFETY: clCreateBuffer requires `size` bytes at host_ptr, and has not returned yet.
            unsafe { context.gpus[0].write_now_from(&buffer, 0, host.as_ptr(), size) }?;
        }
        Ok(Storage::only_on(context, 0, buffer))
    }
}

/// Brings a buffer's contents to a device, through the host, once the last command that used them
/// elsewhere is done.
fn make_current(
    context: &Context,
    size: usize,
    replicas: &mut [Replica],
    device: usize,
    access: Access,
) -> Result<Arc<vk::Buffer>> {
    let buffer = replicas[device].place(context, device, size)?.clone();
    if !replicas[device].current {
        let source = replicas.iter().position(|r| r.current);
        if let Some((source, from)) = source.and_then(|s| Some((s, replicas[s].buffer.clone()?))) {
            // What writes the source, for the host to see, and what still reads the old contents here.
            for (queue, value) in replicas[source].uses.drain(..) {
                queue.wait_host_visible(value)?;
            }
            for (queue, value) in replicas[device].uses.drain(..) {
                queue.wait(value)?;
            }
            let mut bytes = vec![0; size];
            context.gpus[source].read_now(&from, 0, &mut bytes)?;
            context.gpus[device].write_now(&buffer, 0, &bytes)?;
        }
        replicas[device].current = true;
    }
    if access == Access::Write {
        for (index, replica) in replicas.iter_mut().enumerate() {
            replica.current = index == device;
        }
    }
    Ok(buffer)
}
