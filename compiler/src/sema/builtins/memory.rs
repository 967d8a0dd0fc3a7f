//! Functions on memory: vector data loads and stores (OpenCL C 6.15.7), async copies (6.15.11) and
//! the atomics of OpenCL C 1.x (6.15.12.8).

use super::signature::{Elements, Family, Sig, Spaces, TypePattern, SCALAR};
use crate::options::ClStd;
use crate::sema::types::Scalar;
use TypePattern::{E, G};

const SIZE: TypePattern = TypePattern::S(Scalar::ULong);
const READ: TypePattern = TypePattern::InElement(Spaces::READABLE);
const WRITE: TypePattern = TypePattern::OutElement(Spaces::WRITABLE);
const READ_HALF: TypePattern = TypePattern::InHalf(Spaces::READABLE);
const WRITE_HALF: TypePattern = TypePattern::OutHalf(Spaces::WRITABLE);
/// The parameter of an atomic function that points to the object.
const OBJECT: TypePattern = TypePattern::Out(Spaces::SHARED);

const fn load(lanes: &'static [u8]) -> Sig {
    Sig::new(Elements::ALL, G, &[SIZE, READ]).lanes(lanes)
}

const fn store(lanes: &'static [u8]) -> Sig {
    Sig::new(Elements::ALL, TypePattern::Void, &[G, SIZE, WRITE]).lanes(lanes)
}

const fn load_half(lanes: &'static [u8]) -> Sig {
    Sig::new(Elements::F32, G, &[SIZE, READ_HALF]).lanes(lanes)
}

const fn store_half(lanes: &'static [u8]) -> Sig {
    Sig::new(Elements::F32_F64, TypePattern::Void, &[G, SIZE, WRITE_HALF]).lanes(lanes)
}

/// The names of a half store with every rounding mode.
macro_rules! rounded {
    ($($name:literal),*) => {
        &[$($name, concat!($name, "_rte"), concat!($name, "_rtz"), concat!($name, "_rtp"),
            concat!($name, "_rtn")),*]
    };
}

const fn update(elements: Elements) -> Sig {
    Sig::new(elements, G, &[OBJECT, G]).lanes(SCALAR)
}

pub(super) const FAMILIES: &[Family] = &[
    Family::new(&["vload2"], &[load(&[2])]),
    Family::new(&["vload3"], &[load(&[3])]).since(ClStd::Cl11),
    Family::new(&["vload4"], &[load(&[4])]),
    Family::new(&["vload8"], &[load(&[8])]),
    Family::new(&["vload16"], &[load(&[16])]),
    Family::new(&["vstore2"], &[store(&[2])]),
    Family::new(&["vstore3"], &[store(&[3])]).since(ClStd::Cl11),
    Family::new(&["vstore4"], &[store(&[4])]),
    Family::new(&["vstore8"], &[store(&[8])]),
    Family::new(&["vstore16"], &[store(&[16])]),
    Family::new(&["vload_half", "vloada_half"], &[load_half(&[1])]),
    Family::new(&["vload_half2", "vloada_half2"], &[load_half(&[2])]),
    Family::new(&["vload_half3", "vloada_half3"], &[load_half(&[3])]).since(ClStd::Cl11),
    Family::new(&["vload_half4", "vloada_half4"], &[load_half(&[4])]),
    Family::new(&["vload_half8", "vloada_half8"], &[load_half(&[8])]),
    Family::new(&["vload_half16", "vloada_half16"], &[load_half(&[16])]),
    Family::new(rounded!("vstore_half", "vstorea_half"), &[store_half(&[1])]),
    Family::new(rounded!("vstore_half2", "vstorea_half2"), &[store_half(&[2])]),
    Family::new(rounded!("vstore_half3", "vstorea_half3"), &[store_half(&[3])]).since(ClStd::Cl11),
    Family::new(rounded!("vstore_half4", "vstorea_half4"), &[store_half(&[4])]),
    Family::new(rounded!("vstore_half8", "vstorea_half8"), &[store_half(&[8])]),
    Family::new(rounded!("vstore_half16", "vstorea_half16"), &[store_half(&[16])]),
    Family::new(
        &["async_work_group_copy"],
        &[
            Sig::new(
                Elements::ALL,
                TypePattern::Event,
                &[
                    TypePattern::Out(Spaces::LOCAL),
                    TypePattern::In(Spaces::GLOBAL),
                    SIZE,
                    TypePattern::Event,
                ],
            ),
            Sig::new(
                Elements::ALL,
                TypePattern::Event,
                &[
                    TypePattern::Out(Spaces::GLOBAL),
                    TypePattern::In(Spaces::LOCAL),
                    SIZE,
                    TypePattern::Event,
                ],
            ),
        ],
    ),
    Family::new(
        &["async_work_group_strided_copy"],
        &[
            Sig::new(
                Elements::ALL,
                TypePattern::Event,
                &[
                    TypePattern::Out(Spaces::LOCAL),
                    TypePattern::In(Spaces::GLOBAL),
                    SIZE,
                    SIZE,
                    TypePattern::Event,
                ],
            ),
            Sig::new(
                Elements::ALL,
                TypePattern::Event,
                &[
                    TypePattern::Out(Spaces::GLOBAL),
                    TypePattern::In(Spaces::LOCAL),
                    SIZE,
                    SIZE,
                    TypePattern::Event,
                ],
            ),
        ],
    )
    .since(ClStd::Cl11),
    Family::new(
        &["wait_group_events"],
        &[Sig::plain(TypePattern::Void, &[TypePattern::S(Scalar::Int), TypePattern::Events])],
    ),
    Family::new(
        &["prefetch"],
        &[Sig::new(Elements::ALL, TypePattern::Void, &[TypePattern::In(Spaces::GLOBAL), SIZE])],
    ),
    Family::new(
        &[
            "atomic_add",
            "atomic_sub",
            "atomic_min",
            "atomic_max",
            "atomic_and",
            "atomic_or",
            "atomic_xor",
        ],
        &[update(Elements::I32)],
    )
    .since(ClStd::Cl11),
    Family::new(&["atomic_xchg"], &[update(Elements::I32), update(Elements::F32)])
        .since(ClStd::Cl11),
    Family::new(
        &["atomic_inc", "atomic_dec"],
        &[Sig::new(Elements::I32, E, &[OBJECT]).lanes(SCALAR)],
    )
    .since(ClStd::Cl11),
    Family::new(&["atomic_cmpxchg"], &[Sig::new(Elements::I32, G, &[OBJECT, G, G]).lanes(SCALAR)])
        .since(ClStd::Cl11),
    Family::new(
        &[
            "atom_add",
            "atom_sub",
            "atom_min",
            "atom_max",
            "atom_and",
            "atom_or",
            "atom_xor",
            "atom_xchg",
        ],
        &[update(Elements::I32_I64)],
    ),
    Family::new(
        &["atom_inc", "atom_dec"],
        &[Sig::new(Elements::I32_I64, E, &[OBJECT]).lanes(SCALAR)],
    ),
    Family::new(
        &["atom_cmpxchg"],
        &[Sig::new(Elements::I32_I64, G, &[OBJECT, G, G]).lanes(SCALAR)],
    ),
];
