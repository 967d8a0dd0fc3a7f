//! The memory of a buffer on each device of the context.

use super::buffer::Buffer;
use super::fetch::Place;
use super::properties::Import;
use super::spans::{Devices, Spans, MAX_DEVICES};
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::external;
use crate::core::memory::host::HostAddress;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::sync::Arc;

/// The storage of a memory object.
pub enum Storage {
    /// In the parent.
    Parent,
    /// The context has one device.
    Single(Arc<vk::Buffer>),
    /// The context has several devices.
    Replicas(Replicas),
}

/// A buffer's memory on each device of a context, made when the device first needs it.
pub struct Replicas {
    size: usize,
    buffers: Vec<OnceCell<Arc<vk::Buffer>>>,
    /// The devices that have the current bytes, range by range.
    pub(super) spans: Mutex<Spans>,
}

impl Replicas {
    /// Returns memory for `size` bytes, whose contents these devices have.
    fn new(context: &Context, size: usize, current: Devices) -> Result<Replicas> {
        let count = context.gpus.len();
        ensure!(count <= MAX_DEVICES, CL_OUT_OF_RESOURCES);
        let buffers = (0..count).map(|_| OnceCell::new()).collect();
        Ok(Replicas { size, buffers, spans: Mutex::new(Spans::new(size, current)) })
    }

    /// Returns a device's memory.
    fn buffer(&self, context: &Context, device: usize) -> Result<&Arc<vk::Buffer>> {
        let buffer = self.buffers.get(device).ok_or(ClError(CL_INVALID_DEVICE))?;
        buffer.get_or_try_init(|| allocate(context, device, self.size))
    }

    /// Returns a device's memory, with the device.
    pub(super) fn place(&self, context: &Context, device: usize) -> Result<Place> {
        let buffer = self.buffer(context, device)?.clone();
        Ok(Place { gpu: context.gpus[device].clone(), buffer })
    }
}

impl Buffer {
    /// Returns the address on each device of the context; allocates memory where there is none yet.
    pub(super) fn find_addresses(&self) -> Result<Vec<u64>> {
        let address = |buffer: &vk::Buffer| buffer.address() + self.origin as u64;
        match &self.storage {
            Storage::Single(buffer) => Ok(vec![address(buffer)]),
            Storage::Replicas(replicas) => {
                let devices = 0..self.context.gpus.len();
                devices.map(|d| Ok(address(replicas.buffer(&self.context, d)?))).collect()
            }
            Storage::Parent => fail(CL_INVALID_MEM_OBJECT),
        }
    }

    /// Returns true if two memory objects share storage.
    pub fn same_storage(&self, other: &Buffer) -> bool {
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

    /// Returns the memory of the bytes on each device, if the context has several.
    pub(super) fn replicas(&self) -> Option<&Replicas> {
        match &self.root().storage {
            Storage::Replicas(replicas) => Some(replicas),
            _ => None,
        }
    }

    /// Returns where the bytes are, or will be, on a device of the context. Offsets into a sub-buffer are to
    /// be shifted by `origin`.
    pub fn on_device(&self, device: usize) -> Result<Arc<vk::Buffer>> {
        match &self.root().storage {
            Storage::Single(buffer) => Ok(buffer.clone()),
            Storage::Replicas(replicas) => Ok(replicas.buffer(&self.context, device)?.clone()),
            Storage::Parent => fail(CL_INVALID_MEM_OBJECT),
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
                    let storage = Storage::only_on(context, size, home, buffer)?;
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

    /// Returns `size` bytes that one device has at first.
    fn only_on(
        context: &Context,
        size: usize,
        device: usize,
        buffer: Arc<vk::Buffer>,
    ) -> Result<Storage> {
        if context.gpus.len() == 1 {
            return Ok(Storage::Single(buffer));
        }
        let mut replicas = Replicas::new(context, size, Devices::only(device))?;
        replicas.buffers[device] = OnceCell::with_value(buffer);
        Ok(Storage::Replicas(replicas))
    }

    pub fn new(context: &Context, size: usize, contents: Option<HostAddress>) -> Result<Storage> {
        let single = context.gpus.len() == 1;
        if !single && contents.is_none() {
            return Ok(Storage::Replicas(Replicas::new(context, size, Devices::default())?));
        }
        let buffer = allocate(context, 0, size)?;
        if let Some(host) = contents {
            // SAFETY: clCreateBuffer requires `size` bytes at host_ptr, and has not returned yet.
            unsafe { context.gpus[0].write_now_from(&buffer, 0, host.as_ptr(), size) }?;
        }
        Storage::only_on(context, size, 0, buffer)
    }
}
