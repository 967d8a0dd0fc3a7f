//! From text to tokens: translation phases 2 to 6 of C99 5.1.1.2 with OpenCL C's predefined macros.
//!
//! ```text
//! text --lexer--> preprocessing tokens --directives, macro expansion--> --literals--> tokens
//! ```
//!
//! Everything is bounded: the depth of includes and of nested invocations, the text read, and the
//! tokens that macros expand to.

pub(crate) mod cache;
mod condition;
mod definitions;
mod directive;
mod expand;
mod include;
mod interner;
mod lexer;
mod limits;
mod macros;
mod number;
mod paste;
mod pragma;
mod predefined;
mod record;
mod replay;
mod state;
mod string;
mod token;

pub(crate) use cache::cached_header::{CachedHeader, IncludedHeader};
pub use include::read_header;
pub use interner::{Interner, StringId, Symbol};
pub use token::{ExtensionBehaviour, FloatSuffix, FpContract, Pragma, Punct, Token, TokenKind};

use crate::options::Options;
use crate::source::Source;
use crate::source::{Diagnostics, SourceMap, Span};
use cache::recorder;
use lexer::{flag, PpKind, PpToken};
use limits::MAX_TOKENS;
use rustc_hash::{FxHashMap, FxHashSet};
use state::{Names, Preprocessor};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The tokens of a program in segments: its own, and between them the tokens of cached headers.
#[derive(Debug)]
pub(crate) struct PreprocessedTokens {
    pub own: Vec<Token>,
    /// Ordered by position.
    pub included: Vec<IncludedHeader>,
}

impl PreprocessedTokens {
    /// Returns all tokens in their order.
    pub fn flatten(self) -> Vec<Token> {
        if self.included.is_empty() {
            return self.own;
        }
        let included = self.included.iter().map(|included| included.header.tokens.len());
        let mut tokens = Vec::with_capacity(self.own.len() + included.sum::<usize>());
        let mut at = 0;
        for included in &self.included {
            tokens.extend_from_slice(&self.own[at..included.at]);
            included.append_to(0..included.header.tokens.len(), &mut tokens);
            at = included.at;
        }
        tokens.extend_from_slice(&self.own[at..]);
        tokens
    }
}

/// Preprocesses a program.
///
/// `predefined` holds names and values of the macros for the device's features (`cl_khr_fp64`,
/// `__IMAGE_SUPPORT__`, `__opencl_c_int64`, ...); the constants of OpenCL C, the version macros and the macros of options
/// are defined here. The result ends with one [`TokenKind::Eof`], also if there were errors.
pub fn preprocess(
    main: &Source,
    options: &Options,
    predefined: &[(String, String)],
    sources: &mut SourceMap,
    interner: &mut Interner,
    diags: &mut Diagnostics,
) -> Vec<Token> {
    preprocess_segments(main, options, predefined, sources, interner, diags).flatten()
}

/// Like [`preprocess`], with the tokens in segments.
pub(crate) fn preprocess_segments(
    main: &Source,
    options: &Options,
    predefined: &[(String, String)],
    sources: &mut SourceMap,
    interner: &mut Interner,
    diags: &mut Diagnostics,
) -> PreprocessedTokens {
    let names = Names {
        defined: interner.intern("defined"),
        va_args: interner.intern("__VA_ARGS__"),
        pragma: interner.intern("_Pragma"),
    };
    let mut preprocessor = Preprocessor {
        headers: &main.headers,
        options_hash: hash_of(options),
        main_name: &main.name,
        options,
        sources,
        interner,
        diags,
        names,
        features: predefined::Features::new(options, predefined),
        files: Vec::new(),
        contexts: Vec::new(),
        macros: definitions::Macros::default(),
        loaded: FxHashMap::default(),
        texts: FxHashMap::default(),
        once: FxHashSet::default(),
        recorder: recorder::Recorder::default(),
        included: Vec::new(),
        included_token_count: 0,
        text_read: 0,
        expanded: 0,
        spelled: 0,
        depth: 0,
        in_arguments: 0,
        counter: 0,
        pack: vec![0],
        output: Vec::with_capacity(main.text.len() / 4 + 16),
        string: None,
    };
    preprocessor.run(main, predefined);
    PreprocessedTokens { own: preprocessor.output, included: preprocessor.included }
}

/// Returns a hash of the options except those for macros and include directories.
fn hash_of(options: &Options) -> u64 {
    let macros = Vec::new();
    let options = Options { macros, include_dirs: Vec::new(), ..options.clone() };
    // The hash distinguishes cached headers, for which FxHasher is too weak.
    let mut hasher = DefaultHasher::new();
    options.hash(&mut hasher);
    hasher.finish()
}

