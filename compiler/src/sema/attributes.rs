//! `__attribute__` (OpenCL C 6.9.2, 6.13): the known attributes, and a warning for others.

use super::matrices::ATTRIBUTE;
use super::typename::QualType;
use super::types::{Scalar, TypeId};
use super::vector_attributes::makes_vectors;
use super::Sema;
use crate::kernel::MAX_ALIGN;
use crate::options::ClStd;
use crate::source::Span;
use crate::syntax::ast::{self, AddressSpace, Attribute};

/// The attributes of a declaration.
#[derive(Debug, Default, Clone)]
pub(super) struct Attributes {
    /// Alignment in bytes; 0 if none.
    pub aligned: u32,
    pub packed: bool,
    /// The place of `packed`.
    pub packed_span: Option<Span>,
    pub overloadable: bool,
    pub noinline: bool,
    pub required_local_size: Option<[u32; 3]>,
    pub local_size_hint: Option<[u32; 3]>,
    pub required_subgroup_size: Option<u32>,
    /// The attributes as CL_KERNEL_ATTRIBUTES shows them.
    pub texts: Vec<String>,
    /// Attributes that only kernels have.
    pub of_kernels: Vec<(&'static str, Span)>,
    /// Attributes that only pointers have.
    pub of_pointers: Vec<(&'static str, Span)>,
}

/// The alignment in bytes for `aligned` without an operand: the largest one of any type (long16).
const WIDEST_ALIGN: u32 = 128;

/// Attributes that change what a declaration means. A program without them is another program.
const UNSUPPORTED: [&str; 4] = ["address_space", "alias", "cleanup", "mode"];

/// Attributes that have no effect in this compiler.
const IGNORED: &[&str] = &[
    "always_inline",
    "annotate",
    "artificial",
    "cold",
    "const",
    "constructor",
    "convergent",
    "deprecated",
    "flatten",
    "gnu_inline",
    "hot",
    "leaf",
    "may_alias",
    "no_sanitize",
    "nodebug",
    "noreturn",
    "nothrow",
    "nonnull",
    "opencl_unroll_hint",
    "pure",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
    "weak",
];

impl Attributes {
    /// Adds a work-group size to the attributes, if it is the first one of its name.
    fn add_sizes(&mut self, name: &'static str, sizes: Option<[u32; 3]>, span: Span) {
        self.of_kernels.push((name, span));
        let is_first = !self.texts.iter().any(|text| text.starts_with(name));
        if let (Some([x, y, z]), true) = (sizes, is_first) {
            self.texts.push(format!("{name}({x},{y},{z})"));
        }
    }
}

impl Sema<'_> {
    /// Reads a list of attributes.
    pub(super) fn attributes(&mut self, list: &[Attribute]) -> Attributes {
        self.all_attributes(Attributes::default(), list)
    }

    /// Adds a declarator's attributes to the attributes of its declaration, which are read once.
    pub(super) fn more_attributes(&mut self, base: &Attributes, list: &[Attribute]) -> Attributes {
        if let Some(attribute) = self.vector_attribute(list) {
            let name = self.attribute_name(attribute);
            let message = format!("attribute '{name}' must stand before the declarator");
            self.error(attribute.span, message);
        }
        self.typedef_attributes(base, list)
    }

    /// Adds the attributes of a typedef's declarator, where those that make vector types may stand.
    pub(super) fn typedef_attributes(
        &mut self,
        base: &Attributes,
        list: &[Attribute],
    ) -> Attributes {
        let misplaced = list.iter().find(|attribute| self.text(attribute.name) == ATTRIBUTE);
        if let Some(attribute) = misplaced {
            let message = "attribute 'coop_mat' must stand before the declarator";
            self.error(attribute.span, message);
        }
        self.all_attributes(base.clone(), list)
    }

    fn all_attributes(&mut self, mut known: Attributes, list: &[Attribute]) -> Attributes {
        for attribute in list {
            self.attribute(attribute, &mut known);
        }
        known
    }

    fn attribute(&mut self, attribute: &Attribute, known: &mut Attributes) {
        let full = self.text(attribute.name);
        let name = self.attribute_name(attribute).to_string();
        let name = name.as_str();
        match name {
            "aligned" => known.aligned = known.aligned.max(self.aligned(attribute)),
            "packed" => {
                known.packed |= self.takes_arguments(attribute, "packed", 0);
                known.packed_span = Some(attribute.span);
            }
            // These have been used for the type.
            ATTRIBUTE => {}
            name if makes_vectors(name) => {}
            name if UNSUPPORTED.contains(&name) => {
                self.error(attribute.span, format!("attribute '{name}' is not supported"));
            }
            "overloadable" => known.overloadable = true,
            "noinline" => known.noinline = true,
            "reqd_work_group_size" => {
                let name = "reqd_work_group_size";
                let sizes = self.sizes(attribute, name, known.required_local_size);
                known.add_sizes(name, sizes, attribute.span);
                known.required_local_size = known.required_local_size.or(sizes);
            }
            "work_group_size_hint" => {
                let name = "work_group_size_hint";
                let sizes = self.sizes(attribute, name, known.local_size_hint);
                known.add_sizes(name, sizes, attribute.span);
                known.local_size_hint = known.local_size_hint.or(sizes);
            }
            "intel_reqd_sub_group_size" => self.subgroup_size(attribute, known),
            "vec_type_hint" => {
                known.of_kernels.push(("vec_type_hint", attribute.span));
                self.vec_type_hint(attribute, &mut known.texts);
            }
            "endian" if self.endian(attribute) => {
                known.of_pointers.push(("endian", attribute.span));
            }
            "endian" => {}
            "nosvm" if self.options.std < ClStd::Cl20 => {
                self.error(attribute.span, "'nosvm' attribute requires OpenCL C version 2.0");
            }
            "nosvm" => known.of_pointers.push(("nosvm", attribute.span)),
            _ if IGNORED.contains(&name) => {}
            _ => {
                let message = format!("unknown attribute '{full}' ignored");
                self.diags.warning(attribute.span, message);
            }
        }
    }

    /// Returns true if an attribute has no more than `most` arguments; otherwise reports an error.
    fn takes_arguments(&mut self, attribute: &Attribute, name: &str, most: usize) -> bool {
        if attribute.args.len() <= most {
            return true;
        }
        let message = match most {
            0 => format!("'{name}' attribute takes no arguments"),
            1 => format!("'{name}' attribute takes no more than 1 argument"),
            _ => format!("'{name}' attribute takes no more than {most} arguments"),
        };
        self.fail(attribute.span, message)
    }

    /// Returns the operand of `aligned`, or of `_Alignas`, which may be a type.
    fn aligned(&mut self, attribute: &Attribute) -> u32 {
        if let Some(name) = &attribute.type_arg {
            let ty = self.type_name(name);
            return self.module.types.align(ty.ty).max(ty.align);
        }
        let Some(operand) = attribute.args.first() else { return WIDEST_ALIGN };
        if !self.takes_arguments(attribute, "aligned", 1) {
            return 0;
        }
        match self.attribute_int(operand, "aligned") {
            Some(n) if n.is_power_of_two() && n <= u64::from(MAX_ALIGN) => n as u32,
            Some(_) => {
                self.error(operand.span, "requested alignment is not a power of 2");
                0
            }
            None => 0,
        }
    }

    /// Returns the value of a constant operand of the attribute `name`; for a negative value, its bits.
    pub(super) fn attribute_int(&mut self, operand: &ast::Expr, name: &str) -> Option<u64> {
        let value = self.rvalue(operand);
        if self.is_error(value.ty) {
            return None;
        }
        let n = self.eval_int(&value);
        if n.is_none() {
            self.error(operand.span, format!("'{name}' attribute requires an integer constant"));
        }
        n.map(|n| n as u64)
    }

    /// Returns the three operands of a work-group size. If there is a size from `before`, it is kept.
    fn sizes(
        &mut self,
        attribute: &Attribute,
        name: &str,
        before: Option<[u32; 3]>,
    ) -> Option<[u32; 3]> {
        let [x, y, z] = attribute.args.as_slice() else {
            return self
                .fail(attribute.span, format!("'{name}' attribute requires exactly 3 arguments"));
        };
        let mut sizes = [0; 3];
        for (size, operand) in sizes.iter_mut().zip([x, y, z]) {
            let n = self.attribute_int(operand, name)?;
            match u32::try_from(n) {
                Ok(n) if n > 0 => *size = n,
                _ => {
                    return self
                        .fail(operand.span, format!("'{name}' attribute must be greater than 0"));
                }
            }
        }
        if before.is_some_and(|before| before != sizes) {
            let message = format!("attribute '{name}' is already applied with different arguments");
            self.diags.warning(attribute.span, message);
        }
        Some(sizes)
    }

    /// Reads a size of sub-groups (cl_intel_required_subgroup_size). If the device has only one size, it does not have this
    /// extension, and the attribute is ignored, as by other compilers.
    fn subgroup_size(&mut self, attribute: &Attribute, known: &mut Attributes) {
        let name = "intel_reqd_sub_group_size";
        known.of_kernels.push((name, attribute.span));
        let [operand] = attribute.args.as_slice() else {
            let message = format!("'{name}' attribute takes one argument");
            return self.error(attribute.span, message);
        };
        let Some(size) = self.attribute_int(operand, name) else { return };
        let sizes = self.target.required_subgroup_sizes();
        if sizes.is_empty() {
            let message =
                format!("'{name}' is ignored: this device has no choice of sub-group sizes");
            return self.diags.warning(attribute.span, message);
        }
        let may_have = |size: &u32| self.target.may_require_subgroup_size(*size);
        let Some(size) = u32::try_from(size).ok().filter(may_have) else {
            let offered: Vec<String> = sizes.iter().map(u32::to_string).collect();
            let offered = offered.join(", ");
            let message =
                format!("the device has no sub-groups of {size}; it has those of {offered}");
            return self.error(operand.span, message);
        };
        if known.required_subgroup_size.is_some_and(|before| before != size) {
            let message = format!("attribute '{name}' is already applied with different arguments");
            return self.error(attribute.span, message);
        }
        if known.required_subgroup_size.is_none() {
            known.texts.push(format!("{name}({size})"));
        }
        known.required_subgroup_size = Some(size);
        self.module.larger_subgroups |= self.target.has_pieces(size);
    }

    /// Returns true if the operand of `endian` is `host` or `device` (OpenCL C 6.13.3), which are the same here;
    /// reports it if not.
    fn endian(&mut self, attribute: &Attribute) -> bool {
        let message = match attribute.args.as_slice() {
            [ast::Expr { kind: ast::ExprKind::Ident(word), .. }]
                if matches!(self.text(*word), "host" | "device") =>
            {
                return true;
            }
            [_] => "invalid argument of attribute 'endian'; expected 'host' or 'device'",
            _ => "'endian' attribute takes one argument",
        };
        self.fail(attribute.span, message)
    }

    /// Checks that an object with attributes of pointers is a pointer (OpenCL C 6.13.3).
    pub(super) fn check_pointer_attributes(&mut self, attributes: &Attributes, ty: &QualType) {
        let pointer = self.module.types.as_pointer(ty.ty);
        for &(name, span) in &attributes.of_pointers {
            let message = match pointer.map(|pointer| pointer.space) {
                _ if self.is_error(ty.ty) => continue,
                None if name == "nosvm" => "'nosvm' attribute only applies to pointers",
                Some(AddressSpace::Global | AddressSpace::Constant) => continue,
                Some(_) if name == "nosvm" => continue,
                _ => {
                    "'endian' attribute only applies to pointers to the global and constant \
                     address spaces"
                }
            };
            self.error(span, message);
        }
    }

    /// Reports attributes of kernels on a function that is not a kernel.
    pub(super) fn check_no_kernel_attributes(&mut self, attributes: &Attributes) {
        for (name, span) in &attributes.of_kernels {
            let message =
                format!("attribute '{name}' can only be applied to an OpenCL kernel function");
            self.error(*span, message);
        }
    }

    /// Warns of attributes that apply to functions only and are on another entity.
    pub(super) fn warn_function_attributes(&mut self, attributes: &Attributes) {
        for (name, span) in &attributes.of_kernels {
            let message = format!("'{name}' attribute only applies to functions");
            self.diags.warning(*span, message);
        }
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
                self.fail(span, message)
            }
        }
    }
}
