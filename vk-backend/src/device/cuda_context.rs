//! The primary CUDA context of an NVIDIA GPU, which keeps the GPU's clocks up while the context exists. Nothing runs in it.
//!
//! The functions belong to the CUDA Driver API; the library comes with the driver that Vulkan uses and is loaded at run time.

use crate::physical::DeviceInfo;
use crate::platform;
use libloading::Library;
use std::ffi::{c_char, c_int, CString};
use std::sync::Arc;

/// CUresult; 0 is success.
type Status = c_int;
/// CUdevice: an ordinal.
type Ordinal = c_int;

const SUCCESS: Status = 0;

/// CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, and CU_COMPUTEMODE_DEFAULT: several processes may have contexts at the same time.
const COMPUTE_MODE: c_int = 20;
const SHARED: c_int = 0;

/// A device as CUDA knows it.
pub struct Cuda {
    library: Library,
    device: Ordinal,
}

/// A reference to a device's primary context.
pub struct CudaContext(Arc<Cuda>);

impl Cuda {
    /// Loads CUDA, and finds a device by its place on the bus.
    ///
    /// # Errors
    /// A sentence for the log: the library is absent, or CUDA does not see the device (`CUDA_VISIBLE_DEVICES`) or would keep
    /// other processes from using it (compute mode).
    pub fn load(info: &DeviceInfo) -> Result<Cuda, String> {
        let name = platform::CUDA_LIBRARY.ok_or("CUDA is not looked for on this system")?;
        let place = info.pci.ok_or("the driver does not tell the device's place on the bus")?;
        let place = format!(
            "{:04x}:{:02x}:{:02x}.{:x}",
            place.domain, place.bus, place.device, place.function
        );
        let place = CString::new(place).map_err(|error| error.to_string())?;
        // SAFETY: the library is the driver's own. What it runs when it is loaded sets up state of its own alone, and no
        // thread of ours is in exit() here: that waits for jobs in the background.
        let library = unsafe { Library::new(name) }.map_err(|error| error.to_string())?;
        // SAFETY: cuInit takes flags, which must be 0 (CUDA Driver API, Initialization).
        call(unsafe {
            function::<unsafe extern "C" fn(u32) -> Status>(&library, b"cuInit\0")?(0)
        })?;
        let mut device: Ordinal = 0;
        // SAFETY: the first argument is valid for writing, the second a string that ends with a zero.
        call(unsafe {
            function::<unsafe extern "C" fn(*mut Ordinal, *const c_char) -> Status>(
                &library,
                b"cuDeviceGetByPCIBusId\0",
            )?(&mut device, place.as_ptr())
        })?;
        let mut mode = SHARED;
        // SAFETY: the first argument is valid for writing, the last a device that CUDA has just named.
        call(unsafe {
            function::<unsafe extern "C" fn(*mut c_int, c_int, Ordinal) -> Status>(
                &library,
                b"cuDeviceGetAttribute\0",
            )?(&mut mode, COMPUTE_MODE, device)
        })?;
        if mode != SHARED {
            return Err(
                "one process at a time may use CUDA on it, which is not to be this one".into()
            );
        }
        Ok(Cuda { library, device })
    }

    /// Retains the primary context of the device. Takes some 0.1 s, and some hundred MiB of the device's memory, if the process
    /// has no context yet. Work of the process that the device cannot interrupt must not run meanwhile
    /// ([`super::Device::while_idle`]): the driver ends it after five seconds.
    ///
    /// # Errors
    /// A sentence for the log: the device has no room.
    pub fn retain(self: &Arc<Self>) -> Result<CudaContext, String> {
        let mut context = std::ptr::null_mut();
        // SAFETY: the first argument is valid for writing, the second a device that CUDA has just named.
        call(unsafe {
            function::<unsafe extern "C" fn(*mut *mut std::ffi::c_void, Ordinal) -> Status>(
                &self.library,
                b"cuDevicePrimaryCtxRetain\0",
            )?(&mut context, self.device)
        })?;
        Ok(CudaContext(self.clone()))
    }
}

impl Drop for CudaContext {
    fn drop(&mut self) {
        type Release = unsafe extern "C" fn(Ordinal) -> Status;
        // SAFETY: the reference that `retain` took is given back once.
        let released = function::<Release>(&self.0.library, b"cuDevicePrimaryCtxRelease_v2\0")
            .and_then(|release| call(unsafe { release(self.0.device) }));
        if let Err(error) = released {
            tracing::debug!("the CUDA context is not released: {error}");
        }
    }
}

/// Returns a function of the library. By calling it, the caller vouches for its type.
fn function<F: Copy>(library: &Library, name: &[u8]) -> Result<F, String> {
    // SAFETY: callers use the types of the CUDA Driver API; the library stays loaded while it is used.
    let found = unsafe { library.get::<F>(name) };
    found.map(|symbol| *symbol).map_err(|error| error.to_string())
}

fn call(status: Status) -> Result<(), String> {
    match status {
        SUCCESS => Ok(()),
        error => Err(format!("CUDA error {error}")),
    }
}
