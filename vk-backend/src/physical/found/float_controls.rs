//! The execution modes of float arithmetic that kernels ask for (Vulkan "Shader Float Controls").

use crate::physical::{Features, Independence};
use hekla_device::Quirks;

/// The execution modes that every kernel asks for, each for half, single and double
/// ([`crate::FloatWidth`] as index).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FloatControls {
    /// SignedZeroInfNanPreserve.
    pub signed_zero_inf_nan: [bool; 3],
    /// DenormPreserve.
    pub denorm_preserve: [bool; 3],
    /// RoundingModeRTE.
    pub rounding_rte: [bool; 3],
}

impl FloatControls {
    /// Returns all modes that make arithmetic exact and that the device offers; denormals of 32 bits are kept only where that
    /// costs nothing, since OpenCL leaves them to the device (CL_DEVICE_SINGLE_FP_CONFIG).
    pub fn offered(f: &Features, quirks: Quirks) -> FloatControls {
        let denorms_32 = f.denorm_preserve_32 && !quirks.contains(Quirks::SLOW_DENORMALS);
        let denorms = [f.denorm_preserve_16, denorms_32, f.denorm_preserve_64];
        FloatControls {
            signed_zero_inf_nan: [
                f.preserve_signed_zero_inf_nan_16,
                f.preserve_signed_zero_inf_nan_32,
                f.preserve_signed_zero_inf_nan_64,
            ],
            denorm_preserve: allowed(f, f.denorm_independence, denorms),
            rounding_rte: rounding(f, f.rounding_rte_32),
        }
    }

    /// Returns the same modes without RoundingModeRTE for single.
    pub(crate) fn without_single_rounding(&self, f: &Features) -> FloatControls {
        FloatControls { rounding_rte: rounding(f, false), ..*self }
    }
}

fn rounding(f: &Features, single: bool) -> [bool; 3] {
    allowed(f, f.rounding_independence, [f.rounding_rte_16, single, f.rounding_rte_64])
}

/// Returns the widths for which a module of any widths may ask for a mode: where widths are not independent, either all of them
/// ask for the mode or none (VUID-RuntimeSpirv-denormBehaviorIndependence-06289 and -06290,
/// VUID-RuntimeSpirv-roundingModeIndependence-06291 and -06292).
fn allowed(f: &Features, independence: Independence, wanted: [bool; 3]) -> [bool; 3] {
    let has = [f.float16, true, f.float64];
    let all_of = |widths: &[usize]| widths.iter().all(|&width| wanted[width] || !has[width]);
    match independence {
        Independence::All => wanted,
        Independence::Float32Only => {
            let others = all_of(&[0, 2]);
            [wanted[0] && others, wanted[1], wanted[2] && others]
        }
        Independence::None => {
            let all = all_of(&[0, 1, 2]);
            wanted.map(|one| one && all)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(independence: Independence) -> Features {
        Features {
            float16: true,
            float64: true,
            rounding_rte_16: true,
            rounding_rte_32: true,
            rounding_rte_64: true,
            denorm_preserve_16: true,
            denorm_preserve_32: true,
            rounding_independence: independence,
            denorm_independence: independence,
            ..Features::default()
        }
    }

    fn offered(f: &Features) -> FloatControls {
        FloatControls::offered(f, Quirks::empty())
    }

    #[test]
    fn slow_denormals_are_not_asked_for() {
        let f = features(Independence::Float32Only);
        let f = Features { denorm_preserve_64: true, ..f };
        let asked = FloatControls::offered(&f, Quirks::SLOW_DENORMALS).denorm_preserve;
        assert_eq!(asked, [true, false, true]);
    }

    #[test]
    fn widths_that_depend_on_each_other_ask_alike() {
        let all = offered(&features(Independence::All));
        assert_eq!((all.rounding_rte, all.denorm_preserve), ([true; 3], [true, true, false]));
        let f = features(Independence::Float32Only);
        assert_eq!(offered(&f).denorm_preserve, [false, true, false]);
        assert_eq!(offered(&f).without_single_rounding(&f).rounding_rte, [true, false, true]);
        let f = features(Independence::None);
        assert_eq!(offered(&f).denorm_preserve, [false; 3]);
        assert_eq!(offered(&f).rounding_rte, [true; 3]);
        assert_eq!(offered(&f).without_single_rounding(&f).rounding_rte, [false; 3]);
    }

    #[test]
    fn widths_that_the_device_lacks_do_not_count() {
        let f = Features { float64: false, ..features(Independence::None) };
        assert_eq!(offered(&f).denorm_preserve, [true, true, false]);
    }
}
