//! The opened device: its Vulkan queues, its memory, and the state that everything made from it shares.
//!
//! The methods that make buffers, pipelines, semaphores and queues are in later stages, beside the types that they make.

mod clock;
mod compile_device;
mod cuda_context;
mod descriptor_table;
mod extension_functions;
mod fault_report;
mod heap;
mod host_visibility;
mod incoherent;
mod kept_resources;
mod opened;
mod pipeline_store;
mod priority;
mod queue_families;
mod silent_loss;
mod stalls;
mod tick_counter;

pub use clock::ClockCorrelation;
pub use cuda_context::{Cuda, CudaContext};
pub(crate) use descriptor_table::create_set_layout;
pub use descriptor_table::Binding;
pub(crate) use descriptor_table::ROW;
pub(crate) use extension_functions::MarkerWriter;
pub use heap::{FreeLater, PoolUse};
pub(crate) use heap::{Memory, Resource};
pub(crate) use kept_resources::{Keepable, Kept};
pub use opened::Device;
pub use pipeline_store::{Creation, PipelineDesc, PipelineStore, Precompiled, SubgroupDemand};
pub use priority::Priority;
pub use queue_families::CopyLane;
pub(crate) use queue_families::QueueFamily;
pub(crate) use stalls::Waited;
