//! The process: its clock, and what happens when it forks or exits.

pub mod clock;
pub mod exit;
pub mod fork;
