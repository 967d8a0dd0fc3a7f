//! The expressions of `#if` and `#elif` (C99 6.10.1): intmax_t and uintmax_t arithmetic.

use super::lexer::{PpKind, PpToken};
use super::number;
use super::state::Preprocessor;
use super::token::{Punct, TokenKind};
use crate::source::Span;

/// The deepest nesting of operators and parentheses in an expression.
const MAX_DEPTH: u32 = 200;

/// A value of type intmax_t, or uintmax_t when `unsigned`.
#[derive(Debug, Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn signed(value: i64) -> Value {
        Value { bits: value as u64, unsigned: false }
    }

    fn truth(value: bool) -> Value {
        Value::signed(i64::from(value))
    }
}

/// The error of an evaluation, which has been reported.
struct Reported;

type Eval = Result<Value, Reported>;

impl Preprocessor<'_> {
    /// Evaluates the rest of the directive's line. Returns false after an error, too.
    pub(super) fn condition(&mut self, at: Span) -> bool {
        let tokens = self.read_condition();
        tokens.and_then(|tokens| self.evaluate(&tokens, at)).is_some_and(|bits| bits != 0)
    }

    /// Evaluates expanded tokens; `None` after an error, which has been reported.
    pub(super) fn evaluate(&mut self, tokens: &[PpToken], at: Span) -> Option<u64> {
        let end = tokens.last().map_or(at, |token| token.span.after());
        let mut condition = Condition { pp: self, tokens, pos: 0, depth: 0, end };
        let value = condition.expression(true).ok()?;
        match condition.peek() {
            None => Some(value.bits),
            Some(token) => {
                let message =
                    "token is not a valid binary operator in a preprocessor subexpression";
                condition.pp.diags.fail(token.span, message)
            }
        }
    }

    /// Returns the rest of the line with macros expanded and `defined` evaluated; `None` after an error.
    fn read_condition(&mut self) -> Option<Vec<PpToken>> {
        let mut line = Vec::new();
        loop {
            let token = self.next_expanded();
            if token.is_end() {
                return Some(line);
            }
            if token.kind == PpKind::Ident && token.symbol == self.names.defined {
                line.push(self.defined_operator(token)?);
            } else {
                line.push(token);
            }
        }
    }

    /// `defined X` or `defined(X)`, as a number.
    fn defined_operator(&mut self, operator: PpToken) -> Option<PpToken> {
        let mut name = self.next_raw();
        let parenthesized = name.is(Punct::LParen);
        if parenthesized {
            name = self.next_raw();
        }
        let name = self.macro_name(Some(name), operator.span)?;
        if parenthesized {
            let close = self.next_raw();
            if !close.is(Punct::RParen) {
                return self.diags.fail(operator.span, "missing ')' after 'defined'");
            }
        }
        let defined = self.macro_of(name.symbol).is_some();
        Some(self.number_token(defined, operator.span))
    }
}

struct Condition<'a, 'b> {
    pp: &'a mut Preprocessor<'b>,
    tokens: &'a [PpToken],
    pos: usize,
    depth: u32,
    end: Span,
}

impl Condition<'_, '_> {
    fn peek(&self) -> Option<PpToken> {
        self.tokens.get(self.pos).copied()
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.peek().is_some_and(|token| token.is(punct));
        self.pos += usize::from(found);
        found
    }

    fn error<T>(&mut self, span: Span, message: &str) -> Result<T, Reported> {
        // The error that stopped the expansion has been reported already.
        if !self.pp.diags.is_full() {
            self.pp.diags.error(span, message);
        }
        Err(Reported)
    }

    /// Runs `f` one level deeper.
    fn nested(&mut self, f: impl FnOnce(&mut Self) -> Eval) -> Eval {
        if self.depth >= MAX_DEPTH {
            let at = self.peek().map_or(self.end, |token| token.span);
            return self.error(at, "preprocessor expression nested too deeply");
        }
        self.depth += 1;
        let value = f(self);
        self.depth -= 1;
        value
    }

    /// Returns the value of a conditional expression. `live` is false in an operand that is not evaluated.
    fn expression(&mut self, live: bool) -> Eval {
        let condition = self.binary(0, live)?;
        if !self.eat(Punct::Question) {
            return Ok(condition);
        }
        let truth = condition.bits != 0;
        let then = self.nested(|this| this.expression(live && truth))?;
        if !self.eat(Punct::Colon) {
            let at = self.peek().map_or(self.end, |token| token.span);
            return self.error(at, "expected ':' in preprocessor expression");
        }
        let otherwise = self.nested(|this| this.expression(live && !truth))?;
        let unsigned = then.unsigned || otherwise.unsigned;
        let bits = if truth { then.bits } else { otherwise.bits };
        Ok(Value { bits, unsigned })
    }

    /// Returns the value of an expression of binary operators of at least a precedence, by precedence climbing.
    fn binary(&mut self, least: u8, live: bool) -> Eval {
        let mut left = self.unary(live)?;
        while let Some((token, punct, level)) = self.peek_operator() {
            if level < least {
                break;
            }
            self.pos += 1;
            let right_live = match punct {
                Punct::AmpAmp => live && left.bits != 0,
                Punct::PipePipe => live && left.bits == 0,
                _ => live,
            };
            let right = self.binary(level + 1, right_live)?;
            left = self.apply(punct, left, right, token.span, live)?;
        }
        Ok(left)
    }

    fn peek_operator(&self) -> Option<(PpToken, Punct, u8)> {
        let token = self.peek()?;
        let PpKind::Punct(punct) = token.kind else { return None };
        Some((token, punct, precedence(punct)?))
    }

