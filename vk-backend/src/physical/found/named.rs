//! The probe's answers by name, for device files, in the order that the disk cache uses.

use crate::physical::found::{Behaviour, FloatControls, FloatOp, FloatTable, FloatWidth, Probe};
use crate::physical::Features;
use hekla_device::Quirks;

/// A field of `T` that is true or false: its name, and a function that returns the field.
pub(crate) type Answer<T> = (&'static str, fn(&mut T) -> &mut bool);

macro_rules! answers {
    ($name:ident of $of:ident: $($field:ident)*) => {
        pub(crate) const $name: &[Answer<$of>] =
            &[$((stringify!($field), |it| &mut it.$field),)*];
    };
}

answers! {
    ANSWERS of Probe:
    nearest32_to_divide
    fma32_fused
    fma64_fused
    div32_exact
    div64_exact
    sqrt32_exact
    sqrt64_exact
    exp2_accurate
    exp2_wide
    exp2_denormals
    log2_accurate
    log2_accurate_near_1
    log2_denormals
    nearest32
    nearest64
    merges_signs
    subgroups_in_order
    subgroups_progress
}

answers! {
    BEHAVIOUR of Behaviour:
    keeps_inputs
    keeps_results
    signed_zeros
    nans
    nearest_even
}

impl Probe {
    /// Returns the answers of good hardware, for devices that no kernels were run on: operations are as IEEE 754 has them,
    /// except that denormals are flushed where the device cannot be asked to keep them, and Fma rounds once. Quotients and
    /// roots of 32 bits are not correctly rounded, since Vulkan does not require that. Subgroups are in order, and are not
    /// assumed to make progress.
    pub(crate) fn assumed(f: &Features, quirks: Quirks) -> Probe {
        let controls = FloatControls::offered(f, quirks);
        let mut probe = Probe {
            controls,
            fma32_fused: true,
            fma64_fused: f.float64,
            div64_exact: f.float64,
            sqrt64_exact: f.float64,
            exp2_accurate: true,
            exp2_wide: true,
            exp2_denormals: true,
            log2_accurate: true,
            nearest32: true,
            nearest64: f.float64,
            merges_signs: true,
            subgroups_in_order: true,
            ..Probe::default()
        };
        let there = [f.float16, true, f.float64];
        for (width, _) in FloatWidth::ALL.into_iter().zip(there).filter(|(_, there)| *there) {
            probe.floats.add_width(width);
            if !controls.denorm_preserve[width as usize] {
                probe.floats.flush(width);
            }
        }
        probe
    }
}

impl FloatTable {
    /// Adds a width, all operations of which agree with IEEE 754.
    pub(crate) fn add_width(&mut self, width: FloatWidth) {
        *self.row_mut(width) = Some([Behaviour::RIGHT; FloatOp::ALL.len()]);
    }

    /// Lets a width's arithmetic flush denormals.
    fn flush(&mut self, width: FloatWidth) {
        use FloatOp::*;
        for op in [Add, Subtract, Multiply, Divide, SquareRoot, Fma] {
            if let Some(behaviour) = self.place(width, op) {
                (behaviour.keeps_inputs, behaviour.keeps_results) = (false, false);
            }
        }
    }

    /// Returns the behaviour of an operation, to be changed; `None` if the device does not have the width.
    pub(crate) fn place(&mut self, width: FloatWidth, op: FloatOp) -> Option<&mut Behaviour> {
        self.row_mut(width).as_mut().map(|row| &mut row[op as usize])
    }
}

impl Behaviour {
    /// Returns the names of the ways in which the operation differs from IEEE 754.
    pub(crate) fn lacks(mut self) -> Vec<&'static str> {
        let lacking = BEHAVIOUR.iter().filter(|(_, place)| !*place(&mut self));
        lacking.map(|(name, _)| *name).collect()
    }
}
