//! The answers to queries about a device's cooperative matrices (cl_khr_cooperative_matrix).

use super::info;
use super::Device;
use crate::cl::info::Value;
use crate::cl::*;
use hekla_compiler::{MatrixProduct, Target};

/// The alignment in bytes that Vulkan requires of addresses and strides. Where a row is smaller, its size would be enough
/// (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986), but a query has one answer for all matrices.
const ALIGNMENT: cl_uint = 16;

/// Returns true if programs for the device may have matrices.
pub fn are_offered(device: &Device) -> bool {
    let is_hidden =
        device.profile.is_some_and(|profile| profile.hides("cl_khr_cooperative_matrix"));
    !is_hidden && info::compiled_for(device).offers_matrices()
}

/// Answers a query of clGetDeviceInfo; `None` where it is not about matrices, or the device has none.
pub fn query(device: &Device, name: cl_device_info) -> Option<Value> {
    let is_ours = matches!(
        name,
        CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR
            | CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR
    );
    (is_ours && are_offered(device)).then(|| Value::of(ALIGNMENT))
}

/// Returns the products that sub-groups of a size compute; `None` stands for the size that kernels have by default. The list is
/// empty if kernels with sub-groups of the size have no matrices.
pub fn variants(device: &Device, size: Option<u32>) -> Value {
    let target = info::compiled_for(device);
    let default = target.subgroup_size(target.required_subgroup_size(None));
    let products = match has_size(&target, size.unwrap_or(default)) {
        true => target.matrices.as_slice(),
        false => &[],
    };
    let variants: Vec<_> = products.iter().map(variant).collect();
    Value::list(&variants)
}

/// Returns true if the hardware has sub-groups of this size, so that the sub-groups of a kernel are the hardware's own.
fn has_size(target: &Target, size: u32) -> bool {
    let is_default = target.subgroup_size(None) == size;
    let may_ask = is_default || target.may_require_subgroup_size(size);
    may_ask && target.hardware_subgroup_size((!is_default).then_some(size)) == size
}

/// Returns a product in the form that OpenCL reports.
fn variant(product: &MatrixProduct) -> cl_device_cooperative_matrix_variant_khr {
    cl_device_cooperative_matrix_variant_khr {
        m_size: product.m,
        n_size: product.n,
        k_size: product.k,
        a_type: product.a as cl_uint,
        b_type: product.b as cl_uint,
        c_type: product.c as cl_uint,
        result_type: product.result as cl_uint,
        saturating_accumulation: cl_bool::from(product.saturates),
    }
}
