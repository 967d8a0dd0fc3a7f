//! An opened device: the Vulkan device, its queues, its memory and its pipeline cache.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::{ext, khr, vk};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::clock::{ClockCorrelation, Clocks};
use crate::code::CodeLock;
use crate::features::FeatureChain;
use crate::memory::{Heap, MemoryKind, PoolUse};
use crate::physical::BindQueue;
use crate::pipeline_store::{self, create_cache, PipelineStore};
use crate::sabotage::Sabotage;
use crate::{
    defects, marks, priority, probe, timeline, Buffer, Defect, DeviceInfo, Error, MemoryHandles,
    PhysicalDevice, Pipeline, PipelineDesc, Probe, Queue, QueueOptions, Semaphore,
    SemaphoreHandles,
};

/// A device that work can be given to.
pub struct Device {
    pub(crate) raw: ash::Device,
    pub(crate) physical: PhysicalDevice,
    pub(crate) heap: Heap,
    /// The Vulkan queues; several [`Queue`]s may share one, so each submits behind its lock.
    pub(crate) vulkan_queues: Vec<Mutex<vk::Queue>>,
    /// The queue for sparse binding, where it is none of those.
    bind_queue: Option<Mutex<vk::Queue>>,
    /// How many [`Queue`]s there are on each of the Vulkan queues.
    pub(crate) queue_users: Mutex<Vec<usize>>,
    pub(crate) spare_timelines: Mutex<Vec<timeline::Spare>>,
    /// Pipeline layouts by push constant size.
    pub(crate) layouts: Mutex<HashMap<u32, vk::PipelineLayout>>,
    /// What the driver learns of pipelines in this process.
    pipeline_cache: vk::PipelineCache,
    pipeline_store: OnceCell<Box<dyn PipelineStore>>,
    pub(crate) host_import: Option<ext::external_memory_host::Device>,
    pub(crate) memory_fd: Option<khr::external_memory_fd::Device>,
    pub(crate) semaphore_fd: Option<khr::external_semaphore_fd::Device>,
    pub(crate) clocks: Clocks,
    pub(crate) code: CodeLock,
    /// How batches tell the host that they are complete, if not by semaphores.
    pub(crate) marks: Option<marks::Writer>,
    lost: AtomicBool,
    pub(crate) sabotage: Sabotage,
    /// Buffers that the host reads and whose addresses kernels may have; one more for unified memory.
    kernels_reach_host: AtomicUsize,
    /// How many batches of all queues are complete that did not show the host their results.
    pub(crate) unshown: AtomicU64,
    probe: OnceCell<Probe>,
}

impl Device {
    /// Opens a device with everything enabled that its [`crate::Features`] list.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with [`DeviceInfo::refusal`] when Hekla cannot use it; otherwise what
    /// the driver says.
    pub fn open(p: &PhysicalDevice) -> Result<Arc<Device>, Error> {
        if let Some(why) = &p.info.refusal {
            return Err(Error::Unsupported(format!("{} {why}", p.info.name)));
        }
        let raw = create_raw(p)?;
        let queues = (0..p.info.limits.queue_count)
            // SAFETY: the device was created with this many queues of this family.
            .map(|i| Mutex::new(unsafe { raw.get_device_queue(p.queue_family, i) }))
            .collect();
        let bind_queue = match p.bind_queue {
            Some(BindQueue::Own { family, index }) if p.info.features.sparse_binding => {
                // SAFETY: the device was created with this queue.
                Some(Mutex::new(unsafe { raw.get_device_queue(family, index) }))
            }
            _ => None,
        };
        let parts = Heap::new(p, &raw).and_then(|heap| Ok((heap, create_cache(&raw, &[])?)));
        let (heap, cache) = match parts {
            Ok(parts) => parts,
            Err(e) => {
                // SAFETY: the device was just created and has no children left.
                unsafe { raw.destroy_device(None) };
                return Err(e);
            }
        };
        let instance = &p.instance.raw;
        Ok(Arc::new(Device {
            heap,
            queue_users: Mutex::new(vec![0; p.info.limits.queue_count as usize]),
            vulkan_queues: queues,
            bind_queue,
            spare_timelines: Mutex::default(),
            layouts: Mutex::new(HashMap::new()),
            pipeline_cache: cache,
            pipeline_store: OnceCell::new(),
            host_import: p
                .info
                .features
                .external_memory_host
                .then(|| ext::external_memory_host::Device::new(instance, &raw)),
            memory_fd: (!p.info.features.external.memory_import.is_empty())
                .then(|| khr::external_memory_fd::Device::new(instance, &raw)),
            semaphore_fd: (p.info.features.external.has_semaphores())
                .then(|| khr::external_semaphore_fd::Device::new(instance, &raw)),
            clocks: Clocks::new(p, &raw),
            code: CodeLock::of(&p.info),
            marks: marks::Writer::of(p, &raw),
            lost: AtomicBool::new(false),
            sabotage: Sabotage::wanted(),
            kernels_reach_host: AtomicUsize::new(usize::from(p.info.memory.unified)),
            unshown: AtomicU64::new(0),
            probe: OnceCell::new(),
            physical: p.clone(),
            raw,
        }))
    }

