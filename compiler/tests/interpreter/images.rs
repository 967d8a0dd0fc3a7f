//! Images of the interpreter: texels are what the instructions read and write, whatever the format.

use super::Lanes;
use hekla_compiler::ir::{ImageDim, ImageView};

/// An image of one level.
#[derive(Debug, Clone)]
pub struct Image {
    pub dim: ImageDim,
    /// One number for each coordinate, the number of layers among them.
    pub size: Vec<u64>,
    /// Bits of the four components of each texel, the first coordinate running fastest.
    pub texels: Vec<[u64; 4]>,
}

/// Returns the place of a texel, which must be in the image.
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
