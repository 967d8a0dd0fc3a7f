//! Syntax tree to typed tree: scopes, types, conversions, overloads and constant evaluation.
//!
//! [`analyze`] walks the syntax tree once, in source order. Expressions become operands
//! (an object or a value), and values have every conversion spelled out. Expressions with a reported
//! error have the type [`TypeKind::Error`], which everything accepts silently.

mod attributes;
mod blocks;
mod builtins;
mod calls;
mod chains;
mod consteval;
mod convert;
mod decl;
mod device_enqueue;
mod expr;
mod function;
mod globals;
pub mod hir;
mod images;
mod init;
mod init_bytes;
mod literals;
mod matrices;
mod members;
mod operand;
mod operators;
mod pipes;
mod print;
mod records;
pub mod recursion;
mod scope;
mod stmt;
mod typename;
pub mod types;
mod vector_attributes;

use crate::options::Options;
use crate::preprocess::{ExtensionBehaviour, FpContract, Interner, Pragma, Symbol};
use crate::source::{Diagnostics, Span};
use crate::syntax::ast::{self, AddressSpace};
use crate::target::Target;
use cranelift_entity::SecondaryMap;
use function::{FunctionProperties, FunctionState};
use hir::{FunctionId, GlobalId, Module};
use rustc_hash::FxHashMap;
use scope::Scopes;
use types::{Scalar, TypeId, TypeKind};

/// The origin of the text that is analyzed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A user's program.
    Program,
    /// The embedded built-in library, whose functions are overloadable without an attribute.
    Library,
}

/// Largest object, in bytes, in any address space.
const MAX_OBJECT_SIZE: u64 = 1 << 31;
/// The most bytes of initialized program-scope data. Parts that range designators repeat are counted
/// each time.
const MAX_DATA_SIZE: u64 = 1 << 26;
/// Largest height of a type's structure.
const MAX_TYPE_DEPTH: u32 = 256;

/// Checks a program and returns its typed tree. The tree is meaningful only if no error was reported.
pub fn analyze(
    unit: &ast::TranslationUnit,
    interner: &Interner,
    options: &Options,
    target: &Target,
    diags: &mut Diagnostics,
    origin: Origin,
) -> Module {
    let mut module = Module::default();
    let basic = Basic::new(&mut module.types);
    let generic =
        origin == Origin::Program && target.offers(options.std, "__opencl_c_generic_address_space");
    let pointee_space = if generic { AddressSpace::Generic } else { AddressSpace::Private };
    let mut sema = Sema {
        interner,
        options,
        target,
        diags,
        origin,
        pointee_space,
        module,
        basic,
        scopes: Scopes::new(interner.len()),
        function: None,
        properties: SecondaryMap::new(),
        functions_of: FxHashMap::default(),
        calls: SecondaryMap::new(),
        const_globals: SecondaryMap::new(),
        initialized: SecondaryMap::new(),
        linked: Default::default(),
        initializes_global: false,
        strings: Default::default(),
        data_size: 0,
        contract_off: false,
        ndrange: None,
        block_kernels: FxHashMap::default(),
        array_records: FxHashMap::default(),
    };
    for item in &unit.items {
        if sema.diags.is_full() {
            break;
        }
        sema.item(item);
    }
    sema.find_recursion();
    sema.name_symbols();
    sema.module
}

