//! Kernels: a function of a program, the arguments set so far, and its pipelines on each device.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::context::usm::Indirect;
use crate::core::device::open::Gpu;
use crate::core::device::Device;
use crate::core::diagnostics::trace::trace;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::Image;
use crate::core::process::clock;
use crate::core::program::first_pipeline;
use crate::core::program::local_layout::LocalLayout;
use crate::core::program::pace::Pace;
use crate::core::program::pipelines::{PipelineKey, Pipelines};
use crate::core::program::shape::LastShape;
use crate::core::program::{Program, ProgramData};
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref, WeakRef};
use hekla_compiler::kernel as meta;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// A kernel compiled for one device.
pub struct BuiltKernel {
    pub kernel: meta::Kernel,
    pub data: Arc<ProgramData>,
    /// True if all work-groups of a launch must have the same size.
    pub uniform: bool,
    pub gpu: Arc<Gpu>,
    /// How long the kernel's work-items take.
    pub pace: Pace,
    pipelines: Mutex<Pipelines>,
}

impl BuiltKernel {
    pub fn new(
        gpu: Arc<Gpu>,
        kernel: meta::Kernel,
        data: Arc<ProgramData>,
        uniform: bool,
    ) -> BuiltKernel {
        let (pace, pipelines) = Default::default();
        BuiltKernel { kernel, data, uniform, gpu, pace, pipelines }
    }

    /// Returns true if launches need a buffer for `printf`.
    pub fn prints(&self) -> bool {
        self.kernel.argument_fields.iter().any(|entry| entry.field == meta::Field::PrintfBuffer)
    }

    /// Returns CL_KERNEL_WORK_GROUP_SIZE. Larger work-groups may run as well, but the driver's compiler then most likely keeps
    /// some values in memory.
    pub fn work_group_size(&self, device: &Device) -> usize {
        let (limit, file) = (device.max_work_group_size(), device.info().limits.registers);
        let limit = limit.min(self.local_size_limit(device));
        match (self.kernel.required_local_size, file) {
            (None, Some(file)) => size_in_registers(self.kernel.registers, file).min(limit),
            _ => limit,
        }
    }

    /// Returns the most work-items of a work-group.
    pub fn local_size_limit(&self, device: &Device) -> usize {
        let limit = device.max_work_group_size();
        let features = &device.info().features;
        if self.kernel.one_subgroup {
            return limit.min(self.subgroup_size() as usize);
        }
        let size = self.hardware_subgroup_size();
        // A device that does not offer its sub-groups runs kernels with its default size, whatever the target says.
        match self.gpu.target.subgroups.is_some() && size != features.subgroup_size {
            true => limit.min(size as usize * features.max_workgroup_subgroups as usize),
            false => limit,
        }
    }

    /// Returns the number of work-items of a whole sub-group.
    pub fn subgroup_size(&self) -> u32 {
        self.gpu.target.subgroup_size(self.kernel.required_subgroup_size)
    }

    /// Returns the number of work-items of a whole sub-group as the hardware runs the kernel.
    fn hardware_subgroup_size(&self) -> u32 {
        self.gpu.target.hardware_subgroup_size(self.kernel.required_subgroup_size)
    }

    /// Returns the requirements on sub-groups of a pipeline for work-groups of a size. The sub-groups' size is required even if
    /// it is the device's default, since drivers may otherwise choose a smaller one.
    fn subgroup_demand(&self, local: [u32; 3]) -> vk::SubgroupDemand {
        let kernel = &self.kernel;
        if !kernel.uses_subgroups && kernel.required_subgroup_size.is_none() {
            return vk::SubgroupDemand::default();
        }
        let (size, features) = (self.hardware_subgroup_size(), &self.gpu.device.info().features);
        let items: u64 = local.iter().map(|&size| u64::from(size)).product();
        let fits = items <= u64::from(size) * u64::from(features.max_workgroup_subgroups);
        let [least, most] = features.subgroup_size_range;
        let offered = features.subgroup_size_control && (least..=most).contains(&size);
        let full = local[0].is_multiple_of(size);
        vk::SubgroupDemand { size: (fits && offered).then_some(size), full }
    }

