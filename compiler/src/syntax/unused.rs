//! Functions that no kernel uses, found by looking at the tokens alone, before they are parsed.
//!
//! Programs include headers of which they use a small part. The bodies of the other functions must be
//! checked, but are not kept. A body that is free of diagnostics need not be parsed again in the next
//! program that has the same declarations before it (`crate::verified_bodies`): only the braces of its
//! tokens remain.

use crate::preprocess::cache::top_level_index::{mix, Digest, FunctionDefinition, TopLevelIndex};
use crate::preprocess::{
    CachedHeader, IncludedHeader, Interner, PreprocessedTokens, Symbol, Token, TokenKind,
};
use std::ops::Range;

/// The body of a function that no kernel uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedBody {
    /// The tokens of the body, including the braces.
    pub tokens: Range<usize>,
    /// A key that differs from those of other bodies, and of the same body after other declarations; 0 if
    /// the diagnostics about the body may depend on tokens behind it.
    pub key: u64,
    /// True if the body is known to be free of diagnostics, so that it need not be parsed.
    pub is_verified: bool,
}

/// Finds the bodies of the functions that no kernel uses, in their order. The keys depend on `seed`.
pub fn unused_bodies(tokens: &[Token], interner: &Interner, seed: u64) -> Vec<UnusedBody> {
    let index = TopLevelIndex::of(tokens, interner);
    let segments = [TokenSegment { tokens, index: &index, included: None }];
    let reachability = Reachability::find(&segments, interner.len());
    let body = |(number, definition): (usize, &FunctionDefinition)| {
        let key = reachability.key(Digest::EMPTY, number, definition, seed)?;
        Some(UnusedBody { tokens: definition.body.clone(), key, is_verified: false })
    };
    index.definitions.iter().enumerate().filter_map(body).collect()
}

/// Returns all tokens of a program except those between the braces of unused bodies whose keys are
/// verified; also returns all unused bodies, like [`unused_bodies`].
pub(crate) fn without_verified_bodies(
    preprocessed: PreprocessedTokens,
    interner: &Interner,
    seed: u64,
    is_verified: impl Fn(u64) -> bool,
) -> (Vec<Token>, Vec<UnusedBody>) {
    let own = OwnTokens::of(&preprocessed, interner);
    let list = own.list(&preprocessed);
    let reachability = Reachability::find(&list, interner.len());
    let (mut tokens, mut bodies) = (Vec::with_capacity(preprocessed.own.len() * 2), Vec::new());
    let (mut number, mut declared) = (0, Digest::EMPTY);
    for segment in &list {
        let mut at = 0;
        for definition in &segment.index.definitions {
            let key = reachability.key(declared, number, definition, seed);
            number += 1;
            let Some(key) = key else { continue };
            let body = definition.body.clone();
            let is_verified = key != 0 && body.len() >= 2 && is_verified(key);
            segment.append_to(at..body.start, &mut tokens);
            let start = tokens.len();
            if is_verified {
                segment.append_to(body.start..body.start + 1, &mut tokens);
                segment.append_to(body.end - 1..body.end, &mut tokens);
            } else {
                segment.append_to(body.clone(), &mut tokens);
            }
            bodies.push(UnusedBody { tokens: start..tokens.len(), key, is_verified });
            at = body.end;
        }
        segment.append_to(at..segment.tokens.len(), &mut tokens);
        declared = declared.then(segment.index.declared);
    }
    (tokens, bodies)
}

/// The most times that [`OwnTokens::of`] checks whether a declaration continues in a cached header.
const MAX_LOOKS: usize = 256;

/// A program's own tokens between cached headers.
struct OwnTokens {
    /// The runs of tokens, each with its index. They include cached headers that begin or end inside a declaration.
    runs: Vec<(Vec<Token>, TopLevelIndex)>,
    /// Numbers of the cached headers between the runs.
    between: Vec<usize>,
}

impl OwnTokens {
    fn of(preprocessed: &PreprocessedTokens, interner: &Interner) -> OwnTokens {
        let (mut runs, mut between) = (Vec::new(), Vec::new());
        let (mut run, mut at, mut looks) = (Vec::new(), 0, 0);
        for (number, included) in preprocessed.included.iter().enumerate() {
            run.extend_from_slice(&preprocessed.own[at..included.at]);
            at = included.at;
            let index = (looks < MAX_LOOKS).then(|| TopLevelIndex::of(&run, interner));
            looks += 1;
            match index.filter(|index| index.is_closed && included.header.index.is_closed) {
                Some(index) => {
                    runs.push((std::mem::take(&mut run), index));
                    between.push(number);
                }
                None => included.append_to(0..included.header.tokens.len(), &mut run),
            }
        }
        run.extend_from_slice(&preprocessed.own[at..]);
        let index = TopLevelIndex::of(&run, interner);
        runs.push((run, index));
        OwnTokens { runs, between }
    }

