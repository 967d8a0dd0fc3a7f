//! Making pipelines from what the driver has learnt of them in earlier processes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ash::vk;

use crate::{Device, DeviceInfo, Error, Pipeline, PipelineDesc};

/// Keeps what drivers have learnt of pipelines, for later processes: see [`Device::keep_pipelines`].
pub trait PipelineStore: Send + Sync {
    /// What [`PipelineStore::store`] was last given for the same pipeline of the same device and driver.
    /// It must be whole: drivers may trust it.
    fn load(&self, info: &DeviceInfo, d: &PipelineDesc<'_>) -> Option<Vec<u8>>;

    /// Keeps what the driver has learnt of a pipeline.
    fn store(&self, info: &DeviceInfo, d: &PipelineDesc<'_>, data: &[u8]);
}

/// How a pipeline was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Creation {
    /// Bytes of what the driver had learnt before and was given.
    pub given: usize,
    /// Whether the driver found the pipeline there (APPLICATION_PIPELINE_CACHE_HIT); `None` where it
    /// does not tell (VK_EXT_pipeline_creation_feedback).
    pub found: Option<bool>,
    /// How long the call took.
    pub duration: Duration,
}

impl fmt::Display for Creation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ms; ", self.duration.as_secs_f64() * 1e3)?;
        let what = match (self.given, self.found) {
            (0, _) => return write!(f, "nothing was known of it"),
            (_, Some(true)) => "found it",
            (_, Some(false)) => "did not find it",
            (_, None) => "does not tell whether it found it",
        };
        write!(f, "the driver {what} in the {} bytes that were known of it", self.given)
    }
}

/// Bytes of VkPipelineCacheHeaderVersionOne.
const HEADER: usize = 32;

/// Makes a pipeline from what `store` has of it, and keeps there what is new.
///
/// What is kept is the data of a VkPipelineCache that saw this one pipeline: nothing has to be merged
/// with what other processes wrote, and nothing to be saved when the process ends.
pub(crate) fn create(
    device: &Arc<Device>,
    d: &PipelineDesc<'_>,
    store: &dyn PipelineStore,
) -> Result<Arc<Pipeline>, Error> {
    let info = device.info();
    let of_device =
        |data: &[u8]| is_of((info.vendor_id, info.device_id), &info.pipeline_cache_uuid, data);
    let known = store.load(info, d).filter(|data| of_device(data)).unwrap_or_default();
    let cache = create_cache(&device.raw, &known)?;
    let made = Pipeline::create(device, d, cache, known.len());
    let found = made.as_ref().is_ok_and(|pipeline| pipeline.creation().found == Some(true));
    let learnt = match found {
        true => Vec::new(),
        // SAFETY: the cache is alive, and known here only.
        false => unsafe { device.raw.get_pipeline_cache_data(cache) }.unwrap_or_default(),
    };
    // SAFETY: as above.
    unsafe { device.raw.destroy_pipeline_cache(cache, None) };
    // Drivers that keep nothing give the header alone.
    if made.is_ok() && learnt.len() > HEADER && learnt.len() != known.len() && of_device(&learnt) {
        store.store(info, d, &learnt);
    }
    made
}

/// A cache that begins with `data`: nothing, or what the same driver gave for the same device.
pub(crate) fn create_cache(device: &ash::Device, data: &[u8]) -> Result<vk::PipelineCache, Error> {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    // SAFETY: `data` is empty or what the driver itself wrote, as its header shows.
    unsafe { device.create_pipeline_cache(&info, None) }
        .map_err(|e| Error::from_vk("vkCreatePipelineCache", e))
}

/// Whether `data` begins with the header of a pipeline cache of this vendor's device and of this driver.
fn is_of((vendor, device): (u32, u32), driver: &[u8; 16], data: &[u8]) -> bool {
    let word = |i: usize| {
        let bytes = data.get(i * 4..i * 4 + 4)?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    };
    word(0).is_some_and(|length| length as usize >= HEADER)
        && word(1) == Some(vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32)
        && word(2) == Some(vendor)
        && word(3) == Some(device)
        && data.get(16..32) == Some(driver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_others_is_told_apart() {
        let driver = b"0123456789abcdef";
        let ours = |data: &[u8]| is_of((7, 8), driver, data);
        let words: [u32; 4] = [HEADER as u32, 1, 7, 8];
        let mut data: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        data.extend_from_slice(driver);
        data.push(1);
        assert!(ours(&data));
        assert!(!ours(&[]));
        assert!(!ours(&data[..HEADER - 1]));
        assert!(!ours(&[7; 100]));
        // The first word, the header's size, may grow.
        for (at, same) in [(0, true), (4, false), (8, false), (12, false), (16, false), (31, false)]
        {
            let mut other = data.clone();
            other[at] ^= 0x40;
            assert_eq!(ours(&other), same, "byte {at}");
        }
    }
}
