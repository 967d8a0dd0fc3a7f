//! Records, while a header is read, the result of the reading and what it depends on.

use super::interner::{Interner, StringId, Symbol};
use super::lexer::PpToken;
use super::macros::Macro;
use super::outline::Outline;
use super::reading::{self, Cost, Included, KeptMacro, Reading};
use super::token::{Pragma, Token, TokenKind};
use super::Preprocessor;
use crate::source::{Definition, Expansion, FileId, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The recorder of the headers that are being read.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// The innermost header last.
    recordings: Vec<Recording>,
    /// Every `#include` so far.
    pub inclusions: Vec<Inclusion>,
    /// Look-ups and changes of macro names, in order.
    events: Vec<Event>,
    /// By name, the number of the recording that has noted it last.
    noted: Vec<u32>,
    /// Recordings so far.
    count: u32,
    /// Files that said `#pragma once`, in that order.
    once: Vec<FileId>,
}

/// An `#include`.
#[derive(Debug)]
pub(super) struct Inclusion {
    /// The inclusion in whose text it stands.
    pub from: usize,
    pub name: String,
    pub angled: bool,
    pub found: FileId,
    /// True if the file had said `#pragma once`.
    pub was_once: bool,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// A name was looked up: this macro, or none.
    Asked(Symbol, Option<usize>),
    /// A name was defined or undefined.
    Changed(Symbol),
}

/// A header that is being read: how much there was of everything when that began.
#[derive(Debug)]
struct Recording {
    number: u32,
    /// Texts being read, this one among them.
    files: usize,
    tokens: usize,
    included: usize,
    inclusion: usize,
    events: usize,
    once: usize,
    expansions: usize,
    kept_expansions: usize,
    reports: usize,
    cost: Cost,
    /// True if something happened that a reading cannot tell.
    is_broken: bool,
}

impl Recorder {
    pub fn is_on(&self) -> bool {
        !self.recordings.is_empty()
    }

    /// Gives up the recording: the text depends on more than macros and files, or changes more than those.
    pub fn give_up(&mut self) {
        self.recordings.iter_mut().for_each(|recording| recording.is_broken = true);
    }

    /// A name was looked up; `count` names are known.
    pub fn asked(&mut self, name: Symbol, found: Option<usize>, count: usize) {
        let Some(recording) = self.recordings.last() else { return };
        let index = name.0 as usize;
        if index >= self.noted.len() {
            self.noted.resize(count.max(index + 1), 0);
        }
        if std::mem::replace(&mut self.noted[index], recording.number) != recording.number {
            self.events.push(Event::Asked(name, found));
        }
    }

    pub fn changed(&mut self, name: Symbol) {
        if self.is_on() {
            self.events.push(Event::Changed(name));
        }
    }

    pub fn once(&mut self, file: FileId) {
        self.once.push(file);
    }
}

