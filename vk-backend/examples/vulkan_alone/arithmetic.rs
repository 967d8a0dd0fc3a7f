//! Sums of products of floats and halves, scalar and in vectors: whether the driver computes two halves at a time.

use ash::vk;
use hekla_vk_backend::asm::{glsl, op, KernelBuilder};

use crate::gpu::{Gpu, Words};
use crate::{create_fence, create_pipeline, median, record, run, Waiting, ITEMS};

/// Chains that do not depend on each other, and sums of products in each, one after the other.
const CHAINS: u32 = 4;
const STEPS: u32 = 1024;
/// Most work-groups of a dispatch, as every device allows them.
const MOST_GROUPS: u32 = 65535;
/// Microseconds of the shortest dispatch that is measured; shorter ones get more work-groups.
const LEAST_TIME: f64 = 1000.0;

/// Returns billions of operations a second, a product and a sum in each step.
pub fn rate(gpu: &Gpu, width: u32, lanes: u32) -> f64 {
    let pipeline = create_pipeline(gpu, &chains(width, lanes));
    let words = gpu.device_words((MOST_GROUPS * ITEMS + 1) as usize);
    fill(gpu, &words, 0.5);
    let mut groups = 64;
    loop {
        let taken = dispatch(gpu, pipeline, &words, groups);
        if taken >= LEAST_TIME || groups == MOST_GROUPS {
            let operations = 2 * u64::from(groups * ITEMS) * u64::from(lanes * CHAINS * STEPS);
            return operations as f64 / taken / 1e3;
        }
        groups = (groups * 2).min(MOST_GROUPS);
    }
}

/// Returns the module of a kernel whose work-items compute `x = a * x + a` in each chain. The buffer has `a` after the results.
fn chains(width: u32, lanes: u32) -> Vec<u32> {
    let mut k = KernelBuilder::new(1);
    k.local_size([ITEMS, 1, 1]);
    let (uint, float, component) = (k.uint(), k.float(32), k.float(width));
    let number = if lanes == 1 { component } else { k.vector(component, lanes) };
    // Lanes are numbers of their own: what is the same in all the driver computes once.
    let spread = |k: &mut KernelBuilder, value: u32| {
        let of_lane = |k: &mut KernelBuilder, lane: u32| {
            let more = k.float_constant(float, &[(lane as f32).to_bits()]);
            let value = k.binary(op::F_ADD, float, value, more);
            if width == 32 {
                value
            } else {
                k.unary(op::F_CONVERT, component, value)
            }
        };
        let all: Vec<u32> = (0..lanes).map(|lane| of_lane(k, lane)).collect();
        if lanes == 1 {
            all[0]
        } else {
            k.compose(number, &all)
        }
    };
    let i = k.global_id_x();
    let behind = k.constant(MOST_GROUPS * ITEMS);
    let factor = k.load(0, uint, behind);
    let factor = k.unary(op::BITCAST, float, factor);
    let factor = spread(&mut k, factor);
    let seven = k.constant(7);
    let start = k.binary(op::BITWISE_AND, uint, i, seven);
    let start = k.unary(op::CONVERT_S_TO_F, float, start);
    let mut x = spread(&mut k, start);
    let mut all = Vec::new();
    for _ in 0..CHAINS {
        all.push(x);
        x = k.binary(op::F_ADD, number, x, factor);
    }
    for _ in 0..STEPS {
        for x in &mut all {
            *x = k.extended(glsl::FMA, number, &[factor, *x, factor]);
        }
    }
    let sum = all.into_iter().reduce(|a, b| k.binary(op::F_ADD, number, a, b));
    let sum = sum.unwrap_or(factor);
    let mut total = k.float_constant(float, &[0]);
    for lane in 0..lanes {
        let one = match lanes {
            1 => sum,
            _ => k.binary_literal(op::COMPOSITE_EXTRACT, component, sum, lane),
        };
        let one = if width == 32 { one } else { k.unary(op::F_CONVERT, float, one) };
        total = k.binary(op::F_ADD, float, total, one);
    }
    let bits = k.unary(op::BITCAST, uint, total);
    k.store(0, uint, i, bits);
    k.finish()
}

fn fill(gpu: &Gpu, words: &Words, value: f32) {
    let commands = record(gpu, None, |commands| {
        // SAFETY: the command buffer is being recorded; the buffer lives as long as the process.
        unsafe {
            let all = vk::WHOLE_SIZE;
            gpu.device.cmd_fill_buffer(commands, words.buffer, 0, all, value.to_bits());
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
