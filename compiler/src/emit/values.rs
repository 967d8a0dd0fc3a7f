//! IR types and values as the device represents them, and the way to and from 32-bit words.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::{Ids, Repr};
use crate::ir::{AddressSpace, Scalar, Type};
use rspirv::spirv::{Capability, Op};
use smallvec::{smallvec, SmallVec};

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
        let id = match (ty.lanes, self.repr(ty.scalar)) {
            (1, Repr::Bool) => self.builder.bool,
            (1, Repr::Int(bits)) => self.int_type(bits),
            (1, Repr::Narrow(_)) => self.builder.u32,
            (1, Repr::Pair) => self.builder.pair(),
            (1, Repr::Float(bits)) => {
                match bits {
                    16 if !self.target.float16 => {
                        let needs = "16-bit floats (shaderFloat16)";
                        return Err(EmitError::missing("half arithmetic", needs));
                    }
                    16 => self.builder.require_capability(Capability::Float16),
                    64 if !self.target.float64 => {
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
            Repr::Int(32) | Repr::Narrow(_) => self.const_u32(bits as u32),
            Repr::Int(width) | Repr::Float(width) => {
                let ty = self.scalar_type(scalar)?;
                self.builder.constant(ty, width, bits)
            }
            Repr::Pair => self.pair_const(bits),
        })
    }

    /// Returns the lanes of a value.
    pub fn lanes(&mut self, id: u32, ty: Type) -> EmitResult<Ids> {
        if ty.lanes == 1 {
            return Ok(smallvec![id]);
        }
        let lane = self.ty(ty.lane())?;
        Ok((0..u32::from(ty.lanes)).map(|i| self.extract(lane, id, i)).collect())
    }

    /// Returns a value of its lanes.
    pub fn join(&mut self, lanes: &[u32], ty: Type) -> EmitResult<u32> {
        match lanes {
            [one] => Ok(*one),
            _ => {
                let ty = self.ty(ty)?;
                Ok(self.op(Op::CompositeConstruct, ty, lanes))
            }
        }
    }

    /// Returns the lane's bits in words: one, zero-extended, or two. Every pointer gives two, as in memory.
    fn lane_words(&mut self, id: u32, scalar: Scalar) -> EmitResult<SmallVec<[u32; 2]>> {
        let word = self.builder.u32;
        let repr = self.repr(scalar);
        let low = match repr {
            Repr::Bool => return Err(EmitError::malformed("a bool in memory")),
            Repr::Int(32) | Repr::Narrow(_) => id,
            Repr::Int(64) | Repr::Float(64) | Repr::Pair => {
                let pair = self.as_pair(id, repr);
                return Ok(smallvec![self.extract(word, pair, 0), self.extract(word, pair, 1)]);
            }
            Repr::Int(_) => self.op(Op::UConvert, word, &[id]),
            Repr::Float(16) => {
                let half = self.int_type(16);
                let bits = self.op(Op::Bitcast, half, &[id]);
                self.op(Op::UConvert, word, &[bits])
            }
            Repr::Float(_) => self.op(Op::Bitcast, word, &[id]),
        };
        if scalar.is_ptr() {
            return Ok(smallvec![low, self.const_u32(0)]);
        }
        Ok(smallvec![low])
    }

    /// Inverts [`Emitter::lane_words`]; bits above the lane's width are ignored.
    fn lane_from_words(&mut self, words: [u32; 2], scalar: Scalar) -> EmitResult<u32> {
        let repr = self.repr(scalar);
        let ty = self.scalar_type(scalar)?;
        Ok(match repr {
            Repr::Bool => return Err(EmitError::malformed("a bool in memory")),
            Repr::Int(32) => words[0],
            Repr::Narrow(bits) => self.mask_low(words[0], bits),
            Repr::Int(64) | Repr::Float(64) | Repr::Pair => {
                let pair = self.pair(words[0], words[1]);
                self.pair_as(pair, repr, ty)
            }
            Repr::Int(_) => self.op(Op::UConvert, ty, &[words[0]]),
            Repr::Float(16) => {
                let half = self.int_type(16);
                let bits = self.op(Op::UConvert, half, &[words[0]]);
                self.op(Op::Bitcast, ty, &[bits])
            }
            Repr::Float(_) => self.op(Op::Bitcast, ty, &[words[0]]),
        })
    }

    /// Returns a 64-bit scalar as two words.
    pub fn as_pair(&mut self, id: u32, repr: Repr) -> u32 {
        if repr == Repr::Pair {
            return id;
        }
        let pair = self.builder.pair();
        self.op(Op::Bitcast, pair, &[id])
    }

    fn pair_as(&mut self, pair: u32, repr: Repr, ty: u32) -> u32 {
        if repr == Repr::Pair {
            return pair;
        }
        self.op(Op::Bitcast, ty, &[pair])
    }

    /// Returns the value's bytes as little-endian words, the last one zero-extended.
    pub fn words_of(&mut self, id: u32, ty: Type) -> EmitResult<SmallVec<[u32; 8]>> {
        let lanes = self.lanes(id, ty)?;
        let bytes = ty.scalar.bytes();
        let mut words: SmallVec<[u32; 8]> = SmallVec::new();
        for (i, &lane) in lanes.iter().enumerate() {
            let lane_words = self.lane_words(lane, ty.scalar)?;
            let shift = i as u32 * bytes % 4 * 8;
            match words.last_mut() {
                Some(last) if shift != 0 => {
                    let high = self.u32_op_const(Op::ShiftLeftLogical, lane_words[0], shift);
                    *last = self.u32_op(Op::BitwiseOr, *last, high);
                }
                _ => words.extend_from_slice(&lane_words),
            }
        }
        Ok(words)
    }

    /// Returns a value from little-endian words; what is above its size is ignored.
    pub fn value_of_words(&mut self, words: &[u32], ty: Type) -> EmitResult<u32> {
        let bytes = ty.scalar.bytes();
        let mut lanes = Ids::new();
        for i in 0..u32::from(ty.lanes) {
            let at = (i * bytes / 4) as usize;
            let shift = i * bytes % 4 * 8;
            let low = *words.get(at).ok_or_else(|| EmitError::malformed("too few words"))?;
            let low = match shift {
                0 => low,
                _ => self.u32_op_const(Op::ShiftRightLogical, low, shift),
            };
            let high = words.get(at + 1).copied().unwrap_or(low);
            lanes.push(self.lane_from_words([low, high], ty.scalar)?);
        }
        self.join(&lanes, ty)
    }

    /// Returns the low bits of a word.
    pub fn mask_low(&mut self, id: u32, bits: u32) -> u32 {
        if bits >= 32 {
            return id;
        }
        self.u32_op_const(Op::BitwiseAnd, id, (1 << bits) - 1)
    }
}
