//! Functions and kernels: prototypes, definitions, overloads and kernels' arguments (OpenCL C 6.8,
//! 6.11).

use super::attributes::Attributes;
use super::blocks::{Capture, Deduced};
use super::consteval::Const;
use super::decl::AnalyzedSpecs;
use super::hir::{ArgInfo, Function, FunctionId, KernelInfo, LabelId, Local, LocalId};
use super::scope::{Binding, Entity};
use super::stmt::Switch;
use super::typename::{Param, QualType};
use super::types::{Scalar, TypeId, TypeKind, QUEUE, SAMPLER};
use super::{print, Origin, Sema};
use crate::options::ClStd;
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{
    self, AddressSpace, DeclSpecs, Declarator, Derivation, FunctionDef, ParamDecl, StorageClass,
    TypeSpec,
};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// Largest number of functions of one name.
const MAX_OVERLOADS: usize = 512;

/// The properties of a function that are not in its tree.
#[derive(Debug, Default, Clone)]
pub(super) struct FunctionProperties {
    /// True if other functions may have the same name.
    pub overloadable: bool,
    /// True if the prototype ends with `...`: the built-in `printf` declared by the program.
    pub is_variadic: bool,
    /// True if a declaration said `static`.
    is_static: bool,
    /// True if a declaration did not say `inline`, or said `extern`: the definition is then more than an
    /// inline definition (C99 6.7.4p6).
    not_inline: bool,
}

/// The relation of a new declaration of a function to an earlier one.
enum Redeclaration {
    None,
    Same(FunctionId),
    /// The declarations conflict, which has been reported; this function replaces the new one.
    Conflict(FunctionId),
}

/// The function whose body is being analyzed.
pub(super) struct FunctionState {
    pub id: FunctionId,
    pub ret: TypeId,
    pub is_kernel: bool,
    pub labels: FxHashMap<Symbol, Label>,
    /// Loops around the current statement.
    pub loops: u32,
    /// Loops and switches around the current statement.
    pub breakables: u32,
    pub switches: Vec<Switch>,
    /// Values of const variables with constant initializers.
    pub const_locals: FxHashMap<LocalId, Const>,
    /// Depth of the scope of the function's parameters.
    base_depth: u32,
    /// For a block: the function around it, the variables that it captures there, and the state of its return type.
    pub outer: Option<Box<FunctionState>>,
    pub captures: Vec<Capture>,
    pub deduced: Deduced,
}

impl FunctionState {
    pub fn new(id: FunctionId, ret: TypeId, is_kernel: bool, base_depth: u32) -> FunctionState {
        FunctionState {
            id,
            ret,
            is_kernel,
            labels: FxHashMap::default(),
            loops: 0,
            breakables: 0,
            switches: Vec::new(),
            const_locals: FxHashMap::default(),
            base_depth,
            outer: None,
            captures: Vec::new(),
            deduced: Deduced::Not,
        }
    }

    /// Returns true if an entity that is declared in a scope of this depth belongs to a function around this block.
    pub fn is_outside(&self, depth: u32) -> bool {
        self.outer.is_some() && depth > 0 && depth < self.base_depth
    }
}

/// A goto label.
pub(super) struct Label {
    pub id: LabelId,
    pub defined: bool,
    pub used: Option<Span>,
}

