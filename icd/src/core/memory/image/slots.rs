//! Image words: the numbers by which kernels know images.

use super::{Image, Texels};
use crate::cl::error::{ClError, Result};
use crate::cl::*;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use std::sync::Arc;
use vk::Binding;

/// The places of an image in the descriptor set of a device, made when a kernel first uses them. They are free again
/// when the image is gone and the launches that use them are complete.
#[derive(Default)]
pub struct Slots {
    /// For kernels that only read.
    read: OnceCell<Arc<vk::Slot>>,
    /// For kernels that write, or read and write.
    write: OnceCell<Arc<vk::Slot>>,
}

impl Image {
    /// Returns the word by which a kernel on a device knows the image (`compiler/src/kernel.rs` says what is in it),
    /// and what the launch is to retain. `writes`: it does not only read.
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT for formats that kernels on the device cannot use so.
    pub fn word(&self, device: usize, writes: bool) -> Result<(u32, Arc<vk::Slot>)> {
        let slots = self.slots.get(device).ok_or(ClError(CL_INVALID_DEVICE))?;
        let slot = if writes { &slots.write } else { &slots.read };
        let slot = slot.get_or_try_init(|| self.make_slot(device, writes))?;
        let order = self.format.image_channel_order - CL_R;
        let data_type = self.format.image_channel_data_type - CL_SNORM_INT8;
        let store = self.layout.store.map_or(0, |store| store as u32);
        Ok((slot.index() | order << 16 | data_type << 21 | store << 26, slot.clone()))
    }

    fn make_slot(&self, device: usize, writes: bool) -> Result<Arc<vk::Slot>> {
        let made = match &self.texels {
            Texels::Buffer(parent) => {
                let buffer = parent.on_device(device)?;
                let binding = match writes {
                    true => Binding::StorageTexelBuffer,
                    false => Binding::UniformTexelBuffer,
                };
                let range = (parent.origin as u64, self.shape.width as u64);
                vk::Slot::of_buffer(&buffer, binding, self.layout.format, range)
            }
            Texels::Single(_) | Texels::Replicas(_) => {
                let image = self.on_device(device)?;
                let binding = match writes {
                    true => Binding::StorageImage,
                    false => Binding::SampledImage,
                };
                vk::Slot::of_image(&image, binding, 0)
            }
        };
        made.map_err(|error| match error {
            vk::Error::Unsupported(_) => ClError(CL_INVALID_MEM_OBJECT),
            error => error.into(),
        })
    }
}
