//! Bounce buffers: memory of the host that several devices import, through which bytes move from one device to another. One
//! device copies the bytes to the bounce buffer and the other copies them from it; the host itself copies nothing.
//!
//! Each device imports its own mapping of the memory. NVIDIA's driver 580 refuses to import addresses that another device has
//! imported, and accepts other addresses of the same pages.

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
/// The most bounce buffers that a context keeps for reuse.
const KEEP: usize = 8;

/// One bounce buffer.
pub struct BounceBuffer {
    memory: Arc<HostMemory>,
    /// The bounce buffer as each device's buffer, by the device's position in the context.
    imports: Vec<OnceCell<Arc<vk::Buffer>>>,
}

impl BounceBuffer {
    fn new(gpus: &[Arc<Gpu>]) -> Option<BounceBuffer> {
        // The alignment of each device is a power of two, so the largest is a multiple of all.
        let page = gpus.iter().map(|gpu| alignment(&gpu.device)).max()?;
        let memory = Arc::new(HostMemory::new(BOUNCE, page, true)?);
        Some(BounceBuffer { memory, imports: gpus.iter().map(|_| OnceCell::new()).collect() })
    }

    /// Returns the bounce buffer as a device's buffer; `None` if the device does not import it, or imports it only as memory
    /// that is not coherent.
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
    /// Devices that cannot import a bounce buffer.
    without: Mutex<Vec<usize>>,
}

impl Bounces {
    pub fn new(gpus: Vec<Arc<Gpu>>) -> Arc<Bounces> {
        Arc::new(Bounces { gpus, idle: Mutex::default(), without: Mutex::default() })
    }

    /// Calls `f` with a bounce buffer, as a buffer of each of two devices of the context. Returns `None` if one of the devices
    /// cannot import it.
    ///
    /// If `f` fails, the bounce buffer is not used again, since a device may still use it.
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
