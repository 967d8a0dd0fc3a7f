//! What the properties of clCreateBufferWithProperties ask for.

use crate::api::cl::*;
use crate::core::error::{ensure, fail, Result};

/// Properties of a buffer.
#[derive(Default)]
pub struct BufferProperties {
    /// As given, with the terminating zero; empty when none were given (CL_MEM_PROPERTIES).
    pub list: Vec<cl_mem_properties>,
    /// The application asks for device addresses (CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT).
    pub device_address: bool,
}

impl BufferProperties {
    /// Reads a list of pairs. CL_INVALID_PROPERTY for a name that does not exist or comes again, or a
    /// value that its property cannot have.
    pub fn read(list: Vec<cl_mem_properties>) -> Result<BufferProperties> {
        let mut device_address = None;
        for pair in list.chunks_exact(2) {
            match (pair[0], pair[1]) {
                (name, value @ 0..=1) if name == u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT) => {
                    ensure!(device_address.is_none(), CL_INVALID_PROPERTY);
                    device_address = Some(value == u64::from(CL_TRUE));
                }
                _ => return fail(CL_INVALID_PROPERTY),
            }
        }
        Ok(BufferProperties { list, device_address: device_address.unwrap_or(false) })
    }
}
