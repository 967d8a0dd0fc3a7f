//! Programs and objects as bytes.

use super::bytes::{Read, Reader, Writer};
use hekla_compiler::ir::{Func, Gathering, KernelEntry};
use hekla_compiler::kernel::{
    Arg, ArgAccess, ArgAddress, ArgKind, ArgumentField, DataImage, Field, ImageAccess, ImageDim,
    Kernel, LocalBlock,
};
use hekla_compiler::{ModuleFlags, Object, Program};

impl Writer {
    /// Writes a program: its kernels with their SPIR-V, and its data.
    pub fn program(&mut self, program: &Program) {
        self.u64(program.data.size);
        self.u32(program.data.align);
        self.u64(program.data.global_size);
        self.bytes(&program.data.bytes);
        self.u32(program.data.relocations.len() as u32);
        program.data.relocations.iter().for_each(|r| self.u32(*r));
        self.u32(u32::from(program.uniform_groups));
        self.u32(program.kernels.len() as u32);
        program.kernels.iter().for_each(|kernel| self.kernel(kernel));
    }

    /// Writes an object: its kernels' entries, and the text of its IR.
    pub fn object(&mut self, object: &Object) {
        self.u32(object.flags.bits());
        self.u32(object.module.kernels.len() as u32);
        for kernel in object.module.kernels.iter() {
            self.u32(kernel.func.as_u32());
            self.string(&kernel.name);
            self.u32(kernel.args.len() as u32);
            kernel.args.iter().for_each(|arg| self.arg(arg));
            self.size(kernel.required_local_size);
            self.size(kernel.local_size_hint);
            self.u32(kernel.required_subgroup_size.unwrap_or(0));
            self.u32(kernel.required_subgroups.unwrap_or(0));
            self.u32(kernel.gathering as u32);
            self.string(&kernel.attributes);
            self.u32(u32::from(kernel.arg_info));
            self.u32(u32::from(kernel.is_block));
            self.u32(kernel.pointee_alignments.len() as u32);
            for &align in &kernel.pointee_alignments {
                self.u32(align);
            }
        }
        self.string(&object.text());
    }

    fn kernel(&mut self, kernel: &Kernel) {
        self.string(&kernel.name);
        self.u32(kernel.spirv.len() as u32);
        kernel.spirv.iter().for_each(|word| self.u32(*word));
        self.u32(kernel.args.len() as u32);
        kernel.args.iter().for_each(|arg| self.arg(arg));
        self.u32(kernel.access.len() as u32);
        for ArgAccess { reads, writes, covers } in kernel.access.iter().copied() {
            self.u32(u32::from(reads));
            self.u32(u32::from(writes));
            self.u32(covers);
        }
        self.u32(kernel.argument_fields.len() as u32);
        for entry in &kernel.argument_fields {
            let (code, arg) = field_code(entry.field);
            self.u32(code);
            self.u32(arg);
            self.u32(entry.offset);
        }
        self.u32(kernel.argument_buffer_size);
        self.u32(u32::from(kernel.arguments_in_push_constants));
        self.u64(kernel.local.static_size);
        self.u32(kernel.local.element_size);
        self.u64(kernel.private_size);
        self.u32(kernel.registers);
        self.size(kernel.required_local_size);
        self.size(kernel.local_size_hint);
        self.string(&kernel.attributes);
        self.u32(u32::from(kernel.arg_info));
        self.u32(u32::from(kernel.uses_barrier));
        self.u32(u32::from(kernel.local_size_visible));
        self.u32(kernel.dimensions);
        self.u32(u32::from(kernel.packs_groups));
        self.u32(u32::from(kernel.bounded));
        self.u32(u32::from(kernel.uses_images));
        self.u32(u32::from(kernel.uses_subgroups));
        self.u32(u32::from(kernel.uses_matrices));
        self.u32(kernel.required_subgroup_size.unwrap_or(0));
        self.u32(kernel.required_subgroups.unwrap_or(0));
        self.u32(u32::from(kernel.one_subgroup));
        self.u32(u32::from(kernel.is_block));
    }

