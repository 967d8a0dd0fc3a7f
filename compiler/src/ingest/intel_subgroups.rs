//! The instructions of SPV_INTEL_subgroups, which compilers of SYCL and of OpenCL C emit for sub-groups: shuffles, and
//! reads and writes of blocks of memory. They correspond to functions of cl_intel_subgroups; the instructions for images are
//! refused by name.

use super::function::{unsupported, Translator};
use super::words::Inst;
use crate::ir::{AddressSpace, Type, Value};
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

impl Translator<'_, '_, '_> {
    pub(super) fn intel_subgroup(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        self.need_subgroups()?;
        match inst.op {
            Op::SubgroupShuffleINTEL => self.shuffled::<1>(inst, "intel_sub_group_shuffle"),
            Op::SubgroupShuffleXorINTEL => self.shuffled::<1>(inst, "intel_sub_group_shuffle_xor"),
            Op::SubgroupShuffleDownINTEL => {
                self.shuffled::<2>(inst, "intel_sub_group_shuffle_down")
            }
            Op::SubgroupShuffleUpINTEL => self.shuffled::<2>(inst, "intel_sub_group_shuffle_up"),
            Op::SubgroupBlockReadINTEL => {
                let ty = self.numeric_result(inst)?;
                let block = self.block(inst.arg(0)?, ty)?;
                let value = self.subgroup_call("intel_sub_group_block_read", &[block], ty)?;
                self.give(inst, value)
            }
            Op::SubgroupBlockWriteINTEL => {
                let [pointer, value] = inst.get()?;
                let value = self.number(value)?;
                let ty = self.b.ty(value);
                let args = [self.block(pointer, ty)?, value];
                let types = self.arg_types(&args, false);
                self.builtin("intel_sub_group_block_write", &args, &types, ty).map(|_| ())
            }
            _ => unsupported(),
        }
    }

    /// Translates a shuffle. Operands: `N` values of one type, and the number of a work-item or its distance from the own one.
    fn shuffled<const N: usize>(&mut self, inst: &Inst<'_>, name: &str) -> Result<(), String> {
        let mut ids = [0; N];
        ids.copy_from_slice(inst.args.get(..N).ok_or("an operand is missing")?);
        let mut args = self.numbers(ids)?.to_vec();
        let ty = self.b.ty(args[0]);
        if ty.scalar == Type::BOOL.scalar {
            return Err("the operand is of the wrong type".to_string());
        }
        args.push(self.word(inst.arg(N)?)?);
        let value = self.subgroup_call(name, &args, ty)?;
        self.give(inst, value)
    }

    /// Returns a pointer to a block of integers.
    fn block(&mut self, pointer: u32, ty: Type) -> Result<Value, String> {
        let (pointer, _) = self.pointer(pointer)?;
        if !matches!(self.b.space(pointer), AddressSpace::Global | AddressSpace::Local) {
            return Err("blocks are in global or local memory".to_string());
        }
        match ty.scalar.is_int() {
            true => Ok(pointer),
            false => Err("blocks are of integers".to_string()),
        }
    }
}
