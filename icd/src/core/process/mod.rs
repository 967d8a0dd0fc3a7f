//! The process: its clock, threads for jobs, and its behaviour at fork and exit.

pub mod background;
pub mod clock;
pub mod exit;
pub mod fork;
pub mod workers;
