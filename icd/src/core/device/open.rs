//! A device in use: the open Vulkan device, the compiler's target for it, and its staging memory.

use super::images::{ImageFeatures, Images};
use super::samplers::Samplers;
use super::subgroups::SubgroupsFound;
use super::{defects, findings, subgroups};
use crate::cl::error::{fail, Result};
use crate::cl::*;
use crate::config::{self, SoftDoubles};
use crate::core::cache::cache;
use crate::core::device::clock::DeviceClock;
use crate::core::device::clock_keeper::ClockKeeper;
use crate::core::device::import_pool::ImportPool;
use crate::core::device::sharing::{HostReach, Sharing};
use crate::core::device::staging::{Pool, Staging};
use crate::core::diagnostics::log;
use crate::core::diagnostics::trace::DeviceTime;
use crate::core::process::background::BACKGROUND;
use crate::core::process::exit;
use crate::core::profile::Profile;
use crate::platform;
use hekla_compiler::checks::Checks;
use hekla_compiler::target::CallSharing;
use hekla_compiler::{
    DotProducts, FloatAtomics, FloatTraits, MatrixComponent, MatrixProduct, Target,
    MAX_WORK_GROUP_SIZE,
};
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::{Arc, Once};
use std::time::Duration;

/// How long a dispatch may take, about, on GPUs that also draw and whose drivers may end long dispatches.
const SLICE: Duration = Duration::from_millis(100);

/// The number of readings of both clocks, of which the best is taken.
const CLOCK_READINGS: usize = 3;

/// The most bytes that the host itself reads, or writes, across the bus. Reads wait a round trip for every few bytes; writes
/// stream, but a large one is better left to the device, so that the host can continue.
const MOST_READ_OVER_BUS: usize = 64;
const MOST_WRITTEN_OVER_BUS: usize = 16 << 10;

/// The kind of access to a buffer's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// An open device.
pub struct Gpu {
    pub device: Arc<vk::Device>,
    pub target: Target,
    /// The results of the probe of the device's arithmetic.
    pub probe: vk::Probe,
    /// `HEKLA_STAGING=1`: take memory that the host sees for memory across a bus, as on a discrete GPU
    /// (for tests).
    always_stage: bool,
    /// The least number of packs that must be left of a launch for its work-groups to be packed.
    pub least_packed_groups: u64,
    /// True if pipelines are made in the background when kernels are created.
    pub prepares_pipelines: bool,
    /// Staging memory for transfers from the host to the device.
    pub upload: Arc<Pool>,
    /// Staging memory for transfers from the device to the host.
    pub readback: Arc<Pool>,
    /// The device's own samplers, with which kernels filter.
    pub(super) samplers: Samplers,
    /// The queue that prepares images.
    pub(super) image_queue: OnceCell<Arc<vk::Queue>>,
    /// The kernel for large copies within the device, where it is faster than the driver's copies.
    copy_kernel: OnceCell<vk::CopyKernel>,
    /// Idle queues for transfers that belong to no command queue (initial contents, migration). Each thread with such a
    /// transfer uses a queue of its own, so that no thread waits for another.
    services: Mutex<Vec<Arc<vk::Queue>>>,
    /// Unused queues that only copy between buffers, by lane.
    copiers: [Mutex<Vec<Arc<vk::Queue>>>; 2],
    clock: Mutex<DeviceClock>,
    sharing: OnceCell<Sharing>,
    host_reach: OnceCell<HostReach>,
    reaches_system: OnceCell<bool>,
    pub(super) imports: ImportPool,
    /// How long a dispatch may take, about; `None` if any time is acceptable.
    pub slice: Option<Duration>,
    /// Keeps the clocks up on a device that lowers them when it is idle.
    pub clocks: Arc<ClockKeeper>,
    order_word: OnceCell<Arc<vk::Buffer>>,
    /// Done when the second Vulkan device, which compiles, is known to be open.
    compile_device_seen: Once,
}

