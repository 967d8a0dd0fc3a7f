//! The C API, one file per chapter of the specification. Entry points check the arguments that C passes, call the
//! safe objects of [`crate::core`], and do nothing else.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod args;
mod buffer_properties;
mod buffers;
mod command_buffers;
mod commands;
mod contexts;
mod devices;
pub mod dispatch_table;
mod enqueue;
mod events;
mod extensions;
mod external_memory;
mod image_commands;
mod images;
mod kernels;
mod mapping;
mod memory_objects;
mod mutable_commands;
mod native;
mod pipes;
mod platforms;
mod programs;
mod property_list;
mod queues;
mod recordable;
mod recordable_images;
mod recorded_commands;
mod samplers;
mod semaphores;
mod svm;

pub use buffers::*;
pub use command_buffers::*;
pub use commands::*;
pub use contexts::*;
pub use devices::*;
pub use events::*;
pub use extensions::*;
pub use external_memory::*;
pub use image_commands::*;
pub use images::*;
pub use kernels::*;
pub use mapping::*;
pub use memory_objects::*;
pub use mutable_commands::*;
pub use native::*;
pub use pipes::*;
pub use platforms::*;
pub use programs::*;
pub use queues::*;
pub use recorded_commands::*;
pub use samplers::*;
pub use semaphores::*;
pub use svm::*;
