//! CL_DRIVER_VERSION, which clients use as a key for cached binaries. It changes with the compiler, with the Vulkan driver and
//! with settings of the environment that programs are compiled for, and is short enough for the buffers that clients have.
//! (pyopencl keeps binaries by this version, and fails if one is refused.)

use super::defects;
use crate::config;
use crate::core::cache::digest::Digest;
use hekla_vk_backend as vk;

/// BOINC 7 has a buffer of 32 bytes for the version and the zero at its end, and does not use a device with a longer version.
const MAX_LENGTH: usize = 31;

/// Returns the version: the first digits of a digest of the compiler's build, the Vulkan driver and the settings, and the
/// beginning of the driver's description of itself, as far as there is room. ("Vendor-specific format": OpenCL API 4.2,
/// table 5.)
pub fn of(info: &vk::DeviceInfo) -> String {
    text(hekla_compiler::BUILD_ID, &defects::driver(info), &config::of_compilation())
}

fn text(build: &str, driver: &str, settings: &str) -> String {
    let digest = Digest::of(&[build.as_bytes(), driver.as_bytes(), settings.as_bytes()]).hex();
    let whole = format!("{} {} {driver}", env!("CARGO_PKG_VERSION"), &digest[..8]);
    whole.chars().filter(char::is_ascii).take(MAX_LENGTH).collect::<String>().trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn the_version_changes_with_the_build_all_of_the_drivers_name_and_settings() {
        let name = "Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)";
        let version = text("a", name, "");
        assert!(version.ends_with(" Mesa 25.0.7-2~bp") && version.len() == 31, "{version}");
        assert_ne!(version, text("b", name, ""));
        assert_ne!(version, text("a", &name.replace("15.0.6", "15.0.7"), ""));
        assert_ne!(version, text("a", name, "HEKLA_CHECK=\"all\"\n"));
    }
}
