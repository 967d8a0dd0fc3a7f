//! The pipelines of a kernel on a device: a limited number, in the order of their last use.

use hekla_compiler::kernel::spec_id;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use smallvec::SmallVec;
use std::sync::Arc;

/// The most pipelines that a kernel keeps. Commands keep their own pipelines alive.
const MOST: usize = 64;

/// The values that a pipeline is specialized for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineKey {
    /// The local size as the device runs it: packed work-groups count as one.
    pub local_size: [u32; 3],
    /// The number of work-groups that run as one.
    pub packed: u32,
    /// True if work-groups extend beyond the global size.
    pub bounded: bool,
    /// True if the global offset, or the first work-group of the dispatch, is not zero, or the launch has more than 2^31
    /// work-items in a dimension, or an address as an argument of a kernel with narrow offsets.
    pub has_global_offset: bool,
    /// True if an image that the kernel writes may need its components in another order.
    pub reorders_images: bool,
    /// Length in elements of the local block of one of the packed work-groups.
    pub local_length: u32,
    /// Byte offset of each local argument, by ordinal.
    pub local_offsets: SmallVec<[u32; 4]>,
}

impl PipelineKey {
    /// Returns the ids and values of the specialization constants.
    pub fn constants(&self) -> SmallVec<[(u32, u32); 8]> {
        let mut constants: SmallVec<[(u32, u32); 8]> = SmallVec::new();
        constants.extend(spec_id::LOCAL_SIZE.into_iter().zip(self.local_size));
        constants.push((spec_id::HAS_GLOBAL_OFFSET, u32::from(self.has_global_offset)));
        if self.packed > 1 {
            constants.push((spec_id::PACKED_GROUPS, self.packed));
        }
        if self.bounded {
            constants.push((spec_id::BOUNDED, 1));
        }
        constants.push((spec_id::REORDERS_IMAGES, u32::from(self.reorders_images)));
        constants.push((spec_id::LOCAL_BLOCK_LEN, self.local_length * self.packed));
        let offsets = self.local_offsets.iter().zip(spec_id::LOCAL_ARG_BASE..);
        constants.extend(offsets.map(|(offset, id)| (id, *offset)));
        constants
    }
}

/// A pipeline that one thread creates, while others may use existing ones.
pub type Made = Arc<OnceCell<Arc<vk::Pipeline>>>;

/// Pipelines in the order of their last use, the newest first.
#[derive(Default)]
pub struct Pipelines(Vec<(PipelineKey, Made)>);

impl Pipelines {
    /// Returns true if no pipeline has been requested.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a pipeline that was requested is not made yet.
    pub fn is_awaited(&self) -> bool {
        self.0.iter().any(|(_, made)| made.get().is_none())
    }

    /// Returns true if the pipeline for a key has been requested.
    pub fn contains(&self, key: &PipelineKey) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    /// Returns the pipeline for a key, which may still have to be created, and a pipeline that was removed to make room for it:
    /// the one whose last use is longest ago. It must be dropped when no lock is held.
    pub fn find(&mut self, key: &PipelineKey) -> (Made, Option<Made>) {
        let mut evicted = None;
        match self.0.iter().position(|(known, _)| known == key) {
            Some(0) => {}
            Some(index) => self.0[..=index].rotate_right(1),
            None => {
                if self.0.len() == MOST {
                    evicted = self.0.pop().map(|(_, made)| made);
                }
                self.0.insert(0, (key.clone(), Made::default()));
            }
        }
        (self.0[0].1.clone(), evicted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(length: usize) -> PipelineKey {
        PipelineKey {
            local_size: [1; 3],
            packed: 1,
            bounded: false,
            has_global_offset: false,
            reorders_images: false,
            local_length: length as u32,
            local_offsets: SmallVec::new(),
        }
    }

    #[test]
    fn a_pipeline_is_awaited_from_when_it_is_asked_for() {
        let mut pipelines = Pipelines::default();
        assert!(pipelines.is_empty() && !pipelines.is_awaited());
        let _ = pipelines.find(&key(1));
        assert!(!pipelines.is_empty() && pipelines.is_awaited());
        assert!(pipelines.contains(&key(1)) && !pipelines.contains(&key(2)));
    }

    #[test]
    fn pipelines_are_evicted_by_use() {
        let mut pipelines = Pipelines::default();
        let first: Vec<Made> = (0..MOST).map(|n| pipelines.find(&key(n)).0).collect();
        // A pipeline that is kept is found again, and then is the one used last.
        assert!(Arc::ptr_eq(&pipelines.find(&key(0)).0, &first[0]));
        for n in [1, 2] {
            let evicted = pipelines.find(&key(MOST + n)).1.unwrap();
            assert!(Arc::ptr_eq(&evicted, &first[n]));
        }
        for n in [0, 3] {
            let (made, evicted) = pipelines.find(&key(n));
            assert!(Arc::ptr_eq(&made, &first[n]) && evicted.is_none());
        }
        assert_eq!(pipelines.0.len(), MOST);
    }
}