impl Preprocessor<'_> {
    fn run(&mut self, main: &Source, predefined: &[(String, String)]) {
        for (name, value) in predefined {
            let name = self.interner.intern(name);
            self.define_text(name, "", value);
        }
        let file = self.sources.add(&main.name, main.text.as_str());
        self.enter(file, None, Span::default());
        self.enter_options();
        loop {
            let token = self.next_expanded();
            if token.kind == PpKind::Eof {
                break;
            }
            if self.output.len() + self.included_token_count >= MAX_TOKENS {
                self.diags.fatal(token.span, "the program is too large");
                break;
            }
            self.convert(token);
        }
        self.end_string();
        let end = Span::new(file, main.text.len() as u32, main.text.len() as u32);
        self.output.push(Token { kind: TokenKind::Eof, span: end });
    }

    /// Inserts the macros of the options before the main text, as a text of their own.
    fn enter_options(&mut self) {
        if self.options.macros.is_empty() {
            return;
        }
        let mut text = String::new();
        for (name, value) in &self.options.macros {
            let line = match value {
                Some(value) => format!("#define {name} {value}"),
                None => format!("#undef {name}"),
            };
            // A definition must be one line, also if the option has line ends.
            text.extend(line.chars().map(|c| if c == '\n' { ' ' } else { c }));
            text.push('\n');
        }
        let file = self.sources.add("<command line>", text);
        self.enter(file, None, Span::default());
    }

    /// Returns the next token of the texts. Executes the directives before it.
    fn next_from_file(&mut self) -> PpToken {
        loop {
            let Some(file) = self.files.last_mut() else {
                return PpToken::new(PpKind::Eof, Span::default());
            };
            let token = file.lexer.next(self.interner);
            if token.has(flag::BOL) && token.is(Punct::Hash) {
                self.directive(token.span);
                if self.diags.is_full() {
                    return PpToken::new(PpKind::Eof, token.span);
                }
            } else if token.kind == PpKind::Eof {
                if !self.leave() {
                    return token;
                }
            } else {
                return token;
            }
        }
    }

    /// Reports open conditionals and an open comment at the end of a text, and returns to the including
    /// text. Returns false at the end of the main text.
    fn leave(&mut self) -> bool {
        if let Some(file) = self.files.last_mut() {
            if let Some(comment) = file.lexer.open_comment.take() {
                self.diags.error(comment, "unterminated /* comment");
            }
            for conditional in file.conditionals.drain(..).rev() {
                self.diags.error(conditional.span, "unterminated conditional directive");
            }
        }
        if self.files.len() <= 1 {
            return false;
        }
        self.end_recording();
        self.files.pop();
        true
    }

    /// Converts a preprocessing token to a token (the beginning of phase 7), and outputs it.
    fn convert(&mut self, token: PpToken) {
        if token.kind == PpKind::Str {
            let bytes = self.decode_literal(token);
            match &mut self.string {
                Some((string, span)) => {
                    string.extend_from_slice(&bytes);
                    *span = span.to(token.span);
                }
                None => self.string = Some((bytes, token.span)),
            }
            return;
        }
        self.end_string();
        let kind = match token.kind {
            PpKind::Ident if token.symbol == self.names.pragma => {
                return self.pragma_operator(token);
            }
            PpKind::Ident => TokenKind::Ident(token.symbol),
            PpKind::Punct(punct) => TokenKind::Punct(punct),
            PpKind::Number => self.convert_number(token),
            PpKind::Char => TokenKind::Char(self.char_value(token)),
            PpKind::Other => return self.stray(token),
            _ => return,
        };
        self.output.push(Token { kind, span: token.span });
    }

    /// Outputs a string literal, which no other string literal follows.
    fn end_string(&mut self) {
        if let Some((bytes, span)) = self.string.take() {
            let kind = TokenKind::Str(self.interner.add_bytes(bytes));
            self.output.push(Token { kind, span });
        }
    }

    fn convert_number(&mut self, token: PpToken) -> TokenKind {
        let parsed = number::parse(self.interner.resolve(token.symbol));
        if let Some(warning) = parsed.warning {
            self.diags.warning(token.span, warning);
        }
        match parsed.kind {
            Ok(kind) => kind,
            Err(message) => {
                self.diags.error(token.span, message);
                TokenKind::Int { value: 0, unsigned: false, longs: 0, decimal: true }
            }
        }
    }

    /// Reports text that does not form a token.
    fn stray(&mut self, token: PpToken) {
        let text = self.interner.resolve(token.symbol);
        let message = match text.chars().next() {
            Some(quote @ ('"' | '\'')) => format!("missing terminating '{quote}' character"),
            Some(c) if c.is_control() || !c.is_ascii() => {
                format!("unexpected character <U+{:04X}>", u32::from(c))
            }
            Some(c) => format!("unexpected character '{c}'"),
            None => "unexpected character".to_string(),
        };
        self.diags.error(token.span, message);
    }
}
