//! Packing of work-groups: several run as one. Hardware runs the work-items of a work-group in sub-groups of its own size, and
//! the lanes that a small work-group leaves over do nothing; one work-group per sub-group is often more than the hardware has
//! room for. If a kernel's work-items never act together with others of their work-group
//! ([`hekla_compiler::kernel::Kernel::packs_groups`]), several work-groups side by side in x become one work-group of the
//! device, and the kernel computes the ids of its own work-group and the place of its local memory. A kernel that also cannot
//! observe the local size always runs with the same local size, so that one pipeline serves all sizes that an application
//! tries: hashcat tries six, and NVIDIA's compiler takes four seconds for some of its kernels. Most such kernels can check that
//! a work-item is within the global size ([`hekla_compiler::kernel::Kernel::bounded`]), so that work-groups of few sizes serve
//! all global sizes.

use super::ndrange::{choose_local_size, LocalLimits, NdRange, PREFERRED_TOTAL};

/// The most sub-groups of the hardware that a pack fills.
const SUBGROUPS: u32 = 4;

/// The least number of packs in x with which a remainder is accepted: it fills no pack, and so takes a dispatch of its own.
const LEAST_PACKS: u64 = 8;

/// The most idle work-items that a launch may have to avoid another pipeline: IDLE_ITEMS, and one more for every ITEMS_PER_IDLE
/// work-items that are not idle.
const IDLE_ITEMS: u64 = 8192;
const ITEMS_PER_IDLE: u64 = 8;

/// The least local size in a dimension with several work-items, if the application leaves the local size open.
const LEAST_SIZE: u64 = 4;

/// Returns how many work-groups run as one, a power of two, on hardware with sub-groups of `lanes`. At least `least_groups`
/// packs remain, since a small number of work-groups may each have a part of the device for itself. `blocks`: the number of
/// work-groups whose local memory fits in one work-group's.
pub fn packed_groups(
    range: &NdRange,
    limits: impl FnOnce() -> LocalLimits,
    lanes: u32,
    least_groups: u64,
    blocks: u64,
) -> u32 {
    let items: u64 = range.local.iter().map(|&size| u64::from(size)).product();
    if items > u64::from(lanes) {
        return 1;
    }
    let limits = limits();
    let groups_x = range.global[0] / u64::from(range.local[0]);
    let most = [
        u64::from(SUBGROUPS * lanes) / items,
        u64::from(limits.total) / items,
        u64::from(limits.each[0] / range.local[0]),
        range.group_total() / least_groups.max(1),
        groups_x,
        blocks,
    ];
    let most = most.into_iter().fold(u64::MAX, u64::min);
    let packed = most.checked_ilog2().map_or(1, |log| 1 << log);
    match groups_x >= LEAST_PACKS * u64::from(packed) {
        true => packed,
        false => packed.min(1 << groups_x.trailing_zeros().min(31)),
    }
}

/// Returns the local size that replaces the application's for a kernel that cannot observe it. `None` keeps the application's:
/// if it is the common size already, is not one-dimensional, would leave a remainder that the kernel cannot check or many idle
/// work-items, or is smaller than the common size so that fewer than `least_groups` work-groups would be left.
pub fn common_local_size(
    range: &NdRange,
    limits: impl FnOnce() -> LocalLimits,
    least_groups: u64,
) -> Option<[u32; 3]> {
    let [x, 1, 1] = range.local else { return None };
    if x == PREFERRED_TOTAL {
        return None;
    }
    let limits = limits();
    let size = PREFERRED_TOTAL.min(limits.total).min(limits.each[0]);
    let common = NdRange { local: [size, 1, 1], ..*range };
    let fits = match range.bounded {
        true => has_few_idle(&common),
        false => range.global[0].is_multiple_of(u64::from(size)),
    };
    (fits && (x >= size || common.group_total() >= least_groups)).then_some(common.local)
}

