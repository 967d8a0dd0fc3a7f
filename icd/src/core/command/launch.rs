//! Kernel launches: the arguments and sizes as they were at enqueue, and how they become dispatches.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::check::Table;
use crate::core::command::printout::Printout;
use crate::core::command::system_memory::WritesAnywhere;
use crate::core::context::svm::Allocation;
use crate::core::context::usm::Indirect;
use crate::core::device::staging::{Arena, Staging};
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::shadow::{self, ShadowUse};
use crate::core::memory::image::Image;
use crate::core::memory::reservation::{Effect, RangeUse};
use crate::core::printf::Printer;
use crate::core::program::kernel::{self, ArgValue, BuiltKernel, KernelArguments};
use crate::core::program::ndrange::{Dispatch, NdRange};
use crate::core::program::pace::Pace;
use crate::core::program::pipelines::PipelineKey;
use crate::core::program::shape::{launch_shape, Dispatches, LaunchShape, Sizes};
use crate::core::program::ProgramData;
use crate::core::queue::event::Phase;
use crate::core::queue::execute::{Execute, Execution};
use crate::core::queue::Queue;
use crate::object::Ref;
use hekla_compiler::kernel::{ArgAccess, ArgKind, Field, ImageAccess, Kernel};
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::any::Any;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A kernel-argument buffer on the host; one of common size is kept on the stack.
type ArgumentBuffer = SmallVec<[u8; ON_STACK]>;
const ON_STACK: usize = 128;

/// A launch as it was at enqueue. It does not change.
pub struct Launch {
    kernel: Arc<BuiltKernel>,
    /// The kernel-argument buffer, without the fields that are known only when the launch is recorded.
    arguments: ArgumentBuffer,
    /// What the kernel-argument buffer names.
    objects: SmallVec<[Object; 8]>,
    /// Device memory besides: shared memory that arguments point into or clSetKernelExecInfo named, and the
    /// driver's own.
    others: Vec<Arc<vk::Buffer>>,
    /// Buffers whose device addresses are arguments or were named to clSetKernelExecInfo.
    pointed: Vec<Ref<Buffer>>,
    /// The owners of unified shared memory that it may reach without naming it.
    indirect: Indirect,
    shape: Arc<LaunchShape>,
    /// True if it may reach memory of the host that no object stands for.
    reaches_system: bool,
    /// A digest of the values among the arguments, where launches may run in slices.
    values: u64,
    /// Where the memory of the arguments lies, if the kernel looks for its own mistakes.
    extents: Vec<(u64, u64)>,
}

/// What a launch may reach: so may those that its kernel enqueues.
pub struct Reach {
    objects: SmallVec<[Object; 8]>,
    others: Vec<Arc<vk::Buffer>>,
    pointed: Vec<Ref<Buffer>>,
    indirect: Indirect,
}

impl Reach {
    /// Returns the memory that some bytes at a device address lie in, and where in it.
    pub fn find(&self, queue: &Queue, address: u64, size: u64) -> Option<(Arc<vk::Buffer>, u64)> {
        let own = self.objects.iter().filter_map(|object| match object {
            Object::Buffer { bytes, .. } => Some(bytes.clone()),
            _ => None,
        });
        let shared = queue.context.svm.find(address as usize);
        let shared = shared.into_iter().flat_map(|(found, _)| found.block.buffers.clone());
        let mut all = own.chain(self.others.iter().cloned()).chain(shared);
        all.find_map(|buffer| place_in(&buffer, address, size))
    }
}

/// Returns a buffer, and where some bytes at a device address lie in it, if they do.
pub fn place_in(
    buffer: &Arc<vk::Buffer>,
    address: u64,
    size: u64,
) -> Option<(Arc<vk::Buffer>, u64)> {
    let offset = address.checked_sub(buffer.address())?;
    (offset.checked_add(size)? <= buffer.size()).then(|| (buffer.clone(), offset))
}

/// A memory object among the arguments, and what of it the device is to keep.
#[derive(Clone)]
enum Object {
    Buffer {
        mem: Ref<Buffer>,
        access: ArgAccess,
        bytes: Arc<vk::Buffer>,
    },
    Image {
        image: Ref<Image>,
        effect: Effect,
        slot: Arc<vk::Slot>,
    },
    /// An image with a shadow, which depends on the queue. `at`: where its word is in the kernel-argument buffer.
    Shadowed {
        image: Ref<Image>,
        effect: Effect,
        at: usize,
    },
}

