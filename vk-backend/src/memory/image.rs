//! Images: texels in the device's own order, and the views through which kernels see them.

use std::sync::Arc;

use ash::vk;

use crate::device::{Device, Keepable, Kept, Memory, Resource};
use crate::error::Error;
use crate::physical::{usage, Format, FormatSupport, ImageKind, ImageSupport, MemoryKind};

/// The source of a component of a texel that a sampler returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Component {
    Zero,
    One,
    R,
    G,
    B,
    A,
}

impl Component {
    /// Components in their own places, as without a swizzle.
    pub const IDENTITY: [Component; 4] = [Component::R, Component::G, Component::B, Component::A];

    fn raw(self) -> vk::ComponentSwizzle {
        match self {
            Component::Zero => vk::ComponentSwizzle::ZERO,
            Component::One => vk::ComponentSwizzle::ONE,
            Component::R => vk::ComponentSwizzle::R,
            Component::G => vk::ComponentSwizzle::G,
            Component::B => vk::ComponentSwizzle::B,
            Component::A => vk::ComponentSwizzle::A,
        }
    }
}

/// A description of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageDesc {
    /// The image's dimensions.
    pub kind: ImageKind,
    /// The format of a texel.
    pub format: Format,
    /// The format with which kernels read the image that do not write it: the same format, or its [`Format::srgb`].
    pub read_as: Format,
    /// Width, height and depth of the first level in texels; 1 where the kind has no such dimension.
    pub extent: [u32; 3],
    /// Array layers; 1 for images that are not arrays.
    pub layers: u32,
    /// Mip levels.
    pub levels: u32,
    /// The sources of the components that reads return. (Writes take the components in their own places.)
    pub components: [Component; 4],
}

/// Texels that kernels read and write through descriptors ([`crate::Slot`]).
///
/// An image must be prepared ([`crate::Recorder::prepare`]) before anything else uses it. It must not be dropped while
/// submitted commands use it: give it to [`crate::Recorder::retain`].
pub struct Image {
    device: Arc<Device>,
    pub(crate) raw: vk::Image,
    desc: ImageDesc,
    support: ImageSupport,
    /// `None` only while dropping.
    memory: Option<Memory>,
    pub(crate) views: ImageViews,
}

/// The views of an image through which kernels see it.
#[derive(Default)]
pub(crate) struct ImageViews {
    /// A view of all levels, with the components of the description.
    pub(crate) sampled: vk::ImageView,
    /// One view for each level, with the components in their own places; none if kernels cannot write.
    pub(crate) storage: Vec<vk::ImageView>,
}

impl Device {
    /// Makes an image. Its contents are undefined.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for kinds, formats and sizes that the device does not have;
    /// [`Error::OutOfDeviceMemory`], [`Error::OutOfHostMemory`].
    pub fn create_image(self: &Arc<Self>, desc: &ImageDesc) -> Result<Arc<Image>, Error> {
        self.check_lost()?;
        let support = self.physical.image_support(desc.kind, desc.format);
        let support = support
            .filter(|support| fits(desc, support))
            .ok_or_else(|| Error::Unsupported(format!("the device has no such image: {desc:?}")))?;
        if let Some(image) = Image::kept(self, desc, support) {
            return Ok(Arc::new(image));
        }
        let formats = desc.formats();
        let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
        let mut info = desc.create_info(&support).tiling(vk::ImageTiling::OPTIMAL);
        if desc.is_mutable() {
            info = info.push_next(&mut list);
        }
        // SAFETY: the device has such images, as was just asked; `info` outlives the call.
        let raw = unsafe { self.raw.create_image(&info, None) }
            .map_err(|e| self.fault("vkCreateImage", e))?;
        let mut image = Image::unbound(self, raw, desc, support);
        image.allocate()?;
        image.create_views()?;
        Ok(Arc::new(image))
    }
}

impl ImageDesc {
    /// Returns the two formats that views may have. Views of either may be asked for later, so the texels have a layout that
    /// suits both.
    pub(super) fn formats(&self) -> [vk::Format; 2] {
        [self.format.0, self.format.srgb().unwrap_or(self.format).0]
    }

    /// Returns true if there may be views of several formats.
    pub(super) fn is_mutable(&self) -> bool {
        let [format, other] = self.formats();
        self.kind == ImageKind::D2 && format != other || self.read_as != self.format
    }

    /// Returns the image's creation info for Vulkan, except for the tiling.
    pub(super) fn create_info(&self, support: &ImageSupport) -> vk::ImageCreateInfo<'static> {
        let [width, height, depth] = self.extent;
        let flags = match self.is_mutable() {
            true => vk::ImageCreateFlags::MUTABLE_FORMAT,
            false => vk::ImageCreateFlags::empty(),
        };
        vk::ImageCreateInfo::default()
            .image_type(self.kind.image_type())
            .format(self.format.0)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(self.levels)
            .array_layers(self.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage(support.storage))
            .flags(flags)
    }
}

impl Image {
    /// Takes ownership of `raw`, which has neither memory nor views yet.
    pub(super) fn unbound(
        device: &Arc<Device>,
        raw: vk::Image,
        desc: &ImageDesc,
        support: ImageSupport,
    ) -> Image {
        Image {
            device: device.clone(),
            raw,
            desc: *desc,
            support,
            memory: None,
            views: ImageViews::default(),
        }
    }

