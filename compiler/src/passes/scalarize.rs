//! Splits vectors into scalars. After it vectors remain at memory alone: results of loads of 2 to
//! 4 lanes and the extracts of their lanes, and what is built for stores of 2 to 4 lanes, in global,
//! constant and generic memory. (Parameters and results of functions stay as they are; a kernel's
//! entry has none.)

use super::cursor::{align_at, Cursor};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

type Lanes = SmallVec<[Value; 4]>;

/// Splits vectors; returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    let has_vectors = func.values.values().any(|v| v.ty.lanes > 1);
    if !has_vectors {
        return false;
    }
    let cfg = Cfg::compute(func);
    let (lanes, replaced) = (SecondaryMap::new(), func.value_map());
    let mut pass = Scalarizer { c: Cursor::new(func), lanes, replaced };
    pass.split_params(&cfg);
    for &block in cfg.rpo() {
        pass.block(block);
    }
    true
}

struct Scalarizer<'a> {
    c: Cursor<'a>,
    /// Lanes of the vectors seen so far.
    lanes: SecondaryMap<Value, Lanes>,
    /// Scalars that another now stands for.
    replaced: SecondaryMap<Value, Option<Value>>,
}

impl Scalarizer<'_> {
    /// Gives each block a scalar parameter per lane.
    fn split_params(&mut self, cfg: &Cfg) {
        let func = &mut *self.c.func;
        let entry = func.entry();
        for &block in cfg.rpo() {
            let vectors = func.blocks[block].params.iter().any(|&p| func.ty(p).is_vector());
            if block == entry || !vectors {
                continue;
            }
            for param in std::mem::take(&mut func.blocks[block].params) {
                let ty = func.ty(param);
                if ty.is_vector() {
                    let lanes = (0..ty.lanes).map(|_| func.add_param(block, ty.lane()));
                    self.lanes[param] = lanes.collect();
                } else {
                    func.push_param(block, param);
                }
            }
        }
    }

    fn block(&mut self, block: Block) {
        if block == self.c.func.entry() {
            for param in self.c.func.params().to_vec() {
                self.extract_all(param);
            }
        }
        let insts = self.c.begin(block);
        for &inst in &insts {
            let replaced = &self.replaced;
            self.c.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            let result = self.c.func.result(inst);
            let mut vectors = result.is_some_and(|v| self.c.ty(v).is_vector());
            let func = &self.c.func;
            func.insts[inst].for_each_arg(|arg| vectors |= func.ty(arg).is_vector());
            if vectors {
                self.inst(inst);
            } else {
                self.c.keep(inst);
            }
        }
        self.c.finish_in(block, insts);
    }

    /// Notes the lanes of a value that stays a vector.
    fn extract_all(&mut self, value: Value) {
        let ty = self.c.ty(value);
        if ty.is_vector() {
            self.lanes[value] = (0..ty.lanes)
                .map(|lane| self.c.inst(InstData::Extract { arg: value, lane }, ty.lane()))
                .collect();
        }
    }

    /// Returns all lanes of a value; a scalar is its own.
    fn lanes(&mut self, value: Value) -> Lanes {
        let ty = self.c.ty(value);
        if !ty.is_vector() {
            return SmallVec::from_slice(&[value]);
        }
        if self.lanes[value].is_empty() {
            // Only an undefined constant has no definition that was met before.
            let undef = self.c.func.undef(ty.lane());
            self.lanes[value] = SmallVec::from_elem(undef, usize::from(ty.lanes));
        }
        self.lanes[value].clone()
    }

    /// Returns a lane of a vector; any lane of a scalar is itself.
    fn lane(&mut self, value: Value, lane: u8) -> Value {
        let all = self.lanes(value);
        all.get(usize::from(lane)).copied().unwrap_or(all[0])
    }

    fn inst(&mut self, inst: Inst) {
        use InstData::*;
        let data = self.c.func.insts[inst].clone();
        if data.is_terminator() {
            return self.terminator(inst, data);
        }
        let result = self.c.func.result(inst);
        let ty = result.map_or(Type::I32, |v| self.c.ty(v));
        let lanes: Lanes = match data {
            _ if data.is_lanewise() => self.lanewise(&data, ty),
            Convert { op: ConvertOp::Bitcast, arg } => self.bitcast(arg, ty),
            // Pairs that stand for 64-bit addresses stay.
            Convert { op: ConvertOp::PtrToInt | ConvertOp::IntToPtr, .. } | PtrAdd { .. } => {
                return self.rebuild_args(inst)
            }
            Build { args } => args.into_iter().collect(),
            Extract { arg, lane } => SmallVec::from_slice(&[self.lane(arg, lane)]),
            ExtractDynamic { arg, index } => {
                let lanes = self.lanes(arg);
                SmallVec::from_slice(&[self.choose(&lanes, index)])
            }
            Insert { arg, element, lane } => {
                let mut lanes = self.lanes(arg);
                if let Some(at) = lanes.get_mut(usize::from(lane)) {
                    *at = element;
                }
                lanes
            }
            InsertDynamic { arg, element, index } => self.insert_dynamic(arg, element, index),
            Shuffle { args, lanes } => {
                let mut all = self.lanes(args[0]);
                all.extend(self.lanes(args[1]));
                lanes.iter().map(|&lane| all[usize::from(lane) % all.len()]).collect()
            }
            Load { ptr, align, flags } => self.load(ptr, ty, align, flags),
            Store { ptr, value, align, flags } => return self.store(ptr, value, align, flags),
            LoadArg { arg, offset } => (0..u32::from(ty.lanes))
                .map(|lane| {
                    let offset = offset + lane * ty.scalar.bytes();
                    self.c.inst(LoadArg { arg, offset }, ty.lane())
                })
                .collect(),
            CallResult { .. } => {
                self.c.keep(inst);
                return result.into_iter().for_each(|result| self.extract_all(result));
            }
            _ => return self.rebuild_args(inst),
        };
        if let Some(result) = result {
            if ty.is_vector() {
                self.lanes[result] = lanes;
            } else {
                self.replaced[result] = lanes.first().copied();
            }
        }
    }

    /// Returns the operation once per lane.
    fn lanewise(&mut self, data: &InstData, ty: Type) -> Lanes {
        (0..ty.lanes)
            .map(|lane| {
                let mut data = data.clone();
                data.map_args(|arg| self.lane(arg, lane));
                self.c.inst(data, ty.lane())
            })
            .collect()
    }

    /// Keeps an instruction that takes vectors (a call, or with pairs for 64-bit integers).
    fn rebuild_args(&mut self, inst: Inst) {
        let mut data = std::mem::replace(&mut self.c.func.insts[inst], InstData::Unreachable);
        data.map_args(|arg| {
            let lanes = self.lanes(arg);
            self.c.build(&lanes)
        });
        self.c.func.insts[inst] = data;
        self.c.keep(inst);
        if let Some(result) = self.c.func.result(inst) {
            self.extract_all(result);
        }
    }

    fn terminator(&mut self, inst: Inst, mut data: InstData) {
        if let InstData::Return { values } = &mut data {
            for value in values {
                let lanes = self.lanes(*value);
                *value = self.c.build(&lanes);
            }
        }
        data.for_each_target_mut(|call| {
            let args = std::mem::take(&mut call.args);
            call.args = args.into_iter().flat_map(|arg| self.lanes(arg)).collect();
        });
        self.c.func.insts[inst] = data;
        self.c.keep(inst);
    }

    /// Bits regrouped: scalars of one width become those of another, first lane lowest.
    fn bitcast(&mut self, arg: Value, ty: Type) -> Lanes {
        let lanes = self.lanes(arg);
        let from = self.c.ty(lanes[0]).scalar;
        let (wide, narrow) = (from.bits(), ty.scalar.bits());
        if wide == narrow {
            return lanes.iter().map(|&lane| self.c.bitcast(lane, ty.lane())).collect();
        }
        let mut out = Lanes::new();
        if wide > narrow {
            for lane in lanes {
                let all = self.c.bitcast(lane, Type::of(Scalar::int(wide)));
                for shift in (0..wide).step_by(narrow as usize) {
                    let piece = self.c.binary_imm(BinaryOp::LShr, all, shift.into());
                    let piece = self.c.resize(piece, Type::of(Scalar::int(narrow)), false);
                    out.push(self.c.bitcast(piece, ty.lane()));
                }
            }
            return out;
        }
        let (wide, narrow) = (narrow, wide);
        let int = Type::of(Scalar::int(wide));
        for lanes in lanes.chunks((wide / narrow) as usize) {
            let mut all = self.c.iconst(int, 0);
            for (i, &lane) in lanes.iter().enumerate() {
                let piece = self.c.bitcast(lane, Type::of(Scalar::int(narrow)));
                let piece = self.c.resize(piece, int, false);
                let shift = i as i64 * i64::from(narrow);
                let piece = self.c.binary_imm(BinaryOp::Shl, piece, shift);
                all = self.c.binary(BinaryOp::Or, all, piece);
            }
            out.push(self.c.bitcast(all, ty.lane()));
        }
        out
    }

    /// Returns the index (I32) below the number of lanes.
    fn wrap_index(&mut self, index: Value, lanes: usize) -> Value {
        if lanes.is_power_of_two() {
            self.c.binary_imm(BinaryOp::And, index, lanes as i64 - 1)
        } else {
            self.c.binary_imm(BinaryOp::URem, index, lanes as i64)
        }
    }

    /// Returns the lane that an index names: a tree of selects over the index's bits, or a chain for three.
    fn choose(&mut self, lanes: &[Value], index: Value) -> Value {
        if !lanes.len().is_power_of_two() {
            let index = self.wrap_index(index, lanes.len());
            let mut out = lanes[0];
            for (i, &lane) in lanes.iter().enumerate().skip(1) {
                let here = self.c.icmp_imm(IntCC::Eq, index, i as i64);
                out = self.c.select(here, lane, out);
            }
            return out;
        }
        let mut level = Lanes::from_slice(lanes);
        let mut bit = 1;
        while level.len() > 1 {
            let masked = self.c.binary_imm(BinaryOp::And, index, bit);
            let odd = self.c.icmp_imm(IntCC::Ne, masked, 0);
            level = level.chunks(2).map(|pair| self.c.select(odd, pair[1], pair[0])).collect();
            bit <<= 1;
        }
        level[0]
    }

    fn insert_dynamic(&mut self, arg: Value, element: Value, index: Value) -> Lanes {
        let lanes = self.lanes(arg);
        let index = self.wrap_index(index, lanes.len());
        let mut out = Lanes::new();
        for (i, &lane) in lanes.iter().enumerate() {
            let here = self.c.icmp_imm(IntCC::Eq, index, i as i64);
            out.push(self.c.select(here, element, lane));
        }
        out
    }

    /// Lanes that one access takes.
    fn chunk(&self, ptr: Value, ty: Type) -> u8 {
        match self.c.ty(ptr).space() {
            Some(AddressSpace::Private | AddressSpace::Local) => 1,
            _ => ty.lanes.min(4),
        }
    }

    fn load(&mut self, ptr: Value, ty: Type, align: u32, flags: MemFlags) -> Lanes {
        let chunk = self.chunk(ptr, ty);
        let mut out = Lanes::new();
        for first in (0..ty.lanes).step_by(chunk.into()) {
            let offset = u32::from(first) * ty.scalar.bytes();
            let at = self.c.ptr_add_const(ptr, offset.into());
            let part = Type::vector(ty.scalar, chunk.min(ty.lanes - first));
            let value = self.c.load(part, at, align_at(align, offset.into()), flags);
            if part.is_vector() {
                self.extract_all(value);
                out.extend(self.lanes[value].iter().copied());
            } else {
                out.push(value);
            }
        }
        out
    }

    fn store(&mut self, ptr: Value, value: Value, align: u32, flags: MemFlags) {
        let ty = self.c.ty(value);
        let chunk = self.chunk(ptr, ty);
        let lanes = self.lanes(value);
        for (i, part) in lanes.chunks(chunk.into()).enumerate() {
            let offset = i as u64 * u64::from(chunk) * u64::from(ty.scalar.bytes());
            let at = self.c.ptr_add_const(ptr, offset as i64);
            let value = self.c.build(part);
            self.c.store(at, value, align_at(align, offset), flags);
        }
    }
}
