//! The kernel-argument buffer, which arguments and launch values come from, and work-item queries.

use super::asm::Asm;
use super::emitter::{Emitter, Res};
use super::EmitError;
use crate::ir::{AddressSpace, Global, KernelEntry, Scalar, Type, WorkItemQuery};
use crate::kernel::{spec_id, ArgKind, ArgumentField, Field};
use crate::target::Target;
use rspirv::spirv::{BuiltIn, Decoration, MemoryAccess, Op, StorageClass};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// The layout of the kernel-argument buffer, and the module-scope objects of work-item queries.
#[derive(Default)]
pub(super) struct Launch {
    pub fields: Vec<ArgumentField>,
    pub size: u32,
    pub in_push_constants: bool,
    offsets: BTreeMap<Field, u32>,
    args: Vec<ArgKind>,
    /// The push-constant variable.
    variable: u32,
    /// Words of the buffer that were read in the entry block, which dominates all others.
    words: FxHashMap<u32, u32>,
    builtins: FxHashMap<u32, u32>,
    local_size: [u32; 3],
    has_global_offset: Option<u32>,
    local_args: FxHashMap<u32, u32>,
}

impl Launch {
    /// Lays out the buffer and declares the work-group size.
    pub fn new(
        asm: &mut Asm,
        kernel: &KernelEntry,
        fields: &BTreeSet<Field>,
        target: &Target,
    ) -> Res<Launch> {
        let mut launch =
            Launch { args: kernel.args.iter().map(|arg| arg.kind).collect(), ..Launch::default() };
        let mut end = 0u32;
        for &field in fields {
            let (size, align) = launch.field_layout(field)?;
            let offset = end.next_multiple_of(align);
            end = offset
                .checked_add(size)
                .filter(|&end| end < 1 << 20)
                .ok_or_else(|| EmitError::Unsupported("the arguments are too large".into()))?;
            launch.fields.push(ArgumentField { field, offset });
            launch.offsets.insert(field, offset);
        }
        launch.size = end.next_multiple_of(4);
        launch.in_push_constants = launch.size <= target.push_constant_size;
        let words = if launch.in_push_constants { launch.size / 4 } else { 2 };
        if words > 0 {
            let length = asm.c32(words);
            let block = asm.block_of_array(asm.u32, length, 4);
            launch.variable = asm.variable(StorageClass::PushConstant, block);
        }
        launch.declare_local_size(asm, kernel);
        Ok(launch)
    }

    /// Forgets what was read in another function.
    pub fn begin_function(&mut self) {
        self.words.clear();
    }

    fn field_layout(&self, field: Field) -> Res<(u32, u32)> {
        if let Some(layout) = field.layout() {
            return Ok(layout);
        }
        let Field::Arg(arg) = field else { return Err(EmitError::malformed("a launch field")) };
        match self.args.get(arg as usize) {
            Some(ArgKind::Value { size }) => Ok((*size, if *size >= 8 { 8 } else { 4 })),
            Some(ArgKind::Buffer) => Ok((8, 8)),
            _ => Err(EmitError::malformed(format!("argument {arg} has no value"))),
        }
    }

    fn declare_local_size(&mut self, asm: &mut Asm, kernel: &KernelEntry) {
        let default = kernel.required_local_size.unwrap_or([1, 1, 1]);
        for (i, size) in default.into_iter().enumerate() {
            self.local_size[i] = asm.spec_u32(spec_id::LOCAL_SIZE[i], size);
        }
        let vector = asm.vector(asm.u32, 3);
        let size = asm.declare(Op::SpecConstantComposite, Some(vector), &self.local_size);
        asm.decorate(size, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
    }
}

impl Emitter<'_> {
    fn field(&self, field: Field) -> Res<u32> {
        self.launch.offsets.get(&field).copied().ok_or_else(|| EmitError::malformed("no field"))
    }

