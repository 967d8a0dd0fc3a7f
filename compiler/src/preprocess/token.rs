//! Tokens, the input of the parser.

use super::interner::{StringId, Symbol};
use crate::source::Span;

/// A token and its place. A token from a macro's body has the span of the macro's invocation, so that
/// carets point at text of the user; a token from a macro's argument has its own span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// The kind of a token (C99 6.4). Keywords are [`TokenKind::Ident`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TokenKind {
    Ident(Symbol),
    /// An integer constant (C99 6.4.4.1); later stages find its type.
    Int {
        value: u64,
        /// True for the suffix `u`.
        unsigned: bool,
        /// Number of `l` in the suffix: 0, 1 or 2.
        longs: u8,
        /// True if the constant is written in base 10: its size alone cannot make it unsigned.
        decimal: bool,
    },
    /// A floating constant (C99 6.4.4.2), decimal or hexadecimal.
    Float {
        /// The text's value rounded to double once; for suffix `h`, rounded to half once.
        value: f64,
        /// The text's value rounded to float once.
        single: f32,
        suffix: FloatSuffix,
    },
    /// A character constant: its value as an int (C99 6.4.4.4).
    Char(i64),
    /// A string literal, adjacent ones joined; its bytes are [`super::Interner::bytes`].
    Str(StringId),
    Punct(Punct),
    Pragma(Pragma),
    /// The end, once, at the end of the main text.
    Eof,
}

/// Suffix of a floating constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// No suffix: double on devices with double, else float (OpenCL C 6.3.1).
    None,
    /// `f`: float.
    F,
    /// `h`: half (cl_khr_fp16).
    H,
    /// `l`: long double in C, here double.
    D,
}

/// A `#pragma` or `_Pragma` that has a meaning for a later stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pragma {
    /// `#pragma OPENCL FP_CONTRACT on-off-switch`, also spelled `STDC`.
    FpContract(FpContract),
    /// `#pragma OPENCL EXTENSION name : behaviour`.
    Extension { name: Symbol, behaviour: ExtensionBehaviour },
    /// `#pragma unroll`, `#pragma unroll N`, `#pragma unroll(N)`; `nounroll` is `Some(1)`.
    Unroll(Option<u32>),
    /// `#pragma pack`: the largest alignment of members from here on, in bytes; 0 for any.
    Pack(u32),
}

/// The on-off-switch of `FP_CONTRACT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FpContract {
    On,
    Off,
    Default,
}

/// The behaviour that `#pragma OPENCL EXTENSION` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExtensionBehaviour {
    Enable,
    Disable,
    /// `require`, of OpenCL 1.0.
    Require,
    /// `begin` and `end`, extensions of clang.
    Begin,
    End,
}

macro_rules! puncts {
    ($($name:ident $text:literal,)*) => {
        /// A punctuator (C99 6.4.6). Digraphs become the punctuators that they replace.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Punct { $(#[doc = concat!("`", $text, "`")] $name,)* }

        impl Punct {
            /// Returns the spelling.
            pub fn as_str(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }
    };
}

puncts! {
    LBracket "[", RBracket "]", LParen "(", RParen ")", LBrace "{", RBrace "}",
    Dot ".", Arrow "->", PlusPlus "++", MinusMinus "--",
    Amp "&", Star "*", Plus "+", Minus "-", Tilde "~", Bang "!",
    Slash "/", Percent "%", Shl "<<", Shr ">>",
    Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=",
    Caret "^", Pipe "|", AmpAmp "&&", PipePipe "||",
    Question "?", Colon ":", Semi ";", Ellipsis "...",
    Eq "=", StarEq "*=", SlashEq "/=", PercentEq "%=", PlusEq "+=", MinusEq "-=",
    ShlEq "<<=", ShrEq ">>=", AmpEq "&=", CaretEq "^=", PipeEq "|=",
    Comma ",", Hash "#", HashHash "##",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_small() {
        assert!(std::mem::size_of::<Token>() <= 32);
    }
}