impl Gpu {
    /// Opens and probes a device. `named`: the user asks for the device by name, even if it computes wrong results. `images`:
    /// the image features that the device offers. `profile`: the profile that changes answers about the device.
    ///
    /// # Errors
    /// CL_DEVICE_NOT_AVAILABLE for a device that computes wrong results, unless it is `named`; errors of the driver.
    pub fn open(
        physical: &vk::PhysicalDevice,
        named: bool,
        images: ImageFeatures,
        profile: Option<&Profile>,
    ) -> Result<Arc<Gpu>> {
        let device = vk::Device::open(physical)?;
        if let Some(cache) = cache() {
            // SAFETY: the cache checks what it loads by a digest of what it stored.
            unsafe { device.set_pipeline_store(Box::new(cache)) };
        }
        if let Some(defect) = defects::defect(&device)? {
            let name = &device.info().name;
            let reason = defects::explanation(device.info(), defect);
            if !named {
                log::notice(&format!("{name} {reason}"));
                return fail(CL_DEVICE_NOT_AVAILABLE);
            }
            tracing::warn!("{name} {defect}; HEKLA_DEVICE names it");
        }
        let probe = probe(&device);
        free_unused_later(&device);
        exit::wait_for(&device);
        exit::keep_children_off(&device);
        let mut target = target(device.info(), &probe, images, profile);
        let filterable = match config::exact_filters() {
            true => vk::Filters::empty(),
            false => images.filtered,
        };
        target.hardware_linear = !filterable.is_empty();
        let samplers = Samplers::new(&device, target.images, filterable);
        target.samples_texels = samplers.samples_texels();
        let always_stage = config::always_stage();
        if always_stage {
            device.pretend_discrete();
        }
        // Software devices compile at the first launch, even if the pipeline was made before.
        let is_gpu = device.info().device_type != vk::DeviceType::Cpu;
        let prepares_pipelines = config::prepares_pipelines().unwrap_or(is_gpu);
        let upload = Pool::new(device.clone(), vk::MemoryKind::Upload);
        let readback = Pool::new(device.clone(), vk::MemoryKind::Readback);
        let clocks = ClockKeeper::of(&device);
        let slice = slice(device.info());
        if slice.is_some() {
            device.allow_parts();
        }
        Ok(Arc::new(Gpu {
            device,
            target,
            probe,
            always_stage,
            least_packed_groups: config::least_packed_groups(),
            prepares_pipelines,
            upload,
            readback,
            samplers,
            image_queue: OnceCell::new(),
            copy_kernel: OnceCell::new(),
            services: Mutex::default(),
            copiers: Default::default(),
            clock: Mutex::default(),
            sharing: OnceCell::new(),
            host_reach: OnceCell::new(),
            reaches_system: OnceCell::new(),
            imports: ImportPool::default(),
            slice,
            clocks,
            order_word: OnceCell::new(),
            compile_device_seen: Once::new(),
        }))
    }

    /// Returns how the device shares addresses with the host; the first call finds out.
    pub fn sharing(&self) -> Sharing {
        *self.sharing.get_or_init(|| Sharing::probe(&self.device))
    }

    /// Returns how the device reaches the host's memory; the first call finds out.
    pub fn host_reach(&self) -> HostReach {
        *self.host_reach.get_or_init(|| HostReach::probe(self))
    }

    /// Returns true if kernels reach all of the host's memory by its addresses, also memory of malloc
    /// (CL_DEVICE_SVM_FINE_GRAIN_SYSTEM); the first call finds out. Vulkan promises this for no device, but a software device
    /// that finds its own memory at the host's addresses finds all other memory there, too. Returns false with `HEKLA_CHECK`,
    /// whose kernels must detect pointers that lead to no memory.
    pub fn reaches_system(&self) -> bool {
        let is_here = || {
            let is_software = self.device.info().device_type == vk::DeviceType::Cpu;
            let is_checked = !config::checks().0.is_empty();
            let may = !self.always_stage && !is_checked && is_software;
            may && self.sharing() == Sharing::Direct
        };
        *self.reaches_system.get_or_init(|| {
            // SAFETY: its memory is at the host's addresses.
            is_here() && unsafe { self.device.reaches_host_memory() }.unwrap_or(false)
        })
    }

