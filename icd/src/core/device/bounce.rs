//! Bounce buffers: memory of the host that several devices import, through which bytes go from one device to another: the
//! one copies them there, the other from there, and the host itself copies nothing.
//!
//! Each device imports a mapping of its own: NVIDIA's driver 580 refuses to import addresses for a device that another has
//! imported, and takes other addresses of the same pages.

use super::import_pool::alignment;
use super::open::Gpu;
use super::pages::HostMemory;
use crate::cl::error::Result;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::sync::Arc;

/// Bytes of a bounce buffer.
pub(crate) const BOUNCE: usize = 32 << 20;
/// The most of them that a context keeps for reuse.
const KEEP: usize = 8;

/// One bounce buffer.
pub struct BounceBuffer {
    memory: Arc<HostMemory>,
    /// It as a device's buffer, by the device's position in the context.
    imports: Vec<OnceCell<Arc<vk::Buffer>>>,
}

impl BounceBuffer {
    fn new(gpus: &[Arc<Gpu>]) -> Option<BounceBuffer> {
        // A power of two for each device: the largest is a multiple of all.
        let page = gpus.iter().map(|gpu| alignment(&gpu.device)).max()?;
        let memory = Arc::new(HostMemory::new(BOUNCE, page, true)?);
        Some(BounceBuffer { memory, imports: gpus.iter().map(|_| OnceCell::new()).collect() })
    }

    /// Returns it as a device's buffer; `None` where the device does not import it, or as memory that is not coherent.
    fn import(&self, gpus: &[Arc<Gpu>], device: usize) -> Option<Arc<vk::Buffer>> {
        let gpu = &gpus[device];
        let import = || {
            let start = self.memory.again(alignment(&gpu.device)).ok_or(())? as *mut u8;
            // SAFETY: the pages are as aligned and as large as the device wants them, and the buffer keeps them.
            let bytes =
                unsafe { gpu.device.import_host_of(start, BOUNCE as u64, self.memory.clone()) };
            bytes.ok().filter(|bytes| bytes.is_coherent()).ok_or(())
        };
        self.imports.get(device)?.get_or_try_init(import).ok().cloned()
    }
}

/// The bounce buffers of a context.
pub struct Bounces {
    /// The devices of the context.
    gpus: Vec<Arc<Gpu>>,
    idle: Mutex<Vec<BounceBuffer>>,
    /// Devices that import none.
    without: Mutex<Vec<usize>>,
}

impl Bounces {
    pub fn new(gpus: Vec<Arc<Gpu>>) -> Arc<Bounces> {
        Arc::new(Bounces { gpus, idle: Mutex::default(), without: Mutex::default() })
    }

    /// Does something with a bounce buffer, as a buffer of each of two devices of the context. `None` where one of them imports
    /// none.
    ///
    /// If `f` fails, a device may still use the bounce buffer: then it is not used again.
    pub fn with<R>(
        &self,
        devices: [usize; 2],
        f: impl FnOnce([&Arc<vk::Buffer>; 2]) -> Result<R>,
    ) -> Option<Result<R>> {
        let gpus = &self.gpus;
        let imports = |device: &usize| gpus[*device].device.info().memory.host_import;
        if !devices.iter().all(imports) || devices.iter().any(|d| self.without.lock().contains(d)) {
            return None;
        }
        let idle = self.idle.lock().pop();
        let Some(bounce) = idle.or_else(|| BounceBuffer::new(gpus)) else {
            tracing::debug!("the system gives no memory for a bounce buffer");
            self.without.lock().extend(devices);
            return None;
        };
        let import = |device: usize| {
            let bytes = bounce.import(gpus, device);
            if bytes.is_none() {
                tracing::debug!("device {device} imports no bounce buffer");
                self.without.lock().push(device);
            }
            bytes
        };
        let [from, to] = [import(devices[0])?, import(devices[1])?];
        let result = f([&from, &to]);
        let mut idle = self.idle.lock();
        if result.is_ok() && idle.len() < KEEP {
            idle.push(bounce);
        }
        Some(result)
    }
}
