//! Common, geometric and relational functions (OpenCL C 6.15.4 to 6.15.6).

use super::math::UNARY;
use super::signature::{Elements, Family, Lanes, Sig, TypePattern};
use crate::sema::types::Scalar;
use TypePattern::{E, G};

const FLOATS: Elements = Elements::FLOATS;
/// Geometric functions take up to four components.
const GEOMETRIC: Lanes = &[1, 2, 3, 4];

pub(super) const FAMILIES: &[Family] = &[
    Family::new(&["degrees", "radians", "sign"], UNARY),
    Family::new(&["mix"], &[Sig::new(FLOATS, G, &[G, G, G]), Sig::new(FLOATS, G, &[G, G, E])]),
    Family::new(&["step"], &[Sig::new(FLOATS, G, &[G, G]), Sig::new(FLOATS, G, &[E, G])]),
    Family::new(
        &["smoothstep"],
        &[Sig::new(FLOATS, G, &[G, G, G]), Sig::new(FLOATS, G, &[E, E, G])],
    ),
    Family::new(&["cross"], &[Sig::new(FLOATS, G, &[G, G]).lanes(&[3, 4])]),
    Family::new(&["dot", "distance"], &[Sig::new(FLOATS, E, &[G, G]).lanes(GEOMETRIC)]),
    Family::new(&["length"], &[Sig::new(FLOATS, E, &[G]).lanes(GEOMETRIC)]),
    Family::new(&["normalize"], &[Sig::new(FLOATS, G, &[G]).lanes(GEOMETRIC)]),
    Family::new(&["fast_distance"], &[Sig::new(Elements::F32, E, &[G, G]).lanes(GEOMETRIC)]),
    Family::new(&["fast_length"], &[Sig::new(Elements::F32, E, &[G]).lanes(GEOMETRIC)]),
    Family::new(&["fast_normalize"], &[Sig::new(Elements::F32, G, &[G]).lanes(GEOMETRIC)]),
    Family::new(
        &[
            "isequal",
            "isnotequal",
            "isgreater",
            "isgreaterequal",
            "isless",
            "islessequal",
            "islessgreater",
            "isordered",
            "isunordered",
        ],
        &[Sig::new(FLOATS, TypePattern::Relation, &[G, G])],
    ),
    Family::new(
        &["isfinite", "isinf", "isnan", "isnormal", "signbit"],
        &[Sig::new(FLOATS, TypePattern::Relation, &[G])],
    ),
    Family::new(&["any", "all"], &[Sig::new(Elements::SIGNED, TypePattern::S(Scalar::Int), &[G])]),
    Family::new(&["bitselect"], &[Sig::new(Elements::ALL, G, &[G, G, G])]),
    Family::new(
        &["select"],
        &[
            Sig::new(Elements::ALL, G, &[G, G, TypePattern::SignedOf]),
            Sig::new(Elements::ALL, G, &[G, G, TypePattern::UnsignedOf]),
        ],
    ),
];