    /// What the device is.
    pub fn info(&self) -> &DeviceInfo {
        &self.physical.info
    }

    /// How much memory small buffers have and share (for tests of what is left behind).
    pub fn pool_use(&self) -> PoolUse {
        self.heap.pool_use()
    }

    /// Makes a buffer. Its contents are undefined.
    ///
    /// # Errors
    /// [`Error::TooLarge`] beyond [`crate::Limits::max_buffer_size`]; [`Error::Invalid`] for size 0;
    /// [`Error::OutOfDeviceMemory`], [`Error::OutOfHostMemory`].
    pub fn create_buffer(
        self: &Arc<Self>,
        size: u64,
        kind: MemoryKind,
    ) -> Result<Arc<Buffer>, Error> {
        Buffer::create(self, size, kind)
    }

    /// Makes a buffer of the host's own memory: `size` bytes at `ptr`, which must be a multiple of
    /// [`crate::Limits::min_imported_host_pointer_alignment`]. The buffer is mapped at `ptr`.
    ///
    /// # Safety
    /// The memory, up to `size` rounded up to that alignment, must be readable and writable and stay
    /// allocated until the buffer is dropped.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device or this memory does not allow it (use a copy then);
    /// [`Error::Invalid`] for a null or unaligned pointer.
    pub unsafe fn import_host(
        self: &Arc<Self>,
        ptr: *mut u8,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        let ptr = NonNull::new(ptr).ok_or_else(|| Error::Invalid("a null pointer".into()))?;
        // SAFETY: the caller's promise is this function's own.
        unsafe { Buffer::import(self, ptr, size) }
    }

    /// Makes a buffer of the first `size` bytes of memory that `fd` stands for, which other APIs or
    /// processes may use as well: see [`crate::Recorder::acquire`] and [`crate::Recorder::release`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device does not take this kind of handle or buffers of this memory;
    /// [`Error::Invalid`] when `fd` is nothing of the kind; [`Error::TooLarge`] when the memory is smaller.
    pub fn import_memory(
        self: &Arc<Self>,
        fd: OwnedFd,
        kind: MemoryHandles,
        size: u64,
    ) -> Result<Arc<Buffer>, Error> {
        Buffer::import_fd(self, fd, kind, size)
    }

    /// Makes a binary semaphore that can be shared by the kinds of file descriptor given (none: one for
    /// [`Semaphore::import`]).
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device does not give such; out of memory.
    pub fn create_semaphore(
        self: &Arc<Self>,
        exports: SemaphoreHandles,
    ) -> Result<Arc<Semaphore>, Error> {
        Semaphore::create(self, exports)
    }

    /// Makes a compute pipeline. The SPIR-V must be valid and use no more than the device's features:
    /// drivers do not check.
    ///
    /// # Errors
    /// What the driver says; [`Error::Unsupported`] when the push constants are too large.
    pub fn create_pipeline(self: &Arc<Self>, d: &PipelineDesc<'_>) -> Result<Arc<Pipeline>, Error> {
        match self.pipeline_store.get() {
            Some(store) => pipeline_store::create(self, d, store.as_ref()),
            None => Pipeline::create(self, d, self.pipeline_cache, 0),
        }
    }

    /// From now on, pipelines are made from what `store` has of them. The first store that is given
    /// stays.
    pub fn keep_pipelines(&self, store: Box<dyn PipelineStore>) {
        let _ = self.pipeline_store.set(store);
    }

