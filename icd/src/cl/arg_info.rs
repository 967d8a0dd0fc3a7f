//! The API's names for properties of kernel arguments: address and access qualifiers (clGetKernelArgInfo), types of images.

use super::*;
use hekla_compiler::kernel::{ArgAddress, ArgKind, ImageAccess, ImageDim};

/// Returns CL_KERNEL_ARG_ADDRESS_QUALIFIER.
pub fn address_qualifier(address: ArgAddress) -> cl_uint {
    match address {
        ArgAddress::Global => CL_KERNEL_ARG_ADDRESS_GLOBAL,
        ArgAddress::Local => CL_KERNEL_ARG_ADDRESS_LOCAL,
        ArgAddress::Constant => CL_KERNEL_ARG_ADDRESS_CONSTANT,
        ArgAddress::Private => CL_KERNEL_ARG_ADDRESS_PRIVATE,
    }
}

/// Returns CL_KERNEL_ARG_ACCESS_QUALIFIER.
pub fn access_qualifier(kind: ArgKind) -> cl_uint {
    match kind {
        ArgKind::Image { access, .. } | ArgKind::Pipe { access, .. } => match access {
            ImageAccess::ReadOnly => CL_KERNEL_ARG_ACCESS_READ_ONLY,
            ImageAccess::WriteOnly => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
            ImageAccess::ReadWrite => CL_KERNEL_ARG_ACCESS_READ_WRITE,
        },
        _ => CL_KERNEL_ARG_ACCESS_NONE,
    }
}

/// Returns the type of the images that an argument takes.
pub fn image_type(dim: ImageDim) -> cl_mem_object_type {
    match dim {
        ImageDim::D1 => CL_MEM_OBJECT_IMAGE1D,
        ImageDim::D1Buffer => CL_MEM_OBJECT_IMAGE1D_BUFFER,
        ImageDim::D1Array => CL_MEM_OBJECT_IMAGE1D_ARRAY,
        ImageDim::D2 => CL_MEM_OBJECT_IMAGE2D,
        ImageDim::D2Array => CL_MEM_OBJECT_IMAGE2D_ARRAY,
        ImageDim::D3 => CL_MEM_OBJECT_IMAGE3D,
    }
}
