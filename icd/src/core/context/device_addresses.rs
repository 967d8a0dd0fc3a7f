//! Device addresses that the application knows (cl_ext_buffer_device_address). Launches use them to find the buffer that
//! contains such an address, keep the buffer alive and bring its contents to their device.

use crate::object::{ErasedWeakRef, Kind, Ref};
use parking_lot::Mutex;
use std::collections::BTreeMap;

struct Range {
    size: u64,
    /// The buffer, whose type belongs to a folder above this one.
    buffer: ErasedWeakRef,
}

/// The buffers of a context that have CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, by device (its position in the context) and address.
/// Buffers in shared virtual memory are not here: the list of its allocations has them.
#[derive(Default)]
pub struct DeviceAddresses(Mutex<BTreeMap<(usize, u64), Range>>);

impl DeviceAddresses {
    /// Adds a buffer with its address on each device.
    pub fn add<T: Kind>(&self, addresses: &[u64], size: u64, buffer: &Ref<T>) {
        let mut ranges = self.0.lock();
        for (device, address) in addresses.iter().enumerate() {
            let range = Range { size, buffer: buffer.downgrade().erase() };
            ranges.insert((device, *address), range);
        }
    }

    /// Removes a buffer that no longer exists.
    pub fn remove(&self, addresses: &[u64]) {
        let mut ranges = self.0.lock();
        for (device, address) in addresses.iter().enumerate() {
            ranges.remove(&(device, *address));
        }
    }

    /// Returns address and size of the buffers on a device.
    pub fn ranges(&self, device: usize) -> Vec<(u64, u64)> {
        let ranges = self.0.lock();
        let own = ranges.range((device, 0)..=(device, u64::MAX));
        own.map(|((_, address), range)| (*address, range.size)).collect()
    }

    /// Returns the buffer that contains an address of a device.
    pub fn find<T: Kind>(&self, device: usize, address: u64) -> Option<Ref<T>> {
        let ranges = self.0.lock();
        let ((owner, base), range) = ranges.range(..=(device, address)).next_back()?;
        let inside = *owner == device && address - base < range.size;
        let found = range.buffer.upgrade().filter(|_| inside);
        // The reference is dropped outside of the lock: if it is the last one, dropping it takes the lock again.
        drop(ranges);
        found
    }
}
