//! Values as bytes, little-endian.

use hekla_compiler::ReadError;

/// The result of reading: a value, or the reason why there is none.
pub type Read<T> = Result<T, ReadError>;

/// Appends values to bytes.
#[derive(Default)]
pub struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends bytes without their number.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
    }

    pub fn string(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Returns the bytes written.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn size(&mut self, size: Option<[u32; 3]>) {
        self.u32(u32::from(size.is_some()));
        size.unwrap_or_default().iter().for_each(|v| self.u32(*v));
    }
}

/// Takes values from bytes; fails at their end.
pub struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    pub(super) fn take(&mut self, size: usize) -> Read<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(size).ok_or("it is cut short")?;
        self.0 = rest;
        Ok(head)
    }

    pub fn u32(&mut self) -> Read<u32> {
        let bytes = self.take(4)?.try_into().map_err(|_| "it is cut short")?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub fn u64(&mut self) -> Read<u64> {
        let bytes = self.take(8)?.try_into().map_err(|_| "it is cut short")?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(super) fn flag(&mut self) -> Read<bool> {
        Ok(self.u32()? != 0)
    }

    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let size = self.u32()? as usize;
        self.take(size)
    }

    pub fn string(&mut self) -> Read<String> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| "a name is not text".into())
    }

    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = self.u32()?;
        // Every item takes at least 4 bytes, so a count that is too large soon fails at the end of the bytes.
        (0..count).map(|_| item(self)).collect()
    }

    pub(super) fn size(&mut self) -> Read<Option<[u32; 3]>> {
        let present = self.flag()?;
        let size = [self.u32()?, self.u32()?, self.u32()?];
        Ok(present.then_some(size))
    }
}
