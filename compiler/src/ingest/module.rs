//! The module scope: types, constants, variables and functions by their ids, in the order of the text.

use super::block_kernels;
use super::builtin_vars::Input;
use super::capabilities;
use super::constants::{self, Const, Constant, Specs};
use super::decorations::{Decorations, LinkageType};
use super::function::Translator;
use super::globals;
use super::kernels::{self, EntryPoints};
use super::types::{Kind, Ty, Types};
use super::words::{Inst, Words};
use super::SpecValue;
use crate::ir::{self, Func, Global, Linkage};
use crate::lower::ForeignModule;
use rspirv::spirv::{Capability, Decoration, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The entity of module scope that an id denotes.
#[derive(Debug, Clone)]
pub(super) enum Entity {
    Constant(Constant),
    /// A variable in memory; `ty` is the type of a pointer to it.
    Variable {
        ty: Ty,
        global: Global,
    },
    /// An input variable, whose value comes from the launch.
    Input {
        ty: Ty,
        input: Input,
    },
    /// An operation on constants, one of which is an address that is known only when the kernel runs: the index of the
    /// instruction in the module, and the depth of nesting of such operations.
    Operation {
        index: usize,
        depth: u32,
    },
    /// A variable that no module defines.
    Undefined(String),
    /// A pointer to a function, by its id (SPV_INTEL_function_pointers).
    FunctionPointer(u32),
    /// A string of debug information.
    String(String),
    /// A set of extended instructions.
    Instructions(Set),
}

/// A set of extended instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    OpenClStd,
    /// A set of instructions of debug information, or without semantics: they compute nothing.
    Ignored,
}

/// A function of the module.
#[derive(Debug, Clone)]
pub(super) struct FunctionInfo {
    /// The function of the IR.
    pub(super) func: Func,
    pub(super) ret: Ty,
    pub(super) params: Vec<(u32, Ty)>,
    /// The indices of the instructions behind the parameters; empty if the function is imported.
    pub(super) body: Range<usize>,
    pub(super) is_imported: bool,
    pub(super) name: String,
}

/// The module being read.
pub(super) struct Decoder<'a> {
    pub(super) words: &'a Words,
    pub(super) decorations: Decorations,
    pub(super) types: Types,
    pub(super) entities: FxHashMap<u32, Entity>,
    pub(super) functions: FxHashMap<u32, FunctionInfo>,
    pub(super) entry_points: EntryPoints,
    pub(super) out: ForeignModule<'a>,
    specs: Specs,
    /// True if the module may have arithmetic fences (SPV_EXT_arithmetic_fence): none of its arithmetic is reordered then.
    pub(super) has_fences: bool,
    /// True if kernels may enqueue other kernels.
    pub(super) enqueues: bool,
    /// The kernels of functions that are enqueued.
    pub(super) block_kernels: FxHashMap<block_kernels::Key, Func>,
    /// True if there are pointers to functions.
    pub(super) has_function_pointers: bool,
    /// True if the module will be linked with others.
    pub(super) separate: bool,
    /// Functions that are called but not translated yet; `reached` holds all that were ever in this list.
    worklist: Vec<u32>,
    reached: FxHashSet<u32>,
    /// Bytes of all initializers.
    pub(super) init_bytes: u64,
    /// Values of the IR that were made for parts of composites so far.
    parts: usize,
}

/// The most values of the IR for parts of composites in all functions.
const MAX_PARTS: usize = 1 << 22;
/// Deepest nesting of operations on addresses.
const MAX_OPERATIONS: u32 = 64;

