//! Kernel launches: the arguments and sizes as they were at enqueue, and how they become dispatches.
//!
//! In the order in which a launch comes by: `capture` makes it of a kernel's arguments, at enqueue; its queue gives it to
//! `start`, or a command buffer prepares it by itself; `prepare` finds pipelines and the fields that are known only then;
//! `record` appends dispatches to a batch. `arguments` is the kernel-argument buffer, `reach` the memory that a launch may
//! reach, `extents` what a kernel that looks for its own mistakes is told of it.

mod arguments;
mod capture;
mod extents;
mod prepare;
mod reach;
mod record;
mod start;

pub use prepare::Prepared;
pub use reach::{place_in, Reach};
pub use record::Part;

use crate::core::context::usm::Indirect;
use crate::core::memory::buffer::Buffer;
use crate::core::program::kernel::BuiltKernel;
use crate::core::program::pace::Pace;
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
    /// The arguments, by number, whose memory nothing had written when the launch was captured, where that is looked for.
    unwritten: Vec<(usize, Ref<Buffer>)>,
}

impl Launch {
    /// Returns the number of work-groups and the number of work-items.
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
