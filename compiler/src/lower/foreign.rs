//! A module that another front end builds: the functions of the built-in library that it calls are lowered into it.

use super::builtins::CallSite;
use super::{Context, Origin};
use crate::builtins::FrontEnd;
use crate::ir::{self, Func, Global, GlobalData, Locations, Scalar};
use crate::library::{self, Unit};
use crate::options::Options;
use crate::quirks::denormals;
use crate::sema::hir;
use crate::source::{Diagnostics, Span};
use crate::target::Target;
use std::sync::LazyLock;

/// A program without text.
static NOTHING: LazyLock<hir::Module> = LazyLock::new(hir::Module::default);

/// A module under construction.
pub(crate) struct ForeignModule<'a> {
    context: Context<'a>,
}

impl<'a> ForeignModule<'a> {
    pub(crate) fn new(
        options: &'a Options,
        target: &'a Target,
        diags: &'a mut Diagnostics,
    ) -> ForeignModule<'a> {
        let context = Context::new(&NOTHING, options, target, diags, false);
        let is_located = target.keeps_locations(options);
        ForeignModule { context: Context { is_located, ..context } }
    }

    pub(crate) fn module(&mut self) -> &mut ir::Module {
        &mut self.context.out
    }

    /// Returns the table of locations, if instructions keep their locations.
    pub(crate) fn locations(&mut self) -> Option<&mut Locations> {
        self.context.is_located.then_some(&mut self.context.out.locations)
    }

    /// Notes that a kernel asks for sub-groups of a size.
    pub(crate) fn require_subgroup_size(&mut self, size: u32) {
        self.context.larger_subgroups |= self.context.target.has_pieces(size);
    }

    pub(crate) fn target(&self) -> &'a Target {
        self.context.target
    }

    pub(crate) fn options(&self) -> &'a Options {
        self.context.options
    }

    /// Emulates denormal doubles in a function of the program, on devices that lose them.
    pub(crate) fn emulate_denormals(&mut self, function: &mut ir::Function) {
        if self.context.target.emulates_denormals(self.context.options) {
            let library = library::unit(Unit::Double, self.context.target);
            denormals::run(function, &mut |name| {
                let id = *library.functions.get(&format!("__{name}_f64"))?;
                let origin = Origin::Library(Unit::Double);
                Some(self.context.function(origin, id, Span::default()))
            });
        }
    }

    /// Lowers the functions of the library that are called, and returns the module.
    pub(crate) fn finish(self) -> ir::Module {
        self.context.finish()
    }

    fn site(&mut self) -> CallSite<'_, 'a> {
        CallSite { context: &mut self.context, span: Span::default() }
    }
}

impl FrontEnd for ForeignModule<'_> {
    fn library_function(&mut self, name: &str, scalar: Scalar) -> Option<Func> {
        self.site().library_function(name, scalar)
    }

    fn image_function(&mut self, name: &str) -> Option<Func> {
        self.site().image_function(name)
    }

    fn shared_global(&mut self, data: GlobalData) -> Global {
        self.site().shared_global(data)
    }

    fn has_larger_subgroups(&self) -> bool {
        self.context.larger_subgroups
    }
}
