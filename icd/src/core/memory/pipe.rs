//! Pipes (5.4): buffers that only kernels read and write, each with a header in front of the packets
//! ([`hekla_compiler::kernel::pipe_header`]).

use super::buffer::Buffer;
use super::host::HostAddress;
use super::properties::MemoryProperties;
use super::MemBase;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::capabilities::PIPE_MAX_PACKET_SIZE;
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use hekla_compiler::kernel::pipe_header;
use std::ops::Deref;
use std::sync::Arc;

/// A pipe.
pub struct Pipe {
    base: MemBase,
    /// The buffer that kernels use as the pipe.
    pub buffer: Ref<Buffer>,
    pub packet_size: u32,
    pub max_packets: u32,
}

impl Deref for Pipe {
    type Target = MemBase;
    fn deref(&self) -> &MemBase {
        &self.base
    }
}

impl Kind for Pipe {
    type Target = _cl_mem;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }

    fn dropped(&mut self, handle: cl_mem) {
        self.base.call_destructors(handle);
    }
}

impl Pipe {
    /// clCreatePipe, without the checks of arguments that are not properties of the pipe.
    pub fn new(
        context: Ref<Context>,
        flags: cl_mem_flags,
        packet_size: u32,
        max_packets: u32,
    ) -> Result<Ref<Pipe>> {
        ensure!(flags & !(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) == 0, CL_INVALID_VALUE);
        let flags = match flags {
            0 => CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS,
            flags => flags,
        };
        ensure!((1..=PIPE_MAX_PACKET_SIZE).contains(&packet_size), CL_INVALID_PIPE_SIZE);
        ensure!(max_packets > 0, CL_INVALID_PIPE_SIZE);
        let too_large = ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        ensure!(max_packets <= pipe_header::MOST_PACKETS, too_large.0);
        let mut bytes: Vec<u8> = pipe_header::new(packet_size, max_packets)
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let size = packet_size as usize * max_packets as usize;
        let total = bytes.len() + size;
        let most = context.devices.iter().map(|device| device.max_allocation()).max();
        ensure!(most.is_some_and(|most| total as u64 <= most), too_large.0);
        bytes.try_reserve_exact(size).map_err(|_| ClError(CL_OUT_OF_HOST_MEMORY))?;
        bytes.resize(total, 0);
        let host = HostAddress(bytes.as_ptr() as usize);
        let contents = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let properties = MemoryProperties::default();
        let buffer = Buffer::new(context.clone(), contents, total, Some(host), properties)?;
        let base = MemBase::new(context, flags, size);
        Ok(Ref::new(Pipe { base, buffer, packet_size, max_packets }))
    }
}
