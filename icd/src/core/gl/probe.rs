//! The probe of the copies: Hekla does not share objects with a context in which the probe fails.

use super::constants::RGBA8;
use super::context::Gl;
use super::format::texels_of;
use super::object::Object;
use crate::cl::error::Result;

impl Gl {
    /// Returns true if reads of a buffer and of a texture return the bytes that were written to them.
    pub(super) fn probe(&self) -> bool {
        let probed = self.probe_buffer().and_then(|buffer| Ok(buffer && self.probe_texture()?));
        self.forget_errors();
        probed.unwrap_or(false)
    }

    /// Returns true if reads of an object return the bytes that were written to it.
    fn keeps(&self, object: &Object) -> Result<bool> {
        let bytes: Vec<u8> = (1..=object.bytes() as u8).collect();
        self.write(object, &bytes)?;
        Ok(self.read(object)? == bytes)
    }

    fn probe_buffer(&self) -> Result<bool> {
        let Some(object) = self.buffer_for_probe(64) else { return Ok(false) };
        let kept = self.keeps(&object);
        self.forget_buffer(object.name);
        kept
    }

    fn probe_texture(&self) -> Result<bool> {
        let Some(texels) = texels_of(RGBA8) else { return Ok(false) };
        let Some(object) = self.texture_for_probe([5, 3], texels, false) else { return Ok(false) };
        let kept = self.keeps(&object);
        self.forget_texture(object.name);
        kept
    }
}
