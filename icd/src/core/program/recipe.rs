//! Recipes: how an executable's linked object is made again. The executable's binary contains, beside the SPIR-V, the object
//! that the SPIR-V was compiled from.

use crate::core::program::binary;
use crate::core::program::build::Input;
use hekla_compiler::{self as compiler, CompiledObject, LinkOptions, Object, SpecValue, Target};
use std::sync::Arc;

/// The inputs from which an executable was made.
pub enum Recipe {
    /// The program's text, or its module with these values of specialization constants.
    Built(Vec<SpecValue>),
    /// Objects and libraries, and the options with which they were linked.
    Linked(Vec<Arc<Object>>, LinkOptions),
    /// A binary, which contained this object.
    Loaded(Option<Arc<[u8]>>),
}

/// The parts of an executable that decide the result of its recipe.
pub struct Product<'a> {
    /// The text or the module of the program, if it has one.
    pub input: Option<&'a Input>,
    /// The options of the build.
    pub options: &'a str,
    pub target: &'a Target,
    pub program: &'a compiler::Program,
}

impl Recipe {
    /// Returns the linked object of an executable, as [`binary::linked`] writes it. `None` if it cannot be made again: a header
    /// on disk has changed meanwhile, or the system lacks memory.
    pub fn linked(&self, product: &Product<'_>) -> Option<Arc<[u8]>> {
        let made = match self {
            Recipe::Built(specs) => product.compile(specs)?,
            Recipe::Linked(objects, options) => {
                let objects: Vec<&Object> = objects.iter().map(Arc::as_ref).collect();
                compiler::link_to_linked(&objects, options)
            }
            Recipe::Loaded(linked) => return linked.clone(),
        };
        let object = made.object?;
        // Headers may have changed since. Which headers clang read is not known.
        let has_headers = !made.lookups.is_empty() || product.is_translated();
        if has_headers && !product.is_of(&object) {
            return None;
        }
        Some(binary::linked(&object).into())
    }
}

impl Product<'_> {
    fn compile(&self, specs: &[SpecValue]) -> Option<CompiledObject> {
        let options = compiler::Options::parse(self.options).ok()?;
        let input = self.input?;
        let (module, _) = input.translated(&options, self.target).ok()?.ok()?;
        Some(match module.as_ref().unwrap_or(input) {
            Input::Source(source) => compiler::compile_to_linked(source, &options, self.target),
            Input::Il(il) => {
                compiler::compile_il_to_linked(il.module.module(), specs, &options, self.target)
            }
        })
    }

    /// Returns true if clang made a module of the program's text.
    fn is_translated(&self) -> bool {
        let options = compiler::Options::parse(self.options);
        options.is_ok_and(|options| options.cxx.is_some())
            && matches!(self.input, Some(Input::Source(_)))
    }

    /// Returns true if an object compiles to the executable's modules.
    fn is_of(&self, object: &Object) -> bool {
        let compiled = compiler::compile_linked(object, self.target).program;
        compiled.is_some_and(|again| {
            let modules = |program: &compiler::Program| -> Vec<Vec<u32>> {
                program.kernels.iter().map(|kernel| kernel.spirv.clone()).collect()
            };
            modules(&again) == modules(self.program) && again.data.bytes == self.program.data.bytes
        })
    }
}
