//! Capture: makes a launch of a kernel's arguments. Later changes of the arguments do not change the launch.

use super::arguments::{put, put_u64x3, zeros};
use super::extents::unwritten;
use super::reach::Object;
use super::Launch;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::reservation::Effect;
use crate::core::program::kernel::{self, ArgValue, BuiltKernel, KernelArguments};
use crate::core::program::pace::Values;
use crate::core::program::shape::{launch_shape, Sizes};
use crate::core::queue::Queue;
use crate::object::Ref;
use hekla_compiler::kernel::{ArgAccess, ArgKind, Field, ImageAccess, Kernel};
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

impl Launch {
    /// Captures a launch as it is at enqueue, with the checks of clEnqueueNDRangeKernel that follow the checks of handles.
    /// `sizes` must not be empty.
    pub fn new(queue: &Queue, kernel: &kernel::Kernel, sizes: &Sizes) -> Result<Box<Launch>> {
        let built = kernel.built_on(&queue.device)?;
        Launch::with(queue, built, &mut kernel.arguments.lock(), sizes)
    }

    /// Like [`Launch::new`], with arguments that need not be the kernel's own.
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
            values: Values::default(),
            extents: Vec::new(),
            unwritten: Vec::new(),
        });
        launch.capture(queue, arguments)?;
        if queue.context.gl.is_some() {
            launch.check_acquired()?;
        }
        queue.context.svm.note_indirect(arguments.indirect);
        Ok(launch)
    }

    /// CL_INVALID_GL_OBJECT if an argument is an object of OpenGL that is not acquired.
    fn check_acquired(&self) -> Result<()> {
        self.objects.iter().try_for_each(|object| match object {
            Object::Buffer { mem, .. } => mem.check_acquired(),
            Object::Image { image, .. } | Object::Shadowed { image, .. } => image.check_acquired(),
        })
    }

    /// Fills the kernel-argument buffer, and notes the objects that it names.
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
                                self.values.add(at, bytes);
                            }
                        }
                        ArgValue::Sampler(word) => put(fields, at, &word.to_le_bytes()),
                        ArgValue::Pointer(number) | ArgValue::Queue(number) => {
                            put(fields, at, &number.to_le_bytes());
                        }
                        ArgValue::Buffer(Some(mem)) => {
                            let mem = mem.upgrade().ok_or(ClError(CL_INVALID_KERNEL_ARGS))?;
                            let access = access(kernel, index);
                            let bytes = match access.writes {
                                true => mem.on_device(queue.device_index)?,
                                false => mem.on_device_to_read(queue.device_index)?,
                            };
                            let address = bytes.address() + mem.origin as u64;
                            put(fields, at, &address.to_le_bytes());
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
                // The caller sets the context with `set_queue_context`, for kernels that use device queues.
                Field::QueueContext => {}
                Field::PrintfBuffer | Field::GlobalBase | Field::GroupBase => {}
            }
        }
        if queue.context.printer.has_checks() {
            self.extents = self.extents(queue, arguments)?;
            self.unwritten = unwritten(arguments);
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

/// Returns true if an argument is the address of memory that belongs to no object, and the device reaches such memory.
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