    /// Returns an image that was freed a moment ago as a new one.
    fn kept(device: &Arc<Device>, wanted: &ImageDesc, support: ImageSupport) -> Option<Image> {
        let suits = |kept: &KeptImage| kept.desc == *wanted;
        let (kept, memory) = device.heap.take_kept(&device.raw, suits)?;
        let KeptImage { raw, views, .. } = *kept;
        let mut image = Image::unbound(device, raw, wanted, support);
        (image.memory, image.views) = (Some(memory), views);
        Some(image)
    }

    fn allocate(&mut self) -> Result<(), Error> {
        let (device, resource) = (&self.device, Resource::Image(self.raw));
        // SAFETY: the image was just created on this device.
        let needs = unsafe { device.raw.get_image_memory_requirements(self.raw) };
        let memory = device.heap.allocate(&device.raw, resource, needs, MemoryKind::Device)?;
        self.bind(memory)
    }

    /// Binds memory that was made for the image, and takes ownership of it.
    pub(super) fn bind(&mut self, memory: Memory) -> Result<(), Error> {
        let device = &self.device;
        let memory = self.memory.insert(memory);
        // SAFETY: the memory was made for this image's requirements and neither is bound yet.
        unsafe { device.raw.bind_image_memory(self.raw, memory.raw, memory.offset) }
            .map_err(|e| device.fault("vkBindImageMemory", e))
    }

    pub(super) fn create_views(&mut self) -> Result<(), Error> {
        let range = self.subresources();
        self.views.sampled =
            self.create_sampled_view(self.desc.read_as, self.desc.components, self.desc.levels)?;
        if self.support.storage {
            for level in 0..self.desc.levels {
                let range =
                    vk::ImageSubresourceRange { base_mip_level: level, level_count: 1, ..range };
                let usage = usage(self.support.storage);
                let view =
                    self.create_view((self.desc.format, usage), Component::IDENTITY, range)?;
                self.views.storage.push(view);
            }
        }
        Ok(())
    }

    /// Makes a view of the first levels for kernels that only read.
    pub(crate) fn create_sampled_view(
        &self,
        format: Format,
        components: [Component; 4],
        levels: u32,
    ) -> Result<vk::ImageView, Error> {
        let usage = vk::ImageUsageFlags::SAMPLED;
        let range = vk::ImageSubresourceRange { level_count: levels, ..self.subresources() };
        self.create_view((format, usage), components, range)
    }

    fn create_view(
        &self,
        (format, usage): (Format, vk::ImageUsageFlags),
        components: [Component; 4],
        range: vk::ImageSubresourceRange,
    ) -> Result<vk::ImageView, Error> {
        let [r, g, b, a] = components.map(Component::raw);
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(usage);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.raw)
            .view_type(self.desc.kind.view_type())
            .format(format.0)
            .components(vk::ComponentMapping { r, g, b, a })
            .subresource_range(range)
            .push_next(&mut usage);
        // SAFETY: the image is bound to memory; the view has its subresources, and one of its formats.
        unsafe { self.device.raw.create_image_view(&info, None) }
            .map_err(|e| self.device.fault("vkCreateImageView", e))
    }

    /// Returns all levels and layers.
    pub(crate) fn subresources(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: self.desc.levels,
            base_array_layer: 0,
            layer_count: self.desc.layers,
        }
    }

    /// Returns the description.
    pub fn desc(&self) -> &ImageDesc {
        &self.desc
    }

    /// Returns the uses that the device supports for images like this one.
    pub fn support(&self) -> &ImageSupport {
        &self.support
    }

    /// Returns the device that the image belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Returns the texels of a level along x, y and z, where the layers of an array count as the dimension after its
    /// last one.
    pub fn size_of_level(&self, level: u32) -> [u32; 3] {
        let [width, height, depth] = self.desc.extent.map(|texels| (texels >> level).max(1));
        match self.desc.kind {
            ImageKind::D1Array => [width, self.desc.layers, 1],
            ImageKind::D2Array => [width, height, self.desc.layers],
            ImageKind::D1 | ImageKind::D2 | ImageKind::D3 => [width, height, depth],
        }
    }
}

/// Returns true if an image is within the limits of the images that a device supports.
fn fits(desc: &ImageDesc, support: &ImageSupport) -> bool {
    let within = desc.extent.iter().zip(support.max_extent).all(|(n, most)| (1..=most).contains(n));
    within
        && (1..=support.max_layers).contains(&desc.layers)
        && (1..=support.max_levels).contains(&desc.levels)
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image").field("desc", &self.desc).finish_non_exhaustive()
    }
}

/// A dropped image.
struct KeptImage {
    raw: vk::Image,
    desc: ImageDesc,
    views: ImageViews,
}

impl Keepable for KeptImage {
    unsafe fn destroy(&self, device: &ash::Device) {
        // SAFETY: the caller's promise. Null handles are ignored.
        unsafe {
            for view in self.views.storage.iter().chain([&self.views.sampled]) {
                device.destroy_image_view(*view, None);
            }
            device.destroy_image(self.raw, None);
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let (raw, desc, views) = (self.raw, self.desc, std::mem::take(&mut self.views));
        let levels = if self.support.storage { desc.levels } else { 0 };
        let is_whole =
            views.sampled != vk::ImageView::null() && views.storage.len() == levels as usize;
        let kept = KeptImage { raw, desc, views };
        match self.memory.take() {
            Some(memory) => {
                let kept = Kept { resource: Box::new(kept), memory };
                // SAFETY: this is the last owner; batches and slots that use the image own it too.
                unsafe { self.device.heap.free_resource(&self.device.raw, kept, is_whole) };
            }
            // SAFETY: as above; it never had memory.
            None => unsafe { kept.destroy(&self.device.raw) },
        }
    }
}
