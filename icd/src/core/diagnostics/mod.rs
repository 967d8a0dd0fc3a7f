//! Diagnostics: the log, traces, and dumps of programs.

pub mod dump;
pub mod log;
pub mod trace;
