//! The results of small kernels that run on a device, as data: [`crate::probe`] produces them, and device files can contain
//! them.

mod float_controls;
mod float_table;
mod named;

pub use float_controls::FloatControls;
pub use float_table::{Behaviour, FloatOp, FloatTable, FloatWidth};
pub(crate) use named::{ANSWERS, BEHAVIOUR};

/// The behaviour of a device's arithmetic in compute shaders that ask for `controls`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    /// The execution modes that kernels ask for.
    pub controls: FloatControls,
    /// Only kernels that divide numbers of 32 bits should ask for RoundingModeRTE of 32 bits. Without it sums, products and Fma
    /// of the device treat denormals alike, and results are the nearest numbers all the same; with it they do not treat
    /// denormals alike (NVIDIA's driver 580: sums and products keep them, Fma flushes them). Quotients may need the mode (with
    /// that driver, quotients by numbers beyond 2^126 are zero without it).
    pub nearest32_to_divide: bool,
    /// GLSL.std.450 Fma of 32 bits rounds once.
    pub fma32_fused: bool,
    /// GLSL.std.450 Fma of 64 bits rounds once; false without float64.
    pub fma64_fused: bool,
    /// OpFDiv of 32 bits is correctly rounded.
    pub div32_exact: bool,
    /// OpFDiv of 64 bits is correctly rounded; false without float64.
    pub div64_exact: bool,
    /// GLSL.std.450 Sqrt of 32 bits is correctly rounded.
    pub sqrt32_exact: bool,
    /// GLSL.std.450 Sqrt of 64 bits is correctly rounded; false without float64.
    pub sqrt64_exact: bool,
    /// GLSL.std.450 Exp2 of 32 bits is within 2.5 ulp near zero, and returns NaN for NaN. (Vulkan allows 3 + 2 |x|; OpenCL's
    /// relaxed exponentials, which round once more for their base, 3.)
    pub exp2_accurate: bool,
    /// GLSL.std.450 Exp2 of 32 bits is within 2.2 ulp, and within 1.25 ulp of 1 in relation to the result, wherever the result
    /// is not denormal; it is infinite from 128 on and vanishes from -151 on.
    pub exp2_wide: bool,
    /// Results of Exp2 of 32 bits that are denormal are within 1 ulp.
    pub exp2_denormals: bool,
    /// GLSL.std.450 Log2 of 32 bits is within the error bound of OpenCL's relaxed logarithms, even after multiplication by ln 2
    /// and log10 2. (Vulkan allows 3 ulp before that multiplication, OpenCL after it; and 2^-21 in [0.5, 2] both.)
    pub log2_accurate: bool,
    /// Log2 is as accurate near 1, in relation to the result, and gives what log2 gives for zeros, infinities and negative
    /// numbers (IEEE 754, 9.2.1).
    pub log2_accurate_near_1: bool,
    /// Log2 of a denormal number of 32 bits is as accurate as Log2 of other numbers, or equals Log2 of zero.
    pub log2_denormals: bool,
    /// OpFAdd and OpFMul of 32 bits round to nearest even.
    pub nearest32: bool,
    /// OpFAdd and OpFMul of 64 bits round to nearest even; false without float64.
    pub nearest64: bool,
    /// The behaviour of each operation with denormals, zeros and NaN.
    pub floats: FloatTable,
    /// `c ? x : (m & 0x7fffffff) | (x & 0x80000000)` gives the right result. (LLVM, of 15 as of 22, miscompiles it for
    /// processors with AVX-512.)
    pub merges_signs: bool,
    /// Subgroups are filled in the order of local indices.
    pub subgroups_in_order: bool,
    /// Subgroups make independent forward progress: a subgroup continues while others of its work-group wait for it.
    pub subgroups_progress: bool,
}