    /// Returns the runs of own tokens and the cached headers between them, in order.
    fn list<'a>(&'a self, preprocessed: &'a PreprocessedTokens) -> Vec<TokenSegment<'a>> {
        let mut between = self.between.iter();
        let mut list = Vec::with_capacity(2 * self.runs.len());
        for (tokens, index) in &self.runs {
            list.push(TokenSegment { tokens, index, included: None });
            list.extend(between.next().map(|&number| {
                let included = &preprocessed.included[number];
                let CachedHeader { tokens, index, .. } = &*included.header;
                TokenSegment { tokens, index, included: Some(included) }
            }));
        }
        list
    }
}

/// A segment of a program's tokens.
struct TokenSegment<'a> {
    tokens: &'a [Token],
    index: &'a TopLevelIndex,
    /// The cached header, if the segment is one; it maps the segment's names.
    included: Option<&'a IncludedHeader>,
}

impl TokenSegment<'_> {
    /// Returns the program's symbol for a name of the segment.
    fn symbol(&self, name: Symbol) -> Symbol {
        self.included.map_or(name, |included| included.symbols[name.0 as usize])
    }

    /// Appends some of the segment's tokens with the program's names.
    fn append_to(&self, range: Range<usize>, tokens: &mut Vec<Token>) {
        match self.included {
            Some(included) => included.append_to(range, tokens),
            None => tokens.extend_from_slice(&self.tokens[range]),
        }
    }
}

/// No definition.
const NONE: u32 = u32::MAX;

/// Finds out which of a program's definitions are used; they are numbered in source order.
struct Reachability {
    is_used: Vec<bool>,
    /// For each definition, true if its body names the definition itself or a later one.
    has_forward_reference: Vec<bool>,
}

impl Reachability {
    fn find(segments: &[TokenSegment], names: usize) -> Reachability {
        // The last definition of each name, and for each definition the previous one of the same name.
        let mut last = vec![NONE; names];
        let mut before = Vec::new();
        let mut definitions = Vec::new();
        for segment in segments {
            for definition in &segment.index.definitions {
                let name = segment.symbol(definition.name).0 as usize;
                before.push(std::mem::replace(&mut last[name], before.len() as u32));
                definitions.push((segment, definition));
            }
        }
        let mut is_used: Vec<bool> = definitions.iter().map(|(_, d)| d.is_kernel).collect();
        let mut open = Vec::new();
        let mut mark = |name: Symbol, open: &mut Vec<usize>| {
            let mut next = last[name.0 as usize];
            while next != NONE {
                let number = next as usize;
                if !std::mem::replace(&mut is_used[number], true) {
                    open.push(number);
                }
                next = before[number];
            }
        };
        for segment in segments {
            for token in segment.index.roots.iter().flat_map(|root| &segment.tokens[root.clone()]) {
                if let TokenKind::Ident(name) = token.kind {
                    mark(segment.symbol(name), &mut open);
                }
            }
        }
        while let Some(number) = open.pop() {
            let (segment, definition) = definitions[number];
            definition.names.iter().for_each(|&name| mark(segment.symbol(name), &mut open));
        }
        let has_forward_reference =
            |(number, (segment, definition)): (usize, &(&TokenSegment, &FunctionDefinition))| {
                definition.names.iter().any(|&name| {
                    let last = last[segment.symbol(name).0 as usize];
                    last != NONE && last as usize >= number
                })
            };
        let has_forward_reference =
            definitions.iter().enumerate().map(has_forward_reference).collect();
        Reachability { is_used, has_forward_reference }
    }

    /// Returns the key of an unused body (see [`UnusedBody::key`]). `declared` is the digest of the tokens before its segment.
    /// Returns `None` if the function is used, or must be parsed for another reason.
    fn key(
        &self,
        declared: Digest,
        number: usize,
        definition: &FunctionDefinition,
        seed: u64,
    ) -> Option<u64> {
        if self.is_used[number] || definition.packs {
            return None;
        }
        // Later definitions decide whether the function is part of a cycle of calls.
        if self.has_forward_reference[number] {
            return Some(0);
        }
        let before = declared.then(definition.before).value();
        Some(mix(mix(seed, before), definition.digest.value()).max(1))
    }
}
