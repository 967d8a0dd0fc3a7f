//! Formats of images, and the uses that a device supports for each.

use ash::vk;

use crate::physical::device_info::DeviceInfo;
use crate::physical::PhysicalDevice;

/// The format of an image's texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(pub(crate) vk::Format);

/// Declares formats with the bytes of their texels.
macro_rules! formats {
    ($($bytes:literal: $($name:ident)*;)*) => {
        impl Format {
            $($(
                #[doc = concat!("VK_FORMAT_", stringify!($name), ".")]
                pub const $name: Format = Format(vk::Format::$name);
            )*)*

            /// All formats by name.
            pub(crate) const ALL: &[(&str, Format)] =
                &[$($((stringify!($name), Format::$name),)*)*];

            /// Returns the format with a name such as `R8_UNORM`.
            pub fn named(name: &str) -> Option<Format> {
                let found = Format::ALL.iter().find(|(known, _)| *known == name);
                found.map(|(_, format)| *format)
            }

            /// Returns the format's name, such as `R8_UNORM`.
            pub fn name(self) -> Option<&'static str> {
                let found = Format::ALL.iter().find(|(_, known)| *known == self);
                found.map(|(name, _)| *name)
            }

            /// Returns the number of bytes of a texel.
            pub fn bytes(self) -> u32 {
                match self.0 {
                    $($(vk::Format::$name)|* => $bytes,)*
                    _ => 0,
                }
            }
        }
    };
}

formats! {
    1: R8_UNORM R8_SNORM R8_UINT R8_SINT;
    2: R8G8_UNORM R8G8_SNORM R8G8_UINT R8G8_SINT
       R16_UNORM R16_SNORM R16_UINT R16_SINT R16_SFLOAT
       R5G6B5_UNORM_PACK16 A1R5G5B5_UNORM_PACK16;
    4: R8G8B8A8_UNORM R8G8B8A8_SNORM R8G8B8A8_UINT R8G8B8A8_SINT R8G8B8A8_SRGB
       B8G8R8A8_UNORM B8G8R8A8_SRGB
       R16G16_UNORM R16G16_SNORM R16G16_UINT R16G16_SINT R16G16_SFLOAT
       R32_UINT R32_SINT R32_SFLOAT A2R10G10B10_UNORM_PACK32;
    8: R16G16B16A16_UNORM R16G16B16A16_SNORM R16G16B16A16_UINT R16G16B16A16_SINT
       R16G16B16A16_SFLOAT R32G32_UINT R32G32_SINT R32G32_SFLOAT;
    16: R32G32B32A32_UINT R32G32B32A32_SINT R32G32B32A32_SFLOAT;
}

impl Format {
    /// Returns the format with the same bits whose colours have the sRGB encoding, if there is one.
    pub fn srgb(self) -> Option<Format> {
        (self == Format::R8G8B8A8_UNORM).then_some(Format::R8G8B8A8_SRGB)
    }
}

/// The dimensions of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ImageKind {
    D1,
    D1Array,
    D2,
    D2Array,
    D3,
}

impl ImageKind {
    pub(crate) fn image_type(self) -> vk::ImageType {
        match self {
            ImageKind::D1 | ImageKind::D1Array => vk::ImageType::TYPE_1D,
            ImageKind::D2 | ImageKind::D2Array => vk::ImageType::TYPE_2D,
            ImageKind::D3 => vk::ImageType::TYPE_3D,
        }
    }

    pub(crate) fn view_type(self) -> vk::ImageViewType {
        match self {
            ImageKind::D1 => vk::ImageViewType::TYPE_1D,
            ImageKind::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
            ImageKind::D2 => vk::ImageViewType::TYPE_2D,
            ImageKind::D2Array => vk::ImageViewType::TYPE_2D_ARRAY,
            ImageKind::D3 => vk::ImageViewType::TYPE_3D,
        }
    }
}

/// The uses that a device supports for images of one kind and format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSupport {
    /// The most texels in each dimension.
    pub max_extent: [u32; 3],
    /// The most array layers.
    pub max_layers: u32,
    /// The most mip levels.
    pub max_levels: u32,
    /// Kernels may write images of the format.
    pub storage: bool,
    /// Kernels may read images that they also write, without a format in the kernel.
    pub storage_read: bool,
    /// Samplers may filter images of the format linearly.
    pub filtered: bool,
}

/// The uses that a device supports for typed views of buffers of one format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TexelBufferSupport {
    /// Kernels may read buffers of the format.
    pub read: bool,
    /// Kernels may write buffers of the format.
    pub write: bool,
    /// Kernels may read buffers that they also write, without a format in the kernel.
    pub storage_read: bool,
    /// A buffer may have views that kernels read and views that kernels write.
    pub both: bool,
}

