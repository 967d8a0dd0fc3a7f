//! Kernel launches: the arguments and sizes as they were at enqueue, and how they become dispatches.
//!
//! The steps of a launch: `capture` makes it of a kernel's arguments, at enqueue. Its queue passes it to `start`, or a command
//! buffer prepares it. `prepare` finds pipelines and the fields that are known only then. `record` appends dispatches to a
//! batch. `arguments` is the kernel-argument buffer, `reach` the memory that a launch may reach, `extents` the extents that a
//! kernel needs to look for its own mistakes, `replay` what such a launch keeps to be run again.

mod arguments;
mod capture;
mod extents;
mod prepare;
mod reach;
mod record;
mod replay;
mod start;

pub use prepare::Prepared;
pub use reach::{place_in, Reach};
pub use record::Part;

use crate::core::context::usm::Indirect;
use crate::core::memory::buffer::Buffer;
use crate::core::program::kernel::BuiltKernel;
use crate::core::program::pace::{Pace, Values};
use crate::core::program::shape::LaunchShape;
use crate::core::program::ProgramData;
use crate::object::Ref;
use arguments::ArgumentBuffer;
use hekla_vk_backend as vk;
use reach::Object;
use smallvec::SmallVec;
use std::sync::Arc;

/// A launch as it was at enqueue. It does not change.
pub struct Launch {
    kernel: Arc<BuiltKernel>,
    /// The kernel-argument buffer, without the fields that are known only when the launch is recorded.
    arguments: ArgumentBuffer,
    /// The objects that the kernel-argument buffer names.
    objects: SmallVec<[Object; 8]>,
    /// Further device memory: shared memory that arguments point into or that clSetKernelExecInfo named, and the driver's own
    /// memory.
    others: Vec<Arc<vk::Buffer>>,
    /// Buffers whose device addresses are arguments or were named to clSetKernelExecInfo.
    pointed: Vec<Ref<Buffer>>,
    /// The owners of unified shared memory that the launch may reach without naming it.
    indirect: Indirect,
    shape: Arc<LaunchShape>,
    /// True if the launch may reach memory of the host that belongs to no object.
    reaches_system: bool,
    /// The arguments that are passed by value, on devices where launches may run in slices.
    values: Values,
    /// The extents of the arguments' memory, if the kernel looks for its own mistakes.
    extents: Vec<(u64, u64)>,
    /// The arguments, by number, whose memory nothing had written when the launch was captured, if the kernel checks that.
    unwritten: Vec<(usize, Ref<Buffer>)>,
}

impl Launch {
    /// Returns the number of work-groups and the number of work-items.
    pub fn totals(&self) -> (u64, u64) {
        let items = self.shape.range.global.iter().fold(1, |all: u64, n| all.saturating_mul(*n));
        (self.shape.range.group_total(), items)
    }

    /// Returns true if parts of the launch may be commands of their own: no argument is an image with a shadow, and the launch
    /// reaches no memory of the host in which other commands' host parts may read or write.
    pub fn is_divisible(&self) -> bool {
        !self.reaches_system
            && !self.objects.iter().any(|object| matches!(object, Object::Shadowed { .. }))
    }

    /// Returns the arguments that are passed by value; none on devices where no launch runs in slices.
    pub fn values(&self) -> &Values {
        &self.values
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
