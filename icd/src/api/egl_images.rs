//! Images of EGL (cl_khr_egl_image).

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::egl::{self, Exported};
use crate::core::memory::flags;
use crate::core::memory::image::{Image, Request};
use crate::core::memory::properties::{MemoryProperties, Origin, TexelPlace};
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use hekla_vk_backend as vk;
use hekla_vk_backend::platform::Descriptor;

/// Makes an image of the memory that EGL exported.
fn import(context: &Ref<Context>, flags: cl_mem_flags, exported: &Exported) -> Result<Ref<Image>> {
    let desc = cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        image_width: exported.size[0],
        image_height: exported.size[1],
        image_depth: 1,
        image_array_size: 1,
        image_row_pitch: exported.row_pitch,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: std::ptr::null_mut(),
    };
    let properties = MemoryProperties {
        import: Some((vk::MemoryHandles::DMA_BUF, exported.fd)),
        place: TexelPlace { offset: exported.offset, modifier: exported.modifier },
        origin: Origin::Egl,
        ..MemoryProperties::default()
    };
    let request = Request {
        flags,
        format: Some(exported.format),
        desc: Some(&desc),
        host: None,
        properties,
        pitch_error: CL_IMAGE_FORMAT_NOT_SUPPORTED,
    };
    Image::new(context, request)
}

entry! {
    /// clCreateFromEGLImageKHR.
    fn clCreateFromEGLImageKHR(
        context: cl_context,
        egldisplay: CLeglDisplayKHR,
        eglimage: CLeglImageKHR,
        flags: cl_mem_flags,
        properties: *const cl_egl_image_properties_khr,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        // SAFETY: the list is as the API requires. There are no properties.
        let none = properties.is_null() || unsafe { properties.read() } == 0;
        ensure!(none, CL_INVALID_VALUE);
        flags::check(flags)?;
        ensure!(flags & flags::HOST_POINTER == 0, CL_INVALID_VALUE);
        let has_images = context.devices.iter().any(|device| device.images().is_some());
        ensure!(has_images, CL_INVALID_OPERATION);
        let exported = egl::export(egldisplay as usize, eglimage as usize)?;
        let image = import(&context, flags, &exported).map_err(|error| {
            // An import that fails does not take the descriptor over.
            Descriptor::close(exported.fd);
            match error.0 {
                CL_OUT_OF_HOST_MEMORY | CL_OUT_OF_RESOURCES | CL_INVALID_VALUE => error,
                _ => ClError(CL_IMAGE_FORMAT_NOT_SUPPORTED),
            }
        })?;
        Ok(image.expose())
    }
}
