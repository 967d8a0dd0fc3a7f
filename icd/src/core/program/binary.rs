//! Program binaries: compiled or linked code as bytes, with a version, the device and the compiler that it is for,
//! and a checksum. All integers are little-endian.
//!
//! ```text
//! "HEKLABIN" | u32 version | u64 target hash | u64 payload hash | payload
//! ```
//!
//! The payload begins with its kind. An executable's goes on with kernels and data; an object's or
//! library's with kernel entries and the text of its IR.

use crate::core::cache::digest::hash;
use hekla_compiler::ir::{Func, Gathering, KernelEntry};
use hekla_compiler::kernel::{
    Arg, ArgAddress, ArgKind, ArgumentField, DataImage, Field, ImageAccess, ImageDim, Kernel,
    LocalBlock,
};
use hekla_compiler::{ModuleFlags, Object, Program, Target};

const MAGIC: &[u8; 8] = b"HEKLABIN";
/// The version of the format. It changes with the format and with the meaning of the metadata.
const VERSION: u32 = 7;

/// The result of reading: a value, or the reason why there is none.
pub type Read<T> = Result<T, String>;

/// The content of a binary to write.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    Executable(&'a Program),
    Object(&'a Object),
    Library(&'a Object),
}

/// The content of a binary that was read.
#[derive(Debug)]
pub enum Loaded {
    Executable(Program),
    Object(Object),
    Library(Object),
}

/// Returns the hash of a target and of this build of the library: binaries are valid only where it is the same.
pub fn target_hash(target: &Target) -> u64 {
    let build = (env!("CARGO_PKG_VERSION"), hekla_compiler::BUILD_ID);
    hash(format!("{build:?} {target:?}").as_bytes())
}

/// Returns the binary of code compiled for a target.
pub fn write(content: Content<'_>, target: &Target) -> Vec<u8> {
    let mut payload = Writer(Vec::new());
    match content {
        Content::Executable(program) => payload.executable(program),
        Content::Object(object) => payload.object(1, object),
        Content::Library(object) => payload.object(2, object),
    }
    let mut file = Writer(MAGIC.to_vec());
    file.u32(VERSION);
    file.u64(target_hash(target));
    file.u64(hash(&payload.0));
    file.0.extend_from_slice(&payload.0);
    file.0
}

/// Reads a binary; the error is the reason why it is not usable.
pub fn read(bytes: &[u8], target: &Target) -> Read<Loaded> {
    let mut file = Reader(bytes);
    if file.take(MAGIC.len())? != MAGIC {
        return Err("not a binary of Hekla".into());
    }
    if file.u32()? != VERSION {
        return Err("a binary of another version".into());
    }
    if file.u64()? != target_hash(target) {
        return Err("a binary for another device or version".into());
    }
    if file.u64()? != hash(file.0) {
        return Err("the checksum does not match".into());
    }
    match file.u32()? {
        0 => Ok(Loaded::Executable(file.executable()?)),
        1 => Ok(Loaded::Object(file.object()?)),
        2 => Ok(Loaded::Library(file.object()?)),
        _ => Err("a binary of an unknown kind".into()),
    }
}

/// Appends values to bytes.
#[derive(Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
    }

    pub fn string(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Returns the bytes written.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    fn size(&mut self, size: Option<[u32; 3]>) {
        self.u32(u32::from(size.is_some()));
        size.unwrap_or_default().iter().for_each(|v| self.u32(*v));
    }

    fn executable(&mut self, program: &Program) {
        self.u32(0);
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

    fn object(&mut self, kind: u32, object: &Object) {
        self.u32(kind);
        self.u32(object.flags.bits());
        self.u32(object.module.kernels.len() as u32);
        for kernel in &object.module.kernels {
            self.u32(kernel.func.as_u32());
            self.string(&kernel.name);
            self.u32(kernel.args.len() as u32);
            kernel.args.iter().for_each(|arg| self.arg(arg));
            self.size(kernel.required_local_size);
            self.size(kernel.local_size_hint);
            self.u32(kernel.required_subgroup_size.unwrap_or(0));
            self.u32(kernel.required_subgroups.unwrap_or(0));
            self.string(&kernel.attributes);
            self.u32(u32::from(kernel.arg_info));
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
        self.u32(kernel.required_subgroup_size.unwrap_or(0));
        self.u32(kernel.required_subgroups.unwrap_or(0));
        self.u32(u32::from(kernel.one_subgroup));
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
    }
}

/// Takes values from bytes; fails at their end.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    fn take(&mut self, size: usize) -> Read<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(size).ok_or("it is cut short")?;
        self.0 = rest;
        Ok(head)
    }

    pub fn u32(&mut self) -> Read<u32> {
        let bytes = self.take(4)?.try_into().map_err(|_| "it is cut short")?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn u64(&mut self) -> Read<u64> {
        let bytes = self.take(8)?.try_into().map_err(|_| "it is cut short")?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn flag(&mut self) -> Read<bool> {
        Ok(self.u32()? != 0)
    }

    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let size = self.u32()? as usize;
        self.take(size)
    }

    pub fn string(&mut self) -> Read<String> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| "a name is not text".into())
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = self.u32()?;
        // Every item takes at least 4 bytes: a false count ends at the end of the bytes.
        (0..count).map(|_| item(self)).collect()
    }

    fn size(&mut self) -> Read<Option<[u32; 3]>> {
        let present = self.flag()?;
        let size = [self.u32()?, self.u32()?, self.u32()?];
        Ok(present.then_some(size))
    }

    fn executable(&mut self) -> Read<Program> {
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
        Ok(Program { kernels: self.list(Reader::kernel)?, data, uniform_groups })
    }

    fn object(&mut self) -> Read<Object> {
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
            gathering: Gathering::Some,
            attributes: self.string()?,
            arg_info: self.flag()?,
            pointee_alignments: self.list(Reader::u32)?,
        })
    }

    fn kernel(&mut self) -> Read<Kernel> {
        Ok(Kernel {
            name: self.string()?,
            spirv: self.list(Reader::u32)?,
            args: self.list(Reader::arg)?,
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
            required_subgroup_size: self.subgroup_size()?,
            required_subgroups: Some(self.u32()?).filter(|count| *count != 0),
            one_subgroup: self.flag()?,
        })
    }

    fn subgroup_size(&mut self) -> Read<Option<u32>> {
        let size = self.u32()?;
        match size == 0 || size.is_power_of_two() {
            true => Ok(Some(size).filter(|&size| size != 0)),
            false => Err("a size of sub-groups that is no power of two".into()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Program {
        let arg = Arg {
            name: "x".into(),
            type_name: "float*".into(),
            kind: ArgKind::Local { ordinal: 1, align: 16 },
            address: ArgAddress::Local,
            is_const: true,
            is_restrict: false,
            is_volatile: true,
        };
        let (dim, access) = (ImageDim::D2Array, ImageAccess::ReadWrite);
        let (image, sampler) = (ArgKind::Image { dim, depth: true, access }, ArgKind::Sampler);
        let pipe = ArgKind::Pipe { access: ImageAccess::WriteOnly, packet: 12 };
        let kernel = Kernel {
            name: "k".into(),
            spirv: vec![0x0723_0203, 5],
            args: vec![
                arg.clone(),
                Arg { kind: image, ..arg.clone() },
                Arg { kind: pipe, ..arg.clone() },
                Arg { kind: sampler, ..arg },
            ],
            argument_fields: vec![ArgumentField { field: Field::Arg(3), offset: 8 }],
            required_local_size: Some([1, 2, 3]),
            dimensions: 2,
            packs_groups: true,
            bounded: true,
            uses_images: true,
            uses_subgroups: true,
            required_subgroup_size: Some(16),
            required_subgroups: Some(2),
            one_subgroup: true,
            ..Kernel::default()
        };
        let bytes = (1..=9).collect();
        let data = DataImage { size: 12, align: 8, global_size: 4, bytes, relocations: vec![0] };
        Program { kernels: vec![kernel], data, uniform_groups: true }
    }

    fn object() -> Object {
        let text = "
            constant float table[2] = {1.5f, -0.0f};
            float helper(float4 *v, int i);
            float __attribute__((overloadable)) twice(float x) { return 2 * x; }
            kernel void été(global float *out, local int *ü, float4 v) {
                out[0] = twice(helper(&v, 1)) + table[ü[0]];
            }
            kernel void images(image2d_t a, write_only image2d_array_t b, sampler_t s) {
                write_imagef(b, (int4)(1), read_imagef(a, s, (float2)(0.5f)));
            }";
        let source = hekla_compiler::Source { text: text.into(), ..Default::default() };
        let options = hekla_compiler::Options::parse("-cl-kernel-arg-info").unwrap();
        let compiled = hekla_compiler::compile_object(&source, &options, &Target::generic());
        compiled.object.unwrap_or_else(|| panic!("{}", compiled.log))
    }

    #[test]
    fn what_is_written_is_read() {
        let target = Target::generic();
        let bytes = write(Content::Executable(&sample()), &target);
        let Loaded::Executable(program) = read(&bytes, &target).unwrap() else { panic!() };
        assert_eq!(format!("{program:?}"), format!("{:?}", sample()));
    }

    #[test]
    fn objects_are_read_as_written() {
        let target = Target::generic();
        let object = object();
        let bytes = write(Content::Library(&object), &target);
        let Loaded::Library(read) = read(&bytes, &target).unwrap() else { panic!() };
        assert_eq!(read.text(), object.text());
        assert_eq!(read.flags, object.flags);
        assert_eq!(format!("{:?}", read.module.kernels), format!("{:?}", object.module.kernels));
        let again = write(Content::Library(&read), &target);
        assert_eq!(again, bytes);
    }

    #[test]
    fn a_false_object_is_refused() {
        let target = Target::generic();
        let written = write(Content::Object(&object()), &target);
        for index in 28..written.len() {
            let mut bytes = written.clone();
            bytes[index] ^= 1 << (index % 8);
            // A checksum that fits: the reader itself must notice, or make sense of it.
            let sum = hash(&bytes[28..]);
            bytes[20..28].copy_from_slice(&sum.to_le_bytes());
            if let Ok(Loaded::Object(object)) = read(&bytes, &target) {
                let options = hekla_compiler::LinkOptions::default();
                hekla_compiler::link(&[&object], &options, &target);
            }
        }
    }

    #[test]
    fn damage_is_noticed() {
        let target = Target::generic();
        let bytes = write(Content::Executable(&sample()), &target);
        assert!(read(&bytes, &Target::minimal()).is_err());
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], &target).is_err());
        }
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0x55;
            assert!(read(&damaged, &target).is_err());
        }
    }
}
