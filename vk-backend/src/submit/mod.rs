//! Queues: submitting what was recorded, and waiting for it.

mod clock;
mod queue;

pub use queue::{Patience, Queue, QueueOptions};
