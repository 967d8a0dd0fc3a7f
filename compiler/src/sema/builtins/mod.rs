//! Calls of built-in functions: the choice of the overload, and the rules for calls in addition to the patterns of
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
