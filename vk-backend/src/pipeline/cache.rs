//! Pipeline caches of one pipeline each, and their data.

use ash::vk;

use crate::error::Error;
use crate::physical::DeviceInfo;

/// Bytes of VkPipelineCacheHeaderVersionOne.
const HEADER: usize = 32;

/// A VkPipelineCache that one pipeline is created from.
pub(super) struct Cache<'a> {
    device: &'a ash::Device,
    pub(super) raw: vk::PipelineCache,
}

impl<'a> Cache<'a> {
    /// Creates a cache that begins with `data`: empty, or data that the same driver wrote for the same device.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn new(device: &'a ash::Device, data: &[u8]) -> Result<Cache<'a>, Error> {
        let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
        // SAFETY: `data` is empty or what the driver itself wrote, as its header shows.
        let raw = unsafe { device.create_pipeline_cache(&info, None) }
            .map_err(|e| Error::from_vk("vkCreatePipelineCache", e))?;
        Ok(Cache { device, raw })
    }

    /// Returns the cache's data; empty if the driver does not return it.
    pub(super) fn data(&self) -> Vec<u8> {
        // SAFETY: the cache is alive.
        unsafe { self.device.get_pipeline_cache_data(self.raw) }.unwrap_or_default()
    }
}

impl Drop for Cache<'_> {
    fn drop(&mut self) {
        // SAFETY: the cache is known here only, and pipelines do not need theirs once they are created.
        unsafe { self.device.destroy_pipeline_cache(self.raw, None) }
    }
}

/// Returns true if `data` is cache data of this device and driver.
pub(super) fn is_of_device(info: &DeviceInfo, data: &[u8]) -> bool {
    is_of((info.vendor_id, info.device_id), &info.pipeline_cache_uuid, data)
}

/// Returns true if cache data is longer than a header, which is all that drivers without a cache write.
pub(super) fn holds_something(data: &[u8]) -> bool {
    data.len() > HEADER
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
        // The first word, which is the header's size, may be larger.
        for (at, same) in [(0, true), (4, false), (8, false), (12, false), (16, false), (31, false)]
        {
            let mut other = data.clone();
            other[at] ^= 0x40;
            assert_eq!(ours(&other), same, "byte {at}");
        }
    }
}
