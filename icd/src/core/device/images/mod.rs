//! The images of a device: the largest dimensions, and the formats for each type of image and kind of access.

pub mod format;
pub mod info;

use crate::cl::*;
use hekla_vk_backend as vk;

/// CL_DEVICE_MAX_READ_IMAGE_ARGS, CL_DEVICE_MAX_WRITE_IMAGE_ARGS and CL_DEVICE_MAX_SAMPLERS: the least that a full profile
/// allows. Image and sampler arguments are numbers, so only the number of all arguments limits them.
pub const MAX_READ_ARGS: u32 = 128;
pub const MAX_WRITE_ARGS: u32 = 64;
pub const MAX_SAMPLERS: u32 = 16;

/// CL_DEVICE_IMAGE_PITCH_ALIGNMENT and CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT of 2D images of buffers, in texels. Vulkan copies
/// texels only from and to offsets that are multiples of four bytes.
pub(crate) const PITCH_ALIGNMENT: u32 = 1;
pub(crate) const BASE_ADDRESS_ALIGNMENT: u32 = 4;

/// The least limits of a full profile (4.2): width and height in two dimensions; width, height and depth in three dimensions;
/// layers; texels in a buffer.
const LEAST_2D: usize = 16384;
const LEAST_3D: usize = 2048;
const LEAST_LAYERS: usize = 2048;
const LEAST_BUFFER: usize = 65536;

/// Types of images, with the kind of image that Vulkan has for each; `None` is a view of a buffer.
const TYPES: [(cl_mem_object_type, Option<vk::ImageKind>); 6] = [
    (CL_MEM_OBJECT_IMAGE1D, Some(vk::ImageKind::D1)),
    (CL_MEM_OBJECT_IMAGE1D_ARRAY, Some(vk::ImageKind::D1Array)),
    (CL_MEM_OBJECT_IMAGE1D_BUFFER, None),
    (CL_MEM_OBJECT_IMAGE2D, Some(vk::ImageKind::D2)),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY, Some(vk::ImageKind::D2Array)),
    (CL_MEM_OBJECT_IMAGE3D, Some(vk::ImageKind::D3)),
];

/// The kinds of images that Vulkan has.
const KINDS: [vk::ImageKind; 5] = [
    vk::ImageKind::D1,
    vk::ImageKind::D1Array,
    vk::ImageKind::D2,
    vk::ImageKind::D2Array,
    vk::ImageKind::D3,
];

/// Returns true for the types of images (cl_mem_object_type).
pub fn is_image_type(image_type: cl_mem_object_type) -> bool {
    TYPES.iter().any(|(known, _)| *known == image_type)
}

/// Returns the kind of image that Vulkan has for a type; `None` for images that are views of buffers.
pub fn kind(image_type: cl_mem_object_type) -> Option<vk::ImageKind> {
    TYPES.iter().find(|(known, _)| *known == image_type)?.1
}

/// The access that kernels have to images of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access {
    pub read: bool,
    pub write: bool,
    /// One kernel can both read and write images of the format.
    pub read_write: bool,
}

/// The optional features of OpenCL C about images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImageFeatures {
    /// The device has images (CL_DEVICE_IMAGE_SUPPORT).
    pub images: bool,
    /// `read_write` images.
    pub read_write: bool,
    /// Kernels write images of three dimensions.
    pub writes_3d: bool,
    /// Types of channels that the device's samplers filter in all formats and kinds of images.
    pub filtered: vk::Filters,
}

/// The images of a device.
#[derive(Debug, Clone)]
pub struct Images {
    pub features: ImageFeatures,
    /// The most texels in each dimension of images of one or two dimensions.
    pub max_2d: [usize; 2],
    /// The most texels in each dimension of images of three dimensions.
    pub max_3d: [usize; 3],
    pub max_layers: usize,
    /// The most texels of an image that is a view of a buffer.
    pub max_buffer: usize,
    /// The formats that kernels can read or write, by type of image.
    formats: Vec<(cl_mem_object_type, Vec<(cl_image_format, Access)>)>,
}

impl Images {
    /// Returns the images of a device; `None` if they do not reach the limits of a full profile.
    pub fn of(device: &impl vk::FormatSupport) -> Option<Images> {
        let info = device.info();
        let slots = info.limits.image_slots >= MAX_READ_ARGS + MAX_WRITE_ARGS;
        if !info.features.descriptor_indexing || !slots {
            return None;
        }
        let mut images = Images::without_formats(device)?;
        let of = |image_type| (image_type, images.formats_of(device, image_type));
        images.formats = TYPES.iter().map(|(image_type, _)| of(*image_type)).collect();
        images.features = images.find_features(device);
        let ImageFeatures { read_write, writes_3d, .. } = images.features;
        for (image_type, formats) in &mut images.formats {
            let written = writes_3d || *image_type != CL_MEM_OBJECT_IMAGE3D;
            for (_, access) in formats {
                access.write &= written;
                access.read_write &= written && read_write;
            }
        }
        images.features.images.then_some(images)
    }

