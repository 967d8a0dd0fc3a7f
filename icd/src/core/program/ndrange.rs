//! Index spaces: the choice of a local size if the application gives none, and the division of a launch into
//! dispatches of uniform work-groups within the device's limits.

use smallvec::SmallVec;

/// The index space of a launch; dimensions beyond `dimensions` have size 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NdRange {
    pub dimensions: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    pub local: [u32; 3],
    /// The number of work-groups, side by side in x, that the device runs as one. A remainder at the end of x is not packed.
    pub packed: u32,
    /// True if work-groups may extend beyond the global size: the kernel ends at once in work-items beyond it.
    pub bounded: bool,
}

/// A grid of equal work-groups: one vkCmdDispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dispatch {
    /// The local size as the device runs it: packed work-groups count as one.
    pub local: [u32; 3],
    pub groups: [u32; 3],
    /// The number of work-groups in a pack; see [`NdRange::packed`].
    pub packed: u32,
    /// Global id of the first work-item, the launch's offset included.
    pub global_base: [u64; 3],
    /// Group id of the first work-group.
    pub group_base: [u64; 3],
}

/// A stretch of one dimension with work-groups of equal size.
#[derive(Debug, Clone, Copy)]
struct GroupRange {
    local: u32,
    groups: u32,
    packed: u32,
    first_item: u64,
    first_group: u64,
}

/// The most dispatches of one launch; a launch with more is refused. 2^40 work-items in groups of 128 or more need fewer, on
/// devices that allow no more than 65535 groups in a dimension.
const MAX_DISPATCHES: u64 = 1 << 18;

impl NdRange {
    /// Returns the number of work-groups in each dimension, including a partial last one.
    pub fn group_counts(&self) -> [u64; 3] {
        std::array::from_fn(|d| self.global[d].div_ceil(u64::from(self.local[d])))
    }

    /// Returns the number of work-groups, partial ones included.
    pub fn group_total(&self) -> u64 {
        self.group_counts().iter().fold(1, |all, &count| all.saturating_mul(count))
    }

    /// Returns true if ids of work-items may not fit a positive 32-bit number.
    pub fn has_large_ids(&self) -> bool {
        self.global.iter().any(|&size| size > 1 << 31)
    }

    /// Returns true if work-groups of a size fill the index space, with none beyond it.
    pub fn is_filled_by(&self, local: [u32; 3]) -> bool {
        self.global.iter().zip(local).all(|(global, local)| global.is_multiple_of(local.into()))
    }

    /// Returns the launch as one dispatch; `None` if it takes several.
    pub fn one_dispatch(&self, max_groups: [u32; 3]) -> Option<Dispatch> {
        let mut groups = [0; 3];
        let mut local = self.local;
        local[0] *= self.packed;
        for (d, groups) in groups.iter_mut().enumerate() {
            let size = u64::from(local[d]);
            let count = self.global[d].div_ceil(size);
            let fits = self.bounded || count * size == self.global[d];
            if !fits || count > most_groups(local[d], max_groups[d]) {
                return None;
            }
            *groups = count as u32;
        }
        let (packed, group_base) = (self.packed, [0; 3]);
        Some(Dispatch { local, groups, packed, global_base: self.offset, group_base })
    }

    /// Returns the dispatches of the launch; `None` if there would be too many.
    ///
    /// Each dimension has up to two stretches: whole groups, and the remainder as one smaller group (in x also packed groups).
    /// Each stretch is cut where it exceeds the device's group count. There are up to 8 sizes of work-group (5.8 of the spec)
    /// times the cuts.
    pub fn dispatches(&self, max_groups: [u32; 3]) -> Option<SmallVec<[Dispatch; 1]>> {
        let count: u64 = (0..3).try_fold(1u64, |product, d| {
            let whole = self.global[d] / u64::from(self.local[d]);
            let cuts = whole.div_ceil(most_groups(self.local[d], max_groups[d]));
            let remainder = u64::from(!self.global[d].is_multiple_of(u64::from(self.local[d])));
            product.checked_mul(cuts + remainder)
        })?;
        if count > MAX_DISPATCHES {
            return None;
        }
        let [x, y, z] = std::array::from_fn(|d| self.stretches(d, max_groups[d]));
        let mut all = SmallVec::with_capacity(count as usize);
        for z in &z {
            for y in &y {
                for x in &x {
                    all.push(self.dispatch([*x, *y, *z]));
                }
            }
        }
        Some(all)
    }

    fn stretches(&self, d: usize, max_groups: u32) -> SmallVec<[GroupRange; 2]> {
        let local = u64::from(self.local[d]);
        let whole = self.global[d] / local;
        let remainder = (self.global[d] % local) as u32;
        let mut all = SmallVec::new();
        let mut first_group = 0;
        while first_group < whole {
            let left = whole - first_group;
            // Work-groups that do not fill a pack are at the end.
            let packed = if d == 0 && left >= u64::from(self.packed) { self.packed } else { 1 };
            let size = self.local[d] * packed;
            let groups = (left / u64::from(packed)).min(most_groups(size, max_groups)) as u32;
            let first_item = first_group * local;
            all.push(GroupRange { local: size, groups, packed, first_item, first_group });
            first_group += u64::from(groups) * u64::from(packed);
        }
        if remainder > 0 {
            let (first_item, first_group) = (whole * local, whole);
            all.push(GroupRange {
                local: remainder,
                groups: 1,
                packed: 1,
                first_item,
                first_group,
            });
        }
        all
    }

