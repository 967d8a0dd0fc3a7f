//! Copies of bytes from a buffer of one device to a buffer of another device, by way of the host. They are made in pieces:
//! while one device writes a piece to the host's memory, the other reads the piece before it.

use crate::cl::error::Result;
use crate::core::device::bounce::{Bounces, BOUNCE};
use crate::core::device::open::{chunk_size, Access, Gpu, CHUNK};
use crate::core::device::staging::Staging;
use hekla_vk_backend as vk;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// The most bytes that the host itself copies, through memory of its own.
const MOST_BY_HOST: usize = 64 << 10;
/// The number of pieces of one copy that are in flight at once.
const SLOTS: usize = BOUNCE / CHUNK;

/// A buffer on a device; `device` is the device's position in the context.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub device: usize,
    pub gpu: &'a Gpu,
    pub buffer: &'a Arc<vk::Buffer>,
}

impl Side<'_> {
    /// Returns the address at which the host sees a range like its own memory, without flushes.
    fn view(&self, range: &Range<usize>) -> Option<*mut u8> {
        let start = self.gpu.host_view(self.buffer).filter(|_| self.buffer.is_coherent())?;
        let inside = range.end as u64 <= self.buffer.size().next_multiple_of(16);
        // SAFETY: the range lies in the buffer, which is mapped as a whole.
        inside.then(|| unsafe { start.as_ptr().add(range.start) })
    }

    /// Returns true if the host itself should access `size` bytes of the buffer in place.
    fn is_seen(&self, size: usize, access: Access) -> bool {
        self.gpu.host_moves(self.buffer, size, access)
    }
}

/// Copies a range from one device to the same range on another, and waits for the end. Meanwhile no command may use the range
/// on `to`, or write it on `from`.
pub fn copy(bounces: &Bounces, [from, to]: [Side<'_>; 2], range: Range<usize>) -> Result<()> {
    let size = range.len();
    if let Some(bytes) = from.view(&range) {
        // SAFETY: the bytes are mapped while the buffer lives, and no command writes them.
        return unsafe { to.gpu.write_now_from(to.buffer, range.start as u64, bytes, size) };
    }
    if let Some(bytes) = to.view(&range) {
        // SAFETY: the bytes are mapped while the buffer lives, and nobody else uses them.
        let bytes = unsafe { std::slice::from_raw_parts_mut(bytes, size) };
        return from.gpu.read_now(from.buffer, range.start as u64, bytes);
    }
    let in_place = from.is_seen(size, Access::Read) || to.is_seen(size, Access::Write);
    if in_place || size <= MOST_BY_HOST {
        return copy_by_host([from, to], range);
    }
    let bounced = bounces.with([from.device, to.device], |halves| {
        let slots = (0..SLOTS).map(|index| Slot::of_bounce(halves, (index * CHUNK) as u64));
        pass([from, to], range.clone(), slots.collect())
    });
    bounced.unwrap_or_else(|| {
        let piece = chunk_size(size);
        let count = SLOTS.min(size.div_ceil(piece));
        let slots = (0..count).map(|_| Slot::of_staging([from.gpu, to.gpu], piece as u64));
        pass([from, to], range, slots.collect::<Result<_>>()?)
    })
}

/// Copies a range by way of the host's own memory.
fn copy_by_host([from, to]: [Side<'_>; 2], range: Range<usize>) -> Result<()> {
    let mut bytes = vec![0; BOUNCE.min(range.len())];
    for start in range.clone().step_by(BOUNCE) {
        let part = &mut bytes[..BOUNCE.min(range.end - start)];
        from.gpu.read_now(from.buffer, start as u64, part)?;
        to.gpu.write_now(to.buffer, start as u64, part)?;
    }
    Ok(())
}

/// Memory of the host for a piece: a place in a buffer of each device. Either both places are the same memory, or the host
/// copies from the first to the second.
struct Slot {
    places: [(Arc<vk::Buffer>, u64); 2],
    staging: Option<[Arc<Staging>; 2]>,
    /// The timeline value of the second device's queue at which it has read the piece.
    free_at: u64,
}

impl Slot {
    fn of_bounce([from, to]: [&Arc<vk::Buffer>; 2], offset: u64) -> Slot {
        let places = [(from.clone(), offset), (to.clone(), offset)];
        Slot { places, staging: None, free_at: 0 }
    }

    fn of_staging([from, to]: [&Gpu; 2], size: u64) -> Result<Slot> {
        let staging = [from.readback.take(size)?, to.upload.take(size)?];
        let places = [(staging[0].buffer.clone(), 0), (staging[1].buffer.clone(), 0)];
        Ok(Slot { places, staging: Some(staging), free_at: 0 })
    }

    /// Lets the first device copy a piece of its buffer to the slot. Returns the timeline value of its queue at which the copy
    /// is made.
    fn fill(&self, queue: &vk::Queue, from: Side<'_>, piece: &Range<usize>) -> Result<u64> {
        let (buffer, offset) = &self.places[0];
        let ((), value) = queue.record(|recorder| {
            recorder.copy(from.buffer, piece.start as u64, buffer, *offset, piece.len() as u64);
            self.staging.iter().flatten().for_each(|staging| recorder.retain(staging.clone()));
        });
        queue.flush()?;
        Ok(value)
    }

    /// Lets the second device copy the piece in the slot to its buffer.
    fn drain(&mut self, queue: &vk::Queue, to: Side<'_>, piece: &Range<usize>) -> Result<()> {
        let [(filled, start), (buffer, offset)] = &self.places;
        let size = piece.len();
        if let (Some(_), Some(bytes)) = (&self.staging, filled.mapped()) {
            filled.invalidate(*start, size as u64)?;
            // SAFETY: the piece was copied there, in memory that is this slot's alone; no command uses the other.
            unsafe { buffer.write_from(*offset, bytes.as_ptr().add(*start as usize), size) }?;
        }
        let ((), value) = queue.record(|recorder| {
            recorder.copy(buffer, *offset, to.buffer, piece.start as u64, size as u64);
            self.staging.iter().flatten().for_each(|staging| recorder.retain(staging.clone()));
        });
        queue.flush()?;
        self.free_at = value;
        Ok(())
    }
}

/// Passes a range from one device to the other through slots.
fn pass([from, to]: [Side<'_>; 2], range: Range<usize>, mut slots: Vec<Slot>) -> Result<()> {
    from.gpu.with_copies(vk::CopyLane::Out, |out| {
        to.gpu.with_copies(vk::CopyLane::In, |into| {
            let step = chunk_size(range.len());
            let mut filling = VecDeque::new();
            let drain = |slots: &mut [Slot], (index, value, piece): (usize, u64, Range<_>)| {
                out.wait(value)?;
                slots[index].drain(into, to, &piece)
            };
            for (number, start) in range.clone().step_by(step).enumerate() {
                let (index, piece) = (number % slots.len(), start..range.end.min(start + step));
                into.wait(slots[index].free_at)?;
                filling.push_back((index, slots[index].fill(out, from, &piece)?, piece));
                // The second device is reading the other half of the slots.
                if filling.len() > slots.len() / 2 {
                    filling.pop_front().map_or(Ok(()), |oldest| drain(&mut slots, oldest))?;
                }
            }
            filling.into_iter().try_for_each(|oldest| drain(&mut slots, oldest))?;
            Ok(into.wait(into.issued())?)
        })
    })
}
