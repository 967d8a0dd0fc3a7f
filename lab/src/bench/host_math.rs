//! Functions that Rust's library lacks, as precise as a rough check of results needs.

use std::f64::consts::PI;

/// Error function: its integral by Simpson's rule.
pub fn erf(x: f64) -> f64 {
    const STEPS: usize = 256;
    let end = x.abs().min(6.0);
    let step = end / STEPS as f64;
    let sum: f64 = (0..=STEPS)
        .map(|i| {
            let weight = match i {
                0 | STEPS => 1.0,
                _ if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * (-(i as f64 * step).powi(2)).exp()
        })
        .sum();
    (sum * step / 3.0 * 2.0 / PI.sqrt()).copysign(x)
}

/// Logarithm of the gamma function of x > 0: Stirling's series (Abramowitz and Stegun 6.1.41) from 8 on.
pub fn lgamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 8.0 {
        product *= x;
        x += 1.0;
    }
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - product.ln()
}

/// Gamma function of x > 0.
pub fn tgamma(x: f64) -> f64 {
    lgamma(x).exp()
}

/// IEEE 754's remainder.
pub fn remainder(x: f64, y: f64) -> f64 {
    x - y * (x / y).round_ties_even()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_known_ones() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(near(erf(1.0), 0.8427007929) && near(erf(-0.5), -0.5204998778));
        assert!(near(tgamma(5.0), 24.0) && near(tgamma(0.5), PI.sqrt()) && near(lgamma(2.0), 0.0));
        assert!(near(remainder(5.0, 3.0), -1.0));
    }
}
