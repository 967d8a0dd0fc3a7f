//! Capabilities, extensions and instruction sets that modules may ask for; others are refused by their names.

use super::module::Set;
use crate::target::Target;
use rspirv::spirv::{AddressingModel, Capability, MemoryModel};

/// Checks a capability.
pub(super) fn capability(number: u32, target: &Target) -> Result<(), String> {
    use Capability::*;
    let Some(capability) = Capability::from_u32(number) else {
        return Err(format!("unknown capability {number}"));
    };
    let offered = match capability {
        Addresses
        | Linkage
        | Kernel
        | Vector16
        | Int8
        | Int16
        | Int64
        | Groups
        | GenericPointer
        | Matrix
        | DenormPreserve
        | DenormFlushToZero
        | SignedZeroInfNanPreserve
        | RoundingModeRTE
        | RoundingModeRTZ
        | ExpectAssumeKHR
        | BitInstructions
        | FunctionFloatControlINTEL
        | Float16Buffer
        | OptNoneEXT => true,
        Float16 => target.float16,
        Float64 => target.float64,
        Int64Atomics => target.int64_atomics(),
        ImageBasic | LiteralSampler | Sampled1D | Image1D | SampledBuffer | ImageBuffer
        | ImageMipmap | ImageQuery | ImageRect | SampledRect => target.images,
        ImageReadWrite | StorageImageReadWithoutFormat | StorageImageWriteWithoutFormat => {
            target.images && target.read_write_images
        }
        _ => false,
    };
    match offered {
        true => Ok(()),
        false => Err(format!("capability {capability:?} is not supported")),
    }
}

/// Checks an extension.
pub(super) fn extension(name: &str) -> Result<(), String> {
    const KNOWN: [&str; 10] = [
        "SPV_KHR_no_integer_wrap_decoration",
        "SPV_KHR_float_controls",
        "SPV_KHR_float_controls2",
        "SPV_KHR_non_semantic_info",
        "SPV_KHR_linkonce_odr",
        "SPV_KHR_expect_assume",
        "SPV_KHR_bit_instructions",
        "SPV_KHR_storage_buffer_storage_class",
        "SPV_EXT_optnone",
        "SPV_INTEL_optnone",
    ];
    match KNOWN.contains(&name) {
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
