//! Sets of blocks that are pending targets of the structurizer: mostly one or two blocks, but tens of thousands in switches
//! whose cases fall through.

use crate::ir::Block;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// The most blocks of a set that is searched linearly.
const FEW: usize = 16;

/// A set of blocks.
#[derive(Default)]
pub struct Targets {
    /// The blocks of a small set.
    few: SmallVec<[Block; 2]>,
    /// The blocks of a large set.
    many: FxHashSet<Block>,
}

impl Targets {
    pub fn of(blocks: &[Block]) -> Targets {
        let mut targets = Targets::default();
        blocks.iter().for_each(|&block| targets.insert(block));
        targets
    }

    pub fn len(&self) -> usize {
        self.few.len() + self.many.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the block of a set with only one block.
    pub fn only(&self) -> Option<Block> {
        match (&self.few[..], self.many.len()) {
            (&[only], 0) => Some(only),
            ([], 1) => self.many.iter().next().copied(),
            _ => None,
        }
    }

    pub fn contains(&self, block: Block) -> bool {
        self.few.contains(&block) || self.many.contains(&block)
    }

    pub fn remove(&mut self, block: Block) {
        self.few.retain(|other| *other != block);
        self.many.remove(&block);
    }

    /// Adds the blocks of another set. Takes time in proportion to the size of the smaller set.
    pub fn merge(&mut self, mut other: Targets) {
        if other.len() > self.len() {
            std::mem::swap(self, &mut other);
        }
        other.few.into_iter().chain(other.many).for_each(|block| self.insert(block));
    }

    fn insert(&mut self, block: Block) {
        if self.contains(block) {
            return;
        }
        if self.many.is_empty() && self.few.len() < FEW {
            self.few.push(block);
            return;
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(block);
    }
}
