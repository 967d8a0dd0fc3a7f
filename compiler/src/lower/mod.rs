//! Typed tree to IR: functions on demand from the kernels down, kernel entries, globals.
//!
//! [`lower`] starts at the kernels and lowers the functions that they call, in the user's module and
//! in the built-in library alike; [`lower_object`] starts at everything that other programs may link
//! to. `function` lowers one function; statements, expressions, places, records, conversions and
//! built-ins each have a file.

mod assign;
mod builtins;
mod contraction;
mod device_enqueue;
mod expr;
mod foreign;
mod function;
mod globals;
mod kernel;
mod locate;
mod matrices;
mod memory;
mod place;
mod pointer;
mod returns;
mod stmt;
mod switch;
mod types;

pub(crate) use foreign::ForeignModule;

use crate::checks;
use crate::ir::{self, Linkage};
use crate::library::{self, Unit};
use crate::options::Options;
use crate::passes::legalize::soft_doubles;
use crate::sema::hir;
use crate::source::{Diagnostics, SourceMap, Span};
use crate::target::Target;
use rustc_hash::FxHashMap;

/// Lowers the kernels of a checked program and everything they use. If `sources` are given, instructions keep their
/// places in them.
///
/// Errors (a call of an undefined function, an unsupported feature) go to `diags`; the
/// module is then well formed but must not be used.
pub fn lower(
    module: &hir::Module,
    options: &Options,
    target: &Target,
    sources: Option<&SourceMap>,
    diags: &mut Diagnostics,
) -> ir::Module {
    let mut context = Context { sources, ..Context::new(module, options, target, diags, false) };
    context.lower_kernels();
    context.finish()
}

/// Lowers a program to be linked with others: its kernels, every function and variable that others
/// may link to, and everything these use. Functions and variables without a definition are imported.
///
/// Fails as [`lower`] does, except that calls of undefined functions are not errors.
pub fn lower_object(
    module: &hir::Module,
    options: &Options,
    target: &Target,
    sources: Option<&SourceMap>,
    diags: &mut Diagnostics,
) -> ir::Module {
    let mut context = Context { sources, ..Context::new(module, options, target, diags, true) };
    context.lower_kernels();
    for (id, function) in module.functions.iter() {
        if function.symbol.is_some() && function.body.is_some() {
            context.function(Origin::User, id, function.span);
        }
    }
    for (id, global) in module.globals.iter() {
        if global.is_external && global.is_defined {
            context.global(Origin::User, id);
        }
    }
    context.finish()
}

/// Lowers the library's arithmetic of doubles on their bits. The functions have the names that
/// [`crate::passes::legalize::soft_doubles`] uses (`add`).
pub fn lower_soft_doubles(target: &Target) -> ir::Module {
    let (user, options) = (hir::Module::default(), Options::default());
    let target = Target { checks: checks::Checks::empty(), ..target.clone() };
    let mut diags = Diagnostics::new(&options);
    let mut context = Context::new(&user, &options, &target, &mut diags, false);
    let unit = Unit::Soft;
    for name in soft_doubles::FUNCTIONS {
        if let Some(&id) = library::unit(unit, &target).functions.get(&format!("__soft_{name}")) {
            let func = context.function(Origin::Library(unit), id, Span::default());
            context.out.functions[func].name = (*name).to_string();
        }
    }
    context.finish()
}

/// The module that a piece of typed tree belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    User,
    Library(Unit),
}

