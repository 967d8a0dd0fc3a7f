//! Operating systems: the platform module of the developer commands, and what attacks need besides.

pub mod attack;

pub use hekla_xtask::platform::*;
