//! Executes IR on one work-item, so that tests can say what a program computes.

use super::operations as op;
use hekla_compiler::ir::{
    AddressSpace, AtomicOp, BinaryOp, Block, BlockCall, Constant, ConvertOp, Func, Function,
    InstData, MathOp, Module, Scalar, Type, Value, ValueDef, WorkItemQuery,
};
use std::collections::HashMap;

/// Bits of each lane.
type Lanes = Vec<u64>;

const GLOBAL_BASE: u64 = 0x1_0000_0000;
const STEPS: usize = 10_000_000;

pub struct Machine<'m> {
    module: &'m Module,
    global: Vec<u8>,
    local: Vec<u8>,
    private: Vec<u8>,
    /// Addresses of the module's variables.
    variables: Vec<u64>,
    /// Bytes of each kernel argument.
    pub args: Vec<Vec<u8>>,
    /// Float arithmetic takes denormal numbers for zero and makes zero of them, as some devices do.
    pub flushes: bool,
    steps: usize,
}

impl<'m> Machine<'m> {
    pub fn new(module: &'m Module) -> Machine<'m> {
        let mut machine = Machine {
            module,
            global: Vec::new(),
            local: vec![0; 16],
            private: vec![0; 16],
            variables: Vec::new(),
            args: Vec::new(),
            flushes: false,
            steps: 0,
        };
        for data in module.globals.values() {
            let bytes = data.init.clone().unwrap_or_else(|| vec![0; data.size as usize]);
            let address = match data.space {
                AddressSpace::Local => {
                    let at = machine.local.len().next_multiple_of(128);
                    machine.local.resize(at + bytes.len(), 0);
                    at as u64
                }
                _ => machine.allocate(bytes),
            };
            machine.variables.push(address);
        }
        for (id, data) in module.globals.iter() {
            let base = machine.variables[id.as_u32() as usize];
            for &(offset, target, addend) in &data.relocations {
                let value = machine.variables[target.as_u32() as usize] as i64 + addend;
                machine.write(AddressSpace::Global, base + u64::from(offset), value as u64, 8);
            }
        }
        machine
    }

    /// Global memory with the given contents.
    pub fn allocate(&mut self, bytes: Vec<u8>) -> u64 {
        let at = self.global.len().next_multiple_of(128);
        self.global.resize(at, 0);
        self.global.extend(bytes);
        GLOBAL_BASE + at as u64
    }

    pub fn global_bytes(&self, address: u64, size: usize) -> Vec<u8> {
        let at = (address - GLOBAL_BASE) as usize;
        self.global[at..at + size].to_vec()
    }

    pub fn run_kernel(&mut self, index: usize) {
        self.call(self.module.kernels[index].func, Vec::new());
    }

    fn memory(&mut self, space: AddressSpace, address: u64) -> (&mut Vec<u8>, usize) {
        match space {
            AddressSpace::Private => (&mut self.private, address as usize),
            AddressSpace::Local => (&mut self.local, address as usize),
            _ => (&mut self.global, (address - GLOBAL_BASE) as usize),
        }
    }

    fn read(&mut self, space: AddressSpace, address: u64, bytes: u32) -> u64 {
        let (memory, at) = self.memory(space, address);
        let mut value = [0; 8];
        value[..bytes as usize].copy_from_slice(&memory[at..at + bytes as usize]);
        u64::from_le_bytes(value)
    }

    fn write(&mut self, space: AddressSpace, address: u64, value: u64, bytes: u32) {
        let (memory, at) = self.memory(space, address);
        let value = value.to_le_bytes();
        memory[at..at + bytes as usize].copy_from_slice(&value[..bytes as usize]);
    }

    fn call(&mut self, func: Func, args: Vec<Lanes>) -> Option<Lanes> {
        let function = &self.module.functions[func];
        let stack = self.private.len();
        let mut frame = Frame { function, values: HashMap::new(), flushes: self.flushes };
        let mut block = function.entry();
        frame.bind(block, args);
        let result = loop {
            match self.run_block(&mut frame, block) {
                Next::Block(target, args) => {
                    block = target;
                    frame.bind(block, args);
                }
                Next::Return(value) => break value,
            }
        };
        self.private.truncate(stack);
        result
    }

    fn run_block(&mut self, frame: &mut Frame<'m>, block: Block) -> Next {
        for &inst in &frame.function.blocks[block].insts {
            self.steps += 1;
            assert!(self.steps < STEPS, "the program does not end");
            match &frame.function.insts[inst] {
                InstData::Jump { target } => return frame.branch(target),
                InstData::Brif { cond, then, otherwise } => {
                    let taken = frame.get(*cond)[0] != 0;
                    return frame.branch(if taken { then } else { otherwise });
                }
                InstData::Switch { value, cases, default } => {
                    let value = frame.get(*value)[0];
                    let case = cases.iter().find(|case| case.value == value);
                    return frame.branch(case.map_or(default, |case| &case.target));
                }
                InstData::Return { values } => {
                    return Next::Return(values.first().map(|&value| frame.get(value)));
                }
                InstData::Unreachable => panic!("reached the unreachable"),
                data => {
                    let result = frame.function.results[inst];
                    let ty = result.map(|result| frame.function.ty(result));
                    let lanes = self.execute(frame, data, ty);
                    if let (Some(result), Some(lanes)) = (result, lanes) {
                        frame.values.insert(result, lanes);
                    }
                }
            }
        }
        panic!("block without a terminator")
    }

    /// Runs an instruction that is no terminator.
    fn execute(&mut self, frame: &Frame, data: &InstData, ty: Option<Type>) -> Option<Lanes> {
        match data {
            InstData::Alloca { size, align } => {
                let at = self.private.len().next_multiple_of(*align as usize);
                self.private.resize(at + *size as usize, 0xcd);
                Some(vec![at as u64])
            }
            InstData::GlobalAddr { global } => Some(vec![self.variables[global.as_u32() as usize]]),
            InstData::Load { ptr, align, .. } => Some(self.load(frame, *ptr, Some(*align), ty?)),
            InstData::AtomicLoad { ptr, .. } => Some(self.load(frame, *ptr, None, ty?)),
            InstData::Store { ptr, value, align, .. } => {
                self.store(frame, *ptr, Some(*align), *value);
                None
            }
            InstData::AtomicStore { ptr, value, .. } => {
                self.store(frame, *ptr, None, *value);
                None
            }
            InstData::AtomicRmw { op, ptr, value, .. } => {
                let old = self.load(frame, *ptr, None, ty?);
                let new = atomic(*op, old[0], frame.get(*value)[0], ty?.scalar);
                self.put(frame, *ptr, &[new], ty?);
                Some(old)
            }
            InstData::AtomicCmpXchg { ptr, expected, desired, .. } => {
                let old = self.load(frame, *ptr, None, ty?);
                if old == frame.get(*expected) {
                    self.store(frame, *ptr, None, *desired);
                }
                Some(old)
            }
            InstData::WorkItem { query, .. } => Some(vec![match query {
                WorkItemQuery::GlobalSize
                | WorkItemQuery::NumGroups
                | WorkItemQuery::LocalSize
                | WorkItemQuery::EnqueuedLocalSize
                | WorkItemQuery::WorkDim => 1,
                _ => 0,
            }]),
            InstData::LoadArg { arg, offset } => {
                let bytes = &self.args[*arg as usize];
                let size = ty?.scalar.bytes() as usize;
                let lane = |i: usize| {
                    let at = *offset as usize + i * size;
                    let mut value = [0; 8];
                    value[..size].copy_from_slice(&bytes[at..at + size]);
                    u64::from_le_bytes(value)
                };
                Some((0..usize::from(ty?.lanes)).map(lane).collect())
            }
            InstData::Call { func, args } => {
                let args = args.iter().map(|&arg| frame.get(arg)).collect();
                self.call(*func, args)
            }
            InstData::Barrier { .. } | InstData::Fence { .. } => None,
            _ => Some(frame.compute(data, ty?)),
        }
    }

    fn load(&mut self, frame: &Frame, ptr: Value, align: Option<u32>, ty: Type) -> Lanes {
        let space = frame.function.ty(ptr).space().unwrap();
        let address = frame.get(ptr)[0];
        let size = ty.scalar.bytes();
        assert_eq!(address % u64::from(align.unwrap_or(size)), 0, "misaligned load");
        let lane = |i: u8| address + u64::from(i) * u64::from(size);
        (0..ty.lanes).map(|i| self.read(space, lane(i), size)).collect()
    }

    fn store(&mut self, frame: &Frame, ptr: Value, align: Option<u32>, value: Value) {
        let ty = frame.function.ty(value);
        let address = frame.get(ptr)[0];
        let align = align.unwrap_or(ty.scalar.bytes());
        assert_eq!(address % u64::from(align), 0, "misaligned store");
        self.put(frame, ptr, &frame.get(value), ty);
    }

    fn put(&mut self, frame: &Frame, ptr: Value, lanes: &[u64], ty: Type) {
        let space = frame.function.ty(ptr).space().unwrap();
        let address = frame.get(ptr)[0];
        let size = ty.scalar.bytes();
        for (i, &lane) in lanes.iter().enumerate() {
            self.write(space, address + i as u64 * u64::from(size), lane, size);
        }
    }
}

fn atomic(operation: AtomicOp, old: u64, value: u64, ty: Scalar) -> u64 {
    let binary = match operation {
        AtomicOp::Xchg => return value,
        AtomicOp::Add => BinaryOp::IAdd,
        AtomicOp::Sub => BinaryOp::ISub,
        AtomicOp::And => BinaryOp::And,
        AtomicOp::Or => BinaryOp::Or,
        AtomicOp::Xor => BinaryOp::Xor,
        AtomicOp::SMin => BinaryOp::SMin,
        AtomicOp::SMax => BinaryOp::SMax,
        AtomicOp::UMin => BinaryOp::UMin,
        AtomicOp::UMax => BinaryOp::UMax,
        AtomicOp::FAdd => BinaryOp::FAdd,
    };
    op::binary(binary, old, value, ty)
}

enum Next {
    Block(Block, Vec<Lanes>),
    Return(Option<Lanes>),
}

/// A function's activation.
struct Frame<'m> {
    function: &'m Function,
    values: HashMap<Value, Lanes>,
    flushes: bool,
}

