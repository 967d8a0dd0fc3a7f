//! Emission of one IR instruction: from its operands to the id of its result.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::matrices::MatrixMemory;
use super::repr::Ids;
use crate::ir::{
    ClockScope, ConvertOp, Inst, InstData, MathOp, MemFlags, Scalar, ScalarKinds, Type, UnaryOp,
    Value,
};
use rspirv::spirv::{Capability, Op, Scope};
use smallvec::smallvec;

impl Emitter<'_> {
    /// Emits an instruction that is not a terminator.
    pub fn emit_inst(&mut self, inst: Inst) -> EmitResult<()> {
        let data = &self.func.insts[inst];
        match self.func.result(inst) {
            Some(result) => {
                let ty = self.func.ty(result);
                let id = self.emit_result(data, result, ty)?;
                self.define(result, id);
                Ok(())
            }
            None => self.emit_effect(data),
        }
    }

    fn emit_effect(&mut self, data: &InstData) -> EmitResult<()> {
        match *data {
            InstData::Store { ptr, value, align, flags } => {
                self.store(ptr, value, align, flags.contains(MemFlags::VOLATILE))
            }
            InstData::MatrixStore { layout, ptr, stride, value, align, flags } => {
                self.matrix_store(MatrixMemory { ptr, stride, layout, align, flags }, value)
            }
            InstData::AtomicStore { .. } => self.atomic(data, Type::I32).map(|_| ()),
            InstData::Barrier { flags } => {
                self.barrier(flags);
                Ok(())
            }
            InstData::SubgroupBarrier { flags } => {
                self.subgroup_barrier(flags);
                Ok(())
            }
            InstData::Fence { flags, sync } => {
                self.fence(flags, sync);
                Ok(())
            }
            InstData::Call { func, ref args } => self.call(func, args).map(|_| ()),
            InstData::ImageWrite { view, slot, coords, texel } => {
                self.image_write(view, slot, coords, texel)
            }
            _ => Err(EmitError::malformed(format!("an instruction without result: {data:?}"))),
        }
    }

    fn emit_result(&mut self, data: &InstData, result: Value, ty: Type) -> EmitResult<u32> {
        use InstData::*;
        match *data {
            Unary { op, arg, .. } => {
                let [a] = self.operands([arg])?;
                match op {
                    UnaryOp::FNeg => self.float_negate(ty, a),
                    _ => self.int_unary(op, ty.scalar, a),
                }
            }
            Binary { op, args, flags } => {
                if let Some(half) = self.half_of_product(op, args)? {
                    return Ok(half);
                }
                if let Some(product) = self.wide_product(op, args)? {
                    return Ok(product);
                }
                let args = self.operands(args)?;
                match op.is_float() {
                    true => self.float_binary(op, ty, args, flags),
                    false => self.int_binary(op, ty.scalar, args),
                }
            }
            Math { op, ref args, .. } => self.math(op, args),
            ICmp { cc, args } => {
                let [a, b] = self.scalars(args)?;
                self.int_compare(cc, self.func.ty(args[0]).scalar, a, b)
            }
            FCmp { cc, args, .. } => {
                let [a, b] = self.scalars(args)?;
                self.float_compare(cc, self.func.ty(args[0]).scalar, a, b)
            }
            Select { args: [cond, then, otherwise] } => self.select_value(cond, then, otherwise),
            // On devices without integers of 64 bits an address is two words.
            Convert { op, arg }
                if op == ConvertOp::Bitcast || ty.lanes != self.func.ty(arg).lanes =>
            {
                let id = self.id(arg)?;
                self.bitcast(id, self.func.ty(arg), ty)
            }
            Convert { op: ConvertOp::ZExt | ConvertOp::Trunc, arg } if ty.is_vector() => {
                let (id, ty) = (self.id(arg)?, self.ty(ty)?);
                Ok(self.op(Op::UConvert, ty, &[id]))
            }
            Convert { op, arg } => {
                let [id] = self.scalars([arg])?;
                self.convert(op, self.func.ty(arg).scalar, ty.scalar, id)
            }
            Build { ref args } => self.build(args, ty),
            Extract { arg, lane } => self.extract_lane(arg, lane),
            ExtractDynamic { arg, index } => self.extract_dynamic(arg, index),
            Insert { arg, element, lane } => self.insert_lane(arg, element, lane),
            InsertDynamic { arg, element, index } => self.insert_dynamic(arg, element, index),
            Shuffle { args, ref lanes } => self.shuffle(args, lanes, ty),
            Alloca { .. } => Ok(self.alloca(result)),
            GlobalAddr { global } => self.global_addr(global),
            PtrAdd { ptr, offset, .. } => self.ptr_add(ptr, offset),
            ElementAddr { .. } => self.element_addr(result, data),
            Load { ptr, align, flags } => self.load(ptr, ty, align, flags),
            MatrixLoad { layout, ptr, stride, align, flags } => {
                self.matrix_load(MatrixMemory { ptr, stride, layout, align, flags }, ty)
            }
            MatrixProduct { args, operands } => self.matrix_product(args, operands, ty),
            Matrix { op, ref args } => self.matrix_op(op, args, ty),
            AtomicRmw { .. } | AtomicCmpXchg { .. } | AtomicLoad { .. } => self.atomic(data, ty),
            WorkItem { query, dim } => self.work_item(query, dim),
            LoadArg { arg, offset } => self.load_arg(arg, offset, ty),
            ReadClock { scope } => self.read_clock(scope),
            Call { func, ref args } => self.call_with_result(func, args, result),
            ImageFetch { view, slot, coords, level } => self.image_fetch(view, slot, coords, level),
            ImageSample { view, slot, sampler, coords } => {
                self.image_sample(view, slot, sampler, coords)
            }
            ImageRead { view, slot, coords } => self.image_read(view, slot, coords),
            ImageLevels { view, slot } => self.image_levels(view, slot),
            ImageSize { view, slot, level } => self.image_size(view, slot, level),
            SubgroupElect => self.subgroup_elect(),
            SubgroupVote { op, arg } => self.subgroup_vote(op, arg),
            SubgroupBallot { arg } => self.subgroup_ballot(arg),
            SubgroupBroadcastFirst { arg } => self.subgroup_broadcast_first(arg),
            SubgroupShuffle { op, args } => self.subgroup_shuffle(op, args),
            SubgroupScan { scan, op, arg, cluster } => self.subgroup_scan(scan, op, arg, cluster),
            CallResult { call, index } => self.call_result(call, index, ty),
            _ => Err(EmitError::malformed(format!("a result of {data:?}"))),
        }
    }

    /// Returns operands of arithmetic. [`crate::passes::scalarize`] has made them scalars, except for arithmetic on halves.
    fn operands<const N: usize>(&mut self, args: [Value; N]) -> EmitResult<[u32; N]> {
        if args.iter().any(|&arg| self.func.ty(arg).scalar != Scalar::F16) {
            return self.scalars(args);
        }
        let mut ids = [0; N];
        for (id, arg) in ids.iter_mut().zip(args) {
            *id = self.id(arg)?;
        }
        Ok(ids)
    }

    /// Returns operands that must be scalars.
    fn scalars<const N: usize>(&mut self, args: [Value; N]) -> EmitResult<[u32; N]> {
        let mut ids = [0; N];
        for (id, arg) in ids.iter_mut().zip(args) {
            if self.func.ty(arg).is_vector() {
                return Err(EmitError::malformed("arithmetic on vectors"));
            }
            *id = self.id(arg)?;
        }
        Ok(ids)
    }

    fn math(&mut self, op: MathOp, args: &[Value]) -> EmitResult<u32> {
        let [first, ref rest @ ..] = *args else {
            return Err(EmitError::malformed(format!("{op:?} without operands")));
        };
        let ty = self.func.ty(first);
        let [id] = self.operands([first])?;
        if let (Some(signs), &[a, b]) = (op.signs_of_dot(), args) {
            let operands = self.scalars([a, b])?;
            return self.dot_product(signs, operands);
        }
        if op.takes() == ScalarKinds::INT {
            return self.int_math(op, ty.scalar, id);
        }
        let mut ids: Ids = smallvec![id];
        for &arg in rest {
            ids.push(self.id(arg)?);
        }
        self.float_math(op, ty, &ids)
    }

    fn read_clock(&mut self, scope: ClockScope) -> EmitResult<u32> {
        let (offered, scope) = match scope {
            ClockScope::SubGroup => (self.target.subgroup_clock, Scope::Subgroup),
            ClockScope::Device => (self.target.device_clock, Scope::Device),
        };
        if !offered {
            return Err(EmitError::missing("a clock", "VK_KHR_shader_clock"));
        }
        self.builder.extension("SPV_KHR_shader_clock");
        self.builder.require_capability(Capability::ShaderClockKHR);
        let ty = self.ty(Type::PAIR)?;
        let scope = self.const_u32(scope as u32);
        Ok(self.op(Op::ReadClockKHR, ty, &[scope]))
    }

    fn select_value(&mut self, cond: Value, then: Value, otherwise: Value) -> EmitResult<u32> {
        let ty = self.ty(self.func.ty(then))?;
        let (cond, then, otherwise) = (self.id(cond)?, self.id(then)?, self.id(otherwise)?);
        Ok(self.select(ty, cond, then, otherwise))
    }

    fn ptr_add(&mut self, ptr: Value, offset: Value) -> EmitResult<u32> {
        let (ty, offset_ty) = (self.func.ty(ptr), self.func.ty(offset));
        let base = self.id(ptr)?;
        if ty.scalar.bits() == 32 {
            let offset = self.id(offset)?;
            return Ok(self.u32_op(Op::IAdd, base, offset));
        }
        if !self.target.int64 {
            return Err(EmitError::malformed("arithmetic on an address of two words"));
        }
        let wide = self.ty(Type::I64)?;
        let offset = match (self.func.as_const(offset), offset_ty.scalar) {
            (Some(bits), Scalar::I32) => {
                self.constant(Scalar::I64, i64::from(bits as u32 as i32) as u64)?
            }
            (None, Scalar::I32) => {
                let offset = self.id(offset)?;
                self.op(Op::SConvert, wide, &[offset])
            }
            _ => self.id(offset)?,
        };
        Ok(self.op(Op::IAdd, wide, &[base, offset]))
    }
}
