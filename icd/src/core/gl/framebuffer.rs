//! Transfers of texels through framebuffers. OpenGL ES reads textures only in this way, and renderbuffers are always read and
//! written in this way.

use super::constants::*;
use super::context::Gl;
use super::format::{Texels, Transfer};
use super::object::{Object, Source};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;

const NO_BUFFER: u32 = 0;

impl Gl {
    /// Runs `f` with a new framebuffer bound to a target.
    fn with_framebuffer<T>(&self, target: u32, f: impl FnOnce() -> T) -> T {
        let mut framebuffer = 0;
        // SAFETY: the context is current; the framebuffer is new.
        unsafe {
            (self.f.gen_framebuffers)(1, &mut framebuffer);
            (self.f.bind_framebuffer)(target, framebuffer);
        }
        let result = f();
        // SAFETY: as above.
        unsafe {
            (self.f.bind_framebuffer)(target, 0);
            (self.f.delete_framebuffers)(1, &framebuffer);
        }
        result
    }

    /// Attaches a layer of an object to the framebuffer that is bound to a target; returns false if the framebuffer is then not
    /// complete.
    fn attach(&self, target: u32, object: &Object, layer: usize) -> bool {
        let is_depth = object.texels.is_some_and(|texels| texels.transfer.is_depth());
        let (place, buffer) = match is_depth {
            true => (DEPTH_ATTACHMENT, NO_BUFFER),
            false => (COLOR_ATTACHMENT0, COLOR_ATTACHMENT0),
        };
        let (f, name, layer) = (&self.f, object.name, i32::try_from(layer).unwrap_or(i32::MAX));
        // SAFETY: the context is current; what does not exist or cannot be attached is an error of OpenGL's.
        unsafe {
            match object.source {
                Source::Texture { target: texture @ (TEXTURE_3D | TEXTURE_2D_ARRAY), level } => {
                    let _ = texture;
                    (f.attach_layer)(target, place, name, level, layer);
                }
                Source::Texture { target: texture, level } => {
                    (f.attach_texture)(target, place, texture, name, level);
                }
                _ => (f.attach_renderbuffer)(target, place, RENDERBUFFER, name),
            }
            match target {
                READ_FRAMEBUFFER => (f.read_buffer)(buffer),
                _ => (f.draw_buffers)(1, &buffer),
            }
            (f.framebuffer_status)(target) == FRAMEBUFFER_COMPLETE
        }
    }

    /// Returns the transfer by which texels are read through framebuffers; `None` if they cannot be read.
    fn transfer_of(&self, texels: Texels) -> Option<Transfer> {
        match self.desktop {
            Some(_) => Some(texels.transfer),
            None => texels.transfer.in_es(),
        }
    }

