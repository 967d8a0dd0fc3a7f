//! Buffers of memory that is imported and never copied (cl_arm_import_memory), on devices whose memory is the host's.
//!
//! Such memory is not acquired and released: as it is the host's and coherent, a command sees all that the host or others wrote
//! before the command begins.

use super::buffer::Buffer;
use super::host::HostAddress;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::object::Ref;
use crate::platform;
use hekla_vk_backend as vk;
use hekla_vk_backend::platform::Descriptor;

impl Buffer {
    /// Returns a buffer of the application's own bytes (CL_IMPORT_TYPE_HOST_ARM).
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if the address is not mapped, if another object has some of the bytes, or if a device of the
    /// context does not share all of the host's memory.
    pub fn of_own_bytes(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        size: usize,
        host: HostAddress,
    ) -> Result<Ref<Buffer>> {
        ensure!(platform::is_mapped(host.0, size), CL_INVALID_OPERATION);
        let made = Buffer::in_place(context, flags, size, host);
        let mem = made.ok_or(ClError(CL_INVALID_OPERATION))?;
        mem.reserve_mapping()?;
        Ok(Ref::new(mem))
    }

    /// Returns a buffer of a dma_buf's first bytes, or of all of them (CL_IMPORT_TYPE_DMA_BUF_ARM). The descriptor stays the
    /// application's.
    ///
    /// # Errors
    /// CL_INVALID_VALUE if the number is not an open descriptor; CL_INVALID_OPERATION if the descriptor is not of a dma_buf, if
    /// the context has several devices, or if its device does not import such memory as the host's; CL_INVALID_BUFFER_SIZE if
    /// the dma_buf has fewer bytes.
    pub fn of_dma_buf(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        size: Option<usize>,
        fd: i32,
    ) -> Result<Ref<Buffer>> {
        let refused = ClError(CL_INVALID_OPERATION);
        let own = Descriptor::duplicate_of(fd).ok_or(ClError(CL_INVALID_VALUE))?;
        let [gpu] = &context.gpus[..] else { return Err(refused) };
        let info = gpu.device.info();
        let imports = info.features.external.memory_import.contains(vk::MemoryHandles::DMA_BUF);
        ensure!(imports && info.memory.unified, CL_INVALID_OPERATION);
        let whole = own.size().and_then(|size| usize::try_from(size).ok());
        let size = size.or(whole).ok_or(refused)?;
        let number = own.into_number();
        let made = Buffer::imported(
            context,
            flags,
            (0, size),
            ((vk::MemoryHandles::DMA_BUF, number), None),
        );
        let mem = made.map_err(|error| {
            // An import that fails does not take the descriptor over.
            Descriptor::close(number);
            match error.0 {
                CL_INVALID_PROPERTY => refused,
                _ => error,
            }
        })?;
        let memory = mem.on_device(0)?;
        ensure!(memory.is_coherent(), CL_INVALID_OPERATION);
        let queue = gpu.device.create_queue(false)?;
        let ((), value) = queue.record(|recorder| recorder.acquire(&memory));
        queue.wait(value)?;
        mem.reserve_mapping()?;
        Ok(Ref::new(mem))
    }
}
