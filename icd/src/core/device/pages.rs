//! Pages of the process at addresses that devices know, too: reserved addresses, and memory that devices import.

use crate::platform::{self, Contents, MemoryFile};
use parking_lot::Mutex;

/// The size of a page in bytes. All memory here consists of whole pages.
pub const PAGE: usize = 4096;

/// The number of attempts to map memory at an address that the system chose.
const TRIES: usize = 8;

/// A range of pages in the process's address space that nothing else uses.
pub struct Pages {
    address: usize,
    size: usize,
}

impl Pages {
    /// Maps at least `size` bytes, which must not be 0, of ordinary memory, which is zero at first. `None` if the system has no
    /// room.
    pub fn new(size: usize) -> Option<Pages> {
        Pages::map(None, size, Contents::Own)
    }

    /// Returns the address of the first page.
    pub fn address(&self) -> usize {
        self.address
    }

    /// Maps ordinary memory to the pages of `size` bytes at `address`; `None` if the process uses some of them.
    pub fn at(address: usize, size: usize) -> Option<Pages> {
        Pages::map(Some(address), size, Contents::Own)
    }

    /// Reserves the pages of `size` bytes at `address`, without memory; `None` if the process uses some of them.
    pub fn reserve(address: usize, size: usize) -> Option<Pages> {
        Pages::map(Some(address), size, Contents::Nothing)
    }

    /// Maps pages, at any address unless one is given.
    fn map(address: Option<usize>, size: usize, contents: Contents<'_>) -> Option<Pages> {
        let size = size.checked_next_multiple_of(PAGE)?;
        let address = platform::map(address, size, contents)?;
        Some(Pages { address, size })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the pages were mapped for this object, and the application has given them back.
        unsafe { platform::unmap(self.address, self.size) };
    }
}

/// Memory of the process that devices import. It may be mapped at further addresses: at the address by which a device knows it,
/// and at an address for each device that needs one of its own.
pub struct HostMemory {
    first: Pages,
    /// Offset of the memory in `first`. Where devices require more alignment than a page's, `first` is larger than the memory.
    start: usize,
    /// The file that is mapped, if further mappings are possible.
    file: Option<MemoryFile>,
    others: Mutex<Vec<Pages>>,
}

impl HostMemory {
    /// Returns at least `size` bytes of zeros, whose address and size are multiples of `alignment`, a power of two. `None` if
    /// the system has no room. `twofold`: the bytes can be mapped [at another address as well](Self::also_at).
    pub fn new(size: usize, alignment: usize, twofold: bool) -> Option<HostMemory> {
        let slack = alignment.saturating_sub(PAGE);
        let whole = size.checked_next_multiple_of(alignment)?.checked_add(slack)?;
        let file = if twofold { Some(MemoryFile::new(whole)?) } else { None };
        let contents = file.as_ref().map_or(Contents::Own, Contents::Of);
        let first = Pages::map(None, whole, contents)?;
        let start = first.address.next_multiple_of(alignment) - first.address;
        Some(HostMemory { first, start, file, others: Mutex::default() })
    }

    /// Returns the address of the bytes.
    pub fn address(&self) -> usize {
        self.first.address + self.start
    }

    /// Maps the bytes at another address as well. Returns false if the process uses some of its pages.
    pub fn also_at(&self, address: usize) -> bool {
        let (Some(file), Some(base)) = (&self.file, address.checked_sub(self.start)) else {
            return false;
        };
        let mapped = Pages::map(Some(base), self.first.size, Contents::Of(file));
        mapped.map(|pages| self.others.lock().push(pages)).is_some()
    }

    /// Maps the bytes once more, at a multiple of `alignment`, a power of two, that the system chooses. Returns the address;
    /// `None` if the system has no room.
    pub fn again(&self, alignment: usize) -> Option<usize> {
        let slack = alignment.saturating_sub(PAGE);
        // Another thread may take the room between the two calls.
        (0..TRIES).find_map(|_| {
            let room = Pages::map(None, self.first.size.checked_add(slack)?, Contents::Nothing)?;
            let address = (room.address + self.start).next_multiple_of(alignment);
            drop(room);
            self.also_at(address).then_some(address)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mappings_are_the_same_bytes() {
        for alignment in [PAGE, 1 << 16] {
            let memory = HostMemory::new(5000, alignment, true).unwrap();
            assert!(memory.address().is_multiple_of(alignment));
            // The range of a mapping that was just removed is free.
            let there = HostMemory::new(1 << 20, 1 << 16, false).unwrap().address();
            assert!(memory.also_at(there));
            assert!(!memory.also_at(there), "the address is taken");
            let again = memory.again(alignment).unwrap();
            assert!(again.is_multiple_of(alignment) && again != there);
            // SAFETY: both mappings hold more bytes, and live.
            unsafe {
                (memory.address() as *mut u8).add(4999).write(7);
                assert_eq!((there as *const u8).add(4999).read(), 7);
                assert_eq!((again as *const u8).add(4999).read(), 7);
            }
        }
    }

    #[test]
    fn taken_addresses_are_left_alone() {
        let memory = HostMemory::new(PAGE, PAGE, false).unwrap();
        assert!(Pages::at(memory.address(), PAGE).is_none());
        assert!(Pages::reserve(memory.address(), PAGE).is_none());
        assert!(!memory.also_at(memory.address() + (1 << 30)), "there is no file");
        assert!(HostMemory::new(usize::MAX, PAGE, false).is_none());
    }
}
