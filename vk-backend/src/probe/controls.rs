//! Requests for the execution modes of float arithmetic.

use crate::asm::{FloatMode, KernelBuilder};
use crate::physical::found::FloatControls;

/// Adds requests for the modes of the width with `bits` bits.
pub(super) fn ask(controls: &FloatControls, k: &mut KernelBuilder, bits: u32) {
    let width = (bits / 32) as usize;
    let modes = [
        (controls.signed_zero_inf_nan, FloatMode::SignedZeroInfNanPreserve),
        (controls.denorm_preserve, FloatMode::DenormPreserve),
        (controls.rounding_rte, FloatMode::RoundingModeRte),
    ];
    for (asked, mode) in modes {
        if asked[width] {
            k.float_mode(mode, bits);
        }
    }
}