    /// Returns true if the device's memory is treated as out of the host's reach although the host sees it; see `always_stage`.
    pub fn hides_memory(&self) -> bool {
        self.always_stage
    }

    /// Returns true if functions of the host can be commands (CL_EXEC_NATIVE_KERNEL): the host must see all of
    /// the device's memory as its own.
    pub fn runs_native_kernels(&self) -> bool {
        !self.always_stage && self.sharing() == Sharing::Direct
    }

    /// Returns the kernel for copies between buffers; `None` if the driver's copies are as fast.
    pub fn copy_kernel(&self) -> Result<Option<&vk::CopyKernel>> {
        if !vk::CopyKernel::suits(&self.device) {
            return Ok(None);
        }
        let make = || {
            let made = vk::CopyKernel::create(&self.device);
            self.pipeline_was_created();
            made
        };
        Ok(Some(self.copy_kernel.get_or_try_init(make)?))
    }

    /// Opens the second Vulkan device, if the driver needs one so that pipelines can be created while others submit.
    pub fn open_compile_device(&self) {
        let was_open = self.device.has_compile_device();
        self.device.open_compile_device();
        if self.device.has_compile_device() && !was_open {
            self.pipeline_was_created();
        }
    }

    /// Registers the handlers of exit() again, since the driver may have registered some of its own: handlers of its compiler,
    /// or of the second Vulkan device, which is opened when something is compiled.
    pub fn pipeline_was_created(&self) {
        exit::register_handler(&self.device);
        if self.device.has_compile_device() {
            self.compile_device_seen.call_once(|| exit::keep_children_off(&self.device));
        }
    }

    /// Calls `f` with a queue that nobody else uses meanwhile.
    pub(super) fn with_service<R>(&self, f: impl FnOnce(&vk::Queue) -> Result<R>) -> Result<R> {
        self.with_idle(&self.services, vk::QueueOptions::default(), f)
    }

    /// Calls `f` with a queue for copies between buffers alone ([`vk::QueueOptions::copies`]) that nobody else uses meanwhile.
    pub fn with_copies<R>(
        &self,
        lane: vk::CopyLane,
        f: impl FnOnce(&vk::Queue) -> Result<R>,
    ) -> Result<R> {
        let options = vk::QueueOptions { copies: Some(lane), ..vk::QueueOptions::default() };
        self.with_idle(&self.copiers[lane as usize], options, f)
    }

    /// Calls `f` with one of the idle `queues`, or with a new queue with these options.
    fn with_idle<R>(
        &self,
        queues: &Mutex<Vec<Arc<vk::Queue>>>,
        options: vk::QueueOptions,
        f: impl FnOnce(&vk::Queue) -> Result<R>,
    ) -> Result<R> {
        let idle = queues.lock().pop();
        let queue = idle.map_or_else(|| self.device.create_queue_with(options), Ok)?;
        let result = f(&queue);
        queues.lock().push(queue);
        result
    }

    /// Returns the buffer whose address is [`hekla_compiler::kernel::Field::OrderWord`].
    pub fn order_word(&self) -> Result<&Arc<vk::Buffer>> {
        self.order_word
            .get_or_try_init(|| Ok(self.device.create_buffer(16, vk::MemoryKind::Device)?))
    }

