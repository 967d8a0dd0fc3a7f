//! Tokens to syntax tree: the parser of OpenCL C (C99 with OpenCL's additions).
//!
//! A recursive descent over the tokens. The parser must know which names are types (`scope.rs`); sema
//! checks everything else about meaning. A mistake is reported once, in clang's words, and the parser
//! continues behind it (`parser.rs`), so that all mistakes of a text are reported together.
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

/// The most links of a chain of binary operators, commas or labels that are nested in each other in the tree. Longer
/// chains become lists, which do not add to the tree's height, so that chains may have any length.
pub const MAX_NESTED_LINKS: u32 = 32;

/// The most nested links of a chain of branches: `if` and `else if`, and the choices of `? :`. SPIR-V allows constructs
/// 1023 deep, but lavapipe's compiler crashes at 100 of them.
pub const MAX_NESTED_BRANCHES: usize = 32;

/// The deepest nesting of brackets, braces and statements, like clang's `-fbracket-depth`; also the most
/// pointers, arrays and functions of one declarator.
pub const MAX_NESTING: u32 = 256;

/// Parses a program's tokens.
///
/// At first only the built-in types of OpenCL C are names of types. After an error the tree has the parts
/// that could be parsed, with constants 0 in place of the others: it is well formed, but no longer the
/// program that was written.
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
