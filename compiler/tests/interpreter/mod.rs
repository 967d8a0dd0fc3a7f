//! A plain interpreter of IR, which runs a module for one work-item, for tests of lowering and of the passes.
#![allow(dead_code)] // Each test file uses its part.

mod images;
mod operations;

use hekla_compiler::ir::*;
pub use images::Image;
use operations as op;
use std::collections::HashMap;

/// Bits of each lane.
pub type Lanes = Vec<u64>;

/// The address of the first byte of global memory.
const GLOBAL_BASE: u64 = 0x12_3456_0000;
const STEPS: u64 = 10_000_000;

/// The memory, the arguments and the ids of one work-item.
pub struct Machine<'m> {
    module: &'m Module,
    global: Vec<u8>,
    local: Vec<u8>,
    private: Vec<u8>,
    /// Addresses of the module's variables.
    variables: Vec<u64>,
    /// The image in each slot.
    pub images: Vec<Image>,
    /// Bytes of each kernel argument.
    pub args: Vec<Vec<u8>>,
    /// The value of each byte of private memory that was not written, and of each byte of an undefined value.
    pub unwritten: u8,
    /// Returns the value of a work-item query in a dimension.
    pub work_item: fn(WorkItemQuery, u8) -> u64,
    /// The number of instructions that may still be executed.
    pub steps: u64,
}

/// Answers queries for the only work-item of a launch: sizes and counts are 1, ids are 0.
fn alone(query: WorkItemQuery, _: u8) -> u64 {
    use WorkItemQuery::*;
    let is_one = matches!(query, GlobalSize | NumGroups | LocalSize | EnqueuedLocalSize | WorkDim);
    (is_one || query == ReordersImages).into()
}

impl<'m> Machine<'m> {
    /// Returns a machine with the module's variables in its memory.
    pub fn new(module: &'m Module) -> Machine<'m> {
        let mut machine = Machine {
            module,
            global: Vec::new(),
            local: vec![0; 16],
            private: vec![0; 16],
            variables: Vec::new(),
            images: Vec::new(),
            args: Vec::new(),
            unwritten: 0xcd,
            work_item: alone,
            steps: STEPS,
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
                let at = (base + u64::from(offset) - GLOBAL_BASE) as usize;
                machine.global[at..at + 8].copy_from_slice(&value.to_le_bytes());
            }
        }
        machine
    }

    /// Adds global memory with the given contents; returns its address.
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

    /// Runs a kernel, which must reach its end.
    pub fn run_kernel(&mut self, index: usize) {
        self.call(self.module.kernels[index].func, Vec::new()).expect("a kernel that ends");
    }

    /// Runs a function; returns its results, or the reason why it does not end.
    pub fn call(&mut self, func: Func, args: Vec<Lanes>) -> Result<Vec<Lanes>, String> {
        let function = &self.module.functions[func];
        let stack = self.private.len();
        let mut frame = Frame {
            function,
            unwritten: self.unwritten,
            values: HashMap::new(),
            results: HashMap::new(),
        };
        let mut block = function.entry();
        frame.bind(block, args);
        let result = loop {
            match self.run_block(&mut frame, block)? {
                Next::Block(target, args) => {
                    block = target;
                    frame.bind(block, args);
                }
                Next::Return(values) => break values,
            }
        };
        self.private.truncate(stack);
        Ok(result)
    }

