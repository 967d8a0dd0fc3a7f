//! The process: its clock, its threads, and what happens when it forks or exits.

pub mod clock;
pub mod exit;
pub mod fork;
pub mod thread;
