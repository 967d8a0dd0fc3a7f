//! The memory of a buffer or an image on each device of the context.

use super::buffer::Buffer;
use super::fetch::DeviceMemory;
use super::properties::{Import, Origin};
use super::spans::{Devices, Spans, MAX_DEVICES};
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::memory::host::HostAddress;
use hekla_vk_backend as vk;
use hekla_vk_backend::platform::Descriptor;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// The storage of a memory object.
pub enum Storage {
    /// A part of the parent's memory.
    Parent,
    /// A buffer of the context's only device.
    Single(Arc<vk::Buffer>),
    /// A buffer for each of the context's devices, which share the same bytes (`host_memory.rs`).
    Shared(Vec<Arc<vk::Buffer>>),
    /// Memory on each of the context's devices, with copies of the bytes.
    Replicas(Replicas),
}

/// The memory of a buffer or an image on one device.
#[derive(Clone)]
pub enum Memory {
    Buffer(Arc<vk::Buffer>),
    Image(Arc<vk::Image>),
}

/// The kind of contents that memory is for.
enum Contents {
    /// This number of bytes.
    Bytes(usize),
    Texels(vk::ImageDesc),
}

/// The memory of a buffer or an image on each device of a context, allocated when the device first needs it.
pub struct Replicas {
    contents: Contents,
    memories: Vec<OnceCell<Memory>>,
    /// The devices that have the current bytes, for each range. An image counts as one byte: it is moved as a whole.
    pub(super) spans: Mutex<Spans>,
}

impl Replicas {
    /// Returns memory for `size` bytes. `current`: the devices that have the contents.
    fn new(context: &Context, size: usize, current: Devices) -> Result<Replicas> {
        Replicas::of(context, Contents::Bytes(size), Spans::new(size, current))
    }

    /// Returns memory for an image. `current`: the devices that have the contents.
    pub(super) fn of_image(
        context: &Context,
        desc: &vk::ImageDesc,
        current: Devices,
    ) -> Result<Replicas> {
        Replicas::of(context, Contents::Texels(*desc), Spans::new(1, current))
    }

    fn of(context: &Context, contents: Contents, spans: Spans) -> Result<Replicas> {
        let count = context.gpus.len();
        ensure!(count <= MAX_DEVICES, CL_OUT_OF_RESOURCES);
        let memories = (0..count).map(|_| OnceCell::new()).collect();
        Ok(Replicas { contents, memories, spans: Mutex::new(spans) })
    }

    /// Sets a device's image, which was created before.
    pub(super) fn with_image(mut self, device: usize, image: Arc<vk::Image>) -> Replicas {
        self.memories[device] = OnceCell::with_value(Memory::Image(image));
        self
    }

    /// Returns the memory on a device, which is allocated if necessary.
    pub(super) fn memory(&self, context: &Context, device: usize) -> Result<&Memory> {
        let memory = self.memories.get(device).ok_or(ClError(CL_INVALID_DEVICE))?;
        memory.get_or_try_init(|| match &self.contents {
            Contents::Bytes(size) => allocate(context, device, *size).map(Memory::Buffer),
            Contents::Texels(desc) => {
                let gpu = &context.gpus[device];
                Ok(Memory::Image(gpu.create_image(desc)?.ready(gpu)?.clone()))
            }
        })
    }

    /// Returns the buffer on a device.
    fn buffer(&self, context: &Context, device: usize) -> Result<Arc<vk::Buffer>> {
        match self.memory(context, device)? {
            Memory::Buffer(buffer) => Ok(buffer.clone()),
            Memory::Image(_) => fail(CL_INVALID_MEM_OBJECT),
        }
    }

    /// Returns the image on a device.
    pub(super) fn image(&self, context: &Context, device: usize) -> Result<Arc<vk::Image>> {
        match self.memory(context, device)? {
            Memory::Image(image) => Ok(image.clone()),
            Memory::Buffer(_) => fail(CL_INVALID_MEM_OBJECT),
        }
    }

