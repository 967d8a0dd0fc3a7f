//! Measures sums of products in the forms that programs use: some become one operation; also halves beside floats.

use super::cl::{Result, Session};
use super::measure::{expect, repeat, LOCAL};
use super::scale::Scale;

/// A way to compute `a * x + b` repeatedly.
pub struct Steps {
    /// The type of the numbers, the number of its components, and the size of one in bytes.
    pub ty: &'static str,
    pub lanes: usize,
    pub bytes: usize,
    /// The new value of x.
    pub step: &'static str,
    /// Chains that do not depend on each other: four with 16 steps in a round, or one with a single step.
    pub chains: usize,
    pub options: &'static str,
}

impl Steps {
    /// Four chains of floats.
    pub const fn of(step: &'static str) -> Steps {
        Steps { ty: "float", lanes: 1, bytes: 4, step, chains: 4, options: "" }
    }

    /// Four chains of halves.
    pub const fn halves(ty: &'static str, lanes: usize, step: &'static str) -> Steps {
        Steps { ty, lanes, bytes: 2, step, chains: 4, options: "" }
    }
}

const SOURCE: &str = "
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#define STEPS(v) { T x = v; v = STEP; }
#define ROUND STEPS(p) STEPS(q) STEPS(r) STEPS(s)
#define ROUNDS ROUND ROUND ROUND ROUND
kernel void chains(global T *out, int n, float fa, float fb)
{
    size_t i = get_global_id(0);
    T a = (T)(ELEMENT)fa, b = (T)(ELEMENT)fb;
    T p = (T)(ELEMENT)(i & 7), q = p + b, r = q + b, s = r + b;
    for (int k = 0; k < n; k++) { ROUNDS ROUNDS ROUNDS ROUNDS }
    out[i] = (p + q + r + s) * (T)(ELEMENT)0.25f;
}
kernel void chain(global T *out, int n, float fa, float fb)
{
    size_t i = get_global_id(0);
    T a = (T)(ELEMENT)fa, b = (T)(ELEMENT)fb, x = (T)(ELEMENT)(i & 7);
    for (int k = 0; k < n; k++) x = STEP;
    out[i] = x;
}";

/// Rounds for four chains, and steps for one chain.
const ROUNDS: usize = 64;
const STEPS: usize = 2048;

/// Billions of operations a second, a product and a sum in each step, in loops whose length the compiler does not know.
pub fn rate(s: &Session, scale: &Scale, steps: &Steps) -> Result<f64> {
    let &Steps { ty, lanes, bytes, step, chains, options } = steps;
    let element = ty.trim_end_matches(char::is_numeric);
    let source =
        format!("#define T {ty}\n#define ELEMENT {element}\n#define STEP {step}\n{SOURCE}");
    let (name, count, done) = match chains {
        1 => ("chain", STEPS, STEPS),
        _ => ("chains", ROUNDS, 64 * ROUNDS),
    };
    let refused = |log: String| log.lines().next().unwrap_or("").to_string();
    let kernel = s.build(&source, name, options).map_err(refused)?;
    let out = s.buffer(scale.items * lanes * bytes)?;
    kernel.set_buffers(&[&out])?;
    kernel.set(1, count as i32)?;
    // Whatever x is at first, the rounds end at 1.
    kernel.set(2, 0.5f32)?;
    kernel.set(3, 0.5f32)?;
    let seconds = repeat(1000, |times| {
        (0..times).try_for_each(|_| s.launch(&kernel, &[scale.items], &[LOCAL]))?;
        s.finish()
    })?;
    let mut head = vec![0u8; 16 * bytes];
    s.read(&out, 0, &mut head)?;
    let one: &[u8] = if bytes == 2 { &[0x00, 0x3c] } else { &[0, 0, 0x80, 0x3f] };
    // A tie, halfway from below, is rounded to the even number, which is one unit less.
    let below: &[u8] = if bytes == 2 { &[0xff, 0x3b] } else { &[0xff, 0xff, 0x7f, 0x3f] };
    let is_right = head.chunks(bytes).all(|number| number == one || number == below);
    expect(is_right, "chains of products and sums")?;
    Ok((scale.items * lanes * 2 * done) as f64 / seconds / 1e9)
}
