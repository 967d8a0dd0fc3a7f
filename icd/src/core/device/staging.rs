//! Host-visible memory between the application's memory and the device's: pooled, and handed out
//! in small slices from larger pieces.

use crate::cl::error::Result;
use crate::config;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

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
    /// The most bytes in use at once (`HEKLA_STAGING_LIMIT`), for tests without enough staging memory.
    limit: Option<u64>,
    in_use: AtomicU64,
}

/// A piece in use; it returns to its pool when the last holder (often a batch of commands) drops it.
pub struct Staging {
    pub buffer: Arc<vk::Buffer>,
    pool: Arc<Pool>,
}

impl Staging {
    /// Returns true if the piece belongs to this pool.
    pub fn is_of(&self, pool: &Arc<Pool>) -> bool {
        Arc::ptr_eq(&self.pool, pool)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.pool.in_use.fetch_sub(self.buffer.size(), Ordering::AcqRel);
        let mut free = self.pool.free.lock();
        if total(&free) + self.buffer.size() <= KEEP {
            free.push(self.buffer.clone());
        }
    }
}

impl Pool {
    pub fn new(device: Arc<vk::Device>, kind: vk::MemoryKind) -> Arc<Pool> {
        let limit = config::staging_limit();
        Arc::new(Pool { device, kind, free: Mutex::default(), limit, in_use: AtomicU64::new(0) })
    }

    /// Returns the number of bytes that are kept for reuse (for tests of leaks).
    pub fn kept(&self) -> u64 {
        total(&self.free.lock())
    }

    /// Returns a piece of at least `size` bytes.
    pub fn take(self: &Arc<Self>, size: u64) -> Result<Arc<Staging>> {
        let wanted = match size {
            ..=LARGE => size.max(MIN_PIECE).next_power_of_two(),
            _ => size.next_multiple_of(MIN_PIECE),
        };
        let in_use = self.in_use.load(Ordering::Acquire);
        if self.limit.is_some_and(|limit| in_use + wanted > limit) {
            return Err(vk::Error::OutOfHostMemory.into());
        }
        let reused = {
            let mut free = self.free.lock();
            let fitting = free.iter().position(|b| b.size() >= size && b.size() <= wanted);
            fitting.map(|index| free.swap_remove(index))
        };
        let buffer = match reused {
            Some(buffer) => buffer,
            None => self.device.create_buffer(wanted, self.kind)?,
        };
        self.in_use.fetch_add(buffer.size(), Ordering::AcqRel);
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

    /// Returns `size` bytes: a piece, and an offset in it that is a multiple of 256.
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
