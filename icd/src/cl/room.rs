//! Memory for sizes that the application chooses. Where it cannot be had, a call fails with CL_OUT_OF_HOST_MEMORY; what
//! collections allocate by themselves would end the process.

use crate::cl::error::{ClError, Result};
use crate::cl::CL_OUT_OF_HOST_MEMORY;

/// Returns an empty list with room for `capacity` elements.
pub fn list<T>(capacity: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(capacity).map_err(|_| ClError(CL_OUT_OF_HOST_MEMORY))?;
    Ok(list)
}

/// Returns `size` zeros.
pub fn zeros(size: usize) -> Result<Vec<u8>> {
    let mut bytes = list(size)?;
    bytes.resize(size, 0);
    Ok(bytes)
}

/// Returns a copy of the elements.
pub fn copy<T: Copy>(elements: &[T]) -> Result<Vec<T>> {
    let mut list = list(elements.len())?;
    list.extend_from_slice(elements);
    Ok(list)
}

/// Returns bytes as text; those that are not UTF-8 are replaced.
pub fn text(bytes: Vec<u8>) -> Result<String> {
    // An invalid byte becomes at most the three bytes of U+FFFD.
    const MOST: usize = 3;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            check(error.as_bytes().len().saturating_mul(MOST))?;
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
    }
}

/// Fails if `bytes` bytes cannot be allocated at once; for callers that allocate them piece by piece.
pub fn check(bytes: usize) -> Result<()> {
    list::<u8>(bytes.min(isize::MAX as usize)).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error() {
        assert_eq!(list::<u64>(usize::MAX).unwrap_err().0, CL_OUT_OF_HOST_MEMORY);
        assert_eq!(check(usize::MAX).unwrap_err().0, CL_OUT_OF_HOST_MEMORY);
        assert_eq!(copy(&[1, 2, 3]).unwrap(), [1, 2, 3]);
        assert_eq!(text(b"a\xFFb".to_vec()).unwrap(), "a\u{FFFD}b");
    }
}
