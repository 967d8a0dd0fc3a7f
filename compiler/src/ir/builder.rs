//! The builder of instructions. It inserts them at the end of a block, or into a list that a pass writes
//! ([`crate::passes::cursor`]).

use super::entities::{Block, Func, Global, Inst, Value};
use super::function::Function;
use super::inst::*;
use super::types::{AddressSpace, Scalar, Type};
use smallvec::SmallVec;

/// Where a builder puts instructions.
pub trait InsertionPoint {
    fn insert(&mut self, func: &mut Function, inst: Inst);

    /// Returns the value that replaces an instruction, if the instruction is not needed.
    fn fold(_: &mut Function, _: &InstData, _: Type) -> Option<Value> {
        None
    }
}

/// Inserts instructions at `out`. The methods take operands of scalar and vector types alike.
pub struct InstBuilder<'a, P> {
    pub func: &'a mut Function,
    pub out: P,
    /// The flags of new operations that have flags.
    pub flags: OpFlags,
}

/// Appends each instruction to the current block, without folding.
pub type Builder<'a> = InstBuilder<'a, Block>;

impl InsertionPoint for Block {
    fn insert(&mut self, func: &mut Function, inst: Inst) {
        func.blocks[*self].insts.push(inst);
    }
}

impl<'a> Builder<'a> {
    /// Returns a builder at the end of the function's entry block.
    pub fn new(func: &'a mut Function) -> Builder<'a> {
        let out = func.entry();
        Builder { func, out, flags: OpFlags::empty() }
    }

    pub fn switch_to(&mut self, block: Block) {
        self.out = block;
    }

    pub fn new_block(&mut self) -> Block {
        self.func.add_block()
    }

    /// Returns true if the current block has its terminator already.
    pub fn is_terminated(&self) -> bool {
        self.func.terminator(self.out).is_some()
    }

    /// Returns a new private object. Its alloca is inserted at the start of the entry block.
    pub fn alloca(&mut self, size: u64, align: u32) -> Value {
        let ty = Type::ptr(AddressSpace::Private);
        let inst = self.func.make_inst(InstData::Alloca { size, align }, Some(ty));
        let entry = self.func.entry();
        self.func.blocks[entry].insts.insert(0, inst);
        self.func.results[inst].expect("made with a result")
    }
}

impl<P: InsertionPoint> InstBuilder<'_, P> {
    pub fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    /// Inserts an instruction without folding.
    pub fn inst(&mut self, data: InstData, ty: Type) -> Value {
        let value = self.func.values.next_key();
        let inst = self.func.make_inst(data, Some(ty));
        self.out.insert(self.func, inst);
        value
    }

    /// Inserts an instruction without result.
    pub fn void(&mut self, data: InstData) {
        let inst = self.func.make_inst(data, None);
        self.out.insert(self.func, inst);
    }

    /// Inserts an instruction, or returns the value that it folds to.
    pub(super) fn push(&mut self, data: InstData, ty: Type) -> Value {
        match P::fold(self.func, &data, ty) {
            Some(value) => value,
            None => self.inst(data, ty),
        }
    }

    /// Returns a scalar integer constant, or a vector with that value in each lane.
    pub fn iconst(&mut self, ty: Type, value: i64) -> Value {
        let lane = self.func.constant(ty.lane(), value as u64);
        self.splat(lane, ty.lanes)
    }

    /// Returns a float constant of the type's width in each lane.
    pub fn fconst(&mut self, ty: Type, value: f64) -> Value {
        let lane = self.func.float_const(ty.scalar, value);
        self.splat(lane, ty.lanes)
    }

    /// Returns a vector with the scalar in each of `lanes` lanes; the scalar itself for one lane.
    pub fn splat(&mut self, value: Value, lanes: u8) -> Value {
        if lanes == 1 {
            return value;
        }
        self.build(&vec![value; usize::from(lanes)])
    }

    /// Builds instructions with additional flags.
    pub fn with_flags<T>(&mut self, flags: OpFlags, build: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.flags;
        self.flags |= flags;
        let built = build(self);
        self.flags = before;
        built
    }

    pub fn undef(&mut self, ty: Type) -> Value {
        self.func.undef(ty)
    }

