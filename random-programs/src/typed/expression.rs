//! Expressions of a type.

use super::places::Kind;
use super::types::{Scalar, Type};
use super::{Writer, LONG};
use crate::draw::{compared, Draw, COMPARE, ROUNDING};
use arbitrary::{Result, Unstructured};

const ARITHMETIC: &[&str] = &["+", "-", "*", "/"];
const INTEGER: &[&str] = &["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"];

impl<'b> Draw<'b> for Writer<'_, 'b> {
    fn bytes(&mut self) -> &mut Unstructured<'b> {
        self.u
    }

    fn expression(&mut self, ty: Type, depth: u32) -> Result<String> {
        if depth == 0 || self.u.is_empty() || self.text.len() > LONG {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.u.int_in_range(0..=15)? {
            0 => self.leaf(ty),
            1..=3 => self.arithmetic(ty, depth),
            4 => self.unary(ty, depth),
            5 => self.conversion(ty, depth),
            6 => self.reinterpretation(ty, depth),
            7 => self.conditional(ty, depth),
            8 => self.comparison(ty, depth),
            9 => self.components(ty, depth),
            10 => self.vector(ty, depth),
            11..=13 => self.builtin(ty, depth),
            14 => self.call(ty, depth),
            _ => self.effect(ty, depth),
        }
    }
}

impl Writer<'_, '_> {
    /// Returns a constant of a type, usable as an initializer of a global.
    pub fn literal(&mut self, ty: Type) -> Result<String> {
        let name = ty.name();
        let value = match ty.scalar {
            Scalar::Float => {
                self.one(&["1.0f", "0.5f", "-2.25e7f", "INFINITY", "NAN", "0x1p-149f", "M_PI_F"])?
            }
            Scalar::Double => {
                self.one(&["1.0", "0.1", "-1e300", "(double)INFINITY", "0x1p-1074"])?
            }
            Scalar::Half => self.one(&["1.0h", "0.5h", "(half)65504.0f", "(half)1e-7f"])?,
            _ => self.one(&[
                "0",
                "1",
                "-1",
                "31",
                "'a'",
                "0x7f",
                "0x80000000u",
                "0xffffffffffffffffUL",
            ])?,
        };
        Ok(format!("({name})({value})"))
    }

    fn leaf(&mut self, ty: Type) -> Result<String> {
        if self.seldom(3)? {
            return self.literal(ty);
        }
        match self.element(ty, 0, |place| place.kind != Kind::Pointer)? {
            Some(name) => Ok(name),
            None => self.literal(ty),
        }
    }

    fn arithmetic(&mut self, ty: Type, depth: u32) -> Result<String> {
        let op = self.one(if ty.scalar.is_float() { ARITHMETIC } else { INTEGER })?;
        let a = self.expression(ty, depth)?;
        // A scalar widens to the other side's vector.
        let b = match ty.is_vector() && self.seldom(4)? {
            true => self.expression(ty.scalar.into(), depth)?,
            false => self.expression(ty, depth)?,
        };
        Ok(format!("({})({a} {op} {b})", ty.name()))
    }

    fn unary(&mut self, ty: Type, depth: u32) -> Result<String> {
        let op = self.one(if ty.scalar.is_float() { &["-", "+"] } else { &["-", "~", "+"] })?;
        Ok(format!("({})({op}{})", ty.name(), self.expression(ty, depth)?))
    }

    fn conversion(&mut self, ty: Type, depth: u32) -> Result<String> {
        let from = ty.of(self.scalar()?);
        let value = self.expression(from, depth)?;
        if !ty.is_vector() && self.seldom(2)? {
            return Ok(format!("({})({value})", ty.name()));
        }
        let sat = if !ty.scalar.is_float() && self.seldom(2)? { "_sat" } else { "" };
        Ok(format!("convert_{}{sat}{}({value})", ty.name(), self.one(ROUNDING)?))
    }

    fn reinterpretation(&mut self, ty: Type, depth: u32) -> Result<String> {
        let bits = ty.scalar.bits() * ty.lanes;
        let mut from = vec![ty.of(ty.scalar.signed()), ty.of(ty.scalar.unsigned())];
        if ty.lanes != 3 {
            let all = [1, 2, 4, 8, 16];
            let scalars = self.scalars.iter();
            from.extend(scalars.flat_map(|s| {
                let lanes = all.into_iter().filter(|lanes| s.bits() * lanes == bits);
                lanes.map(|lanes| Type { scalar: *s, lanes })
            }));
        }
        let from = self.one(&from)?;
        Ok(format!("as_{}({})", ty.name(), self.expression(from, depth)?))
    }

    fn conditional(&mut self, ty: Type, depth: u32) -> Result<String> {
        let test = match ty.is_vector() && self.seldom(2)? {
            true => self.expression(ty.of(ty.scalar.signed()), depth)?,
            false => self.expression(Scalar::Int.into(), depth)?,
        };
        let (a, b) = (self.expression(ty, depth)?, self.expression(ty, depth)?);
        Ok(format!("({})({test} ? {a} : {b})", ty.name()))
    }

    fn comparison(&mut self, ty: Type, depth: u32) -> Result<String> {
        let of = compared(ty, &self.scalars);
        if of.is_empty() {
            return self.arithmetic(ty, depth);
        }
        let operand = ty.of(self.one(&of)?);
        let (a, b) = (self.expression(operand, depth)?, self.expression(operand, depth)?);
        if operand.scalar.is_float() && self.seldom(2)? {
            let test = self.one(&["isequal", "isless", "isunordered", "islessgreater"])?;
            let one = self.one(&["isnan", "isinf", "isfinite", "signbit"])?;
            return Ok(if self.seldom(2)? {
                format!("{test}({a}, {b})")
            } else {
                format!("{one}({a})")
            });
        }
        match !ty.is_vector() && self.seldom(3)? {
            true => Ok(format!("({a} {} {b})", self.one(&["&&", "||"])?)),
            false => Ok(format!("({a} {} {b})", self.one(COMPARE)?)),
        }
    }

    /// Returns an expression that also writes, or only orders.
    fn effect(&mut self, ty: Type, depth: u32) -> Result<String> {
        let value = self.expression(ty, depth)?;
        let Some(to) = self.element(ty, depth, |place| place.writable)? else {
            return Ok(format!("({}, {value})", self.expression(Scalar::Int.into(), depth)?));
        };
        Ok(match self.u.int_in_range(0..=3)? {
            0 => to,
            1 => format!("({to} = {value})"),
            2 => format!("({to} += {value})"),
            _ if ty.scalar.is_float() => format!("({to} *= {value})"),
            _ => format!("{to}{}", self.one(&["++", "--"])?),
        })
    }
}
