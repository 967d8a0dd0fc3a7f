//! The images that a device can make over imported memory.

use ash::vk;

use crate::physical::format::usage;
use crate::physical::{Format, ImageKind, ImageSupport, MemoryHandles, PhysicalDevice};

/// The order of the texels of an image in imported memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Rows (VK_IMAGE_TILING_LINEAR), at the places that the driver chooses.
    Rows,
    /// The order that a DRM format modifier names, which the importer gives.
    Modifier(u64),
}

impl Sharing {
    pub(crate) fn tiling(self) -> vk::ImageTiling {
        match self {
            Sharing::Rows => vk::ImageTiling::LINEAR,
            Sharing::Modifier(_) => vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT,
        }
    }
}

/// An image to be made over imported memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedImage {
    pub kind: ImageKind,
    pub format: Format,
    pub extent: [u32; 3],
    pub flags: vk::ImageCreateFlags,
    pub handle: MemoryHandles,
    pub sharing: Sharing,
}

impl PhysicalDevice {
    /// Returns true if an image in imported memory must not share its memory with others (VkMemoryDedicatedAllocateInfo);
    /// `None` where the device does not support the image, or not in all the ways of `support`.
    pub(crate) fn shares_image(&self, image: &SharedImage, support: &ImageSupport) -> Option<bool> {
        let features = self.features_of(image.format, image.sharing)?;
        use vk::FormatFeatureFlags as Flags;
        let mut needed = Flags::SAMPLED_IMAGE | Flags::TRANSFER_SRC | Flags::TRANSFER_DST;
        if support.storage {
            needed |= Flags::STORAGE_IMAGE;
        }
        if support.filtered {
            needed |= Flags::SAMPLED_IMAGE_FILTER_LINEAR;
        }
        if !features.contains(needed) {
            return None;
        }
        let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default()
            .handle_type(vk::ExternalMemoryHandleTypeFlags::from_raw(image.handle.bits()));
        let mut modifier = vk::PhysicalDeviceImageDrmFormatModifierInfoEXT::default();
        let mut info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(image.format.0)
            .ty(image.kind.image_type())
            .tiling(image.sharing.tiling())
            .usage(usage(support.storage))
            .flags(image.flags)
            .push_next(&mut external);
        if let Sharing::Modifier(number) = image.sharing {
            modifier = modifier.drm_format_modifier(number);
            info = info.push_next(&mut modifier);
        }
        let mut shared = vk::ExternalImageFormatProperties::default();
        let mut answer = vk::ImageFormatProperties2::default().push_next(&mut shared);
        let instance = &self.instance.raw;
        // SAFETY: the physical device belongs to the living instance, and knows the kind of handle and, where there is
        // one, modifiers; a combination that the device does not have is an error.
        unsafe {
            instance.get_physical_device_image_format_properties2(self.raw, &info, &mut answer)
        }
        .ok()?;
        let most = answer.image_format_properties.max_extent;
        let most = [most.width, most.height, most.depth];
        let fits = image.extent.iter().zip(most).all(|(texels, most)| *texels <= most);
        let features = shared.external_memory_properties.external_memory_features;
        let has = |feature| features.contains(feature);
        (fits && has(vk::ExternalMemoryFeatureFlags::IMPORTABLE))
            .then(|| has(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY))
    }

    /// Returns the uses of images of a format with an order of texels; `None` where the device has no such images, or keeps the
    /// texels in several planes.
    fn features_of(&self, format: Format, sharing: Sharing) -> Option<vk::FormatFeatureFlags> {
        let Sharing::Modifier(number) = sharing else {
            return Some(self.format_properties(format).linear_tiling_features);
        };
        let instance = &self.instance.raw;
        let mut list = vk::DrmFormatModifierPropertiesListEXT::default();
        let mut answer = vk::FormatProperties2::default().push_next(&mut list);
        // SAFETY: the physical device belongs to the living instance, and has modifiers.
        unsafe {
            instance.get_physical_device_format_properties2(self.raw, format.0, &mut answer);
        }
        let count = list.drm_format_modifier_count as usize;
        let mut all = vec![vk::DrmFormatModifierPropertiesEXT::default(); count];
        let mut list = vk::DrmFormatModifierPropertiesListEXT::default()
            .drm_format_modifier_properties(&mut all);
        let mut answer = vk::FormatProperties2::default().push_next(&mut list);
        // SAFETY: as above; there is room for as many as were counted.
        unsafe {
            instance.get_physical_device_format_properties2(self.raw, format.0, &mut answer);
        }
        let found = all.iter().find(|known| {
            known.drm_format_modifier == number && known.drm_format_modifier_plane_count == 1
        });
        Some(found?.drm_format_modifier_tiling_features)
    }
}
