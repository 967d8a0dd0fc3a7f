//! Translation of one function: its values by their ids, and the choice of the file that translates an instruction.

use super::blocks::{self, BlockInfo};
use super::constants::{num_parts, Const};
use super::decorations::Decorations;
use super::matrices::ElementPointer;
use super::module::{undefined, Decoder, Entity, FunctionInfo};
use super::types::{Kind, Leaf, Ty};
use super::words::Inst;
use crate::builtins::{ArgType, Builtin, Call, Lowerer, Number};
use crate::ir::{Block, Builder, ConvertOp, Function, Loc, Location, OpFlags, Scalar, Type, Value};
use rspirv::spirv::{Decoration, FPFastMathMode, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A value of the module: its type and its leaves.
#[derive(Debug, Clone)]
pub(super) struct Val {
    pub(super) ty: Ty,
    pub(super) leaves: SmallVec<[Value; 1]>,
}

/// The translation of one function.
pub(super) struct Translator<'f, 'm, 'a> {
    pub(super) m: &'m mut Decoder<'a>,
    pub(super) b: Builder<'f>,
    /// The function's id.
    pub(super) function: u32,
    pub(super) ret: Option<Ty>,
    values: FxHashMap<u32, Val>,
    /// The entry block, which dominates all others: it has the constants, and copies of input variables.
    prologue: Block,
    /// Pointers to elements of matrices.
    pub(super) elements: FxHashMap<u32, ElementPointer>,
    /// The block of each label.
    pub(super) blocks: FxHashMap<u32, BlockInfo>,
}

