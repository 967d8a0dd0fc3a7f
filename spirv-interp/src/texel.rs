//! Texels: the bits of a format as four components, and back.

use crate::error::{Error, Res};

/// The source of a component of a texel that a kernel sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    Zero,
    One,
    /// A component of the stored texel: red, green, blue or alpha.
    Stored(usize),
}

/// The meaning of the bits of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Sfloat,
    Srgb,
}

/// A format of texels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// First bit and number of bits of red, green, blue and alpha; no bits if the format lacks one.
    bits: [(u32, u32); 4],
    numbers: Numbers,
    /// The number of bytes of a texel.
    pub bytes: usize,
}

impl Format {
    /// Returns the format with a name of Vulkan's, such as `R8G8B8A8_UNORM` or `R5G6B5_UNORM_PACK16`. Components of a packed
    /// format begin at the highest bit, those of others at the first byte.
    ///
    /// # Errors
    /// When the name is none of a format of colours.
    pub fn named(name: &str) -> Res<Format> {
        let unknown = || Error::Unsupported(format!("the format {name}"));
        let mut parts = name.split('_');
        let (components, numbers) = parts.next().zip(parts.next()).ok_or_else(unknown)?;
        let numbers = match numbers {
            "UNORM" => Numbers::Unorm,
            "SNORM" => Numbers::Snorm,
            "UINT" => Numbers::Uint,
            "SINT" => Numbers::Sint,
            "SFLOAT" => Numbers::Sfloat,
            "SRGB" => Numbers::Srgb,
            _ => return Err(unknown()),
        };
        let (mut bits, mut end, mut rest) = ([(0, 0); 4], 0, components);
        while let Some(letter) = rest.chars().next() {
            let index = "RGBA".find(letter).ok_or_else(unknown)?;
            let tail = &rest[1..];
            let length = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
            let width: u32 = tail[..length].parse().map_err(|_| unknown())?;
            let is_known = match numbers {
                Numbers::Sfloat => width == 16 || width == 32,
                _ => (1..=32).contains(&width),
            };
            if !is_known || bits[index].1 != 0 {
                return Err(unknown());
            }
            bits[index] = (end, width);
            end += width;
            rest = &tail[length..];
        }
        if parts.next().is_some() {
            bits.iter_mut().for_each(|(first, width)| *first = end - *first - *width);
        }
        match end {
            8 | 16 | 32 | 64 | 128 => Ok(Format { bits, numbers, bytes: end as usize / 8 }),
            _ => Err(unknown()),
        }
    }

    /// Returns the four components of a texel, each as the 32 bits of its float or integer, as `seen` orders them.
    pub fn decode(&self, texel: u128, seen: [Component; 4]) -> [u32; 4] {
        let one = match self.numbers {
            Numbers::Uint | Numbers::Sint => 1,
            _ => 1f32.to_bits(),
        };
        let stored = |index: usize| match self.bits[index] {
            (_, 0) if index == 3 => one,
            (_, 0) => 0,
            (first, width) => self.number(index, (texel >> first) as u32 & low(width), width),
        };
        seen.map(|component| match component {
            Component::Zero => 0,
            Component::One => one,
            Component::Stored(index) => stored(index),
        })
    }

    /// Returns the number that the bits of a component mean, as 32 bits.
    fn number(&self, index: usize, bits: u32, width: u32) -> u32 {
        let signed = (bits << (32 - width)) as i32 >> (32 - width);
        let float = match self.numbers {
            Numbers::Uint => return bits,
            Numbers::Sint => return signed as u32,
            Numbers::Sfloat if width == 32 => return bits,
            Numbers::Sfloat => half::f16::from_bits(bits as u16).to_f32(),
            Numbers::Snorm => (signed as f32 / (low(width) >> 1) as f32).max(-1.0),
            Numbers::Unorm => bits as f32 / low(width) as f32,
            Numbers::Srgb => match bits as f32 / low(width) as f32 {
                encoded if index == 3 => encoded,
                encoded if encoded <= 0.04045 => encoded / 12.92,
                encoded => ((encoded + 0.055) / 1.055).powf(2.4),
            },
        };
        float.to_bits()
    }

    /// Returns the texel of four components, each of 32 bits.
    pub fn encode(&self, components: [u32; 4]) -> u128 {
        let field = |(component, (first, width)): (u32, (u32, u32))| match width {
            0 => 0,
            _ => u128::from(self.field(component, width) & low(width)) << first,
        };
        components.into_iter().zip(self.bits).map(field).sum()
    }

    /// Returns the bits of a component for a number.
    fn field(&self, component: u32, width: u32) -> u32 {
        let float = f32::from_bits(component);
        // Not a number becomes zero, as by Rust's conversion.
        match self.numbers {
            Numbers::Uint => component.min(low(width)),
            Numbers::Sint => {
                let most = (low(width) >> 1) as i32;
                (component as i32).clamp(-most - 1, most) as u32
            }
            Numbers::Sfloat if width == 32 => component,
            Numbers::Sfloat => half::f16::from_f32(float).to_bits().into(),
            Numbers::Snorm => {
                let most = f64::from(low(width) >> 1);
                (f64::from(float.clamp(-1.0, 1.0)) * most).round_ties_even() as i32 as u32
            }
            // Kernels encode colours themselves before they write them.
            Numbers::Unorm | Numbers::Srgb => {
                let most = f64::from(low(width));
                (f64::from(float.clamp(0.0, 1.0)) * most).round_ties_even() as u32
            }
        }
    }
}

/// Returns a word whose low bits are set.
fn low(width: u32) -> u32 {
    u32::MAX >> (32 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(format: &str, texel: u128) -> [f32; 4] {
        let seen = [0, 1, 2, 3].map(Component::Stored);
        Format::named(format).unwrap().decode(texel, seen).map(f32::from_bits)
    }

    #[test]
    fn formats_place_their_components() {
        assert_eq!(floats("R8G8_UNORM", 0xff00), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(floats("B8G8R8A8_UNORM", 0xff), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(floats("R5G6B5_UNORM_PACK16", 0xf800), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats("A2R10G10B10_UNORM_PACK32", 0x3ff), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(floats("R8_SNORM", 0x80), [-1.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats("R16_SFLOAT", 0x3c00), [1.0, 0.0, 0.0, 1.0]);
        for unknown in ["D32_SFLOAT", "R8", "R8R8_UNORM", "R8G8B8_UNORM", "R8_NORM", "R64_SFLOAT"] {
            assert!(Format::named(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for name in ["R8G8B8A8_UNORM", "R16G16_SNORM", "R32G32B32A32_SINT", "R8_UINT", "R16_SFLOAT"]
        {
            let format = Format::named(name).unwrap();
            let seen = [0, 1, 2, 3].map(Component::Stored);
            for number in [0u128, 1, 0x55, 0x7f, 0x1234_5678_9abc_def0_0fed_cba9_8765_4321] {
                let texel = number & (u128::MAX >> (128 - 8 * format.bytes));
                assert_eq!(format.encode(format.decode(texel, seen)), texel, "{name} {texel:x}");
            }
        }
        let bytes = Format::named("R8G8_SINT").unwrap();
        assert_eq!(bytes.encode([1000, -1000i32 as u32, 7, 7]), 0x807f);
    }
}
