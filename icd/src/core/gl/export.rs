//! Exports the memory of objects as dma_bufs, so that OpenCL can import it and needs no copies.

use super::binding::Current;
use super::constants::*;
use super::context::Gl;
use super::format::{Texels, Transfer};
use super::object::{Object, Source};
use crate::cl::cl_image_format;
use crate::core::egl;
use hekla_vk_backend::platform::Descriptor;

/// The memory of an object. The descriptor is closed on drop.
pub struct Memory {
    fd: i32,
    /// Bytes from the beginning of the memory to the object.
    pub offset: u64,
    /// Bytes from row to row; 0 for buffers.
    pub row_pitch: usize,
    /// The order of texels (DRM format modifier).
    pub modifier: u64,
}

impl Memory {
    pub(super) fn new(fd: i32) -> Memory {
        Memory { fd, offset: 0, row_pitch: 0, modifier: 0 }
    }

    /// Returns the descriptor, for an import that leaves it open on failure.
    pub fn descriptor(&self) -> i32 {
        self.fd
    }

    /// Gives up the descriptor, which an import has taken over.
    pub fn imported(mut self) {
        self.fd = -1;
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.fd >= 0 {
            Descriptor::close(self.fd);
        }
    }
}

impl Gl {
    /// Exports the memory of a buffer, of a flat texture's first level or of a renderbuffer, if OpenGL can. Not of depths,
    /// whose layout is the driver's choice, nor of textures with several levels unless their texels are in rows.
    pub fn export(&self, object: &Object) -> Option<Memory> {
        let is_depth = object.texels.is_some_and(|texels| texels.transfer.is_depth());
        if is_depth || self.is_view(object) {
            return None;
        }
        let memory = self.export_by_mesa(object).or_else(|| self.export_by_egl(object))?;
        (!object.has_levels || memory.modifier == 0).then_some(memory)
    }

    /// Returns true if a texture is a view of another texture's levels and layers.
    fn is_view(&self, object: &Object) -> bool {
        let Source::Texture { .. } = object.source else { return false };
        if self.bind_texture(object.target(), object.name).is_err() {
            return true;
        }
        let first = [TEXTURE_VIEW_MIN_LEVEL, TEXTURE_VIEW_MIN_LAYER].map(|name| {
            let mut value = 0;
            // SAFETY: the context is current; a single value is asked for. Without views the question is not known.
            unsafe { (self.f.texture_parameter)(object.target(), name, &mut value) };
            value
        });
        self.forget_errors();
        first != [0, 0]
    }

    /// Exports the memory of an object as an EGL image (EGL_MESA_image_dma_buf_export).
    fn export_by_egl(&self, object: &Object) -> Option<Memory> {
        let Current::Egl(own) = &self.current else { return None };
        let texels = object.texels?;
        let display = own.display as usize;
        let exported = own.with_image(object, |image| egl::export(display, image).ok())??;
        let mut memory = Memory::new(exported.fd);
        memory.offset = exported.offset;
        memory.row_pitch = exported.row_pitch;
        memory.modifier = exported.modifier;
        let parts =
            |format: cl_image_format| (format.image_channel_order, format.image_channel_data_type);
        let same = parts(exported.format) == parts(texels.stored)
            && exported.size == [object.size[0], object.size[1]];
        same.then_some(memory)
    }

    /// Makes a texture of the library's own in a format, with one level or with all, for the probe of memory sharing; its name
    /// must be [forgotten](Gl::forget_texture).
    pub fn texture_for_probe(
        &self,
        [width, height]: [i32; 2],
        texels: Texels,
        has_levels: bool,
    ) -> Option<Object> {
        let last = if has_levels { width.max(height).ilog2() as i32 } else { 0 };
        let (mut name, none) = (0, std::ptr::null());
        let Transfer { format, data_type, .. } = texels.transfer;
        // SAFETY: the context is current; the texture is new.
        unsafe {
            (self.f.gen_textures)(1, &mut name);
            (self.f.bind_texture)(TEXTURE_2D, name);
            let internal = texels.internal as i32;
            for level in 0..=last {
                let [width, height] = [width, height].map(|size| (size >> level).max(1));
                let image = self.f.image_2d;
                image(TEXTURE_2D, level, internal, width, height, 0, format, data_type, none);
            }
            (self.f.texture_integer)(TEXTURE_2D, TEXTURE_MIN_FILTER, NEAREST as i32);
        }
        let object = self.describe_texture(TEXTURE_2D, 0, name);
        if object.is_err() {
            self.forget_texture(name);
        }
        object.ok()
    }

    /// Makes a buffer of the library's own for the probe of memory sharing; its name must be [forgotten](Gl::forget_buffer).
    pub fn buffer_for_probe(&self, size: usize) -> Option<Object> {
        let mut name = 0;
        // SAFETY: the context is current; the buffer is new.
        unsafe {
            (self.f.gen_buffers)(1, &mut name);
            (self.f.bind_buffer)(COPY_READ_BUFFER, name);
            (self.f.buffer_data)(COPY_READ_BUFFER, size as isize, std::ptr::null(), STREAM_READ);
        }
        let object = self.describe_buffer(name);
        if object.is_err() {
            self.forget_buffer(name);
        }
        object.ok()
    }

    /// Deletes a texture of the library's own.
    pub fn forget_texture(&self, name: u32) {
        // SAFETY: the context is current.
        unsafe { (self.f.delete_textures)(1, &name) };
    }

    /// Deletes a buffer of the library's own.
    pub fn forget_buffer(&self, name: u32) {
        // SAFETY: the context is current.
        unsafe { (self.f.delete_buffers)(1, &name) };
    }
}
