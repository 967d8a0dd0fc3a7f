//! Kernel launches: the arguments and index space as they were at enqueue, and how they become
//! dispatches.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::command::ndrange::{choose_local_size, Dispatch, LocalLimits, NdRange};
use crate::core::command::printout::Printout;
use crate::core::device::staging::{Arena, Staging};
use crate::core::device::Device;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::shadow::{self, ShadowUse};
use crate::core::memory::image::Image;
use crate::core::memory::reservation::{Effect, RangeUse};
use crate::core::printf::Printer;
use crate::core::program::kernel::{
    self, ArgValue, BuiltKernel, KernelArguments, LocalLayout, PipelineKey,
};
use crate::core::program::ProgramData;
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::core::queue::Queue;
use crate::object::Ref;
use hekla_compiler::kernel::{ArgAddress, ArgKind, Field, ImageAccess, Kernel};
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A kernel-argument buffer on the host; one of common size is kept on the stack.
type ArgumentBuffer = SmallVec<[u8; 256]>;

/// A launch. It does not change after enqueue.
pub struct Launch {
    kernel: Arc<BuiltKernel>,
    args: SmallVec<[ArgumentValue; 8]>,
    /// Shared virtual memory that arguments point into or clSetKernelExecInfo named.
    shared: Vec<Arc<vk::Buffer>>,
    /// Buffers whose device addresses are arguments or were named to clSetKernelExecInfo.
    pointed: Vec<Ref<Buffer>>,
    range: NdRange,
    dispatches: SmallVec<[Dispatch; 1]>,
    layout: LocalLayout,
}

impl Launch {
    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.kernel.kernel.name
    }
}

/// What the kernel-argument buffer of a launch names.
#[derive(Default)]
struct Named {
    buffers: SmallVec<[Arc<vk::Buffer>; 8]>,
    slots: SmallVec<[Arc<vk::Slot>; 2]>,
    shadows: Vec<ShadowUse>,
}

/// An argument as it was at enqueue.
enum ArgumentValue {
    Bytes(SmallVec<[u8; 16]>),
    Buffer(Option<Ref<Buffer>>),
    Image(Ref<Image>, ImageAccess),
    Local,
}

/// The sizes given to clEnqueueNDRangeKernel; dimensions beyond the given ones have size 1.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub dimensions: u32,
    pub offset: [usize; 3],
    pub global: [usize; 3],
    pub local: Option<[usize; 3]>,
}

impl Sizes {
    /// Returns true if there is nothing to run (allowed since OpenCL 2.1).
    pub fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }
}

/// Returns the local size that a launch gets when the application gives none.
pub fn suggest_local_size(device: &Device, built: &BuiltKernel, sizes: &Sizes) -> [u32; 3] {
    let kernel = &built.kernel;
    if let Some(required) = kernel.required_local_size {
        return required;
    }
    let global = sizes.global.map(|size| size as u64);
    let limits = LocalLimits {
        total: device.max_work_group_size() as u32,
        each: device.max_work_item_sizes().map(|size| size as u32),
        // A kernel that cannot see the local size cannot tell unequal groups from equal ones.
        uniform: built.uniform && kernel.local_size_visible,
    };
    if let Some(hint) = kernel.local_size_hint.filter(|hint| hint_fits(hint, &global, &limits)) {
        return hint;
    }
    choose_local_size(sizes.dimensions, global, &limits)
}

fn hint_fits(hint: &[u32; 3], global: &[u64; 3], limits: &LocalLimits) -> bool {
    let total: u64 = hint.iter().map(|size| u64::from(*size)).product();
    let divides = |d: usize| hint[d] > 0 && global[d].is_multiple_of(u64::from(hint[d]));
    total <= u64::from(limits.total) && (0..3).all(|d| divides(d) && hint[d] <= limits.each[d])
}

