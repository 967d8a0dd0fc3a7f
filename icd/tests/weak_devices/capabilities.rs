//! What a module of SPIR-V asks of a device, and whether that has it: spirv-val does not know the device.

use hekla_vk_backend::{Features, Independence, SubgroupOps};

const OP_EXTENSION: u32 = 10;
const OP_EXECUTION_MODE: u32 = 16;
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_FLOAT: u32 = 22;
const OP_TYPE_VECTOR: u32 = 23;
const OP_LOAD: u32 = 61;
const OP_STORE: u32 = 62;
/// The memory operand that says an alignment.
const ALIGNED: u32 = 2;

/// What is read of a module.
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
        let mut rest = words.get(5..).unwrap_or_default();
        while let [first, ..] = rest {
            let (length, op) = ((first >> 16) as usize, first & 0xffff);
            assert!(length > 0 && length <= rest.len(), "an instruction of {length} words");
            let (instruction, others) = rest.split_at(length);
            module.take(op, &instruction[1..]);
            rest = others;
        }
        module
    }

    fn take(&mut self, op: u32, operands: &[u32]) {
        match (op, operands) {
            (OP_CAPABILITY, [capability]) => self.capabilities.push(*capability),
            (OP_EXTENSION, name) => self.extensions.push(text(name)),
            (OP_EXECUTION_MODE, [_, mode, width]) => self.modes.push((*mode, *width)),
            (OP_TYPE_FLOAT, [_, width, ..]) => self.floats.push(*width),
            (OP_TYPE_VECTOR, [id, ..]) => self.vectors.push(*id),
            (OP_LOAD, [ty, id, _, access, ..]) if access & ALIGNED != 0 => {
                self.loads.push(*ty);
                self.types.insert(*id, *ty);
            }
            (OP_STORE, [_, value, access, ..]) if access & ALIGNED != 0 => self.stores.push(*value),
            _ => {}
        }
    }

    /// Returns how many loads through device addresses are of vectors, and stores of what was so loaded.
    pub fn vector_accesses(&self) -> usize {
        let is_vector = |ty: &&u32| self.vectors.contains(ty);
        let stored = self.stores.iter().filter_map(|value| self.types.get(value));
        self.loads.iter().chain(stored).filter(is_vector).count()
    }
}

fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take_while(|byte| *byte != 0).map(char::from).collect()
}

/// Checks that a module asks a device of these features for nothing that it lacks.
pub fn asks_for_less(module: &Module, f: &Features) -> Result<(), String> {
    for &capability in &module.capabilities {
        match has_capability(capability, f) {
            Some(true) => {}
            Some(false) => return Err(format!("the device lacks capability {capability}")),
            None => return Err(format!("capability {capability} is not in the test's table")),
        }
    }
    for name in &module.extensions {
        if has_extension(name, f) != Some(true) {
            return Err(format!("the device lacks {name}"));
        }
    }
    check_float_modes(module, f)
}

/// Returns true if a device has a capability; `None` for one that is not expected. Those without a condition are
/// every device's (Vulkan, "Capabilities").
fn has_capability(capability: u32, f: &Features) -> Option<bool> {
    use SubgroupOps as Ops;
    let ops = |ops| f.subgroup_ops.contains(ops);
    Some(match capability {
        // Shader, Sampled1D, Image1D, SampledBuffer, ImageBuffer, ImageQuery.
        1 | 43..=44 | 46..=47 | 50 => true,
        9 => f.float16,
        10 => f.float64,
        11 => f.int64,
        12 => f.atomic_int64_buffer || f.atomic_int64_shared,
        22 => f.int16,
        // Dynamic indexing of sampled and of storage images, of uniform and of storage texel buffers, RuntimeDescriptorArray.
        29 | 31 | 5302 | 5304 | 5305 => f.descriptor_indexing,
        39 => f.int8,
        55 => f.storage_image_read_without_format,
        56 => f.storage_image_write_without_format,
        61 => ops(Ops::BASIC),
        62 => ops(Ops::VOTE),
        63 => ops(Ops::ARITHMETIC),
        64 => ops(Ops::BALLOT),
        65 => ops(Ops::SHUFFLE),
        66 => ops(Ops::SHUFFLE_RELATIVE),
        67 => ops(Ops::CLUSTERED),
        68 => ops(Ops::QUAD),
        4428 => f.workgroup_explicit_layout,
        4429 => f.workgroup_explicit_layout_8,
        4430 => f.workgroup_explicit_layout_16,
        4433 => f.storage16,
        4434 => f.uniform_storage16,
        4448 => f.storage8,
        4449 => f.uniform_storage8,
        // The modes have widths; see below.
        4464 | 4466 | 4467 => true,
        5055 => f.subgroup_clock || f.device_clock,
        5345 => f.vulkan_memory_model,
        5346 => f.vulkan_memory_model_device_scope,
        5347 => f.buffer_device_address,
        5612 => f.atomic_float32_buffer_min_max,
        5613 => f.atomic_float64_buffer_min_max,
        6017..=6019 => f.integer_dot_product,
        6022 => f.cooperative_matrix,
        6033 => f.atomic_float32_buffer_add,
        6034 => f.atomic_float64_buffer_add,
        _ => return None,
    })
}

fn has_extension(name: &str, f: &Features) -> Option<bool> {
    Some(match name {
        "SPV_KHR_non_semantic_info" => f.non_semantic_info,
        "SPV_KHR_cooperative_matrix" => f.cooperative_matrix,
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
    let denorms = (4459, [f.denorm_preserve_16, f.denorm_preserve_32, f.denorm_preserve_64]);
    let zeros = [
        f.preserve_signed_zero_inf_nan_16,
        f.preserve_signed_zero_inf_nan_32,
        f.preserve_signed_zero_inf_nan_64,
    ];
    let rounding = (4462, [f.rounding_rte_16, f.rounding_rte_32, f.rounding_rte_64]);
    for (mode, has) in [denorms, (4461, zeros), rounding] {
        let wanted = |width: u32| module.modes.contains(&(mode, width));
        let lacking = [16, 32, 64].into_iter().zip(has).find(|(width, has)| wanted(*width) && !has);
        if let Some((width, _)) = lacking {
            return Err(format!("the device lacks execution mode {mode} of {width} bits"));
        }
    }
    for (mode, independence) in [(4459, f.denorm_independence), (4462, f.rounding_independence)] {
        let dependent = |width: &&u32| match independence {
            Independence::All => false,
            Independence::Float32Only => **width != 32,
            Independence::None => true,
        };
        let widths: Vec<u32> = module.floats.iter().filter(dependent).copied().collect();
        let with = widths.iter().filter(|width| module.modes.contains(&(mode, **width))).count();
        if with != 0 && with != widths.len() {
            return Err(format!("execution mode {mode} of some of the widths {widths:?}"));
        }
    }
    Ok(())
}
