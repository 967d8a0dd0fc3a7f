//! The interpreter's images: texels hold the values that instructions read and write, whatever the format is.

use super::Lanes;
use hekla_compiler::ir::{ImageDim, ImageView};
use hekla_compiler::kernel::sampler_word::{FARTHEST_TEXEL, NEAREST, NORMALIZED};

/// An image of one level.
#[derive(Debug, Clone)]
pub struct Image {
    pub dim: ImageDim,
    /// One number for each coordinate; for arrays the last is the number of layers.
    pub size: Vec<u64>,
    /// Bits of the four components of each texel, the first coordinate running fastest.
    pub texels: Vec<[u64; 4]>,
}

/// Returns a texel, which must be in the image.
pub fn texel<'a>(
    images: &'a mut [Image],
    view: ImageView,
    slot: &Lanes,
    coords: &Lanes,
) -> Result<&'a mut [u64; 4], String> {
    let image = images.get_mut(slot[0] as usize).ok_or("no image in the slot")?;
    assert_eq!(image.dim, view.dim, "an image of another type");
    let mut index = 0;
    for (&at, &size) in coords.iter().zip(&image.size).rev() {
        if at >= size {
            return Err(format!("{coords:?} is beyond an image of {:?}", image.size));
        }
        index = index * size + at;
    }
    Ok(&mut image.texels[index as usize])
}

pub fn size(images: &[Image], view: ImageView, slot: &Lanes) -> Lanes {
    let image = &images[slot[0] as usize];
    assert_eq!(image.dim, view.dim, "an image of another type");
    image.size.clone()
}

/// Returns the texel that a sampler finds that takes the nearest texel, and the edge's texel for coordinates beyond the edge.
/// Other samplers are errors, and so are coordinates far beyond the image, which some devices' samplers lose.
pub fn nearest<'a>(
    images: &'a mut [Image],
    view: ImageView,
    slot: &Lanes,
    sampler: &Lanes,
    coords: &Lanes,
) -> Result<&'a mut [u64; 4], String> {
    let size = size(images, view, slot);
    let normalized = match sampler[0] as u32 {
        NEAREST => false,
        word if word == NEAREST | NORMALIZED => true,
        word => return Err(format!("no sampler in slot {word}")),
    };
    if normalized == matches!(view.dim, ImageDim::D1 | ImageDim::D2) {
        return Err(format!("{view:?} is sampled with the wrong coordinates"));
    }
    let mut indices = Lanes::new();
    for (i, (&at, &size)) in coords.iter().zip(&size).enumerate() {
        let at = f32::from_bits(at as u32);
        let is_layer = view.dim.is_array() && i + 1 == coords.len();
        let place = if normalized && !is_layer { at * size as f32 } else { at };
        // Rounding of the product moves a place by less than the distance of a texel's center from the texel's edge. NaN is
        // near no texel.
        let is_near = place <= 2.0 * FARTHEST_TEXEL;
        if !is_near || (is_layer && place != place.floor()) {
            return Err(format!("the sampler loses {coords:?}"));
        }
        indices.push((place.floor() as i64).clamp(0, size as i64 - 1) as u64);
    }
    texel(images, view, slot, &indices)
}