/// Checks the application's local size, in the order in which clEnqueueNDRangeKernel lists the errors.
fn check_local_size(
    device: &Device,
    built: &BuiltKernel,
    sizes: &Sizes,
    local: [usize; 3],
) -> Result<[u32; 3]> {
    let total = local.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
    ensure!(total.is_some_and(|total| total > 0), CL_INVALID_WORK_GROUP_SIZE);
    let within = local.iter().zip(device.max_work_item_sizes()).all(|(size, max)| *size <= max);
    ensure!(within, CL_INVALID_WORK_ITEM_SIZE);
    let fits = total.is_some_and(|total| total <= device.max_work_group_size());
    ensure!(fits, CL_INVALID_WORK_GROUP_SIZE);
    let local = local.map(|size| size as u32);
    if let Some(required) = built.kernel.required_local_size {
        ensure!(local == required, CL_INVALID_WORK_GROUP_SIZE);
    }
    let divides = |d: usize| sizes.global[d].is_multiple_of(local[d] as usize);
    ensure!(!built.uniform || (0..3).all(divides), CL_INVALID_WORK_GROUP_SIZE);
    Ok(local)
}

/// Returns the index space of sizes that are not empty.
///
/// # Errors
/// Those that clEnqueueNDRangeKernel lists for sizes that the device or the kernel does not allow.
pub fn index_space(device: &Device, built: &BuiltKernel, sizes: &Sizes) -> Result<NdRange> {
    for d in 0..3 {
        let end = sizes.offset[d].checked_add(sizes.global[d]);
        ensure!(end.is_some(), CL_INVALID_GLOBAL_OFFSET);
    }
    let local = match sizes.local {
        Some(local) => check_local_size(device, built, sizes, local)?,
        None => suggest_local_size(device, built, sizes),
    };
    // Only a size required in the source can fail these when the choice was ours.
    let uniform = (0..3).all(|d| sizes.global[d].is_multiple_of(local[d].max(1) as usize));
    let required = built.kernel.required_local_size.is_some();
    ensure!(uniform || !(built.uniform && required), CL_INVALID_WORK_GROUP_SIZE);
    Ok(NdRange {
        dimensions: sizes.dimensions,
        offset: sizes.offset.map(|v| v as u64),
        global: sizes.global.map(|v| v as u64),
        local,
    })
}

impl Launch {
    /// Captures a launch as it is at enqueue, with the checks of clEnqueueNDRangeKernel that follow those of
    /// handles. `sizes` must not be empty.
    pub fn new(queue: &Queue, kernel: &kernel::Kernel, sizes: &Sizes) -> Result<Launch> {
        let built = kernel.built_on(&queue.device)?;
        Launch::with(queue, built, &kernel.arguments.lock(), sizes)
    }

    /// As [`Launch::new`], with arguments that need not be the kernel's own.
    pub fn with(
        queue: &Queue,
        built: &Arc<BuiltKernel>,
        arguments: &KernelArguments,
        sizes: &Sizes,
    ) -> Result<Launch> {
        ensure!(arguments.complete(), CL_INVALID_KERNEL_ARGS);
        let device = &queue.device;
        let range = index_space(device, built, sizes)?;
        let layout = LocalLayout::new(&built.kernel, |index| arguments.local_size(index));
        ensure!(layout.total <= device.local_memory(), CL_OUT_OF_RESOURCES);
        let max_groups = device.info().limits.max_workgroup_count;
        let dispatches = range.dispatches(max_groups).ok_or(ClError(CL_OUT_OF_RESOURCES))?;
        let shared = shared_memory(queue, arguments);
        let pointed = pointed_buffers(queue, arguments);
        let args = arguments.args.iter().flatten().zip(&built.kernel.args);
        let args = args.map(|(value, arg)| capture(value, arg.kind)).collect::<Result<_>>()?;
        let launch =
            Launch { kernel: built.clone(), args, shared, pointed, range, dispatches, layout };
        launch.images().try_for_each(|(image, access)| image.check_use(device, access))?;
        Ok(launch)
    }

    /// Returns the images among the arguments, with how the kernel uses them.
    fn images(&self) -> impl Iterator<Item = (&Ref<Image>, ImageAccess)> {
        self.args.iter().filter_map(|arg| match arg {
            ArgumentValue::Image(image, access) => Some((image, *access)),
            _ => None,
        })
    }