/// Returns the local size of a launch whose kernel checks bounds, if the application leaves it open. It is one of a few sizes,
/// unless these would leave many work-items idle.
pub fn bounded_local_size(range: &NdRange, limits: &LocalLimits) -> [u32; 3] {
    let rounded = |size: u64| match size {
        1 => 1,
        _ => size.checked_next_power_of_two().unwrap_or(size).max(LEAST_SIZE),
    };
    let global = range.global.map(rounded);
    let limits = LocalLimits { uniform: false, ..*limits };
    let local = choose_local_size(range.dimensions, global, &limits);
    match has_few_idle(&NdRange { local, ..*range }) {
        true => local,
        false => choose_local_size(range.dimensions, range.global, &limits),
    }
}

/// Returns true if only few work-items of a launch are beyond its global size.
fn has_few_idle(range: &NdRange) -> bool {
    let group: u64 = range.local.iter().map(|&size| u64::from(size)).product();
    let run = range.group_total().saturating_mul(group);
    let items = range.global.iter().fold(1u64, |all, &size| all.saturating_mul(size));
    run - items <= IDLE_ITEMS + items / ITEMS_PER_IDLE
}

#[cfg(test)]
mod tests {
    use super::super::ndrange::SHORT_ROW;
    use super::*;

    const LIMITS: LocalLimits =
        LocalLimits { total: 1024, each: [1024; 3], row: SHORT_ROW, uniform: false };

    fn packed(global: [u64; 3], local: [u32; 3]) -> u32 {
        let range =
            NdRange { dimensions: 3, offset: [0; 3], global, local, packed: 1, bounded: false };
        packed_groups(&range, || LIMITS, 32, 256, u64::MAX)
    }

    #[test]
    fn small_work_groups_fill_four_sub_groups() {
        assert_eq!(packed([1 << 20, 1, 1], [1, 1, 1]), 128);
        assert_eq!(packed([1 << 20, 1, 1], [3, 1, 1]), 32);
        assert_eq!(packed([1 << 20, 8, 1], [8, 2, 1]), 8);
        assert_eq!(packed([1 << 20, 1, 1], [32, 1, 1]), 4);
        assert_eq!(packed([1 << 20, 1, 1], [33, 1, 1]), 1);
        assert_eq!(packed([1 << 20, 1, 1], [256, 1, 1]), 1);
        let narrow = LocalLimits { each: [16, 16, 16], ..LIMITS };
        let (global, local) = ([1 << 20, 1, 1], [4, 1, 1]);
        let range =
            NdRange { dimensions: 1, offset: [0; 3], global, local, packed: 1, bounded: false };
        assert_eq!(packed_groups(&range, || narrow, 32, 256, u64::MAX), 4);
        let few = LocalLimits { total: 64, ..LIMITS };
        assert_eq!(packed_groups(&range, || few, 32, 256, u64::MAX), 16);
    }

    #[test]
    fn as_many_work_groups_are_left_as_may_fill_the_device() {
        assert_eq!(packed([1024, 1, 1], [1, 1, 1]), 4);
        assert_eq!(packed([256, 1, 1], [1, 1, 1]), 1);
        assert_eq!(packed([100, 1, 1], [1, 1, 1]), 1);
        let range = NdRange {
            dimensions: 1,
            offset: [0; 3],
            global: [100, 1, 1],
            local: [1; 3],
            packed: 1,
            bounded: false,
        };
        assert_eq!(packed_groups(&range, || LIMITS, 32, 1, u64::MAX), 4);
        assert_eq!(packed_groups(&range, || LIMITS, 32, u64::MAX, u64::MAX), 1);
    }

    #[test]
    fn each_packed_work_group_has_its_own_local_memory() {
        let packed = |local, blocks| {
            let global = [1 << 20, 1, 1];
            let range =
                NdRange { dimensions: 1, offset: [0; 3], global, local, packed: 1, bounded: false };
            packed_groups(&range, || LIMITS, 32, 256, blocks)
        };
        let found = [u64::MAX, 16, 15, 3, 1, 0].map(|blocks| packed([8, 1, 1], blocks));
        assert_eq!(found, [16, 16, 8, 2, 1, 1]);
    }

