//! From C to Rust: the table that ICD loaders call through ([`table`]), and the boundary every
//! entry point crosses ([`boundary`]).

pub mod boundary;
pub mod table;
