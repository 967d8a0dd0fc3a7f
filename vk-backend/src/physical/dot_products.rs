//! The dot products of integers that a device accelerates.

use ash::vk;

bitflags::bitflags! {
    /// Dot products of four 8-bit numbers that are packed in a word
    /// (VkPhysicalDeviceShaderIntegerDotProductProperties).
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub struct DotProducts: u32 {
        /// Products of signed numbers.
        const SIGNED = 1;
        /// Products of unsigned numbers.
        const UNSIGNED = 2;
        /// Products of signed by unsigned numbers.
        const MIXED = 4;
        /// Products of signed numbers, added to a third operand with saturation.
        const SATURATING_SIGNED = 8;
        /// Products of unsigned numbers, added to a third operand with saturation.
        const SATURATING_UNSIGNED = 16;
        /// Products of signed by unsigned numbers, added to a third operand with saturation.
        const SATURATING_MIXED = 32;
    }
}

impl DotProducts {
    pub(crate) fn from_vk(
        p: &vk::PhysicalDeviceShaderIntegerDotProductProperties<'_>,
    ) -> DotProducts {
        let all = [
            (DotProducts::SIGNED, p.integer_dot_product4x8_bit_packed_signed_accelerated),
            (DotProducts::UNSIGNED, p.integer_dot_product4x8_bit_packed_unsigned_accelerated),
            (DotProducts::MIXED, p.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated),
            (
                DotProducts::SATURATING_SIGNED,
                p.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated,
            ),
            (
                DotProducts::SATURATING_UNSIGNED,
                p.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated,
            ),
            (
                DotProducts::SATURATING_MIXED,
                p.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated,
            ),
        ];
        all.into_iter().filter(|(_, on)| *on == vk::TRUE).map(|(flag, _)| flag).collect()
    }
}
