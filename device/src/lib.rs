//! Facts about Vulkan devices that follow from their drivers, as plain data: the [quirks] of drivers, which the compiler and
//! the layer on Vulkan both ask for. The crate makes no calls of Vulkan.

pub mod driver;
pub mod matrices;
pub mod quirks;

pub use driver::{Driver, DriverId};
pub use matrices::{MatrixComponent, MatrixProduct};
pub use quirks::{Description, Quirks, DESCRIPTIONS};