    /// Makes a queue for commands in order; `profiling` asks for timestamps around them.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn create_queue(self: &Arc<Self>, profiling: bool) -> Result<Arc<Queue>, Error> {
        self.create_queue_with(QueueOptions { profiling, ..QueueOptions::default() })
    }

    /// Makes a queue. It shares a Vulkan queue with others only where each that serves its priority has a
    /// user: what shares one does not run at once.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn create_queue_with(self: &Arc<Self>, options: QueueOptions) -> Result<Arc<Queue>, Error> {
        let vulkan_queue = priority::take(options.priority, &mut self.queue_users.lock());
        Queue::create(self, vulkan_queue, options)
            .inspect_err(|_| self.queue_users.lock()[vulkan_queue] -= 1)
    }

    /// What the device's arithmetic really does. Runs small kernels at the first call; later calls
    /// give the same answer.
    ///
    /// # Errors
    /// Whatever keeps those kernels from running.
    pub fn probe(self: &Arc<Self>) -> Result<Probe, Error> {
        self.probe.get_or_try_init(|| probe::run(self)).cloned()
    }

    /// The first defect that the device has of those that make kernels give wrong results in silence.
    /// Runs small kernels each time.
    ///
    /// # Errors
    /// Whatever keeps those kernels from running.
    pub fn find_defect(self: &Arc<Self>) -> Result<Option<Defect>, Error> {
        defects::find(self)
    }

    /// Device and host clocks read together.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device's queues have no timestamps.
    pub fn correlate_clocks(self: &Arc<Self>) -> Result<ClockCorrelation, Error> {
        self.clocks.correlate(self)
    }

    /// The device's clock now, in the nanoseconds of [`crate::Timestamps`], computed from a
    /// correlation that is renewed now and then.
    ///
    /// # Errors
    /// As [`Device::correlate_clocks`].
    pub fn device_now_ns(self: &Arc<Self>) -> Result<u64, Error> {
        self.clocks.device_now_ns(self)
    }

    /// Waits until the device is idle.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], out of memory.
    pub fn wait_idle(&self) -> Result<(), Error> {
        self.check_lost()?;
        // vkDeviceWaitIdle needs all queues to itself.
        let queues = self.vulkan_queues.iter().chain(&self.bind_queue);
        let _held: Vec<_> = queues.map(Mutex::lock).collect();
        // SAFETY: no other thread uses a queue of the device meanwhile.
        unsafe { self.raw.device_wait_idle() }.map_err(|e| self.fault("vkDeviceWaitIdle", e))
    }

    /// Gives a sparse buffer its memory, and waits until it has it.
    pub(crate) fn bind_sparse(
        &self,
        buffer: vk::Buffer,
        binds: &[vk::SparseMemoryBind],
    ) -> Result<(), Error> {
        self.check_lost()?;
        // SAFETY: the device is alive.
        let fence = unsafe { self.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(|e| self.fault("vkCreateFence", e))?;
        let buffers = [vk::SparseBufferMemoryBindInfo::default().buffer(buffer).binds(binds)];
        let info = [vk::BindSparseInfo::default().buffer_binds(&buffers)];
        let bound = {
            let queue = self.bind_queue.as_ref().unwrap_or(&self.vulkan_queues[0]).lock();
            // SAFETY: the lock gives this thread the queue, whose family binds; the binds are whole blocks
            // of the buffer in memory that was made for it.
            unsafe { self.raw.queue_bind_sparse(*queue, &info, fence) }
                .map_err(|e| self.fault("vkQueueBindSparse", e))
        };
        let bound = bound.and_then(|()| {
            // SAFETY: the fence was submitted.
            unsafe { self.raw.wait_for_fences(&[fence], true, u64::MAX) }
                .map_err(|e| self.fault("vkWaitForFences", e))
        });
        // SAFETY: the fence is signalled, was never submitted, or the device is lost.
        unsafe { self.raw.destroy_fence(fence, None) };
        bound
    }

    /// Waits until the device is through with what it was given so far, but no longer than `limit`. What
    /// is recorded and not yet submitted does not count.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], out of memory.
    pub fn drain(&self, limit: Duration) -> Result<(), Error> {
        let end = Instant::now() + limit;
        for queue in &self.vulkan_queues {
            self.check_lost()?;
            // SAFETY: the device is alive; the fence is destroyed below, unless it may still be in use.
            let fence = unsafe { self.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
                .map_err(|e| self.fault("vkCreateFence", e))?;
            let Some(queue) = queue.try_lock_until(end) else { return Ok(()) };
            // SAFETY: the lock gives this thread the queue.
            let submitted = unsafe { self.raw.queue_submit(*queue, &[], fence) };
            drop(queue);
            submitted.map_err(|e| self.fault("vkQueueSubmit", e))?;
            let left = end.saturating_duration_since(Instant::now()).as_nanos() as u64;
            // SAFETY: the fence is alive.
            match unsafe { self.raw.wait_for_fences(&[fence], true, left) } {
                // SAFETY: the submission that used it is complete.
                Ok(()) => unsafe { self.raw.destroy_fence(fence, None) },
                Err(vk::Result::TIMEOUT) => return Ok(()),
                Err(e) => return Err(self.fault("vkWaitForFences", e)),
            }
        }
        Ok(())
    }

    /// Whether the device was lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Treats unified memory as if it lay across a bus: batches show the host only what it asks for
    /// ([`Queue::wait_shown`]). For tests of what discrete devices do; the caller reads no buffer of
    /// [`MemoryKind::Device`] without asking.
    pub fn pretend_discrete(&self) {
        self.kernels_reach_host.store(0, Ordering::Release);
    }

    /// Kernels may be given the address of a buffer that the host reads.
    pub(crate) fn host_memory_is_reached(&self) {
        self.kernels_reach_host.fetch_add(1, Ordering::AcqRel);
    }

    /// Such a buffer is no more.
    pub(crate) fn host_memory_is_left(&self) {
        let less = |count: usize| count.checked_sub(1);
        let _ = self.kernels_reach_host.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
    }

    /// Whether every batch must show the host what it wrote, since kernels may write where it reads.
    pub(crate) fn shows_all(&self) -> bool {
        self.kernels_reach_host.load(Ordering::Acquire) > 0
    }

    /// [`Error::DeviceLost`] when the device was lost.
    pub(crate) fn check_lost(&self) -> Result<(), Error> {
        if self.is_lost() {
            return Err(Error::DeviceLost);
        }
        Ok(())
    }

    /// The error for a failed call; remembers the loss of the device.
    pub(crate) fn fault(&self, call: &'static str, result: vk::Result) -> Error {
        let error = Error::from_vk(call, result);
        if error == Error::DeviceLost && !self.lost.swap(true, Ordering::AcqRel) {
            tracing::error!("device {} was lost ({call})", self.info().name);
        }
        error
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.info().name).finish_non_exhaustive()
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = self.wait_idle();
        self.heap.close();
        // SAFETY: everything made from the device holds an Arc of it, so nothing else is left.
        unsafe {
            for (semaphore, _) in self.spare_timelines.get_mut().drain(..) {
                self.raw.destroy_semaphore(semaphore, None);
            }
            for (_, layout) in self.layouts.get_mut().drain() {
                self.raw.destroy_pipeline_layout(layout, None);
            }
            self.raw.destroy_pipeline_cache(self.pipeline_cache, None);
            self.raw.destroy_device(None);
        }
    }
}

