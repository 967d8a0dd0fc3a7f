//! The one platform, and the choice of devices it shows. Nothing here touches Vulkan before the
//! first enumeration of devices.

use super::device::Device;
use crate::api::cl::*;
use crate::object::{Kind, Ref};
use hekla_vk_backend as vk;
use std::sync::OnceLock;

pub const NAME: &str = "Hekla";
pub const VENDOR: &str = "Hekla project";
pub const PROFILE: &str = "FULL_PROFILE";
pub const ICD_SUFFIX: &str = "HEKLA";
/// `OpenCL 3.0 Hekla x.y.z`.
pub const VERSION: &str = concat!("OpenCL 3.0 Hekla ", env!("CARGO_PKG_VERSION"));
/// Extensions of the platform with their versions.
pub const EXTENSIONS: &[(&str, cl_version)] =
    &[("cl_khr_icd", make_version(2, 0, 0)), ("cl_khr_extended_versioning", make_version(1, 0, 0))];

/// The platform object.
pub struct Platform {
    devices: OnceLock<Vec<Ref<Device>>>,
}

impl Kind for Platform {
    type Target = _cl_platform_id;
    const INVALID: cl_int = CL_INVALID_PLATFORM;
    fn reachable(&self) -> bool {
        true
    }
}

/// The platform. Made once, never freed.
pub fn platform() -> &'static Ref<Platform> {
    static PLATFORM: OnceLock<Ref<Platform>> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        super::log::init();
        let platform = Ref::new(Platform { devices: OnceLock::new() });
        platform.expose();
        platform
    })
}

impl Platform {
    /// The devices shown, best first. The first call enumerates.
    pub fn devices(&self) -> &[Ref<Device>] {
        self.devices.get_or_init(enumerate)
    }
}

/// Finds Vulkan devices and chooses those to show; explains itself in the log.
fn enumerate() -> Vec<Ref<Device>> {
    let instance = match vk::Instance::load() {
        Ok(instance) => instance,
        Err(error) => {
            tracing::info!("no devices: {error}");
            return Vec::new();
        }
    };
    let all = instance.physical_devices();
    if all.is_empty() {
        tracing::info!("no devices: Vulkan works but offers no physical device");
    }
    let mut usable: Vec<vk::PhysicalDevice> = Vec::new();
    for physical in all {
        match &physical.info.refusal {
            Some(reason) => tracing::info!("{} is not used: {reason}", physical.info.name),
            None => usable.push(physical),
        }
    }
    // The most capable first; stable, so that equals stay in Vulkan's order.
    usable.sort_by_key(|physical| {
        let features = &physical.info.features;
        (rank(physical.info.device_type), !features.float64, !features.int64)
    });
    let shown = choose(usable);
    for physical in &shown {
        tracing::info!("device: {} ({})", physical.info.name, physical.info.driver_info);
    }
    let as_gpu = std::env::var("HEKLA_DEVICE_TYPE").is_ok_and(|t| t.eq_ignore_ascii_case("gpu"));
    let make = |physical| {
        let device = Ref::new(Device::new(physical, as_gpu));
        device.expose();
        device
    };
    shown.into_iter().map(make).collect()
}

fn rank(device_type: vk::DeviceType) -> u32 {
    match device_type {
        vk::DeviceType::DiscreteGpu => 0,
        vk::DeviceType::IntegratedGpu => 1,
        vk::DeviceType::VirtualGpu => 2,
        vk::DeviceType::Other => 3,
        vk::DeviceType::Cpu => 4,
    }
}

/// `HEKLA_DEVICE` (an index, or part of a name) picks among all usable devices; otherwise a
/// processor is hidden while a GPU exists.
fn choose(usable: Vec<vk::PhysicalDevice>) -> Vec<vk::PhysicalDevice> {
    if let Ok(wish) = std::env::var("HEKLA_DEVICE") {
        let wish = wish.trim().to_lowercase();
        if !wish.is_empty() {
            let index = wish.parse::<usize>().ok();
            let matches = |(i, p): &(usize, &vk::PhysicalDevice)| match index {
                Some(index) => *i == index,
                None => p.info.name.to_lowercase().contains(&wish),
            };
            let chosen: Vec<_> =
                usable.iter().enumerate().filter(matches).map(|(_, p)| p.clone()).collect();
            if chosen.is_empty() {
                tracing::info!("HEKLA_DEVICE={wish} matches none of {} devices", usable.len());
            }
            return chosen;
        }
    }
    let any_gpu = usable.iter().any(|p| p.info.device_type != vk::DeviceType::Cpu);
    let hidden = |p: &vk::PhysicalDevice| any_gpu && p.info.device_type == vk::DeviceType::Cpu;
    usable.into_iter().filter(|p| !hidden(p)).collect()
}
