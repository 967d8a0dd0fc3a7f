//! Operating systems: the platform module of the developer commands, and further functions for attacks.

pub mod attack;

pub use hekla_xtask::platform::*;
