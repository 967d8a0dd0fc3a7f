//! A generator of pseudo-random numbers, the same on every machine.

/// SplitMix64: neighbouring seeds give unrelated numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Begins the numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    /// Returns any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns a number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.any() % end.max(1) as u64) as usize
    }

    /// Returns true once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of several, of which there is one at least.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns a number below `end` that is small more often than large: of all magnitudes alike.
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
