//! Identity profiles: other names and properties that Hekla reports to programs that judge a driver by its name.
//!
//! The library contains a table of programs, by the names of their executables; a user can have another table. A process uses
//! at most one profile, which is chosen when it is first needed.

mod table;

use crate::config;
use hekla_vk_backend::files;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Size in bytes of the largest table that is read.
const MAX_TABLE: u64 = 1 << 20;

/// The table that is part of the library.
const EMBEDDED: &str = include_str!("profiles.toml");

/// Extensions that are listed only with a profile that shows them. Programs take their names as a sign of one vendor's
/// hardware, but their functions exist on all devices with sub-groups.
pub const SHOWABLE: [&str; 5] = [
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_short",
    "cl_intel_subgroups_long",
    "cl_intel_subgroup_local_block_io",
];

/// The answers that a program gets in place of the usual ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// Why the program needs the profile.
    reason: String,
    /// Names of executables; a `*` at the end stands for any suffix.
    programs: Vec<String>,
    /// The sizes of sub-groups that a device must have for the profile to apply.
    pub subgroup_sizes: Vec<u32>,
    /// The size of sub-groups for kernels that require no size.
    pub subgroup_size: Option<u32>,
    /// True if software devices are presented as GPUs.
    pub as_gpu: bool,
    /// True if devices without double compute it with integers, as with `HEKLA_FP64=1`.
    pub soft_doubles: bool,
    pub platform_name: Option<String>,
    pub platform_vendor: Option<String>,
    /// The device's name, in which `{}` stands for the name that the driver reports.
    device_name: Option<String>,
    device_vendor: Option<String>,
    /// The value of CL_DEVICE_VENDOR_ID.
    pub device_vendor_id: Option<u32>,
    /// Extensions that are listed in addition ([`SHOWABLE`]), and extensions and features that are not listed.
    show: Vec<String>,
    hide: Vec<String>,
}

impl Profile {
    /// Returns the profile of this process; the first call chooses it.
    pub fn current() -> Option<&'static Profile> {
        static CURRENT: OnceLock<Option<Profile>> = OnceLock::new();
        CURRENT.get_or_init(choose).as_ref()
    }

    /// Returns the profile of this process if it applies to a device. `has_subgroups_of`: returns true if the device's kernels
    /// may require sub-groups of a size.
    pub fn for_device(has_subgroups_of: impl Fn(u32) -> bool) -> Option<&'static Profile> {
        let needed = |profile: &Profile| {
            let sizes = profile.subgroup_sizes.iter().chain(&profile.subgroup_size);
            sizes.copied().all(&has_subgroups_of)
        };
        Profile::current().filter(|profile| needed(profile))
    }

    pub fn device_name(&self, own: &str) -> Option<String> {
        self.device_name.as_ref().map(|name| name.replace("{}", own))
    }

    pub fn device_vendor(&self, own: &str) -> Option<String> {
        self.device_vendor.as_ref().map(|vendor| vendor.replace("{}", own))
    }

    /// Returns the extensions that the profile lists in addition.
    pub fn shown(&self) -> Vec<&'static str> {
        let is_shown = |name: &&str| self.show.iter().any(|shown| shown == name);
        SHOWABLE.into_iter().filter(is_shown).collect()
    }

    pub fn hides(&self, extension: &str) -> bool {
        self.hide.iter().any(|hidden| hidden == extension)
    }

    /// Returns the extensions and features that the profile hides.
    pub fn hidden(&self) -> &[String] {
        &self.hide
    }

    fn is_for(&self, program: &str) -> bool {
        self.programs.iter().any(|name| match name.strip_suffix('*') {
            Some(beginning) => program.starts_with(beginning),
            None => program == name,
        })
    }
}

/// Chooses the profile that `HEKLA_PROFILE` names, otherwise the one that lists this program.
fn choose() -> Option<Profile> {
    let request = config::profile();
    if request.as_deref() == Some("none") {
        return None;
    }
    let profiles = all();
    let chosen = match &request {
        Some(name) => profiles.iter().find(|profile| profile.name == *name),
        None => {
            let program = program_name()?;
            profiles.iter().find(|profile| profile.is_for(&program))
        }
    };
    match (chosen, &request) {
        (Some(Profile { name, reason, .. }), _) => {
            tracing::info!("profile '{name}' is in use (HEKLA_PROFILE=none: none): {reason}");
        }
        (None, Some(request)) => {
            let names: Vec<_> = profiles.iter().map(|profile| profile.name.as_str()).collect();
            tracing::warn!("HEKLA_PROFILE={request} is none of {}", names.join(", "));
        }
        (None, None) => {}
    }
    chosen.cloned()
}

/// Returns the profiles of the user and of the library; of two with the same name, only the user's.
fn all() -> Vec<Profile> {
    let mut profiles = config::config_home().map_or_else(Vec::new, |home| read(&home));
    let embedded = table::parse(EMBEDDED).unwrap_or_else(|error| {
        tracing::error!("the library's table of profiles: {error}");
        Vec::new()
    });
    for profile in embedded {
        if !profiles.iter().any(|own| own.name == profile.name) {
            profiles.push(profile);
        }
    }
    profiles
}

/// Reads the user's table; returns no profiles if there is no file, or if the file is not a valid table.
fn read(config_home: &Path) -> Vec<Profile> {
    let path = config_home.join("hekla/profiles.toml");
    let parsed = match files::read_text(&path, MAX_TABLE) {
        Ok(text) => table::parse(&text),
        Err(error) if error.kind() == ErrorKind::NotFound => return Vec::new(),
        Err(error) => Err(error.to_string()),
    };
    parsed.unwrap_or_else(|error| {
        tracing::warn!("{}: {error}", path.display());
        Vec::new()
    })
}

/// Returns the name of the executable.
fn program_name() -> Option<String> {
    let path: PathBuf = std::env::current_exe().ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    // Linux appends this suffix to the name of an executable whose file was deleted.
    let name = name.strip_suffix(" (deleted)").unwrap_or(&name);
    Some(name.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(name).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_right() {
        let profiles = table::parse(EMBEDDED).unwrap();
        for profile in &profiles {
            assert!(!profile.reason.is_empty(), "{}", profile.name);
            assert_ne!(profile.name, "none");
        }
        let of = |program: &str| {
            profiles.iter().find(|profile| profile.is_for(program)).map(|it| it.name.as_str())
        };
        assert_eq!(of("llama-bench"), Some("llama"));
        assert_eq!(of("llama"), Some("llama"));
        assert_eq!(of("llamas"), None);
        assert_eq!(of("prpll"), Some("prpll"));
        assert_eq!(of("python3.11"), None);
    }
}
