//! The arrays of descriptor set 0, whose elements are images and samplers.
//!
//! Each array of images of one type is a variable. [`crate::kernel::binding`] names the bindings of all types.

use crate::ir::{ImageDim, ImageView};
use crate::kernel::binding;
use rspirv::spirv::{Capability, Dim};

/// An array of images of one type.
#[derive(Debug, Clone, Copy)]
pub(super) struct DescriptorArray {
    pub view: ImageView,
    pub variable: u32,
    /// The type of its elements, and the type of pointers to them.
    pub image: u32,
    pub pointer: u32,
    /// The type of texels.
    pub texel: u32,
    pub is_read: bool,
    pub is_written: bool,
}

/// The arrays that the module declares.
#[derive(Debug, Default)]
pub(super) struct DescriptorArrays {
    pub arrays: Vec<DescriptorArray>,
    /// The variable that is the array of samplers.
    pub samplers: Option<u32>,
}

/// Returns SPIR-V's dimensionality of an image, and whether it has layers.
pub(super) fn dimensions(dim: ImageDim) -> (Dim, bool) {
    match dim {
        ImageDim::D1 => (Dim::Dim1D, false),
        ImageDim::D1Array => (Dim::Dim1D, true),
        ImageDim::D1Buffer => (Dim::DimBuffer, false),
        ImageDim::D2 => (Dim::Dim2D, false),
        ImageDim::D2Array => (Dim::Dim2D, true),
        ImageDim::D3 => (Dim::Dim3D, false),
    }
}

/// Returns the binding of an array, and the capability to index it.
pub(super) fn place(view: ImageView) -> (u32, Capability) {
    match (view.is_buffer(), view.storage) {
        (false, false) => (binding::SAMPLED_IMAGE, Capability::SampledImageArrayDynamicIndexing),
        (false, true) => (binding::STORAGE_IMAGE, Capability::StorageImageArrayDynamicIndexing),
        (true, false) => {
            (binding::UNIFORM_TEXEL_BUFFER, Capability::UniformTexelBufferArrayDynamicIndexing)
        }
        (true, true) => {
            (binding::STORAGE_TEXEL_BUFFER, Capability::StorageTexelBufferArrayDynamicIndexing)
        }
    }
}

/// Returns the capability that the dimensionality of an image needs, if it needs one.
pub(super) fn capability_of(dim: Dim, storage: bool) -> Option<Capability> {
    match (dim, storage) {
        (Dim::Dim1D, false) => Some(Capability::Sampled1D),
        (Dim::Dim1D, true) => Some(Capability::Image1D),
        (Dim::DimBuffer, false) => Some(Capability::SampledBuffer),
        (Dim::DimBuffer, true) => Some(Capability::ImageBuffer),
        _ => None,
    }
}
