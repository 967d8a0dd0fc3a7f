//! Cooperative matrices (SPV_KHR_cooperative_matrix).
//!
//! Many instructions on numbers also act on matrices, which the type of the result or of an operand shows. A variable of a
//! function may be a matrix, and a pointer may point to one of its elements; a load or store through such a pointer is one of
//! the whole matrix.

use super::function::Translator;
use super::types::{Kind, Ty};
use super::words::Inst;
use crate::ir::{
    AddressSpace, BinaryOp, InstData, Matrix, MatrixElement, MatrixLayout, MatrixOp, MatrixUse,
    Scalar, Type, Value,
};
use crate::matrices;
use crate::target::Target;
use rspirv::spirv::{CooperativeMatrixOperands, Op, Scope};
use smallvec::{smallvec, SmallVec};

/// A pointer to an element of a matrix in a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementPointer {
    variable: Value,
    matrix: Matrix,
    index: Value,
}

/// Returns true for the instructions that act on matrices alone.
pub(super) fn has(op: Op) -> bool {
    matches!(
        op,
        Op::CooperativeMatrixLoadKHR
            | Op::CooperativeMatrixStoreKHR
            | Op::CooperativeMatrixMulAddKHR
            | Op::CooperativeMatrixLengthKHR
            | Op::MatrixTimesScalar
    )
}

/// Returns the type that OpTypeCooperativeMatrixKHR declares, if the device has it. `number` returns the value of a
/// constant.
pub(super) fn matrix_type(
    inst: &Inst<'_>,
    element: Option<MatrixElement>,
    target: &Target,
    number: impl Fn(u32) -> Result<u64, String>,
) -> Result<Matrix, String> {
    let [_, scope, rows, columns, usage] = inst.get()?;
    if !target.checks.is_empty() {
        return Err("kernels with matrices do not check themselves".to_string());
    }
    let element = element.ok_or("matrices are of numbers")?;
    if number(scope)? != Scope::Subgroup as u64 {
        return Err("matrices are of the scope of sub-groups".to_string());
    }
    let usage = MatrixUse::from_number(number(usage)?).ok_or("unknown use of a matrix")?;
    matrices::find(target, element, usage, [number(rows)?, number(columns)?])
}

/// Returns the operation on matrices for an instruction on one or two numbers.
fn operation(op: Op) -> Option<MatrixOp> {
    Some(match op {
        Op::SNegate => MatrixOp::INeg,
        Op::FNegate => MatrixOp::FNeg,
        Op::IAdd => MatrixOp::IAdd,
        Op::ISub => MatrixOp::ISub,
        Op::IMul => MatrixOp::IMul,
        Op::SDiv => MatrixOp::SDiv,
        Op::UDiv => MatrixOp::UDiv,
        Op::FAdd => MatrixOp::FAdd,
        Op::FSub => MatrixOp::FSub,
        Op::FMul => MatrixOp::FMul,
        Op::FDiv => MatrixOp::FDiv,
        Op::FConvert => MatrixOp::FConvert,
        Op::SConvert => MatrixOp::SConvert,
        Op::UConvert => MatrixOp::UConvert,
        Op::ConvertFToS => MatrixOp::FToS,
        Op::ConvertFToU => MatrixOp::FToU,
        Op::ConvertSToF => MatrixOp::SToF,
        Op::ConvertUToF => MatrixOp::UToF,
        Op::Bitcast => MatrixOp::Bitcast,
        Op::MatrixTimesScalar => MatrixOp::Scale,
        Op::CompositeConstruct => MatrixOp::Splat,
        _ => return None,
    })
}

