//! `__attribute__` (OpenCL C 6.13): what the known ones say, and a warning for the others.

use super::types::{Scalar, TypeId};
use super::Sema;
use crate::source::Span;
use crate::syntax::ast::{self, Attribute};

/// What a declaration's attributes say.
#[derive(Debug, Default, Clone)]
pub(super) struct Attributes {
    /// In bytes; 0 if none.
    pub aligned: u32,
    pub packed: bool,
    pub overloadable: bool,
    pub noinline: bool,
    pub required_local_size: Option<[u32; 3]>,
    pub local_size_hint: Option<[u32; 3]>,
    /// As CL_KERNEL_ATTRIBUTES shows them.
    pub texts: Vec<String>,
}

/// Largest alignment that may be asked for, in bytes.
const MAX_ALIGN: u64 = 1 << 16;

/// Attributes that change nothing here.
const IGNORED: &[&str] = &[
    "always_inline",
    "annotate",
    "artificial",
    "cold",
    "const",
    "constructor",
    "convergent",
    "deprecated",
    "endian",
    "flatten",
    "gnu_inline",
    "hot",
    "leaf",
    "may_alias",
    "no_sanitize",
    "nodebug",
    "noreturn",
    "nosvm",
    "nothrow",
    "nonnull",
    "opencl_unroll_hint",
    "pure",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
    "weak",
    "intel_reqd_sub_group_size",
];

impl Sema<'_> {
    /// Reads a list of attributes.
    pub(super) fn attributes(&mut self, list: &[Attribute]) -> Attributes {
        self.more_attributes(&Attributes::default(), list)
    }

    /// Adds those of a declarator to those of its declaration, which are read once.
    pub(super) fn more_attributes(&mut self, base: &Attributes, list: &[Attribute]) -> Attributes {
        let mut known = base.clone();
        for attribute in list {
            self.attribute(attribute, &mut known);
        }
        known
    }

    fn attribute(&mut self, attribute: &Attribute, known: &mut Attributes) {
        let full = self.text(attribute.name);
        let name = full.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(full);
        match name {
            "aligned" => known.aligned = known.aligned.max(self.aligned(attribute)),
            "packed" => known.packed = true,
            "overloadable" => known.overloadable = true,
            "noinline" => known.noinline = true,
            "reqd_work_group_size" => {
                known.required_local_size = self.sizes(attribute, name, &mut known.texts);
            }
            "work_group_size_hint" => {
                known.local_size_hint = self.sizes(attribute, name, &mut known.texts);
            }
            "vec_type_hint" => self.vec_type_hint(attribute, &mut known.texts),
            _ if IGNORED.contains(&name) => {}
            _ => {
                let message = format!("unknown attribute '{full}' ignored");
                self.diags.warning(attribute.span, message);
            }
        }
    }

    /// The operand of `aligned`; 16 without one.
    fn aligned(&mut self, attribute: &Attribute) -> u32 {
        let Some(operand) = attribute.args.first() else { return 16 };
        match self.attribute_int(operand) {
            Some(n) if n.is_power_of_two() && n <= MAX_ALIGN => n as u32,
            Some(_) => {
                self.error(operand.span, "requested alignment is not a power of 2");
                0
            }
            None => 0,
        }
    }

    fn attribute_int(&mut self, operand: &ast::Expr) -> Option<u64> {
        let value = self.rvalue(operand);
        if self.is_error(value.ty) {
            return None;
        }
        let n = self.eval_int(&value);
        if n.is_none() {
            self.error(operand.span, "attribute requires an integer constant");
        }
        n.and_then(|n| u64::try_from(n).ok())
    }

    /// The three operands of a work-group size.
    fn sizes(
        &mut self,
        attribute: &Attribute,
        name: &str,
        texts: &mut Vec<String>,
    ) -> Option<[u32; 3]> {
        let [x, y, z] = attribute.args.as_slice() else {
            let message = format!("'{name}' attribute requires exactly 3 arguments");
            self.error(attribute.span, message);
            return None;
        };
        let mut sizes = [0; 3];
        for (size, operand) in sizes.iter_mut().zip([x, y, z]) {
            let n = self.attribute_int(operand)?;
            match u32::try_from(n) {
                Ok(n) if n > 0 => *size = n,
                _ => {
                    self.error(operand.span, format!("'{name}' attribute must be greater than 0"));
                    return None;
                }
            }
        }
        texts.push(format!("{name}({},{},{})", sizes[0], sizes[1], sizes[2]));
        Some(sizes)
    }

    fn vec_type_hint(&mut self, attribute: &Attribute, texts: &mut Vec<String>) {
        let Some(name) = &attribute.type_arg else {
            self.error(attribute.span, "'vec_type_hint' attribute requires a type");
            return;
        };
        let ty = self.type_name(name).ty;
        if self.hintable(ty, name.span) {
            let ty = super::print::type_name(&self.module.types, ty);
            texts.push(format!("vec_type_hint({ty})"));
        }
    }

    fn hintable(&mut self, ty: TypeId, span: Span) -> bool {
        match self.module.types.numeric(ty) {
            Some((scalar, _)) if scalar != Scalar::Bool => true,
            _ if self.is_error(ty) => false,
            _ => {
                let message = format!(
                    "invalid attribute argument {} - expecting a vector or vectorizable scalar type",
                    self.quoted(ty)
                );
                self.error(span, message);
                false
            }
        }
    }
}