/// Creates the Vulkan device with exactly the features in `p.info.features`.
fn create_raw(p: &PhysicalDevice) -> Result<ash::Device, Error> {
    let family = |family: u32| vk::DeviceQueueCreateInfo::default().queue_family_index(family);
    let mut count = p.info.limits.queue_count as usize;
    let mut bind_family = None;
    match p.bind_queue.filter(|_| p.info.features.sparse_binding) {
        Some(BindQueue::Own { family, .. }) if family == p.queue_family => count += 1,
        Some(BindQueue::Own { family, .. }) => bind_family = Some(family),
        Some(BindQueue::Shared) | None => {}
    }
    let mut priorities = priority::of_queues(p.info.limits.queue_count as usize);
    priorities.resize(count, 1.0);
    let mut queues = vec![family(p.queue_family).queue_priorities(&priorities)];
    queues.extend(bind_family.map(|other| family(other).queue_priorities(&[1.0])));
    let names: Vec<_> = p
        .extensions
        .to_enable(p.usable_version, &p.info.features)
        .into_iter()
        .map(std::ffi::CStr::as_ptr)
        .collect();
    let mut chain = FeatureChain::new(p.usable_version, &p.extensions);
    chain.enable(&p.info.features);
    let mut features = chain.link();
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .push_next(&mut features);
    // SAFETY: the features and extensions are some of those the device offers; all that `info`
    // points to outlives the call.
    unsafe { p.instance.raw.create_device(p.raw, &info, None) }
        .map_err(|e| Error::from_vk("vkCreateDevice", e))
}
