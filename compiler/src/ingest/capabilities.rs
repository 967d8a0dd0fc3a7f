//! Capabilities, extensions and instruction sets that modules may ask for; others are refused by their names.

use super::module::Set;
use crate::matrices;
use crate::target::Target;
use rspirv::spirv::{AddressingModel, Capability, MemoryModel};
use std::ffi::CStr;

/// The greatest number that a capability may have.
const LAST_CAPABILITY: u32 = 0x3FFF;

/// The extensions that modules may declare.
const EXTENSIONS: &[&CStr] = &[
    c"SPV_KHR_no_integer_wrap_decoration",
    c"SPV_KHR_float_controls",
    c"SPV_KHR_non_semantic_info",
    c"SPV_KHR_linkonce_odr",
    c"SPV_KHR_expect_assume",
    c"SPV_KHR_bit_instructions",
    c"SPV_KHR_integer_dot_product",
    c"SPV_KHR_shader_clock",
    c"SPV_KHR_subgroup_rotate",
    c"SPV_KHR_uniform_group_instructions",
    c"SPV_EXT_optnone",
    c"SPV_EXT_shader_atomic_float_add",
    c"SPV_EXT_shader_atomic_float_min_max",
    c"SPV_EXT_shader_atomic_float16_add",
    c"SPV_INTEL_optnone",
    c"SPV_INTEL_memory_access_aliasing",
    c"SPV_INTEL_fp_fast_math_mode",
    c"SPV_INTEL_bfloat16_conversion",
    c"SPV_KHR_bfloat16",
    c"SPV_KHR_untyped_pointers",
    MATRICES,
    c"SPV_EXT_arithmetic_fence",
    c"SPV_INTEL_arithmetic_fence",
    c"SPV_INTEL_unstructured_loop_controls",
    c"SPV_INTEL_split_barrier",
    c"SPV_INTEL_subgroups",
];

/// The extension for matrices, which only devices with matrices report. Other devices accept its name, and refuse modules by
/// the name of the capability.
const MATRICES: &CStr = c"SPV_KHR_cooperative_matrix";

/// Extensions that are supported in part: modules may declare them, but they are not reported.
const PARTLY: &[&CStr] = &[
    // Supported for pointers that are known to point to one function where they are called.
    c"SPV_INTEL_function_pointers",
    // Supported for formats that are known when the program is built.
    c"SPV_EXT_relaxed_printf_string_address_space",
];

/// The sets of extended instructions that devices report. Modules may import other sets only if their instructions compute
/// nothing.
pub const INSTRUCTION_SETS: &[&CStr] = &[c"OpenCL.std", c"OpenCL.DebugInfo.100"];

/// Returns the numbers of the capabilities that a device offers.
pub fn capabilities(target: &Target) -> Vec<u32> {
    let offered = |&number: &u32| {
        Capability::from_u32(number).is_some_and(|capability| offers(target, capability))
    };
    (0..=LAST_CAPABILITY).filter(offered).collect()
}

/// Returns the extensions that a device offers.
pub fn extensions(target: &Target) -> Vec<&'static CStr> {
    let has = |name: &&CStr| *name != MATRICES || offers(target, Capability::CooperativeMatrixKHR);
    EXTENSIONS.iter().copied().filter(has).collect()
}

/// Checks a capability.
pub(super) fn capability(number: u32, target: &Target) -> Result<(), String> {
    let Some(capability) = Capability::from_u32(number) else {
        return Err(format!("unknown capability {number}"));
    };
    // This capability is supported in part, see [`PARTLY`].
    let partly = capability == Capability::FunctionPointersINTEL;
    match partly || offers(target, capability) {
        true => Ok(()),
        false => Err(format!("capability {capability:?} is not supported")),
    }
}