    fn dispatch(&self, stretches: [GroupRange; 3]) -> Dispatch {
        Dispatch {
            local: stretches.map(|s| s.local),
            groups: stretches.map(|s| s.groups),
            packed: stretches[0].packed,
            global_base: std::array::from_fn(|d| self.offset[d] + stretches[d].first_item),
            group_base: stretches.map(|s| s.first_group),
        }
    }
}

/// Returns the most work-groups of a size in one dimension of a dispatch: the device's limit, or fewer if their work-items
/// would not fit 32 bits, as GlobalInvocationId has.
fn most_groups(local: u32, max_groups: u32) -> u64 {
    u64::from(max_groups.min(u32::MAX / local).max(1))
}

/// The limits for the choice of a local size.
#[derive(Debug, Clone, Copy)]
pub struct LocalLimits {
    /// The most work-items of a group.
    pub total: u32,
    pub each: [u32; 3],
    /// The best number of work-items side by side in x, for launches of several dimensions: the device joins their accesses of
    /// memory.
    pub row: u32,
    /// True if all work-groups must have the same size.
    pub uniform: bool,
}

/// The shortest row, and the longest row, of a work-group in more than one dimension.
pub(crate) const SHORT_ROW: u32 = 16;
pub(crate) const LONG_ROW: u32 = 64;

/// Work-items of a group if the application leaves the local size open.
pub const PREFERRED_TOTAL: u32 = 256;

/// Returns a local size for a global size: about 256 work-items, in rows of [`LocalLimits::row`] work-items. The local size
/// divides the global size where that costs little or is required.
pub fn choose_local_size(dimensions: u32, global: [u64; 3], limits: &LocalLimits) -> [u32; 3] {
    let row = limits.row.clamp(SHORT_ROW, LONG_ROW);
    let preferred: [u32; 3] = match dimensions {
        1 => [PREFERRED_TOTAL, 1, 1],
        2 => [row, PREFERRED_TOTAL / row, 1],
        _ if row == SHORT_ROW => [8, 8, 4],
        _ => [row, PREFERRED_TOTAL / row / 2, 2],
    };
    let mut budget = limits.total.clamp(1, PREFERRED_TOTAL);
    let mut local = [1; 3];
    // Outer dimensions are chosen first, so that the remaining work-items are in x, where memory is contiguous.
    for d in (0..3).rev() {
        let inner: u32 = (0..d).map(|i| preferred[i].min(clamp_u32(global[i]))).product();
        let share = if d == 0 { budget } else { (budget / inner.max(1)).max(1).min(budget) };
        let most = if d == 0 { share } else { share.min(preferred[d]) };
        local[d] = pick(global[d], most.min(limits.each[d]).max(1), limits.uniform);
        budget /= local[d];
    }
    local
}

fn clamp_u32(value: u64) -> u32 {
    value.min(u64::from(u32::MAX)) as u32
}

