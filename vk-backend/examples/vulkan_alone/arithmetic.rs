//! Sums of products of floats and halves, scalar and in vectors: whether the driver computes two halves at a time.

use ash::vk;
use hekla_vk_backend::asm::{Glsl, KernelBuilder, Op};

use crate::gpu::{Gpu, Words};
use crate::{create_fence, create_pipeline, median, record, run, Waiting, ITEMS};

/// Numbers of chains that do not depend on each other, of sums of products that each chain computes in a round, and of rounds.
const CHAINS: u32 = 4;
const STEPS: u32 = 16;
const ROUNDS: u32 = 64;
/// The number of words behind the results: the factor, the addend and the number of rounds, none of which the driver knows.
const FACTOR: u32 = MOST_GROUPS * ITEMS;
const ADDEND: u32 = FACTOR + 1;
const COUNT: u32 = FACTOR + 2;
/// The most work-groups of a dispatch: as many as every device allows.
const MOST_GROUPS: u32 = 65535;
/// Microseconds of the shortest dispatch that is measured; shorter ones get more work-groups.
const LEAST_TIME: f64 = 1000.0;

/// Returns billions of operations a second; a step is two of them, a product and a sum.
pub fn rate(gpu: &Gpu, width: u32, lanes: u32) -> f64 {
    let pipeline = create_pipeline(gpu, &chains(width, lanes));
    let words = gpu.device_words(COUNT as usize + 1);
    fill(gpu, &words);
    let mut groups = 64;
    loop {
        let taken = dispatch(gpu, pipeline, &words, groups);
        if taken >= LEAST_TIME || groups == MOST_GROUPS {
            let operations =
                2 * u64::from(groups * ITEMS) * u64::from(lanes * CHAINS * STEPS * ROUNDS);
            return operations as f64 / taken / 1e3;
        }
        groups = (groups * 2).min(MOST_GROUPS);
    }
}

/// Returns the module of a kernel whose work-items compute `x = a * x + b` in each chain, as `xtask bench` does.
fn chains(width: u32, lanes: u32) -> Vec<u32> {
    let mut k = KernelBuilder::new(1);
    k.local_size([ITEMS, 1, 1]);
    let (uint, float, component) = (k.uint(), k.float(32), k.float(width));
    let number = if lanes == 1 { component } else { k.vector(component, lanes) };
    let [a, b] = [FACTOR, ADDEND].map(|word| {
        let word = load(&mut k, word);
        let value = k.unary(Op::Bitcast, float, word);
        let value = narrowed(&mut k, width, value);
        splat_of_bits(&mut k, width, lanes, value)
    });
    let rounds = load(&mut k, COUNT);
    let i = k.global_id_x();
    let seven = k.constant(7);
    let start = k.binary(Op::BitwiseAnd, uint, i, seven);
    let start = k.unary(Op::ConvertSToF, float, start);
    let start = narrowed(&mut k, width, start);
    let mut x = if lanes == 1 { start } else { k.compose(number, &vec![start; lanes as usize]) };
    let mut all = Vec::new();
    for _ in 0..CHAINS {
        all.push(x);
        x = k.binary(Op::FAdd, number, x, b);
    }
    // In reverse order, and with x as the first factor, NVIDIA's compiler schedules operations on two halves best.
    all.reverse();
    let all = k.repeat_with(rounds, number, all, |k, all| {
        let mut all = all.to_vec();
        for _ in 0..STEPS {
            for x in all.iter_mut().rev() {
                *x = k.extended(Glsl::Fma, number, &[*x, a, b]);
            }
        }
        all
    });
    let sum = all.into_iter().reduce(|a, b| k.binary(Op::FAdd, number, a, b)).unwrap_or(b);
    let mut total = k.float_constant(float, &[0]);
    for lane in 0..lanes {
        let one = match lanes {
            1 => sum,
            _ => k.binary_literal(Op::CompositeExtract, component, sum, lane),
        };
        let one = if width == 32 { one } else { k.unary(Op::FConvert, float, one) };
        total = k.binary(Op::FAdd, float, total, one);
    }
    let bits = k.unary(Op::Bitcast, uint, total);
    k.store(0, uint, i, bits);
    k.finish()
}

/// Loads a word of the buffer.
fn load(k: &mut KernelBuilder, index: u32) -> u32 {
    let (uint, index) = (k.uint(), k.constant(index));
    k.load(0, uint, index)
}

/// Returns a float of a width.
fn narrowed(k: &mut KernelBuilder, width: u32, float: u32) -> u32 {
    if width == 32 {
        return float;
    }
    let narrow = k.float(width);
    k.unary(Op::FConvert, narrow, float)
}

/// Returns a vector of halves with the same number in all lanes; returns a scalar unchanged. NVIDIA's compiler packs operations
/// with this vector, and not with one that is constructed from scalars.
fn splat_of_bits(k: &mut KernelBuilder, width: u32, lanes: u32, value: u32) -> u32 {
    if lanes == 1 {
        return value;
    }
    let (uint, component) = (k.uint(), k.float(width));
    let [pair, vector] = [2, lanes].map(|lanes| k.vector(component, lanes));
    let zero = k.float_constant(component, &[0]);
    let bits = k.compose(pair, &[value, zero]);
    let bits = k.unary(Op::Bitcast, uint, bits);
    let twice = k.constant(0x1_0001);
    let bits = k.binary(Op::IMul, uint, bits, twice);
    let both = k.unary(Op::Bitcast, pair, bits);
    if lanes == 2 {
        return both;
    }
    let halves: Vec<u32> = (0..lanes)
        .map(|lane| k.binary_literal(Op::CompositeExtract, component, both, lane % 2))
        .collect();
    k.compose(vector, &halves)
}

/// Sets all words before the number of rounds, with the factor and the addend, to 0.5, and sets the number of rounds.
fn fill(gpu: &Gpu, words: &Words) {
    let commands = record(gpu, None, |commands| {
        let half = 0.5f32.to_bits();
        // SAFETY: the command buffer is being recorded; the buffer lives as long as the process.
        unsafe {
            gpu.device.cmd_fill_buffer(commands, words.buffer, 0, 4 * u64::from(COUNT), half);
            gpu.device.cmd_fill_buffer(commands, words.buffer, 4 * u64::from(COUNT), 4, ROUNDS);
        }
    });
    run(gpu, commands, &Waiting::Fence(create_fence(gpu)), 0);
}

/// Returns the microseconds of a dispatch of work-groups.
fn dispatch(gpu: &Gpu, pipeline: vk::Pipeline, words: &Words, groups: u32) -> f64 {
    let commands = record(gpu, None, |commands| {
        // SAFETY: the command buffer is being recorded; what it uses lives as long as the process.
        unsafe { gpu.dispatch(commands, pipeline, words.address, groups) };
    });
    let fence = Waiting::Fence(create_fence(gpu));
    median(3, |_| run(gpu, commands, &fence, 0))
}
