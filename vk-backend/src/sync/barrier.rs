//! Barriers between commands, and from commands to the host.

use ash::vk;

use crate::device::Device;

/// The later accesses that a barrier orders.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// Later commands.
    Device,
    /// The host.
    Host,
    /// Later commands, and the host.
    DeviceAndHost,
}

/// A command buffer, and the stages that the commands of its queue use: [`crate::device::QueueFamily::stages`].
#[derive(Clone, Copy)]
pub(crate) struct Commands {
    pub(crate) raw: vk::CommandBuffer,
    pub(crate) stages: vk::PipelineStageFlags,
}

/// Records a barrier that makes the writes of `stages`, some of the stages that the commands use, visible to `scope`. (An
/// earlier barrier orders the accesses before it.)
pub(crate) fn barrier(
    device: &Device,
    commands: Commands,
    stages: vk::PipelineStageFlags,
    scope: Scope,
) {
    use vk::{AccessFlags as A, PipelineStageFlags as S};
    let of = |stages: S, stage: S, accesses: A| {
        if stages.contains(stage) {
            accesses
        } else {
            A::empty()
        }
    };
    let writes =
        of(stages, S::COMPUTE_SHADER, A::SHADER_WRITE) | of(stages, S::TRANSFER, A::TRANSFER_WRITE);
    let by_commands = of(commands.stages, S::COMPUTE_SHADER, A::SHADER_WRITE | A::SHADER_READ)
        | of(commands.stages, S::TRANSFER, A::TRANSFER_WRITE | A::TRANSFER_READ);
    let by_host = A::HOST_READ | A::HOST_WRITE;
    let (later, accesses) = match scope {
        Scope::Device => (commands.stages, by_commands),
        Scope::Host => (S::HOST, by_host),
        Scope::DeviceAndHost => (commands.stages | S::HOST, by_commands | by_host),
    };
    let memory = [vk::MemoryBarrier::default().src_access_mask(writes).dst_access_mask(accesses)];
    // SAFETY: the command buffer is recording, under the queue's lock.
    unsafe {
        let flags = vk::DependencyFlags::empty();
        device.raw.cmd_pipeline_barrier(commands.raw, stages, later, flags, &memory, &[], &[]);
    }
}