    /// Returns the pipeline for a key, created at first use.
    pub fn pipeline(&self, key: &PipelineKey) -> Result<Arc<vk::Pipeline>> {
        let (made, _evicted) = self.pipelines.lock().find(key);
        made.get_or_try_init(|| self.make(key)).cloned()
    }

    /// Returns true if a pipeline has been requested.
    pub fn is_launched(&self) -> bool {
        !self.pipelines.lock().is_empty()
    }

    /// Creates the pipeline for a key if the kernel is not launched yet, or if a launch waits for another pipeline. Other
    /// threads may submit meanwhile.
    pub fn prepare(&self, key: &PipelineKey) {
        let is_wanted = || {
            let pipelines = self.pipelines.lock();
            pipelines.is_empty() || (pipelines.is_awaited() && !pipelines.contains(key))
        };
        if !is_wanted() {
            return;
        }
        // This may take a while; launches do not wait for it.
        self.gpu.open_compile_device();
        if !is_wanted() {
            return;
        }
        if let Err(error) = self.pipeline(key) {
            tracing::debug!("{}: no pipeline ahead of the first launch: {error}", self.kernel.name);
        }
    }

    fn make(&self, key: &PipelineKey) -> Result<Arc<vk::Pipeline>> {
        let constants = key.constants();
        let start = clock::now();
        let desc = vk::PipelineDesc {
            spirv: &self.kernel.spirv,
            entry: "main",
            name: &self.kernel.name,
            specialization: &constants,
            push_constant_size: self.push_constant_size(),
            uses_images: self.kernel.uses_images,
            subgroups: self.subgroup_demand(key.local_size),
        };
        // SAFETY: the compiler made the module for this device, in this process or in one whose binary or cache entry has
        // the right checksum.
        let pipeline = unsafe { self.gpu.device.create_pipeline(&desc) }?;
        self.gpu.pipeline_was_created();
        if let Some(trace) = trace() {
            trace.pipeline(&self.kernel.name, start, pipeline.creation());
        }
        Ok(pipeline)
    }

    /// Returns the size in bytes of the push constants: the kernel-argument buffer, or its address.
    fn push_constant_size(&self) -> u32 {
        match self.kernel.argument_buffer_size {
            0 => 0,
            size if self.kernel.arguments_in_push_constants => size,
            _ => 8,
        }
    }
}

/// The least result of `size_in_registers`. With work-groups smaller than this, a work-item could not have more registers.
const LEAST_SIZE: u32 = 256;

/// Returns the most work-items, as a power of two, whose values are likely to fit in a register file. Devices' compilers
/// reorder instructions and need, at best, half of the estimated registers.
fn size_in_registers(estimate: u32, file: u32) -> usize {
    let most = file / estimate.div_ceil(2).max(1);
    1 << most.max(LEAST_SIZE).ilog2()
}

/// The value of an argument.
#[derive(Clone)]
pub enum ArgValue {
    Bytes(SmallVec<[u8; 16]>),
    /// A buffer; `None` is a NULL pointer. The kernel does not keep the buffer alive (5.9.2).
    Buffer(Option<WeakRef<Buffer>>),
    Image(WeakRef<Image>),
    /// A sampler as a [`meta::sampler_word`].
    Sampler(u32),
    /// The number of a queue on the device.
    Queue(u64),
    Local(usize),
    /// An address in shared virtual memory, or a device address (clSetKernelArgDevicePointerEXT).
    Pointer(u64),
}

impl ArgValue {
    /// Returns true for an image whose components kernels that write put in another order.
    fn is_reordered(&self) -> bool {
        let ArgValue::Image(image) = self else { return false };
        image.upgrade().is_some_and(|image| image.is_reordered())
    }
}

/// Prevents the program from being built again until it is dropped.
struct Attached(Ref<Program>);

impl Attached {
    fn to(program: &Ref<Program>) -> Attached {
        program.attach_kernel();
        Attached(program.clone())
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.0.detach_kernel();
    }
}

