//! The answers of clGetDeviceInfo about images.

use super::{
    Images, BASE_ADDRESS_ALIGNMENT, MAX_READ_ARGS, MAX_SAMPLERS, MAX_WRITE_ARGS, PITCH_ALIGNMENT,
};
use crate::cl::info::Value;
use crate::cl::*;

/// Answers a query about a device's images, if it has any; `None` for a name that is not about images.
pub fn query(images: Option<&Images>, name: cl_device_info) -> Option<Value> {
    let number = |if_any: u32| Value::of(images.map_or(0, |_| if_any));
    let size = |of: fn(&Images) -> usize| Value::of(images.map_or(0, of));
    Some(match name {
        CL_DEVICE_IMAGE_SUPPORT => Value::bool(images.is_some()),
        CL_DEVICE_IMAGE2D_MAX_WIDTH => size(|images| images.max_2d[0]),
        CL_DEVICE_IMAGE2D_MAX_HEIGHT => size(|images| images.max_2d[1]),
        CL_DEVICE_IMAGE3D_MAX_WIDTH => size(|images| images.max_3d[0]),
        CL_DEVICE_IMAGE3D_MAX_HEIGHT => size(|images| images.max_3d[1]),
        CL_DEVICE_IMAGE3D_MAX_DEPTH => size(|images| images.max_3d[2]),
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => size(|images| images.max_buffer),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => size(|images| images.max_layers),
        CL_DEVICE_MAX_READ_IMAGE_ARGS => number(MAX_READ_ARGS),
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS => number(MAX_WRITE_ARGS),
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => match images {
            Some(images) if images.features.read_write => Value::of(MAX_WRITE_ARGS),
            _ => Value::of(0u32),
        },
        CL_DEVICE_MAX_SAMPLERS => number(MAX_SAMPLERS),
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT => number(PITCH_ALIGNMENT),
        CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => number(BASE_ADDRESS_ALIGNMENT),
        _ => return None,
    })
}
