//! The data that one compilation keeps for the next: header files, and the results of preprocessing them.
//!
//! Programs of one application include the same headers: a program of hashcat's has some thousand lines of its own
//! and ten thousand of headers.

pub(super) mod cached_header;
pub(super) mod header_cache;
pub(super) mod recorder;
pub(crate) mod top_level_index;
