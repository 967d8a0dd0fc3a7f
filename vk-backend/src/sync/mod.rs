//! Synchronization: barriers, semaphores, and markers by which batches report to the host that they are complete.

mod barrier;
mod completion_marker;
mod semaphore;
mod timeline;

pub(crate) use barrier::{barrier, Commands, Scope};
pub(crate) use completion_marker::CompletionMarker;
pub use semaphore::Semaphore;
pub(crate) use timeline::{poll_until, Timeline, POLL};
