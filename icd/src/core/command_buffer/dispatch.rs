//! Kernel commands of a command buffer, and how they change after they were recorded.

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::command::launch::Launch;
use crate::core::command::Command;
use crate::core::command_buffer::CommandBuffer;
use crate::core::program::kernel::{ArgValue, ExecInfo, Kernel, KernelArguments};
use crate::core::program::shape::{index_space, Sizes};
use crate::core::queue::Queue;
use crate::object::{Kind, Ref, Retained, WeakRef};
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;
use std::sync::Arc;

/// A kernel command. Its handle is valid as long as the command buffer.
pub struct MutableCommand {
    buffer: WeakRef<CommandBuffer>,
    pub kernel: Retained<Kernel>,
    /// The list given at recording, with its terminating zero.
    pub properties: Option<Vec<cl_command_properties_khr>>,
    /// CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR.
    pub updatable: cl_mutable_dispatch_fields_khr,
    dispatch: Mutex<Dispatch>,
}

/// The current state of a kernel command.
#[derive(Clone)]
pub struct Dispatch {
    pub arguments: KernelArguments,
    pub sizes: Sizes,
    /// The command for the queue; `None` while arguments are missing.
    command: Option<Arc<Command>>,
}

/// A change of a kernel command; empty and `None` fields change nothing.
pub struct Change {
    pub command: Ref<MutableCommand>,
    pub args: Vec<(cl_uint, ArgValue)>,
    pub exec_infos: Vec<ExecInfo>,
    pub offset: Option<[usize; 3]>,
    pub global: Option<[usize; 3]>,
    pub local: Option<[usize; 3]>,
}

impl Kind for MutableCommand {
    type Target = _cl_mutable_command_khr;
    const INVALID: cl_int = CL_INVALID_MUTABLE_COMMAND_KHR;

    fn reachable(&self) -> bool {
        true
    }
}

impl Dispatch {
    /// Returns the state with a command for the queue. Checks arguments and sizes as clEnqueueNDRangeKernel does; arguments may
    /// be missing.
    fn new(
        queue: &Queue,
        kernel: &Kernel,
        mut arguments: KernelArguments,
        sizes: Sizes,
    ) -> Result<Dispatch> {
        let built = kernel.built_on(&queue.device)?;
        let command = if !arguments.complete() {
            if !sizes.is_empty() {
                index_space(&queue.device, built, &sizes)?;
            }
            None
        } else if sizes.is_empty() {
            Some(Arc::new(Command::Marker))
        } else {
            let launch = Launch::with(queue, built, &mut arguments, &sizes)?;
            Some(Arc::new(Command::Launch(launch)))
        };
        Ok(Dispatch { arguments, sizes, command })
    }

    /// Returns the command for the queue; `None` while arguments are missing.
    pub fn command(&self) -> Option<&Arc<Command>> {
        self.command.as_ref()
    }
}

/// Returns true if all work-groups have the given local size; `None` if none was given.
fn uniform(sizes: &Sizes) -> Option<bool> {
    let local = sizes.local?;
    Some((0..3).all(|d| sizes.global[d].is_multiple_of(local[d].max(1))))
}

impl MutableCommand {
    /// Records a kernel command with the kernel's current arguments. `may_lack_args`: changes will set arguments that are
    /// missing now (otherwise CL_INVALID_KERNEL_ARGS).
    pub fn new(
        buffer: &Ref<CommandBuffer>,
        kernel: &Ref<Kernel>,
        sizes: Sizes,
        properties: Option<Vec<cl_command_properties_khr>>,
        (updatable, may_lack_args): (cl_mutable_dispatch_fields_khr, bool),
    ) -> Result<Ref<MutableCommand>> {
        kernel.built_on(&buffer.queue.device)?;
        let arguments = kernel.arguments.lock().clone();
        ensure!(may_lack_args || arguments.complete(), CL_INVALID_KERNEL_ARGS);
        let dispatch = Dispatch::new(&buffer.queue, kernel, arguments, sizes)?;
        Ok(Ref::new(MutableCommand {
            buffer: buffer.downgrade(),
            kernel: Retained::new(kernel),
            properties,
            updatable,
            dispatch: Mutex::new(dispatch),
        }))
    }

    /// Returns the command buffer, or CL_INVALID_MUTABLE_COMMAND_KHR if it no longer exists.
    pub fn buffer(&self) -> Result<Ref<CommandBuffer>> {
        self.buffer.upgrade().ok_or(ClError(CL_INVALID_MUTABLE_COMMAND_KHR))
    }

    /// Returns the current state of the command.
    pub fn dispatch(&self) -> MutexGuard<'_, Dispatch> {
        self.dispatch.lock()
    }

    /// Returns the sizes in the dimensions that the command has.
    pub fn in_dimensions(&self, sizes: [usize; 3]) -> SmallVec<[usize; 3]> {
        let dimensions = self.dispatch().sizes.dimensions as usize;
        sizes.into_iter().take(dimensions).collect()
    }

    /// Returns `dispatch` with a change. CL_INVALID_OPERATION if the change makes work-groups of equal size differ in size, or
    /// the reverse.
    pub fn changed(&self, queue: &Queue, dispatch: &Dispatch, change: Change) -> Result<Dispatch> {
        let Change { args, exec_infos, offset, global, local, .. } = change;
        let mut arguments = dispatch.arguments.clone();
        args.into_iter().for_each(|(index, value)| arguments.set_arg(index, value));
        exec_infos.into_iter().for_each(|info| arguments.set_exec_info(info));
        let old = &dispatch.sizes;
        let sizes = Sizes {
            dimensions: old.dimensions,
            offset: offset.unwrap_or(old.offset),
            global: global.unwrap_or(old.global),
            local: local.or(old.local),
        };
        if let Some((before, after)) = uniform(old).zip(uniform(&sizes)) {
            ensure!(before == after, CL_INVALID_OPERATION);
        }
        Dispatch::new(queue, &self.kernel, arguments, sizes)
    }
}
