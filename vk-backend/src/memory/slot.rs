//! Slots: places of images and samplers in the device's descriptor set, which kernels use by number.

use std::ops::Range;
use std::sync::Arc;

use ash::vk;

use crate::device::{Binding, Device, ROW};
use crate::error::Error;
use crate::memory::{Buffer, Component, Image, ImageDesc};
use crate::physical::{Format, FormatSupport, ImageKind};

/// The objects that a descriptor was made from.
enum Descriptor {
    Image(Arc<Image>),
    ImageView {
        view: vk::ImageView,
        of: Arc<Image>,
        seen: (Format, [Component; 4]),
    },
    /// A view of all levels, and a view of the first level.
    Mipmap {
        views: [vk::ImageView; 2],
        of: Arc<Image>,
        seen: (Format, [Component; 4]),
    },
    BufferView {
        view: vk::BufferView,
        /// A Vulkan buffer of the same memory for this view alone, or null.
        own: vk::Buffer,
        of: Arc<Buffer>,
        format: Format,
        /// The first byte, and the number of texels.
        texels: (u64, u64),
    },
    Sampler(vk::Sampler),
}

/// The texels that kernels see in a slot.
pub struct SeenTexels {
    /// The index of the slot.
    pub slot: u32,
    /// Where the texels are.
    pub place: SeenPlace,
    /// The format of a texel.
    pub format: Format,
    /// The sources of the components that reads return.
    pub components: [Component; 4],
}

/// The place of the texels that kernels see in a slot.
pub enum SeenPlace {
    /// Levels of an image.
    Levels(Arc<Image>, Range<u32>),
    /// From a byte of a buffer on, a number of texels.
    Buffer(Arc<Buffer>, u64, u64),
}

/// The data that is written to a descriptor.
enum Content<'a> {
    Image(&'a [vk::DescriptorImageInfo]),
    BufferView(&'a [vk::BufferView]),
}

/// A place in one of the arrays of the device's descriptor set, or several places in a row. They are free again when the slot
/// is dropped: launches that use the slot retain it.
pub struct Slot {
    device: Arc<Device>,
    binding: Binding,
    /// The slot's index; for a row of slots, the first one's.
    index: u32,
    is_row: bool,
    descriptor: Descriptor,
}

/// The treatment of coordinates outside an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// Coordinates outside take the texel at the edge.
    ClampToEdge,
    /// Coordinates outside take the border colour: zeros, with an alpha of one for formats without alpha.
    ClampToBorder,
    /// The image repeats.
    Repeat,
    /// The image repeats, every second time mirrored.
    MirroredRepeat,
}

/// A description of a sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplerDesc {
    /// The address mode of all dimensions.
    pub address_mode: AddressMode,
    /// True for linear filtering, false for the nearest texel.
    pub linear: bool,
    /// True for coordinates from 0 to 1; false for coordinates that count texels.
    pub normalized: bool,
    /// True if the texels of the images are integers. (The border colour is of the same kind: zeros, but for an alpha of one
    /// where the format has none, table 'Border Texel Components After Replacement'.)
    pub integer: bool,
}

impl Slot {
    /// The number of slots in a row for an image whose levels kernels write.
    pub const LEVELS: u32 = ROW;

