//! Products of extended words and constants, as indices of memory are, made of words at once:
//! [`Quirks::SPLIT_PRODUCTS`](hekla_device::Quirks::SPLIT_PRODUCTS).

use super::emitter::Emitter;
use super::error::EmitResult;
use crate::ir::{BinaryOp, ConvertOp, InstData, Scalar, Type, Value, WorkItemQuery};
use hekla_device::Quirks;
use rspirv::spirv::Op;

impl Emitter<'_> {
    /// Emits a product of 64 bits as one of words, if it is one. The offset of the launch may be added to the word: it is
    /// zero in most pipelines. Shifts of words without signs stay: two of them take as long.
    pub fn wide_product(&mut self, op: BinaryOp, args: [Value; 2]) -> EmitResult<Option<u32>> {
        let [value, factor] = args;
        if !self.target.has(Quirks::SPLIT_PRODUCTS)
            || !self.target.int64
            || self.func.ty(value) != Type::I64
        {
            return Ok(None);
        }
        let factor = match (op, self.func.as_const(factor)) {
            (BinaryOp::IMul, Some(factor)) => u32::try_from(factor).ok(),
            (BinaryOp::Shl, Some(bits)) => 1u32.checked_shl(bits as u32),
            _ => None,
        };
        factor.map_or(Ok(None), |factor| self.word_times(value, factor))
    }

    fn word_times(&mut self, value: Value, factor: u32) -> EmitResult<Option<u32>> {
        let (op, word) = match self.func.def_inst(value) {
            Some(&InstData::Convert { op: ConvertOp::ZExt, arg }) if !factor.is_power_of_two() => {
                (Op::UMulExtended, arg)
            }
            Some(&InstData::Convert { op: ConvertOp::SExt, arg }) if factor as i32 > 0 => {
                (Op::SMulExtended, arg)
            }
            Some(&InstData::Binary { op: BinaryOp::IAdd, args: [x, offset], .. })
                if self.is_launch_offset(offset) =>
            {
                let Some(product) = self.word_times(x, factor)? else { return Ok(None) };
                let [long, offset] = [self.int_type(64), self.id(offset)?];
                let factor = self.constant(Scalar::I64, factor.into())?;
                let offset = self.op(Op::IMul, long, &[offset, factor]);
                return Ok(Some(self.op(Op::IAdd, long, &[product, offset])));
            }
            _ => return Ok(None),
        };
        if self.func.ty(word) != Type::I32 {
            return Ok(None);
        }
        let [word, factor] = [self.id(word)?, self.const_u32(factor)];
        let halves = self.both_halves(op, word, factor);
        let words = [0, 1].map(|half| self.extract(self.builder.u32, halves, half));
        let pair = self.builder.vector(self.builder.u32, 2);
        let pair = self.op(Op::CompositeConstruct, pair, &words);
        self.bitcast(pair, Type::vector(Scalar::I32, 2), Type::I64).map(Some)
    }

    /// Returns true for what is zero without an offset of the launch.
    fn is_launch_offset(&self, value: Value) -> bool {
        let Some(&InstData::Select { args: [condition, _, otherwise] }) = self.func.def_inst(value)
        else {
            return false;
        };
        let has_offset = InstData::WorkItem { query: WorkItemQuery::HasOffset, dim: 0 };
        self.func.def_inst(condition) == Some(&has_offset)
            && self.func.as_const(otherwise) == Some(0)
    }
}