    fn push_constant_word(&mut self, index: u32) -> u32 {
        let word = self.asm.u32;
        let pointer = self.asm.pointer(StorageClass::PushConstant, word);
        let (zero, index) = (self.c32(0), self.c32(index));
        let pointer = self.op(Op::AccessChain, pointer, &[self.launch.variable, zero, index]);
        self.op(Op::Load, word, &[pointer])
    }

    /// Returns the address of the buffer, where push constants hold that.
    fn argument_buffer_address(&mut self) -> Res<u32> {
        let words = [self.push_constant_word(0), self.push_constant_word(1)];
        self.value_of_words(&words, Type::ptr(AddressSpace::Constant))
    }

    /// Returns word number `index` of the kernel-argument buffer.
    fn argument_word(&mut self, index: u32) -> Res<u32> {
        if let Some(&id) = self.launch.words.get(&index) {
            return Ok(id);
        }
        let id = if self.launch.in_push_constants {
            self.push_constant_word(index)
        } else {
            let address = self.argument_buffer_address()?;
            let word = self.asm.u32;
            let pointer = self.physical_pointer(address, index * 4, word);
            self.op(Op::Load, word, &[pointer, MemoryAccess::ALIGNED.bits(), 4])
        };
        if self.control.in_entry() {
            self.launch.words.insert(index, id);
        }
        Ok(id)
    }

    /// Returns a value at a byte offset of the kernel-argument buffer.
    fn argument_value(&mut self, offset: u32, ty: Type) -> Res<u32> {
        let (first, shift) = (offset / 4, offset % 4 * 8);
        let count = ty.bytes().div_ceil(4);
        let mut words: SmallVec<[u32; 9]> = SmallVec::new();
        let needed = (offset % 4 + ty.bytes()).div_ceil(4);
        for i in 0..needed {
            if (first + i) * 4 >= self.launch.size {
                return Err(EmitError::malformed("an argument is read beyond its end"));
            }
            words.push(self.argument_word(first + i)?);
        }
        if shift != 0 {
            for i in 0..count as usize {
                let low = self.u32_op_const(Op::ShiftRightLogical, words[i], shift);
                words[i] = match words.get(i + 1).copied() {
                    Some(next) => {
                        let high = self.u32_op_const(Op::ShiftLeftLogical, next, 32 - shift);
                        self.u32_op(Op::BitwiseOr, low, high)
                    }
                    None => low,
                };
            }
        }
        self.value_of_words(&words, ty)
    }

    /// LoadArg.
    pub fn load_arg(&mut self, arg: u32, offset: u32, ty: Type) -> Res<u32> {
        if ty.space() == Some(AddressSpace::Local) {
            return self.local_arg(arg);
        }
        let field = self.field(Field::Arg(arg))?;
        let (size, _) = self.launch.field_layout(Field::Arg(arg))?;
        if u64::from(offset) + u64::from(ty.bytes()) > u64::from(size.next_multiple_of(4)) {
            return Err(EmitError::malformed("an argument is read beyond its end"));
        }
        self.argument_value(field + offset, ty)
    }

    fn local_arg(&mut self, arg: u32) -> Res<u32> {
        let Some(ArgKind::Local { ordinal, .. }) = self.launch.args.get(arg as usize).copied()
        else {
            return Err(EmitError::malformed(format!("argument {arg} is not a local pointer")));
        };
        if let Some(&id) = self.launch.local_args.get(&ordinal) {
            return Ok(id);
        }
        let id = self.asm.spec_u32(spec_id::LOCAL_ARG_BASE + ordinal, 0);
        self.launch.local_args.insert(ordinal, id);
        Ok(id)
    }

    /// GlobalAddr.
    pub fn global_addr(&mut self, global: Global) -> Res<u32> {
        let data = self
            .module
            .globals
            .get(global)
            .ok_or_else(|| EmitError::malformed(format!("{global} does not exist")))?;
        if data.space == AddressSpace::Local {
            let offset = self.plan.local_offsets[global];
            return Ok(self.c32(offset as u32));
        }
        let offset = self.data_offsets[global];
        let field = self.field(Field::DataAddress)?;
        let base = self.argument_value(field, Type::ptr(AddressSpace::Constant))?;
        Ok(self.address_add_const(base, offset as u32))
    }

