//! Syntax tree to typed tree: scopes, types, conversions, overloads and constant evaluation.

pub mod hir;
pub mod types;