impl<'a> Decoder<'a> {
    pub(super) fn new(
        words: &'a Words,
        specs: &[SpecValue],
        out: ForeignModule<'a>,
        separate: bool,
    ) -> Result<Decoder<'a>, String> {
        Ok(Decoder {
            words,
            decorations: Decorations::read(words)?,
            types: Types::default(),
            entities: FxHashMap::default(),
            functions: FxHashMap::default(),
            entry_points: EntryPoints::default(),
            out,
            specs: specs.iter().map(|spec| (spec.id, spec.bits)).collect(),
            separate,
            has_fences: false,
            enqueues: false,
            block_kernels: FxHashMap::default(),
            has_function_pointers: false,
            worklist: Vec::new(),
            reached: FxHashSet::default(),
            init_bytes: 0,
            parts: 0,
        })
    }

    /// Translates the module.
    pub(super) fn run(mut self) -> Result<ir::Module, String> {
        let words = self.words;
        let mut function: Option<(usize, Inst<'_>)> = None;
        for (index, inst) in words.iter().enumerate() {
            match (inst.op, function) {
                (Op::Function, None) => function = Some((index, inst)),
                (Op::FunctionEnd, Some((first, head))) => {
                    let located = |message| format!("{head}: {message}");
                    self.declare_function(&head, first..index).map_err(located)?;
                    function = None;
                }
                (Op::FunctionEnd, None) | (Op::Function, Some(_)) => {
                    return Err(format!("{inst}: functions are not nested"));
                }
                (_, None) => {
                    let located = |message| format!("{inst}: {message}");
                    self.module_scope(&inst).map_err(located)?;
                }
                (_, Some(_)) => {}
            }
        }
        if let Some((_, head)) = function {
            return Err(format!("{head}: the function does not end"));
        }
        kernels::make_entries(&mut self)?;
        if self.separate {
            self.reach_exports();
        }
        while let Some(id) = self.worklist.pop() {
            self.translate(id)?;
        }
        Ok(self.out.finish())
    }

    fn module_scope(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match inst.op {
            Op::Capability => {
                self.has_fences |= inst.arg(0)? == Capability::ArithmeticFenceEXT as u32;
                self.enqueues |= inst.arg(0)? == Capability::DeviceEnqueue as u32;
                capabilities::capability(inst.arg(0)?, self.out.target())
            }
            Op::Extension => capabilities::extension(&inst.string(0)),
            Op::MemoryModel => capabilities::memory_model(inst.get()?),
            Op::ExtInstImport => {
                let set = capabilities::instruction_set(&inst.string(0))?;
                self.entities.insert(inst.id, Entity::Instructions(set));
                Ok(())
            }
            Op::String => {
                self.entities.insert(inst.id, Entity::String(inst.string(0)));
                Ok(())
            }
            Op::EntryPoint | Op::ExecutionMode | Op::ExecutionModeId => {
                kernels::instruction(self, inst)
            }
            Op::Variable | Op::UntypedVariableKHR => globals::variable(self, inst),
            Op::ConstantFunctionPointerINTEL => {
                self.has_function_pointers = true;
                self.entities.insert(inst.id, Entity::FunctionPointer(inst.arg(0)?));
                Ok(())
            }
            op if is_constant(op) => self.constant_instruction(inst),
            op if is_silent(op) => Ok(()),
            Op::TypeFloat if inst.args.first() == Some(&64) && !self.out.target().float64 => {
                Err("the device has no double".to_string())
            }
            Op::TypeImage if !self.out.target().images => {
                Err("the device has no images".to_string())
            }
            Op::TypeQueue | Op::TypeDeviceEvent if !self.out.target().device_enqueue() => {
                Err("the device has no queues for kernels".to_string())
            }
            Op::TypeCooperativeMatrixKHR => {
                let component = self.types.of(inst.arg(0)?)?;
                let (component, target) = (self.types.element(component), self.out.target());
                let number = |id| array_length(&self.entities, id);
                let matrix = super::matrices::matrix_type(inst, component, target, number)?;
                self.types.declare_matrix(inst.id, matrix)
            }
            _ => {
                let Decoder { types, decorations, entities, .. } = self;
                let length = |id| array_length(entities, id);
                match types.instruction(inst, decorations, length)? {
                    true => Ok(()),
                    false => Err("it is not supported here".to_string()),
                }
            }
        }
    }

    fn constant_instruction(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let ty = self.types.of(inst.ty)?;
        let spec_id = self.decorations.operand(inst.id, Decoration::SpecId);
        let value = match inst.op {
            Op::ConstantNull => {
                self.types.size(ty)?;
                Const::Null
            }
            Op::Undef => Const::Undef,
            Op::ConstantComposite | Op::SpecConstantComposite => {
                constants::composite(inst, &self.types, |id| self.constant(id))?
            }
            Op::SpecConstantOp => {
                let operation = inst.operation()?;
                if let Some(function) = self.cast_function(&operation) {
                    self.entities.insert(inst.id, Entity::FunctionPointer(function));
                    return Ok(());
                }
                match Translator::evaluate(self, &operation)? {
                    Some(value) => value,
                    None => return self.postpone(inst),
                }
            }
            Op::ConstantSampler => {
                let word = super::images::constant_sampler(inst)?;
                if *self.types.kind(ty) != Kind::Sampler {
                    return Err("its type is not that of a sampler".to_string());
                }
                Const::Bits(u64::from(word))
            }
            _ => constants::scalar(inst, &self.types, spec_id, &self.specs)?,
        };
        self.entities.insert(inst.id, Entity::Constant(Constant { ty, value }));
        Ok(())
    }

    /// Postpones an operation on constants: the functions that use it evaluate it.
    fn postpone(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let depth_of = |id: &u32| match self.entities.get(id) {
            Some(Entity::Operation { depth, .. }) => *depth,
            _ => 0,
        };
        let depth = 1 + inst.rest(1).iter().map(depth_of).max().unwrap_or(0);
        if depth > MAX_OPERATIONS {
            return Err("operations on addresses are nested too deeply".to_string());
        }
        self.entities.insert(inst.id, Entity::Operation { index: inst.number - 1, depth });
        Ok(())
    }

    /// Returns the constant with an id. The address of a variable is a constant, too.
    pub(super) fn constant(&self, id: u32) -> Result<Constant, String> {
        match self.entities.get(&id) {
            Some(Entity::Constant(constant)) => Ok(constant.clone()),
            Some(&Entity::Variable { ty, global }) => {
                let value = Const::Address { variable: global, offset: 0 };
                Ok(Constant { ty, value })
            }
            Some(Entity::Undefined(name)) => Err(undefined(name)),
            Some(Entity::Operation { .. }) => {
                Err(format!("%{id} cannot be evaluated before the kernel runs"))
            }
            _ => Err(format!("%{id} is not a constant declared before")),
        }
    }

    /// Declares a function with its parameters. `range` has the indices of its instructions.
    fn declare_function(&mut self, head: &Inst<'_>, range: Range<usize>) -> Result<(), String> {
        let ret = self.types.of(head.ty)?;
        let [control, ty] = head.get()?;
        let Kind::Function { ret: declared, params: types } =
            self.types.kind(self.types.of(ty)?).clone()
        else {
            return Err("its type is not that of a function".to_string());
        };
        let mut at = range.start + 1;
        let mut params = Vec::new();
        for inst in self.words.range(at..range.end) {
            match inst.op {
                Op::FunctionParameter => params.push((inst.id, self.types.of(inst.ty)?)),
                Op::Line | Op::NoLine => {}
                _ => break,
            }
            at += 1;
        }
        let matches = params.len() == types.len()
            && params.iter().zip(&types).all(|((_, a), &b)| self.types.alike(*a, b));
        if !matches || !self.types.alike(ret, declared) {
            return Err("result or parameters are not those of its type".to_string());
        }
        let linkage = self.decorations.linkage(head.id)?;
        let is_imported = at == range.end;
        if is_imported != matches!(linkage, Some((_, LinkageType::Import))) {
            return Err("functions without a body are imported, others are not".to_string());
        }
        let (name, linkage) = match linkage {
            Some((name, kind)) => (name, Some(kind)),
            None => (self.decorations.name(head.id), None),
        };
        let mut shell = self.shell(&name, ret, &params)?;
        shell.noinline = control & 2 != 0;
        shell.linkage = match linkage {
            Some(LinkageType::Import) => Linkage::Import,
            Some(LinkageType::Export) if self.separate => Linkage::External,
            Some(LinkageType::LinkOnce) if self.separate => Linkage::LinkOnce,
            _ => Linkage::Internal,
        };
        let func = self.out.module().functions.push(shell);
        let body = at..range.end;
        let info = FunctionInfo { func, ret, params, body, is_imported, name };
        self.functions.insert(head.id, info);
        Ok(())
    }

    /// Returns an empty function of the IR with the right parameters. A struct result is written through a hidden first
    /// pointer, as in the front end of OpenCL C.
    fn shell(&self, name: &str, ret: Ty, params: &[(u32, Ty)]) -> Result<ir::Function, String> {
        let mut types = Vec::new();
        if self.returns_in_memory(ret)? {
            types.push(ir::Type::ptr(ir::AddressSpace::Private));
        }
        for &(_, ty) in params {
            types.extend(self.types.leaves(ty)?.iter().map(|leaf| leaf.ty));
        }
        let mut shell = ir::Function::new(name, &types, self.types.value(ret));
        let entry = shell.entry();
        shell.append(entry, ir::InstData::Unreachable, None);
        Ok(shell)
    }

    /// Counts the values of the IR that an instruction needs beyond the first. There is a limit, so that a small module cannot
    /// become large IR.
    pub(super) fn count_parts(&mut self, parts: usize) -> Result<(), String> {
        self.parts = self.parts.saturating_add(parts.saturating_sub(1));
        match self.parts <= MAX_PARTS {
            true => Ok(()),
            false => Err("the module's structs and arrays have too many parts".to_string()),
        }
    }

    /// Returns true if a function's result goes through a pointer.
    pub(super) fn returns_in_memory(&self, ret: Ty) -> Result<bool, String> {
        match self.types.kind(ret) {
            Kind::Void => Ok(false),
            Kind::Array { .. } | Kind::Struct { .. } => Ok(true),
            _ if self.types.value(ret).is_some() => Ok(false),
            _ => Err("results of this type are not supported".to_string()),
        }
    }

    fn reach_exports(&mut self) {
        let mut exports: Vec<u32> = self
            .functions
            .iter()
            .filter(|(_, info)| !info.is_imported)
            .map(|(&id, _)| id)
            .collect();
        exports.sort_unstable();
        for id in exports {
            if matches!(self.decorations.linkage(id), Ok(Some(_))) {
                self.reach(id);
            }
        }
    }

    /// Adds a function to those that are to be translated, once.
    pub(super) fn reach(&mut self, id: u32) {
        if self.reached.insert(id) {
            self.worklist.push(id);
        }
    }

    /// Returns a function that is called.
    pub(super) fn callee(&mut self, id: u32) -> Result<FunctionInfo, String> {
        let info =
            self.functions.get(&id).ok_or_else(|| format!("%{id} is not a function"))?.clone();
        if !info.is_imported {
            self.reach(id);
        }
        Ok(info)
    }

    fn translate(&mut self, id: u32) -> Result<(), String> {
        let Some(info) = self.functions.get(&id).cloned() else { return Ok(()) };
        let types: Vec<ir::Type> = {
            let shell = &self.out.module().functions[info.func];
            shell.params().iter().map(|&param| shell.ty(param)).collect()
        };
        let shell = &self.out.module().functions[info.func];
        let mut function = ir::Function::new(shell.name.clone(), &types, shell.ret());
        function.noinline = shell.noinline;
        function.linkage = shell.linkage;
        Translator::translate(self, &mut function, id, &info)?;
        self.out.emulate_denormals(&mut function);
        self.out.module().functions[info.func] = function;
        Ok(())
    }

    /// Returns true if a kernel forbids contraction (environment specification, 2.6): a function does not know which kernel
    /// calls it.
    pub(super) fn contraction_off(&self) -> bool {
        self.entry_points.contraction_off
    }
}

