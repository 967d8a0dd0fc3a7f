//! Splits vectors into scalars. After this pass, vectors remain only at memory accesses: results of loads of 2 to 4 lanes and
//! the extracts of their lanes, and the vectors for stores of 2 to 4 lanes, in global, constant and generic memory.
//! (Parameters and results of functions do not change; a kernel's entry has none.)
//!
//! Sums and products of halves stay vectors of up to 4 lanes, and so do block parameters that pass them on: devices compute
//! two halves in the time of one. Simplification removes vectors that are built from all lanes of others.

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
    let packs = keeps_vectors(func);
    let split = SecondaryMap::new();
    let mut pass = Scalarizer { c: Cursor::new(func), lanes, replaced, packs, split };
    pass.split_params(&cfg);
    for &block in cfg.rpo() {
        pass.block(block);
    }
    true
}

/// Returns true if a function computes vectors of halves, which are not split. Vectors of halves that are only in
/// memory do not count.
pub fn keeps_vectors(func: &Function) -> bool {
    func.layout_insts().any(|inst| is_packed_operation(func, inst))
}

/// Returns true if an instruction computes a vector of halves and is not split.
pub fn is_packed_operation(func: &Function, inst: Inst) -> bool {
    use BinaryOp::*;
    let is_packed = match func.insts[inst] {
        InstData::Binary { op, .. } => matches!(op, FAdd | FSub | FMul | FMin | FMax),
        InstData::Math { op, .. } => op == MathOp::Fma,
        InstData::Unary { op, .. } => op == UnaryOp::FNeg,
        _ => false,
    };
    is_packed && func.result(inst).is_some_and(|result| is_halves(func.ty(result)))
}

fn is_halves(ty: Type) -> bool {
    ty.scalar == Scalar::F16 && ty.is_vector()
}

/// Returns the types of the parts in which a vector of halves is computed. Memory accesses use the same types.
fn parts(ty: Type) -> impl Iterator<Item = Type> {
    let first_lanes = (0..ty.lanes).step_by(usize::from(PART));
    first_lanes.map(move |first| Type::vector(ty.scalar, PART.min(ty.lanes - first)))
}

/// The most lanes of a vector that is not split.
const PART: u8 = 4;

struct Scalarizer<'a> {
    c: Cursor<'a>,
    /// By vector, its lanes. Set for all vectors visited so far.
    lanes: SecondaryMap<Value, Lanes>,
    /// By scalar, the value that replaces it.
    replaced: SecondaryMap<Value, Option<Value>>,
    /// True if the function computes vectors of halves.
    packs: bool,
    /// By block, the parameters that were split, each with its new parameters.
    split: SecondaryMap<Block, Vec<(Value, Lanes)>>,
}

impl Scalarizer<'_> {
    /// Replaces each vector parameter of a block by a scalar parameter per lane, or, for halves, one per part.
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
                if self.packs && is_halves(ty) {
                    let parts = parts(ty).map(|part| func.add_param(block, part)).collect();
                    self.split[block].push((param, parts));
                } else if ty.is_vector() {
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
        for (param, parts) in std::mem::take(&mut self.split[block]) {
            self.extract_parts(param, &parts);
        }
        for &inst in &insts {
            self.c.func.stand_at(inst);
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

    /// Records the lanes of a value that stays a vector.
    fn extract_all(&mut self, value: Value) {
        let ty = self.c.ty(value);
        if ty.is_vector() {
            self.lanes[value] = (0..ty.lanes)
                .map(|lane| self.c.inst(InstData::Extract { arg: value, lane }, ty.lane()))
                .collect();
        }
    }

    /// Records the lanes of a value that consists of parts.
    fn extract_parts(&mut self, value: Value, parts: &[Value]) {
        let mut lanes = Lanes::new();
        for &part in parts {
            self.extract_all(part);
            lanes.extend(self.lanes[part].iter().copied());
        }
        self.lanes[value] = lanes;
    }

    /// Returns a part of a vector of halves.
    fn part(&mut self, value: Value, index: usize) -> Value {
        let lanes = self.lanes(value);
        let part = lanes.chunks(PART.into()).nth(index).unwrap_or(&lanes);
        self.c.build(part)
    }

    /// Returns all lanes of a value; a scalar has itself as its only lane.
    fn lanes(&mut self, value: Value) -> Lanes {
        let ty = self.c.ty(value);
        if !ty.is_vector() {
            return SmallVec::from_slice(&[value]);
        }
        if self.lanes[value].is_empty() {
            // Only undefined constants have no definition that was visited before.
            let undef = self.c.func.undef(ty.lane());
            self.lanes[value] = SmallVec::from_elem(undef, usize::from(ty.lanes));
        }
        self.lanes[value].clone()
    }

    /// Returns a lane of a vector; for a scalar, the scalar.
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
            _ if is_packed_operation(self.c.func, inst) => return self.packed(&data, result, ty),
            _ if data.is_lanewise() => self.lanewise(&data, ty),
            Convert { op: ConvertOp::Bitcast, arg } => self.bitcast(arg, ty),
            // Pairs that represent 64-bit addresses are not split.
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

    /// Inserts the operation once for each lane. Returns the results.
    fn lanewise(&mut self, data: &InstData, ty: Type) -> Lanes {
        (0..ty.lanes)
            .map(|lane| {
                let mut data = data.clone();
                data.map_args(|arg| self.lane(arg, lane));
                self.c.inst(data, ty.lane())
            })
            .collect()
    }

    /// Computes a vector of halves in parts.
    fn packed(&mut self, data: &InstData, result: Option<Value>, ty: Type) {
        let mut results = Lanes::new();
        for (index, part) in parts(ty).enumerate() {
            let mut data = data.clone();
            data.map_args(|arg| self.part(arg, index));
            results.push(self.c.inst(data, part));
        }
        if let Some(result) = result {
            self.extract_parts(result, &results);
        }
    }

    /// Keeps an instruction that takes vectors (a call, or one with pairs for 64-bit integers).
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
            call.args = args.into_iter().flat_map(|arg| self.passed_on(arg)).collect();
        });
        self.c.func.insts[inst] = data;
        self.c.keep(inst);
    }

    /// Returns the arguments that a branch passes for one original argument.
    fn passed_on(&mut self, arg: Value) -> Lanes {
        let ty = self.c.ty(arg);
        match self.packs && is_halves(ty) {
            true => (0..parts(ty).count()).map(|index| self.part(arg, index)).collect(),
            false => self.lanes(arg),
        }
    }

    /// Regroups bits: scalars of one width become scalars of another width, the first lane lowest.
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

    /// Returns the index (I32) reduced to a number below the number of lanes.
    fn wrap_index(&mut self, index: Value, lanes: usize) -> Value {
        if lanes.is_power_of_two() {
            self.c.binary_imm(BinaryOp::And, index, lanes as i64 - 1)
        } else {
            self.c.binary_imm(BinaryOp::URem, index, lanes as i64)
        }
    }

    /// Returns the lane with an index: by a tree of selects on the index's bits, or by a chain for three lanes.
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

    /// Returns the number of lanes of each access.
    fn chunk(&self, ptr: Value, ty: Type) -> u8 {
        match self.c.ty(ptr).space() {
            Some(AddressSpace::Private | AddressSpace::Local) => 1,
            _ => ty.lanes.min(PART),
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
