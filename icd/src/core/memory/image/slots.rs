//! Images as kernels use them: as arguments of a type of image, whose value is a word.

use super::shadow::ShadowUse;
use super::{Image, Texels};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::{arg_info, *};
use crate::core::device::images::format::{Layout, StoreOrder};
use crate::core::device::images::Access;
use crate::core::device::Device;
use hekla_compiler::kernel::{image_word, ImageAccess, ImageDim};
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use std::sync::Arc;
use vk::Binding;

/// The slots of an image in the descriptor arrays of a device, taken when a kernel first uses them. They are free again when
/// the image is destroyed and the launches that use them are complete.
#[derive(Default)]
pub struct Slots {
    /// The slot for kernels that only read.
    read: OnceCell<Arc<vk::Slot>>,
    /// The slot for kernels that write, or read and write.
    write: OnceCell<Arc<vk::Slot>>,
    /// The words by which kernels know the image, by kind of access. If there is a word, the device allows the access.
    words: [OnceCell<u32>; 3],
}

/// The resources that a launch needs to use an image with a shadow.
pub struct Bound {
    /// The word by which the kernel knows the image.
    pub word: u32,
    /// The image's slot, which the launch must retain.
    pub slot: Arc<vk::Slot>,
    /// The copies that are necessary before and after the launch.
    pub shadow: ShadowUse,
}

impl Slots {
    /// Returns the slot of an image or of a shadow, for kernels that write or for kernels that only read.
    pub(super) fn of_image(
        &self,
        image: &Arc<vk::Image>,
        layout: &Layout,
        writes: bool,
    ) -> Result<Arc<vk::Slot>> {
        let (desc, seen) = (image.desc(), (layout.read_as, layout.components));
        self.get_or_make(writes, || match writes {
            true if desc.levels > 1 => vk::Slot::of_levels(image),
            true => vk::Slot::of_image(image, Binding::StorageImage, 0),
            false if desc.levels > 1 => {
                vk::Slot::of_mipmap(image, layout.read_as, layout.components)
            }
            false if seen == (desc.read_as, desc.components) => {
                vk::Slot::of_image(image, Binding::SampledImage, 0)
            }
            false => vk::Slot::of_view(image, layout.read_as, layout.components),
        })
    }

    fn get_or_make(
        &self,
        writes: bool,
        make: impl FnOnce() -> std::result::Result<Arc<vk::Slot>, vk::Error>,
    ) -> Result<Arc<vk::Slot>> {
        let slot = if writes { &self.write } else { &self.read };
        let made = slot.get_or_try_init(make);
        made.cloned().map_err(|error| match error {
            vk::Error::Unsupported(_) => ClError(CL_INVALID_MEM_OBJECT),
            error => error.into(),
        })
    }
}

impl Image {
    /// Returns true if the image can be an argument of a type of image.
    pub fn is_of(&self, dim: ImageDim, depth: bool) -> bool {
        let is_depth = self.format.image_channel_order == CL_DEPTH;
        self.shape.image_type == arg_info::image_type(dim) && (is_depth || !depth)
    }

    /// Returns true if the flags of the image allow a kernel's kind of access.
    pub fn allows(&self, access: ImageAccess) -> bool {
        let forbidden = match access {
            ImageAccess::ReadOnly => CL_MEM_WRITE_ONLY,
            ImageAccess::WriteOnly => CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT,
            ImageAccess::ReadWrite => CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_IMMUTABLE_EXT,
        };
        // Kernels cannot write depths of images that also have a stencil.
        let reads = access == ImageAccess::ReadOnly;
        self.flags & forbidden == 0 && (reads || self.check_plain().is_ok())
    }

    /// Returns the access that kernels on a device have to images of this type and format.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION on a device without images, CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED.
    pub fn check_device(&self, device: &Device) -> Result<Access> {
        let images = device.images().ok_or(ClError(CL_INVALID_OPERATION))?;
        ensure!(self.shape.fits(images), CL_INVALID_IMAGE_SIZE);
        let access = images.access(self.shape.image_type, self.format);
        ensure!(access.read || access.write, CL_IMAGE_FORMAT_NOT_SUPPORTED);
        Ok(access)
    }

    /// Checks that kernels on a device can access the image in this way.
    ///
    /// # Errors
    /// Like [`Image::check_device`].
    fn check_use(&self, device: &Device, access: ImageAccess) -> Result<()> {
        let offered = self.check_device(device)?;
        let offered = match access {
            ImageAccess::ReadOnly => offered.read,
            ImageAccess::WriteOnly => offered.write,
            ImageAccess::ReadWrite => offered.read_write,
        };
        ensure!(offered, CL_IMAGE_FORMAT_NOT_SUPPORTED);
        Ok(())
    }

