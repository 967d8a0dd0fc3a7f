//! Host-visible memory between the application's memory and the device's: pooled, and handed out
//! in small slices from larger pieces.

use crate::cl::error::Result;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// Smallest piece that is allocated, in bytes.
const MIN_PIECE: u64 = 64 << 10;
/// Pieces up to this size are powers of two, so that they are reused for other sizes.
const LARGE: u64 = 64 << 20;
/// Size of the pieces that small requests are cut from.
const ARENA_PIECE: u64 = 1 << 20;
/// Bytes that a pool keeps for reuse.
const KEEP: u64 = 256 << 20;

/// Pieces of one kind of host-visible memory of one device, ready for reuse.
pub struct Pool {
    device: Arc<vk::Device>,
    kind: vk::MemoryKind,
    free: Mutex<Vec<Arc<vk::Buffer>>>,
    /// Pieces that the application sees, by address: what it transfers from or to there needs no copy
    /// by the host.
    shown: Mutex<BTreeMap<usize, Weak<Staging>>>,
    shown_count: AtomicUsize,
}

/// A piece in use; it returns to its pool when the last holder (often a batch of commands) drops it.
pub struct Staging {
    pub buffer: Arc<vk::Buffer>,
    pool: Arc<Pool>,
}

impl Staging {
    fn address(&self) -> Option<usize> {
        self.buffer.mapped().map(|base| base.as_ptr() as usize)
    }

    /// Notes that the application sees this piece (in a mapping), see [`Pool::find`].
    pub fn show(self: &Arc<Self>) {
        // Other memory would have to be flushed and invalidated around each command.
        if let Some(address) = self.address().filter(|_| self.buffer.is_coherent()) {
            let mut shown = self.pool.shown.lock();
            shown.insert(address, Arc::downgrade(self));
            self.pool.shown_count.store(shown.len(), Ordering::Release);
        }
    }

    /// The opposite.
    pub fn hide(&self) {
        if self.pool.shown_count.load(Ordering::Acquire) == 0 {
            return;
        }
        if let Some(address) = self.address() {
            let mut shown = self.pool.shown.lock();
            shown.remove(&address);
            self.pool.shown_count.store(shown.len(), Ordering::Release);
        }
    }

    /// Returns true if it came from this pool.
    pub fn is_of(&self, pool: &Arc<Pool>) -> bool {
        Arc::ptr_eq(&self.pool, pool)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.hide();
        let mut free = self.pool.free.lock();
        if total(&free) + self.buffer.size() <= KEEP {
            free.push(self.buffer.clone());
        }
    }
}

impl Pool {
    pub fn new(device: Arc<vk::Device>, kind: vk::MemoryKind) -> Arc<Pool> {
        Arc::new(Pool {
            device,
            kind,
            free: Mutex::default(),
            shown: Mutex::default(),
            shown_count: AtomicUsize::new(0),
        })
    }

    /// Returns bytes that are kept for reuse (for tests of what is left behind).
    pub fn kept(&self) -> u64 {
        total(&self.free.lock())
    }

    /// Returns the piece that the application sees at `address`, if all `size` bytes lie in it, and where.
    pub fn find(&self, address: usize, size: usize) -> Option<(Arc<Staging>, u64)> {
        if self.shown_count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let shown = self.shown.lock();
        let (base, piece) = shown.range(..=address).next_back()?;
        let (offset, piece) = ((address - base) as u64, piece.upgrade()?);
        let fits = offset.checked_add(size as u64).is_some_and(|end| end <= piece.buffer.size());
        // Dropping the piece takes the lock.
        drop(shown);
        fits.then_some((piece, offset))
    }

    /// Returns a piece of at least `size` bytes.
    pub fn take(self: &Arc<Self>, size: u64) -> Result<Arc<Staging>> {
        let wanted = match size {
            ..=LARGE => size.max(MIN_PIECE).next_power_of_two(),
            _ => size.next_multiple_of(MIN_PIECE),
        };
        let reused = {
            let mut free = self.free.lock();
            let fitting = free.iter().position(|b| b.size() >= size && b.size() <= wanted);
            fitting.map(|index| free.swap_remove(index))
        };
        let buffer = match reused {
            Some(buffer) => buffer,
            None => self.device.create_buffer(wanted, self.kind)?,
        };
        Ok(Arc::new(Staging { buffer, pool: self.clone() }))
    }
}

fn total(buffers: &[Arc<vk::Buffer>]) -> u64 {
    buffers.iter().map(|buffer| buffer.size()).sum()
}

/// Cuts small requests from pieces of a pool, one after the other. A piece lives as long as the
/// batches that use it.
pub struct Arena {
    pool: Arc<Pool>,
    piece: Option<Arc<Staging>>,
    used: u64,
}

impl Arena {
    pub fn new(pool: Arc<Pool>) -> Arena {
        Arena { pool, piece: None, used: 0 }
    }

    /// `size` bytes at an offset that is a multiple of 256.
    pub fn take(&mut self, size: u64) -> Result<(Arc<Staging>, u64)> {
        if size > ARENA_PIECE / 4 {
            return Ok((self.pool.take(size)?, 0));
        }
        let start = self.used.next_multiple_of(256);
        if let Some(piece) = &self.piece {
            if start + size <= piece.buffer.size() {
                self.used = start + size;
                return Ok((piece.clone(), start));
            }
        }
        let piece = self.pool.take(ARENA_PIECE)?;
        self.piece = Some(piece.clone());
        self.used = size;
        Ok((piece, 0))
    }
}
