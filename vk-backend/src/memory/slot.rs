//! Slots: places of images and samplers in the device's descriptor set, which kernels know by number.

use std::sync::Arc;

use ash::vk;

use crate::device::{Binding, Device};
use crate::error::Error;
use crate::memory::Image;

/// What a descriptor is written from.
enum Descriptor {
    Image(Arc<Image>),
    Sampler(vk::Sampler),
}

/// A place in one of the arrays of the device's descriptor set. It is free again when the slot is dropped: launches
/// that use it retain it.
pub struct Slot {
    device: Arc<Device>,
    binding: Binding,
    index: u32,
    descriptor: Descriptor,
}

/// How coordinates outside an image are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The texel at the edge.
    ClampToEdge,
    /// The border colour: zeros, and one for the alpha of formats without.
    ClampToBorder,
    /// The image repeats.
    Repeat,
    /// The image repeats, every second time reversed.
    MirroredRepeat,
}

/// A description of a sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplerDesc {
    /// The address mode of all dimensions.
    pub address_mode: AddressMode,
    /// True for linear filtering, false for the nearest texel.
    pub linear: bool,
    /// False: coordinates count texels.
    pub normalized: bool,
    /// True if the texels of the images are integers. (The border is of the same kind: zeros, but for an alpha of one
    /// where the format has none, table 'Border Texel Components After Replacement'.)
    pub integer: bool,
}

impl Slot {
    /// Gives an image a slot among those that kernels read ([`Binding::SampledImage`]), or a level of it one among
    /// those that they write ([`Binding::StorageImage`]).
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`] when all slots are in use; [`Error::Unsupported`] when kernels cannot use the image
    /// so.
    pub fn of_image(image: &Arc<Image>, binding: Binding, level: u32) -> Result<Arc<Slot>, Error> {
        let view = match binding {
            Binding::SampledImage => Some(image.sampled),
            Binding::StorageImage => image.storage.get(level as usize).copied(),
            _ => None,
        };
        let no_view = || Error::Unsupported("kernels cannot use the image so".into());
        let info = [vk::DescriptorImageInfo::default()
            .image_view(view.ok_or_else(no_view)?)
            .image_layout(vk::ImageLayout::GENERAL)];
        Slot::write(image.device(), binding, Descriptor::Image(image.clone()), &info)
    }

    /// Makes a sampler and gives it a slot.
    ///
    /// # Errors
    /// As [`Slot::of_image`], and the driver's.
    pub fn of_sampler(device: &Arc<Device>, desc: &SamplerDesc) -> Result<Arc<Slot>, Error> {
        let sampler = create_sampler(device, desc)?;
        let info = [vk::DescriptorImageInfo::default().sampler(sampler)];
        Slot::write(device, Binding::Sampler, Descriptor::Sampler(sampler), &info)
    }

    fn write(
        device: &Arc<Device>,
        binding: Binding,
        descriptor: Descriptor,
        info: &[vk::DescriptorImageInfo],
    ) -> Result<Arc<Slot>, Error> {
        let table = device.descriptor_table()?;
        let index = table.take(binding, &device.info().limits).ok_or(Error::OutOfDeviceMemory)?;
        let write = vk::WriteDescriptorSet::default()
            .dst_set(table.set)
            .dst_binding(binding.number())
            .dst_array_element(index)
            .descriptor_type(binding.descriptor_type())
            .image_info(info);
        // SAFETY: no launch that is not complete uses the slot, and no other thread writes it. (Other slots may be
        // written at the same time: the binding is UPDATE_AFTER_BIND.) The slot keeps what the view is of.
        unsafe { device.raw.update_descriptor_sets(&[write], &[]) };
        Ok(Arc::new(Slot { device: device.clone(), binding, index, descriptor }))
    }

    /// Returns its place in the array of its binding.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns its array.
    pub fn binding(&self) -> Binding {
        self.binding
    }

    /// Returns the image in it.
    pub fn image(&self) -> Option<&Arc<Image>> {
        match &self.descriptor {
            Descriptor::Image(image) => Some(image),
            Descriptor::Sampler(_) => None,
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Ok(table) = self.device.descriptor_table() {
            table.give_back(self.binding, self.index);
        }
        if let Descriptor::Sampler(sampler) = self.descriptor {
            // SAFETY: launches retain the slots that they use.
            unsafe { self.device.raw.destroy_sampler(sampler, None) };
        }
    }
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
