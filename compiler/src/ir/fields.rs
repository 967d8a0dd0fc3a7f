//! The common behaviour of instruction fields: walks over the values and branch targets in them, and their text form.

use super::entities::{Func, Global, Value};
use super::inst::*;
use super::names::{BARRIER_FLAGS, MEM_FLAGS};
use super::parse::{Body, Parse, Parser};
use super::print::Printer;
use smallvec::SmallVec;
use std::fmt::Write;

/// A field of an instruction. Most fields have neither values nor branch targets.
pub(super) trait Field: Sized {
    fn for_each_arg(&self, _: &mut impl FnMut(Value)) {}
    fn map_args(&mut self, _: &mut impl FnMut(Value) -> Value) {}
    fn for_each_target<'a>(&'a self, _: &mut impl FnMut(&'a BlockCall)) {}
    fn for_each_target_mut(&mut self, _: &mut impl FnMut(&mut BlockCall)) {}
    /// Prints the field, with a space in front.
    fn print(&self, p: &mut Printer<'_>);
    fn parse(p: &mut Parser, body: &mut Body) -> Parse<Self>;

    /// Parses a field that may be left out.
    fn parse_optional(p: &mut Parser, body: &mut Body) -> Parse<Option<Self>> {
        Self::parse(p, body).map(Some)
    }
}

/// An operation that can be looked up by its mnemonic.
pub(super) trait Named: Sized {
    fn named(name: &str) -> Option<Self>;
}

/// Implements `Field` for types that are one word of the text form. Each type comes with the description of the word.
macro_rules! words {
    ($($ty:ident $what:literal),* $(,)?) => {
        $(impl Field for $ty {
            fn print(&self, p: &mut Printer<'_>) {
                let _ = write!(p.out, " {}", self.name());
            }

            fn parse(p: &mut Parser, _: &mut Body) -> Parse<$ty> {
                let name = p.word($what)?;
                match $ty::from_name(&name) {
                    Some(op) => Ok(op),
                    None => p.fail_back(format!("'{name}' is not {}", $what)),
                }
            }
        }

        impl Named for $ty {
            fn named(name: &str) -> Option<$ty> {
                $ty::from_name(name)
            }
        })*
    };
}

words! {
    UnaryOp "an operation",
    BinaryOp "an operation",
    MathOp "an operation",
    ConvertOp "a conversion",
    IntCC "an integer condition",
    FloatCC "a float condition",
    AtomicOp "an atomic operation",
    MemoryOrder "an order",
    MemoryScope "a scope",
    ClockScope "a scope",
    MatrixLayout "a layout",
    MatrixOp "an operation",
    WorkItemQuery "a query",
    SubgroupVote "a vote",
    SubgroupShuffle "a shuffle",
    SubgroupScan "a scan",
    ImageDim "the dimensions of an image",
    TexelComponent "a component",
}

macro_rules! numbers {
    ($($ty:ty),*) => {
        $(impl Field for $ty {
            fn print(&self, p: &mut Printer<'_>) {
                let _ = write!(p.out, " {self}");
            }

            fn parse(p: &mut Parser, _: &mut Body) -> Parse<$ty> {
                p.number()
            }
        })*
    };
}

numbers!(u8, u32, u64, i32);

/// Flags that are words, in the order in which they are printed.
macro_rules! flags {
    ($($ty:ident $names:ident),*) => {
        $(impl Field for $ty {
            fn print(&self, p: &mut Printer<'_>) {
                for (name, flag) in $names {
                    if self.contains(flag) {
                        let _ = write!(p.out, " {name}");
                    }
                }
            }

            fn parse(p: &mut Parser, _: &mut Body) -> Parse<$ty> {
                let mut flags = $ty::empty();
                for (name, flag) in $names {
                    flags.set(flag, p.eat_word(name));
                }
                Ok(flags)
            }
        })*
    };
}

flags!(MemFlags MEM_FLAGS, BarrierFlags BARRIER_FLAGS);

impl Field for OpFlags {
    fn print(&self, p: &mut Printer<'_>) {
        p.op_flags(*self);
    }

    fn parse(_: &mut Parser, body: &mut Body) -> Parse<OpFlags> {
        Ok(body.op_flags)
    }
}

impl Field for Within {
    fn print(&self, p: &mut Printer<'_>) {
        let _ = write!(p.out, " within {} {}", self.start, self.end);
    }

    fn parse(p: &mut Parser, _: &mut Body) -> Parse<Within> {
        p.expect_word("within")?;
        Ok(Within { start: p.number()?, end: p.number()? })
    }

    fn parse_optional(p: &mut Parser, body: &mut Body) -> Parse<Option<Within>> {
        if p.at_word("within") {
            return Self::parse(p, body).map(Some);
        }
        Ok(None)
    }
}

impl Field for ImageView {
    fn print(&self, p: &mut Printer<'_>) {
        self.dim.print(p);
        self.component.print(p);
        p.out.push_str(if self.storage { " storage" } else { "" });
    }

    fn parse(p: &mut Parser, body: &mut Body) -> Parse<ImageView> {
        let (dim, component) = (Field::parse(p, body)?, Field::parse(p, body)?);
        Ok(ImageView { dim, component, storage: p.eat_word("storage") })
    }
}

impl Field for SyncSemantics {
    fn print(&self, p: &mut Printer<'_>) {
        self.order.print(p);
        self.scope.print(p);
    }

    fn parse(p: &mut Parser, body: &mut Body) -> Parse<SyncSemantics> {
        Ok(SyncSemantics { order: Field::parse(p, body)?, scope: Field::parse(p, body)? })
    }

    fn parse_optional(p: &mut Parser, body: &mut Body) -> Parse<Option<SyncSemantics>> {
        let Some(order) = p.eat_name(MemoryOrder::from_name) else { return Ok(None) };
        Ok(Some(SyncSemantics { order, scope: Field::parse(p, body)? }))
    }
}

impl Field for Value {
    fn for_each_arg(&self, f: &mut impl FnMut(Value)) {
        f(*self);
    }

    fn map_args(&mut self, f: &mut impl FnMut(Value) -> Value) {
        *self = f(*self);
    }

    fn print(&self, p: &mut Printer<'_>) {
        p.values(&[*self]);
    }

    fn parse(p: &mut Parser, body: &mut Body) -> Parse<Value> {
        p.value(body)
    }
}

impl<const N: usize> Field for [Value; N] {
    fn for_each_arg(&self, f: &mut impl FnMut(Value)) {
        self.iter().copied().for_each(f);
    }

    fn map_args(&mut self, f: &mut impl FnMut(Value) -> Value) {
        self.iter_mut().for_each(|arg| *arg = f(*arg));
    }

    fn print(&self, p: &mut Printer<'_>) {
        p.values(self);
    }

    fn parse(p: &mut Parser, body: &mut Body) -> Parse<[Value; N]> {
        let mut args = [Value::from_u32(0); N];
        for (i, arg) in args.iter_mut().enumerate() {
            if i > 0 {
                p.expect(',')?;
            }
            *arg = p.value(body)?;
        }
        Ok(args)
    }
}

impl<const N: usize> Field for SmallVec<[Value; N]>
where
    [Value; N]: smallvec::Array<Item = Value>,
{
    fn for_each_arg(&self, f: &mut impl FnMut(Value)) {
        self.iter().copied().for_each(f);
    }

    fn map_args(&mut self, f: &mut impl FnMut(Value) -> Value) {
        self.iter_mut().for_each(|arg| *arg = f(*arg));
    }

    fn print(&self, p: &mut Printer<'_>) {
        p.values(self);
    }

    fn parse(p: &mut Parser, body: &mut Body) -> Parse<SmallVec<[Value; N]>> {
        p.values(body)
    }
}

/// Lanes of a shuffle.
impl Field for SmallVec<[u8; 16]> {
    fn print(&self, p: &mut Printer<'_>) {
        let _ = write!(p.out, " {:?}", self.as_slice());
    }

    fn parse(p: &mut Parser, _: &mut Body) -> Parse<SmallVec<[u8; 16]>> {
        p.brackets(|p| p.number())
    }
}

impl Field for Global {
    fn print(&self, p: &mut Printer<'_>) {
        p.global_name(*self);
    }

    fn parse(p: &mut Parser, _: &mut Body) -> Parse<Global> {
        p.global_ref()
    }
}

impl Field for Func {
    fn print(&self, p: &mut Printer<'_>) {
        p.func_name(*self);
    }

    fn parse(p: &mut Parser, _: &mut Body) -> Parse<Func> {
        p.func_ref()
    }
}

impl Field for BlockCall {
    fn for_each_arg(&self, f: &mut impl FnMut(Value)) {
        self.args.for_each_arg(f);
    }

    fn map_args(&mut self, f: &mut impl FnMut(Value) -> Value) {
        self.args.map_args(f);
    }

    fn for_each_target<'a>(&'a self, f: &mut impl FnMut(&'a BlockCall)) {
        f(self);
    }

    fn for_each_target_mut(&mut self, f: &mut impl FnMut(&mut BlockCall)) {
        f(self);
    }

    fn print(&self, p: &mut Printer<'_>) {
        p.out.push(' ');
        p.call(self);
    }

    fn parse(p: &mut Parser, body: &mut Body) -> Parse<BlockCall> {
        p.target(body)
    }
}

impl Field for Vec<SwitchCase> {
    fn for_each_arg(&self, f: &mut impl FnMut(Value)) {
        self.iter().for_each(|case| case.target.for_each_arg(f));
    }

    fn map_args(&mut self, f: &mut impl FnMut(Value) -> Value) {
        self.iter_mut().for_each(|case| case.target.map_args(f));
    }

    fn for_each_target<'a>(&'a self, f: &mut impl FnMut(&'a BlockCall)) {
        self.iter().for_each(|case| f(&case.target));
    }

    fn for_each_target_mut(&mut self, f: &mut impl FnMut(&mut BlockCall)) {
        self.iter_mut().for_each(|case| f(&mut case.target));
    }

    fn print(&self, p: &mut Printer<'_>) {
        p.out.push_str(" [");
        for (i, case) in self.iter().enumerate() {
            let _ = write!(p.out, "{}{}: ", if i > 0 { ", " } else { "" }, case.value);
            p.call(&case.target);
        }
        p.out.push(']');
    }

    fn parse(p: &mut Parser, body: &mut Body) -> Parse<Vec<SwitchCase>> {
        p.brackets(|p| {
            let value = p.number()?;
            p.expect(':')?;
            Ok(SwitchCase { value, target: p.target(body)? })
        })
    }
}
