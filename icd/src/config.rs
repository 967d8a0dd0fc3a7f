//! The environment variables that this crate reads, as typed values.
//!
//! No other module of the crate reads the environment; `hekla-vk-backend` has a module like this one for its own
//! variables, and the function that reads any: none exists for a setuid program. docs/environment.md lists them all
//! (`icd/tests/environment.rs` compares). Nothing is remembered here: a function reads its variable whenever it is called.

use crate::platform;
use hekla_compiler::checks::Checks;
use hekla_compiler::options::ClStd;
use hekla_vk_backend::variable;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tracing::level_filters::LevelFilter;

/// Size of the disk cache in bytes without `HEKLA_CACHE_SIZE`.
const DEFAULT_CACHE_SIZE: u64 = 512 << 20;

/// Returns a variable's value; `None` when it is unset or not UTF-8.
fn text(name: &str) -> Option<String> {
    variable(name)?.into_string().ok()
}

/// Reads `HEKLA_DEVICE`: indices of devices and parts of their names, between commas. Default: empty, which
/// leaves the choice to device selection.
pub fn requested_devices() -> String {
    text("HEKLA_DEVICE").unwrap_or_default()
}

/// Reads `HEKLA_DEVICE_TYPE`: returns true for `gpu` in either case, with which software devices are presented
/// as GPUs. Default: false.
pub fn present_as_gpu() -> bool {
    text("HEKLA_DEVICE_TYPE").is_some_and(|value| value.eq_ignore_ascii_case("gpu"))
}

/// Reads `HEKLA_VERSION`: returns the newest version of OpenCL that platform and devices are reported with, `3.0` or
/// `3.1`, as the version of OpenCL C with the same number. Default: 3.1, also for another text, after a warning in the log.
pub fn newest_version() -> ClStd {
    let Some(text) = text("HEKLA_VERSION") else { return ClStd::Cl31 };
    parse_version(&text).unwrap_or_else(|| {
        tracing::warn!("HEKLA_VERSION={text} is neither 3.0 nor 3.1");
        ClStd::Cl31
    })
}

fn parse_version(text: &str) -> Option<ClStd> {
    match text.trim() {
        "3.0" => Some(ClStd::Cl30),
        "3.1" => Some(ClStd::Cl31),
        _ => None,
    }
}

/// How long an idle GPU that lowers its clocks is kept from doing so (`HEKLA_KEEP_CLOCKS`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepClocks {
    Never,
    /// The clocks are kept up until the device has had no work for this long.
    For(Duration),
    /// The clocks are kept up for as long as suits the machine.
    Default,
}

/// Reads `HEKLA_KEEP_CLOCKS`: `0`, or a number of seconds. Default: what the machine suggests, also for another text, after
/// a warning in the log.
pub fn keep_clocks() -> KeepClocks {
    let Some(text) = text("HEKLA_KEEP_CLOCKS") else { return KeepClocks::Default };
    parse_keep_clocks(&text).unwrap_or_else(|| {
        tracing::warn!("HEKLA_KEEP_CLOCKS={text} is no number of seconds");
        KeepClocks::Default
    })
}

fn parse_keep_clocks(text: &str) -> Option<KeepClocks> {
    let seconds: f64 = text.trim().parse().ok()?;
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    Some(if time.is_zero() { KeepClocks::Never } else { KeepClocks::For(time) })
}

/// When the dispatches of a launch are kept short (`HEKLA_SLICE_MS`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slices {
    Never,
    /// On every device: a dispatch should take no longer than this.
    Of(Duration),
    /// On devices whose drivers may end long dispatches.
    Default,
}

/// Reads `HEKLA_SLICE_MS`: `0`, or a number of milliseconds. Default: what the device suggests, also for another text, after a
/// warning in the log.
pub fn slices() -> Slices {
    let Some(text) = text("HEKLA_SLICE_MS") else { return Slices::Default };
    match text.trim().parse() {
        Ok(0) => Slices::Never,
        Ok(milliseconds) => Slices::Of(Duration::from_millis(milliseconds)),
        Err(_) => {
            tracing::warn!("HEKLA_SLICE_MS={text} is no number of milliseconds");
            Slices::Default
        }
    }
}

