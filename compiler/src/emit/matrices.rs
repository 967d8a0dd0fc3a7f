//! Cooperative matrices: each of the IR's instructions becomes one of SPV_KHR_cooperative_matrix.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::Mem;
use super::spirv_builder::encode;
use crate::ir::{Matrix, MatrixElement, MatrixLayout, MatrixOp, MemFlags, Scalar, Type, Value};
use crate::matrices::MatrixOperands;
use rspirv::spirv::{Capability, FPEncoding, Op, Scope, StorageClass};

/// The memory that a matrix is loaded from or stored to.
#[derive(Clone, Copy)]
pub(super) struct MatrixMemory {
    pub ptr: Value,
    /// The distance from row to row, or from column to column, in elements.
    pub stride: Value,
    pub layout: MatrixLayout,
    pub align: u32,
    pub flags: MemFlags,
}

impl Emitter<'_> {
    /// Returns the SPIR-V type of a matrix, and declares the capabilities that modules with matrices need.
    pub fn matrix_type(&mut self, matrix: Matrix) -> EmitResult<u32> {
        let is_signed = self.matrix_is_signed(matrix);
        self.signed_matrix_type(matrix, is_signed)
    }

    /// Returns true if matrices of a type have signed elements in the module.
    fn matrix_is_signed(&self, matrix: Matrix) -> bool {
        self.info.matrix_signs.is_signed(matrix, self.target)
    }

    /// Returns the type of a matrix whose elements, if they are integers, are signed or unsigned as `is_signed` says.
    fn signed_matrix_type(&mut self, matrix: Matrix, is_signed: bool) -> EmitResult<u32> {
        let element = self.matrix_element_type(matrix, is_signed)?;
        Ok(self.matrix_type_of(matrix, element))
    }

    fn matrix_element_type(&mut self, matrix: Matrix, is_signed: bool) -> EmitResult<u32> {
        if matrix.element == MatrixElement::BF16 {
            self.builder.require_capability(Capability::BFloat16TypeKHR);
            self.builder.require_capability(Capability::BFloat16CooperativeMatrixKHR);
            self.builder.extension("SPV_KHR_bfloat16");
            let encoding = FPEncoding::BFloat16KHR as u32;
            return Ok(self.builder.intern(Op::TypeFloat, None, &[16, encoding]));
        }
        let plain = self.ty(matrix.element())?;
        Ok(match is_signed && !matrix.is_float() {
            true => self.builder.intern(Op::TypeInt, None, &[matrix.element().bits(), 1]),
            false => plain,
        })
    }

    /// Converts a matrix of its usual type in the module to one whose elements are signed or unsigned as `is_signed` says.
    fn with_sign(&mut self, value: u32, matrix: Matrix, is_signed: bool) -> EmitResult<u32> {
        if matrix.is_float() || self.matrix_is_signed(matrix) == is_signed {
            return Ok(value);
        }
        let ty = self.signed_matrix_type(matrix, is_signed)?;
        Ok(self.op(Op::Bitcast, ty, &[value]))
    }

    /// Converts a matrix whose elements are signed or unsigned, as `is_signed` says, to its usual type in the module.
    fn of_sign(&mut self, value: u32, matrix: Matrix, is_signed: bool) -> EmitResult<u32> {
        if matrix.is_float() || self.matrix_is_signed(matrix) == is_signed {
            return Ok(value);
        }
        let ty = self.matrix_type(matrix)?;
        Ok(self.op(Op::Bitcast, ty, &[value]))
    }

    /// Converts a number to the type of a matrix's elements.
    fn as_element(&mut self, value: Value, matrix: Matrix) -> EmitResult<u32> {
        let (id, plain) = (self.id(value)?, self.ty(matrix.element())?);
        let ty = self.matrix_element_type(matrix, self.matrix_is_signed(matrix))?;
        Ok(if ty == plain { id } else { self.op(Op::Bitcast, ty, &[id]) })
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
        matrix: Matrix,
        stores: bool,
    ) -> EmitResult<(u32, Vec<u32>)> {
        let element = matrix.element();
        let volatile = memory.flags.contains(MemFlags::VOLATILE);
        match self.mem(memory.ptr, element.bytes())? {
            Mem::Physical(address) => {
                let elem = self.physical_elem(element.scalar)?;
                let ty = self.physical_type(elem, 1)?;
                let pointer = self.physical_pointer(address, ty);
                let align = memory.align.max(least_alignment(matrix, memory.layout));
                let operands = self.access_operands(align, volatile, stores);
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
        let (pointer, access) = self.matrix_place(memory, matrix, false)?;
        let layout = self.const_u32(memory.layout as u32);
        let mut operands = vec![pointer, layout, self.id(memory.stride)?];
        operands.extend(access);
        let ty = self.ty(ty)?;
        Ok(self.op(Op::CooperativeMatrixLoadKHR, ty, &operands))
    }

    pub fn matrix_store(&mut self, memory: MatrixMemory, value: Value) -> EmitResult<()> {
        let matrix = self.matrix_of(value)?;
        let (pointer, access) = self.matrix_place(memory, matrix, true)?;
        let layout = self.const_u32(memory.layout as u32);
        let mut operands = vec![pointer, self.id(value)?, layout, self.id(memory.stride)?];
        operands.extend(access);
        self.op_void(Op::CooperativeMatrixStoreKHR, &operands);
        Ok(())
    }

    pub fn matrix_product(&mut self, args: [Value; 3], operands: u32, ty: Type) -> EmitResult<u32> {
        let Scalar::Matrix(to) = ty.scalar else {
            return Err(EmitError::malformed("a product that is no matrix"));
        };
        let is_signed = MatrixOperands::SIGNED.map(|signed| operands & signed != 0);
        let mut ids = Vec::with_capacity(4);
        for (arg, is_signed) in args.into_iter().zip(is_signed) {
            let (id, matrix) = (self.id(arg)?, self.matrix_of(arg)?);
            ids.push(self.with_sign(id, matrix, is_signed)?);
        }
        if operands != 0 {
            ids.push(operands);
        }
        let ty = self.signed_matrix_type(to, is_signed[3])?;
        let product = self.op(Op::CooperativeMatrixMulAddKHR, ty, &ids);
        self.of_sign(product, to, is_signed[3])
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
            FToS | SToF | SConvert | FToU | UToF | UConvert => {
                return self.matrix_conversion(op, args[0], ty);
            }
            Bitcast => return self.id(args[0]).and_then(|id| self.matrix_bitcast(id, args[0], ty)),
            Splat | Scale => return self.matrix_by_number(op, args, ty),
            _ => {}
        }
        let op = match op {
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
            FConvert => Op::FConvert,
            _ => return Err(EmitError::malformed("a matrix operation")),
        };
        let mut ids = Vec::with_capacity(2);
        for &arg in args {
            ids.push(self.id(arg)?);
        }
        let ty = self.ty(ty)?;
        Ok(self.op(op, ty, &ids))
    }

    /// Emits a matrix of equal elements, or the product of a matrix and a number.
    fn matrix_by_number(&mut self, op: MatrixOp, args: &[Value], ty: Type) -> EmitResult<u32> {
        let (Scalar::Matrix(matrix), Some((&number, rest))) = (ty.scalar, args.split_last()) else {
            return Err(EmitError::malformed("a matrix operation"));
        };
        let number = self.as_element(number, matrix)?;
        let ty = self.ty(ty)?;
        match (op, rest) {
            (MatrixOp::Splat, []) => Ok(self.op(Op::CompositeConstruct, ty, &[number])),
            (_, &[scaled]) => {
                let scaled = self.id(scaled)?;
                Ok(self.op(Op::MatrixTimesScalar, ty, &[scaled, number]))
            }
            _ => Err(EmitError::malformed("a matrix operation")),
        }
    }

    /// Emits a matrix with the same bits and elements of another kind.
    fn matrix_bitcast(&mut self, value: u32, arg: Value, ty: Type) -> EmitResult<u32> {
        let (from, to) = (self.ty(self.func.ty(arg))?, self.ty(ty)?);
        // Kinds that differ in the sign alone may have the same type.
        Ok(if from == to { value } else { self.op(Op::Bitcast, to, &[value]) })
    }

    /// Emits a conversion. Drivers (lavapipe) take the signs of integers from the types, so the types here have the signs that
    /// the operation means.
    fn matrix_conversion(&mut self, op: MatrixOp, arg: Value, ty: Type) -> EmitResult<u32> {
        let Scalar::Matrix(to) = ty.scalar else {
            return Err(EmitError::malformed("a conversion to no matrix"));
        };
        let from = self.matrix_of(arg)?;
        let is_signed = matches!(op, MatrixOp::FToS | MatrixOp::SToF | MatrixOp::SConvert);
        let op = match op {
            MatrixOp::FToS => Op::ConvertFToS,
            MatrixOp::SToF => Op::ConvertSToF,
            MatrixOp::SConvert => Op::SConvert,
            MatrixOp::FToU => Op::ConvertFToU,
            MatrixOp::UToF => Op::ConvertUToF,
            _ => Op::UConvert,
        };
        let value = self.id(arg)?;
        let value = self.with_sign(value, from, is_signed)?;
        let ty = self.signed_matrix_type(to, is_signed)?;
        let converted = self.op(op, ty, &[value]);
        self.of_sign(converted, to, is_signed)
    }

    /// Returns a variable that holds a matrix, and a pointer to element `index` in it.
    fn matrix_variable(&mut self, value: Value, index: Value) -> EmitResult<(u32, u32)> {
        let matrix = self.matrix_of(value)?;
        let is_signed = self.matrix_is_signed(matrix);
        let element = self.matrix_element_type(matrix, is_signed)?;
        let whole = self.ty(matrix.ty())?;
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
        let matrix = self.matrix_of(value)?;
        let is_signed = self.matrix_is_signed(matrix);
        let element = self.matrix_element_type(matrix, is_signed)?;
        let (_, pointer) = self.matrix_variable(value, index)?;
        let loaded = self.op(Op::Load, element, &[pointer]);
        let ty = self.ty(matrix.element())?;
        Ok(if ty == element { loaded } else { self.op(Op::Bitcast, ty, &[loaded]) })
    }

    fn matrix_insert(&mut self, value: Value, element: Value, index: Value) -> EmitResult<u32> {
        let ty = self.ty(self.func.ty(value))?;
        let (variable, pointer) = self.matrix_variable(value, index)?;
        let matrix = self.matrix_of(value)?;
        let element = self.as_element(element, matrix)?;
        self.op_void(Op::Store, &[pointer, element]);
        Ok(self.op(Op::Load, ty, &[variable]))
    }
}

/// Returns the alignment in bytes that Vulkan asks of every matrix in memory: that of a row (or column), or 16 if that is less
/// (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
fn least_alignment(matrix: Matrix, layout: MatrixLayout) -> u32 {
    let count = match layout {
        MatrixLayout::RowMajor => matrix.columns,
        MatrixLayout::ColumnMajor => matrix.rows,
    };
    let bytes = u32::from(count) * matrix.element().bytes();
    16.min(1 << bytes.trailing_zeros())
}