impl Launch {
    /// Captures a launch as it is at enqueue, with the checks of clEnqueueNDRangeKernel that follow those of
    /// handles. `sizes` must not be empty.
    pub fn new(queue: &Queue, kernel: &kernel::Kernel, sizes: &Sizes) -> Result<Box<Launch>> {
        let built = kernel.built_on(&queue.device)?;
        Launch::with(queue, built, &mut kernel.arguments.lock(), sizes)
    }

    /// As [`Launch::new`], with arguments that need not be the kernel's own.
    pub fn with(
        queue: &Queue,
        built: &Arc<BuiltKernel>,
        arguments: &mut KernelArguments,
        sizes: &Sizes,
    ) -> Result<Box<Launch>> {
        ensure!(arguments.complete(), CL_INVALID_KERNEL_ARGS);
        let shape = launch_shape(&queue.device, built, arguments, sizes)?;
        let mut launch = Box::new(Launch {
            kernel: built.clone(),
            arguments: zeros(built.kernel.argument_buffer_size as usize),
            objects: SmallVec::new(),
            others: Vec::new(),
            pointed: Vec::new(),
            indirect: arguments.indirect,
            shape,
            reaches_system: arguments.system && queue.gpu.reaches_system(),
            values: 0,
            extents: Vec::new(),
        });
        launch.capture(queue, arguments)?;
        if queue.context.gl.is_some() {
            launch.check_acquired()?;
        }
        queue.context.svm.note_indirect(arguments.indirect);
        Ok(launch)
    }

    /// CL_INVALID_GL_OBJECT where an argument is an object of OpenGL's that is not acquired.
    fn check_acquired(&self) -> Result<()> {
        self.objects.iter().try_for_each(|object| match object {
            Object::Buffer { mem, .. } => mem.check_acquired(),
            Object::Image { image, .. } | Object::Shadowed { image, .. } => image.check_acquired(),
        })
    }

    /// Fills the kernel-argument buffer, and notes what it names.
    fn capture(&mut self, queue: &Queue, arguments: &KernelArguments) -> Result<()> {
        let kernel = &self.kernel.kernel;
        for entry in &kernel.argument_fields {
            let at = entry.offset as usize;
            let fields = &mut self.arguments;
            match entry.field {
                Field::Arg(index) => {
                    let Some(Some(value)) = arguments.args.get(index as usize) else { continue };
                    match value {
                        ArgValue::Bytes(bytes) => {
                            put(fields, at, bytes);
                            if queue.gpu.slice.is_some() {
                                self.values = digest(self.values, at, bytes);
                            }
                        }
                        ArgValue::Sampler(word) => put(fields, at, &word.to_le_bytes()),
                        ArgValue::Pointer(number) | ArgValue::Queue(number) => {
                            put(fields, at, &number.to_le_bytes());
                        }
                        ArgValue::Buffer(Some(mem)) => {
                            let mem = mem.upgrade().ok_or(ClError(CL_INVALID_KERNEL_ARGS))?;
                            let bytes = mem.on_device(queue.device_index)?;
                            let address = bytes.address() + mem.origin as u64;
                            put(fields, at, &address.to_le_bytes());
                            let access = access(kernel, index);
                            self.objects.push(Object::Buffer { mem, access, bytes });
                        }
                        ArgValue::Image(image) => {
                            let image = image.upgrade().ok_or(ClError(CL_INVALID_KERNEL_ARGS))?;
                            let access = image_access(kernel, index)?;
                            let effect = match access {
                                ImageAccess::ReadOnly => Effect::Read,
                                _ => Effect::Modify,
                            };
                            let known =
                                image.argument(&queue.device, queue.device_index, access)?;
                            self.objects.push(match known {
                                Some((word, slot)) => {
                                    put(fields, at, &word.to_le_bytes());
                                    Object::Image { image, effect, slot }
                                }
                                None => Object::Shadowed { image, effect, at },
                            });
                        }
                        ArgValue::Buffer(None) | ArgValue::Local(_) => {}
                    }
                }
                Field::GlobalOffset => put_u64x3(fields, at, self.shape.range.offset),
                Field::GlobalSize => put_u64x3(fields, at, self.shape.range.global),
                Field::NumGroups => put_u64x3(fields, at, self.shape.range.group_counts()),
                Field::EnqueuedLocalSize => {
                    for (d, size) in self.shape.range.local.iter().enumerate() {
                        put(fields, at + 4 * d, &size.to_le_bytes());
                    }
                }
                Field::WorkDim => put(fields, at, &self.shape.range.dimensions.to_le_bytes()),
                Field::DataAddress => {
                    let data = self.kernel.data.copy()?;
                    put(fields, at, &data.address.to_le_bytes());
                    self.others.push(data.buffer.clone());
                }
                Field::OrderWord => {
                    let word = queue.gpu.order_word()?;
                    put(fields, at, &word.address().to_le_bytes());
                    self.others.push(word.clone());
                }
                Field::Bounds => {
                    for (d, size) in self.shape.range.global.iter().enumerate() {
                        put(fields, at + 4 * d, &(*size as u32).to_le_bytes());
                    }
                }
                // The caller tells it, if there is one.
                Field::QueueContext => {}
                Field::PrintfBuffer | Field::GlobalBase | Field::GroupBase => {}
            }
        }
        if queue.context.printer.has_checks() {
            self.extents = self.extents(queue, arguments)?;
        }
        if arguments.has_addresses() {
            self.others.extend(shared_memory(queue, arguments));
            self.pointed = pointed_buffers(queue, arguments);
            self.reaches_system |= leads_elsewhere(queue, arguments);
            for mem in &self.pointed {
                self.others.push(mem.on_device(queue.device_index)?);
            }
        }
        Ok(())
    }

