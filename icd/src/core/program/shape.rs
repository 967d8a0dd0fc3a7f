//! The shape of a launch: the dispatches, and the keys of their pipelines, that result from the sizes given to
//! clEnqueueNDRangeKernel and the sizes of local arguments. Programs launch a kernel with the same sizes again and again, so a
//! kernel's arguments keep the last shape ([`LastShape`]).

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::device::Device;
use crate::core::program::kernel::{BuiltKernel, KernelArguments};
use crate::core::program::local_layout::LocalLayout;
use crate::core::program::ndrange::{choose_local_size, Dispatch, LocalLimits, NdRange, SHORT_ROW};
use crate::core::program::packing::{bounded_local_size, common_local_size, packed_groups};
use crate::core::program::pipelines::PipelineKey;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use std::sync::Arc;

/// The sizes given to clEnqueueNDRangeKernel; dimensions beyond the given ones have size 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub dimensions: u32,
    pub offset: [usize; 3],
    pub global: [usize; 3],
    pub local: Option<[usize; 3]>,
}

impl Sizes {
    /// Returns true if the index space is empty (allowed since OpenCL 2.1).
    pub fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }
}

/// Returns the local size of a launch for which the application gives none.
pub fn suggest_local_size(device: &Device, built: &BuiltKernel, sizes: &Sizes) -> [u32; 3] {
    let kernel = &built.kernel;
    if let Some(required) = kernel.required_local_size {
        return required;
    }
    if let Some(count) = kernel.required_subgroups {
        let most = device.max_work_item_sizes()[0].min(built.local_size_limit(device));
        return [count.saturating_mul(built.subgroup_size()).min(most as u32), 1, 1];
    }
    if kernel.uses_matrices {
        return [built.subgroup_size(), 1, 1];
    }
    let global = sizes.global.map(|size| size as u64);
    let limits = local_limits(device, built);
    if let Some(hint) = kernel.local_size_hint.filter(|hint| hint_fits(hint, &global, &limits)) {
        return hint;
    }
    choose_local_size(sizes.dimensions, global, &limits)
}

/// Returns the limits for a local size that Hekla chooses.
fn local_limits(device: &Device, built: &BuiltKernel) -> LocalLimits {
    LocalLimits {
        total: built.work_group_size(device) as u32,
        each: device.max_work_item_sizes().map(|size| size as u32),
        // Rows are short for images, whose texels are stored in blocks, and on processors, which do not join accesses.
        row: match device.info().device_type {
            vk::DeviceType::Cpu => SHORT_ROW,
            _ if built.kernel.uses_images => SHORT_ROW,
            _ => built.subgroup_size(),
        },
        // A kernel that cannot see the local size cannot notice groups of unequal sizes.
        uniform: built.uniform && built.kernel.local_size_visible,
    }
}

fn hint_fits(hint: &[u32; 3], global: &[u64; 3], limits: &LocalLimits) -> bool {
    let total: u64 = hint.iter().map(|size| u64::from(*size)).product();
    let divides = |d: usize| hint[d] > 0 && global[d].is_multiple_of(u64::from(hint[d]));
    total <= u64::from(limits.total) && (0..3).all(|d| divides(d) && hint[d] <= limits.each[d])
}

/// Checks the application's local size, in the order in which clEnqueueNDRangeKernel lists the errors.
///
/// The limit is the device's, not CL_KERNEL_WORK_GROUP_SIZE: a larger group runs, if more slowly, as with other drivers.
fn check_local_size(
    device: &Device,
    built: &BuiltKernel,
    sizes: &Sizes,
    local: [usize; 3],
) -> Result<[u32; 3]> {
    let total = local.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
    ensure!(total.is_some_and(|total| total > 0), CL_INVALID_WORK_GROUP_SIZE);
    let within = local.iter().zip(device.max_work_item_sizes()).all(|(size, max)| *size <= max);
    ensure!(within, CL_INVALID_WORK_ITEM_SIZE);
    let fits = total.is_some_and(|total| total <= built.local_size_limit(device));
    ensure!(fits, CL_INVALID_WORK_GROUP_SIZE);
    let local = local.map(|size| size as u32);
    if let Some(required) = built.kernel.required_local_size {
        ensure!(local == required, CL_INVALID_WORK_GROUP_SIZE);
    }
    if let Some(count) = built.kernel.required_subgroups {
        let found = local.iter().product::<u32>().div_ceil(built.subgroup_size());
        ensure!(found == count, CL_INVALID_WORK_GROUP_SIZE);
    }
    let divides = |d: usize| sizes.global[d].is_multiple_of(local[d] as usize);
    ensure!(!built.uniform || (0..3).all(divides), CL_INVALID_WORK_GROUP_SIZE);
    Ok(local)
}

