//! An opened device: the Vulkan device, its queues, its memory and its pipeline cache.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk;
use once_cell::sync::OnceCell;
use parking_lot::{Mutex, MutexGuard, RwLock};

use crate::code::CodeLock;
use crate::config;
use crate::device::clock::Clocks;
use crate::device::compile_device::CompileDevice;
use crate::device::descriptor_table::DescriptorTable;
use crate::device::extension_functions::ExtensionFunctions;
use crate::device::fault_report;
use crate::device::heap::{FreeLater, Heap, PoolUse};
use crate::device::host_visibility::HostVisibility;
use crate::device::pipeline_store::PipelineStore;
use crate::device::priority;
use crate::device::queue_families::queues_of;
use crate::device::silent_loss::SilentLoss;
use crate::device::stalls::Stalls;
use crate::error::Error;
use crate::fault_injection::FaultInjection;
use crate::physical::{extensions_to_enable, CopyFamily, DeviceInfo, FeatureChain, PhysicalDevice};
use hekla_device::Quirks;

/// A device that work can be submitted to.
pub struct Device {
    pub(crate) raw: ash::Device,
    pub(crate) physical: PhysicalDevice,
    pub(crate) heap: Heap,
    /// The Vulkan queues. Several [`crate::Queue`]s may share one, so submissions hold its lock.
    pub(super) vulkan_queues: Vec<Mutex<vk::Queue>>,
    /// The queues for copies alone, by lane; one queue may serve both lanes.
    pub(super) copy_queues: Vec<Mutex<vk::Queue>>,
    /// The queue for sparse binding, unless that is one of the queues above.
    bind_queue: Option<Mutex<vk::Queue>>,
    /// How many [`crate::Queue`]s use each of the Vulkan queues, or each virtual copy of one where tests pretend that there are
    /// more.
    pub(crate) queue_users: Mutex<Vec<usize>>,
    /// Timeline semaphores that no queue uses, each with its value.
    pub(crate) spare_timelines: Mutex<Vec<(vk::Semaphore, u64)>>,
    /// Pipeline layouts by push constant size, for pipelines without and with the descriptor set.
    pub(crate) layouts: Mutex<HashMap<(u32, bool), vk::PipelineLayout>>,
    pub(super) descriptor_table: OnceCell<DescriptorTable>,
    /// The pipeline cache of this process.
    pub(crate) pipeline_cache: vk::PipelineCache,
    pub(crate) pipeline_store: OnceCell<Box<dyn PipelineStore>>,
    pub(crate) functions: ExtensionFunctions,
    pub(crate) clocks: Clocks,
    pub(crate) code: CodeLock,
    pub(crate) compile_device: CompileDevice,
    lost: AtomicBool,
    /// True if pipelines can be dispatched in parts.
    parts: AtomicBool,
    /// Held by the thread that sleeps in the driver, where the driver wakes only one of several ([`Quirks::LOST_WAKE_UPS`]).
    pub(crate) sleeper: Mutex<()>,
    pub(crate) faults: FaultInjection,
    pub(crate) host_visibility: HostVisibility,
    pub(crate) stalls: Stalls,
    /// Held for reading by each submission, and for writing while the device must stay idle ([`Device::while_idle`]).
    pub(crate) idle: RwLock<()>,
    pub(super) silent_loss: SilentLoss,
}

