//! The builder that passes use. It writes a new list of instructions for a block, and folds constants.

use crate::ir::fold;
use crate::ir::*;
use rustc_hash::FxHashMap;

/// Emits instructions into `out`, which the pass then puts into a block.
pub type Cursor<'a> = InstBuilder<'a, Vec<Inst>>;

/// The list of instructions that will replace a block's list.
impl InsertionPoint for Vec<Inst> {
    fn insert(&mut self, _: &mut Function, inst: Inst) {
        self.push(inst);
    }

    fn fold(func: &mut Function, data: &InstData, ty: Type) -> Option<Value> {
        if let Some(bits) = fold::inst(func, data, ty, |arg| func.as_const(arg)) {
            return Some(func.constant(ty, bits));
        }
        match *data {
            InstData::Binary { op, args: [a, b], .. } => {
                identity(op, [a, b], [a, b].map(|arg| func.as_const(arg)))
            }
            InstData::Select { args: [_, then, otherwise] } if then == otherwise => Some(then),
            InstData::Select { args: [cond, then, otherwise] } => {
                Some(if func.as_const(cond)? == 0 { otherwise } else { then })
            }
            InstData::Convert { arg, .. } if func.is_undef(arg) => Some(func.undef(ty)),
            InstData::Build { ref args } => {
                args.iter().all(|&arg| func.is_undef(arg)).then(|| func.undef(ty))
            }
            InstData::Extract { arg, .. } if func.is_undef(arg) => Some(func.undef(ty)),
            InstData::Extract { arg, lane } => match func.def_inst(arg) {
                Some(InstData::Build { args }) => Some(args[usize::from(lane)]),
                _ => None,
            },
            InstData::PtrAdd { ptr, offset, .. } => (func.as_const(offset)? == 0).then_some(ptr),
            _ => None,
        }
    }
}

/// Returns the operand that is the result of an operation, by the identities that apply most often after scalarization.
fn identity(op: BinaryOp, [a, b]: [Value; 2], constants: [Option<u64>; 2]) -> Option<Value> {
    use BinaryOp::*;
    match (op, constants) {
        (IAdd | ISub | Or | Xor | Shl | LShr | AShr, [_, Some(0)]) => Some(a),
        (IAdd | Or | Xor, [Some(0), _]) => Some(b),
        (And | IMul | UMulHi, [_, Some(0)]) => Some(b),
        (And | IMul | UMulHi | Shl | LShr, [Some(0), _]) => Some(a),
        (IMul, [_, Some(1)]) => Some(a),
        _ => None,
    }
}

impl<'a> Cursor<'a> {
    pub fn new(func: &'a mut Function) -> Cursor<'a> {
        Cursor { func, out: Vec::new(), flags: OpFlags::empty() }
    }

    /// Ends the current list: it becomes the list of `block`.
    pub fn finish(&mut self, block: Block) {
        self.func.blocks[block].insts = std::mem::take(&mut self.out);
    }

    /// Takes a block's list, to write a new one that [`Cursor::finish_in`] ends.
    pub fn begin(&mut self, block: Block) -> Vec<Inst> {
        std::mem::take(&mut self.func.blocks[block].insts)
    }

    /// Ends the current list: it becomes the list of `block`, and reuses the memory of the old list.
    pub fn finish_in(&mut self, block: Block, mut old: Vec<Inst>) {
        old.clear();
        old.append(&mut self.out);
        self.func.blocks[block].insts = old;
    }

    /// Keeps an instruction that exists already.
    pub fn keep(&mut self, inst: Inst) {
        self.out.push(inst);
    }

    /// Returns the words of a number of 64 bits, the low one first.
    pub fn words_of(&mut self, value: Value) -> (Value, Value) {
        let pair = self.bitcast(value, Type::PAIR);
        (self.extract(pair, 0), self.extract(pair, 1))
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

    /// Returns the value that a load of type `ty` reads after a store of `value` at the same address; both types have
    /// the same number of bytes.
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
        // A pointer becomes a vector, or the reverse. The conversion goes through the integer of all bits (64, so at
        // most one pointer).
        if from.lanes == 1 {
            let int = self.to_memory_int(value);
            return self.bitcast(int, ty);
        }
        let int = self.bitcast(value, Type::of(Scalar::int(from.bits())));
        self.from_memory_int(int, ty.scalar)
    }
}

/// Replaces instructions. `rewrite` inserts the instructions that a replacement needs and returns the replacement, or
/// `None` if the instruction stays. Returns true if any instruction was replaced.
pub fn rewrite_insts(
    func: &mut Function,
    mut rewrite: impl FnMut(&mut Cursor<'_>, Inst) -> Option<InstData>,
) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let mut c = Cursor::new(func);
        let insts = c.begin(block);
        for &inst in &insts {
            c.func.stand_at(inst);
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

/// Replaces values. `rewrite` inserts the instructions that are needed and returns the value that replaces an
/// instruction's result, or `None` if the instruction stays. Returns true if any value was replaced.
pub fn replace_values(
    func: &mut Function,
    mut rewrite: impl FnMut(&mut Cursor<'_>, Inst) -> Option<Value>,
) -> bool {
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    for block in func.layout.clone() {
        let mut c = Cursor::new(func);
        let insts = c.begin(block);
        for &inst in &insts {
            c.func.stand_at(inst);
            match (rewrite(&mut c, inst), c.func.result(inst)) {
                (Some(value), Some(result)) => {
                    replaced.insert(result, value);
                }
                _ => c.keep(inst),
            }
        }
        c.finish_in(block, insts);
    }
    if replaced.is_empty() {
        return false;
    }
    func.replace_uses(|mut value| {
        while let Some(&other) = replaced.get(&value) {
            value = other;
        }
        value
    });
    true
}

/// Returns the alignment of the address `offset` bytes behind an address that is aligned to `align`.
pub fn align_at(align: u32, offset: u64) -> u32 {
    let bits = u64::from(align) | offset;
    1 << bits.trailing_zeros().min(31)
}
