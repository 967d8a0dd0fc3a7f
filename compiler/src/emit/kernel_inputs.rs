//! Kernel inputs: the kernel-argument buffer with arguments and launch values, and work-item queries.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use crate::ir::{AddressSpace, Global, Scalar, Type, WorkItemQuery};
use crate::kernel::{spec_id, ArgKind, Field};
use rspirv::spirv::{BuiltIn, Capability, Decoration, MemoryAccess, Op, StorageClass};
use smallvec::SmallVec;

impl Emitter<'_> {
    fn field(&self, field: Field) -> EmitResult<u32> {
        self.inputs.offsets.get(&field).copied().ok_or_else(|| EmitError::malformed("no field"))
    }

    fn push_constant_word(&mut self, index: u32) -> u32 {
        let word = self.builder.u32;
        let pointer = self.builder.pointer(StorageClass::PushConstant, word);
        let (zero, index) = (self.const_u32(0), self.const_u32(index));
        let pointer = self.op(Op::AccessChain, pointer, &[self.inputs.variable, zero, index]);
        self.op(Op::Load, word, &[pointer])
    }

    /// Returns the address of the buffer, where push constants hold that.
    fn argument_buffer_address(&mut self) -> EmitResult<u32> {
        let words = [self.push_constant_word(0), self.push_constant_word(1)];
        self.value_of_words(&words, Type::ptr(AddressSpace::Constant))
    }

    /// Returns word number `index` of the kernel-argument buffer.
    fn argument_word(&mut self, index: u32) -> EmitResult<u32> {
        if let Some(&id) = self.inputs.loaded_words.get(&index) {
            return Ok(id);
        }
        let id = if self.inputs.in_push_constants {
            self.push_constant_word(index)
        } else {
            let address = self.argument_buffer_address()?;
            let word = self.builder.u32;
            let pointer = self.physical_pointer(address, index * 4, word);
            self.op(Op::Load, word, &[pointer, MemoryAccess::ALIGNED.bits(), 4])
        };
        if self.control.in_entry() {
            self.inputs.loaded_words.insert(index, id);
        }
        Ok(id)
    }

    /// Returns a value at a byte offset of the kernel-argument buffer.
    fn argument_value(&mut self, offset: u32, ty: Type) -> EmitResult<u32> {
        let (first, shift) = (offset / 4, offset % 4 * 8);
        let count = ty.bytes().div_ceil(4);
        let mut words: SmallVec<[u32; 9]> = SmallVec::new();
        let needed = (offset % 4 + ty.bytes()).div_ceil(4);
        for i in 0..needed {
            if (first + i) * 4 >= self.inputs.size {
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
    pub fn load_arg(&mut self, arg: u32, offset: u32, ty: Type) -> EmitResult<u32> {
        if ty.space() == Some(AddressSpace::Local) {
            return self.local_arg(arg);
        }
        let field = self.field(Field::Arg(arg))?;
        let (size, _) = self.inputs.field_layout(Field::Arg(arg))?;
        if u64::from(offset) + u64::from(ty.bytes()) > u64::from(size.next_multiple_of(4)) {
            return Err(EmitError::malformed("an argument is read beyond its end"));
        }
        self.argument_value(field + offset, ty)
    }

    fn local_arg(&mut self, arg: u32) -> EmitResult<u32> {
        let Some(ArgKind::Local { ordinal, .. }) = self.inputs.args.get(arg as usize).copied()
        else {
            return Err(EmitError::malformed(format!("argument {arg} is not a local pointer")));
        };
        if let Some(&id) = self.inputs.local_args.get(&ordinal) {
            return Ok(id);
        }
        let id = self.builder.spec_const_u32(spec_id::LOCAL_ARG_BASE + ordinal, 0);
        self.inputs.local_args.insert(ordinal, id);
        Ok(id)
    }

    /// GlobalAddr.
    pub fn global_addr(&mut self, global: Global) -> EmitResult<u32> {
        let data = self
            .module
            .globals
            .get(global)
            .ok_or_else(|| EmitError::malformed(format!("{global} does not exist")))?;
        if data.space == AddressSpace::Local {
            let offset = self.info.local_offsets[global];
            return Ok(self.const_u32(offset as u32));
        }
        let offset = self.data_offsets[global];
        let field = self.field(Field::DataAddress)?;
        let base = self.argument_value(field, Type::ptr(AddressSpace::Constant))?;
        Ok(self.address_add_const(base, offset as u32))
    }

    /// Returns the address of the word by which sequentially consistent operations are ordered, if the
    /// kernel needs one.
    pub fn order_word(&mut self) -> EmitResult<Option<u32>> {
        match self.inputs.offsets.get(&Field::OrderWord).copied() {
            Some(field) => self.argument_value(field, Type::ptr(AddressSpace::Global)).map(Some),
            None => Ok(None),
        }
    }

    fn builtin(&mut self, builtin: BuiltIn, dim: u8) -> u32 {
        let vector = self.builder.vector(self.builder.u32, 3);
        let all = self.load_builtin(builtin, vector);
        let word = self.builder.u32;
        self.extract(word, all, u32::from(dim))
    }

    fn load_builtin(&mut self, builtin: BuiltIn, ty: u32) -> u32 {
        let builder = &mut self.builder;
        let variable = *self.inputs.builtins.entry(builtin as u32).or_insert_with(|| {
            let variable = builder.variable(StorageClass::Input, ty);
            builder.decorate(variable, Decoration::BuiltIn, &[builtin as u32]);
            variable
        });
        self.op(Op::Load, ty, &[variable])
    }

    fn has_global_offset(&mut self) -> u32 {
        let builder = &mut self.builder;
        *self.inputs.has_global_offset.get_or_insert_with(|| {
            let id = builder.declare(Op::SpecConstantTrue, Some(builder.bool), &[]);
            builder.decorate(id, Decoration::SpecId, &[spec_id::HAS_GLOBAL_OFFSET]);
            id
        })
    }

    /// Returns a 64-bit launch value that is zero unless [`spec_id::HAS_GLOBAL_OFFSET`] is set.
    fn offset_field(&mut self, field: Field, dim: u8) -> EmitResult<u32> {
        let flag = self.has_global_offset();
        let offset = self.field(field)?;
        let value = self.argument_value(offset + u32::from(dim) * 8, Type::I64)?;
        let zero = self.constant(Scalar::I64, 0)?;
        let ty = self.ty(Type::I64)?;
        Ok(self.select(ty, flag, value, zero))
    }

    /// WorkItem.
    pub fn work_item(&mut self, query: WorkItemQuery, dim: u8) -> EmitResult<u32> {
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
            LocalSize => Ok(self.inputs.local_size[usize::from(dim)]),
            EnqueuedLocalSize => plain(self, Field::EnqueuedLocalSize, Type::I32),
            WorkDim => plain(self, Field::WorkDim, query.ty()),
            PrintfBuffer => plain(self, Field::PrintfBuffer, query.ty()),
            SubgroupInvocation => {
                self.builder.require_capability(Capability::GroupNonUniform);
                let word = self.builder.u32;
                Ok(self.load_builtin(BuiltIn::SubgroupLocalInvocationId, word))
            }
        }
    }
}
