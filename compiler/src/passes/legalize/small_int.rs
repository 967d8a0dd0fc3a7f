//! Computes 8- and 16-bit integers in 32 bits, and accesses global memory in whole words, where the
//! device lacks such integers or such accesses.
//!
//! A widened value's bits above its width are arbitrary; operations that they would matter to
//! extend their operands first. At accesses that the device has, and at arguments, values keep
//! their narrow type and are only converted; so they do between a half's bits and itself.

use super::words::{self, Words};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use crate::target::Target;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Whether anything had to change.
pub fn run(func: &mut Function, target: &Target) -> bool {
    let needed = |scalar: Scalar| match scalar {
        Scalar::I8 => !target.int8 || !target.storage8,
        Scalar::I16 => !target.int16 || !target.storage16,
        _ => false,
    };
    let storage = target.storage8 && target.storage16;
    if storage && !func.values.values().any(|v| needed(v.ty.scalar)) {
        return false;
    }
    let cfg = Cfg::compute(func);
    let mut pass = Pass {
        c: Cursor::new(func),
        target,
        widened: SecondaryMap::new(),
        lanes: SecondaryMap::new(),
        replaced: SecondaryMap::new(),
    };
    for &block in cfg.rpo() {
        pass.params(block);
    }
    for &block in cfg.rpo() {
        pass.block(block);
    }
    true
}

struct Pass<'a> {
    c: Cursor<'a>,
    target: &'a Target,
    /// The I32 that stands for a narrow integer.
    widened: SecondaryMap<Value, Option<Value>>,
    /// Lanes of vectors: their I32 where they are narrow.
    lanes: SecondaryMap<Value, SmallVec<[Value; 4]>>,
    /// What stands for other values.
    replaced: SecondaryMap<Value, Option<Value>>,
}

