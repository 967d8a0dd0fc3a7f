//! A plain interpreter of IR: what a module means, for tests that compare before and after.

use hekla_compiler::ir::*;
use hekla_compiler::passes::fold;
use std::collections::HashMap;

/// Lanes of a value, as bits.
pub type Lanes = Vec<u64>;

/// Address of the first byte of [`Machine::global`].
pub const GLOBAL_BASE: u64 = 0x12_3456_0000;

/// Memory and arguments of one work-item.
pub struct Machine {
    pub global: Vec<u8>,
    pub private: Vec<u8>,
    pub args: Vec<Vec<u8>>,
    steps: u32,
}

const NAN32: u64 = 0x7fc0_0000;

impl Machine {
    pub fn new(global: Vec<u8>, args: Vec<Vec<u8>>) -> Machine {
        Machine { global, private: vec![0; 16], args, steps: 0 }
    }

    fn bytes(
        &mut self,
        space: AddressSpace,
        address: u64,
        len: usize,
    ) -> Result<&mut [u8], String> {
        let (memory, start) = match space {
            AddressSpace::Private => (&mut self.private, address),
            _ => (&mut self.global, address.wrapping_sub(GLOBAL_BASE)),
        };
        let start = start as usize;
        let end = start.checked_add(len).filter(|&end| end <= memory.len());
        let end = end.ok_or_else(|| format!("access at {address:#x} of {len} bytes"))?;
        Ok(&mut memory[start..end])
    }

    fn load(
        &mut self,
        space: AddressSpace,
        at: u64,
        ty: Type,
        align: u32,
    ) -> Result<Lanes, String> {
        if !at.is_multiple_of(u64::from(align)) {
            return Err(format!("load at {at:#x} is not aligned to {align}"));
        }
        let size = ty.scalar.bytes() as usize;
        let bytes = self.bytes(space, at, size * usize::from(ty.lanes))?;
        Ok(bytes.chunks(size).map(|lane| read(lane) & ones(ty.scalar)).collect())
    }

