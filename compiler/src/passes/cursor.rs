//! A cursor that writes a block's new instruction list, folding constants on the way.

use super::fold;
use crate::ir::*;
use smallvec::SmallVec;

/// Emits instructions into `out`; the pass puts that into a block.
pub struct Cursor<'a> {
    pub func: &'a mut Function,
    pub out: Vec<Inst>,
    /// Given to every float operation.
    pub flags: FpFlags,
}

impl<'a> Cursor<'a> {
    pub fn new(func: &'a mut Function) -> Cursor<'a> {
        Cursor { func, out: Vec::new(), flags: FpFlags::empty() }
    }

    /// Ends the current list: it becomes that of `block`.
    pub fn finish(&mut self, block: Block) {
        self.func.blocks[block].insts = std::mem::take(&mut self.out);
    }

    /// Takes a block's list, to write a new one that [`Cursor::finish_in`] ends.
    pub fn begin(&mut self, block: Block) -> Vec<Inst> {
        std::mem::take(&mut self.func.blocks[block].insts)
    }

    /// Ends the current list: it becomes that of `block`, in the memory of the old one.
    pub fn finish_in(&mut self, block: Block, mut old: Vec<Inst>) {
        old.clear();
        old.append(&mut self.out);
        self.func.blocks[block].insts = old;
    }

    pub fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    /// Keeps an instruction that exists already.
    pub fn keep(&mut self, inst: Inst) {
        self.out.push(inst);
    }

    pub fn inst(&mut self, data: InstData, ty: Type) -> Value {
        let value = self.func.values.next_key();
        let inst = self.func.make_inst(data, Some(ty));
        self.out.push(inst);
        value
    }

    pub fn void(&mut self, data: InstData) {
        let inst = self.func.make_inst(data, None);
        self.out.push(inst);
    }

    /// Returns a scalar integer constant.
    pub fn iconst(&mut self, ty: Type, value: i64) -> Value {
        self.func.constant(ty, value as u64)
    }

    fn as_scalar_const(&self, value: Value) -> Option<u64> {
        self.func.as_const(value)
    }

    pub fn unary(&mut self, op: UnaryOp, arg: Value) -> Value {
        let ty = self.ty(arg);
        if let Some(a) = self.as_scalar_const(arg) {
            return self.func.constant(ty, fold::unary(op, ty.scalar, a));
        }
        self.inst(InstData::Unary { op, arg, flags: self.flags }, ty)
    }

    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        let constants = (self.as_scalar_const(a), self.as_scalar_const(b));
        if let (Some(x), Some(y)) = constants {
            if let Some(bits) = fold::binary(op, ty.scalar, x, y) {
                return self.func.constant(ty, bits);
            }
        }
        // The identities that scalarization brings about most.
        use BinaryOp::*;
        match (op, constants) {
            (IAdd | ISub | Or | Xor | Shl | LShr | AShr, (_, Some(0))) => return a,
            (IAdd | Or | Xor, (Some(0), _)) => return b,
            (And | IMul | UMulHi, (_, Some(0))) => return b,
            (And | IMul | UMulHi | Shl | LShr, (Some(0), _)) => return a,
            (IMul, (_, Some(1))) => return a,
            _ => {}
        }
        self.inst(InstData::Binary { op, args: [a, b], flags: self.flags }, ty)
    }

    /// Inserts a binary operation with an integer constant on the right.
    pub fn binary_imm(&mut self, op: BinaryOp, a: Value, b: i64) -> Value {
        let ty = self.ty(a);
        let b = self.iconst(ty, b);
        self.binary(op, a, b)
    }

    pub fn math(&mut self, op: MathOp, args: &[Value], ty: Type) -> Value {
        let constants: Option<SmallVec<[u64; 3]>> =
            args.iter().map(|&a| self.as_scalar_const(a)).collect();
        if let Some(constants) = constants {
            let scalar = self.ty(args[0]).scalar;
            if let Some(bits) = fold::math(op, scalar, &constants) {
                return self.func.constant(ty, bits);
            }
        }
        self.inst(InstData::Math { op, args: SmallVec::from_slice(args), flags: self.flags }, ty)
    }

