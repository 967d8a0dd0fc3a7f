//! Defects of drivers. Drivers that silently give wrong results are found by running small kernels, and refused unless
//! `HEKLA_DEVICE` names the device. The results of these tests are kept on disk.
//!
//! A test opens the device, so listing devices runs it only for drivers that are known to need it
//! ([`hekla_vk_backend::Quirks::TESTED_BEFORE_USE`]); all others are tested when they are opened.

use super::findings;
use hekla_vk_backend::{Defect, Device, DeviceInfo, Error};
use std::sync::Arc;

/// VK_DRIVER_ID_MESA_LLVMPIPE: lavapipe.
const LAVAPIPE: u32 = 13;

/// Returns the first defect of an open device, from the disk cache if the same driver was tested before.
///
/// # Errors
/// Errors that keep the kernels from running.
pub fn defect(device: &Arc<Device>) -> Result<Option<Defect>, Error> {
    let bytes = |defect: &Option<Defect>| vec![encode(*defect)];
    findings::of(device, "defects", bytes, decode, || device.find_defect())
}

/// Encodes a result for the cache: 0 for no defect, otherwise the defect's number from 1 on.
fn encode(defect: Option<Defect>) -> u8 {
    let place = Defect::ALL.iter().position(|&known| Some(known) == defect);
    place.map_or(0, |place| place as u8 + 1)
}

/// Decodes a result; `None` for bytes that [`encode`] never returns.
fn decode(bytes: &[u8]) -> Option<Option<Defect>> {
    match bytes {
        [0] => Some(None),
        [n] => Some(Some(*Defect::ALL.get(usize::from(*n) - 1)?)),
        _ => None,
    }
}

/// Returns a description of a defect and of its remedy, as the rest of a sentence that begins with the device.
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

/// Returns the driver's description of itself, or its name and version if it has none.
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
    fn what_was_found_is_kept() {
        for defect in Defect::ALL.map(Some).into_iter().chain([None]) {
            assert_eq!(decode(&[encode(defect)]), Some(defect));
        }
        for bytes in [&[][..], &[5], &[255], &[0, 0]] {
            assert_eq!(decode(bytes), None);
        }
    }
}
