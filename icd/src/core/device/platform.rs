//! The one platform, and the devices that it offers. Nothing here touches Vulkan before the
//! first enumeration of devices.

use super::{defects, info};
use crate::cl::*;
use crate::config;
use crate::core::device::selection::{self, EnumeratedDevice, Selection};
use crate::core::device::Device;
use crate::core::diagnostics::log;
use crate::core::process::fork;
use crate::core::profile::Profile;
use crate::object::{Kind, Ref};
use crate::platform;
use hekla_compiler::options::ClStd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

const NAME: &str = "Hekla";
const VENDOR: &str = "Hekla project";
pub const PROFILE: &str = "FULL_PROFILE";
pub const ICD_SUFFIX: &str = "HEKLA";
/// Extensions of the platform itself with their versions.
const EXTENSIONS: [(&str, cl_version); 3] = [
    ("cl_khr_icd", make_version(2, 0, 0)),
    ("cl_khr_icd_unloadable", make_version(1, 0, 0)),
    ("cl_khr_extended_versioning", make_version(1, 0, 0)),
];

/// Returns a version of OpenCL as CL_PLATFORM_VERSION and CL_DEVICE_VERSION have it: `OpenCL 3.1 Hekla x.y.z`.
pub fn version_text(version: ClStd) -> String {
    format!("OpenCL {version} Hekla {}", env!("CARGO_PKG_VERSION"))
}

/// Returns a version of OpenCL as a number.
pub fn version_number(version: ClStd) -> cl_version {
    let (major, minor) = version.number();
    make_version(major, minor, 0)
}

/// Returns the version of the platform: of its functions, whatever its devices have (OpenCL API 3.5.1).
pub fn version() -> ClStd {
    config::newest_version()
}

/// Returns the platform's name, or the one that a profile gives it.
pub fn name() -> &'static str {
    Profile::current().and_then(|profile| profile.platform_name.as_deref()).unwrap_or(NAME)
}

/// Returns the platform's vendor, or the one that a profile gives it.
pub fn vendor() -> &'static str {
    Profile::current().and_then(|profile| profile.platform_vendor.as_deref()).unwrap_or(VENDOR)
}

/// The platform object.
pub struct Platform {
    devices: OnceLock<Vec<Ref<Device>>>,
    /// True while an ICD loader makes its first queries of the platform.
    meets_loader: AtomicBool,
}

impl Kind for Platform {
    type Target = _cl_platform_id;
    const INVALID: cl_int = CL_INVALID_PLATFORM;
    fn reachable(&self) -> bool {
        true
    }
}

/// Returns the platform. Made once, never freed.
pub fn platform() -> &'static Ref<Platform> {
    static PLATFORM: OnceLock<Ref<Platform>> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        let platform =
            Ref::new(Platform { devices: OnceLock::new(), meets_loader: AtomicBool::new(false) });
        platform.expose();
        platform
    })
}

impl Platform {
    /// Returns the devices that are offered, best first. The first call enumerates.
    pub fn devices(&self) -> &[Ref<Device>] {
        self.devices.get_or_init(enumerate)
    }

    /// Returns the devices, if they have been enumerated; otherwise none.
    pub fn known_devices(&self) -> &[Ref<Device>] {
        self.devices.get().map_or(&[], Vec::as_slice)
    }

    /// Notes that an ICD loader asked for the platform (`true`) or for the platform's suffix (`false`), which is its last
    /// query.
    pub fn meet_loader(&self, begins: bool) {
        self.meets_loader.store(begins, Ordering::Relaxed);
    }

    /// Returns CL_PLATFORM_EXTENSIONS: the extensions of the platform itself, and all that every device has, each in the lowest
    /// of the devices' versions.
    ///
    /// ocl-icd looks for `cl_khr_icd` in this list before a program learns of the platform. Devices are not enumerated for this
    /// query: the process may fork before the program uses the platform, and its child may then use the devices.
    pub fn extensions(&self) -> Vec<(&'static str, cl_version)> {
        let mut all = EXTENSIONS.to_vec();
        if self.devices.get().is_some() || !self.meets_loader.load(Ordering::Relaxed) {
            let of_devices = common(self.devices().iter().map(|device| info::extensions(device)));
            all.extend(of_devices.into_iter().filter(|(name, _)| !is_own(name)));
        }
        all
    }
}

/// Returns true for an extension of the platform itself.
fn is_own(name: &str) -> bool {
    EXTENSIONS.iter().any(|(own, _)| *own == name)
}

/// Returns the names that are in all of several lists, each with its lowest version.
fn common(
    mut lists: impl Iterator<Item = Vec<(&'static str, cl_version)>>,
) -> Vec<(&'static str, cl_version)> {
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |common, other| {
        let in_both = |(name, version): (&'static str, cl_version)| {
            let (_, others) = other.iter().find(|(others, _)| *others == name)?;
            Some((name, version.min(*others)))
        };
        common.into_iter().filter_map(in_both).collect()
    })
}

/// Enumerates Vulkan devices and makes objects of those that are offered; the log explains the selection.
fn enumerate() -> Vec<Ref<Device>> {
    platform::keep_loaded();
    fork::register_handler();
    hekla_compiler::set_thread_start(hekla_vk_backend::block_signals);
    let enumerated = selection::enumerate().unwrap_or_else(|error| {
        tracing::info!("{}", selection::failure(&error));
        // The user who set a restriction (`HEKLA_LIMIT_TO`) must learn that it cannot be applied.
        if matches!(error, hekla_vk_backend::Error::Invalid(_)) {
            log::notice(&selection::failure(&error));
        }
        Vec::new()
    });
    for device in &enumerated {
        let info = &device.physical.info;
        tracing::info!("{} ({}) {}", info.name, defects::driver(info), device.explanation());
    }
    if let Some(reason) = selection::refusal_notice(&enumerated) {
        log::notice(&reason);
    }
    let offered = enumerated.into_iter().filter(|device| device.selection == Selection::Offered);
    let as_gpu = config::present_as_gpu();
    let make = |device: EnumeratedDevice| {
        let device = Ref::new(Device::new(device.physical, as_gpu, device.named));
        device.expose();
        device
    };
    let devices: Vec<_> = offered.map(make).collect();
    if devices.is_empty() {
        tracing::info!("no device is offered: heklac --explain tells more");
    }
    devices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_in_common_what_each_lists_in_the_lowest_version() {
        let lists = [
            vec![("a", 3), ("b", 1), ("c", 2)],
            vec![("c", 5), ("a", 2), ("d", 1)],
            vec![("a", 4), ("c", 2)],
        ];
        assert_eq!(common(lists.into_iter()), [("a", 2), ("c", 2)]);
        assert_eq!(common(std::iter::empty()), []);
    }
}