    fn run_block(&mut self, frame: &mut Frame<'m>, block: Block) -> Result<Next, String> {
        for &inst in &frame.function.blocks[block].insts {
            self.steps = self.steps.checked_sub(1).ok_or("runs too long")?;
            match &frame.function.insts[inst] {
                InstData::Jump { target } => return Ok(frame.branch(target)),
                InstData::Brif { cond, then, otherwise } => {
                    let taken = frame.get(*cond)[0] != 0;
                    return Ok(frame.branch(if taken { then } else { otherwise }));
                }
                InstData::Switch { value, cases, default } => {
                    let value = frame.get(*value)[0];
                    let case = cases.iter().find(|case| case.value == value);
                    return Ok(frame.branch(case.map_or(default, |case| &case.target)));
                }
                InstData::Return { values } => {
                    return Ok(Next::Return(values.iter().map(|&v| frame.get(v)).collect()));
                }
                InstData::Unreachable => return Err("unreachable is reached".to_string()),
                InstData::Call { func, args } => {
                    let args = args.iter().map(|&arg| frame.get(arg)).collect();
                    let results = self.call(*func, args)?;
                    if let (Some(value), Some(first)) =
                        (frame.function.result(inst), results.first())
                    {
                        frame.values.insert(value, first.clone());
                        frame.results.insert(value, results);
                    }
                }
                data => {
                    let result = frame.function.result(inst);
                    let ty = result.map_or(Type::I32, |value| frame.function.ty(value));
                    let lanes = self.execute(frame, data, ty)?;
                    frame.values.extend(result.map(|value| (value, lanes)));
                }
            }
        }
        Err(format!("{block} has no terminator"))
    }

    /// Runs an instruction that is neither a terminator nor a call; returns its result, if it has one.
    fn execute(&mut self, frame: &Frame, data: &InstData, ty: Type) -> Result<Lanes, String> {
        let none = Ok(Vec::new());
        match data {
            InstData::Alloca { size, align } => {
                let at = self.private.len().next_multiple_of(*align as usize);
                self.private.resize(at + *size as usize, self.unwritten);
                Ok(vec![at as u64])
            }
            InstData::GlobalAddr { global } => Ok(vec![self.variables[global.as_u32() as usize]]),
            InstData::Load { ptr, align, .. } => self.load(frame, *ptr, Some(*align), ty),
            InstData::AtomicLoad { ptr, .. } => self.load(frame, *ptr, None, ty),
            InstData::Store { ptr, value, align, .. } => {
                let ty = frame.function.ty(*value);
                self.store(frame, *ptr, Some(*align), &frame.get(*value), ty)?;
                none
            }
            InstData::AtomicStore { ptr, value, .. } => {
                self.store(frame, *ptr, None, &frame.get(*value), frame.function.ty(*value))?;
                none
            }
            InstData::AtomicRmw { op, ptr, value, .. } => {
                let old = self.load(frame, *ptr, None, ty)?;
                let new = atomic(*op, old[0], frame.get(*value)[0], ty.scalar);
                self.store(frame, *ptr, None, &[new], ty)?;
                Ok(old)
            }
            InstData::AtomicCmpXchg { ptr, expected, desired, .. } => {
                let old = self.load(frame, *ptr, None, ty)?;
                if old == frame.get(*expected) {
                    self.store(frame, *ptr, None, &frame.get(*desired), ty)?;
                }
                Ok(old)
            }
            InstData::WorkItem { query, dim } => {
                let mut lanes = regroup(&[(self.work_item)(*query, *dim)], Scalar::I64, ty.scalar);
                lanes.truncate(ty.lanes.into());
                Ok(lanes)
            }
            InstData::LoadArg { arg, offset } => {
                let bytes = &self.args[*arg as usize][*offset as usize..];
                let size = ty.scalar.bytes() as usize;
                Ok(bytes.chunks_exact(size).take(ty.lanes.into()).map(read).collect())
            }
            InstData::ImageFetch { view, slot, coords, .. }
            | InstData::ImageRead { view, slot, coords } => {
                let (slot, coords) = (frame.get(*slot), frame.get(*coords));
                Ok(images::texel(&mut self.images, *view, &slot, &coords)?.to_vec())
            }
            InstData::ImageSample { view, slot, sampler, coords } => {
                let (slot, sampler) = (frame.get(*slot), frame.get(*sampler));
                let coords = frame.get(*coords);
                Ok(images::nearest(&mut self.images, *view, &slot, &sampler, &coords)?.to_vec())
            }
            InstData::ImageWrite { view, slot, coords, texel } => {
                let (slot, coords) = (frame.get(*slot), frame.get(*coords));
                match images::texel(&mut self.images, *view, &slot, &coords) {
                    Ok(place) => place.copy_from_slice(&frame.get(*texel)),
                    Err(_) if !view.is_buffer() => {}
                    Err(message) => return Err(message),
                }
                none
            }
            InstData::ImageLevels { .. } => Ok(vec![1]),
            InstData::ImageSize { view, slot, .. } => {
                Ok(images::size(&self.images, *view, &frame.get(*slot)))
            }
            InstData::ReadClock { .. } => Ok(vec![0; 2]),
            InstData::Barrier { .. } | InstData::Fence { .. } => none,
            InstData::SubgroupBarrier { .. } => none,
            InstData::CallResult { call, index } => {
                Ok(frame.results[call][*index as usize].clone())
            }
            _ => Ok(frame.compute(data, ty)),
        }
    }

