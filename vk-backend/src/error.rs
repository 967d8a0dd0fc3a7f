//! Errors, in the few kinds that a caller can act on.

use ash::vk;

/// An error of the backend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no Vulkan loader, or it is too old, or no instance can be made: a sentence gives the reason.
    #[error("{0}")]
    NoVulkan(String),
    /// The host is out of memory.
    #[error("out of host memory")]
    OutOfHostMemory,
    /// The device is out of memory.
    #[error("out of device memory")]
    OutOfDeviceMemory,
    /// The device was lost (crashed, hung or was unplugged). Every later call on it returns the same error.
    #[error("the device was lost")]
    DeviceLost,
    /// The device does not support the request: a sentence says what is missing.
    #[error("{0}")]
    Unsupported(String),
    /// A buffer larger than the device can make.
    #[error("a buffer of {size} bytes was asked for, the device's largest is {limit}")]
    TooLarge {
        /// The size that was asked for, in bytes.
        size: u64,
        /// The largest size that the device can make.
        limit: u64,
    },
    /// The caller broke a rule of this layer: a sentence names the rule.
    #[error("{0}")]
    Invalid(String),
    /// Any other failure of a Vulkan call.
    #[error("{call} failed with VkResult {code}")]
    Vulkan {
        /// Name of the Vulkan function.
        call: &'static str,
        /// The `VkResult`.
        code: i32,
    },
}

impl Error {
    /// Returns true if the host or the device is out of memory.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::OutOfDeviceMemory | Error::OutOfHostMemory)
    }

    /// Returns the error for `result` of the Vulkan function `call`.
    pub(crate) fn from_vk(call: &'static str, result: vk::Result) -> Error {
        match result {
            vk::Result::ERROR_OUT_OF_HOST_MEMORY => Error::OutOfHostMemory,
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_TOO_MANY_OBJECTS => {
                Error::OutOfDeviceMemory
            }
            vk::Result::ERROR_DEVICE_LOST => Error::DeviceLost,
            other => Error::Vulkan { call, code: other.as_raw() },
        }
    }
}
