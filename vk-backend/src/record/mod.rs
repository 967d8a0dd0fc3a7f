//! Recording commands into command buffers.

mod batch;
mod compile;
mod contents;
mod copy_kernel;
mod images;
mod recorder;
mod recording;
mod timestamps;

pub(crate) use batch::{Batch, Released, Start, Wait, MAX_COMMANDS};
pub use copy_kernel::CopyKernel;
pub use images::{can_copy, ImageBox, TexelPlace};
pub use recorder::{CopyRegion, Recorder};
pub use recording::Recording;
pub use timestamps::{CommandTimes, Timestamps};
