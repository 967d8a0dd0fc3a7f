//! Products of large matrices by VK_KHR_cooperative_matrix, with `examples/gemm.cl` written by hand in GLSL (`gemm.comp`).
//!
//! `vulkan_alone gemm half 8192 TM=16 TN=16 ...` prints GFLOP/s and a digest of the product, as the bench computes one. Sizes
//! that are not named are those of `gemm.comp`.

use ash::vk;

use crate::gpu::{tried, Gpu, Words};
use crate::{create_fence, record, run, Waiting};
use std::time::Instant;

/// The specialization constants, in the order of their numbers, and their values in `gemm.comp`.
const SIZES: [(&str, u32); 14] = [
    ("TM", 16),
    ("TN", 16),
    ("TK", 16),
    ("SM", 64),
    ("SN", 64),
    ("BM", 128),
    ("BN", 128),
    ("BK", 64),
    ("ITEMS", 128),
    ("BUFFERS", 1),
    ("GROUP_ROWS", 8),
    ("PAD", 1),
    ("LATE", 0),
    ("HELD", 0),
];

/// Seconds of the shortest series of products that is measured.
const LEAST_TIME: f64 = 0.04;

/// The type of the factors' elements.
struct Kind {
    name: &'static str,
    module: &'static [u8],
    bytes: usize,
    /// Returns the bits of -2 to 2.
    encode: fn(i8) -> u16,
}

const KINDS: [Kind; 3] = [
    Kind { name: "half", module: include_bytes!("gemm_half.spv"), bytes: 2, encode: half },
    Kind {
        name: "bfloat16",
        module: include_bytes!("gemm_bfloat16.spv"),
        bytes: 2,
        encode: |number| (f32::from(number).to_bits() >> 16) as u16,
    },
    Kind {
        name: "char",
        module: include_bytes!("gemm_char.spv"),
        bytes: 1,
        encode: |number| u16::from(number as u8),
    },
];

fn half(number: i8) -> u16 {
    let size = [0, 0x3c00, 0x4000][usize::from(number.unsigned_abs().min(2))];
    u16::from(number < 0) << 15 | size
}

/// Measures a product and prints the results.
///
/// # Errors
/// A sentence that says what is wrong with the arguments, or what the device lacks.
pub fn main(arguments: &[String]) -> Result<(), String> {
    let [kind, size, rest @ ..] = arguments else {
        return Err("gemm KIND SIZE NAME=VALUE...".into());
    };
    let kind = KINDS.iter().find(|known| known.name == kind).ok_or("unknown kind of elements")?;
    let size: usize = size.parse().map_err(|_| "the size is no number")?;
    let mut sizes = SIZES;
    for argument in rest {
        let (name, value) = argument.split_once('=').ok_or("an argument is not NAME=VALUE")?;
        let place = sizes.iter_mut().find(|row| row.0 == name).ok_or("unknown size")?;
        place.1 = value.parse().map_err(|_| format!("{argument}: no number"))?;
    }
    let of = |name| sizes.iter().find(|row| row.0 == name).map_or(1, |row| row.1 as usize);
    if [of("BM"), of("BN"), of("BK")].iter().any(|block| !size.is_multiple_of(*block)) {
        return Err("the size is no multiple of the blocks'".to_string());
    }
    if [of("TK"), of("TN")].iter().any(|width| !(width * kind.bytes).is_multiple_of(16)) {
        return Err("rows of matrices are no whole vectors of 16 bytes".to_string());
    }
    let gpu = Gpu::open(crate::gpu::instance(), 1);
    if !gpu.has_matrices || (kind.name == "bfloat16" && !gpu.has_bfloat16) {
        return Err(format!("{}: no matrices of {}", gpu.name, kind.name));
    }
    let pipeline = pipeline(&gpu, kind, &sizes.map(|row| row.1));
    let groups = (size / of("BM") * (size / of("BN"))) as u32;
    let (seconds, digest) = measure(&gpu, kind, size, (pipeline, groups));
    println!("GFLOP/s\t{}", 2.0 * (size as f64).powi(3) / seconds / 1e9);
    println!("digest\t{digest}");
    Ok(())
}

