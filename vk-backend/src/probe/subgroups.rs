//! Properties of subgroups that Vulkan leaves open: whether a driver fills subgroups with the invocations of a work-group in
//! the order of their local indices (drivers do so, and Hekla's sub-groups depend on it), and whether a subgroup continues
//! while another one waits for it in a loop (subgroups of most GPUs do; on a processor, which runs them one after the other,
//! they do not).

use std::sync::Arc;

use crate::asm::{KernelBuilder, Op};
use crate::config::{self, Fault};
use crate::device::{Device, SubgroupDemand};
use crate::error::Error;
use crate::physical::SubgroupOps;
use crate::probe::run::run_in_subgroups;

/// Returns true if invocation `n` is number `n % size` of subgroup `n / size`, in work-groups of all kinds: with and without a
/// partial subgroup, in one, two and three dimensions, small and as large as possible.
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
    if !has_subgroups(device) {
        return Ok(false);
    }
    let size = device.info().features.subgroup_size;
    let shapes =
        [[2 * size, 1, 1], [size + 1, 1, 1], [3, 1, 1], [size, 2, 1], [5, 3, 2], [3, 3, 7]];
    for shape in shapes.into_iter().chain([[longest(device), 1, 1]]) {
        if fits(device, shape) && !is_in_order(device, shape)? {
            tracing::debug!("subgroups of work-groups of {shape:?} are not in order");
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_subgroups(device: &Device) -> bool {
    let features = &device.info().features;
    features.subgroup_ops.contains(SubgroupOps::BASIC) && features.subgroup_size.is_power_of_two()
}

fn fits(device: &Device, shape: [u32; 3]) -> bool {
    let limits = &device.info().limits;
    shape.iter().product::<u32>() <= limits.max_workgroup_invocations
        && shape.iter().zip(limits.max_workgroup_size).all(|(size, most)| *size <= most)
}

/// Returns the most invocations of a work-group of one dimension.
fn longest(device: &Device) -> u32 {
    let limits = &device.info().limits;
    limits.max_workgroup_invocations.min(limits.max_workgroup_size[0])
}

/// Returns a pipeline's demands on subgroups for work-groups of `shape`: the device's size, and full subgroups where that is
/// possible.
fn demand(device: &Device, shape: [u32; 3]) -> SubgroupDemand {
    let features = &device.info().features;
    let (size, items) = (features.subgroup_size, shape.iter().product::<u32>());
    let fits = items <= size * features.max_workgroup_subgroups;
    SubgroupDemand {
        size: (features.subgroup_size_control && fits).then_some(size),
        full: shape[0].is_multiple_of(size),
    }
}

/// Tries whether subgroups are in order: each invocation writes the number of its subgroup, and its own number in the subgroup.
fn is_in_order(device: &Arc<Device>, shape: [u32; 3]) -> Result<bool, Error> {
    let (size, items) = (device.info().features.subgroup_size, shape.iter().product::<u32>());
    let mut k = KernelBuilder::new(1);
    k.local_size(shape);
    let (index, uint, [group, number]) = (k.local_index(), k.uint(), k.subgroup_place());
    let shift = k.constant(SHIFT);
    let high = k.binary(Op::IMul, uint, group, shift);
    let place = k.binary(Op::BitwiseOr, uint, high, number);
    k.store(0, uint, index, place);
    let nothing = vec![u32::MAX; items as usize];
    let found = run_in_subgroups(device, &k.finish(), &nothing, 1, demand(device, shape))?;
    let expected = (0..items).map(|index| index / size * SHIFT + index % size);
    Ok(found.into_iter().eq(expected))
}

/// A number greater than that of a subgroup's invocations, of which there are at most 128.
const SHIFT: u32 = 256;

/// Returns true if subgroups make independent forward progress: each continues while the others wait for it in loops. Tried in
/// work-groups of two subgroups, and of as many as possible.
pub(crate) fn make_progress(device: &Arc<Device>) -> bool {
    if config::fault() == Some(Fault::Subgroups) || !has_subgroups(device) {
        return false;
    }
    let size = device.info().features.subgroup_size;
    let most = longest(device) / size;
    // Two subgroups are tried first: a device that runs one after the other would take long with more.
    let progress = |groups: u32| {
        groups < 2
            || takes_turns(device, groups).unwrap_or_else(|error| {
                tracing::warn!("the progress of subgroups was not probed: {error}");
                false
            })
    };
    most >= 2 && progress(2) && progress(most)
}

/// Lets `groups` subgroups of one work-group take turns, upwards and downwards, by a word that counts the turns. Returns true
/// if all had their turns; a subgroup that waits too long gives up.
fn takes_turns(device: &Arc<Device>, groups: u32) -> Result<bool, Error> {
    let shape = [groups * device.info().features.subgroup_size, 1, 1];
    let mut k = KernelBuilder::new(1);
    k.local_size(shape);
    let (uint, [group, number]) = (k.uint(), k.subgroup_place());
    let [zero, one, patience] = [0, 1, PATIENCE].map(|number| k.constant(number));
    let last = k.constant(groups - 1);
    let minus_one = k.constant(u32::MAX);
    let minus_group = k.binary(Op::IMul, uint, group, minus_one);
    let from_above = k.binary(Op::IAdd, uint, last, minus_group);
    let is_first = k.is_less(number, one);
    for round in 0..ROUNDS {
        let before = k.constant(round * groups);
        let place = if round.is_multiple_of(2) { group } else { from_above };
        let turn = k.binary(Op::IAdd, uint, before, place);
        let rounds = k.repeat_while(patience, |k| {
            let turns = k.atomic_load(0, zero);
            k.is_less(turns, turn)
        });
        let in_time = k.is_less(rounds, patience);
        let next = k.binary(Op::IAdd, uint, turn, one);
        let of_first = k.select(uint, is_first, next, zero);
        let taken = k.select(uint, in_time, of_first, zero);
        k.atomic_max(0, zero, taken);
    }
    let found = run_in_subgroups(device, &k.finish(), &[0], 1, demand(device, shape))?;
    Ok(found == [ROUNDS * groups])
}

/// How often the subgroups of a work-group take turns.
const ROUNDS: u32 = 4;
/// The number of loads for which a subgroup waits: they take some milliseconds on a GPU, where all turns together take a
/// fraction of a millisecond.
const PATIENCE: u32 = 1 << 16;