    fn store(
        &mut self,
        space: AddressSpace,
        at: u64,
        ty: Type,
        value: &[u64],
        align: u32,
    ) -> Result<(), String> {
        if !at.is_multiple_of(u64::from(align)) {
            return Err(format!("store at {at:#x} is not aligned to {align}"));
        }
        let size = ty.scalar.bytes() as usize;
        let bytes = self.bytes(space, at, size * usize::from(ty.lanes))?;
        for (lane, &bits) in bytes.chunks_mut(size).zip(value) {
            lane.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        Ok(())
    }

    /// Runs a function to its end; gives what it returns.
    pub fn call(
        &mut self,
        module: &Module,
        func: Func,
        args: &[Lanes],
    ) -> Result<Vec<Lanes>, String> {
        let f = &module.functions[func];
        let mut frame = Frame { f, values: HashMap::new(), results: HashMap::new() };
        let mut block = f.entry();
        let mut args = args.to_vec();
        loop {
            for (&param, arg) in f.blocks[block].params.iter().zip(args) {
                frame.values.insert(param, arg);
            }
            args = Vec::new();
            for &inst in &f.blocks[block].insts {
                self.steps += 1;
                if self.steps > 2_000_000 {
                    return Err("runs too long".to_string());
                }
                let target = match &f.insts[inst] {
                    InstData::Jump { target } => target,
                    InstData::Brif { cond, then, otherwise } => {
                        if frame.get(*cond)[0] != 0 {
                            then
                        } else {
                            otherwise
                        }
                    }
                    InstData::Switch { value, cases, default } => {
                        let value = frame.get(*value)[0];
                        let case = cases.iter().find(|case| case.value == value);
                        case.map_or(default, |case| &case.target)
                    }
                    InstData::Return { values } => {
                        return Ok(values.iter().map(|&v| frame.get(v)).collect());
                    }
                    InstData::Unreachable => return Err("unreachable is reached".to_string()),
                    InstData::Call { func, args } => {
                        let args: Vec<Lanes> = args.iter().map(|&arg| frame.get(arg)).collect();
                        let results = self.call(module, *func, &args)?;
                        if let (Some(value), Some(first)) = (f.result(inst), results.first()) {
                            frame.values.insert(value, first.clone());
                            frame.results.insert(value, results);
                        }
                        continue;
                    }
                    data => {
                        let result = f.result(inst);
                        let ty = result.map_or(Type::I32, |v| f.ty(v));
                        let lanes = self.inst(&frame, data, ty)?;
                        if let Some(result) = result {
                            frame.values.insert(result, lanes);
                        }
                        continue;
                    }
                };
                block = target.block;
                args = target.args.iter().map(|&arg| frame.get(arg)).collect();
            }
        }
    }

    fn inst(&mut self, frame: &Frame, data: &InstData, ty: Type) -> Result<Lanes, String> {
        use InstData::*;
        let space = |ptr: Value| frame.f.ty(ptr).space().expect("a pointer");
        Ok(match data {
            Alloca { size, align } => {
                let at = self.private.len().next_multiple_of(*align as usize);
                self.private.resize(at + *size as usize, 0);
                vec![at as u64]
            }
            Load { ptr, align, .. } => self.load(space(*ptr), frame.get(*ptr)[0], ty, *align)?,
            Store { ptr, value, align, .. } => {
                let (at, bits) = (frame.get(*ptr)[0], frame.get(*value));
                self.store(space(*ptr), at, frame.f.ty(*value), &bits, *align)?;
                vec![]
            }
            AtomicRmw { op, ptr, value, .. } => {
                let at = frame.get(*ptr)[0];
                let old = self.load(space(*ptr), at, ty, ty.bytes())?;
                let binary = match op {
                    AtomicOp::And => BinaryOp::And,
                    AtomicOp::Or => BinaryOp::Or,
                    AtomicOp::Add => BinaryOp::IAdd,
                    _ => return Err("this atomic is not interpreted".to_string()),
                };
                let new = fold::binary(binary, ty.scalar, old[0], frame.get(*value)[0]);
                self.store(space(*ptr), at, ty, &[new.unwrap_or(0)], ty.bytes())?;
                old
            }
            GlobalAddr { .. } => return Err("globals are not interpreted".to_string()),
            LoadArg { arg, offset } => {
                let bytes = &self.args[*arg as usize][*offset as usize..];
                let size = ty.scalar.bytes() as usize;
                bytes.chunks(size).take(ty.lanes.into()).map(read).collect()
            }
            WorkItem { query, dim } => {
                let id = 0x1_0000_0005 * (*query as u64 + 1) + u64::from(*dim);
                match ty.lanes {
                    2 => vec![id & 0xffff_ffff, id >> 32],
                    _ => vec![id & ones(ty.scalar)],
                }
            }
            Barrier { .. } | Fence { .. } => vec![],
            CallResult { call, index } => frame.results[call][*index as usize].clone(),
            other => frame.pure(other, ty),
        })
    }
}

fn read(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

fn ones(scalar: Scalar) -> u64 {
    fold::mask(scalar.bits(), u64::MAX)
}

struct Frame<'a> {
    f: &'a Function,
    values: HashMap<Value, Lanes>,
    /// All results of each call, by its first one.
    results: HashMap<Value, Vec<Lanes>>,
}

impl Frame<'_> {
    fn get(&self, value: Value) -> Lanes {
        match self.f.def(value) {
            ValueDef::Const(Constant::Bits(bits)) => vec![bits],
            ValueDef::Const(Constant::Undef) => vec![0; self.f.ty(value).lanes.into()],
            _ => self.values[&value].clone(),
        }
    }

