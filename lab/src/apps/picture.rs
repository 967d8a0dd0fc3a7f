//! Pictures, and how far one is from another.

use std::path::Path;

/// Samples of all channels, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    /// The value of white.
    pub peak: u16,
    pub samples: Vec<u16>,
}

impl Picture {
    /// Reads a binary PPM file of 8 or 16 bits a sample.
    pub fn read(path: &Path) -> Result<Picture, String> {
        let bytes = crate::system::read_bytes(path)?;
        Picture::of_ppm(&bytes).ok_or_else(|| format!("{} is no PPM", path.display()))
    }

    fn of_ppm(bytes: &[u8]) -> Option<Picture> {
        let (magic, mut rest) = word(bytes)?;
        let mut number = || {
            let (text, after) = word(rest)?;
            rest = after;
            text.parse::<usize>().ok()
        };
        let (width, height, peak) = (number()?, number()?, number()?);
        let peak = u16::try_from(peak).ok()?;
        let samples: Vec<u16> = match peak > 255 {
            true => rest.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]])).collect(),
            false => rest.iter().map(|&byte| u16::from(byte)).collect(),
        };
        let is_whole = magic == "P6" && samples.len() == width * height * 3;
        is_whole.then_some(Picture { width, height, peak, samples })
    }

    /// Returns the peak signal-to-noise ratio to a picture of the same size.
    pub fn psnr(&self, other: &Picture) -> Result<f64, String> {
        if (self.width, self.height, self.peak) != (other.width, other.height, other.peak) {
            let size = |p: &Picture| format!("{} x {} to {}", p.width, p.height, p.peak);
            return Err(format!("sizes differ: {}, {}", size(self), size(other)));
        }
        Ok(psnr(&self.samples, &other.samples, f64::from(self.peak)))
    }
}

/// Returns the next word of a header without comments, and what follows the space after it.
fn word(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(u8::is_ascii_whitespace)?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// Returns the peak signal-to-noise ratio in decibels: infinite where all samples are equal.
pub fn psnr<T: Copy + Into<f64>>(some: &[T], others: &[T], peak: f64) -> f64 {
    let squares = some.iter().zip(others).map(|(&a, &b)| (a.into() - b.into()).powi(2));
    let error = squares.sum::<f64>() / some.len() as f64;
    match error > 0.0 {
        true => 10.0 * (peak * peak / error).log10(),
        false => f64::INFINITY,
    }
}

/// Returns a ratio in words; an error where it is not above a bound.
pub fn judge(psnr: f64, bound: f64) -> Result<String, String> {
    let text = match psnr {
        f64::INFINITY => "equal".to_string(),
        _ => format!("{psnr:.1} dB"),
    };
    match psnr > bound {
        true => Ok(text),
        false => Err(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_of_the_mean_square() {
        assert_eq!(psnr(&[1u8, 2], &[1, 2], 255.0), f64::INFINITY);
        // Each sample is off by one: 20 log10(255).
        assert!((psnr(&[1u8, 2], &[2, 1], 255.0) - 48.130_803_608).abs() < 1e-6);
        assert_eq!(judge(48.13, 50.0), Err("48.1 dB".to_string()));
        assert_eq!(judge(f64::INFINITY, f64::MAX), Ok("equal".to_string()));
        assert!(judge(f64::NAN, 50.0).is_err());
    }

    #[test]
    fn ppm_files_have_bytes_or_words() {
        let bytes = Picture::of_ppm(b"P6\n1 1\n255\nabc").map(|p| p.samples);
        assert_eq!(bytes, Some(vec![97, 98, 99]));
        let words = Picture::of_ppm(b"P6\n1 1\n65535\n\x01\x02\x03\x04\x05\x06").map(|p| p.samples);
        assert_eq!(words, Some(vec![0x102, 0x304, 0x506]));
        assert_eq!(Picture::of_ppm(b"P6\n1 1\n255\nab"), None);
    }
}