    /// Converts a time of the device's clock to the host's clock.
    pub fn on_host(&self, device_ns: u64) -> Result<u64> {
        let mut clock = self.clock.lock();
        // A reading that takes a command is too expensive to be repeated.
        let once = !self.device.info().features.calibrated_timestamps;
        let known = if once { clock.on_host_by_last(device_ns) } else { clock.on_host(device_ns) };
        if let Some(time) = known {
            return Ok(time);
        }
        // Takes the reading whose two clocks were read closest together.
        let mut best = self.device.correlate_clocks()?;
        for _ in 0..if best.calibrated { CLOCK_READINGS - 1 } else { 0 } {
            let other = self.device.correlate_clocks()?;
            if other.max_deviation_ns < best.max_deviation_ns {
                best = other;
            }
        }
        clock.read(best.device_ns, best.host_ns);
        Ok(clock.on_host_by_last(device_ns).unwrap_or(best.host_ns))
    }

    /// Returns how the host accesses a buffer; see `always_stage`.
    fn reach(&self, buffer: &vk::Buffer) -> vk::HostAccess {
        match buffer.host_access() {
            vk::HostAccess::Memory if self.always_stage => vk::HostAccess::Rebar,
            reach => reach,
        }
    }

    /// Returns the address at which the host sees a buffer's bytes as it sees its own memory, if it does.
    pub fn host_view(&self, buffer: &vk::Buffer) -> Option<NonNull<u8>> {
        buffer.mapped().filter(|_| self.reach(buffer) == vk::HostAccess::Memory)
    }

    /// Returns true if it is better that the host itself reads or writes `size` bytes of an idle buffer than that the device
    /// does.
    pub fn host_moves(&self, buffer: &vk::Buffer, size: usize, access: Access) -> bool {
        match self.reach(buffer) {
            vk::HostAccess::None => false,
            vk::HostAccess::Memory => true,
            vk::HostAccess::Rebar => match access {
                Access::Read => size <= MOST_READ_OVER_BUS,
                Access::Write => size <= MOST_WRITTEN_OVER_BUS,
            },
        }
    }

    /// Returns true if the host itself reads `size` bytes of a buffer across the bus.
    pub fn reads_over_bus(&self, buffer: &vk::Buffer, size: usize) -> bool {
        self.reach(buffer) == vk::HostAccess::Rebar && self.host_moves(buffer, size, Access::Read)
    }

    /// Writes `bytes` at `offset` of a buffer, now.
    pub fn write_now(&self, buffer: &Arc<vk::Buffer>, offset: u64, bytes: &[u8]) -> Result<()> {
        // SAFETY: a slice is readable.
        unsafe { self.write_now_from(buffer, offset, bytes.as_ptr(), bytes.len()) }
    }

    /// Like [`Gpu::write_now`], from `size` bytes at `from`. No command uses these bytes of the buffer.
    ///
    /// # Safety
    /// The bytes at `from` are readable, and not written meanwhile.
    pub unsafe fn write_now_from(
        &self,
        buffer: &Arc<vk::Buffer>,
        offset: u64,
        from: *const u8,
        size: usize,
    ) -> Result<()> {
        if self.host_moves(buffer, size, Access::Write) {
            // SAFETY: as the caller promises; no command uses these bytes of the buffer.
            return Ok(unsafe { buffer.write_from(offset, from, size) }?);
        }
        self.with_copies(vk::CopyLane::In, |queue| {
            let mut pace = ChunksInFlight::default();
            let step = chunk_size(size);
            for start in (0..size).step_by(step) {
                let length = step.min(size - start);
                let staging = self.upload.take(length as u64)?;
                // SAFETY: as the caller promises; the staging memory is this function's alone.
                unsafe { staging.buffer.write_from(0, from.add(start), length) }?;
                let at = offset + start as u64;
                let from = (&staging.buffer, 0);
                let value = copy_on(queue, from, (buffer, at), &staging, length);
                queue.flush()?;
                pace.add(value);
                if let Some(value) = pace.make_room() {
                    queue.wait(value)?;
                }
            }
            Ok(queue.wait(queue.issued())?)
        })
    }

