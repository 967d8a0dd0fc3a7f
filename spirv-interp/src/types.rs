//! Types, and the representation of their values in memory.

use crate::error::{Error, Res};
use crate::float::BFLOAT16;
use crate::image::ImageType;
use crate::value::{Bits, Place, Pointer, Value};
use rspirv::spirv::StorageClass;

/// A type, which names other types by their ids.
#[derive(Debug, Clone)]
pub enum Type {
    Void,
    Bool,
    Int {
        width: u32,
    },
    Float {
        width: u32,
    },
    /// The upper half of a float of 32 bits (SPV_KHR_bfloat16).
    BFloat16,
    Vector {
        element: u32,
        count: u32,
    },
    Array {
        element: u32,
        length: u64,
        stride: u64,
    },
    /// An array of device memory whose length the module does not say; the device memory knows which bytes may be accessed.
    RuntimeArray {
        element: u32,
        stride: u64,
    },
    /// The types and the byte offsets of the members.
    Struct {
        members: Vec<(u32, u64)>,
        size: u64,
    },
    Pointer {
        class: StorageClass,
        pointee: u32,
    },
    /// A cooperative matrix, of which a work-item of the sub-group holds some elements.
    Matrix(Held),
    Image(ImageType),
    SampledImage {
        image: u32,
    },
    Sampler,
    Function,
}

/// The distribution of a matrix over `items` work-items: work-item `n % items` holds element number `n`, counted row by row.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    pub element: u32,
    pub rows: u64,
    pub columns: u64,
    pub items: u64,
}

impl Held {
    /// Returns the length of each work-item's list of elements; the last places of some lists may have no element.
    pub fn count(self) -> u64 {
        (self.rows * self.columns).div_ceil(self.items)
    }

    /// Returns row and column of the element that a work-item holds at an index; `None` if the index has no element.
    pub fn place(self, item: u64, index: u64) -> Option<[u64; 2]> {
        let number = index * self.items + item;
        (number < self.rows * self.columns).then(|| [number / self.columns, number % self.columns])
    }

    /// Returns the work-item that holds an element, and the element's index there.
    pub fn holder(self, row: u64, column: u64) -> [u64; 2] {
        let number = row * self.columns + column;
        [number % self.items, number / self.items]
    }
}

/// All types of a module, by id.
#[derive(Debug, Default)]
pub struct Types {
    types: Vec<Option<Type>>,
}

impl Types {
    /// Defines a type.
    pub fn insert(&mut self, id: u32, ty: Type) {
        let index = id as usize;
        if self.types.len() <= index {
            self.types.resize(index + 1, None);
        }
        self.types[index] = Some(ty);
    }

    /// Returns the type with an id.
    pub fn get(&self, id: u32) -> Res<&Type> {
        match self.types.get(id as usize) {
            Some(Some(ty)) => Ok(ty),
            _ => Error::invalid(format!("%{id} is no type")),
        }
    }

