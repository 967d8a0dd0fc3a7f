//! Makes and destroys pipelines, with one of several protections against the defect.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use ash::vk;

use crate::gpu::{tried, Gpu};

/// The driver compiles a pipeline that is not in the cache.
const COMPILE: vk::PipelineCreateFlags = vk::PipelineCreateFlags::empty();
/// The driver creates a pipeline from the cache or not at all.
const FROM_CACHE_ALONE: vk::PipelineCreateFlags =
    vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;

/// The protection that keeps a pipeline from running other code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    /// No protection: Vulkan requires none.
    None,
    /// Transfer commands on the dispatch's memory precede the dispatch, with barriers.
    Fill,
    /// Like `Fill`, with one queue for all threads.
    OneQueue,
    /// One thread at a time creates, submits or destroys.
    Lock,
    /// Like `Lock`, but a second device compiles without the lock.
    CompileDevice,
}

impl Protection {
    /// Returns the protection with a name on the command line.
    pub fn named(name: &str) -> Option<Protection> {
        use Protection::*;
        let all = [
            ("none", None),
            ("fill", Fill),
            ("one-queue", OneQueue),
            ("lock", Lock),
            ("compile-device", CompileDevice),
        ];
        all.iter().find(|(known, _)| *known == name).map(|(_, protection)| *protection)
    }

    /// Returns true if transfer commands come before each dispatch.
    pub fn fills(self) -> bool {
        matches!(self, Protection::Fill | Protection::OneQueue)
    }

    fn locks(self) -> bool {
        matches!(self, Protection::Lock | Protection::CompileDevice)
    }
}

/// The pipelines of a device.
pub struct Pipelines<'a> {
    pub gpu: &'a Gpu,
    pub protection: Protection,
    compiler: Option<Gpu>,
    /// The cache of all pipelines that are not created from handed-over data.
    cache: vk::PipelineCache,
    lock: Mutex<()>,
    /// How often the driver did not find a pipeline in handed-over data.
    pub missed: AtomicU64,
}

impl<'a> Pipelines<'a> {
    /// Opens the device that compiles, if the protection needs one.
    pub fn new(gpu: &'a Gpu, protection: Protection) -> Pipelines<'a> {
        let compiles = protection == Protection::CompileDevice;
        Pipelines {
            gpu,
            protection,
            compiler: compiles.then(|| Gpu::open(gpu.instance.clone(), 1)),
            cache: create_cache(gpu, &[]),
            lock: Mutex::new(()),
            missed: AtomicU64::new(0),
        }
    }

    /// Takes the lock of [`Protection::Lock`], if the protection has one.
    pub fn hold(&self) -> Option<MutexGuard<'_, ()>> {
        self.protection.locks().then(|| self.lock.lock().unwrap())
    }

    /// Makes the pipeline of a module.
    pub fn make(&self, words: &[u32]) -> vk::Pipeline {
        let Some(compiler) = &self.compiler else {
            let _held = self.hold();
            return tried(
                "vkCreateComputePipelines",
                self.gpu.create_pipeline(words, self.cache, COMPILE),
            );
        };
        let data = compile(compiler, words);
        let cache = create_cache(self.gpu, &data);
        let made = {
            let _held = self.hold();
            self.gpu.create_pipeline(words, cache, FROM_CACHE_ALONE)
        };
        let made = match made {
            Err(vk::Result::PIPELINE_COMPILE_REQUIRED) => {
                self.missed.fetch_add(1, Ordering::Relaxed);
                let _held = self.hold();
                self.gpu.create_pipeline(words, cache, COMPILE)
            }
            made => made,
        };
        // SAFETY: nothing else knows the cache.
        unsafe { self.gpu.device.destroy_pipeline_cache(cache, None) };
        tried("vkCreateComputePipelines", made)
    }

    /// Destroys a pipeline that no submitted work uses.
    pub fn destroy(&self, pipeline: vk::Pipeline) {
        let _held = self.hold();
        // SAFETY: the caller waited for all that used it.
        unsafe { self.gpu.device.destroy_pipeline(pipeline, None) }
    }
}

/// Returns the cache data of a pipeline that is made only for this data.
fn compile(gpu: &Gpu, words: &[u32]) -> Vec<u8> {
    let cache = create_cache(gpu, &[]);
    let pipeline = tried("vkCreateComputePipelines", gpu.create_pipeline(words, cache, COMPILE));
    // SAFETY: nothing else knows the cache and the pipeline.
    unsafe {
        let data = gpu.device.get_pipeline_cache_data(cache);
        gpu.device.destroy_pipeline(pipeline, None);
        gpu.device.destroy_pipeline_cache(cache, None);
        tried("vkGetPipelineCacheData", data)
    }
}

/// Creates a cache that begins with `data`.
fn create_cache(gpu: &Gpu, data: &[u8]) -> vk::PipelineCache {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    // SAFETY: the data is what the same driver gave.
    tried("vkCreatePipelineCache", unsafe { gpu.device.create_pipeline_cache(&info, None) })
}
