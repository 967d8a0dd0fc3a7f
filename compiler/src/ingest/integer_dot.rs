//! Dot products of 8-bit integers, four at a time, and the kernel clock (SPV_KHR_integer_dot_product,
//! SPV_KHR_shader_clock): instructions that correspond to functions of OpenCL C.

use super::function::Translator;
use super::words::Inst;
use crate::builtins::{ArgType, Number};
use crate::ir::{Scalar, Type, Value};
use rspirv::spirv::{Op, PackedVectorFormat, Scope};

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    signs(op).is_some() || op == Op::ReadClockKHR
}

/// Returns the last part of the name of the instruction's function on packed operands, true if its result is signed, and
/// true if it adds to a sum.
fn signs(op: Op) -> Option<(&'static str, bool, bool)> {
    Some(match op {
        Op::UDot => ("uu_uint", false, false),
        Op::SDot => ("ss_int", true, false),
        Op::SUDot => ("su_int", true, false),
        Op::UDotAccSat => ("uu_uint", false, true),
        Op::SDotAccSat => ("ss_int", true, true),
        Op::SUDotAccSat => ("su_int", true, true),
        _ => return None,
    })
}

impl Translator<'_, '_, '_> {
    pub(super) fn dot_or_clock(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match signs(inst.op) {
            Some((name, signed, accumulates)) => self.integer_dot(inst, name, signed, accumulates),
            None => self.clock(inst),
        }
    }

    /// Translates a dot product, which is exact in 32 bits. If the result has another width, the product is converted, or the
    /// sum saturated.
    fn integer_dot(
        &mut self,
        inst: &Inst<'_>,
        name: &str,
        signed: bool,
        accumulates: bool,
    ) -> Result<(), String> {
        let result = self.numeric_result(inst)?;
        if result.lanes != 1 || !result.scalar.is_int() {
            return Err("its result is not an integer".to_string());
        }
        let format = inst.args.get(if accumulates { 3 } else { 2 }).copied();
        let a = self.four_bytes(inst.arg(0)?, format)?;
        let b = self.four_bytes(inst.arg(1)?, format)?;
        let word = Number { scalar: Scalar::I32, signed };
        let to = Number { scalar: result.scalar, signed };
        let name = format!("dot_4x8packed_{name}");
        let product = self.integer_function(&name, &[a, b], false, Type::I32)?;
        if !accumulates {
            let value = self.b.convert_number(product, (word, to), None, false);
            return self.give(inst, value);
        }
        let sum = self.number(inst.arg(2)?)?;
        if self.b.ty(sum) != result {
            return Err("the sum is not of the result's type".to_string());
        }
        let value = match result.scalar {
            Scalar::I8 | Scalar::I16 => {
                let sum = self.b.convert_number(sum, (to, word), None, false);
                let sum = self.b.binary(crate::ir::BinaryOp::IAdd, product, sum);
                self.b.convert_number(sum, (word, to), None, true)
            }
            _ => {
                let product = self.b.convert_number(product, (word, to), None, false);
                self.integer_function("add_sat", &[product, sum], signed, result)?
            }
        };
        self.give(inst, value)
    }

    /// Returns four 8-bit integers as a word. The operand is a vector of four, or a word if there is a format.
    fn four_bytes(&mut self, id: u32, format: Option<u32>) -> Result<Value, String> {
        let value = self.number(id)?;
        let is_packed = match format.map(PackedVectorFormat::from_u32) {
            None => false,
            Some(Some(PackedVectorFormat::PackedVectorFormat4x8Bit)) => true,
            Some(_) => return Err("unknown packed vector format".to_string()),
        };
        match (self.b.ty(value), is_packed) {
            (Type::I32, true) => Ok(value),
            (ty, false) if ty == Type::vector(Scalar::I8, 4) => {
                Ok(self.b.bitcast(value, Type::I32))
            }
            _ => Err(format!("%{id} is not a vector of four 8-bit integers, packed or not")),
        }
    }

    fn integer_function(
        &mut self,
        name: &str,
        args: &[Value],
        signed: bool,
        result: Type,
    ) -> Result<Value, String> {
        let types: Vec<ArgType> = self.arg_types(args, signed);
        let value = self.builtin(name, args, &types, result)?;
        value.ok_or_else(|| format!("'{name}' is not supported for these types"))
    }

    fn clock(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let scope = self.known_integer(inst.arg(0)?)?.ok_or("its scope is not a constant")?;
        let scope = match u32::try_from(scope).ok().and_then(Scope::from_u32) {
            Some(Scope::Device) => "device",
            Some(Scope::Workgroup) => "work_group",
            Some(Scope::Subgroup) => "sub_group",
            _ => return Err("its scope is not that of a device, work-group or sub-group".into()),
        };
        let feature = format!("__opencl_c_kernel_clock_scope_{scope}");
        if !self.m.out.target().features().contains(&feature.as_str()) {
            return Err(format!("a clock of this scope needs {feature}"));
        }
        let result = self.numeric_result(inst)?;
        let name = match result {
            Type::I64 => format!("clock_read_{scope}"),
            Type::PAIR => format!("clock_read_hilo_{scope}"),
            _ => return Err("its result is not 64 bits or two words".to_string()),
        };
        let value = self.integer_function(&name, &[], false, result)?;
        self.give(inst, value)
    }
}
