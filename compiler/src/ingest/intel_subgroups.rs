//! The instructions of SPV_INTEL_subgroups, which compilers of SYCL and of OpenCL C emit for sub-groups: shuffles, and
//! reads and writes of blocks of memory. Those of images are refused by their names.

use super::function::{unsupported, Translator};
use super::words::Inst;
use crate::ir::{Addr, AddressSpace, BinaryOp, IntCC, Scalar, Type, Value};
use rspirv::spirv::Op;

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        SubgroupShuffleINTEL
            | SubgroupShuffleDownINTEL
            | SubgroupShuffleUpINTEL
            | SubgroupShuffleXorINTEL
            | SubgroupBlockReadINTEL
            | SubgroupBlockWriteINTEL
    )
}

/// Which element of a block a work-item has first, and how far on the next one is.
#[derive(Clone, Copy)]
struct Block {
    first: Addr,
    element: Type,
    /// Elements between one and the next of a work-item, I32: the size of full sub-groups.
    step: Value,
}

impl Translator<'_, '_, '_> {
    pub(super) fn intel_subgroup(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        self.need_subgroups()?;
        match inst.op {
            Op::SubgroupShuffleINTEL => self.shuffle_one(inst, "sub_group_shuffle"),
            Op::SubgroupShuffleXorINTEL => self.shuffle_one(inst, "sub_group_shuffle_xor"),
            Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => self.shuffle_of_two(inst),
            Op::SubgroupBlockReadINTEL => self.block_read(inst),
            Op::SubgroupBlockWriteINTEL => self.block_write(inst),
            _ => unsupported(),
        }
    }

    /// Operands: data, and the work-item or what is combined with its number.
    fn shuffle_one(&mut self, inst: &Inst<'_>, name: &str) -> Result<(), String> {
        let by = self.word(inst.arg(1)?)?;
        let (value, is_bool) = self.of_other(inst.arg(0)?, name, Some(by))?;
        match is_bool {
            true => Err("the operand is of the wrong type".to_string()),
            false => self.give(inst, value),
        }
    }

    /// A shuffle in a row of two values of the sub-group, the lower one first, as far down or up as the third operand
    /// says: what is beyond the own value's end is the other's.
    fn shuffle_of_two(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [low, high, delta] = inst.get()?;
        let delta = self.word(delta)?;
        let id = self.subgroup_call("get_sub_group_local_id", &[], Type::I32)?;
        let size = self.subgroup_call("get_max_sub_group_size", &[], Type::I32)?;
        // The size is a power of two; the distance is no greater.
        let (place, from_low) = match inst.op {
            Op::SubgroupShuffleDownINTEL => {
                let place = self.b.binary(BinaryOp::IAdd, id, delta);
                (place, self.b.icmp(IntCC::Ult, place, size))
            }
            _ => {
                let place = self.b.binary(BinaryOp::ISub, id, delta);
                (place, self.b.icmp(IntCC::Ult, id, delta))
            }
        };
        let one = self.b.int(Scalar::I32, 1);
        let mask = self.b.binary(BinaryOp::ISub, size, one);
        let source = self.b.binary(BinaryOp::And, place, mask);
        let (low, is_bool) = self.of_other(low, "sub_group_shuffle", Some(source))?;
        let (high, _) = self.of_other(high, "sub_group_shuffle", Some(source))?;
        if is_bool || self.b.ty(low) != self.b.ty(high) {
            return Err("an operand is of the wrong type".to_string());
        }
        let from_low = self.b.splat(from_low, self.b.ty(low).lanes);
        let value = self.b.select(from_low, low, high);
        self.give(inst, value)
    }

    /// Returns where the work-item's elements of a block are, which are of the type of a number's components.
    fn block(&mut self, pointer: u32, number: Type) -> Result<Block, String> {
        let (pointer, _) = self.pointer(pointer)?;
        if !matches!(self.b.space(pointer), AddressSpace::Global | AddressSpace::Local) {
            return Err("blocks are in global or local memory".to_string());
        }
        if !number.scalar.is_int() {
            return Err("blocks are of integers".to_string());
        }
        let element = number.lane();
        let id = self.subgroup_call("get_sub_group_local_id", &[], Type::I32)?;
        let step = self.subgroup_call("get_max_sub_group_size", &[], Type::I32)?;
        let bytes = element.bytes();
        let first = self.b.indexed(Addr::new(pointer, bytes), id, u64::from(bytes));
        Ok(Block { first, element, step })
    }

    /// Returns the address of one of the work-item's elements.
    fn of_block(&mut self, block: Block, index: u8) -> Addr {
        let index = self.b.int(Scalar::I32, i64::from(index));
        let index = self.b.binary(BinaryOp::IMul, index, block.step);
        self.b.indexed(block.first, index, u64::from(block.element.bytes()))
    }

    fn block_read(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let ty = self.numeric_result(inst)?;
        let block = self.block(inst.arg(0)?, ty)?;
        let mut lanes = Vec::with_capacity(ty.lanes.into());
        for index in 0..ty.lanes {
            let place = self.of_block(block, index);
            lanes.push(self.b.read(block.element, place));
        }
        let value = self.b.build(&lanes);
        self.give(inst, value)
    }

    fn block_write(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [pointer, value] = inst.get()?;
        let value = self.number(value)?;
        let block = self.block(pointer, self.b.ty(value))?;
        for (index, lane) in (0..).zip(self.lanes(value)) {
            let place = self.of_block(block, index);
            self.b.write(place, lane);
        }
        Ok(())
    }
}
