//! Copies of objects' contents from OpenGL and to it. Every transfer checks the object first: an object that the application
//! has deleted or redefined meanwhile is left alone.

use super::constants::*;
use super::context::Gl;
use super::format::{Texels, Transfer};
use super::object::{is_face, Object, Source};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;

impl Gl {
    /// Returns the contents of an object, closely packed.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT if the object has changed since it was described; CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
    pub fn read(&self, object: &Object) -> Result<Vec<u8>> {
        self.check_unchanged(object)?;
        match (object.source, object.texels) {
            (Source::Buffer, _) => self.read_buffer(object.name, 0, object.bytes()),
            (Source::BufferTexture { buffer, offset }, _) => {
                self.read_buffer(buffer, offset, object.bytes())
            }
            (Source::Texture { target, level }, Some(texels)) if self.desktop.is_some() => {
                self.read_texture(target, level, object.bytes(), texels.transfer)
            }
            (_, Some(texels)) => self.read_framebuffers(object, texels),
            (_, None) => Err(ClError(CL_INVALID_GL_OBJECT)),
        }
    }

    /// Replaces the contents of an object, and waits until other contexts see the new contents.
    ///
    /// # Errors
    /// As [`Gl::read`].
    pub fn write(&self, object: &Object, bytes: &[u8]) -> Result<()> {
        self.check_unchanged(object)?;
        ensure!(bytes.len() == object.bytes(), CL_INVALID_GL_OBJECT);
        match (object.source, object.texels) {
            (Source::Buffer, _) => self.write_buffer(object.name, 0, bytes),
            (Source::BufferTexture { buffer, offset }, _) => {
                self.write_buffer(buffer, offset, bytes)
            }
            (Source::Texture { target, level }, Some(texels)) => {
                self.write_texture((target, level), object.size, texels.transfer, bytes)
            }
            (Source::Renderbuffer, Some(texels)) => self.write_renderbuffer(object, texels, bytes),
            (_, None) => Err(ClError(CL_INVALID_GL_OBJECT)),
        }?;
        self.finish();
        Ok(())
    }

    /// Binds an object; CL_INVALID_GL_OBJECT if it has changed since it was described.
    fn check_unchanged(&self, object: &Object) -> Result<()> {
        let same = |size: [usize; 3], texels: Texels| {
            let internal = object.texels.map(|texels| texels.internal);
            size == object.size && internal == Some(texels.internal)
        };
        let gone = |_| ClError(CL_INVALID_GL_OBJECT);
        let unchanged = match object.source {
            Source::Buffer => self.bytes_of_buffer(object.name)? >= object.bytes(),
            Source::BufferTexture { buffer, offset } => {
                self.bytes_of_buffer(buffer)? >= offset + object.bytes()
            }
            Source::Texture { target, level } => {
                self.bind_texture(object.target(), object.name)?;
                let size = self.size_of_level(target, level)?;
                same(size, self.texels_of_level(target, level).map_err(gone)?)
            }
            Source::Renderbuffer => {
                let (size, texels) = self.ask_renderbuffer(object.name).map_err(gone)?;
                same(size, texels)
            }
        };
        ensure!(unchanged, CL_INVALID_GL_OBJECT);
        Ok(())
    }

    fn read_buffer(&self, name: u32, offset: usize, size: usize) -> Result<Vec<u8>> {
        let mut bytes = room::zeros(size)?;
        self.through_buffer(COPY_WRITE_BUFFER, &mut bytes, || {
            // SAFETY: the context is current; OpenGL checks what is copied against the sizes of both buffers.
            unsafe {
                (self.f.bind_buffer)(COPY_READ_BUFFER, name);
                let (from, size) = (offset as isize, size as isize);
                (self.f.copy_buffer)(COPY_READ_BUFFER, COPY_WRITE_BUFFER, from, 0, size);
                (self.f.bind_buffer)(COPY_READ_BUFFER, 0);
            }
        })?;
        Ok(bytes)
    }

    fn write_buffer(&self, name: u32, offset: usize, bytes: &[u8]) -> Result<()> {
        // SAFETY: the context is current; OpenGL checks what is written against the size of the buffer.
        unsafe {
            (self.f.bind_buffer)(COPY_WRITE_BUFFER, name);
            let (offset, size) = (offset as isize, bytes.len() as isize);
            (self.f.buffer_sub_data)(COPY_WRITE_BUFFER, offset, size, bytes.as_ptr().cast());
            (self.f.bind_buffer)(COPY_WRITE_BUFFER, 0);
        }
        self.check(CL_INVALID_GL_OBJECT)
    }

    /// Reads a level of the texture that is bound.
    fn read_texture(
        &self,
        target: u32,
        level: i32,
        size: usize,
        transfer: Transfer,
    ) -> Result<Vec<u8>> {
        let desktop = self.desktop.as_ref().ok_or(ClError(CL_INVALID_GL_OBJECT))?;
        let mut bytes = room::zeros(size)?;
        let Transfer { format, data_type, .. } = transfer;
        self.through_buffer(PIXEL_PACK_BUFFER, &mut bytes, || {
            // SAFETY: the context is current; OpenGL writes to the buffer that is bound, and no further.
            unsafe { (desktop.image)(target, level, format, data_type, std::ptr::null_mut()) };
        })?;
        Ok(bytes)
    }

    /// Writes all texels of a level of the texture that is bound.
    fn write_texture(
        &self,
        (target, level): (u32, i32),
        size: [usize; 3],
        transfer: Transfer,
        bytes: &[u8],
    ) -> Result<()> {
        let [width, height, depth] = size.map(|size| i32::try_from(size).unwrap_or(i32::MAX));
        let (Transfer { format, data_type, .. }, from) = (transfer, bytes.as_ptr().cast());
        // SAFETY: the context is current; the slice has as many texels.
        unsafe {
            match (target, &self.desktop) {
                (TEXTURE_1D, Some(desktop)) => {
                    (desktop.sub_image_1d)(target, level, 0, width, format, data_type, from);
                }
                (TEXTURE_3D | TEXTURE_2D_ARRAY, _) => (self.f.sub_image_3d)(
                    target, level, 0, 0, 0, width, height, depth, format, data_type, from,
                ),
                _ => {
                    debug_assert!(is_face(target) || depth == 1);
                    (self.f.sub_image_2d)(
                        target, level, 0, 0, width, height, format, data_type, from,
                    );
                }
            }
        }
        self.check(CL_INVALID_GL_OBJECT)
    }
}