/// Returns the local size in one dimension: at most `most`; a divisor of `global` if `uniform` is true or a good divisor
/// exists.
fn pick(global: u64, most: u32, uniform: bool) -> u32 {
    if global <= u64::from(most) {
        return clamp_u32(global).max(1);
    }
    let divisor =
        (1..=most).rev().find(|size| global.is_multiple_of(u64::from(*size))).unwrap_or(1);
    if uniform || divisor >= most / 2 {
        divisor
    } else {
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: LocalLimits =
        LocalLimits { total: 1024, each: [1024; 3], row: SHORT_ROW, uniform: false };
    const UNIFORM: LocalLimits = LocalLimits { uniform: true, ..LIMITS };

    #[test]
    fn one_dimension() {
        assert_eq!(choose_local_size(1, [1 << 20, 1, 1], &LIMITS), [256, 1, 1]);
        assert_eq!(choose_local_size(1, [100, 1, 1], &LIMITS), [100, 1, 1]);
        assert_eq!(choose_local_size(1, [1009, 1, 1], &LIMITS), [256, 1, 1]);
        assert_eq!(choose_local_size(1, [1009, 1, 1], &UNIFORM), [1, 1, 1]);
        assert_eq!(choose_local_size(1, [1000, 1, 1], &UNIFORM), [250, 1, 1]);
    }

    #[test]
    fn more_dimensions() {
        assert_eq!(choose_local_size(2, [1024, 1024, 1], &LIMITS), [16, 16, 1]);
        assert_eq!(choose_local_size(2, [1024, 1, 1], &LIMITS), [256, 1, 1]);
        assert_eq!(choose_local_size(2, [2, 1024, 1], &UNIFORM), [2, 16, 1]);
        assert_eq!(choose_local_size(3, [64, 64, 64], &LIMITS), [8, 8, 4]);
        let rows = |row| LocalLimits { row, ..LIMITS };
        assert_eq!(choose_local_size(2, [1024, 1024, 1], &rows(32)), [32, 8, 1]);
        assert_eq!(choose_local_size(2, [1024, 1024, 1], &rows(128)), [64, 4, 1]);
        assert_eq!(choose_local_size(2, [1024, 1024, 1], &rows(8)), [16, 16, 1]);
        assert_eq!(choose_local_size(2, [8, 1024, 1], &rows(32)), [8, 8, 1]);
        assert_eq!(choose_local_size(3, [256, 256, 256], &rows(32)), [32, 4, 2]);
        assert_eq!(choose_local_size(3, [256, 256, 256], &rows(64)), [64, 2, 2]);
        let narrow = LocalLimits { total: 64, ..LIMITS };
        let chosen = choose_local_size(2, [1024, 1024, 1], &narrow);
        assert!(chosen.iter().product::<u32>() <= 64);
    }

    #[test]
    fn ids_of_more_than_31_bits_are_large() {
        let (offset, local) = ([0; 3], [64, 1, 1]);
        let range = |global| {
            let dimensions = 3;
            NdRange { dimensions, offset, global, local, packed: 1, bounded: false }.has_large_ids()
        };
        assert!(!range([1 << 31, 1 << 20, 1]));
        assert!(range([1, (1 << 31) + 1, 1]));
    }

    #[test]
    fn remainders_are_regions() {
        let range = NdRange {
            dimensions: 2,
            offset: [10, 0, 0],
            global: [10, 7, 1],
            local: [4, 4, 1],
            packed: 1,
            bounded: false,
        };
        let all = range.dispatches([65535; 3]).unwrap();
        assert_eq!(all.len(), 4);
        let items: u64 = all
            .iter()
            .map(|d| {
                (0..3).map(|i| u64::from(d.local[i]) * u64::from(d.groups[i])).product::<u64>()
            })
            .sum();
        assert_eq!(items, 70);
        assert_eq!(all[3].local, [2, 3, 1]);
        assert_eq!(all[3].global_base, [18, 4, 0]);
        assert_eq!(all[3].group_base, [2, 1, 0]);
        assert_eq!(range.group_counts(), [3, 2, 1]);
    }

    #[test]
    fn dispatches_have_items_of_32_bits() {
        let global = [5 << 30, 1, 1];
        let range = NdRange {
            dimensions: 1,
            offset: [0; 3],
            global,
            local: [256, 1, 1],
            packed: 1,
            bounded: false,
        };
        let all = range.dispatches([i32::MAX as u32, 65535, 65535]).unwrap();
        let items = |d: &Dispatch| u64::from(d.groups[0]) * u64::from(d.local[0]);
        assert!(all.iter().all(|d| items(d) <= 1 << 32));
        assert_eq!(all.iter().map(items).sum::<u64>(), 5 << 30);
        assert_eq!(all[1].global_base[0], items(&all[0]));
    }

    #[test]
    fn what_fills_no_pack_comes_last() {
        let (offset, global, local) = ([7, 0, 0], [3 * 21 + 2, 4, 1], [3, 2, 1]);
        let range = NdRange { dimensions: 2, offset, global, local, packed: 8, bounded: false };
        let all = range.dispatches([65535; 3]).unwrap();
        let x: Vec<_> = all.iter().map(|d| (d.local[0], d.groups[0], d.packed)).collect();
        assert_eq!(x, [(24, 2, 8), (3, 5, 1), (2, 1, 1)]);
        let first: Vec<_> = all.iter().map(|d| (d.global_base[0], d.group_base[0])).collect();
        assert_eq!(first, [(7, 0), (7 + 48, 16), (7 + 63, 21)]);
        let whole = NdRange { global: [3 * 16, 4, 1], ..range };
        let one = whole.one_dispatch([65535; 3]).unwrap();
        assert_eq!((one.local, one.groups, one.packed), ([24, 2, 1], [2, 2, 1], 8));
        assert!(range.one_dispatch([65535; 3]).is_none());
    }

    #[test]
    fn large_grids_are_cut() {
        let range = NdRange {
            dimensions: 1,
            offset: [0; 3],
            global: [100_000, 1, 1],
            local: [1, 1, 1],
            packed: 1,
            bounded: false,
        };
        let all = range.dispatches([65_535; 3]).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[1].groups, [34_465, 1, 1]);
        assert_eq!(all[1].group_base, [65_535, 0, 0]);
        let huge = NdRange { global: [1 << 40, 1, 1], local: [128, 1, 1], ..range };
        let all = huge.dispatches([65_535; 3]).unwrap();
        let last = all.last().unwrap();
        assert_eq!(all.len(), (1usize << 33).div_ceil(65_535));
        assert_eq!(last.group_base[0] + u64::from(last.groups[0]), 1 << 33);
        assert_eq!(last.global_base[0], last.group_base[0] * 128);
        let absurd = NdRange { global: [u64::MAX, 1, 1], ..range };
        assert!(absurd.dispatches([65_535; 3]).is_none());
    }
}
