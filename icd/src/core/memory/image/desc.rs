//! Image descriptors (5.3.1.2): their valid values, and the image that they describe.

use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::device::images::{self, format::Layout, Images};
use hekla_vk_backend as vk;

/// The type and the dimensions of an image, as clGetImageInfo reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub image_type: cl_mem_object_type,
    /// Sizes in texels; 0 in dimensions that the type does not have.
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    /// The number of layers of an array; 0 for other images.
    pub layers: usize,
    /// Bytes from row to row, and from slice to slice or layer to layer (0 if the image has no slices or layers), in the memory
    /// that the application gave at creation.
    pub row_pitch: usize,
    pub slice_pitch: usize,
    /// The number of mip levels in the descriptor; 0 means one level.
    pub levels: u32,
}

/// The pitches that are allowed in a descriptor.
#[derive(Debug, Clone, Copy)]
pub struct PitchRule {
    /// True if the pitches describe memory of the application; otherwise they must be 0.
    pub host: bool,
    /// The error of pitches that are not allowed.
    pub error: cl_int,
}

impl Shape {
    /// Checks a descriptor, except for its memory object, and takes the fields that its type uses. `texel` is the size of a
    /// texel in bytes.
    ///
    /// # Errors
    /// CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_IMAGE_SIZE if no device supports the size, and `rule.error` for pitches.
    pub fn new<'a>(
        desc: &cl_image_desc,
        texel: usize,
        devices: impl Iterator<Item = &'a Images>,
        pitches: PitchRule,
    ) -> Result<Shape> {
        let shape = Shape::without_pitches(desc)?;
        let mut devices = devices;
        ensure!(devices.any(|images| shape.fits(images)), CL_INVALID_IMAGE_SIZE);
        shape.with_pitches(desc, texel, pitches)
    }

    fn without_pitches(desc: &cl_image_desc) -> Result<Shape> {
        let image_type = desc.image_type;
        ensure!(images::is_image_type(image_type), CL_INVALID_IMAGE_DESCRIPTOR);
        ensure!(desc.num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR);
        let high = matches!(
            image_type,
            CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D
        );
        let array = matches!(image_type, CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY);
        let deep = image_type == CL_MEM_OBJECT_IMAGE3D;
        let shape = Shape {
            image_type,
            width: desc.image_width,
            height: if high { desc.image_height } else { 0 },
            depth: if deep { desc.image_depth } else { 0 },
            layers: if array { desc.image_array_size } else { 0 },
            row_pitch: 0,
            slice_pitch: 0,
            levels: desc.num_mip_levels,
        };
        // The last level has one texel in each layer; the number of layers does not change from level to level.
        let longest = shape.width.max(shape.height).max(shape.depth);
        let most = longest.checked_ilog2().map_or(1, |log| log + 1);
        ensure!(shape.levels <= most, CL_INVALID_IMAGE_DESCRIPTOR);
        Ok(shape)
    }

    /// Returns true for mipmaps.
    pub fn is_mipmap(&self) -> bool {
        self.levels > 1
    }

    /// Returns the index of the mip level in the origin of a region (5.3.6); `None` for images without mip levels.
    pub fn level_in_origin(&self) -> Option<usize> {
        self.is_mipmap().then_some(match self.image_type {
            CL_MEM_OBJECT_IMAGE1D => 1,
            CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D => 2,
            _ => 3,
        })
    }

    /// Returns the texels along x, y and z of a level, like [`Shape::extent`].
    pub fn extent_of(&self, level: u32) -> [usize; 3] {
        let part = |texels: usize| if texels == 0 { 0 } else { (texels >> level).max(1) };
        let Shape { width, height, depth, .. } = *self;
        let [width, height, depth] = [width, height, depth].map(part);
        Shape { width, height, depth, ..*self }.extent()
    }

    /// Returns true if a device has images of these dimensions.
    pub fn fits(&self, images: &Images) -> bool {
        let Shape { width, height, depth, layers, .. } = *self;
        let within = |size: usize, most: usize| (1..=most).contains(&size);
        let ([max_width, max_height], max_layers) = (images.max_2d, images.max_layers);
        let flat = within(width, max_width);
        match self.image_type {
            CL_MEM_OBJECT_IMAGE1D => flat,
            CL_MEM_OBJECT_IMAGE1D_BUFFER => within(width, images.max_buffer),
            CL_MEM_OBJECT_IMAGE1D_ARRAY => flat && within(layers, max_layers),
            CL_MEM_OBJECT_IMAGE2D => flat && within(height, max_height),
            CL_MEM_OBJECT_IMAGE2D_ARRAY => {
                flat && within(height, max_height) && within(layers, max_layers)
            }
            _ => {
                let [max_width, max_height, max_depth] = images.max_3d;
                within(width, max_width) && within(height, max_height) && within(depth, max_depth)
            }
        }
    }

    fn with_pitches(self, desc: &cl_image_desc, texel: usize, rule: PitchRule) -> Result<Shape> {
        let (row, slice) = (desc.image_row_pitch, desc.image_slice_pitch);
        ensure!(rule.host || (row == 0 && slice == 0), rule.error);
        // The products do not overflow: the dimensions fit a device, and pitches are checked.
        let packed_row = self.width * texel;
        let fits = row == 0 || (row >= packed_row && row.is_multiple_of(texel));
        ensure!(fits, rule.error);
        let row_pitch = if row == 0 { packed_row } else { row };
        if self.slices() == 0 {
            return Ok(Shape { row_pitch, slice_pitch: 0, ..self });
        }
        let packed_slice = row_pitch.checked_mul(self.height.max(1));
        ensure!(packed_slice.is_some(), rule.error);
        let packed_slice = packed_slice.unwrap_or(0);
        let fits = slice == 0 || (slice >= packed_slice && slice.is_multiple_of(row_pitch));
        ensure!(fits, rule.error);
        let slice_pitch = if slice == 0 { packed_slice } else { slice };
        Ok(Shape { row_pitch, slice_pitch, ..self })
    }

    /// Returns the number of slices or layers; 0 for types that have neither.
    fn slices(&self) -> usize {
        self.depth.max(self.layers)
    }

    /// Returns the texels along x, y and z, where the layers of an array count as the dimension after its last one.
    pub fn extent(&self) -> [usize; 3] {
        match self.image_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => [self.width, self.layers, 1],
            _ => [self.width, self.height.max(1), self.slices().max(1)],
        }
    }

    /// Returns the bytes from texel to texel along y and z in the application's memory.
    pub fn pitches(&self) -> [usize; 2] {
        match self.image_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => [self.slice_pitch, 0],
            _ => [self.row_pitch, self.slice_pitch],
        }
    }

    /// Returns the number of texels; `None` if that is too large a number.
    pub fn texels(&self) -> Option<usize> {
        let of_level =
            |level| self.extent_of(level).into_iter().try_fold(1usize, usize::checked_mul);
        (0..self.levels.max(1)).try_fold(0usize, |sum, level| sum.checked_add(of_level(level)?))
    }

    /// Returns the bytes of the application's memory that hold the image; `None` if that is too large a number.
    pub fn host_size(&self, texel: usize) -> Option<usize> {
        let [_, height, depth] = self.extent();
        let [row, slice] = self.pitches();
        let slices = (depth - 1).checked_mul(slice)?;
        let rows = (height - 1).checked_mul(row)?;
        slices.checked_add(rows)?.checked_add(self.width * texel)
    }

    /// Returns the bytes of a buffer that hold the image (5.3.1.2), the gap behind the last row included; `None` if that is
    /// too large a number, or if a pitch is too large for Vulkan.
    pub fn size_in_buffer(&self, texel: usize) -> Option<usize> {
        let most = i32::MAX as usize;
        if self.row_pitch > most || self.slice_pitch / self.row_pitch.max(1) > most {
            return None;
        }
        match self.image_type {
            CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => self.width.checked_mul(texel),
            CL_MEM_OBJECT_IMAGE2D => self.row_pitch.checked_mul(self.height),
            _ => self.slice_pitch.checked_mul(self.slices()),
        }
    }

    /// Returns the description of the Vulkan image; `None` if the image is a view of a buffer.
    pub fn image(&self, layout: &Layout) -> Option<vk::ImageDesc> {
        let size = |texels: usize| texels.max(1) as u32;
        Some(vk::ImageDesc {
            kind: images::kind(self.image_type)?,
            format: layout.format,
            read_as: layout.read_as,
            extent: [size(self.width), size(self.height), size(self.depth)],
            layers: size(self.layers),
            levels: self.levels.max(1),
            components: layout.components,
        })
    }
}
