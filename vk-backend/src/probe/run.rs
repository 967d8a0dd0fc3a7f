//! Running the probe's kernels.
//!
//! All kernels come from the assembler, use only features that the device has, and access only the elements of their arrays
//! that belong to their invocations; the unsafe calls here rely on that.

use std::sync::Arc;

use crate::device::{Device, PipelineDesc, SubgroupDemand};
use crate::error::Error;
use crate::memory::Buffer;
use crate::physical::MemoryKind;

/// Runs `groups` work-groups of a kernel on an array of words, and returns the array afterwards.
pub(super) fn run_in_place(
    device: &Arc<Device>,
    spirv: &[u32],
    words: &[u32],
    groups: u32,
) -> Result<Vec<u32>, Error> {
    run_in_subgroups(device, spirv, words, groups, SubgroupDemand::default())
}

/// Like [`run_in_place`], with the kernel's demands on subgroups.
pub(super) fn run_in_subgroups(
    device: &Arc<Device>,
    spirv: &[u32],
    words: &[u32],
    groups: u32,
    subgroups: SubgroupDemand,
) -> Result<Vec<u32>, Error> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let buffer = device.create_buffer(bytes.len() as u64, MemoryKind::Readback)?;
    // SAFETY: nothing else knows the buffer.
    unsafe { buffer.write(0, &bytes) }?;
    execute(device, spirv, &[&buffer], groups, subgroups)?;
    // SAFETY: the command is complete.
    unsafe { buffer.read(0, &mut bytes) }?;
    Ok(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Runs `groups` work-groups of a kernel that reads `input` and writes `size` bytes, which are returned.
pub(super) fn run_from_to(
    device: &Arc<Device>,
    spirv: &[u32],
    input: &[u8],
    size: usize,
    groups: u32,
) -> Result<Vec<u8>, Error> {
    let from = device.create_buffer(input.len() as u64, MemoryKind::Upload)?;
    let to = device.create_buffer(size as u64, MemoryKind::Readback)?;
    // SAFETY: nothing else knows the buffer.
    unsafe { from.write(0, input) }?;
    execute(device, spirv, &[&from, &to], groups, SubgroupDemand::default())?;
    let mut found = vec![0; size];
    // SAFETY: the command is complete.
    unsafe { to.read(0, &mut found) }?;
    Ok(found)
}

/// Runs a kernel whose push constants are the addresses of `buffers`, and waits for it.
fn execute(
    device: &Arc<Device>,
    spirv: &[u32],
    buffers: &[&Arc<Buffer>],
    groups: u32,
    subgroups: SubgroupDemand,
) -> Result<(), Error> {
    let addresses: Vec<u64> = buffers.iter().map(|buffer| buffer.address()).collect();
    // SAFETY: the buffers have the elements of each invocation, and outlive the call.
    unsafe { execute_at(device, spirv, &addresses, groups, subgroups) }
}

/// Runs a kernel whose push constants are addresses, and waits for it.
///
/// # Safety
/// The memory at the addresses has the elements of each invocation. (When the queue is dropped, the kernel has ended.)
pub(super) unsafe fn execute_at(
    device: &Arc<Device>,
    spirv: &[u32],
    addresses: &[u64],
    groups: u32,
    subgroups: SubgroupDemand,
) -> Result<(), Error> {
    let push: Vec<u8> = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
    let desc = PipelineDesc {
        spirv,
        entry: "main",
        name: "probe",
        specialization: &[],
        push_constant_size: push.len() as u32,
        uses_images: false,
        subgroups,
    };
    // SAFETY: the assembler makes valid modules of what the device has.
    let pipeline = unsafe { device.create_pipeline(&desc) }?;
    let queue = device.create_queue(false)?;
    let ((), value) = queue.record(|r| {
        // SAFETY: as the caller promises.
        unsafe { r.dispatch(&pipeline, &push, [groups, 1, 1]) };
    });
    queue.wait(value)
}
