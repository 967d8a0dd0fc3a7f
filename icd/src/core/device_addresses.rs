//! Device addresses that the application knows (cl_ext_buffer_device_address): the buffer that such an
//! address lies in, so that launches keep it and bring its contents to their device.

use super::memory::Mem;
use crate::object::{Ref, WeakRef};
use parking_lot::Mutex;
use std::collections::BTreeMap;

struct Range {
    size: u64,
    mem: WeakRef<Mem>,
}

/// The buffers of a context that have CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, by device (its position in the
/// context) and address. Buffers in shared virtual memory are found there instead.
#[derive(Default)]
pub struct DeviceAddresses(Mutex<BTreeMap<(usize, u64), Range>>);

impl DeviceAddresses {
    /// Notes where a buffer lies on each device.
    pub fn add(&self, addresses: &[u64], mem: &Ref<Mem>) {
        let mut ranges = self.0.lock();
        for (device, address) in addresses.iter().enumerate() {
            let range = Range { size: mem.size as u64, mem: mem.downgrade() };
            ranges.insert((device, *address), range);
        }
    }

    /// Forgets a buffer that is no more.
    pub fn remove(&self, addresses: &[u64]) {
        let mut ranges = self.0.lock();
        for (device, address) in addresses.iter().enumerate() {
            ranges.remove(&(device, *address));
        }
    }

    /// The buffer that an address of a device lies in.
    pub fn find(&self, device: usize, address: u64) -> Option<Ref<Mem>> {
        let ranges = self.0.lock();
        let ((owner, base), range) = ranges.range(..=(device, address)).next_back()?;
        let inside = *owner == device && address - base < range.size;
        let found = range.mem.upgrade().filter(|_| inside);
        // If this reference turned out to be the last, dropping it would take the lock again.
        drop(ranges);
        found
    }
}