    fn arg(&mut self, arg: &Arg) {
        self.string(&arg.name);
        self.string(&arg.type_name);
        let (code, a, b) = match arg.kind {
            ArgKind::Value { size } => (0, size, 0),
            ArgKind::Buffer => (1, 0, 0),
            ArgKind::Local { ordinal, align } => (2, ordinal, align),
            ArgKind::Image { dim, depth, access } => {
                (3, dim as u32, (access as u32) << 1 | u32::from(depth))
            }
            ArgKind::Sampler => (4, 0, 0),
            ArgKind::Pipe { access, packet } => (5, access as u32, packet),
            ArgKind::Queue => (6, 0, 0),
        };
        [code, a, b].iter().for_each(|v| self.u32(*v));
        self.u32(match arg.address {
            ArgAddress::Global => 0,
            ArgAddress::Local => 1,
            ArgAddress::Constant => 2,
            ArgAddress::Private => 3,
        });
        self.u32(
            u32::from(arg.is_const)
                | u32::from(arg.is_restrict) << 1
                | u32::from(arg.is_volatile) << 2,
        );
    }
}

fn field_code(field: Field) -> (u32, u32) {
    match field {
        Field::Arg(index) => (0, index),
        Field::GlobalBase => (1, 0),
        Field::GroupBase => (2, 0),
        Field::GlobalOffset => (3, 0),
        Field::GlobalSize => (4, 0),
        Field::NumGroups => (5, 0),
        Field::EnqueuedLocalSize => (6, 0),
        Field::WorkDim => (7, 0),
        Field::DataAddress => (8, 0),
        Field::PrintfBuffer => (9, 0),
        Field::OrderWord => (10, 0),
        Field::Bounds => (11, 0),
        Field::QueueContext => (12, 0),
    }
}

