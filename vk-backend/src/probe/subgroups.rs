//! Whether a driver fills subgroups with the invocations of a work-group in the order of their local indices. Vulkan leaves
//! that open; drivers do so, and what sub-groups are offered for rests on it.

use std::sync::Arc;

use crate::asm::{op, KernelBuilder};
use crate::config::{self, Fault};
use crate::device::{Device, SubgroupDemand};
use crate::error::Error;
use crate::physical::SubgroupOps;
use crate::probe::run::run_in_subgroups;

/// Returns true if invocation `n` is number `n % size` of subgroup `n / size`, in work-groups of all kinds: whole subgroups
/// and not, in one, two and three dimensions, small and as large as may be.
pub(crate) fn are_in_order(device: &Arc<Device>) -> bool {
    if config::fault() == Some(Fault::Subgroups) {
        return false;
    }
    look(device).unwrap_or_else(|error| {
        tracing::warn!("the order of subgroups was not probed: {error}");
        false
    })
}

fn look(device: &Arc<Device>) -> Result<bool, Error> {
    let info = device.info();
    let size = info.features.subgroup_size;
    if !info.features.subgroup_ops.contains(SubgroupOps::BASIC) || !size.is_power_of_two() {
        return Ok(false);
    }
    let most = info.limits.max_workgroup_invocations;
    let shapes =
        [[2 * size, 1, 1], [size + 1, 1, 1], [3, 1, 1], [size, 2, 1], [5, 3, 2], [3, 3, 7]];
    let largest = [most.min(info.limits.max_workgroup_size[0]), 1, 1];
    for shape in shapes.into_iter().chain([largest]) {
        let fits = shape.iter().product::<u32>() <= most
            && shape.iter().zip(info.limits.max_workgroup_size).all(|(size, most)| *size <= most);
        if fits && !is_in_order(device, shape)? {
            tracing::debug!("subgroups of work-groups of {shape:?} are not in order");
            return Ok(false);
        }
    }
    Ok(true)
}

/// Each invocation writes its subgroup and its number in that.
fn is_in_order(device: &Arc<Device>, shape: [u32; 3]) -> Result<bool, Error> {
    let features = &device.info().features;
    let (size, items) = (features.subgroup_size, shape.iter().product::<u32>());
    let mut k = KernelBuilder::new(1);
    k.local_size(shape);
    let (index, uint, [group, number]) = (k.local_index(), k.uint(), k.subgroup_place());
    let shift = k.constant(SHIFT);
    let high = k.binary(op::I_MUL, uint, group, shift);
    let place = k.binary(op::BITWISE_OR, uint, high, number);
    k.store(0, uint, index, place);
    let fits = items <= size * features.max_workgroup_subgroups;
    let demand = SubgroupDemand {
        size: (features.subgroup_size_control && fits).then_some(size),
        full: shape[0].is_multiple_of(size),
    };
    let nothing = vec![u32::MAX; items as usize];
    let found = run_in_subgroups(device, &k.finish(), &nothing, 1, demand)?;
    let expected = (0..items).map(|index| index / size * SHIFT + index % size);
    Ok(found.into_iter().eq(expected))
}

/// More than the invocations of a subgroup, which are at most 128.
const SHIFT: u32 = 256;
