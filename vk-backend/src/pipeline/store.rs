//! Creating pipelines from cache data that earlier processes stored.

use std::sync::Arc;

use ash::vk;

use crate::device::{Device, PipelineDesc, PipelineStore};
use crate::error::Error;
use crate::pipeline::compute_pipeline::Pipeline;

/// Bytes of VkPipelineCacheHeaderVersionOne.
const HEADER: usize = 32;

/// Creates a pipeline from the cache data that `store` has for it, and stores new data.
///
/// The data is that of a VkPipelineCache that saw this one pipeline: nothing has to be merged with what other
/// processes wrote, and nothing has to be saved when the process ends.
///
/// # Safety
/// As [`Device::create_pipeline`].
pub(super) unsafe fn create(
    device: &Arc<Device>,
    d: &PipelineDesc<'_>,
    store: &dyn PipelineStore,
) -> Result<Arc<Pipeline>, Error> {
    let info = device.info();
    let of_device =
        |data: &[u8]| is_of((info.vendor_id, info.device_id), &info.pipeline_cache_uuid, data);
    let known = store.load(info, d).filter(|data| of_device(data)).unwrap_or_default();
    let cache = create_cache(&device.raw, &known)?;
    // SAFETY: as the caller promises.
    let made = unsafe { Pipeline::create(device, d, cache, known.len()) };
    let found = made.as_ref().is_ok_and(|pipeline| pipeline.creation().found == Some(true));
    let learnt = match found {
        true => Vec::new(),
        // SAFETY: the cache is alive, and known here only.
        false => unsafe { device.raw.get_pipeline_cache_data(cache) }.unwrap_or_default(),
    };
    // SAFETY: as above.
    unsafe { device.raw.destroy_pipeline_cache(cache, None) };
    // Drivers without a cache write the header alone.
    if made.is_ok() && learnt.len() > HEADER && learnt.len() != known.len() && of_device(&learnt) {
        store.store(info, d, &learnt);
    }
    made
}

/// Creates a cache that begins with `data`: nothing, or what the same driver wrote for the same device.
fn create_cache(device: &ash::Device, data: &[u8]) -> Result<vk::PipelineCache, Error> {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    // SAFETY: `data` is empty or what the driver itself wrote, as its header shows.
    unsafe { device.create_pipeline_cache(&info, None) }
        .map_err(|e| Error::from_vk("vkCreatePipelineCache", e))
}

/// Returns true if `data` begins with the header of a pipeline cache of this vendor's device and this driver.
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
    fn data_of_other_devices_and_drivers_is_rejected() {
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
