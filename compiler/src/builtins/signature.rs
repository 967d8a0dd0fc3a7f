//! Signature patterns: parameter and result types in terms of one generic type.

use crate::kernel::{ImageAccess, ImageDim, ImageType};
pub use crate::syntax::ast::ScalarName as Scalar;

/// A set of scalar types, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements(u16);

impl Elements {
    pub const NONE: Elements = Elements(0);
    pub const UCHAR: Elements = Elements::of(&[Scalar::UChar]);
    pub const USHORT: Elements = Elements::of(&[Scalar::UShort]);
    pub const UINT: Elements = Elements::of(&[Scalar::UInt]);
    pub const ULONG: Elements = Elements::of(&[Scalar::ULong]);
    pub const INTS_8_16: Elements =
        Elements::of(&[Scalar::Char, Scalar::UChar, Scalar::Short, Scalar::UShort]);
    pub const F32: Elements = Elements::of(&[Scalar::Float]);
    pub const HALF: Elements = Elements::of(&[Scalar::Half]);
    pub const F32_F64: Elements = Elements::of(&[Scalar::Float, Scalar::Double]);
    pub const FLOATS: Elements = Elements::of(&[Scalar::Half, Scalar::Float, Scalar::Double]);
    pub const SIGNED: Elements =
        Elements::of(&[Scalar::Char, Scalar::Short, Scalar::Int, Scalar::Long]);
    pub const UNSIGNED: Elements =
        Elements::of(&[Scalar::UChar, Scalar::UShort, Scalar::UInt, Scalar::ULong]);
    pub const INTS: Elements = Elements::SIGNED.or(Elements::UNSIGNED);
    pub const I32: Elements = Elements::of(&[Scalar::Int, Scalar::UInt]);
    /// Types of 32 bits, including float.
    pub const I32_F32: Elements = Elements::I32.or(Elements::F32);
    pub const I32_I64: Elements =
        Elements::of(&[Scalar::Int, Scalar::UInt, Scalar::Long, Scalar::ULong]);
    /// The types that atomic objects hold.
    pub const ATOMIC: Elements = Elements::I32_I64.or(Elements::F32_F64);
    pub const ATOMIC_OR_HALF: Elements = Elements::ATOMIC.or(Elements::HALF);
    /// The type that an atomic flag holds.
    pub const FLAG: Elements = Elements::of(&[Scalar::Int]);
    /// Integers of at most 32 bits, signed and unsigned: the operands of `upsample`.
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

/// An instance of a generic type: element and number of components.
pub type Shape = (Scalar, u8);

/// Numbers of components that a generic type may have, ascending.
pub type Lanes = &'static [u8];

pub const ANY_LANES: Lanes = &[1, 2, 3, 4, 8, 16];
pub const SCALAR: Lanes = &[1];

/// A set of address spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spaces(pub u8);

impl Spaces {
    pub const GLOBAL: Spaces = Spaces(2);
    pub const LOCAL: Spaces = Spaces(4);
    /// global, local and private (and generic).
    pub const WRITABLE: Spaces = Spaces(1 | 2 | 4 | 16);
    /// global, local, private and constant (and generic).
    pub const READABLE: Spaces = Spaces(1 | 2 | 4 | 8 | 16);
    pub const SHARED: Spaces = Spaces(2 | 4);
    /// private (and generic).
    pub const OWN: Spaces = Spaces(1 | 16);
    /// The address spaces of atomic objects.
    pub const ATOMIC: Spaces = Spaces(2 | 4 | 16);
}

/// The use that a function makes of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageUse {
    /// Reads the image with a sampler.
    Sample,
    /// Reads the image without a sampler.
    Read,
    Write,
    /// Asks for the image's size or format.
    Query,
}

impl ImageUse {
    /// Returns true if an image with this access allows this use.
    pub fn may(self, access: ImageAccess) -> bool {
        match self {
            ImageUse::Sample => access == ImageAccess::ReadOnly,
            ImageUse::Read => access != ImageAccess::WriteOnly,
            ImageUse::Write => access != ImageAccess::ReadOnly,
            ImageUse::Query => true,
        }
    }
}

