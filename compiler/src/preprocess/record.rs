//! Records the result of preprocessing a header and its dependencies, and caches them.

use super::cache::cached_header::{CachedHeader, CachedInclusion, CachedMacro, IncludedHeader};
use super::cache::recorder::{Event, Recording};
use super::cache::top_level_index::TopLevelIndex;
use super::definitions::Macro;
use super::interner::{Interner, StringId, Symbol};
use super::lexer::PpToken;
use super::state::Preprocessor;
use super::token::{Pragma, Token, TokenKind};
use crate::source::{Expansion, FileId, MacroDefinition, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Preprocessor<'_> {
    /// Begins a recording for the header that is read next.
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
            cached_expansions: self.sources.cached_expansions().len(),
            reports: self.reports(),
            usage: self.resource_usage(),
            is_uncacheable: false,
        };
        self.recorder.recordings.push(recording);
    }

    fn reports(&self) -> usize {
        self.diags.errors() + self.diags.warnings()
    }

    /// Ends the recording of the text that ends, if there is one, and caches the result if possible.
    pub(super) fn end_recording(&mut self) {
        let is_its = |recording: &mut Recording| recording.files == self.files.len();
        let Some(recording) = self.recorder.recordings.pop_if(is_its) else { return };
        let is_good = !recording.is_uncacheable && recording.reports == self.reports();
        if is_good && self.can_replay() {
            self.cache_header(&recording);
        }
        if !self.recorder.is_on() {
            self.recorder.events.clear();
        }
    }

    /// Replaces the header's tokens by a cached header, and keeps the cached header for other programs.
    fn cache_header(&mut self, recording: &Recording) {
        let found = self.recorder.inclusions.get(recording.inclusion).map(|i| i.found);
        let text = found.and_then(|file| self.texts.get(&file).cloned());
        let tokens = self.tokens_since(recording);
        let included = self.cached_header(recording, &tokens);
        let (Some(text), Some(included)) = (text, included) else { return };
        text.insert(included.header.clone());
        let within = self.included.drain(recording.included..);
        let within: usize = within.map(|included| included.header.tokens.len()).sum();
        self.included_token_count = self.included_token_count - within + tokens.len();
        self.output.truncate(recording.tokens);
        self.included.push(included);
    }

    /// Returns the tokens of the header, including the tokens of cached headers that it includes.
    fn tokens_since(&self, recording: &Recording) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut at = recording.tokens;
        for included in &self.included[recording.included..] {
            tokens.extend_from_slice(&self.output[at..included.at]);
            included.append_to(0..included.header.tokens.len(), &mut tokens);
            at = included.at;
        }
        tokens.extend_from_slice(&self.output[at..]);
        tokens
    }

    /// Builds the cached header. Returns `None` if it depends on texts that it did not include.
    fn cached_header(&self, recording: &Recording, tokens: &[Token]) -> Option<IncludedHeader> {
        let mut builder = CachedHeaderBuilder::new(self, recording);
        let texts: Option<Box<[_]>> =
            builder.files.iter().map(|file| Some(self.texts.get(file)?.text.clone())).collect();
        let texts = texts?;
        let inclusions = builder.inclusions(recording)?;
        let depth = depth(&inclusions);
        let once = &self.recorder.once[recording.once..];
        let once = once.iter().map(|&file| builder.file(file)).collect::<Option<_>>()?;
        let (macro_dependencies, definitions, changed) = builder.events(recording);
        let macros = changed.into_iter().map(|name| builder.cached_macro(name));
        let macros = macros.collect::<Option<_>>()?;
        let (expansions, external_macros) = builder.expansions(recording, &definitions)?;
        let tokens =
            tokens.iter().map(|token| builder.token(token)).collect::<Option<Box<[_]>>>()?;
        let index = TopLevelIndex::of(&tokens, &builder.names);
        let CachedHeaderBuilder { names, symbols, strings, files, .. } = builder;
        let header = CachedHeader {
            options: self.options_hash,
            names,
            macro_dependencies,
            texts,
            inclusions,
            once,
            macros,
            tokens,
            index,
            expansions: expansions.into(),
            external_macros: external_macros.into(),
            usage: self.resource_usage().minus(&recording.usage),
            depth,
        };
        let at = recording.tokens;
        Some(IncludedHeader { at, header: Arc::new(header), symbols, strings, files })
    }
}

/// Returns the greatest depth of inclusions within each other.
fn depth(inclusions: &[CachedInclusion]) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(inclusions.len());
    for inclusion in inclusions {
        depths.push(depths.get(inclusion.from).map_or(1, |depth| depth + 1));
    }
    depths.into_iter().max().unwrap_or(0)
}

