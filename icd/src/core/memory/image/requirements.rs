//! The requirements of an image before it is created (cl_ext_image_requirements_info): the alignments and the size of a buffer
//! for its texels, and the greatest dimensions.

use super::desc::{PitchRule, Shape};
use super::images_of;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::images::format::{self, Layout};
use crate::core::device::images::{is_image_type, Images, BASE_ADDRESS_ALIGNMENT, PITCH_ALIGNMENT};
use crate::core::device::Device;
use crate::core::memory::flags;

/// The size in bytes of the largest texel.
const LARGEST_TEXEL: usize = 16;

/// Types of images.
const TYPES: [cl_mem_object_type; 6] = [
    CL_MEM_OBJECT_IMAGE1D,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE1D_BUFFER,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D,
];

/// The known properties of an image, for a query.
pub struct Question<'a> {
    pub flags: cl_mem_flags,
    pub format: Option<cl_image_format>,
    pub desc: Option<&'a cl_image_desc>,
}

/// A dimension of images.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dimension {
    Width,
    Height,
    Depth,
    Layers,
}

/// Returns the alignment in bytes of an image's first texel in a buffer. `is_view`: kernels have a view of the texels;
/// otherwise the texels are copied.
pub(super) fn base_alignment(device: &Device, is_view: bool, layout: &Layout) -> usize {
    match is_view {
        true => device.info().limits.min_texel_buffer_offset_alignment.max(1) as usize,
        false => BASE_ADDRESS_ALIGNMENT as usize * layout.texel(),
    }
}

