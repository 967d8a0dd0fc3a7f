//! The representation of IR types and values on the device.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::Repr;
use crate::ir::{AddressSpace, Scalar, Type};
use rspirv::spirv::{Capability, Op};

impl Emitter<'_> {
    pub fn repr(&self, scalar: Scalar) -> Repr {
        let target = self.target;
        match scalar {
            Scalar::Bool => Repr::Bool,
            Scalar::I8 if target.int8 => Repr::Int(8),
            Scalar::I8 => Repr::Narrow(8),
            Scalar::I16 if target.int16 => Repr::Int(16),
            Scalar::I16 => Repr::Narrow(16),
            Scalar::F16 => Repr::Float(16),
            Scalar::I32 => Repr::Int(32),
            Scalar::Ptr(AddressSpace::Local | AddressSpace::Private) => Repr::Int(32),
            Scalar::I64 | Scalar::Ptr(_) if target.int64 => Repr::Int(64),
            Scalar::I64 | Scalar::Ptr(_) => Repr::Pair,
            Scalar::F32 => Repr::Float(32),
            Scalar::F64 => Repr::Float(64),
            Scalar::Matrix(_) => Repr::Matrix,
        }
    }

    /// Returns an integer type that the device has natively, with its capability.
    pub fn int_type(&mut self, bits: u32) -> u32 {
        match bits {
            8 => self.builder.require_capability(Capability::Int8),
            16 => self.builder.require_capability(Capability::Int16),
            64 => self.builder.require_capability(Capability::Int64),
            _ => {}
        }
        self.builder.int(bits)
    }

    pub fn scalar_type(&mut self, scalar: Scalar) -> EmitResult<u32> {
        self.ty(Type::of(scalar))
    }

    /// Returns the SPIR-V type of an IR type.
    pub fn ty(&mut self, ty: Type) -> EmitResult<u32> {
        if let Some(&id) = self.types.get(&ty) {
            return Ok(id);
        }
        if let Scalar::Matrix(matrix) = ty.scalar {
            let id = self.matrix_type(matrix)?;
            self.types.insert(ty, id);
            return Ok(id);
        }
        let id = match (ty.lanes, self.repr(ty.scalar)) {
            (1, Repr::Bool) => self.builder.bool,
            (1, Repr::Int(bits)) => self.int_type(bits),
            (1, Repr::Narrow(bits)) => self.builder.int(bits),
            (1, Repr::Pair) => self.builder.pair(),
            (1, Repr::Float(bits)) => {
                match bits {
                    16 if !self.target.float16 => {
                        let needs = "16-bit floats (shaderFloat16)";
                        return Err(EmitError::missing("half arithmetic", needs));
                    }
                    16 => self.builder.require_capability(Capability::Float16),
                    64 if !self.target.has_native_doubles() => {
                        return Err(EmitError::missing("double", "64-bit floats (shaderFloat64)"))
                    }
                    64 => self.builder.require_capability(Capability::Float64),
                    _ => {}
                }
                self.builder.float(bits)
            }
            (2..=4, repr) if repr != Repr::Pair => {
                let element = self.scalar_type(ty.scalar)?;
                self.builder.vector(element, u32::from(ty.lanes))
            }
            _ => return Err(EmitError::malformed(format!("a value of type {ty}"))),
        };
        self.types.insert(ty, id);
        Ok(id)
    }

    /// Returns a scalar constant from its bits.
    pub fn constant(&mut self, scalar: Scalar, bits: u64) -> EmitResult<u32> {
        Ok(match self.repr(scalar) {
            Repr::Bool => self.builder.bool_const(bits & 1 != 0),
            Repr::Narrow(_) | Repr::Matrix => {
                return Err(EmitError::malformed(format!("a constant {scalar}")))
            }
            Repr::Int(32) => self.const_u32(bits as u32),
            Repr::Int(width) | Repr::Float(width) => {
                let ty = self.scalar_type(scalar)?;
                self.builder.constant(ty, width, bits)
            }
            Repr::Pair => {
                let words = [self.const_u32(bits as u32), self.const_u32((bits >> 32) as u32)];
                let ty = self.builder.pair();
                self.builder.intern(Op::ConstantComposite, Some(ty), &words)
            }
        })
    }

    /// Returns a value that is built of lanes.
    pub fn join(&mut self, lanes: &[u32], ty: Type) -> EmitResult<u32> {
        match lanes {
            [one] => Ok(*one),
            _ => {
                let ty = self.ty(ty)?;
                Ok(self.op(Op::CompositeConstruct, ty, lanes))
            }
        }
    }
}
