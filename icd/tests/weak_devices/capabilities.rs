//! What a module of SPIR-V asks of a device, and whether the device has it: spirv-val does not know the device.

use hekla_spirv::spirv::{Capability, ExecutionMode, MemoryAccess, Op};
use hekla_spirv::{instructions, string, HEADER};
use hekla_vk_backend::{Features, Independence, SubgroupOps};

/// The parts of a module that are checked.
#[derive(Default)]
pub struct Module {
    capabilities: Vec<u32>,
    extensions: Vec<String>,
    /// Modes of a width of floats: the mode and the width.
    modes: Vec<(u32, u32)>,
    floats: Vec<u32>,
    vectors: Vec<u32>,
    /// The types of loads through device addresses.
    loads: Vec<u32>,
    stores: Vec<u32>,
    /// The types of values, by id.
    types: std::collections::HashMap<u32, u32>,
}

impl Module {
    /// Reads a module's words.
    pub fn read(words: &[u32]) -> Module {
        let mut module = Module::default();
        for instruction in instructions(words, HEADER) {
            let instruction = instruction.expect("the length of an instruction");
            module.take(instruction.op(), instruction.operands);
        }
        module
    }

    fn take(&mut self, op: Option<Op>, operands: &[u32]) {
        let Some(op) = op else { return };
        let is_aligned =
            |access: u32| MemoryAccess::from_bits_retain(access).contains(MemoryAccess::ALIGNED);
        match (op, operands) {
            (Op::Capability, [capability]) => self.capabilities.push(*capability),
            (Op::Extension, name) => self.extensions.push(string(name).0),
            (Op::ExecutionMode, [_, mode, width]) => self.modes.push((*mode, *width)),
            (Op::TypeFloat, [_, width, ..]) => self.floats.push(*width),
            (Op::TypeVector, [id, ..]) => self.vectors.push(*id),
            (Op::Load, [ty, id, _, access, ..]) if is_aligned(*access) => {
                self.loads.push(*ty);
                self.types.insert(*id, *ty);
            }
            (Op::Store, [_, value, access, ..]) if is_aligned(*access) => self.stores.push(*value),
            _ => {}
        }
    }

    /// Returns the number of vector loads through device addresses, and of stores of loaded vectors.
    pub fn vector_accesses(&self) -> usize {
        let is_vector = |ty: &&u32| self.vectors.contains(ty);
        let stored = self.stores.iter().filter_map(|value| self.types.get(value));
        self.loads.iter().chain(stored).filter(is_vector).count()
    }
}

/// Checks that a module asks a device with these features for nothing that it lacks.
pub fn asks_for_less(module: &Module, f: &Features) -> Result<(), String> {
    for &capability in &module.capabilities {
        match Capability::from_u32(capability).and_then(|known| has_capability(known, f)) {
            Some(true) => {}
            Some(false) => {
                return Err(format!("the device lacks capability {}", named(capability)))
            }
            None => {
                return Err(format!("capability {} is not in the test's table", named(capability)))
            }
        }
    }
    for name in &module.extensions {
        if has_extension(name, f) != Some(true) {
            return Err(format!("the device lacks {name}"));
        }
    }
    check_float_modes(module, f)
}

/// Returns a capability as messages name it.
fn named(capability: u32) -> String {
    Capability::from_u32(capability).map_or(capability.to_string(), |known| format!("{known:?}"))
}