    /// CL_INVALID_IMAGE_FORMAT_DESCRIPTOR for an object whose texels cannot be read.
    pub(super) fn check_readable(&self, object: &Object) -> Result<()> {
        let is_renderbuffer = object.source == Source::Renderbuffer;
        if self.desktop.is_some() && !is_renderbuffer {
            return Ok(());
        }
        let readable = object.texels.and_then(|texels| self.transfer_of(texels)).is_some();
        let whole = readable
            && self.with_framebuffer(READ_FRAMEBUFFER, || self.attach(READ_FRAMEBUFFER, object, 0));
        self.forget_errors();
        ensure!(whole, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        Ok(())
    }

    /// Reads all texels of an object.
    pub(super) fn read_framebuffers(&self, object: &Object, texels: Texels) -> Result<Vec<u8>> {
        let transfer = self.transfer_of(texels).ok_or(ClError(CL_INVALID_GL_OBJECT))?;
        let [width, height, layers] = object.size;
        let layer_size = width * height * transfer.texel();
        let mut bytes = room::zeros(layer_size * layers)?;
        let mut complete = true;
        self.with_framebuffer(READ_FRAMEBUFFER, || {
            self.through_buffer(PIXEL_PACK_BUFFER, &mut bytes, || {
                for layer in 0..layers {
                    complete &= self.attach(READ_FRAMEBUFFER, object, layer);
                    let (width, height, to) = (width as i32, height as i32, layer * layer_size);
                    let Transfer { format, data_type, .. } = transfer;
                    // SAFETY: the context is current; OpenGL writes to the buffer that is bound, from `to` on.
                    unsafe {
                        (self.f.read_pixels)(0, 0, width, height, format, data_type, to as *mut _);
                    }
                }
            })
        })?;
        ensure!(complete, CL_INVALID_GL_OBJECT);
        if transfer == texels.transfer {
            return Ok(bytes);
        }
        narrowed(&bytes, transfer, texels.transfer)
    }

    /// Writes the texels of a renderbuffer: writes them to a texture of the same format, and copies the texture.
    pub(super) fn write_renderbuffer(
        &self,
        object: &Object,
        texels: Texels,
        bytes: &[u8],
    ) -> Result<()> {
        let [width, height, _] = object.size.map(|size| i32::try_from(size).unwrap_or(i32::MAX));
        let Transfer { format, data_type, .. } = texels.transfer;
        let f = &self.f;
        let mut name = 0;
        // SAFETY: the context is current; the texture is new, and the slice has its texels.
        unsafe {
            (f.gen_textures)(1, &mut name);
            (f.bind_texture)(TEXTURE_2D, name);
            let (internal, from) = (texels.internal as i32, bytes.as_ptr().cast());
            (f.image_2d)(TEXTURE_2D, 0, internal, width, height, 0, format, data_type, from);
        }
        let source = Source::Texture { target: TEXTURE_2D, level: 0 };
        let texture = Object { source, name, ..*object };
        let mask = match texels.transfer.is_depth() {
            true => DEPTH_BUFFER_BIT,
            false => COLOR_BUFFER_BIT,
        };
        let complete = self.with_framebuffer(READ_FRAMEBUFFER, || {
            self.with_framebuffer(DRAW_FRAMEBUFFER, || {
                let complete = self.attach(READ_FRAMEBUFFER, &texture, 0)
                    && self.attach(DRAW_FRAMEBUFFER, object, 0);
                // SAFETY: the context is current, both framebuffers are bound.
                unsafe {
                    (f.blit)(0, 0, width, height, 0, 0, width, height, mask, NEAREST);
                }
                complete
            })
        });
        let copied = self.check(CL_INVALID_GL_OBJECT);
        // SAFETY: the texture is this function's.
        unsafe {
            (f.bind_texture)(TEXTURE_2D, 0);
            (f.delete_textures)(1, &name);
        }
        ensure!(complete, CL_INVALID_GL_OBJECT);
        copied
    }
}

/// Converts texels that OpenGL ES has read to the image's texels, which may have fewer and narrower channels.
fn narrowed(bytes: &[u8], from: Transfer, to: Transfer) -> Result<Vec<u8>> {
    let mut narrow = room::list(bytes.len() / from.texel() * to.texel())?;
    let order: &[usize] = if to.format == BGRA { &[2, 1, 0, 3] } else { &[0, 1, 2, 3] };
    for texel in bytes.chunks_exact(from.texel()) {
        for channel in &order[..to.channels] {
            let value = &texel[channel * from.channel..][..from.channel];
            match (to.data_type, value) {
                (HALF_FLOAT, &[a, b, c, d]) => {
                    // The value was a half before OpenGL converted it to a float.
                    let float = f32::from_ne_bytes([a, b, c, d]);
                    narrow.extend(half::f16::from_f32(float).to_ne_bytes());
                }
                // The values fit, since OpenGL has sign- or zero-extended them.
                _ => narrow.extend(&value[..to.channel]),
            }
        }
    }
    Ok(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::gl::format::texels_of;

    #[test]
    fn texels_are_narrowed() {
        let to = texels_of(RG16I).unwrap().transfer;
        let wide = [-2i32, 3, 0, 1, 70, -80, 0, 1];
        let bytes: Vec<u8> = wide.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let narrow = narrowed(&bytes, to.in_es().unwrap(), to).unwrap();
        let expected: Vec<u8> =
            [-2i16, 3, 70, -80].iter().flat_map(|value| value.to_ne_bytes()).collect();
        assert_eq!(narrow, expected);
        let to = texels_of(BGRA).unwrap().transfer;
        assert_eq!(narrowed(&[1, 2, 3, 4], to.in_es().unwrap(), to).unwrap(), [3, 2, 1, 4]);
    }
}
