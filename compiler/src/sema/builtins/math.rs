//! Math functions (OpenCL C 6.15.2).

use super::signature::{Elements, Family, Sig, Spaces, TypePattern};
use crate::options::ClStd;
use crate::sema::types::Scalar;
use TypePattern::{E, G};

const FLOATS: Elements = Elements::FLOATS;
const INT: TypePattern = TypePattern::Like(Scalar::Int);
const OUT: TypePattern = TypePattern::Out(Spaces::WRITABLE);
const OUT_INT: TypePattern = TypePattern::OutLike(Spaces::WRITABLE, Scalar::Int);

pub(super) const UNARY: &[Sig] = &[Sig::new(FLOATS, G, &[G])];
const BINARY: &[Sig] = &[Sig::new(FLOATS, G, &[G, G])];
const TERNARY: &[Sig] = &[Sig::new(FLOATS, G, &[G, G, G])];

pub(super) const FAMILIES: &[Family] = &[
    Family::new(
        &[
            "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atanh", "atanpi",
            "cbrt", "ceil", "cos", "cosh", "cospi", "erf", "erfc", "exp", "exp10", "exp2", "expm1",
            "fabs", "floor", "lgamma", "log", "log10", "log1p", "log2", "logb", "rint", "round",
            "rsqrt", "sin", "sinh", "sinpi", "sqrt", "tan", "tanh", "tanpi", "tgamma", "trunc",
        ],
        UNARY,
    ),
    Family::new(
        &[
            "atan2",
            "atan2pi",
            "copysign",
            "fdim",
            "fmod",
            "hypot",
            "nextafter",
            "pow",
            "powr",
            "remainder",
        ],
        BINARY,
    ),
    Family::new(&["maxmag", "minmag"], BINARY).since(ClStd::Cl11),
    Family::new(&["fmax", "fmin"], &[Sig::new(FLOATS, G, &[G, G]), Sig::new(FLOATS, G, &[G, E])]),
    Family::new(&["fma", "mad"], TERNARY),
    Family::new(&["fract", "modf", "sincos"], &[Sig::new(FLOATS, G, &[G, OUT])]),
    Family::new(&["frexp", "lgamma_r"], &[Sig::new(FLOATS, G, &[G, OUT_INT])]),
    Family::new(&["remquo"], &[Sig::new(FLOATS, G, &[G, G, OUT_INT])]),
    Family::new(&["ilogb"], &[Sig::new(FLOATS, INT, &[G])]),
    Family::new(
        &["ldexp"],
        &[Sig::new(FLOATS, G, &[G, INT]), Sig::new(FLOATS, G, &[G, TypePattern::S(Scalar::Int)])],
    ),
    Family::new(&["pown", "rootn"], &[Sig::new(FLOATS, G, &[G, INT])]),
    Family::new(&["nan"], &[Sig::new(FLOATS, G, &[TypePattern::UnsignedOf])]),
    Family::new(
        &[
            "half_cos",
            "half_exp",
            "half_exp10",
            "half_exp2",
            "half_log",
            "half_log10",
            "half_log2",
            "half_recip",
            "half_rsqrt",
            "half_sin",
            "half_sqrt",
            "half_tan",
            "native_cos",
            "native_exp",
            "native_exp10",
            "native_exp2",
            "native_log",
            "native_log10",
            "native_log2",
            "native_recip",
            "native_rsqrt",
            "native_sin",
            "native_sqrt",
            "native_tan",
        ],
        &[Sig::new(Elements::F32, G, &[G])],
    ),
    Family::new(
        &["half_divide", "half_powr", "native_divide", "native_powr"],
        &[Sig::new(Elements::F32, G, &[G, G])],
    ),
];