    /// Returns the kernel-argument buffer without the fields that differ between dispatches, and what it names: buffers
    /// whose addresses are in it, slots and shadows. `printf` is the output buffer of a kernel that prints.
    fn argument_buffer(
        &self,
        queue: &Queue,
        replayed: bool,
        printf: Option<&Arc<vk::Buffer>>,
    ) -> Result<(ArgumentBuffer, Named)> {
        let kernel = &self.kernel.kernel;
        let mut arguments: ArgumentBuffer =
            SmallVec::from_elem(0, kernel.argument_buffer_size as usize);
        let Named { mut buffers, mut slots, mut shadows } = Named::default();
        let owner = (!replayed).then_some(&queue.vk);
        for entry in &kernel.argument_fields {
            let at = entry.offset as usize;
            match entry.field {
                Field::Arg(index) => match self.args.get(index as usize) {
                    Some(ArgumentValue::Bytes(bytes)) => put(&mut arguments, at, bytes),
                    Some(ArgumentValue::Buffer(Some(mem))) => {
                        let buffer = mem.on_device(queue.device_index)?;
                        let address = buffer.address() + mem.origin as u64;
                        put(&mut arguments, at, &address.to_le_bytes());
                        buffers.push(buffer);
                    }
                    Some(ArgumentValue::Image(image, access)) => {
                        let writes = *access != ImageAccess::ReadOnly;
                        let bound = image.bind(queue.device_index, writes, owner)?;
                        put(&mut arguments, at, &bound.word.to_le_bytes());
                        slots.push(bound.slot);
                        bound.shadow.into_iter().for_each(|used| shadow::add(&mut shadows, used));
                    }
                    _ => {}
                },
                Field::GlobalOffset => put_u64x3(&mut arguments, at, self.range.offset),
                Field::GlobalSize => put_u64x3(&mut arguments, at, self.range.global),
                Field::NumGroups => put_u64x3(&mut arguments, at, self.range.group_counts()),
                Field::EnqueuedLocalSize => {
                    for (d, size) in self.range.local.iter().enumerate() {
                        put(&mut arguments, at + 4 * d, &size.to_le_bytes());
                    }
                }
                Field::WorkDim => put(&mut arguments, at, &self.range.dimensions.to_le_bytes()),
                Field::DataAddress => {
                    let data = self.kernel.data.copy()?;
                    put(&mut arguments, at, &data.address.to_le_bytes());
                    buffers.push(data.buffer.clone());
                }
                Field::PrintfBuffer => {
                    let address = printf.map_or(0, |buffer| buffer.address());
                    put(&mut arguments, at, &address.to_le_bytes());
                    buffers.extend(printf.cloned());
                }
                Field::OrderWord => {
                    let word = queue.gpu.order_word()?;
                    put(&mut arguments, at, &word.address().to_le_bytes());
                    buffers.push(word.clone());
                }
                Field::GlobalBase | Field::GroupBase => {}
            }
        }
        for mem in &self.pointed {
            buffers.push(mem.on_device(queue.device_index)?);
        }
        Ok((arguments, Named { buffers, slots, shadows }))
    }

    /// Writes the fields that differ between dispatches. Returns true if any of them, or the global offset, is not
    /// 0.
    fn set_offsets(&self, arguments: &mut ArgumentBuffer, dispatch: &Dispatch) -> bool {
        for entry in &self.kernel.kernel.argument_fields {
            let at = entry.offset as usize;
            match entry.field {
                Field::GlobalBase => put_u64x3(arguments, at, dispatch.global_base),
                Field::GroupBase => put_u64x3(arguments, at, dispatch.group_base),
                _ => {}
            }
        }
        [dispatch.global_base, dispatch.group_base, self.range.offset] != [[0; 3]; 3]
    }
}

/// Returns what a kernel may do through a pointer argument.
fn effect(kernel: &Kernel, index: u32) -> Effect {
    match kernel.args.get(index as usize) {
        Some(arg) if arg.is_const || arg.address == ArgAddress::Constant => Effect::Read,
        _ => Effect::Modify,
    }
}

