//! Devices to compile for, and kernels compiled and run on them.
#![allow(dead_code)] // Each test file uses its part.

use hekla_compiler::kernel::Kernel;
use hekla_compiler::target::{DotProducts, FloatTraits, Reconvergence, Subgroups as Subgroup};
use hekla_compiler::{
    compile, MatrixComponent, MatrixProduct, Options, Program, Quirks, Source, Target,
};
use hekla_spirv_interp::spirv::{Capability, Op};
use hekla_spirv_interp::{Error, Floats, Launch, Memory, Subgroups};

/// A device: the compiler's target for it, and how the interpreter computes floats for it.
#[derive(Clone)]
pub struct Device {
    pub name: &'static str,
    pub target: Target,
    pub floats: Floats,
}

impl Device {
    /// Returns the sub-groups in which the device runs a kernel.
    pub fn subgroups(&self, kernel: &Kernel) -> Subgroups {
        let size = self.target.hardware_subgroup_size(kernel.required_subgroup_size);
        let extended_types = self.target.subgroups.is_some_and(|it| it.extended_types);
        Subgroups { size, extended_types }
    }
}

/// Returns a device that has everything.
pub fn capable() -> Device {
    let generic = Target::generic();
    let subgroups = generic
        .subgroups
        .map(|subgroups| Subgroup { reconvergence: Reconvergence::Maximal, ..subgroups });
    let target = Target {
        subgroups,
        float16: true,
        integer_dot_product: true,
        accelerated_dot_products: DotProducts::ALL,
        workgroup_explicit_layout: true,
        workgroup_explicit_layout_8: true,
        workgroup_explicit_layout_16: true,
        preserve_signed_zero_inf_nan_16: true,
        denorm_preserve_16: true,
        denorm_preserve_32: true,
        denorm_preserve_64: true,
        rounding_rte_16: true,
        rounding_rte_32: true,
        rounding_rte_64: true,
        fma16_fused: true,
        quirks: Quirks::SLOW_BUILT_HALVES
            | Quirks::WHOLE_LOCAL_VECTORS
            | Quirks::SPLIT_LONG_VECTORS,
        fma32_fused: true,
        fma64_fused: true,
        log2_accurate: true,
        log2_accurate_near_1: true,
        div32_exact: true,
        sqrt32_exact: true,
        ..generic
    };
    Device { name: "capable", target, floats: Floats::default() }
}

/// Returns devices with matrices, whose sub-groups have 8, 16 and 32 work-items.
pub fn with_matrices() -> Vec<Device> {
    use MatrixComponent::{F16, F32, I32, I8, U32, U8};
    let product =
        |a, c| MatrixProduct { m: 8, n: 8, k: 8, a, b: a, c, result: c, saturates: false };
    let capable = capable();
    let subgroups = capable.target.subgroups.expect("sub-groups");
    let of_size = |size| {
        let matrices = [(F16, F32), (F16, F16), (I8, I32), (U8, U32)].map(|(a, c)| product(a, c));
        let target = Target {
            subgroups: Some(Subgroup { size, sizes: [size, size], ..subgroups }),
            matrices: matrices.to_vec(),
            ..capable.target.clone()
        };
        Device { name: "one with matrices", target, ..capable.clone() }
    };
    [8, 16, 32].map(of_size).to_vec()
}

/// Returns a device with wide integers, rotated by funnel shifts, and doubles, but without views of work-group memory, and with
/// an Fma that rounds twice.
pub fn middling() -> Device {
    let floats = Floats { fma_rounds_twice: true, ..Floats::default() };
    let target = Target {
        quirks: Quirks::SLOW_LONG_ROTATES
            | Quirks::READ_ONLY_LOADS
            | Quirks::SEQUENTIAL_SWITCHES
            | Quirks::CHAINED_ADDRESSES
            | Quirks::PLAIN_LOOPS
            | Quirks::WORD_VECTORS
            | Quirks::COSTLY_SELECTIONS
            | Quirks::PAIRED_PRODUCTS
            | Quirks::SUBTRACTED_ROTATES
            | Quirks::SUMMED_PRODUCTS
            | Quirks::SLOW_LONG_COUNTERS,
        narrow_offsets: Some(u32::MAX - 3),
        ..Target::generic()
    };
    Device { name: "middling", target, floats }
}

