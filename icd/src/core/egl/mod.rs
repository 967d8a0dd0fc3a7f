//! Memory of EGL's images: EGL exports it as a dma_buf (EGL_MESA_image_dma_buf_export).
//!
//! EGL is the library that the process has loaded. It reports the format of an image and the position of its rows, but not its
//! size. OpenGL ES reports the size, of a texture that is made of the image, in a temporary context. All of this runs on a
//! thread of its own, since contexts and errors belong to threads.

pub mod fences;
mod functions;

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use functions::Functions;

/// The description of an image that EGL exported.
pub struct Exported {
    /// The dma_buf, which the caller owns.
    pub fd: i32,
    pub format: cl_image_format,
    /// Width and height in texels.
    pub size: [usize; 2],
    /// Bytes from row to row.
    pub row_pitch: usize,
    /// Bytes from the beginning of the dma_buf to the first row.
    pub offset: u64,
    /// The order of the texels (DRM format modifier).
    pub modifier: u64,
}

/// Extensions of a display that the export needs.
const EXTENSIONS: [&str; 3] =
    ["EGL_MESA_image_dma_buf_export", "EGL_KHR_surfaceless_context", "EGL_KHR_no_config_context"];

/// DRM's formats, with OpenCL's formats for the same texels.
const FORMATS: [(&[u8; 4], cl_uint, cl_uint); 9] = [
    (b"AB24", CL_RGBA, CL_UNORM_INT8),
    (b"XB24", CL_RGBA, CL_UNORM_INT8),
    (b"AR24", CL_BGRA, CL_UNORM_INT8),
    (b"XR24", CL_BGRA, CL_UNORM_INT8),
    (b"R8  ", CL_R, CL_UNORM_INT8),
    (b"GR88", CL_RG, CL_UNORM_INT8),
    (b"R16 ", CL_R, CL_UNORM_INT16),
    (b"GR32", CL_RG, CL_UNORM_INT16),
    (b"AB4H", CL_RGBA, CL_HALF_FLOAT),
];

/// Returns OpenCL's format for texels of a DRM format.
fn format_of(fourcc: u32) -> Option<cl_image_format> {
    let found = FORMATS.iter().find(|(name, ..)| **name == fourcc.to_le_bytes());
    found.map(|(_, order, data_type)| cl_image_format {
        image_channel_order: *order,
        image_channel_data_type: *data_type,
    })
}

/// Exports the memory of an image of a display.
///
/// # Errors
/// CL_INVALID_VALUE if the handle is not an initialized display; CL_INVALID_EGL_OBJECT_KHR if the display has no such image, or
/// if the process has not loaded EGL; CL_IMAGE_FORMAT_NOT_SUPPORTED for images that the display does not export, for images of
/// several planes, and for formats that OpenCL does not have.
pub fn export(display: usize, image: usize) -> Result<Exported> {
    let functions = Functions::find().ok_or(ClError(CL_INVALID_EGL_OBJECT_KHR))?;
    // Without a display EGL lists its client extensions.
    ensure!(display != 0, CL_INVALID_VALUE);
    let thread =
        hekla_vk_backend::spawn("hekla egl", move || export_here(functions, display, image));
    let thread = thread.map_err(|_| ClError(CL_OUT_OF_HOST_MEMORY))?;
    thread.join().unwrap_or(fail(CL_OUT_OF_RESOURCES))
}

fn export_here(functions: &Functions, display: usize, image: usize) -> Result<Exported> {
    let offered = functions.extensions(display).ok_or(ClError(CL_INVALID_VALUE))?;
    let lacks = |name: &&&str| !offered.split(' ').any(|other| other == **name);
    if let Some(name) = EXTENSIONS.iter().find(lacks) {
        tracing::info!("an image of EGL: the display lacks {name}");
        return fail(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    }
    let unsupported = ClError(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    let size = functions.size_of(display, image).map_err(|known| match known {
        true => unsupported,
        false => ClError(CL_INVALID_EGL_OBJECT_KHR),
    })?;
    let layout = functions.layout_of(display, image).ok_or(unsupported)?;
    let format = format_of(layout.fourcc);
    if layout.planes != 1 || format.is_none() {
        let name = String::from_utf8_lossy(&layout.fourcc.to_le_bytes()).into_owned();
        tracing::info!("an image of EGL: {name} in {} planes has no format here", layout.planes);
    }
    ensure!(layout.planes == 1, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    let format = format.ok_or(unsupported)?;
    let plane = functions.export(display, image).ok_or(unsupported)?;
    Ok(Exported {
        fd: plane.fd,
        format,
        size,
        row_pitch: plane.stride as usize,
        offset: plane.offset as u64,
        modifier: layout.modifier,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_drm_are_opencls() {
        let format = format_of(u32::from_le_bytes(*b"AR24")).unwrap();
        assert_eq!(format.image_channel_order, CL_BGRA);
        assert_eq!(format.image_channel_data_type, CL_UNORM_INT8);
        assert!(format_of(u32::from_le_bytes(*b"NV12")).is_none());
    }
}
