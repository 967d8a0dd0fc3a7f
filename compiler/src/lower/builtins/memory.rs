//! Vector data load and store functions (OpenCL C 6.15.7), half among them, and prefetch.

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::{AddressSpace, ConvertOp, MemFlags, Scalar, Type, Value};
use crate::lower::function::Lowering;
use crate::lower::memory::Addr;
use crate::sema::hir::Rounding;

/// The parts of a name like `vstorea_half4_rtz`.
struct Access {
    store: bool,
    half: bool,
    /// True for `vloada_half3` and its like: aligned, and three take the place of four.
    aligned: bool,
    lanes: u8,
    rounding: Rounding,
}

fn parse(name: &str) -> Option<Access> {
    let (store, rest) = match name.strip_prefix("vload") {
        Some(rest) => (false, rest),
        None => (true, name.strip_prefix("vstore")?),
    };
    let (aligned, rest) = match rest.strip_prefix("a_half") {
        Some(_) => (true, &rest[1..]),
        None => (false, rest),
    };
    let (half, rest) = match rest.strip_prefix("_half") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (digits, mode) = match rest.split_once('_') {
        Some((digits, mode)) => (digits, Some(mode)),
        None => (rest, None),
    };
    let rounding = match mode {
        None | Some("rte") => Rounding::NearestEven,
        Some("rtz") => Rounding::TowardZero,
        Some("rtp") => Rounding::TowardPositive,
        Some("rtn") => Rounding::TowardNegative,
        Some(_) => return None,
    };
    let lanes = match digits {
        "" if half => 1,
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    Some(Access { store, half, aligned, lanes, rounding })
}

impl Lowering<'_, '_> {
    pub fn memory_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        if call.name == "prefetch" {
            return Some(None);
        }
        let access = parse(call.name)?;
        match (access.store, call.args.as_slice()) {
            (false, &[offset, ptr]) => done(self.vload(call, &access, offset, ptr)),
            (true, &[data, offset, ptr]) => {
                self.vstore(call, &access, data, offset, ptr);
                Some(None)
            }
            _ => None,
        }
    }

    fn vload(&mut self, call: &BuiltinCall, access: &Access, offset: Value, ptr: Value) -> Value {
        if !access.half {
            let addr = self.vector_address(access, call.result, call, offset, ptr);
            return self.load(call.result, addr);
        }
        let bits = Type::vector(Scalar::I16, access.lanes);
        let addr = self.vector_address(access, bits, call, offset, ptr);
        let bits = self.load(bits, addr);
        let half = self.b.bitcast(bits, Type::vector(Scalar::F16, access.lanes));
        self.b.convert(ConvertOp::FConvert, half, call.result)
    }

    fn vstore(
        &mut self,
        call: &BuiltinCall,
        access: &Access,
        data: Value,
        offset: Value,
        ptr: Value,
    ) {
        let ty = self.b.ty(data);
        if !access.half {
            let addr = self.vector_address(access, ty, call, offset, ptr);
            return self.store(addr, data);
        }
        let bits = self.half_bits(data, access.rounding);
        let addr = self.vector_address(access, self.b.ty(bits), call, offset, ptr);
        self.store(addr, bits);
    }

    /// Floats or doubles as the bits of halves, in I16 lanes.
    fn half_bits(&mut self, data: Value, rounding: Rounding) -> Value {
        let ty = self.b.ty(data);
        let bits = ty.with_scalar(Scalar::I16);
        if rounding == Rounding::NearestEven {
            let half = self.b.convert(ConvertOp::FConvert, data, ty.with_scalar(Scalar::F16));
            return self.b.bitcast(half, bits);
        }
        let half = self.fptrunc_bits(data, Scalar::F16, rounding);
        self.b.convert(ConvertOp::Trunc, half, bits)
    }

    /// Address of vector number `offset`.
    fn vector_address(
        &mut self,
        access: &Access,
        ty: Type,
        call: &BuiltinCall,
        offset: Value,
        ptr: Value,
    ) -> Addr {
        let element = u64::from(ty.scalar.bytes());
        let lanes = if access.aligned && access.lanes == 3 { 4 } else { u64::from(access.lanes) };
        let align = if access.aligned { element * lanes } else { element };
        let offset_ty = call.types.get(call.types.len().saturating_sub(2)).copied();
        let ptr = match offset_ty {
            Some(ty) => self.pointer_add(ptr, offset, ty, element * lanes, false),
            None => ptr,
        };
        let mut addr = Addr::new(ptr, align as u32);
        if self.space(ptr) == AddressSpace::Constant {
            addr.flags |= MemFlags::INVARIANT;
        }
        addr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let a = parse("vstorea_half3_rtz").unwrap();
        assert!(a.store && a.half && a.aligned && a.lanes == 3);
        assert_eq!(a.rounding, Rounding::TowardZero);
        let a = parse("vload_half").unwrap();
        assert!(!a.store && a.half && !a.aligned && a.lanes == 1);
        let a = parse("vload16").unwrap();
        assert!(!a.half && a.lanes == 16);
        assert!(parse("vload5").is_none());
        assert!(parse("vload").is_none());
        assert!(parse("vstore_half4_rtx").is_none());
    }
}