    /// Returns the largest dimensions that all formats of a full profile have, still without the list of formats; `None` if the
    /// dimensions do not reach the limits of a full profile.
    fn without_formats(device: &impl vk::FormatSupport) -> Option<Images> {
        let [line, lines, flat, layered, solid] = KINDS.map(|kind| largest(device, kind));
        let (line, lines, flat, layered, solid) = (line?, lines?, flat?, layered?, solid?);
        let max_buffer = device.info().limits.max_texel_buffer_elements as usize;
        let widths = [line, lines, flat, layered].map(|(extent, _)| extent[0]);
        let max_2d = [widths.into_iter().fold(usize::MAX, usize::min), flat.0[1].min(layered.0[1])];
        let (max_3d, max_layers) = (solid.0, lines.1.min(layered.1));
        let enough = max_2d.iter().all(|texels| *texels >= LEAST_2D)
            && max_3d.iter().all(|texels| *texels >= LEAST_3D)
            && max_layers >= LEAST_LAYERS
            && max_buffer >= LEAST_BUFFER;
        let (features, formats) = (ImageFeatures::default(), Vec::new());
        enough.then_some(Images { features, max_2d, max_3d, max_layers, max_buffer, formats })
    }

    /// Returns the formats of images of a type that kernels can read or write.
    fn formats_of(
        &self,
        device: &impl vk::FormatSupport,
        image_type: cl_mem_object_type,
    ) -> Vec<(cl_image_format, Access)> {
        let access = |format| match kind(image_type) {
            None => {
                let layout = format::layout_in_buffer(format)?;
                let found = device.texel_buffer_support(layout.format);
                let stored = layout.store.is_some();
                Some(Access {
                    read: found.read,
                    write: found.write && stored,
                    read_write: found.storage_read && stored,
                })
            }
            Some(kind) => {
                let layout = format::layout(format)?;
                let found = device.image_support(kind, layout.format)?;
                device.image_support(kind, layout.read_as)?;
                let mut sizes = self.largest(kind).into_iter().zip(found.max_extent);
                let fits = sizes.all(|(least, most)| least <= most as usize);
                let depth = format.image_channel_order != CL_DEPTH
                    || matches!(kind, vk::ImageKind::D2 | vk::ImageKind::D2Array);
                let stored = layout.store.is_some();
                (fits && depth).then_some(Access {
                    read: true,
                    write: found.storage && stored,
                    // A kernel that reads and writes uses one view for both, which has the stored format.
                    read_write: found.storage_read && stored && layout.read_as == layout.format,
                })
            }
        };
        let offered = |format| access(format).map(|access| (format, access));
        format::all().filter_map(offered).filter(|(_, a)| a.read || a.write).collect()
    }

    /// Returns the largest extent of images of a kind.
    fn largest(&self, kind: vk::ImageKind) -> [usize; 3] {
        let [width, height] = self.max_2d;
        match kind {
            vk::ImageKind::D1 | vk::ImageKind::D1Array => [width, 1, 1],
            vk::ImageKind::D2 | vk::ImageKind::D2Array => [width, height, 1],
            vk::ImageKind::D3 => self.max_3d,
        }
    }

    /// Returns the features that the device has for all formats that the feature requires. Views of buffers are not counted,
    /// since Vulkan requires fewer formats for them: a format that they lack is only missing in their list.
    fn find_features(&self, device: &impl vk::FormatSupport) -> ImageFeatures {
        let flat = [
            CL_MEM_OBJECT_IMAGE1D,
            CL_MEM_OBJECT_IMAGE1D_ARRAY,
            CL_MEM_OBJECT_IMAGE2D,
            CL_MEM_OBJECT_IMAGE2D_ARRAY,
        ];
        let solid = CL_MEM_OBJECT_IMAGE3D;
        let read = |t: &_| format::required().all(|f| self.access(*t, f).read);
        let write = |t: &_| format::required().all(|f| self.access(*t, f).write);
        let both =
            |t: &_| format::required_to_read_and_write().all(|f| self.access(*t, f).read_write);
        ImageFeatures {
            filtered: self.find_filtered(device),
            images: flat.iter().chain([&solid]).all(read) && flat.iter().all(write),
            read_write: flat.iter().all(both),
            writes_3d: write(&solid),
        }
    }

    /// Returns the types of channels that the device's samplers filter in all formats and kinds of images.
    fn find_filtered(&self, device: &impl vk::FormatSupport) -> vk::Filters {
        let mut filtered = vk::Filters::all();
        for (image_type, formats) in &self.formats {
            let Some(kind) = kind(*image_type) else { continue };
            for layout in formats.iter().filter_map(|(format, _)| format::layout(*format)) {
                let of = vk::Filters::of(layout.read_as);
                let support = || device.image_support(kind, layout.read_as);
                if filtered.intersects(of) && !support().is_some_and(|support| support.filtered) {
                    filtered.remove(of);
                }
            }
        }
        filtered
    }

    /// Returns what kernels can do with images of a type and format.
    pub fn access(&self, image_type: cl_mem_object_type, format: cl_image_format) -> Access {
        let of_type = self.formats_of_type(image_type);
        let found = of_type.iter().find(|(known, _)| *known == format);
        found.map_or(Access::default(), |(_, access)| *access)
    }

    /// Returns the formats of images of a type, with what kernels can do with them.
    pub fn formats_of_type(&self, image_type: cl_mem_object_type) -> &[(cl_image_format, Access)] {
        let found = self.formats.iter().find(|(known, _)| *known == image_type);
        found.map_or(&[], |(_, formats)| formats)
    }
}

/// Returns the largest extent, and the most layers, of images of a kind in all formats that a full profile requires.
fn largest(device: &impl vk::FormatSupport, kind: vk::ImageKind) -> Option<([usize; 3], usize)> {
    let mut least = ([usize::MAX; 3], usize::MAX);
    for format in format::required() {
        let support = device.image_support(kind, format::layout(format)?.format)?;
        for (least, most) in least.0.iter_mut().zip(support.max_extent) {
            *least = (*least).min(most as usize);
        }
        least.1 = least.1.min(support.max_layers as usize);
    }
    Some(least)
}
