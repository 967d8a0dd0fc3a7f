//! The probe of the copies: nothing is shared with a context in which they fail.

use super::constants::*;
use super::context::Gl;
use super::object::Object;
use crate::cl::error::Result;

impl Gl {
    /// Returns true if a buffer and a texture have the bytes that were written to them.
    pub(super) fn probe(&self) -> bool {
        let probed = self.probe_buffer().and_then(|buffer| Ok(buffer && self.probe_texture()?));
        self.forget_errors();
        probed.unwrap_or(false)
    }

    /// Returns true if an object has what is written to it.
    fn keeps(&self, object: &Object) -> Result<bool> {
        let bytes: Vec<u8> = (1..=object.bytes() as u8).collect();
        self.write(object, &bytes)?;
        Ok(self.read(object)? == bytes)
    }

    fn probe_buffer(&self) -> Result<bool> {
        let mut name = 0;
        // SAFETY: the context is current; the buffer is new.
        unsafe {
            (self.f.gen_buffers)(1, &mut name);
            (self.f.bind_buffer)(COPY_READ_BUFFER, name);
            (self.f.buffer_data)(COPY_READ_BUFFER, 64, std::ptr::null(), STREAM_READ);
        }
        let kept = self.describe_buffer(name).and_then(|object| self.keeps(&object));
        // SAFETY: the buffer is this function's.
        unsafe { (self.f.delete_buffers)(1, &name) };
        kept
    }

    fn probe_texture(&self) -> Result<bool> {
        let (mut name, none) = (0, std::ptr::null());
        // SAFETY: the context is current; the texture is new.
        unsafe {
            (self.f.gen_textures)(1, &mut name);
            (self.f.bind_texture)(TEXTURE_2D, name);
            let internal = RGBA8 as i32;
            (self.f.image_2d)(TEXTURE_2D, 0, internal, 5, 3, 0, RGBA, UNSIGNED_BYTE, none);
        }
        let kept =
            self.describe_texture(TEXTURE_2D, 0, name).and_then(|object| self.keeps(&object));
        // SAFETY: the texture is this function's.
        unsafe { (self.f.delete_textures)(1, &name) };
        kept
    }
}
