//! From C to Rust: the boundary that every entry point crosses ([`boundary`]).

pub mod boundary;
