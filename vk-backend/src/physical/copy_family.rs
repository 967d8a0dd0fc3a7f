//! The choice of the queue family for copies.

use ash::vk;

/// A family of queues that only transfer: they neither compute nor draw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopyFamily {
    pub(crate) index: u32,
    /// The number of queues to open: one or two.
    pub(crate) queues: u32,
}

impl CopyFamily {
    /// Finds a family for copies, other than `taken`, among a device's.
    pub(crate) fn find(
        families: &[vk::QueueFamilyProperties],
        taken: Option<u32>,
    ) -> Option<CopyFamily> {
        use vk::QueueFlags as Q;
        let others = Q::COMPUTE | Q::GRAPHICS | Q::VIDEO_DECODE_KHR | Q::VIDEO_ENCODE_KHR;
        let copies = |f: &vk::QueueFamilyProperties| {
            f.queue_count > 0
                && f.queue_flags.contains(Q::TRANSFER)
                && !f.queue_flags.intersects(others | Q::OPTICAL_FLOW_NV)
        };
        let mut found = families.iter().enumerate().filter(|(_, family)| copies(family));
        let (index, family) = found.find(|(index, _)| Some(*index as u32) != taken)?;
        Some(CopyFamily { index: index as u32, queues: family.queue_count.min(2) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_get_a_family_that_does_nothing_else() {
        use vk::QueueFlags as Q;
        let family = |flags: Q, queue_count| vk::QueueFamilyProperties {
            queue_flags: flags | Q::SPARSE_BINDING,
            queue_count,
            ..Default::default()
        };
        let all = family(Q::GRAPHICS | Q::COMPUTE | Q::TRANSFER, 16);
        let found = |families: &[_], taken| {
            CopyFamily::find(families, taken).map(|found| (found.index, found.queues))
        };
        assert_eq!(found(&[all], None), None);
        let video = family(Q::TRANSFER | Q::VIDEO_DECODE_KHR, 7);
        let copies = family(Q::TRANSFER, 1);
        assert_eq!(found(&[all, video, copies], None), Some((2, 1)));
        assert_eq!(found(&[all, copies, video, family(Q::TRANSFER, 9)], Some(1)), Some((3, 2)));
        assert_eq!(found(&[family(Q::TRANSFER, 0), all], None), None);
    }
}
