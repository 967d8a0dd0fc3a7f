//! Measures how far independent kernels run at once, and the cost of a dependence on a kernel of another queue. Each
//! kernel has one small work-group, so that a GPU has room for all of them.

use super::cl::{Buffer, Kernel, Order, Queue, Result, Session};
use super::command_buffer::Recording;
use super::measure::{expect, median_of_singles};

/// The number of kernels that are given to the device together.
const KERNELS: usize = 8;
/// Work-items of each kernel, in one group.
const ITEMS: usize = 64;
/// Rounds of a kernel's loop: about a millisecond, within the bounds of every driver for a loop.
const ROUNDS: u32 = 60_000;
const STEPS_PER_ROUND: u32 = 8;
const FACTOR: u32 = 1_664_525;
const INCREMENT: u32 = 1_013_904_223;

const SOURCE: &str = "
kernel void spin(global uint *out, uint rounds)
{
    uint x = get_global_id(0);
    for (uint i = 0; i < rounds; i++) { STEP STEP STEP STEP STEP STEP STEP STEP }
    out[get_global_id(0)] = x;
}
kernel void increment(global uint *a) { a[get_global_id(0)]++; }";

fn build(s: &Session, kernel: &str) -> Result<Kernel> {
    let step = format!("#define STEP x = x * {FACTOR}u + {INCREMENT}u;\n");
    s.build(&format!("{step}{SOURCE}"), kernel, "")
}

/// The kernels' buffers, and one kernel object for all of them.
struct Spins {
    kernel: Kernel,
    outs: Vec<Buffer>,
}

impl Spins {
    fn new(s: &Session) -> Result<Spins> {
        let kernel = build(s, "spin")?;
        kernel.set(1, ROUNDS)?;
        let outs = (0..KERNELS).map(|_| s.buffer_of(&[0u32; ITEMS])).collect::<Result<_>>()?;
        Ok(Spins { kernel, outs })
    }

    /// Returns the kernel that writes to buffer `index`.
    fn kernel(&self, index: usize) -> Result<&Kernel> {
        self.kernel.set_buffer(0, &self.outs[index])?;
        Ok(&self.kernel)
    }

    /// Returns the time of all kernels, which `run` launches, as a multiple of the time of one.
    fn ratio(&self, s: &Session, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
        let one = median_of_singles(|| {
            s.launch(self.kernel(0)?, &[ITEMS], &[ITEMS])?;
            s.finish()
        })?;
        // The buffers are cleared, so that results of the former measurement cannot pass for new ones.
        for out in &self.outs {
            s.write(out, &[0u32; ITEMS])?;
        }
        let all = median_of_singles(&mut run)?;
        for out in &self.outs {
            let mut words = [0u32; ITEMS];
            s.read(out, 0, &mut words)?;
            let last = (0..ROUNDS * STEPS_PER_ROUND)
                .fold(ITEMS as u32 - 1, |x, _| x.wrapping_mul(FACTOR).wrapping_add(INCREMENT));
            expect(words[ITEMS - 1] == last, "kernels at once")?;
        }
        Ok(all / one)
    }
}

/// Returns the ratio for one out-of-order queue.
pub fn out_of_order(s: &Session) -> Result<f64> {
    let (spins, queue) = (Spins::new(s)?, s.queue(Order::Any)?);
    spins.ratio(s, || {
        (0..KERNELS).try_for_each(|i| queue.launch(spins.kernel(i)?, (ITEMS, ITEMS)))?;
        queue.finish()
    })
}

/// Returns the ratio for kernels in an in-order queue each.
pub fn in_queues(s: &Session) -> Result<f64> {
    let spins = Spins::new(s)?;
    let queues = (0..KERNELS).map(|_| s.queue(Order::Given)).collect::<Result<Vec<_>>>()?;
    spins.ratio(s, || {
        for (index, queue) in queues.iter().enumerate() {
            queue.launch(spins.kernel(index)?, (ITEMS, ITEMS))?;
            queue.flush()?;
        }
        queues.iter().try_for_each(Queue::finish)
    })
}

/// Returns the ratio for a command buffer without sync points.
pub fn in_command_buffer(s: &Session) -> Result<f64> {
    let (spins, queue) = (Spins::new(s)?, s.queue(Order::Any)?);
    let recording = Recording::begin(s, queue.handle())?;
    (0..KERNELS).try_for_each(|i| recording.launch(spins.kernel(i)?, (ITEMS, ITEMS)))?;
    let recorded = recording.finalize(s)?;
    spins.ratio(s, || {
        recorded.replay()?;
        queue.finish()
    })
}

/// The number of launches of a chain that goes to and fro between two queues.
const CHAIN: usize = 100;

/// Returns microseconds of a launch that waits, by an event, for a launch in another queue.
pub fn behind_another_queue(s: &Session, order: Order) -> Result<f64> {
    let kernel = build(s, "increment")?;
    let buffer = s.buffer_of(&[0u32; ITEMS])?;
    kernel.set_buffers(&[&buffer])?;
    let queues = [s.queue(order)?, s.queue(order)?];
    let mut total = 0;
    let seconds = median_of_singles(|| {
        let mut last = None;
        for turn in 0..CHAIN {
            let queue = &queues[turn % 2];
            last = Some(queue.launch_behind(&kernel, (ITEMS, ITEMS), last.as_ref())?);
            queue.flush()?;
        }
        total += CHAIN as u32;
        queues.iter().try_for_each(Queue::finish)
    })?;
    let mut out = [0u32; ITEMS];
    s.read(&buffer, 0, &mut out)?;
    expect(out == [total; ITEMS], "launches behind another queue's")?;
    Ok(seconds / CHAIN as f64 * 1e6)
}