/// Returns true if a device has a capability; `None` for a capability that is not expected. Every device has the
/// capabilities without a condition (Vulkan, "Capabilities").
fn has_capability(capability: Capability, f: &Features) -> Option<bool> {
    use Capability::*;
    use SubgroupOps as Ops;
    let ops = |ops| f.subgroup_ops.contains(ops);
    Some(match capability {
        Shader | Sampled1D | Image1D | SampledBuffer | ImageBuffer | ImageQuery => true,
        Float16 => f.float16,
        Float64 => f.float64,
        Int64 => f.int64,
        Int64Atomics => f.atomic_int64_buffer || f.atomic_int64_shared,
        Int16 => f.int16,
        SampledImageArrayDynamicIndexing
        | StorageImageArrayDynamicIndexing
        | RuntimeDescriptorArray
        | UniformTexelBufferArrayDynamicIndexing
        | StorageTexelBufferArrayDynamicIndexing => f.descriptor_indexing,
        Int8 => f.int8,
        StorageImageReadWithoutFormat => f.storage_image_read_without_format,
        StorageImageWriteWithoutFormat => f.storage_image_write_without_format,
        GroupNonUniform => ops(Ops::BASIC),
        GroupNonUniformVote => ops(Ops::VOTE),
        GroupNonUniformArithmetic => ops(Ops::ARITHMETIC),
        GroupNonUniformBallot => ops(Ops::BALLOT),
        GroupNonUniformShuffle => ops(Ops::SHUFFLE),
        GroupNonUniformShuffleRelative => ops(Ops::SHUFFLE_RELATIVE),
        GroupNonUniformClustered => ops(Ops::CLUSTERED),
        GroupNonUniformQuad => ops(Ops::QUAD),
        WorkgroupMemoryExplicitLayoutKHR => f.workgroup_explicit_layout,
        WorkgroupMemoryExplicitLayout8BitAccessKHR => f.workgroup_explicit_layout_8,
        WorkgroupMemoryExplicitLayout16BitAccessKHR => f.workgroup_explicit_layout_16,
        StorageBuffer16BitAccess => f.storage16,
        UniformAndStorageBuffer16BitAccess => f.uniform_storage16,
        StorageBuffer8BitAccess => f.storage8,
        UniformAndStorageBuffer8BitAccess => f.uniform_storage8,
        // The modes have widths; `check_float_modes` checks them.
        DenormPreserve | SignedZeroInfNanPreserve | RoundingModeRTE => true,
        ShaderClockKHR => f.subgroup_clock || f.device_clock,
        VulkanMemoryModel => f.vulkan_memory_model,
        VulkanMemoryModelDeviceScope => f.vulkan_memory_model_device_scope,
        PhysicalStorageBufferAddresses => f.buffer_device_address,
        AtomicFloat32MinMaxEXT => f.atomic_float32_buffer_min_max,
        AtomicFloat64MinMaxEXT => f.atomic_float64_buffer_min_max,
        DotProductInput4x8Bit | DotProductInput4x8BitPacked | DotProduct => f.integer_dot_product,
        CooperativeMatrixKHR => f.cooperative_matrix,
        BFloat16TypeKHR | BFloat16CooperativeMatrixKHR => f.bfloat16_matrix,
        AtomicFloat32AddEXT => f.atomic_float32_buffer_add,
        AtomicFloat64AddEXT => f.atomic_float64_buffer_add,
        _ => return None,
    })
}

fn has_extension(name: &str, f: &Features) -> Option<bool> {
    Some(match name {
        "SPV_KHR_non_semantic_info" => f.non_semantic_info,
        "SPV_KHR_cooperative_matrix" => f.cooperative_matrix,
        "SPV_KHR_bfloat16" => f.bfloat16_matrix,
        "SPV_KHR_workgroup_memory_explicit_layout" => f.workgroup_explicit_layout,
        "SPV_KHR_shader_clock" => f.subgroup_clock || f.device_clock,
        "SPV_KHR_integer_dot_product" => f.integer_dot_product,
        "SPV_EXT_shader_atomic_float_add" => {
            f.atomic_float32_buffer_add || f.atomic_float64_buffer_add
        }
        "SPV_EXT_shader_atomic_float_min_max" => {
            f.atomic_float32_buffer_min_max || f.atomic_float64_buffer_min_max
        }
        "SPV_KHR_maximal_reconvergence" => f.maximal_reconvergence,
        "SPV_KHR_subgroup_uniform_control_flow" => f.subgroup_uniform_control_flow,
        _ => return None,
    })
}

/// Checks the modes of floats: each must be the device's, and alike for widths that depend on each other
/// (VUID-RuntimeSpirv-denormBehaviorIndependence-06289 and the others of its kind).
fn check_float_modes(module: &Module, f: &Features) -> Result<(), String> {
    let denorms = (
        ExecutionMode::DenormPreserve,
        [f.denorm_preserve_16, f.denorm_preserve_32, f.denorm_preserve_64],
    );
    let zeros = [
        f.preserve_signed_zero_inf_nan_16,
        f.preserve_signed_zero_inf_nan_32,
        f.preserve_signed_zero_inf_nan_64,
    ];
    let rounding =
        (ExecutionMode::RoundingModeRTE, [f.rounding_rte_16, f.rounding_rte_32, f.rounding_rte_64]);
    for (mode, has) in [denorms, (ExecutionMode::SignedZeroInfNanPreserve, zeros), rounding] {
        let wanted = |width: u32| module.modes.contains(&(mode as u32, width));
        let lacking = [16, 32, 64].into_iter().zip(has).find(|(width, has)| wanted(*width) && !has);
        if let Some((width, _)) = lacking {
            return Err(format!("the device lacks execution mode {mode:?} of {width} bits"));
        }
    }
    for (mode, independence) in [
        (ExecutionMode::DenormPreserve, f.denorm_independence),
        (ExecutionMode::RoundingModeRTE, f.rounding_independence),
    ] {
        let dependent = |width: &&u32| match independence {
            Independence::All => false,
            Independence::Float32Only => **width != 32,
            Independence::None => true,
        };
        let widths: Vec<u32> = module.floats.iter().filter(dependent).copied().collect();
        let with =
            widths.iter().filter(|width| module.modes.contains(&(mode as u32, **width))).count();
        if with != 0 && with != widths.len() {
            return Err(format!("execution mode {mode:?} of some of the widths {widths:?}"));
        }
    }
    Ok(())
}
