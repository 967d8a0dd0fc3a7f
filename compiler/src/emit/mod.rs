//! From IR to Vulkan SPIR-V: one module per kernel, with the metadata to launch it.
//!
//! The input is the kernel's function and the functions that it calls. Their vectors have at most four lanes, and
//! their graphs are structured ([`Structure`] names the merge blocks, the layout is an order that SPIR-V
//! accepts). Block parameters become `OpPhi`.
//!
//! Values have the native types that `repr` lists. Of types that the device does not have, legalization leaves
//! addresses of 64 bits (two words), and integers of 8 and 16 bits between a memory access and a conversion.
//!
//! Memory: global and constant accesses go through device addresses (`physical`), local and
//! private ones through arrays (`logical`) whose element type is the one that all accesses of the kernel use
//! ([`crate::analysis::access_types`]). Arguments and launch values come from the kernel-argument buffer (`kernel_inputs`).

mod argument_buffer;
mod array_uses;
mod atomics;
mod bounds;
mod control;
mod convert;
mod data;
mod debug_info;
mod descriptor_arrays;
mod emitter;
mod error;
mod float;
mod function;
mod images;
mod inst;
mod int;
mod kernel_inputs;
mod lines;
mod logical;
mod matrices;
mod matrix_signs;
mod memory;
mod memory_model;
mod physical;
mod places;
mod position;
mod repr;
mod shader_info;
mod spirv_builder;
mod subgroups;
mod values;
mod vector;
mod wide_products;
mod zero_workgroup_memory;

pub use data::layout_data;
pub use emitter::Observer;
pub use error::EmitError;

use crate::analysis::call_graph::bottom_up;
use crate::analysis::register_pressure::register_pressure;
use crate::ir::{Func, Gathering, KernelEntry, Module, Structure};
use crate::kernel::{Arg, ArgKind, Kernel, LocalBlock};
use crate::options::Options;
use crate::passes::nesting;
use crate::quirks;
use crate::target::Target;
use cranelift_entity::SecondaryMap;
use hekla_device::Quirks;
use rspirv::spirv::{Capability, ExecutionMode};

/// Emits one kernel. `structures` holds the structure of each function, from the structurizer.
///
/// [`layout_data`] decides the addresses of program-scope variables.
///
/// # Errors
/// When the target lacks a capability that the kernel needs, a limit is exceeded, or the IR is
/// not of the form described above.
pub fn emit(
    module: &Module,
    kernel: &KernelEntry,
    structures: &SecondaryMap<Func, Structure>,
    options: &Options,
    target: &Target,
) -> Result<Kernel, EmitError> {
    emit_observed(module, kernel, structures, options, target, None)
}