    pub fn unary(&mut self, op: UnaryOp, arg: Value) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::Unary { op, arg, flags: self.flags - OpFlags::NO_CONTRACT }, ty)
    }

    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        // The flags mean nothing for other operations: with them, equal operations would no longer compare equal.
        let foreign = match op {
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv => OpFlags::empty(),
            _ => OpFlags::NO_CONTRACT,
        };
        self.push(InstData::Binary { op, args: [a, b], flags: self.flags - foreign }, ty)
    }

    /// Inserts an operation on floats that is never combined with other operations, even if the program allows it.
    pub fn binary_alone(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let before = std::mem::replace(&mut self.flags, OpFlags::NO_CONTRACT);
        let result = self.binary(op, a, b);
        self.flags = before;
        result
    }

    /// Inserts a binary operation with an integer constant on the right.
    pub fn binary_imm(&mut self, op: BinaryOp, a: Value, b: i64) -> Value {
        let b = self.iconst(self.ty(a), b);
        self.binary(op, a, b)
    }

    /// Inserts a math operation. The result has the type of the first argument; IsNan and IsInf give bools.
    pub fn math(&mut self, op: MathOp, args: &[Value]) -> Value {
        let ty = op.result(self.ty(args[0]));
        let flags = self.flags - OpFlags::NO_CONTRACT;
        self.push(InstData::Math { op, args: SmallVec::from_slice(args), flags }, ty)
    }

    pub fn icmp(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        let ty = self.ty(a).with_scalar(Scalar::Bool);
        self.push(InstData::ICmp { cc, args: [a, b] }, ty)
    }

    /// Compares with an integer constant on the right.
    pub fn icmp_imm(&mut self, cc: IntCC, a: Value, b: i64) -> Value {
        let b = self.iconst(self.ty(a), b);
        self.icmp(cc, a, b)
    }

    pub fn fcmp(&mut self, cc: FloatCC, a: Value, b: Value) -> Value {
        let ty = self.ty(a).with_scalar(Scalar::Bool);
        let flags = self.flags - OpFlags::NO_CONTRACT;
        self.push(InstData::FCmp { cc, args: [a, b], flags }, ty)
    }

    pub fn select(&mut self, cond: Value, then: Value, otherwise: Value) -> Value {
        let ty = self.ty(then);
        self.push(InstData::Select { args: [cond, then, otherwise] }, ty)
    }

    /// Converts a value with `op`. Inserts nothing if the value has type `ty` already and `op` is not needed.
    pub fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        if self.ty(arg) == ty {
            return arg;
        }
        self.push(InstData::Convert { op, arg }, ty)
    }

    /// Converts a value to an integer of the given width; a value of this width is returned unchanged.
    pub fn resize(&mut self, arg: Value, ty: Type, signed: bool) -> Value {
        let op = match (self.ty(arg).scalar.bits() > ty.scalar.bits(), signed) {
            (true, _) => ConvertOp::Trunc,
            (false, true) => ConvertOp::SExt,
            (false, false) => ConvertOp::ZExt,
        };
        self.convert(op, arg, ty)
    }

    pub fn bitcast(&mut self, arg: Value, ty: Type) -> Value {
        self.convert(ConvertOp::Bitcast, arg, ty)
    }

    /// Returns a vector of the given lanes; a single lane is returned unchanged.
    pub fn build(&mut self, args: &[Value]) -> Value {
        if let [single] = *args {
            return single;
        }
        let ty = Type::vector(self.ty(args[0]).scalar, args.len() as u8);
        self.push(InstData::Build { args: SmallVec::from_slice(args) }, ty)
    }

    /// Returns a lane of a vector; lane 0 of a scalar is the scalar.
    pub fn extract(&mut self, arg: Value, lane: u8) -> Value {
        let ty = self.ty(arg);
        if ty.lanes == 1 {
            return arg;
        }
        self.push(InstData::Extract { arg, lane }, ty.lane())
    }

    pub fn extract_dynamic(&mut self, arg: Value, index: Value) -> Value {
        let ty = self.ty(arg).lane();
        self.push(InstData::ExtractDynamic { arg, index }, ty)
    }

    pub fn insert(&mut self, arg: Value, element: Value, lane: u8) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::Insert { arg, element, lane }, ty)
    }

    pub fn insert_dynamic(&mut self, arg: Value, element: Value, index: Value) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::InsertDynamic { arg, element, index }, ty)
    }

    /// Returns lanes of one vector in any order; a single lane gives a scalar.
    pub fn swizzle(&mut self, arg: Value, lanes: &[u8]) -> Value {
        if let [lane] = *lanes {
            return self.extract(arg, lane);
        }
        let ty = Type::vector(self.ty(arg).scalar, lanes.len() as u8);
        self.push(InstData::Shuffle { args: [arg, arg], lanes: SmallVec::from_slice(lanes) }, ty)
    }

    pub fn shuffle(&mut self, a: Value, b: Value, lanes: &[u8]) -> Value {
        let ty = Type::vector(self.ty(a).scalar, lanes.len() as u8);
        self.push(InstData::Shuffle { args: [a, b], lanes: SmallVec::from_slice(lanes) }, ty)
    }

    pub fn global_addr(&mut self, global: Global, space: AddressSpace) -> Value {
        self.push(InstData::GlobalAddr { global }, Type::ptr(space))
    }

    pub fn kernel_number(&mut self, kernel: Func) -> Value {
        self.push(InstData::KernelNumber { kernel }, Type::I32)
    }

    pub fn ptr_add(&mut self, ptr: Value, offset: Value) -> Value {
        self.ptr_add_within(ptr, offset, Within::ANYWHERE)
    }

    /// Like [`InstBuilder::ptr_add`], for an address that stays in a part of the object.
    pub fn ptr_add_within(&mut self, ptr: Value, offset: Value, within: Within) -> Value {
        let ty = self.ty(ptr);
        self.push(InstData::PtrAdd { ptr, offset, within }, ty)
    }

    pub fn element_addr(&mut self, ptr: Value, index: Value, skipped: i32, bytes: u32) -> Value {
        let ty = self.ty(ptr);
        self.push(InstData::ElementAddr { ptr, index, skipped, bytes }, ty)
    }

    /// Returns the pointer plus a constant number of bytes. The constant has 32 bits if they hold it.
    pub fn ptr_add_const(&mut self, ptr: Value, offset: i64) -> Value {
        if offset == 0 {
            return ptr;
        }
        let ty = match i32::try_from(offset) {
            Ok(_) => Type::I32,
            Err(_) => Type::of(Scalar::int(self.ty(ptr).scalar.bits())),
        };
        let offset = self.iconst(ty, offset);
        self.ptr_add(ptr, offset)
    }

    pub fn load(&mut self, ty: Type, ptr: Value, align: u32, flags: MemFlags) -> Value {
        self.push(InstData::Load { ptr, align, flags }, ty)
    }

    pub fn store(&mut self, ptr: Value, value: Value, align: u32, flags: MemFlags) {
        self.void(InstData::Store { ptr, value, align, flags });
    }

    pub fn atomic_rmw(
        &mut self,
        op: AtomicOp,
        ptr: Value,
        value: Value,
        sync: SyncSemantics,
    ) -> Value {
        let ty = self.ty(value);
        self.push(InstData::AtomicRmw { op, ptr, value, sync }, ty)
    }

    pub fn atomic_cmpxchg(
        &mut self,
        ptr: Value,
        expected: Value,
        desired: Value,
        sync: SyncSemantics,
    ) -> Value {
        let ty = self.ty(expected);
        self.push(InstData::AtomicCmpXchg { ptr, expected, desired, sync }, ty)
    }

    pub fn atomic_load(&mut self, ty: Type, ptr: Value, sync: SyncSemantics) -> Value {
        self.push(InstData::AtomicLoad { ptr, sync }, ty)
    }

    pub fn atomic_store(&mut self, ptr: Value, value: Value, sync: SyncSemantics) {
        self.void(InstData::AtomicStore { ptr, value, sync });
    }

    pub fn work_item(&mut self, query: WorkItemQuery, dim: u8) -> Value {
        self.push(InstData::WorkItem { query, dim }, query.ty())
    }

    pub fn load_arg(&mut self, ty: Type, arg: u32, offset: u32) -> Value {
        self.push(InstData::LoadArg { arg, offset }, ty)
    }

    pub fn image_fetch(
        &mut self,
        view: ImageView,
        slot: Value,
        coords: Value,
        level: Value,
    ) -> Value {
        self.push(InstData::ImageFetch { view, slot, coords, level }, view.component.texel())
    }

    pub fn image_sample(
        &mut self,
        view: ImageView,
        slot: Value,
        sampler: Value,
        coords: Value,
    ) -> Value {
        self.push(InstData::ImageSample { view, slot, sampler, coords }, view.component.texel())
    }

    pub fn image_read(&mut self, view: ImageView, slot: Value, coords: Value) -> Value {
        self.push(InstData::ImageRead { view, slot, coords }, view.component.texel())
    }

    pub fn image_write(&mut self, view: ImageView, slot: Value, coords: Value, texel: Value) {
        self.void(InstData::ImageWrite { view, slot, coords, texel });
    }

    pub fn image_levels(&mut self, view: ImageView, slot: Value) -> Value {
        self.push(InstData::ImageLevels { view, slot }, Type::I32)
    }

    pub fn image_size(&mut self, view: ImageView, slot: Value, level: Value) -> Value {
        self.push(InstData::ImageSize { view, slot, level }, view.coordinates())
    }

    pub fn read_clock(&mut self, scope: ClockScope) -> Value {
        self.push(InstData::ReadClock { scope }, Type::PAIR)
    }

    pub fn barrier(&mut self, flags: BarrierFlags) {
        self.void(InstData::Barrier { flags });
    }

    pub fn fence(&mut self, flags: BarrierFlags, sync: SyncSemantics) {
        self.void(InstData::Fence { flags, sync });
    }

    pub fn subgroup_barrier(&mut self, flags: BarrierFlags) {
        self.void(InstData::SubgroupBarrier { flags });
    }

    pub fn subgroup_elect(&mut self) -> Value {
        self.push(InstData::SubgroupElect, Type::BOOL)
    }

    pub fn subgroup_vote(&mut self, op: SubgroupVote, arg: Value) -> Value {
        self.push(InstData::SubgroupVote { op, arg }, Type::BOOL)
    }

    pub fn subgroup_ballot(&mut self, arg: Value) -> Value {
        self.push(InstData::SubgroupBallot { arg }, Type::BALLOT)
    }

    /// Broadcasts a scalar. The methods below take scalars, too.
    pub fn subgroup_broadcast_first(&mut self, arg: Value) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::SubgroupBroadcastFirst { arg }, ty)
    }

    pub fn subgroup_shuffle(&mut self, op: SubgroupShuffle, arg: Value, by: Value) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::SubgroupShuffle { op, args: [arg, by] }, ty)
    }

    /// Rotates values within clusters of `cluster` work-items; 0 means the whole sub-group.
    pub fn subgroup_rotate(&mut self, arg: Value, by: Value, cluster: u32) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::SubgroupRotate { args: [arg, by], cluster }, ty)
    }

    /// Scans values within clusters of `cluster` work-items; 0 means the whole sub-group.
    pub fn subgroup_scan(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        arg: Value,
        cluster: u32,
    ) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::SubgroupScan { scan, op, arg, cluster }, ty)
    }

    pub fn call(&mut self, func: Func, args: &[Value], ret: Option<Type>) -> Option<Value> {
        let data = InstData::Call { func, args: SmallVec::from_slice(args) };
        match ret {
            Some(ty) => Some(self.inst(data, ty)),
            None => {
                self.void(data);
                None
            }
        }
    }

    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.void(InstData::Jump { target: BlockCall::with_args(block, args) });
    }

    pub fn brif(&mut self, cond: Value, then: Block, otherwise: Block) {
        let (then, otherwise) = (BlockCall::new(then), BlockCall::new(otherwise));
        self.void(InstData::Brif { cond, then, otherwise });
    }

    /// Like [`InstBuilder::brif`], with arguments for the parameters of the blocks.
    pub fn brif_with(
        &mut self,
        cond: Value,
        then: (Block, &[Value]),
        otherwise: (Block, &[Value]),
    ) {
        let [then, otherwise] = [then, otherwise].map(|(b, args)| BlockCall::with_args(b, args));
        self.void(InstData::Brif { cond, then, otherwise });
    }

    pub fn switch(&mut self, value: Value, cases: Vec<SwitchCase>, default: Block) {
        self.void(InstData::Switch { value, cases, default: BlockCall::new(default) });
    }

    pub fn ret(&mut self, value: Option<Value>) {
        self.void(InstData::Return { values: value.into_iter().collect() });
    }

    pub fn unreachable(&mut self) {
        self.void(InstData::Unreachable);
    }
}