/// Settings of clSetKernelExecInfo.
pub enum ExecInfo {
    /// Shared virtual memory that the kernel reaches by pointers in memory
    /// (CL_KERNEL_EXEC_INFO_SVM_PTRS).
    Reached(Vec<usize>),
    /// Device addresses in buffers that the kernel reaches by pointers in memory
    /// (CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT).
    Pointed(Vec<u64>),
    /// Unified shared memory that the kernel reaches by pointers in memory
    /// (CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL).
    ReachedUsm(Vec<usize>),
    /// Whether the kernel may reach any allocation of an owner by pointers in memory: a function that selects the owner's flag,
    /// and the flag's value.
    Indirect(fn(&mut Indirect) -> &mut bool, bool),
    /// Whether the kernel may reach any memory of the host (CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM).
    System(bool),
    /// A setting without effect, since it is always on.
    Nothing,
}

/// The kernel's arguments, and the other settings of its launches.
#[derive(Clone)]
pub struct KernelArguments {
    pub args: Box<[Option<ArgValue>]>,
    pub reached: Vec<usize>,
    pub reached_usm: Vec<usize>,
    pub indirect: Indirect,
    /// True if the kernel may reach any memory of the host.
    pub system: bool,
    pub pointed: Vec<u64>,
    /// True for a block that another kernel enqueued: it may write images that are no arguments of its own.
    pub may_capture_images: bool,
    /// The shape of the last launch, for reuse.
    pub last_shape: LastShape,
}

impl KernelArguments {
    /// Returns `args` arguments, none of which is set.
    pub fn new(args: usize) -> KernelArguments {
        let args = (0..args).map(|_| None).collect();
        KernelArguments {
            args,
            reached: Vec::new(),
            reached_usm: Vec::new(),
            indirect: Indirect::default(),
            system: false,
            pointed: Vec::new(),
            may_capture_images: false,
            last_shape: LastShape::default(),
        }
    }

    /// Returns true if every argument has a value.
    pub fn complete(&self) -> bool {
        self.args.iter().all(Option::is_some)
    }

    pub fn set_arg(&mut self, index: u32, value: ArgValue) {
        let is_pointer = matches!(value, ArgValue::Pointer(_));
        let Some(slot) = self.args.get_mut(index as usize) else { return };
        let was_pointer = matches!(slot, Some(ArgValue::Pointer(_)));
        let was_reordered = slot.as_ref().is_some_and(ArgValue::is_reordered);
        if matches!(value, ArgValue::Local(_))
            || is_pointer != was_pointer
            || value.is_reordered() != was_reordered
        {
            self.last_shape.invalidate();
        }
        *slot = Some(value);
    }

    pub fn set_exec_info(&mut self, info: ExecInfo) {
        match info {
            ExecInfo::Reached(addresses) => self.reached = addresses,
            ExecInfo::Pointed(addresses) => self.pointed = addresses,
            ExecInfo::ReachedUsm(addresses) => self.reached_usm = addresses,
            ExecInfo::Indirect(flag, on) => *flag(&mut self.indirect) = on,
            ExecInfo::System(on) => self.system = on,
            ExecInfo::Nothing => {}
        }
    }

    /// Returns true if an argument is an address, or clSetKernelExecInfo has named addresses.
    pub fn has_addresses(&self) -> bool {
        let named = [self.reached.is_empty(), self.reached_usm.is_empty(), self.pointed.is_empty()];
        named.contains(&false) || self.has_pointers()
    }

    /// Returns true if an argument is an address.
    pub fn has_pointers(&self) -> bool {
        self.args.iter().any(|arg| matches!(arg, Some(ArgValue::Pointer(_))))
    }

    /// Returns true if an image that a kernel writes has, or may have, its components in another order.
    pub fn reorders_images(&self, kernel: &meta::Kernel) -> bool {
        self.may_capture_images
            || self.args.iter().zip(&kernel.args).any(|(value, arg)| {
                const READ: meta::ImageAccess = meta::ImageAccess::ReadOnly;
                let is_read = matches!(arg.kind, meta::ArgKind::Image { access: READ, .. });
                !is_read && value.as_ref().is_some_and(ArgValue::is_reordered)
            })
    }

    /// Returns the size of a local argument; 0 for other arguments.
    pub fn local_size(&self, index: usize) -> usize {
        match self.args.get(index) {
            Some(Some(ArgValue::Local(size))) => *size,
            _ => 0,
        }
    }
}

