//! Image objects (spec 5.3): creation, formats, queries.

use super::args;
use super::memory_properties;
use crate::cl::error::{ensure, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::images::{is_image_type, Access};
use crate::core::memory::flags;
use crate::core::memory::host::HostAddress;
use crate::core::memory::image::requirements::Question;
use crate::core::memory::image::{Image, Request};
use crate::core::memory::properties::MemoryProperties;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Returns an address that the application gave, unless it is NULL.
fn host(pointer: *const c_void) -> Option<HostAddress> {
    (!pointer.is_null()).then_some(HostAddress(pointer as usize))
}

/// The arguments of clCreateImage and its relatives; the pointers may be NULL.
struct Arguments {
    flags: cl_mem_flags,
    format: *const cl_image_format,
    desc: *const cl_image_desc,
    host_ptr: *mut c_void,
    properties: MemoryProperties,
    pitch_error: cl_int,
}

impl Arguments {
    /// # Safety
    /// The pointers are as the API requires.
    unsafe fn create(self, context: &Ref<Context>) -> Result<cl_mem> {
        // SAFETY: as the caller promises.
        let (format, desc) = unsafe { (self.format.as_ref(), self.desc.as_ref()) };
        let request = Request {
            flags: self.flags,
            format: format.copied(),
            desc,
            host: host(self.host_ptr),
            properties: self.properties,
            pitch_error: self.pitch_error,
        };
        Ok(Image::new(context, request)?.expose())
    }
}

/// Returns the descriptor of an image of two or three dimensions.
fn desc(
    image_type: cl_mem_object_type,
    [image_width, image_height, image_depth]: [usize; 3],
    [image_row_pitch, image_slice_pitch]: [usize; 2],
) -> cl_image_desc {
    cl_image_desc {
        image_type,
        image_width,
        image_height,
        image_depth,
        image_array_size: 0,
        image_row_pitch,
        image_slice_pitch,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: std::ptr::null_mut(),
    }
}

/// Returns a test of whether kernels can access the images of a format as the flags of clGetSupportedImageFormats ask for.
fn wanted(flags: cl_mem_flags) -> fn(Access) -> bool {
    if flags & CL_MEM_KERNEL_READ_AND_WRITE != 0 {
        return |access| access.read_write;
    }
    match flags & (flags::ACCESS | CL_MEM_IMMUTABLE_EXT) {
        CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT => |access| access.read,
        CL_MEM_WRITE_ONLY => |access| access.write,
        _ => |access| access.read && access.write,
    }
}

/// Returns the formats of a type of images that a device of the context has.
fn formats(
    context: &Context,
    image_type: cl_mem_object_type,
    wanted: fn(Access) -> bool,
) -> Vec<cl_image_format> {
    let mut all: Vec<cl_image_format> = Vec::new();
    for images in context.devices.iter().filter_map(|device| device.images()) {
        let of_device = images.formats_of_type(image_type).iter();
        for (format, _) in of_device.filter(|(_, access)| wanted(*access)) {
            if !all.contains(format) {
                all.push(*format);
            }
        }
    }
    if context.gl.is_some() && all.contains(&DEPTH) {
        all.extend(with_stencil(image_type, wanted));
    }
    all
}

/// Floats as depths.
const DEPTH: cl_image_format =
    cl_image_format { image_channel_order: CL_DEPTH, image_channel_data_type: CL_FLOAT };

/// Returns the formats of depths beside a stencil, which kernels read (cl_khr_gl_depth_images).
fn with_stencil(
    image_type: cl_mem_object_type,
    wanted: fn(Access) -> bool,
) -> impl Iterator<Item = cl_image_format> {
    let read_only = wanted(Access { read: true, ..Access::default() });
    let flat = matches!(image_type, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY);
    let types = [CL_UNORM_INT24, CL_FLOAT].into_iter().filter(move |_| read_only && flat);
    types.map(|image_channel_data_type| cl_image_format {
        image_channel_order: CL_DEPTH_STENCIL,
        image_channel_data_type,
    })
}

entry! {
    /// clCreateImage.
    fn clCreateImage(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        let arguments = Arguments {
            flags,
            format: image_format,
            desc: image_desc,
            host_ptr,
            properties: MemoryProperties::default(),
            pitch_error: CL_INVALID_IMAGE_DESCRIPTOR,
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { arguments.create(&context) }
    }

    /// clCreateImageWithProperties.
    fn clCreateImageWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        // SAFETY: the list is as the API requires.
        let properties = unsafe { memory_properties::read(&context, properties) }?;
        let arguments = Arguments {
            flags,
            format: image_format,
            desc: image_desc,
            host_ptr,
            properties,
            pitch_error: CL_INVALID_IMAGE_DESCRIPTOR,
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { arguments.create(&context) }
    }

    /// clCreateImage2D.
    fn clCreateImage2D(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_width: usize,
        image_height: usize,
        image_row_pitch: usize,
        host_ptr: *mut c_void,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        let extent = [image_width, image_height, 0];
        let image_desc = desc(CL_MEM_OBJECT_IMAGE2D, extent, [image_row_pitch, 0]);
        let arguments = Arguments {
            flags,
            format: image_format,
            desc: &image_desc,
            host_ptr,
            properties: MemoryProperties::default(),
            pitch_error: CL_INVALID_IMAGE_SIZE,
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { arguments.create(&context) }
    }

    /// clCreateImage3D.
    fn clCreateImage3D(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_width: usize,
        image_height: usize,
        image_depth: usize,
        image_row_pitch: usize,
        image_slice_pitch: usize,
        host_ptr: *mut c_void,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        // clCreateImage3D makes no image with a depth of 1: it fails as with a depth of 0.
        let depth = if image_depth == 1 { 0 } else { image_depth };
        let extent = [image_width, image_height, depth];
        let image_desc =
            desc(CL_MEM_OBJECT_IMAGE3D, extent, [image_row_pitch, image_slice_pitch]);
        let arguments = Arguments {
            flags,
            format: image_format,
            desc: &image_desc,
            host_ptr,
            properties: MemoryProperties::default(),
            pitch_error: CL_INVALID_IMAGE_SIZE,
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { arguments.create(&context) }
    }

    /// clGetSupportedImageFormats.
    fn clGetSupportedImageFormats(
        context: cl_context,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: *mut cl_image_format,
        num_image_formats: *mut cl_uint,
    ) -> status {
        let context = Ref::<Context>::from_handle(context)?;
        // CL_MEM_KERNEL_READ_AND_WRITE is for this query alone, and goes with any other flag (5.3.2).
        flags::check(flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
        ensure!(is_image_type(image_type), CL_INVALID_VALUE);
        ensure!(image_formats.is_null() || num_entries > 0, CL_INVALID_VALUE);
        let all = formats(&context, image_type, wanted(flags));
        if !image_formats.is_null() {
            for (index, format) in all.iter().take(num_entries as usize).enumerate() {
                // SAFETY: the list has room for `num_entries` formats.
                unsafe { image_formats.add(index).write(*format) };
            }
        }
        // SAFETY: the place is as the API requires.
        unsafe { args::store(num_image_formats, all.len() as cl_uint) };
        Ok(())
    }

    /// clGetImageRequirementsInfoEXT (cl_ext_image_requirements_info).
    fn clGetImageRequirementsInfoEXT(
        context: cl_context,
        properties: *const cl_mem_properties,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        param_name: cl_image_requirements_info_ext,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let context = Ref::<Context>::from_handle(context)?;
        // SAFETY: the list is as the API requires.
        unsafe { memory_properties::read(&context, properties) }?;
        // SAFETY: the pointers are as the API requires.
        let (format, desc) = unsafe { (image_format.as_ref(), image_desc.as_ref()) };
        let question = Question { flags, format: format.copied(), desc };
        let value = Some(question.answer(&context, param_name)?);
        // SAFETY: the pointers are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clGetImageInfo.
    fn clGetImageInfo(
        image: cl_mem,
        param_name: cl_image_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let image = Ref::<Image>::from_handle(image)?;
        let shape = &image.shape;
        let null = std::ptr::null_mut::<_cl_mem>();
        let value = match param_name {
            CL_IMAGE_FORMAT => Some(Value::of(image.told_format())),
            CL_IMAGE_ELEMENT_SIZE => Some(Value::of(image.layout.texel())),
            CL_IMAGE_ROW_PITCH => Some(Value::of(shape.row_pitch)),
            CL_IMAGE_SLICE_PITCH => Some(Value::of(shape.slice_pitch)),
            CL_IMAGE_WIDTH => Some(Value::of(shape.width)),
            CL_IMAGE_HEIGHT => Some(Value::of(shape.height)),
            CL_IMAGE_DEPTH => Some(Value::of(shape.depth)),
            CL_IMAGE_ARRAY_SIZE => Some(Value::of(shape.layers)),
            CL_IMAGE_BUFFER => Some(Value::of(image.parent_buffer().map_or(null, Ref::handle))),
            CL_IMAGE_NUM_MIP_LEVELS => Some(Value::of(shape.levels)),
            CL_IMAGE_NUM_SAMPLES => Some(Value::of(0u32)),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
