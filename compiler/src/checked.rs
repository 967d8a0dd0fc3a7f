//! What this process knows to be free of diagnostics: bodies of unused functions, by their keys.
//!
//! Programs of one application share headers. A function that no kernel uses has to be checked once,
//! not again in each program that includes it ([`crate::syntax::unused`] tells what makes two bodies
//! the same). The memory is bounded.

use crate::syntax::unused::{without_checked_bodies, UnusedBody};
use crate::{preprocess, Options, Target};
use rustc_hash::FxHashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Keys that are kept; when there are more, all are forgotten.
const MAX_KEYS: usize = 1 << 17;

static CHECKED: Mutex<Option<FxHashSet<u64>>> = Mutex::new(None);

/// Returns the tokens of a program, and in them the bodies of the functions that no kernel uses. Of those
/// that are known to be good under these options, for this device, the braces alone are left.
pub(crate) fn tokens_to_parse(
    parts: preprocess::Parts,
    names: &preprocess::Interner,
    options: &Options,
    target: &Target,
) -> (Vec<preprocess::Token>, Vec<UnusedBody>) {
    static STATE: OnceLock<RandomState> = OnceLock::new();
    // Tokens have the macros in them.
    let macros = Vec::new();
    let options = Options { macros, include_dirs: Vec::new(), ..options.clone() };
    let seed = STATE.get_or_init(RandomState::new).hash_one((&options, target));
    let checked = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    without_checked_bodies(parts, names, seed, |key| {
        checked.as_ref().is_some_and(|checked| checked.contains(&key))
    })
}

/// Remembers that a program with these bodies was analyzed without any diagnostic.
pub(crate) fn remember(bodies: &[UnusedBody]) {
    let mut checked = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    let checked = checked.get_or_insert_default();
    if checked.len() + bodies.len() > MAX_KEYS {
        checked.clear();
    }
    let new = bodies.iter().filter(|body| body.key != 0 && !body.is_checked);
    checked.extend(new.map(|body| body.key).take(MAX_KEYS));
}
