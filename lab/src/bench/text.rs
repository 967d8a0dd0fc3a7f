//! Kernel texts that no driver has seen before: a number in them is new each time, so that no cache
//! answers, and the host knows the result.

use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Work-items per group of [`Large`].
pub const LARGE_LOCAL: usize = 64;

/// Returns a number that no other text of the bench on this machine has.
pub fn new_seed() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let clock = (now.as_micros() as u32) ^ std::process::id().rotate_left(16);
    clock.wrapping_mul(2_654_435_761).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns a kernel of one line: every work-item adds the seed.
pub fn one_line(seed: u32) -> String {
    format!("kernel void add(global uint *a) {{ a[get_global_id(0)] += {seed}u; }}\n")
}

/// Constants of one helper function of the large text.
struct Mix {
    start: u32,
    rounds: u32,
    turn: u32,
    odd: u32,
    even: u32,
}

/// A kernel of 200 lines: helper functions with loops and branches, local memory, switches, vectors.
pub struct Large {
    mixes: Vec<Mix>,
    pub source: String,
}

impl Large {
    pub fn new(seed: u32) -> Large {
        let mut state = seed | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        let mut mix = || Mix {
            start: next(),
            rounds: 3 + next() % 4,
            turn: 1 + next() % 31,
            odd: next(),
            even: next(),
        };
        let mixes: Vec<Mix> = (0..10).map(|_| mix()).collect();
        let source = write(&mixes).unwrap_or_default();
        Large { mixes, source }
    }

    /// Returns what the work-item `i` of a single group writes to `out[i]`, where `input[i]` is `i`.
    pub fn expected(&self, i: u32) -> u32 {
        let mut x = i;
        let mut y = i.wrapping_add(LARGE_LOCAL as u32 - 1 - i);
        for mix in &self.mixes {
            x = mix.apply(x, y);
            y = match x & 3 {
                0 => y.wrapping_add(x),
                1 => y ^ (x >> 5),
                2 => y.rotate_left(7),
                _ => y.wrapping_mul(mix.odd | 1),
            };
        }
        x ^ y
    }
}

impl Mix {
    fn apply(&self, x: u32, y: u32) -> u32 {
        let mut h = x ^ self.start;
        for k in 0..self.rounds {
            h = h.rotate_left(self.turn).wrapping_add(y);
            match h & 1 {
                1 => h ^= self.odd,
                _ => h = h.wrapping_add(k.wrapping_mul(self.even)),
            }
        }
        h
    }
}

fn write(mixes: &[Mix]) -> Result<String, std::fmt::Error> {
    let mut text = String::from("#define LOCAL 64\n");
    for (number, mix) in mixes.iter().enumerate() {
        let Mix { start, rounds, turn, odd, even } = mix;
        write!(
            text,
            "uint mix{number}(uint x, uint y)\n{{\n    uint h = x ^ {start}u;\n    \
             for (uint k = 0; k < {rounds}u; k++) {{\n        h = rotate(h, {turn}u) + y;\n        \
             if (h & 1u)\n            h ^= {odd}u;\n        else\n            \
             h += k * {even}u;\n    }}\n    return h;\n}}\n"
        )?;
    }
    text.push_str(
        "kernel void large(global uint *out, global const uint *input, global float *reals)\n{\n    \
         local uint tile[LOCAL];\n    uint i = get_global_id(0), l = get_local_id(0);\n    \
         uint x = input[i], y = i;\n    float4 v = (float4)(x, 1.0f, 2.0f, 3.0f);\n    \
         tile[l] = x;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    y += tile[LOCAL - 1 - l];\n",
    );
    for (number, mix) in mixes.iter().enumerate() {
        write!(
            text,
            "    x = mix{number}(x, y);\n    switch (x & 3u) {{\n    case 0: y += x; break;\n    \
             case 1: y ^= x >> 5; break;\n    case 2: y = rotate(y, 7u); break;\n    \
             default: y *= {}u;\n    }}\n",
            mix.odd | 1
        )?;
    }
    text.push_str(
        "    v = v * 0.5f + (float4)((float)(x & 255u));\n    reals[i] = sqrt(dot(v, v));\n    \
         out[i] = x ^ y;\n}\n",
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_large_text_has_200_lines() {
        let lines = Large::new(5).source.lines().count();
        assert!((190..=210).contains(&lines), "{lines}");
    }

    #[test]
    fn every_text_is_new() {
        assert_ne!(new_seed(), new_seed());
        assert_ne!(Large::new(1).source, Large::new(3).source);
    }
}
