//! Cooperative matrices: an instruction of SPV_KHR_cooperative_matrix for each of the IR's.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::Mem;
use super::spirv_builder::encode;
use crate::ir::{Matrix, MatrixLayout, MatrixOp, MemFlags, Scalar, Type, Value};
use rspirv::spirv::{Capability, Op, Scope, StorageClass};

/// The memory that a matrix is loaded from or stored to.
#[derive(Clone, Copy)]
pub(super) struct MatrixMemory {
    pub ptr: Value,
    /// Elements from row to row, or column to column.
    pub stride: Value,
    pub layout: MatrixLayout,
    pub align: u32,
    pub flags: MemFlags,
}

impl Emitter<'_> {
    /// Returns the SPIR-V type of a matrix, and declares what modules with matrices need.
    pub fn matrix_type(&mut self, matrix: Matrix) -> EmitResult<u32> {
        let element = self.ty(matrix.element())?;
        Ok(self.matrix_type_of(matrix, element))
    }

    /// Returns the type of a matrix whose elements are integers with a sign: what converts from or to those takes the sign
    /// from the type in some drivers (lavapipe).
    fn signed_matrix_type(&mut self, matrix: Matrix) -> u32 {
        let bits = matrix.element().bits();
        let element = self.builder.intern(Op::TypeInt, None, &[bits, 1]);
        self.matrix_type_of(matrix, element)
    }

    fn matrix_type_of(&mut self, matrix: Matrix, element: u32) -> u32 {
        self.builder.require_capability(Capability::CooperativeMatrixKHR);
        self.builder.extension("SPV_KHR_cooperative_matrix");
        let numbers = [
            Scope::Subgroup as u32,
            u32::from(matrix.rows),
            u32::from(matrix.columns),
            matrix.usage as u32,
        ];
        let [scope, rows, columns, usage] = numbers.map(|number| self.const_u32(number));
        let operands = [element, scope, rows, columns, usage];
        self.builder.intern(Op::TypeCooperativeMatrixKHR, None, &operands)
    }

    fn matrix_of(&self, value: Value) -> EmitResult<Matrix> {
        match self.func.ty(value).scalar {
            Scalar::Matrix(matrix) => Ok(matrix),
            _ => Err(EmitError::malformed("an operation on no matrix")),
        }
    }

    /// Returns the pointer to the first element, and the memory operands.
    fn matrix_place(
        &mut self,
        memory: MatrixMemory,
        element: Type,
        stores: bool,
    ) -> EmitResult<(u32, Vec<u32>)> {
        let volatile = memory.flags.contains(MemFlags::VOLATILE);
        match self.mem(memory.ptr, element.bytes())? {
            Mem::Physical(address) => {
                let elem = self.physical_elem(element.scalar)?;
                let ty = self.physical_type(elem, 1)?;
                let pointer = self.physical_pointer(address, ty);
                let operands = self.access_operands(memory.align, volatile, stores);
                Ok((pointer, operands.to_vec()))
            }
            Mem::Array(array, pointer) => {
                self.element_view(array, element.bytes())?;
                Ok((pointer, self.access_operand(array, volatile).into_iter().collect()))
            }
        }
    }

    pub fn matrix_load(&mut self, memory: MatrixMemory, ty: Type) -> EmitResult<u32> {
        let Scalar::Matrix(matrix) = ty.scalar else {
            return Err(EmitError::malformed("a load of no matrix"));
        };
        let (pointer, access) = self.matrix_place(memory, matrix.element(), false)?;
        let layout = self.const_u32(memory.layout as u32);
        let mut operands = vec![pointer, layout, self.id(memory.stride)?];
        operands.extend(access);
        let ty = self.ty(ty)?;
        Ok(self.op(Op::CooperativeMatrixLoadKHR, ty, &operands))
    }

    pub fn matrix_store(&mut self, memory: MatrixMemory, value: Value) -> EmitResult<()> {
        let element = self.matrix_of(value)?.element();
        let (pointer, access) = self.matrix_place(memory, element, true)?;
        let layout = self.const_u32(memory.layout as u32);
        let mut operands = vec![pointer, self.id(value)?, layout, self.id(memory.stride)?];
        operands.extend(access);
        self.op_void(Op::CooperativeMatrixStoreKHR, &operands);
        Ok(())
    }

    pub fn matrix_product(&mut self, args: [Value; 3], operands: u32, ty: Type) -> EmitResult<u32> {
        let mut ids = Vec::with_capacity(4);
        for arg in args {
            ids.push(self.id(arg)?);
        }
        if operands != 0 {
            ids.push(operands);
        }
        let ty = self.ty(ty)?;
        Ok(self.op(Op::CooperativeMatrixMulAddKHR, ty, &ids))
    }

    pub fn matrix_op(&mut self, op: MatrixOp, args: &[Value], ty: Type) -> EmitResult<u32> {
        use MatrixOp::*;
        match op {
            Length => {
                let (matrix, ty) = (self.ty(self.func.ty(args[0]))?, self.ty(ty)?);
                return Ok(self.op(Op::CooperativeMatrixLengthKHR, ty, &[matrix]));
            }
            Extract => return self.matrix_extract(args[0], args[1]),
            Insert => return self.matrix_insert(args[0], args[1], args[2]),
            FToS | SToF | SConvert => return self.signed_conversion(op, args[0], ty),
            _ => {}
        }
        let op = match op {
            Splat => Op::CompositeConstruct,
            INeg => Op::SNegate,
            FNeg => Op::FNegate,
            IAdd => Op::IAdd,
            ISub => Op::ISub,
            IMul => Op::IMul,
            SDiv => Op::SDiv,
            UDiv => Op::UDiv,
            FAdd => Op::FAdd,
            FSub => Op::FSub,
            FMul => Op::FMul,
            FDiv => Op::FDiv,
            Scale => Op::MatrixTimesScalar,
            FConvert => Op::FConvert,
            UConvert => Op::UConvert,
            FToU => Op::ConvertFToU,
            UToF => Op::ConvertUToF,
            Bitcast => Op::Bitcast,
            FToS | SToF | SConvert | Length | Extract | Insert => {
                return Err(EmitError::malformed("a matrix operation"))
            }
        };
        let mut ids = Vec::with_capacity(2);
        for &arg in args {
            ids.push(self.id(arg)?);
        }
        let ty = self.ty(ty)?;
        Ok(self.op(op, ty, &ids))
    }

    /// A conversion from or to integers with a sign, whose matrices have types of their own for it.
    fn signed_conversion(&mut self, op: MatrixOp, arg: Value, ty: Type) -> EmitResult<u32> {
        let Scalar::Matrix(to) = ty.scalar else {
            return Err(EmitError::malformed("a conversion to no matrix"));
        };
        let from = self.matrix_of(arg)?;
        let (mut value, result) = (self.id(arg)?, self.ty(ty)?);
        if op != MatrixOp::FToS {
            let signed = self.signed_matrix_type(from);
            value = self.op(Op::Bitcast, signed, &[value]);
        }
        match op {
            MatrixOp::SToF => Ok(self.op(Op::ConvertSToF, result, &[value])),
            _ => {
                let signed = self.signed_matrix_type(to);
                let op = if op == MatrixOp::FToS { Op::ConvertFToS } else { Op::SConvert };
                let converted = self.op(op, signed, &[value]);
                Ok(self.op(Op::Bitcast, result, &[converted]))
            }
        }
    }

    /// Returns a variable that holds a matrix, and a pointer to its element of a number.
    fn matrix_variable(&mut self, value: Value, index: Value) -> EmitResult<(u32, u32)> {
        let matrix = self.matrix_of(value)?;
        let (whole, element) = (self.ty(matrix.ty())?, self.ty(matrix.element())?);
        let to_whole = self.builder.pointer(StorageClass::Function, whole);
        let variable = self.builder.new_id();
        let operands = [to_whole, variable, StorageClass::Function as u32];
        encode(&mut self.variables, Op::Variable, &operands);
        let (value, index) = (self.id(value)?, self.id(index)?);
        self.op_void(Op::Store, &[variable, value]);
        let to_element = self.builder.pointer(StorageClass::Function, element);
        Ok((variable, self.op(Op::AccessChain, to_element, &[variable, index])))
    }

    fn matrix_extract(&mut self, value: Value, index: Value) -> EmitResult<u32> {
        let element = self.matrix_of(value)?.element();
        let ty = self.ty(element)?;
        let (_, pointer) = self.matrix_variable(value, index)?;
        Ok(self.op(Op::Load, ty, &[pointer]))
    }

    fn matrix_insert(&mut self, value: Value, element: Value, index: Value) -> EmitResult<u32> {
        let ty = self.ty(self.func.ty(value))?;
        let (variable, pointer) = self.matrix_variable(value, index)?;
        let element = self.id(element)?;
        self.op_void(Op::Store, &[pointer, element]);
        Ok(self.op(Op::Load, ty, &[variable]))
    }
}
