//! `printf` of kernels: each launch that may print gets a buffer of its own, which the host turns
//! into text once the device has completed the launch.

pub mod number;
pub mod output;
pub mod record;

use crate::cl::error::Result;
use crate::core::check::{self, Table};
use crate::core::device::capabilities::PRINTF_BUFFER_SIZE;
use crate::core::device::open::Gpu;
use hekla_compiler::checks;
use hekla_compiler::printf::{HEADER_BYTES, TRAILER_BYTES};
use hekla_vk_backend as vk;
use output::{Outbox, Sink};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// The range to which CL_PRINTF_BUFFERSIZE_ARM is clamped, in bytes.
const SIZES: std::ops::RangeInclusive<usize> = 1024..=256 << 20;
/// The most launches of one queue whose output is not collected yet; another launch waits for the first of them.
pub const MAX_PENDING: usize = 16;

/// The printf buffers of one context, and the receiver of the text.
pub struct Printer {
    /// The receiver of the text.
    sink: Sink,
    /// Bytes of a buffer that are for records, a multiple of 4.
    capacity: u32,
    /// True if buffers have a check area.
    has_checks: bool,
    /// Memory that launches with a check area were given, by device and address. Later launches may reach it, too, since
    /// kernels may have kept pointers to it.
    given: Vec<Mutex<BTreeMap<u64, Weak<vk::Buffer>>>>,
    /// Buffers that no launch uses, for each device of the context.
    free: Vec<Mutex<Vec<Arc<vk::Buffer>>>>,
}

impl Printer {
    /// Returns the printer of a context of `devices` devices. `size` is the value of CL_PRINTF_BUFFERSIZE_ARM.
    pub fn new(devices: usize, sink: Sink, size: Option<usize>) -> Arc<Printer> {
        let size = size.unwrap_or(PRINTF_BUFFER_SIZE).clamp(*SIZES.start(), *SIZES.end());
        let has_checks = !check::wanted().is_empty();
        if has_checks {
            check::begin();
        }
        Arc::new(Printer {
            sink,
            has_checks,
            given: (0..devices).map(|_| Mutex::default()).collect(),
            capacity: size.next_multiple_of(4) as u32,
            free: (0..devices).map(|_| Mutex::default()).collect(),
        })
    }

    /// Returns an outbox for the text of one queue.
    pub fn outbox(&self) -> Arc<Outbox> {
        Outbox::new(self.sink)
    }

    /// Returns a buffer for one launch on device number `device` of the context.
    pub fn buffer(&self, gpu: &Gpu, device: usize) -> Result<Arc<vk::Buffer>> {
        let free = self.free.get(device).and_then(|free| free.lock().pop());
        if let Some(buffer) = free {
            return Ok(buffer);
        }
        let size = match self.has_checks {
            true => self.area() + checks::area_bytes(check::wanted()) as u64,
            false => u64::from(HEADER_BYTES + self.capacity + TRAILER_BYTES).next_multiple_of(16),
        };
        Ok(gpu.device.create_buffer(size, vk::MemoryKind::Device)?)
    }

    /// Returns the number of bytes of a buffer that are for records.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Returns true if kernels look for their own mistakes.
    pub fn has_checks(&self) -> bool {
        self.has_checks
    }

    /// Notes memory that a launch on a device is given. Returns address and size of all memory that launches were given so far
    /// and that still exists.
    pub fn give(&self, device: usize, buffers: &[Arc<vk::Buffer>]) -> Vec<(u64, u64)> {
        let Some(given) = self.given.get(device) else { return Vec::new() };
        let mut given = given.lock();
        given.extend(buffers.iter().map(|buffer| (buffer.address(), Arc::downgrade(buffer))));
        given.retain(|_, buffer| buffer.strong_count() > 0);
        drop(given);
        self.given(device).iter().map(|buffer| (buffer.address(), buffer.size())).collect()
    }

    /// Returns the memory that launches on a device were given so far and that still exists.
    pub fn given(&self, device: usize) -> Vec<Arc<vk::Buffer>> {
        let given = self.given.get(device).map(|given| given.lock());
        given.iter().flat_map(|given| given.values()).filter_map(Weak::upgrade).collect()
    }

    /// Returns the byte offset of a buffer's check area.
    fn area(&self) -> u64 {
        checks::area_offset(self.capacity).into()
    }

    /// Takes back a buffer whose output is collected.
    pub fn free(&self, device: usize, buffer: Arc<vk::Buffer>) {
        if let Some(free) = self.free.get(device) {
            let mut free = free.lock();
            if free.len() < MAX_PENDING {
                free.push(buffer);
            }
        }
    }

    /// Records the commands that prepare a buffer for a launch. `table`: the extents of memory, for a buffer with a check area.
    pub fn clear(
        &self,
        recorder: &mut vk::Recorder,
        buffer: &Arc<vk::Buffer>,
        table: Option<&Table>,
    ) {
        let header = [0, self.capacity / 4].map(u32::to_le_bytes);
        recorder.update(buffer, 0, &header.concat());
        if let Some(table) = table {
            table.write(recorder, buffer, self.area());
        }
        recorder.barrier();
    }
}
