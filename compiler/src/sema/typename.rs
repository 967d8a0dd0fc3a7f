//! Declaration specifiers and declarators to types (C99 6.7.5, OpenCL C 6.7).

use super::device_enqueue::NDRANGE;
use super::records::RecordAttributes;
use super::scope::Entity;
use super::types::{
    PointerType, Scalar, TypeId, TypeKind, BFLOAT16, CLK_EVENT, EVENT, QUEUE, RESERVATION, SAMPLER,
};
use super::{print, Sema, MAX_OBJECT_SIZE, MAX_TYPE_DEPTH};
use crate::kernel::ImageType;
use crate::options::ClStd;
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{
    self, AddressSpace, DeclSpecs, Derivation, ParamDecl, Quals, TypeName, TypeSpec,
};

/// A type with the qualifiers of the object that has it. Qualifiers of an array are its elements'.
#[derive(Debug, Clone, Copy)]
pub(super) struct QualType {
    pub ty: TypeId,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    /// The address space as written; if it is `None`, the kind of declaration decides.
    pub space: Option<AddressSpace>,
    /// The alignment in bytes from `__attribute__((aligned))` on a typedef, which may be less than the type's; 0 if none.
    pub align: u32,
    /// True for `size_t` or another type whose size is the implementation's choice, or an array of such a type.
    pub is_host_sized: bool,
}

impl QualType {
    pub fn plain(ty: TypeId) -> QualType {
        QualType {
            ty,
            is_const: false,
            is_volatile: false,
            is_restrict: false,
            space: None,
            align: 0,
            is_host_sized: false,
        }
    }
}

const IMAGES: &str = "image support";

/// Opaque types that devices may lack, by prefix or name, each with the feature that it needs.
const MISSING_OPAQUE: &[(&str, &str)] = &[
    ("image", IMAGES),
    ("image2d_msaa", "cl_khr_gl_msaa_sharing"),
    ("image2d_array_msaa", "cl_khr_gl_msaa_sharing"),
    ("sampler_t", IMAGES),
    ("queue_t", "device-side enqueue"),
    ("clk_event_t", "device-side enqueue"),
    ("ndrange_t", "device-side enqueue"),
    ("reserve_id_t", "pipes"),
];

/// Types whose size is the implementation's choice: no kernel argument has them (OpenCL C 6.11).
const HOST_SIZED: [&str; 4] = ["size_t", "ptrdiff_t", "intptr_t", "uintptr_t"];
/// Returns the scalar that an atomic type holds.
fn atomic_scalar(name: &str) -> Option<Scalar> {
    Some(match name.strip_prefix("atomic_")? {
        "int" | "flag" => Scalar::Int,
        "uint" => Scalar::UInt,
        "long" | "ptrdiff_t" | "intptr_t" => Scalar::Long,
        "ulong" | "size_t" | "uintptr_t" => Scalar::ULong,
        "half" => Scalar::Half,
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        _ => return None,
    })
}

