//! Starting a compiled kernel, as the runtime does: the kernel-argument buffer, specialization constants, and a
//! dispatch for each size of work-group.

use crate::error::{Error, Res};
use crate::float::Floats;
use crate::group::{run, Dispatch};
use crate::memory::{Bytes, Memory};
use crate::subgroup::Subgroups;
use hekla_compiler::kernel::{spec_id, ArgKind, DataImage, Field, Kernel};
use std::collections::BTreeMap;

/// Words of the buffer that a kernel prints to.
const PRINTF_WORDS: u32 = 16_384;

/// The value of an argument.
#[derive(Debug, Clone)]
pub enum Argument {
    /// The bytes of a value.
    Bytes(Vec<u8>),
    /// A device address; 0 for a null pointer.
    Address(u64),
    /// The size in bytes of work-group memory.
    Local(u64),
}

/// A launch of a kernel.
#[derive(Debug, Clone)]
pub struct Launch {
    pub args: Vec<Argument>,
    /// Number of dimensions, as get_work_dim gives it.
    pub dimensions: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    /// Work-items of a work-group; work-groups at the edge are smaller where this size does not divide `global`.
    pub local: [u32; 3],
    /// The address of the program's data image; see [`Launch::place_data`].
    pub data: u64,
    pub floats: Floats,
    pub subgroups: Subgroups,
    /// Chooses the order in which work-items take steps.
    pub seed: u64,
    /// The most instructions of one dispatch.
    pub limit: u64,
}

impl Default for Launch {
    fn default() -> Launch {
        let Dispatch { floats, subgroups, seed, limit, .. } = Dispatch::default();
        Launch {
            args: Vec::new(),
            dimensions: 1,
            offset: [0; 3],
            global: [1; 3],
            local: [1; 3],
            data: 0,
            floats,
            subgroups,
            seed,
            limit,
        }
    }
}

/// A part of one dimension that has equal work-groups.
#[derive(Clone, Copy)]
struct Part {
    local: u32,
    groups: u32,
    first_item: u64,
    first_group: u64,
}

impl Launch {
    /// Puts a program's variables into memory; returns their address.
    pub fn place_data(image: &DataImage, memory: &mut Memory) -> Res<u64> {
        if image.size == 0 {
            return Ok(0);
        }
        let mut bytes = image.bytes.clone();
        bytes.resize(image.size as usize, 0);
        let address = memory.allocate(Bytes::new(&bytes), u64::from(image.align));
        for &at in &image.relocations {
            let place = address + u64::from(at);
            let mut value = memory.read(place, 8)?;
            value.bits = value.bits.wrapping_add(address);
            memory.write(place, 8, value)?;
        }
        Ok(address)
    }

    /// Runs a kernel; returns how many instructions its work-items executed.
    ///
    /// # Errors
    /// When the arguments do not fit the kernel, the module is not understood, or it does what has no
    /// defined result.
    pub fn run(&self, kernel: &Kernel, memory: &mut Memory) -> Res<u64> {
        if self.args.len() != kernel.args.len() || self.local.contains(&0) {
            return Error::invalid("a launch that does not fit the kernel");
        }
        let printf = memory.allocate_bytes(&[0; 4 * PRINTF_WORDS as usize]);
        memory.write(printf + 4, 4, crate::value::Bits::new(u64::from(PRINTF_WORDS - 3)))?;
        let order_word = memory.allocate_bytes(&[0; 4]);
        let mut arguments = vec![0; kernel.argument_buffer_size as usize];
        for entry in &kernel.argument_fields {
            let bytes = self.field(entry.field, printf, order_word);
            put(&mut arguments, entry.offset, &bytes)?;
        }
        let [x, y, z] = [0, 1, 2].map(|d| match kernel.bounded {
            true => vec![self.beyond(d)],
            false => self.parts(d),
        });
        let mut steps = 0;
        for z in &z {
            for y in &y {
                for x in &x {
                    steps += self.dispatch(kernel, [*x, *y, *z], &mut arguments, memory)?;
                }
            }
        }
        Ok(steps)
    }