/// How objects are shared with OpenGL (`HEKLA_GL`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GlWays {
    /// True if contents are copied even where memory could be shared.
    pub copies: bool,
    /// True if contexts of OpenGL ES are shared with OpenGL ES alone.
    pub same_api: bool,
}

/// Reads `HEKLA_GL`: `copy`, `same-api`, or both with a comma between. Default: neither; other words mean nothing.
pub fn gl_ways() -> GlWays {
    let text = text("HEKLA_GL").unwrap_or_default();
    let has = |word| text.split(',').any(|other| other.trim() == word);
    GlWays { copies: has("copy"), same_api: has("same-api") }
}

/// Reads `HEKLA_CACHE`: returns false for `0`, which turns the disk cache off. Default: true.
pub fn disk_cache() -> bool {
    text("HEKLA_CACHE").is_none_or(|value| value != "0")
}

/// Reads `HEKLA_CACHE_SIZE`, a number of MiB: returns the most bytes that the disk cache may take. Default: 512
/// MiB, also for a text that is not a number, after a warning in the log.
pub fn disk_cache_size() -> u64 {
    let Some(text) = text("HEKLA_CACHE_SIZE") else { return DEFAULT_CACHE_SIZE };
    parse_mib(&text).unwrap_or_else(|| {
        tracing::warn!("HEKLA_CACHE_SIZE={text} is not a number of MiB");
        DEFAULT_CACHE_SIZE
    })
}

fn parse_mib(text: &str) -> Option<u64> {
    Some(text.trim().parse::<u64>().ok()?.saturating_mul(1 << 20))
}

/// Reads `XDG_CACHE_HOME`, then `HOME` or what the system has in its place: returns the folder of the user's caches.
/// As the XDG base directory specification has it, relative paths are ignored and the default is `~/.cache`.
pub fn cache_home() -> Option<PathBuf> {
    home("XDG_CACHE_HOME", platform::CACHES)
}

/// Reads `XDG_CONFIG_HOME` likewise: returns the folder of the user's settings, by default `~/.config`.
pub fn config_home() -> Option<PathBuf> {
    home("XDG_CONFIG_HOME", platform::SETTINGS)
}

/// Returns the folder that a variable names, else a folder below the one that another variable names.
fn home(name: &str, (other, below): (&str, &str)) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|p| p.is_absolute());
    absolute(name).or_else(|| Some(absolute(other)?.join(below)))
}

/// Reads `PATH`: returns the folders of programs, without relative paths, which depend on the current directory. Default: none.
pub fn program_folders() -> Vec<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// Reads `TMPDIR`, or what the system has in its place: returns the folder of files that do not last.
pub fn temporary_folder() -> PathBuf {
    let (name, default) = platform::TEMPORARY;
    let folder = variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    folder.unwrap_or_else(|| default.into())
}

/// Reads `HEKLA_PROFILE`: the name of an identity profile, or `none`. Default: `None`, the profile that fits the program.
pub fn profile() -> Option<String> {
    text("HEKLA_PROFILE").filter(|name| !name.is_empty())
}

/// Reads `HEKLA_LOG`: `off`, `error`, `warn`, `info`, `debug` or `trace`. The error is a message for the user
/// about another value. Default: `None`, no log.
pub fn log_level() -> Option<Result<LevelFilter, String>> {
    let text = text("HEKLA_LOG")?;
    Some(
        text.parse().map_err(|_| {
            format!("HEKLA_LOG={text} is none of off, error, warn, info, debug, trace")
        }),
    )
}

/// Reads `HEKLA_LOG_FILE`: the file that the log goes to, where `%p` stands for the number of the process.
/// Default: `None`, standard error.
pub fn log_file() -> Option<PathBuf> {
    process_path(variable("HEKLA_LOG_FILE")?)
}

/// Reads `HEKLA_TRACE`: the file that a trace is written to, where `%p` stands for the number of the process.
/// Default: `None`, no trace.
pub fn trace_file() -> Option<PathBuf> {
    process_path(variable("HEKLA_TRACE")?)
}

