//! Images and samplers (SPIR-V 3.49.10).

use super::function::{unsupported, Translator};
use super::words::Inst;
use crate::kernel::sampler_word;
use rspirv::spirv::{Op, SamplerAddressingMode, SamplerFilterMode};

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        SampledImage
            | ImageSampleExplicitLod
            | ImageRead
            | ImageWrite
            | ImageQueryFormat
            | ImageQueryOrder
            | ImageQuerySizeLod
            | ImageQuerySize
            | ImageQueryLevels
    )
}

/// Returns the word of a constant sampler: addressing mode, normalized coordinates, filter.
pub(super) fn constant_sampler(inst: &Inst<'_>) -> Result<u32, String> {
    let [mode, normalized, filter] = inst.get()?;
    let mode = match SamplerAddressingMode::from_u32(mode).ok_or("unknown addressing mode")? {
        SamplerAddressingMode::None => sampler_word::NONE,
        SamplerAddressingMode::ClampToEdge => sampler_word::CLAMP_TO_EDGE,
        SamplerAddressingMode::Clamp => sampler_word::CLAMP,
        SamplerAddressingMode::Repeat => sampler_word::REPEAT,
        SamplerAddressingMode::RepeatMirrored => sampler_word::MIRRORED_REPEAT,
    };
    let linear = match SamplerFilterMode::from_u32(filter).ok_or("unknown filter mode")? {
        SamplerFilterMode::Nearest => 0,
        SamplerFilterMode::Linear => sampler_word::LINEAR,
    };
    let normalized = if normalized != 0 { sampler_word::NORMALIZED } else { 0 };
    Ok(mode << sampler_word::ADDRESS_SHIFT | normalized | linear)
}

impl Translator<'_, '_, '_> {
    pub(super) fn image(&mut self, _: &Inst<'_>) -> Result<(), String> {
        unsupported()
    }
}
