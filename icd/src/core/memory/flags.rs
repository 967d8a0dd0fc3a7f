//! The flags of memory objects: which go together, and what an object within another takes from it (5.2.1, 5.2.2, 5.3.1).

use crate::cl::error::{ensure, Result};
use crate::cl::*;

pub const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
pub const HOST_POINTER: cl_mem_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
pub const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// Checks flags of clCreateBuffer (5.2.1): unknown bits and contradictions are CL_INVALID_VALUE.
pub fn check(flags: cl_mem_flags) -> Result<()> {
    ensure!(flags & !(ACCESS | HOST_POINTER | HOST_ACCESS) == 0, CL_INVALID_VALUE);
    ensure!((flags & ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
    ensure!((flags & HOST_ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
    let use_host = flags & CL_MEM_USE_HOST_PTR != 0;
    let others = flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure!(!(use_host && others), CL_INVALID_VALUE);
    Ok(())
}

/// Returns the access flags of a sub-buffer: the parent's when none are given, and never wider.
pub fn inherited_access(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    let wanted = flags & ACCESS;
    let forbidden = if parent & CL_MEM_WRITE_ONLY != 0 {
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY
    } else if parent & CL_MEM_READ_ONLY != 0 {
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY
    } else {
        0
    };
    ensure!(wanted & forbidden == 0, CL_INVALID_VALUE);
    Ok(if wanted == 0 { parent & ACCESS } else { wanted })
}

/// Returns the host access flags of a sub-buffer in the same way.
pub fn inherited_host_access(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    let wanted = flags & HOST_ACCESS;
    let forbidden = if parent & CL_MEM_HOST_WRITE_ONLY != 0 {
        CL_MEM_HOST_READ_ONLY
    } else if parent & CL_MEM_HOST_READ_ONLY != 0 {
        CL_MEM_HOST_WRITE_ONLY
    } else if parent & CL_MEM_HOST_NO_ACCESS != 0 {
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY
    } else {
        0
    };
    ensure!(wanted & forbidden == 0, CL_INVALID_VALUE);
    Ok(if wanted == 0 { parent & HOST_ACCESS } else { wanted })
}