impl Frame<'_> {
    fn bind(&mut self, block: Block, args: Vec<Lanes>) {
        let params = &self.function.blocks[block].params;
        assert_eq!(params.len(), args.len());
        self.values.extend(params.iter().copied().zip(args));
    }

    fn branch(&self, target: &BlockCall) -> Next {
        Next::Block(target.block, target.args.iter().map(|&arg| self.get(arg)).collect())
    }

    fn get(&self, value: Value) -> Lanes {
        match self.function.def(value) {
            ValueDef::Const(Constant::Bits(bits)) => vec![bits],
            ValueDef::Const(Constant::Undef) => {
                vec![0; usize::from(self.function.ty(value).lanes)]
            }
            _ => self.values[&value].clone(),
        }
    }

    fn scalar(&self, value: Value) -> Scalar {
        self.function.ty(value).scalar
    }

    /// An operand of arithmetic.
    fn operand(&self, value: Value) -> Lanes {
        self.flushed(self.get(value), self.scalar(value))
    }

    /// What becomes of denormal numbers.
    fn flushed(&self, mut lanes: Lanes, scalar: Scalar) -> Lanes {
        if self.flushes {
            lanes.iter_mut().for_each(|lane| *lane = op::flush(*lane, scalar));
        }
        lanes
    }

    /// Instructions without memory.
    fn compute(&self, data: &InstData, ty: Type) -> Lanes {
        let result = self.compute_exactly(data, ty);
        match data {
            InstData::Binary { .. } => self.flushed(result, ty.scalar),
            InstData::Math { op, .. } if *op != MathOp::FAbs => self.flushed(result, ty.scalar),
            InstData::Convert { op: ConvertOp::FConvert, .. } => self.flushed(result, ty.scalar),
            _ => result,
        }
    }

    fn compute_exactly(&self, data: &InstData, ty: Type) -> Lanes {
        let lanes = usize::from(ty.lanes);
        match data {
            InstData::Unary { op: operation, arg, .. } => {
                let scalar = self.scalar(*arg);
                self.get(*arg).into_iter().map(|a| op::unary(*operation, a, scalar)).collect()
            }
            InstData::Binary { op: operation, args: [a, b], .. } => {
                self.zip(*a, *b, |x, y| op::binary(*operation, x, y, self.scalar(*a)))
            }
            InstData::ICmp { cc, args: [a, b] } => {
                self.zip(*a, *b, |x, y| op::compare_ints(*cc, x, y, self.scalar(*a)).into())
            }
            InstData::FCmp { cc, args: [a, b], .. } => {
                self.zip(*a, *b, |x, y| op::compare_floats(*cc, x, y, self.scalar(*a)).into())
            }
            InstData::Math { op: operation, args, .. } => {
                let exact = matches!(operation, MathOp::FAbs | MathOp::IsNan | MathOp::IsInf);
                let get = |&arg: &Value| if exact { self.get(arg) } else { self.operand(arg) };
                let values: Vec<Lanes> = args.iter().map(get).collect();
                let lane = |i: usize| {
                    let args: Vec<u64> = values.iter().map(|v| v[i]).collect();
                    op::math(*operation, &args, self.scalar(args_first(data)))
                };
                (0..lanes).map(lane).collect()
            }
            InstData::Select { args: [cond, a, b] } => {
                let (cond, a, b) = (self.get(*cond), self.get(*a), self.get(*b));
                let on = |i: usize| cond[if cond.len() == 1 { 0 } else { i }] != 0;
                (0..lanes).map(|i| if on(i) { a[i] } else { b[i] }).collect()
            }
            InstData::Convert { op: ConvertOp::Bitcast, arg } => self.bitcast(*arg, ty),
            InstData::Convert { op: operation, arg } => {
                let from = self.scalar(*arg);
                let convert = |a| op::convert(*operation, a, from, ty.scalar);
                self.operand(*arg).into_iter().map(convert).collect()
            }
            InstData::Build { args } => args.iter().map(|&arg| self.get(arg)[0]).collect(),
            InstData::Extract { arg, lane } => vec![self.get(*arg)[usize::from(*lane)]],
            InstData::ExtractDynamic { arg, index } => {
                let arg = self.get(*arg);
                vec![arg[self.get(*index)[0] as usize % arg.len()]]
            }
            InstData::Insert { arg, element, lane } => {
                let mut arg = self.get(*arg);
                arg[usize::from(*lane)] = self.get(*element)[0];
                arg
            }
            InstData::InsertDynamic { arg, element, index } => {
                let mut arg = self.get(*arg);
                let at = self.get(*index)[0] as usize % arg.len();
                arg[at] = self.get(*element)[0];
                arg
            }
            InstData::Shuffle { args: [a, b], lanes } => {
                let both = [self.get(*a), self.get(*b)].concat();
                lanes.iter().map(|&lane| both[usize::from(lane)]).collect()
            }
            InstData::PtrAdd { ptr, offset } => {
                let offset_width = self.scalar(*offset).bits();
                let by = op::signed(self.get(*offset)[0], offset_width) as u64;
                vec![op::mask(self.get(*ptr)[0].wrapping_add(by), ty.scalar.bits())]
            }
            _ => panic!("{data:?} is not executed"),
        }
    }

    fn zip(&self, a: Value, b: Value, f: impl Fn(u64, u64) -> u64) -> Lanes {
        let (a, b) = (self.operand(a), self.operand(b));
        assert_eq!(a.len(), b.len());
        a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()
    }

    fn bitcast(&self, arg: Value, ty: Type) -> Lanes {
        let from = self.scalar(arg).bytes() as usize;
        let bytes: Vec<u8> =
            self.get(arg).iter().flat_map(|lane| lane.to_le_bytes()[..from].to_vec()).collect();
        let join = |chunk: &[u8]| {
            let mut value = [0; 8];
            value[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(value)
        };
        bytes.chunks(ty.scalar.bytes() as usize).map(join).collect()
    }
}

fn args_first(data: &InstData) -> Value {
    match data {
        InstData::Math { args, .. } => args[0],
        _ => unreachable!(),
    }
}
