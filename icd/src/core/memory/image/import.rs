//! Images of another API's memory (cl_khr_external_memory): the descriptor's pitches give the position of rows.
//!
//! If Vulkan can make an image of the memory in place, kernels use this image. Otherwise, and in contexts of several devices,
//! the memory becomes a buffer; launches copy the texels from it to a shadow, and back.

use super::desc::Shape;
use super::Texels;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::image_copy::NewImage;
use crate::core::device::images::format::Layout;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::properties::{Import, MemoryProperties, TexelPlace};
use crate::object::Ref;
use hekla_vk_backend as vk;
use hekla_vk_backend::platform::Descriptor;

/// The result of an import of memory for an image.
pub(super) struct Imported {
    pub texels: Texels,
    pub import: Import,
    /// The shape, with the pitches of the memory.
    pub shape: Shape,
    /// Bytes from the first texel to the last.
    pub size: usize,
}

/// Imports the memory that properties name for the texels of an image, and takes over the descriptor. `told`: the application
/// gave the position of rows; otherwise the driver's pitches count.
///
/// # Errors
/// Errors of clCreateBufferWithProperties, but with CL_INVALID_IMAGE_SIZE if the memory is too small;
/// CL_INVALID_IMAGE_DESCRIPTOR for pitches that are too large.
pub(super) fn texels(
    context: &Ref<Context>,
    flags: cl_mem_flags,
    properties: &MemoryProperties,
    (shape, told): (Shape, bool),
    layout: &Layout,
) -> Result<Imported> {
    let handle = properties.import.ok_or(ClError(CL_INVALID_PROPERTY))?;
    let shape = match told {
        true => shape,
        false => with_driver_pitches(context, handle.0, shape, layout),
    };
    let texel = layout.texel();
    let size = shape.size_in_buffer(texel).and_then(|_| shape.host_size(texel));
    let size = size.ok_or(ClError(CL_INVALID_IMAGE_DESCRIPTOR))?;
    let (place, origin) = (properties.place, properties.origin);
    match in_place(context, handle, place, &shape, layout) {
        Ok(texels) => {
            let import = Import { origin, devices: context.devices.clone(), home: 0 };
            return Ok(Imported { texels, import, shape, size });
        }
        Err(reason) => tracing::info!("launches copy the texels of an imported image: {reason}"),
    }
    // A buffer can only hold texels in rows, and Vulkan copies texels only from and to offsets that are multiples of four
    // bytes.
    let whole = place.offset.is_multiple_of(texel.max(4) as u64);
    ensure!(place.modifier == 0 && whole, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    let import = (handle, properties.devices.as_deref());
    let bytes = Buffer::imported(context, flags, (place.offset as usize, size), import).map_err(
        |error| match error.0 {
            CL_INVALID_BUFFER_SIZE => ClError(CL_INVALID_IMAGE_SIZE),
            _ => error,
        },
    )?;
    let import = bytes.import.clone().ok_or(ClError(CL_INVALID_MEM_OBJECT))?;
    let import = Import { origin, ..import };
    Ok(Imported { texels: Texels::own_buffer(bytes), import, shape, size })
}

/// Makes an image of the memory in place. The error is the reason why that is not possible.
fn in_place(
    context: &Context,
    (kind, fd): (vk::MemoryHandles, i32),
    place: TexelPlace,
    shape: &Shape,
    layout: &Layout,
) -> std::result::Result<Texels, String> {
    let [gpu] = &context.gpus[..] else { return Err("the context has several devices".into()) };
    let desc = shape.image(layout).ok_or("there is no such image")?;
    let own = Descriptor::duplicate_of(fd).ok_or("there is no such descriptor")?;
    let place = vk::ImportedLayout {
        offset: place.offset,
        row_pitch: shape.row_pitch as u64,
        slice_pitch: shape.slice_pitch as u64,
        modifier: place.modifier,
    };
    let image = gpu.device.import_image(&own, kind, &desc, place).map_err(|e| e.to_string())?;
    Descriptor::close(fd);
    Ok(Texels::Single(NewImage::imported(image)))
}

/// Returns the shape with the pitches that the driver uses for images in such memory, if the driver reports any.
fn with_driver_pitches(
    context: &Context,
    kind: vk::MemoryHandles,
    shape: Shape,
    layout: &Layout,
) -> Shape {
    let driver = |desc| context.gpus.first()?.device.row_pitches(kind, &desc);
    let Some([row, slice]) = shape.image(layout).and_then(driver) else { return shape };
    let [row_pitch, slice_pitch] = [row as usize, slice as usize];
    let fits = row_pitch >= shape.row_pitch && row_pitch.is_multiple_of(layout.texel());
    match shape.depth {
        _ if !fits => shape,
        0 => Shape { row_pitch, ..shape },
        _ if slice_pitch.is_multiple_of(row_pitch) => Shape { row_pitch, slice_pitch, ..shape },
        _ => shape,
    }
}
