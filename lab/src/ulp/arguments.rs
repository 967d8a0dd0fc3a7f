//! The arguments with which functions are tried: special values first, then samples of every part of the range, more of
//! them where functions are hard. The same index always gives the same values.

use super::format::{scale, Format};
use super::row::{Choice, Row};
use hekla_xtask::random::SplitMix;
use std::f64::consts::{FRAC_PI_2, LN_2};

/// The random numbers of an index.
struct Random(SplitMix);

impl Random {
    fn new(index: u64) -> Random {
        Random(SplitMix::of_case(index))
    }

    fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// Returns a number from 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * scale(1.0, -53)
    }

    fn sign(&mut self) -> f64 {
        if self.bits() >> 63 == 0 {
            1.0
        } else {
            -1.0
        }
    }
}

/// Values at which functions change, of either sign, and with their neighbours.
const SPECIAL: [f64; 12] = [
    0.5,
    1.0,
    1.5,
    2.0,
    3.0,
    10.0,
    FRAC_PI_2,
    2.0 * FRAC_PI_2,
    4_194_304.5,
    9_007_199_254_740_993.0,
    65536.0,
    1e-3,
];
const INTEGERS: [i32; 12] = [0, 1, -1, 2, -2, 3, -3, 7, 64, i32::MAX, i32::MIN, i32::MAX - 1];

/// Returns the special values of a format.
fn special(format: Format) -> Vec<f64> {
    let least = format.number(1);
    let ends = [0.0, least, format.min_normal(), format.max(), f64::INFINITY];
    let mut values: Vec<f64> = ends.into_iter().chain(SPECIAL).map(|x| format.round(x)).collect();
    let subnormal = format.min_normal() - least;
    values.extend([subnormal, format.next_after(1.0, 2.0), format.next_after(1.0, 0.0)]);
    values.extend(values.clone().iter().map(|x| -x));
    values.push(f64::NAN);
    values
}

/// Chooses the values of a row's calls.
pub struct Chooser<'a> {
    row: &'a Row,
    format: Format,
    special: Vec<f64>,
    /// Every number of the format in turn, or every pair.
    all: bool,
}

