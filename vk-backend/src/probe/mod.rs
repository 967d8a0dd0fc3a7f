//! What a device really does, found out by running small kernels.

mod arithmetic;
mod defects;
mod floats;

use std::sync::Arc;

use crate::device::{Device, MemoryKind, PipelineDesc};
use crate::error::Error;

pub use arithmetic::Probe;
pub use defects::Defect;
pub use floats::{Behaviour, FloatOp, FloatTable, FloatWidth};

impl Device {
    /// Finds out what the device's arithmetic really does. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn probe(self: &Arc<Self>) -> Result<Probe, Error> {
        arithmetic::run(self)
    }

    /// Returns the first defect that the device has of those that make kernels give wrong results without
    /// any error. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn find_defect(self: &Arc<Self>) -> Result<Option<Defect>, Error> {
        defects::find(self)
    }
}

/// Runs one work-group of a kernel on an array of words, and gives what is there then.
pub(crate) fn one_group(
    device: &Arc<Device>,
    spirv: &[u32],
    words: &[u32],
) -> Result<Vec<u32>, Error> {
    let pipeline = device.create_pipeline(&PipelineDesc {
        spirv,
        entry: "main",
        specialization: &[],
        push_constant_size: 8,
    })?;
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let buffer = device.create_buffer(bytes.len() as u64, MemoryKind::Readback)?;
    buffer.write(0, &bytes)?;
    let queue = device.create_queue(false)?;
    let ((), value) = queue.record(|r| {
        r.retain(buffer.clone());
        r.dispatch(&pipeline, &buffer.address().to_le_bytes(), [1, 1, 1]);
    });
    queue.wait(value)?;
    buffer.read(0, &mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}
