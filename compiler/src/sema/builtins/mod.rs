//! Calls of built-in functions: which overload a call means, and what calls must fulfil beside the patterns of
//! [`crate::builtins`].
//!
//! A call chooses among all instances of a function's patterns the one whose parameters need the cheapest
//! conversions.

mod atomics;
mod device_queue;
mod pipes;
mod printf;
mod resolve;
mod spaces;
mod special;
mod unavailable;
