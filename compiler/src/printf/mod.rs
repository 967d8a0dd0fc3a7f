//! The conventions of kernels and the host for `printf` (OpenCL C 6.15.14): the buffer that kernels
//! write to, the records in it, and the directives of format strings.
//!
//! The buffer is an array of 32-bit words:
//!
//! ```text
//! used | capacity | records ...
//! ```
//!
//! A call adds the size of its record to `used` in one atomic step and so owns this number of words, if
//! `capacity` allows. `used` may end beyond `capacity`: records that did not fit are lost. A record
//! begins with
//!
//! * the low half of the device address of its *signature*, with bit 0 set; 0 where a record would
//!   have begun that did not fit,
//! * the low half of the device address of its format string,
//!
//! and then has the arguments. Signatures and strings lie in the program's [data image]
//! (below 4 GiB), where the host finds them, so no table of formats is needed. A signature is an
//! even-aligned list of [`ArgType::code`]s that ends with 0.
//!
//! [data image]: crate::kernel::DataImage

mod directive;

pub use directive::{pieces, Conversion, Directive, Flags, Length, Mistake, Piece};

/// Bytes of the buffer before the first record.
pub const HEADER_BYTES: u32 = 8;
/// Bytes after the last record, for the first word of the first record that does not fit.
pub const TRAILER_BYTES: u32 = 4;
/// Words of a record before the arguments.
pub const RECORD_HEADER_WORDS: u32 = 2;

/// The meaning of the words of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One word: an integer of up to 32 bits, extended as its type is signed.
    Int = 1,
    /// Two words, the low one first.
    Long,
    /// One word: a float, or a half that was converted to one.
    Float,
    /// Two words: a double.
    Double,
    /// Two words: an address in any space.
    Address,
}

/// The form of an argument in a record: its components one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgType {
    pub kind: Kind,
    /// The number of components: 1 for a scalar; 2, 3, 4, 8 or 16 for a vector.
    pub lanes: u8,
}

impl ArgType {
    /// Returns the number of words of one component.
    pub fn lane_words(self) -> u32 {
        match self.kind {
            Kind::Int | Kind::Float => 1,
            Kind::Long | Kind::Double | Kind::Address => 2,
        }
    }

    /// Returns the number of words of the argument.
    pub fn words(self) -> u32 {
        self.lane_words() * u32::from(self.lanes)
    }

    /// Returns the argument's byte in a signature, which is never 0.
    pub fn code(self) -> u8 {
        self.kind as u8 | self.lanes << 3
    }

    /// Inverts [`ArgType::code`].
    pub fn from_code(code: u8) -> Option<ArgType> {
        let kind = match code & 7 {
            1 => Kind::Int,
            2 => Kind::Long,
            3 => Kind::Float,
            4 => Kind::Double,
            5 => Kind::Address,
            _ => return None,
        };
        let lanes = code >> 3;
        matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16).then_some(ArgType { kind, lanes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_written() {
        for kind in [Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Address] {
            for lanes in [1, 2, 3, 4, 8, 16] {
                let ty = ArgType { kind, lanes };
                assert_eq!(ArgType::from_code(ty.code()), Some(ty));
            }
        }
        assert_eq!(ArgType::from_code(0), None);
        assert_eq!(ArgType::from_code(0xff), None);
    }
}
