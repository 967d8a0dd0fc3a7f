//! The meaning of names while they are parsed: keywords, types, or neither.

use super::keywords::{BuiltinType, Keyword};
use crate::preprocess::Symbol;
use rustc_hash::FxHashMap;

/// The meaning of an identifier at some place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The program has not declared the name so far; it may be a built-in function.
    Unknown,
    Keyword(Keyword),
    /// A built-in type.
    Type(BuiltinType),
    /// A typedef of the program.
    Typedef,
    /// An object, function or enumerator.
    Ordinary,
}

/// A table of meanings by symbol, with scopes (C99 6.2.1).
#[derive(Debug)]
pub(super) struct SymbolTable {
    meanings: Vec<Meaning>,
    /// The meanings that declarations in the open scopes hide, the latest last.
    hidden: Vec<(Symbol, Meaning)>,
    /// Length of `hidden` at the start of each open scope.
    scopes: Vec<usize>,
    /// Tags declared anywhere, for the message that asks for the missing `struct`.
    tags: FxHashMap<Symbol, &'static str>,
}

impl SymbolTable {
    /// Returns a table at file scope with the initial meanings of names.
    pub fn new(meanings: Vec<Meaning>) -> SymbolTable {
        SymbolTable { meanings, hidden: Vec::new(), scopes: Vec::new(), tags: FxHashMap::default() }
    }

    pub fn meaning(&self, symbol: Symbol) -> Meaning {
        self.meanings.get(symbol.0 as usize).copied().unwrap_or(Meaning::Unknown)
    }

    /// Declares a name in the innermost scope. Keywords stay keywords.
    pub fn declare(&mut self, symbol: Symbol, meaning: Meaning) {
        let Some(entry) = self.meanings.get_mut(symbol.0 as usize) else { return };
        if matches!(entry, Meaning::Keyword(_)) {
            return;
        }
        if !self.scopes.is_empty() {
            self.hidden.push((symbol, *entry));
        }
        *entry = meaning;
    }

    pub fn open_scope(&mut self) {
        self.scopes.push(self.hidden.len());
    }

    pub fn close_scope(&mut self) {
        let start = self.scopes.pop().unwrap_or(0);
        while self.hidden.len() > start {
            if let Some((symbol, meaning)) = self.hidden.pop() {
                if let Some(entry) = self.meanings.get_mut(symbol.0 as usize) {
                    *entry = meaning;
                }
            }
        }
    }

    /// Notes a tag and the word that introduces it.
    pub fn declare_tag(&mut self, symbol: Symbol, word: &'static str) {
        self.tags.entry(symbol).or_insert(word);
    }

    /// Returns `struct`, `union` or `enum` if the name is a tag.
    pub fn tag(&self, symbol: Symbol) -> Option<&'static str> {
        self.tags.get(&symbol).copied()
    }
}