    /// Makes `size` bytes at `offset` of a buffer zero, now. Both are multiples of 4.
    pub fn zero_now(&self, buffer: &Arc<vk::Buffer>, offset: u64, size: u64) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        self.with_service(|queue| {
            let ((), value) = queue.record(|recorder| {
                recorder.barrier();
                recorder.fill(buffer, offset, size, 0);
            });
            Ok(queue.wait(value)?)
        })
    }

    /// Reads a buffer's bytes at `offset`, now.
    pub fn read_now(&self, buffer: &Arc<vk::Buffer>, offset: u64, bytes: &mut [u8]) -> Result<()> {
        if self.host_moves(buffer, bytes.len(), Access::Read) {
            // SAFETY: the caller has waited for the commands that write these bytes.
            return Ok(unsafe { buffer.read(offset, bytes) }?);
        }
        self.with_copies(vk::CopyLane::Out, |queue| self.read_by(queue, buffer, offset, bytes))
    }

    /// Reads through staging memory.
    fn read_by(
        &self,
        queue: &vk::Queue,
        buffer: &Arc<vk::Buffer>,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<()> {
        let mut chunks = VecDeque::new();
        let finish = |(value, staging, chunk): (u64, Arc<Staging>, &mut [u8])| -> Result<()> {
            queue.wait(value)?;
            // SAFETY: the copy to the staging memory, which is this function's alone, is complete.
            Ok(unsafe { staging.buffer.read(0, chunk) }?)
        };
        let size = chunk_size(bytes.len());
        for (index, chunk) in bytes.chunks_mut(size).enumerate() {
            let staging = self.readback.take(chunk.len() as u64)?;
            let at = offset + (index * size) as u64;
            let value = copy_on(queue, (buffer, at), (&staging.buffer, 0), &staging, chunk.len());
            queue.flush()?;
            chunks.push_back((value, staging, chunk));
            if chunks.len() > CHUNKS_IN_FLIGHT {
                chunks.pop_front().map_or(Ok(()), finish)?;
            }
        }
        chunks.into_iter().try_for_each(finish)
    }
}

impl DeviceTime for Gpu {
    fn on_host(&self, device_ns: u64) -> Option<u64> {
        Gpu::on_host(self, device_ns).ok()
    }
}

/// Records one chunk's copy, which keeps its staging memory.
fn copy_on(
    queue: &vk::Queue,
    from: (&Arc<vk::Buffer>, u64),
    to: (&Arc<vk::Buffer>, u64),
    staging: &Arc<Staging>,
    size: usize,
) -> u64 {
    let ((), value) = queue.record(|recorder| {
        recorder.barrier();
        recorder.copy(from.0, from.1, to.0, to.1, size as u64);
        recorder.retain(staging.clone());
    });
    value
}

/// The size in bytes of the largest chunk of a staged transfer: the host copies one chunk while the device moves others.
pub const CHUNK: usize = 4 << 20;
/// The size in bytes of the smallest chunk: smaller ones cost more to submit than they gain.
pub const MIN_CHUNK: usize = 1 << 20;
/// The most chunks of one staged transfer that are in flight at once.
pub const CHUNKS_IN_FLIGHT: usize = 6;

/// Returns the size of the chunks of a transfer of `total` bytes. A transfer of medium size, too, has at least four chunks, so
/// that host and device work at the same time.
pub fn chunk_size(total: usize) -> usize {
    (total / 4).next_power_of_two().clamp(MIN_CHUNK, CHUNK)
}

/// The chunks of a transfer that are in flight, by timeline value; it limits their number.
#[derive(Default)]
pub struct ChunksInFlight(VecDeque<u64>);

impl ChunksInFlight {
    /// Notes a chunk by its timeline value.
    pub fn add(&mut self, value: u64) {
        self.0.push_back(value);
    }

