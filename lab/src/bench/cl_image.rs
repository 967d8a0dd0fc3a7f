//! Image objects for the bench.

use super::cl::{api, check, create, Kernel, Result, Session, CL_MEM_READ_WRITE, CL_TRUE};
use cl3::types::{cl_image_desc, cl_image_format, cl_mem};
use std::ptr::{null, null_mut};

const CL_RGBA: u32 = 0x10B5;
const CL_UNORM_INT8: u32 = 0x10D2;
const CL_FLOAT: u32 = 0x10DE;
const CL_MEM_OBJECT_IMAGE2D: u32 = 0x10F1;
const CL_MEM_OBJECT_IMAGE3D: u32 = 0x10F2;

/// The type of each of a texel's four components.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Texel {
    /// CL_FLOAT.
    Float4,
    /// CL_UNORM_INT8.
    Bytes,
}

impl Texel {
    pub fn bytes(self) -> usize {
        match self {
            Texel::Float4 => 16,
            Texel::Bytes => 4,
        }
    }
}

/// An image that kernels read and write: 2D if its last size is one, else 3D.
pub struct Image {
    mem: cl_mem,
    sizes: [usize; 3],
}

impl Image {
    /// Creates an image without contents; returns an error where the device has no images.
    pub fn new(s: &Session, texel: Texel, sizes: [usize; 3]) -> Result<Image> {
        if !s.has_images {
            return Err("no images".to_string());
        }
        let format = cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: match texel {
                Texel::Float4 => CL_FLOAT,
                Texel::Bytes => CL_UNORM_INT8,
            },
        };
        let is_3d = sizes[2] > 1;
        let desc = cl_image_desc {
            image_type: if is_3d { CL_MEM_OBJECT_IMAGE3D } else { CL_MEM_OBJECT_IMAGE2D },
            image_width: sizes[0],
            image_height: sizes[1],
            image_depth: sizes[2],
            image_array_size: 1,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: null_mut(),
        };
        let (context, flags) = (s.context_handle(), CL_MEM_READ_WRITE);
        let mem = create!(clCreateImage(context, flags, &format, &desc, null_mut()))?;
        Ok(Image { mem, sizes })
    }

    /// Writes all texels and waits.
    pub fn write<T: Copy>(&self, s: &Session, texels: &[T]) -> Result<()> {
        let (queue, origin, from) = (s.queue_handle(), [0; 3], texels.as_ptr().cast());
        let (origin, region) = (origin.as_ptr(), self.sizes.as_ptr());
        let (none, event) = (null(), null_mut());
        check!(clEnqueueWriteImage(
            queue, self.mem, CL_TRUE, origin, region, 0, 0, from, 0, none, event
        ))
    }

    /// Reads the texels from an origin on, along x, and waits.
    pub fn read<T: Copy>(
        &self,
        s: &Session,
        origin: [usize; 3],
        texels: &mut [[T; 4]],
    ) -> Result<()> {
        let (queue, to) = (s.queue_handle(), texels.as_mut_ptr().cast());
        let region = [texels.len(), 1, 1];
        let (origin, region) = (origin.as_ptr(), region.as_ptr());
        let (none, event) = (null(), null_mut());
        check!(clEnqueueReadImage(
            queue, self.mem, CL_TRUE, origin, region, 0, 0, to, 0, none, event
        ))
    }

    /// Sets a kernel's argument.
    pub fn set(&self, kernel: &Kernel, index: u32) -> Result<()> {
        kernel.set(index, self.mem)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let release = || -> Result<()> { check!(clReleaseMemObject(self.mem)) };
        let _ = release();
    }
}
