//! The layout of local memory: the variables of a kernel, and its local arguments after them.

use hekla_compiler::kernel::{ArgKind, Kernel};
use smallvec::SmallVec;

/// The least number of bytes that a local argument of a launch is rounded up to.
const SMALL: usize = 1 << 10;
/// From this size in bytes on, arguments are also rounded up to one and a half times a power of two: local memory limits how
/// many work-groups run at once.
const LARGE: usize = 4 << 10;

/// The layout of the local arguments of a launch in the local block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalLayout {
    /// Byte offset of each local argument, by ordinal.
    pub offsets: SmallVec<[u32; 4]>,
    /// Size in bytes of variables and local arguments together.
    pub total: u64,
}

impl LocalLayout {
    /// Places local arguments after the variables; `size_of` returns their sizes by argument index.
    pub fn new(kernel: &Kernel, size_of: impl Fn(usize) -> usize) -> LocalLayout {
        let mut offsets: SmallVec<[u32; 4]> = SmallVec::new();
        let mut total = kernel.local.static_size;
        for (index, arg) in kernel.args.iter().enumerate() {
            let ArgKind::Local { ordinal, align } = arg.kind else { continue };
            let offset = total.next_multiple_of(u64::from(align.max(1)));
            total = offset.saturating_add(size_of(index) as u64);
            let ordinal = ordinal as usize;
            if offsets.len() <= ordinal {
                offsets.resize(ordinal + 1, 0);
            }
            offsets[ordinal] = u32::try_from(offset).unwrap_or(u32::MAX);
        }
        LocalLayout { offsets, total }
    }

    /// Returns the layout of a launch on a device with `limit` bytes of local memory; `None` if that is not enough. If there is
    /// room, arguments are rounded up to one of few sizes, so that one pipeline serves many sizes.
    pub fn of_launch(
        kernel: &Kernel,
        size_of: impl Fn(usize) -> usize,
        limit: u64,
    ) -> Option<LocalLayout> {
        let exact = LocalLayout::new(kernel, &size_of);
        if exact.total > limit || exact.offsets.is_empty() {
            return (exact.total <= limit).then_some(exact);
        }
        let rounded = LocalLayout::new(kernel, |index| round_up(size_of(index)));
        Some(if rounded.total <= limit { rounded } else { exact })
    }

    /// Returns how many work-groups' local blocks fit in `limit` bytes.
    pub fn most_blocks(&self, kernel: &Kernel, limit: u64) -> u64 {
        let element = u64::from(kernel.local.element_size.max(1));
        limit / (u64::from(self.length(kernel)) * element)
    }

    /// Returns the length of the local block in elements of the kernel's local memory.
    pub fn length(&self, kernel: &Kernel) -> u32 {
        let element = u64::from(kernel.local.element_size.max(1));
        u32::try_from(self.total.div_ceil(element).max(1)).unwrap_or(u32::MAX)
    }
}

/// Returns the size in bytes to which a local argument is rounded up: a power of two or, for large arguments, one and a half
/// times a power of two.
fn round_up(size: usize) -> usize {
    let power = size.max(SMALL).checked_next_power_of_two().unwrap_or(size);
    let between = power / 4 * 3;
    if power > LARGE && size <= between {
        between
    } else {
        power
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hekla_compiler::kernel::{Arg, ArgAddress, LocalBlock};

    fn kernel(aligns: [u32; 2]) -> Kernel {
        let local = |ordinal| Arg {
            name: String::new(),
            type_name: String::new(),
            kind: ArgKind::Local { ordinal, align: aligns[ordinal as usize] },
            address: ArgAddress::Local,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
        };
        Kernel {
            args: vec![local(0), local(1)],
            local: LocalBlock { static_size: 6, element_size: 4 },
            ..Kernel::default()
        }
    }

    #[test]
    fn local_arguments_follow_the_variables() {
        let kernel = kernel([4, 16]);
        let layout = LocalLayout::new(&kernel, |_| 10);
        assert_eq!(layout.offsets.as_slice(), [8, 32]);
        assert_eq!(layout.total, 42);
        assert_eq!(layout.length(&kernel), 11);
        assert_eq!(
            [43, 44, 131, 132].map(|limit| layout.most_blocks(&kernel, limit)),
            [0, 1, 2, 3]
        );
    }

    #[test]
    fn launches_with_arguments_of_many_sizes_have_few_layouts() {
        let kernel = kernel([4, 16]);
        let mut layouts: Vec<_> = (1..=200usize)
            .map(|n| LocalLayout::of_launch(&kernel, |_| 64 * n, 48 << 10).unwrap())
            .collect();
        for (layout, n) in layouts.iter().zip(1..) {
            let size = layout.offsets[1] - layout.offsets[0];
            assert!(size >= 64 * n && layout.total >= u64::from(layout.offsets[1] + 64 * n));
        }
        layouts.dedup();
        assert_eq!(layouts.len(), 7);
    }

    #[test]
    fn arguments_that_leave_no_room_keep_their_sizes() {
        let kernel = kernel([4, 4]);
        let layout = |size| LocalLayout::of_launch(&kernel, |_| size, 32 << 10);
        assert_eq!(layout(16_000), Some(LocalLayout::new(&kernel, |_| 16_000)));
        assert_eq!(layout(16_380), Some(LocalLayout::new(&kernel, |_| 16_380)));
        assert_eq!(layout(16_384), None);
    }

    #[test]
    fn sizes_are_rounded_to_few() {
        let rounded = [1, 1024, 1025, 4096, 4097, 6144, 6145, 12_289].map(round_up);
        assert_eq!(rounded, [1024, 1024, 2048, 4096, 6144, 6144, 8192, 16_384]);
        assert_eq!(round_up(usize::MAX), usize::MAX);
    }
}
