//! Memory in bytes; for each bit it is known whether the bit was ever written.

use crate::error::{Error, Res};
use crate::image::Image;
use crate::value::Bits;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The first address: near the end of 4 GiB, so that sums of addresses carry into the high word.
const FIRST_ADDRESS: u64 = 0x12_ffff_fe00;
/// The least number of bytes between two allocations.
const GAP: u64 = 512;

/// One object's bytes.
#[derive(Debug, Clone, Default)]
pub struct Bytes {
    bytes: Vec<u8>,
    /// Bits without a defined value.
    undef: Vec<u8>,
}

impl Bytes {
    /// Returns bytes with the given contents.
    pub fn new(bytes: &[u8]) -> Bytes {
        Bytes { bytes: bytes.to_vec(), undef: vec![0; bytes.len()] }
    }

    /// Returns bytes that were never written.
    pub fn undefined(size: usize) -> Bytes {
        // The bytes are not zero, so that the use of a value that ignores the mask shows.
        Bytes { bytes: vec![0xcd; size], undef: vec![0xff; size] }
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if the number of bytes is zero.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn range(&self, at: u64, size: usize) -> Res<std::ops::Range<usize>> {
        let end = usize::try_from(at).ok().and_then(|at| at.checked_add(size));
        match end.filter(|end| *end <= self.bytes.len()) {
            Some(end) => Ok(end - size..end),
            None => Error::undefined(format!(
                "an access to {size} bytes at offset {at:#x} of an object of {} bytes",
                self.bytes.len()
            )),
        }
    }

    /// Reads a little-endian scalar of `size` bytes.
    pub fn read(&self, at: u64, size: usize) -> Res<Bits> {
        let range = self.range(at, size)?;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, b| all << 8 | u64::from(*b));
        Ok(Bits { bits: word(&self.bytes[range.clone()]), undef: word(&self.undef[range]) })
    }

    /// Writes a little-endian scalar of `size` bytes.
    pub fn write(&mut self, at: u64, size: usize, value: Bits) -> Res<()> {
        let range = self.range(at, size)?;
        self.bytes[range.clone()].copy_from_slice(&value.bits.to_le_bytes()[..size]);
        self.undef[range].copy_from_slice(&value.undef.to_le_bytes()[..size]);
        Ok(())
    }

    /// Returns bytes that were all written.
    pub fn defined(&self, at: u64, size: usize) -> Res<&[u8]> {
        let range = self.range(at, size)?;
        match self.undef[range.clone()].iter().position(|undef| *undef != 0) {
            None => Ok(&self.bytes[range]),
            Some(byte) => Error::undefined(format!(
                "byte {} of a result was never written with a defined value",
                at + byte as u64
            )),
        }
    }
}

/// The device's memory: allocations with gaps between them.
#[derive(Debug, Default)]
pub struct Memory {
    /// The allocations, by address.
    allocations: Vec<(u64, Bytes)>,
    /// The images, by the number of a binding and the slot in its array.
    images: BTreeMap<(u32, u32), Rc<Image>>,
}

impl Memory {
    /// Returns an empty memory.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Allocates memory at a multiple of `align`; returns its address. The last word may be accessed as a whole, as in the
    /// runtime's buffers, which are padded.
    pub fn allocate(&mut self, mut contents: Bytes, align: u64) -> u64 {
        let padded = contents.len().next_multiple_of(4);
        contents.bytes.resize(padded, 0xcd);
        contents.undef.resize(padded, 0xff);
        let end = self.allocations.last().map(|(base, bytes)| base + bytes.len() as u64 + GAP);
        let base = end.unwrap_or(FIRST_ADDRESS).next_multiple_of(align.max(256));
        self.allocations.push((base, contents));
        base
    }

    /// Allocates memory with the given contents; returns its address, a multiple of 256.
    pub fn allocate_bytes(&mut self, bytes: &[u8]) -> u64 {
        self.allocate(Bytes::new(bytes), 256)
    }

    /// Puts bytes at an address.
    ///
    /// # Errors
    /// When there is memory already.
    pub fn place(&mut self, address: u64, contents: Bytes) -> Res<()> {
        let at = self.allocations.partition_point(|(base, _)| *base < address);
        let end_before = at.checked_sub(1).map_or(0, |before| {
            let (base, bytes) = &self.allocations[before];
            base.saturating_add(bytes.len() as u64)
        });
        let start_behind = self.allocations.get(at).map_or(u64::MAX, |(base, _)| *base);
        let end = address.checked_add(contents.len() as u64);
        if address < end_before || end.is_none_or(|end| end > start_behind) {
            return Error::invalid("two pieces of memory at one address");
        }
        self.allocations.insert(at, (address, contents));
        Ok(())
    }

    /// Puts an image, whose texels are in memory, into a slot of a binding's array.
    pub fn place_image(&mut self, binding: u32, slot: u32, image: Image) {
        self.images.insert((binding, slot), Rc::new(image));
    }

    /// Returns the image in a slot of a binding's array.
    pub(crate) fn image(&self, binding: u32, slot: u32) -> Option<&Rc<Image>> {
        self.images.get(&(binding, slot))
    }

    /// Returns `size` bytes at an address.
    ///
    /// # Errors
    /// When the bytes are not all in one allocation, or one of them was never written.
    pub fn bytes(&self, address: u64, size: usize) -> Res<Vec<u8>> {
        let index = self.find(address, size)?;
        let (base, bytes) = &self.allocations[index];
        bytes.defined(address - base, size).map(<[u8]>::to_vec)
    }

    fn find(&self, address: u64, size: usize) -> Res<usize> {
        let after = self.allocations.partition_point(|(base, _)| *base <= address);
        let inside = after.checked_sub(1).filter(|&index| {
            let (base, bytes) = &self.allocations[index];
            address - base + size as u64 <= bytes.len() as u64
        });
        match inside {
            Some(index) => Ok(index),
            None => Error::undefined(format!(
                "an access to {size} bytes at address {address:#x}, which lie in no allocation"
            )),
        }
    }

    /// Reads a little-endian scalar.
    pub fn read(&self, address: u64, size: usize) -> Res<Bits> {
        let (base, bytes) = &self.allocations[self.find(address, size)?];
        bytes.read(address - base, size)
    }

    /// Writes a little-endian scalar.
    pub fn write(&mut self, address: u64, size: usize, value: Bits) -> Res<()> {
        let index = self.find(address, size)?;
        let (base, bytes) = &mut self.allocations[index];
        bytes.write(address - *base, size, value)
    }
}
