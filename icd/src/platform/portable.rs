//! macOS and others: replacements for items that only Linux has.

use std::ffi::{c_int, CStr};

/// The variable that names the folder which holds the user's caches, and the path of the caches in
/// it.
pub const CACHES: (&str, &str) =
    if cfg!(target_vendor = "apple") { ("HOME", "Library/Caches") } else { ("HOME", ".cache") };

/// The OpenCL ICD loader.
pub const LOADER: &CStr =
    if cfg!(target_vendor = "apple") { c"libOpenCL.dylib" } else { c"libOpenCL.so" };

/// This library's name.
pub const LIBRARY: &str =
    if cfg!(target_vendor = "apple") { "libhekla.dylib" } else { "libhekla.so" };

/// Where Vulkan loaders look for drivers.
pub const VULKAN_MANIFESTS: &[&str] =
    &["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/opt/homebrew/share/vulkan/icd.d"];

/// The folder of the kernel drivers' files of GPUs: there is none.
pub const DEVICE_FILES: Option<&str> = None;

/// Like [`CACHES`], for the user's settings.
pub const SETTINGS: (&str, &str) = if cfg!(target_vendor = "apple") {
    ("HOME", "Library/Application Support")
} else {
    ("HOME", ".config")
};

/// No flag: the address is a hint, which the system does not follow if something is mapped there.
pub const NO_REPLACE: c_int = 0;

/// Returns true, since it is not known whether the addresses are mapped.
pub fn is_mapped(_: usize, _: usize) -> bool {
    true
}

/// Returns true, since it is not known whether the machine has a battery.
pub fn has_battery() -> bool {
    true
}

/// Returns false, since it is not known which thread this is: only the handler of exit() waits for devices.
pub fn is_main_thread() -> bool {
    false
}

/// Returns -1, since the system has no files in memory alone.
pub fn memory_file() -> c_int {
    -1
}