    /// Returns the timeline value to wait for before another chunk is submitted; `None` if there is room.
    pub fn make_room(&mut self) -> Option<u64> {
        (self.0.len() > CHUNKS_IN_FLIGHT).then(|| self.0.pop_front())?
    }

    /// Returns the timeline values of the chunks that are still in flight, in order.
    pub fn rest(self) -> impl Iterator<Item = u64> {
        self.0.into_iter()
    }
}

/// The name under which the disk cache keeps the probe of the device's arithmetic.
pub const PROBE: &str = "probe";

/// Returns how long a dispatch on a device may take, about; `None` if any time is acceptable. On a GPU that draws, a kernel of
/// several seconds stops the display, and the driver then ends it (amdgpu after 10 s, Windows after 2 s), except for drivers
/// with [`vk::Quirks::NO_WATCHDOG`].
fn slice(info: &vk::DeviceInfo) -> Option<Duration> {
    let is_gpu = info.device_type != vk::DeviceType::Cpu;
    let is_lenient = cfg!(unix) && info.quirks.contains(vk::Quirks::NO_WATCHDOG);
    let has_watchdog = info.has_graphics && !is_lenient;
    match config::slices() {
        config::Slices::Never => None,
        config::Slices::Of(time) => Some(time),
        config::Slices::Default => (is_gpu && has_watchdog).then_some(SLICE),
    }
}

/// Has the background free what the device keeps of dropped buffers and images.
fn free_unused_later(device: &Arc<vk::Device>) {
    let weak = Arc::downgrade(device);
    device.set_free_later(Box::new(move |time| {
        let weak = weak.clone();
        BACKGROUND.run_after(time, move || {
            if let Some(device) = weak.upgrade() {
                device.free_unused();
            }
        });
    }));
}

fn probe(device: &Arc<vk::Device>) -> vk::Probe {
    let bytes = |probe: &vk::Probe| probe.to_bytes();
    let found = findings::of(device, PROBE, bytes, vk::Probe::from_bytes, || device.probe());
    found.unwrap_or_else(|error| {
        let info = device.info();
        tracing::warn!("{}: the arithmetic was not probed: {error}", info.name);
        unprobed(info)
    })
}

/// Returns cautious results for a device that was not probed: nothing is exact, so everything is emulated.
fn unprobed(info: &vk::DeviceInfo) -> vk::Probe {
    let controls = vk::FloatControls::offered(&info.features, info.quirks);
    vk::Probe { controls, ..vk::Probe::default() }
}

/// Returns the compiler's target for a device that only a device file describes.
pub fn target_of_file(device: &vk::FileDevice) -> Target {
    let images = Images::of(device).map(|images| images.features).unwrap_or_default();
    let probe = device.probe.clone().unwrap_or_else(|| unprobed(&device.info));
    target(&device.info, &probe, images, None)
}

/// Returns the traits of floats of a width, for the compiler.
fn float_traits(table: &vk::FloatTable, width: vk::FloatWidth) -> FloatTraits {
    let widening = table.get(width, vk::FloatOp::Widen);
    FloatTraits {
        sign_alone: table.sign_alone(width),
        signs_operands: table.signs_operands(width),
        keeps_denormals: table.keeps_denormals(width),
        widens: widening.is_some_and(vk::Behaviour::keeps_denormals),
        narrows: table.get(width, vk::FloatOp::Narrow).is_some_and(vk::Behaviour::is_right),
        orders: table.orders(width),
    }
}

/// Returns the dot products that a device accelerates.
fn accelerated_dot_products(features: &vk::Features) -> DotProducts {
    let has =
        |kind| features.integer_dot_product && features.accelerated_dot_products.contains(kind);
    DotProducts {
        signed: has(vk::DotProducts::SIGNED),
        unsigned: has(vk::DotProducts::UNSIGNED),
        mixed: has(vk::DotProducts::MIXED),
    }
}

