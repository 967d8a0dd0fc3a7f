//! The top-level index of a list of tokens: the functions that it defines, their places, and the other tokens at file scope,
//! as far as a scan without parsing finds them.
//!
//! The scan need not understand declarations. Tokens that it does not recognize as a function are a
//! *root*: all names in them count as used.

use crate::preprocess::interner::{Interner, Symbol};
use crate::preprocess::token::{Pragma, Punct, Token, TokenKind};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::OnceLock;

/// The items at file scope.
#[derive(Debug)]
pub struct TopLevelIndex {
    /// The function definitions, in source order.
    pub definitions: Vec<FunctionDefinition>,
    /// Tokens whose names are used: the bodies of kernels, and braces that do not belong to a function.
    pub roots: Vec<Range<usize>>,
    /// The digest of all tokens at file scope.
    pub declared: Digest,
    /// True if the tokens end behind a complete declaration.
    pub is_closed: bool,
}

/// The definition of a function as far as the scan understands it.
#[derive(Debug)]
pub struct FunctionDefinition {
    pub name: Symbol,
    pub is_kernel: bool,
    /// The tokens of the body, including its braces.
    pub body: Range<usize>,
    /// The digest of the tokens at file scope before the body.
    pub before: Digest,
    /// The digest of the body.
    pub digest: Digest,
    /// The names in the body, each once.
    pub names: Box<[Symbol]>,
    /// True if the body has `#pragma pack`, whose effect does not end with the body.
    pub packs: bool,
}

impl TopLevelIndex {
    /// Scans tokens whose names are symbols of `interner`.
    pub fn of(tokens: &[Token], interner: &Interner) -> TopLevelIndex {
        let mut scan = Scan {
            tokens,
            interner,
            definitions: Vec::new(),
            roots: Vec::new(),
            declared: Digest::EMPTY,
            seen: vec![0; interner.len()],
        };
        let is_closed = scan.file_scope();
        let Scan { definitions, roots, declared, .. } = scan;
        TopLevelIndex { definitions, roots, declared, is_closed }
    }
}

