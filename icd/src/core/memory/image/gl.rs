//! Images for the contents of OpenGL's textures and renderbuffers (cl_khr_gl_sharing).

use super::desc::{PitchRule, Shape};
use super::{images_of, Image, Request};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::images::format;
use crate::core::gl::{Memory, Object, Shared, Source};
use crate::core::memory::buffer::{no_memory, Buffer};
use crate::core::memory::flags;
use crate::core::memory::properties::{MemoryProperties, Origin, TexelPlace};
use crate::object::Ref;
use hekla_vk_backend as vk;

/// Returns the descriptor of an image with the size of an object of OpenGL.
fn desc_of(object: &Object) -> cl_image_desc {
    let [width, height, depth] = object.size;
    let image_type = object.image_type();
    let layers = match image_type {
        CL_MEM_OBJECT_IMAGE1D_ARRAY => height,
        _ => depth,
    };
    cl_image_desc {
        image_type,
        image_width: width,
        image_height: height,
        image_depth: depth,
        image_array_size: layers,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: std::ptr::null_mut(),
    }
}

/// Returns the request for an image of an object of OpenGL.
fn request<'a>(
    flags: cl_mem_flags,
    object: &Object,
    desc: &'a cl_image_desc,
    properties: MemoryProperties,
) -> Request<'a> {
    Request {
        flags,
        format: object.texels.map(|texels| texels.stored),
        desc: Some(desc),
        host: None,
        properties,
        pitch_error: CL_INVALID_IMAGE_DESCRIPTOR,
    }
}

impl Image {
    /// Returns an image in memory that OpenGL exported; `None` if the memory cannot be imported.
    pub(in crate::core::memory) fn imported_from_gl(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        object: &Object,
        memory: &Memory,
    ) -> Option<Image> {
        let desc = cl_image_desc { image_row_pitch: memory.row_pitch, ..desc_of(object) };
        let properties = MemoryProperties {
            import: Some((vk::MemoryHandles::DMA_BUF, memory.descriptor())),
            place: TexelPlace { offset: memory.offset, modifier: memory.modifier },
            origin: Origin::Gl,
            ..MemoryProperties::default()
        };
        Image::made(context, request(flags, object, &desc, properties)).ok()
    }

    /// Returns an image for the contents of a texture or a renderbuffer.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if no device has images; CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if no device has the format;
    /// CL_OUT_OF_RESOURCES if the image is too large.
    pub fn of_gl(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        object: Object,
    ) -> Result<Ref<Image>> {
        ensure!(images_of(context).next().is_some(), CL_INVALID_OPERATION);
        let order = object.texels.map(|texels| texels.image.image_channel_order);
        let written = order == Some(CL_DEPTH_STENCIL) && flags == CL_MEM_WRITE_ONLY;
        ensure!(!written, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        if let Some(mut image) = Image::in_gl_memory(context, flags, &object) {
            tracing::info!("an image of OpenGL is shared without copies");
            image.base.gl = Some(Box::new(Shared::new(object)));
            return Ok(Ref::new(image));
        }
        tracing::info!("an image of OpenGL is shared by copies");
        let made = match object.source {
            Source::BufferTexture { .. } => Image::of_buffer_texture(context, flags, object),
            _ => {
                let desc = desc_of(&object);
                Image::made(context, request(flags, &object, &desc, MemoryProperties::default()))
            }
        };
        let mut image = made.map_err(|error| match error.0 {
            CL_IMAGE_FORMAT_NOT_SUPPORTED => ClError(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
            CL_INVALID_IMAGE_SIZE => ClError(CL_OUT_OF_RESOURCES),
            _ => no_memory(error),
        })?;
        image.base.gl = Some(Box::new(Shared::new(object)));
        Ok(Ref::new(image))
    }

    /// Returns an image that has a buffer of its own, of which kernels have a typed view.
    fn of_buffer_texture(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        object: Object,
    ) -> Result<Image> {
        let unsupported = ClError(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        let stored = object.texels.map(|texels| texels.stored).ok_or(unsupported)?;
        let layout = format::layout_in_buffer(stored).ok_or(unsupported)?;
        let pitches = PitchRule { host: false, error: CL_INVALID_IMAGE_DESCRIPTOR };
        let devices = images_of(context).map(|(_, images)| images);
        let shape = Shape::new(&desc_of(&object), layout.texel(), devices, pitches)?;
        let mut bytes = Buffer::for_gl(context, flags, object)?;
        bytes.forget_gl();
        Image::of_buffer(
            context,
            Ref::new(bytes),
            flags::with_access(flags),
            (stored, layout),
            shape,
        )
    }

    /// Returns the format that is reported to the application (CL_IMAGE_FORMAT).
    pub fn told_format(&self) -> cl_image_format {
        let object = self.gl.as_ref().and_then(|shared| shared.object.texels);
        object.map_or(self.format, |texels| texels.image)
    }

    /// Like [`Buffer::check_acquired`].
    pub fn check_acquired(&self) -> Result<()> {
        ensure!(self.is_acquired(), CL_INVALID_GL_OBJECT);
        self.parent.as_ref().map_or(Ok(()), |parent| parent.check_acquired())?;
        self.buffer().map_or(Ok(()), |buffer| buffer.check_acquired())
    }

    /// CL_INVALID_OPERATION for depths beside a stencil, which the host's commands do not accept (cl_khr_gl_depth_images).
    pub fn check_plain(&self) -> Result<()> {
        let has_stencil = self.told_format().image_channel_order == CL_DEPTH_STENCIL;
        ensure!(!has_stencil, CL_INVALID_OPERATION);
        Ok(())
    }
}
