//! OpenCL's functions through the ICD loader, and as many of its constants as sequences need.

use cl3::OpenClRuntime;

/// The result of a call of a function that the loader lacks.
pub const MISSING: i32 = -9999;

/// Returns the loader's functions.
pub fn cl() -> &'static OpenClRuntime {
    match cl3::load_library() {
        Ok(library) => library,
        Err(error) => panic!("no OpenCL ICD loader (libOpenCL.so.1): {error}"),
    }
}

/// Calls a function that returns a status; evaluates to the status.
macro_rules! call {
    ($name:ident($($arg:expr),* $(,)?)) => {
        $crate::attack::sequences::api::cl()
            .$name($($arg),*)
            .unwrap_or($crate::attack::sequences::api::MISSING)
    };
}

/// Calls a function that returns a value and writes its status to a last argument; evaluates to the value, or to the
/// status as an error.
macro_rules! make {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let mut status = 0;
        let made = $crate::attack::sequences::api::cl().$name($($arg,)* &mut status);
        match (made, status) {
            (Some(made), 0) => Ok(made),
            (Some(_), status) => Err(status),
            (None, _) => Err($crate::attack::sequences::api::MISSING),
        }
    }};
}

/// Makes a message of a status that is not CL_SUCCESS.
macro_rules! done {
    ($name:ident($($arg:expr),* $(,)?)) => {
        match $crate::attack::sequences::api::call!($name($($arg),*)) {
            0 => Ok(()),
            status => Err(format!("{} gives {status}", stringify!($name))),
        }
    };
}

pub(super) use {call, done, make};

/// The result of a step of a sequence; the error is the reason why the sequence failed.
pub type Result<T> = std::result::Result<T, String>;

/// Makes a message of the status of a function that makes something.
pub fn made<T>(name: &str, made: std::result::Result<T, i32>) -> Result<T> {
    made.map_err(|status| format!("{name} gives {status}"))
}

pub const CL_MEM_READ_WRITE: u64 = 1;
pub const CL_MEM_READ_ONLY: u64 = 4;
pub const CL_MEM_USE_HOST_PTR: u64 = 8;
pub const CL_MEM_ALLOC_HOST_PTR: u64 = 16;
pub const CL_MEM_COPY_HOST_PTR: u64 = 32;
pub const CL_MEM_HOST_WRITE_ONLY: u64 = 1 << 7;
pub const CL_MEM_HOST_READ_ONLY: u64 = 1 << 8;
pub const CL_MEM_HOST_NO_ACCESS: u64 = 1 << 9;
pub const CL_MEM_SVM_FINE_GRAIN_BUFFER: u64 = 1 << 10;

pub const CL_MAP_READ: u64 = 1;
pub const CL_MAP_WRITE: u64 = 2;
pub const CL_MAP_WRITE_INVALIDATE_REGION: u64 = 4;

pub const CL_INVALID_VALUE: i32 = -30;
pub const CL_INVALID_CONTEXT: i32 = -34;
pub const CL_INVALID_COMMAND_QUEUE: i32 = -36;
pub const CL_INVALID_MEM_OBJECT: i32 = -38;
pub const CL_INVALID_PROGRAM: i32 = -44;
pub const CL_INVALID_KERNEL: i32 = -48;
pub const CL_INVALID_ARG_INDEX: i32 = -49;
pub const CL_INVALID_ARG_SIZE: i32 = -51;
pub const CL_INVALID_KERNEL_ARGS: i32 = -52;
pub const CL_INVALID_WORK_DIMENSION: i32 = -53;
pub const CL_INVALID_WORK_GROUP_SIZE: i32 = -54;
pub const CL_INVALID_EVENT_WAIT_LIST: i32 = -57;
pub const CL_INVALID_EVENT: i32 = -58;
pub const CL_INVALID_OPERATION: i32 = -59;
pub const CL_INVALID_BUFFER_SIZE: i32 = -61;
pub const CL_MEM_COPY_OVERLAP: i32 = -8;
pub const CL_IMAGE_FORMAT_MISMATCH: i32 = -9;
pub const CL_IMAGE_FORMAT_NOT_SUPPORTED: i32 = -10;
pub const CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: i32 = -14;
