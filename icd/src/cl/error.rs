//! The error that every internal operation returns: an OpenCL error code.

use crate::cl::*;
use hekla_vk_backend as vk;
use std::borrow::Cow;

/// An OpenCL error code (negative).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("OpenCL error {0}")]
pub struct ClError(pub cl_int);

/// Result of an operation of the runtime.
pub type Result<T> = std::result::Result<T, ClError>;

/// Returns an error with this code.
pub fn fail<T>(code: cl_int) -> Result<T> {
    Err(ClError(code))
}

/// Returns with the error code unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $code:expr) => {
        if !$condition {
            return Err($crate::cl::error::ClError($code));
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

impl ClError {
    /// Returns the error of a memory object for which no memory was allocated: CL_OUT_OF_RESOURCES where the device was lost,
    /// CL_OUT_OF_HOST_MEMORY, else CL_MEM_OBJECT_ALLOCATION_FAILURE.
    pub fn of_allocation(error: &vk::Error) -> ClError {
        ClError(match error {
            vk::Error::DeviceLost => CL_OUT_OF_RESOURCES,
            vk::Error::OutOfHostMemory => CL_OUT_OF_HOST_MEMORY,
            _ => CL_MEM_OBJECT_ALLOCATION_FAILURE,
        })
    }
}

/// Makes [`name`] of a list of codes.
macro_rules! names {
    ($($code:ident),* $(,)?) => {
        /// Returns the name of a code as in cl.h, or its number.
        pub fn name(code: cl_int) -> Cow<'static, str> {
            match code {
                $($code => stringify!($code).into(),)*
                other => format!("error {other}").into(),
            }
        }
    };
}

names! {
    CL_SUCCESS,
    CL_DEVICE_NOT_FOUND,
    CL_DEVICE_NOT_AVAILABLE,
    CL_COMPILER_NOT_AVAILABLE,
    CL_MEM_OBJECT_ALLOCATION_FAILURE,
    CL_OUT_OF_RESOURCES,
    CL_OUT_OF_HOST_MEMORY,
    CL_PROFILING_INFO_NOT_AVAILABLE,
    CL_MEM_COPY_OVERLAP,
    CL_IMAGE_FORMAT_MISMATCH,
    CL_IMAGE_FORMAT_NOT_SUPPORTED,
    CL_BUILD_PROGRAM_FAILURE,
    CL_MAP_FAILURE,
    CL_MISALIGNED_SUB_BUFFER_OFFSET,
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    CL_COMPILE_PROGRAM_FAILURE,
    CL_LINKER_NOT_AVAILABLE,
    CL_LINK_PROGRAM_FAILURE,
    CL_DEVICE_PARTITION_FAILED,
    CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
    CL_INVALID_VALUE,
    CL_INVALID_DEVICE_TYPE,
    CL_INVALID_PLATFORM,
    CL_INVALID_DEVICE,
    CL_INVALID_CONTEXT,
    CL_INVALID_QUEUE_PROPERTIES,
    CL_INVALID_COMMAND_QUEUE,
    CL_INVALID_HOST_PTR,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
    CL_INVALID_IMAGE_SIZE,
    CL_INVALID_SAMPLER,
    CL_INVALID_BINARY,
    CL_INVALID_BUILD_OPTIONS,
    CL_INVALID_PROGRAM,
    CL_INVALID_PROGRAM_EXECUTABLE,
    CL_INVALID_KERNEL_NAME,
    CL_INVALID_KERNEL_DEFINITION,
    CL_INVALID_KERNEL,
    CL_INVALID_ARG_INDEX,
    CL_INVALID_ARG_VALUE,
    CL_INVALID_ARG_SIZE,
    CL_INVALID_KERNEL_ARGS,
    CL_INVALID_WORK_DIMENSION,
    CL_INVALID_WORK_GROUP_SIZE,
    CL_INVALID_WORK_ITEM_SIZE,
    CL_INVALID_GLOBAL_OFFSET,
    CL_INVALID_EVENT_WAIT_LIST,
    CL_INVALID_EVENT,
    CL_INVALID_OPERATION,
    CL_INVALID_GL_OBJECT,
    CL_INVALID_BUFFER_SIZE,
    CL_INVALID_MIP_LEVEL,
    CL_INVALID_GLOBAL_WORK_SIZE,
    CL_INVALID_PROPERTY,
    CL_INVALID_IMAGE_DESCRIPTOR,
    CL_INVALID_COMPILER_OPTIONS,
    CL_INVALID_LINKER_OPTIONS,
    CL_INVALID_DEVICE_PARTITION_COUNT,
    CL_INVALID_PIPE_SIZE,
    CL_INVALID_DEVICE_QUEUE,
    CL_INVALID_SPEC_ID,
    CL_INVALID_SEMAPHORE_KHR,
    CL_MAX_SIZE_RESTRICTION_EXCEEDED,
    CL_INVALID_COMMAND_BUFFER_KHR,
    CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
    CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
    CL_INVALID_MUTABLE_COMMAND_KHR,
    CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR,
    CL_INVALID_EGL_OBJECT_KHR,
}
