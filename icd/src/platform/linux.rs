//! Items that Linux and Android have and other Unix-like systems lack.

use std::ffi::{c_int, CStr};

/// The variable that names the folder which holds the user's caches, and the path of the caches in it.
pub const CACHES: (&str, &str) = ("HOME", ".cache");

/// The OpenCL ICD loader.
pub const LOADER: &CStr =
    if cfg!(target_os = "android") { c"libOpenCL.so" } else { c"libOpenCL.so.1" };

/// This library's name.
pub const LIBRARY: &str = "libhekla.so";

/// Where Vulkan loaders look for drivers.
pub const VULKAN_MANIFESTS: &[&str] =
    &["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"];

/// The folder of the kernel drivers' files of GPUs.
pub const DEVICE_FILES: Option<&str> = Some("/dev/dri");

/// Like [`CACHES`], for the user's settings.
pub const SETTINGS: (&str, &str) = ("HOME", ".config");

/// The flag with which mmap does not replace an existing mapping.
#[cfg(target_os = "linux")]
pub const NO_REPLACE: c_int = libc::MAP_FIXED_NOREPLACE;
/// The same flag, which the libc crate lacks for Android.
#[cfg(target_os = "android")]
pub const NO_REPLACE: c_int = 0x10_0000;

pub fn is_main_thread() -> bool {
    // SAFETY: queries without preconditions.
    unsafe { libc::gettid() == libc::getpid() }
}

/// Returns true if pages are mapped at all of these addresses.
pub fn is_mapped(start: usize, size: usize) -> bool {
    const PAGES: usize = 4096;
    // SAFETY: a query without preconditions.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let Some(end) = start.checked_add(size) else { return false };
    let mut resident = [0u8; PAGES];
    (start - start % page..end).step_by(PAGES * page).all(|at| {
        let length = (end - at).min(PAGES * page);
        // SAFETY: there is room for a byte of each page; what is not mapped is an error.
        unsafe { libc::mincore(at as *mut _, length, resident.as_mut_ptr()) == 0 }
    })
}

/// Returns the descriptor of a file that exists in memory alone; negative if the system cannot make one.
pub fn memory_file() -> c_int {
    // Not by memfd_create, which Android's C library has only since version 11.
    // SAFETY: the name is a string that ends with a zero.
    let number =
        unsafe { libc::syscall(libc::SYS_memfd_create, c"hekla".as_ptr(), libc::MFD_CLOEXEC) };
    number as c_int
}

/// Returns true if the machine has a battery that it can run on (batteries of mice and keyboards do not count).
pub fn has_battery() -> bool {
    let Ok(supplies) = std::fs::read_dir("/sys/class/power_supply") else { return false };
    supplies.flatten().any(|supply| {
        let told = |name| std::fs::read_to_string(supply.path().join(name)).unwrap_or_default();
        told("type").trim() == "Battery" && told("scope").trim() != "Device"
    })
}
