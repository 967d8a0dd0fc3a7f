//! Images over memory that another API or process exports by file descriptor: their texels are in rows, or in the order that a
//! modifier names.

use std::sync::Arc;

use ash::vk;

use crate::device::Device;
use crate::error::Error;
use crate::memory::image::{Image, ImageDesc};
use crate::memory::import_fd::{import_fd, Importer};
use crate::physical::{
    FormatSupport, ImageKind, ImageSupport, MemoryHandles, SharedImage, Sharing,
};
use crate::platform::Descriptor;

/// The place of an image's texels in imported memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedLayout {
    /// Bytes from the beginning of the memory to the first row.
    pub offset: u64,
    /// Bytes from row to row.
    pub row_pitch: u64,
    /// Bytes from slice to slice of an image of three dimensions.
    pub slice_pitch: u64,
    /// The order of the texels as a DRM format modifier; 0 for rows.
    pub modifier: u64,
}

impl Device {
    /// Makes an image of one level and one layer whose texels are in memory that `fd` exports, which other APIs or processes
    /// may use as well: see [`crate::Recorder::acquire_image`] and [`crate::Recorder::release_image`]. The image needs no
    /// preparation.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device has no such image over this kind of memory in this layout, or not with all the
    /// uses of its other images; [`Error::Invalid`] when `fd` is not a descriptor of that kind; [`Error::TooLarge`] when the
    /// memory is smaller than the image.
    pub fn import_image(
        self: &Arc<Self>,
        fd: &Descriptor,
        handle: MemoryHandles,
        desc: &ImageDesc,
        layout: ImportedLayout,
    ) -> Result<Arc<Image>, Error> {
        self.check_lost()?;
        let refusal = |why: &str| Error::Unsupported(format!("{why}: {desc:?}, {layout:?}"));
        if !self.info().features.external.memory_import.contains(handle) {
            return Err(refusal("the device does not import such memory"));
        }
        let support = self.physical.image_support(desc.kind, desc.format);
        let support = support.ok_or_else(|| refusal("the device has no such image"))?;
        if desc.levels != 1 || desc.layers != 1 {
            return Err(refusal("images of several levels or layers are not imported"));
        }
        let sharing = self.sharing(handle, desc);
        if sharing == Sharing::Rows && (layout.modifier, layout.offset) != (0, 0) {
            return Err(refusal("the device imports rows from the beginning of the memory alone"));
        }
        let sharing = match sharing {
            Sharing::Rows => Sharing::Rows,
            Sharing::Modifier(_) => Sharing::Modifier(layout.modifier),
        };
        let wanted = shared(desc, &support, handle, sharing);
        let dedicated = self.physical.shares_image(&wanted, &support);
        let dedicated = dedicated.ok_or_else(|| refusal("the device shares no such image"))?;
        let raw = self.create_shared(&wanted, desc, &support, layout)?;
        let mut image = Image::unbound(self, raw, desc, support);
        if sharing == Sharing::Rows && !has_rows_at(desc, layout, self.rows(raw)) {
            return Err(refusal("the driver has rows elsewhere"));
        }
        image.bind(import_fd(self, Importer::Image(raw), fd, handle, dedicated)?)?;
        image.create_views()?;
        Ok(Arc::new(image))
    }

    /// Returns the order that the device wants for the texels of images in imported memory.
    fn sharing(&self, handle: MemoryHandles, desc: &ImageDesc) -> Sharing {
        let modifiers = self.info().features.external.modifiers;
        match modifiers && handle == MemoryHandles::DMA_BUF && desc.kind == ImageKind::D2 {
            true => Sharing::Modifier(0),
            false => Sharing::Rows,
        }
    }

    /// Makes a Vulkan image without memory.
    fn create_shared(
        &self,
        wanted: &SharedImage,
        desc: &ImageDesc,
        support: &ImageSupport,
        layout: ImportedLayout,
    ) -> Result<vk::Image, Error> {
        let formats = desc.formats();
        let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
        let mut external = vk::ExternalMemoryImageCreateInfo::default()
            .handle_types(vk::ExternalMemoryHandleTypeFlags::from_raw(wanted.handle.bits()));
        let planes = [vk::SubresourceLayout {
            offset: layout.offset,
            row_pitch: layout.row_pitch,
            ..Default::default()
        }];
        let mut explicit = vk::ImageDrmFormatModifierExplicitCreateInfoEXT::default()
            .drm_format_modifier(layout.modifier)
            .plane_layouts(&planes);
        let mut info =
            desc.create_info(support).tiling(wanted.sharing.tiling()).push_next(&mut external);
        if desc.is_mutable() {
            info = info.push_next(&mut list);
        }
        if let Sharing::Modifier(_) = wanted.sharing {
            info = info.push_next(&mut explicit);
        }
        // SAFETY: the device has such images of such memory, as was just asked; `info` outlives the call.
        unsafe { self.raw.create_image(&info, None) }.map_err(|e| match e {
            vk::Result::ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT => {
                Error::Unsupported(format!("the device has no such image: {desc:?}, {layout:?}"))
            }
            e => self.fault("vkCreateImage", e),
        })
    }

    /// Returns where the driver places the rows of an image (VK_IMAGE_TILING_LINEAR).
    fn rows(&self, raw: vk::Image) -> vk::SubresourceLayout {
        let color = vk::ImageSubresource::default().aspect_mask(vk::ImageAspectFlags::COLOR);
        // SAFETY: the image was just created on this device, with the tiling that the query is for.
        unsafe { self.raw.get_image_subresource_layout(raw, color) }
    }

    /// Returns the bytes from row to row and from slice to slice of the driver's images in rows; `None` where the driver has no
    /// such image over this kind of memory, or leaves the choice to the importer.
    pub fn row_pitches(&self, handle: MemoryHandles, desc: &ImageDesc) -> Option<[u64; 2]> {
        let support = self.physical.image_support(desc.kind, desc.format)?;
        let single = desc.levels == 1 && desc.layers == 1;
        let known = self.info().features.external.memory_import.contains(handle);
        if !known || !single || self.sharing(handle, desc) != Sharing::Rows {
            return None;
        }
        let wanted = shared(desc, &support, handle, Sharing::Rows);
        self.physical.shares_image(&wanted, &support)?;
        let none = ImportedLayout { offset: 0, row_pitch: 0, slice_pitch: 0, modifier: 0 };
        let raw = self.create_shared(&wanted, desc, &support, none).ok()?;
        let rows = self.rows(raw);
        // SAFETY: the image was just created, nothing uses it.
        unsafe { self.raw.destroy_image(raw, None) };
        Some([rows.row_pitch, rows.depth_pitch])
    }
}

fn shared(
    desc: &ImageDesc,
    support: &ImageSupport,
    handle: MemoryHandles,
    sharing: Sharing,
) -> SharedImage {
    let flags = desc.create_info(support).flags;
    let ImageDesc { kind, format, extent, .. } = *desc;
    SharedImage { kind, format, extent, flags, handle, sharing }
}

/// Returns true if the driver's rows of an image are at the places of the texels.
fn has_rows_at(desc: &ImageDesc, layout: ImportedLayout, rows: vk::SubresourceLayout) -> bool {
    let [_, height, depth] = desc.extent;
    let same_rows = (height == 1 && depth == 1) || rows.row_pitch == layout.row_pitch;
    let same_slices = depth == 1 || rows.depth_pitch == layout.slice_pitch;
    rows.offset == 0 && same_rows && same_slices
}
