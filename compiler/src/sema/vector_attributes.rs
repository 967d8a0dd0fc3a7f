//! Vector types by the attributes of other compilers of C: `ext_vector_type(lanes)` and `vector_size(bytes)`. They name
//! OpenCL C's own vectors.

use super::typename::QualType;
use super::types::{Scalar, TypeId, TypeKind};
use super::Sema;
use crate::source::Span;
use crate::syntax::ast::Attribute;

const LANES: &str = "ext_vector_type";
const BYTES: &str = "vector_size";

/// Returns true for the name, without underscores around it, of an attribute that makes a vector type.
pub(super) fn makes_vectors(name: &str) -> bool {
    matches!(name, LANES | BYTES)
}

impl Sema<'_> {
    /// Returns the name of an attribute, without the underscores that may be around it.
    pub(super) fn attribute_name(&self, attribute: &Attribute) -> &str {
        let full = self.text(attribute.name);
        full.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(full)
    }

    /// Returns the first attribute that makes a vector type.
    pub(super) fn vector_attribute<'a>(&self, list: &'a [Attribute]) -> Option<&'a Attribute> {
        list.iter().find(|attribute| makes_vectors(self.attribute_name(attribute)))
    }

    /// Returns the vector type that attributes make of an element type; the type itself without such attributes.
    pub(super) fn with_vector(&mut self, base: QualType, list: &[Attribute]) -> QualType {
        match self.vector_attribute(list) {
            Some(attribute) if !self.is_error(base.ty) => {
                let ty = self.vector_type(base.ty, attribute).unwrap_or(self.basic.error);
                QualType { ty, ..base }
            }
            _ => base,
        }
    }

    fn vector_type(&mut self, element: TypeId, attribute: &Attribute) -> Option<TypeId> {
        let span = attribute.span;
        let name = self.attribute_name(attribute).to_string();
        let [operand] = attribute.args.as_slice() else {
            return self.fail(span, format!("'{name}' attribute takes one argument"));
        };
        let number = self.attribute_int(operand, &name)?;
        let TypeKind::Scalar(scalar) = *self.module.types.kind(element) else {
            return self.no_elements(element, span);
        };
        if scalar == Scalar::Bool {
            return self.no_elements(element, span);
        }
        let size = if name == BYTES { u64::from(scalar.size()) } else { 1 };
        match (number / size, number % size) {
            (lanes @ (2 | 3 | 4 | 8 | 16), 0) => Some(self.scalar_type(scalar, lanes as u8, span)),
            _ => {
                let message = format!("'{name}' attribute of {number} makes no vector of OpenCL C");
                self.fail(operand.span, message)
            }
        }
    }

    fn no_elements(&mut self, element: TypeId, span: Span) -> Option<TypeId> {
        self.fail(span, format!("invalid vector element type {}", self.quoted(element)))
    }
}
