//! Queues: submitting what was recorded, and waiting for it.

mod clock;
mod placement;
mod queue;

pub use queue::{Patience, Queue, QueueOptions};
