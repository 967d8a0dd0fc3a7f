//! Memory objects: buffers and sub-buffers, where their bytes live on each device of the context,
//! and the regions that are mapped.

use super::context::{Context, UserData};
use super::device::BASE_ALIGNMENT;
use super::external;
use super::host::{HostAddress, Pages};
use super::memory_properties::{BufferProperties, Import};
use super::notify::Notifier;
use super::staging::{Pool, Staging};
use crate::api::cl::*;
use crate::core::error::{ensure, fail, ClError, Result};
use crate::object::{callbacks, Kind, Ref};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_POINTER: cl_mem_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// A buffer or sub-buffer.
pub struct Mem {
    pub context: Ref<Context>,
    pub flags: cl_mem_flags,
    pub size: usize,
    /// The application's memory (CL_MEM_USE_HOST_PTR), for sub-buffers shifted by their origin.
    pub host_ptr: Option<HostAddress>,
    pub properties: Vec<cl_mem_properties>,
    /// The address on each device of the context (CL_MEM_DEVICE_ADDRESS_EXT); empty unless asked for at
    /// creation.
    pub device_addresses: Vec<u64>,
    /// The memory is another API's.
    pub import: Option<Import>,
    /// The buffer that a sub-buffer is part of.
    pub parent: Option<Ref<Mem>>,
    /// Where the object's bytes begin in the device's buffer: a sub-buffer's in its parent, and what
    /// lies in shared virtual memory.
    pub origin: usize,
    /// The bytes are shared virtual memory, which the host sees at this address.
    pub svm: Option<HostAddress>,
    /// Live sub-buffers: the handle stays valid while there are any.
    sub_buffers: AtomicU32,
    storage: Storage,
    maps: Mutex<Vec<Mapping>>,
    /// Staging memory of the last mapping: large pinned memory is slow to make. With
    /// CL_MEM_ALLOC_HOST_PTR there is some from the beginning, for the whole buffer.
    spare: Mutex<Option<Arc<Staging>>>,
    destructors: Mutex<Vec<(MemDestructor, UserData)>>,
}

/// Where the bytes are.
enum Storage {
    /// In the parent.
    Parent,
    /// The context has one device.
    Single(Arc<vk::Buffer>),
    /// One replica for each device of the context, made when the device first needs it.
    Replicas(Mutex<Vec<Replica>>),
}

#[derive(Default)]
struct Replica {
    buffer: Option<Arc<vk::Buffer>>,
    /// Holds the current contents.
    current: bool,
    /// The last command of each queue that used it.
    uses: Vec<(Arc<vk::Queue>, u64)>,
}

/// A mapped region.
#[derive(Clone)]
pub struct Mapping {
    pub pointer: HostAddress,
    pub offset: usize,
    pub size: usize,
    pub flags: cl_map_flags,
    /// Memory behind the pointer when it is neither the device's nor the application's.
    pub staging: Option<Arc<Staging>>,
    /// The same, where staging memory does not hold the region.
    pub pages: Option<Arc<Pages>>,
}

impl Mapping {
    /// Whether the pointer leads to memory that exists for the mapping.
    pub fn is_copy(&self) -> bool {
        self.staging.is_some() || self.pages.is_some()
    }

    /// Whether the device's bytes are wanted at the pointer.
    pub fn reads(&self) -> bool {
        self.flags & CL_MAP_WRITE_INVALIDATE_REGION == 0
    }

    /// Whether unmapping brings bytes to the device.
    pub fn writes(&self) -> bool {
        self.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
    }
}

impl Kind for Mem {
    type Target = _cl_mem;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }

    fn reachable(&self) -> bool {
        self.sub_buffers.load(Ordering::Acquire) > 0
    }

    fn dropped(&mut self, handle: cl_mem) {
        if let Some(parent) = &self.parent {
            parent.sub_buffers.fetch_sub(1, Ordering::AcqRel);
        }
        if self.svm.is_none() {
            self.context.addresses.remove(&self.device_addresses);
        }
        // Most recently registered first (clSetMemObjectDestructorCallback).
        for (callback, data) in self.destructors.get_mut().drain(..).rev() {
            let handle = UserData(handle.cast());
            // The callback may free the memory behind CL_MEM_USE_HOST_PTR: commands that touch it
            // hold the object.
            callbacks::defer(move || {
                if let Some(callback) = callback {
                    // SAFETY: the application registered this function with this data.
                    unsafe { callback(handle.get().cast(), data.get()) };
                }
            });
        }
    }
}

