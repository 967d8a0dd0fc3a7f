//! Replaces every 64-bit integer by a pair of 32-bit ones, for devices without them.
//!
//! 64-bit pointers keep their type; their offsets and addresses, 64-bit work-item values, atomics
//! and results of functions take or give I32x2, low word first. A function's I64 parameters become
//! two.

use super::divide::divide;
use super::pair::{Pair, Pairs};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::passes::cursor::{align_at, Cursor};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

const PAIR: Type = Type::vector(Scalar::I32, 2);

/// Whether there were any.
pub fn run(func: &mut Function) -> bool {
    if !func.values.values().any(|v| v.ty.scalar == Scalar::I64) {
        return false;
    }
    let cfg = Cfg::compute(func);
    let mut pass = Pass {
        c: Cursor::new(func),
        pairs: SecondaryMap::new(),
        replaced: SecondaryMap::new(),
        at: Block::from_u32(0),
    };
    if pass.c.func.ret == Some(Type::I64) {
        pass.c.func.ret = Some(PAIR);
    }
    for &block in cfg.rpo() {
        pass.split_params(block);
    }
    for &block in cfg.rpo() {
        pass.block(block);
    }
    true
}

struct Pass<'a> {
    c: Cursor<'a>,
    /// Words of the I64 values seen so far, two for each lane.
    pairs: SecondaryMap<Value, SmallVec<[Value; 2]>>,
    /// Other values that another now stands for.
    replaced: SecondaryMap<Value, Option<Value>>,
    /// The block that is being written: division splits blocks.
    at: Block,
}

