//! What a device's arithmetic really does, found out by running it.

use std::sync::Arc;

use crate::{Device, Error};

/// The answers. All are about compute shaders of this device and driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Probe {
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
    /// OpFAdd and OpFMul of 32 bits round to nearest even.
    pub nearest32: bool,
    /// 32-bit denormals are taken for, or turned into, zero.
    pub denorm32_flushed: bool,
    /// 64-bit denormals are taken for, or turned into, zero; false without float64.
    pub denorm64_flushed: bool,
    /// A 32-bit NaN stays one through arithmetic, and OpIsNan finds it.
    pub nan32_kept: bool,
}

pub(crate) fn run(_device: &Arc<Device>) -> Result<Probe, Error> {
    Err(Error::Unsupported("not yet".into()))
}
