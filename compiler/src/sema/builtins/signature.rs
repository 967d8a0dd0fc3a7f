//! Signature patterns: parameter and result types in terms of one generic type.

use crate::options::ClStd;
use crate::sema::types::Scalar;

/// A set of scalar types, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Elements(u16);

impl Elements {
    pub const NONE: Elements = Elements(0);
    pub const F32: Elements = Elements::of(&[Scalar::Float]);
    pub const F32_F64: Elements = Elements::of(&[Scalar::Float, Scalar::Double]);
    pub const FLOATS: Elements = Elements::of(&[Scalar::Half, Scalar::Float, Scalar::Double]);
    pub const SIGNED: Elements =
        Elements::of(&[Scalar::Char, Scalar::Short, Scalar::Int, Scalar::Long]);
    pub const UNSIGNED: Elements =
        Elements::of(&[Scalar::UChar, Scalar::UShort, Scalar::UInt, Scalar::ULong]);
    pub const INTS: Elements = Elements::SIGNED.or(Elements::UNSIGNED);
    pub const I32: Elements = Elements::of(&[Scalar::Int, Scalar::UInt]);
    pub const I32_I64: Elements =
        Elements::of(&[Scalar::Int, Scalar::UInt, Scalar::Long, Scalar::ULong]);
    /// The types that atomic objects hold.
    pub const ATOMIC: Elements = Elements::I32_I64.or(Elements::F32_F64);
    /// The type that an atomic flag holds.
    pub const FLAG: Elements = Elements::of(&[Scalar::Int]);
    /// Integers of at most 32 bits, signed and unsigned: what `upsample` takes.
    pub const NARROW: Elements = Elements::of(&[
        Scalar::Char,
        Scalar::UChar,
        Scalar::Short,
        Scalar::UShort,
        Scalar::Int,
        Scalar::UInt,
    ]);
    /// The types that work-group collective functions take.
    pub const COLLECTIVE: Elements = Elements::I32_I64.or(Elements::FLOATS);
    pub const ALL: Elements = Elements::INTS.or(Elements::FLOATS);

    const fn of(list: &[Scalar]) -> Elements {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u16;
            i += 1;
        }
        Elements(bits)
    }

    const fn or(self, other: Elements) -> Elements {
        Elements(self.0 | other.0)
    }

    pub fn contains(self, scalar: Scalar) -> bool {
        self.0 & 1 << scalar as u16 != 0
    }
}

/// Numbers of components that a generic type may have, ascending.
pub(super) type Lanes = &'static [u8];

pub(super) const ANY_LANES: Lanes = &[1, 2, 3, 4, 8, 16];
pub(super) const SCALAR: Lanes = &[1];

/// A set of address spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spaces(pub u8);

impl Spaces {
    pub const GLOBAL: Spaces = Spaces(2);
    pub const LOCAL: Spaces = Spaces(4);
    /// global, local and private (and generic).
    pub const WRITABLE: Spaces = Spaces(1 | 2 | 4 | 16);
    /// Also constant.
    pub const READABLE: Spaces = Spaces(1 | 2 | 4 | 8 | 16);
    pub const SHARED: Spaces = Spaces(2 | 4);
    /// private (and generic).
    pub const OWN: Spaces = Spaces(1 | 16);
    /// The address spaces of atomic objects.
    pub const ATOMIC: Spaces = Spaces(2 | 4 | 16);
}

/// A parameter or result type, where G is the generic type of the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypePattern {
    /// G itself.
    G,
    /// G's element: the spec's `sgentype`.
    E,
    /// A vector of this scalar with as many components as G.
    Like(Scalar),
    /// This scalar.
    S(Scalar),
    /// Result of a relational function: int for a scalar G, else the signed vector of equal width.
    Relation,
    /// The signed or unsigned integer type of G's shape.
    SignedOf,
    UnsignedOf,
    /// Twice as wide as G, as `upsample` gives.
    Wide,
    Void,
    /// Writable pointers: to G, to G's element, to a vector of a scalar shaped like G.
    Out(Spaces),
    OutElement(Spaces),
    OutLike(Spaces, Scalar),
    /// Readable pointers: to G, to G's element.
    In(Spaces),
    InElement(Spaces),
    /// Pointers to half, readable and writable, whatever G is.
    InHalf(Spaces),
    OutHalf(Spaces),
    /// A pointer to an atomic object that holds G.
    Atomic(Spaces),
    Event,
    /// Pointer to events.
    Events,
}

/// One pattern of a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sig {
    pub elements: Elements,
    pub lanes: Lanes,
    pub ret: TypePattern,
    pub params: &'static [TypePattern],
}

impl Sig {
    /// Over vectors and scalars of `elements`.
    pub const fn new(elements: Elements, ret: TypePattern, params: &'static [TypePattern]) -> Sig {
        Sig { elements, lanes: ANY_LANES, ret, params }
    }

    /// Over vectors with these numbers of components only.
    pub const fn lanes(self, lanes: Lanes) -> Sig {
        Sig { lanes, ..self }
    }

    /// Without a generic type.
    pub const fn plain(ret: TypePattern, params: &'static [TypePattern]) -> Sig {
        Sig { elements: Elements::NONE, lanes: SCALAR, ret, params }
    }
}

/// Functions that share their patterns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    pub names: &'static [&'static str],
    pub sigs: &'static [Sig],
    /// The version of OpenCL C from which on programs may call them.
    pub since: ClStd,
}

impl Family {
    pub const fn new(names: &'static [&'static str], sigs: &'static [Sig]) -> Family {
        Family { names, sigs, since: ClStd::Cl10 }
    }

    pub const fn since(self, since: ClStd) -> Family {
        Family { since, ..self }
    }
}