impl Sema<'_> {
    /// Returns the type of a type-name, as in casts.
    pub(super) fn type_name(&mut self, name: &TypeName) -> QualType {
        let base = self.specified_type(&name.specs);
        self.derive(base, &name.declarator.derivations, name.span, None)
    }

    /// Returns the type that declaration specifiers name, with their qualifiers.
    pub(super) fn specified_type(&mut self, specs: &DeclSpecs) -> QualType {
        let base = self.type_spec(specs);
        let base = self.with_matrix(base, &specs.attributes, specs.span);
        let base = self.with_vector(base, &specs.attributes);
        self.qualify(base, specs.quals, specs.span)
    }

    /// Adds qualifiers to a type.
    fn qualify(&mut self, mut base: QualType, quals: Quals, span: Span) -> QualType {
        base.is_const |= quals.is_const;
        base.is_volatile |= quals.is_volatile;
        if quals.is_restrict {
            if self.module.types.as_pointer(base.ty).is_some() || self.is_error(base.ty) {
                base.is_restrict = true;
            } else {
                let message = format!(
                    "restrict requires a pointer or reference ({} is invalid)",
                    self.quoted(base.ty)
                );
                self.error(span, message);
            }
        }
        base.ty = self.with_access(base.ty, quals.access, span);
        if quals.is_atomic {
            self.error(span, "'_Atomic' is not supported in OpenCL C");
        }
        if let Some(space) = quals.space {
            if space == AddressSpace::Generic && self.pointee_space != AddressSpace::Generic {
                let version = self.options.std;
                let message = format!(
                    "OpenCL C version {version} does not support the '__generic' type qualifier on this device"
                );
                self.error(span, message);
            }
            match base.space {
                Some(old) if old != space => {
                    self.error(span, "multiple address spaces specified for type");
                }
                _ => base.space = Some(space),
            }
        }
        base
    }

    /// Returns the alignment in bytes of an object: that of its type, unless a typedef has another one.
    pub(super) fn alignment(&self, ty: &QualType) -> u32 {
        match ty.align {
            0 => self.module.types.align(ty.ty),
            align => align,
        }
    }

    fn type_spec(&mut self, specs: &DeclSpecs) -> QualType {
        self.type_of_spec(&specs.ty, specs.span)
    }

    fn type_of_spec(&mut self, spec: &TypeSpec, span: Span) -> QualType {
        let ty = match spec {
            TypeSpec::Void => self.basic.void,
            TypeSpec::Scalar(s) => self.scalar_type(*s, 1, span),
            TypeSpec::Vector(s, n) => self.scalar_type(*s, *n, span),
            TypeSpec::Typedef(name) => return self.typedef(*name, span),
            TypeSpec::Opaque(name) => self.opaque_type(*name, span),
            TypeSpec::Pipe(packet) => {
                let packet = self.type_of_spec(packet, span);
                self.pipe_type(packet.ty, span)
            }
            TypeSpec::Record { is_union, tag, fields, attributes, pack } => {
                let attributes = RecordAttributes { list: attributes, pack: *pack };
                self.record_type(*is_union, *tag, fields.as_deref(), attributes, span)
            }
            TypeSpec::Enum { tag, enumerators, attributes } => {
                let packed = self.attributes(attributes).packed;
                self.enum_type(*tag, enumerators.as_deref(), packed, span)
            }
            TypeSpec::TypeofExpr(expr) => {
                let operand = self.expr(expr);
                operand.ty()
            }
            TypeSpec::TypeofType(name) => return self.type_name(name),
            TypeSpec::Missing => self.fail(span, "type specifier missing, defaults to 'int'"),
        };
        QualType::plain(ty)
    }

    /// Returns a scalar or vector type. Reports an error if the device lacks it.
    pub(super) fn scalar_type(&mut self, scalar: Scalar, lanes: u8, span: Span) -> TypeId {
        let ty = self.module.types.vector(scalar, lanes);
        if scalar == Scalar::Double && !self.target.float64 {
            let message = format!(
                "use of type {} requires cl_khr_fp64 which this device does not offer",
                self.quoted(ty)
            );
            return self.fail(span, message);
        }
        if scalar == Scalar::Half && lanes > 1 && !self.half_arithmetic() {
            let message = format!(
                "use of type {} requires cl_khr_fp16 which this device does not offer",
                self.quoted(ty)
            );
            return self.fail(span, message);
        }
        ty
    }

    fn typedef(&mut self, name: Symbol, span: Span) -> QualType {
        if let Some(binding) = self.scopes.find(name) {
            if let Entity::Typedef(ty) = &binding.entity {
                return *ty;
            }
        }
        let scalar = match self.text(name) {
            "size_t" | "uintptr_t" => Some(Scalar::ULong),
            "ptrdiff_t" | "intptr_t" => Some(Scalar::Long),
            "cl_mem_fence_flags" => Some(Scalar::UInt),
            "memory_order" | "memory_scope" => Some(Scalar::Int),
            _ => None,
        };
        let text = self.text(name);
        let Some(scalar) = scalar else {
            return self.fail(span, format!("unknown type name '{text}'"));
        };
        let is_host_sized = HOST_SIZED.contains(&text);
        let ty = self.module.types.scalar(scalar);
        QualType { is_host_sized, ..QualType::plain(ty) }
    }

    fn opaque_type(&mut self, name: Symbol, span: Span) -> TypeId {
        let name = self.text(name);
        match name {
            EVENT => return self.module.types.intern(TypeKind::Opaque(EVENT)),
            BFLOAT16 => return self.module.types.intern(TypeKind::Opaque(BFLOAT16)),
            SAMPLER if self.target.images => return self.sampler_type(),
            QUEUE | CLK_EVENT | NDRANGE if self.has_device_enqueue() => {
                return self.device_queue_type(name);
            }
            RESERVATION if self.has_pipes() => return self.reservation_type(),
            _ => {}
        }
        if let Some(scalar) = atomic_scalar(name) {
            return self.atomic_type(name, scalar, span);
        }
        if let Some(image) = ImageType::from_name(name).filter(|_| self.target.images) {
            return self.module.types.intern(TypeKind::Image(image));
        }
        let missing = MISSING_OPAQUE.iter().find(|(prefix, needs)| {
            name.starts_with(prefix) && !(self.target.images && *needs == IMAGES)
        });
        let needs = missing.map_or("a feature", |(_, needs)| needs);
        let message =
            format!("use of type '{name}' requires {needs} which this device does not offer");
        self.fail(span, message)
    }

    /// Returns an atomic type. Reports an error if the version or the device lacks it.
    fn atomic_type(&mut self, name: &str, scalar: Scalar, span: Span) -> TypeId {
        let message = match scalar {
            _ if self.options.std < ClStd::Cl20 => {
                format!("use of type '{name}' requires OpenCL C version 2.0 or greater")
            }
            Scalar::Double if !self.target.float64 => {
                format!(
                    "use of type '{name}' requires cl_khr_fp64 which this device does not offer"
                )
            }
            Scalar::Half if !self.target.half_arithmetic() => {
                format!(
                    "use of type '{name}' requires cl_khr_fp16 which this device does not offer"
                )
            }
            _ if scalar.size() == 8 && !self.target.int64_atomics() => format!(
                "use of type '{name}' requires cl_khr_int64_base_atomics and \
                 cl_khr_int64_extended_atomics which this device does not offer"
            ),
            _ => return self.module.types.intern(TypeKind::Atomic(scalar)),
        };
        self.fail(span, message)
    }

    /// Applies a declarator's derivations to the specified type.
    pub(super) fn derive(
        &mut self,
        base: QualType,
        derivations: &[Derivation],
        span: Span,
        name: Option<Symbol>,
    ) -> QualType {
        let mut ty = base;
        for derivation in derivations {
            ty = match derivation {
                Derivation::Pointer(quals) => self.derive_pointer(ty, *quals, span),
                Derivation::Array(length) => self.derive_array(ty, length.as_deref(), span, name),
                Derivation::Function { params, is_variadic } => {
                    self.derive_function(ty, params, *is_variadic, span)
                }
                Derivation::BlockPointer(quals) => self.derive_block(ty, *quals, span),
            };
            if self.module.types.depth(ty.ty) > MAX_TYPE_DEPTH {
                self.error(span, "type is nested too deeply");
                ty = QualType::plain(self.basic.error);
            }
        }
        ty
    }

    /// Returns the type of references to blocks that are like functions of type `function` (OpenCL C
    /// 6.14.2).
    fn derive_block(&mut self, function: QualType, quals: Quals, span: Span) -> QualType {
        let message = match self.module.types.kind(function.ty).clone() {
            TypeKind::Error => return function,
            TypeKind::Function { ret, params, is_variadic: false } => {
                self.check_return_type(ret, false, span);
                let block = self.module.types.intern(TypeKind::Block { ret, params });
                return self.qualify(QualType::plain(block), quals, span);
            }
            TypeKind::Function { .. } => {
                "invalid block prototype, variadic arguments are not allowed in OpenCL"
            }
            _ => "block pointer to non-function type is invalid",
        };
        self.fail(span, message)
    }

    fn derive_pointer(&mut self, pointee: QualType, quals: Quals, span: Span) -> QualType {
        if self.is_error(pointee.ty) {
            return QualType::plain(pointee.ty);
        }
        let is_matrix = self.has_matrices(pointee.ty);
        if is_matrix
            || self.is_block(pointee.ty)
            || self.module.types.is_image_or_sampler(pointee.ty)
        {
            let message =
                format!("pointer to type {} is invalid in OpenCL", self.quoted(pointee.ty));
            return self.fail(span, message);
        }
        if matches!(self.module.types.kind(pointee.ty), TypeKind::Function { .. }) {
            return self.fail(span, "pointers to functions are not allowed");
        }
        let pointer = PointerType {
            pointee: pointee.ty,
            space: pointee.space.unwrap_or(self.pointee_space),
            is_const: pointee.is_const,
            is_volatile: pointee.is_volatile,
        };
        let ty = QualType::plain(self.module.types.intern(TypeKind::Pointer(pointer)));
        self.qualify(ty, quals, span)
    }

    fn derive_array(
        &mut self,
        element: QualType,
        length: Option<&ast::Expr>,
        span: Span,
        name: Option<Symbol>,
    ) -> QualType {
        let length = length.map(|length| self.array_length(length, name));
        if self.is_error(element.ty) {
            return element;
        }
        let error = QualType { ty: self.basic.error, ..element };
        if self.module.types.is_image_or_sampler(element.ty) {
            let message = format!("array of {} type is invalid in OpenCL", self.quoted(element.ty));
            self.error(span, message);
            return error;
        }
        let Some(size) = self.module.types.size(element.ty) else {
            let message = match self.module.types.kind(element.ty) {
                TypeKind::Function { .. } => "declared as array of functions".to_string(),
                TypeKind::Block { .. } => {
                    format!("array of {} type is invalid in OpenCL", self.quoted(element.ty))
                }
                _ => format!("array has incomplete element type {}", self.quoted(element.ty)),
            };
            self.error(span, message);
            return error;
        };
        let length = match length {
            None => None,
            Some(None) => return error,
            Some(Some(n)) => Some(n),
        };
        let total = length.unwrap_or(0).checked_mul(size);
        if total.is_none_or(|total| total > MAX_OBJECT_SIZE) {
            self.error(span, "size of array is too large");
            return error;
        }
        QualType { ty: self.module.types.intern(TypeKind::Array(element.ty, length)), ..element }
    }

    /// Returns the value of an array bound; `None` after a diagnostic.
    fn array_length(&mut self, length: &ast::Expr, name: Option<Symbol>) -> Option<u64> {
        let span = length.span;
        let value = self.rvalue(length);
        if self.is_error(value.ty) {
            return None;
        }
        let scalar = match self.module.types.numeric(value.ty) {
            Some((scalar, 1)) if !scalar.is_float() => scalar,
            _ => {
                let message =
                    format!("size of array has non-integer type {}", self.quoted(value.ty));
                return self.fail(span, message);
            }
        };
        let Some(n) = self.eval_int(&value) else {
            return self.fail(span, "variable length arrays are not supported in OpenCL");
        };
        let of = name.map_or("array".to_string(), |name| format!("'{}'", self.text(name)));
        if n < 0 && scalar.is_signed() {
            return self.fail(span, format!("{of} declared as an array with a negative size"));
        }
        Some(n as u64)
    }

    fn derive_function(
        &mut self,
        ret: QualType,
        params: &[ParamDecl],
        is_variadic: bool,
        span: Span,
    ) -> QualType {
        let kind = self.module.types.kind(ret.ty);
        if matches!(kind, TypeKind::Function { .. } | TypeKind::Array(..)) {
            let what = if matches!(kind, TypeKind::Array(..)) { "array" } else { "function" };
            return self
                .fail(span, format!("function cannot return {what} type {}", self.quoted(ret.ty)));
        }
        let params = self.param_types(params).iter().map(|param| param.ty.ty).collect();
        let kind = TypeKind::Function { ret: ret.ty, params, is_variadic };
        QualType::plain(self.module.types.intern(kind))
    }

    /// Returns the parameters of a prototype, with arrays adjusted to pointers (C99 6.7.5.3).
    pub(super) fn param_types(&mut self, params: &[ParamDecl]) -> Vec<Param> {
        if let [only] = params {
            let no_declarator =
                only.declarator.derivations.is_empty() && only.declarator.name.is_none();
            if matches!(only.specs.ty, TypeSpec::Void) && no_declarator {
                return Vec::new();
            }
        }
        params.iter().map(|param| self.param(param)).collect()
    }

    fn param(&mut self, param: &ParamDecl) -> Param {
        let (span, name) = (param.span, param.declarator.name);
        let base = self.specified_type(&param.specs);
        let derivations = &param.declarator.derivations;
        let attributes = self.attributes(&param.specs.attributes);
        let attributes = self.more_attributes(&attributes, &param.declarator.attributes);
        let mut ty = match derivations.split_last() {
            Some((Derivation::Array(_), inner)) => {
                let element = self.derive(base, inner, span, name);
                self.derive_pointer(element, Quals::default(), span)
            }
            _ => self.derive(base, derivations, span, name),
        };
        // A parameter whose type is a typedef of an array decays like an array.
        if let TypeKind::Array(element, _) = *self.module.types.kind(ty.ty) {
            ty = self.derive_pointer(QualType { ty: element, ..ty }, Quals::default(), span);
        }
        let problem = match *self.module.types.kind(ty.ty) {
            TypeKind::Void => Some("argument may not have 'void' type".to_string()),
            TypeKind::Function { .. } => Some("pointers to functions are not allowed".to_string()),
            TypeKind::Block { .. } => Some(format!(
                "declaring function parameter of type {} is not allowed",
                self.quoted(ty.ty)
            )),
            TypeKind::Scalar(Scalar::Half) if !self.half_arithmetic() => Some(
                "declaring function parameter of type 'half' is not allowed; did you forget * ?"
                    .to_string(),
            ),
            TypeKind::Record(id) if self.module.types.records[id].size.is_none() => {
                Some(format!("variable has incomplete type {}", self.quoted(ty.ty)))
            }
            _ => None,
        };
        let space = ty.space.filter(|&space| space != AddressSpace::Private);
        if let Some(problem) = problem {
            self.error(span, problem);
            ty.ty = self.basic.error;
        } else if let Some(space) = space {
            let space = print::space_name(space);
            self.error(
                span,
                format!("parameter may not be qualified with an address space ('{space}')"),
            );
            ty.space = None;
        }
        self.check_pointer_attributes(&attributes, &ty);
        let span = if name.is_some() { param.declarator.span } else { span };
        Param { name, ty, span }
    }
}

/// A parameter of a prototype.
#[derive(Debug, Clone, Copy)]
pub(super) struct Param {
    pub name: Option<Symbol>,
    pub ty: QualType,
    pub span: Span,
}
