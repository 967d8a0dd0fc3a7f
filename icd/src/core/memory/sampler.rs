//! Sampler objects (5.7). Kernels receive a sampler as one word.

use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use hekla_compiler::kernel::sampler_word;
use std::sync::Arc;

/// The properties of a sampler: how it treats coordinates, and how it filters the texels around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    pub normalized: bool,
    pub addressing: cl_addressing_mode,
    pub filter: cl_filter_mode,
    /// The filter between the levels of a mipmap.
    pub mip_filter: cl_filter_mode,
    /// The bits of the least and the greatest level of detail.
    pub lod: [u32; 2],
}

impl Default for Sampling {
    /// Returns the defaults of clCreateSamplerWithProperties.
    fn default() -> Sampling {
        Sampling {
            normalized: true,
            addressing: CL_ADDRESS_CLAMP,
            filter: CL_FILTER_NEAREST,
            mip_filter: CL_FILTER_NEAREST,
            lod: [0.0, f32::MAX].map(f32::to_bits),
        }
    }
}

impl Sampling {
    /// CL_INVALID_VALUE for modes that do not exist, or that repeat images with unnormalized coordinates.
    fn check(&self) -> Result<()> {
        let modes = CL_ADDRESS_NONE..=CL_ADDRESS_MIRRORED_REPEAT;
        ensure!(modes.contains(&self.addressing), CL_INVALID_VALUE);
        let is_filter = |mode| matches!(mode, CL_FILTER_NEAREST | CL_FILTER_LINEAR);
        ensure!(is_filter(self.filter) && is_filter(self.mip_filter), CL_INVALID_VALUE);
        let repeats = matches!(self.addressing, CL_ADDRESS_REPEAT | CL_ADDRESS_MIRRORED_REPEAT);
        ensure!(self.normalized || !repeats, CL_INVALID_VALUE);
        Ok(())
    }

    /// Returns the value of a sampler argument with these properties.
    fn word(&self) -> u32 {
        use sampler_word::*;
        let mode = match self.addressing {
            CL_ADDRESS_CLAMP_TO_EDGE => CLAMP_TO_EDGE,
            CL_ADDRESS_CLAMP => CLAMP,
            CL_ADDRESS_REPEAT => REPEAT,
            CL_ADDRESS_MIRRORED_REPEAT => MIRRORED_REPEAT,
            _ => NONE,
        };
        let normalized = if self.normalized { NORMALIZED } else { 0 };
        let linear = if self.filter == CL_FILTER_LINEAR { LINEAR } else { 0 };
        let mip_linear = if self.mip_filter == CL_FILTER_LINEAR { MIP_LINEAR } else { 0 };
        let [least, greatest] = self.lod.map(|bits| {
            let lod = f32::from_bits(bits).clamp(0.0, 16.0);
            ((lod * 256.0).round() as u32).min(LOD_MASK)
        });
        let lods = least << LEAST_LOD_SHIFT | (LOD_MASK - greatest) << GREATEST_LOD_SHIFT;
        normalized | mode << ADDRESS_SHIFT | linear | mip_linear | lods
    }
}

/// A sampler.
pub struct Sampler {
    pub context: Ref<Context>,
    pub sampling: Sampling,
    /// The list given to clCreateSamplerWithProperties, with the terminating zero; empty for none.
    pub properties: Vec<cl_sampler_properties>,
}

impl Kind for Sampler {
    type Target = _cl_sampler;
    const INVALID: cl_int = CL_INVALID_SAMPLER;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }
}

impl Sampler {
    /// clCreateSampler.
    pub fn new(
        context: Ref<Context>,
        sampling: Sampling,
        properties: Vec<cl_sampler_properties>,
    ) -> Result<Ref<Sampler>> {
        let images = context.devices.iter().any(|device| device.images().is_some());
        ensure!(images, CL_INVALID_OPERATION);
        sampling.check()?;
        Ok(Ref::new(Sampler { context, sampling, properties }))
    }

    /// Returns the value of an argument for this sampler.
    pub fn word(&self) -> u32 {
        self.sampling.word()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_samplers_do() {
        assert_eq!(Sampling::default().word(), 1 | 2 << 1);
        let sampling = Sampling {
            normalized: false,
            addressing: CL_ADDRESS_CLAMP_TO_EDGE,
            filter: CL_FILTER_LINEAR,
            ..Sampling::default()
        };
        assert_eq!(sampling.word(), 1 << 1 | 16);
        let lod = [1.5f32, 3.0].map(f32::to_bits);
        let mipmap = Sampling { mip_filter: CL_FILTER_LINEAR, lod, ..sampling };
        assert_eq!(mipmap.word(), 1 << 1 | 16 | 32 | 384 << 6 | (4095 - 768) << 18);
        let mirrored = Sampling { addressing: CL_ADDRESS_MIRRORED_REPEAT, ..Sampling::default() };
        assert_eq!(mirrored.word(), 1 | 4 << 1);
        assert!(Sampling { normalized: false, ..mirrored }.check().is_err());
    }
}
