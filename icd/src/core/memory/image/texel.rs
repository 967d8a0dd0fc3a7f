//! The conversion of a colour to a stored texel (8.3), for fills.

use crate::cl::*;
use half::f16;
use smallvec::SmallVec;

/// A colour as clEnqueueFillImage takes it: four words, which are floats or integers depending on the image's type.
#[derive(Debug, Clone, Copy)]
pub struct Colour(pub [u32; 4]);

impl Colour {
    fn float(self, component: usize) -> f32 {
        f32::from_bits(self.0[component])
    }

    /// Returns the bytes of a texel of a format; `None` for formats without conversion.
    #[allow(non_upper_case_globals)]
    pub fn texel(self, format: cl_image_format) -> Option<SmallVec<[u8; 16]>> {
        let cl_image_format { image_channel_order: order, image_channel_data_type: kind } = format;
        let colour = match order {
            CL_sRGB | CL_sRGBx | CL_sRGBA | CL_sBGRA => self.to_srgb(),
            _ => self,
        };
        match kind {
            CL_UNORM_SHORT_565 => {
                let word = colour.packed([(31, 11), (63, 5), (31, 0)]) as u16;
                return Some(SmallVec::from_slice(&word.to_le_bytes()));
            }
            CL_UNORM_SHORT_555 => {
                let word = colour.packed([(31, 10), (31, 5), (31, 0)]) as u16;
                return Some(SmallVec::from_slice(&word.to_le_bytes()));
            }
            CL_UNORM_INT_101010 => {
                let word = colour.packed([(1023, 20), (1023, 10), (1023, 0)]);
                return Some(SmallVec::from_slice(&word.to_le_bytes()));
            }
            _ => {}
        }
        let mut texel = SmallVec::new();
        for &component in stored(order)? {
            colour.append(component, kind, &mut texel)?;
        }
        Some(texel)
    }

    /// Appends a component.
    #[allow(non_upper_case_globals)]
    fn append(self, component: usize, kind: cl_uint, texel: &mut SmallVec<[u8; 16]>) -> Option<()> {
        let (float, word) = (self.float(component), self.0[component]);
        let signed = word as i32;
        match kind {
            CL_SNORM_INT8 => texel.extend((scaled(float, -1.0, 127.0) as i8).to_le_bytes()),
            CL_SNORM_INT16 => texel.extend((scaled(float, -1.0, 32767.0) as i16).to_le_bytes()),
            CL_UNORM_INT8 => texel.extend((scaled(float, 0.0, 255.0) as u8).to_le_bytes()),
            CL_UNORM_INT16 => texel.extend((scaled(float, 0.0, 65535.0) as u16).to_le_bytes()),
            CL_SIGNED_INT8 => texel.extend((signed.clamp(-128, 127) as i8).to_le_bytes()),
            CL_SIGNED_INT16 => texel.extend((signed.clamp(-32768, 32767) as i16).to_le_bytes()),
            CL_UNSIGNED_INT8 => texel.extend((word.min(0xff) as u8).to_le_bytes()),
            CL_UNSIGNED_INT16 => texel.extend((word.min(0xffff) as u16).to_le_bytes()),
            CL_HALF_FLOAT => texel.extend(f16::from_f32(float).to_le_bytes()),
            CL_SIGNED_INT32 | CL_UNSIGNED_INT32 | CL_FLOAT => texel.extend(word.to_le_bytes()),
            _ => return None,
        }
        Some(())
    }

    /// Returns red, green and blue as parts of a word. `parts`: the greatest value and the first bit of each.
    fn packed(self, parts: [(u32, u32); 3]) -> u32 {
        let part = |(i, (most, shift)): (usize, (u32, u32))| {
            (scaled(self.float(i), 0.0, most as f32) as u32) << shift
        };
        parts.into_iter().enumerate().map(part).sum()
    }

    /// Returns the colour with red, green and blue from linear to sRGB (8.3.1.6).
    fn to_srgb(self) -> Colour {
        let encode = |linear: f32| match f64::from(linear) {
            c if c.is_nan() || c < 0.0 => 0.0,
            c if c > 1.0 => 1.0,
            c if c < 0.003_130_8 => 12.92 * c,
            c => 1.055 * c.powf(1.0 / 2.4) - 0.055,
        };
        let mut colour = self;
        for component in 0..3 {
            colour.0[component] = (encode(self.float(component)) as f32).to_bits();
        }
        colour
    }
}

/// Returns a value clamped to `least` and 1, times `most`, rounded to nearest even. NaN gives 0.
fn scaled(value: f32, least: f32, most: f32) -> f32 {
    if value.is_nan() {
        return 0.0;
    }
    (value.clamp(least, 1.0) * most).round_ties_even()
}

/// Returns the components of a colour in the order in which a texel stores them.
#[allow(non_upper_case_globals)]
fn stored(order: cl_uint) -> Option<&'static [usize]> {
    Some(match order {
        CL_R | CL_INTENSITY | CL_LUMINANCE | CL_DEPTH | CL_Rx => &[0],
        CL_A => &[3],
        CL_RG | CL_RGx => &[0, 1],
        CL_RA => &[0, 3],
        CL_RGBA | CL_sRGBA => &[0, 1, 2, 3],
        CL_BGRA | CL_sBGRA => &[2, 1, 0, 3],
        CL_ARGB => &[3, 0, 1, 2],
        CL_ABGR => &[3, 2, 1, 0],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texel(colour: [f32; 4], order: cl_uint, kind: cl_uint) -> Vec<u8> {
        let format = cl_image_format { image_channel_order: order, image_channel_data_type: kind };
        Colour(colour.map(f32::to_bits)).texel(format).unwrap().to_vec()
    }

    #[test]
    fn floats_are_normalized_and_saturated() {
        let colour = [0.5, -1.0, 2.0, f32::NAN];
        assert_eq!(texel(colour, CL_RGBA, CL_UNORM_INT8), [128, 0, 255, 0]);
        assert_eq!(texel(colour, CL_BGRA, CL_UNORM_INT8), [255, 0, 128, 0]);
        assert_eq!(texel(colour, CL_ARGB, CL_SNORM_INT8), [0, 64, 129, 127]);
        assert_eq!(texel([1.0, 0.0, 1.0, 0.0], CL_RGB, CL_UNORM_SHORT_565), [0x1f, 0xf8]);
        assert_eq!(texel([1.0, 0.5, 0.0, 0.0], CL_RGB, CL_UNORM_INT_101010), [0, 0, 0xf8, 0x3f]);
        assert_eq!(texel([0.5, 0.0, 1.0, 0.5], CL_sRGBA, CL_UNORM_INT8), [188, 0, 255, 128]);
        assert_eq!(texel([1.0; 4], CL_RG, CL_HALF_FLOAT), [0, 0x3c, 0, 0x3c]);
    }

    #[test]
    fn integers_saturate() {
        let colour = Colour([300, (-300i32) as u32, 7, u32::MAX]);
        let of = |kind| {
            let format =
                cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: kind };
            colour.texel(format).unwrap().to_vec()
        };
        assert_eq!(of(CL_SIGNED_INT8), [127, 128, 7, 255]);
        assert_eq!(of(CL_UNSIGNED_INT8), [255, 255, 7, 255]);
    }
}
