//! A compiled program's metadata as structures of C, which point into the program.

use super::c_string;
use crate::cl::{arg_info, *};
use hekla_compiler::kernel::{binding, spec_id};
use hekla_compiler::kernel::{Arg, ArgKind, Field, Kernel};
use hekla_compiler::Program;
use std::ffi::{c_char, CString};

/// A program with the structures that describe it.
pub(super) struct View {
    reflection: hekla_reflection,
    /// The data that the structures point to, which never changes.
    _owned: Owned,
}

#[derive(Default)]
struct Owned {
    program: Program,
    kernels: Vec<hekla_kernel>,
    arguments: Vec<Vec<hekla_argument>>,
    fields: Vec<Vec<hekla_field>>,
    strings: Vec<CString>,
}

// SAFETY: the pointers are to memory that the same value owns and that nobody writes to.
unsafe impl Send for View {}
// SAFETY: the pointers are to memory that the same value owns and that nobody writes to.
unsafe impl Sync for View {}

impl View {
    pub(super) fn new(mut program: Program) -> View {
        let mut owned = Owned::default();
        for kernel in &mut program.kernels {
            let kernel = owned.kernel(kernel);
            owned.kernels.push(kernel);
        }
        let data = &program.data;
        let reflection = hekla_reflection {
            num_kernels: owned.kernels.len(),
            kernels: owned.kernels.as_ptr(),
            data_size: data.size,
            data_align: data.align,
            num_data_bytes: data.bytes.len(),
            data_bytes: data.bytes.as_ptr(),
            num_relocations: data.relocations.len(),
            relocations: data.relocations.as_ptr(),
            uniform_groups: program.uniform_groups.into(),
            local_size_ids: spec_id::LOCAL_SIZE,
            has_global_offset_id: spec_id::HAS_GLOBAL_OFFSET,
            local_block_length_id: spec_id::LOCAL_BLOCK_LEN,
            sampled_images_binding: binding::SAMPLED_IMAGE,
            storage_images_binding: binding::STORAGE_IMAGE,
            uniform_texel_buffers_binding: binding::UNIFORM_TEXEL_BUFFER,
            storage_texel_buffers_binding: binding::STORAGE_TEXEL_BUFFER,
            samplers_binding: binding::SAMPLER,
        };
        owned.program = program;
        View { reflection, _owned: owned }
    }

    pub(super) fn reflection(&self) -> &hekla_reflection {
        &self.reflection
    }
}

impl Owned {
    fn string(&mut self, text: &str) -> *const c_char {
        let text = c_string(text.to_string());
        let place = text.as_ptr();
        self.strings.push(text);
        place
    }

    fn kernel(&mut self, kernel: &Kernel) -> hekla_kernel {
        let (name, attributes) = (self.string(&kernel.name), self.string(&kernel.attributes));
        let arguments = (0..).zip(&kernel.args).map(|(i, arg)| self.argument(kernel, i, arg));
        let arguments: Vec<_> = arguments.collect();
        let fields = kernel.argument_fields.iter().filter_map(|entry| {
            let (size, _) = entry.field.layout()?;
            Some(hekla_field { kind: field_kind(entry.field)?, offset: entry.offset, size })
        });
        let fields: Vec<_> = fields.collect();
        let described = hekla_kernel {
            name,
            attributes,
            num_words: kernel.spirv.len(),
            words: kernel.spirv.as_ptr(),
            num_arguments: arguments.len(),
            arguments: arguments.as_ptr(),
            num_fields: fields.len(),
            fields: fields.as_ptr(),
            argument_buffer_size: kernel.argument_buffer_size,
            arguments_in_push_constants: kernel.arguments_in_push_constants.into(),
            required_local_size: kernel.required_local_size.unwrap_or_default(),
            local_size_hint: kernel.local_size_hint.unwrap_or_default(),
            local_static_size: kernel.local.static_size,
            local_element_size: kernel.local.element_size,
            private_size: kernel.private_size,
            registers: kernel.registers,
            uses_barrier: kernel.uses_barrier.into(),
            local_size_visible: kernel.local_size_visible.into(),
            uses_images: kernel.uses_images.into(),
            required_subgroup_size: kernel.required_subgroup_size.unwrap_or(0),
        };
        self.arguments.push(arguments);
        self.fields.push(fields);
        described
    }

    fn argument(&mut self, kernel: &Kernel, index: u32, arg: &Arg) -> hekla_argument {
        let place = kernel.argument_fields.iter().find(|entry| entry.field == Field::Arg(index));
        let mut described = hekla_argument {
            name: self.string(&arg.name),
            type_name: self.string(&arg.type_name),
            kind: HEKLA_ARGUMENT_VALUE,
            address: arg_info::address_qualifier(arg.address),
            access: arg_info::access_qualifier(arg.kind),
            offset: place.map_or(HEKLA_NO_OFFSET, |entry| entry.offset),
            size: 0,
            align: 0,
            specialization: 0,
            image_type: 0,
            depth: CL_FALSE,
            packet_size: 0,
        };
        match arg.kind {
            ArgKind::Value { size } => described.size = size,
            ArgKind::Buffer => (described.kind, described.size) = (HEKLA_ARGUMENT_BUFFER, 8),
            ArgKind::Local { ordinal, align } => {
                described.kind = HEKLA_ARGUMENT_LOCAL;
                described.align = align;
                described.specialization = spec_id::LOCAL_ARG_BASE + ordinal;
            }
            ArgKind::Image { dim, depth, .. } => {
                (described.kind, described.size) = (HEKLA_ARGUMENT_IMAGE, 4);
                described.image_type = arg_info::image_type(dim);
                described.depth = depth.into();
            }
            ArgKind::Sampler => (described.kind, described.size) = (HEKLA_ARGUMENT_SAMPLER, 4),
            ArgKind::Pipe { packet, .. } => {
                (described.kind, described.size) = (HEKLA_ARGUMENT_PIPE, 8);
                described.packet_size = packet;
            }
            ArgKind::Queue => (described.kind, described.size) = (HEKLA_ARGUMENT_QUEUE, 8),
        }
        described
    }
}

fn field_kind(field: Field) -> Option<cl_uint> {
    Some(match field {
        Field::Arg(_) => return None,
        Field::GlobalBase => HEKLA_FIELD_GLOBAL_BASE,
        Field::GroupBase => HEKLA_FIELD_GROUP_BASE,
        Field::GlobalOffset => HEKLA_FIELD_GLOBAL_OFFSET,
        Field::GlobalSize => HEKLA_FIELD_GLOBAL_SIZE,
        Field::NumGroups => HEKLA_FIELD_NUM_GROUPS,
        Field::EnqueuedLocalSize => HEKLA_FIELD_ENQUEUED_LOCAL_SIZE,
        Field::WorkDim => HEKLA_FIELD_WORK_DIM,
        Field::DataAddress => HEKLA_FIELD_DATA_ADDRESS,
        Field::PrintfBuffer => HEKLA_FIELD_PRINTF_BUFFER,
        Field::OrderWord => HEKLA_FIELD_ORDER_WORD,
        Field::Bounds => HEKLA_FIELD_BOUNDS,
        Field::QueueContext => HEKLA_FIELD_QUEUE_CONTEXT,
    })
}
