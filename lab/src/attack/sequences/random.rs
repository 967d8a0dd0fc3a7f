//! Random numbers that a seed determines (splitmix64).

use hekla_xtask::random::SplitMix;

/// A stream of numbers.
pub struct Random(SplitMix);

impl Random {
    /// The numbers of a seed; those of neighbouring seeds are unrelated.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix(SplitMix(seed).bits() ^ seed.rotate_left(32)))
    }

    /// Returns any number.
    pub fn number(&mut self) -> u64 {
        self.0.bits()
    }

    /// Returns a number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n.max(1) as u64) as usize
    }

    /// Returns a number of a range, both ends included.
    pub fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last.saturating_sub(first) + 1)
    }

    /// Returns true once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of several values.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns a size from 1 to `most`, each order of magnitude as likely as the others.
    pub fn size(&mut self, most: usize) -> usize {
        let bits = self.below(usize::BITS as usize - most.leading_zeros() as usize + 1);
        let above = 1usize.checked_shl(bits as u32).unwrap_or(usize::MAX);
        self.between(1, above.min(most).max(1))
    }

    /// Returns random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            bytes.extend(self.number().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_the_numbers_and_they_keep_their_bounds() {
        let numbers = |seed| (0..4).map(|_| Random::new(seed).number()).collect::<Vec<_>>();
        assert_eq!(numbers(3), numbers(3));
        assert_ne!(numbers(3), numbers(4));
        let mut random = Random::new(1);
        for most in [1, 2, 100, 1 << 20] {
            let sizes: Vec<usize> = (0..1000).map(|_| random.size(most)).collect();
            assert!(sizes.iter().all(|size| (1..=most).contains(size)));
            assert!(sizes.contains(&1));
        }
        assert_eq!(random.bytes(13).len(), 13);
    }
}