impl Preprocessor<'_> {
    /// Begins to record the result of the header that is entered next.
    pub(super) fn start_recording(&mut self) {
        self.recorder.count += 1;
        let recorder = &self.recorder;
        let recording = Recording {
            number: recorder.count,
            files: self.files.len() + 1,
            tokens: self.output.len(),
            included: self.included.len(),
            inclusion: recorder.inclusions.len() - 1,
            events: recorder.events.len(),
            once: recorder.once.len(),
            expansions: self.sources.expansions().len(),
            kept_expansions: self.sources.kept_expansions().len(),
            reports: self.reports(),
            cost: self.cost(),
            is_broken: false,
        };
        self.recorder.recordings.push(recording);
    }

    fn reports(&self) -> usize {
        self.diags.errors() + self.diags.warnings()
    }

    /// The text being read ends: keeps what it came to, if that was noted and can be told.
    pub(super) fn end_recording(&mut self) {
        let is_its = |recording: &mut Recording| recording.files == self.files.len();
        let Some(recording) = self.recorder.recordings.pop_if(is_its) else { return };
        let is_good = !recording.is_broken && recording.reports == self.reports();
        if is_good && self.may_replay() {
            self.keep_reading(&recording);
        }
        if !self.recorder.is_on() {
            self.recorder.events.clear();
        }
    }

    /// Puts a reading in the place of the header's tokens, and keeps it for other programs.
    fn keep_reading(&mut self, recording: &Recording) {
        let found = self.recorder.inclusions.get(recording.inclusion).map(|i| i.found);
        let text = found.and_then(|file| self.texts.get(&file).cloned());
        let tokens = self.tokens_since(recording);
        let included = self.reading(recording, &tokens);
        let (Some(text), Some(included)) = (text, included) else { return };
        text.keep(included.reading.clone());
        let within = self.included.drain(recording.included..);
        let within: usize = within.map(|included| included.reading.tokens.len()).sum();
        self.included_tokens = self.included_tokens - within + tokens.len();
        self.output.truncate(recording.tokens);
        self.included.push(included);
    }

    /// Returns the tokens that the header has given, those of readings within it among them.
    fn tokens_since(&self, recording: &Recording) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut at = recording.tokens;
        for included in &self.included[recording.included..] {
            tokens.extend_from_slice(&self.output[at..included.at]);
            included.append_to(0..included.reading.tokens.len(), &mut tokens);
            at = included.at;
        }
        tokens.extend_from_slice(&self.output[at..]);
        tokens
    }

    /// Returns the result of the header. `None` if it has to do with texts that it did not read.
    fn reading(&self, recording: &Recording, tokens: &[Token]) -> Option<Included> {
        let mut made = Maker::new(self, recording);
        let texts: Option<Box<[_]>> =
            made.files.iter().map(|file| Some(self.texts.get(file)?.text.clone())).collect();
        let texts = texts?;
        let inclusions = made.inclusions(recording)?;
        let depth = depth(&inclusions);
        let once = &self.recorder.once[recording.once..];
        let once = once.iter().map(|&file| made.file(file)).collect::<Option<_>>()?;
        let (asked, definitions, changed) = made.events(recording);
        let macros = changed.into_iter().map(|name| made.kept_macro(name));
        let macros = macros.collect::<Option<_>>()?;
        let (expansions, outside) = made.expansions(recording, &definitions)?;
        let tokens = tokens.iter().map(|token| made.token(token)).collect::<Option<Box<[_]>>>()?;
        let outline = Outline::of(&tokens, &made.names);
        let Maker { names, symbols, strings, files, .. } = made;
        let reading = Reading {
            options: self.options_hash,
            names,
            asked,
            texts,
            inclusions,
            once,
            macros,
            tokens,
            outline,
            expansions: expansions.into(),
            outside: outside.into(),
            cost: self.cost().minus(&recording.cost),
            depth,
        };
        let at = recording.tokens;
        Some(Included { at, reading: Arc::new(reading), symbols, strings, files })
    }
}

/// Returns how deep the last of these lies within the others.
fn depth(inclusions: &[reading::Inclusion]) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(inclusions.len());
    for inclusion in inclusions {
        depths.push(depths.get(inclusion.from).map_or(1, |depth| depth + 1));
    }
    depths.into_iter().max().unwrap_or(0)
}

/// Gives names, strings and files the numbers that they have in a reading.
struct Maker<'a, 'b> {
    pp: &'a Preprocessor<'b>,
    names: Interner,
    /// Numbers of the compilation's names; 0 for none yet.
    numbers: Vec<u32>,
    /// The other way round.
    symbols: Vec<Symbol>,
    strings: Vec<StringId>,
    files: Vec<FileId>,
}

impl<'a, 'b> Maker<'a, 'b> {
    fn new(pp: &'a Preprocessor<'b>, recording: &Recording) -> Maker<'a, 'b> {
        let mut files = Vec::new();
        for inclusion in &pp.recorder.inclusions[recording.inclusion..] {
            if !files.contains(&inclusion.found) {
                files.push(inclusion.found);
            }
        }
        let numbers = vec![0; pp.interner.len()];
        let (symbols, strings) = (vec![Symbol::EMPTY], Vec::new());
        Maker { pp, names: Interner::new(), numbers, symbols, strings, files }
    }

    fn name(&mut self, name: Symbol) -> Symbol {
        let number = &mut self.numbers[name.0 as usize];
        if *number == 0 && name != Symbol::EMPTY {
            *number = self.names.intern_known(self.pp.interner, name).0;
            self.symbols.push(name);
        }
        Symbol(*number)
    }

    fn file(&self, file: FileId) -> Option<FileId> {
        let number = self.files.iter().position(|&other| other == file)?;
        Some(FileId(number as u32))
    }

    fn span(&self, span: Span) -> Option<Span> {
        Some(Span { file: self.file(span.file)?, ..span })
    }