struct Scan<'a> {
    tokens: &'a [Token],
    interner: &'a Interner,
    definitions: Vec<FunctionDefinition>,
    roots: Vec<Range<usize>>,
    declared: Digest,
    /// Indexed by name: the last definition, counted from 1, that names it.
    seen: Vec<u32>,
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

    /// Scans the declarations at file scope. Returns true if the last one is complete.
    fn file_scope(&mut self) -> bool {
        let (mut head, mut at) = (0, 0);
        let mut is_open = false;
        while at < self.tokens.len() {
            if self.is(at, Punct::LBrace) {
                let closed = self.closing_brace(at);
                is_open = closed.is_none();
                let end = closed.unwrap_or(self.tokens.len());
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
        !is_open && head == self.tokens.len()
    }

    fn declare(&mut self, range: Range<usize>) {
        let tokens = self.tokens.get(range).unwrap_or(&[]);
        self.declared.extend(tokens, self.interner);
    }

    /// Returns the index after the brace that closes the one at `open`.
    fn closing_brace(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (i, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(i + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the name of the function that is defined if a brace follows `head`: the only name before a
    /// parenthesis that is not itself in parentheses. `None` if that is not clear.
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
        let mut digest = Digest::EMPTY;
        digest.extend(tokens, self.interner);
        let names = self.names(tokens);
        let before = self.declared;
        self.definitions.push(FunctionDefinition {
            name,
            is_kernel,
            body,
            before,
            digest,
            names,
            packs,
        });
    }

    /// Returns the names in the body of the next definition.
    fn names(&mut self, body: &[Token]) -> Box<[Symbol]> {
        let stamp = self.definitions.len() as u32 + 1;
        let is_new = |token: &Token| match token.kind {
            TokenKind::Ident(name) => {
                let seen = self.seen.get_mut(name.0 as usize)?;
                (std::mem::replace(seen, stamp) != stamp).then_some(name)
            }
            _ => None,
        };
        body.iter().filter_map(is_new).collect()
    }
}

/// A hash of a sequence of tokens without their places in the text. The hash of two adjacent sequences follows from their
/// hashes, so it does not matter in which parts a text was read. It is a polynomial of the tokens, modulo
/// [`Digest::PRIME`], at a random point, so it is valid only within one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    value: u64,
    /// The random point to the power of the sequence's length.
    scale: u64,
}

impl Digest {
    /// The digest of no tokens.
    pub const EMPTY: Digest = Digest { value: 0, scale: 1 };

    const PRIME: u64 = (1 << 61) - 1;

    /// Returns the digest of this sequence followed by the other.
    pub fn then(self, next: Digest) -> Digest {
        let value = Digest::reduce(Digest::multiply(self.value, next.scale) + next.value);
        Digest { value, scale: Digest::multiply(self.scale, next.scale) }
    }

    /// Returns a number that differs from that of any other sequence, with high probability.
    pub fn value(self) -> u64 {
        mix(self.value, self.scale)
    }

    fn extend(&mut self, tokens: &[Token], interner: &Interner) {
        static PLACE: OnceLock<u64> = OnceLock::new();
        let place = *PLACE.get_or_init(|| Digest::reduce(RandomState::new().hash_one(0)));
        for token in tokens {
            let word = Digest::reduce(hash(token, interner));
            self.value = Digest::reduce(Digest::multiply(self.value, place) + word);
            self.scale = Digest::multiply(self.scale, place);
        }
    }

    fn multiply(a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        Digest::reduce((product as u64 & Digest::PRIME) + (product >> 61) as u64)
    }

    /// Returns the remainder of any number.
    fn reduce(n: u64) -> u64 {
        let n = (n & Digest::PRIME) + (n >> 61);
        if n >= Digest::PRIME {
            n - Digest::PRIME
        } else {
            n
        }
    }
}

/// Returns the hash of a token without its place in the text.
fn hash(token: &Token, interner: &Interner) -> u64 {
    match token.kind {
        TokenKind::Ident(symbol) => mix(0, interner.hash(symbol)),
        TokenKind::Punct(punct) => mix(1, punct as u64),
        TokenKind::Int { value, unsigned, longs, decimal } => {
            let kind = u64::from(unsigned) | u64::from(decimal) << 1 | u64::from(longs) << 2;
            mix(mix(2, kind), value)
        }
        TokenKind::Float { value, single, suffix } => {
            let state = mix(3, (suffix as u64) << 32 | u64::from(single.to_bits()));
            mix(state, value.to_bits())
        }
        TokenKind::Char(value) => mix(4, value as u64),
        TokenKind::Str(id) => mix_bytes(5, interner.bytes(id)),
        TokenKind::Pragma(pragma) => {
            let text = match pragma {
                Pragma::Extension { name, behaviour } => {
                    format!("{} {behaviour:?}", interner.resolve(name))
                }
                other => format!("{other:?}"),
            };
            mix_bytes(6, text.as_bytes())
        }
        TokenKind::Eof => 7,
    }
}

fn mix_bytes(state: u64, bytes: &[u8]) -> u64 {
    let state = mix(state, bytes.len() as u64);
    bytes.iter().fold(state, |state, &byte| mix(state, u64::from(byte)))
}

/// Does one step of a hash: folds the product's halves.
pub(crate) fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ ((product >> 64) as u64) ^ state.rotate_left(17)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn digests_of_parts_make_that_of_the_whole() {
        let interner = Interner::new();
        let token = |value: i64| Token { kind: TokenKind::Char(value), span: Span::default() };
        let tokens: Vec<Token> = (0..9).map(token).collect();
        let digest = |tokens: &[Token]| {
            let mut digest = Digest::EMPTY;
            digest.extend(tokens, &interner);
            digest
        };
        let whole = digest(&tokens);
        for middle in 0..=tokens.len() {
            assert_eq!(digest(&tokens[..middle]).then(digest(&tokens[middle..])), whole);
        }
        assert_ne!(digest(&tokens[1..]), whole);
        assert_ne!(digest(&tokens[..8]), whole);
    }
}
