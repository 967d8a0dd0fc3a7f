//! The results of probes of a device, kept on disk: one driver on one device always gives the same results, and a probe takes
//! from milliseconds to seconds.

use crate::core::cache::cache;
use crate::core::cache::digest::Digest;
use hekla_vk_backend::{has_injected_fault, Device, DeviceInfo, Error, PROBE_BUILD};

/// Returns the result of `find`, from the disk cache if the same driver was probed before. `what` names the probe; `decode`
/// returns `None` for bytes that `encode` never returns. With injected faults, the cache is neither read nor written.
///
/// # Errors
/// Errors of `find`.
pub fn of<T>(
    device: &Device,
    what: &str,
    encode: impl FnOnce(&T) -> Vec<u8>,
    decode: impl FnOnce(&[u8]) -> Option<T>,
    find: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    if let Some(known) = known(device.info(), what, decode) {
        return Ok(known);
    }
    let found = find()?;
    // Results from a device that was lost are not kept.
    if let Some(cache) = cache().filter(|_| !has_injected_fault() && !device.is_lost()) {
        cache.store(key(what, device.info()), &encode(&found));
    }
    Ok(found)
}

/// Returns the result of a probe that the disk cache has for a device, which need not be open.
pub fn known<T>(
    info: &DeviceInfo,
    what: &str,
    decode: impl FnOnce(&[u8]) -> Option<T>,
) -> Option<T> {
    let cache = cache().filter(|_| !has_injected_fault())?;
    cache.load(key(what, info)).and_then(|bytes| decode(&bytes))
}

/// Returns the key of a result: all that distinguishes one driver on one device from another. Lavapipe's driver UUID is the
/// same for all versions, and its name contains the width of the processor's vectors.
fn key(what: &str, info: &DeviceInfo) -> Digest {
    Digest::of(&[
        what.as_bytes(),
        &PROBE_BUILD.to_le_bytes(),
        &info.driver_uuid,
        &info.device_uuid,
        &info.pipeline_cache_uuid,
        &info.driver_version.to_le_bytes(),
        info.driver_info.as_bytes(),
        info.name.as_bytes(),
        // A device with another limit has other modes and features to probe.
        &info.limited_to.as_ref().map_or(0, |(_, digest)| *digest).to_le_bytes(),
    ])
}