    /// Returns the bytes of an access, whose address must be a multiple of the stated alignment or of a scalar's size.
    fn bytes(
        &mut self,
        frame: &Frame,
        ptr: Value,
        align: Option<u32>,
        ty: Type,
    ) -> Result<&mut [u8], String> {
        let (address, size) = (frame.get(ptr)[0], ty.scalar.bytes());
        if !address.is_multiple_of(align.unwrap_or(size).into()) {
            return Err(format!("an access at {address:#x} that is not aligned"));
        }
        let (memory, start) = match frame.function.ty(ptr).space() {
            Some(AddressSpace::Private) => (&mut self.private, address),
            Some(AddressSpace::Local) => (&mut self.local, address),
            _ => (&mut self.global, address.wrapping_sub(GLOBAL_BASE)),
        };
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let end = start.checked_add(size as usize * usize::from(ty.lanes));
        let bytes = end.and_then(|end| memory.get_mut(start..end));
        bytes.ok_or_else(|| format!("an access at {address:#x}, where no memory is"))
    }

    fn load(
        &mut self,
        frame: &Frame,
        ptr: Value,
        align: Option<u32>,
        ty: Type,
    ) -> Result<Lanes, String> {
        let bytes = self.bytes(frame, ptr, align, ty)?;
        let lanes = bytes.chunks_exact(ty.scalar.bytes() as usize).map(read);
        Ok(lanes.map(|lane| op::mask(lane, ty.scalar.bits())).collect())
    }

    fn store(
        &mut self,
        frame: &Frame,
        ptr: Value,
        align: Option<u32>,
        lanes: &[u64],
        ty: Type,
    ) -> Result<(), String> {
        let size = ty.scalar.bytes() as usize;
        let bytes = self.bytes(frame, ptr, align, ty)?;
        for (to, lane) in bytes.chunks_exact_mut(size).zip(lanes) {
            to.copy_from_slice(&lane.to_le_bytes()[..size]);
        }
        Ok(())
    }
}