impl Pass<'_> {
    /// Whether the device does not compute with this type.
    fn narrow(&self, ty: Type) -> bool {
        match ty.scalar {
            Scalar::I8 => !self.target.int8,
            Scalar::I16 => !self.target.int16,
            _ => false,
        }
    }

    fn is_narrow(&self, value: Value) -> bool {
        self.narrow(self.c.ty(value))
    }

    /// Parameters of blocks become I32; the function's own are widened in the entry.
    fn params(&mut self, block: Block) {
        if block == self.c.func.entry() {
            return;
        }
        let any = self.c.func.blocks[block].params.iter().any(|&p| self.is_narrow(p));
        if !any {
            return;
        }
        for param in std::mem::take(&mut self.c.func.blocks[block].params) {
            if self.is_narrow(param) {
                self.widened[param] = Some(self.c.func.add_param(block, Type::I32));
            } else {
                let index = self.c.func.blocks[block].params.len() as u32;
                self.c.func.values[param].def = ValueDef::Param(block, index);
                self.c.func.blocks[block].params.push(param);
            }
        }
    }

    fn block(&mut self, block: Block) {
        if block == self.c.func.entry() {
            for param in self.c.func.params().to_vec() {
                self.widen(param);
            }
        }
        let insts = std::mem::take(&mut self.c.func.blocks[block].insts);
        for inst in insts {
            let replaced = &self.replaced;
            self.c.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            self.inst(inst);
        }
        self.c.finish(block);
    }

    /// Notes the I32 of a value that exists as a narrow one.
    fn widen(&mut self, value: Value) {
        if self.is_narrow(value) && !self.c.ty(value).is_vector() {
            self.widened[value] = Some(self.c.convert(ConvertOp::ZExt, value, Type::I32));
        }
    }

    /// A narrow integer as I32 with arbitrary bits above.
    fn any(&mut self, value: Value) -> Value {
        match (self.widened[value], self.c.func.def(value)) {
            (Some(wide), _) => wide,
            (_, ValueDef::Const(Constant::Bits(bits))) => self.c.func.constant(Type::I32, bits),
            _ => self.c.func.undef(Type::I32),
        }
    }

    fn zero_extended(&mut self, value: Value) -> Value {
        let bits = self.c.ty(value).scalar.bits();
        let wide = self.any(value);
        if let Some(&InstData::Convert { op: ConvertOp::ZExt, arg }) = self.c.func.def_inst(wide) {
            if self.c.ty(arg).scalar.bits() <= bits {
                return wide;
            }
        }
        self.c.binary_imm(BinaryOp::And, wide, (1 << bits) - 1)
    }

    fn sign_extended(&mut self, value: Value) -> Value {
        let up = 32 - i64::from(self.c.ty(value).scalar.bits());
        let wide = self.any(value);
        let high = self.c.binary_imm(BinaryOp::Shl, wide, up);
        self.c.binary_imm(BinaryOp::AShr, high, up)
    }

    /// A narrow integer in its own type; other values as they are.
    fn narrowed(&mut self, value: Value) -> Value {
        let ty = self.c.ty(value);
        if !self.narrow(ty) || ty.is_vector() || self.c.func.as_const(value).is_some() {
            return value;
        }
        let wide = self.any(value);
        match self.c.func.def_inst(wide) {
            Some(&InstData::Convert { op: ConvertOp::ZExt, arg }) if self.c.ty(arg) == ty => arg,
            _ => self.c.convert(ConvertOp::Trunc, wide, ty),
        }
    }

    /// Keeps an instruction with narrow operands and result as they are.
    fn keep(&mut self, inst: Inst) {
        let mut data = std::mem::replace(&mut self.c.func.insts[inst], InstData::Unreachable);
        data.map_args(|arg| self.narrowed(arg));
        self.c.func.insts[inst] = data;
        self.c.keep(inst);
        if let Some(result) = self.c.func.result(inst) {
            self.widen(result);
        }
    }

    fn inst(&mut self, inst: Inst) {
        use InstData::*;
        let result = self.c.func.result(inst);
        let ty = result.map_or(Type::I32, |v| self.c.ty(v));
        match self.c.func.insts[inst] {
            Load { ptr, align, flags } if self.by_words(ptr, ty, align) => {
                return self.load(result, ptr, ty, align, flags);
            }
            Store { ptr, value, align, flags } if self.by_words(ptr, self.c.ty(value), align) => {
                return self.store(ptr, value, align, flags);
            }
            _ => {}
        }
        let func = &self.c.func;
        let mut narrow = self.narrow(ty);
        func.insts[inst].for_each_arg(|arg| narrow |= self.narrow(func.ty(arg)));
        let taken = match func.insts[inst] {
            Extract { arg, .. } => !self.lanes[arg].is_empty(),
            Store { value, .. } => !self.lanes[value].is_empty(),
            _ => false,
        };
        if !narrow && !taken {
            return self.c.keep(inst);
        }
        let data = func.insts[inst].clone();
        if data.is_terminator() {
            return self.terminator(inst, data);
        }
        match self.compute(&data, ty) {
            Some(value) => {
                if let Some(result) = result {
                    let of = if self.narrow(ty) { &mut self.widened } else { &mut self.replaced };
                    of[result] = Some(value);
                }
            }
            None => {
                if let Store { value, .. } = data {
                    self.rebuild(inst, value);
                }
                if let (Build { args }, Some(result)) = (&data, result) {
                    let lanes = args.iter().map(|&a| self.lane_of(a)).collect();
                    self.lanes[result] = lanes;
                }
                self.keep(inst);
            }
        }
    }

    /// A vector that was loaded through words, where it is stored: built of its lanes.
    fn rebuild(&mut self, inst: Inst, vector: Value) {
        let is_build = matches!(self.c.func.def_inst(vector), Some(InstData::Build { .. }));
        if self.lanes[vector].is_empty() || is_build {
            return;
        }
        let ty = self.c.ty(vector).lane();
        let lanes = self.lanes[vector].clone();
        let lanes: Vec<Value> = lanes
            .into_iter()
            .map(|lane| match self.narrow(ty) {
                true => self.c.convert(ConvertOp::Trunc, lane, ty),
                false => lane,
            })
            .collect();
        let built = self.c.build(&lanes);
        self.c.func.insts[inst].map_args(|arg| if arg == vector { built } else { arg });
    }

    /// What stands for a lane: its I32 if narrow.
    fn lane_of(&mut self, value: Value) -> Value {
        if self.is_narrow(value) {
            self.any(value)
        } else {
            value
        }
    }

    /// The result in 32 bits (if it is narrow) of an instruction; `None` for one that stays.
    fn compute(&mut self, data: &InstData, ty: Type) -> Option<Value> {
        use InstData::*;
        Some(match *data {
            Unary { op, arg, .. } => {
                let arg = self.any(arg);
                self.c.unary(op, arg)
            }
            Binary { op, args, .. } => self.binary(op, args),
            Math { op, ref args, .. } if ty.scalar.is_int() => self.math(op, args[0]),
            ICmp { cc, args } => {
                use IntCC::*;
                let signed = matches!(cc, Slt | Sle | Sgt | Sge);
                let [a, b] = args.map(|arg| match signed {
                    true => self.sign_extended(arg),
                    false => self.zero_extended(arg),
                });
                self.c.icmp(cc, a, b)
            }
            Select { args: [cond, then, otherwise] } => {
                let (then, otherwise) = (self.any(then), self.any(otherwise));
                self.c.select(cond, then, otherwise)
            }
            Convert { op, arg } => return self.convert(op, arg, ty),
            Extract { arg, lane } => *self.lanes[arg].get(usize::from(lane))?,
            _ => return None,
        })
    }

    fn binary(&mut self, op: BinaryOp, [a, b]: [Value; 2]) -> Value {
        use BinaryOp::*;
        let bits = i64::from(self.c.ty(a).scalar.bits());
        let (x, y) = match op {
            SDiv | SRem | SMin | SMax | SMulHi => (self.sign_extended(a), self.sign_extended(b)),
            UDiv | URem | UMin | UMax | UMulHi => (self.zero_extended(a), self.zero_extended(b)),
            AShr => (self.sign_extended(a), self.zero_extended(b)),
            LShr => (self.zero_extended(a), self.zero_extended(b)),
            Shl => (self.any(a), self.zero_extended(b)),
            _ => (self.any(a), self.any(b)),
        };
        match op {
            SMulHi | UMulHi => {
                let product = self.c.binary(IMul, x, y);
                self.c.binary_imm(LShr, product, bits)
            }
            _ => self.c.binary(op, x, y),
        }
    }

    fn math(&mut self, op: MathOp, arg: Value) -> Value {
        let bits = i64::from(self.c.ty(arg).scalar.bits());
        let wide = match op {
            MathOp::SAbs => self.sign_extended(arg),
            MathOp::Clz | MathOp::PopCount => self.zero_extended(arg),
            MathOp::Ctz => {
                let wide = self.any(arg);
                self.c.binary_imm(BinaryOp::Or, wide, 1 << bits)
            }
            _ => self.any(arg),
        };
        let value = self.c.math(op, &[wide], Type::I32);
        match op {
            MathOp::Clz => self.c.binary_imm(BinaryOp::IAdd, value, bits - 32),
            MathOp::BitReverse => self.c.binary_imm(BinaryOp::LShr, value, 32 - bits),
            _ => value,
        }
    }

    fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Option<Value> {
        use ConvertOp::*;
        if !self.is_narrow(arg) {
            // From a wide value to a narrow one.
            return Some(match op {
                Bitcast => return None,
                Trunc if self.c.ty(arg).scalar.bits() <= 32 => {
                    let from = self.c.ty(arg);
                    if from == Type::I32 {
                        arg
                    } else {
                        self.c.convert(ZExt, arg, Type::I32)
                    }
                }
                _ => self.c.convert(op, arg, Type::I32),
            });
        }
        let wide = match op {
            ZExt | UToF => self.zero_extended(arg),
            SExt | SToF => self.sign_extended(arg),
            Trunc => self.any(arg),
            _ => return None,
        };
        if self.narrow(ty) {
            // From 8 to 16 bits, or back.
            return Some(wide);
        }
        Some(match op {
            Trunc => self.c.convert(Trunc, wide, ty),
            // To a type between that the device has.
            ZExt | SExt if ty.scalar.bits() < 32 => self.c.convert(Trunc, wide, ty),
            _ => self.c.convert(op, wide, ty),
        })
    }

    fn terminator(&mut self, inst: Inst, mut data: InstData) {
        match &mut data {
            InstData::Return { value: Some(value) } => *value = self.narrowed(*value),
            InstData::Switch { value, .. } if self.is_narrow(*value) => {
                *value = self.zero_extended(*value)
            }
            _ => {}
        }
        data.for_each_target_mut(|call| {
            for arg in &mut call.args {
                *arg = self.lane_of(*arg);
            }
        });
        self.c.func.insts[inst] = data;
        self.c.keep(inst);
    }

    /// Whether an access takes parts of words that the device cannot access.
    fn by_words(&self, ptr: Value, ty: Type, align: u32) -> bool {
        let space = self.c.ty(ptr).space();
        if matches!(space, Some(AddressSpace::Private | AddressSpace::Local)) {
            return false;
        }
        match ty.scalar.bytes().min(align) {
            1 => !self.target.storage8,
            2 => !self.target.storage16,
            _ => false,
        }
    }

    fn load(&mut self, result: Option<Value>, ptr: Value, ty: Type, align: u32, flags: MemFlags) {
        let Some(result) = result else { return };
        let words = words::load(&mut self.c, ptr, ty, align, flags);
        let lanes: SmallVec<[Value; 4]> =
            words.iter().map(|words| self.lane_from_words(words, ty.scalar)).collect();
        match (ty.is_vector(), self.narrow(ty)) {
            (true, _) => self.lanes[result] = lanes,
            (false, true) => self.widened[result] = lanes.first().copied(),
            (false, false) => self.replaced[result] = lanes.first().copied(),
        }
    }

    fn store(&mut self, ptr: Value, value: Value, align: u32, flags: MemFlags) {
        let ty = self.c.ty(value);
        let mut lanes = self.lanes[value].clone();
        if lanes.is_empty() {
            lanes = (0..ty.lanes)
                .map(|lane| {
                    let lane = self.c.extract(value, lane);
                    if self.is_narrow(lane) && ty.is_vector() {
                        self.widen_once(lane)
                    } else {
                        self.lane_of(lane)
                    }
                })
                .collect();
        }
        let words: Vec<Words> =
            lanes.iter().map(|&lane| self.words_of_lane(lane, ty.scalar)).collect();
        words::store(&mut self.c, ptr, &words, ty.scalar.bytes(), align, flags);
    }

    /// The I32 of a lane, just extracted or met before.
    fn widen_once(&mut self, lane: Value) -> Value {
        if self.widened[lane].is_none() && self.c.func.def_inst(lane).is_some() {
            self.widen(lane);
        }
        self.any(lane)
    }

    /// A lane from the words that memory holds.
    fn lane_from_words(&mut self, words: &[Value], scalar: Scalar) -> Value {
        let ty = Type::of(scalar);
        let Some(&low) = words.first() else { return self.c.func.undef(ty) };
        if self.narrow(ty) {
            return low;
        }
        let bytes = scalar.bytes();
        let int = Type::of(Scalar::int(bytes * 8));
        let bits = match words.get(1) {
            Some(&high) => {
                let low = self.c.convert(ConvertOp::ZExt, low, int);
                let high = self.c.convert(ConvertOp::ZExt, high, int);
                let high = self.c.binary_imm(BinaryOp::Shl, high, 32);
                self.c.binary(BinaryOp::Or, low, high)
            }
            None => self.c.resize(low, int, false),
        };
        self.c.from_memory_int(bits, scalar)
    }

    /// The inverse of [`Pass::lane_from_words`].
    fn words_of_lane(&mut self, lane: Value, scalar: Scalar) -> Words {
        if self.narrow(Type::of(scalar)) {
            return Words::from_slice(&[lane]);
        }
        let bits = self.c.to_memory_int(lane);
        if scalar.bytes() < 8 {
            return Words::from_slice(&[self.c.resize(bits, Type::I32, false)]);
        }
        let high = self.c.binary_imm(BinaryOp::LShr, bits, 32);
        [bits, high].map(|word| self.c.convert(ConvertOp::Trunc, word, Type::I32)).into()
    }
}
