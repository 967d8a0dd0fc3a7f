//! Tokens of header files, kept for the next program of this process that includes them.
//!
//! A text's tokens between two directives are a *run*. The lexer records runs as it reads a file for
//! the first time and plays them back later; directives, and groups that were always skipped, it
//! reads from the text. The memory is bounded.

use super::interner::{Interner, Symbol};
use super::lexer::{flag, PpKind, PpToken};
use super::token::Punct;
use crate::hash::FastMap;
use crate::source::{FileId, Span};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of texts and runs that are kept; when there are more, all are forgotten.
const MAX_BYTES: usize = 32 << 20;

static FILES: Mutex<Files> = Mutex::new(Files { texts: None, bytes: 0 });

struct Files {
    texts: Option<FastMap<PathBuf, Arc<Text>>>,
    bytes: usize,
}

impl Files {
    /// Makes room for so many bytes more.
    fn charge(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes > MAX_BYTES {
            self.texts = None;
            self.bytes = 0;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file's text with the runs that are known.
#[derive(Debug)]
pub(super) struct Text {
    pub text: Arc<str>,
    runs: Mutex<Runs>,
}

#[derive(Debug, Default)]
struct Runs {
    /// By the offset where they start.
    by_start: FastMap<u32, Arc<[Token]>>,
    /// Numbers of names given so far.
    names: u32,
}

/// A token of a run.
#[derive(Debug, Clone, Copy)]
struct Token {
    start: u32,
    len: u16,
    flags: u8,
    kind: PpKind,
    /// Of the name: tokens with one number are spelled alike; 0 is the empty name.
    name: u32,
}

/// The text of a file that holds these bytes now; its runs, if it held them before.
pub(super) fn load(path: &Path, bytes: Vec<u8>) -> Arc<Text> {
    let mut files = lock(&FILES);
    let known = files.texts.as_ref().and_then(|texts| texts.get(path));
    if let Some(text) = known.filter(|text| text.text.as_bytes() == bytes) {
        return text.clone();
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    let text = Arc::new(Text { text: text.into(), runs: Mutex::default() });
    files.charge(text.text.len());
    files.texts.get_or_insert_default().insert(path.to_path_buf(), text.clone());
    text
}

/// Plays and records the runs of one file for one reading of it.
pub(super) struct Replay {
    text: Arc<Text>,
    state: State,
    playing: Vec<PpToken>,
    /// This compilation's symbols of the names, by number; [`UNKNOWN`] until one is met.
    symbols: Vec<Symbol>,
    recorded: Vec<(u32, Vec<PpToken>)>,
}

enum State {
    /// At the start of what may be a run.
    Before,
    /// The next of [`Replay::playing`].
    Playing(usize),
    Recording(u32, Vec<PpToken>),
    /// In tokens that cannot be a run.
    Lost,
}

const UNKNOWN: Symbol = Symbol(u32::MAX);

impl Replay {
    pub fn new(text: Arc<Text>) -> Replay {
        let (playing, symbols, recorded) = (Vec::new(), Vec::new(), Vec::new());
        Replay { text, state: State::Before, playing, symbols, recorded }
    }

    /// The token that is known to come at `pos`, where the lexer stands.
    #[inline]
    pub fn next(&mut self, pos: usize, file: FileId, interner: &mut Interner) -> Option<&PpToken> {
        if let State::Before = self.state {
            let run = lock(&self.text.runs).by_start.get(&(pos as u32)).cloned();
            self.state = match run {
                Some(run) => {
                    self.translate(&run, file, interner);
                    State::Playing(0)
                }
                None => State::Recording(pos as u32, Vec::new()),
            };
        }
        let State::Playing(next) = &mut self.state else { return None };
        *next += 1;
        let token = self.playing.get(*next - 1);
        if token.is_none() {
            // A directive or the end comes, which is read from the text.
            self.state = State::Before;
        }
        token
    }

    /// Makes a run's tokens those of this compilation. All at once: made one by one as they are
    /// asked for, each would be read from memory before it is wholly written.
    fn translate(&mut self, run: &[Token], file: FileId, interner: &mut Interner) {
        let (text, symbols) = (&self.text.text, &mut self.symbols);
        self.playing.clear();
        self.playing.extend(run.iter().map(|token| {
            let end = token.start + u32::from(token.len);
            let index = token.name as usize;
            if index >= symbols.len() {
                symbols.resize(index + 1, UNKNOWN);
                symbols[0] = Symbol::EMPTY;
            }
            if symbols[index] == UNKNOWN {
                let spelling = text.get(token.start as usize..end as usize);
                symbols[index] = interner.intern(spelling.unwrap_or(""));
            }
            let span = Span::new(file, token.start, end);
            PpToken { span, symbol: symbols[index], kind: token.kind, flags: token.flags }
        }));
    }

    /// Where `(` ends, if that is known to come next: it is then read. `None` if nothing is known of
    /// what comes.
    pub fn eat_lparen(&mut self) -> Option<Option<usize>> {
        let State::Playing(next) = &mut self.state else { return None };
        let found = self.playing.get(*next).filter(|token| token.is(Punct::LParen));
        *next += usize::from(found.is_some());
        Some(found.map(|token| token.span.end as usize))
    }

    /// Notes a token that was read from the text.
    #[inline]
    pub fn record(&mut self, token: PpToken, interner: &Interner) {
        let ends = token.is_end() || (token.has(flag::BOL) && token.is(Punct::Hash));
        match &mut self.state {
            State::Recording(start, tokens) if ends => {
                if !tokens.is_empty() {
                    self.recorded.push((*start, std::mem::take(tokens)));
                }
                self.state = State::Before;
            }
            State::Recording(_, tokens) => {
                if self.text.is_spelled(&token, interner) {
                    tokens.push(token);
                } else {
                    self.state = State::Lost;
                }
            }
            State::Lost if ends => self.state = State::Before,
            _ => {}
        }
    }

    /// Gives what was recorded to later readings.
    pub fn publish(&mut self, interner: &Interner) {
        let recorded = std::mem::take(&mut self.recorded);
        if recorded.is_empty() {
            return;
        }
        let mut runs = lock(&self.text.runs);
        let mut numbers = vec![0; interner.len()];
        let mut bytes = 0;
        for (start, tokens) in recorded {
            if runs.by_start.contains_key(&start) {
                continue;
            }
            let token = |token: PpToken| {
                let number = match numbers.get_mut(token.symbol.0 as usize) {
                    Some(number) if token.symbol != Symbol::EMPTY => {
                        if *number == 0 {
                            runs.names += 1;
                            *number = runs.names;
                        }
                        *number
                    }
                    _ => 0,
                };
                let len = (token.span.end - token.span.start) as u16;
                let PpToken { kind, flags, .. } = token;
                Token { start: token.span.start, len, flags, kind, name: number }
            };
            let run: Arc<[Token]> = tokens.into_iter().map(token).collect();
            bytes += std::mem::size_of_val(&run[..]);
            runs.by_start.insert(start, run);
        }
        drop(runs);
        lock(&FILES).charge(bytes);
    }
}

impl Text {
    /// Whether the text has a token as it is spelled, with no splices in it, and it is not too long.
    fn is_spelled(&self, token: &PpToken, interner: &Interner) -> bool {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        let spelling = token.spelling(interner);
        spelling.len() == end - start && spelling.len() <= usize::from(u16::MAX)
    }
}
