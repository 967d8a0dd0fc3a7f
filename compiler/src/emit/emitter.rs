//! The state of the emission of one kernel, and the small steps that all other code is made of.

use super::argument_buffer::KernelInputs;
use super::descriptor_arrays::DescriptorArrays;
use super::error::{EmitError, EmitResult};
use super::places::Arrays;
use super::position::{Control, DebugInfo, Lines, Products};
use super::shader_info::{Frame, ShaderInfo};
use super::spirv_builder::{encode, Glsl, SpirvBuilder};
use crate::ir::sparse_map::SparseMap;
use crate::ir::{Constant, Func, Function, Inst, KernelEntry, Module, Type, Value, ValueDef};
use crate::target::Target;
use cranelift_entity::SecondaryMap;
use hekla_spirv::first_word;
use rspirv::spirv::{Decoration, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function that is called for each instruction of the IR, with the function that has it and the number of SPIR-V
/// instructions that were emitted for it.
pub type Observer<'a> = dyn FnMut(&Function, Inst, usize) + 'a;

/// Emits one kernel. Ids (`u32`) are SPIR-V result ids.
pub(super) struct Emitter<'a> {
    pub module: &'a Module,
    /// The function being emitted.
    pub func: &'a Function,
    pub target: &'a Target,
    pub builder: SpirvBuilder,
    pub info: ShaderInfo,
    /// The private objects of the function being emitted.
    pub frame: Frame,
    pub inputs: KernelInputs,
    pub arrays: Arrays,
    /// True if drivers must not inline functions that are called from several places.
    pub keeps_calls: bool,
    pub images: DescriptorArrays,
    pub control: Control,
    pub products: Products,
    /// Instructions emitted so far.
    pub body: Vec<u32>,
    /// OpVariable instructions of the function.
    pub variables: Vec<u32>,
    /// The code that the function executes before all other code.
    pub entry_code: Vec<u32>,
    pub types: FxHashMap<Type, u32>,
    ids: SecondaryMap<Value, u32>,
    /// Ids of the functions.
    functions: SparseMap<Func, u32>,
    /// True once a division of 32-bit floats was emitted.
    pub divides_single: bool,
    /// The struct of results of each call that has several, by the first result.
    pub composites: FxHashMap<Value, u32>,
    pub observer: Option<&'a mut Observer<'a>>,
    pub lines: Lines,
    pub debug: DebugInfo,
    /// The id of the function being emitted.
    pub current_function: u32,
}