impl Translator<'_, '_, '_> {
    fn matrix_kind(&self, ty: Ty) -> Option<Matrix> {
        match *self.m.types.kind(ty) {
            Kind::Matrix(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// Translates an instruction if it acts on matrices; returns false for other instructions.
    pub(super) fn matrix_instruction(&mut self, inst: &Inst<'_>) -> Result<bool, String> {
        if has(inst.op) {
            match inst.op {
                Op::CooperativeMatrixLoadKHR => self.matrix_load(inst)?,
                Op::CooperativeMatrixStoreKHR => self.matrix_store(inst)?,
                Op::CooperativeMatrixMulAddKHR => self.matrix_product(inst)?,
                Op::CooperativeMatrixLengthKHR => self.matrix_length(inst)?,
                _ => self.matrix_operation(inst, MatrixOp::Scale)?,
            }
            return Ok(true);
        }
        match inst.op {
            Op::CompositeExtract => self.matrix_extract(inst),
            Op::Load => self.load_element(inst),
            Op::Store => self.store_element(inst),
            Op::AccessChain | Op::InBoundsAccessChain => self.element_pointer(inst),
            op => {
                let Ok(ty) = self.m.types.of(inst.ty) else { return Ok(false) };
                if self.matrix_kind(ty).is_none() {
                    return Ok(false);
                }
                match operation(op) {
                    Some(operation) => self.matrix_operation(inst, operation)?,
                    None if op == Op::CompositeInsert => self.matrix_insert(inst)?,
                    None if matches!(op, Op::Undef | Op::FunctionCall | Op::Select) => {
                        return Ok(false)
                    }
                    None => return Err("it is not supported for matrices".to_string()),
                }
                Ok(true)
            }
        }
    }

    fn matrix_result(&self, inst: &Inst<'_>) -> Result<Matrix, String> {
        let matrix = self.matrix_kind(self.m.types.of(inst.ty)?);
        matrix.ok_or_else(|| "its type is not that of a matrix".to_string())
    }

    fn matrix(&mut self, id: u32) -> Result<(Value, Matrix), String> {
        let val = self.val(id)?;
        let matrix = self.matrix_kind(val.ty).ok_or_else(|| format!("%{id} is not a matrix"))?;
        Ok((val.leaves[0], matrix))
    }

    fn operate(&mut self, op: MatrixOp, args: SmallVec<[Value; 3]>, ty: Type) -> Value {
        self.b.inst(InstData::Matrix { op, args }, ty)
    }

    /// Returns a matrix whose elements all equal one number.
    pub(super) fn splat_matrix(&mut self, element: Value, matrix: Matrix) -> Value {
        self.operate(MatrixOp::Splat, smallvec![element], matrix.ty())
    }

    /// Returns one of two matrices. It is chosen by a branch, since drivers do not select between matrices.
    pub(super) fn chosen_matrix(&mut self, cond: Value, then: Value, otherwise: Value) -> Value {
        let [yes, no, join] = std::array::from_fn(|_| self.b.new_block());
        let ty = self.b.ty(then);
        let result = self.b.func.add_param(join, ty);
        self.b.brif(cond, yes, no);
        for (block, value) in [(yes, then), (no, otherwise)] {
            self.b.switch_to(block);
            self.b.jump(join, &[value]);
        }
        self.b.switch_to(join);
        result
    }

    fn matrix_operation(&mut self, inst: &Inst<'_>, op: MatrixOp) -> Result<(), String> {
        let result = self.matrix_result(inst)?;
        if inst.args.len() != op.operands().len() {
            return Err("it has another number of operands".to_string());
        }
        let mut args: SmallVec<[Value; 3]> = SmallVec::new();
        for &id in inst.args {
            args.push(self.one(id)?);
        }
        let first = match self.b.ty(args[0]).scalar {
            Scalar::Matrix(matrix) => matrix,
            _ if op == MatrixOp::Splat => result,
            _ => return Err("the operand is not a matrix".to_string()),
        };
        if !op.takes(first.element, result.element) {
            return Err("the elements are of the wrong kind".to_string());
        }
        use crate::ir::MatrixOperand::*;
        for (&arg, operand) in args.iter().zip(op.operands()) {
            let ty = self.b.ty(arg);
            let fits = match operand {
                Same => ty == result.ty(),
                Shape => first.has_shape_of(result),
                Element => ty == result.element(),
                Any | Index => false,
            };
            if !fits {
                return Err("the operands do not fit the result".to_string());
            }
        }
        let widths = [first, result].map(|matrix| matrix.element().bits());
        let differs = widths[0] != widths[1];
        let is_same = first.element == result.element;
        match op {
            MatrixOp::Bitcast if differs => return Err("the types differ in size".to_string()),
            // A conversion to the same type changes nothing.
            MatrixOp::FConvert | MatrixOp::SConvert | MatrixOp::UConvert if is_same => {
                return self.give(inst, args[0]);
            }
            _ => {}
        }
        let value = self.operate(op, args, result.ty());
        self.give(inst, value)
    }

    /// Translates the query for the number of a work-item's elements. Operand: the type of the matrix.
    fn matrix_length(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let ty = self.m.types.of(inst.arg(0)?)?;
        let matrix = self.matrix_kind(ty).ok_or("the operand is not the type of a matrix")?;
        if self.numeric_result(inst)? != Type::I32 {
            return Err("its type is not that of an integer of 32 bits".to_string());
        }
        let any = self.b.undef(matrix.ty());
        let value = self.operate(MatrixOp::Length, smallvec![any], Type::I32);
        self.give(inst, value)
    }

    /// Returns layout, address, distance from row to row in elements, memory operands and alignment. Operands from `at` on:
    /// layout, stride, memory operands.
    fn matrix_memory(
        &mut self,
        (pointer, matrix): (u32, Matrix),
        inst: &Inst<'_>,
        at: usize,
    ) -> Result<(MatrixLayout, Value, Value, super::memory::Access, u32), String> {
        let (ptr, ty) = self.pointer(pointer)?;
        use AddressSpace::{Constant, Global, Local};
        if !matches!(self.b.space(ptr), Global | Constant | Local) {
            return Err("matrices are in global, constant or local memory".to_string());
        }
        let element = matrix.element().bytes();
        let (unit, natural) = match self.m.types.is_untyped(ty) {
            true => (element, element),
            false => {
                let pointee = self.m.types.pointee(ty)?;
                self.m.types.numeric(pointee)?;
                (self.m.types.size(pointee)? as u32, self.m.types.align(pointee))
            }
        };
        let rest = inst.rest(at);
        let layout = match rest.first().map(|&id| self.known_integer(id)).transpose()?.flatten() {
            Some(0) => MatrixLayout::RowMajor,
            Some(1) => MatrixLayout::ColumnMajor,
            _ => return Err("the layout is not a constant that is known".to_string()),
        };
        let stride = rest.get(1).ok_or("the stride is missing")?;
        let stride = self.word(*stride)?;
        // The stride counts objects of the type that the pointer points to.
        let stride = match unit == element {
            true => stride,
            false => {
                let factor = self.b.int(Scalar::I32, i64::from(unit));
                let bytes = self.b.binary(BinaryOp::IMul, stride, factor);
                let size = self.b.int(Scalar::I32, i64::from(element));
                self.b.binary(BinaryOp::UDiv, bytes, size)
            }
        };
        let (access, _) = super::memory::access(rest.get(2..).unwrap_or(&[]))?;
        let align = access.align.unwrap_or(natural).max(element.min(natural));
        Ok((layout, ptr, stride, access, align))
    }

    /// Operands: pointer, layout, stride, memory operands.
    fn matrix_load(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let matrix = self.matrix_result(inst)?;
        let place = (inst.arg(0)?, matrix);
        let (layout, ptr, stride, access, align) = self.matrix_memory(place, inst, 1)?;
        let data = InstData::MatrixLoad { layout, ptr, stride, align, flags: access.flags };
        let value = self.b.inst(data, matrix.ty());
        self.give(inst, value)
    }

    /// Operands: pointer, matrix, layout, stride, memory operands.
    fn matrix_store(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (value, matrix) = self.matrix(inst.arg(1)?)?;
        let place = (inst.arg(0)?, matrix);
        let (layout, ptr, stride, access, align) = self.matrix_memory(place, inst, 2)?;
        if self.b.space(ptr) == AddressSpace::Constant {
            return Err("constant memory is not written to".to_string());
        }
        let flags = access.flags;
        self.b.void(InstData::MatrixStore { layout, ptr, stride, value, align, flags });
        Ok(())
    }

    /// Translates a product. Operands: A, B, C, and a mask of the matrices that are signed.
    fn matrix_product(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let result = self.matrix_result(inst)?;
        let [(a, a_ty), (b, b_ty), (c, c_ty)] =
            [self.matrix(inst.arg(0)?)?, self.matrix(inst.arg(1)?)?, self.matrix(inst.arg(2)?)?];
        let operands = inst.args.get(3).copied().unwrap_or(0);
        let flags = CooperativeMatrixOperands::from_bits(operands).ok_or("unknown operands")?;
        use CooperativeMatrixOperands as O;
        let sides = [
            (a_ty, O::MATRIX_A_SIGNED_COMPONENTS_KHR),
            (b_ty, O::MATRIX_B_SIGNED_COMPONENTS_KHR),
            (c_ty, O::MATRIX_C_SIGNED_COMPONENTS_KHR),
            (result, O::MATRIX_RESULT_SIGNED_COMPONENTS_KHR),
        ];
        for (matrix, signed) in sides {
            if matrix.is_float() && flags.contains(signed) {
                return Err("floats are told to be signed".to_string());
            }
        }
        let saturates = flags.contains(O::SATURATING_ACCUMULATION_KHR);
        let sides = sides.map(|(matrix, signed)| (matrix, flags.contains(signed)));
        matrices::check_product(self.m.out.target(), sides, saturates)?;
        let data = InstData::MatrixProduct { args: [a, b, c], operands };
        let value = self.b.inst(data, result.ty());
        self.give(inst, value)
    }

    /// Translates the extraction of an element whose number is a literal; returns false for other composites.
    fn matrix_extract(&mut self, inst: &Inst<'_>) -> Result<bool, String> {
        let ty = self.val_ref(inst.arg(0)?)?.ty;
        let Some(matrix) = self.matrix_kind(ty) else { return Ok(false) };
        let value = self.one(inst.arg(0)?)?;
        let &[index] = inst.rest(1) else { return Err("it has not one index".to_string()) };
        let index = self.b.int(Scalar::I32, i64::from(index));
        let value = self.operate(MatrixOp::Extract, smallvec![value, index], matrix.element());
        self.give(inst, value).map(|()| true)
    }

    /// Operands: element, matrix, number.
    fn matrix_insert(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (value, matrix) = self.matrix(inst.arg(1)?)?;
        let element = self.number(inst.arg(0)?)?;
        let &[index] = inst.rest(2) else { return Err("it has not one index".to_string()) };
        if self.b.ty(element) != matrix.element() {
            return Err("the object is not of the elements' type".to_string());
        }
        let index = self.b.int(Scalar::I32, i64::from(index));
        let value = self.operate(MatrixOp::Insert, smallvec![value, element, index], matrix.ty());
        self.give(inst, value)
    }

    /// Notes the pointer of an access chain into a matrix; returns false for other chains.
    fn element_pointer(&mut self, inst: &Inst<'_>) -> Result<bool, String> {
        let Some((&last, path)) = inst.rest(1).split_last() else { return Ok(false) };
        if !self.m.types.has_matrices() {
            return Ok(false);
        }
        let (base, ty) = self.pointer(inst.arg(0)?)?;
        if self.m.types.is_untyped(ty) {
            return Ok(false);
        }
        let mut ty = self.m.types.pointee(ty)?;
        for &index in path {
            ty = match self.m.types.kind(ty).clone() {
                Kind::Array { element, .. } => element,
                Kind::Struct { .. } => {
                    let Some(index) = self.known_integer(index)? else { return Ok(false) };
                    self.m.types.member(ty, index)?.0
                }
                _ => return Ok(false),
            };
        }
        let Some(matrix) = self.matrix_kind(ty) else { return Ok(false) };
        let wanted = self.m.types.pointee(self.m.types.of(inst.ty)?)?;
        if self.m.types.value(wanted) != Some(matrix.element())
            || self.b.space(base) != AddressSpace::Private
        {
            return Err("it does not lead to what its type points to".to_string());
        }
        let variable = self.chain_to(inst, path)?;
        let index = self.word(last)?;
        self.elements.insert(inst.id, ElementPointer { variable, matrix, index });
        Ok(true)
    }

    fn load_element(&mut self, inst: &Inst<'_>) -> Result<bool, String> {
        let Some(&pointer) = self.elements.get(&inst.arg(0)?) else { return Ok(false) };
        let ElementPointer { variable, matrix, index } = pointer;
        let whole = self.b.load(matrix.ty(), variable, Matrix::BYTES, Default::default());
        let value = self.operate(MatrixOp::Extract, smallvec![whole, index], matrix.element());
        self.give(inst, value).map(|()| true)
    }

    fn store_element(&mut self, inst: &Inst<'_>) -> Result<bool, String> {
        let Some(&pointer) = self.elements.get(&inst.arg(0)?) else { return Ok(false) };
        let ElementPointer { variable, matrix, index } = pointer;
        let element = self.number(inst.arg(1)?)?;
        if self.b.ty(element) != matrix.element() {
            return Err("value and memory differ in type".to_string());
        }
        let whole = self.b.load(matrix.ty(), variable, Matrix::BYTES, Default::default());
        let args = smallvec![whole, element, index];
        let value = self.operate(MatrixOp::Insert, args, matrix.ty());
        self.b.store(variable, value, Matrix::BYTES, Default::default());
        Ok(true)
    }

    /// Refuses values with matrices in memory other than a function's variables.
    pub(super) fn check_matrix_memory(&self, ty: Ty, ptr: Value) -> Result<(), String> {
        if !self.m.types.has_matrices() || self.b.space(ptr) == AddressSpace::Private {
            return Ok(());
        }
        match self.leaves_of(ty)?.iter().any(|leaf| leaf.ty.scalar.is_matrix()) {
            true => Err("only variables of functions are matrices".to_string()),
            false => Ok(()),
        }
    }
}