fn read(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

/// Returns the bits of scalars as scalars of another width.
fn regroup(lanes: &[u64], from: Scalar, to: Scalar) -> Lanes {
    let width = from.bytes() as usize;
    let bytes: Vec<u8> =
        lanes.iter().flat_map(|bits| bits.to_le_bytes()[..width].to_vec()).collect();
    bytes.chunks(to.bytes() as usize).map(read).collect()
}

fn atomic(operation: AtomicOp, old: u64, value: u64, ty: Scalar) -> u64 {
    let Some(binary) = operation.arithmetic() else { return value };
    op::binary(binary, old, value, ty)
}

enum Next {
    Block(Block, Vec<Lanes>),
    Return(Vec<Lanes>),
}

/// The values of one call of a function.
struct Frame<'m> {
    function: &'m Function,
    unwritten: u8,
    values: HashMap<Value, Lanes>,
    /// All results of each call, by the call's first result.
    results: HashMap<Value, Vec<Lanes>>,
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
                let ty = self.function.ty(value);
                let bits = u64::from_le_bytes([self.unwritten; 8]);
                vec![op::mask(bits, ty.scalar.bits()); usize::from(ty.lanes)]
            }
            _ => match self.values.get(&value) {
                Some(lanes) => lanes.clone(),
                None => panic!("{value} is read before it is defined"),
            },
        }
    }

    fn scalar(&self, value: Value) -> Scalar {
        self.function.ty(value).scalar
    }

    /// Computes the result of an instruction that does not access memory.
    fn compute(&self, data: &InstData, ty: Type) -> Lanes {
        match data {
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
            InstData::Convert {
                op: ConvertOp::Bitcast | ConvertOp::PtrToInt | ConvertOp::IntToPtr,
                arg,
            } => regroup(&self.get(*arg), self.scalar(*arg), ty.scalar)
                .into_iter()
                .map(|lane| op::mask(lane, ty.scalar.bits()))
                .collect(),
            InstData::PtrAdd { ptr, offset, .. } => {
                let by = match self.get(*offset)[..] {
                    [low, high] => (low | high << 32) as i64,
                    [bits] => op::signed(bits, self.scalar(*offset).bits()),
                    _ => panic!("an offset of more lanes"),
                };
                let sum = self.get(*ptr)[0].wrapping_add(by as u64);
                vec![op::mask(sum, ty.scalar.bits())]
            }
            InstData::ElementAddr { ptr, index, skipped, bytes } => {
                let count = (self.get(*index)[0] as u32).wrapping_add(*skipped as u32);
                let address = (self.get(*ptr)[0] as u32).wrapping_add(count.wrapping_mul(*bytes));
                vec![u64::from(address)]
            }
            // The work-item is the only one of its sub-group.
            InstData::SubgroupElect => vec![1],
            InstData::SubgroupVote { op: SubgroupVote::AllEqual, arg } => {
                let (bits, ty) = (self.get(*arg)[0], self.scalar(*arg));
                vec![(!ty.is_float() || op::compare_floats(FloatCC::Oeq, bits, bits, ty)).into()]
            }
            InstData::SubgroupVote { arg, .. } => self.get(*arg),
            InstData::SubgroupBallot { arg } => vec![self.get(*arg)[0], 0, 0, 0],
            InstData::SubgroupBroadcastFirst { arg } => self.get(*arg),
            InstData::SubgroupShuffle { args: [arg, _], .. } => self.get(*arg),
            InstData::SubgroupRotate { args: [arg, _], .. } => self.get(*arg),
            InstData::SubgroupScan { scan: SubgroupScan::Exclusive, op, .. } => {
                vec![op.identity(ty.scalar)]
            }
            InstData::SubgroupScan { arg, .. } => self.get(*arg),
            _ => (0..usize::from(ty.lanes)).map(|lane| self.lane(data, ty, lane)).collect(),
        }
    }

    /// Computes one lane of a lanewise operation. A NaN is always the same one, since the IR does not define which.
    fn lane(&self, data: &InstData, ty: Type, lane: usize) -> u64 {
        let get = |value: Value| {
            let lanes = self.get(value);
            lanes.get(lane).copied().unwrap_or(lanes[0])
        };
        let all = |args: &[Value]| args.iter().map(|&arg| get(arg)).collect::<Vec<u64>>();
        let bits = match data {
            InstData::Unary { op, arg, .. } => op::unary(*op, get(*arg), ty.scalar),
            InstData::Binary { op, args: [a, b], .. } => {
                op::binary(*op, get(*a), get(*b), ty.scalar)
            }
            InstData::Math { op, args, .. } => op::math(*op, &all(args), self.scalar(args[0])),
            InstData::ICmp { cc, args: [a, b] } => {
                return op::compare_ints(*cc, get(*a), get(*b), self.scalar(*a)).into();
            }
            InstData::FCmp { cc, args: [a, b], .. } => {
                return op::compare_floats(*cc, get(*a), get(*b), self.scalar(*a)).into();
            }
            InstData::Select { args: [cond, a, b] } => {
                return get(if get(*cond) != 0 { *a } else { *b });
            }
            InstData::Convert { op, arg } => {
                op::convert(*op, get(*arg), self.scalar(*arg), ty.scalar)
            }
            _ => panic!("{data:?} is not executed"),
        };
        op::one_nan(bits, ty.scalar)
    }
}