/// Returns the index space of a launch with sizes that are not empty.
///
/// # Errors
/// The errors that clEnqueueNDRangeKernel lists for sizes that the device or the kernel does not allow.
pub fn index_space(device: &Device, built: &BuiltKernel, sizes: &Sizes) -> Result<NdRange> {
    for d in 0..3 {
        let end = sizes.offset[d].checked_add(sizes.global[d]);
        ensure!(end.is_some(), CL_INVALID_GLOBAL_OFFSET);
    }
    let local = match sizes.local {
        Some(local) => check_local_size(device, built, sizes, local)?,
        None => suggest_local_size(device, built, sizes),
    };
    if built.kernel.uses_matrices {
        // VUID-VkPipelineShaderStageCreateInfo-module-08987.
        let is_whole = local[0].is_multiple_of(built.subgroup_size());
        let divides = |d: usize| sizes.global[d].is_multiple_of(local[d].max(1) as usize);
        ensure!(is_whole && (0..3).all(divides), CL_INVALID_WORK_GROUP_SIZE);
    }
    // If Hekla chose the local size, only a size that the source requires can fail this check.
    let kernel = &built.kernel;
    let required = kernel.required_local_size.is_some() || kernel.required_subgroups.is_some();
    if built.uniform && required {
        let divides = |d: usize| sizes.global[d].is_multiple_of(local[d].max(1) as usize);
        ensure!((0..3).all(divides), CL_INVALID_WORK_GROUP_SIZE);
    }
    Ok(NdRange {
        dimensions: sizes.dimensions,
        offset: sizes.offset.map(|v| v as u64),
        global: sizes.global.map(|v| v as u64),
        local,
        packed: 1,
        bounded: false,
    })
}

/// Chooses the device's work-groups, which may differ from the application's if the kernel cannot notice. `open`: the
/// application left their size to the device.
fn regroup(
    device: &Device,
    built: &BuiltKernel,
    layout: &LocalLayout,
    open: bool,
    range: &mut NdRange,
) {
    let kernel = &built.kernel;
    let least_groups = built.gpu.least_packed_groups;
    if least_groups == u64::MAX {
        return;
    }
    let limits = || local_limits(device, built);
    range.bounded = kernel.bounded;
    if kernel.bounded && open && kernel.local_size_hint.is_none() {
        range.local = bounded_local_size(range, &limits());
        return;
    }
    if !kernel.packs_groups {
        return;
    }
    if !kernel.local_size_visible && kernel.required_local_size.is_none() {
        range.local = common_local_size(range, limits, least_groups).unwrap_or(range.local);
    }
    let lanes = device.info().features.subgroup_size;
    let blocks = layout.most_blocks(kernel, device.local_memory());
    range.packed = packed_groups(range, limits, lanes, least_groups, blocks);
}

/// The dispatches that make up a launch.
pub enum Dispatches {
    /// One dispatch with this number of work-groups, all of the same size.
    One([u32; 3]),
    Several(Vec<Dispatch>),
}

/// The shape of a launch, computed from its sizes.
pub struct LaunchShape {
    pub range: NdRange,
    pub dispatches: Dispatches,
    /// The pipeline key of whole work-groups: the local size as the device runs it, and the layout of local memory.
    pub key: PipelineKey,
    /// The pipeline of `key`, once it has been requested.
    pipeline: OnceCell<Arc<vk::Pipeline>>,
}

