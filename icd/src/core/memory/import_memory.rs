//! Buffers of memory that is imported and never copied (cl_arm_import_memory), on devices whose memory is the host's.
//!
//! Nobody acquires and releases such memory: what others write is there when a command begins, as what the host writes is,
//! since the memory is the host's and coherent.

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
    /// CL_INVALID_OPERATION where nothing is mapped, for bytes of which another object has some, and where the devices of the
    /// context do not have all of the host's memory in common with it.
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

    /// Returns a buffer of the memory of a dma_buf, which stays the application's: its first bytes, or all of them
    /// (CL_IMPORT_TYPE_DMA_BUF_ARM).
    ///
    /// # Errors
    /// CL_INVALID_VALUE for what is no open descriptor; CL_INVALID_OPERATION for one of something else, and where the context
    /// has several devices or its device does not import such memory as the host's; CL_INVALID_BUFFER_SIZE for more bytes
    /// than it has.
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
            // An import that failed has left the descriptor.
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
