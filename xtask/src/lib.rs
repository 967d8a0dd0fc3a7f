//! The parts of the developer commands, some of which the laboratory (`lab/`) uses: the machine, the built library,
//! Vulkan drivers.

pub mod artifact;
pub mod checks;
pub mod cli;
pub mod demo;
pub mod docs;
pub mod driver;
pub mod header;
mod heard;
pub mod install;
pub mod lab;
mod layering;
pub mod mesa;
pub mod package;
pub mod platform;
pub mod platforms;
pub mod pool;
pub mod random;
pub mod release;
pub mod results;
pub mod sample;
mod size;
pub mod system;
mod system_code;
pub mod test;

/// The result of a command: nothing, or a message for the person who ran it.
pub type Outcome = Result<(), String>;