/// Returns the bytes of the largest buffer, if 32-bit offsets reach all of it and the driver benefits from such offsets.
fn narrow_offsets(info: &vk::DeviceInfo) -> Option<u32> {
    let largest = u32::try_from(info.limits.max_buffer_size).ok()?;
    info.quirks.contains(vk::Quirks::NARROW_OFFSETS).then_some(largest)
}

/// Returns the atomic arithmetic on floats in global memory that a device has.
fn float_atomics(f: &vk::Features) -> FloatAtomics {
    let all = [
        (FloatAtomics::ADD_32, f.atomic_float32_buffer_add),
        (FloatAtomics::ADD_64, f.atomic_float64_buffer_add),
        (FloatAtomics::MIN_MAX_32, f.atomic_float32_buffer_min_max),
        (FloatAtomics::MIN_MAX_64, f.atomic_float64_buffer_min_max),
    ];
    all.into_iter().filter(|(_, offered)| *offered).map(|(operation, _)| operation).collect()
}

/// Returns the names of extensions that are reported in addition to the device's own.
fn shown(has_images: bool, profile: Option<&Profile>) -> Vec<&'static str> {
    let depths = (platform::SHARES_GL && has_images).then_some("cl_khr_gl_depth_images");
    let of_profile = profile.map_or_else(Vec::new, Profile::shown);
    of_profile.into_iter().chain(depths).collect()
}

/// Returns the products of matrices that kernels may use: products of number types that kernels compute with.
fn matrices(info: &vk::DeviceInfo, probe: &vk::Probe) -> Vec<MatrixProduct> {
    let f = &info.features;
    let has_model = f.vulkan_memory_model && f.vulkan_memory_model_device_scope;
    let has_groups = subgroups::offered(f, SubgroupsFound::of(probe)).is_some();
    // Matrices in local memory are loaded as elements of their own type, whatever type the memory was declared with.
    let has_views = f.workgroup_explicit_layout;
    if !(f.cooperative_matrix && has_model && has_groups && has_views && f.int64) {
        return Vec::new();
    }
    let has = |component: MatrixComponent| match (component.is_float(), component.bits()) {
        // Single bfloat16 are integers.
        _ if component == MatrixComponent::BF16 => {
            f.int16 && f.storage16 && f.workgroup_explicit_layout_16
        }
        (true, 16) => f.float16 && f.storage16 && f.workgroup_explicit_layout_16,
        (true, 64) => f.float64,
        (false, 8) => f.int8 && f.storage8 && f.workgroup_explicit_layout_8,
        (false, 16) => f.int16 && f.storage16 && f.workgroup_explicit_layout_16,
        _ => true,
    };
    let all = info.matrices.iter().copied();
    all.filter(|p| [p.a, p.b, p.c, p.result].into_iter().all(has)).collect()
}

/// Returns true if programs on a device have double: the device's own, or double that is computed with integers because
/// `HEKLA_FP64` or the profile asks for it.
pub fn computes_doubles(info: &vk::DeviceInfo) -> bool {
    let is_whole = !info.quirks.contains(vk::Quirks::SMALL_FRAMES);
    info.features.float64
        || match config::soft_doubles() {
            SoftDoubles::Never => {
                is_whole && Profile::current().is_some_and(|profile| profile.soft_doubles)
            }
            SoftDoubles::Whole => is_whole,
            SoftDoubles::Always => true,
        }
}

