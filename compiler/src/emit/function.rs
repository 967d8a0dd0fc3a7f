//! Functions: their heads, their calls, and their results. Several results are a struct.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::position::Control;
use super::repr::Ids;
use super::spirv_builder::encode;
use crate::ir::sparse_map::SparseMap;
use crate::ir::{Func, Module, Structure, Type, Value};
use rspirv::spirv::{FunctionControl, Op};
use smallvec::SmallVec;

/// The most instructions of a kernel with all calls inlined. In larger kernels, functions that are called from several
/// places are marked DontInline, for drivers that would inline them.
pub(super) const MAX_INLINED: u64 = 8_000;

/// Returns how many instructions a kernel has with all calls inlined. `copies` holds the number of copies of each function.
pub(super) fn inlined_size(
    module: &Module,
    functions: &[Func],
    copies: &SparseMap<Func, u64>,
) -> u64 {
    let sizes = functions
        .iter()
        .map(|&func| copies[func].saturating_mul(module.functions[func].num_insts() as u64));
    sizes.fold(0, u64::saturating_add)
}

impl Emitter<'_> {
    /// Emits a function and appends it to the code.
    pub fn emit_function(
        &mut self,
        id: Func,
        structure: &Structure,
        code: &mut Vec<u32>,
    ) -> EmitResult<()> {
        self.func = &self.module.functions[id];
        self.begin_function(id);
        self.current_function = self.function_id(id)?;
        let func = self.func;
        let result = self.return_type(&func.returns)?;
        let mut types: SmallVec<[u32; 8]> = SmallVec::from_slice(&[result]);
        for &param in func.params() {
            types.push(self.ty(func.ty(param))?);
        }
        let fn_type = self.builder.intern(Op::TypeFunction, None, &types);
        let stays = self.keeps_calls && self.arrays.all_copies[id] > 1;
        let control = if stays { FunctionControl::DONT_INLINE } else { FunctionControl::NONE };
        encode(code, Op::Function, &[result, self.function_id(id)?, control.bits(), fn_type]);
        for (&param, &ty) in func.params().iter().zip(&types[1..]) {
            let id = self.builder.new_id();
            self.define(param, id);
            encode(code, Op::FunctionParameter, &[ty, id]);
        }
        let is_kernel = self.function_id(id)? == self.builder.main;
        let prologue = match is_kernel {
            true if self.inputs.bounded => Some(self.return_beyond_bounds()?),
            true => self.zero_initialize_local()?,
            false => None,
        };
        self.emit_blocks(structure, prologue, is_kernel, code)?;
        encode(code, Op::FunctionEnd, &[]);
        Ok(())
    }

    /// Begins a function: resets the state that belongs to the previous one.
    fn begin_function(&mut self, id: Func) {
        self.frame = std::mem::take(&mut self.info.frames[id]);
        self.arrays.begin_function(id, self.frame.accesses.objects.len());
        self.control = Control::default();
        self.debug.begin_function();
        self.inputs.begin_function();
        self.body.clear();
        self.variables.clear();
        self.entry_code.clear();
        self.composites.clear();
        self.clear_values();
    }

    /// Returns the type of a function's results.
    fn return_type(&mut self, returns: &[Type]) -> EmitResult<u32> {
        match returns {
            [] => Ok(self.builder.void),
            [one] => self.ty(*one),
            _ => {
                let members: Ids =
                    returns.iter().map(|&ty| self.ty(ty)).collect::<EmitResult<_>>()?;
                Ok(self.builder.intern(Op::TypeStruct, None, &members))
            }
        }
    }

    /// Returns the operand of a return.
    pub fn returned(&mut self, values: &[Value]) -> EmitResult<Option<u32>> {
        match values {
            [] => Ok(None),
            [one] => self.id(*one).map(Some),
            _ => {
                let ty = self.return_type(&self.func.returns)?;
                let members: Ids =
                    values.iter().map(|&value| self.id(value)).collect::<EmitResult<_>>()?;
                Ok(Some(self.op(Op::CompositeConstruct, ty, &members)))
            }
        }
    }

    /// Emits a call; returns its result.
    pub fn call(&mut self, callee: Func, args: &[Value]) -> EmitResult<u32> {
        let function = self
            .module
            .functions
            .get(callee)
            .ok_or_else(|| EmitError::malformed(format!("{callee} does not exist")))?;
        let ty = self.return_type(&function.returns)?;
        let mut operands: Ids = SmallVec::from_slice(&[self.function_id(callee)?]);
        for &arg in args {
            operands.push(self.id(arg)?);
        }
        Ok(self.op(Op::FunctionCall, ty, &operands))
    }

    /// Emits a call whose first result is a value.
    pub fn call_with_result(
        &mut self,
        callee: Func,
        args: &[Value],
        first: Value,
    ) -> EmitResult<u32> {
        let id = self.call(callee, args)?;
        if self.module.functions[callee].returns.len() == 1 {
            return Ok(id);
        }
        self.composites.insert(first, id);
        self.call_result(first, 0, self.func.ty(first))
    }

    /// Returns result number `index` of the call whose first result is `call`.
    pub fn call_result(&mut self, call: Value, index: u32, ty: Type) -> EmitResult<u32> {
        let Some(&composite) = self.composites.get(&call) else {
            return Err(EmitError::malformed(format!("{call} is no call with several results")));
        };
        let ty = self.ty(ty)?;
        Ok(self.extract(ty, composite, index))
    }
}
