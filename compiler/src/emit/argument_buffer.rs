//! The layout of the kernel-argument buffer.

use super::error::{EmitError, EmitResult};
use super::spirv_builder::SpirvBuilder;
use crate::ir::{KernelEntry, WorkItemQuery};
use crate::kernel::{spec_id, ArgKind, ArgumentField, Field};
use crate::target::Target;
use hekla_device::Quirks;
use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The layout of the kernel-argument buffer, and the module-scope objects of work-item queries.
#[derive(Default)]
pub(super) struct KernelInputs {
    pub fields: Vec<ArgumentField>,
    pub size: u32,
    pub in_push_constants: bool,
    pub offsets: BTreeMap<Field, u32>,
    pub args: Vec<ArgKind>,
    /// The push-constant variable.
    pub variable: u32,
    /// The members of the push-constant block, if it is not one array of words.
    pub runs: Vec<Run>,
    /// The type of a pointer to the buffer, if the buffer is not in push constants, and the pointer in the current function.
    pub pointer_type: u32,
    pub pointer: Option<u32>,
    pub builtins: FxHashMap<u32, u32>,
    pub local_size: [u32; 3],
    pub has_global_offset: Option<u32>,
    pub reorders_images: Option<u32>,
    /// Specialization constants: the number of work-groups that run as one, and true if it is greater than one.
    pub packed_groups: Option<[u32; 2]>,
    /// True if the kernel can check that a work-item is within [`Field::Bounds`].
    pub bounded: bool,
    pub local_args: FxHashMap<u32, u32>,
}

/// Words of the buffer that are one member of its block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    /// The number of the first word.
    pub first: u32,
    pub words: u32,
    /// True if pairs of words are numbers of 64 bits.
    pub is_long: bool,
}

impl KernelInputs {
    /// Lays out the buffer and declares the work-group size. The buffer has [`Field::Bounds`] if the kernel cannot observe its
    /// local size (`sizes_visible` is false) and the field does not push the arguments out of push constants.
    pub fn new(
        builder: &mut SpirvBuilder,
        kernel: &KernelEntry,
        fields: &BTreeSet<Field>,
        sizes_visible: bool,
        target: &Target,
    ) -> EmitResult<KernelInputs> {
        let mut inputs = KernelInputs {
            args: kernel.args.iter().map(|arg| arg.kind).collect(),
            ..KernelInputs::default()
        };
        let mut end = 0u32;
        for &field in fields {
            end = inputs.place(field, end)?;
        }
        // With software masks, loads in a branch are executed lane by lane, so the check would be slow.
        let checks = !sizes_visible && !target.has(Quirks::SLOW_BOUND_TESTS);
        if checks && kernel.required_local_size.is_none() {
            let (size, align) = inputs.field_layout(Field::Bounds)?;
            let fits = |end: u32| end.next_multiple_of(4) <= target.push_constant_size;
            if !fits(end) || fits(end.next_multiple_of(align) + size) {
                end = inputs.place(Field::Bounds, end)?;
                inputs.bounded = true;
            }
        }
        inputs.size = end.next_multiple_of(4);
        inputs.in_push_constants = inputs.size <= target.push_constant_size;
        if inputs.size > 0 {
            if inputs.in_push_constants && target.int64 && target.has(Quirks::SPLIT_ADDRESSES) {
                inputs.runs = inputs.runs();
            }
            let mut block = inputs.block(builder);
            if !inputs.in_push_constants {
                if target.has(Quirks::READ_ONLY_LOADS) {
                    builder.decorate_member(block, Decoration::NonWritable);
                }
                inputs.pointer_type = builder.pointer(StorageClass::PhysicalStorageBuffer, block);
                block = builder.block(inputs.pointer_type);
            }
            inputs.variable = builder.variable(StorageClass::PushConstant, block);
        }
        inputs.declare_local_size(builder, kernel);
        Ok(inputs)
    }

