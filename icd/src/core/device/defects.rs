//! Defects of drivers: those that give wrong results in silence are found by running small kernels, and
//! refused unless `HEKLA_DEVICE` names the device. What was found is kept on disk.
//!
//! A test opens the device, so listing devices runs it only for drivers that are known to need it
//! ([`is_suspect`]); all others are tested when they are opened.

use super::findings;
use hekla_vk_backend::{Defect, Device, DeviceInfo, Error};
use std::sync::Arc;

/// VK_DRIVER_ID_MESA_LLVMPIPE: lavapipe.
const LAVAPIPE: u32 = 13;
/// The first Mesa whose lavapipe is known to compute right. That of 22.3 is known to be bad.
const GOOD_LAVAPIPE: (u32, u32) = (25, 0);

/// Returns true if the driver may have defects as far as its version tells: lavapipe of an old Mesa, or of one
/// that does not say its version.
pub fn is_suspect(info: &DeviceInfo) -> bool {
    info.driver_id == LAVAPIPE && is_old_mesa(&info.driver_info)
}

fn is_old_mesa(driver_info: &str) -> bool {
    mesa_version(driver_info).is_none_or(|version| version < GOOD_LAVAPIPE)
}

/// Returns true if the driver executes a load whose address all invocations agree on even where no invocation
/// is active: lavapipe of Mesa 26.2 does, that of 25.0 does not. A test would end the process, so later versions
/// and those in between are assumed to do so.
pub fn loads_unmasked(info: &DeviceInfo) -> bool {
    info.driver_id == LAVAPIPE
        && mesa_version(&info.driver_info).is_some_and(|version| version > GOOD_LAVAPIPE)
}

/// Major and minor version in a text like `Mesa 25.0.7-2 (LLVM 15.0.6)`.
fn mesa_version(driver_info: &str) -> Option<(u32, u32)> {
    let mut numbers = driver_info.strip_prefix("Mesa ")?.split(|c: char| !c.is_ascii_digit());
    let mut number = || numbers.next()?.parse().ok();
    Some((number()?, number()?))
}

/// Returns the first defect of an open device; from the disk cache where the same driver was tested before.
///
/// # Errors
/// Those that keep the kernels from running.
pub fn defect(device: &Arc<Device>) -> Result<Option<Defect>, Error> {
    let bytes = |defect: &Option<Defect>| vec![encode(*defect)];
    findings::of(device, "defects", bytes, decode, || device.find_defect())
}

/// Encodes a result for the cache: none is 0, defects are counted from 1.
fn encode(defect: Option<Defect>) -> u8 {
    let place = Defect::ALL.iter().position(|&known| Some(known) == defect);
    place.map_or(0, |place| place as u8 + 1)
}

/// Decodes a result; `None` for bytes that [`encode`] never gives.
fn decode(bytes: &[u8]) -> Option<Option<Defect>> {
    match bytes {
        [0] => Some(None),
        [n] => Some(Some(*Defect::ALL.get(usize::from(*n) - 1)?)),
        _ => None,
    }
}

/// Returns what is wrong with a device and what to do, as the rest of a sentence that begins with the device.
pub fn explanation(info: &DeviceInfo, defect: Defect) -> String {
    let (driver, name) = (driver(info), info.name.split([' ', ',']).next().unwrap_or_default());
    let install = match info.driver_id {
        LAVAPIPE => {
            "install Mesa 25.0 or newer (Debian 12: mesa-vulkan-drivers from bookworm-backports)"
        }
        _ => "install a newer driver",
    };
    format!("{defect} ({driver}): {install}, or take it all the same with HEKLA_DEVICE={name}")
}

/// Returns the driver's name for itself.
pub fn driver(info: &DeviceInfo) -> String {
    match info.driver_info.is_empty() {
        true => format!("{} {:#x}", info.driver_name, info.driver_version).trim().to_string(),
        false => info.driver_info.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_mesa_are_read() {
        for (text, version) in [
            ("Mesa 22.3.6 (LLVM 15.0.6)", Some((22, 3))),
            ("Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", Some((25, 0))),
            ("Mesa 26.2.6-1 (LLVM 22.1.8)", Some((26, 2))),
            ("Mesa 25.3-devel (git-0123abc) (LLVM 21.1.0)", Some((25, 3))),
            ("Mesa 100.12.0", Some((100, 12))),
            ("Mesa", None),
            ("Mesa git", None),
            ("Mesa 25", None),
            ("580.65.06", None),
            ("", None),
        ] {
            assert_eq!(mesa_version(text), version, "{text}");
        }
        for (text, old) in [
            ("Mesa 22.3.6 (LLVM 15.0.6)", true),
            ("Mesa 24.3.4", true),
            ("Mesa git", true),
            ("Mesa 25.0.0-rc1", false),
            ("Mesa 26.2.6-1 (LLVM 22.1.8)", false),
        ] {
            assert_eq!(is_old_mesa(text), old, "{text}");
        }
    }

    #[test]
    fn what_was_found_is_kept() {
        for defect in Defect::ALL.map(Some).into_iter().chain([None]) {
            assert_eq!(decode(&[encode(defect)]), Some(defect));
        }
        for bytes in [&[][..], &[4], &[255], &[0, 0]] {
            assert_eq!(decode(bytes), None);
        }
    }
}