/// State of the lowering of one program.
pub(crate) struct Context<'a> {
    user: &'a hir::Module,
    options: &'a Options,
    target: &'a Target,
    diags: &'a mut Diagnostics,
    /// True if the program will be linked with others.
    separate: bool,
    out: ir::Module,
    functions: FxHashMap<(Origin, hir::FunctionId), ir::Func>,
    /// The entries of kernels.
    entries: FxHashMap<hir::FunctionId, ir::Func>,
    globals: FxHashMap<(Origin, hir::GlobalId), ir::Global>,
    /// Functions that are called but not lowered yet.
    worklist: Vec<(Origin, hir::FunctionId, ir::Func)>,
    /// Variables of built-in functions, by name, size and contents.
    shared_globals: FxHashMap<(String, u64, Option<Vec<u8>>), ir::Global>,
    /// True if a kernel asks for sub-groups that are made of several of the hardware's.
    larger_subgroups: bool,
    /// The program's texts, if instructions keep their places.
    sources: Option<&'a SourceMap>,
    /// True if the module has locations.
    is_located: bool,
}

impl<'a> Context<'a> {
    fn new(
        user: &'a hir::Module,
        options: &'a Options,
        target: &'a Target,
        diags: &'a mut Diagnostics,
        separate: bool,
    ) -> Context<'a> {
        Context {
            user,
            options,
            target,
            diags,
            separate,
            out: ir::Module::default(),
            functions: FxHashMap::default(),
            entries: FxHashMap::default(),
            globals: FxHashMap::default(),
            worklist: Vec::new(),
            shared_globals: FxHashMap::default(),
            sources: None,
            is_located: false,
            larger_subgroups: user.larger_subgroups
                || target.default_subgroup_size.is_some_and(|size| target.has_pieces(size)),
        }
    }

    fn lower_kernels(&mut self) {
        for (id, function) in self.user.functions.iter() {
            if let (Some(info), Some(_)) = (&function.kernel, &function.body) {
                kernel::lower_entry(self, id, info);
            }
        }
    }

    /// Returns the entry of a kernel. All entries are lowered before the body of any function.
    fn entry(&mut self, kernel: hir::FunctionId, span: Span) -> ir::Func {
        let entry = self.entries.get(&kernel).copied();
        entry.unwrap_or_else(|| self.function(Origin::User, kernel, span))
    }

    /// Lowers the functions that are called, and the functions that these call.
    fn finish(mut self) -> ir::Module {
        if !self.target.checks.is_empty() {
            self.check_functions();
        }
        while let Some((origin, id, func)) = self.worklist.pop() {
            function::lower_function(&mut self, origin, id, func);
        }
        self.out
    }

    /// Adds the library's functions that checks call to the module, which has no calls of them yet.
    fn check_functions(&mut self) {
        let unit = Unit::Check;
        for name in checks::FUNCTIONS {
            if let Some(&id) = library::unit(unit, self.target).functions.get(name) {
                self.function(Origin::Library(unit), id, Span::default());
            }
        }
    }

    fn module(&self, origin: Origin) -> &'a hir::Module {
        match origin {
            Origin::User => self.user,
            Origin::Library(unit) => &library::unit(unit, self.target).module,
        }
    }

    /// Returns the IR function of a typed one, which is lowered later.
    fn function(&mut self, origin: Origin, id: hir::FunctionId, call: Span) -> ir::Func {
        if let Some(&func) = self.functions.get(&(origin, id)) {
            return func;
        }
        let module = self.module(origin);
        let source = &module.functions[id];
        let symbol = source.symbol.as_ref().filter(|_| self.separate && origin == Origin::User);
        let import = symbol.is_some() && source.body.is_none();
        if !import && source.body.is_none() {
            let message = format!("undefined function '{}' is called", source.name);
            self.diags.error(call, message);
        }
        let (params, ret) = function::signature(module, source);
        let mut shell = ir::Function::new(symbol.unwrap_or(&source.name), &params, ret);
        shell.noinline = source.noinline;
        shell.linkage = match (symbol, import) {
            (None, _) => Linkage::Internal,
            (Some(_), false) => Linkage::External,
            (Some(_), true) => Linkage::Import,
        };
        if import {
            shell.append(shell.entry(), ir::InstData::Unreachable, None);
        }
        let func = self.out.functions.push(shell);
        self.functions.insert((origin, id), func);
        if !import {
            self.worklist.push((origin, id, func));
        }
        func
    }
}
