//! Tokens to syntax tree: the parser of OpenCL C (C99 with OpenCL's additions).

pub mod ast;

/// Bound on the height of every tree that the parser builds; deeper input is diagnosed.
pub const MAX_TREE_HEIGHT: u32 = 1500;
