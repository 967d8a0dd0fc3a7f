//! Whether kernels can access memory of malloc, which Vulkan does not know, by the host's address.

use std::sync::Arc;

use crate::asm::KernelBuilder;
use crate::device::{Device, SubgroupDemand};
use crate::error::Error;
use crate::probe::run::execute_at;

/// Words that are copied: more than a page.
const WORDS: usize = 3000;
const LOCAL_SIZE: u32 = 4;

/// Returns true if a kernel copies words from one piece of the host's memory to another.
///
/// # Safety
/// If any device address equals the host's, all do: the device runs in this process.
pub(super) unsafe fn reaches(device: &Arc<Device>) -> Result<bool, Error> {
    let mut k = KernelBuilder::new(2);
    k.local_size([LOCAL_SIZE, 1, 1]);
    let word = k.uint();
    let i = k.global_id_x();
    let found = k.load(0, word, i);
    k.store(1, word, i, found);
    let spirv = k.finish();
    let from: Vec<u32> = (0..WORDS as u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    let mut to = vec![0u32; WORDS];
    let addresses = [from.as_ptr() as u64, to.as_mut_ptr() as u64];
    let groups = WORDS as u32 / LOCAL_SIZE;
    // SAFETY: as the caller promises, the words are the device's too.
    unsafe { execute_at(device, &spirv, &addresses, groups, SubgroupDemand::default()) }?;
    // The compiler does not know that the device wrote the words.
    Ok(std::hint::black_box(&to) == &from)
}
