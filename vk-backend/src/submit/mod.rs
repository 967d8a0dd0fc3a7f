//! Queues: submitting what was recorded, and waiting for it.

mod clock;
mod placement;
mod queue;
mod sleep;

pub use queue::{Queue, QueueOptions, WaitStrategy};
