//! Values: bits with a mask of those that are undefined, composites and pointers.

use crate::error::{Error, Res};
use std::rc::Rc;

/// A scalar of up to 64 bits. A bool has one bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// The bits; those beyond the type's width are zero.
    pub bits: u64,
    /// The bits that have no defined value.
    pub undef: u64,
}

/// Returns the low `width` bits.
pub fn ones(width: u32) -> u64 {
    match width {
        0 => 0,
        1..=63 => (1 << width) - 1,
        _ => u64::MAX,
    }
}

/// Returns the value as a number of `width` bits in two's complement.
pub fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((bits << shift) as i64) >> shift
}

impl Bits {
    /// Returns a scalar all bits of which are defined.
    pub fn new(bits: u64) -> Bits {
        Bits { bits, undef: 0 }
    }

    /// Returns a scalar no bit of which is defined.
    pub fn undefined(width: u32) -> Bits {
        Bits { bits: 0, undef: ones(width) }
    }

    /// Returns the bits if all of them are defined.
    pub fn defined(self, what: &str) -> Res<u64> {
        match self.undef {
            0 => Ok(self.bits),
            _ => Error::undefined(format!("{what} depends on memory that was never written")),
        }
    }
}

/// The object that a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Device memory; the offset is the address.
    Device,
    /// An object in the memory of the work-group.
    Shared(usize),
    /// An object of the work-item.
    Own(usize),
    /// The push constants.
    PushConstants,
    /// A built-in variable, by its number.
    BuiltIn(u32),
    /// The array of images or samplers of a binding; the offset is the slot.
    Descriptors(u32),
}

/// A pointer: the object, and the byte offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    pub place: Place,
    pub offset: u64,
}

/// The value of an id.
#[derive(Debug, Clone)]
pub enum Value {
    Bits(Bits),
    /// Components of a vector, elements of an array, members of a structure.
    Composite(Rc<[Value]>),
    Pointer(Pointer),
}

impl From<Bits> for Value {
    fn from(bits: Bits) -> Value {
        Value::Bits(bits)
    }
}

impl Value {
    /// Returns the scalar; an error if the value is not a scalar.
    pub fn scalar(&self) -> Res<Bits> {
        match self {
            Value::Bits(bits) => Ok(*bits),
            _ => Error::invalid("a scalar is needed"),
        }
    }

    /// Returns the bits of a scalar; an error if any of them is undefined.
    pub fn defined(&self, what: &str) -> Res<u64> {
        self.scalar()?.defined(what)
    }

    /// Returns the members of a composite.
    pub fn members(&self) -> Res<&Rc<[Value]>> {
        match self {
            Value::Composite(members) => Ok(members),
            _ => Error::invalid("a composite is needed"),
        }
    }

    /// Returns the pointer; an error if the value is not a pointer.
    pub fn pointer(&self) -> Res<Pointer> {
        match self {
            Value::Pointer(pointer) => Ok(*pointer),
            _ => Error::invalid("a pointer is needed"),
        }
    }

    /// Applies a function to each component.
    pub fn map(&self, f: &mut dyn FnMut(Bits) -> Res<Bits>) -> Res<Value> {
        match self {
            Value::Bits(bits) => Ok(f(*bits)?.into()),
            Value::Composite(members) => {
                let members: Res<Rc<[Value]>> = members.iter().map(|m| m.map(f)).collect();
                Ok(Value::Composite(members?))
            }
            Value::Pointer(_) => Error::invalid("arithmetic on a pointer"),
        }
    }

    /// Applies a function to the components of several values, to one component of each value at a time.
    pub fn zip(values: &[&Value], f: &mut dyn FnMut(&[Bits]) -> Res<Bits>) -> Res<Value> {
        if let [Value::Bits(a), Value::Bits(b)] = values {
            return Ok(f(&[*a, *b])?.into());
        }
        let Some(Value::Composite(first)) = values.first() else {
            let row: Vec<Bits> = values.iter().map(|v| v.scalar()).collect::<Res<_>>()?;
            return Ok(f(&row)?.into());
        };
        let mut members = Vec::with_capacity(first.len());
        for i in 0..first.len() {
            let mut row = Vec::with_capacity(values.len());
            for value in values {
                match value.members()?.get(i) {
                    Some(member) => row.push(member),
                    None => return Error::invalid("operands with different numbers of components"),
                }
            }
            members.push(Value::zip(&row, f)?);
        }
        Ok(Value::Composite(members.into()))
    }

    /// Appends the scalars of the value, in order.
    pub fn flatten(&self, out: &mut Vec<Bits>) -> Res<()> {
        match self {
            Value::Bits(bits) => out.push(*bits),
            Value::Composite(members) => members.iter().try_for_each(|m| m.flatten(out))?,
            Value::Pointer(_) => return Error::invalid("the bits of a logical pointer"),
        }
        Ok(())
    }
}
