//! The operators of expressions, and their precedence.

use super::ast::{ArithOp, BinaryOp, CompareOp, CompoundOp, UnaryOp};
use crate::preprocess::Punct;

/// Returns a binary operator and its precedence, from 1 for `||` (C99 6.5.5 to 6.5.14).
pub(super) fn binary(punct: Punct) -> Option<(BinaryOp, u8)> {
    let arith = |op, precedence| (BinaryOp::Compound(CompoundOp::Arith(op)), precedence);
    let compare = |op, precedence| (BinaryOp::Compare(op), precedence);
    Some(match punct {
        Punct::PipePipe => (BinaryOp::LogicalOr, 1),
        Punct::AmpAmp => (BinaryOp::LogicalAnd, 2),
        Punct::Pipe => arith(ArithOp::Or, 3),
        Punct::Caret => arith(ArithOp::Xor, 4),
        Punct::Amp => arith(ArithOp::And, 5),
        Punct::EqEq => compare(CompareOp::Eq, 6),
        Punct::Ne => compare(CompareOp::Ne, 6),
        Punct::Lt => compare(CompareOp::Lt, 7),
        Punct::Gt => compare(CompareOp::Gt, 7),
        Punct::Le => compare(CompareOp::Le, 7),
        Punct::Ge => compare(CompareOp::Ge, 7),
        Punct::Shl => (BinaryOp::Compound(CompoundOp::Shl), 8),
        Punct::Shr => (BinaryOp::Compound(CompoundOp::Shr), 8),
        Punct::Plus => arith(ArithOp::Add, 9),
        Punct::Minus => arith(ArithOp::Sub, 9),
        Punct::Star => arith(ArithOp::Mul, 10),
        Punct::Slash => arith(ArithOp::Div, 10),
        Punct::Percent => arith(ArithOp::Rem, 10),
        _ => return None,
    })
}

/// Returns an assignment operator; `Some(None)` is `=` (C99 6.5.16).
pub(super) fn assignment(punct: Punct) -> Option<Option<CompoundOp>> {
    Some(match punct {
        Punct::Eq => None,
        Punct::StarEq => Some(CompoundOp::Arith(ArithOp::Mul)),
        Punct::SlashEq => Some(CompoundOp::Arith(ArithOp::Div)),
        Punct::PercentEq => Some(CompoundOp::Arith(ArithOp::Rem)),
        Punct::PlusEq => Some(CompoundOp::Arith(ArithOp::Add)),
        Punct::MinusEq => Some(CompoundOp::Arith(ArithOp::Sub)),
        Punct::ShlEq => Some(CompoundOp::Shl),
        Punct::ShrEq => Some(CompoundOp::Shr),
        Punct::AmpEq => Some(CompoundOp::Arith(ArithOp::And)),
        Punct::CaretEq => Some(CompoundOp::Arith(ArithOp::Xor)),
        Punct::PipeEq => Some(CompoundOp::Arith(ArithOp::Or)),
        _ => return None,
    })
}

/// Returns a prefix operator (C99 6.5.3).
pub(super) fn prefix(punct: Punct) -> Option<UnaryOp> {
    Some(match punct {
        Punct::Plus => UnaryOp::Plus,
        Punct::Minus => UnaryOp::Minus,
        Punct::Bang => UnaryOp::Not,
        Punct::Tilde => UnaryOp::BitNot,
        Punct::Star => UnaryOp::Deref,
        Punct::Amp => UnaryOp::AddressOf,
        Punct::PlusPlus => UnaryOp::PreInc,
        Punct::MinusMinus => UnaryOp::PreDec,
        _ => return None,
    })
}