    /// Declares the block of the buffer.
    fn block(&self, builder: &mut SpirvBuilder) -> u32 {
        if self.runs.is_empty() {
            let length = builder.const_u32(self.size / 4);
            return builder.block_of_array(builder.u32, length, 4);
        }
        builder.require_capability(Capability::Int64);
        let (word, long) = (builder.u32, builder.int(64));
        let array = |run: &Run| match run.is_long {
            true => (long, run.words / 2, 8),
            false => (word, run.words, 4),
        };
        let arrays: Vec<_> = self.runs.iter().map(array).collect();
        builder.block_of_arrays(&arrays)
    }

    /// Returns the runs of addresses, and those of other words.
    fn runs(&self) -> Vec<Run> {
        let is_address = |field: &ArgumentField| match field.field {
            Field::Arg(arg) => matches!(
                self.args.get(arg as usize),
                Some(ArgKind::Buffer | ArgKind::Pipe { .. } | ArgKind::Queue)
            ),
            field => field.layout() == Some((8, 8)),
        };
        let addresses: BTreeSet<u32> =
            self.fields.iter().filter(|field| is_address(field)).map(|f| f.offset / 4).collect();
        let mut runs: Vec<Run> = Vec::new();
        let mut first = 0;
        while first < self.size / 4 {
            let is_long = addresses.contains(&first);
            let words = if is_long { 2 } else { 1 };
            match runs.last_mut().filter(|run| run.is_long == is_long) {
                Some(run) => run.words += words,
                None => runs.push(Run { first, words, is_long }),
            }
            first += words;
        }
        runs
    }

    /// Places a field after the fields that end at `end`. Returns its end.
    fn place(&mut self, field: Field, end: u32) -> EmitResult<u32> {
        let (size, align) = self.field_layout(field)?;
        let offset = end.next_multiple_of(align);
        self.fields.push(ArgumentField { field, offset });
        self.offsets.insert(field, offset);
        let end = offset.checked_add(size).filter(|&end| end < 1 << 20);
        end.ok_or_else(|| EmitError::Unsupported("the arguments are too large".into()))
    }

    /// Begins a function: forgets the values that were read in the previous one.
    pub fn begin_function(&mut self) {
        self.pointer = None;
    }

    pub fn field_layout(&self, field: Field) -> EmitResult<(u32, u32)> {
        if let Some(layout) = field.layout() {
            return Ok(layout);
        }
        let Field::Arg(arg) = field else { return Err(EmitError::malformed("a inputs field")) };
        match self.args.get(arg as usize) {
            Some(ArgKind::Value { size }) => Ok((*size, if *size >= 8 { 8 } else { 4 })),
            Some(ArgKind::Buffer | ArgKind::Pipe { .. } | ArgKind::Queue) => Ok((8, 8)),
            Some(ArgKind::Image { .. } | ArgKind::Sampler) => Ok((4, 4)),
            _ => Err(EmitError::malformed(format!("argument {arg} has no value"))),
        }
    }

    fn declare_local_size(&mut self, builder: &mut SpirvBuilder, kernel: &KernelEntry) {
        let default = kernel.required_local_size.unwrap_or([1, 1, 1]);
        for (i, size) in default.into_iter().enumerate() {
            self.local_size[i] = builder.spec_const_u32(spec_id::LOCAL_SIZE[i], size);
        }
        let vector = builder.vector(builder.u32, 3);
        let size = builder.declare(Op::SpecConstantComposite, Some(vector), &self.local_size);
        builder.decorate(size, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
    }
}

/// Returns the field of the kernel-argument buffer that a query is a word of.
pub(super) fn field_of(query: WorkItemQuery) -> Option<Field> {
    use WorkItemQuery::*;
    Some(match query {
        GlobalBaseWord => Field::GlobalBase,
        GroupBaseWord => Field::GroupBase,
        GlobalOffsetWord => Field::GlobalOffset,
        GlobalSizeWord => Field::GlobalSize,
        NumGroupsWord => Field::NumGroups,
        EnqueuedLocalSize => Field::EnqueuedLocalSize,
        WorkDim => Field::WorkDim,
        PrintfBufferWord => Field::PrintfBuffer,
        QueueContextWord => Field::QueueContext,
        DataAddressWord => Field::DataAddress,
        OrderAddressWord => Field::OrderWord,
        _ => return None,
    })
}