/// Returns the seconds that a product takes, and the digest of its result.
fn measure(
    gpu: &Gpu,
    kind: &Kind,
    size: usize,
    (pipeline, groups): (vk::Pipeline, u32),
) -> (f64, u64) {
    let factor = factor(gpu, kind, size);
    let (sums, arguments) = (gpu.device_words(size * size), gpu.words(9));
    let address = |words: &Words| [words.address as u32, (words.address >> 32) as u32];
    let ([a, b], [c, d], n) = (address(&factor), address(&sums), size as u32);
    // Both factors have the same numbers, but each has its own memory, as in the bench.
    let second = copy_of(gpu, &factor, kind.bytes * size * size / 4);
    let [e, f] = address(&second);
    let words = [a, b, e, f, c, d, n, n, n];
    // SAFETY: the memory was just mapped, for as many words.
    unsafe { words.as_ptr().copy_to_nonoverlapping(arguments.mapped, words.len()) };
    let fence = Waiting::Fence(create_fence(gpu));
    let products = |count: usize| {
        let launch = |commands| crate::launch_groups(gpu, commands, pipeline, &arguments, groups);
        record(gpu, None, |commands| (0..count).for_each(|_| launch(commands)))
    };
    run(gpu, products(1), &fence, 0);
    let mut count = 1;
    let seconds = loop {
        let all = products(count);
        let start = Instant::now();
        run(gpu, all, &fence, 0);
        let elapsed = start.elapsed().as_secs_f64();
        if elapsed >= LEAST_TIME || count >= 1000 {
            break elapsed / count as f64;
        }
        count = (count as f64 * (1.2 * LEAST_TIME / elapsed).clamp(2.0, 20.0)) as usize;
    };
    (seconds, digest(gpu, &sums, size * size))
}

/// Makes a factor with the bench's numbers.
fn factor(gpu: &Gpu, kind: &Kind, size: usize) -> Words {
    let count = kind.bytes * size * size / 4;
    let number = |row: usize, column: usize| (row + 3 * column + row * column % 7) % 5;
    let at = |i: usize| (kind.encode)(number(i / size, i % size) as i8 - 2);
    let (staging, words) = (gpu.words(count), gpu.device_words(count));
    for place in 0..count {
        let each = 4 / kind.bytes;
        let bits = 32 / each;
        let word =
            (0..each).fold(0, |word, i| word | u32::from(at(place * each + i)) << (bits * i));
        // SAFETY: the memory was just mapped, for as many words.
        unsafe { staging.mapped.add(place).write(word) };
    }
    copy(gpu, (&staging, &words), count);
    words
}

fn copy_of(gpu: &Gpu, from: &Words, count: usize) -> Words {
    let to = gpu.device_words(count);
    copy(gpu, (from, &to), count);
    to
}

fn copy(gpu: &Gpu, (from, to): (&Words, &Words), count: usize) {
    let commands = record(gpu, None, |commands| {
        let region = [vk::BufferCopy::default().size(4 * count as u64)];
        // SAFETY: the command buffer is being recorded; both buffers have this size and live as long as the process.
        unsafe { gpu.device.cmd_copy_buffer(commands, from.buffer, to.buffer, &region) };
    });
    run(gpu, commands, &Waiting::Fence(create_fence(gpu)), 0);
}

/// Returns the bench's digest of words in the device's memory: the sum of the words, each multiplied by 2 * place + 1.
fn digest(gpu: &Gpu, words: &Words, count: usize) -> u64 {
    let read = gpu.words(count);
    copy(gpu, (words, &read), count);
    // SAFETY: the copy has ended, and nothing writes to the memory any more.
    let all = unsafe { std::slice::from_raw_parts(read.mapped, count) };
    (0u64..).zip(all).fold(0, |sum: u64, (place, &word)| {
        sum.wrapping_add(u64::from(word).wrapping_mul(2 * place + 1))
    })
}

/// Creates the pipeline for a kind of elements.
fn pipeline(gpu: &Gpu, kind: &Kind, sizes: &[u32]) -> vk::Pipeline {
    let words: Vec<u32> = kind
        .module
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let entry = |index: usize| {
        let entry = vk::SpecializationMapEntry::default().constant_id(index as u32).size(4);
        entry.offset(4 * index as u32)
    };
    let entries: Vec<_> = (0..sizes.len()).map(entry).collect();
    let bytes: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
    let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&bytes);
    tried("vkCreateComputePipelines", gpu.create_special_pipeline(&words, &constants))
}
