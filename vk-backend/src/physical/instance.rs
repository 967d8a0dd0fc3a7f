//! The Vulkan loader and instance.

use std::ffi::CStr;
use std::sync::Arc;

use ash::{ext, khr, vk};

use crate::config;
use crate::error::Error;
use crate::physical::device_file::DeviceFile;
use crate::physical::validation::{self, Messenger};

/// A Vulkan instance of version 1.2 or later. Loads the Vulkan loader dynamically.
pub struct Instance {
    pub(crate) raw: ash::Instance,
    pub(crate) entry: ash::Entry,
    /// The Vulkan version for which the instance was created: 1.2 or 1.3.
    pub(crate) api_version: u32,
    /// The device file to which devices are restricted (`HEKLA_LIMIT_TO`).
    pub(crate) limit_to: Option<DeviceFile>,
    messenger: Option<Messenger>,
}

impl Instance {
    /// Loads the Vulkan loader and creates an instance.
    ///
    /// With `HEKLA_VALIDATE=1` (or `sync`) in the environment the Khronos validation layer is enabled and its
    /// messages go to stderr, each prefixed `hekla: validation:`.
    ///
    /// # Errors
    /// [`Error::NoVulkan`] when the loader is missing or offers less than Vulkan 1.2; [`Error::Invalid`] when the device
    /// file that `HEKLA_LIMIT_TO` names is not there or has mistakes.
    pub fn load() -> Result<Arc<Instance>, Error> {
        let limit_to = config::limit_to().map(|name| DeviceFile::find(&name)).transpose()?;
        let entry = load_entry()?;
        let api_version = instance_version(&entry)?;
        let extensions = instance_extensions(&entry);
        let has = |name: &CStr| extensions.iter().any(|e| e.as_c_str() == name);

        let mut names = Vec::new();
        let mut layers = Vec::new();
        let mut flags = vk::InstanceCreateFlags::empty();
        if has(khr::portability_enumeration::NAME) {
            names.push(khr::portability_enumeration::NAME.as_ptr());
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        let checks = validation::requested_checks().filter(|_| has_validation_layer(&entry));
        if checks.is_some() {
            layers.push(validation::LAYER.as_ptr());
            names.push(ext::debug_utils::NAME.as_ptr());
        }
        let application = vk::ApplicationInfo::default()
            .application_name(c"Hekla")
            .engine_name(c"Hekla")
            .api_version(api_version);
        let mut messages = validation::create_info();
        let mut info = vk::InstanceCreateInfo::default()
            .flags(flags)
            .application_info(&application)
            .enabled_extension_names(&names)
            .enabled_layer_names(&layers);
        let mut features = vk::ValidationFeaturesEXT::default();
        if let Some(checks) = checks {
            info = info.push_next(&mut messages);
            features = features.enabled_validation_features(checks);
        }
        if checks.is_some_and(|checks| !checks.is_empty()) {
            info = info.push_next(&mut features);
        }
        // SAFETY: everything `info` points to lives across the call; names are those just offered.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|e| {
            Error::NoVulkan(match e {
                vk::Result::ERROR_INCOMPATIBLE_DRIVER => "no Vulkan driver is installed".into(),
                e => format!("no Vulkan instance can be created ({e:?})"),
            })
        })?;
        let messenger = if checks.is_some() { Messenger::new(&entry, &raw).ok() } else { None };
        Ok(Arc::new(Instance { raw, entry, api_version, limit_to, messenger }))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(m) = &self.messenger {
            m.destroy();
        }
        // SAFETY: devices hold an Arc of this instance, so none is left.
        unsafe { self.raw.destroy_instance(None) }
    }
}

/// Opens the loader's shared library and never closes it: drivers have threads and thread-local data
/// that do not survive being unloaded.
fn load_entry() -> Result<ash::Entry, Error> {
    // SAFETY: the Vulkan loader is a well-behaved library; it stays loaded for the whole process.
    let entry = unsafe { ash::Entry::load() }.map_err(|e| {
        Error::NoVulkan(format!("the Vulkan loader (libvulkan.so.1) cannot be loaded: {e}"))
    })?;
    std::mem::forget(entry.clone());
    Ok(entry)
}

/// Returns the version to ask for: 1.3 when the loader supports it, else 1.2.
fn instance_version(entry: &ash::Entry) -> Result<u32, Error> {
    // SAFETY: a query without preconditions.
    let version = unsafe { entry.try_enumerate_instance_version() }.ok().flatten();
    let version = version.unwrap_or(vk::API_VERSION_1_0);
    if version < vk::API_VERSION_1_2 {
        return Err(Error::NoVulkan(format!(
            "the Vulkan loader offers version {}.{}, Hekla needs 1.2",
            vk::api_version_major(version),
            vk::api_version_minor(version)
        )));
    }
    let wanted =
        if version >= vk::API_VERSION_1_3 { vk::API_VERSION_1_3 } else { vk::API_VERSION_1_2 };
    Ok(wanted)
}

/// Returns the names of the instance extensions.
fn instance_extensions(entry: &ash::Entry) -> Vec<std::ffi::CString> {
    // SAFETY: a query without preconditions.
    let properties = unsafe { entry.enumerate_instance_extension_properties(None) };
    let names = properties.unwrap_or_default();
    names.iter().filter_map(|p| p.extension_name_as_c_str().ok().map(CStr::to_owned)).collect()
}

/// Returns true if the validation layer is installed; prints a line to stderr if it is not.
fn has_validation_layer(entry: &ash::Entry) -> bool {
    // SAFETY: a query without preconditions.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.unwrap_or_default();
    let found = layers.iter().any(|l| l.layer_name_as_c_str() == Ok(validation::LAYER));
    if !found {
        validation::print_line("VK_LAYER_KHRONOS_validation is not installed");
    }
    found
}
