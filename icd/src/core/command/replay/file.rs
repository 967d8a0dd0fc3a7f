//! The file of a launch that can be run again: the kernel's module, its dispatches, and the memory before the launch.

use crate::core::check::Cause;
use crate::core::program::binary::bytes::{Read, Reader, Writer};

/// The first bytes of a file.
const MAGIC: &[u8] = b"hekla replay 2\n";

/// A launch that can be run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    pub spirv: Vec<u32>,
    /// Work-items of a whole sub-group.
    pub subgroup_size: u32,
    pub dispatches: Vec<Dispatch>,
    pub arguments: Vec<Argument>,
    /// The memory that the launch may reach, as it was before.
    pub pieces: Vec<Piece>,
    /// The images among the arguments, whose texels are in pieces.
    pub images: Vec<Image>,
    pub causes: Vec<Cause>,
}

/// An argument of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    /// Offset and size in the kernel-argument buffer; the size is 0 if the argument is not there.
    pub field: (u32, u32),
    /// Address and size of the memory that the argument points to; the size is 0 if it is not known.
    pub memory: (u64, u64),
}

/// A dispatch of the kernel's module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// The global id of the first work-item.
    pub base: [u64; 3],
    /// The size of a work-group, and the number of work-groups.
    pub local: [u32; 3],
    pub groups: [u32; 3],
    /// The values of specialization constants.
    pub constants: Vec<(u32, u32)>,
    pub push: Vec<u8>,
}

/// Bytes at a device address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub address: u64,
    pub bytes: Vec<u8>,
}

/// An image as the kernel sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The name of the argument.
    pub name: String,
    /// The number of the binding whose array contains the image, and the slot in it.
    pub binding: u32,
    pub slot: u32,
    /// The name of the format in Vulkan.
    pub format: String,
    /// The sources of the components that reads return: `R`, `G`, `B`, `A`, `0`, `1`.
    pub components: String,
    /// The levels, closely packed: address and size. Layers of an array count as the dimension after the last one.
    pub levels: Vec<(u64, [u32; 3])>,
}

impl Replay {
    /// Returns the bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.raw(MAGIC);
        out.u32(self.spirv.len() as u32);
        self.spirv.iter().for_each(|word| out.u32(*word));
        out.u32(self.subgroup_size);
        out.u32(self.dispatches.len() as u32);
        for Dispatch { base, local, groups, constants, push } in &self.dispatches {
            base.iter().for_each(|it| out.u64(*it));
            local.iter().chain(groups).for_each(|it| out.u32(*it));
            out.u32(constants.len() as u32);
            constants.iter().flat_map(|(id, value)| [id, value]).for_each(|it| out.u32(*it));
            out.bytes(push);
        }
        out.u32(self.arguments.len() as u32);
        for Argument { name, field, memory } in &self.arguments {
            out.string(name);
            [field.0, field.1].into_iter().for_each(|it| out.u32(it));
            [memory.0, memory.1].into_iter().for_each(|it| out.u64(it));
        }
        out.u32(self.pieces.len() as u32);
        for Piece { address, bytes } in &self.pieces {
            out.u64(*address);
            out.bytes(bytes);
        }
        out.u32(self.images.len() as u32);
        for Image { name, binding, slot, format, components, levels } in &self.images {
            [name, format, components].into_iter().for_each(|it| out.string(it));
            [*binding, *slot, levels.len() as u32].into_iter().for_each(|it| out.u32(it));
            for (address, size) in levels {
                out.u64(*address);
                size.iter().for_each(|it| out.u32(*it));
            }
        }
        out.u32(self.causes.len() as u32);
        for Cause { message, global_id, counter } in &self.causes {
            out.string(message);
            global_id.iter().for_each(|it| out.u32(*it));
            out.u64(*counter);
        }
        out.finish()
    }

    /// Returns the offset of an address in a dispatch's kernel-argument buffer, if that is in memory and contains the address.
    pub fn in_argument_buffer(&self, address: u64) -> Option<u64> {
        let start = |it: &Dispatch| it.push.as_slice().try_into().ok().map(u64::from_le_bytes);
        let starts = self.dispatches.iter().filter_map(start);
        let mut pieces = starts.filter_map(|at| self.pieces.iter().find(|it| it.address == at));
        let piece = pieces.find(|it| address.wrapping_sub(it.address) < it.bytes.len() as u64)?;
        Some(address - piece.address)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// When they are none of a file, or cut short.
    pub fn read(bytes: &[u8]) -> Read<Replay> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is no replay of this version")?;
        let mut r = Reader::new(rest);
        let replay = Replay {
            spirv: r.list(Reader::u32)?,
            subgroup_size: r.u32()?,
            dispatches: r.list(|r| {
                Ok(Dispatch {
                    base: [r.u64()?, r.u64()?, r.u64()?],
                    local: [r.u32()?, r.u32()?, r.u32()?],
                    groups: [r.u32()?, r.u32()?, r.u32()?],
                    constants: r.list(|r| Ok((r.u32()?, r.u32()?)))?,
                    push: r.bytes()?.to_vec(),
                })
            })?,
            arguments: r.list(|r| {
                Ok(Argument {
                    name: r.string()?,
                    field: (r.u32()?, r.u32()?),
                    memory: (r.u64()?, r.u64()?),
                })
            })?,
            pieces: r.list(|r| Ok(Piece { address: r.u64()?, bytes: r.bytes()?.to_vec() }))?,
            images: r.list(|r| {
                let (name, format, components) = (r.string()?, r.string()?, r.string()?);
                let (binding, slot) = (r.u32()?, r.u32()?);
                let level = |r: &mut Reader<'_>| Ok((r.u64()?, [r.u32()?, r.u32()?, r.u32()?]));
                let levels = r.list(level)?;
                Ok(Image { name, binding, slot, format, components, levels })
            })?,
            causes: r.list(|r| {
                Ok(Cause {
                    message: r.string()?,
                    global_id: [r.u32()?, r.u32()?, r.u32()?],
                    counter: r.u64()?,
                })
            })?,
        };
        Ok(replay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_they_were_written() {
        let dispatch = Dispatch {
            base: [1 << 40, 0, 7],
            local: [64, 1, 1],
            groups: [3, 2, 1],
            constants: vec![(0, 64), (9, 1)],
            push: vec![1, 2, 3, 4],
        };
        let cause =
            Cause { message: "a.cl:1:2: bounds".into(), global_id: [5, 0, 0], counter: 4096 };
        let image = Image {
            name: "i".into(),
            binding: 1,
            slot: 3,
            format: "R8_UNORM".into(),
            components: "R001".into(),
            levels: vec![(1 << 60, [4, 3, 2]), (2 << 60, [2, 1, 1])],
        };
        let replay = Replay {
            spirv: vec![0x0723_0203, 1],
            subgroup_size: 32,
            dispatches: vec![dispatch],
            arguments: vec![Argument { name: "a".into(), field: (0, 8), memory: (8192, 64) }],
            pieces: vec![Piece { address: 8192, bytes: vec![7; 64] }],
            images: vec![image],
            causes: vec![cause],
        };
        let bytes = replay.write();
        assert_eq!(Replay::read(&bytes).unwrap(), replay);
        for end in 0..bytes.len() {
            assert!(Replay::read(&bytes[..end]).is_err(), "{end}");
        }
    }
}
