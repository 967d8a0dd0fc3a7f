//! Compute pipelines: their arguments are push constants, among them numbers of slots in the descriptor set.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk;

use crate::device::{Creation, Device, PipelineDesc, Precompiled};
use crate::error::Error;
use crate::pipeline::stage::{create_layout, Compile, DeviceRef, Made, Stage};
use crate::pipeline::statistics::{self, Statistic};

/// A kernel that is ready to be dispatched.
pub struct Pipeline {
    device: Arc<Device>,
    pub(crate) raw: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    name: Box<str>,
    /// Bytes of push constants, rounded up to a multiple of 4.
    push_constant_size: u32,
    /// The descriptor set, if the kernel uses it.
    pub(crate) set: Option<vk::DescriptorSet>,
    creation: Creation,
    /// True once a batch that dispatches the pipeline is known to be complete, where that matters.
    has_run: AtomicBool,
}

impl Pipeline {
    /// Returns the most bytes of push constants that a dispatch may set: a multiple of 4.
    pub fn push_constant_size(&self) -> u32 {
        self.push_constant_size
    }

    /// Returns the pipeline's name in logs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns how the pipeline was created.
    pub fn creation(&self) -> Creation {
        self.creation
    }

    /// Returns true if a dispatch of the pipeline is known to be complete, on devices of
    /// [`crate::Quirks::COMPILES_IN_DISPATCH`].
    pub(crate) fn has_run(&self) -> bool {
        self.has_run.load(Ordering::Relaxed)
    }

    /// Notes that a dispatch of the pipeline is complete.
    pub(crate) fn note_run(&self) {
        self.has_run.store(true, Ordering::Relaxed);
    }

    /// Returns the device that the pipeline belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline").field("raw", &self.raw).finish_non_exhaustive()
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let _guard = self.device.code.hold();
        // SAFETY: this is the last owner; batches that use the pipeline own it too.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) }
    }
}

/// A pipeline, and the data to store for it.
pub(super) struct Created {
    pub(super) pipeline: Arc<Pipeline>,
    /// Cache data that was not known before; it may be empty.
    pub(super) learnt: Vec<u8>,
}

/// The parts that a pipeline is created from.
pub(super) struct PipelineBuilder<'a> {
    device: &'a Arc<Device>,
    pub(super) desc: &'a PipelineDesc<'a>,
    stage: Stage<'a>,
    layout: vk::PipelineLayout,
    pub(super) push_constant_size: u32,
    start: Instant,
    /// Bytes of cache data from an earlier process.
    pub(super) given: usize,
    /// The time that the compile device took to compile the pipeline.
    pub(super) precompiled: Option<Duration>,
}

impl<'a> PipelineBuilder<'a> {
    /// Makes the parts from which the pipeline is created. `device_ref` is the device itself.
    ///
    /// # Safety
    /// Like [`Device::create_pipeline`].
    pub(super) unsafe fn new(
        device: &'a Arc<Device>,
        device_ref: DeviceRef<'a>,
        desc: &'a PipelineDesc<'a>,
    ) -> Result<PipelineBuilder<'a>, Error> {
        let start = Instant::now();
        let push_constant_size = desc.push_constant_size.next_multiple_of(4);
        let layout = layout(device, device_ref, push_constant_size, desc.uses_images)?;
        // SAFETY: as the caller promises.
        let stage = unsafe { Stage::new(device_ref, desc) }?;
        let (given, precompiled) = (0, None);
        Ok(PipelineBuilder {
            device,
            desc,
            stage,
            layout,
            push_constant_size,
            start,
            given,
            precompiled,
        })
    }

    /// Creates the pipeline; the driver compiles it if it is not in the cache.
    pub(super) fn create_compiled(&self, cache: vk::PipelineCache) -> Result<Arc<Pipeline>, Error> {
        // Drivers return VK_PIPELINE_COMPILE_REQUIRED only if the caller asks for it.
        let unknown = || self.device.fault("vkCreateComputePipelines", vk::Result::ERROR_UNKNOWN);
        self.create(cache, Compile::Allowed)?.ok_or_else(unknown)
    }

    /// Creates the pipeline from a cache, while no other thread uses code if the driver needs that. Returns `None` if the
    /// driver would have to compile, and that is refused.
    pub(super) fn create(
        &self,
        cache: vk::PipelineCache,
        compile: Compile,
    ) -> Result<Option<Arc<Pipeline>>, Error> {
        let made = {
            let _guard = self.device.code.hold();
            self.stage.create_pipeline(self.layout, cache, compile)
        };
        let Made::Pipeline { raw, found } = made? else { return Ok(None) };
        // If the driver cannot be forbidden to compile, `found` shows whether it did.
        let used = compile == Compile::Refused && found != Some(false);
        let creation = Creation {
            given: self.given,
            found: match self.precompiled {
                Some(_) => found.map(|_| false),
                None => found,
            },
            duration: self.start.elapsed(),
            precompiled: self.precompiled.map(|duration| Precompiled { duration, used }),
        };
        tracing::debug!("a pipeline took {creation}");
        if statistics::wanted(&self.device.info().features) {
            let told = statistics::of(self.device, raw);
            let told: Vec<_> = told.iter().map(Statistic::to_string).collect();
            let (constants, told) = (self.desc.specialization, told.join(", "));
            tracing::debug!("its code, for constants {constants:?}: {told}");
        }
        let uses_images = self.desc.uses_images;
        let set = if uses_images { Some(self.device.descriptor_table()?.set) } else { None };
        Ok(Some(Arc::new(Pipeline {
            device: self.device.clone(),
            raw,
            layout: self.layout,
            name: self.desc.name.into(),
            push_constant_size: self.push_constant_size,
            set,
            creation,
            has_run: AtomicBool::new(false),
        })))
    }
}

/// Returns the layout with `size` bytes of push constants, and with the descriptor set if the pipeline uses it. Each layout is
/// created once.
fn layout(
    device: &Device,
    device_ref: DeviceRef<'_>,
    size: u32,
    uses_images: bool,
) -> Result<vk::PipelineLayout, Error> {
    let limit = device.info().limits.max_push_constants;
    if size > limit {
        return Err(Error::Unsupported(format!(
            "{size} bytes of push constants, the device has {limit}"
        )));
    }
    let set = if uses_images { Some(device.descriptor_table()?.layout()) } else { None };
    let mut layouts = device.layouts.lock();
    if let Some(layout) = layouts.get(&(size, uses_images)) {
        return Ok(*layout);
    }
    let layout = create_layout(device_ref, size, set)?;
    layouts.insert((size, uses_images), layout);
    Ok(layout)
}
