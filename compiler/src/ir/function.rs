//! A function: arenas of values, instructions and blocks, and the operations to change them.

use super::entities::{Block, Inst, Value};
use super::fold::float_bits;
use super::inst::{BlockCall, InstData};
use super::location::Loc;
use super::module::Linkage;
use super::types::{Scalar, Type};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueDef {
    /// The result of an instruction.
    Inst(Inst),
    /// Parameter number n of a block.
    Param(Block, u32),
    Const(Constant),
}

/// A constant of scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// Bits of an integer, float, bool or pointer, zero-extended from the type's width.
    Bits(u64),
    /// Any value, or zero if [`Function::undefined_is_zero`]. May have a vector type.
    Undef,
}

/// Type and definition of a value.
#[derive(Debug, Clone)]
pub struct ValueData {
    pub ty: Type,
    pub def: ValueDef,
}

/// A basic block. The last instruction is the terminator.
#[derive(Debug, Clone, Default)]
pub struct BlockData {
    pub params: Vec<Value>,
    pub insts: Vec<Inst>,
    /// The unrolling hint of a loop, in the loop's header. Has no meaning in other blocks.
    pub unroll: Option<UnrollHint>,
}

/// What a program demands of the unrolling of a loop (OpenCL C 6.13.5, and clang's pragmas).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnrollHint {
    /// Unroll the loop fully, or as the compiler sees fit.
    Full,
    /// Make this many copies of the body, at least 2.
    Count(u32),
    /// Do not unroll the loop. Loops that are unrolled already have this hint, too.
    Disable,
}

fn map_of<K: EntityRef, T: Clone + Default>(count: usize) -> SecondaryMap<K, T> {
    let mut map = SecondaryMap::new();
    map.resize(count);
    map
}

/// A function. `layout` lists its blocks, the entry first; blocks that are not in it are dead. The parameters of the
/// entry block are the function's.
#[derive(Debug, Clone)]
pub struct Function {
    pub name: String,
    /// Types of the results. Only functions that passes have rewritten have more than one.
    pub returns: SmallVec<[Type; 1]>,
    pub values: PrimaryMap<Value, ValueData>,
    pub insts: PrimaryMap<Inst, InstData>,
    /// First (usually only) result of an instruction, if it has one.
    pub results: SecondaryMap<Inst, Option<Value>>,
    pub blocks: PrimaryMap<Block, BlockData>,
    pub layout: Vec<Block>,
    /// True if the function is inlined only where it has to be (`noinline`).
    pub noinline: bool,
    pub linkage: Linkage,
    /// True if undefined values and the initial contents of private objects are zero.
    pub undefined_is_zero: bool,
    /// [`Target::exact_objects`](crate::target::Target::exact_objects).
    pub exact_objects: bool,
    /// True if every instruction must have a location.
    pub is_located: bool,
    /// The location of new instructions.
    pub location: Loc,
    /// The location of each instruction, set by [`super::location`] alone. Empty until the first location is set.
    pub(super) locations: Option<Box<SecondaryMap<Inst, Loc>>>,
    constants: FxHashMap<(Type, Constant), Value>,
}

/// Returns the type of a matrix's elements; other types unchanged.
fn element_of(ty: Type) -> Type {
    match ty.scalar {
        Scalar::Matrix(matrix) => matrix.element(),
        _ => ty,
    }
}

impl Function {
    /// Returns a function with an empty entry block that has the given parameters.
    pub fn new(name: impl Into<String>, params: &[Type], ret: Option<Type>) -> Function {
        let mut function = Function {
            name: name.into(),
            returns: ret.into_iter().collect(),
            values: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            results: Default::default(),
            blocks: PrimaryMap::new(),
            layout: Vec::new(),
            noinline: false,
            linkage: Linkage::default(),
            undefined_is_zero: false,
            exact_objects: false,
            is_located: false,
            location: Loc::NONE,
            locations: None,
            constants: FxHashMap::default(),
        };
        let entry = function.add_block();
        for &ty in params {
            function.add_param(entry, ty);
        }
        function
    }