    fn dispatch(
        &self,
        kernel: &Kernel,
        parts: [Part; 3],
        arguments: &mut [u8],
        memory: &mut Memory,
    ) -> Res<u64> {
        let items = [0, 1, 2].map(|d| self.offset[d] + parts[d].first_item);
        let groups = parts.map(|part| part.first_group);
        for entry in &kernel.argument_fields {
            match entry.field {
                Field::GlobalBase => put(arguments, entry.offset, &bytes_of(items))?,
                Field::GroupBase => put(arguments, entry.offset, &bytes_of(groups))?,
                _ => {}
            }
        }
        // Work-groups run in pairs where that is allowed: a kernel cannot notice it.
        let pairs = kernel.packs_groups && parts[0].groups.is_multiple_of(2);
        let packed = if pairs { 2 } else { 1 };
        let (mut local, mut counts) = (parts.map(|part| part.local), parts.map(|part| part.groups));
        local[0] *= packed;
        counts[0] /= packed;
        let has_global_offset = [items, groups, self.offset] != [[0; 3]; 3];
        let push_constants = match kernel.arguments_in_push_constants {
            true => arguments.to_vec(),
            false => memory.allocate_bytes(arguments).to_le_bytes().to_vec(),
        };
        let dispatch = Dispatch {
            groups: counts,
            push_constants,
            specialization: self.specialization(kernel, local, packed, has_global_offset),
            floats: self.floats,
            subgroups: self.subgroups,
            seed: self.seed,
            limit: self.limit,
        };
        run(&kernel.spirv, &dispatch, memory)
    }

    /// Returns the values of the specialization constants. Work-group memory holds the kernel's variables, then the local
    /// arguments.
    fn specialization(
        &self,
        kernel: &Kernel,
        local: [u32; 3],
        packed: u32,
        has_global_offset: bool,
    ) -> BTreeMap<u32, u32> {
        let mut constants: BTreeMap<u32, u32> =
            spec_id::LOCAL_SIZE.into_iter().zip(local).collect();
        constants.insert(spec_id::HAS_GLOBAL_OFFSET, u32::from(has_global_offset));
        constants.insert(spec_id::PACKED_GROUPS, packed);
        constants.insert(spec_id::BOUNDED, u32::from(kernel.bounded));
        let mut end = kernel.local.static_size;
        for (arg, value) in kernel.args.iter().zip(&self.args) {
            if let (ArgKind::Local { ordinal, align }, Argument::Local(size)) = (arg.kind, value) {
                let offset = end.next_multiple_of(u64::from(align));
                constants.insert(spec_id::LOCAL_ARG_BASE + ordinal, offset as u32);
                end = offset + size;
            }
        }
        let length = end.div_ceil(u64::from(kernel.local.element_size)).max(1);
        constants.insert(spec_id::LOCAL_BLOCK_LEN, length as u32 * packed);
        constants
    }

    /// Returns the bytes of a field that is the same in all dispatches.
    fn field(&self, field: Field, printf: u64, order_word: u64) -> Vec<u8> {
        match field {
            Field::Arg(index) => match self.args.get(index as usize) {
                Some(Argument::Bytes(bytes)) => bytes.clone(),
                Some(Argument::Address(address)) => address.to_le_bytes().to_vec(),
                _ => Vec::new(),
            },
            Field::GlobalOffset => bytes_of(self.offset),
            Field::GlobalSize => bytes_of(self.global),
            Field::NumGroups => {
                bytes_of([0, 1, 2].map(|d| self.global[d].div_ceil(u64::from(self.local[d]))))
            }
            Field::Bounds => self.global.iter().flat_map(|n| (*n as u32).to_le_bytes()).collect(),
            Field::EnqueuedLocalSize => self.local.iter().flat_map(|n| n.to_le_bytes()).collect(),
            Field::WorkDim => self.dimensions.to_le_bytes().to_vec(),
            Field::DataAddress => self.data.to_le_bytes().to_vec(),
            Field::PrintfBuffer => printf.to_le_bytes().to_vec(),
            Field::OrderWord => order_word.to_le_bytes().to_vec(),
            // The interpreter does not execute kernels that a kernel enqueues.
            Field::GlobalBase | Field::GroupBase | Field::QueueContext => Vec::new(),
        }
    }

    /// Returns more work-groups of a dimension than the global size needs, so that the kernel must check the global size.
    fn beyond(&self, d: usize) -> Part {
        let groups = (self.global[d] / u64::from(self.local[d])) as u32 + 1;
        Part { local: self.local[d], groups, first_item: 0, first_group: 0 }
    }

    /// Returns the whole work-groups of a dimension, and the smaller one at its end.
    fn parts(&self, d: usize) -> Vec<Part> {
        let (local, global) = (u64::from(self.local[d]), self.global[d]);
        let (whole, rest) = (global / local, (global % local) as u32);
        let mut parts = Vec::new();
        if whole > 0 {
            let groups = whole as u32;
            parts.push(Part { local: self.local[d], groups, first_item: 0, first_group: 0 });
        }
        if rest > 0 {
            parts.push(Part {
                local: rest,
                groups: 1,
                first_item: whole * local,
                first_group: whole,
            });
        }
        parts
    }
}

fn bytes_of(values: [u64; 3]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn put(arguments: &mut [u8], at: u32, bytes: &[u8]) -> Res<()> {
    let at = at as usize;
    match arguments.get_mut(at..at + bytes.len()) {
        Some(slot) => slot.copy_from_slice(bytes),
        None => return Error::invalid("an argument that is larger than the kernel's"),
    }
    Ok(())
}
