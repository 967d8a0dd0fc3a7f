//! The OpenCL ICD loader: whether the machine has one, which files name drivers to it, and whether programs see Hekla through
//! it.
//!
//! The loader runs in a process of its own: it loads the drivers of all vendors, any of which may end the process.

use super::machine::entries;
use super::{Finding, Severity};
use hekla::cl::*;
use hekla::{config, platform};
use hekla_vk_backend::files;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

/// Where loaders look for `.icd` files.
const VENDORS: &str = "/etc/OpenCL/vendors";
/// Size in bytes of the largest `.icd` file that is read: it holds a path.
const MAX_ICD_FILE: u64 = 64 << 10;
/// The beginning of a line in which the child process reports a platform; the platform's name and number of devices follow.
const PLATFORM: &str = "platform\t";

type GetPlatforms = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
type GetPlatformInfo =
    unsafe extern "C" fn(cl_platform_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
type GetDevices =
    unsafe extern "C" fn(cl_platform_id, u64, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;

/// Returns a line for each `.icd` file that names Hekla, or one line that says that there is none.
pub fn icd_files() -> Vec<Finding> {
    if !platform::HAS_ICD_FILES {
        return Vec::new();
    }
    let (folder, named) = config::icd_files();
    let folder = folder.unwrap_or_else(|| PathBuf::from(VENDORS));
    // For ocl-icd, OCL_ICD_VENDORS may also name a single file.
    let mut files =
        if folder.is_file() { vec![folder.clone()] } else { entries(&folder, "", ".icd") };
    files.extend(named);
    let ours: Vec<_> = files.iter().filter_map(|file| Some((file, library_in(file)?))).collect();
    if ours.is_empty() {
        let text = format!(
            "no file in {} names Hekla: install its package, or set OCL_ICD_VENDORS to a folder with a hekla.icd that \
             holds the path of {}",
            folder.display(),
            platform::LIBRARY
        );
        return vec![Finding::new(Severity::Fault, "icd", text)];
    }
    ours.into_iter().map(|(file, library)| icd_file(file, &library)).collect()
}

/// Returns the library that an `.icd` file names, if it is Hekla's.
fn library_in(file: &Path) -> Option<String> {
    // The list may name the library itself in place of an `.icd` file.
    if file.extension().is_some_and(|e| e != "icd") {
        let name = file.to_str()?;
        return name.contains("hekla").then(|| name.to_string());
    }
    let text = files::read_text(file, MAX_ICD_FILE).ok()?;
    let line = text.lines().next()?.trim();
    line.contains("hekla").then(|| line.to_string())
}

fn icd_file(file: &Path, library: &str) -> Finding {
    let shown = file.display();
    // A name without a folder is looked for where the system looks for libraries.
    if library.contains('/') && !Path::new(library).exists() {
        let text = format!("{shown} names {library}, which is not there: install it again");
        return Finding::new(Severity::Fault, "icd", text);
    }
    Finding::new(Severity::Fine, "icd", format!("{shown} names {library}"))
}

/// Returns lines about the platforms that the loader shows to programs; Hekla should be one of them, with `offered` devices.
pub fn examine(offered: usize) -> Vec<Finding> {
    let finding = |severity, text: String| vec![Finding::new(severity, "loader", text)];
    let child = std::env::current_exe()
        .and_then(|program| Command::new(program).arg("--doctor-loader").output());
    let output = match child {
        Ok(output) => output,
        Err(error) => return finding(Severity::Fault, format!("was not tried: {error}")),
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let text = match output.status.code() {
            Some(1) => errors.trim().to_string(),
            _ => format!(
                "a driver ends the process that loads it ({}): move the .icd files of other vendors away, one at a \
                 time, to find out which",
                output.status
            ),
        };
        return finding(Severity::Fault, text);
    }
    judge(&said, offered)
}

/// Returns the line about the child's output.
fn judge(said: &str, offered: usize) -> Vec<Finding> {
    let platforms: Vec<(&str, usize)> = said
        .lines()
        .filter_map(|line| line.strip_prefix(PLATFORM)?.split_once('\t'))
        .map(|(name, count)| (name, count.parse().unwrap_or(0)))
        .collect();
    let list: Vec<_> =
        platforms.iter().map(|(name, count)| format!("{name} (devices: {count})")).collect();
    let list = if list.is_empty() { "no platform".to_string() } else { list.join(", ") };
    let ours = platforms.iter().find(|(name, _)| *name == "Hekla").map(|(_, count)| *count);
    let loader = platform::LOADER.to_string_lossy();
    let (severity, text) = match ours {
        None => (
            Severity::Fault,
            format!("{loader} shows {list}, not Hekla: see the line 'icd'; HEKLA_LOG=debug tells more"),
        ),
        Some(0) if offered > 0 => (
            Severity::Fault,
            format!("{loader} shows Hekla without devices: the library is an older one than this program"),
        ),
        Some(_) => (Severity::Fine, format!("{loader} shows {list}")),
    };
    vec![Finding::new(severity, "loader", text)]
}

/// Prints a line for each platform that the loader shows.
pub fn run_in_child() -> Result<(), String> {
    let loader = platform::Library::open(platform::LOADER).map_err(|error| {
        format!("no OpenCL ICD loader: install one (apt install ocl-icd-libopencl1): {error}")
    })?;
    let symbol = |name| loader.symbol(name).ok_or("the OpenCL ICD loader is not one");
    // SAFETY: the functions have these types in all versions of OpenCL.
    let (get_platforms, get_info, get_devices) = unsafe {
        (
            std::mem::transmute::<*mut c_void, GetPlatforms>(symbol(c"clGetPlatformIDs")?),
            std::mem::transmute::<*mut c_void, GetPlatformInfo>(symbol(c"clGetPlatformInfo")?),
            std::mem::transmute::<*mut c_void, GetDevices>(symbol(c"clGetDeviceIDs")?),
        )
    };
    let mut platforms: [cl_platform_id; 64] = [null_mut(); 64];
    let mut count = 0;
    // SAFETY: the array has as many places as is said. Where there is no platform the call fails.
    let code = unsafe { get_platforms(64, platforms.as_mut_ptr(), &mut count) };
    let count = if code == CL_SUCCESS { count.min(64) } else { 0 };
    for platform in &platforms[..count as usize] {
        let (mut name, mut devices) = ([0u8; 256], 0);
        // SAFETY: the places are as large as is said; the platform is one that the loader gave.
        unsafe {
            let place = name.as_mut_ptr().cast();
            get_info(*platform, CL_PLATFORM_NAME, name.len() - 1, place, null_mut());
            get_devices(*platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut devices);
        }
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        println!("{PLATFORM}{}\t{devices}", String::from_utf8_lossy(name).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn severity(said: &str, offered: usize) -> Severity {
        judge(said, offered)[0].severity
    }

    #[test]
    fn programs_must_see_hekla_with_its_devices() {
        assert_eq!(severity("platform\tHekla\t1\n", 1), Severity::Fine);
        assert_eq!(severity("noise\nplatform\tOther\t1\nplatform\tHekla\t0\n", 0), Severity::Fine);
        assert_eq!(severity("platform\tHekla\t0\n", 1), Severity::Fault);
        assert_eq!(severity("platform\tOther\t3\n", 1), Severity::Fault);
        assert_eq!(severity("", 1), Severity::Fault);
    }
}