    /// Returns the type of the first result, if there is one.
    pub fn ret(&self) -> Option<Type> {
        self.returns.first().copied()
    }

    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// Returns the parameters of the function.
    pub fn params(&self) -> &[Value] {
        &self.blocks[self.entry()].params
    }

    /// Returns a new block at the end of the layout.
    pub fn add_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.layout.push(block);
        block
    }

    /// Returns a new block whose parameters have the same types as another block's.
    pub fn add_block_like(&mut self, block: Block) -> Block {
        let new = self.add_block();
        for i in 0..self.blocks[block].params.len() {
            let ty = self.ty(self.blocks[block].params[i]);
            self.add_param(new, ty);
        }
        new
    }

    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, 0) });
        self.push_param(block, value);
        value
    }

    /// Appends a value to the parameters of a block.
    pub fn push_param(&mut self, block: Block, value: Value) {
        let params = &mut self.blocks[block].params;
        self.values[value].def = ValueDef::Param(block, params.len() as u32);
        params.push(value);
    }

    /// Replaces the parameters of a block with values.
    pub fn set_params(&mut self, block: Block, params: Vec<Value>) {
        for (index, &param) in params.iter().enumerate() {
            self.values[param].def = ValueDef::Param(block, index as u32);
        }
        self.blocks[block].params = params;
    }

    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    pub fn def(&self, value: Value) -> ValueDef {
        self.values[value].def
    }

    /// Returns the instruction that defines a value, if an instruction does.
    pub fn def_inst(&self, value: Value) -> Option<&InstData> {
        match self.values[value].def {
            ValueDef::Inst(inst) => Some(&self.insts[inst]),
            _ => None,
        }
    }

    /// Returns the bits of a scalar constant.
    pub fn as_const(&self, value: Value) -> Option<u64> {
        match self.values[value].def {
            ValueDef::Const(Constant::Bits(bits)) => Some(bits),
            _ => None,
        }
    }

    /// Returns the bits of a scalar constant as a signed integer.
    pub fn as_signed_const(&self, value: Value) -> Option<i64> {
        let unused = 64 - self.ty(value).scalar.bits();
        self.as_const(value).map(|bits| (bits << unused) as i64 >> unused)
    }

    /// Returns the pointer through which an instruction accesses memory, and the type that it accesses.
    pub fn access(&self, inst: Inst) -> Option<(Value, Type)> {
        let data = &self.insts[inst];
        let ptr = data.address()?;
        let ty = match *data {
            InstData::Store { value, .. } | InstData::AtomicStore { value, .. } => self.ty(value),
            InstData::MatrixStore { value, .. } => element_of(self.ty(value)),
            _ => element_of(self.ty(self.result(inst)?)),
        };
        Some((ptr, ty))
    }

    /// Splits a pointer into another pointer and a constant number of bytes that is added to it.
    pub fn base_and_offset(&self, ptr: Value) -> (Value, i64) {
        match self.def_inst(ptr) {
            Some(&InstData::PtrAdd { ptr: base, offset, .. }) => {
                self.as_signed_const(offset).map_or((ptr, 0), |bytes| (base, bytes))
            }
            _ => (ptr, 0),
        }
    }

    /// Returns an interned scalar constant; `bits` is truncated to the type's width.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        debug_assert_eq!(ty.lanes, 1);
        let width = ty.scalar.bits();
        let bits = if width < 64 { bits & ((1 << width) - 1) } else { bits };
        self.intern(ty, Constant::Bits(bits))
    }

    pub fn undef(&mut self, ty: Type) -> Value {
        self.intern(ty, Constant::Undef)
    }

    pub fn bool_const(&mut self, value: bool) -> Value {
        self.constant(Type::BOOL, u64::from(value))
    }

    /// Returns a float constant, rounded once to the type.
    pub fn float_const(&mut self, scalar: Scalar, value: f64) -> Value {
        let bits = float_bits(scalar, value);
        self.constant(Type::of(scalar), bits)
    }

    fn intern(&mut self, ty: Type, constant: Constant) -> Value {
        let values = &mut self.values;
        *self
            .constants
            .entry((ty, constant))
            .or_insert_with(|| values.push(ValueData { ty, def: ValueDef::Const(constant) }))
    }

    /// Makes an instruction, with a result if `ty` is given. The instruction is not yet in any block.
    pub fn make_inst(&mut self, data: InstData, ty: Option<Type>) -> Inst {
        let inst = self.insts.push(data);
        self.set_location(inst, self.location);
        if let Some(ty) = ty {
            let value = self.values.push(ValueData { ty, def: ValueDef::Inst(inst) });
            self.results[inst] = Some(value);
        }
        inst
    }

    /// Appends an instruction to a block and returns its result. It takes the location of the instruction before it.
    pub fn append(&mut self, block: Block, data: InstData, ty: Option<Type>) -> Option<Value> {
        if let Some(&last) = self.blocks[block].insts.last() {
            self.stand_at(last);
        }
        let inst = self.make_inst(data, ty);
        self.blocks[block].insts.push(inst);
        self.results[inst]
    }

    pub fn result(&self, inst: Inst) -> Option<Value> {
        self.results[inst]
    }

    /// Replaces the instruction that defines `value` with `data`.
    pub fn replace_inst(&mut self, inst: Inst, data: InstData) {
        self.insts[inst] = data;
    }

    /// Returns the terminator of a finished block.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        let last = *self.blocks[block].insts.last()?;
        self.insts[last].is_terminator().then_some(last)
    }

    /// Makes a block branch to `to` in place of `from`, with the same arguments.
    pub fn redirect(&mut self, block: Block, from: Block, to: Block) {
        let Some(inst) = self.terminator(block) else { return };
        self.insts[inst].for_each_target_mut(|call| {
            if call.block == from {
                call.block = to;
            }
        });
    }

    /// Returns the successors of a block with duplicates, in the terminator's order.
    pub fn successors(&self, block: Block) -> Vec<Block> {
        let mut out = Vec::new();
        if let Some(inst) = self.terminator(block) {
            self.insts[inst].for_each_target(|call: &BlockCall| out.push(call.block));
        }
        out
    }

    /// Returns the instructions of all blocks, in the order of the layout.
    pub fn layout_insts(&self) -> impl Iterator<Item = Inst> + '_ {
        self.layout.iter().flat_map(|&block| self.blocks[block].insts.iter().copied())
    }

    /// Returns the number of instructions in the layout.
    pub fn num_insts(&self) -> usize {
        self.layout.iter().map(|&block| self.blocks[block].insts.len()).sum()
    }

    /// Returns true if a value is an undefined constant.
    pub fn is_undef(&self, value: Value) -> bool {
        self.values[value].def == ValueDef::Const(Constant::Undef)
    }

    /// Returns true if the value is undefined and any other value may replace it.
    pub fn is_arbitrary(&self, value: Value) -> bool {
        !self.undefined_is_zero && self.is_undef(value)
    }

    /// Returns a map with a place for every value that exists now.
    pub fn value_map<T: Clone + Default>(&self) -> SecondaryMap<Value, T> {
        map_of(self.values.len())
    }

    /// Returns a map with a place for every instruction that exists now.
    pub fn inst_map<T: Clone + Default>(&self) -> SecondaryMap<Inst, T> {
        map_of(self.insts.len())
    }

    /// Returns a map with a place for every block that exists now.
    pub fn block_map<T: Clone + Default>(&self) -> SecondaryMap<Block, T> {
        map_of(self.blocks.len())
    }

    /// Changes the type of all values of one scalar type, and of vectors of it, to another type with the same number of
    /// bits.
    pub fn retype(&mut self, from: Scalar, to: Scalar) {
        let types = self.values.values_mut().map(|value| &mut value.ty).chain(&mut self.returns);
        for ty in types.filter(|ty| ty.scalar == from) {
            ty.scalar = to;
        }
        self.constants.retain(|(ty, _), _| ty.scalar != from);
    }

    /// Replaces operands everywhere: `map` returns the replacement of a value, or the value itself.
    pub fn replace_uses(&mut self, mut map: impl FnMut(Value) -> Value) {
        for &block in &self.layout {
            for &inst in &self.blocks[block].insts {
                self.insts[inst].map_args(&mut map);
            }
        }
    }
}
