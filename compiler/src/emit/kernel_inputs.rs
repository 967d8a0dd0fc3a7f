//! Kernel inputs: the kernel-argument buffer with arguments and launch values, and work-item queries.

use super::argument_buffer::field_of;
use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use crate::ir::{AddressSpace, Global, Type, WorkItemQuery};
use crate::kernel::{spec_id, ArgKind, Field};
use rspirv::spirv::{BuiltIn, Capability, Decoration, MemoryAccess, Op, StorageClass};

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
    fn argument_buffer_address(&mut self) -> u32 {
        let words = [self.push_constant_word(0), self.push_constant_word(1)];
        self.address_of_words(words)
    }

    /// Returns word number `index` of the kernel-argument buffer.
    fn argument_word(&mut self, index: u32) -> EmitResult<u32> {
        if let Some(&id) = self.inputs.loaded_words.get(&index) {
            return Ok(id);
        }
        let id = if self.inputs.in_push_constants {
            self.push_constant_word(index)
        } else {
            let address = self.argument_buffer_address();
            let word = self.builder.u32;
            let pointer = self.physical_pointer(address, index * 4, word);
            self.op(Op::Load, word, &[pointer, MemoryAccess::ALIGNED.bits(), 4])
        };
        if self.control.is_entry {
            self.inputs.loaded_words.insert(index, id);
        }
        Ok(id)
    }

    /// Returns an address in the kernel-argument buffer.
    fn address_field(&mut self, field: Field) -> EmitResult<u32> {
        let word = self.field(field)? / 4;
        let words = [self.argument_word(word)?, self.argument_word(word + 1)?];
        Ok(self.address_of_words(words))
    }

    /// LoadArg.
    pub fn load_arg(&mut self, arg: u32, offset: u32, ty: Type) -> EmitResult<u32> {
        if ty.space() == Some(AddressSpace::Local) {
            return self.local_arg(arg);
        }
        let field = self.field(Field::Arg(arg))?;
        let (size, _) = self.inputs.field_layout(Field::Arg(arg))?;
        if ty.bytes() != 4
            || !offset.is_multiple_of(4)
            || offset.saturating_add(4) > size.next_multiple_of(4)
        {
            return Err(EmitError::malformed(
                "an argument is read beyond its end, or not by words",
            ));
        }
        let word = self.argument_word((field + offset) / 4)?;
        self.bitcast(word, Type::I32, ty)
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
        let base = self.address_field(Field::DataAddress)?;
        Ok(self.address_add_const(base, offset as u32))
    }

    /// Returns the address of the word by which sequentially consistent operations are ordered, if the
    /// kernel needs one.
    pub fn order_word(&mut self) -> EmitResult<Option<u32>> {
        match self.inputs.offsets.contains_key(&Field::OrderWord) {
            true => self.address_field(Field::OrderWord).map(Some),
            false => Ok(None),
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

    /// WorkItem.
    pub fn work_item(&mut self, query: WorkItemQuery, dim: u8) -> EmitResult<u32> {
        use WorkItemQuery::*;
        if let Some(field) = field_of(query) {
            let first = self.field(field)? / 4;
            return self.argument_word(first + u32::from(dim));
        }
        match query {
            InvocationId => Ok(self.builtin(BuiltIn::GlobalInvocationId, dim)),
            WorkGroupId => Ok(self.builtin(BuiltIn::WorkgroupId, dim)),
            LocalId => Ok(self.builtin(BuiltIn::LocalInvocationId, dim)),
            LocalSize => Ok(self.inputs.local_size[usize::from(dim.min(2))]),
            HasOffset => Ok(self.has_global_offset()),
            SubgroupInvocation => {
                self.builder.require_capability(Capability::GroupNonUniform);
                let word = self.builder.u32;
                Ok(self.load_builtin(BuiltIn::SubgroupLocalInvocationId, word))
            }
            _ => Err(EmitError::malformed(format!("{query:?} in one piece"))),
        }
    }
}