impl Reader<'_> {
    /// Reads what [`Writer::program`] wrote.
    pub fn program(&mut self) -> Read<Program> {
        let data = DataImage {
            size: self.u64()?,
            align: self.u32()?,
            global_size: self.u64()?,
            bytes: self.bytes()?.to_vec(),
            relocations: self.list(Reader::u32)?,
        };
        if !data.is_sound() {
            return Err("its data is not laid out soundly".into());
        }
        let uniform_groups = self.flag()?;
        let kernels = self.list(Reader::kernel)?;
        match kernels.iter().find_map(|kernel| kernel.check().err()) {
            Some(reason) => Err(reason.into()),
            None => Ok(Program { kernels, data, uniform_groups }),
        }
    }

    /// Reads what [`Writer::object`] wrote.
    pub fn object(&mut self) -> Read<Object> {
        let flags = ModuleFlags::from_bits(self.u32()?).ok_or("an unknown mode")?;
        let kernels = self.list(Reader::entry)?;
        Object::read(&self.string()?, kernels, flags)
    }

    fn entry(&mut self) -> Read<KernelEntry> {
        Ok(KernelEntry {
            func: Func::from_u32(self.u32()?.min(u32::MAX - 1)),
            name: self.string()?,
            args: self.list(Reader::arg)?,
            required_local_size: self.size()?,
            local_size_hint: self.size()?,
            required_subgroup_size: self.subgroup_size()?,
            required_subgroups: Some(self.u32()?).filter(|count| *count != 0),
            gathering: self.gathering()?,
            attributes: self.string()?,
            arg_info: self.flag()?,
            is_block: self.flag()?,
            pointee_alignments: self.list(Reader::u32)?,
            access: Vec::new(),
        })
    }

    fn kernel(&mut self) -> Read<Kernel> {
        Ok(Kernel {
            name: self.string()?,
            spirv: self.list(Reader::u32)?,
            args: self.list(Reader::arg)?,
            access: self.list(Reader::access)?,
            argument_fields: self.list(Reader::argument_field)?,
            argument_buffer_size: self.u32()?,
            arguments_in_push_constants: self.flag()?,
            local: LocalBlock { static_size: self.u64()?, element_size: self.u32()? },
            private_size: self.u64()?,
            registers: self.u32()?,
            required_local_size: self.size()?,
            local_size_hint: self.size()?,
            attributes: self.string()?,
            arg_info: self.flag()?,
            uses_barrier: self.flag()?,
            local_size_visible: self.flag()?,
            dimensions: self.u32()?,
            packs_groups: self.flag()?,
            bounded: self.flag()?,
            uses_images: self.flag()?,
            uses_subgroups: self.flag()?,
            uses_matrices: self.flag()?,
            required_subgroup_size: self.subgroup_size()?,
            required_subgroups: Some(self.u32()?).filter(|count| *count != 0),
            one_subgroup: self.flag()?,
            is_block: self.flag()?,
        })
    }

    fn gathering(&mut self) -> Read<Gathering> {
        match self.u32()? {
            0 => Ok(Gathering::Some),
            1 => Ok(Gathering::Whole),
            2 => Ok(Gathering::Alone),
            _ => Err("an unknown gathering".into()),
        }
    }

    fn subgroup_size(&mut self) -> Read<Option<u32>> {
        let size = self.u32()?;
        match size == 0 || size.is_power_of_two() {
            true => Ok(Some(size).filter(|&size| size != 0)),
            false => Err("a size of sub-groups that is no power of two".into()),
        }
    }

    fn access(&mut self) -> Read<ArgAccess> {
        Ok(ArgAccess { reads: self.flag()?, writes: self.flag()?, covers: self.u32()? })
    }

    fn argument_field(&mut self) -> Read<ArgumentField> {
        let (code, index, offset) = (self.u32()?, self.u32()?, self.u32()?);
        let field = match code {
            0 => Field::Arg(index),
            1 => Field::GlobalBase,
            2 => Field::GroupBase,
            3 => Field::GlobalOffset,
            4 => Field::GlobalSize,
            5 => Field::NumGroups,
            6 => Field::EnqueuedLocalSize,
            7 => Field::WorkDim,
            8 => Field::DataAddress,
            9 => Field::PrintfBuffer,
            10 => Field::OrderWord,
            11 => Field::Bounds,
            12 => Field::QueueContext,
            _ => return Err("an unknown field".into()),
        };
        Ok(ArgumentField { field, offset })
    }

    fn arg(&mut self) -> Read<Arg> {
        let (name, type_name) = (self.string()?, self.string()?);
        let kind = match (self.u32()?, self.u32()?, self.u32()?) {
            (0, size, _) => ArgKind::Value { size },
            (1, ..) => ArgKind::Buffer,
            (2, ordinal, align) => ArgKind::Local { ordinal, align },
            (3, dim, bits) => ArgKind::Image {
                dim: *ImageDim::ALL.get(dim as usize).ok_or("an unknown kind of image")?,
                depth: bits & 1 != 0,
                access: *ImageAccess::ALL.get((bits >> 1) as usize).ok_or("an unknown access")?,
            },
            (4, ..) => ArgKind::Sampler,
            (5, access, packet) => ArgKind::Pipe {
                access: *ImageAccess::ALL.get(access as usize).ok_or("an unknown access")?,
                packet,
            },
            (6, ..) => ArgKind::Queue,
            _ => return Err("an unknown kind of argument".into()),
        };
        let address = match self.u32()? {
            0 => ArgAddress::Global,
            1 => ArgAddress::Local,
            2 => ArgAddress::Constant,
            3 => ArgAddress::Private,
            _ => return Err("an unknown address space".into()),
        };
        let bits = self.u32()?;
        Ok(Arg {
            name,
            type_name,
            kind,
            address,
            is_const: bits & 1 != 0,
            is_restrict: bits & 2 != 0,
            is_volatile: bits & 4 != 0,
        })
    }
}
