//! Device operations that the embedded library calls by names starting with `__hekla_`. Lowering
//! turns each into the instruction of its name.

use super::math::{BINARY, TERNARY, UNARY};
use super::signature::{Elements, Family, Sig, P};
use crate::sema::types::Scalar;
use P::G;

const INT: P = P::S(Scalar::Int);

pub(super) const FAMILIES: &[Family] = &[
    Family::new(
        &[
            "__hekla_native_sin",
            "__hekla_native_cos",
            "__hekla_native_tan",
            "__hekla_native_exp2",
            "__hekla_native_log2",
            "__hekla_native_rsqrt",
            "__hekla_native_sqrt",
            "__hekla_fabs",
            "__hekla_floor",
            "__hekla_ceil",
            "__hekla_trunc",
            "__hekla_rint",
            "__hekla_sqrt",
            "__hekla_rsqrt",
        ],
        UNARY,
    ),
    Family::new(
        &[
            "__hekla_native_pow",
            "__hekla_native_divide",
            "__hekla_fmin",
            "__hekla_fmax",
            "__hekla_fmod",
        ],
        BINARY,
    ),
    Family::new(&["__hekla_native_fma", "__hekla_fma", "__hekla_mad"], TERNARY),
    Family::new(&["__hekla_ldexp"], &[Sig::new(Elements::FLOATS, G, &[G, P::Like(Scalar::Int)])]),
    Family::new(
        &["__hekla_isnan", "__hekla_isinf"],
        &[Sig::new(Elements::FLOATS, P::Relation, &[G])],
    ),
    Family::new(
        &["__hekla_clz", "__hekla_ctz", "__hekla_popcount"],
        &[Sig::new(Elements::INTS, G, &[G])],
    ),
    Family::new(&["__hekla_mul_hi"], &[Sig::new(Elements::INTS, G, &[G, G])]),
    Family::new(
        &[
            "__hekla_fused_fma_available32",
            "__hekla_fused_fma_available64",
            "__hekla_exact_divide_available32",
            "__hekla_exact_sqrt_available32",
        ],
        &[Sig::plain(INT, &[])],
    ),
];
