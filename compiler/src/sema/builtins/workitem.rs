//! Work-item and synchronization functions (OpenCL C 6.15.1, 6.15.8, 6.15.9).

use super::signature::{Family, Sig, P};
use crate::sema::types::Scalar;

const UINT: P = P::S(Scalar::UInt);
const INT: P = P::S(Scalar::Int);
const SIZE: P = P::S(Scalar::ULong);

pub(super) const FAMILIES: &[Family] = &[
    Family::new(&["get_work_dim"], &[Sig::plain(UINT, &[])]),
    Family::new(
        &[
            "get_global_size",
            "get_global_id",
            "get_local_size",
            "get_enqueued_local_size",
            "get_local_id",
            "get_num_groups",
            "get_group_id",
            "get_global_offset",
        ],
        &[Sig::plain(SIZE, &[UINT])],
    ),
    Family::new(&["get_global_linear_id", "get_local_linear_id"], &[Sig::plain(SIZE, &[])]),
    Family::new(
        &["barrier", "mem_fence", "read_mem_fence", "write_mem_fence"],
        &[Sig::plain(P::Void, &[UINT])],
    ),
    Family::new(
        &["work_group_barrier"],
        &[Sig::plain(P::Void, &[UINT]), Sig::plain(P::Void, &[UINT, INT])],
    ),
];
