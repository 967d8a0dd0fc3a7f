//! Integer functions (OpenCL C 6.15.3).

use super::signature::{Elements, Family, Sig, TypePattern};
use crate::options::ClStd;
use TypePattern::{E, G};

const INTS: Elements = Elements::INTS;

pub(super) const FAMILIES: &[Family] = &[
    Family::new(&["abs"], &[Sig::new(INTS, TypePattern::UnsignedOf, &[G])]),
    Family::new(&["abs_diff"], &[Sig::new(INTS, TypePattern::UnsignedOf, &[G, G])]),
    Family::new(
        &["add_sat", "hadd", "mul_hi", "rhadd", "rotate", "sub_sat"],
        &[Sig::new(INTS, G, &[G, G])],
    ),
    Family::new(&["clz"], &[Sig::new(INTS, G, &[G])]),
    Family::new(&["popcount"], &[Sig::new(INTS, G, &[G])]).since(ClStd::Cl12),
    Family::new(&["ctz"], &[Sig::new(INTS, G, &[G])]).since(ClStd::Cl20),
    Family::new(&["mad_hi", "mad_sat"], &[Sig::new(INTS, G, &[G, G, G])]),
    Family::new(&["mad24"], &[Sig::new(Elements::I32, G, &[G, G, G])]),
    Family::new(&["mul24"], &[Sig::new(Elements::I32, G, &[G, G])]),
    Family::new(
        &["upsample"],
        &[Sig::new(Elements::NARROW, TypePattern::Wide, &[G, TypePattern::UnsignedOf])],
    ),
    // Of integers and, as common functions (6.15.4), of floats.
    Family::new(
        &["max", "min"],
        &[Sig::new(Elements::ALL, G, &[G, G]), Sig::new(Elements::ALL, G, &[G, E])],
    ),
    Family::new(
        &["clamp"],
        &[Sig::new(Elements::ALL, G, &[G, G, G]), Sig::new(Elements::ALL, G, &[G, E, E])],
    ),
];