    /// Returns the memory on a device, together with the device.
    pub(super) fn place(&self, context: &Context, device: usize) -> Result<DeviceMemory> {
        let memory = self.memory(context, device)?.clone();
        Ok(DeviceMemory { device, gpu: context.gpus[device].clone(), memory })
    }
}

impl Buffer {
    /// Returns the buffer's address on each device of the context; allocates memory on devices that have none yet.
    pub(super) fn find_addresses(&self) -> Result<Vec<u64>> {
        let address = |buffer: &vk::Buffer| buffer.address() + self.origin as u64;
        match &self.storage {
            Storage::Single(buffer) => Ok(vec![address(buffer)]),
            Storage::Shared(buffers) => Ok(buffers.iter().map(|buffer| address(buffer)).collect()),
            Storage::Replicas(replicas) => {
                let devices = 0..self.context.gpus.len();
                devices.map(|d| Ok(address(&*replicas.buffer(&self.context, d)?))).collect()
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

    /// Returns the Vulkan buffer of a context's only device; `None` in a context of several devices.
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

    /// Returns the Vulkan buffer that has, or will have, the bytes on a device of the context. Offsets in a sub-buffer must be
    /// increased by `origin`. The caller may write the bytes.
    pub fn on_device(&self, device: usize) -> Result<Arc<vk::Buffer>> {
        self.root().unwritten.store(false, Ordering::Relaxed);
        self.on_device_to_read(device)
    }

    /// Returns true if nothing has written the bytes, or memory shared with them, yet.
    pub fn is_unwritten(&self) -> bool {
        self.root().unwritten.load(Ordering::Relaxed)
    }

    /// Like [`Buffer::on_device`], for a caller that does not write the bytes.
    pub fn on_device_to_read(&self, device: usize) -> Result<Arc<vk::Buffer>> {
        match &self.root().storage {
            Storage::Single(buffer) => Ok(buffer.clone()),
            Storage::Shared(buffers) => {
                buffers.get(device).cloned().ok_or(ClError(CL_INVALID_DEVICE))
            }
            Storage::Replicas(replicas) => replicas.buffer(&self.context, device),
            Storage::Parent => fail(CL_INVALID_MEM_OBJECT),
        }
    }
}

/// Allocates device memory for a buffer of `size` bytes. Its size is a multiple of 16, since transfers fill whole words.
fn allocate(context: &Context, device: usize, size: usize) -> Result<Arc<vk::Buffer>> {
    let size = (size as u64).next_multiple_of(16);
    let buffer = context.gpus[device].device.create_buffer(size, vk::MemoryKind::Device);
    buffer.map_err(|error| {
        tracing::warn!("a buffer of {size} bytes: {error}");
        ClError::of_allocation(&error)
    })
}

impl Storage {
    /// Imports the memory of an application's descriptor on the first of `devices` (positions in the context; `None`: all) that
    /// accepts it, and takes over the descriptor.
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
            // For an invalid value of a property the specification has CL_INVALID_PROPERTY; for a number that is not an open
            // descriptor, the conformance suite expects CL_INVALID_VALUE (vulkan, consistency_external_buffer).
            let own = Descriptor::duplicate_of(fd).ok_or(ClError(CL_INVALID_VALUE))?;
            match context.gpus[home].device.import_memory(&own, kind, size as u64) {
                Ok(buffer) => {
                    Descriptor::close(fd);
                    let devices = devices.iter().map(|i| context.devices[*i].clone()).collect();
                    let storage = Storage::only_on(context, size, home, buffer)?;
                    return Ok((storage, Import { origin: Origin::Handle, devices, home }));
                }
                Err(error) => {
                    tracing::warn!("memory of another API: {error}");
                    last = match error {
                        vk::Error::Invalid(_) => ClError(CL_INVALID_PROPERTY),
                        vk::Error::TooLarge { .. } => ClError(CL_INVALID_BUFFER_SIZE),
                        error => ClError::of_allocation(&error),
                    };
                }
            }
        }
        Err(last)
    }

    /// Returns storage for `size` bytes, whose contents only one device has at first.
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
        replicas.memories[device] = OnceCell::with_value(Memory::Buffer(buffer));
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
