//! Values of clGet…Info queries as the bytes that the application receives.

use crate::cl::*;
use smallvec::SmallVec;
use std::ffi::CStr;

/// The bytes of a query's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value(pub SmallVec<[u8; 64]>);

/// Plain C values without padding.
///
/// # Safety
/// Every byte of a value is initialized.
pub unsafe trait Plain: Copy {}

/// Declares integer types as plain.
macro_rules! plain {
    ($($t:ty),+) => {
        $(
            // SAFETY: an integer has no padding.
            unsafe impl Plain for $t {}
        )+
    };
}
plain!(u8, i32, u32, u64, usize, isize);
// SAFETY: a pointer has no padding.
unsafe impl<T> Plain for *mut T {}
// SAFETY: four integers of one size.
unsafe impl Plain for cl_device_pci_bus_info_khr {}
// SAFETY: eight integers of one size.
unsafe impl Plain for cl_device_cooperative_matrix_variant_khr {}
// SAFETY: two integers of one size.
unsafe impl Plain for cl_image_format {}
// SAFETY: an integer, and bytes that follow it without a gap.
unsafe impl Plain for cl_name_version {}

impl Value {
    /// Returns the bytes of one value.
    pub fn of<T: Plain>(value: T) -> Value {
        Value::list(&[value])
    }

    /// Returns an array.
    pub fn list<T: Plain>(values: &[T]) -> Value {
        // SAFETY: the bytes of Plain values are all initialized.
        let bytes = unsafe {
            std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values))
        };
        Value(SmallVec::from_slice(bytes))
    }

    /// Returns a cl_bool.
    pub fn bool(value: bool) -> Value {
        Value::of(u32::from(value))
    }

    /// Returns a string with its terminating zero. Zeros within end it for the application.
    pub fn text(text: &str) -> Value {
        let mut bytes = SmallVec::from_slice(text.as_bytes());
        bytes.push(0);
        Value(bytes)
    }

    /// Returns an array of pointers to strings that are never freed.
    pub fn texts(texts: &[&'static CStr]) -> Value {
        Value::list(&texts.iter().map(|text| text.as_ptr().cast_mut()).collect::<Vec<_>>())
    }

    /// Returns names with versions.
    pub fn names(names: &[(&str, cl_version)]) -> Value {
        let entries = names.iter().map(|(name, version)| name_version(name, *version));
        Value::list(&entries.collect::<Vec<_>>())
    }
}

/// Returns a name, cut to what the structure holds, with a version.
fn name_version(text: &str, version: cl_version) -> cl_name_version {
    let mut name = [0; 64];
    let length = text.len().min(63);
    name[..length].copy_from_slice(&text.as_bytes()[..length]);
    cl_name_version { version, name }
}