    /// Returns the address of the word by which sequentially consistent operations are ordered, if the
    /// kernel needs one.
    pub fn order_word(&mut self) -> Res<Option<u32>> {
        match self.launch.offsets.get(&Field::OrderWord).copied() {
            Some(field) => self.argument_value(field, Type::ptr(AddressSpace::Global)).map(Some),
            None => Ok(None),
        }
    }

    fn builtin(&mut self, builtin: BuiltIn, dim: u8) -> u32 {
        let vector = self.asm.vector(self.asm.u32, 3);
        let all = self.load_builtin(builtin, vector);
        let word = self.asm.u32;
        self.extract(word, all, u32::from(dim))
    }

    /// Returns a built-in of one 32-bit unsigned integer.
    pub fn word_builtin(&mut self, builtin: BuiltIn) -> u32 {
        let word = self.asm.u32;
        self.load_builtin(builtin, word)
    }

    fn load_builtin(&mut self, builtin: BuiltIn, ty: u32) -> u32 {
        let asm = &mut self.asm;
        let variable = *self.launch.builtins.entry(builtin as u32).or_insert_with(|| {
            let variable = asm.variable(StorageClass::Input, ty);
            asm.decorate(variable, Decoration::BuiltIn, &[builtin as u32]);
            variable
        });
        self.op(Op::Load, ty, &[variable])
    }

    fn has_global_offset(&mut self) -> u32 {
        let asm = &mut self.asm;
        *self.launch.has_global_offset.get_or_insert_with(|| {
            let id = asm.declare(Op::SpecConstantTrue, Some(asm.bool), &[]);
            asm.decorate(id, Decoration::SpecId, &[spec_id::HAS_GLOBAL_OFFSET]);
            id
        })
    }

    /// Returns a 64-bit launch value that is zero unless [`spec_id::HAS_GLOBAL_OFFSET`] is set.
    fn offset_field(&mut self, field: Field, dim: u8) -> Res<u32> {
        let flag = self.has_global_offset();
        let offset = self.field(field)?;
        let value = self.argument_value(offset + u32::from(dim) * 8, Type::I64)?;
        let zero = self.constant(Scalar::I64, 0)?;
        let ty = self.ty(Type::I64)?;
        Ok(self.select(ty, flag, value, zero))
    }

    /// WorkItem.
    pub fn work_item(&mut self, query: WorkItemQuery, dim: u8) -> Res<u32> {
        use WorkItemQuery::*;
        let dim = dim.min(2);
        let wide = |e: &mut Self, builtin, field| {
            let low = e.builtin(builtin, dim);
            let id = e.zero_extend_word(low)?;
            let base = e.offset_field(field, dim)?;
            e.add_64(id, base)
        };
        let plain = |e: &mut Self, field, ty: Type| {
            let offset = e.field(field)?;
            e.argument_value(offset + u32::from(dim) * ty.bytes(), ty)
        };
        match query {
            GlobalId => wide(self, BuiltIn::GlobalInvocationId, Field::GlobalBase),
            GroupId => wide(self, BuiltIn::WorkgroupId, Field::GroupBase),
            GlobalOffset => self.offset_field(Field::GlobalOffset, dim),
            GlobalSize => plain(self, Field::GlobalSize, Type::I64),
            NumGroups => plain(self, Field::NumGroups, Type::I64),
            LocalId => Ok(self.builtin(BuiltIn::LocalInvocationId, dim)),
            LocalSize => Ok(self.launch.local_size[usize::from(dim)]),
            EnqueuedLocalSize => plain(self, Field::EnqueuedLocalSize, Type::I32),
            WorkDim => plain(self, Field::WorkDim, query.ty()),
            PrintfBuffer => plain(self, Field::PrintfBuffer, query.ty()),
        }
    }
}