/// The analysis of one program.
struct Sema<'a> {
    interner: &'a Interner,
    options: &'a Options,
    target: &'a Target,
    diags: &'a mut Diagnostics,
    origin: Origin,
    /// The address space that pointers without a named one point to: generic, or private if there is no
    /// generic space (OpenCL C 6.7.8).
    pointee_space: AddressSpace,
    module: Module,
    basic: Basic,
    scopes: Scopes,
    /// The function whose body is analyzed.
    function: Option<FunctionState>,
    /// Properties of each function that [`hir::Function`] does not have.
    properties: SecondaryMap<FunctionId, FunctionProperties>,
    /// The functions of each name, from all scopes.
    functions_of: FxHashMap<Symbol, Vec<FunctionId>>,
    /// The calls of each function, with their places.
    calls: SecondaryMap<FunctionId, Vec<(FunctionId, Span)>>,
    /// Globals whose value never changes from the initial bytes.
    const_globals: SecondaryMap<GlobalId, bool>,
    /// Globals whose initializer has been analyzed.
    initialized: SecondaryMap<GlobalId, bool>,
    /// True if the current initializer is of a variable in global memory.
    initializes_global: bool,
    /// Variables with linkage (C99 6.2.2) by their names.
    linked: FxHashMap<Symbol, globals::LinkedVariable>,
    /// String literals by their bytes.
    strings: FxHashMap<Vec<u8>, GlobalId>,
    /// Bytes of initialized data so far.
    data_size: u64,
    /// True after `#pragma OPENCL FP_CONTRACT OFF` at file scope.
    contract_off: bool,
    /// `ndrange_t`, after its first use.
    ndrange: Option<TypeId>,
    /// The kernels of blocks that are enqueued.
    block_kernels: FxHashMap<FunctionId, FunctionId>,
    /// Records around arrays that enqueued blocks capture, by the array's type.
    array_records: FxHashMap<TypeId, TypeId>,
}

/// Types that are needed often.
#[derive(Clone, Copy)]
struct Basic {
    error: TypeId,
    void: TypeId,
    bool_: TypeId,
    char_: TypeId,
    int: TypeId,
    uint: TypeId,
    long: TypeId,
    ulong: TypeId,
    float: TypeId,
    double: TypeId,
}

impl Basic {
    fn new(types: &mut types::Types) -> Basic {
        Basic {
            error: types.intern(TypeKind::Error),
            void: types.intern(TypeKind::Void),
            bool_: types.scalar(Scalar::Bool),
            char_: types.scalar(Scalar::Char),
            int: types.scalar(Scalar::Int),
            uint: types.scalar(Scalar::UInt),
            long: types.scalar(Scalar::Long),
            ulong: types.scalar(Scalar::ULong),
            float: types.scalar(Scalar::Float),
            double: types.scalar(Scalar::Double),
        }
    }
}

/// Extensions that `#pragma OPENCL EXTENSION` may name without a warning, in addition to fp64 and fp16.
const KNOWN_EXTENSIONS: &[&str] = &[
    "all",
    "cl_khr_byte_addressable_store",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
];

impl Sema<'_> {
    fn item(&mut self, item: &ast::Item) {
        match item {
            ast::Item::Function(function) => self.function_definition(function),
            ast::Item::Declaration(declaration) => self.declaration(declaration, None),
            ast::Item::StaticAssert(assertion) => self.static_assert(assertion),
            ast::Item::Pragma(pragma, span) => self.pragma(*pragma, *span),
        }
    }

    /// A pragma at file scope or among statements.
    fn pragma(&mut self, pragma: Pragma, span: Span) {
        match pragma {
            Pragma::FpContract(switch) => {
                let off = switch == FpContract::Off;
                match &mut self.function {
                    Some(function) => {
                        let function = &mut self.module.functions[function.id];
                        function.no_contract |= off;
                    }
                    None => self.contract_off = off,
                }
            }
            Pragma::Extension { name, behaviour } => {
                let name = self.text(name);
                let known = match name {
                    "all" if behaviour != ExtensionBehaviour::Disable => {
                        return self.diags.warning(span, "expected 'disable' - ignoring");
                    }
                    "cl_khr_fp64" => self.target.float64,
                    "cl_khr_fp16" => self.target.half_arithmetic(),
                    _ => {
                        KNOWN_EXTENSIONS.contains(&name) || self.target.extensions().contains(&name)
                    }
                };
                if !known {
                    let message = format!("unsupported OpenCL extension '{name}' - ignoring");
                    self.diags.warning(span, message);
                }
            }
            Pragma::Unroll(_) | Pragma::Pack(_) => {}
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diags.error(span, message);
    }
}

impl<'a> Sema<'a> {
    /// Returns the text of a name.
    fn text(&self, name: Symbol) -> &'a str {
        self.interner.resolve(name)
    }
}
