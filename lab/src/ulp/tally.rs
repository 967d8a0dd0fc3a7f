//! Compares results with the reference: the largest error, and failures, of many calls.

use super::error::{may_be_flushed, ulps, Allowance, Exact};
use super::format::Format;
use super::row::{Bound, Row};

const EITHER_ZERO: Allowance = Allowance { either_zero: true };

/// A call with an error in its result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// The values of the call, an integer last if the function takes one.
    pub values: Vec<f64>,
    pub result: f64,
}

/// The results of a number of calls.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// The number of calls whose results count.
    pub calls: u64,
    /// The largest finite error, in ulp or absolute errors, and its call.
    pub error: f64,
    pub worst: Call,
    /// Calls whose results no bound allows: NaN, infinity or zero in the wrong place.
    pub failures: u64,
    pub failure: Call,
}

impl Tally {
    /// Adds the calls of another tally.
    pub fn add(&mut self, other: Tally) {
        self.calls += other.calls;
        if other.error > self.error {
            (self.error, self.worst) = (other.error, other.worst);
        }
        if self.failures == 0 {
            self.failure = other.failure;
        }
        self.failures += other.failures;
    }
}

/// Compares the results of a function of one type on one device.
#[derive(Clone, Copy)]
pub struct Comparison<'a> {
    pub row: &'a Row,
    pub format: Format,
    /// True if the device flushes subnormal numbers.
    pub flushes: bool,
}

impl Comparison<'_> {
    /// Adds a call to a tally.
    pub fn count(&self, tally: &mut Tally, values: &[f64], result: f64) {
        if !self.row.counts(values, self.format) {
            return;
        }
        tally.calls += 1;
        let error = self.error(values, result, tally.error);
        if error <= tally.error {
            return;
        }
        let call = || Call { values: values.to_vec(), result };
        if error.is_finite() {
            (tally.error, tally.worst) = (error, call());
        } else {
            if tally.failures == 0 {
                tally.failure = call();
            }
            tally.failures += 1;
        }
    }

    /// Returns the error of a result. If the error is no more than `known`, it may return any number up to `known`.
    fn error(&self, values: &[f64], result: f64, known: f64) -> f64 {
        let (row, format) = (self.row, self.format);
        let near = row.near.call(values, format);
        let wide = row.wide.as_ref().filter(|_| row.is_wide(format));
        if let Bound::Absolute(tolerance) = row.bound(format) {
            let difference = match wide {
                Some(wide) => wide.call(values, format).distance(result, 0),
                None => near.distance(result, 0),
            };
            return self.absolute(difference.abs(), tolerance(values, format));
        }
        let strict = match wide {
            // Most results are the nearest numbers.
            None if known >= 0.5 && near != 0.0 && format.round(near) == result => return known,
            None => self.ulps(result, near),
            Some(wide) => {
                let nearly = self.ulps(result, near) + row.near_error;
                if nearly <= known {
                    return nearly;
                }
                self.ulps(result, wide.call(values, format))
            }
        };
        match self.flushes && strict > known.max(0.5) {
            true => self.flushed(values, result, strict),
            false => strict,
        }
    }

    fn ulps<E: Exact>(&self, result: f64, exact: E) -> f64 {
        let allowance = Allowance { either_zero: self.row.either_zero };
        ulps(self.format, result, exact, allowance)
    }

    /// Returns a difference as a multiple of a tolerance.
    fn absolute(&self, difference: f64, tolerance: f64) -> f64 {
        match difference {
            _ if difference.is_nan() => f64::INFINITY,
            0.0 => 0.0,
            // An intermediate result that is flushed is less than the least normal number.
            _ if self.flushes => difference / (tolerance + 4.0 * self.format.min_normal()),
            _ => difference / tolerance.max(self.format.number(1)),
        }
    }

    /// Returns the least error over all that 7.5.3 lets a device flush: values, the result, or both.
    fn flushed(&self, values: &[f64], result: f64, strict: f64) -> f64 {
        let (row, format) = (self.row, self.format);
        let numbers = row.values.min(values.len());
        let subnormal: Vec<usize> =
            (0..numbers).filter(|i| format.is_subnormal(values[*i])).collect();
        let mut least = if self.result_may_be_flushed(values, result) { 0.0 } else { strict };
        // Each of the values stays, becomes 0 or becomes -0.
        for choice in 1..3usize.pow(subnormal.len() as u32) {
            let (mut values, mut rest) = (values.to_vec(), choice);
            for place in &subnormal {
                values[*place] = [values[*place], 0.0, -0.0][rest % 3];
                rest /= 3;
            }
            least = match self.result_may_be_flushed(&values, result) {
                true => 0.0,
                // A zero of either sign: it may come from a value that was flushed.
                false => least.min(ulps(format, result, self.nearest(&values), EITHER_ZERO)),
            };
        }
        least
    }

    fn result_may_be_flushed(&self, values: &[f64], result: f64) -> bool {
        may_be_flushed(self.format, result, self.nearest(values))
    }

    /// Returns the exact result as a double, also where quads are the reference: numbers that are not flushed are not
    /// subnormal.
    fn nearest(&self, values: &[f64]) -> f64 {
        self.row.near.call(values, self.format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ulp::functions;

    fn error(name: &str, format: Format, flushes: bool, values: &[f64], result: f64) -> f64 {
        let row = functions::all().find(|row| row.name == name).unwrap();
        let mut tally = Tally::default();
        Comparison { row, format, flushes }.count(&mut tally, values, result);
        assert_eq!(tally.calls, 1);
        if tally.failures > 0 {
            f64::INFINITY
        } else {
            tally.error
        }
    }

    #[test]
    fn errors_and_failures() {
        let float =
            |name, values: &[f64], result| error(name, Format::Float, false, values, result);
        assert!(float("sin", &[1.0], f64::from(1f32.sin())) < 0.51);
        assert_eq!(float("sqrt", &[-1.0], 0.0), f64::INFINITY);
        assert_eq!(float("x + y", &[1.0, 2.0], 3.0), 0.0);
        assert_eq!(float("fma", &[1.0, 2.0, 3.0], 5.000001f32.into()), 2.0);
        assert!((float("mix", &[0.25, 0.5, 0.5], 0.376) - 1.0).abs() < 1e-9);
        let exact = error("exp", Format::Double, false, &[1.0], 1f64.exp());
        assert!(exact > 0.0 && exact < 0.6, "{exact}");
        assert_eq!(error("rootn", Format::Double, false, &[27.0, 3.0], 3.0), 0.0);
    }

    #[test]
    fn devices_may_flush() {
        let flushing =
            |name, values: &[f64], result| error(name, Format::Float, true, values, result);
        let tiny = 1e-40f32 as f64;
        // The result is subnormal.
        assert_eq!(flushing("x * y", &[1e-20, 1e-20f32 as f64], -0.0), 0.0);
        // An operand is flushed, too, and may become a zero of either sign.
        assert_eq!(flushing("1 / x", &[tiny], f64::NEG_INFINITY), 0.0);
        assert_eq!(flushing("copysign", &[1.0, tiny], -1.0), 0.0);
        assert_eq!(flushing("x + y", &[1.0, 1.0], 0.0), 16777216.0);
        assert!(error("x + y", Format::Float, false, &[tiny, 0.0], 0.0) > 1.0);
    }
}
