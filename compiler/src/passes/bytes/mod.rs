//! Bytes: words that were split into bytes or halves, and joined again unchanged, stay words.
//!
//! OpenCL C regroups vectors freely (`as_char4(word)`, `as_uint(bytes)`, `dot(char4, char4)`), and scalarization leaves a
//! shift for each byte that is extracted and a shift and an Or for each that is inserted. A vector that a loop passes from
//! one iteration to the next would be a parameter for each byte. Three rules, each in its file:
//!
//! - `params`: parameters of a block that are the bytes of a word are replaced by one parameter, the word;
//! - `loads`: loads of vectors of bytes become loads of words, if words are needed;
//! - `words`: an operation that joins neighbouring bytes of a word is replaced by the word, or a part of it.

pub mod field;
mod loads;
mod params;
mod words;

use crate::ir::*;

pub use loads::retype as load_words;

/// Applies the rules to a function. Returns true if anything changed.
pub fn run(func: &mut Function) -> bool {
    let mut changed = params::run(func);
    let wanted = words::whole_vectors(func);
    changed |= loads::retype(func, &wanted);
    changed | words::run(func)
}