impl LaunchShape {
    /// Returns the key of a dispatch's pipeline.
    pub fn key_of(&self, dispatch: &Dispatch) -> PipelineKey {
        let Dispatch { local, packed, global_base, group_base, .. } = *dispatch;
        let has_base = [global_base, group_base] != [[0; 3]; 2];
        PipelineKey {
            local_size: local,
            packed,
            has_global_offset: has_base || self.key.has_global_offset,
            ..self.key.clone()
        }
    }

    /// Computes the shape of a launch.
    ///
    /// # Errors
    /// Like [`launch_shape`].
    pub fn new(
        device: &Device,
        built: &BuiltKernel,
        arguments: &KernelArguments,
        sizes: &Sizes,
    ) -> Result<LaunchShape> {
        let mut range = index_space(device, built, sizes)?;
        let local_size = |index| arguments.local_size(index);
        let layout = LocalLayout::of_launch(&built.kernel, local_size, device.local_memory());
        let layout = layout.ok_or(ClError(CL_OUT_OF_RESOURCES))?;
        regroup(device, built, &layout, sizes.local.is_none(), &mut range);
        let max_groups = device.info().limits.max_workgroup_count;
        let mut bounded = false;
        let dispatches = match range.one_dispatch(max_groups) {
            Some(Dispatch { local, groups, .. }) => {
                bounded = range.bounded && !range.is_filled_by(local);
                Dispatches::One(groups)
            }
            None => {
                let several = range.dispatches(max_groups);
                Dispatches::Several(several.ok_or(ClError(CL_OUT_OF_RESOURCES))?.into_vec())
            }
        };
        let [x, y, z] = range.local;
        let key = PipelineKey {
            local_size: [x * range.packed, y, z],
            packed: range.packed,
            bounded,
            has_global_offset: range.offset != [0; 3]
                || range.has_large_ids()
                || narrows(device) && arguments.has_pointers(),
            reorders_images: arguments.reorders_images(&built.kernel),
            local_length: layout.length(&built.kernel),
            local_offsets: layout.offsets,
        };
        Ok(LaunchShape { range, dispatches, key, pipeline: OnceCell::new() })
    }

    /// Returns the pipeline of the launch's whole work-groups, created at first use.
    pub fn pipeline(&self, built: &BuiltKernel) -> Result<Arc<vk::Pipeline>> {
        self.pipeline.get_or_try_init(|| built.pipeline(&self.key)).cloned()
    }
}

/// Returns true if kernels take for granted that the memory of an argument begins at its address, unless they are told of
/// an offset.
fn narrows(device: &Device) -> bool {
    device.info().quirks.contains(vk::Quirks::NARROW_OFFSETS)
}

/// The shape of the last launch with some arguments; empty if a local argument or an address was set since, or an image in
/// another order.
#[derive(Clone, Default)]
pub struct LastShape(Option<Last>);

/// The last launch. `built` identifies the device: limits and layouts are the same on all parts of a device.
#[derive(Clone)]
struct Last {
    built: Arc<BuiltKernel>,
    sizes: Sizes,
    shape: Arc<LaunchShape>,
}

impl LastShape {
    /// Forgets the last shape, because the size of a local argument has changed, or which arguments are addresses or images
    /// in another order.
    pub fn invalidate(&mut self) {
        self.0 = None;
    }
}

/// Returns the shape of a launch with sizes that are not empty; reuses the last launch's shape if it has the same sizes.
///
/// # Errors
/// The errors that clEnqueueNDRangeKernel lists for sizes.
pub fn launch_shape(
    device: &Device,
    built: &Arc<BuiltKernel>,
    arguments: &mut KernelArguments,
    sizes: &Sizes,
) -> Result<Arc<LaunchShape>> {
    if let Some(last) = &arguments.last_shape.0 {
        if last.sizes == *sizes && Arc::ptr_eq(&last.built, built) {
            return Ok(last.shape.clone());
        }
    }
    let shape = Arc::new(LaunchShape::new(device, built, arguments, sizes)?);
    let last = Last { built: built.clone(), sizes: *sizes, shape: shape.clone() };
    arguments.last_shape.0 = Some(last);
    Ok(shape)
}