/// Returns true if a device offers a capability.
fn offers(target: &Target, capability: Capability) -> bool {
    use Capability::*;
    match capability {
        Addresses
        | Linkage
        | Kernel
        | Vector16
        | Int8
        | Int16
        | Int64
        | Groups
        | GenericPointer
        | SignedZeroInfNanPreserve
        | RoundingModeRTE
        | ExpectAssumeKHR
        | BitInstructions
        | DotProduct
        | DotProductInput4x8Bit
        | DotProductInput4x8BitPacked
        | UniformDecoration
        | Float16Buffer
        | OptNoneEXT
        | GroupUniformArithmeticKHR
        | MemoryAccessAliasingINTEL
        | FPFastMathModeINTEL
        | BFloat16ConversionINTEL
        | BFloat16TypeKHR
        | BFloat16DotProductKHR
        | UntypedPointersKHR
        | ArithmeticFenceEXT
        | UnstructuredLoopControlsINTEL
        | SplitBarrierINTEL
        | AtomicFloat32AddEXT
        | AtomicFloat32MinMaxEXT => true,
        AtomicFloat64AddEXT | AtomicFloat64MinMaxEXT => target.atomic_double(),
        AtomicFloat16AddEXT | AtomicFloat16MinMaxEXT => target.half_arithmetic(),
        DeviceEnqueue => target.device_enqueue(),
        Pipes => target.features().contains(&"__opencl_c_pipes"),
        DenormPreserve => target.float_traits.iter().any(|traits| traits.keeps_denormals),
        GroupNonUniform
        | GroupNonUniformVote
        | GroupNonUniformArithmetic
        | GroupNonUniformBallot
        | GroupNonUniformShuffle
        | GroupNonUniformShuffleRelative
        | GroupNonUniformClustered
        | GroupNonUniformRotateKHR
        | SubgroupDispatch
        | SubgroupShuffleINTEL
        | SubgroupBufferBlockIOINTEL => target.subgroups.is_some(),
        ShaderClockKHR => target.extensions().contains(&"cl_khr_kernel_clock"),
        CooperativeMatrixKHR => !target.matrices.is_empty(),
        BFloat16CooperativeMatrixKHR => matrices::has_bfloat16(target),
        Float16 => target.float16,
        Float64 => target.float64,
        Int64Atomics => target.int64_atomics(),
        ImageBasic | LiteralSampler | Sampled1D | Image1D | SampledBuffer | ImageBuffer
        | ImageMipmap | ImageQuery => target.images,
        ImageReadWrite => target.images && target.read_write_images,
        _ => false,
    }
}

/// Checks an extension.
pub(super) fn extension(name: &str) -> Result<(), String> {
    match EXTENSIONS.iter().chain(PARTLY).any(|known| known.to_bytes() == name.as_bytes()) {
        true => Ok(()),
        false => Err(format!("extension '{name}' is not supported")),
    }
}

/// Checks addressing and memory model.
pub(super) fn memory_model([addressing, memory]: [u32; 2]) -> Result<(), String> {
    if AddressingModel::from_u32(addressing) != Some(AddressingModel::Physical64) {
        let name = AddressingModel::from_u32(addressing).map(|model| format!("{model:?}"));
        let name = name.unwrap_or_else(|| addressing.to_string());
        return Err(format!("addressing model {name} is not supported: it is Physical64"));
    }
    match MemoryModel::from_u32(memory) {
        Some(MemoryModel::OpenCL) => Ok(()),
        Some(model) => Err(format!("memory model {model:?} is not supported: it is OpenCL")),
        None => Err(format!("unknown memory model {memory}")),
    }
}

/// Returns the instruction set of a name.
pub(super) fn instruction_set(name: &str) -> Result<Set, String> {
    match name {
        "OpenCL.std" => Ok(Set::OpenClStd),
        "OpenCL.DebugInfo.100" | "DebugInfo" | "SPIRV.debug" => Ok(Set::Ignored),
        _ if name.starts_with("NonSemantic.") => Ok(Set::Ignored),
        _ => Err(format!("instruction set '{name}' is not supported")),
    }
}
