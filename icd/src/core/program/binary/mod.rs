//! Program binaries: compiled or linked code as bytes, with a version, the device and the compiler that it is for,
//! and a checksum. All integers are little-endian.
//!
//! ```text
//! "HEKLABIN" | u32 version | u64 target hash | u64 payload hash | payload
//! payload: u32 0 (executable) | 32 bytes seal | bytes linked object | program
//!          u32 1 (object), 2 (library) | object
//! ```
//!
//! A binary may come from anywhere, and the driver trusts the SPIR-V that it is given. So an executable's SPIR-V is taken from
//! a binary only if its seal shows that this user's Hekla wrote it: a keyed digest, whose key others do not have
//! ([`crate::core::cache::key`]). From any other binary only the linked object is read, verified like an object or a library,
//! and compiled again.

pub mod bytes;
mod parts;

use crate::core::cache::digest::hash;
use bytes::Read;
pub use bytes::{Reader, Writer};
use hekla_compiler::{compile_linked, Object, Program, ReadError, Target};
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"HEKLABIN";
/// The version of the format. It changes with the format and with the meaning of the metadata.
const VERSION: u32 = 10;
/// Size in bytes of a seal.
const SEAL: usize = blake3::OUT_LEN;

/// A key of seals.
pub type Key = [u8; blake3::KEY_LEN];

/// The content of a binary to write.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// A program, and the linked object that it was compiled from, as [`linked`] writes it.
    Executable(&'a Program, Option<&'a [u8]>),
    Object(&'a Object),
    Library(&'a Object),
}

/// The content of a binary that was read.
#[derive(Debug)]
pub enum Loaded {
    /// Like [`Content::Executable`].
    Executable(Program, Option<Arc<[u8]>>),
    Object(Object),
    Library(Object),
}

/// Returns the hash of a target and of this build of the library. A binary is valid only with the same hash.
pub fn target_hash(target: &Target) -> u64 {
    let build = (env!("CARGO_PKG_VERSION"), hekla_compiler::BUILD_ID);
    hash(format!("{build:?} {target:?}").as_bytes())
}

/// Returns a linked object as the bytes that an executable's binary contains.
pub fn linked(object: &Object) -> Vec<u8> {
    let mut bytes = Writer::default();
    bytes.object(object);
    bytes.finish()
}

/// Returns the binary of code that was compiled for a target. An executable is sealed with a key.
pub fn write(content: Content<'_>, target: &Target, key: &Key) -> Vec<u8> {
    let mut payload = Writer::default();
    match content {
        Content::Executable(program, linked) => {
            let mut sealed = Writer::default();
            sealed.bytes(linked.unwrap_or_default());
            sealed.program(program);
            payload.u32(0);
            payload.0.extend(seal(key, target, &sealed.0));
            payload.0.extend(sealed.0);
        }
        Content::Object(object) => {
            payload.u32(1);
            payload.object(object);
        }
        Content::Library(object) => {
            payload.u32(2);
            payload.object(object);
        }
    }
    let mut file = Writer(MAGIC.to_vec());
    file.u32(VERSION);
    file.u64(target_hash(target));
    file.u64(hash(&payload.0));
    file.0.extend(payload.0);
    file.finish()
}

/// Reads a binary. An executable that was not sealed with the key is compiled again.
///
/// # Errors
/// The reason why the binary cannot be used.
pub fn read(bytes: &[u8], target: &Target, key: &Key) -> Read<Loaded> {
    let mut file = Reader::new(bytes);
    if file.take(MAGIC.len())? != MAGIC {
        return Err("not a binary of Hekla".into());
    }
    if file.u32()? != VERSION {
        return Err("a binary of another version".into());
    }
    if file.u64()? != target_hash(target) {
        return Err("a binary for another device or version".into());
    }
    if file.u64()? != hash(file.0) {
        return Err("the checksum does not match".into());
    }
    match file.u32()? {
        0 => executable(file, target, key),
        1 => Ok(Loaded::Object(file.object()?)),
        2 => Ok(Loaded::Library(file.object()?)),
        _ => Err("a binary of an unknown kind".into()),
    }
}

fn executable(mut file: Reader<'_>, target: &Target, key: &Key) -> Read<Loaded> {
    let is_ours = file.take(SEAL)? == seal(key, target, file.0);
    let linked = file.bytes()?;
    let kept = (!linked.is_empty()).then(|| Arc::from(linked));
    if is_ours {
        return Ok(Loaded::Executable(file.program()?, kept));
    }
    if linked.is_empty() {
        return Err("it was sealed by somebody else, and has nothing to compile again".into());
    }
    tracing::debug!("a program binary was sealed by somebody else, and is compiled again");
    let compiled = compile_linked(&Reader::new(linked).object()?, target);
    match (compiled.program, compiled.shortage) {
        (Some(program), _) => Ok(Loaded::Executable(program, kept)),
        (None, Some(shortage)) => Err(ReadError::Shortage(shortage)),
        (None, None) => Err(ReadError::Invalid(compiled.log)),
    }
}

/// Returns the seal of an executable's bytes.
fn seal(key: &Key, target: &Target, sealed: &[u8]) -> [u8; SEAL] {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&target_hash(target).to_le_bytes());
    hasher.update(sealed);
    hasher.finalize().into()
}

#[cfg(test)]
mod tests;
