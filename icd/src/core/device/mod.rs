//! A device: its properties, and the opened Vulkan device once something uses it.

pub mod bounce;
pub mod capabilities;
pub mod clock;
pub mod clock_keeper;
pub mod defects;
pub mod description;
mod driver_version;
pub mod external;
pub mod findings;
mod frequency;
pub mod image_copy;
pub mod images;
pub mod import_pool;
pub mod info;
pub mod language;
pub mod matrices;
pub mod open;
pub mod pages;
pub mod platform;
pub mod samplers;
pub mod selection;
pub mod sharing;
pub mod spirv;
pub mod staging;
mod subgroups;
pub mod usm;

use crate::cl::error::Result;
use crate::cl::*;
use crate::core::device::images::{ImageFeatures, Images};
use crate::core::device::open::Gpu;
use crate::core::device::subgroups::SubgroupsFound;
use crate::core::profile::Profile;
use crate::object::Kind;
use hekla_compiler::MAX_WORK_GROUP_SIZE;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::sync::Arc;

/// The Vulkan device that was opened last.
#[derive(Default)]
struct Opened {
    gpu: Option<Arc<Gpu>>,
    /// True if the device was lost and could not be opened again.
    is_gone: bool,
}

pub struct Device {
    physical: vk::PhysicalDevice,
    /// CL_DEVICE_TYPE_GPU or CL_DEVICE_TYPE_CPU.
    pub device_type: cl_device_type,
    /// True if `HEKLA_DEVICE` names the device.
    named: bool,
    /// The profile that changes answers about the device, if one is in use.
    pub profile: Option<&'static Profile>,
    opened: Mutex<Opened>,
    images: OnceCell<Option<Images>>,
    subgroups_found: OnceCell<SubgroupsFound>,
}

impl Kind for Device {
    type Target = _cl_device_id;
    const INVALID: cl_int = CL_INVALID_DEVICE;
    fn reachable(&self) -> bool {
        true
    }
}

impl Device {
    pub fn new(physical: vk::PhysicalDevice, as_gpu: bool, named: bool) -> Device {
        let in_order = SubgroupsFound { in_order: true, progress: false };
        let subgroups = subgroups::offered(&physical.info.features, in_order);
        let has = |size| subgroups.is_some_and(|subgroups| subgroups.may_require(size));
        let profile = Profile::for_device(has);
        let as_gpu = as_gpu || profile.is_some_and(|profile| profile.as_gpu);
        let is_cpu = physical.info.device_type == vk::DeviceType::Cpu && !as_gpu;
        let device_type = if is_cpu { CL_DEVICE_TYPE_CPU } else { CL_DEVICE_TYPE_GPU };
        let (opened, images, subgroups_found) = Default::default();
        Device { physical, device_type, named, profile, opened, images, subgroups_found }
    }

    /// Returns the properties that the driver reports.
    pub fn info(&self) -> &vk::DeviceInfo {
        &self.physical.info
    }

    /// Returns the open device, for queries; the first call opens and probes it. The device may be lost.
    pub fn gpu(&self) -> Result<Arc<Gpu>> {
        let mut opened = self.opened.lock();
        match &opened.gpu {
            Some(gpu) => Ok(gpu.clone()),
            None => Ok(opened.gpu.insert(self.open()?).clone()),
        }
    }

    /// Returns the open device for a new context. A lost device is opened anew; contexts that use the lost one keep it.
    ///
    /// # Errors
    /// Errors of the driver, for example if the device is gone for good.
    pub fn gpu_for_context(&self) -> Result<Arc<Gpu>> {
        let gpu = self.gpu()?;
        if !gpu.device.is_lost() {
            return Ok(gpu);
        }
        let mut opened = self.opened.lock();
        if let Some(gpu) = opened.gpu.as_ref().filter(|gpu| !gpu.device.is_lost()) {
            return Ok(gpu.clone());
        }
        tracing::warn!("{} was lost, and is opened anew for a new context", self.info().name);
        let gpu = self.open();
        opened.is_gone = gpu.is_err();
        let gpu = gpu?;
        opened.gpu = Some(gpu.clone());
        Ok(gpu)
    }

    fn open(&self) -> Result<Arc<Gpu>> {
        Gpu::open(&self.physical, self.named, self.image_features(), self.profile)
    }

    /// Returns true if new contexts can use the device: it is not lost, or no attempt to open it again has failed.
    pub fn is_available(&self) -> bool {
        !self.opened.lock().is_gone
    }

    /// Returns the device's images; `None` if it offers none.
    pub fn images(&self) -> Option<&Images> {
        self.images.get_or_init(|| Images::of(&self.physical)).as_ref()
    }

    /// Returns the features of OpenCL C about images that programs on the device may use.
    pub fn image_features(&self) -> ImageFeatures {
        self.images().map_or(ImageFeatures::default(), |images| images.features)
    }

    /// Returns the size of the largest buffer in bytes (CL_DEVICE_MAX_MEM_ALLOC_SIZE).
    pub fn max_allocation(&self) -> u64 {
        self.info().limits.max_buffer_size.min(self.info().memory.largest_heap_bytes)
    }

    /// Returns the size of global memory in bytes: the most that all buffers together can have.
    pub fn global_memory(&self) -> u64 {
        self.info().memory.global_bytes
    }

    /// Returns the size of local memory in bytes.
    pub fn local_memory(&self) -> u64 {
        u64::from(self.info().limits.max_compute_shared_memory)
    }

    /// Returns the size of the largest work-group.
    pub fn max_work_group_size(&self) -> usize {
        self.info().limits.max_workgroup_invocations.min(MAX_WORK_GROUP_SIZE) as usize
    }

    /// Returns the size of the largest work-group in each dimension.
    pub fn max_work_item_sizes(&self) -> [usize; 3] {
        self.info().limits.max_workgroup_size.map(|size| size as usize)
    }
}

/// CL_DEVICE_MEM_BASE_ADDR_ALIGN in bytes: the size of long16, the largest built-in type.
pub const BASE_ALIGNMENT: usize = 128;
/// CL_DEVICE_MAX_PARAMETER_SIZE in bytes.
pub const MAX_PARAMETER_SIZE: usize = 4096;