    pub fn icmp(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        if let (Some(x), Some(y)) = (self.as_scalar_const(a), self.as_scalar_const(b)) {
            return self.func.bool_const(fold::icmp(cc, ty.scalar.bits(), x, y));
        }
        self.inst(InstData::ICmp { cc, args: [a, b] }, ty.with_scalar(Scalar::Bool))
    }

    pub fn icmp_imm(&mut self, cc: IntCC, a: Value, b: i64) -> Value {
        let ty = self.ty(a);
        let b = self.iconst(ty, b);
        self.icmp(cc, a, b)
    }

    pub fn fcmp(&mut self, cc: FloatCC, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        if let (Some(x), Some(y)) = (self.as_scalar_const(a), self.as_scalar_const(b)) {
            return self.func.bool_const(fold::fcmp(cc, ty.scalar, x, y));
        }
        let flags = self.flags;
        self.inst(InstData::FCmp { cc, args: [a, b], flags }, ty.with_scalar(Scalar::Bool))
    }

    pub fn select(&mut self, cond: Value, then: Value, otherwise: Value) -> Value {
        if then == otherwise {
            return then;
        }
        match self.as_scalar_const(cond) {
            Some(0) => return otherwise,
            Some(_) => return then,
            None => {}
        }
        let ty = self.ty(then);
        self.inst(InstData::Select { args: [cond, then, otherwise] }, ty)
    }

