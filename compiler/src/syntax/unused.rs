//! Functions that no kernel uses, found by looking at the tokens alone, before they are parsed.
//!
//! Programs include headers of which they use a small part. The bodies of the other functions must
//! be checked, but nothing of them is kept; and a body that was found to be free of diagnostics need
//! not be parsed again, in the next program that has the same declarations before it
//! (`crate::checked`): nothing is left of its tokens but the braces.

use crate::preprocess::outline::{mix, Definition, Digest, Outline};
use crate::preprocess::{Included, Interner, Parts, Reading, Symbol, Token, TokenKind};
use std::ops::Range;

/// The body of a function that no kernel uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedBody {
    /// Its tokens, the braces among them.
    pub tokens: Range<usize>,
    /// Tells it apart from other bodies and the same body after other declarations; 0 if what is
    /// wrong with it may depend on what comes after it.
    pub key: u64,
    /// True if it is known to be free of diagnostics: there is no need to parse it.
    pub is_checked: bool,
}

/// Finds the bodies of the functions that no kernel uses, in their order. The keys depend on `seed`.
pub fn unused_bodies(tokens: &[Token], interner: &Interner, seed: u64) -> Vec<UnusedBody> {
    let outline = Outline::of(tokens, interner);
    let parts = [Part { tokens, outline: &outline, included: None }];
    let uses = Uses::find(&parts, interner.len());
    let body = |(number, definition): (usize, &Definition)| {
        let key = uses.key(Digest::EMPTY, number, definition, seed)?;
        Some(UnusedBody { tokens: definition.body.clone(), key, is_checked: false })
    };
    outline.definitions.iter().enumerate().filter_map(body).collect()
}

/// Returns all tokens of a program but what is between the braces of unused bodies that are known to be good
/// by their keys; and all unused bodies, as [`unused_bodies`] has them.
pub(crate) fn without_checked_bodies(
    parts: Parts,
    interner: &Interner,
    seed: u64,
    is_checked: impl Fn(u64) -> bool,
) -> (Vec<Token>, Vec<UnusedBody>) {
    let own = OwnTokens::of(&parts, interner);
    let list = own.list(&parts);
    let uses = Uses::find(&list, interner.len());
    let (mut tokens, mut bodies) = (Vec::with_capacity(parts.own.len() * 2), Vec::new());
    let (mut number, mut declared) = (0, Digest::EMPTY);
    for part in &list {
        let mut at = 0;
        for definition in &part.outline.definitions {
            let key = uses.key(declared, number, definition, seed);
            number += 1;
            let Some(key) = key else { continue };
            let body = definition.body.clone();
            let is_checked = key != 0 && body.len() >= 2 && is_checked(key);
            part.append_to(at..body.start, &mut tokens);
            let start = tokens.len();
            if is_checked {
                part.append_to(body.start..body.start + 1, &mut tokens);
                part.append_to(body.end - 1..body.end, &mut tokens);
            } else {
                part.append_to(body.clone(), &mut tokens);
            }
            bodies.push(UnusedBody { tokens: start..tokens.len(), key, is_checked });
            at = body.end;
        }
        part.append_to(at..part.tokens.len(), &mut tokens);
        declared = declared.then(part.outline.declared);
    }
    (tokens, bodies)
}

/// How often [`OwnTokens::of`] looks whether a declaration goes on in what is included.
const MAX_LOOKS: usize = 256;

/// A program's own tokens between readings.
struct OwnTokens {
    /// With the readings in which a declaration goes on, or that end in one.
    runs: Vec<(Vec<Token>, Outline)>,
    /// Numbers of the readings that stand between them.
    between: Vec<usize>,
}

impl OwnTokens {
    fn of(parts: &Parts, interner: &Interner) -> OwnTokens {
        let (mut runs, mut between) = (Vec::new(), Vec::new());
        let (mut run, mut at, mut looks) = (Vec::new(), 0, 0);
        for (number, included) in parts.included.iter().enumerate() {
            run.extend_from_slice(&parts.own[at..included.at]);
            at = included.at;
            let outline = (looks < MAX_LOOKS).then(|| Outline::of(&run, interner));
            looks += 1;
            match outline.filter(|o| o.is_closed && included.reading.outline.is_closed) {
                Some(outline) => {
                    runs.push((std::mem::take(&mut run), outline));
                    between.push(number);
                }
                None => included.append_to(0..included.reading.tokens.len(), &mut run),
            }
        }
        run.extend_from_slice(&parts.own[at..]);
        let outline = Outline::of(&run, interner);
        runs.push((run, outline));
        OwnTokens { runs, between }
    }

