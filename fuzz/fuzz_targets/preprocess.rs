//! The preprocessor on any bytes, as a program's text and as a header that it includes.
#![no_main]

use hekla_compiler::preprocess::{preprocess, Interner, TokenKind};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::{Options, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data).into_owned();
    let (main, header) = match text.split_once('\u{1}') {
        Some((main, header)) => (main.to_string(), header.to_string()),
        None => (text, String::new()),
    };
    let options = Options::parse("-DX=1 -DF(a,b)=a##b -cl-std=CL3.0").expect("options");
    let headers = vec![("h.h".to_string(), header)];
    let source = Source { name: "fuzz.cl".to_string(), text: main, headers };
    let (mut sources, mut names) = (SourceMap::new(), Interner::new());
    let mut diags = Diagnostics::new(&options);
    let tokens = preprocess(&source, &options, &[], &mut sources, &mut names, &mut diags);
    assert!(matches!(tokens.last().map(|t| &t.kind), Some(TokenKind::Eof)));
    let _ = diags.render(&sources);
});
