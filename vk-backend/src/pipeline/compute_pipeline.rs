//! Compute pipelines without descriptor sets: their arguments are push constants.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk;

use crate::device::{CompiledApart, Creation, Device, PipelineDesc};
use crate::error::Error;
use crate::pipeline::stage::{create_layout, Compile, Made, Site, Stage};

/// A kernel that is ready to be dispatched.
pub struct Pipeline {
    device: Arc<Device>,
    pub(crate) raw: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    /// Rounded up to a multiple of 4.
    push_constant_size: u32,
    creation: Creation,
}

impl Pipeline {
    /// Returns the most bytes of push constants that a dispatch may set: a multiple of 4.
    pub fn push_constant_size(&self) -> u32 {
        self.push_constant_size
    }

    /// Returns how it was created.
    pub fn creation(&self) -> Creation {
        self.creation
    }

    /// Returns the device it belongs to.
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

/// A pipeline, and what there is to store of it.
pub(super) struct Created {
    pub(super) pipeline: Arc<Pipeline>,
    /// Cache data that was not known before; may be empty.
    pub(super) learnt: Vec<u8>,
}

/// A pipeline that is about to be created.
pub(super) struct Draft<'a> {
    device: &'a Arc<Device>,
    pub(super) desc: &'a PipelineDesc<'a>,
    stage: Stage<'a>,
    layout: vk::PipelineLayout,
    push_constant_size: u32,
    start: Instant,
    /// Bytes of cache data from an earlier process.
    pub(super) given: usize,
    /// How long the compile device has compiled it.
    pub(super) compiled_apart: Option<Duration>,
}

impl<'a> Draft<'a> {
    /// Makes what the pipeline is created from. `site` is the device itself.
    ///
    /// # Safety
    /// As [`Device::create_pipeline`].
    pub(super) unsafe fn new(
        device: &'a Arc<Device>,
        site: Site<'a>,
        desc: &'a PipelineDesc<'a>,
    ) -> Result<Draft<'a>, Error> {
        let start = Instant::now();
        let push_constant_size = desc.push_constant_size.next_multiple_of(4);
        let layout = layout(device, site, push_constant_size)?;
        // SAFETY: as the caller promises.
        let stage = unsafe { Stage::new(site, desc) }?;
        let (given, compiled_apart) = (0, None);
        Ok(Draft { device, desc, stage, layout, push_constant_size, start, given, compiled_apart })
    }

    /// Creates the pipeline; the driver compiles what it does not find in the cache.
    pub(super) fn create_compiled(&self, cache: vk::PipelineCache) -> Result<Arc<Pipeline>, Error> {
        // The specification reports VK_PIPELINE_COMPILE_REQUIRED only to those who ask for it.
        let unknown = || self.device.fault("vkCreateComputePipelines", vk::Result::ERROR_UNKNOWN);
        self.create(cache, Compile::Allowed)?.ok_or_else(unknown)
    }

    /// Creates the pipeline from what is in a cache, while no other thread uses code if that must be. Returns
    /// `None` if it would have to be compiled, and that is refused.
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
        // Where the driver cannot be told to refuse, `found` says what it did.
        let taken = compile == Compile::Refused && found != Some(false);
        let creation = Creation {
            given: self.given,
            found: match self.compiled_apart {
                Some(_) => found.map(|_| false),
                None => found,
            },
            duration: self.start.elapsed(),
            compiled_apart: self.compiled_apart.map(|duration| CompiledApart { duration, taken }),
        };
        tracing::debug!("a pipeline took {creation}");
        Ok(Some(Arc::new(Pipeline {
            device: self.device.clone(),
            raw,
            layout: self.layout,
            push_constant_size: self.push_constant_size,
            creation,
        })))
    }
}

/// Returns the layout with `size` bytes of push constants and nothing else; created once.
fn layout(device: &Device, site: Site<'_>, size: u32) -> Result<vk::PipelineLayout, Error> {
    let limit = device.info().limits.max_push_constants;
    if size > limit {
        return Err(Error::Unsupported(format!(
            "{size} bytes of push constants, the device has {limit}"
        )));
    }
    let mut layouts = device.layouts.lock();
    if let Some(layout) = layouts.get(&size) {
        return Ok(*layout);
    }
    let layout = create_layout(site, size)?;
    layouts.insert(size, layout);
    Ok(layout)
}