impl Pass<'_> {
    fn is_wide(&self, value: Value) -> bool {
        self.c.ty(value).scalar == Scalar::I64
    }

    fn split_params(&mut self, block: Block) {
        let func = &mut *self.c.func;
        if func.blocks[block].params.iter().all(|&p| func.ty(p) != Type::I64) {
            return;
        }
        for param in std::mem::take(&mut func.blocks[block].params) {
            if func.ty(param) == Type::I64 {
                let words = [(); 2].map(|()| func.add_param(block, Type::I32));
                self.pairs[param] = words.into_iter().collect();
            } else {
                let index = func.blocks[block].params.len() as u32;
                func.values[param].def = ValueDef::Param(block, index);
                func.blocks[block].params.push(param);
            }
        }
    }

    fn block(&mut self, block: Block) {
        self.at = block;
        let insts = std::mem::take(&mut self.c.func.blocks[block].insts);
        for inst in insts {
            let replaced = &self.replaced;
            self.c.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            let result = self.c.func.result(inst);
            let mut wide = result.is_some_and(|v| self.is_wide(v));
            let func = &self.c.func;
            func.insts[inst].for_each_arg(|arg| wide |= func.ty(arg).scalar == Scalar::I64);
            if wide {
                self.inst(inst);
            } else {
                self.c.keep(inst);
            }
        }
        self.c.finish(self.at);
    }

    /// Words of an I64, or of a vector's lane.
    fn lane(&mut self, value: Value, lane: usize) -> Pair {
        let def = self.c.func.def(value);
        if let ValueDef::Const(constant) = def {
            return match constant {
                Constant::Bits(bits) => Pairs { c: &mut self.c }.constant(bits),
                Constant::Undef => [self.c.func.undef(Type::I32); 2],
            };
        }
        match self.pairs[value].get(lane * 2..lane * 2 + 2) {
            Some(&[lo, hi]) => [lo, hi],
            _ => [self.c.func.undef(Type::I32); 2],
        }
    }

    fn pair(&mut self, value: Value) -> Pair {
        self.lane(value, 0)
    }

    /// An I64 as I32x2.
    fn vector(&mut self, value: Value) -> Value {
        let words = self.pair(value);
        self.c.build(&words)
    }

    /// The words of an I32x2.
    fn split(&mut self, vector: Value) -> Pair {
        [self.c.extract(vector, 0), self.c.extract(vector, 1)]
    }

    /// Emits an operation that gives I32x2 in place of I64.
    fn as_vector(&mut self, data: InstData) -> Pair {
        let vector = self.c.inst(data, PAIR);
        self.split(vector)
    }

    fn inst(&mut self, inst: Inst) {
        use InstData::*;
        let data = self.c.func.insts[inst].clone();
        let result = self.c.func.result(inst);
        let ty = result.map_or(Type::I32, |v| self.c.ty(v));
        let pair = match data {
            Unary { op, arg, .. } => {
                let a = self.pair(arg);
                match op {
                    UnaryOp::INeg => Pairs { c: &mut self.c }.neg(a),
                    _ => a.map(|word| self.c.unary(op, word)),
                }
            }
            Binary { op, args, .. } => self.binary(op, args),
            Math { op, args, .. } => {
                let a = self.pair(args[0]);
                Pairs { c: &mut self.c }.math(op, a)
            }
            ICmp { cc, args } => {
                let [a, b] = args.map(|arg| self.pair(arg));
                let value = Pairs { c: &mut self.c }.icmp(cc, a, b);
                return self.replace(result, value);
            }
            Select { args: [cond, then, otherwise] } => {
                let (a, b) = (self.pair(then), self.pair(otherwise));
                Pairs { c: &mut self.c }.select(cond, a, b)
            }
            Convert { op, arg } if ty == Type::I64 => self.convert_to(op, arg),
            Convert { op, arg } => {
                let value = self.convert_from(op, arg, ty);
                return self.replace(result, value);
            }
            Build { args } => {
                let words = args.iter().flat_map(|&arg| self.pair(arg)).collect();
                return self.set(result, words);
            }
            Extract { arg, lane } => self.lane(arg, lane.into()),
            PtrAdd { ptr, offset } => {
                let offset = self.offset(offset);
                let value = self.c.ptr_add(ptr, offset);
                return self.replace(result, value);
            }
            Load { ptr, align, flags } => {
                let words = self.load(ptr, ty, align, flags);
                return self.set(result, words);
            }
            Store { ptr, value, align, flags } => return self.store(ptr, value, align, flags),
            AtomicRmw { op, ptr, value } => {
                let value = self.vector(value);
                self.as_vector(AtomicRmw { op, ptr, value })
            }
            AtomicCmpXchg { ptr, expected, desired } => {
                let (expected, desired) = (self.vector(expected), self.vector(desired));
                self.as_vector(AtomicCmpXchg { ptr, expected, desired })
            }
            AtomicLoad { .. } | WorkItem { .. } => self.as_vector(data),
            AtomicStore { ptr, value } => {
                let value = self.vector(value);
                return self.c.void(AtomicStore { ptr, value });
            }
            LoadArg { arg, offset } => {
                [0, 4].map(|word| self.c.inst(LoadArg { arg, offset: offset + word }, Type::I32))
            }
            Switch { value, cases, default } => return self.switch(value, &cases, default),
            _ => return self.terminator(inst, data),
        };
        self.set(result, pair.into_iter().collect());
    }

    fn set(&mut self, result: Option<Value>, words: SmallVec<[Value; 2]>) {
        if let Some(result) = result {
            self.pairs[result] = words;
        }
    }

    fn replace(&mut self, result: Option<Value>, value: Value) {
        if let Some(result) = result {
            self.replaced[result] = Some(value);
        }
    }

    fn binary(&mut self, op: BinaryOp, args: [Value; 2]) -> Pair {
        use BinaryOp::*;
        let [a, b] = args.map(|arg| self.pair(arg));
        if matches!(op, SDiv | UDiv | SRem | URem) {
            let (after, pair) = divide(&mut self.c, self.at, op, a, b);
            self.at = after;
            return pair;
        }
        let mut p = Pairs { c: &mut self.c };
        let mut choose = |cc| {
            let first = p.icmp(cc, a, b);
            p.select(first, a, b)
        };
        match op {
            SMin => choose(IntCC::Slt),
            SMax => choose(IntCC::Sgt),
            UMin => choose(IntCC::Ult),
            UMax => choose(IntCC::Ugt),
            IAdd => p.add(a, b),
            ISub => p.sub(a, b),
            IMul => p.mul(a, b),
            UMulHi => p.umulhi(a, b),
            SMulHi => p.smulhi(a, b),
            Shl | LShr | AShr => p.shift(op, a, b),
            _ => p.wordwise(op, a, b),
        }
    }

    /// A conversion that gives I64.
    fn convert_to(&mut self, op: ConvertOp, arg: Value) -> Pair {
        use ConvertOp::*;
        match op {
            ZExt => [self.c.convert(op, arg, Type::I32), self.c.iconst(Type::I32, 0)],
            SExt => {
                let word = self.c.convert(op, arg, Type::I32);
                [word, self.c.binary_imm(BinaryOp::AShr, word, 31)]
            }
            FToS | FToU => Pairs { c: &mut self.c }.truncated(arg, op == FToS),
            // From a double, a vector of words, or a pointer.
            _ if self.c.ty(arg) == PAIR => self.split(arg),
            _ => self.as_vector(InstData::Convert { op, arg }),
        }
    }

    /// A conversion from I64 to something else.
    fn convert_from(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        use ConvertOp::*;
        match op {
            Trunc => {
                let [lo, _] = self.pair(arg);
                self.c.convert(op, lo, ty)
            }
            SToF | UToF => {
                let a = self.pair(arg);
                Pairs { c: &mut self.c }.float_of(a, ty.scalar, op == SToF)
            }
            _ => {
                let vector = self.vector(arg);
                self.c.convert(op, vector, ty)
            }
        }
    }

    /// An offset: one signed word where it is known to hold it.
    fn offset(&mut self, offset: Value) -> Value {
        let pair = self.pair(offset);
        let small = match (Pairs { c: &mut self.c }).as_const(pair) {
            Some(bits) => i64::from(bits as i32) == bits as i64,
            None => match self.c.func.def_inst(pair[1]) {
                Some(&InstData::Binary { op: BinaryOp::AShr, args: [word, by], .. }) => {
                    word == pair[0] && self.c.func.as_const(by) == Some(31)
                }
                _ => false,
            },
        };
        if small {
            pair[0]
        } else {
            self.c.build(&pair)
        }
    }

    /// Words that one access takes: two lanes in memory shared with the host, single ones else.
    fn chunk(&self, ptr: Value) -> usize {
        match self.c.ty(ptr).space() {
            Some(AddressSpace::Private | AddressSpace::Local) => 1,
            _ => 4,
        }
    }

    fn load(&mut self, ptr: Value, ty: Type, align: u32, flags: MemFlags) -> SmallVec<[Value; 2]> {
        let chunk = self.chunk(ptr);
        let total = usize::from(ty.lanes) * 2;
        let mut words = SmallVec::new();
        while words.len() < total {
            let offset = words.len() as u64 * 4;
            let count = chunk.min(total - words.len()) as u8;
            let at = self.c.ptr_add_const(ptr, offset as i64);
            let part = Type::vector(Scalar::I32, count);
            let part = self.c.load(part, at, align_at(align, offset), flags);
            words.extend((0..count).map(|lane| self.c.extract(part, lane)));
        }
        words
    }

    fn store(&mut self, ptr: Value, value: Value, align: u32, flags: MemFlags) {
        let lanes = usize::from(self.c.ty(value).lanes);
        let words: Vec<Value> = (0..lanes).flat_map(|lane| self.lane(value, lane)).collect();
        let chunk = self.chunk(ptr);
        for (i, part) in words.chunks(chunk).enumerate() {
            let offset = (i * chunk * 4) as u64;
            let at = self.c.ptr_add_const(ptr, offset as i64);
            let value = self.c.build(part);
            self.c.store(at, value, align_at(align, offset), flags);
        }
    }

    /// Branch arguments and a returned value.
    fn terminator(&mut self, inst: Inst, mut data: InstData) {
        if let InstData::Return { value: Some(value) } = &mut data {
            if self.is_wide(*value) {
                *value = self.vector(*value);
            }
        }
        data.for_each_target_mut(|call| self.target(call));
        self.c.func.insts[inst] = data;
        self.c.keep(inst);
    }

    fn target(&mut self, call: &mut BlockCall) {
        for arg in std::mem::take(&mut call.args) {
            if self.is_wide(arg) {
                call.args.extend(self.pair(arg));
            } else {
                call.args.push(arg);
            }
        }
    }

    /// A switch of the low words for each high word that cases have.
    fn switch(&mut self, value: Value, cases: &[SwitchCase], mut default: BlockCall) {
        self.target(&mut default);
        if !self.is_wide(value) {
            let mut cases = cases.to_vec();
            cases.iter_mut().for_each(|case| self.target(&mut case.target));
            return self.c.void(InstData::Switch { value, cases, default });
        }
        let [lo, hi] = self.pair(value);
        let mut sorted: Vec<SwitchCase> = cases.to_vec();
        sorted.sort_by_key(|case| case.value);
        for group in sorted.chunk_by(|a, b| a.value >> 32 == b.value >> 32) {
            let [inner, next] = [(); 2].map(|()| self.c.func.add_block());
            let high = group.first().map_or(0, |case| case.value >> 32);
            let cond = self.c.icmp_imm(IntCC::Eq, hi, high as i64);
            let (then, otherwise) = (BlockCall::new(inner), BlockCall::new(next));
            self.c.void(InstData::Brif { cond, then, otherwise });
            self.c.finish(self.at);
            let cases = group
                .iter()
                .map(|case| {
                    let mut target = case.target.clone();
                    self.target(&mut target);
                    SwitchCase { value: case.value & 0xffff_ffff, target }
                })
                .collect();
            self.c.void(InstData::Switch { value: lo, cases, default: default.clone() });
            self.c.finish(inner);
            self.at = next;
        }
        self.c.void(InstData::Jump { target: default });
    }
}