/// Returns a path with the number of this process for `%p`, so that several processes write a file each;
/// `None` for an empty one.
fn process_path(text: OsString) -> Option<PathBuf> {
    let path = text.to_string_lossy().replace("%p", &std::process::id().to_string());
    (!path.is_empty()).then(|| PathBuf::from(path))
}

/// Reads `HEKLA_DUMP`: the folder that programs and their kernels' SPIR-V are written to. Default: `None`, nothing
/// is written.
pub fn dump_folder() -> Option<PathBuf> {
    variable("HEKLA_DUMP").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Reads `HEKLA_DEBUG`: returns true for `1`, which passes the source lines of kernels to the driver as `-g` does. Default:
/// false.
pub fn debug_lines() -> bool {
    text("HEKLA_DEBUG").is_some_and(|value| value == "1")
}

/// Returns the variables that decide how programs are compiled, with their values; empty if none is set.
pub fn of_compilation() -> String {
    const NAMES: [&str; 9] = [
        "HEKLA_CHECK",
        "HEKLA_DEBUG",
        "HEKLA_FAULT",
        "HEKLA_FP64",
        "HEKLA_LIMIT_TO",
        "HEKLA_LINEAR",
        "HEKLA_PROFILE",
        "HEKLA_VALIDATE",
        "HEKLA_VERSION",
    ];
    let known = NAMES.iter().filter_map(|name| Some((*name, variable(name)?)));
    let mut all: String = known.map(|(name, value)| format!("{name}={value:?}\n")).collect();
    // The folder decides nothing.
    if replays().is_some() {
        all.push_str("HEKLA_CHECK_REPLAY");
    }
    all
}

/// Reads `HEKLA_CHECK`: returns the kinds of mistakes that kernels look for, from a list between commas or `all`, and the
/// unknown names in the list. Default: no kind.
pub fn checks() -> (Checks, Vec<String>) {
    parse_checks(&text("HEKLA_CHECK").unwrap_or_default())
}

/// Returns the kinds of mistakes that a text names as `HEKLA_CHECK` does, and the unknown names.
pub fn parse_checks(text: &str) -> (Checks, Vec<String>) {
    let (mut checks, mut unknown) = (Checks::empty(), Vec::new());
    for name in text.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "0")) {
        match Checks::NAMES.iter().find(|known| known.0 == name) {
            Some((_, check)) => checks |= *check,
            None if name == "all" => checks = Checks::all(),
            None => unknown.push(name.to_string()),
        }
    }
    (checks, unknown)
}

/// Reads `HEKLA_CHECK_EXIT`: returns true for `1`, with which a process whose kernels made mistakes ends with status 1.
/// Default: false.
pub fn check_exit() -> bool {
    text("HEKLA_CHECK_EXIT").is_some_and(|value| value == "1")
}

/// What becomes of the files of launches that found mistakes, once they were run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeepReplays {
    /// They are removed.
    Briefly,
    /// They stay in a folder.
    Folder(PathBuf),
}

/// Reads `HEKLA_CHECK_REPLAY`: `1`, or the folder for the files of launches that found mistakes. Default: `None`; no launch is
/// run again.
pub fn replays() -> Option<KeepReplays> {
    let value = variable("HEKLA_CHECK_REPLAY").filter(|value| !value.is_empty() && value != "0")?;
    Some(if value == "1" { KeepReplays::Briefly } else { KeepReplays::Folder(value.into()) })
}

/// The devices without double on which double is computed with integers (`HEKLA_FP64`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoftDoubles {
    Never,
    /// Devices that can compute all double functions with integers.
    Whole,
    /// Also the devices whose drivers cannot compile the largest functions, for tests.
    Always,
}

/// Reads `HEKLA_FP64`: `1` or `always`. Default: never.
pub fn soft_doubles() -> SoftDoubles {
    match text("HEKLA_FP64").as_deref() {
        Some("1") => SoftDoubles::Whole,
        Some("always") => SoftDoubles::Always,
        _ => SoftDoubles::Never,
    }
}

/// Reads `HEKLA_LINEAR`: returns true for `exact`, with which no sampler of the device filters images. Default: false.
pub fn exact_filters() -> bool {
    text("HEKLA_LINEAR").is_some_and(|value| value == "exact")
}

