//! How IR scalars are represented in SPIR-V.

use smallvec::SmallVec;

/// Representation of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repr {
    Bool,
    /// An integer type with this number of bits.
    Int(u32),
    /// An integer with this number of bits, 8 or 16, that the device loads, stores and converts, but does not compute with.
    Narrow(u32),
    /// An address of 64 bits as a vector of two words, the low one first.
    Pair,
    Float(u32),
    Matrix,
}

/// Ids of the lanes of a value.
pub(super) type Ids = SmallVec<[u32; 4]>;