/// Like [`emit`]; also reports each instruction to `observer`. For tests.
///
/// # Errors
/// Like [`emit`].
pub fn emit_observed(
    module: &Module,
    kernel: &KernelEntry,
    structures: &SecondaryMap<Func, Structure>,
    options: &Options,
    target: &Target,
    observer: Option<&mut Observer<'_>>,
) -> Result<Kernel, EmitError> {
    if !module.functions.is_valid(kernel.func) {
        return Err(EmitError::malformed("the kernel has no function"));
    }
    let functions = bottom_up(module, [kernel.func]).map_err(EmitError::Unsupported)?;
    if target.has(Quirks::BOUNDED_NESTING) {
        let depth = nesting::depth_with_calls(module, &functions, structures);
        if depth > nesting::LIMIT {
            return Err(EmitError::Unsupported(format!(
                "control flow is nested {depth} levels deep, of which the device's driver takes {}",
                nesting::LIMIT
            )));
        }
    }
    let mut emitter = emitter::Emitter::new(module, kernel, &functions, target)?;
    if let Some(observer) = observer {
        emitter.observer = Some(observer);
    }
    if target.has(Quirks::QUADRATIC_PRIVATE_ARRAYS) || target.has(Quirks::INLINED_CALLS) {
        emitter.arrays.all_copies = array_uses::copies(module, &functions);
    }
    emitter.keeps_calls = target.has(Quirks::INLINED_CALLS)
        && function::inlined_size(module, &functions, &emitter.arrays.all_copies)
            > function::MAX_INLINED;
    let private_size = emitter.info.private_bytes();
    let mut code = Vec::new();
    for &func in &functions {
        emitter.emit_function(func, &structures[func], &mut code)?;
    }
    float_controls(&mut emitter, options);
    emitter.name_source();
    emitter.decorate_images();
    emitter.declare_reconvergence();

    let local = LocalBlock {
        static_size: emitter.info.local_static_size,
        element_size: emitter.local_element_size(),
    };
    let info = &emitter.info;
    let (uses_barrier, local_size_visible) = (info.uses_barrier, info.local_size_visible);
    let (uses_images, uses_subgroups) = (info.uses_images, info.uses_subgroups);
    let uses_matrices = info.uses_matrices;
    let (dimensions, packs_groups) = (info.dimensions, info.packs_groups);
    let (inputs, layout) = (std::mem::take(&mut emitter.inputs), emitter.local_layout());
    Ok(Kernel {
        name: kernel.name.clone(),
        spirv: emitter.builder.assemble(target.spirv_version, &code)?,
        args: kernel.args.iter().map(|arg| aligned(arg, layout.alignment())).collect(),
        access: kernel.access.clone(),
        argument_fields: inputs.fields,
        argument_buffer_size: inputs.size,
        arguments_in_push_constants: inputs.in_push_constants,
        local,
        private_size,
        registers: register_pressure(module, &functions),
        required_local_size: kernel.required_local_size,
        local_size_hint: kernel.local_size_hint,
        attributes: kernel.attributes.clone(),
        arg_info: kernel.arg_info,
        uses_barrier,
        local_size_visible,
        dimensions,
        packs_groups,
        bounded: inputs.bounded,
        uses_images,
        uses_subgroups,
        uses_matrices,
        required_subgroup_size: kernel.required_subgroup_size,
        required_subgroups: kernel.required_subgroups,
        one_subgroup: kernel.gathering == Gathering::Alone,
        is_block: kernel.is_block,
    })
}

/// Returns an argument in which a local pointer's alignment is raised to `least` bytes if it is less.
fn aligned(arg: &Arg, least: u32) -> Arg {
    let mut arg = arg.clone();
    if let ArgKind::Local { align, .. } = &mut arg.kind {
        *align = (*align).max(least);
    }
    arg
}

/// Declares the rounding (OpenCL C 7.2: to nearest even) and the denormals (7.5.3) of floats of the
/// widths in use, as far as the device has execution modes for it.
fn float_controls(emitter: &mut emitter::Emitter<'_>, options: &Options) {
    let target = emitter.target;
    let fast = options.finite_math_only && options.no_signed_zeros;
    let has = |bits| emitter.builder.has_float(bits);
    let depends = !target.denorm_independent_32
        && (has(16) && target.denorm_preserve_16 || has(64) && target.denorm_preserve_64);
    let widths = [
        (
            16,
            target.preserve_signed_zero_inf_nan_16,
            target.denorm_preserve_16,
            target.rounding_rte_16,
        ),
        (
            32,
            target.preserve_signed_zero_inf_nan_32,
            target.denorm_preserve_32 && (depends || !options.denorms_are_zero),
            quirks::declares_nearest_32(target, emitter.divides_single),
        ),
        (
            64,
            target.preserve_signed_zero_inf_nan_64,
            target.denorm_preserve_64,
            target.rounding_rte_64,
        ),
    ];
    for (bits, preserve, denorms, rte) in widths {
        if !emitter.builder.has_float(bits) {
            continue;
        }
        let modes = [
            (
                preserve && !fast,
                Capability::SignedZeroInfNanPreserve,
                ExecutionMode::SignedZeroInfNanPreserve,
            ),
            (denorms, Capability::DenormPreserve, ExecutionMode::DenormPreserve),
            (rte, Capability::RoundingModeRTE, ExecutionMode::RoundingModeRTE),
        ];
        for (wanted, capability, mode) in modes {
            if wanted {
                emitter.builder.require_capability(capability);
                emitter.builder.execution_mode(mode, Some(bits));
            }
        }
    }
}
