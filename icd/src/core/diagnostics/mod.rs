//! What the library tells of itself: the log, traces, and dumps of programs.

pub mod dump;
pub mod log;
pub mod trace;
