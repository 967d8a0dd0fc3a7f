//! The process: its clock, threads for jobs, and what happens when it forks or exits.

pub mod background;
pub mod clock;
pub mod exit;
pub mod fork;
pub mod workers;