/// Returns a device that takes every denormal for zero.
pub fn flushing() -> Device {
    let capable = capable();
    let traits = FloatTraits {
        sign_alone: false,
        signs_operands: true,
        orders: false,
        keeps_denormals: false,
        widens: false,
        narrows: false,
    };
    let mut float_traits = [traits; 3];
    float_traits[0] = FloatTraits::IEEE;
    let target = Target {
        denorm_preserve_32: false,
        denorm_preserve_64: false,
        float_traits,
        ..capable.target
    };
    let floats = Floats { flush_32: true, flush_64: true, ..capable.floats };
    Device { name: "flushing", target, floats }
}

/// Returns a device that has integers of 32 bits only, no small storage, no doubles.
pub fn weak() -> Device {
    Device { name: "weak", target: Target::minimal(), ..middling() }
}

/// Returns the capable device and the weak device, with doubles that are computed by integers.
pub fn with_soft_doubles() -> [Device; 2] {
    let Device { target, floats, .. } = capable();
    let without = Target { float64: false, denorm_preserve_64: false, ..target };
    let capable = without.with_soft_doubles();
    let weak = weak();
    [
        Device { name: "capable one without doubles", target: capable, floats },
        Device {
            name: "weak one with doubles of integers",
            target: weak.target.with_soft_doubles(),
            ..weak
        },
    ]
}

/// Returns the weak device, without Vulkan's memory model and with all kernel arguments in memory.
pub fn weakest() -> Device {
    let target = Target {
        vulkan_memory_model: false,
        push_constant_size: 0,
        quirks: Quirks::SEQUENTIAL_SWITCHES,
        ..Target::minimal()
    };
    Device { name: "weakest", target, ..middling() }
}

/// Returns devices with every mix of capabilities that changes how values are represented.
pub fn mixed() -> Vec<Device> {
    let Device { target, floats, .. } = capable();
    let device = |name, target| Device { name, target, floats };
    let (bytes, words) = (Target { int8: false, ..target.clone() }, target.clone());
    vec![
        device("without 64-bit integers", Target { int64: false, ..target.clone() }),
        device("without 8-bit integers", Target { storage8: false, ..bytes }),
        device(
            "without 8- and 16-bit integers",
            Target { int8: false, int16: false, float16: false, ..words },
        ),
        device(
            "without small storage",
            Target {
                storage8: false,
                storage16: false,
                workgroup_explicit_layout_8: false,
                workgroup_explicit_layout_16: false,
                ..target.clone()
            },
        ),
        device(
            "with wide sub-groups that only shuffle",
            Target { subgroups: Some(Subgroup { size: 128, ..Subgroup::LEAST }), ..target.clone() },
        ),
        device(
            "without clusters of sub-groups",
            Target {
                int64: false,
                subgroups: Some(Subgroup { size: 8, arithmetic: true, ..Subgroup::LEAST }),
                ..target.clone()
            },
        ),
        device(
            "with sub-groups that combine 32 bits",
            Target {
                subgroups: Some(Subgroup {
                    arithmetic: true,
                    reconvergence: Reconvergence::Uniform,
                    ..Subgroup::LEAST
                }),
                ..target.clone()
            },
        ),
        device(
            "with scans of sub-groups by shuffles, and doubles rounded by sums",
            Target {
                quirks: target.quirks
                    | Quirks::SLOW_SUBGROUP_SCANS
                    | Quirks::INEXACT_DOUBLE_ROUNDING,
                ..target.clone()
            },
        ),
        device("without sub-groups", Target { subgroups: None, ..target.clone() }),
        device(
            "with memory that is zero",
            Target { zero_local: true, zero_private: true, ..target },
        ),
    ]
}

/// Compiles a program; the error is the build log.
pub fn build(text: &str, options: &str, target: &Target) -> Result<Program, String> {
    let options = Options::parse(options).map_err(|error| error.0)?;
    let source = Source { name: "test.cl".into(), text: text.into(), headers: Vec::new() };
    let compiled = compile(&source, &options, target);
    let program = compiled.program.ok_or(compiled.log)?;
    program.kernels.iter().try_for_each(|kernel| check_capabilities(kernel, target))?;
    Ok(program)
}