fn put(arguments: &mut ArgumentBuffer, at: usize, bytes: &[u8]) {
    if let Some(slot) = arguments.get_mut(at..at + bytes.len()) {
        slot.copy_from_slice(bytes);
    }
}

fn put_u64x3(arguments: &mut ArgumentBuffer, at: usize, values: [u64; 3]) {
    for (d, value) in values.iter().enumerate() {
        put(arguments, at + 8 * d, &value.to_le_bytes());
    }
}

/// Returns the allocations of shared virtual memory that the arguments point into, and those that
/// clSetKernelExecInfo named.
fn shared_memory(queue: &Queue, arguments: &KernelArguments) -> Vec<Arc<vk::Buffer>> {
    let named = arguments.reached.iter().copied();
    let find = |address| queue.context.svm.find(address).map(|(allocation, _)| allocation);
    let allocations = addresses(arguments).map(|a| a as usize).chain(named).filter_map(find);
    allocations.map(|allocation| allocation.block.buffer.clone()).collect()
}

/// Returns the buffers that device addresses among the arguments lie in, and those that clSetKernelExecInfo
/// named.
fn pointed_buffers(queue: &Queue, arguments: &KernelArguments) -> Vec<Ref<Buffer>> {
    let named = arguments.pointed.iter().copied();
    let find = |address| queue.context.addresses.find(queue.device_index, address);
    addresses(arguments).chain(named).filter_map(find).collect()
}

/// Returns the arguments that are addresses.
fn addresses(arguments: &KernelArguments) -> impl Iterator<Item = u64> + '_ {
    arguments.args.iter().filter_map(|arg| match arg {
        Some(ArgValue::Pointer(address)) => Some(*address),
        _ => None,
    })
}

/// Captures an argument.
///
/// # Errors
/// CL_INVALID_KERNEL_ARGS for a memory object that was released since the argument was set.
fn capture(value: &ArgValue, kind: ArgKind) -> Result<ArgumentValue> {
    Ok(match value {
        ArgValue::Image(image) => {
            let image = image.upgrade().ok_or(ClError(CL_INVALID_KERNEL_ARGS))?;
            let ArgKind::Image { access, .. } = kind else { return fail(CL_INVALID_KERNEL_ARGS) };
            ArgumentValue::Image(image, access)
        }
        ArgValue::Bytes(bytes) => ArgumentValue::Bytes(bytes.clone()),
        ArgValue::Local(_) => ArgumentValue::Local,
        ArgValue::Pointer(address) => {
            ArgumentValue::Bytes(SmallVec::from_slice(&address.to_le_bytes()))
        }
        ArgValue::Buffer(None) => ArgumentValue::Buffer(None),
        ArgValue::Buffer(Some(mem)) => {
            ArgumentValue::Buffer(Some(mem.upgrade().ok_or(ClError(CL_INVALID_KERNEL_ARGS))?))
        }
    })
}

/// A dispatch ready to be recorded.
struct Grid {
    pipeline: Arc<vk::Pipeline>,
    push: ArgumentBuffer,
    groups: [u32; 3],
}

/// A launch ready to be recorded: its dispatches, and what they use.
pub struct Prepared {
    grids: SmallVec<[Grid; 1]>,
    named: Named,
    pieces: SmallVec<[Arc<Staging>; 1]>,
    printf: Option<Arc<vk::Buffer>>,
}

impl Prepared {
    /// Appends the launch to a command buffer, with no barrier between its dispatches.
    pub fn append(self, printer: &Printer, recorder: &mut vk::Recorder) {
        shadow::load(&self.named.shadows, recorder);
        if let Some(buffer) = &self.printf {
            printer.clear(recorder, buffer);
        }
        for grid in &self.grids {
            // SAFETY: the application vouches for what its kernel accesses through the buffers and addresses that it
            // set (OpenCL API 5.8); those that the launch names are retained below.
            unsafe { recorder.dispatch(&grid.pipeline, &grid.push, grid.groups) };
        }
        shadow::store(&self.named.shadows, recorder);
        self.named.buffers.into_iter().for_each(|buffer| recorder.retain(buffer));
        self.named.slots.into_iter().for_each(|slot| recorder.retain(slot));
        self.pieces.into_iter().for_each(|piece| recorder.retain(piece));
    }
}

