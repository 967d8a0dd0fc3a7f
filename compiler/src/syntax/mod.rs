//! Tokens to syntax tree: the parser of OpenCL C (C99 with OpenCL's additions).
//!
//! A recursive descent over the tokens. The one thing that it must know of meaning is which names
//! are types (`scope.rs`); everything else is sema's. A mistake is reported once, in clang's words,
//! and the parser goes on behind it (`parser.rs`), so that a text's mistakes are reported together.
//! Recursion is bounded by [`MAX_NESTING`], the height of the trees by [`MAX_TREE_HEIGHT`].

pub mod ast;
mod attributes;
mod blocks;
mod decl;
mod declarator;
mod expr;
mod keywords;
mod operators;
mod parser;
mod postfix;
mod record;
mod scope;
mod specs;
mod stmt;
pub mod unused;

use crate::options::Options;
use crate::preprocess::{Interner, Token};
use crate::source::Diagnostics;

/// Bound on the height of every tree that the parser builds; deeper input is diagnosed.
pub const MAX_TREE_HEIGHT: u32 = 1500;

/// Links of a chain of binary operators, commas or labels that are nested in each other in the tree. Longer
/// chains are lists there, which do not add to its height, so that chains may have any length.
pub const MAX_NESTED_LINKS: u32 = 32;

/// The same of branches: `if` and `else if`, and the choices of `? :`. SPIR-V has constructs 1023 deep, but
/// lavapipe's compiler does not survive 100 of them.
pub const MAX_NESTED_BRANCHES: usize = 32;

/// Bound on brackets, braces and statements inside each other, as clang's `-fbracket-depth`; also
/// on the pointers, arrays and functions of one declarator.
pub const MAX_NESTING: u32 = 256;

/// Parses a program's tokens.
///
/// Names that are types beforehand are the built-in types of OpenCL C alone. After an error the
/// tree holds what could be understood, with constants 0 in the place of the rest: it is well
/// formed, but no longer the program that was written.
pub fn parse(
    tokens: &[Token],
    interner: &mut Interner,
    diags: &mut Diagnostics,
    options: &Options,
) -> ast::TranslationUnit {
    parse_skipping(tokens, &[], interner, diags, options)
}

/// Like [`parse`], but skips the bodies that are known to be free of diagnostics, and marks the
/// functions that no kernel uses.
pub fn parse_skipping(
    tokens: &[Token],
    unused: &[unused::UnusedBody],
    interner: &mut Interner,
    diags: &mut Diagnostics,
    options: &Options,
) -> ast::TranslationUnit {
    let mut parser = parser::Parser::new(tokens, interner, diags, options);
    parser.unused = unused;
    parser.translation_unit()
}