    /// Returns where the memory of each argument lies: address and size, which is 0 for null and for what is no memory.
    fn extents(&self, queue: &Queue, arguments: &KernelArguments) -> Result<Vec<(u64, u64)>> {
        let mut extents = Vec::with_capacity(arguments.args.len());
        for arg in &arguments.args {
            extents.push(match arg {
                Some(ArgValue::Buffer(Some(mem))) => {
                    let mem = mem.upgrade().ok_or(ClError(CL_INVALID_KERNEL_ARGS))?;
                    let bytes = mem.on_device(queue.device_index)?;
                    (bytes.address() + mem.origin as u64, mem.size as u64)
                }
                Some(ArgValue::Local(size)) => (0, *size as u64),
                Some(ArgValue::Pointer(address)) => self.extent(queue, *address),
                _ => (0, 0),
            });
        }
        Ok(extents)
    }

    /// Returns where the memory lies that an address is in.
    fn extent(&self, queue: &Queue, address: u64) -> (u64, u64) {
        if let Some((allocation, offset)) = queue.context.svm.find(address as usize) {
            return (address - offset as u64, allocation.size as u64);
        }
        let ranges = queue.context.addresses.ranges(queue.device_index);
        let found = ranges.into_iter().find(|(start, size)| address.wrapping_sub(*start) < *size);
        // What a block captured lies in memory of the driver's.
        let unknown = if self.kernel.kernel.is_block { (0, u64::MAX) } else { (address, 0) };
        found.unwrap_or(unknown)
    }

    /// Returns where all memory lies that the launch may reach. A recording may find more when it is replayed, and a block
    /// what it captured.
    fn table(&self, queue: &Queue, replayed: bool) -> Table {
        let own = self.objects.iter().filter_map(|object| match object {
            Object::Buffer { bytes, .. } => Some(bytes.clone()),
            _ => None,
        });
        // Shared memory has ranges of its own: the buffers below it end later.
        let shared = &queue.context.svm;
        let others = self.others.iter().filter(|bytes| !shared.is_in(bytes)).cloned();
        let given: Vec<Arc<vk::Buffer>> = own.chain(others).collect();
        let mut ranges = queue.context.printer.give(queue.device_index, &given);
        ranges.extend(shared.ranges());
        ranges.extend(queue.context.addresses.ranges(queue.device_index));
        Table::new(&self.extents, ranges, replayed || self.kernel.kernel.is_block)
    }