impl Sema<'_> {
    /// Declares a function, or finds its earlier declaration.
    pub(super) fn declare_function(
        &mut self,
        specs: &DeclSpecs,
        base: &AnalyzedSpecs,
        declarator: &Declarator,
        is_definition: bool,
    ) -> Option<(FunctionId, Vec<Param>)> {
        let (span, name) = (declarator.span, declarator.name?);
        let attributes = self.more_attributes(&base.attributes, &declarator.attributes);
        let (Some(Derivation::Function { params, is_variadic }), inner) =
            (declarator.derivations.last(), declarator.derivations.len().saturating_sub(1))
        else {
            return None;
        };
        let ret = self.derive(base.ty, &declarator.derivations[..inner], span, Some(name));
        if ret.space.is_some() && !self.is_error(ret.ty) {
            self.error(span, "return type cannot be qualified with address space");
        }
        let decls = params;
        let params = self.param_types(params);
        if *is_variadic && self.text(name) != "printf" {
            self.error(span, "invalid prototype, variadic arguments are not allowed in OpenCL");
        }
        let (id, fits) = self.declare_prototype(specs, &attributes, (name, span), ret.ty, &params);
        self.properties[id].is_variadic |= *is_variadic;
        if is_definition && fits && self.module.functions[id].body.is_some() {
            let first = self.module.functions[id].span;
            self.error(span, format!("redefinition of '{}'", self.text(name)));
            self.diags.note(first, "previous definition is here");
        }
        if specs.is_kernel {
            self.kernel(id, decls, &params, &attributes);
        }
        Some((id, params))
    }

    /// Declares a function by a name for its type: `typedef int unary(int); unary f;`.
    pub(super) fn declare_function_of_type(
        &mut self,
        specs: &DeclSpecs,
        attributes: &Attributes,
        (name, span): (Symbol, Span),
        ty: TypeId,
    ) {
        let TypeKind::Function { ret, params, .. } = self.module.types.kind(ty).clone() else {
            return;
        };
        let param = |ty| Param { name: None, ty: QualType::plain(ty), span };
        let params: Vec<Param> = params.into_iter().map(param).collect();
        self.declare_prototype(specs, attributes, (name, span), ret, &params);
    }

    /// Declares a function of known type; false if it conflicts with what was declared before.
    fn declare_prototype(
        &mut self,
        specs: &DeclSpecs,
        attributes: &Attributes,
        (name, span): (Symbol, Span),
        ret: TypeId,
        params: &[Param],
    ) -> (FunctionId, bool) {
        self.check_function(specs, attributes, name, span);
        self.check_return_type(ret, specs.is_kernel, span);
        let is_static = specs.storage == Some(StorageClass::Static);
        let (id, fits) = match self.earlier_declaration(name, ret, params, attributes, span) {
            Redeclaration::Same(id) => {
                self.check_linkage(id, is_static, span);
                (id, true)
            }
            Redeclaration::Conflict(id) => (id, false),
            Redeclaration::None => {
                let id = self.push_function(self.text(name), ret, params, span);
                self.functions_of.entry(name).or_default().push(id);
                self.properties[id].is_static = is_static;
                (id, true)
            }
        };
        let visible = match self.scopes.find(name).map(|binding| &binding.entity) {
            Some(Entity::Functions(list)) => list.contains(&id),
            _ => false,
        };
        if !visible {
            self.scopes.declare_overload(name, id, span);
        }
        self.properties[id].overloadable |=
            attributes.overloadable || self.origin == Origin::Library;
        self.properties[id].not_inline |=
            !specs.is_inline || specs.storage == Some(StorageClass::Extern);
        self.module.functions[id].noinline |= attributes.noinline;
        (id, fits)
    }

    /// Checks that a function's name is allowed, and the rules for kernels (OpenCL C 6.9, 6.10, 6.11).
    fn check_function(
        &mut self,
        specs: &DeclSpecs,
        attributes: &Attributes,
        name: Symbol,
        span: Span,
    ) {
        if self.text(name) == "main" {
            let what = if specs.is_kernel { "kernel" } else { "function" };
            self.error(span, format!("{what} cannot be called 'main'"));
        }
        if !specs.is_kernel {
            return self.check_no_kernel_attributes(attributes);
        }
        if specs.storage == Some(StorageClass::Static) {
            self.error(span, "kernel functions cannot be declared static");
        }
        if attributes.overloadable {
            self.error(span, "kernel functions cannot be overloaded");
        }
    }

    /// Reports a static declaration of a function that other programs may link to (C99 6.2.2p7).
    fn check_linkage(&mut self, id: FunctionId, is_static: bool, span: Span) {
        if !is_static || self.properties[id].is_static {
            return;
        }
        let function = &self.module.functions[id];
        let (name, first) = (function.name.clone(), function.span);
        self.error(span, format!("static declaration of '{name}' follows non-static declaration"));
        self.diags.note(first, "previous declaration is here");
    }

    /// Sets the symbols of functions with external linkage, after all declarations have been analyzed.
    pub(super) fn name_symbols(&mut self) {
        for id in self.module.functions.keys().collect::<Vec<_>>() {
            let properties = &self.properties[id];
            let function = &self.module.functions[id];
            let external = !properties.is_static && properties.not_inline;
            if !external && function.kernel.is_none() {
                continue;
            }
            let mut symbol = function.name.clone();
            if properties.overloadable {
                // Another program cannot refer to a type without a name.
                let mut params = function.params.iter().map(|&param| function.locals[param].ty);
                if !params.all(|ty| self.module.types.has_linkage(ty)) {
                    continue;
                }
                let types = function.params.iter().map(|&param| function.locals[param].ty);
                let types = types.map(|ty| print::type_name(&self.module.types, ty));
                symbol.push_str(&format!("({})", types.collect::<Vec<_>>().join(", ")));
            }
            self.module.functions[id].symbol = Some(symbol);
        }
    }

    pub(super) fn check_return_type(&mut self, ret: TypeId, is_kernel: bool, span: Span) {
        let types = &self.module.types;
        let message = match types.kind(ret) {
            TypeKind::Error | TypeKind::Void => return,
            _ if is_kernel => "kernel must have void return type".to_string(),
            TypeKind::Scalar(Scalar::Half) if !self.half_arithmetic() => {
                "declaring function return value of type 'half' is not allowed; did you forget * ?"
                    .to_string()
            }
            TypeKind::Array(..) => {
                format!("function cannot return array type {}", self.quoted(ret))
            }
            TypeKind::Function { .. } => {
                format!("function cannot return function type {}", self.quoted(ret))
            }
            TypeKind::Block { .. }
            | TypeKind::Image(_)
            | TypeKind::Pipe(..)
            | TypeKind::Opaque(SAMPLER) => {
                format!(
                    "declaring function return value of type {} is not allowed",
                    self.quoted(ret)
                )
            }
            _ if types.size(ret).is_none() => {
                format!("incomplete result type {} in function definition", self.quoted(ret))
            }
            _ => return,
        };
        self.error(span, message);
    }

    /// Returns the function that a declaration repeats. Reports a conflict with a different earlier declaration.
    fn earlier_declaration(
        &mut self,
        name: Symbol,
        ret: TypeId,
        params: &[Param],
        attributes: &Attributes,
        span: Span,
    ) -> Redeclaration {
        let binding = self.scopes.find_here(name);
        if let Some(Binding { span: first, .. }) =
            binding.filter(|binding| !matches!(binding.entity, Entity::Functions(_)))
        {
            let first = *first;
            let message =
                format!("redefinition of '{}' as different kind of symbol", self.text(name));
            self.error(span, message);
            self.diags.note(first, "previous definition is here");
            return Redeclaration::None;
        }
        // All functions of a name, from all scopes, are declarations of one function or are overloads.
        let Some(list) = self.functions_of.get(&name).cloned() else { return Redeclaration::None };
        let Some(&first) = list.first() else { return Redeclaration::None };
        let same = list.iter().copied().find(|&id| {
            let function = &self.module.functions[id];
            function.params.len() == params.len()
                && function
                    .params
                    .iter()
                    .zip(params)
                    .all(|(&local, param)| function.locals[local].ty == param.ty.ty)
        });
        if let Some(id) = same {
            if self.module.functions[id].ret != ret && !self.is_error(ret) {
                self.conflict(name, id, span);
                return Redeclaration::Conflict(id);
            }
            return Redeclaration::Same(id);
        }
        let overloadable = attributes.overloadable
            || self.origin == Origin::Library
            || list.iter().any(|&id| self.properties[id].overloadable);
        if list.len() >= MAX_OVERLOADS {
            self.error(span, format!("too many overloads of '{}'", self.text(name)));
            return Redeclaration::Conflict(first);
        }
        let in_error = params.iter().any(|param| self.is_error(param.ty.ty));
        if !overloadable && !in_error {
            self.conflict(name, first, span);
            return Redeclaration::Conflict(first);
        }
        Redeclaration::None
    }

    fn conflict(&mut self, name: Symbol, earlier: FunctionId, span: Span) {
        self.error(span, format!("conflicting types for '{}'", self.text(name)));
        let first = self.module.functions[earlier].span;
        self.diags.note(first, "previous declaration is here");
    }

    /// Adds the function of a block literal and returns it. No other program can link to it.
    pub(super) fn push_block(&mut self, ret: TypeId, params: &[Param], span: Span) -> FunctionId {
        let around = self.function.as_ref().map(|function| &self.module.functions[function.id]);
        let name = around.map_or("block".to_string(), |around| format!("{}_block", around.name));
        let no_contract = around.map_or(self.contract_off, |around| around.no_contract);
        let id = self.push_function(&name, ret, params, span);
        self.module.functions[id].no_contract = no_contract;
        self.properties[id].is_static = true;
        id
    }

    /// Adds a kernel without parameters and body and returns it. No other program can link to it.
    pub(super) fn push_kernel(&mut self, name: &str, span: Span) -> FunctionId {
        let id = self.push_function(name, self.basic.void, &[], span);
        self.properties[id].is_static = true;
        id
    }

    fn push_function(
        &mut self,
        name: &str,
        ret: TypeId,
        params: &[Param],
        span: Span,
    ) -> FunctionId {
        let mut locals = PrimaryMap::new();
        let params = params.iter().map(|param| locals.push(self.param_local(param))).collect();
        self.module.functions.push(Function {
            name: name.to_string(),
            symbol: None,
            span,
            ret,
            params,
            locals,
            labels: PrimaryMap::new(),
            body: None,
            kernel: None,
            no_contract: false,
            noinline: false,
        })
    }

    fn param_local(&self, param: &Param) -> Local {
        Local {
            name: param.name.map_or("", |name| self.text(name)).to_string(),
            ty: param.ty.ty,
            align: param.ty.align.max(self.module.types.align(param.ty.ty)),
            span: param.span,
        }
    }

    /// Sets the metadata of a kernel that the runtime needs.
    fn kernel(
        &mut self,
        id: FunctionId,
        decls: &[ParamDecl],
        params: &[Param],
        attributes: &Attributes,
    ) {
        let mut args = Vec::new();
        for (param, decl) in params.iter().zip(decls) {
            self.check_kernel_param(decl, param);
            args.push(self.arg_info(decl, param));
        }
        let earlier = self.module.functions[id].kernel.take().unwrap_or_default();
        let attributes_text = match attributes.texts.is_empty() {
            true => earlier.attributes,
            false => attributes.texts.join(" "),
        };
        self.module.functions[id].kernel = Some(KernelInfo {
            required_local_size: attributes.required_local_size.or(earlier.required_local_size),
            local_size_hint: attributes.local_size_hint.or(earlier.local_size_hint),
            required_subgroup_size: attributes
                .required_subgroup_size
                .or(earlier.required_subgroup_size),
            attributes: attributes_text,
            is_block: false,
            args,
        });
    }

    /// Reports types that kernel arguments may not have (OpenCL C 6.11).
    fn check_kernel_param(&mut self, decl: &ParamDecl, param: &Param) {
        let ty = param.ty.ty;
        let written = match &decl.specs.ty {
            TypeSpec::Typedef(name) => format!("'{}'", self.text(*name)),
            _ => self.quoted(ty),
        };
        let message = match self.module.types.kind(ty) {
            TypeKind::Pointer(pointer) => {
                let shared = matches!(
                    pointer.space,
                    AddressSpace::Global | AddressSpace::Local | AddressSpace::Constant
                );
                let nested = self.module.types.as_pointer(pointer.pointee).is_some();
                match (shared, nested && self.options.std < ClStd::Cl20) {
                    (true, false) => return,
                    (true, true) => {
                        "kernel parameter cannot be declared as a pointer to a pointer".to_string()
                    }
                    (false, _) => "pointer arguments to kernel functions must reside in \
                                   '__global', '__constant' or '__local' address space"
                        .to_string(),
                }
            }
            TypeKind::Scalar(Scalar::Half) if self.half_arithmetic() => return,
            TypeKind::Image(_) | TypeKind::Pipe(..) | TypeKind::Opaque(SAMPLER | QUEUE) => return,
            kind => {
                let is_forbidden = match kind {
                    TypeKind::Scalar(Scalar::Bool | Scalar::Half) => true,
                    TypeKind::Atomic(_) | TypeKind::Opaque(_) | TypeKind::Matrix(_) => true,
                    TypeKind::Record(id) => self.module.types.records[*id].has_host_sized,
                    _ => false,
                };
                if !is_forbidden && !param.ty.is_host_sized {
                    return;
                }
                format!("{written} cannot be used as the type of a kernel parameter")
            }
        };
        self.error(param.span, message);
    }

    /// Metadata as clGetKernelArgInfo reports it.
    fn arg_info(&self, decl: &ParamDecl, param: &Param) -> ArgInfo {
        let types = &self.module.types;
        let image = self.is_image(param.ty.ty);
        let mut type_name = match (&decl.specs.ty, types.kind(param.ty.ty)) {
            (TypeSpec::Typedef(name), _) => self.text(*name).to_string(),
            (_, TypeKind::Image(image)) => image.name(),
            (_, TypeKind::Pipe(packet, _)) => print::type_name(types, *packet),
            _ => {
                let mut base = param.ty.ty;
                while let Some(pointer) = types.as_pointer(base) {
                    base = pointer.pointee;
                }
                print::type_name(types, types.innermost_element(base))
            }
        };
        for derivation in &decl.declarator.derivations {
            if matches!(derivation, Derivation::Pointer(_) | Derivation::Array(_)) {
                type_name.push('*');
            }
        }
        let pointer = types.as_pointer(param.ty.ty);
        ArgInfo {
            name: param.name.map_or("", |name| self.text(name)).to_string(),
            type_name,
            address: match pointer {
                Some(pointer) => pointer.space,
                None if image => AddressSpace::Global,
                None => AddressSpace::Private,
            },
            is_const: pointer
                .is_some_and(|pointer| pointer.is_const || pointer.space == AddressSpace::Constant),
            is_restrict: param.ty.is_restrict,
            is_volatile: pointer.is_some_and(|pointer| pointer.is_volatile),
        }
    }

    /// A definition: the body is analyzed with the parameters in scope.
    pub(super) fn function_definition(&mut self, def: &FunctionDef) {
        let base = self.analyzed_specs(&def.specs);
        let declared = self.declare_function(&def.specs, &base, &def.declarator, true);
        let Some((id, params)) = declared else {
            return self.error(def.span, "expected function body after function declarator");
        };
        if let Some(ast::StorageClass::Typedef) = def.specs.storage {
            self.error(def.declarator.span, "function definition declared 'typedef'");
        }
        if def.use_ == ast::Use::CheckedBefore {
            self.module.functions[id].body = Some(Vec::new());
            return;
        }
        // The parameters have the names and spans of the definition, not those of earlier declarations.
        let mut locals = PrimaryMap::new();
        for param in &params {
            locals.push(self.param_local(param));
        }
        let function = &mut self.module.functions[id];
        function.params = locals.keys().collect();
        function.locals = locals;
        function.labels = PrimaryMap::new();
        function.span = def.declarator.span;
        function.no_contract = self.contract_off;
        let (ret, is_kernel) = (function.ret, function.kernel.is_some());
        self.function = Some(FunctionState::new(id, ret, is_kernel, self.scopes.depth() + 1));
        self.function_body(id, &params, &def.body);
        self.function = None;
        if def.use_ != ast::Use::Possible {
            self.module.functions[id].body = Some(Vec::new());
        }
    }

    /// Analyzes the body of the current function.
    pub(super) fn function_body(&mut self, id: FunctionId, params: &[Param], block: &ast::Block) {
        self.scopes.push();
        self.declare_params(id, params);
        let mut body = Vec::new();
        for stmt in &block.stmts {
            self.stmt(stmt, &mut body);
        }
        self.scopes.pop();
        self.check_labels();
        let ret = self.function.as_ref().map_or(self.basic.error, |function| function.ret);
        let returns_void = self.module.types.is_void(ret) || self.is_error(ret);
        if !returns_void && super::stmt::falls_through(&body) {
            let end = Span { start: block.span.end.saturating_sub(1), ..block.span };
            self.diags
                .warning(end, "non-void function does not return a value in all control paths");
        }
        self.module.functions[id].body = Some(body);
    }

    fn declare_params(&mut self, id: FunctionId, params: &[Param]) {
        let locals = self.module.functions[id].params.clone();
        for (param, local) in params.iter().zip(locals) {
            let Some(name) = param.name else {
                self.error(param.span, "parameter name omitted");
                continue;
            };
            if self.scopes.find_here(name).is_some() {
                self.error(param.span, format!("redefinition of parameter '{}'", self.text(name)));
            }
            let ty: QualType = param.ty;
            self.scopes.declare(name, Entity::Local(local, ty), param.span);
        }
    }

    fn check_labels(&mut self) {
        let Some(function) = &self.function else { return };
        let mut missing: Vec<(Span, Symbol)> = function
            .labels
            .iter()
            .filter(|(_, label)| !label.defined)
            .filter_map(|(&name, label)| label.used.map(|span| (span, name)))
            .collect();
        missing.sort();
        for (span, name) in missing {
            self.error(span, format!("use of undeclared label '{}'", self.text(name)));
        }
    }
}
