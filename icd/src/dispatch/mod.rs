//! From C to Rust: the table that ICD loaders call through ([`table`]), and the boundary every
//! entry point crosses ([`boundary`]), which nothing does in forked processes ([`fork`]).

pub mod boundary;
pub mod fork;
pub mod table;