    /// Returns the shadows of a launch on a queue, if it uses any. `replayed`: it is for a recording.
    fn shadowed(&self, queue: &Queue, replayed: bool) -> Result<Option<Box<Shadowed>>> {
        let owner = (!replayed).then_some(&queue.vk);
        let mut shadowed: Option<Box<Shadowed>> = None;
        for object in &self.objects {
            let Object::Shadowed { image, effect, at } = object else { continue };
            let writes = *effect == Effect::Modify;
            let bound = image.bind_shadow(queue.device_index, writes, owner)?;
            let shadowed = shadowed.get_or_insert_with(Box::default);
            shadowed.words.push((*at, bound.word));
            shadowed.slots.push(bound.slot);
            shadow::add(&mut shadowed.uses, bound.shadow);
        }
        Ok(shadowed)
    }

    /// Returns the kernel-argument buffer with the fields that are known only when a dispatch is recorded.
    fn patched(
        &self,
        [global_base, group_base]: [[u64; 3]; 2],
        Late { printf, shadowed }: &Late<'_>,
    ) -> ArgumentBuffer {
        let mut arguments = self.arguments.clone();
        for (at, word) in shadowed.iter().flat_map(|shadowed| &shadowed.words) {
            put(&mut arguments, *at, &word.to_le_bytes());
        }
        for entry in &self.kernel.kernel.argument_fields {
            let at = entry.offset as usize;
            match (entry.field, printf) {
                (Field::GlobalBase, _) => put_u64x3(&mut arguments, at, global_base),
                (Field::GroupBase, _) => put_u64x3(&mut arguments, at, group_base),
                (Field::PrintfBuffer, Some(buffer)) => {
                    put(&mut arguments, at, &buffer.address().to_le_bytes());
                }
                _ => {}
            }
        }
        arguments
    }
}

/// Returns the number of work-items of a work-group.
fn items(local: [u32; 3]) -> u64 {
    local.iter().map(|size| u64::from(*size)).product()
}

/// Returns a digest of others and of bytes at an offset of the kernel-argument buffer.
fn digest(others: u64, at: usize, bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (others, at, bytes).hash(&mut hasher);
    hasher.finish()
}

/// Returns a kernel-argument buffer of zeros.
fn zeros(size: usize) -> ArgumentBuffer {
    match size {
        0..=ON_STACK => SmallVec::from_buf_and_len([0; ON_STACK], size),
        _ => SmallVec::from_elem(0, size),
    }
}

/// Returns how a kernel uses an image argument.
fn image_access(kernel: &Kernel, index: u32) -> Result<ImageAccess> {
    match kernel.args.get(index as usize).map(|arg| arg.kind) {
        Some(ArgKind::Image { access, .. }) => Ok(access),
        _ => fail(CL_INVALID_KERNEL_ARGS),
    }
}

/// Returns how a kernel accesses memory through a pointer argument.
fn access(kernel: &Kernel, index: u32) -> ArgAccess {
    kernel.access.get(index as usize).copied().unwrap_or(ArgAccess::ALL)
}

/// Returns what a launch does to the `size` bytes of a buffer, of which its kernel accesses some in this way.
fn effect(access: ArgAccess, range: &NdRange, size: usize) -> Effect {
    let bytes = |items: u64| items.checked_mul(access.covers.into()).filter(|at| *at < 1 << 31);
    let end = range.offset[0].checked_add(range.global[0]).and_then(bytes);
    let is_covered = range.offset[0] == 0 && end.is_some_and(|end| end >= size as u64);
    match access {
        ArgAccess { writes: false, .. } => Effect::Read,
        ArgAccess { covers: 1.., .. } if is_covered => Effect::Overwrite,
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

/// Returns the memory of the shared allocations that the arguments point into, and of those that
/// clSetKernelExecInfo named.
fn shared_memory<'a>(
    queue: &'a Queue,
    arguments: &'a KernelArguments,
) -> impl Iterator<Item = Arc<vk::Buffer>> + 'a {
    let named = arguments.reached.iter().chain(&arguments.reached_usm).copied();
    let find = |address| queue.context.svm.find(address).map(|(allocation, _)| allocation);
    let allocations = addresses(arguments).map(|a| a as usize).chain(named).filter_map(find);
    allocations.flat_map(|allocation| allocation.block.buffers.clone())
}

/// Returns the buffers that device addresses among the arguments lie in, and those that clSetKernelExecInfo
/// named.
fn pointed_buffers(queue: &Queue, arguments: &KernelArguments) -> Vec<Ref<Buffer>> {
    let named = arguments.pointed.iter().copied();
    let find = |address| queue.context.addresses.find(queue.device_index, address);
    addresses(arguments).chain(named).filter_map(find).collect()
}

