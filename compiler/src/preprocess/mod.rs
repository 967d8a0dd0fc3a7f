//! From text to tokens: translation phases 1 to 6 of C99 5.1.1.2 with OpenCL C's predefined macros.

mod interner;
mod token;

pub use interner::{Interner, StringId, Symbol};
pub use token::{ExtensionBehaviour, FloatSuffix, FpContract, Pragma, Punct, Token, TokenKind};