impl<'f, 'm, 'a> Translator<'f, 'm, 'a> {
    /// Makes a translator that builds in a function, whose entry block becomes the prologue.
    pub(super) fn new(
        m: &'m mut Decoder<'a>,
        function: &'f mut Function,
    ) -> Translator<'f, 'm, 'a> {
        let b = Builder::new(function);
        let prologue = b.out;
        Translator {
            m,
            b,
            function: 0,
            ret: None,
            values: FxHashMap::default(),
            prologue,
            elements: FxHashMap::default(),
            blocks: FxHashMap::default(),
        }
    }

    /// Translates the body of a function into a function of the IR that has only parameters so far.
    pub(super) fn translate(
        m: &'m mut Decoder<'a>,
        function: &'f mut Function,
        id: u32,
        info: &FunctionInfo,
    ) -> Result<(), String> {
        let mut this = Translator::new(m, function);
        this.function = id;
        this.ret = Some(info.ret);
        let params = this.b.func.params().to_vec();
        let hidden = usize::from(this.m.returns_in_memory(info.ret)?);
        let mut params = params.into_iter().skip(hidden);
        for &(id, ty) in &info.params {
            let count = this.m.types.num_leaves(ty)?;
            let leaves: SmallVec<_> = params.by_ref().take(count).collect();
            leaves.iter().try_for_each(|&leaf| this.check_half(this.b.ty(leaf)))?;
            this.values.insert(id, Val { ty, leaves });
        }
        blocks::body(&mut this, info)
    }

    /// Evaluates an instruction on constants. Returns `None` if its value is known only when the kernel runs.
    pub(super) fn evaluate(m: &mut Decoder<'_>, inst: &Inst<'_>) -> Result<Option<Const>, String> {
        let mut scratch = Function::new("constant", &[], None);
        let mut this = Translator::new(m, &mut scratch);
        this.instruction(inst)?;
        let val = this.val(inst.id)?;
        let types = &this.m.types;
        let mut leaves = val.leaves.iter().copied();
        super::evaluate::composite(this.b.func, types, val.ty, &mut leaves)
    }

    /// Calls `build` to add instructions to the entry block.
    pub(super) fn in_prologue<R>(
        &mut self,
        build: impl FnOnce(&mut Self) -> Result<R, String>,
    ) -> Result<R, String> {
        let here = std::mem::replace(&mut self.b.out, self.prologue);
        let result = build(self);
        self.prologue = std::mem::replace(&mut self.b.out, here);
        result
    }

    /// Ends the entry block.
    pub(super) fn end_prologue(&mut self, first: Block) {
        self.b.switch_to(self.prologue);
        self.b.func.location = Loc::NONE;
        self.b.jump(first, &[]);
    }

    pub(super) fn decorations(&self) -> &Decorations {
        &self.m.decorations
    }

    /// Returns the value of an id.
    pub(super) fn val(&mut self, id: u32) -> Result<Val, String> {
        self.val_ref(id).cloned()
    }

    /// Returns the value of an id by reference, since it may have thousands of leaves.
    pub(super) fn val_ref(&mut self, id: u32) -> Result<&Val, String> {
        if !self.values.contains_key(&id) {
            let val = self.new_val(id)?;
            self.values.insert(id, val);
        }
        Ok(&self.values[&id])
    }

    /// Makes the value of an id that no instruction of the function defines.
    fn new_val(&mut self, id: u32) -> Result<Val, String> {
        Ok(match self.m.entities.get(&id).cloned() {
            Some(Entity::Constant(constant)) => self.in_prologue(|this| {
                let mut leaves = SmallVec::new();
                let count = this.m.types.num_leaves(constant.ty)?;
                this.m.count_parts(count)?;
                this.materialize(constant.ty, &constant.value, &mut leaves)?;
                Ok(Val { ty: constant.ty, leaves })
            })?,
            Some(Entity::Variable { ty, global }) => {
                let space = self.m.out.module().globals[global].space;
                let pointer = self.in_prologue(|this| Ok(this.b.global_addr(global, space)))?;
                Val { ty, leaves: SmallVec::from_slice(&[pointer]) }
            }
            Some(Entity::Input { ty, input }) => {
                let pointer = self.in_prologue(|this| this.input_memory(input))?;
                Val { ty, leaves: SmallVec::from_slice(&[pointer]) }
            }
            Some(Entity::Operation { index, .. }) => {
                let operation = self.m.words.at(index).operation()?;
                self.in_prologue(|this| this.instruction(&operation))?;
                let val = self.values.get(&id).cloned();
                return val.ok_or_else(|| format!("%{id} has no value"));
            }
            Some(Entity::Undefined(name)) => return Err(undefined(&name)),
            Some(Entity::FunctionPointer(_)) => {
                return Err(format!("%{id}: pointers to functions are supported in calls alone"));
            }
            _ if self.m.functions.contains_key(&id) => {
                return Err(format!("function %{id} is not supported as a value"));
            }
            _ => return Err(format!("%{id} is not a value defined before")),
        })
    }

    /// Returns the type of a constant, or of a value that the function has defined or used.
    pub(super) fn known_type(&self, id: u32) -> Option<Ty> {
        let constant = |entity: &Entity| match entity {
            Entity::Constant(constant) => Some(constant.ty),
            _ => None,
        };
        let value = self.values.get(&id).map(|value| value.ty);
        value.or_else(|| self.m.entities.get(&id).and_then(constant))
    }

    /// Returns the value of an id that is one value of the IR.
    pub(super) fn one(&mut self, id: u32) -> Result<Value, String> {
        match *self.val(id)?.leaves.as_slice() {
            [value] => Ok(value),
            _ => Err(format!("%{id} is not a single value")),
        }
    }

    /// Returns the value of an id that is a number, a bool or a vector of them.
    pub(super) fn number(&mut self, id: u32) -> Result<Value, String> {
        let val = self.val(id)?;
        self.m.types.numeric(val.ty).map_err(|_| format!("%{id} is not a number or vector"))?;
        Ok(val.leaves[0])
    }

    /// Returns the values of ids that are numbers of one type.
    pub(super) fn numbers<const N: usize>(&mut self, ids: [u32; N]) -> Result<[Value; N], String> {
        let mut values = [None; N];
        for (value, id) in values.iter_mut().zip(ids) {
            *value = Some(self.number(id)?);
        }
        let values = values.map(|value| value.unwrap_or_else(|| unreachable!("all are set")));
        let first = values.first().map(|&value| self.b.ty(value));
        match values.iter().all(|&value| Some(self.b.ty(value)) == first) {
            true => Ok(values),
            false => Err("the operands differ in type".to_string()),
        }
    }

    /// Returns the value of an id that is a pointer, and its type.
    pub(super) fn pointer(&mut self, id: u32) -> Result<(Value, Ty), String> {
        let val = self.val(id)?;
        let is_pointer = matches!(self.m.types.kind(val.ty), Kind::Pointer { .. });
        match is_pointer {
            true => Ok((val.leaves[0], val.ty)),
            false => Err(format!("%{id} is not a pointer")),
        }
    }

    /// Makes leaves the result of an instruction, if they have its type.
    pub(super) fn define(&mut self, inst: &Inst<'_>, leaves: &[Value]) -> Result<(), String> {
        let ty = self.m.types.of(inst.ty)?;
        let wanted = self.m.types.leaves(ty)?;
        let found = leaves.iter().map(|&leaf| self.b.ty(leaf));
        if !found.eq(wanted.iter().map(|leaf| leaf.ty)) {
            return Err("the operands do not give a result of its type".to_string());
        }
        leaves.iter().try_for_each(|&leaf| self.check_half(self.b.ty(leaf)))?;
        self.m.count_parts(leaves.len())?;
        self.values.insert(inst.id, Val { ty, leaves: SmallVec::from_slice(leaves) });
        Ok(())
    }

    /// Like [`Translator::define`] for a result that is one value.
    pub(super) fn give(&mut self, inst: &Inst<'_>, value: Value) -> Result<(), String> {
        self.define(inst, &[value])
    }

    /// Returns the type of an instruction's result, which must be one value of the IR.
    pub(super) fn result(&self, inst: &Inst<'_>) -> Result<Type, String> {
        let ty = self.m.types.of(inst.ty)?;
        self.m.types.value(ty).ok_or_else(|| "its type has no values here".to_string())
    }

    /// Like [`Translator::result`] for a number, a bool or a vector of them.
    pub(super) fn numeric_result(&self, inst: &Inst<'_>) -> Result<Type, String> {
        self.m.types.numeric(self.m.types.of(inst.ty)?)
    }

    /// Returns the leaves of a type.
    pub(super) fn leaves_of(&self, ty: Ty) -> Result<Vec<Leaf>, String> {
        self.m.types.leaves(ty)
    }

    /// Appends the leaves of a constant.
    fn materialize(
        &mut self,
        ty: Ty,
        value: &Const,
        leaves: &mut SmallVec<[Value; 1]>,
    ) -> Result<(), String> {
        if self.m.types.num_leaves(ty)? == 0 {
            return Ok(());
        }
        let kind = self.m.types.kind(ty).clone();
        match kind {
            Kind::Struct { members } => {
                for (index, (member, _)) in members.into_iter().enumerate() {
                    self.materialize(member, &value.part(index), leaves)?;
                }
            }
            Kind::Array { element, length } => {
                for index in 0..length as usize {
                    self.materialize(element, &value.part(index), leaves)?;
                }
            }
            _ => {
                let ty = self.m.types.value(ty).ok_or("a constant of this type has no value")?;
                leaves.push(self.constant(ty, value)?);
            }
        }
        Ok(())
    }

    /// Refuses values of half if the device has no half. (Capability Float16Buffer alone allows pointers to half and the
    /// functions that load and store through them, but some producers compute with half.)
    fn check_half(&self, ty: Type) -> Result<(), String> {
        match ty.lane() == Type::F16 && !self.m.out.target().float16 {
            true => Err("the device has no half".to_string()),
            false => Ok(()),
        }
    }

    /// Returns a constant that is one value of the IR.
    fn constant(&mut self, ty: Type, value: &Const) -> Result<Value, String> {
        self.check_half(ty)?;
        if let Scalar::Matrix(matrix) = ty.scalar {
            let element = match value {
                Const::Undef => return Ok(self.b.undef(ty)),
                value => self.constant(matrix.element(), &value.part(0))?,
            };
            return Ok(self.splat_matrix(element, matrix));
        }
        match value {
            Const::Undef => Ok(self.b.undef(ty)),
            Const::Null => Ok(self.b.zero(ty)),
            Const::Bits(bits) => {
                let value = self.b.func.constant(ty.lane(), *bits);
                Ok(self.b.splat(value, ty.lanes))
            }
            Const::Parts(parts) => {
                let lanes = parts.iter().map(|part| self.constant(ty.lane(), part));
                let lanes: Vec<Value> = lanes.collect::<Result<_, _>>()?;
                Ok(self.b.build(&lanes))
            }
            Const::Address { variable, offset } => {
                let space = self.m.out.module().globals[*variable].space;
                let pointer = self.b.global_addr(*variable, space);
                let pointer = self.b.ptr_add_const(pointer, *offset);
                if ty.scalar.is_ptr() {
                    return Ok(self.b.convert(ConvertOp::SpaceCast, pointer, ty));
                }
                let address = self.b.address(pointer);
                Ok(self.b.resize(address, ty, false))
            }
        }
    }

    /// Returns the value of an integer constant; `None` if it is known only when the kernel runs.
    pub(super) fn known_integer(&mut self, id: u32) -> Result<Option<u64>, String> {
        let value = self.number(id)?;
        let ty = self.b.ty(value);
        if !ty.scalar.is_int() || ty.lanes != 1 {
            return Err(format!("%{id} is not an integer"));
        }
        Ok(self.b.func.as_const(value))
    }

    /// Calls `compute` with the flags for floats that an instruction's decorations ask for.
    pub(super) fn with_float_flags<R>(
        &mut self,
        inst: &Inst<'_>,
        compute: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let before = self.b.flags;
        self.b.flags = self.float_flags(inst.id);
        let result = compute(self);
        self.b.flags = before;
        result
    }

    fn float_flags(&self, id: u32) -> OpFlags {
        if self.m.has_fences {
            return OpFlags::NO_CONTRACT;
        }
        let decorations = &self.m.decorations;
        let mode = decorations.operand(id, Decoration::FPFastMathMode).unwrap_or(0);
        let mode = FPFastMathMode::from_bits_truncate(mode);
        let options = self.m.out.options();
        let fast = options.fast_relaxed_math || mode.contains(FPFastMathMode::FAST);
        let may = !self.m.contraction_off() && !decorations.has(id, Decoration::NoContraction);
        let must = fast || options.mad_enable || mode.contains(FPFastMathMode::ALLOW_CONTRACT);
        let mut flags = OpFlags::empty();
        flags.set(OpFlags::FAST, fast);
        flags.set(OpFlags::NO_CONTRACT, !(may || must));
        flags
    }

    /// Calls `body` with a lowerer of built-in functions.
    pub(super) fn with_lowerer<R>(&mut self, body: impl FnOnce(&mut Lowerer<'_, 'f>) -> R) -> R {
        let (target, options) = (self.m.out.target(), self.m.out.options());
        body(&mut Lowerer {
            b: &mut self.b,
            target,
            options,
            in_library: false,
            front: &mut self.m.out,
        })
    }

    /// Lowers a call of a built-in function of OpenCL C; `None` if it has no result. `types` says which arguments are
    /// signed.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: &[Value],
        types: &[ArgType],
        result: Type,
    ) -> Result<Option<Value>, String> {
        let builtin = Builtin::named(name).ok_or_else(|| format!("no function '{name}'"))?;
        let call = Call { builtin, args, types, result };
        Ok(self.with_lowerer(|lowerer| lowerer.call(&call)))
    }

    /// Returns the types of arguments; their integers are all signed, or all unsigned.
    pub(super) fn arg_types(&self, args: &[Value], signed: bool) -> Vec<ArgType> {
        let of = |&arg: &Value| {
            let ty = self.b.ty(arg);
            let number = Number { scalar: ty.scalar, signed: signed || ty.scalar.is_float() };
            ArgType { number, lanes: ty.lanes, image: None }
        };
        args.iter().map(of).collect()
    }

    /// Translates an instruction that does not end a block.
    pub(super) fn instruction(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        use Op::*;
        let may_be_of_matrices = self.m.types.has_matrices() || super::matrices::has(inst.op);
        if may_be_of_matrices && self.matrix_instruction(inst)? {
            return Ok(());
        }
        self.check_bfloat16(inst)?;
        match inst.op {
            Line => self.line(inst),
            NoLine => {
                self.b.func.location = Loc::NONE;
                Ok(())
            }
            Nop | AssumeTrueKHR | LifetimeStart | LifetimeStop => Ok(()),
            Undef => {
                let ty = self.m.types.of(inst.ty)?;
                let leaves = self.leaves_of(ty)?;
                let leaves: Vec<Value> = leaves.iter().map(|leaf| self.b.undef(leaf.ty)).collect();
                self.define(inst, &leaves)
            }
            FunctionCall => self.call(inst),
            FunctionPointerCallINTEL => self.call_of_pointer(inst),
            // Only calls use the result of this cast.
            _ if self.m.cast_function(inst).is_some() => Ok(()),
            ArithmeticFenceEXT => {
                let value = self.number(inst.arg(0)?)?;
                match self.b.ty(value).scalar.is_float() {
                    true => self.give(inst, value),
                    false => Err("the operand is not of floats".to_string()),
                }
            }
            ExtInst | ExtInstWithForwardRefsKHR => self.extended(inst),
            op if super::memory::has(op) => self.memory(inst),
            op if super::pointers::has(op) => self.pointers(inst),
            op if super::convert::has(op) => self.conversion(inst),
            op if super::composite::has(op) => self.composite(inst),
            op if super::atomics::has(op) => self.atomic(inst),
            op if super::groups::has(op) => self.group(inst),
            op if super::subgroups::has(op) => self.subgroup(inst),
            op if super::images::has(op) => self.image(inst),
            op if super::pipes::has(op) => self.pipe(inst),
            op if super::device_queue::has(op) => self.device_queue(inst),
            op if super::device_enqueue::has(op) => self.device_enqueue(inst),
            op if super::integer_dot::has(op) => self.dot_or_clock(inst),
            _ => self.arithmetic(inst),
        }
    }

    /// Sets the place in the text of the following instructions of the block (OpLine).
    fn line(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [file, line, column] = inst.get()?;
        let function = self.b.func.name.clone();
        let Some(locations) = self.m.out.locations() else { return Ok(()) };
        let name = self.m.words.definition(file).filter(|file| file.op == Op::String);
        let name = name.ok_or_else(|| format!("%{file} is not a string"))?.string(0);
        let (file, function) = (locations.file(&name, None), locations.function(&function));
        let inlined_at = Loc::NONE;
        self.b.func.location = match line {
            0 => Loc::NONE,
            _ => locations.intern(Location { file, line, column, function, inlined_at }),
        };
        Ok(())
    }

    /// Translates an extended instruction.
    fn extended(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        use super::module::Set;
        match self.m.entities.get(&inst.arg(0)?) {
            Some(Entity::Instructions(Set::Ignored)) => Ok(()),
            Some(Entity::Instructions(Set::OpenClStd)) => {
                super::ext_std::instruction(self, inst, inst.arg(1)?, inst.rest(2))
            }
            _ => Err("its first operand is not an instruction set".to_string()),
        }
    }

    /// Returns the lanes of a vector; a scalar is its only lane.
    pub(super) fn lanes(&mut self, value: Value) -> Vec<Value> {
        (0..self.b.ty(value).lanes).map(|lane| self.b.extract(value, lane)).collect()
    }

    /// Returns the number of parts of a composite type.
    pub(super) fn num_parts(&self, ty: Ty) -> Result<u64, String> {
        num_parts(&self.m.types, ty)
    }
}

/// Returns an error that names an instruction which is not supported.
pub(super) fn unsupported<T>() -> Result<T, String> {
    Err("it is not supported".to_string())
}