pub struct Kernel {
    pub program: Ref<Program>,
    _attached: Attached,
    pub name: String,
    /// The kernel on each device of the program for which it is built.
    pub built: Vec<Option<Arc<BuiltKernel>>>,
    /// The kernel on one of the devices, for properties that are the same on all.
    pub any: Arc<BuiltKernel>,
    pub arguments: Mutex<KernelArguments>,
}

impl Kind for Kernel {
    type Target = _cl_kernel;
    const INVALID: cl_int = CL_INVALID_KERNEL;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.program.notifier()
    }
}

impl Kernel {
    /// clCreateKernel.
    ///
    /// CL_INVALID_PROGRAM_EXECUTABLE without a successful build, CL_INVALID_KERNEL_NAME for an
    /// unknown name, CL_INVALID_KERNEL_DEFINITION when devices disagree about the arguments.
    pub fn new(program: &Ref<Program>, name: &str) -> Result<Ref<Kernel>> {
        // The kernel is attached before the builds are read, so that no other build can begin meanwhile.
        let attached = Attached::to(program);
        let builds = program.all_builds();
        ensure!(builds.iter().any(|b| b.executable().is_some()), CL_INVALID_PROGRAM_EXECUTABLE);
        let find = |build: &crate::core::program::Build| {
            build.executable().and_then(|e| e.kernel(name).cloned())
        };
        let built: Vec<_> = builds.iter().map(find).collect();
        let mut present = built.iter().flatten();
        let Some(first) = present.next() else { return fail(CL_INVALID_KERNEL_NAME) };
        let agree = present.all(|other| other.kernel.args == first.kernel.args);
        ensure!(agree, CL_INVALID_KERNEL_DEFINITION);
        let any = first.clone();
        let arguments = Mutex::new(KernelArguments::new(any.kernel.args.len()));
        let kernel = Ref::new(Kernel {
            program: program.clone(),
            _attached: attached,
            name: name.to_string(),
            built,
            any,
            arguments,
        });
        first_pipeline::prepare(&kernel);
        Ok(kernel)
    }

    /// clCloneKernel: the same kernel with the same arguments.
    pub fn duplicate(&self) -> Ref<Kernel> {
        Ref::new(Kernel {
            program: self.program.clone(),
            _attached: Attached::to(&self.program),
            name: self.name.clone(),
            built: self.built.clone(),
            any: self.any.clone(),
            arguments: Mutex::new(self.arguments.lock().clone()),
        })
    }

    /// Returns the metadata of an argument, or CL_INVALID_ARG_INDEX.
    pub fn arg(&self, index: u32) -> Result<&meta::Arg> {
        self.any.kernel.args.get(index as usize).ok_or(ClError(CL_INVALID_ARG_INDEX))
    }

    /// Returns the kernel on a device, or CL_INVALID_PROGRAM_EXECUTABLE.
    pub fn built_on(&self, device: &Ref<Device>) -> Result<&Arc<BuiltKernel>> {
        let index = self.program.devices.iter().position(|d| d == device);
        let built = index.and_then(|index| self.built.get(index)?.as_ref());
        built.ok_or(ClError(CL_INVALID_PROGRAM_EXECUTABLE))
    }

    /// CL_INVALID_KERNEL_ARGS unless every argument is set.
    pub fn check_args(&self) -> Result<()> {
        ensure!(self.arguments.lock().complete(), CL_INVALID_KERNEL_ARGS);
        Ok(())
    }

    /// Returns the bytes of local memory in use: variables, and the local arguments set so far.
    pub fn local_memory(&self, built: &BuiltKernel) -> u64 {
        let arguments = self.arguments.lock();
        LocalLayout::new(&built.kernel, |index| arguments.local_size(index)).total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measured on an H200 with hashcat's kernels: with work-groups of 1,024, SHA-512 (an estimate of 164 registers) spills;
    /// SHA-256 and MD5 (88 to 113 registers) do not.
    #[test]
    fn work_groups_have_room_for_their_registers() {
        let size = |estimate| size_in_registers(estimate, 65_536).min(1024);
        assert_eq!(
            [0, 88, 113, 128, 164, 256, 257, 600].map(size),
            [1024, 1024, 1024, 1024, 512, 512, 256, 256]
        );
        assert_eq!(size(u32::MAX), 256);
    }
}
