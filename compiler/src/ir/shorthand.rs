//! Shorthands of the builder: short sequences of instructions that front ends and built-in functions share.

use super::builder::Builder;
use super::entities::{Block, Value};
use super::inst::{BinaryOp, ConvertOp, FloatCC, InstData, IntCC, OpFlags, UnaryOp, Within};
use super::types::{AddressSpace, Scalar, Type};

/// A loop that is being built: its counter, the block that tests the counter, and the block after the loop.
#[derive(Debug, Clone, Copy)]
pub struct OpenLoop {
    pub counter: Value,
    header: Block,
    after: Block,
}

impl Builder<'_> {
    /// Returns a constant integer of a scalar type.
    pub fn int(&mut self, scalar: Scalar, value: i64) -> Value {
        self.iconst(Type::of(scalar), value)
    }

    /// Returns zero (null, false) of any type.
    pub fn zero(&mut self, ty: Type) -> Value {
        let lane = self.func.constant(ty.lane(), 0);
        self.splat(lane, ty.lanes)
    }

    pub fn and_const(&mut self, value: Value, mask: i64) -> Value {
        self.binary_imm(BinaryOp::And, value, mask)
    }

    pub fn or_const(&mut self, value: Value, bits: i64) -> Value {
        self.binary_imm(BinaryOp::Or, value, bits)
    }

    pub fn add_const(&mut self, value: Value, addend: i64) -> Value {
        self.binary_imm(BinaryOp::IAdd, value, addend)
    }

    pub fn shl_const(&mut self, value: Value, by: i64) -> Value {
        self.binary_imm(BinaryOp::Shl, value, by)
    }

    pub fn lshr_const(&mut self, value: Value, by: i64) -> Value {
        self.binary_imm(BinaryOp::LShr, value, by)
    }

    /// Returns `-value` of a float.
    pub fn negate(&mut self, value: Value) -> Value {
        self.unary(UnaryOp::FNeg, value)
    }

    /// Returns `value != 0` for each lane.
    pub fn is_nonzero(&mut self, value: Value) -> Value {
        let ty = self.ty(value);
        if ty.scalar == Scalar::Bool {
            return value;
        }
        if ty.scalar.is_float() {
            let zero = self.zero(ty);
            return self.fcmp(FloatCC::Une, value, zero);
        }
        let value = self.address(value);
        let zero = self.zero(self.ty(value));
        self.icmp(IntCC::Ne, value, zero)
    }

    /// Returns `value < 0` for each lane of an integer: its top bit.
    pub fn is_negative(&mut self, value: Value) -> Value {
        let zero = self.zero(self.ty(value));
        self.icmp(IntCC::Slt, value, zero)
    }

    /// Returns bools as an integer type: 0 and 1 in scalars, 0 and -1 in vectors.
    pub fn int_of_bool(&mut self, truth: Value, ty: Type) -> Value {
        let op = if ty.is_vector() { ConvertOp::SExt } else { ConvertOp::ZExt };
        self.convert(op, truth, ty)
    }

    /// Returns an integer (or bool) with its lanes widened or narrowed.
    pub fn resize_lanes(&mut self, value: Value, to: Scalar, signed: bool) -> Value {
        self.resize(value, self.ty(value).with_scalar(to), signed)
    }

    /// Returns the integer type with the bits of a float type, lane by lane.
    pub fn bits_type(&self, value: Value) -> Type {
        let ty = self.ty(value);
        ty.with_scalar(Scalar::int(ty.scalar.bits()))
    }

    /// Returns a float's bits as an integer.
    pub fn as_bits(&mut self, value: Value) -> Value {
        self.bitcast(value, self.bits_type(value))
    }

    /// Returns a scalar repeated to the number of lanes of `like`.
    pub fn match_lanes(&mut self, value: Value, like: Value) -> Value {
        let (lanes, wanted) = (self.ty(value).lanes, self.ty(like).lanes);
        if lanes == 1 && wanted > 1 && !self.ty(value).scalar.is_ptr() {
            return self.splat(value, wanted);
        }
        value
    }

    /// Returns the address space of a pointer value; private for other values.
    pub fn space(&self, ptr: Value) -> AddressSpace {
        self.ty(ptr).space().unwrap_or(AddressSpace::Private)
    }

    /// Returns the address of a pointer as an unsigned integer of the pointer's width; an integer unchanged.
    pub fn address(&mut self, ptr: Value) -> Value {
        let ty = self.ty(ptr);
        if !ty.scalar.is_ptr() {
            return ptr;
        }
        self.convert(ConvertOp::PtrToInt, ptr, Type::of(Scalar::int(ty.scalar.bits())))
    }

    /// Returns an integer converted to the width of a pointer's offsets.
    pub fn pointer_sized(&mut self, index: Value, ptr: Value, signed: bool) -> Value {
        let width = self.ty(ptr).scalar.bits();
        self.resize_lanes(index, Scalar::int(width), signed)
    }

    /// Returns `ptr ± index * stride`. If the index is not constant, accesses through the result stay in the bytes
    /// `within`.
    pub fn pointer_add(
        &mut self,
        ptr: Value,
        (index, signed): (Value, bool),
        stride: u64,
        subtract: bool,
        within: Within,
    ) -> Value {
        let mut bytes = self.pointer_sized(index, ptr, signed);
        let ty = self.ty(bytes);
        if let Some(index) = self.func.as_signed_const(bytes) {
            let offset = index.wrapping_mul(stride as i64);
            let offset = if subtract { offset.wrapping_neg() } else { offset };
            return self.ptr_add_const(ptr, offset);
        }
        if stride != 1 {
            let stride = self.iconst(ty, stride as i64);
            let (args, flags) = ([bytes, stride], OpFlags::NO_SIGNED_WRAP);
            bytes = self.push(InstData::Binary { op: BinaryOp::IMul, args, flags }, ty);
        }
        if subtract {
            bytes = self.unary(UnaryOp::INeg, bytes);
        }
        self.ptr_add_within(ptr, bytes, within)
    }

    /// Begins a loop `for (i = start; i < end; ...)`, unsigned, with `i` of the operands' type. The builder is in the
    /// loop's body after this.
    pub fn open_loop(&mut self, start: Value, end: Value) -> OpenLoop {
        let ty = self.ty(start);
        let header = self.new_block();
        let counter = self.func.add_param(header, ty);
        self.jump(header, &[start]);
        self.switch_to(header);
        let inside = self.icmp(IntCC::Ult, counter, end);
        let (inner, after) = (self.new_block(), self.new_block());
        self.brif(inside, inner, after);
        self.switch_to(inner);
        OpenLoop { counter, header, after }
    }

    /// Ends the body of a loop with `i = i op operand`. The builder is behind the loop after this.
    pub fn close_loop(&mut self, open: OpenLoop, op: BinaryOp, operand: Value) {
        let next = self.binary(op, open.counter, operand);
        self.jump(open.header, &[next]);
        self.switch_to(open.after);
    }
}
