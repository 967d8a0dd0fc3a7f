//! Sub-groups of a device: what Vulkan has of them, as the compiler and the API want it.

use super::{findings, open, Device};
use hekla_compiler::target::{Reconvergence, Subgroups};
use hekla_vk_backend as vk;

impl Device {
    /// Returns what the device's sub-groups do, if it offers them.
    pub fn subgroups(&self) -> Option<Subgroups> {
        offered(&self.info().features).filter(|_| self.fills_subgroups_in_order())
    }

    /// Returns true if the hardware's sub-groups are filled in the order of work-items in their work-group. That drivers do
    /// so is known of some, kept on disk of others, and else found out by opening the device.
    pub fn fills_subgroups_in_order(&self) -> bool {
        *self.subgroups_in_order.get_or_init(|| {
            let info = self.info();
            if info.quirks.contains(vk::Quirks::SUBGROUPS_IN_ORDER) {
                return true;
            }
            let probe = findings::known(info, open::PROBE, vk::Probe::from_bytes);
            let probe = probe.or_else(|| self.gpu().ok().map(|gpu| gpu.probe.clone()));
            let is_in_order = probe.is_some_and(|probe| probe.subgroups_in_order);
            if !is_in_order {
                tracing::info!("{}: no sub-groups, since they are not in order", info.name);
            }
            is_in_order
        })
    }

    /// Returns the sizes of sub-groups that kernels may ask for (cl_intel_required_subgroup_size).
    pub fn subgroup_sizes(&self) -> Vec<usize> {
        let sizes = self.subgroups().map_or_else(Vec::new, |subgroups| subgroups.required_sizes());
        sizes.into_iter().map(|size| size as usize).collect()
    }

    /// Returns the most sub-groups of a work-group; 0 where there are none.
    pub fn max_num_subgroups(&self) -> usize {
        let sizes = self.subgroup_sizes();
        let own = self.subgroups().map(|subgroups| subgroups.size as usize);
        let least = sizes.into_iter().chain(own).min();
        least.map_or(0, |size| self.max_work_group_size().div_ceil(size))
    }
}

/// What the compiler is told of sub-groups, before the device is probed: nothing where votes, ballots or shuffles are missing.
pub fn offered(f: &vk::Features) -> Option<Subgroups> {
    use vk::SubgroupOps as Ops;
    let has = |ops| f.subgroup_ops.contains(ops);
    let sizes = match f.subgroup_size_control {
        true => f.subgroup_size_range.map(|size| size.min(Subgroups::MAX_SIZE)),
        false => [0, 0],
    };
    let size = f.subgroup_size;
    let is_offered = has(Ops::BASIC | Ops::VOTE | Ops::BALLOT | Ops::SHUFFLE)
        && size.is_power_of_two()
        && size <= Subgroups::MAX_SIZE;
    is_offered.then_some(Subgroups {
        size,
        sizes,
        forward_progress: false,
        arithmetic: has(Ops::ARITHMETIC),
        clustered: has(Ops::CLUSTERED),
        shuffle_relative: has(Ops::SHUFFLE_RELATIVE),
        extended_types: f.subgroup_extended_types,
        dynamic_broadcast: f.subgroup_broadcast_dynamic_id,
        reconvergence: match f.maximal_reconvergence {
            true => Reconvergence::Maximal,
            false if f.subgroup_uniform_control_flow => Reconvergence::Uniform,
            false => Reconvergence::Unspecified,
        },
    })
}
