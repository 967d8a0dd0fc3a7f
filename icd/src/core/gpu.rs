//! A device in use: the open Vulkan device, what the compiler must know of it, and its staging
//! memory.

use super::staging::Pool;
use crate::core::error::Result;
use hekla_compiler::Target;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::ptr::NonNull;
use std::sync::Arc;

/// An open device.
pub struct Gpu {
    pub device: Arc<vk::Device>,
    pub target: Target,
    /// How the device's arithmetic behaves.
    pub probe: vk::Probe,
    /// `HEKLA_STAGING=1`: go through staging memory even where the host sees device memory, as on a
    /// discrete GPU (for tests).
    always_stage: bool,
    /// Host to device.
    pub upload: Arc<Pool>,
    /// Device to host.
    pub readback: Arc<Pool>,
    /// For transfers that belong to no command queue (initial contents, migration).
    service: OnceCell<Mutex<Arc<vk::Queue>>>,
    clocks: OnceCell<vk::ClockCorrelation>,
}

impl Gpu {
    pub fn open(physical: &vk::PhysicalDevice) -> Result<Arc<Gpu>> {
        let device = vk::Device::open(physical)?;
        let probe = device.probe().unwrap_or_else(|error| {
            // The careful answers: nothing is exact, everything is emulated.
            tracing::warn!("{}: the arithmetic was not probed: {error}", device.info().name);
            vk::Probe::default()
        });
        let target = target(device.info(), &probe);
        let upload = Pool::new(device.clone(), vk::MemoryKind::Upload);
        let readback = Pool::new(device.clone(), vk::MemoryKind::Readback);
        Ok(Arc::new(Gpu {
            device,
            target,
            probe,
            always_stage: std::env::var("HEKLA_STAGING").is_ok_and(|value| value == "1"),
            upload,
            readback,
            service: OnceCell::new(),
            clocks: OnceCell::new(),
        }))
    }

    fn service(&self) -> Result<&Mutex<Arc<vk::Queue>>> {
        self.service.get_or_try_init(|| Ok(Mutex::new(self.device.create_queue(false)?)))
    }

    /// How the device's clock stands to the host's. Taken once, so that all times of a program are
    /// comparable.
    pub fn clocks(&self) -> Result<vk::ClockCorrelation> {
        Ok(*self.clocks.get_or_try_init(|| self.device.correlate_clocks())?)
    }

    /// Where the host sees a buffer's bytes without a transfer.
    pub fn host_view(&self, buffer: &vk::Buffer) -> Option<NonNull<u8>> {
        buffer.mapped().filter(|_| !self.always_stage)
    }

    /// Writes `bytes` at `offset` of a buffer, now.
    pub fn write_now(&self, buffer: &Arc<vk::Buffer>, offset: u64, bytes: &[u8]) -> Result<()> {
        if self.host_view(buffer).is_some() {
            return Ok(buffer.write(offset, bytes)?);
        }
        for (index, chunk) in bytes.chunks(CHUNK).enumerate() {
            let staging = self.upload.take(chunk.len() as u64)?;
            staging.buffer.write(0, chunk)?;
            let at = offset + (index * CHUNK) as u64;
            self.copy_now(&staging.buffer, 0, buffer, at, chunk.len() as u64)?;
        }
        Ok(())
    }

    /// Reads a buffer's bytes at `offset`, now.
    pub fn read_now(&self, buffer: &Arc<vk::Buffer>, offset: u64, bytes: &mut [u8]) -> Result<()> {
        if self.host_view(buffer).is_some() {
            return Ok(buffer.read(offset, bytes)?);
        }
        for (index, chunk) in bytes.chunks_mut(CHUNK).enumerate() {
            let staging = self.readback.take(chunk.len() as u64)?;
            let at = offset + (index * CHUNK) as u64;
            self.copy_now(buffer, at, &staging.buffer, 0, chunk.len() as u64)?;
            staging.buffer.read(0, chunk)?;
        }
        Ok(())
    }

    fn copy_now(
        &self,
        from: &Arc<vk::Buffer>,
        from_offset: u64,
        to: &Arc<vk::Buffer>,
        to_offset: u64,
        size: u64,
    ) -> Result<()> {
        let queue = self.service()?.lock();
        let ((), value) = queue.record(|recorder| {
            recorder.barrier();
            recorder.copy(from, from_offset, to, to_offset, size);
        });
        Ok(queue.wait(value)?)
    }
}

/// Bytes that one staged transfer moves at once.
pub const CHUNK: usize = 8 << 20;

/// What the compiler is told of a device.
fn target(info: &vk::DeviceInfo, probe: &vk::Probe) -> Target {
    let f = &info.features;
    Target {
        int64: f.int64,
        int16: f.int16,
        int8: f.int8,
        float64: f.float64,
        float16: f.float16,
        storage8: f.storage8,
        storage16: f.storage16,
        atomic_int64_buffer: f.atomic_int64_buffer,
        atomic_int64_shared: f.atomic_int64_shared,
        workgroup_explicit_layout: f.workgroup_explicit_layout,
        workgroup_explicit_layout_8: f.workgroup_explicit_layout_8,
        workgroup_explicit_layout_16: f.workgroup_explicit_layout_16,
        vulkan_memory_model: f.vulkan_memory_model,
        preserve_signed_zero_inf_nan_32: f.preserve_signed_zero_inf_nan_32,
        preserve_signed_zero_inf_nan_64: f.preserve_signed_zero_inf_nan_64,
        denorm_preserve_32: f.denorm_preserve_32,
        denorm_preserve_64: f.denorm_preserve_64,
        rounding_rte_32: f.rounding_rte_32,
        rounding_rte_64: f.rounding_rte_64,
        fma32_fused: probe.fma32_fused,
        fma64_fused: probe.fma64_fused,
        div32_exact: probe.div32_exact,
        sqrt32_exact: probe.sqrt32_exact,
        push_constant_size: info.limits.max_push_constants,
        local_memory_size: u64::from(info.limits.max_compute_shared_memory),
        spirv_version: 0x0001_0500,
    }
}