    fn apply(&mut self, op: Punct, l: Value, r: Value, at: Span, live: bool) -> Eval {
        let unsigned = l.unsigned || r.unsigned;
        let (a, b) = (l.bits as i64, r.bits as i64);
        let less = |x: Value, y: Value| {
            if unsigned {
                x.bits < y.bits
            } else {
                (x.bits as i64) < y.bits as i64
            }
        };
        let bits = match op {
            Punct::PipePipe => return Ok(Value::truth(l.bits != 0 || r.bits != 0)),
            Punct::AmpAmp => return Ok(Value::truth(l.bits != 0 && r.bits != 0)),
            Punct::EqEq => return Ok(Value::truth(l.bits == r.bits)),
            Punct::Ne => return Ok(Value::truth(l.bits != r.bits)),
            Punct::Lt => return Ok(Value::truth(less(l, r))),
            Punct::Gt => return Ok(Value::truth(less(r, l))),
            Punct::Le => return Ok(Value::truth(!less(r, l))),
            Punct::Ge => return Ok(Value::truth(!less(l, r))),
            Punct::Pipe => l.bits | r.bits,
            Punct::Caret => l.bits ^ r.bits,
            Punct::Amp => l.bits & r.bits,
            Punct::Plus => l.bits.wrapping_add(r.bits),
            Punct::Minus => l.bits.wrapping_sub(r.bits),
            Punct::Star => l.bits.wrapping_mul(r.bits),
            Punct::Shl | Punct::Shr => {
                // The result has the left operand's type; counts out of range are clamped.
                let count = if r.unsigned { r.bits.min(64) as i64 } else { b.clamp(-64, 64) };
                let left = (op == Punct::Shl) == (count >= 0);
                return Ok(Value { bits: shift(l, count.unsigned_abs() as u32, left), ..l });
            }
            Punct::Slash | Punct::Percent if r.bits == 0 => {
                if live {
                    let what = if op == Punct::Slash { "division" } else { "remainder" };
                    let message = format!("{what} by zero in preprocessor expression");
                    return self.error(at, &message);
                }
                0
            }
            Punct::Slash if unsigned => l.bits / r.bits,
            Punct::Percent if unsigned => l.bits % r.bits,
            Punct::Slash => a.wrapping_div(b) as u64,
            _ => a.wrapping_rem(b) as u64,
        };
        Ok(Value { bits, unsigned })
    }

    fn unary(&mut self, live: bool) -> Eval {
        let Some(token) = self.peek() else {
            return self.error(self.end, "expected value in expression");
        };
        self.pos += 1;
        match token.kind {
            PpKind::Punct(Punct::Plus) => self.nested(|this| this.unary(live)),
            PpKind::Punct(Punct::Minus) => {
                let value = self.nested(|this| this.unary(live))?;
                Ok(Value { bits: value.bits.wrapping_neg(), ..value })
            }
            PpKind::Punct(Punct::Tilde) => {
                let value = self.nested(|this| this.unary(live))?;
                Ok(Value { bits: !value.bits, ..value })
            }
            PpKind::Punct(Punct::Bang) => {
                let value = self.nested(|this| this.unary(live))?;
                Ok(Value::truth(value.bits == 0))
            }
            PpKind::Punct(Punct::LParen) => {
                let value = self.nested(|this| this.expression(live))?;
                if !self.eat(Punct::RParen) {
                    let at = self.peek().map_or(self.end, |token| token.span);
                    return self.error(at, "expected ')' in preprocessor expression");
                }
                Ok(value)
            }
            _ => self.primary(token),
        }
    }

    fn primary(&mut self, token: PpToken) -> Eval {
        match token.kind {
            PpKind::Ident => {
                if self.peek().is_some_and(|next| next.is(Punct::LParen)) {
                    let name = self.pp.interner.resolve(token.symbol);
                    let message = format!("function-like macro '{name}' is not defined");
                    return self.error(token.span, &message);
                }
                // A name that is not a macro is 0 (C99 6.10.1p4).
                Ok(Value::signed(0))
            }
            PpKind::Char => Ok(Value::signed(self.pp.char_value(token))),
            PpKind::Number => match number::parse(self.pp.interner.resolve(token.symbol)).kind {
                Ok(TokenKind::Int { value, unsigned, .. }) => {
                    Ok(Value { bits: value, unsigned: unsigned || value > i64::MAX as u64 })
                }
                Ok(_) => {
                    self.error(token.span, "floating point literal in preprocessor expression")
                }
                Err(message) => self.error(token.span, &message),
            },
            _ => self.error(token.span, "invalid token at start of a preprocessor expression"),
        }
    }
}

fn shift(value: Value, count: u32, left: bool) -> u64 {
    match (left, value.unsigned) {
        (true, _) => value.bits.checked_shl(count).unwrap_or(0),
        (false, true) => value.bits.checked_shr(count).unwrap_or(0),
        (false, false) => ((value.bits as i64) >> count.min(63)) as u64,
    }
}

/// Precedence of the binary operators, greater binds tighter.
fn precedence(punct: Punct) -> Option<u8> {
    Some(match punct {
        Punct::PipePipe => 0,
        Punct::AmpAmp => 1,
        Punct::Pipe => 2,
        Punct::Caret => 3,
        Punct::Amp => 4,
        Punct::EqEq | Punct::Ne => 5,
        Punct::Lt | Punct::Gt | Punct::Le | Punct::Ge => 6,
        Punct::Shl | Punct::Shr => 7,
        Punct::Plus | Punct::Minus => 8,
        Punct::Star | Punct::Slash | Punct::Percent => 9,
        _ => return None,
    })
}
