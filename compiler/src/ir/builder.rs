//! A builder that appends instructions to a current block.

use super::entities::{Block, Func, Global, Value};
use super::function::Function;
use super::inst::*;
use super::types::{AddressSpace, Scalar, Type};
use smallvec::SmallVec;

/// Appends to the block it stands at. Operations of the same type on vectors and scalars look the
/// same.
pub struct Builder<'a> {
    pub func: &'a mut Function,
    block: Block,
    /// Given to every float operation.
    pub flags: FpFlags,
}

impl<'a> Builder<'a> {
    /// Stands at the function's entry block.
    pub fn new(func: &'a mut Function) -> Builder<'a> {
        let block = func.entry();
        Builder { func, block, flags: FpFlags::empty() }
    }

    pub fn block(&self) -> Block {
        self.block
    }

    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    pub fn new_block(&mut self) -> Block {
        self.func.add_block()
    }

    /// Returns true if the current block has its terminator already.
    pub fn is_terminated(&self) -> bool {
        self.func.terminator(self.block).is_some()
    }

    pub fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    fn push(&mut self, data: InstData, ty: Type) -> Value {
        let inst = self.func.make_inst(data, Some(ty));
        self.func.blocks[self.block].insts.push(inst);
        self.func.results[inst].expect("made with a result")
    }

    fn push_void(&mut self, data: InstData) {
        self.func.append(self.block, data, None);
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

    /// Returns the scalar in each of `lanes` lanes; itself for one lane.
    pub fn splat(&mut self, value: Value, lanes: u8) -> Value {
        if lanes == 1 {
            return value;
        }
        let args: Vec<Value> = vec![value; usize::from(lanes)];
        self.build(&args)
    }

    pub fn undef(&mut self, ty: Type) -> Value {
        self.func.undef(ty)
    }

    pub fn unary(&mut self, op: UnaryOp, arg: Value) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::Unary { op, arg, flags: self.flags }, ty)
    }

    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.push(InstData::Binary { op, args: [a, b], flags: self.flags }, ty)
    }

    /// Result type is the first argument's; bool for IsNan and IsInf.
    pub fn math(&mut self, op: MathOp, args: &[Value]) -> Value {
        let mut ty = self.ty(args[0]);
        if matches!(op, MathOp::IsNan | MathOp::IsInf) {
            ty = ty.with_scalar(Scalar::Bool);
        }
        self.push(InstData::Math { op, args: SmallVec::from_slice(args), flags: self.flags }, ty)
    }

    pub fn icmp(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        let ty = self.ty(a).with_scalar(Scalar::Bool);
        self.push(InstData::ICmp { cc, args: [a, b] }, ty)
    }

    pub fn fcmp(&mut self, cc: FloatCC, a: Value, b: Value) -> Value {
        let ty = self.ty(a).with_scalar(Scalar::Bool);
        self.push(InstData::FCmp { cc, args: [a, b], flags: self.flags }, ty)
    }

    pub fn select(&mut self, cond: Value, then: Value, otherwise: Value) -> Value {
        let ty = self.ty(then);
        self.push(InstData::Select { args: [cond, then, otherwise] }, ty)
    }

    /// Converts; nothing is emitted when the type is `ty` already and `op` is not needed.
    pub fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        if self.ty(arg) == ty {
            return arg;
        }
        self.push(InstData::Convert { op, arg }, ty)
    }

    pub fn bitcast(&mut self, arg: Value, ty: Type) -> Value {
        self.convert(ConvertOp::Bitcast, arg, ty)
    }

    pub fn build(&mut self, args: &[Value]) -> Value {
        let ty = Type::vector(self.ty(args[0]).scalar, args.len() as u8);
        self.push(InstData::Build { args: SmallVec::from_slice(args) }, ty)
    }

    /// Lane of a vector; a scalar is its own lane 0.
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

    /// Lanes of one vector in any order; one lane gives a scalar.
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

    /// Returns a private object; always placed in the entry block, at its start.
    pub fn alloca(&mut self, size: u64, align: u32) -> Value {
        let ty = Type::ptr(AddressSpace::Private);
        let inst = self.func.make_inst(InstData::Alloca { size, align }, Some(ty));
        let entry = self.func.entry();
        self.func.blocks[entry].insts.insert(0, inst);
        self.func.results[inst].expect("made with a result")
    }

    pub fn global_addr(&mut self, global: Global, space: AddressSpace) -> Value {
        self.push(InstData::GlobalAddr { global }, Type::ptr(space))
    }

    pub fn ptr_add(&mut self, ptr: Value, offset: Value) -> Value {
        let ty = self.ty(ptr);
        self.push(InstData::PtrAdd { ptr, offset }, ty)
    }

    /// Pointer plus a constant number of bytes.
    pub fn ptr_add_const(&mut self, ptr: Value, offset: i64) -> Value {
        if offset == 0 {
            return ptr;
        }
        let width = Type::of(Scalar::int(self.ty(ptr).scalar.bits()));
        let offset = self.func.constant(width, offset as u64);
        self.ptr_add(ptr, offset)
    }

    pub fn load(&mut self, ty: Type, ptr: Value, align: u32, flags: MemFlags) -> Value {
        self.push(InstData::Load { ptr, align, flags }, ty)
    }

    pub fn store(&mut self, ptr: Value, value: Value, align: u32, flags: MemFlags) {
        self.push_void(InstData::Store { ptr, value, align, flags });
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
        self.push_void(InstData::AtomicStore { ptr, value, sync });
    }

    pub fn work_item(&mut self, query: WorkItemQuery, dim: u8) -> Value {
        self.push(InstData::WorkItem { query, dim }, query.ty())
    }

    pub fn load_arg(&mut self, ty: Type, arg: u32, offset: u32) -> Value {
        self.push(InstData::LoadArg { arg, offset }, ty)
    }

    pub fn barrier(&mut self, flags: BarrierFlags) {
        self.push_void(InstData::Barrier { flags });
    }

    pub fn fence(&mut self, flags: BarrierFlags, sync: SyncSemantics) {
        self.push_void(InstData::Fence { flags, sync });
    }

    pub fn call(&mut self, func: Func, args: &[Value], ret: Option<Type>) -> Option<Value> {
        let data = InstData::Call { func, args: SmallVec::from_slice(args) };
        self.func.append(self.block, data, ret)
    }

    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.push_void(InstData::Jump { target: BlockCall::with_args(block, args) });
    }

    pub fn brif(&mut self, cond: Value, then: Block, otherwise: Block) {
        let (then, otherwise) = (BlockCall::new(then), BlockCall::new(otherwise));
        self.push_void(InstData::Brif { cond, then, otherwise });
    }

    /// As [`Builder::brif`], with arguments for the parameters of the blocks.
    pub fn brif_with(
        &mut self,
        cond: Value,
        then: (Block, &[Value]),
        otherwise: (Block, &[Value]),
    ) {
        let [then, otherwise] = [then, otherwise].map(|(b, args)| BlockCall::with_args(b, args));
        self.push_void(InstData::Brif { cond, then, otherwise });
    }

    pub fn switch(&mut self, value: Value, cases: Vec<SwitchCase>, default: Block) {
        self.push_void(InstData::Switch { value, cases, default: BlockCall::new(default) });
    }

    pub fn ret(&mut self, value: Option<Value>) {
        self.push_void(InstData::Return { values: value.into_iter().collect() });
    }

    pub fn unreachable(&mut self) {
        self.push_void(InstData::Unreachable);
    }
}