/// Maps names, strings and files to their numbers in a cached header.
struct CachedHeaderBuilder<'a, 'b> {
    pp: &'a Preprocessor<'b>,
    names: Interner,
    /// The numbers in the cached header of the compilation's names; 0 for a name without a number yet.
    numbers: Vec<u32>,
    /// The inverse map.
    symbols: Vec<Symbol>,
    strings: Vec<StringId>,
    files: Vec<FileId>,
}

impl<'a, 'b> CachedHeaderBuilder<'a, 'b> {
    fn new(pp: &'a Preprocessor<'b>, recording: &Recording) -> CachedHeaderBuilder<'a, 'b> {
        let mut files = Vec::new();
        for inclusion in &pp.recorder.inclusions[recording.inclusion..] {
            if !files.contains(&inclusion.found) {
                files.push(inclusion.found);
            }
        }
        let numbers = vec![0; pp.interner.len()];
        let (symbols, strings) = (vec![Symbol::EMPTY], Vec::new());
        CachedHeaderBuilder { pp, names: Interner::new(), numbers, symbols, strings, files }
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

    fn inclusions(&self, recording: &Recording) -> Option<Box<[CachedInclusion]>> {
        let first = recording.inclusion;
        let once = &self.pp.recorder.once[recording.once..];
        let inclusions = self.pp.recorder.inclusions[first..].iter();
        let cached = inclusions.map(|inclusion| {
            Some(CachedInclusion {
                from: inclusion.from.wrapping_sub(first),
                name: inclusion.name.clone(),
                angled: inclusion.angled,
                found: self.file(inclusion.found)?,
                was_once: inclusion.was_once && !once.contains(&inclusion.found),
            })
        });
        cached.collect()
    }

    /// Returns the macros that were queried before the header changed them, the places of their definitions, and the macros
    /// that the header changed.
    #[allow(clippy::type_complexity)]
    fn events(
        &mut self,
        recording: &Recording,
    ) -> (Box<[(Symbol, u64)]>, FxHashMap<Span, Symbol>, Vec<Symbol>) {
        let macros = &self.pp.macros.list;
        let mut seen = vec![false; self.pp.interner.len()];
        let mut is_changed = vec![false; self.pp.interner.len()];
        let (mut macro_dependencies, mut changed) = (Vec::new(), Vec::new());
        let mut definitions = FxHashMap::default();
        for &event in &self.pp.recorder.events[recording.events..] {
            match event {
                Event::MacroQueried(name, found) => {
                    if !std::mem::replace(&mut seen[name.0 as usize], true) {
                        let found = found.and_then(|index| macros.get(index));
                        let number = self.name(name);
                        macro_dependencies.push((number, found.map_or(0, |found| found.digest)));
                        definitions.extend(found.map(|found| (found.definition, number)));
                    }
                }
                Event::MacroChanged(name) => {
                    seen[name.0 as usize] = true;
                    if !std::mem::replace(&mut is_changed[name.0 as usize], true) {
                        changed.push(name);
                    }
                }
            }
        }
        (macro_dependencies.into(), definitions, changed)
    }

    fn cached_macro(&mut self, name: Symbol) -> Option<(Symbol, Option<CachedMacro>)> {
        let number = self.name(name);
        let Some(Macro { form, body, params, has_operators, definition, digest, .. }) =
            self.pp.defined_macro(name)
        else {
            return Some((number, None));
        };
        let cached = CachedMacro {
            form: *form,
            body: body
                .iter()
                .map(|token| PpToken {
                    symbol: self.name(token.symbol),
                    // Tokens of a body get the span of the invocation later.
                    span: Span::default(),
                    ..*token
                })
                .collect(),
            params: params.iter().map(|&param| self.name(param)).collect(),
            has_operators: *has_operators,
            definition: self.span(*definition)?,
            digest: *digest,
        };
        Some((number, Some(cached)))
    }

    /// Returns the invocations in the header, and the names of the macros defined elsewhere.
    fn expansions(
        &self,
        recording: &Recording,
        definitions: &FxHashMap<Span, Symbol>,
    ) -> Option<(Vec<Expansion>, Vec<Symbol>)> {
        let mut expansions = Vec::new();
        let mut external_macros = Vec::new();
        let sources = &self.pp.sources;
        let cached = sources.cached_expansions()[recording.cached_expansions..].iter();
        let own = sources.expansions()[recording.expansions..].iter().copied();
        for (at, definition) in own.chain(cached.flat_map(|cached| cached.iter())) {
            let definition = match self.span(definition) {
                Some(span) => MacroDefinition::Inside(span),
                None => {
                    let name = *definitions.get(&definition)?;
                    let known = external_macros.iter().position(|&other| other == name);
                    let number = known.unwrap_or_else(|| {
                        external_macros.push(name);
                        external_macros.len() - 1
                    });
                    MacroDefinition::External(number as u32)
                }
            };
            expansions.push(Expansion { at: self.span(at)?, definition });
        }
        Some((expansions, external_macros))
    }
}
