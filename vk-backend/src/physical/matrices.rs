//! Queries the products of matrices that a device computes (VK_KHR_cooperative_matrix).

use ash::{khr, vk};

use crate::physical::physical_device::PhysicalDevice;
use hekla_device::{MatrixComponent, MatrixProduct};

impl PhysicalDevice {
    /// Queries the products, once features and properties are known. If Hekla knows none of the products, the device is
    /// described as one without the feature.
    pub(super) fn query_matrices(&mut self) {
        if !self.info.features.cooperative_matrix {
            return;
        }
        let (entry, instance) = (&self.instance.entry, &self.instance.raw);
        let functions = khr::cooperative_matrix::Instance::new(entry, instance);
        // SAFETY: the device offers the extension, and belongs to the living instance.
        let found =
            unsafe { functions.get_physical_device_cooperative_matrix_properties(self.raw) };
        let has_bfloat16 = self.info.features.bfloat16_matrix;
        self.info.matrices = products(&found.unwrap_or_default(), has_bfloat16);
        self.info.features.cooperative_matrix = !self.info.matrices.is_empty();
    }
}

/// Returns the products that kernels may use. Drivers may list products of bfloat16 although that feature is not enabled.
fn products(
    found: &[vk::CooperativeMatrixPropertiesKHR<'_>],
    has_bfloat16: bool,
) -> Vec<MatrixProduct> {
    let is_enabled = |p: &MatrixProduct| {
        has_bfloat16 || ![p.a, p.b, p.c, p.result].contains(&MatrixComponent::BF16)
    };
    found.iter().filter_map(product).filter(is_enabled).collect()
}

/// Returns the product that the driver describes, if its scope is the sub-group; `None` for other scopes, and for components
/// that are not known.
fn product(p: &vk::CooperativeMatrixPropertiesKHR<'_>) -> Option<MatrixProduct> {
    let component = |ty: vk::ComponentTypeKHR| MatrixComponent::from_number(ty.as_raw());
    let product = MatrixProduct {
        m: p.m_size,
        n: p.n_size,
        k: p.k_size,
        a: component(p.a_type)?,
        b: component(p.b_type)?,
        c: component(p.c_type)?,
        result: component(p.result_type)?,
        saturates: p.saturating_accumulation == vk::TRUE,
    };
    (p.scope == vk::ScopeKHR::SUBGROUP).then_some(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_other_scopes_or_components_are_left_out() {
        let listed = vk::CooperativeMatrixPropertiesKHR::default()
            .m_size(16)
            .n_size(8)
            .k_size(32)
            .a_type(vk::ComponentTypeKHR::UINT8)
            .b_type(vk::ComponentTypeKHR::SINT8)
            .c_type(vk::ComponentTypeKHR::SINT32)
            .result_type(vk::ComponentTypeKHR::SINT32)
            .scope(vk::ScopeKHR::SUBGROUP);
        let found = product(&listed).map(|product| product.to_string());
        assert_eq!(found.as_deref(), Some("uchar 16x32 * char 32x8 + int -> int"));
        assert_eq!(product(&listed.scope(vk::ScopeKHR::WORKGROUP)), None);
        let bfloat16 = listed.a_type(vk::ComponentTypeKHR::from_raw(1_000_141_000));
        let both = [listed, bfloat16];
        assert_eq!(products(&both, false).len(), 1);
        assert_eq!(products(&both, true)[1].a, MatrixComponent::BF16);
        assert_eq!(product(&listed.a_type(vk::ComponentTypeKHR::from_raw(-1))), None);
    }
}
