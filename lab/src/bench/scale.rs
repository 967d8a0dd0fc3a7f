//! Sizes of the measurements: the same for all platforms, as large as the slowest of them can do in a
//! fraction of a second.

use super::cl::Session;
use super::measure;

/// Sizes; all powers of two.
#[derive(Debug)]
pub struct Scale {
    /// Bytes of each array of STREAM, of copies and of the reduction.
    pub stream: usize,
    /// Bytes that are moved between host and device.
    pub transfer: usize,
    /// Work-items of the arithmetic chains.
    pub items: usize,
    /// Rows and columns of SGEMM's matrices.
    pub matrix: usize,
    /// Groups of the reduction.
    pub groups: usize,
}

impl Scale {
    /// Estimates the speed of each device by a small matrix product.
    pub fn of(sessions: &[Session]) -> Scale {
        let speed = |s: &Session| measure::sgemm_of(s, 256).unwrap_or(1.0);
        let slowest = sessions.iter().map(speed).fold(f64::INFINITY, f64::min);
        let all_gpus = sessions.iter().all(|s| s.is_gpu);
        let alloc = sessions.iter().map(|s| s.max_alloc).min().unwrap_or(0);
        let stream = if all_gpus && slowest > 100.0 { 256 << 20 } else { 64 << 20 };
        let mut matrix = 256;
        // A small product does not fill a large GPU, so the estimate is too low rather than too high.
        while matrix < 4096 && 2.0 * (2.0 * matrix as f64).powi(3) / (slowest * 1e9) < 0.25 {
            matrix *= 2;
        }
        Scale {
            stream: stream.min((alloc / 4).max(1 << 20).next_power_of_two() / 2),
            transfer: 32 << 20,
            items: if all_gpus && slowest > 100.0 { 1 << 20 } else { 1 << 13 },
            matrix,
            groups: if all_gpus { 1024 } else { 64 },
        }
    }
}