    #[test]
    fn one_size_serves_for_all_where_nothing_remains() {
        let common = |global, local, limits: LocalLimits| {
            let range =
                NdRange { dimensions: 3, offset: [0; 3], global, local, packed: 1, bounded: false };
            common_local_size(&range, || limits, 256)
        };
        for local in [[1, 1, 1], [100, 1, 1], [512, 1, 1]] {
            assert_eq!(common([1 << 20, 1, 1], local, LIMITS), Some([256, 1, 1]));
        }
        assert_eq!(common([1 << 10, 64, 1], [32, 1, 1], LIMITS), Some([256, 1, 1]));
        let small = LocalLimits { total: 128, ..LIMITS };
        assert_eq!(common([1 << 20, 1, 1], [32, 1, 1], small), Some([128, 1, 1]));
        assert_eq!(common([1 << 20, 2, 1], [32, 2, 1], LIMITS), None);
        assert_eq!(common([1_000_000, 1, 1], [32, 1, 1], LIMITS), None);
        // A small number of work-groups is not reduced further.
        assert_eq!(common([2048, 1, 1], [32, 1, 1], LIMITS), None);
        assert_eq!(common([2048, 1, 1], [1024, 1, 1], LIMITS), Some([256, 1, 1]));
    }

    #[test]
    fn remainders_are_no_matter_where_the_kernel_checks_bounds() {
        let common = |global, local| {
            let (offset, bounded) = ([0; 3], true);
            let range = NdRange { dimensions: 3, offset, global, local, packed: 1, bounded };
            common_local_size(&range, || LIMITS, 256)
        };
        assert_eq!(common([1_000_000, 1, 1], [32, 1, 1]), Some([256, 1, 1]));
        assert_eq!(common([1000, 1000, 1], [1, 1, 1]), Some([256, 1, 1]));
        // With a larger local size two thirds of the work-items would do nothing.
        assert_eq!(common([85, 100_000, 1], [1, 1, 1]), None);
    }

    #[test]
    fn few_local_sizes_serve_all_launches_that_leave_them_open() {
        let chosen = |dimensions, global| {
            let range = NdRange {
                dimensions,
                offset: [0; 3],
                global,
                local: [1; 3],
                packed: 1,
                bounded: true,
            };
            bounded_local_size(&range, &LIMITS)
        };
        for size in [129, 200, 1000, 1_000_003, 1 << 40] {
            assert_eq!(chosen(1, [size, 1, 1]), [256, 1, 1]);
        }
        let small = [1, 2, 3, 5, 100].map(|size| chosen(1, [size, 1, 1]));
        assert_eq!(small.map(|[x, ..]| x), [1, 4, 4, 8, 128]);
        assert_eq!(chosen(2, [1920, 1080, 1]), [16, 16, 1]);
        assert_eq!(chosen(2, [1000, 3, 1]), [64, 4, 1]);
        // With a larger local size three eighths of the work-items would do nothing.
        assert_eq!(chosen(2, [5, 1_000_000, 1]), [5, 16, 1]);
        assert_eq!(chosen(3, [100, 100, 100]), [8, 8, 4]);
        let sizes = (1..14).flat_map(|x| (1..10).flat_map(move |y| (1..8).map(move |z| [x, y, z])));
        let few: std::collections::BTreeSet<_> = sizes.map(|global| chosen(3, global)).collect();
        assert!(few.len() <= 24, "{few:?}");
    }

    #[test]
    fn few_work_groups_in_x_are_packed_where_none_is_left_over() {
        assert_eq!(packed([1_000_001, 1, 1], [1, 1, 1]), 128);
        assert_eq!(packed([6, 1 << 20, 1], [1, 1, 1]), 2);
        assert_eq!(packed([7, 1 << 20, 1], [1, 1, 1]), 1);
        assert_eq!(packed([1, 1 << 20, 1], [1, 1, 1]), 1);
        assert_eq!(packed([3, 1, 1], [4, 1, 1]), 1);
    }
}
