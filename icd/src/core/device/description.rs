//! The device file of a device of this machine (`heklac --describe`), with which users can send all that the compiler must know
//! of their device.

use super::defects;
use super::selection::{enumerate, failure, EnumeratedDevice, Selection};
use hekla_vk_backend as vk;

/// Returns the text of a device file. It describes the first device that is offered to OpenCL programs or, if none is, the
/// first usable one. It has the results of probes if these run and the device has no defect; otherwise it has the properties of
/// good hardware, marked as assumed.
///
/// # Errors
/// The reason why there is no such device.
pub fn device_file() -> Result<String, String> {
    let devices = enumerate().map_err(|error| failure(&error))?;
    let offered = |device: &&EnumeratedDevice| device.selection == Selection::Offered;
    let usable = |device: &&EnumeratedDevice| device.physical.info.refusal.is_none();
    let found = devices.iter().find(offered).or_else(|| devices.iter().find(usable));
    let device = found.ok_or("There is no Vulkan device that Hekla can use: heklac --explain")?;
    Ok(device.physical.describe(probe(&device.physical).as_ref()))
}

/// Returns the results of the probes on a device; `None` if they fail or the device has a defect.
fn probe(physical: &vk::PhysicalDevice) -> Option<vk::Probe> {
    let device = vk::Device::open(physical).ok()?;
    match defects::defect(&device) {
        Ok(None) => device.probe().ok(),
        _ => None,
    }
}