/// Returns the compiler's target for a device.
pub fn target(
    info: &vk::DeviceInfo,
    probe: &vk::Probe,
    images: ImageFeatures,
    profile: Option<&Profile>,
) -> Target {
    let f = &info.features;
    let [zeros_16, zeros_32, zeros_64] = probe.controls.signed_zero_inf_nan;
    let [denorms_16, denorms_32, denorms_64] = probe.controls.denorm_preserve;
    let [rte_16, rte_32, rte_64] = probe.controls.rounding_rte;
    // Storage of 8 or 16 bits counts only together with the integer type. Without the type, instructions may only load, store
    // and widen such numbers, and a pointer to them that is made from words would not be valid.
    let (storage8, storage16) = (f.storage8 && f.int8, f.storage16 && f.int16);
    let target = Target {
        int64: f.int64,
        int16: f.int16,
        int8: f.int8,
        float64: f.float64,
        soft_float64: false,
        float16: f.float16 && storage16,
        storage8,
        storage16,
        scalar_block_layout: f.scalar_block_layout,
        atomic_int64_buffer: f.atomic_int64_buffer,
        atomic_int64_shared: f.atomic_int64_shared,
        integer_dot_product: f.integer_dot_product,
        accelerated_dot_products: accelerated_dot_products(f),
        subgroup_clock: f.subgroup_clock,
        device_clock: f.device_clock,
        float_atomics: float_atomics(f),
        workgroup_explicit_layout: f.workgroup_explicit_layout,
        workgroup_explicit_layout_8: f.workgroup_explicit_layout_8,
        workgroup_explicit_layout_16: f.workgroup_explicit_layout_16,
        vulkan_memory_model: f.vulkan_memory_model && f.vulkan_memory_model_device_scope,
        quirks: info.quirks,
        narrow_offsets: narrow_offsets(info),
        exact_objects: info.device_type == vk::DeviceType::Cpu,
        call_sharing: info
            .quirks
            .contains(vk::Quirks::SLOW_INLINED_CALLS)
            .then_some(CallSharing::DEFAULT),
        preserve_signed_zero_inf_nan_16: zeros_16,
        preserve_signed_zero_inf_nan_32: zeros_32,
        preserve_signed_zero_inf_nan_64: zeros_64,
        denorm_preserve_16: denorms_16,
        denorm_preserve_32: denorms_32,
        denorm_preserve_64: denorms_64,
        denorm_independent_32: f.denorm_independence != vk::Independence::None,
        rounding_rte_16: rte_16,
        rounding_rte_32: rte_32,
        rounding_rte_64: rte_64,
        rounding_rte_32_to_divide: probe.nearest32_to_divide,
        float_traits: vk::FloatWidth::ALL.map(|width| float_traits(&probe.floats, width)),
        merges_signs: probe.merges_signs,
        fma16_fused: probe.floats.half_fma(),
        fma32_fused: probe.fma32_fused,
        fma64_fused: probe.fma64_fused,
        div32_exact: probe.div32_exact,
        sqrt32_exact: probe.sqrt32_exact,
        exp2_accurate: probe.exp2_accurate,
        exp2_wide: probe.exp2_wide
            && (probe.exp2_denormals || !probe.floats.keeps_denormals(vk::FloatWidth::Single)),
        log2_accurate: probe.log2_accurate,
        log2_accurate_near_1: probe.log2_accurate_near_1,
        log2_denormals: probe.log2_denormals,
        subgroups: subgroups::offered(f, SubgroupsFound::of(probe)),
        matrices: matrices(info, probe),
        default_subgroup_size: profile.and_then(|profile| profile.subgroup_size),
        images: images.images,
        read_write_images: images.read_write,
        image_writes_3d: images.writes_3d,
        hardware_linear: false,
        samples_texels: false,
        push_constant_size: info.limits.max_push_constants,
        max_work_group_size: info.limits.max_workgroup_invocations.min(MAX_WORK_GROUP_SIZE),
        local_memory_size: u64::from(info.limits.max_compute_shared_memory),
        spirv_version: 0x0001_0500,
        newest: config::newest_version(),
        zero_local: false,
        zero_private: false,
        lines: config::debug_lines() || config::replays().is_some(),
        non_semantic_info: f.non_semantic_info,
        checks: Checks::empty(),
        shown: shown(images.images, profile),
        hidden: profile.map_or_else(Vec::new, |profile| profile.hidden().to_vec()),
    };
    match computes_doubles(info) {
        true => target.with_soft_doubles(),
        false => target,
    }
}