    /// Returns the width of a scalar, or of a vector's components, in bits.
    pub fn width(&self, id: u32) -> Res<u32> {
        match self.get(id)? {
            Type::Bool => Ok(1),
            Type::BFloat16 => Ok(16),
            Type::Int { width } | Type::Float { width } => Ok(*width),
            Type::Vector { element, .. } | Type::Matrix(Held { element, .. }) => {
                self.width(*element)
            }
            Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. } => Ok(64),
            _ => Error::invalid(format!("%{id} is no scalar type")),
        }
    }

    /// Returns the format of a scalar, or of a vector's components: [`BFLOAT16`], or the width in bits.
    pub fn format(&self, id: u32) -> Res<u32> {
        match self.get(id)? {
            Type::BFloat16 => Ok(BFLOAT16),
            Type::Vector { element, .. } | Type::Matrix(Held { element, .. }) => {
                self.format(*element)
            }
            _ => self.width(id),
        }
    }

    /// Returns true if a scalar, or a vector's components, are floats.
    pub fn is_float(&self, id: u32) -> Res<bool> {
        match self.get(id)? {
            Type::Float { .. } | Type::BFloat16 => Ok(true),
            Type::Vector { element, .. } | Type::Matrix(Held { element, .. }) => {
                self.is_float(*element)
            }
            _ => Ok(false),
        }
    }

    /// Returns the number of bytes of a value in memory.
    pub fn size(&self, id: u32) -> Res<u64> {
        Ok(match self.get(id)? {
            Type::Int { width } | Type::Float { width } => u64::from(width / 8),
            Type::BFloat16 => 2,
            Type::Vector { element, count } => self.size(*element)? * u64::from(*count),
            Type::Array { length, stride, .. } => length * stride,
            Type::Matrix(held) => held.count() * self.size(held.element)?,
            // A runtime array adds nothing to the size of the structure whose last member it is.
            Type::RuntimeArray { .. } => 0,
            Type::Struct { size, .. } => *size,
            Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. } => 8,
            other => return Error::invalid(format!("{other:?} in memory")),
        })
    }

    /// Returns the alignment of the largest scalar in a type, in bytes.
    pub fn scalar_align(&self, id: u32) -> Res<u64> {
        match self.get(id)? {
            Type::Vector { element, .. }
            | Type::Array { element, .. }
            | Type::Matrix(Held { element, .. })
            | Type::RuntimeArray { element, .. } => self.scalar_align(*element),
            Type::Struct { members, .. } => {
                members.iter().try_fold(1, |most, (ty, _)| Ok(most.max(self.scalar_align(*ty)?)))
            }
            _ => self.size(id),
        }
    }

    /// Returns the type and the byte offset of a member.
    pub fn member(&self, id: u32, index: i64) -> Res<(u32, u64)> {
        match self.get(id)? {
            Type::Vector { element, .. } | Type::Matrix(Held { element, .. }) => {
                Ok((*element, (index as u64).wrapping_mul(self.size(*element)?)))
            }
            Type::Array { element, stride, .. } | Type::RuntimeArray { element, stride } => {
                Ok((*element, (index as u64).wrapping_mul(*stride)))
            }
            Type::Struct { members, .. } => match members.get(index as usize) {
                Some(member) => Ok(*member),
                None => Error::invalid(format!("member {index} of %{id}")),
            },
            _ => Error::invalid(format!("a member of %{id}, which has none")),
        }
    }

    /// Calls a function with the type and the byte offset of each scalar in a type, in order.
    pub fn scalars(&self, id: u32, offset: u64, f: &mut dyn FnMut(u32, u64) -> Res<()>) -> Res<()> {
        match self.get(id)? {
            Type::Vector { count: n, .. } => {
                (0..i64::from(*n)).try_for_each(|i| self.within(id, i, offset, f))
            }
            Type::Array { length: n, .. } => {
                (0..*n as i64).try_for_each(|i| self.within(id, i, offset, f))
            }
            Type::Matrix(held) => {
                (0..held.count() as i64).try_for_each(|i| self.within(id, i, offset, f))
            }
            Type::Struct { members, .. } => {
                (0..members.len() as i64).try_for_each(|i| self.within(id, i, offset, f))
            }
            _ => f(id, offset),
        }
    }

    fn within(
        &self,
        id: u32,
        index: i64,
        offset: u64,
        f: &mut dyn FnMut(u32, u64) -> Res<()>,
    ) -> Res<()> {
        let (ty, at) = self.member(id, index)?;
        self.scalars(ty, offset + at, f)
    }

    /// Returns a value of a type that is made of its scalars, in order.
    pub fn build(&self, id: u32, scalars: &mut dyn Iterator<Item = Bits>) -> Res<Value> {
        let mut members = |types: &mut dyn Iterator<Item = u32>| {
            let members: Res<Vec<Value>> = types.map(|ty| self.build(ty, scalars)).collect();
            Ok(Value::Composite(members?.into()))
        };
        match self.get(id)? {
            Type::Vector { element, count } => members(&mut (0..*count).map(|_| *element)),
            Type::Array { element, length, .. } => members(&mut (0..*length).map(|_| *element)),
            Type::Matrix(held) => members(&mut (0..held.count()).map(|_| held.element)),
            Type::Struct { members: all, .. } => members(&mut all.iter().map(|(ty, _)| *ty)),
            ty => match (scalars.next(), ty) {
                (Some(bits), Type::Pointer { .. }) => {
                    let offset = bits.defined("a pointer")?;
                    Ok(Value::Pointer(Pointer { place: Place::Device, offset }))
                }
                (Some(bits), _) => Ok(bits.into()),
                (None, _) => Error::invalid("too few scalars for a value"),
            },
        }
    }

    /// Returns a value of a type; `of` makes each scalar from the scalar's width in bits.
    pub fn fill(&self, id: u32, of: &dyn Fn(u32) -> Bits) -> Res<Value> {
        let members = |types: &mut dyn Iterator<Item = u32>| {
            let members: Res<Vec<Value>> = types.map(|ty| self.fill(ty, of)).collect();
            Ok(Value::Composite(members?.into()))
        };
        match self.get(id)? {
            Type::Vector { element, count } => members(&mut (0..*count).map(|_| *element)),
            Type::Array { element, length, .. } => members(&mut (0..*length).map(|_| *element)),
            Type::Matrix(held) => members(&mut (0..held.count()).map(|_| held.element)),
            Type::Struct { members: all, .. } => members(&mut all.iter().map(|(ty, _)| *ty)),
            _ => Ok(of(self.width(id)?).into()),
        }
    }
}