    fn pure(&self, data: &InstData, ty: Type) -> Lanes {
        use InstData::*;
        match data {
            Build { args } => args.iter().map(|&arg| self.get(arg)[0]).collect(),
            Extract { arg, lane } => vec![self.get(*arg)[usize::from(*lane)]],
            ExtractDynamic { arg, index } => {
                let lanes = self.get(*arg);
                vec![lanes[self.get(*index)[0] as usize % lanes.len()]]
            }
            Insert { arg, element, lane } => {
                let mut lanes = self.get(*arg);
                lanes[usize::from(*lane)] = self.get(*element)[0];
                lanes
            }
            InsertDynamic { arg, element, index } => {
                let mut lanes = self.get(*arg);
                let at = self.get(*index)[0] as usize % lanes.len();
                lanes[at] = self.get(*element)[0];
                lanes
            }
            Shuffle { args, lanes } => {
                let all = [self.get(args[0]), self.get(args[1])].concat();
                lanes.iter().map(|&lane| all[usize::from(lane)]).collect()
            }
            Convert { op: ConvertOp::Bitcast, arg } => {
                regroup(&self.get(*arg), self.f.ty(*arg).scalar, ty.scalar)
            }
            Convert { op: ConvertOp::PtrToInt, arg } => {
                regroup(&self.get(*arg), self.f.ty(*arg).scalar, ty.scalar)
            }
            Convert { op: ConvertOp::IntToPtr, arg } => {
                regroup(&self.get(*arg), self.f.ty(*arg).scalar, ty.scalar)
            }
            PtrAdd { ptr, offset } => {
                let offset_ty = self.f.ty(*offset);
                let offset = match self.get(*offset)[..] {
                    [lo, hi] => (lo | hi << 32) as i64,
                    [bits] => fold::signed(offset_ty.scalar.bits(), bits),
                    _ => 0,
                };
                vec![self.get(*ptr)[0].wrapping_add(offset as u64) & ones(ty.scalar)]
            }
            _ => (0..usize::from(ty.lanes)).map(|lane| self.lane(data, ty, lane)).collect(),
        }
    }

    /// One lane of a lanewise operation.
    fn lane(&self, data: &InstData, ty: Type, lane: usize) -> u64 {
        use InstData::*;
        let get = |value: Value| {
            let lanes = self.get(value);
            lanes.get(lane).copied().unwrap_or(lanes[0])
        };
        let scalar = |value: Value| self.f.ty(value).scalar;
        let clean = |bits: u64| match ty.scalar {
            // Which NaN an operation gives is not said.
            Scalar::F32 if f32::from_bits(bits as u32).is_nan() => NAN32,
            _ => bits,
        };
        match data {
            Unary { op, arg, .. } => clean(fold::unary(*op, ty.scalar, get(*arg))),
            Binary { op, args, .. } => {
                clean(fold::binary(*op, ty.scalar, get(args[0]), get(args[1])).unwrap_or(0))
            }
            Math { op, args, .. } => {
                let args_bits: Vec<u64> = args.iter().map(|&arg| get(arg)).collect();
                clean(fold::math(*op, scalar(args[0]), &args_bits).unwrap_or(0))
            }
            ICmp { cc, args } => {
                let bits = scalar(args[0]).bits();
                u64::from(fold::icmp(*cc, bits, get(args[0]), get(args[1])))
            }
            FCmp { cc, args, .. } => {
                u64::from(fold::fcmp(*cc, scalar(args[0]), get(args[0]), get(args[1])))
            }
            Select { args } => get(if get(args[0]) != 0 { args[1] } else { args[2] }),
            Convert { op, arg } => {
                clean(fold::convert(*op, scalar(*arg), ty.scalar, get(*arg)).unwrap_or(0))
            }
            other => panic!("{other:?} is not interpreted"),
        }
    }
}

/// Bits in scalars of another width.
fn regroup(lanes: &[u64], from: Scalar, to: Scalar) -> Lanes {
    let width = from.bits() as usize / 8;
    let bytes: Vec<u8> =
        lanes.iter().flat_map(|bits| bits.to_le_bytes()[..width].to_vec()).collect();
    bytes.chunks(to.bits() as usize / 8).map(read).collect()
}
