//! Functions that no kernel uses, found by looking at the tokens alone, before they are parsed.
//!
//! Programs include headers of which they use a small part. The bodies of the other functions must
//! be checked, but nothing of them is kept; and a body that was found to be free of diagnostics need
//! not be parsed again, in the next program that has the same declarations before it
//! (`crate::checked`).
//!
//! The scan need not understand declarations. What it does not recognize as a function it takes to
//! be used, with all that is named in it.

use crate::hash::FastMap;
use crate::preprocess::{Interner, Pragma, Punct, Symbol, Token, TokenKind};
use std::ops::Range;

/// The body of a function that no kernel uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedBody {
    /// Its tokens, the braces among them.
    pub tokens: Range<usize>,
    /// Tells it apart from other bodies and the same body after other declarations; 0 if what is
    /// wrong with it may depend on what comes after it.
    pub key: u64,
    /// It is known to be free of diagnostics: there is no need to parse it.
    pub is_checked: bool,
}

/// A definition of a function as far as the scan understands it.
struct Definition {
    body: Range<usize>,
    /// Hash of the body and of all that stands before it at file scope.
    key: u64,
    /// Holds `#pragma pack`, whose effect does not end with the body.
    packs: bool,
    used: bool,
}

/// Finds the bodies of the functions that no kernel uses, in their order. The keys depend on `seed`.
pub fn unused_bodies(tokens: &[Token], interner: &Interner, seed: u64) -> Vec<UnusedBody> {
    let mut scan = Scan {
        tokens,
        interner,
        definitions: Vec::new(),
        by_name: FastMap::default(),
        roots: Vec::new(),
        declared: seed,
    };
    scan.file_scope();
    scan.mark_used();
    scan.unused()
}

struct Scan<'a> {
    tokens: &'a [Token],
    interner: &'a Interner,
    definitions: Vec<Definition>,
    /// The definitions that a name may stand for.
    by_name: FastMap<Symbol, Vec<usize>>,
    /// Tokens whose names are used.
    roots: Vec<Range<usize>>,
    /// Hash of what stands at file scope so far.
    declared: u64,
}

