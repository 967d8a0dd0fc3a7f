//! Program binaries: a compiled program as bytes, with a version, the device it is for, and a
//! checksum. All integers are little-endian.
//!
//! ```text
//! "HEKLABIN" | u32 version | u64 target hash | u64 payload hash | payload
//! ```

use hekla_compiler::kernel::{
    Arg, ArgAddress, ArgKind, BlockField, DataImage, Field, Kernel, LocalBlock,
};
use hekla_compiler::{Program, Target};

const MAGIC: &[u8; 8] = b"HEKLABIN";
/// Changes with every change of the format or of what the metadata means.
const VERSION: u32 = 1;

type Read<T> = Result<T, String>;

/// FNV-1a, 64 bits.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Code compiled for one target runs on equal targets, with this version of the library.
fn target_hash(target: &Target) -> u64 {
    hash(format!("{} {target:?}", env!("CARGO_PKG_VERSION")).as_bytes())
}

/// The binary of a program that was built with `options`.
pub fn write(options: &str, program: &Program, target: &Target) -> Vec<u8> {
    let mut payload = Writer(Vec::new());
    payload.string(options);
    payload.bytes(&program.data.bytes);
    payload.u32(program.data.relocations.len() as u32);
    program.data.relocations.iter().for_each(|r| payload.u32(*r));
    payload.u32(program.kernels.len() as u32);
    program.kernels.iter().for_each(|kernel| payload.kernel(kernel));
    let mut file = Writer(MAGIC.to_vec());
    file.u32(VERSION);
    file.u64(target_hash(target));
    file.u64(hash(&payload.0));
    file.0.extend_from_slice(&payload.0);
    file.0
}

/// Reads a binary: the build options and the program, or why it is not usable.
pub fn read(bytes: &[u8], target: &Target) -> Read<(String, Program)> {
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
    let options = file.string()?;
    let data = DataImage { bytes: file.bytes()?.to_vec(), relocations: file.list(Reader::u32)? };
    let kernels = file.list(Reader::kernel)?;
    Ok((options, Program { kernels, data }))
}

struct Writer(Vec<u8>);

impl Writer {
    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
    }

    fn string(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn size(&mut self, size: Option<[u32; 3]>) {
        self.u32(u32::from(size.is_some()));
        size.unwrap_or_default().iter().for_each(|v| self.u32(*v));
    }

    fn kernel(&mut self, kernel: &Kernel) {
        self.string(&kernel.name);
        self.u32(kernel.spirv.len() as u32);
        kernel.spirv.iter().for_each(|word| self.u32(*word));
        self.u32(kernel.args.len() as u32);
        kernel.args.iter().for_each(|arg| self.arg(arg));
        self.u32(kernel.block.len() as u32);
        for entry in &kernel.block {
            let (code, arg) = field_code(entry.field);
            self.u32(code);
            self.u32(arg);
            self.u32(entry.offset);
        }
        self.u32(kernel.block_size);
        self.u32(u32::from(kernel.block_in_push_constants));
        self.u64(kernel.local.static_size);
        self.u32(kernel.local.element_size);
        self.u64(kernel.private_size);
        self.size(kernel.required_local_size);
        self.size(kernel.local_size_hint);
        self.string(&kernel.attributes);
        self.u32(u32::from(kernel.uses_barrier));
        self.u32(u32::from(kernel.local_size_visible));
    }

    fn arg(&mut self, arg: &Arg) {
        self.string(&arg.name);
        self.string(&arg.type_name);
        let (code, a, b) = match arg.kind {
            ArgKind::Value { size } => (0, size, 0),
            ArgKind::Buffer => (1, 0, 0),
            ArgKind::Local { ordinal, align } => (2, ordinal, align),
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
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> Read<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(size).ok_or("it is cut short")?;
        self.0 = rest;
        Ok(head)
    }

    fn u32(&mut self) -> Read<u32> {
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

    fn bytes(&mut self) -> Read<&'a [u8]> {
        let size = self.u32()? as usize;
        self.take(size)
    }

    fn string(&mut self) -> Read<String> {
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

    fn kernel(&mut self) -> Read<Kernel> {
        Ok(Kernel {
            name: self.string()?,
            spirv: self.list(Reader::u32)?,
            args: self.list(Reader::arg)?,
            block: self.list(Reader::block_field)?,
            block_size: self.u32()?,
            block_in_push_constants: self.flag()?,
            local: LocalBlock { static_size: self.u64()?, element_size: self.u32()? },
            private_size: self.u64()?,
            required_local_size: self.size()?,
            local_size_hint: self.size()?,
            attributes: self.string()?,
            uses_barrier: self.flag()?,
            local_size_visible: self.flag()?,
        })
    }

    fn block_field(&mut self) -> Read<BlockField> {
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
            _ => return Err("an unknown field".into()),
        };
        Ok(BlockField { field, offset })
    }

    fn arg(&mut self) -> Read<Arg> {
        let (name, type_name) = (self.string()?, self.string()?);
        let kind = match (self.u32()?, self.u32()?, self.u32()?) {
            (0, size, _) => ArgKind::Value { size },
            (1, ..) => ArgKind::Buffer,
            (2, ordinal, align) => ArgKind::Local { ordinal, align },
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
        let kernel = Kernel {
            name: "k".into(),
            spirv: vec![0x0723_0203, 5],
            args: vec![arg],
            block: vec![BlockField { field: Field::Arg(3), offset: 8 }],
            required_local_size: Some([1, 2, 3]),
            ..Kernel::default()
        };
        let data = DataImage { bytes: vec![1, 2, 3], relocations: vec![0] };
        Program { kernels: vec![kernel], data }
    }

    #[test]
    fn what_is_written_is_read() {
        let target = Target::generic();
        let bytes = write("-DX=1", &sample(), &target);
        let (options, program) = read(&bytes, &target).unwrap();
        assert_eq!(options, "-DX=1");
        assert_eq!(format!("{program:?}"), format!("{:?}", sample()));
    }

    #[test]
    fn damage_is_noticed() {
        let target = Target::generic();
        let bytes = write("", &sample(), &target);
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
