//! Kernel inputs: the kernel-argument buffer with arguments and launch values, and work-item queries.

use super::argument_buffer::{field_of, Run};
use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use crate::ir::{AddressSpace, Global, Type, WorkItemQuery};
use crate::kernel::{spec_id, ArgKind, Field};
use rspirv::spirv::{BuiltIn, Capability, Decoration, MemoryAccess, Op, StorageClass};

impl Emitter<'_> {
    pub fn field(&self, field: Field) -> EmitResult<u32> {
        self.inputs.offsets.get(&field).copied().ok_or_else(|| EmitError::malformed("no field"))
    }

    /// Returns word number `index` of the kernel-argument buffer.
    pub fn argument_word(&mut self, index: u32) -> u32 {
        let (base, class) = match self.inputs.in_push_constants {
            true => (self.inputs.variable, StorageClass::PushConstant),
            false => (self.argument_buffer(), StorageClass::PhysicalStorageBuffer),
        };
        if let Some((member, run)) = self.run_of(index) {
            return self.word_of_run(member, run, index - run.first);
        }
        let word = self.builder.u32;
        let pointer = self.builder.pointer(class, word);
        let (zero, index) = (self.const_u32(0), self.const_u32(index));
        let pointer = self.op(Op::AccessChain, pointer, &[base, zero, index]);
        match self.inputs.in_push_constants {
            true => self.op(Op::Load, word, &[pointer]),
            false => self.op(Op::Load, word, &[pointer, MemoryAccess::ALIGNED.bits(), 4]),
        }
    }

    /// Returns the member of the push-constant block that has a word, with its number; `None` if the block is one array.
    fn run_of(&self, index: u32) -> Option<(u32, Run)> {
        let has = |run: &Run| (run.first..run.first + run.words).contains(&index);
        let runs = (0..).zip(&self.inputs.runs);
        runs.map(|(member, run)| (member, *run)).find(|(_, run)| has(run))
    }

    /// Returns a word of a member of the push-constant block.
    fn word_of_run(&mut self, member: u32, run: Run, index: u32) -> u32 {
        let word = self.builder.u32;
        let (element, of_element) = match run.is_long {
            true => (self.builder.int(64), 2),
            false => (word, 1),
        };
        let pointer = self.builder.pointer(StorageClass::PushConstant, element);
        let place =
            [self.inputs.variable, self.const_u32(member), self.const_u32(index / of_element)];
        let pointer = self.op(Op::AccessChain, pointer, &place);
        let loaded = self.op(Op::Load, element, &[pointer]);
        if !run.is_long {
            return loaded;
        }
        let pair = self.builder.vector(word, 2);
        let pair = self.op(Op::Bitcast, pair, &[loaded]);
        self.op(Op::CompositeExtract, word, &[pair, index % 2])
    }

    /// Returns the pointer to the kernel-argument buffer, which push constants hold. A function loads it before all else.
    fn argument_buffer(&mut self) -> u32 {
        if let Some(pointer) = self.inputs.pointer {
            return pointer;
        }
        let ty = self.builder.pointer(StorageClass::PushConstant, self.inputs.pointer_type);
        let (variable, zero) = (self.inputs.variable, self.const_u32(0));
        let pointer = self.at_entry(|emitter| {
            let pushed = emitter.op(Op::AccessChain, ty, &[variable, zero]);
            emitter.op(Op::Load, emitter.inputs.pointer_type, &[pushed])
        });
        *self.inputs.pointer.insert(pointer)
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
        let word = self.argument_word((field + offset) / 4);
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

    /// GlobalAddr of a variable in work-group memory.
    pub fn global_addr(&mut self, global: Global) -> EmitResult<u32> {
        match self.module.globals.get(global) {
            Some(data) if data.space == AddressSpace::Local => {
                Ok(self.const_u32(self.info.local_offsets[global] as u32))
            }
            _ => Err(EmitError::malformed(format!("{global} is not in work-group memory"))),
        }
    }

    fn builtin(&mut self, builtin: BuiltIn, dim: u8) -> u32 {
        let vector = self.builder.vector(self.builder.u32, 3);
        let all = self.load_builtin(builtin, vector);
        let word = self.builder.u32;
        self.extract(word, all, u32::from(dim))
    }

    pub fn load_builtin(&mut self, builtin: BuiltIn, ty: u32) -> u32 {
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
        *self
            .inputs
            .has_global_offset
            .get_or_insert_with(|| builder.spec_const_bool(spec_id::HAS_GLOBAL_OFFSET, true))
    }

    fn reorders_images(&mut self) -> u32 {
        let builder = &mut self.builder;
        *self
            .inputs
            .reorders_images
            .get_or_insert_with(|| builder.spec_const_bool(spec_id::REORDERS_IMAGES, true))
    }

    /// Returns true if packs may have several work-groups in this dimension.
    fn is_packed(&self, dim: u8) -> bool {
        dim == 0 && self.info.packs_groups
    }

    /// Returns two specialization constants: the number of work-groups in a pack, and true if it is greater than one.
    pub fn packed_groups(&mut self) -> [u32; 2] {
        if let Some(declared) = self.inputs.packed_groups {
            return declared;
        }
        let count = self.builder.spec_const_u32(spec_id::PACKED_GROUPS, 1);
        let (one, bool) = (self.const_u32(1), self.builder.bool);
        let operands = [Op::INotEqual as u32, count, one];
        let several = self.builder.declare(Op::SpecConstantOp, Some(bool), &operands);
        *self.inputs.packed_groups.insert([count, several])
    }

    /// Returns the size in x of one work-group of the pack.
    fn packed_local_size(&mut self) -> u32 {
        let ([count, _], word) = (self.packed_groups(), self.builder.u32);
        self.op(Op::UDiv, word, &[self.inputs.local_size[0], count])
    }

    /// Returns the local id in x within the work-item's own work-group of the pack.
    fn packed_local_id(&mut self) -> u32 {
        let ([_, several], word) = (self.packed_groups(), self.builder.u32);
        let (id, size) = (self.builtin(BuiltIn::LocalInvocationId, 0), self.packed_local_size());
        let own = self.op(Op::UMod, word, &[id, size]);
        self.op(Op::Select, word, &[several, own, id])
    }

    /// Returns the index of the work-item's own work-group in the pack.
    pub fn own_group(&mut self) -> u32 {
        let (id, size) = (self.builtin(BuiltIn::LocalInvocationId, 0), self.packed_local_size());
        self.u32_op(Op::UDiv, id, size)
    }

    /// Returns the work-group id in x of the work-item's own work-group of the pack.
    fn packed_group_id(&mut self) -> u32 {
        let ([count, several], word) = (self.packed_groups(), self.builder.u32);
        let own = self.own_group();
        let whole = self.builtin(BuiltIn::WorkgroupId, 0);
        let first = self.op(Op::IMul, word, &[whole, count]);
        let number = self.op(Op::IAdd, word, &[first, own]);
        self.op(Op::Select, word, &[several, number, whole])
    }

    /// WorkItem.
    pub fn work_item(&mut self, query: WorkItemQuery, dim: u8) -> EmitResult<u32> {
        use WorkItemQuery::*;
        if let Some(field) = field_of(query) {
            let first = self.field(field)? / 4;
            return Ok(self.argument_word(first + u32::from(dim)));
        }
        match query {
            InvocationId => Ok(self.builtin(BuiltIn::GlobalInvocationId, dim)),
            WorkGroupId if self.is_packed(dim) => Ok(self.packed_group_id()),
            WorkGroupId => Ok(self.builtin(BuiltIn::WorkgroupId, dim)),
            LocalId if self.is_packed(dim) => Ok(self.packed_local_id()),
            LocalId => Ok(self.builtin(BuiltIn::LocalInvocationId, dim)),
            LocalSize if self.is_packed(dim) => Ok(self.packed_local_size()),
            LocalSize => Ok(self.inputs.local_size[usize::from(dim.min(2))]),
            HasOffset => Ok(self.has_global_offset()),
            ReordersImages => Ok(self.reorders_images()),
            SubgroupInvocation | SubgroupId => {
                self.builder.require_capability(Capability::GroupNonUniform);
                let word = self.builder.u32;
                let builtin = match query {
                    SubgroupId => BuiltIn::SubgroupId,
                    _ => BuiltIn::SubgroupLocalInvocationId,
                };
                Ok(self.load_builtin(builtin, word))
            }
            _ => Err(EmitError::malformed(format!("{query:?} in one piece"))),
        }
    }
}