impl Question<'_> {
    /// Answers a query.
    ///
    /// # Errors
    /// Errors of clGetImageRequirementsInfoEXT; CL_INVALID_OPERATION if no device has images, CL_IMAGE_FORMAT_NOT_SUPPORTED if
    /// no device has the format.
    pub fn answer(&self, context: &Context, name: cl_image_requirements_info_ext) -> Result<Value> {
        ensure!(images_of(context).next().is_some(), CL_INVALID_OPERATION);
        flags::check(self.flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
        self.check_format(context)?;
        if let Some(desc) = self.desc {
            ensure!(desc.num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR);
            let is_known = desc.image_type == 0 || is_image_type(desc.image_type);
            ensure!(is_known, CL_INVALID_IMAGE_DESCRIPTOR);
        }
        Ok(match name {
            CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT => {
                self.check_sizes()?;
                Value::of(self.base_alignment(context)?)
            }
            CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT
            | CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT => {
                self.check_sizes()?;
                Value::of(PITCH_ALIGNMENT as usize * self.texel())
            }
            CL_IMAGE_REQUIREMENTS_SIZE_EXT => Value::of(self.size(context)?),
            CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT => self.most(context, Dimension::Width)?,
            CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT => self.most(context, Dimension::Height)?,
            CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT => self.most(context, Dimension::Depth)?,
            CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT => self.most(context, Dimension::Layers)?,
            _ => return fail(CL_INVALID_VALUE),
        })
    }

    fn check_format(&self, context: &Context) -> Result<()> {
        let Some(format) = self.format else { return Ok(()) };
        ensure!(format::is_valid(format), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        let has = |images: &Images| {
            let mut types = self.types(true).unwrap_or_default().iter();
            types.any(|image_type| {
                let access = images.access(*image_type, format);
                access.read || access.write
            })
        };
        let known = self.desc.is_none_or(|desc| is_image_type(desc.image_type));
        let supported = !known || images_of(context).any(|(_, images)| has(images));
        ensure!(supported, CL_IMAGE_FORMAT_NOT_SUPPORTED);
        Ok(())
    }

    /// Returns the types that the image may have. `any`: the type 0 stands for every type.
    fn types(&self, any: bool) -> Result<&[cl_mem_object_type]> {
        let Some(desc) = self.desc else { return Ok(&TYPES) };
        let known = TYPES.iter().position(|known| *known == desc.image_type);
        match known {
            Some(place) => Ok(&TYPES[place..=place]),
            None if any && desc.image_type == 0 => Ok(&TYPES),
            None => fail(CL_INVALID_IMAGE_DESCRIPTOR),
        }
    }

    /// Checks that a descriptor's sizes are possible for its type. Only queries for the greatest sizes may leave other sizes 0.
    fn check_sizes(&self) -> Result<()> {
        let Some(desc) = self.desc else { return Ok(()) };
        self.types(false)?;
        let sizes: &[usize] = match desc.image_type {
            CL_MEM_OBJECT_IMAGE2D => &[desc.image_width, desc.image_height],
            CL_MEM_OBJECT_IMAGE3D => &[desc.image_width, desc.image_height, desc.image_depth],
            CL_MEM_OBJECT_IMAGE1D_ARRAY => &[desc.image_width, desc.image_array_size],
            CL_MEM_OBJECT_IMAGE2D_ARRAY => {
                &[desc.image_width, desc.image_height, desc.image_array_size]
            }
            _ => &[desc.image_width],
        };
        ensure!(!sizes.contains(&0), CL_INVALID_IMAGE_DESCRIPTOR);
        Ok(())
    }

    fn layout(&self, is_view: bool) -> Option<Layout> {
        let format = self.format?;
        if is_view {
            return format::layout_in_buffer(format);
        }
        format::layout(format)
    }

    /// Returns the bytes of a texel; without a format, of the largest texel.
    fn texel(&self) -> usize {
        let layout = self.layout(false).or_else(|| self.layout(true));
        layout.map_or(LARGEST_TEXEL, |layout| layout.texel())
    }

    fn base_alignment(&self, context: &Context) -> Result<usize> {
        let mut most = 1;
        for image_type in self.types(false)? {
            let is_view = *image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
            for (device, _) in images_of(context) {
                let alignment = match self.layout(is_view) {
                    Some(layout) => base_alignment(&context.devices[device], is_view, &layout),
                    None if is_view => {
                        let limits = &context.devices[device].info().limits;
                        limits.min_texel_buffer_offset_alignment as usize
                    }
                    None => BASE_ADDRESS_ALIGNMENT as usize * LARGEST_TEXEL,
                };
                most = most.max(alignment);
            }
        }
        Ok(most)
    }

    fn size(&self, context: &Context) -> Result<usize> {
        let (Some(desc), Some(_)) = (self.desc, self.format) else { return fail(CL_INVALID_VALUE) };
        let texel = self.texel();
        let rule = PitchRule { host: true, error: CL_INVALID_IMAGE_DESCRIPTOR };
        let shape = Shape::new(desc, texel, images_of(context).map(|(_, images)| images), rule);
        // A size that no device supports makes the descriptor invalid.
        let shape = shape.map_err(|_| ClError(CL_INVALID_IMAGE_DESCRIPTOR))?;
        ensure!(!shape.is_mipmap(), CL_INVALID_IMAGE_DESCRIPTOR);
        shape.size_in_buffer(texel).ok_or(ClError(CL_INVALID_IMAGE_DESCRIPTOR))
    }

    /// Returns the greatest size in one dimension, given the sizes in the others.
    fn most(&self, context: &Context, dimension: Dimension) -> Result<Value> {
        let mut least = None;
        for (device, images) in images_of(context) {
            for image_type in self.types(true)? {
                let Some(most) = greatest(images, *image_type, dimension) else { continue };
                let room = context.devices[device].max_allocation() as usize / self.texel();
                let beside = self.desc.map_or(1, |desc| others(desc, *image_type, dimension));
                let most = most.min(room / beside);
                least = Some(least.map_or(most, |least: usize| least.min(most)));
            }
        }
        let least = least.ok_or(ClError(CL_INVALID_IMAGE_DESCRIPTOR))?;
        Ok(Value::of(least as cl_uint))
    }
}

/// Returns the greatest size of images of a type in a dimension, if the type has the dimension.
fn greatest(
    images: &Images,
    image_type: cl_mem_object_type,
    dimension: Dimension,
) -> Option<usize> {
    let is_solid = image_type == CL_MEM_OBJECT_IMAGE3D;
    let is_layered =
        matches!(image_type, CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY);
    let is_flat = matches!(image_type, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY);
    match dimension {
        Dimension::Width if image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER => Some(images.max_buffer),
        Dimension::Width if is_solid => Some(images.max_3d[0]),
        Dimension::Width => Some(images.max_2d[0]),
        Dimension::Height if is_solid => Some(images.max_3d[1]),
        Dimension::Height => is_flat.then_some(images.max_2d[1]),
        Dimension::Depth => is_solid.then_some(images.max_3d[2]),
        Dimension::Layers => is_layered.then_some(images.max_layers),
    }
}

/// Returns the product of the sizes that a descriptor gives in the other dimensions of a type.
fn others(desc: &cl_image_desc, image_type: cl_mem_object_type, dimension: Dimension) -> usize {
    let is_high = !matches!(
        image_type,
        CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE1D_BUFFER
    );
    let is_layered =
        matches!(image_type, CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY);
    let all = [
        (Dimension::Width, desc.image_width, true),
        (Dimension::Height, desc.image_height, is_high),
        (Dimension::Depth, desc.image_depth, image_type == CL_MEM_OBJECT_IMAGE3D),
        (Dimension::Layers, desc.image_array_size, is_layered),
    ];
    let given = all.into_iter().filter(|(other, _, has)| *has && *other != dimension);
    given.fold(1, |product: usize, (_, size, _)| product.saturating_mul(size.max(1)))
}
