//! Buffers: device memory with an address, and the host's access to it.

mod buffer;
mod host_copy;
mod import_fd;

pub use buffer::{Buffer, HostAccess};