impl Launch {
    /// Returns what to record on the queue's device. `upload` gives memory to kernel-argument buffers that do not
    /// fit push constants; `printf` is the buffer for what the kernel prints. `replayed`: it is for a recording.
    pub fn prepare(
        &self,
        queue: &Queue,
        upload: &mut Arena,
        printf: Option<Arc<vk::Buffer>>,
        replayed: bool,
    ) -> Result<Prepared> {
        let kernel = &self.kernel.kernel;
        let (mut arguments, mut named) = self.argument_buffer(queue, replayed, printf.as_ref())?;
        named.buffers.extend(self.shared.iter().cloned());
        let mut grids: SmallVec<[Grid; 1]> = SmallVec::new();
        let mut pieces = SmallVec::<[_; 1]>::new();
        for dispatch in &self.dispatches {
            let has_global_offset = self.set_offsets(&mut arguments, dispatch);
            let pipeline = self.kernel.pipeline(&PipelineKey {
                local_size: dispatch.local,
                has_global_offset,
                local_length: self.layout.length(kernel),
                local_offsets: self.layout.offsets.clone(),
            })?;
            let push = if arguments.is_empty() || kernel.arguments_in_push_constants {
                arguments.clone()
            } else {
                let (piece, offset) = upload.take(arguments.len() as u64)?;
                // SAFETY: the piece of staging memory is this launch's alone.
                unsafe { piece.buffer.write(offset, &arguments) }?;
                let address = piece.buffer.address() + offset;
                pieces.push(piece);
                SmallVec::from_slice(&address.to_le_bytes())
            };
            grids.push(Grid { pipeline, push, groups: dispatch.groups });
        }
        Ok(Prepared { grids, named, pieces, printf })
    }

    /// Returns true if the kernel prints.
    pub fn prints(&self) -> bool {
        self.kernel.prints()
    }

    /// Returns the data of the kernel's program.
    pub fn data(&self) -> &Arc<ProgramData> {
        &self.kernel.data
    }

    /// Returns the memory objects that the kernel may access, and how.
    pub fn uses(&self) -> impl Iterator<Item = RangeUse<'_>> {
        let args = self.args.iter().zip(0..).filter_map(|(arg, index)| match arg {
            ArgumentValue::Buffer(Some(mem)) => {
                Some(RangeUse::whole(mem, effect(&self.kernel.kernel, index)))
            }
            ArgumentValue::Image(image, ImageAccess::ReadOnly) => Some(image.whole(Effect::Read)),
            ArgumentValue::Image(image, _) => Some(image.whole(Effect::Modify)),
            _ => None,
        });
        args.chain(self.pointed.iter().map(|mem| RangeUse::whole(mem, Effect::Modify)))
    }
}

impl Execution<'_> {
    /// Records a launch as one command.
    pub fn launch(&mut self, launch: &Launch) -> Result<Phase> {
        let queue = self.queue;
        let printf = self.printf_buffer(launch)?;
        let prepared = launch.prepare(queue, &mut self.state.upload, printf.clone(), false)?;
        let printer = &queue.context.printer;
        let value = self.record(|recorder| prepared.append(printer, recorder));
        if let Some(buffer) = printf {
            let printout = Printout::of_command(queue, value, launch.data(), buffer);
            queue.add_completion(value, Arc::new(printout));
        }
        Ok(Phase::Recorded { first: value, last: value })
    }

    /// Returns the buffer for what a launch prints, if it prints.
    fn printf_buffer(&mut self, launch: &Launch) -> Result<Option<Arc<vk::Buffer>>> {
        if !launch.prints() {
            return Ok(None);
        }
        let queue = self.queue;
        while let Some(oldest) = queue.oldest_printout() {
            self.wait_for(oldest)?;
        }
        queue.context.printer.buffer(&queue.gpu, queue.device_index).map(Some)
    }
}
