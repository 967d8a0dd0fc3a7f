//! What this process knows to be free of diagnostics: bodies of unused functions, by their keys.
//!
//! Programs of one application share headers. A function that no kernel uses has to be checked once,
//! not again in each program that includes it ([`crate::syntax::unused`] tells what makes two bodies
//! the same). The memory is bounded.

use crate::hash::FastSet;
use crate::syntax::unused::{unused_bodies, UnusedBody};
use crate::{preprocess, Options, Target};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Keys that are kept; when there are more, all are forgotten.
const MAX_KEYS: usize = 1 << 17;

static CHECKED: Mutex<Option<FastSet<u64>>> = Mutex::new(None);

/// The bodies of a program's functions that no kernel uses, and which of them are known to be good
/// under these options, for this device.
pub(crate) fn find_unused(
    tokens: &[preprocess::Token],
    names: &preprocess::Interner,
    options: &Options,
    target: &Target,
) -> Vec<UnusedBody> {
    static STATE: OnceLock<RandomState> = OnceLock::new();
    // Tokens have the macros in them.
    let macros = Vec::new();
    let options = Options { macros, include_dirs: Vec::new(), ..options.clone() };
    let seed = STATE.get_or_init(RandomState::new).hash_one((&options, target));
    let mut bodies = unused_bodies(tokens, names, seed);
    let checked = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(checked) = &*checked {
        for body in &mut bodies {
            body.is_checked = body.key != 0 && checked.contains(&body.key);
        }
    }
    bodies
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
