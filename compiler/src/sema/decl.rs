//! Declarations of variables and type names, at file scope and in functions (C99 6.7, OpenCL C 6.7).

use super::attributes::Attributes;
use super::hir::{Init, Local, LocalId, Stmt};
use super::scope::Entity;
use super::typename::QualType;
use super::types::{Scalar, TypeId, TypeKind, EVENT};
use super::{print, Sema, MAX_OBJECT_SIZE};
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{
    AddressSpace, DeclSpecs, Declaration, Derivation, InitDeclarator, StorageClass, TypeSpec,
};

/// The specifiers of a declaration, analyzed once for all its declarators.
pub(super) struct AnalyzedSpecs {
    pub ty: QualType,
    pub attributes: Attributes,
}

impl Sema<'_> {
    /// Analyzes a declaration. If it is among statements, its effects are appended to `out`.
    pub(super) fn declaration(
        &mut self,
        declaration: &Declaration,
        mut out: Option<&mut Vec<Stmt>>,
    ) {
        let specs = &declaration.specs;
        let base = self.analyzed_specs(specs);
        if declaration.declarators.is_empty() {
            let declares_tag = match &specs.ty {
                TypeSpec::Record { tag, .. } => tag.is_some(),
                TypeSpec::Enum { .. } => true,
                _ => false,
            };
            if !declares_tag {
                self.diags.warning(declaration.span, "declaration does not declare anything");
            }
            return;
        }
        for item in &declaration.declarators {
            let declarator = &item.declarator;
            let Some(name) = declarator.name else {
                self.error(declaration.span, "expected identifier or '('");
                continue;
            };
            if specs.storage == Some(StorageClass::Typedef) {
                self.typedef_declaration(&base, item, name);
            } else if let Some(Derivation::Function { .. }) = declarator.derivations.last() {
                self.declare_function(specs, &base, declarator, false);
                if item.init.is_some() {
                    self.error(
                        declarator.span,
                        "illegal initializer (only variables can be initialized)",
                    );
                }
            } else {
                self.variable(declaration, &base, item, name, out.as_deref_mut());
            }
        }
    }

    pub(super) fn analyzed_specs(&mut self, specs: &DeclSpecs) -> AnalyzedSpecs {
        let ty = self.specified_type(specs);
        AnalyzedSpecs { ty, attributes: self.attributes(&specs.attributes) }
    }

    fn typedef_declaration(&mut self, base: &AnalyzedSpecs, item: &InitDeclarator, name: Symbol) {
        let declarator = &item.declarator;
        let span = declarator.span;
        let element = self.with_vector(base.ty, &declarator.attributes);
        let mut ty = self.derive(element, &declarator.derivations, span, Some(name));
        let attributes = self.typedef_attributes(&base.attributes, &declarator.attributes);
        self.warn_function_attributes(&attributes);
        if let Some(span) = attributes.packed_span {
            self.diags.warning(span, "'packed' attribute ignored");
        }
        if item.init.is_some() {
            self.error(span, "illegal initializer (only variables can be initialized)");
        }
        let record = match self.module.types.kind(ty.ty) {
            TypeKind::Record(id) => Some(*id),
            _ => None,
        };
        if let Some(id) = record {
            let name = self.text(name).to_string();
            self.module.types.records[id].name_by_typedef(name);
        }
        // A typedef can decrease the alignment too, but not the alignment of a record (OpenCL C 6.13.3).
        let is_record = record.is_some();
        let least = if is_record { self.alignment(&ty) } else { 1 };
        if attributes.aligned > 0 {
            ty.align = attributes.aligned.max(least);
        }
        if let Some(binding) = self.scopes.find_here(name).cloned() {
            let old = match &binding.entity {
                Entity::Typedef(old) => Some(old.ty),
                _ => None,
            };
            if old != Some(ty.ty) && !self.is_error(ty.ty) {
                let message = match old {
                    Some(old) => format!(
                        "typedef redefinition with different types ({} vs {})",
                        self.quoted(ty.ty),
                        self.quoted(old)
                    ),
                    None => {
                        format!("redefinition of '{}' as different kind of symbol", self.text(name))
                    }
                };
                self.error(span, message);
                self.diags.note(binding.span, "previous definition is here");
            }
        }
        self.scopes.declare(name, Entity::Typedef(ty), span);
    }

    fn variable(
        &mut self,
        declaration: &Declaration,
        base: &AnalyzedSpecs,
        item: &InitDeclarator,
        name: Symbol,
        out: Option<&mut Vec<Stmt>>,
    ) {
        let specs = &declaration.specs;
        let declarator = &item.declarator;
        let span = declarator.span;
        let mut ty = self.derive(base.ty, &declarator.derivations, span, Some(name));
        let attributes = self.more_attributes(&base.attributes, &declarator.attributes);
        ty.align = ty.align.max(attributes.aligned);
        if let TypeKind::Function { .. } = self.module.types.kind(ty.ty) {
            return self.declare_function_of_type(specs, &attributes, (name, span), ty.ty);
        }
        self.check_specifiers(specs, &attributes, &ty, span);
        if self.is_block(ty.ty) {
            return self.block_variable(specs, ty.ty, (name, span), item.init.as_ref(), out);
        }
        if self.module.types.is_image_or_sampler(ty.ty)
            && self.image_variable(&ty, item, (name, span))
        {
            return;
        }
        let is_extern = specs.storage == Some(StorageClass::Extern);
        let may_be_incomplete = item.init.is_some() || is_extern;
        let declares_only = is_extern && item.init.is_none() && self.is_incomplete_record(ty.ty);
        if !declares_only && !self.check_object_type(ty.ty, may_be_incomplete, span) {
            ty.ty = self.basic.error;
        }
        let (in_function, storage) = (self.function.is_some(), specs.storage);
        let lasts =
            !in_function || matches!(storage, Some(StorageClass::Static | StorageClass::Extern));
        if lasts {
            return self.lasting_variable(storage, ty, item, name);
        }
        match ty.space.unwrap_or(AddressSpace::Private) {
            AddressSpace::Private => self.private_variable(ty, item, name, out),
            AddressSpace::Local => self.local_memory(ty, item, name),
            AddressSpace::Constant => self.global_variable(storage, ty, item, name),
            space => {
                let space = print::space_name(space).trim_start_matches('_');
                let message =
                    format!("function scope variable cannot be declared in {space} address space");
                self.error(span, message);
                self.declare_error(name, span);
            }
        }
    }

    /// Reports specifiers and attributes that no variable, or no variable of this type, can have.
    fn check_specifiers(
        &mut self,
        specs: &DeclSpecs,
        attributes: &Attributes,
        ty: &QualType,
        span: Span,
    ) {
        if specs.is_kernel {
            self.error(span, "'kernel' attribute only applies to functions");
        }
        if specs.is_inline {
            self.error(span, "'inline' can only appear on functions");
        }
        self.warn_function_attributes(attributes);
        self.check_pointer_attributes(attributes, ty);
        let element = self.module.types.innermost_element(ty.ty);
        let is_shared = ty.space.is_some_and(|space| space != AddressSpace::Private);
        if self.as_matrix(element).is_some() && is_shared {
            let message = format!(
                "the {} type can only be used with __private address space qualifier",
                self.quoted(element)
            );
            self.error(span, message);
        }
        let is_event = matches!(self.module.types.kind(element), TypeKind::Opaque(EVENT));
        if is_event && ty.space == Some(AddressSpace::Local) && self.function.is_some() {
            let message =
                "the event_t type can only be used with __private address space qualifier";
            self.error(span, message);
        }
    }

    /// Declares a name so that its uses are not diagnosed.
    pub(super) fn declare_error(&mut self, name: Symbol, span: Span) {
        let id = LocalId::from_u32(0);
        let ty = QualType::plain(self.basic.error);
        self.scopes.declare(name, Entity::Local(id, ty), span);
    }

    /// Returns true if objects of a type can exist; reports it if not.
    fn check_object_type(&mut self, ty: TypeId, may_be_incomplete: bool, span: Span) -> bool {
        let types = &self.module.types;
        let problem = match types.kind(ty) {
            TypeKind::Error => return false,
            TypeKind::Scalar(_) | TypeKind::Array(..) if self.is_storage_half(ty) => {
                format!("declaring variable of type {} is not allowed", self.quoted(ty))
            }
            TypeKind::Array(_, None) if may_be_incomplete => return true,
            TypeKind::Array(_, None) => "definition of variable with array type needs an explicit \
                                         size or an initializer"
                .to_string(),
            _ => match types.size(ty) {
                Some(size) if size <= MAX_OBJECT_SIZE => return true,
                Some(_) => "size of array is too large".to_string(),
                None => format!("variable has incomplete type {}", self.quoted(ty)),
            },
        };
        self.fail(span, problem)
    }

    /// Returns true for half, or an array of halves, on a device without arithmetic on half (OpenCL C 6.3.1.2).
    pub(super) fn is_storage_half(&self, ty: TypeId) -> bool {
        let element = self.module.types.innermost_element(ty);
        let is_half = self.module.types.numeric(element) == Some((Scalar::Half, 1));
        is_half && !self.half_arithmetic()
    }

    fn is_incomplete_record(&self, ty: TypeId) -> bool {
        let types = &self.module.types;
        matches!(types.kind(ty), TypeKind::Record(_)) && types.size(ty).is_none()
    }

    /// Reports a name that the current scope has already.
    pub(super) fn check_redefinition(&mut self, name: Symbol, span: Span) {
        if let Some(binding) = self.scopes.find_here(name).cloned() {
            let what = match binding.entity {
                Entity::Local(..) | Entity::Global(..) => "",
                _ => " as different kind of symbol",
            };
            self.error(span, format!("redefinition of '{}'{what}", self.text(name)));
            self.diags.note(binding.span, "previous definition is here");
        }
    }

    /// Returns a new private object of the current function; `None` outside functions.
    pub(super) fn new_local(
        &mut self,
        name: &str,
        ty: TypeId,
        align: u32,
        span: Span,
    ) -> Option<LocalId> {
        let id = self.function.as_ref()?.id;
        let align = align.max(self.module.types.align(ty));
        let local = Local { name: name.to_string(), ty, align, span };
        Some(self.module.functions[id].locals.push(local))
    }

    fn private_variable(
        &mut self,
        mut ty: QualType,
        item: &InitDeclarator,
        name: Symbol,
        out: Option<&mut Vec<Stmt>>,
    ) {
        let span = item.declarator.span;
        self.check_redefinition(name, span);
        let Some(id) = self.new_local(self.text(name), ty.ty, ty.align, span) else { return };
        self.scopes.declare(name, Entity::Local(id, ty), span);
        // An incomplete array gets its type from the initializer, which may name it (C99 6.2.1p7).
        let incomplete = matches!(self.module.types.kind(ty.ty), TypeKind::Array(_, None));
        let entries = item.init.as_ref().and_then(|init| self.initializer(&mut ty.ty, init, span));
        if let (true, Some(function)) = (incomplete, &self.function) {
            if entries.is_none() {
                ty.ty = self.basic.error;
            }
            self.module.functions[function.id].locals[id].ty = ty.ty;
            self.scopes.declare(name, Entity::Local(id, ty), span);
        }
        let init = entries.map(|entries| self.local_init(entries, ty.ty));
        if let Some(Init::Value(e)) = &init {
            if ty.is_const && !ty.is_volatile && self.module.types.numeric(e.ty).is_some() {
                if let (Some(constant), Some(function)) = (self.eval(e), &mut self.function) {
                    function.const_locals.insert(id, constant);
                }
            }
        }
        if let Some(out) = out {
            out.push(Stmt::Declare(id, init));
        }
    }

    /// A `local` variable of a kernel (OpenCL C 6.7.2).
    fn local_memory(&mut self, ty: QualType, item: &InitDeclarator, name: Symbol) {
        let span = item.declarator.span;
        let outermost = self.scopes.depth() == 1;
        match &self.function {
            Some(function) if !function.is_kernel => {
                self.error(
                    span,
                    "non-kernel function variable cannot be declared in local address space",
                );
            }
            Some(_) if !outermost => {
                self.error(
                    span,
                    "variables in the local address space can only be declared in the outermost \
                     scope of a kernel function",
                );
            }
            _ => {}
        }
        if item.init.is_some() {
            self.error(span, "'__local' variable cannot have an initializer");
        }
        self.check_redefinition(name, span);
        if self.is_error(ty.ty) || matches!(self.module.types.kind(ty.ty), TypeKind::Array(_, None))
        {
            return self.declare_error(name, span);
        }
        let id = self.push_global(self.text(name), ty, span);
        self.scopes.declare(name, Entity::Global(id, ty), span);
    }
}
