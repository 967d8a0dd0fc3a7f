//! What a program may read and write: places, each with a type, and functions to call.

use super::types::{Scalar, Type};
use super::Writer;
use crate::draw::Draw;
use arbitrary::Result;

/// The names of the elements of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Variable,
    /// An array with this number of elements, a power of two.
    Array(u32),
    Pointer,
}

/// Something in scope.
#[derive(Clone)]
pub struct Place {
    pub name: String,
    pub ty: Type,
    pub kind: Kind,
    pub writable: bool,
    /// The address space that it lies in or points to; empty for the generic one.
    pub space: &'static str,
    /// True if it has an address that a pointer to `ty` may hold.
    pub addressable: bool,
}

impl Place {
    pub fn variable(name: &str, ty: Type, writable: bool) -> Place {
        let (kind, space) = (Kind::Variable, "private");
        Place { name: name.to_string(), ty, kind, writable, space, addressable: writable }
    }

    pub fn array(name: &str, ty: Type, count: u32, writable: bool, space: &'static str) -> Place {
        let kind = Kind::Array(count);
        Place { name: name.to_string(), ty, kind, writable, space, addressable: true }
    }

    pub fn pointer(name: &str, ty: Type, space: &'static str) -> Place {
        let writable = !space.contains("const");
        Place {
            name: name.to_string(),
            ty,
            kind: Kind::Pointer,
            writable,
            space,
            addressable: true,
        }
    }
}

/// The parameter of a function.
#[derive(Clone)]
pub enum Parameter {
    Value(Type),
    Pointer(Type, &'static str),
    Structure,
}

/// A function that may be called.
#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub result: Type,
    pub parameters: Vec<Parameter>,
}

impl Writer<'_, '_> {
    /// Puts the members of a variable of type `S` into scope.
    pub fn structure(&mut self, name: &str) {
        let [x, y, z, _] = self.members;
        // A member of a packed structure may not be where its type must be.
        let member = |field: &str, ty| Place {
            addressable: false,
            ..Place::variable(&format!("{name}.{field}"), ty, true)
        };
        let array = Place {
            addressable: false,
            ..Place::array(&format!("{name}.y"), y, 4, true, "private")
        };
        self.places.extend([member("x", x), member("z", z), array]);
        self.structures.push(name.to_string());
    }

    /// Puts the members of a variable of type `U` into scope.
    pub fn union(&mut self, name: &str) {
        let ty = self.members[3];
        self.places
            .push(Place { addressable: false, ..Place::variable(&format!("{name}.m"), ty, true) });
        let bytes =
            Place::array(&format!("{name}.bytes"), Scalar::Uchar.into(), 8, true, "private");
        self.places.push(Place { addressable: false, ..bytes });
    }

    /// Returns the name of an element of a place of this type that fits, if there is a place.
    pub fn element(
        &mut self,
        ty: Type,
        depth: u32,
        fits: impl Fn(&Place) -> bool,
    ) -> Result<Option<String>> {
        let all: Vec<usize> = (0..self.places.len())
            .filter(|i| self.places[*i].ty == ty && fits(&self.places[*i]))
            .collect();
        if all.is_empty() {
            return Ok(None);
        }
        let at = *self.u.choose(&all)?;
        let place = self.places[at].clone();
        self.element_of(&place, depth).map(Some)
    }

    /// Returns the name of an element of a place.
    pub fn element_of(&mut self, place: &Place, depth: u32) -> Result<String> {
        let name = &place.name;
        Ok(match place.kind {
            Kind::Variable => name.clone(),
            Kind::Array(count) => format!("{name}[({}) & {}]", self.index(depth)?, count - 1),
            Kind::Pointer if self.seldom(3)? => format!("(*{name})"),
            Kind::Pointer => format!("{name}[{}]", self.index(depth)?),
        })
    }

    fn index(&mut self, depth: u32) -> Result<String> {
        if depth == 0 {
            return Ok(self.one(&["0", "1", "3"])?.to_string());
        }
        let scalar = self.one(&[Scalar::Int, Scalar::Uint, Scalar::Ulong, Scalar::Char])?;
        self.expression(scalar.into(), depth.min(2) - 1)
    }

    /// Returns a pointer to this type into this space.
    pub fn pointer_to(&mut self, ty: Type, space: &str) -> Result<String> {
        let fits = |place: &Place| {
            let same = place.space == space
                || space.is_empty() && !place.space.contains("const")
                || space == "const global" && place.space == "global";
            place.ty == ty && same && place.addressable
        };
        let all: Vec<Place> = self.places.iter().filter(|place| fits(place)).cloned().collect();
        if all.is_empty() || self.seldom(8)? {
            return Ok(format!("({space} {} *)0", ty.name()));
        }
        let place = self.u.choose(&all)?.clone();
        Ok(match place.kind {
            Kind::Variable => format!("&{}", place.name),
            _ => format!("({} + ({} & 3))", place.name, self.expression(Scalar::Int.into(), 1)?),
        })
    }
}
