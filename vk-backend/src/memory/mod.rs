//! Buffers and images: device memory, the host's access to it, and the slots whose numbers kernels use for images.

mod buffer;
mod host_copy;
mod image;
mod import_fd;
mod import_image;
mod slot;

pub use buffer::{Buffer, HostAccess};
pub use image::{Component, Image, ImageDesc};
pub use import_image::ImportedLayout;
pub use slot::{AddressMode, SamplerDesc, SeenPlace, SeenTexels, Slot};
