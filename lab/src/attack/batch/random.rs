//! A generator of pseudo-random numbers, the same on every machine.

use hekla_xtask::random::SplitMix;

/// The random numbers of a case; those of neighbouring seeds are unrelated.
#[derive(Debug, Clone)]
pub struct Random(SplitMix);

impl Random {
    /// Begins the numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix::of_case(seed))
    }

    /// Returns any number.
    pub fn any(&mut self) -> u64 {
        self.0.bits()
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.any() % end.max(1) as u64) as usize
    }

    /// Returns true once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of several values; there must be at least one.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns a number below `end`, each order of magnitude as likely as the others.
    pub fn small(&mut self, end: usize) -> usize {
        let bits = self.below(end.max(1).ilog2() as usize + 2);
        self.below(1 << bits) % end.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_its_numbers_and_no_others() {
        let numbers = |seed| -> Vec<u64> {
            let mut random = Random::new(seed);
            (0..10).map(|_| random.any()).collect()
        };
        assert_eq!(numbers(3), numbers(3));
        assert!(numbers(3).iter().all(|number| !numbers(4).contains(number)));
        let mut random = Random::new(1);
        assert!((0..1000).all(|_| random.below(7) < 7 && random.small(7) < 7));
        assert_eq!((random.below(0), random.small(0)), (0, 0));
        let sevenths = (0..7000).filter(|_| random.once_in(7)).count();
        assert!((800..1200).contains(&sevenths), "{sevenths}");
    }
}
