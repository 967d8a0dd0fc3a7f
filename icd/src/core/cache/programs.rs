//! Programs in the cache: what clBuildProgram and clLinkProgram made, by everything that went into it,
//! and which texts clCompileProgram compiles.
//!
//! The key is a digest of text, options, device and build of the compiler. Headers from disk are not
//! known before the text is preprocessed; the entry lists where they were looked for and what was
//! there, and serves only while that is still so. A linked program's key is of its objects' identities.

use super::cache;
use super::digest::Digest;
use crate::core::binary::{self, Content, Loaded, Reader, Writer};
use crate::core::error::ClError;
use crate::core::unlinked::{Recipe, Unlinked};
use hekla_compiler::{self as compiler, Compiled, LinkOptions, Lookup, Options, Source, Target};
use std::convert::Infallible;
use std::path::Path;

/// As [`compiler::compile`], from the cache where it can be. `text` is what `options` were parsed
/// from.
pub fn compile(source: &Source, text: &str, options: &Options, target: &Target) -> Compiled {
    let key = key(b"program", source, text, target);
    let compile = || Ok::<_, Infallible>(compiler::compile(source, options, target));
    let Ok(compiled) = from_cache(key, target, "program", compile);
    compiled
}

/// As [`compiler::link`], from the cache where it can be. `text` is what `options` were parsed from.
pub fn link(
    objects: &[&Unlinked],
    text: &str,
    options: &LinkOptions,
    target: &Target,
) -> Result<Compiled, ClError> {
    let target_hash = binary::target_hash(target).to_le_bytes();
    let identities: Vec<_> = objects.iter().map(|object| object.identity().bytes()).collect();
    let key = Digest::of(&[b"link", &target_hash, text.as_bytes(), &identities.concat()]);
    from_cache(key, target, "linked program", || {
        let objects = objects.iter().map(|o| o.object()).collect::<Result<Vec<_>, _>>()?;
        Ok(compiler::link(&objects, options, target))
    })
}

/// As [`compiler::link_library`]: the log, and the library unless there were errors. It is not kept:
/// linking one is copying.
pub fn link_library(
    objects: &[&Unlinked],
    text: &str,
    options: &LinkOptions,
) -> Result<(String, Option<Unlinked>), ClError> {
    let identities: Vec<_> = objects.iter().map(|object| object.identity().bytes()).collect();
    let identity = Digest::of(&[b"library", text.as_bytes(), &identities.concat()]);
    let objects = objects.iter().map(|o| o.object()).collect::<Result<Vec<_>, _>>()?;
    let linked = compiler::link_library(&objects, options);
    Ok((linked.log, linked.object.map(|object| Unlinked::new(identity, object))))
}

/// As [`compiler::compile_object`]: the log, and the object unless there were errors. It is not compiled
/// yet where the cache knows that it can be.
pub fn compile_object(
    source: &Source,
    text: &str,
    options: &Options,
    target: &Target,
) -> (String, Option<Unlinked>) {
    let key = key(b"object", source, text, target);
    if let Some(log) = cache().and_then(|cache| cache.load(key)) {
        if let Ok(log) = String::from_utf8(log) {
            tracing::debug!("cache: an object was found");
            let (source, options) = (source.clone(), options.clone());
            let recipe = Recipe { source, options, target: target.clone() };
            return (log, Some(Unlinked::later(identity(key, &[]), recipe)));
        }
    }
    let compiled = compiler::compile_object(source, options, target);
    // Headers on disk may have changed by the time that the object is needed.
    let depends_on_key_alone = compiled.object.is_some() && compiled.lookups.is_empty();
    if let Some(cache) = cache().filter(|_| depends_on_key_alone) {
        cache.store(key, compiled.log.as_bytes());
    }
    let identity = identity(key, &compiled.lookups);
    (compiled.log, compiled.object.map(|object| Unlinked::new(identity, object)))
}

/// The identity of what was compiled with these headers, in whatever order they are listed.
fn identity(key: Digest, lookups: &[Lookup]) -> Digest {
    let digest = |Lookup { path, text }: &Lookup| {
        let (there, text) = (text.is_some(), text.as_ref().map(|text| text.as_bytes()));
        let path = path.as_os_str().as_encoded_bytes();
        Digest::of(&[path, text.unwrap_or_default(), &[u8::from(there)]]).bytes()
    };
    let mut digests: Vec<_> = lookups.iter().map(digest).collect();
    digests.sort_unstable();
    Digest::of(&[b"identity", &key.bytes(), &digests.concat()])
}

/// The program under a key, or what `make` gives, which is then stored.
fn from_cache<E>(
    key: Digest,
    target: &Target,
    what: &str,
    make: impl FnOnce() -> Result<Compiled, E>,
) -> Result<Compiled, E> {
    let Some(cache) = cache() else { return make() };
    if let Some(compiled) = cache.load(key).and_then(|entry| read(&entry, target)) {
        tracing::debug!("cache: a {what} was found");
        return Ok(compiled);
    }
    let compiled = make()?;
    if let Some(entry) = write(&compiled, target) {
        cache.store(key, &entry);
    }
    Ok(compiled)
}

fn key(kind: &[u8], source: &Source, text: &str, target: &Target) -> Digest {
    let target = binary::target_hash(target).to_le_bytes();
    let given = source.headers.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
    let mut parts: Vec<&[u8]> =
        vec![kind, &target, source.name.as_bytes(), source.text.as_bytes(), text.as_bytes()];
    parts.extend(given);
    Digest::of(&parts)
}

/// The entry for a program; nothing for what did not compile, whose log may be about headers that
/// are yet to come.
fn write(compiled: &Compiled, target: &Target) -> Option<Vec<u8>> {
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
    entry.bytes(&binary::write(Content::Executable(program), target));
    Some(entry.finish())
}

fn read(entry: &[u8], target: &Target) -> Option<Compiled> {
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
    match binary::read(entry.bytes().ok()?, target) {
        Ok(Loaded::Executable(program)) => {
            Some(Compiled { log, program: Some(program), lookups: Vec::new() })
        }
        _ => None,
    }
}

/// Whether a header has these contents, or is not there.
fn is_still_so(path: &Path, sum: Option<&[u8]>) -> bool {
    match (compiler::read_header(path), sum) {
        (Some(text), Some(sum)) => Digest::of(&[text.as_bytes()]).bytes() == sum,
        (None, None) => true,
        _ => false,
    }
}