    /// Converts; nothing is emitted when the type is `ty` already.
    pub fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        let from = self.ty(arg);
        if from == ty {
            return arg;
        }
        if let (Some(a), 1) = (self.as_scalar_const(arg), ty.lanes) {
            if let Some(bits) = fold::convert(op, from.scalar, ty.scalar, a) {
                return self.func.constant(ty, bits);
            }
        }
        if self.func.is_undef(arg) {
            return self.func.undef(ty);
        }
        self.inst(InstData::Convert { op, arg }, ty)
    }

    pub fn bitcast(&mut self, arg: Value, ty: Type) -> Value {
        self.convert(ConvertOp::Bitcast, arg, ty)
    }

    /// To an integer of another width, or the same.
    pub fn resize(&mut self, arg: Value, ty: Type, signed: bool) -> Value {
        let from = self.ty(arg);
        let op = match (from.scalar.bits() > ty.scalar.bits(), signed) {
            (true, _) => ConvertOp::Trunc,
            (false, true) => ConvertOp::SExt,
            (false, false) => ConvertOp::ZExt,
        };
        self.convert(op, arg, ty)
    }

    /// Returns a vector from its lanes; a single lane is itself.
    pub fn build(&mut self, args: &[Value]) -> Value {
        if let [single] = *args {
            return single;
        }
        let ty = Type::vector(self.ty(args[0]).scalar, args.len() as u8);
        if args.iter().all(|&a| self.func.is_undef(a)) {
            return self.func.undef(ty);
        }
        self.inst(InstData::Build { args: SmallVec::from_slice(args) }, ty)
    }

    /// Returns a lane; a scalar is its own.
    pub fn extract(&mut self, arg: Value, lane: u8) -> Value {
        let ty = self.ty(arg);
        if ty.lanes == 1 {
            return arg;
        }
        if self.func.is_undef(arg) {
            return self.func.undef(ty.lane());
        }
        match self.func.def_inst(arg) {
            Some(InstData::Build { args }) => args[usize::from(lane)],
            _ => self.inst(InstData::Extract { arg, lane }, ty.lane()),
        }
    }

    pub fn ptr_add(&mut self, ptr: Value, offset: Value) -> Value {
        if self.as_scalar_const(offset) == Some(0) {
            return ptr;
        }
        let ty = self.ty(ptr);
        self.inst(InstData::PtrAdd { ptr, offset }, ty)
    }

    /// Pointer plus a constant number of bytes: 32-bit where that holds it.
    pub fn ptr_add_const(&mut self, ptr: Value, offset: i64) -> Value {
        let ty = match i32::try_from(offset) {
            Ok(_) => Type::I32,
            Err(_) => Type::of(Scalar::int(self.ty(ptr).scalar.bits())),
        };
        let offset = self.iconst(ty, offset);
        self.ptr_add(ptr, offset)
    }

    pub fn load(&mut self, ty: Type, ptr: Value, align: u32, flags: MemFlags) -> Value {
        self.inst(InstData::Load { ptr, align, flags }, ty)
    }

    pub fn store(&mut self, ptr: Value, value: Value, align: u32, flags: MemFlags) {
        self.void(InstData::Store { ptr, value, align, flags });
    }

    /// Returns the integer with a scalar's bits in memory: as wide as [`Scalar::bytes`] says, so pointers
    /// into local and private memory are zero-extended.
    pub fn to_memory_int(&mut self, value: Value) -> Value {
        let scalar = self.ty(value).scalar;
        let ty = Type::of(Scalar::int(scalar.bytes() * 8));
        if scalar.is_ptr() {
            let address = Type::of(Scalar::int(scalar.bits()));
            let value = self.convert(ConvertOp::PtrToInt, value, address);
            return self.convert(ConvertOp::ZExt, value, ty);
        }
        self.bitcast(value, ty)
    }

    /// Inverts [`Cursor::to_memory_int`].
    pub fn from_memory_int(&mut self, value: Value, scalar: Scalar) -> Value {
        if scalar.is_ptr() {
            let address = Type::of(Scalar::int(scalar.bits()));
            let value = self.resize(value, address, false);
            return self.convert(ConvertOp::IntToPtr, value, Type::of(scalar));
        }
        self.bitcast(value, Type::of(scalar))
    }

    /// Returns what a load of type `ty` gives after a store of `value` at the same place; both take the
    /// same number of bytes.
    pub fn reinterpret(&mut self, value: Value, ty: Type) -> Value {
        let from = self.ty(value);
        if from == ty {
            return value;
        }
        if !from.scalar.is_ptr() && !ty.scalar.is_ptr() {
            return self.bitcast(value, ty);
        }
        if self.func.is_undef(value) {
            return self.func.undef(ty);
        }
        if from.lanes == 1 && ty.lanes == 1 {
            let int = self.to_memory_int(value);
            return self.from_memory_int(int, ty.scalar);
        }
        // A pointer and a vector: by way of the integer of all bits (64, so at most one pointer).
        if from.lanes == 1 {
            let int = self.to_memory_int(value);
            return self.bitcast(int, ty);
        }
        let int = self.bitcast(value, Type::of(Scalar::int(from.bits())));
        self.from_memory_int(int, ty.scalar)
    }
}

/// Replaces instructions: `rewrite` returns what one becomes, after it has inserted what that needs, or `None` where it
/// stays. Returns true if any was replaced.
pub fn rewrite_insts(
    func: &mut Function,
    mut rewrite: impl FnMut(&mut Cursor<'_>, Inst) -> Option<InstData>,
) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let mut c = Cursor::new(func);
        let insts = c.begin(block);
        for &inst in &insts {
            if let Some(data) = rewrite(&mut c, inst) {
                c.func.replace_inst(inst, data);
                changed = true;
            }
            c.keep(inst);
        }
        c.finish_in(block, insts);
    }
    changed
}

/// Alignment of an address `offset` bytes past one that is aligned to `align`.
pub fn align_at(align: u32, offset: u64) -> u32 {
    let bits = u64::from(align) | offset;
    1 << bits.trailing_zeros().min(31)
}