impl<'a> Chooser<'a> {
    /// Returns a chooser for `count` calls; it chooses all different calls if there are no more than `count`.
    pub fn new(row: &'a Row, format: Format, count: u64) -> Chooser<'a> {
        let special = special(format);
        let mut chooser = Chooser { row, format, special, all: false };
        chooser.all = row.all_calls(format).is_some_and(|all| all <= count);
        chooser
    }

    /// Returns true if all different calls are chosen.
    pub fn is_exhaustive(&self) -> bool {
        self.all
    }

    /// Returns true if the only value of a call has the bits of the call's index.
    pub fn is_index(&self) -> bool {
        self.all && self.row.values == 1
    }

    /// Writes the values of a call as bits, and the integer if there is one.
    pub fn choose(&self, index: u64, values: &mut [u64; 8]) -> i32 {
        let (format, count) = (self.format, self.row.values);
        if self.all {
            let mask = (1u64 << format.width()) - 1;
            for (i, value) in values[..count].iter_mut().enumerate() {
                *value = index >> (i as u32 * format.width()) & mask;
            }
            return 0;
        }
        let mut random = Random::new(index);
        if let Some(integer) = self.combination(index, values) {
            return integer;
        }
        let kind = random.below(8);
        for place in 0..count {
            let before = (place > 0).then(|| format.number(values[place - 1]));
            values[place] = self.value(&mut random, kind, before);
        }
        match self.row.integer {
            true => self.integer(&mut random, kind, format.number(values[0])),
            false => 0,
        }
    }

    /// Chooses the values of the first calls: all combinations of up to two special values.
    fn combination(&self, index: u64, values: &mut [u64; 8]) -> Option<i32> {
        let count = self.special.len() as u64;
        let (bits, index) = (|i: u64| self.format.bits(self.special[i as usize]), index);
        if self.row.integer {
            let integers = INTEGERS.len() as u64;
            (index < count * integers).then(|| {
                values[0] = bits(index / integers);
                INTEGERS[(index % integers) as usize]
            })
        } else if self.row.values <= 2 {
            let calls = count.pow(self.row.values as u32);
            (index < calls).then(|| {
                (values[0], values[1]) = (bits(index % count), bits(index / count % count));
                0
            })
        } else {
            None
        }
    }

    fn value(&self, random: &mut Random, kind: u64, before: Option<f64>) -> u64 {
        let format = self.format;
        if let Choice::Range(low, high) = self.row.choice {
            let linear = low + (high - low) * random.unit();
            let small = high * scale(random.unit(), -(random.below(20) as i32));
            return format.bits(if kind.is_multiple_of(2) { linear } else { small });
        }
        match (kind, before, self.row.choice) {
            (0 | 1, _, _) => random.bits() >> (64 - format.width()),
            (_, Some(x), Choice::Power) => format.bits(self.power(random, x)),
            (2, Some(x), _) => {
                // Arguments of nearly the same magnitude, or nearly equal.
                let factor = 1.0 + random.sign() * scale(random.unit(), -(random.below(24) as i32));
                format.bits(x * factor * random.sign())
            }
            (3 | 4, _, _) => self.beside(random),
            (5, _, Choice::Power) => {
                format.bits(1.0 + random.sign() * scale(random.unit(), -(random.below(30) as i32)))
            }
            _ => {
                let exponent = random.below(25) as i32 - 12;
                format.bits(random.sign() * scale(1.0 + random.unit(), exponent))
            }
        }
    }

    /// Returns a number beside one at which functions are hard: a multiple of 1/2 or pi/2, a power of two, a special one.
    fn beside(&self, random: &mut Random) -> u64 {
        let range = 1 << random.below(self.format.precision() as u64);
        let multiple = random.below(range) as f64;
        let centre = match random.below(4) {
            0 => multiple * 0.5,
            1 => multiple * FRAC_PI_2,
            2 => scale(1.0, random.below(64) as i32 - 32),
            _ => self.special[random.below(self.special.len() as u64) as usize],
        };
        let bits = self.format.bits(centre * random.sign());
        let mask = u64::MAX >> (64 - self.format.width());
        bits.wrapping_add(random.below(9)).wrapping_sub(4) & mask
    }

    /// Returns y such that x^y is within the range, or a little beyond.
    fn power(&self, random: &mut Random, x: f64) -> f64 {
        let logarithm = x.abs().ln();
        let ends = f64::from(self.format.max_exponent()) * LN_2 * 1.15;
        let y = (2.0 * random.unit() - 1.0) * ends / logarithm;
        if random.below(3) == 0 {
            y.round()
        } else {
            y
        }
    }

    fn integer(&self, random: &mut Random, kind: u64, x: f64) -> i32 {
        match (kind % 4, self.row.choice) {
            (0, _) => random.bits() as i32,
            (1, _) => random.below(64) as i32 - 32,
            (_, Choice::Power) => self.power(random, x).round() as i32,
            _ => {
                let range = 3 * self.format.max_exponent();
                random.below(2 * range as u64) as i32 - range
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ulp::functions;

    fn row(name: &str) -> &'static Row {
        functions::all().find(|row| row.name == name).unwrap()
    }

    #[test]
    fn few_numbers_are_all_tried() {
        let chooser = Chooser::new(row("sin"), Format::Half, 1 << 20);
        assert!(chooser.is_index());
        assert_eq!(row("sin").all_calls(Format::Half), Some(1 << 16));
        assert!(!Chooser::new(row("sin"), Format::Float, 1 << 20).is_exhaustive());
        assert!(Chooser::new(row("sin"), Format::Float, 1 << 32).is_index());
        let pairs = Chooser::new(row("pow"), Format::Half, 1 << 32);
        let mut values = [0; 8];
        pairs.choose(0x1234_5678, &mut values);
        assert_eq!(values[..2], [0x5678, 0x1234]);
        assert!(pairs.is_exhaustive() && !pairs.is_index());
    }

    #[test]
    fn powers_are_mostly_within_the_range() {
        let (row, format) = (row("pow"), Format::Float);
        let chooser = Chooser::new(row, format, 1 << 20);
        let within = (100_000..110_000).filter(|index| {
            let mut values = [0; 8];
            chooser.choose(*index, &mut values);
            let power = format.number(values[0]).powf(format.number(values[1]));
            power > 0.0 && power < format.max() && power != 1.0
        });
        assert!(within.count() > 3000);
    }

    #[test]
    fn special_values_meet() {
        let chooser = Chooser::new(row("atan2"), Format::Float, 1 << 20);
        let count = special(Format::Float).len() as u64;
        let mut values = [0; 8];
        let zeros = (0..count * count).filter(|index| {
            chooser.choose(*index, &mut values);
            values[0] == 0x8000_0000 && values[1] == 0x8000_0000
        });
        assert_eq!(zeros.count(), 1);
    }
}