impl Device {
    /// Opens a device with all of its [`crate::Features`] enabled.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with [`DeviceInfo::refusal`] when Hekla cannot use it; otherwise the driver's
    /// error.
    pub fn open(p: &PhysicalDevice) -> Result<Arc<Device>, Error> {
        if let Some(why) = &p.info.refusal {
            return Err(Error::Unsupported(format!("{} {why}", p.info.name)));
        }
        let raw = create_raw(p, Queues::All)?;
        // SAFETY: the device was created with this many queues of this family.
        let queues = unsafe { queues_of(&raw, p.queue_family, 0..p.info.limits.queue_count) };
        let copy_queues = p.copy_family.map_or(Vec::new(), |family| {
            // SAFETY: likewise.
            unsafe { queues_of(&raw, family.index, 0..family.queues) }
        });
        let bind_queue = p.other_bind_family().map(|family| {
            // SAFETY: the device was created with this queue.
            Mutex::new(unsafe { raw.get_device_queue(family, 0) })
        });
        let parts = Heap::new(p, &raw).and_then(|heap| Ok((heap, create_cache(&raw)?)));
        let (heap, cache) = match parts {
            Ok(parts) => parts,
            Err(e) => {
                // SAFETY: the device was just created and has no children left.
                unsafe { raw.destroy_device(None) };
                return Err(e);
            }
        };
        Ok(Arc::new(Device {
            heap,
            queue_users: Mutex::new(vec![0; queues.len() * config::queue_copies()]),
            vulkan_queues: queues,
            copy_queues,
            bind_queue,
            spare_timelines: Mutex::default(),
            layouts: Mutex::new(HashMap::new()),
            descriptor_table: OnceCell::new(),
            pipeline_cache: cache,
            pipeline_store: OnceCell::new(),
            functions: ExtensionFunctions::load(p, &raw),
            clocks: Clocks::new(p, &raw),
            code: CodeLock::of(&p.info),
            compile_device: CompileDevice::default(),
            lost: AtomicBool::new(false),
            parts: AtomicBool::new(false),
            sleeper: Mutex::default(),
            faults: FaultInjection::new(&p.faults),
            host_visibility: HostVisibility::new(p.info.memory.unified),
            stalls: Stalls::default(),
            idle: RwLock::new(()),
            silent_loss: SilentLoss::default(),
            physical: p.clone(),
            raw,
        }))
    }

    /// Returns the device's description.
    pub fn info(&self) -> &DeviceInfo {
        &self.physical.info
    }

    /// Sets what arranges for calls of [`Device::free_unused`]. Has an effect once.
    pub fn set_free_later(&self, free_later: FreeLater) {
        self.heap.set_free_later(free_later);
    }

    /// Frees the buffers and images that were dropped more than a second ago, and kept for new ones.
    pub fn free_unused(&self) {
        self.heap.free_old(&self.raw);
    }

    /// Returns how much memory small buffers use and share, for tests of leaks.
    pub fn pool_use(&self) -> PoolUse {
        self.heap.pool_use()
    }

    /// Returns how many slots of the descriptor set are in use, for tests of leaks.
    pub fn slots_in_use(&self) -> u32 {
        self.descriptor_table.get().map_or(0, DescriptorTable::used)
    }

    /// Waits until the device is idle.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], out of memory.
    pub fn wait_idle(&self) -> Result<(), Error> {
        self.check_call("vkDeviceWaitIdle")?;
        let _held = self.hold_queues();
        // SAFETY: no other thread uses a queue of the device meanwhile.
        unsafe { self.raw.device_wait_idle() }.map_err(|e| self.fault("vkDeviceWaitIdle", e))
    }

