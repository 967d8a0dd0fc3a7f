//! The device file of a device of this machine (`heklac --describe`), so that users of a device can send what the compiler must know
//! of it.

use super::defects;
use super::selection::{enumerate, failure, EnumeratedDevice, Selection};
use hekla_vk_backend as vk;

/// Returns the text of a device file that describes the first device that is offered to OpenCL programs, else the first that
/// could be. It has what small kernels tell of the device where they run and give the right results; else what good hardware
/// does, marked as assumed.
///
/// # Errors
/// Why there is no such device.
pub fn device_file() -> Result<String, String> {
    let devices = enumerate().map_err(|error| failure(&error))?;
    let offered = |device: &&EnumeratedDevice| device.selection == Selection::Offered;
    let usable = |device: &&EnumeratedDevice| device.physical.info.refusal.is_none();
    let found = devices.iter().find(offered).or_else(|| devices.iter().find(usable));
    let device = found.ok_or("There is no Vulkan device that Hekla can use: heklac --explain")?;
    Ok(device.physical.describe(probe(&device.physical).as_ref()))
}

/// Returns what kernels tell of a device; `None` where they do not run as they should.
fn probe(physical: &vk::PhysicalDevice) -> Option<vk::Probe> {
    let device = vk::Device::open(physical).ok()?;
    match defects::defect(&device) {
        Ok(None) => device.probe().ok(),
        _ => None,
    }
}
