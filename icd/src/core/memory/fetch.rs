//! Moves of bytes from device to device, through the host. They run on threads of the library, so that no call of the
//! application waits for them.

use super::device_copy::{self, Side};
use super::residency::Memory;
use super::usage::Usage;
use crate::cl::error::{fail, ClError, Result};
use crate::cl::CL_OUT_OF_RESOURCES;
use crate::core::device::bounce::Bounces;
use crate::core::device::image_copy;
use crate::core::device::open::Gpu;
use crate::core::process::workers::Workers;
use parking_lot::{Condvar, Mutex};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A function to call when a move has ended.
type Continuation = Box<dyn FnOnce() + Send>;

/// The end of a move.
#[derive(Default)]
pub struct Arrival {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    result: Option<Result<()>>,
    continuations: Vec<Continuation>,
}

impl Arrival {
    /// Returns the result of the move; `None` while it has not ended.
    pub fn result(&self) -> Option<Result<()>> {
        self.state.lock().result
    }

    /// Waits for the end of the move.
    pub fn wait(&self) -> Result<()> {
        let mut state = self.state.lock();
        loop {
            match state.result {
                Some(result) => return result,
                None => self.changed.wait(&mut state),
            }
        }
    }

    /// Registers `f` for the end of the move: the thread that makes the move calls it without a lock. Returns false, and never
    /// calls `f`, if the move has ended already.
    pub fn then(&self, f: impl FnOnce() + Send + 'static) -> bool {
        let mut state = self.state.lock();
        let pending = state.result.is_none();
        if pending {
            state.continuations.push(Box::new(f));
        }
        pending
    }

    fn end(&self, result: Result<()>) {
        let mut state = self.state.lock();
        if state.result.is_some() {
            return;
        }
        state.result = Some(result);
        let continuations = std::mem::take(&mut state.continuations);
        drop(state);
        self.changed.notify_all();
        continuations.into_iter().for_each(|f| f());
    }
}

/// The memory of a buffer or an image on a device.
#[derive(Clone)]
pub struct DeviceMemory {
    /// The device's position in the context.
    pub device: usize,
    pub gpu: Arc<Gpu>,
    pub memory: Memory,
}

/// The move of a range of a buffer, or of an image.
pub struct Move {
    pub from: DeviceMemory,
    pub to: DeviceMemory,
    pub bounces: Arc<Bounces>,
    pub range: Range<usize>,
    /// The uses of the source that write the bytes.
    pub writers: Vec<Arc<Usage>>,
    /// The uses of the old bytes at the destination.
    pub users: Vec<Arc<Usage>>,
}

impl Move {
    /// Waits until the bytes are written, and until nothing uses the old bytes at the destination any more.
    fn wait(&self) -> Result<()> {
        // Usually the bytes are visible once the writers are complete: to commands of the device, and to the host in its own
        // memory. Only a host that reads across the bus needs more, which takes a command behind all commands that the writers'
        // queues have.
        let by_host = match &self.from.memory {
            Memory::Buffer(from) => self.from.gpu.reads_over_bus(from, self.range.len()),
            Memory::Image(_) => false,
        };
        self.writers.iter().try_for_each(|usage| usage.wait(by_host))?;
        self.users.iter().try_for_each(|usage| usage.wait(false))
    }

    fn copy(&self) -> Result<()> {
        let (source, target) = (&self.from.gpu, &self.to.gpu);
        match (&self.from.memory, &self.to.memory) {
            (Memory::Buffer(from), Memory::Buffer(to)) => {
                let from = Side { device: self.from.device, gpu: source, buffer: from };
                let to = Side { device: self.to.device, gpu: target, buffer: to };
                device_copy::copy(&self.bounces, [from, to], self.range.clone())?;
            }
            (Memory::Image(from), Memory::Image(to)) => {
                for part in image_copy::parts_of_image(from) {
                    let mut texels = vec![0; image_copy::size_of(from, part) as usize];
                    source.read_image(from, part, &mut texels)?;
                    target.write_image(to, part, &texels)?;
                }
            }
            _ => return fail(CL_OUT_OF_RESOURCES),
        }
        Ok(())
    }
}

/// The moves that a command needs.
#[derive(Default)]
pub struct Fetch {
    pub moves: Vec<Move>,
    /// The moves' uses of their sources.
    pub reading: Vec<Arc<Usage>>,
    pub arrival: Arc<Arrival>,
}

impl Fetch {
    fn run(self) {
        let start = Instant::now();
        let waited = self.moves.iter().try_for_each(Move::wait);
        let begin = Instant::now();
        let moved = waited.and_then(|()| self.moves.iter().try_for_each(Move::copy));
        self.log(begin - start, begin.elapsed());
        self.end(moved);
    }

    /// Logs how long the moves took: the wait for commands, and the copies.
    fn log(&self, waited: Duration, copied: Duration) {
        for Move { from, to, range, .. } in &self.moves {
            tracing::debug!(
                "moved {range:?} of a buffer or image from device {} to {}; {} moves took {:.3} ms, after {:.3} ms",
                from.device,
                to.device,
                self.moves.len(),
                copied.as_secs_f64() * 1e3,
                waited.as_secs_f64() * 1e3
            );
        }
    }

    /// Moves the bytes in the background. If no thread can be started, the move fails.
    ///
    /// A move may wait for commands that in turn wait for other moves, so each move has a thread of its own.
    pub fn start(self) {
        static MOVERS: Workers = Workers::new("hekla-move");
        if let Err(error) = MOVERS.run(move || self.run()) {
            tracing::error!("no thread to move bytes: {error}");
        }
    }

    fn end(&self, result: Result<()>) {
        self.reading.iter().for_each(|usage| usage.ends_at(0));
        self.arrival.end(result);
    }
}

impl Drop for Fetch {
    fn drop(&mut self) {
        self.end(Err(ClError(CL_OUT_OF_RESOURCES)));
    }
}