/// A device that reports its support of formats: a physical device, or one that a file describes.
pub trait FormatSupport {
    /// Returns the device's description.
    fn info(&self) -> &DeviceInfo;

    /// Returns the uses that the device supports for typed views of buffers of a format.
    fn texel_buffer_support(&self, format: Format) -> TexelBufferSupport;

    /// Returns the uses that the device supports for images of a kind and format; `None` if kernels cannot even read them.
    fn image_support(&self, kind: ImageKind, format: Format) -> Option<ImageSupport>;
}

impl FormatSupport for PhysicalDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn texel_buffer_support(&self, format: Format) -> TexelBufferSupport {
        texel_buffer_support(&self.info, &self.format_properties(format))
    }

    fn image_support(&self, kind: ImageKind, format: Format) -> Option<ImageSupport> {
        let limits = |usage| {
            // SAFETY: the physical device belongs to the living instance; a combination that the device does not
            // have is an error.
            let limits = unsafe {
                self.instance.raw.get_physical_device_image_format_properties(
                    self.raw,
                    format.0,
                    kind.image_type(),
                    vk::ImageTiling::OPTIMAL,
                    usage,
                    vk::ImageCreateFlags::empty(),
                )
            };
            limits.ok()
        };
        image_support(&self.info, kind, &self.format_properties(format), limits)
    }
}

impl PhysicalDevice {
    pub(super) fn format_properties(&self, format: Format) -> vk::FormatProperties {
        let instance = &self.instance.raw;
        // SAFETY: the physical device belongs to the living instance.
        let mut properties =
            unsafe { instance.get_physical_device_format_properties(self.raw, format.0) };
        if let Some(file) = &self.instance.limit_to {
            file.restrict_format(format.0, &mut properties);
        }
        properties
    }
}

/// Returns the uses that a device supports for typed views of buffers of a format with these properties.
pub(crate) fn texel_buffer_support(
    info: &DeviceInfo,
    properties: &vk::FormatProperties,
) -> TexelBufferSupport {
    let has = |flags| properties.buffer_features.contains(flags);
    use vk::FormatFeatureFlags as Flags;
    let features = &info.features;
    let write = has(Flags::STORAGE_TEXEL_BUFFER) && features.storage_image_write_without_format;
    TexelBufferSupport {
        read: has(Flags::UNIFORM_TEXEL_BUFFER),
        write,
        storage_read: write && features.storage_image_read_without_format,
        both: has(Flags::UNIFORM_TEXEL_BUFFER | Flags::STORAGE_TEXEL_BUFFER),
    }
}

/// Returns what a device can do with images of a kind and of a format that has these properties. `limits` returns the size of
/// the largest image with some usage flags.
pub(crate) fn image_support(
    info: &DeviceInfo,
    kind: ImageKind,
    properties: &vk::FormatProperties,
    limits: impl FnOnce(vk::ImageUsageFlags) -> Option<vk::ImageFormatProperties>,
) -> Option<ImageSupport> {
    let has = |flags| properties.optimal_tiling_features.contains(flags);
    use vk::FormatFeatureFlags as Flags;
    if !has(Flags::SAMPLED_IMAGE | Flags::TRANSFER_SRC | Flags::TRANSFER_DST) {
        return None;
    }
    let features = &info.features;
    let storage = has(Flags::STORAGE_IMAGE) && features.storage_image_write_without_format;
    let limits = limits(usage(storage))?;
    let extent = limits.max_extent;
    let most = match kind {
        ImageKind::D1 | ImageKind::D1Array => info.limits.max_image_dimension[0],
        ImageKind::D2 | ImageKind::D2Array => info.limits.max_image_dimension[1],
        ImageKind::D3 => info.limits.max_image_dimension[2],
    };
    Some(ImageSupport {
        max_extent: [extent.width, extent.height, extent.depth].map(|texels| texels.min(most)),
        max_layers: limits.max_array_layers.min(info.limits.max_image_array_layers),
        max_levels: limits.max_mip_levels,
        storage,
        storage_read: storage && features.storage_image_read_without_format,
        filtered: has(Flags::SAMPLED_IMAGE_FILTER_LINEAR),
    })
}

/// Returns the usage flags of an image.
pub(crate) fn usage(storage: bool) -> vk::ImageUsageFlags {
    let always = vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST;
    if storage {
        always | vk::ImageUsageFlags::STORAGE
    } else {
        always
    }
}
