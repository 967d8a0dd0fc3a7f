//! Queries of OpenGL about objects from which memory objects are created.

use super::constants::*;
use super::context::Gl;
use super::format::{sized, texels_of, Sizes, Texels};
use super::object::{bound_target, Object, Source};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;

/// Returns a size that OpenGL reported; CL_INVALID_GL_OBJECT unless it is positive.
fn size_of(told: i32) -> Result<usize> {
    usize::try_from(told).ok().filter(|size| *size > 0).ok_or(ClError(CL_INVALID_GL_OBJECT))
}

impl Gl {
    /// Describes a buffer. CL_INVALID_GL_OBJECT if there is no such buffer, or if it has no bytes.
    pub fn describe_buffer(&self, name: u32) -> Result<Object> {
        let bytes = self.bytes_of_buffer(name)?;
        let size = [bytes, 1, 1];
        Ok(Object { source: Source::Buffer, name, size, texels: None, has_levels: false })
    }

    /// Returns the size of a buffer, which is then bound to GL_COPY_READ_BUFFER.
    pub(super) fn bytes_of_buffer(&self, name: u32) -> Result<usize> {
        self.forget_errors();
        let mut bytes = 0;
        // SAFETY: the context is current; one value is written.
        unsafe {
            ensure!(name != 0 && (self.f.is_buffer)(name) != 0, CL_INVALID_GL_OBJECT);
            (self.f.bind_buffer)(COPY_READ_BUFFER, name);
            (self.f.buffer_parameter)(COPY_READ_BUFFER, BUFFER_SIZE, &mut bytes);
        }
        self.check(CL_INVALID_GL_OBJECT)?;
        let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes > 0);
        bytes.ok_or(ClError(CL_INVALID_GL_OBJECT))
    }

    /// Binds a texture; CL_INVALID_GL_OBJECT if there is no such texture of the target.
    pub(super) fn bind_texture(&self, target: u32, name: u32) -> Result<()> {
        self.forget_errors();
        // SAFETY: the context is current.
        unsafe {
            ensure!(name != 0 && (self.f.is_texture)(name) != 0, CL_INVALID_GL_OBJECT);
            (self.f.bind_texture)(target, name);
        }
        self.check(CL_INVALID_GL_OBJECT)
    }

    fn level_parameter(&self, target: u32, level: i32, name: u32) -> i32 {
        let mut value = 0;
        // SAFETY: the context is current; the parameters that are asked for are single values.
        unsafe { (self.f.level_parameter)(target, level, name, &mut value) };
        value
    }

    /// Describes a level of a texture of a target that [`super::object::is_target`].
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT, CL_INVALID_MIP_LEVEL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_OPERATION for a border
    /// (clCreateFromGLTexture).
    pub fn describe_texture(&self, target: u32, level: i32, name: u32) -> Result<Object> {
        ensure!(level >= 0, CL_INVALID_MIP_LEVEL);
        let leveled = !matches!(target, TEXTURE_BUFFER | TEXTURE_RECTANGLE);
        ensure!(leveled || level == 0, CL_INVALID_MIP_LEVEL);
        self.bind_texture(bound_target(target), name)?;
        if target == TEXTURE_BUFFER {
            return self.describe_buffer_texture(name);
        }
        self.check_level(target, level)?;
        let size = self.size_of_level(target, level)?;
        if self.desktop.is_some() {
            let border = self.level_parameter(target, level, TEXTURE_BORDER);
            // Core profiles have no borders and report an error for this query.
            self.forget_errors();
            ensure!(border <= 0, CL_INVALID_OPERATION);
        }
        let texels = self.texels_of_level(target, level)?;
        let has_levels = leveled && level == 0 && self.size_of_level(target, 1).is_ok();
        self.forget_errors();
        let source = Source::Texture { target, level };
        let object = Object { source, name, size, texels: Some(texels), has_levels };
        self.check_readable(&object)?;
        Ok(object)
    }

    /// CL_INVALID_MIP_LEVEL for a level that is not between the first and the last of the texture that is bound.
    fn check_level(&self, target: u32, level: i32) -> Result<()> {
        let (mut base, mut most) = (0, 1000);
        let bound = bound_target(target);
        // SAFETY: the context is current; single values are asked for.
        unsafe {
            (self.f.texture_parameter)(bound, TEXTURE_BASE_LEVEL, &mut base);
            (self.f.texture_parameter)(bound, TEXTURE_MAX_LEVEL, &mut most);
        }
        self.forget_errors();
        // OpenGL ES allows levels from 0 on, whatever the base level.
        ensure!(self.desktop.is_none() || level >= base, CL_INVALID_MIP_LEVEL);
        let size = self.size_of_level(target, base)?;
        let longest = match target {
            TEXTURE_3D => size[0].max(size[1]).max(size[2]),
            TEXTURE_1D_ARRAY => size[0],
            _ => size[0].max(size[1]),
        };
        let last = i64::from(base) + i64::from(longest.ilog2());
        ensure!(i64::from(level) <= last.min(i64::from(most)), CL_INVALID_MIP_LEVEL);
        Ok(())
    }

    /// Returns width, height and depth or layers of a level of the bound texture; CL_INVALID_GL_OBJECT if the level is not
    /// defined.
    pub(super) fn size_of_level(&self, target: u32, level: i32) -> Result<[usize; 3]> {
        let ask = |name| size_of(self.level_parameter(target, level, name));
        let size = [ask(TEXTURE_WIDTH)?, ask(TEXTURE_HEIGHT)?, ask(TEXTURE_DEPTH)?];
        self.check(CL_INVALID_GL_OBJECT)?;
        Ok(size)
    }

    /// Returns the format of a level of the texture that is bound.
    pub(super) fn texels_of_level(&self, target: u32, level: i32) -> Result<Texels> {
        let ask = |name| self.level_parameter(target, level, name);
        let sizes = Sizes {
            red: ask(TEXTURE_RED_SIZE),
            alpha: ask(TEXTURE_ALPHA_SIZE),
            depth: ask(TEXTURE_DEPTH_SIZE),
            is_float: [TEXTURE_RED_TYPE, TEXTURE_DEPTH_TYPE]
                .into_iter()
                .any(|name| ask(name).unsigned_abs() == FLOAT),
        };
        let internal = ask(TEXTURE_INTERNAL_FORMAT).unsigned_abs();
        self.forget_errors();
        known(sized(internal, sizes))
    }

    fn describe_buffer_texture(&self, name: u32) -> Result<Object> {
        let ask = |name| self.level_parameter(TEXTURE_BUFFER, 0, name);
        let buffer = ask(TEXTURE_BUFFER_DATA_STORE_BINDING).unsigned_abs();
        let internal = ask(TEXTURE_INTERNAL_FORMAT).unsigned_abs();
        self.check(CL_INVALID_GL_OBJECT)?;
        let texels = known(internal)?;
        let (offset, size) = (ask(TEXTURE_BUFFER_OFFSET), ask(TEXTURE_BUFFER_SIZE));
        // Before OpenGL 4.3, which introduced parts of buffers, these queries fail; the texture then has the whole buffer.
        let asked = self.check(CL_INVALID_GL_OBJECT).is_ok();
        let (offset, size) = if asked { (offset, size) } else { (0, 0) };
        let (offset, size) = (offset.unsigned_abs() as usize, size.unsigned_abs() as usize);
        let there = self.bytes_of_buffer(buffer)?.saturating_sub(offset);
        let bytes = if size == 0 { there } else { size.min(there) };
        let width = bytes / texels.transfer.texel();
        ensure!(width > 0, CL_INVALID_GL_OBJECT);
        let source = Source::BufferTexture { buffer, offset };
        let size = [width, 1, 1];
        Ok(Object { source, name, size, texels: Some(texels), has_levels: false })
    }

    /// Describes a renderbuffer.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT, CL_INVALID_OPERATION for several samples, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    /// (clCreateFromGLRenderbuffer).
    pub fn describe_renderbuffer(&self, name: u32) -> Result<Object> {
        let (size, texels) = self.ask_renderbuffer(name)?;
        let source = Source::Renderbuffer;
        let object = Object { source, name, size, texels: Some(texels), has_levels: false };
        self.check_readable(&object)?;
        Ok(object)
    }

    /// Returns size and format of a renderbuffer, which is then bound.
    pub(super) fn ask_renderbuffer(&self, name: u32) -> Result<([usize; 3], Texels)> {
        self.forget_errors();
        let ask = |name| {
            let mut value = 0;
            // SAFETY: the context is current; the parameters that are asked for are single values.
            unsafe { (self.f.renderbuffer_parameter)(RENDERBUFFER, name, &mut value) };
            value
        };
        // SAFETY: as above.
        unsafe {
            ensure!(name != 0 && (self.f.is_renderbuffer)(name) != 0, CL_INVALID_GL_OBJECT);
            (self.f.bind_renderbuffer)(RENDERBUFFER, name);
        }
        let size = [size_of(ask(RENDERBUFFER_WIDTH))?, size_of(ask(RENDERBUFFER_HEIGHT))?, 1];
        ensure!(ask(RENDERBUFFER_SAMPLES) == 0, CL_INVALID_OPERATION);
        let sizes = Sizes {
            red: ask(RENDERBUFFER_RED_SIZE),
            alpha: ask(RENDERBUFFER_ALPHA_SIZE),
            depth: ask(RENDERBUFFER_DEPTH_SIZE),
            // OpenGL reports renderbuffers with sized formats, except for depths of its own choice; those are not floats.
            is_float: false,
        };
        let internal = ask(RENDERBUFFER_INTERNAL_FORMAT).unsigned_abs();
        self.check(CL_INVALID_GL_OBJECT)?;
        let texels = known(sized(internal, sizes))?;
        // OpenGL ES would convert the colours of such a renderbuffer when it copies them.
        let converted = self.desktop.is_none() && texels.internal == SRGB8_ALPHA8;
        ensure!(!converted, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        Ok((size, texels))
    }
}

/// Returns the format for one of OpenGL's internal formats, or CL_INVALID_IMAGE_FORMAT_DESCRIPTOR.
fn known(internal: u32) -> Result<Texels> {
    texels_of(internal).ok_or_else(|| {
        tracing::info!("OpenGL's internal format {internal:#x} is none of OpenCL's");
        ClError(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
    })
}