/// Returns true if an argument is the address of memory that no object stands for, and the device reaches such memory.
fn leads_elsewhere(queue: &Queue, arguments: &KernelArguments) -> bool {
    let is_known = |address: u64| {
        address == 0
            || queue.context.svm.find(address as usize).is_some()
            || queue.context.addresses.find::<Buffer>(queue.device_index, address).is_some()
    };
    queue.gpu.reaches_system() && !addresses(arguments).all(is_known)
}

/// Returns the arguments that are addresses.
fn addresses(arguments: &KernelArguments) -> impl Iterator<Item = u64> + '_ {
    arguments.args.iter().filter_map(|arg| match arg {
        Some(ArgValue::Pointer(address)) => Some(*address),
        _ => None,
    })
}

/// A dispatch ready to be recorded.
struct Grid {
    pipeline: Arc<vk::Pipeline>,
    push: Push,
    groups: [u32; 3],
    /// Work-items of a work-group.
    items: u64,
}

/// Some work-groups of a grid of a launch: a box.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The grid, by its place in the launch.
    pub grid: usize,
    /// The ids of its first work-group.
    pub first: [u32; 3],
    pub groups: [u32; 3],
    pub items_of_group: u64,
}

impl Part {
    /// Returns the number of its work-items.
    pub fn items(&self) -> u64 {
        self.groups.iter().fold(self.items_of_group, |all, count| all * u64::from(*count))
    }
}

/// The push constants of a dispatch.
enum Push {
    /// The launch's kernel-argument buffer.
    Arguments,
    /// A kernel-argument buffer of its own.
    Patched(Box<ArgumentBuffer>),
    /// The address of its kernel-argument buffer, and where that is.
    Address(u64, Arc<Staging>),
}

/// A launch ready to be recorded: its dispatches, and what they use.
pub struct Prepared<'a> {
    launch: &'a Launch,
    grids: SmallVec<[Grid; 1]>,
    printf: Option<Arc<vk::Buffer>>,
    /// Where memory lies, for a kernel that looks for its own mistakes.
    table: Option<Table>,
    shadowed: Option<Box<Shadowed>>,
}

/// The shadows that a launch uses.
#[derive(Default)]
struct Shadowed {
    /// The words by which the kernel knows them, and where they are in the kernel-argument buffer.
    words: Vec<(usize, u32)>,
    slots: Vec<Arc<vk::Slot>>,
    uses: Vec<ShadowUse>,
}

/// What fields of the kernel-argument buffer are known of only when the launch is recorded.
struct Late<'a> {
    printf: Option<&'a Arc<vk::Buffer>>,
    shadowed: Option<&'a Shadowed>,
}

impl Late<'_> {
    fn is_empty(&self) -> bool {
        self.printf.is_none() && self.shadowed.is_none()
    }
}

/// Something that the device keeps while the launch runs.
type Kept = Arc<dyn Any + Send + Sync>;