    /// Binds memory to a sparse buffer, and waits until it is bound.
    pub(crate) fn bind_sparse(
        &self,
        buffer: vk::Buffer,
        binds: &[vk::SparseMemoryBind],
    ) -> Result<(), Error> {
        self.check_call("vkQueueBindSparse")?;
        // SAFETY: the device is alive.
        let fence = unsafe { self.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(|e| self.fault("vkCreateFence", e))?;
        let buffers = [vk::SparseBufferMemoryBindInfo::default().buffer(buffer).binds(binds)];
        let info = [vk::BindSparseInfo::default().buffer_binds(&buffers)];
        let bound = {
            // The last compute queue is the last one to get users.
            let shared = &self.vulkan_queues[self.vulkan_queues.len() - 1];
            let queue = self.bind_queue.as_ref().unwrap_or(shared).lock();
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

    /// Waits until everything that was submitted so far is complete, but no longer than `limit`. Commands that are recorded and
    /// not yet submitted do not count.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], out of memory.
    pub fn drain(&self, limit: Duration) -> Result<(), Error> {
        let end = Instant::now() + limit;
        for queue in self.vulkan_queues.iter().chain(&self.copy_queues) {
            self.check_call("vkQueueSubmit")?;
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

    /// Returns true if exit() ends code through which the device is called before the process ends: the driver
    /// ([`Quirks::EXIT_ENDS_DRIVER`]), or the validation layer, whose tables are statics.
    pub fn ends_in_exit(&self) -> bool {
        let validated = config::validation() != config::Validation::Off;
        validated || self.info().quirks.contains(Quirks::EXIT_ENDS_DRIVER)
    }

    /// Returns true if the device was lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Lets pipelines that are created from now on be dispatched in parts ([`crate::Recorder::dispatch_part`]).
    pub fn allow_parts(&self) {
        self.parts.store(true, Ordering::Release);
    }

    /// Returns true if pipelines can be dispatched in parts.
    pub(crate) fn allows_parts(&self) -> bool {
        self.parts.load(Ordering::Acquire)
    }

    /// Treats unified memory like a discrete device's: batches make visible to the host only the results that it asks for
    /// ([`crate::Queue::wait_host_visible`]). For tests of how discrete devices are handled; the caller reads no buffer of
    /// [`crate::MemoryKind::Device`] without asking.
    pub fn pretend_discrete(&self) {
        self.host_visibility.pretend_discrete();
    }

    /// Returns true if a second Vulkan device was opened, to compile pipelines
    /// ([`crate::Quirks::SERIALIZED_PIPELINES`]).
    pub fn has_compile_device(&self) -> bool {
        self.compile_device.is_open()
    }

    /// Opens the second Vulkan device, if the driver needs one and it is not open. Pipelines are compiled there from then on,
    /// so that a thread that does not submit can create them while no other thread waits.
    pub fn open_compile_device(&self) {
        if self.info().quirks.contains(Quirks::SERIALIZED_PIPELINES) {
            self.compile_device.get(&self.physical);
        }
    }

    /// Adds `delay` to each compilation on the second Vulkan device. For tests.
    pub fn delay_compilation(&self, delay: Duration) {
        self.compile_device.set_delay(delay);
    }

    /// Makes opening a second Vulkan device fail. For tests; call it before the first pipeline is made.
    pub fn pretend_single(&self) {
        self.compile_device.refuse();
    }

    /// Locks all queues: no other thread may use one during vkDeviceWaitIdle.
    fn hold_queues(&self) -> Vec<MutexGuard<'_, vk::Queue>> {
        let queues = self.vulkan_queues.iter().chain(&self.copy_queues).chain(&self.bind_queue);
        queues.map(Mutex::lock).collect()
    }

    /// Checks for the loss of the device. Called before each call that may return VK_ERROR_DEVICE_LOST, and once before calls
    /// that are repeated until something is complete. The caller holds no Vulkan queue.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] if the device was lost, or is to be lost by this call (`HEKLA_FAULT=call:N`).
    #[inline]
    pub(crate) fn check_call(&self, call: &'static str) -> Result<(), Error> {
        self.check_lost()?;
        match self.faults.next_call_is_lost() {
            true => Err(self.lose(call)),
            false => Ok(()),
        }
    }

    /// Loses the device as if `call` had reported the loss. As on a device that is really lost, nothing runs any more then, so
    /// that everything that it uses may be destroyed (Vulkan, "Lost Device").
    #[cold]
    fn lose(&self, call: &'static str) -> Error {
        let _held = self.hold_queues();
        // SAFETY: no other thread uses a queue of the device meanwhile.
        let _ = unsafe { self.raw.device_wait_idle() };
        // A thread that learns of the loss destroys the objects that the device used. The driver has no fault to report.
        self.note_lost(call);
        Error::DeviceLost
    }

    /// Calls `f` while nothing runs on the device; submissions wait until it returns. `None`, at once, if something runs.
    pub fn while_idle<R>(&self, f: impl FnOnce() -> R) -> Option<R> {
        let _idle = self.idle.write();
        (!self.stalls.is_any_busy()).then(f)
    }

    /// Logs, once, the work that a lost device had not completed. The caller holds no lock of a queue.
    #[cold]
    pub(crate) fn explain_loss(&self) {
        self.stalls.note_loss(&self.info().name);
    }

    /// Returns [`Error::DeviceLost`] if the device was lost.
    #[inline]
    pub(crate) fn check_lost(&self) -> Result<(), Error> {
        if self.is_lost() {
            return Err(Error::DeviceLost);
        }
        Ok(())
    }

    /// Returns the error for a failed call, and records the loss of the device.
    pub(crate) fn fault(&self, call: &'static str, result: vk::Result) -> Error {
        let error = Error::from_vk(call, result);
        if error == Error::DeviceLost && self.note_lost(call) {
            if let Some(account) = self.functions.fault.as_ref().and_then(fault_report::account) {
                tracing::error!("{}: the driver says of it: {account}", self.info().name);
            }
        }
        error
    }

    /// Records the loss of the device. Returns true at the first loss.
    fn note_lost(&self, call: &'static str) -> bool {
        let is_first = !self.lost.swap(true, Ordering::AcqRel);
        if is_first {
            tracing::error!("device {} was lost ({call})", self.info().name);
        }
        is_first
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
        self.compile_device.close();
        self.heap.close(&self.raw);
        self.silent_loss.close(&self.raw);
        // SAFETY: everything made from the device holds an Arc of it, so nothing else is left.
        unsafe {
            for (semaphore, _) in self.spare_timelines.get_mut().drain(..) {
                self.raw.destroy_semaphore(semaphore, None);
            }
            for (_, layout) in self.layouts.get_mut().drain() {
                self.raw.destroy_pipeline_layout(layout, None);
            }
            if let Some(table) = self.descriptor_table.take() {
                table.destroy(&self.raw);
            }
            self.raw.destroy_pipeline_cache(self.pipeline_cache, None);
            self.raw.destroy_device(None);
        }
    }
}

/// The number of queues with which a Vulkan device is created.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Queues {
    /// All queues that work is submitted to.
    All,
    /// One queue, the least that Vulkan allows.
    One,
}

/// Creates the Vulkan device with exactly the features in `p.info.features`.
pub(super) fn create_raw(p: &PhysicalDevice, wanted: Queues) -> Result<ash::Device, Error> {
    let family = |family: u32| vk::DeviceQueueCreateInfo::default().queue_family_index(family);
    let priorities = priority::of_queues(p.info.limits.queue_count as usize);
    let mut queues = vec![family(p.queue_family).queue_priorities(&priorities)];
    let copies = [0.5; 2];
    queues.extend(p.copy_family.map(|CopyFamily { index, queues }| {
        family(index).queue_priorities(&copies[..queues as usize])
    }));
    queues.extend(p.other_bind_family().map(|other| family(other).queue_priorities(&[1.0])));
    if wanted == Queues::One {
        queues = vec![family(p.queue_family).queue_priorities(&[1.0])];
    }
    let names: Vec<_> = extensions_to_enable(&p.extensions, p.usable_version, &p.info.features)
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

/// Creates an empty pipeline cache.
fn create_cache(device: &ash::Device) -> Result<vk::PipelineCache, Error> {
    // SAFETY: the device is alive.
    unsafe { device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None) }
        .map_err(|e| Error::from_vk("vkCreatePipelineCache", e))
}