/// Checks flags of clCreateBuffer (5.2.1): unknown bits and contradictions are CL_INVALID_VALUE.
pub fn check_flags(flags: cl_mem_flags) -> Result<()> {
    ensure!(flags & !(ACCESS | HOST_POINTER | HOST_ACCESS) == 0, CL_INVALID_VALUE);
    ensure!((flags & ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
    ensure!((flags & HOST_ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
    let use_host = flags & CL_MEM_USE_HOST_PTR != 0;
    let others = flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure!(!(use_host && others), CL_INVALID_VALUE);
    Ok(())
}

impl Mem {
    /// clCreateBuffer. `host` is the application's pointer, not NULL when given.
    pub fn new_buffer(
        context: Ref<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: Option<HostAddress>,
        properties: BufferProperties,
    ) -> Result<Ref<Mem>> {
        check_flags(flags)?;
        if properties.import.is_some() {
            ensure!(flags & HOST_POINTER == 0, CL_INVALID_VALUE);
            ensure!(host.is_none(), CL_INVALID_HOST_PTR);
        }
        ensure!(size > 0, CL_INVALID_BUFFER_SIZE);
        let fits = context.devices.iter().any(|d| size as u64 <= d.max_allocation());
        ensure!(fits, CL_INVALID_BUFFER_SIZE);
        let wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        ensure!(wants_host == host.is_some(), CL_INVALID_HOST_PTR);
        let flags = if flags & ACCESS == 0 { flags | CL_MEM_READ_WRITE } else { flags };

        let shared = host.and_then(|host| context.svm.find(host.0));
        if let Some((allocation, offset)) = &shared {
            ensure!(size <= allocation.size - offset, CL_INVALID_BUFFER_SIZE);
        }
        // Host memory that is shared with the device needs no copy (5.2.1).
        let used_host = host.filter(|_| flags & CL_MEM_USE_HOST_PTR != 0);
        let mut mem = match (shared.filter(|_| used_host.is_some()), properties.import) {
            (Some((allocation, offset)), _) => allocation.body(&context, flags, offset, size),
            (None, Some(handle)) => {
                let (storage, import) =
                    Storage::imported(&context, size, handle, properties.devices.as_deref())?;
                Mem { import: Some(import), ..Mem::of(context, flags, size, storage) }
            }
            (None, None) => {
                let storage = Storage::new(&context, size, host)?;
                Mem { host_ptr: used_host, ..Mem::of(context, flags, size, storage) }
            }
        };
        mem.properties = properties.list;
        if properties.device_address {
            mem.device_addresses = mem.find_addresses()?;
        }
        mem.reserve_mapping()?;
        let mem = Ref::new(mem);
        if mem.svm.is_none() {
            mem.context.addresses.add(&mem.device_addresses, &mem);
        }
        Ok(mem)
    }

    /// A buffer with these bytes and nothing else that is special.
    fn of(context: Ref<Context>, flags: cl_mem_flags, size: usize, storage: Storage) -> Mem {
        Mem {
            context,
            flags,
            size,
            host_ptr: None,
            properties: Vec::new(),
            device_addresses: Vec::new(),
            import: None,
            parent: None,
            origin: 0,
            svm: None,
            sub_buffers: AtomicU32::new(0),
            storage,
            maps: Mutex::default(),
            spare: Mutex::default(),
            destructors: Mutex::default(),
        }
    }

    /// Where the bytes lie on each device of the context, on all of which they have a place from now on.
    fn find_addresses(&self) -> Result<Vec<u64>> {
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

    /// Bytes (first, count) of a buffer that is shared virtual memory and that the host sees at
    /// `address`, where it may have a shadow of them.
    pub fn of_shared(
        context: &Ref<Context>,
        buffer: Arc<vk::Buffer>,
        flags: cl_mem_flags,
        (origin, size): (usize, usize),
        address: HostAddress,
        shadow: bool,
    ) -> Mem {
        Mem {
            host_ptr: shadow.then_some(address),
            origin,
            svm: Some(address),
            ..Mem::of(context.clone(), flags, size, Storage::Single(buffer))
        }
    }

    /// CL_MEM_OFFSET: where a sub-buffer begins in its parent.
    pub fn offset_in_parent(&self) -> usize {
        self.parent.as_ref().map_or(0, |parent| self.origin - parent.origin)
    }

    /// clCreateSubBuffer of a region.
    pub fn new_sub_buffer(
        parent: &Ref<Mem>,
        flags: cl_mem_flags,
        region: cl_buffer_region,
    ) -> Result<Ref<Mem>> {
        ensure!(parent.parent.is_none(), CL_INVALID_MEM_OBJECT);
        check_flags(flags)?;
        ensure!(flags & HOST_POINTER == 0, CL_INVALID_VALUE);
        let access = inherited_access(parent.flags, flags)?;
        let host_access = inherited_host_access(parent.flags, flags)?;
        ensure!(region.size > 0, CL_INVALID_BUFFER_SIZE);
        let end = region.origin.checked_add(region.size);
        ensure!(end.is_some_and(|end| end <= parent.size), CL_INVALID_VALUE);
        ensure!(region.origin.is_multiple_of(BASE_ALIGNMENT), CL_MISALIGNED_SUB_BUFFER_OFFSET);
        parent.sub_buffers.fetch_add(1, Ordering::AcqRel);
        let flags = access | host_access | parent.flags & HOST_POINTER;
        let shifted = |host: HostAddress| HostAddress(host.0 + region.origin);
        Ok(Ref::new(Mem {
            host_ptr: parent.host_ptr.map(shifted),
            svm: parent.svm.map(shifted),
            parent: Some(parent.clone()),
            origin: parent.origin + region.origin,
            ..Mem::of(parent.context.clone(), flags, region.size, Storage::Parent)
        }))
    }

    /// The buffer that owns the bytes.
    pub fn root(&self) -> &Mem {
        self.parent.as_deref().unwrap_or(self)
    }

    /// Whether two memory objects share storage.
    pub fn same_storage(&self, other: &Mem) -> bool {
        match (&self.root().storage, &other.root().storage) {
            (Storage::Single(one), Storage::Single(two)) => Arc::ptr_eq(one, two),
            _ => std::ptr::eq(self.root(), other.root()),
        }
    }

    /// The bytes, where all devices of the context have the same.
    pub fn only_buffer(&self) -> Option<&Arc<vk::Buffer>> {
        match &self.root().storage {
            Storage::Single(buffer) => Some(buffer),
            _ => None,
        }
    }

    /// The bytes on a device of the context, made current there. Offsets into a sub-buffer are to
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

    /// Position in the context of the device whose memory was imported, if the context has several.
    pub fn imported_at(&self) -> Option<usize> {
        self.import.as_ref().map(|import| import.home)
    }

    /// The bytes on a device, where something outside may have changed them: what others have is old.
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

    /// Whether the host may read (clEnqueueReadBuffer, CL_MAP_READ).
    pub fn host_readable(&self) -> bool {
        self.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// Whether the host may write (clEnqueueWriteBuffer, CL_MAP_WRITE).
    pub fn host_writable(&self) -> bool {
        self.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// CL_INVALID_VALUE unless `[offset, offset + size)` lies within.
    pub fn check_range(&self, offset: usize, size: usize) -> Result<()> {
        let end = offset.checked_add(size);
        ensure!(end.is_some_and(|end| end <= self.size), CL_INVALID_VALUE);
        Ok(())
    }

    pub fn add_destructor(&self, callback: MemDestructor, data: UserData) {
        self.destructors.lock().push((callback, data));
    }

    /// Notes a mapping; CL_INVALID_OPERATION when it overlaps another and both are for writing.
    pub fn add_mapping(&self, mapping: Mapping) -> Result<()> {
        let mut maps = self.maps.lock();
        let conflict = maps.iter().any(|other| {
            other.writes()
                && mapping.writes()
                && other.offset < mapping.offset + mapping.size
                && mapping.offset < other.offset + other.size
        });
        ensure!(!conflict, CL_INVALID_OPERATION);
        if let Some(staging) = &mapping.staging {
            staging.show();
        }
        maps.push(mapping);
        Ok(())
    }

    /// Removes and returns the mapping at a pointer; CL_INVALID_VALUE when there is none.
    pub fn take_mapping(&self, pointer: HostAddress) -> Result<Mapping> {
        let mut maps = self.maps.lock();
        let found = maps.iter().rposition(|m| m.pointer == pointer);
        let mapping = found.map(|index| maps.remove(index)).ok_or(ClError(CL_INVALID_VALUE))?;
        if let Some(staging) = &mapping.staging {
            staging.hide();
        }
        let mut spare = self.spare.lock();
        if !(self.is_pinned() && is_larger(&spare, &mapping.staging)) {
            *spare = mapping.staging.clone();
        }
        Ok(mapping)
    }

    /// CL_MEM_ALLOC_HOST_PTR: the host is to have room for the buffer, now and later.
    pub fn is_pinned(&self) -> bool {
        self.flags & CL_MEM_ALLOC_HOST_PTR != 0
    }

    /// Takes memory in which the host will see a buffer that it is to have room for, where it does not see
    /// the device's.
    fn reserve_mapping(&self) -> Result<()> {
        let (Storage::Single(buffer), [gpu]) = (&self.storage, &self.context.gpus[..]) else {
            return Ok(());
        };
        let seen = gpu.host_view(buffer).is_some() && buffer.is_coherent();
        let limit = gpu.device.info().limits.max_allocation_size;
        if self.is_pinned() && !seen && self.size as u64 <= limit {
            let staging = gpu.readback.take(self.size as u64);
            let staging = staging.map_err(|_| ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
            *self.spare.lock() = Some(staging);
        }
        Ok(())
    }

    /// Staging memory for a mapping of `size` bytes: the last mapping's, when nobody (a command
    /// that is under way, say) holds it any more, or new.
    pub fn map_staging(&self, pool: &Arc<Pool>, size: usize) -> Result<Arc<Staging>> {
        let mut spare = self.spare.lock();
        let fits = |staging: &mut Arc<Staging>| {
            staging.is_of(pool)
                && staging.buffer.size() >= size as u64
                && Arc::strong_count(staging) == 1
        };
        if let Some(staging) = spare.take_if(fits) {
            return Ok(staging);
        }
        if !self.is_pinned() {
            *spare = None;
        }
        drop(spare);
        pool.take(size as u64)
    }

    /// CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        self.maps.lock().len() as u32
    }
}

/// Whether there is a piece, and no smaller than another.
fn is_larger(piece: &Option<Arc<Staging>>, other: &Option<Arc<Staging>>) -> bool {
    let size = |piece: &Arc<Staging>| piece.buffer.size();
    piece.is_some() && piece.as_ref().map(size) >= other.as_ref().map(size)
}

/// What a command does with a buffer's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// Access flags of a sub-buffer: inherited when none are given; never wider than the parent's.
fn inherited_access(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    let wanted = flags & ACCESS;
    let forbidden = if parent & CL_MEM_WRITE_ONLY != 0 {
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY
    } else if parent & CL_MEM_READ_ONLY != 0 {
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY
    } else {
        0
    };
    ensure!(wanted & forbidden == 0, CL_INVALID_VALUE);
    Ok(if wanted == 0 { parent & ACCESS } else { wanted })
}

/// The same for host access.
fn inherited_host_access(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    let wanted = flags & HOST_ACCESS;
    let forbidden = if parent & CL_MEM_HOST_WRITE_ONLY != 0 {
        CL_MEM_HOST_READ_ONLY
    } else if parent & CL_MEM_HOST_READ_ONLY != 0 {
        CL_MEM_HOST_WRITE_ONLY
    } else if parent & CL_MEM_HOST_NO_ACCESS != 0 {
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY
    } else {
        0
    };
    ensure!(wanted & forbidden == 0, CL_INVALID_VALUE);
    Ok(if wanted == 0 { parent & HOST_ACCESS } else { wanted })
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
    /// The device's memory for the bytes, made at first use.
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
    fn imported(
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

    /// Bytes that one device has at first.
    fn only_on(context: &Context, device: usize, buffer: Arc<vk::Buffer>) -> Storage {
        if context.gpus.len() == 1 {
            return Storage::Single(buffer);
        }
        let mut replicas: Vec<_> = context.gpus.iter().map(|_| Replica::default()).collect();
        replicas[device] = Replica { buffer: Some(buffer), current: true, uses: Vec::new() };
        Storage::Replicas(Mutex::new(replicas))
    }

    fn new(context: &Context, size: usize, contents: Option<HostAddress>) -> Result<Storage> {
        let single = context.gpus.len() == 1;
        if !single && contents.is_none() {
            let replicas = (0..context.gpus.len()).map(|_| Replica::default());
            return Ok(Storage::Replicas(Mutex::new(replicas.collect())));
        }
        let buffer = allocate(context, 0, size)?;
        if let Some(host) = contents {
            // SAFETY: clCreateBuffer requires `size` bytes at host_ptr, and has not returned yet.
            let bytes = unsafe { host.bytes(0, size) };
            context.gpus[0].write_now(&buffer, 0, bytes)?;
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