/// Checks that a kernel declares no capability that the device lacks.
fn check_capabilities(kernel: &Kernel, target: &Target) -> Result<(), String> {
    use Capability as C;
    let explicit = target.workgroup_explicit_layout;
    let (bytes, halves) = (target.workgroup_explicit_layout_8, target.workgroup_explicit_layout_16);
    let has = |capability| match capability {
        C::Shader | C::PhysicalStorageBufferAddresses => true,
        C::Int8 => target.int8,
        C::Int16 => target.int16,
        C::Int64 => target.int64,
        C::Float16 => target.float16,
        C::Float64 => target.has_native_doubles(),
        C::Int64Atomics => target.atomic_int64_buffer || target.atomic_int64_shared,
        C::StorageBuffer8BitAccess => target.storage8,
        C::StorageBuffer16BitAccess => target.storage16,
        C::WorkgroupMemoryExplicitLayoutKHR => explicit,
        C::WorkgroupMemoryExplicitLayout8BitAccessKHR => explicit && bytes,
        C::WorkgroupMemoryExplicitLayout16BitAccessKHR => explicit && halves,
        C::VulkanMemoryModel | C::VulkanMemoryModelDeviceScope => target.vulkan_memory_model,
        C::DenormPreserve => {
            target.denorm_preserve_16 || target.denorm_preserve_32 || target.denorm_preserve_64
        }
        C::RoundingModeRTE => {
            target.rounding_rte_16 || target.rounding_rte_32 || target.rounding_rte_64
        }
        C::SignedZeroInfNanPreserve => {
            target.preserve_signed_zero_inf_nan_16
                || target.preserve_signed_zero_inf_nan_32
                || target.preserve_signed_zero_inf_nan_64
        }
        C::DotProduct | C::DotProductInput4x8BitPacked => target.integer_dot_product,
        C::ShaderClockKHR => target.device_clock || target.subgroup_clock,
        C::RuntimeDescriptorArray
        | C::SampledImageArrayDynamicIndexing
        | C::StorageImageArrayDynamicIndexing
        | C::UniformTexelBufferArrayDynamicIndexing
        | C::StorageTexelBufferArrayDynamicIndexing
        | C::Sampled1D
        | C::Image1D
        | C::SampledBuffer
        | C::ImageBuffer
        | C::ImageQuery
        | C::StorageImageWriteWithoutFormat => target.images,
        C::GroupNonUniform
        | C::GroupNonUniformVote
        | C::GroupNonUniformBallot
        | C::GroupNonUniformShuffle => target.subgroups.is_some(),
        C::CooperativeMatrixKHR => !target.matrices.is_empty(),
        C::BFloat16TypeKHR | C::BFloat16CooperativeMatrixKHR => {
            target.matrices.iter().any(|product| product.a == MatrixComponent::BF16)
        }
        C::GroupNonUniformArithmetic => target.subgroups.is_some_and(|it| it.arithmetic),
        C::GroupNonUniformClustered => target.subgroups.is_some_and(|it| it.clustered),
        C::GroupNonUniformShuffleRelative => target.subgroups.is_some_and(|it| it.shuffle_relative),
        C::StorageImageReadWithoutFormat => target.read_write_images,
        _ => false,
    };
    // Capabilities are the first instructions of a module, two words each.
    let declared = kernel.spirv[5..].chunks_exact(2);
    let mut declared = declared.take_while(|words| words[0] == 2 << 16 | Op::Capability as u32);
    match declared.find(|words| !C::from_u32(words[1]).is_some_and(has)) {
        None => Ok(()),
        Some(words) => Err(format!("the device lacks {:?}", C::from_u32(words[1]))),
    }
}

/// Returns the kernel with a name.
pub fn kernel<'p>(program: &'p Program, name: &str) -> Result<&'p Kernel, String> {
    let found = program.kernels.iter().find(|kernel| kernel.name == name);
    found.ok_or_else(|| format!("there is no kernel '{name}'"))
}

/// Runs a kernel of one buffer argument; returns the buffer's words.
pub fn run_on_words(
    program: &Program,
    kernel: &Kernel,
    words: &[u32],
    launch: Launch,
) -> Result<Vec<u32>, Error> {
    let mut memory = Memory::new();
    let data = Launch::place_data(&program.data, &mut memory)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let out = memory.allocate_bytes(&bytes);
    let args = vec![hekla_spirv_interp::Argument::Address(out)];
    Launch { args, data, ..launch }.run(kernel, &mut memory)?;
    let bytes = memory.bytes(out, bytes.len())?;
    Ok(words_of(&bytes))
}

/// Returns bytes as little-endian words.
pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
