//! Declarations of variables and type names, at file scope and in functions (C99 6.7, OpenCL C 6.7).

use super::attributes::Attributes;
use super::hir::{Global, GlobalId, Init, Local, LocalId, Stmt};
use super::init::Pieces;
use super::scope::Entity;
use super::typename::QualType;
use super::types::{Scalar, TypeId, TypeKind};
use super::{print, Sema, MAX_OBJECT_SIZE};
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{
    AddressSpace, Declaration, Derivation, InitDeclarator, StorageClass, TypeSpec,
};

/// What the specifiers of a declaration say, analyzed once for all its declarators.
pub(super) struct Base {
    pub ty: QualType,
    pub attributes: Attributes,
}

impl Sema<'_> {
    /// A declaration; `out` gets what it does when it stands among statements.
    pub(super) fn declaration(
        &mut self,
        declaration: &Declaration,
        mut out: Option<&mut Vec<Stmt>>,
    ) {
        let specs = &declaration.specs;
        let base =
            Base { ty: self.specified_type(specs), attributes: self.attributes(&specs.attributes) };
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

    fn typedef_declaration(&mut self, base: &Base, item: &InitDeclarator, name: Symbol) {
        let declarator = &item.declarator;
        let span = declarator.span;
        let mut ty = self.derive(base.ty, &declarator.derivations, span, Some(name));
        let attributes = self.more_attributes(&base.attributes, &declarator.attributes);
        ty.align = ty.align.max(attributes.aligned);
        if let Some(binding) = self.scopes.find_here(name).cloned() {
            let same = matches!(&binding.entity, Entity::Typedef(old) if old.ty == ty.ty);
            if !same && !self.is_error(ty.ty) {
                let message = format!(
                    "typedef redefinition with different types ({} for '{}')",
                    self.quoted(ty.ty),
                    self.text(name)
                );
                self.error(span, message);
                self.diags.note(binding.span, "previous definition is here");
            }
        }
        self.scopes.declare(name, Entity::Typedef(ty), span);
    }

    fn variable(
        &mut self,
        declaration: &Declaration,
        base: &Base,
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
        if specs.is_kernel {
            self.error(span, "'kernel' attribute only applies to functions");
        }
        let is_extern = specs.storage == Some(StorageClass::Extern);
        let may_be_incomplete = item.init.is_some() || is_extern;
        let declares_only = is_extern && item.init.is_none() && self.is_incomplete_record(ty.ty);
        if !declares_only && !self.check_object_type(ty.ty, may_be_incomplete, span) {
            ty.ty = self.basic.error;
        }
        let in_function = self.function.is_some();
        let space = ty.space.unwrap_or(AddressSpace::Private);
        match (in_function, space) {
            (false, AddressSpace::Constant) => self.global_variable(specs.storage, ty, item, name),
            (false, _) => {
                // The message would be the same for every use.
                if !self.is_error(ty.ty) {
                    self.error(
                        span,
                        "program scope variable must reside in constant address space",
                    );
                }
                self.declare_error(name, span);
            }
            (true, AddressSpace::Private) => {
                self.private_variable(specs.storage, ty, item, name, out)
            }
            (true, AddressSpace::Local) => self.local_memory(ty, item, name),
            (true, AddressSpace::Constant) => self.global_variable(specs.storage, ty, item, name),
            (true, _) => {
                let space = print::space_name(space).trim_start_matches('_');
                let message =
                    format!("function scope variable cannot be declared in {space} address space");
                self.error(span, message);
                self.declare_error(name, span);
            }
        }
    }

    /// Declares a name so that its uses are not diagnosed.
    fn declare_error(&mut self, name: Symbol, span: Span) {
        let id = LocalId::from_u32(0);
        let ty = QualType::plain(self.basic.error);
        self.scopes.declare(name, Entity::Local(id, ty), span);
    }

    /// Whether objects of a type can exist.
    fn check_object_type(&mut self, ty: TypeId, may_be_incomplete: bool, span: Span) -> bool {
        let types = &self.module.types;
        let problem = match types.kind(ty) {
            TypeKind::Error => return false,
            TypeKind::Scalar(Scalar::Half) if !self.half_arithmetic() => {
                "declaring variable of type 'half' is not allowed".to_string()
            }
            TypeKind::Array(_, None) if may_be_incomplete => return true,
            TypeKind::Array(_, None) => "definition of variable with array type needs an explicit \
                                         size or an initializer"
                .to_string(),
            TypeKind::Function { .. } => {
                "functions may not be declared through a typedef".to_string()
            }
            _ => match types.size(ty) {
                Some(size) if size <= MAX_OBJECT_SIZE => return true,
                Some(_) => "size of array is too large".to_string(),
                None => format!("variable has incomplete type {}", self.quoted(ty)),
            },
        };
        self.error(span, problem);
        false
    }

    fn is_incomplete_record(&self, ty: TypeId) -> bool {
        let types = &self.module.types;
        matches!(types.kind(ty), TypeKind::Record(_)) && types.size(ty).is_none()
    }

    /// Reports a name that this scope has already.
    fn check_redefinition(&mut self, name: Symbol, span: Span) {
        if let Some(binding) = self.scopes.find_here(name).cloned() {
            let what = match binding.entity {
                Entity::Local(..) | Entity::Global(..) => "",
                _ => " as different kind of symbol",
            };
            self.error(span, format!("redefinition of '{}'{what}", self.text(name)));
            self.diags.note(binding.span, "previous definition is here");
        }
    }

    /// A new private object of the current function; `None` outside functions.
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
        storage: Option<StorageClass>,
        mut ty: QualType,
        item: &InitDeclarator,
        name: Symbol,
        out: Option<&mut Vec<Stmt>>,
    ) {
        let span = item.declarator.span;
        match storage {
            Some(StorageClass::Static) => {
                self.error(span, "static local variable must reside in constant address space");
            }
            Some(StorageClass::Extern) => {
                self.error(span, "extern variable must reside in constant address space");
            }
            _ => {}
        }
        self.check_redefinition(name, span);
        // An incomplete array gets its type from the initializer.
        let incomplete = matches!(self.module.types.kind(ty.ty), TypeKind::Array(_, None));
        let mut pieces = None;
        if let (true, Some(init)) = (incomplete, &item.init) {
            pieces = self.initializer(&mut ty.ty, init, span);
            if pieces.is_none() {
                ty.ty = self.basic.error;
            }
        }
        let Some(id) = self.new_local(self.text(name), ty.ty, ty.align, span) else { return };
        self.scopes.declare(name, Entity::Local(id, ty), span);
        if let (false, Some(init)) = (incomplete, &item.init) {
            pieces = self.initializer(&mut ty.ty, init, span);
        }
        let init = pieces.map(|pieces| self.local_init(pieces, ty.ty));
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
        let name_text = self.text(name).to_string();
        let id = self.module.globals.push(Global {
            name: name_text,
            ty: ty.ty,
            align: ty.align.max(self.module.types.align(ty.ty)),
            space: AddressSpace::Local,
            is_const: ty.is_const,
            init: None,
            relocations: Vec::new(),
            is_external: false,
            is_defined: true,
            span,
        });
        self.scopes.declare(name, Entity::Global(id, ty), span);
    }

    /// A variable in constant memory, at file scope or in a function.
    fn global_variable(
        &mut self,
        storage: Option<StorageClass>,
        mut ty: QualType,
        item: &InitDeclarator,
        name: Symbol,
    ) {
        let span = item.declarator.span;
        if self.is_error(ty.ty) {
            return self.declare_error(name, span);
        }
        let is_extern = storage == Some(StorageClass::Extern);
        if is_extern && item.init.is_none() && self.repeats_definition(name, ty) {
            return;
        }
        let is_external =
            is_extern || self.function.is_none() && storage != Some(StorageClass::Static);
        let earlier = self.extern_declared(name, ty, span);
        if earlier.is_none() {
            self.check_redefinition(name, span);
        }
        let Some(init) = &item.init else {
            if !is_extern {
                self.error(span, "variable in constant address space must be initialized");
                return self.declare_error(name, span);
            }
            let id = earlier.unwrap_or_else(|| self.push_constant(self.text(name), ty, span));
            self.module.globals[id].is_external = is_external;
            self.module.globals[id].is_defined = false;
            return self.scopes.declare(name, Entity::Global(id, ty), span);
        };
        let pieces = self.initializer(&mut ty.ty, init, span);
        let data = pieces.and_then(|pieces| self.constant_init(&pieces, ty.ty, span));
        let Some((bytes, relocations)) = data else {
            return self.declare_error(name, span);
        };
        let id = earlier.unwrap_or_else(|| self.push_constant(self.text(name), ty, span));
        let global = &mut self.module.globals[id];
        global.is_external = is_external;
        global.is_defined = true;
        global.ty = ty.ty;
        global.init = Some(bytes).filter(|bytes| bytes.iter().any(|&byte| byte != 0));
        global.relocations = relocations;
        self.const_globals[id] = true;
        self.scopes.declare(name, Entity::Global(id, ty), span);
    }

    /// Whether this scope defines the variable already, with the same type.
    fn repeats_definition(&self, name: Symbol, ty: QualType) -> bool {
        let same = |ty: TypeId, old: TypeId| {
            let types = &self.module.types;
            match (types.kind(ty), types.kind(old)) {
                (TypeKind::Array(a, None), TypeKind::Array(b, _)) => a == b,
                _ => ty == old,
            }
        };
        match self.scopes.find_here(name).map(|binding| &binding.entity) {
            Some(Entity::Global(id, old)) => self.const_globals[*id] && same(ty.ty, old.ty),
            _ => false,
        }
    }

    /// The global that an earlier `extern` declaration of the same type named, not yet defined.
    fn extern_declared(&mut self, name: Symbol, ty: QualType, span: Span) -> Option<GlobalId> {
        let binding = self.scopes.find_here(name)?;
        let Entity::Global(id, old) = &binding.entity else { return None };
        let (id, old) = (*id, *old);
        if self.const_globals[id] || self.module.globals[id].space != AddressSpace::Constant {
            return None;
        }
        let unsized_array = matches!(self.module.types.kind(old.ty), TypeKind::Array(_, None))
            || matches!(self.module.types.kind(ty.ty), TypeKind::Array(_, None));
        if old.ty != ty.ty && !unsized_array {
            let message = format!(
                "redefinition of '{}' with a different type: {} vs {}",
                self.text(name),
                self.quoted(ty.ty),
                self.quoted(old.ty)
            );
            self.error(span, message);
        }
        Some(id)
    }

    fn push_constant(&mut self, name: &str, ty: QualType, span: Span) -> GlobalId {
        let align = ty.align.max(self.module.types.align(ty.ty));
        self.module.globals.push(Global {
            name: name.to_string(),
            ty: ty.ty,
            align,
            space: AddressSpace::Constant,
            is_const: true,
            init: None,
            relocations: Vec::new(),
            is_external: false,
            is_defined: true,
            span,
        })
    }

    /// A compound literal at file scope.
    pub(super) fn unnamed_global(&mut self, ty: QualType, pieces: Pieces, span: Span) -> GlobalId {
        let data = self.constant_init(&pieces, ty.ty, span);
        let id = self.push_constant(".literal", ty, span);
        if let Some((bytes, relocations)) = data {
            self.module.globals[id].init = Some(bytes);
            self.module.globals[id].relocations = relocations;
        }
        self.const_globals[id] = true;
        id
    }
}
