//! Buffers of the application's own bytes and of dma_bufs that are never copied (cl_arm_import_memory).

use super::args;
use crate::cl::error::{ensure, fail, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::flags;
use crate::core::memory::host::HostAddress;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// The kind of memory that is imported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Host,
    DmaBuf,
}

/// Reads the list of properties: CL_INVALID_PROPERTY for names and values that are not known, and names that come twice.
/// Protected memory and Android's buffers are not known.
///
/// # Safety
/// `pointer` is NULL or the start of a property list.
unsafe fn kind(pointer: *const cl_import_properties_arm) -> Result<Kind> {
    let (mut kind, mut consistency) = (None, None);
    // SAFETY: as the caller promises.
    for pair in unsafe { args::property_list(pointer, 2) }.chunks_exact(2) {
        let before = match (pair[0], pair[1]) {
            (CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM) => kind.replace(Kind::Host).is_some(),
            (CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM) => {
                kind.replace(Kind::DmaBuf).is_some()
            }
            // Devices that import memory keep it consistent with the host in any case, so the value changes nothing.
            (CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, value @ 0..=1) => {
                consistency.replace(value).is_some()
            }
            _ => return fail(CL_INVALID_PROPERTY),
        };
        ensure!(!before, CL_INVALID_PROPERTY);
    }
    let kind = kind.unwrap_or(Kind::Host);
    ensure!(consistency.is_none() || kind == Kind::DmaBuf, CL_INVALID_PROPERTY);
    Ok(kind)
}

entry! {
    /// clImportMemoryARM.
    fn clImportMemoryARM(
        context: cl_context,
        flags: cl_mem_flags,
        properties: *const cl_import_properties_arm,
        memory: *mut c_void,
        size: usize,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        let known = flags::ACCESS | flags::HOST_ACCESS | CL_MEM_USE_HOST_PTR;
        ensure!(flags & !known == 0, CL_INVALID_VALUE);
        flags::check(flags)?;
        let flags = flags::with_access(flags & !CL_MEM_USE_HOST_PTR);
        // SAFETY: the list is as the API requires.
        let kind = unsafe { kind(properties) }?;
        ensure!(!memory.is_null(), CL_INVALID_VALUE);
        ensure!(size > 0, CL_INVALID_BUFFER_SIZE);
        let buffer = match kind {
            Kind::Host => Buffer::of_own_bytes(&context, flags, size, HostAddress(memory as usize))?,
            Kind::DmaBuf => {
                let size = (size != CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM).then_some(size);
                // SAFETY: the API requires a descriptor there.
                let fd = unsafe { memory.cast::<i32>().read_unaligned() };
                Buffer::of_dma_buf(&context, flags, size, fd)?
            }
        };
        Ok(buffer.expose())
    }
}
