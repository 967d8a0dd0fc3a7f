//! The flags of memory objects: which go together, and what an object within another takes from it (5.2.1, 5.2.2, 5.3.1).

use crate::cl::error::{ensure, Result};
use crate::cl::*;

pub const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
pub const HOST_POINTER: cl_mem_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
pub const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// What an object that never changes (cl_ext_immutable_memory_objects) is not created with.
const CHANGING: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY;

/// Checks flags of clCreateBuffer and clCreateImage (5.2.1, 5.3.1): unknown bits and contradictions are
/// CL_INVALID_VALUE.
pub fn check(flags: cl_mem_flags) -> Result<()> {
    let known = ACCESS | HOST_POINTER | HOST_ACCESS | CL_MEM_IMMUTABLE_EXT;
    ensure!(flags & !known == 0, CL_INVALID_VALUE);
    ensure!(flags & CL_MEM_IMMUTABLE_EXT == 0 || flags & CHANGING == 0, CL_INVALID_VALUE);
    ensure!((flags & ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
    ensure!((flags & HOST_ACCESS).count_ones() <= 1, CL_INVALID_VALUE);
    let use_host = flags & CL_MEM_USE_HOST_PTR != 0;
    let others = flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure!(!(use_host && others), CL_INVALID_VALUE);
    Ok(())
}

/// CL_INVALID_VALUE for an object that never changes and has no contents from the beginning.
pub fn check_contents(flags: cl_mem_flags, imported: bool) -> Result<()> {
    let given = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0 || imported;
    ensure!(flags & CL_MEM_IMMUTABLE_EXT == 0 || given, CL_INVALID_VALUE);
    Ok(())
}

/// Returns flags with the access that an object has if none is given.
pub fn with_access(flags: cl_mem_flags) -> cl_mem_flags {
    if flags & (ACCESS | CL_MEM_IMMUTABLE_EXT) == 0 {
        return flags | CL_MEM_READ_WRITE;
    }
    flags
}

/// Returns the access flags of a sub-buffer: the parent's when none are given, and never wider.
pub fn inherited_access(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    const ACCESS: cl_mem_flags = super::flags::ACCESS | CL_MEM_IMMUTABLE_EXT;
    let wanted = flags & ACCESS;
    let forbidden = if parent & CL_MEM_IMMUTABLE_EXT != 0 {
        CHANGING
    } else if parent & CL_MEM_WRITE_ONLY != 0 {
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
