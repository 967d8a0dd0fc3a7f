//! What the generators of programs with right types share: choices out of bytes, and the expressions that
//! are made in the same way by each.

use crate::typed::types::{Scalar, Type, LANES};
use arbitrary::{Result, Unstructured};

pub const COMPARE: &[&str] = &["<", ">", "<=", ">=", "==", "!="];
pub const ROUNDING: &[&str] = &["", "_rte", "_rtz", "_rtp", "_rtn"];

/// Returns the scalars whose comparison gives this type: none where comparisons give no such type.
pub fn compared(ty: Type, scalars: &[Scalar]) -> Vec<Scalar> {
    match ty.is_vector() {
        false if ty.scalar == Scalar::Int => scalars.to_vec(),
        true if ty.scalar.is_signed() => {
            scalars.iter().copied().filter(|s| s.bits() == ty.scalar.bits()).collect()
        }
        _ => Vec::new(),
    }
}

/// A generator: it draws from bytes and makes expressions of a type.
pub trait Draw<'b> {
    fn bytes(&mut self) -> &mut Unstructured<'b>;

    /// Returns an expression of a type, at most so high.
    fn expression(&mut self, ty: Type, depth: u32) -> Result<String>;

    fn one<T: Copy>(&mut self, of: &[T]) -> Result<T> {
        self.bytes().choose(of).copied()
    }

    /// Returns true one time in `n`; never when the bytes are used up.
    fn seldom(&mut self, n: u32) -> Result<bool> {
        Ok(self.bytes().int_in_range(0..=n - 1)? == n - 1)
    }

    /// Components of a vector with at least as many lanes.
    fn components(&mut self, ty: Type, depth: u32) -> Result<String> {
        let wider: Vec<u32> = LANES.into_iter().filter(|lanes| *lanes >= ty.lanes).collect();
        let lanes = self.one(&wider)?;
        let of = self.expression(Type { lanes, ..ty }, depth)?;
        let from = Type { lanes, ..ty };
        if ty.lanes > 1 && lanes == 2 * ty.lanes && self.seldom(2)? {
            let which = self.one(&["lo", "hi", "even", "odd"])?;
            return Ok(self.selected(from, ty, &of, which));
        }
        let mut which = String::from("s");
        for _ in 0..ty.lanes {
            which += &format!("{:x}", self.bytes().int_in_range(0..=lanes - 1)?);
        }
        Ok(self.selected(from, ty, &of, &which))
    }

    /// Returns the spelling of components of a vector: `which` is `s31` or `odd`.
    fn selected(&mut self, _from: Type, _to: Type, of: &str, which: &str) -> String {
        format!("({of}).{which}")
    }

    /// Returns the spelling of a vector of parts, or of one scalar for all lanes.
    fn built(&mut self, ty: Type, parts: &[(Type, String)]) -> String {
        let parts: Vec<&str> = parts.iter().map(|(_, part)| part.as_str()).collect();
        format!("({})({})", ty.name(), parts.join(", "))
    }

    /// Returns a vector of parts; a scalar in parentheses.
    fn vector(&mut self, ty: Type, depth: u32) -> Result<String> {
        let (mut left, mut parts) = (ty.lanes, Vec::new());
        if !ty.is_vector() || self.seldom(4)? {
            let part = self.expression(ty.scalar.into(), depth)?;
            return Ok(self.built(ty, &[(ty.scalar.into(), part)]));
        }
        while left > 0 {
            let fit: Vec<u32> =
                [1, 2, 3, 4, 8].into_iter().filter(|n| *n <= left && *n < ty.lanes).collect();
            let lanes = self.one(&fit)?;
            // Long literals stay shallow.
            let part = Type { lanes, ..ty };
            parts.push((part, self.expression(part, depth.min(1))?));
            left -= lanes;
        }
        Ok(self.built(ty, &parts))
    }
}