/// Reads `HEKLA_PACK`: returns the least number of packs that must be left of a launch for its work-groups to be packed. `off`
/// packs no launch; `always` packs every launch that allows it, for tests. Default: 256, which keeps a large GPU busy.
pub fn least_packed_groups() -> u64 {
    match text("HEKLA_PACK").as_deref() {
        Some("off") => u64::MAX,
        Some("always") => 1,
        _ => 256,
    }
}

/// Reads `HEKLA_PREPARE`: returns whether pipelines are made in the background when kernels are created, false for `off` and
/// true for `always`. Default: `None`, only on devices whose drivers compile when a pipeline is made.
pub fn prepares_pipelines() -> Option<bool> {
    match text("HEKLA_PREPARE").as_deref() {
        Some("off") => Some(false),
        Some("always") => Some(true),
        _ => None,
    }
}

/// Reads `HEKLA_STAGING`: returns true for `1`, with which a device whose memory the host sees is treated like a device whose
/// memory the host does not see. Default: false. For tests.
pub fn always_stage() -> bool {
    text("HEKLA_STAGING").is_some_and(|value| value == "1")
}

/// Reads `HEKLA_STAGING_LIMIT`: the most bytes of staging memory of each kind that a device has in use at once.
/// Default: `None`, no limit. For tests.
pub fn staging_limit() -> Option<u64> {
    text("HEKLA_STAGING_LIMIT")?.parse().ok()
}

/// Reads `OCL_ICD_VENDORS` and `OCL_ICD_FILENAMES`, which name drivers to the ICD loader: returns the folder in which the
/// loader looks, if one is given, and further files.
pub fn icd_files() -> (Option<PathBuf>, Vec<PathBuf>) {
    let folder = variable("OCL_ICD_VENDORS").filter(|folder| !folder.is_empty());
    let files = variable("OCL_ICD_FILENAMES").unwrap_or_default();
    let files = std::env::split_paths(&files).filter(|path| !path.as_os_str().is_empty());
    (folder.map(PathBuf::from), files.collect())
}

/// Reads `VK_DRIVER_FILES` and `VK_ICD_FILENAMES`, which name drivers to the Vulkan loader: returns each path with its
/// variable's name.
pub fn vulkan_drivers() -> Vec<(&'static str, String)> {
    let mut paths = Vec::new();
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        let Some(value) = variable(name) else { continue };
        let named = std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty());
        paths.extend(named.map(|path| (name, path.display().to_string())));
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed_as_mib() {
        assert_eq!(parse_mib(" 3 "), Some(3 << 20));
        assert_eq!(parse_mib(&u64::MAX.to_string()), Some(u64::MAX));
        for text in ["", "x", "-1", "1.5"] {
            assert_eq!(parse_mib(text), None, "{text}");
        }
    }

    #[test]
    fn checks_are_those_that_there_are() {
        let none: Vec<String> = Vec::new();
        assert_eq!(parse_checks(""), (Checks::empty(), none.clone()));
        assert_eq!(parse_checks("0"), (Checks::empty(), none.clone()));
        assert_eq!(parse_checks("all"), (Checks::all(), none.clone()));
        assert_eq!(parse_checks("null, align"), (Checks::NULL | Checks::ALIGN, none));
        assert_eq!(parse_checks("bounds,x"), (Checks::BOUNDS, vec!["x".to_string()]));
    }

    #[test]
    fn versions_are_those_that_there_are() {
        assert_eq!(parse_version("3.0"), Some(ClStd::Cl30));
        assert_eq!(parse_version(" 3.1 "), Some(ClStd::Cl31));
        for text in ["", "3", "2.0", "3.2", "OpenCL 3.0"] {
            assert_eq!(parse_version(text), None, "{text}");
        }
    }

    #[test]
    fn the_number_of_the_process_replaces_its_sign() {
        let path = process_path("/tmp/%p-%p.json".into()).unwrap();
        let id = std::process::id();
        assert_eq!(path, PathBuf::from(format!("/tmp/{id}-{id}.json")));
        assert_eq!(process_path("".into()), None);
    }
}
