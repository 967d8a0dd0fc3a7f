//! Properties of clCreateBufferWithProperties and clCreateImageWithProperties (tables in spec 5.2.1 and 5.3.1).

use super::property_list::{self, PropertyList, Shape};
use crate::cl::error::{ensure, fail, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::external::memory_handle;
use crate::core::device::Device;
use crate::core::memory::properties::MemoryProperties;
use crate::object::Ref;

/// Returns the shape of the value of an image's property; `None` for an unknown name.
fn shape(name: u64) -> Option<Shape> {
    const DEVICES: u64 = CL_MEM_DEVICE_HANDLE_LIST_KHR as u64;
    match name {
        DEVICES => Some(Shape::List),
        _ => memory_handle(name).map(|_| Shape::One),
    }
}

/// Returns the shape of the value of a buffer's property; `None` for an unknown name.
fn shape_of_buffers(name: u64) -> Option<Shape> {
    const ADDRESS: u64 = CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT as u64;
    match name {
        ADDRESS => Some(Shape::One),
        _ => shape(name),
    }
}

/// Reads and checks a list of a buffer's properties; see [`read`].
///
/// # Safety
/// `pointer` is NULL or the start of a property list.
pub(super) unsafe fn read_of_buffer(
    context: &Ref<Context>,
    pointer: *const cl_mem_properties,
) -> Result<MemoryProperties> {
    // SAFETY: as the caller promises.
    let list = unsafe { property_list::read(pointer, shape_of_buffers) }?;
    check(context, list)
}

/// Reads and checks a list of an image's properties: CL_INVALID_PROPERTY for an unknown or repeated name, a value that its
/// property cannot have, more than one handle, or devices without a handle; CL_INVALID_DEVICE for a device that is not in the
/// context.
///
/// # Safety
/// `pointer` is NULL or the start of a property list.
pub(super) unsafe fn read(
    context: &Ref<Context>,
    pointer: *const cl_mem_properties,
) -> Result<MemoryProperties> {
    // SAFETY: as the caller promises.
    let list = unsafe { property_list::read(pointer, shape) }?;
    check(context, list)
}

fn check(context: &Ref<Context>, list: PropertyList) -> Result<MemoryProperties> {
    let mut all = MemoryProperties { list: list.flat, ..Default::default() };
    for (name, values) in list.entries {
        match (name as u32, &values[..]) {
            (CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, &[value @ 0..=1]) => {
                all.device_address = value == 1
            }
            (CL_MEM_DEVICE_HANDLE_LIST_KHR, handles) => {
                let mut devices = Vec::new();
                for handle in handles {
                    let device = Ref::<Device>::from_handle(*handle as cl_device_id)?;
                    devices.push(context.index_of(&device)?);
                }
                all.devices = Some(devices);
            }
            (_, &[fd]) => {
                let Some(kind) = memory_handle(name) else { return fail(CL_INVALID_PROPERTY) };
                ensure!(all.import.is_none(), CL_INVALID_PROPERTY);
                all.import = Some((kind, fd as i32));
            }
            _ => return fail(CL_INVALID_PROPERTY),
        }
    }
    ensure!(all.devices.is_none() || all.import.is_some(), CL_INVALID_PROPERTY);
    ensure!(all.devices.as_ref().is_none_or(|devices| !devices.is_empty()), CL_INVALID_DEVICE);
    Ok(all)
}
