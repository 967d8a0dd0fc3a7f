//! A small layer over Vulkan compute: devices, memory, pipelines, and queues that record at once and
//! order their work by timeline semaphores.
//!
//! The layer knows nothing of OpenCL. Kernels are SPIR-V modules that access memory through 64-bit device addresses
//! ([`Buffer::address`]) in push constants. Images and samplers have places in the one descriptor set of a device ([`Slot`]),
//! whose numbers kernels use. Vulkan 1.2 with `bufferDeviceAddress` and `timelineSemaphore` is required, everything else is
//! used where [`Features`] says that a device has it.
//!
//! Each folder is one stage, and stages use only those listed before them: `physical` (the instance, and the description of a
//! device before it is opened), `device` (the opened device), `memory` (buffers, images), `pipeline`, `sync` (barriers and
//! semaphores), `record` (command buffers), `submit` (queues), `probe`. Beneath them are `config`, the environment,
//! `fault_injection`, `files`, reading files, and `platform`, the operating system. Quirks of drivers come from the crate
//! `hekla-device`.
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

pub mod asm;
mod code;
mod config;
mod device;
mod error;
mod fault_injection;
pub mod files;
mod memory;
mod physical;
mod pipeline;
pub mod platform;
mod probe;
mod record;
mod submit;
mod sync;
mod thread;

pub use hekla_device::Quirks;

pub use config::{has_injected_fault, variable};
pub use device::{
    Binding, ClockCorrelation, CopyLane, Creation, Cuda, CudaContext, Device, FreeLater,
    PipelineDesc, PipelineStore, PoolUse, Precompiled, Priority, SubgroupDemand,
};
pub use error::Error;
pub use memory::{
    AddressMode, Buffer, Component, HostAccess, Image, ImageDesc, ImportedLayout, SamplerDesc,
    SeenPlace, SeenTexels, Slot,
};
pub use physical::found::{Behaviour, FloatControls, FloatOp, FloatTable, FloatWidth, Probe};
pub use physical::{
    device_file_names, validation_message_count, DeviceFile, DeviceInfo, DeviceType, DotProducts,
    External, Features, FileDevice, Format, FormatSupport, ImageKind, ImageSupport, Independence,
    Instance, Limits, MemoryHandles, MemoryInfo, MemoryKind, PciBusInfo, PhysicalDevice,
    SemaphoreHandles, SubgroupOps, TexelBufferSupport,
};
pub use pipeline::Pipeline;
pub use probe::{Defect, Filters, PROBE_BUILD};
pub use record::{
    can_copy, CommandTimes, CopyKernel, CopyRegion, ImageBox, Recorder, Recording, TexelPlace,
    Timestamps,
};
pub use submit::{Queue, QueueOptions, WaitStrategy};
pub use sync::Semaphore;
pub use thread::{block_signals, spawn};
