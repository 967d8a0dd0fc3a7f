//! Barriers between commands, and from commands to the host.

use ash::vk;

use crate::device::Device;

/// The accesses that a barrier orders behind itself.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// Later commands.
    Device,
    /// The host.
    Host,
    /// Later commands and the host.
    DeviceAndHost,
}

/// The pipeline stages that commands use.
pub(crate) const COMMAND_STAGES: vk::PipelineStageFlags = vk::PipelineStageFlags::from_raw(
    vk::PipelineStageFlags::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags::TRANSFER.as_raw(),
);

/// Records a barrier that makes what `stages`, some of [`COMMAND_STAGES`], has written visible to `scope`.
/// (What came before an earlier barrier is ordered by that one.)
pub(crate) fn barrier(
    device: &Device,
    commands: vk::CommandBuffer,
    stages: vk::PipelineStageFlags,
    scope: Scope,
) {
    use vk::{AccessFlags as A, PipelineStageFlags as S};
    let written = |stage: S, access: A| if stages.contains(stage) { access } else { A::empty() };
    let writes =
        written(S::COMPUTE_SHADER, A::SHADER_WRITE) | written(S::TRANSFER, A::TRANSFER_WRITE);
    let by_commands = A::SHADER_WRITE | A::TRANSFER_WRITE | A::SHADER_READ | A::TRANSFER_READ;
    let by_host = A::HOST_READ | A::HOST_WRITE;
    let (later, accesses) = match scope {
        Scope::Device => (COMMAND_STAGES, by_commands),
        Scope::Host => (S::HOST, by_host),
        Scope::DeviceAndHost => (COMMAND_STAGES | S::HOST, by_commands | by_host),
    };
    let memory = [vk::MemoryBarrier::default().src_access_mask(writes).dst_access_mask(accesses)];
    // SAFETY: the command buffer is recording, under the queue's lock.
    unsafe {
        let flags = vk::DependencyFlags::empty();
        device.raw.cmd_pipeline_barrier(commands, stages, later, flags, &memory, &[], &[]);
    }
}
