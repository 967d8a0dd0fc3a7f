//! Makes kernels that differ in what they compute, and computes what each of them must write.
//!
//! Kernel `id` reads a number and writes itself, the number, and the result of a chain of operations on the number
//! whose constants follow from `id`. So a wrong result names the kernel whose code ran in its place.

use hekla_vk_backend::asm::{KernelBuilder, Op};

/// Words of memory that a dispatch works on: the number first, then the results.
pub const WORDS: usize = 4;
/// Index of the word that holds the number.
pub const NUMBER: usize = 0;
/// Index of the word that the kernel writes its id to.
pub const ID: usize = 1;
const SEEN: usize = 2;
const CHAIN: usize = 3;

/// A kernel, whose chain has `length` operations.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub id: u32,
    pub length: u32,
}

impl Kernel {
    /// Returns the kernel's module, whose one push constant is the address of the words.
    pub fn module(self) -> Vec<u32> {
        let mut k = KernelBuilder::new(1);
        let uint = k.uint();
        let (at, id) = (k.constant(NUMBER as u32), k.constant(self.id));
        let number = k.load(0, uint, at);
        let mut x = number;
        for step in 0..self.length {
            let (factor, term) = (k.constant(factor(self.id, step)), k.constant(self.id ^ step));
            let product = k.binary(Op::IMul, uint, x, factor);
            x = k.binary(Op::BitwiseXor, uint, product, term);
        }
        for (word, value) in [(ID, id), (SEEN, number), (CHAIN, x)] {
            let word = k.constant(word as u32);
            k.store(0, uint, word, value);
        }
        k.finish()
    }

    /// Returns the words that a dispatch on `number` must leave.
    pub fn results(self, number: u32) -> [u32; WORDS] {
        let chain = (0..self.length)
            .fold(number, |x, step| x.wrapping_mul(factor(self.id, step)) ^ self.id ^ step);
        [number, self.id, number, chain]
    }
}

/// Returns an odd number.
fn factor(id: u32, step: u32) -> u32 {
    mix(id.wrapping_add(step.wrapping_mul(0x9e37_79b9))) | 1
}

/// Returns a number with its bits spread over 32 bits.
pub fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}