impl Prepared<'_> {
    /// Has the driver compile what the launch dispatches, where the first dispatch would take the time for it.
    fn compile(&self, recorder: &mut vk::Recorder) {
        for grid in &self.grids {
            recorder.compile(&grid.pipeline);
        }
    }

    /// Returns the grids, each as one part.
    pub fn whole(&self) -> impl Iterator<Item = Part> + '_ {
        self.grids.iter().enumerate().map(|(grid, Grid { groups, items, .. })| Part {
            grid,
            first: [0; 3],
            groups: *groups,
            items_of_group: *items,
        })
    }

    /// Appends the launch to a command buffer, with no barrier between its dispatches.
    pub fn append(&self, printer: &Printer, recorder: &mut vk::Recorder) {
        self.append_parts(printer, recorder, self.whole(), [true; 2]);
    }

    /// Appends parts of the launch; `first` and `last` of all, by which what comes before and behind the launch is appended,
    /// too. The device allows parts, or these are whole.
    pub fn append_parts(
        &self,
        printer: &Printer,
        recorder: &mut vk::Recorder,
        parts: impl IntoIterator<Item = Part>,
        [first, last]: [bool; 2],
    ) {
        if let Some(shadowed) = self.shadowed.as_ref().filter(|_| first) {
            shadow::load(&shadowed.uses, recorder);
        }
        if let Some(buffer) = &self.printf {
            if first {
                printer.clear(recorder, buffer, self.table.as_ref());
            }
            recorder.retain(buffer.clone());
        }
        for Part { grid, first, groups, .. } in parts {
            let Some(Grid { pipeline, push, .. }) = self.grids.get(grid) else { continue };
            let address: [u8; 8];
            let push = match push {
                Push::Arguments => &self.launch.arguments[..],
                Push::Patched(arguments) => arguments,
                Push::Address(at, piece) => {
                    recorder.retain(piece.clone());
                    address = at.to_le_bytes();
                    &address
                }
            };
            // SAFETY: the application vouches for what its kernel accesses through the buffers and addresses that it
            // set (OpenCL API 5.8); those that the launch names are retained below.
            unsafe { recorder.dispatch_part(pipeline, push, first, groups) };
        }
        if let Some(shadowed) = self.shadowed.as_ref().filter(|_| last) {
            shadow::store(&shadowed.uses, recorder);
            shadowed.slots.iter().for_each(|slot| recorder.retain(slot.clone()));
        }
        let kept = self.launch.objects.iter().filter_map(|object| -> Option<Kept> {
            match object {
                Object::Buffer { bytes, .. } => Some(bytes.clone()),
                Object::Image { slot, .. } => Some(slot.clone()),
                Object::Shadowed { .. } => None,
            }
        });
        recorder.retain_all(kept);
        self.launch.others.iter().for_each(|buffer| recorder.retain(buffer.clone()));
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
    ) -> Result<Prepared<'_>> {
        let shadowed = self.shadowed(queue, replayed)?;
        let has_table = printf.is_some() && queue.context.printer.has_checks();
        let table = has_table.then(|| self.table(queue, replayed));
        let mut prepared =
            Prepared { launch: self, grids: SmallVec::new(), printf, table, shadowed };
        let late =
            Late { printf: prepared.printf.as_ref(), shadowed: prepared.shadowed.as_deref() };
        match &self.shape.dispatches {
            Dispatches::One(groups) => {
                let changed = self.shape.key.has_global_offset || !late.is_empty();
                let patched =
                    changed.then(|| self.patched([self.shape.range.offset, [0; 3]], &late));
                let pipeline = self.shape.pipeline(&self.kernel)?;
                prepared.grids.push(Grid {
                    pipeline,
                    push: self.push(upload, patched)?,
                    groups: *groups,
                    items: items(self.shape.key.local_size),
                });
            }
            Dispatches::Several(dispatches) => {
                for Dispatch { local, groups, packed, global_base, group_base } in dispatches {
                    let bases = [*global_base, *group_base];
                    let has_global_offset =
                        bases != [[0; 3]; 2] || self.shape.key.has_global_offset;
                    let key = self.shape.key.clone();
                    let key = PipelineKey {
                        local_size: *local,
                        packed: *packed,
                        has_global_offset,
                        ..key
                    };
                    let pipeline = self.kernel.pipeline(&key)?;
                    let push = self.push(upload, Some(self.patched(bases, &late)))?;
                    let items = items(*local);
                    prepared.grids.push(Grid { pipeline, push, groups: *groups, items });
                }
            }
        }
        Ok(prepared)
    }

    /// Returns the push constants of a dispatch, whose kernel-argument buffer is the launch's unless one is given.
    fn push(&self, upload: &mut Arena, patched: Option<ArgumentBuffer>) -> Result<Push> {
        if self.kernel.kernel.arguments_in_push_constants || self.arguments.is_empty() {
            let patched = patched.map(|arguments| Push::Patched(Box::new(arguments)));
            return Ok(patched.unwrap_or(Push::Arguments));
        }
        let arguments = patched.as_ref().unwrap_or(&self.arguments);
        let (piece, offset) = upload.take(arguments.len() as u64)?;
        // SAFETY: the piece of staging memory is this launch's alone.
        unsafe { piece.buffer.write(offset, arguments) }?;
        Ok(Push::Address(piece.buffer.address() + offset, piece))
    }

    /// Gives a kernel that uses device queues its context, which is at a device address. The device keeps `used` while the
    /// launch runs.
    pub fn set_queue_context(&mut self, address: u64, used: [Arc<vk::Buffer>; 2]) {
        for entry in &self.kernel.kernel.argument_fields {
            if entry.field == Field::QueueContext {
                put(&mut self.arguments, entry.offset as usize, &address.to_le_bytes());
            }
        }
        self.others.extend(used);
    }

    /// Returns what the launch may reach. CL_INVALID_OPERATION for an image that has a copy for each queue, of which what
    /// the kernel enqueues would not know.
    pub fn reach(&self) -> Result<Reach> {
        let is_shadowed = |object: &Object| matches!(object, Object::Shadowed { .. });
        ensure!(!self.objects.iter().any(is_shadowed), CL_INVALID_OPERATION);
        Ok(Reach {
            objects: self.objects.clone(),
            others: self.others.clone(),
            pointed: self.pointed.clone(),
            indirect: self.indirect,
        })
    }

    /// Lets the launch reach what another one does.
    pub fn reach_too(&mut self, reach: &Reach) {
        self.objects.extend(reach.objects.iter().cloned());
        self.others.extend(reach.others.iter().cloned());
        self.pointed.extend(reach.pointed.iter().cloned());
        self.indirect = reach.indirect;
    }

    /// Returns the number of work-groups, and that of work-items.
    pub fn totals(&self) -> (u64, u64) {
        let items = self.shape.range.global.iter().fold(1, |all: u64, n| all.saturating_mul(*n));
        (self.shape.range.group_total(), items)
    }

    /// Returns true if parts of the launch may be commands of their own: no image has a copy for the queue, and the host's
    /// parts of other commands have nothing to do with it.
    pub fn is_divisible(&self) -> bool {
        !self.reaches_system
            && !self.objects.iter().any(|object| matches!(object, Object::Shadowed { .. }))
    }

    /// Returns a digest of the values among the arguments.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// Returns the pace of the kernel.
    pub fn pace(&self) -> &Pace {
        &self.kernel.pace
    }

    /// Returns true if the kernel prints.
    pub fn prints(&self) -> bool {
        self.kernel.prints()
    }

    /// Returns true if the kernel uses queues on the device.
    pub fn uses_device_queues(&self) -> bool {
        self.kernel.kernel.uses_device_queues()
    }

    /// Returns the data of the kernel's program.
    pub fn data(&self) -> &Arc<ProgramData> {
        &self.kernel.data
    }
}

