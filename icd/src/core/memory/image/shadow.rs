//! Shadows: the images that kernels see in place of images whose texels are a buffer's bytes. A shadow is an image of the
//! device that has the texels while a launch runs: they are copied to the shadow before the launch, and back after it if the
//! launch writes.

use super::slots::Slots;
use super::{Image, Texels};
use crate::cl::error::{fail, ClError, Result};
use crate::cl::*;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use vk::ImageBox;

/// A shadow. It belongs to one queue or one recording, whose barriers order the launches that use it.
pub struct Shadow {
    pub(super) image: Arc<vk::Image>,
    pub(super) slots: Slots,
}

/// The shadows of an image on a device, for each queue whose launches use it.
#[derive(Default)]
pub struct Shadows(Mutex<Vec<(Weak<vk::Queue>, Arc<Shadow>)>>);

impl Shadows {
    /// Returns the shadow of a queue, or a new one if `queue` is `None`.
    fn of(
        &self,
        queue: Option<&Arc<vk::Queue>>,
        make: impl FnOnce() -> Result<Arc<vk::Image>>,
    ) -> Result<Arc<Shadow>> {
        let make = || Ok(Arc::new(Shadow { image: make()?, slots: Slots::default() }));
        let Some(queue) = queue else { return make() };
        let mut known = self.0.lock();
        known.retain(|(owner, _)| owner.strong_count() > 0);
        let found = known.iter().find(|(owner, _)| std::ptr::eq(owner.as_ptr(), &**queue));
        if let Some((_, shadow)) = found {
            return Ok(shadow.clone());
        }
        let shadow = make()?;
        known.push((Arc::downgrade(queue), shadow.clone()));
        Ok(shadow)
    }
}

/// The use of a shadow by a launch.
pub struct ShadowUse {
    image: Arc<vk::Image>,
    buffer: Arc<vk::Buffer>,
    place: vk::TexelPlace,
    writes: bool,
}

impl Image {
    /// Returns the shadow for a launch on a device, and the launch's use of it.
    pub(super) fn shadow(
        &self,
        device: usize,
        queue: Option<&Arc<vk::Queue>>,
        writes: bool,
    ) -> Result<(Arc<Shadow>, ShadowUse)> {
        let (Texels::Shadowed(bytes, shadows) | Texels::OwnBuffer(bytes, shadows)) = &self.texels
        else {
            return fail(CL_INVALID_MEM_OBJECT);
        };
        let shadows = shadows.get(device).ok_or(ClError(CL_INVALID_DEVICE))?;
        let gpu = &self.context.gpus[device];
        let shadow = shadows.of(queue, || {
            let desc = self.shape.image(&self.layout).ok_or(ClError(CL_INVALID_MEM_OBJECT))?;
            Ok(gpu.create_image(&desc)?.ready(gpu)?.clone())
        })?;
        let (image, buffer) = (shadow.image.clone(), bytes.on_device(device)?);
        let place = vk::TexelPlace {
            offset: bytes.origin as u64,
            row_length: (self.shape.row_pitch / self.layout.texel()) as u32,
            slice_rows: (self.shape.slice_pitch / self.shape.row_pitch) as u32,
        };
        Ok((shadow, ShadowUse { image, buffer, place, writes }))
    }
}

/// Adds a shadow to the shadows that a launch uses, each at most once.
pub fn add(uses: &mut Vec<ShadowUse>, new: ShadowUse) {
    match uses.iter_mut().find(|known| Arc::ptr_eq(&known.image, &new.image)) {
        Some(known) => known.writes |= new.writes,
        None => uses.push(new),
    }
}

/// Copies the bytes of the buffers to the shadows, before a launch.
pub fn load(uses: &[ShadowUse], recorder: &mut vk::Recorder) {
    if uses.is_empty() {
        return;
    }
    // Earlier launches may still use the shadows, even if the order of the commands does not matter.
    recorder.barrier_behind_all();
    for used in uses {
        recorder.copy_to_image(&used.buffer, used.place, &used.image, whole(&used.image));
    }
    recorder.barrier();
}

/// Copies the texels that a launch wrote to the buffers.
pub fn store(uses: &[ShadowUse], recorder: &mut vk::Recorder) {
    let written = || uses.iter().filter(|used| used.writes);
    if written().next().is_some() {
        recorder.barrier();
    }
    for used in written() {
        recorder.copy_from_image(&used.image, whole(&used.image), &used.buffer, used.place);
    }
}

fn whole(image: &vk::Image) -> ImageBox {
    ImageBox::of_level(image, 0)
}
