//! Helpers of the parser's tests, which turn a text into a tree and a log.

mod ast_print;

use hekla_compiler::preprocess::{preprocess, Interner};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::{syntax, Options, Source};

/// The tree and the log of a text.
pub struct Parsed {
    pub tree: String,
    /// The build log.
    pub log: String,
}

/// Preprocesses and parses a text called `t.cl`.
pub fn parse(text: &str, options: &str) -> Parsed {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let options = Options::parse(options).unwrap();
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let mut diags = Diagnostics::new(&options);
    let tokens = preprocess(&source, &options, &[], &mut sources, &mut interner, &mut diags);
    let unit = syntax::parse(&tokens, &mut interner, &mut diags, &options);
    Parsed { tree: ast_print::print(&unit, &interner), log: diags.render(&sources) }
}
