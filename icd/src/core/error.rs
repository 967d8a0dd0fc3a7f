//! The error that every internal operation returns: an OpenCL error code.

use crate::api::cl::*;
use hekla_vk_backend as vk;

/// An OpenCL error code (negative).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("OpenCL error {0}")]
pub struct ClError(pub cl_int);

/// Result of an operation of the runtime.
pub type Result<T> = std::result::Result<T, ClError>;

/// An error with this code.
pub fn fail<T>(code: cl_int) -> Result<T> {
    Err(ClError(code))
}

/// Returns with the error code unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $code:expr) => {
        if !$condition {
            return Err($crate::core::error::ClError($code));
        }
    };
}
pub(crate) use ensure;

impl From<vk::Error> for ClError {
    fn from(error: vk::Error) -> ClError {
        tracing::error!("{error}");
        ClError(match error {
            vk::Error::OutOfHostMemory => CL_OUT_OF_HOST_MEMORY,
            vk::Error::OutOfDeviceMemory => CL_MEM_OBJECT_ALLOCATION_FAILURE,
            _ => CL_OUT_OF_RESOURCES,
        })
    }
}