    /// Gives an image a slot among those that kernels read ([`Binding::SampledImage`]), or gives one of its levels a slot among
    /// the images that kernels write ([`Binding::StorageImage`]).
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`] when all slots are in use; [`Error::Unsupported`] when kernels cannot use the image
    /// so.
    pub fn of_image(image: &Arc<Image>, binding: Binding, level: u32) -> Result<Arc<Slot>, Error> {
        let view = match binding {
            Binding::SampledImage => Some(image.views.sampled),
            Binding::StorageImage => image.views.storage.get(level as usize).copied(),
            _ => None,
        };
        let no_view = || Error::Unsupported("kernels cannot use the image so".into());
        let info = [vk::DescriptorImageInfo::default()
            .image_view(view.ok_or_else(no_view)?)
            .image_layout(vk::ImageLayout::GENERAL)];
        let content = Content::Image(&info);
        Slot::write(image.device(), binding, Descriptor::Image(image.clone()), content)
    }

    /// Gives the levels of an image [`Slot::LEVELS`] slots in a row among those that kernels write ([`Binding::StorageImage`]);
    /// the last level gets all slots that are left.
    ///
    /// # Errors
    /// Like [`Slot::of_image`]; [`Error::Unsupported`] for more levels.
    pub fn of_levels(image: &Arc<Image>) -> Result<Arc<Slot>, Error> {
        let unsupported = || Error::Unsupported("kernels cannot use the image so".into());
        let last = image.views.storage.last().ok_or_else(unsupported)?;
        let mut info = [vk::DescriptorImageInfo::default()
            .image_view(*last)
            .image_layout(vk::ImageLayout::GENERAL); Slot::LEVELS as usize];
        let levels = info.get_mut(..image.views.storage.len()).ok_or_else(unsupported)?;
        for (info, view) in levels.iter_mut().zip(&image.views.storage) {
            info.image_view = *view;
        }
        let content = Content::Image(&info);
        let descriptor = Descriptor::Image(image.clone());
        Slot::write(image.device(), Binding::StorageImage, descriptor, content)
    }

    /// Gives an image a slot among those that kernels read, for reads with a format, either the image's own or its
    /// [`Format::srgb`], and with these components.
    ///
    /// # Errors
    /// Like [`Slot::of_image`]; [`Error::Invalid`] for another format.
    pub fn of_view(
        image: &Arc<Image>,
        format: Format,
        components: [Component; 4],
    ) -> Result<Arc<Slot>, Error> {
        check_format(image.desc(), format)?;
        let view = image.create_sampled_view(format, components, image.desc().levels)?;
        let info = [vk::DescriptorImageInfo::default()
            .image_view(view)
            .image_layout(vk::ImageLayout::GENERAL)];
        let descriptor =
            Descriptor::ImageView { view, of: image.clone(), seen: (format, components) };
        Slot::write(image.device(), Binding::SampledImage, descriptor, Content::Image(&info))
    }

    /// Like [`Slot::of_view`], but gives the image [`Slot::LEVELS`] slots in a row: the first slot is for all levels, the
    /// others are for the first level alone, which samplers need whose coordinates count texels.
    ///
    /// # Errors
    /// Like [`Slot::of_view`].
    pub fn of_mipmap(
        image: &Arc<Image>,
        format: Format,
        components: [Component; 4],
    ) -> Result<Arc<Slot>, Error> {
        let (device, levels) = (image.device(), image.desc().levels);
        check_format(image.desc(), format)?;
        let all = image.create_sampled_view(format, components, levels)?;
        let first = image.create_sampled_view(format, components, 1).inspect_err(|_| {
            let of = image.clone();
            let seen = (format, components);
            Descriptor::ImageView { view: all, of, seen }.destroy(device);
        })?;
        let mut info = [vk::DescriptorImageInfo::default()
            .image_view(first)
            .image_layout(vk::ImageLayout::GENERAL); Slot::LEVELS as usize];
        info[0].image_view = all;
        let descriptor = Descriptor::Mipmap {
            views: [all, first],
            of: image.clone(),
            seen: (format, components),
        };
        Slot::write(device, Binding::SampledImage, descriptor, Content::Image(&info))
    }

    /// Gives `texels` texels at `offset` of a buffer a slot among those that kernels read
    /// ([`Binding::UniformTexelBuffer`]) or write ([`Binding::StorageTexelBuffer`]).
    ///
    /// # Errors
    /// Like [`Slot::of_image`]; [`Error::Invalid`] for an offset that is not aligned
    /// ([`crate::Limits::min_texel_buffer_offset_alignment`]), or texels that reach beyond the buffer's end;
    /// [`Error::Unsupported`] for formats and numbers of texels that the device does not have in buffers.
    pub fn of_buffer(
        buffer: &Arc<Buffer>,
        binding: Binding,
        format: Format,
        (offset, texels): (u64, u64),
    ) -> Result<Arc<Slot>, Error> {
        let device = buffer.device();
        check_view(buffer, binding, format, (offset, texels))?;
        let own = buffer_for_views(buffer, binding, format)?;
        let info = vk::BufferViewCreateInfo::default()
            .buffer(own.unwrap_or(buffer.raw))
            .format(format.0)
            .offset(offset)
            .range(texels * u64::from(format.bytes()));
        let own = own.unwrap_or_default();
        // SAFETY: the range is in the buffer, and the device has such views, as was just checked.
        let view = unsafe { device.raw.create_buffer_view(&info, None) }.map_err(|e| {
            // SAFETY: it was just created, or is null.
            unsafe { device.raw.destroy_buffer(own, None) };
            device.fault("vkCreateBufferView", e)
        })?;
        if binding == Binding::StorageTexelBuffer {
            // To ask for the address counts the buffer as one that kernels may write and the host reads.
            buffer.address();
        }
        let descriptor = Descriptor::BufferView {
            view,
            own,
            of: buffer.clone(),
            format,
            texels: (offset, texels),
        };
        Slot::write(device, binding, descriptor, Content::BufferView(&[view]))
    }

    /// Makes a sampler and gives it a slot.
    ///
    /// # Errors
    /// Like [`Slot::of_image`], and the driver's.
    pub fn of_sampler(device: &Arc<Device>, desc: &SamplerDesc) -> Result<Arc<Slot>, Error> {
        let sampler = create_sampler(device, desc)?;
        let info = [vk::DescriptorImageInfo::default().sampler(sampler)];
        let content = Content::Image(&info);
        Slot::write(device, Binding::Sampler, Descriptor::Sampler(sampler), content)
    }

    fn write(
        device: &Arc<Device>,
        binding: Binding,
        descriptor: Descriptor,
        content: Content<'_>,
    ) -> Result<Arc<Slot>, Error> {
        let is_row = matches!(content, Content::Image(info) if info.len() > 1);
        let taken = device.descriptor_table().and_then(|table| {
            let index = match is_row {
                true => table.take_row(binding, &device.info().limits),
                false => table.take(binding, &device.info().limits),
            };
            Ok((table, index.ok_or(Error::OutOfDeviceMemory)?))
        });
        let (table, index) = taken.inspect_err(|_| descriptor.destroy(device))?;
        let write = vk::WriteDescriptorSet::default()
            .dst_set(table.set)
            .dst_binding(binding.number())
            .dst_array_element(index)
            .descriptor_type(binding.descriptor_type());
        let write = match content {
            Content::Image(info) => write.image_info(info),
            Content::BufferView(views) => write.texel_buffer_view(views),
        };
        // SAFETY: no launch that is not complete uses the slot, and no other thread writes it. (Other slots may be
        // written at the same time: the binding is UPDATE_AFTER_BIND.) The slot keeps what the view is of.
        unsafe { device.raw.update_descriptor_sets(&[write], &[]) };
        Ok(Arc::new(Slot { device: device.clone(), binding, index, is_row, descriptor }))
    }

    /// Returns the slot's index in the array of its binding; for a row of slots, the first one's.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns the binding whose array the slot is in.
    pub fn binding(&self) -> Binding {
        self.binding
    }

    /// Returns the texels that kernels see in the slot, or in each slot of a row; none for a sampler.
    pub fn seen(&self) -> Vec<SeenTexels> {
        let at = |number: u32, place, (format, components)| SeenTexels {
            slot: self.index + number,
            place,
            format,
            components,
        };
        match &self.descriptor {
            Descriptor::Image(image) if self.binding == Binding::SampledImage => {
                let desc = image.desc();
                let place = SeenPlace::Levels(image.clone(), 0..desc.levels);
                vec![at(0, place, (desc.read_as, desc.components))]
            }
            Descriptor::Image(image) => {
                let last = image.desc().levels.saturating_sub(1);
                let seen = (image.desc().format, Component::IDENTITY);
                let level = |number: u32| {
                    let level = number.min(last);
                    at(number, SeenPlace::Levels(image.clone(), level..level + 1), seen)
                };
                (0..if self.is_row { ROW } else { 1 }).map(level).collect()
            }
            Descriptor::ImageView { of, seen, .. } => {
                vec![at(0, SeenPlace::Levels(of.clone(), 0..of.desc().levels), *seen)]
            }
            Descriptor::Mipmap { of, seen, .. } => {
                let levels = |number| if number == 0 { of.desc().levels } else { 1 };
                let slot =
                    |number| at(number, SeenPlace::Levels(of.clone(), 0..levels(number)), *seen);
                (0..2).map(slot).collect()
            }
            Descriptor::BufferView { of, format, texels, .. } => {
                let place = SeenPlace::Buffer(of.clone(), texels.0, texels.1);
                vec![at(0, place, (*format, Component::IDENTITY))]
            }
            Descriptor::Sampler(_) => Vec::new(),
        }
    }

    /// Returns the image in the slot.
    pub fn image(&self) -> Option<&Arc<Image>> {
        match &self.descriptor {
            Descriptor::Image(image)
            | Descriptor::ImageView { of: image, .. }
            | Descriptor::Mipmap { of: image, .. } => Some(image),
            Descriptor::BufferView { .. } | Descriptor::Sampler(_) => None,
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Ok(table) = self.device.descriptor_table() {
            match self.is_row {
                true => table.give_back_row(self.binding, self.index),
                false => table.give_back(self.binding, self.index),
            }
        }
        self.descriptor.destroy(&self.device);
    }
}

impl Descriptor {
    /// Destroys the objects that were made for the slot, which no launch uses any more.
    fn destroy(&self, device: &Device) {
        // SAFETY: launches retain the slots that they use.
        unsafe {
            match self {
                Descriptor::Image(_) => {}
                Descriptor::ImageView { view, .. } => device.raw.destroy_image_view(*view, None),
                Descriptor::Mipmap { views, .. } => {
                    views.iter().for_each(|view| device.raw.destroy_image_view(*view, None));
                }
                Descriptor::BufferView { view, own, .. } => {
                    device.raw.destroy_buffer_view(*view, None);
                    device.raw.destroy_buffer(*own, None);
                }
                Descriptor::Sampler(sampler) => device.raw.destroy_sampler(*sampler, None),
            }
        }
    }
}

/// Checks that kernels can read an image as a format.
fn check_format(desc: &ImageDesc, format: Format) -> Result<(), Error> {
    if format != desc.format && (Some(format), ImageKind::D2) != (desc.format.srgb(), desc.kind) {
        return Err(Error::Invalid("a view of another format".into()));
    }
    Ok(())
}

/// Makes a Vulkan buffer for views of a format that the device supports in one kind of views alone: a view's format must be
/// good for all usages of its buffer (VUID-VkBufferViewCreateInfo-buffer-00933 and -00934). `None` for other formats, and for
/// memory that is one buffer's alone, where the rule is broken.
fn buffer_for_views(
    buffer: &Buffer,
    binding: Binding,
    format: Format,
) -> Result<Option<vk::Buffer>, Error> {
    let usage = match binding {
        Binding::StorageTexelBuffer => vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER,
        _ => vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER,
    };
    match buffer.device().physical.texel_buffer_support(format).both {
        true => Ok(None),
        false => buffer.create_for_views(usage),
    }
}

/// Checks the arguments of [`Slot::of_buffer`].
fn check_view(
    buffer: &Buffer,
    binding: Binding,
    format: Format,
    (offset, texels): (u64, u64),
) -> Result<(), Error> {
    let device = buffer.device();
    let (limits, support) = (&device.info().limits, device.physical.texel_buffer_support(format));
    let possible = match binding {
        Binding::UniformTexelBuffer => support.read,
        Binding::StorageTexelBuffer => support.write,
        _ => false,
    };
    if !possible || !(1..=u64::from(limits.max_texel_buffer_elements)).contains(&texels) {
        return Err(Error::Unsupported("the device has no such view of a buffer".into()));
    }
    let aligned = offset.is_multiple_of(limits.min_texel_buffer_offset_alignment);
    if !aligned || !buffer.contains(offset, texels * u64::from(format.bytes())) {
        return Err(Error::Invalid("a view of a buffer that is not aligned or not in it".into()));
    }
    Ok(())
}

fn create_sampler(device: &Device, desc: &SamplerDesc) -> Result<vk::Sampler, Error> {
    let mode = match desc.address_mode {
        AddressMode::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        AddressMode::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        AddressMode::Repeat => vk::SamplerAddressMode::REPEAT,
        AddressMode::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
    };
    let (filter, mipmaps) = match desc.linear {
        true => (vk::Filter::LINEAR, vk::SamplerMipmapMode::LINEAR),
        false => (vk::Filter::NEAREST, vk::SamplerMipmapMode::NEAREST),
    };
    let border = match desc.integer {
        true => vk::BorderColor::INT_TRANSPARENT_BLACK,
        false => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
    };
    let info = vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .mipmap_mode(if desc.normalized { mipmaps } else { vk::SamplerMipmapMode::NEAREST })
        .address_mode_u(mode)
        .address_mode_v(mode)
        .address_mode_w(mode)
        .max_lod(if desc.normalized { vk::LOD_CLAMP_NONE } else { 0.0 })
        .border_color(border)
        .unnormalized_coordinates(!desc.normalized);
    // SAFETY: the device is alive, `info` outlives the call.
    unsafe { device.raw.create_sampler(&info, None) }
        .map_err(|e| device.fault("vkCreateSampler", e))
}