/// Returns the message for a variable that no module defines.
pub(super) fn undefined(name: &str) -> String {
    format!("undefined variable '{name}' is used")
}

fn array_length(entities: &FxHashMap<u32, Entity>, id: u32) -> Result<u64, String> {
    match entities.get(&id) {
        Some(Entity::Constant(Constant { value, .. })) => {
            value.bits().ok_or_else(|| format!("%{id} is not an integer"))
        }
        _ => Err(format!("%{id} is not a constant declared before")),
    }
}

fn is_constant(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        ConstantTrue
            | ConstantFalse
            | Constant
            | ConstantComposite
            | ConstantSampler
            | ConstantNull
            | SpecConstantTrue
            | SpecConstantFalse
            | SpecConstant
            | SpecConstantComposite
            | SpecConstantOp
            | Undef
    )
}

/// Returns true for instructions that are read elsewhere, or that have no effect on results.
fn is_silent(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Nop | Source
            | SourceContinued
            | SourceExtension
            | Name
            | MemberName
            | Line
            | NoLine
            | ModuleProcessed
            | Decorate
            | DecorateId
            | DecorateString
            | MemberDecorate
            | MemberDecorateString
            | DecorationGroup
            | GroupDecorate
            | GroupMemberDecorate
            | AliasDomainDeclINTEL
            | AliasScopeDeclINTEL
            | AliasScopeListDeclINTEL
            | ExtInst
    )
}