impl<'a> Emitter<'a> {
    pub fn new(
        module: &'a Module,
        kernel: &'a KernelEntry,
        functions: &[Func],
        target: &'a Target,
    ) -> EmitResult<Emitter<'a>> {
        let info = ShaderInfo::new(module, functions, target)?;
        let func = &module.functions[kernel.func];
        let mut builder = SpirvBuilder::new();
        if info.ordered {
            builder.use_vulkan_memory_model(target)?;
        }
        let inputs =
            KernelInputs::new(&mut builder, kernel, &info.fields, info.local_size_visible, target)?;
        let mut ids = SparseMap::new();
        for &func in functions {
            ids[func] = if func == kernel.func { builder.main } else { builder.new_id() };
        }
        Ok(Emitter {
            module,
            func,
            target,
            builder,
            info,
            frame: Frame::default(),
            inputs,
            arrays: Arrays::default(),
            keeps_calls: false,
            images: DescriptorArrays::default(),
            control: Control::default(),
            products: Products::default(),
            body: Vec::new(),
            variables: Vec::new(),
            entry_code: Vec::new(),
            types: FxHashMap::default(),
            ids: func.value_map(),
            functions: ids,
            divides_single: false,
            composites: FxHashMap::default(),
            observer: None,
            lines: Lines::default(),
            debug: DebugInfo::default(),
            current_function: 0,
        })
    }

    /// Reports an instruction to the observer. Its instructions of SPIR-V are all words from `start` on.
    pub fn observe(&mut self, inst: Inst, start: usize) {
        let Some(observer) = &mut self.observer else { return };
        observer(self.func, inst, hekla_spirv::instructions(&self.body, start).count());
    }

    /// Returns the id of a value. A constant gets its id at its first use.
    pub fn id(&mut self, value: Value) -> EmitResult<u32> {
        let id = self.ids[value];
        if id != 0 {
            return Ok(id);
        }
        let data = self
            .func
            .values
            .get(value)
            .ok_or_else(|| EmitError::malformed(format!("{value} does not exist")))?;
        let id = match data.def {
            ValueDef::Const(Constant::Bits(bits)) => self.constant(data.ty.scalar, bits)?,
            ValueDef::Const(Constant::Undef) => {
                let ty = self.ty(data.ty)?;
                let op = if self.func.undefined_is_zero { Op::ConstantNull } else { Op::Undef };
                self.builder.intern(op, Some(ty), &[])
            }
            _ => return Err(EmitError::malformed(format!("{value} is used before it is defined"))),
        };
        self.ids[value] = id;
        Ok(id)
    }

    /// Forgets all values, before another function is emitted.
    pub fn clear_values(&mut self) {
        self.ids.clear();
    }

    /// Returns the id of a function.
    pub fn function_id(&self, func: Func) -> EmitResult<u32> {
        match self.functions[func] {
            0 => Err(EmitError::malformed(format!("{func} is not emitted"))),
            id => Ok(id),
        }
    }

    pub fn define(&mut self, value: Value, id: u32) {
        self.ids[value] = id;
    }

    /// Emits an instruction with a result.
    pub fn op(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.builder.new_id();
        self.op_into(id, op, ty, operands);
        id
    }

    /// Like [`Emitter::op`], with the result's id given.
    pub fn op_into(&mut self, id: u32, op: Op, ty: u32, operands: &[u32]) {
        self.body.push(first_word(op as u32, operands.len() + 3));
        self.body.extend_from_slice(&[ty, id]);
        self.body.extend_from_slice(operands);
    }

    /// Calls `emit` to emit code that the current function executes before all other code.
    pub fn at_entry<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.body, &mut self.entry_code);
        let result = emit(self);
        std::mem::swap(&mut self.body, &mut self.entry_code);
        result
    }

    /// Emits an instruction without a result.
    pub fn op_void(&mut self, op: Op, operands: &[u32]) {
        encode(&mut self.body, op, operands);
    }

    /// Emits an operation of GLSL.std.450.
    pub fn glsl(&mut self, op: Glsl, ty: u32, args: &[u32]) -> u32 {
        let mut operands: SmallVec<[u32; 5]> = SmallVec::new();
        operands.extend([self.builder.glsl, op as u32]);
        operands.extend_from_slice(args);
        self.op(Op::ExtInst, ty, &operands)
    }

    /// Returns a 32-bit constant.
    pub fn const_u32(&mut self, value: u32) -> u32 {
        self.builder.const_u32(value)
    }

    /// Emits an operation on 32-bit integers.
    pub fn u32_op(&mut self, op: Op, a: u32, b: u32) -> u32 {
        let ty = self.builder.u32;
        self.op(op, ty, &[a, b])
    }

    /// Emits an operation of a 32-bit integer and a constant.
    pub fn u32_op_const(&mut self, op: Op, a: u32, b: u32) -> u32 {
        let b = self.const_u32(b);
        self.u32_op(op, a, b)
    }

    /// Emits an operation with a bool result.
    pub fn bool_op(&mut self, op: Op, args: &[u32]) -> u32 {
        let ty = self.builder.bool;
        self.op(op, ty, args)
    }

    pub fn select(&mut self, ty: u32, cond: u32, then: u32, otherwise: u32) -> u32 {
        self.op(Op::Select, ty, &[cond, then, otherwise])
    }

    /// Returns one member of a composite.
    pub fn extract(&mut self, ty: u32, composite: u32, index: u32) -> u32 {
        self.op(Op::CompositeExtract, ty, &[composite, index])
    }

    /// Forbids contraction of an operation.
    pub fn no_contraction(&mut self, id: u32) {
        self.builder.decorate(id, Decoration::NoContraction, &[]);
    }
}
