//! Variables that last as long as the program: those at program scope, and `static`, `extern` and
//! `constant` ones in functions (OpenCL C 6.7, C99 6.2.2 and 6.9.2).

use super::hir::{Global, GlobalId};
use super::init::FlatInitializer;
use super::scope::Entity;
use super::typename::QualType;
use super::types::{TypeId, TypeKind};
use super::Sema;
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{AddressSpace, InitDeclarator, StorageClass};
use crate::target::MAX_GLOBAL_VARIABLE_SIZE;

/// A variable with linkage: other declarations in any scope may refer to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkedVariable {
    id: GlobalId,
    ty: QualType,
    /// The place of the variable's last declaration.
    span: Span,
}

impl Sema<'_> {
    /// Returns true if variables may be in global memory: in OpenCL C 2.0, or in 3.0 with the feature.
    fn global_variables(&self) -> bool {
        self.target.offers(self.options.std, "__opencl_c_program_scope_global_variables")
    }

    /// Analyzes a variable at program scope, or a `static` or `extern` one in a function. Without an address
    /// space it lies in global memory, if variables may (OpenCL C 6.7.8).
    pub(super) fn lasting_variable(
        &mut self,
        storage: Option<StorageClass>,
        mut ty: QualType,
        item: &InitDeclarator,
        name: Symbol,
    ) {
        let span = item.declarator.span;
        let global = self.global_variables();
        let default = if global { AddressSpace::Global } else { AddressSpace::Private };
        let space = *ty.space.get_or_insert(default);
        match space {
            _ if self.is_error(ty.ty) => self.declare_error(name, span),
            AddressSpace::Constant => self.global_variable(storage, ty, item, name),
            AddressSpace::Global if global => self.global_variable(storage, ty, item, name),
            _ => {
                let kind = match storage {
                    Some(StorageClass::Extern) => "extern",
                    Some(StorageClass::Static) if self.function.is_some() => "static local",
                    _ => "program scope",
                };
                let spaces = if global { "global or constant" } else { "constant" };
                self.error(span, format!("{kind} variable must reside in {spaces} address space"));
                self.declare_error(name, span);
            }
        }
    }

    /// Analyzes a variable in global or constant memory; `ty` has the address space.
    pub(super) fn global_variable(
        &mut self,
        storage: Option<StorageClass>,
        mut ty: QualType,
        item: &InitDeclarator,
        name: Symbol,
    ) {
        let span = item.declarator.span;
        if self.is_error(ty.ty) || !self.check_lasting_type(ty, name, span) {
            return self.declare_error(name, span);
        }
        let is_extern = storage == Some(StorageClass::Extern);
        // Variables in functions have no linkage unless they are `extern`.
        let linked = self.function.is_none() || is_extern;
        let earlier = match linked {
            true => self.linked_before(name, storage, &mut ty, span),
            false => None,
        };
        if earlier.is_none() {
            self.check_redefinition(name, span);
        }
        let id = earlier.unwrap_or_else(|| {
            let id = self.push_global(self.text(name), ty, span);
            let global = &mut self.module.globals[id];
            global.is_external = linked && storage != Some(StorageClass::Static);
            global.is_defined = false;
            id
        });
        // The variable is in scope in its own initializer, which may hold its address.
        self.declare_global(name, id, ty, linked, span);
        match &item.init {
            None if is_extern => {}
            None if ty.space == Some(AddressSpace::Constant) => {
                self.error(span, "variable in constant address space must be initialized");
                self.declare_error(name, span);
            }
            // The variable is zero, unless another declaration initializes it (C99 6.9.2p2).
            None => self.module.globals[id].is_defined = true,
            Some(_) if is_extern && self.function.is_some() => {
                self.error(span, "'extern' variable cannot have an initializer");
            }
            Some(_) if self.initialized[id] => {
                self.error(span, format!("redefinition of '{}'", self.text(name)));
                let first = self.module.globals[id].span;
                self.diags.note(first, "previous definition is here");
            }
            Some(init) => {
                self.const_globals[id] = false;
                self.initializes_global = ty.space == Some(AddressSpace::Global);
                let entries = self.initializer(&mut ty.ty, init, span);
                self.initializes_global = false;
                let data = entries.and_then(|entries| self.constant_init(&entries, ty.ty, span));
                let Some((bytes, relocations)) = data else {
                    return self.declare_error(name, span);
                };
                let global = &mut self.module.globals[id];
                global.is_defined = true;
                global.ty = ty.ty;
                global.span = span;
                global.init = Some(bytes).filter(|bytes| bytes.iter().any(|&byte| byte != 0));
                global.relocations = relocations;
                self.initialized[id] = true;
                self.const_globals[id] = global.is_const;
                // An array may have got its length.
                self.declare_global(name, id, ty, linked, span);
                self.check_lasting_type(ty, name, span);
            }
        }
    }

    fn declare_global(
        &mut self,
        name: Symbol,
        id: GlobalId,
        ty: QualType,
        linked: bool,
        span: Span,
    ) {
        self.scopes.declare(name, Entity::Global(id, ty), span);
        if linked {
            self.linked.insert(name, LinkedVariable { id, ty, span });
        }
    }

    /// Checks that a variable which lasts as long as the program may have its type and size (OpenCL C 6.11).
    fn check_lasting_type(&mut self, ty: QualType, name: Symbol, span: Span) -> bool {
        let types = &self.module.types;
        let element = types.innermost_element(ty.ty);
        if let TypeKind::Opaque(_) | TypeKind::Matrix(_) = types.kind(element) {
            let message = format!(
                "the {} type cannot be used to declare a program scope variable",
                self.quoted(element)
            );
            return self.fail(span, message);
        }
        match types.size(ty.ty) {
            Some(size)
                if size > MAX_GLOBAL_VARIABLE_SIZE && ty.space == Some(AddressSpace::Global) =>
            {
                let message = format!(
                    "size of '{}' ({size} bytes) exceeds that of program scope variables \
                     ({MAX_GLOBAL_VARIABLE_SIZE} bytes)",
                    self.text(name)
                );
                self.fail(span, message)
            }
            _ => true,
        }
    }

    /// Returns the variable that a declaration with linkage declares again. Reports differences between the
    /// declarations; completes the type of an array by its known length.
    fn linked_before(
        &mut self,
        name: Symbol,
        storage: Option<StorageClass>,
        ty: &mut QualType,
        span: Span,
    ) -> Option<GlobalId> {
        let LinkedVariable { id, ty: old, span: first } = *self.linked.get(&name)?;
        match self.scopes.find_here(name).map(|binding| &binding.entity) {
            None => {}
            Some(Entity::Global(here, _)) if *here == id => {}
            Some(_) => return None,
        }
        let text = self.text(name);
        let was_external = self.module.globals[id].is_external;
        let mismatch = match storage {
            _ if ty.space != old.space => {
                Some(format!("redefinition of '{text}' with a different address space"))
            }
            _ if (ty.is_const, ty.is_volatile) != (old.is_const, old.is_volatile) => {
                Some(format!("redefinition of '{text}' with different qualifiers"))
            }
            Some(StorageClass::Static) if was_external => {
                Some(format!("static declaration of '{text}' follows non-static declaration"))
            }
            None if !was_external => {
                Some(format!("non-static declaration of '{text}' follows static declaration"))
            }
            _ => match self.composite(ty.ty, old.ty) {
                Some(composite) => {
                    ty.ty = composite;
                    None
                }
                None => Some(format!(
                    "redefinition of '{text}' with a different type: {} vs {}",
                    self.quoted(ty.ty),
                    self.quoted(old.ty)
                )),
            },
        };
        if let Some(message) = mismatch {
            self.error(span, message);
            self.diags.note(first, "previous definition is here");
        }
        ty.align = ty.align.max(old.align);
        let align = ty.align.max(self.module.types.align(ty.ty));
        let global = &mut self.module.globals[id];
        global.ty = ty.ty;
        global.align = global.align.max(align);
        Some(id)
    }

    /// Returns the common type of two declarations; one of them may leave out an array's length.
    fn composite(&self, new: TypeId, old: TypeId) -> Option<TypeId> {
        let types = &self.module.types;
        match (types.kind(new), types.kind(old)) {
            _ if new == old => Some(new),
            (TypeKind::Array(a, None), TypeKind::Array(b, _)) if a == b => Some(old),
            (TypeKind::Array(a, _), TypeKind::Array(b, None)) if a == b => Some(new),
            _ => None,
        }
    }

    pub(super) fn push_global(&mut self, name: &str, ty: QualType, span: Span) -> GlobalId {
        let space = ty.space.unwrap_or(AddressSpace::Constant);
        self.module.globals.push(Global {
            name: name.to_string(),
            ty: ty.ty,
            align: ty.align.max(self.module.types.align(ty.ty)),
            space,
            is_const: space == AddressSpace::Constant || ty.is_const && !ty.is_volatile,
            init: None,
            relocations: Vec::new(),
            is_external: false,
            is_defined: true,
            span,
        })
    }

    /// Analyzes a compound literal at file scope; it lies in constant memory.
    pub(super) fn unnamed_global(
        &mut self,
        ty: QualType,
        entries: FlatInitializer,
        span: Span,
    ) -> GlobalId {
        let data = self.constant_init(&entries, ty.ty, span);
        let ty = QualType { space: Some(AddressSpace::Constant), ..ty };
        let id = self.push_global(".literal", ty, span);
        if let Some((bytes, relocations)) = data {
            self.module.globals[id].init = Some(bytes);
            self.module.globals[id].relocations = relocations;
        }
        self.const_globals[id] = true;
        id
    }
}