impl Execute for Launch {
    fn name(&self) -> &str {
        &self.kernel.kernel.name
    }

    fn execute(&self, execution: &mut Execution<'_>) -> Result<Phase> {
        execution.launch(self)
    }

    fn may_reach(&self, memory: &Allocation) -> bool {
        let named = |buffer| self.others.iter().any(|other| Arc::ptr_eq(other, buffer));
        let in_object = |object: &Object| match object {
            Object::Buffer { bytes, .. } => memory.has(bytes),
            Object::Image { .. } | Object::Shadowed { .. } => false,
        };
        memory.usm.is_some_and(|usm| self.indirect.reaches(usm.owner))
            || memory.block.buffers.iter().any(named)
            || self.objects.iter().any(in_object)
    }

    fn uses(&self) -> Vec<RangeUse<'_>> {
        let objects = self.objects.iter().map(|object| match object {
            Object::Buffer { mem, access, .. } => {
                RangeUse::whole(mem, effect(*access, &self.shape.range, mem.size))
            }
            Object::Image { image, effect, .. } | Object::Shadowed { image, effect, .. } => {
                image.whole(*effect)
            }
        });
        let pointed = self.pointed.iter().map(|mem| RangeUse::whole(mem, Effect::Modify));
        objects.chain(pointed).collect()
    }
}

impl Execution<'_> {
    /// Records a launch as one command.
    pub fn launch(&mut self, launch: &Launch) -> Result<Phase> {
        let queue = self.queue;
        if launch.reaches_system {
            self.settle_all()?;
        }
        let printf = self.printf_buffer(launch)?;
        let prepared = launch.prepare(queue, &mut self.state.upload, printf.clone(), false)?;
        let printer = &queue.context.printer;
        let append = |recorder: &mut vk::Recorder| prepared.append(printer, recorder);
        let value = self.record_compiled(|recorder| prepared.compile(recorder), append);
        if let Some(buffer) = printf {
            let printout = Printout::of_command(queue, value, launch.data(), buffer);
            queue.add_completion(value, Arc::new(printout));
        }
        if launch.reaches_system {
            queue.add_completion(value, Arc::new(WritesAnywhere::default()));
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