/// A parameter or result type, where G is the generic type of the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypePattern {
    /// G itself.
    G,
    /// G's element: the spec's `sgentype`.
    E,
    /// A vector of this scalar with as many components as G.
    Like(Scalar),
    /// This scalar type.
    S(Scalar),
    /// A vector of this scalar.
    V(Scalar, u8),
    /// Result of a relational function: int for a scalar G, else the signed vector of equal width.
    Relation,
    /// The signed or unsigned integer type of G's shape.
    SignedOf,
    UnsignedOf,
    /// A type twice as wide as G, as `upsample` returns.
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
    /// Pointers to anything, readable and writable.
    InAny(Spaces),
    OutAny(Spaces),
    /// A pointer to an atomic object that holds G.
    Atomic(Spaces),
    Event,
    /// Pointer to events.
    Events,
    /// An image, and one whose texels are depths.
    Image(ImageDim, ImageUse),
    DepthImage(ImageDim, ImageUse),
    Sampler,
}

impl TypePattern {
    /// Returns the numeric type that the pattern means in an instance, if it means one.
    pub fn number(self, (element, lanes): Shape) -> Option<Shape> {
        Some(match self {
            TypePattern::G => (element, lanes),
            TypePattern::E => (element, 1),
            TypePattern::Like(scalar) => (scalar, lanes),
            TypePattern::S(scalar) => (scalar, 1),
            TypePattern::V(scalar, lanes) => (scalar, lanes),
            TypePattern::Relation if lanes == 1 => (Scalar::Int, 1),
            TypePattern::Relation | TypePattern::SignedOf => (element.signed_of_width(), lanes),
            TypePattern::UnsignedOf => (element.unsigned_of_width(), lanes),
            TypePattern::Wide => (wider(element), lanes),
            _ => return None,
        })
    }

    /// Returns true if the pattern is for images of a type.
    pub fn takes_image(self, image: ImageType) -> bool {
        match self {
            TypePattern::Image(dim, uses) => {
                image.dim == dim && !image.depth && uses.may(image.access)
            }
            TypePattern::DepthImage(dim, uses) => {
                image.dim == dim && image.depth && uses.may(image.access)
            }
            _ => false,
        }
    }
}

/// Returns the next wider integer of the same signedness.
fn wider(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Char => Scalar::Short,
        Scalar::UChar => Scalar::UShort,
        Scalar::Short => Scalar::Int,
        Scalar::UShort => Scalar::UInt,
        Scalar::Int => Scalar::Long,
        _ => Scalar::ULong,
    }
}

/// One pattern of a function.
#[derive(Debug, Clone, Copy)]
pub struct Sig {
    pub elements: Elements,
    pub lanes: Lanes,
    pub ret: TypePattern,
    pub params: &'static [TypePattern],
}

impl Sig {
    /// Makes a pattern over scalars and vectors of `elements`.
    pub const fn new(elements: Elements, ret: TypePattern, params: &'static [TypePattern]) -> Sig {
        Sig { elements, lanes: ANY_LANES, ret, params }
    }

    /// Restricts the pattern to vectors with these numbers of components.
    pub const fn lanes(self, lanes: Lanes) -> Sig {
        Sig { lanes, ..self }
    }

    /// Returns all instances of the generic type, element by element; one instance, int, if the pattern has no generic type.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> {
        let Sig { elements, lanes, .. } = *self;
        let plain = (elements == Elements::NONE).then_some((Scalar::Int, 1));
        let elements = Scalar::ALL.into_iter().filter(move |&element| elements.contains(element));
        let generic = elements.flat_map(move |element| lanes.iter().map(move |&n| (element, n)));
        plain.into_iter().chain(generic)
    }

    /// Makes a pattern without a generic type.
    pub const fn plain(ret: TypePattern, params: &'static [TypePattern]) -> Sig {
        Sig { elements: Elements::NONE, lanes: SCALAR, ret, params }
    }
}
