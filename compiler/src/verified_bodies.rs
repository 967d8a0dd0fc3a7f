//! The verified-body cache: bodies of unused functions that are free of diagnostics, by their keys.
//!
//! Programs of one application share headers. A function that no kernel uses has to be checked once,
//! not again in each program that includes it ([`crate::syntax::unused`] defines when two bodies are
//! the same). The memory is bounded.

use crate::options::Options;
use crate::preprocess;
use crate::syntax::unused::{without_verified_bodies, UnusedBody};
use crate::target::Target;
use rustc_hash::FxHashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The most keys in the cache; beyond it the cache is cleared.
const MAX_KEYS: usize = 1 << 17;

static VERIFIED: Mutex<Option<FxHashSet<u64>>> = Mutex::new(None);

/// Returns the tokens of a program, and the bodies among them of the functions that no kernel uses. Bodies that are verified
/// under these options for this device have only their braces left.
pub(crate) fn tokens_to_parse(
    preprocessed: preprocess::PreprocessedTokens,
    names: &preprocess::Interner,
    options: &Options,
    target: &Target,
) -> (Vec<preprocess::Token>, Vec<UnusedBody>) {
    static STATE: OnceLock<RandomState> = OnceLock::new();
    // The options for macros do not matter: the tokens are expanded already.
    let macros = Vec::new();
    let options = Options { macros, include_dirs: Vec::new(), ..options.clone() };
    let seed = STATE.get_or_init(RandomState::new).hash_one((&options, target));
    let verified = VERIFIED.lock().unwrap_or_else(PoisonError::into_inner);
    without_verified_bodies(preprocessed, names, seed, |key| {
        verified.as_ref().is_some_and(|verified| verified.contains(&key))
    })
}

/// Adds the bodies of a program that was analyzed without any diagnostic.
pub(crate) fn insert(bodies: &[UnusedBody]) {
    let mut verified = VERIFIED.lock().unwrap_or_else(PoisonError::into_inner);
    let verified = verified.get_or_insert_default();
    if verified.len() + bodies.len() > MAX_KEYS {
        verified.clear();
    }
    let new = bodies.iter().filter(|body| body.key != 0 && !body.is_verified);
    verified.extend(new.map(|body| body.key).take(MAX_KEYS));
}