    /// Own tokens and readings in turn.
    fn list<'a>(&'a self, parts: &'a Parts) -> Vec<Part<'a>> {
        let mut between = self.between.iter();
        let mut list = Vec::with_capacity(2 * self.runs.len());
        for (tokens, outline) in &self.runs {
            list.push(Part { tokens, outline, included: None });
            list.extend(between.next().map(|&number| {
                let included = &parts.included[number];
                let Reading { tokens, outline, .. } = &*included.reading;
                Part { tokens, outline, included: Some(included) }
            }));
        }
        list
    }
}

/// A part of a program's tokens.
struct Part<'a> {
    tokens: &'a [Token],
    outline: &'a Outline,
    /// The reading that it is, which says what its names are.
    included: Option<&'a Included>,
}

impl Part<'_> {
    /// Returns the program's name for one of the part.
    fn symbol(&self, name: Symbol) -> Symbol {
        self.included.map_or(name, |included| included.symbols[name.0 as usize])
    }

    /// Appends some of the part's tokens with the program's names.
    fn append_to(&self, range: Range<usize>, tokens: &mut Vec<Token>) {
        match self.included {
            Some(included) => included.append_to(range, tokens),
            None => tokens.extend_from_slice(&self.tokens[range]),
        }
    }
}

/// No definition.
const NONE: u32 = u32::MAX;

/// Which of a program's definitions are used; they are numbered in their order.
struct Uses {
    used: Vec<bool>,
    /// By definition: its body names itself or one that comes after it.
    looks_ahead: Vec<bool>,
}

impl Uses {
    fn find(parts: &[Part], names: usize) -> Uses {
        // By name its last definition, and by definition the one before it of the same name.
        let mut last = vec![NONE; names];
        let mut before = Vec::new();
        let mut definitions = Vec::new();
        for part in parts {
            for definition in &part.outline.definitions {
                let name = part.symbol(definition.name).0 as usize;
                before.push(std::mem::replace(&mut last[name], before.len() as u32));
                definitions.push((part, definition));
            }
        }
        let mut used: Vec<bool> = definitions.iter().map(|(_, d)| d.is_kernel).collect();
        let mut open = Vec::new();
        let mut mark = |name: Symbol, open: &mut Vec<usize>| {
            let mut next = last[name.0 as usize];
            while next != NONE {
                let number = next as usize;
                if !std::mem::replace(&mut used[number], true) {
                    open.push(number);
                }
                next = before[number];
            }
        };
        for part in parts {
            for token in part.outline.roots.iter().flat_map(|root| &part.tokens[root.clone()]) {
                if let TokenKind::Ident(name) = token.kind {
                    mark(part.symbol(name), &mut open);
                }
            }
        }
        while let Some(number) = open.pop() {
            let (part, definition) = definitions[number];
            definition.names.iter().for_each(|&name| mark(part.symbol(name), &mut open));
        }
        let looks_ahead = |(number, (part, definition)): (usize, &(&Part, &Definition))| {
            definition.names.iter().any(|&name| {
                let last = last[part.symbol(name).0 as usize];
                last != NONE && last as usize >= number
            })
        };
        let looks_ahead = definitions.iter().enumerate().map(looks_ahead).collect();
        Uses { used, looks_ahead }
    }

    /// Returns the key of an unused body (see [`UnusedBody::key`]), `declared` being the digest of what its
    /// part follows; `None` if the function is used, or has to be parsed anyway.
    fn key(
        &self,
        declared: Digest,
        number: usize,
        definition: &Definition,
        seed: u64,
    ) -> Option<u64> {
        if self.used[number] || definition.packs {
            return None;
        }
        // Functions defined after it decide if it is part of a cycle of calls.
        if self.looks_ahead[number] {
            return Some(0);
        }
        let before = declared.then(definition.before).value();
        Some(mix(mix(seed, before), definition.digest.value()).max(1))
    }
}
