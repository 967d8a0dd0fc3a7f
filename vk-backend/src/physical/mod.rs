//! The Vulkan instance, and the properties of devices before they are opened.

mod bfloat16;
mod copy_family;
mod device_file;
mod device_info;
mod dot_products;
mod extensions;
mod external;
mod features;
mod format;
pub(crate) mod found;
mod from_properties;
mod instance;
mod limits;
mod matrices;
mod memory_types;
mod physical_device;
mod properties;
mod shared_image;
mod validation;

pub(crate) use copy_family::CopyFamily;
pub use device_file::{device_file_names, DeviceFile, FileDevice};
pub use device_info::{DeviceInfo, DeviceType, PciBusInfo};
pub use dot_products::DotProducts;
pub use external::{External, MemoryHandles, SemaphoreHandles};
pub(crate) use features::{extensions_to_enable, FeatureChain};
pub use features::{Features, Independence, SubgroupOps};
pub(crate) use format::usage;
pub use format::{Format, FormatSupport, ImageKind, ImageSupport, TexelBufferSupport};
pub use instance::Instance;
pub use limits::{Limits, MemoryInfo};
pub(crate) use limits::{BUFFER_PADDING, BUFFER_USAGE};
pub use memory_types::MemoryKind;
pub(crate) use memory_types::MemoryTypes;
pub use physical_device::PhysicalDevice;
pub(crate) use shared_image::{SharedImage, Sharing};
pub use validation::validation_message_count;
