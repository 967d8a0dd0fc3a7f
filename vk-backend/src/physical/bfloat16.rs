//! The features of VK_KHR_shader_bfloat16, which ash does not know yet.

use ash::vk;
use std::ffi::{c_void, CStr};

/// VkPhysicalDeviceShaderBfloat16FeaturesKHR.
#[derive(Clone)]
#[repr(C)]
pub(super) struct Bfloat16Features {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    /// shaderBFloat16Type.
    pub types: vk::Bool32,
    /// shaderBFloat16DotProduct.
    pub dot_products: vk::Bool32,
    /// shaderBFloat16CooperativeMatrix.
    pub matrices: vk::Bool32,
}

impl Bfloat16Features {
    /// The extension's name.
    pub const EXTENSION: &CStr = c"VK_KHR_shader_bfloat16";
    /// VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR.
    const TYPE: vk::StructureType = vk::StructureType::from_raw(1_000_141_000);
}

impl Default for Bfloat16Features {
    fn default() -> Bfloat16Features {
        Bfloat16Features {
            s_type: Bfloat16Features::TYPE,
            p_next: std::ptr::null_mut(),
            types: vk::FALSE,
            dot_products: vk::FALSE,
            matrices: vk::FALSE,
        }
    }
}

// SAFETY: the layout is that of Vulkan's structure, which begins with its type and a pointer; it extends both queries of
// features and the making of devices.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for Bfloat16Features {}
// SAFETY: as above.
unsafe impl vk::ExtendsDeviceCreateInfo for Bfloat16Features {}
