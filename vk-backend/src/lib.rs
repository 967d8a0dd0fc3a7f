//! A small safe layer over Vulkan compute: devices, memory, pipelines, and queues that record at once
//! and order their work by timeline semaphores.
//!
//! The layer knows nothing of OpenCL. Kernels are SPIR-V modules that reach memory through 64-bit
//! device addresses ([`Buffer::address`]) handed over in push constants; there are no descriptor
//! sets. Vulkan 1.2 with `bufferDeviceAddress` and `timelineSemaphore` is the floor, everything else
//! is used where [`Features`] says that it is there.
//!
//! ```no_run
//! use hekla_vk_backend::{Device, Instance, MemoryKind};
//! # fn main() -> Result<(), hekla_vk_backend::Error> {
//! let instance = Instance::load()?;
//! let physical = instance.physical_devices().into_iter().find(|p| p.info.refusal.is_none());
//! let device = Device::open(&physical.expect("a usable device"))?;
//! let buffer = device.create_buffer(4096, MemoryKind::Device)?;
//! let queue = device.create_queue(false)?;
//! let ((), value) = queue.record(|r| r.fill(&buffer, 0, 4096, 0));
//! queue.wait(value)?;
//! # Ok(()) }
//! ```
//!
//! Threads are started only to help with large copies. All objects are `Send + Sync`; each keeps what it needs alive, so
//! they may be dropped in any order.
#![warn(missing_docs)]
#![deny(clippy::undocumented_unsafe_blocks)]

pub mod asm;
mod batch;
mod buffer;
mod clock;
mod code;
mod copy;
mod copy_kernel;
mod device;
mod error;
mod external;
mod features;
mod import;
mod instance;
mod limits;
mod marks;
mod memory;
mod physical;
mod pipeline;
mod pipeline_store;
mod priority;
mod probe;
mod queue;
mod record;
mod recording;
mod sabotage;
mod semaphore;
mod timeline;
mod validation;

pub use batch::{CommandTimes, Timestamps};
pub use buffer::Buffer;
pub use clock::ClockCorrelation;
pub use copy_kernel::CopyKernel;
pub use device::Device;
pub use error::Error;
pub use external::{External, MemoryHandles, SemaphoreHandles};
pub use features::{Features, Independence, SubgroupOps};
pub use instance::Instance;
pub use limits::{Limits, MemoryInfo};
pub use memory::{MemoryKind, PoolUse, Reach};
pub use physical::{DeviceInfo, DeviceType, PciBusInfo, PhysicalDevice};
pub use pipeline::{Pipeline, PipelineDesc};
pub use pipeline_store::{Creation, PipelineStore};
pub use priority::Priority;
pub use probe::Probe;
pub use queue::{Patience, Queue, QueueOptions};
pub use record::{CopyRegion, Recorder};
pub use recording::Recording;
pub use semaphore::Semaphore;
pub use validation::validation_message_count;