    fn token(&mut self, token: &Token) -> Option<Token> {
        let kind = match token.kind {
            TokenKind::Ident(name) => TokenKind::Ident(self.name(name)),
            TokenKind::Str(id) => {
                self.strings.push(id);
                TokenKind::Str(self.names.add_bytes(self.pp.interner.bytes(id).to_vec()))
            }
            TokenKind::Pragma(Pragma::Extension { name, behaviour }) => {
                TokenKind::Pragma(Pragma::Extension { name: self.name(name), behaviour })
            }
            kind => kind,
        };
        Some(Token { kind, span: self.span(token.span)? })
    }

    fn inclusions(&self, recording: &Recording) -> Option<Box<[reading::Inclusion]>> {
        let first = recording.inclusion;
        let once = &self.pp.recorder.once[recording.once..];
        let inclusions = self.pp.recorder.inclusions[first..].iter();
        let kept = inclusions.map(|inclusion| {
            Some(reading::Inclusion {
                from: inclusion.from.wrapping_sub(first),
                name: inclusion.name.clone(),
                angled: inclusion.angled,
                found: self.file(inclusion.found)?,
                was_once: inclusion.was_once && !once.contains(&inclusion.found),
            })
        });
        kept.collect()
    }

    /// Returns the macros that were asked for before the header changed them; where those are defined; and
    /// the macros that it changed.
    #[allow(clippy::type_complexity)]
    fn events(
        &mut self,
        recording: &Recording,
    ) -> (Box<[(Symbol, u64)]>, FxHashMap<Span, Symbol>, Vec<Symbol>) {
        let macros = &self.pp.macros.list;
        let mut seen = vec![false; self.pp.interner.len()];
        let mut is_changed = vec![false; self.pp.interner.len()];
        let (mut asked, mut changed) = (Vec::new(), Vec::new());
        let mut definitions = FxHashMap::default();
        for &event in &self.pp.recorder.events[recording.events..] {
            match event {
                Event::Asked(name, found) => {
                    if !std::mem::replace(&mut seen[name.0 as usize], true) {
                        let found = found.and_then(|index| macros.get(index));
                        let number = self.name(name);
                        asked.push((number, found.map_or(0, |found| found.digest)));
                        definitions.extend(found.map(|found| (found.definition, number)));
                    }
                }
                Event::Changed(name) => {
                    seen[name.0 as usize] = true;
                    if !std::mem::replace(&mut is_changed[name.0 as usize], true) {
                        changed.push(name);
                    }
                }
            }
        }
        (asked.into(), definitions, changed)
    }

    fn kept_macro(&mut self, name: Symbol) -> Option<(Symbol, Option<KeptMacro>)> {
        let number = self.name(name);
        let Some(Macro { form, body, params, has_operators, definition, digest, .. }) =
            self.pp.defined_macro(name)
        else {
            return Some((number, None));
        };
        let kept = KeptMacro {
            form: *form,
            body: body
                .iter()
                .map(|token| PpToken {
                    symbol: self.name(token.symbol),
                    // It gets that of the invocation.
                    span: Span::default(),
                    ..*token
                })
                .collect(),
            params: params.iter().map(|&param| self.name(param)).collect(),
            has_operators: *has_operators,
            definition: self.span(*definition)?,
            digest: *digest,
        };
        Some((number, Some(kept)))
    }

    /// Returns the invocations in the header, and the names of the macros defined elsewhere.
    fn expansions(
        &self,
        recording: &Recording,
        definitions: &FxHashMap<Span, Symbol>,
    ) -> Option<(Vec<Expansion>, Vec<Symbol>)> {
        let mut expansions = Vec::new();
        let mut outside = Vec::new();
        let sources = &self.pp.sources;
        let kept = sources.kept_expansions()[recording.kept_expansions..].iter();
        let own = sources.expansions()[recording.expansions..].iter().copied();
        for (at, definition) in own.chain(kept.flat_map(|kept| kept.iter())) {
            let definition = match self.span(definition) {
                Some(span) => Definition::Inside(span),
                None => {
                    let name = *definitions.get(&definition)?;
                    let known = outside.iter().position(|&other| other == name);
                    let number = known.unwrap_or_else(|| {
                        outside.push(name);
                        outside.len() - 1
                    });
                    Definition::Outside(number as u32)
                }
            };
            expansions.push(Expansion { at: self.span(at)?, definition });
        }
        Some((expansions, outside))
    }
}
