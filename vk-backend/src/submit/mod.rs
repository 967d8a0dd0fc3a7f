//! Queues: submitting recorded commands, and waiting for them.

mod clock;
mod placement;
mod queue;
mod sleep;

pub use queue::{Queue, QueueOptions, WaitStrategy};
