//! Programs in the cache: the results of clBuildProgram, each under a key of everything that it depends on.
//!
//! The key is a digest of the text or module, the options, the device and the build of the compiler. Which headers are read
//! from disk is not known before the text is preprocessed. So the entry lists the paths that were searched and the digests of
//! the headers found there; it is valid only while these are unchanged.

use crate::core::cache::cache;
use crate::core::cache::digest::Digest;
use crate::core::program::binary::{self, Reader, Writer};
use crate::core::program::build::Input;
use crate::core::program::il::IlInput;
use hekla_compiler::{self as compiler, Compiled, Lookup, Options, Source, Target};
use std::path::Path;

/// Compiles and links a program, or takes it from the cache. `text` is the text that `options` were parsed from.
pub fn compile(input: &Input, text: &str, options: &Options, target: &Target) -> Compiled {
    let compile = || match input {
        Input::Source(source) => compiler::compile(source, options, target),
        Input::Il(il) => compiler::compile_il(il.module.module(), &il.specs, options, target),
    };
    let Some(cache) = cache() else { return compile() };
    let key = match input {
        Input::Source(source) => source_key(source, text, target),
        Input::Il(il) => il_key(il, text, target),
    };
    if let Some(compiled) = cache.load(key).and_then(|entry| read(&entry)) {
        tracing::debug!("cache: a program was found");
        return compiled;
    }
    let compiled = compile();
    if let Some(entry) = write(&compiled) {
        cache.store(key, &entry);
    }
    compiled
}

fn il_key(il: &IlInput, text: &str, target: &Target) -> Digest {
    let target = binary::target_hash(target).to_le_bytes();
    let words = il.specs.iter().flat_map(|spec| [u64::from(spec.id), spec.bits]);
    let specs: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    Digest::of(&[b"il", &target, il.module.bytes(), &specs, text.as_bytes()])
}

fn source_key(source: &Source, text: &str, target: &Target) -> Digest {
    let target = binary::target_hash(target).to_le_bytes();
    let given = source.headers.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
    let mut parts: Vec<&[u8]> =
        vec![b"program", &target, source.name.as_bytes(), source.text.as_bytes(), text.as_bytes()];
    parts.extend(given);
    Digest::of(&parts)
}

/// Returns the cache entry for a program; `None` for a program with errors, since its log may be about headers that are created
/// later.
fn write(compiled: &Compiled) -> Option<Vec<u8>> {
    let program = compiled.program.as_ref()?;
    let mut entry = Writer::default();
    entry.u32(compiled.lookups.len() as u32);
    for Lookup { path, text } in &compiled.lookups {
        entry.string(path.to_str()?);
        entry.bytes(
            &text.as_ref().map_or([0; Digest::SIZE], |t| Digest::of(&[t.as_bytes()]).bytes()),
        );
        entry.u32(u32::from(text.is_some()));
    }
    entry.string(&compiled.log);
    entry.program(program);
    Some(entry.finish())
}

fn read(entry: &[u8]) -> Option<Compiled> {
    let mut entry = Reader::new(entry);
    for _ in 0..entry.u32().ok()? {
        let path = entry.string().ok()?;
        let sum = entry.bytes().ok()?;
        let was_there = entry.u32().ok()? != 0;
        if !is_still_so(Path::new(&path), was_there.then_some(sum)) {
            tracing::debug!("cache: {path} has changed");
            return None;
        }
    }
    let log = entry.string().ok()?;
    let program = Some(entry.program().ok()?);
    Some(Compiled { log, program, ..Compiled::default() })
}

/// Returns true if a header still has the contents with this digest; with `None`, if it still does not exist.
fn is_still_so(path: &Path, sum: Option<&[u8]>) -> bool {
    match (compiler::read_header(path), sum) {
        (Some(text), Some(sum)) => Digest::of(&[text.as_bytes()]).bytes() == sum,
        (None, None) => true,
        _ => false,
    }
}
