//! Large copies between buffers by a kernel, for drivers whose vkCmdCopyBuffer is slow within the device's memory
//! ([`Quirks::SLOW_BUFFER_COPIES`]).

use std::sync::Arc;

use crate::asm::KernelBuilder;
use crate::device::{Device, PipelineDesc};
use crate::error::Error;
use crate::memory::Buffer;
use crate::pipeline::Pipeline;
use crate::record::recorder::{CopyRegion, Recorder};
use hekla_device::Quirks;

/// Work-items of a work-group, and bytes that each work-item copies.
const LOCAL_SIZE: u32 = 256;
const ITEM: u64 = 16;
/// Bytes that a work-group copies.
const GROUP: u64 = LOCAL_SIZE as u64 * ITEM;
/// Copies below this many bytes use vkCmdCopyBuffer.
const LEAST: u64 = 64 << 10;

/// A kernel that copies between two buffers of its device.
pub struct CopyKernel(Arc<Pipeline>);

impl CopyKernel {
    /// Returns true if the kernel is faster than the driver's copies on this device.
    pub fn suits(device: &Device) -> bool {
        device.info().quirks.contains(Quirks::SLOW_BUFFER_COPIES)
    }

    /// Makes the kernel: work-item `i` copies the `i`-th 16 bytes.
    ///
    /// # Errors
    /// Like [`Device::create_pipeline`].
    pub fn create(device: &Arc<Device>) -> Result<CopyKernel, Error> {
        let mut k = KernelBuilder::new(2);
        k.local_size([LOCAL_SIZE, 1, 1]);
        let item = k.uints(4);
        let i = k.global_id_x();
        let bytes = k.load(0, item, i);
        k.store(1, item, i, bytes);
        let spirv = k.finish();
        let desc = PipelineDesc {
            spirv: &spirv,
            entry: "main",
            name: "copy",
            specialization: &[],
            push_constant_size: 16,
            uses_images: false,
            subgroups: Default::default(),
        };
        // SAFETY: the assembler makes a valid module with these push constants, of 32-bit integers alone.
        let pipeline = unsafe { device.create_pipeline(&desc) }?;
        Ok(CopyKernel(pipeline))
    }

    /// Copies like [`Recorder::copy_regions`], with the kernel for large pieces.
    ///
    /// # Panics
    /// Like [`Recorder::copy_regions`].
    pub fn copy(
        &self,
        recorder: &mut Recorder<'_>,
        src: &Arc<Buffer>,
        dst: &Arc<Buffer>,
        regions: &[CopyRegion],
    ) {
        let mut rest = Vec::with_capacity(regions.len());
        // Pieces are small enough for the kernel's 32-bit index.
        for region in regions.iter().copied().flat_map(CopyRegion::pieces) {
            let region = &region;
            let groups = groups(src, dst, region);
            if groups > 0 {
                let addresses =
                    [src.address() + region.src_offset, dst.address() + region.dst_offset];
                let push = addresses.map(u64::to_le_bytes).concat();
                // SAFETY: the groups copy bytes that both buffers have; the recorder retains the buffers.
                unsafe { recorder.dispatch(&self.0, &push, [groups, 1, 1]) };
            }
            let done = u64::from(groups) * GROUP;
            rest.push(CopyRegion {
                src_offset: region.src_offset + done,
                dst_offset: region.dst_offset + done,
                size: region.size - done,
            });
        }
        recorder.retain(src.clone());
        recorder.retain(dst.clone());
        recorder.copy_regions(src, dst, &rest);
    }
}

/// Returns how many work-groups copy a region: 0 when the region is small or unaligned, or when the copy crosses the bus, for
/// which the driver's copy engine is made.
fn groups(src: &Buffer, dst: &Buffer, region: &CopyRegion) -> u32 {
    assert!(src.contains(region.src_offset, region.size), "a copy reaches beyond a buffer's end");
    assert!(dst.contains(region.dst_offset, region.size), "a copy reaches beyond a buffer's end");
    let aligned = (src.address() + region.src_offset).is_multiple_of(ITEM)
        && (dst.address() + region.dst_offset).is_multiple_of(ITEM);
    if region.size < LEAST || !aligned || !src.device_local() || !dst.device_local() {
        return 0;
    }
    let most = src.device().info().limits.max_workgroup_count[0];
    u32::try_from(region.size / GROUP).unwrap_or(u32::MAX).min(most)
}