    /// Returns true if the components of a colour are stored in another order, or one of them stands for several.
    pub fn is_reordered(&self) -> bool {
        let order = self.told_format().image_channel_order;
        self.layout.store.is_some_and(|store| store != StoreOrder::Rgba)
            || matches!(order, CL_LUMINANCE | CL_INTENSITY)
    }

    /// Returns the word by which a kernel on a device knows the image, and the slot, which the launch must retain; `None` for
    /// images with shadows, which [`Image::bind_shadow`] binds. `index`: the device's position in the context.
    ///
    /// # Errors
    /// Like [`Image::check_device`]; CL_INVALID_MEM_OBJECT for formats that kernels on the device cannot access in this way.
    pub fn argument(
        &self,
        device: &Device,
        index: usize,
        access: ImageAccess,
    ) -> Result<Option<(u32, Arc<vk::Slot>)>> {
        if let Texels::Shadowed(..) | Texels::OwnBuffer(..) = &self.texels {
            self.check_use(device, access)?;
            return Ok(None);
        }
        let slots = self.slots.get(index).ok_or(ClError(CL_INVALID_DEVICE))?;
        let (word, slot, writes) = match access {
            ImageAccess::ReadOnly => (&slots.words[0], &slots.read, false),
            ImageAccess::WriteOnly => (&slots.words[1], &slots.write, true),
            ImageAccess::ReadWrite => (&slots.words[2], &slots.write, true),
        };
        if let (Some(word), Some(slot)) = (word.get(), slot.get()) {
            return Ok(Some((*word, slot.clone())));
        }
        self.check_use(device, access)?;
        let slot = self.slot(index, writes)?;
        let word = word.get_or_try_init(|| self.word(index, &slot, writes))?;
        Ok(Some((*word, slot)))
    }

    /// Returns the resources that a launch needs to use the shadow of the image on a device. `writes`: the kernel does not only
    /// read. `queue`: the queue that runs the launch; `None` for a launch in a recording.
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT for formats that kernels on the device cannot access in this way, and for images without a shadow.
    pub fn bind_shadow(
        &self,
        device: usize,
        writes: bool,
        queue: Option<&Arc<vk::Queue>>,
    ) -> Result<Bound> {
        let (shadow, used) = self.shadow(device, queue, writes)?;
        let slot = shadow.slots.of_image(&shadow.image, &self.layout, writes)?;
        Ok(Bound { word: self.word(device, &slot, writes)?, slot, shadow: used })
    }

    /// Returns the word by which a kernel on a device knows the image in a slot. It enables the device's samplers only for
    /// kernels that do not write.
    fn word(&self, device: usize, slot: &vk::Slot, writes: bool) -> Result<u32> {
        let told = self.told_format();
        let order = told.image_channel_order - image_word::CL_R;
        let data_type = told.image_channel_data_type - image_word::CL_SNORM_INT8;
        let store = self.layout.store.map_or(0, |store| store as u32);
        let filters = match writes {
            true => vk::Filters::empty(),
            false => {
                let is_solid = self.shape.image_type == CL_MEM_OBJECT_IMAGE3D;
                self.context.gpus[device].filters(is_solid)?
            }
        };
        // The device's samplers with unnormalized coordinates require images of one level.
        let is_mipmap = self.shape.is_mipmap();
        let filtered = !is_mipmap && filters.intersects(vk::Filters::of(self.layout.read_as));
        let word = slot.index()
            | order << image_word::ORDER_SHIFT
            | data_type << image_word::TYPE_SHIFT
            | store << image_word::STORE_SHIFT
            | u32::from(filtered) << image_word::FILTERED_SHIFT
            | u32::from(is_mipmap) << image_word::MIPMAP_SHIFT;
        Ok(word)
    }

    /// Returns the image's own slot on a device.
    fn slot(&self, device: usize, writes: bool) -> Result<Arc<vk::Slot>> {
        let slots = self.slots.get(device).ok_or(ClError(CL_INVALID_DEVICE))?;
        let Texels::Buffer(parent) = &self.texels else {
            return slots.of_image(&self.on_device(device)?, &self.layout, writes);
        };
        let binding = match writes {
            true => Binding::StorageTexelBuffer,
            false => Binding::UniformTexelBuffer,
        };
        let range = (parent.origin as u64, self.shape.width as u64);
        let buffer = parent.on_device(device)?;
        let format = self.layout.format;
        slots.get_or_make(writes, || vk::Slot::of_buffer(&buffer, binding, format, range))
    }
}