impl Scan<'_> {
    fn is(&self, at: usize, punct: Punct) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Punct(punct))
    }

    fn name(&self, at: usize) -> Option<Symbol> {
        match self.tokens.get(at)?.kind {
            TokenKind::Ident(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn file_scope(&mut self) {
        let (mut head, mut at) = (0, 0);
        while at < self.tokens.len() {
            if self.is(at, Punct::LBrace) {
                let end = self.closing_brace(at);
                match self.function_name(head..at) {
                    Some(name) => {
                        self.define(name, head, at..end);
                        head = end;
                    }
                    None => {
                        self.roots.push(at..end);
                        self.declare(at..end);
                    }
                }
                at = end;
            } else {
                self.declare(at..at + 1);
                at += 1;
                if self.is(at - 1, Punct::Semi) {
                    head = at;
                }
            }
        }
    }

    fn declare(&mut self, range: Range<usize>) {
        let tokens = self.tokens.get(range).unwrap_or(&[]);
        self.declared = hash(self.declared, tokens, self.interner);
    }

    /// Behind the brace that closes the one at `open`.
    fn closing_brace(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for (i, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => {
                    depth -= 1;
                    if depth == 0 {
                        return i + 1;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// The function that is defined when a brace follows this: the one name before a parenthesis
    /// that is not itself in parentheses. `None` if that is not clear.
    fn function_name(&self, head: Range<usize>) -> Option<Symbol> {
        if !self.is(head.end.checked_sub(1)?, Punct::RParen) {
            return None;
        }
        let mut found = None;
        let mut depth = 0usize;
        for i in head {
            match self.tokens[i].kind {
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => {
                    depth = depth.checked_sub(1)?;
                }
                TokenKind::Punct(Punct::Eq | Punct::Comma) if depth == 0 => return None,
                TokenKind::Ident(name) if depth == 0 && self.is(i + 1, Punct::LParen) => {
                    if matches!(self.interner.resolve(name), "__attribute__" | "__attribute") {
                        continue;
                    }
                    if found.replace(name).is_some() {
                        return None;
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn define(&mut self, name: Symbol, head: usize, body: Range<usize>) {
        let tokens = self.tokens.get(body.clone()).unwrap_or(&[]);
        let is_kernel = (head..body.start).any(|i| {
            let text = self.name(i).map(|name| self.interner.resolve(name));
            matches!(text, Some("kernel" | "__kernel"))
        });
        if is_kernel {
            self.roots.push(body.clone());
        }
        let packs =
            tokens.iter().any(|token| matches!(token.kind, TokenKind::Pragma(Pragma::Pack(_))));
        let key = hash(self.declared, tokens, self.interner).max(1);
        self.by_name.entry(name).or_default().push(self.definitions.len());
        self.definitions.push(Definition { body, key, packs, used: is_kernel });
    }

    /// Marks what the roots use, and what that uses.
    fn mark_used(&mut self) {
        let mut open = std::mem::take(&mut self.roots);
        while let Some(range) = open.pop() {
            for i in range {
                let Some(used) = self.name(i).and_then(|name| self.by_name.get(&name)) else {
                    continue;
                };
                for &index in used {
                    let definition = &mut self.definitions[index];
                    if !std::mem::replace(&mut definition.used, true) {
                        open.push(definition.body.clone());
                    }
                }
            }
        }
    }

    fn unused(&self) -> Vec<UnusedBody> {
        let unused = self.definitions.iter().enumerate();
        let unused = unused.filter(|(_, definition)| !definition.used && !definition.packs);
        let body = |(index, definition): (usize, &Definition)| {
            // Whether it is part of a cycle of calls depends on functions defined after it.
            let forward = definition.body.clone().any(|i| {
                let named = self.name(i).and_then(|name| self.by_name.get(&name));
                named.is_some_and(|named| named.last() >= Some(&index))
            });
            let key = if forward { 0 } else { definition.key };
            UnusedBody { tokens: definition.body.clone(), key, is_checked: false }
        };
        unused.map(body).collect()
    }
}

/// Hash of tokens after what `state` is the hash of. Their places do not count.
fn hash(state: u64, tokens: &[Token], interner: &Interner) -> u64 {
    tokens.iter().fold(state, |state, token| match token.kind {
        TokenKind::Ident(symbol) => mix(state, interner.hash(symbol)),
        TokenKind::Punct(punct) => mix(state, 1 << 56 | punct as u64),
        TokenKind::Int { value, unsigned, longs, decimal } => {
            let kind = u64::from(unsigned) | u64::from(decimal) << 1 | u64::from(longs) << 2;
            mix(mix(state, 2 << 56 | kind), value)
        }
        TokenKind::Float { value, single, suffix } => {
            let state = mix(state, 3 << 56 | (suffix as u64) << 32 | u64::from(single.to_bits()));
            mix(state, value.to_bits())
        }
        TokenKind::Char(value) => mix(mix(state, 4 << 56), value as u64),
        TokenKind::Str(id) => {
            let bytes = interner.bytes(id);
            let state = mix(state, 5 << 56 | bytes.len() as u64);
            bytes.iter().fold(state, |state, &byte| mix(state, u64::from(byte)))
        }
        TokenKind::Pragma(pragma) => {
            let text = match pragma {
                Pragma::Extension { name, behaviour } => {
                    format!("{} {behaviour:?}", interner.resolve(name))
                }
                other => format!("{other:?}"),
            };
            let state = mix(state, 6 << 56 | text.len() as u64);
            text.bytes().fold(state, |state, byte| mix(state, u64::from(byte)))
        }
        TokenKind::Eof => state,
    })
}

/// One step of a hash: the product's halves folded.
fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ ((product >> 64) as u64) ^ state.rotate_left(17)
}
