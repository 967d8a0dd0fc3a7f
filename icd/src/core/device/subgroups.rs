//! Sub-groups of a device: Vulkan's properties of them, as the compiler and the API need them.

use super::{findings, open, Device};
use hekla_compiler::target::{Reconvergence, Subgroups};
use hekla_vk_backend as vk;

impl Device {
    /// Returns the properties of the device's sub-groups, if it offers sub-groups.
    pub fn subgroups(&self) -> Option<Subgroups> {
        offered(&self.info().features, self.subgroups_found())
    }

    /// Returns the properties of the hardware's sub-groups that only running kernels can find out. For some drivers they are
    /// known; for others they come from the disk cache or from a probe of the opened device.
    pub fn subgroups_found(&self) -> SubgroupsFound {
        *self.subgroups_found.get_or_init(|| {
            let info = self.info();
            if !may_have(&info.features) {
                return SubgroupsFound::default();
            }
            if info.quirks.contains(vk::Quirks::SUBGROUPS_IN_ORDER) {
                let progress = info.quirks.contains(vk::Quirks::SUBGROUPS_PROGRESS);
                return SubgroupsFound { in_order: true, progress };
            }
            let probe = findings::known(info, open::PROBE, vk::Probe::from_bytes);
            let probe = probe.or_else(|| self.gpu().ok().map(|gpu| gpu.probe.clone()));
            let found = probe.as_ref().map(SubgroupsFound::of).unwrap_or_default();
            if !found.in_order {
                tracing::info!("{}: no sub-groups, since they are not in order", info.name);
            }
            found
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

/// The results of the probe of the hardware's sub-groups.
#[derive(Debug, Clone, Copy, Default)]
pub struct SubgroupsFound {
    /// Sub-groups are filled in the order of the work-items in their work-group. If not, the device offers no sub-groups.
    pub in_order: bool,
    /// Sub-groups make independent forward progress: one continues while others of its work-group wait for it.
    pub progress: bool,
}

impl SubgroupsFound {
    pub fn of(probe: &vk::Probe) -> SubgroupsFound {
        SubgroupsFound { in_order: probe.subgroups_in_order, progress: probe.subgroups_progress }
    }
}

/// Returns true if Vulkan's sub-groups have the operations that OpenCL C needs: votes, ballots and shuffles.
fn may_have(f: &vk::Features) -> bool {
    use vk::SubgroupOps as Ops;
    let needed = Ops::BASIC | Ops::VOTE | Ops::BALLOT | Ops::SHUFFLE;
    let size = f.subgroup_size;
    f.subgroup_ops.contains(needed) && size.is_power_of_two() && size <= Subgroups::MAX_SIZE
}

/// Returns the properties of sub-groups for the compiler; `None` if the device offers no sub-groups.
pub fn offered(f: &vk::Features, found: SubgroupsFound) -> Option<Subgroups> {
    use vk::SubgroupOps as Ops;
    let has = |ops| f.subgroup_ops.contains(ops);
    let sizes = match f.subgroup_size_control {
        true => f.subgroup_size_range.map(|size| size.min(Subgroups::MAX_SIZE)),
        false => [0, 0],
    };
    (may_have(f) && found.in_order).then_some(Subgroups {
        size: f.subgroup_size,
        sizes,
        forward_progress: found.progress,
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
