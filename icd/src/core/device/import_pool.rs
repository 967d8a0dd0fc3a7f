//! Large pieces of the host's memory that a device imports. They serve small allocations that the device would place at
//! addresses that the host uses for something else.
//!
//! A device with addresses of its own (NVIDIA) gives the lowest addresses that fit. A program that is linked to fixed addresses
//! has its heap there. A piece that is larger than the gaps between the device's other memory lies beyond the heap.

use super::pages::{HostMemory, PAGE};
use crate::cl::error::{fail, ClError, Result};
use crate::cl::*;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// The size in bytes of the first piece that is tried, and of the largest piece unless an allocation needs a larger one.
const SMALLEST: usize = 4 << 20;
const LARGEST: usize = 256 << 20;
/// The number of pieces that are tried, each twice as large as the one before. All pieces are held until one is found that can
/// be used, so that no address is tried twice.
const TRIES: usize = 8;

/// Memory of the host that is also mapped at the device's address.
pub struct Import {
    pub address: usize,
    pub buffer: Arc<vk::Buffer>,
}

impl Import {
    /// Imports `size` bytes. The inner `Err` holds memory that the device imported to an address that the host uses.
    ///
    /// # Errors
    /// CL_OUT_OF_HOST_MEMORY; CL_OUT_OF_RESOURCES where the device does not import.
    pub fn new(
        device: &Arc<vk::Device>,
        size: usize,
    ) -> Result<std::result::Result<Import, Arc<vk::Buffer>>> {
        let memory = HostMemory::new(size, alignment(device), true);
        let memory = Arc::new(memory.ok_or(ClError(CL_OUT_OF_HOST_MEMORY))?);
        let buffer = import(device, &memory, size)?;
        let address = buffer.address() as usize;
        Ok(match memory.also_at(address) {
            true => Ok(Import { address, buffer }),
            false => Err(buffer),
        })
    }
}

/// Imports the first `size` bytes of `memory`, which the buffer keeps alive.
pub fn import(
    device: &Arc<vk::Device>,
    memory: &Arc<HostMemory>,
    size: usize,
) -> Result<Arc<vk::Buffer>> {
    let start = memory.address() as *mut u8;
    // SAFETY: the pages are as aligned and as large as the device wants them, and the buffer keeps them.
    let imported = unsafe { device.import_host_of(start, size as u64, memory.clone()) };
    imported.map_err(|error| {
        tracing::debug!("import of {size} bytes of the host's memory: {error}");
        ClError(CL_OUT_OF_RESOURCES)
    })
}

/// Returns the alignment in bytes of addresses and sizes of memory that a device imports.
pub fn alignment(device: &vk::Device) -> usize {
    PAGE.max(device.info().limits.min_imported_host_pointer_alignment as usize)
}

/// The pieces of a device that are at least partly in use.
#[derive(Default)]
pub struct ImportPool {
    pieces: Mutex<Vec<Weak<Piece>>>,
}

struct Piece {
    whole: Import,
    free: Mutex<Ranges>,
}

/// A part of a piece in use.
struct Part {
    piece: Arc<Piece>,
    start: usize,
    size: usize,
}

impl Drop for Part {
    fn drop(&mut self) {
        self.piece.free.lock().give(self.start, self.size);
    }
}

impl ImportPool {
    /// Returns `size` bytes, aligned to whole pages or to the device's import alignment.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if the host uses the addresses of all pieces that were tried; errors of allocation.
    pub fn take(&self, device: &Arc<vk::Device>, size: usize) -> Result<Import> {
        let Some(whole) = size.checked_next_multiple_of(alignment(device)) else {
            return fail(CL_OUT_OF_RESOURCES);
        };
        let mut pieces = self.pieces.lock();
        pieces.retain(|piece| piece.strong_count() > 0);
        let part = pieces.iter().filter_map(Weak::upgrade).find_map(|piece| piece.part(whole));
        let part = match part {
            Some(part) => part,
            None => {
                let piece = Arc::new(Piece::new(device, whole)?);
                pieces.push(Arc::downgrade(&piece));
                piece.part(whole).ok_or(ClError(CL_OUT_OF_RESOURCES))?
            }
        };
        drop(pieces);
        let Import { address, buffer } = &part.piece.whole;
        let (address, buffer, start) = (address + part.start, buffer.clone(), part.start as u64);
        let buffer = buffer.part(start, size as u64, Arc::new(part))?;
        Ok(Import { address, buffer })
    }
}

impl Piece {
    /// Imports a piece of at least `size` bytes.
    fn new(device: &Arc<vk::Device>, size: usize) -> Result<Piece> {
        let mut taken = Vec::new();
        for attempt in 0..TRIES {
            let size = size.max(LARGEST.min(SMALLEST << attempt));
            match Import::new(device, size)? {
                Ok(whole) => {
                    tracing::debug!("{size} bytes of the host's memory at {:#x}", whole.address);
                    return Ok(Piece { whole, free: Mutex::new(Ranges::of(size)) });
                }
                Err(buffer) => taken.push(buffer),
            }
        }
        tracing::debug!("the host uses the addresses of {} imports", taken.len());
        fail(CL_OUT_OF_RESOURCES)
    }

    fn part(self: &Arc<Self>, size: usize) -> Option<Part> {
        let start = self.free.lock().take(size)?;
        Some(Part { piece: self.clone(), start, size })
    }
}

/// Ranges of numbers: the size of each range by its start. No two ranges touch.
struct Ranges(BTreeMap<usize, usize>);

impl Ranges {
    /// Returns the range from 0 to `size`.
    fn of(size: usize) -> Ranges {
        Ranges(BTreeMap::from([(0, size)]))
    }

    /// Takes a range of `size` numbers, which must not be 0, and returns its start.
    fn take(&mut self, size: usize) -> Option<usize> {
        let (&start, &free) = self.0.iter().find(|(_, free)| **free >= size)?;
        self.0.remove(&start);
        if free > size {
            self.0.insert(start + size, free - size);
        }
        Some(start)
    }

    /// Gives back a range that was taken.
    fn give(&mut self, mut start: usize, mut size: usize) {
        if let Some(after) = self.0.remove(&(start + size)) {
            size += after;
        }
        if let Some((&before, &free)) = self.0.range(..start).next_back() {
            if before + free == start {
                (start, size) = (before, free + size);
            }
        }
        self.0.insert(start, size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_together_again() {
        let mut ranges = Ranges::of(10);
        assert_eq!([4, 3, 3].map(|size| ranges.take(size)), [Some(0), Some(4), Some(7)]);
        assert_eq!(ranges.take(1), None);
        ranges.give(0, 4);
        ranges.give(7, 3);
        assert_eq!(ranges.take(5), None, "no range is so large");
        ranges.give(4, 3);
        assert_eq!(ranges.0, BTreeMap::from([(0, 10)]));
        assert_eq!(ranges.take(10), Some(0));
    }
}
