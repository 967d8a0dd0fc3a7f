//! What differs between operating systems: that of the developer commands, and what attacks need.

pub mod attack;

pub use hekla_xtask::platform::*;
