//! The flags of memory objects: valid combinations, and the flags that an object within another inherits (5.2.1, 5.2.2, 5.3.1).

use crate::cl::error::{ensure, Result};
use crate::cl::*;

pub const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
pub const HOST_POINTER: cl_mem_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
pub const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// The flags that an immutable memory object (cl_ext_immutable_memory_objects) must not have.
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

/// CL_INVALID_VALUE for an immutable memory object without contents at its creation.
pub fn check_contents(flags: cl_mem_flags, imported: bool) -> Result<()> {
    let given = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0 || imported;
    ensure!(flags & CL_MEM_IMMUTABLE_EXT == 0 || given, CL_INVALID_VALUE);
    Ok(())
}

/// Returns the flags, with CL_MEM_READ_WRITE added if they give no access.
pub fn with_access(flags: cl_mem_flags) -> cl_mem_flags {
    if flags & (ACCESS | CL_MEM_IMMUTABLE_EXT) == 0 {
        return flags | CL_MEM_READ_WRITE;
    }
    flags
}

/// Returns the access flags of a sub-buffer: the parent's if the sub-buffer gives none. They never allow more than the
/// parent's.
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

/// Returns the host access flags of a sub-buffer: the parent's if the sub-buffer gives none. They never allow more than the
/// parent's.
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
