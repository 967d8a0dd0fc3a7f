//! Work-item and synchronization functions (OpenCL C 6.15.1, 6.15.8, 6.15.9), and those of whole
//! work-groups (6.15.16).

use super::signature::{Elements, Family, Sig, TypePattern, SCALAR};
use crate::options::ClStd;
use crate::sema::types::Scalar;

const UINT: TypePattern = TypePattern::S(Scalar::UInt);
const INT: TypePattern = TypePattern::S(Scalar::Int);
const SIZE: TypePattern = TypePattern::S(Scalar::ULong);

pub(super) const FAMILIES: &[Family] = &[
    Family::new(&["get_work_dim"], &[Sig::plain(UINT, &[])]),
    Family::new(
        &[
            "get_global_size",
            "get_global_id",
            "get_local_size",
            "get_local_id",
            "get_num_groups",
            "get_group_id",
        ],
        &[Sig::plain(SIZE, &[UINT])],
    ),
    Family::new(&["get_global_offset"], &[Sig::plain(SIZE, &[UINT])]).since(ClStd::Cl11),
    Family::new(&["get_enqueued_local_size"], &[Sig::plain(SIZE, &[UINT])]).since(ClStd::Cl20),
    Family::new(&["get_global_linear_id", "get_local_linear_id"], &[Sig::plain(SIZE, &[])])
        .since(ClStd::Cl20),
    Family::new(
        &["barrier", "mem_fence", "read_mem_fence", "write_mem_fence"],
        &[Sig::plain(TypePattern::Void, &[UINT])],
    ),
    Family::new(
        &["work_group_barrier"],
        &[Sig::plain(TypePattern::Void, &[UINT]), Sig::plain(TypePattern::Void, &[UINT, INT])],
    )
    .since(ClStd::Cl20),
    Family::new(&["work_group_all", "work_group_any"], &[Sig::plain(INT, &[INT])])
        .since(ClStd::Cl20),
    Family::new(
        &["work_group_broadcast"],
        &[
            Sig::new(Elements::COLLECTIVE, TypePattern::G, &[TypePattern::G, SIZE]).lanes(SCALAR),
            Sig::new(Elements::COLLECTIVE, TypePattern::G, &[TypePattern::G, SIZE, SIZE])
                .lanes(SCALAR),
            Sig::new(Elements::COLLECTIVE, TypePattern::G, &[TypePattern::G, SIZE, SIZE, SIZE])
                .lanes(SCALAR),
        ],
    )
    .since(ClStd::Cl20),
    Family::new(
        &[
            "work_group_reduce_add",
            "work_group_reduce_min",
            "work_group_reduce_max",
            "work_group_scan_inclusive_add",
            "work_group_scan_inclusive_min",
            "work_group_scan_inclusive_max",
            "work_group_scan_exclusive_add",
            "work_group_scan_exclusive_min",
            "work_group_scan_exclusive_max",
        ],
        &[Sig::new(Elements::COLLECTIVE, TypePattern::G, &[TypePattern::G]).lanes(SCALAR)],
    )
    .since(ClStd::Cl20),
    Family::new(&["atomic_work_item_fence"], &[Sig::plain(TypePattern::Void, &[UINT, INT, INT])])
        .since(ClStd::Cl20),
];
