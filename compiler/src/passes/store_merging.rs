//! Store merging: bytes that are stored one after the other in private memory, at an offset known only at run time, become
//! stores of words.
//!
//! Private memory that is accessed in several widths is an array of words, in which a store of a byte is a load, an
//! insertion and a store, each of which waits for the one before. If bytes are known to be adjacent, they are shifted to
//! their place in words of 32 bits instead, or of 64 bits if those are in reverse; only the first and the last word keep
//! old bytes. Programs that build messages for hash functions store so, at `(p + k) ^ 3` or `(p + k) ^ 7` if the functions
//! read numbers with the high byte first.

use crate::analysis::access_types::Accesses;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use smallvec::SmallVec;

/// The fewest adjacent bytes that are merged.
const MIN_BYTES: usize = 8;

/// The address at which a byte is stored: `offset + ((index + position) ^ flip)` bytes into an object.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ByteAddress {
    object: Value,
    /// The object's alignment in bytes, a power of two.
    align: u32,
    /// The variable part of the offset.
    index: Value,
    flip: i32,
    offset: i32,
    position: i32,
}

/// Stores of bytes at adjacent addresses, in ascending order, with no access to the object between them.
struct Run {
    first: ByteAddress,
    /// Index of the object in [`Accesses::objects`].
    object: usize,
    values: Vec<Value>,
    /// Index in the block of each store.
    at: Vec<usize>,
}

/// Merges stores in a function. Returns true if anything changed.
pub fn run(func: &mut Function) -> bool {
    let has_bytes = |&block: &Block| {
        let insts = &func.blocks[block].insts;
        insts.iter().filter(|&&inst| stored_byte(func, inst).is_some()).nth(MIN_BYTES - 1).is_some()
    };
    let blocks: Vec<Block> = func.layout.iter().copied().filter(has_bytes).collect();
    if blocks.is_empty() {
        return false;
    }
    let accesses = Accesses::compute(func, false);
    let mut changed = false;
    for block in blocks {
        let runs = runs(func, &accesses, block);
        changed |= !runs.is_empty();
        rewrite(func, block, &runs);
    }
    changed
}

/// Returns the pointer and the value of a store of a byte to private memory.
fn stored_byte(func: &Function, inst: Inst) -> Option<(Value, Value)> {
    let InstData::Store { ptr, value, flags, .. } = func.insts[inst] else { return None };
    let is_private = func.ty(ptr).space() == Some(AddressSpace::Private);
    let is_byte = func.ty(value) == Type::I8 && !flags.contains(MemFlags::VOLATILE);
    (is_private && is_byte).then_some((ptr, value))
}

/// Returns the address of a pointer with a variable offset into an object; `None` for other pointers.
fn place(func: &Function, ptr: Value) -> Option<ByteAddress> {
    let (ptr, outer) = func.base_and_offset(ptr);
    let &InstData::PtrAdd { ptr: object, offset: index, .. } = func.def_inst(ptr)? else {
        return None;
    };
    let (object, inner) = func.base_and_offset(object);
    let &InstData::Alloca { size, align } = func.def_inst(object)? else { return None };
    if func.ty(index) != Type::I32 {
        return None;
    }
    let (index, flip) = split_constant(func, BinaryOp::Xor, index);
    let (index, position) = split_constant(func, BinaryOp::IAdd, index);
    let offset = i32::try_from(outer.checked_add(inner)?).ok()?;
    let mut place = ByteAddress { object, align, index, flip, offset, position };
    if flip == 0 {
        (place.offset, place.position) = (0, position.wrapping_add(offset));
    }
    // The bytes of a word must be adjacent, in one of two orders, and the object must consist of whole words.
    let bytes = place.word().bytes();
    let is_whole = size % u64::from(bytes) == 0 && place.offset % bytes as i32 == 0;
    (matches!(flip & 3, 0 | 3) && is_whole).then_some(place)
}

impl ByteAddress {
    /// Returns the type of the words in which all bytes are in the order of memory, or all in reverse.
    fn word(&self) -> Type {
        match self.flip & 7 {
            7 => Type::I64,
            _ => Type::I32,
        }
    }
}

/// Splits a constant operand off an operation. Returns the value itself and 0 if the value is not such an operation.
fn split_constant(func: &Function, wanted: BinaryOp, value: Value) -> (Value, i32) {
    match func.def_inst(value) {
        Some(&InstData::Binary { op, args: [other, constant], .. }) if op == wanted => {
            func.as_const(constant).map_or((value, 0), |bits| (other, bits as i32))
        }
        _ => (value, 0),
    }
}

/// Finds the runs of a block that are long enough.
fn runs(func: &Function, accesses: &Accesses, block: Block) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let mut open: Option<Run> = None;
    for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
        let Some(address) = func.insts[inst].address() else { continue };
        let Some(object) = accesses.own_array(address) else { continue };
        let byte = stored_byte(func, inst)
            .filter(|_| accesses.objects[object].access_type.mixed)
            .and_then(|(ptr, value)| Some((place(func, ptr)?, value)));
        if let (Some(run), Some((place, value))) = (&mut open, byte) {
            if place == run.next() {
                run.values.push(value);
                run.at.push(at);
                continue;
            }
        }
        if byte.is_some() || open.as_ref().is_some_and(|run| run.object == object) {
            found.extend(open.take());
        }
        if let Some((first, value)) = byte {
            open = Some(Run { first, object, values: vec![value], at: vec![at] });
        }
    }
    found.extend(open);
    found.retain(|run| run.values.len() >= MIN_BYTES);
    found
}

impl Run {
    /// Returns the address behind the last byte of the run.
    fn next(&self) -> ByteAddress {
        let position = self.first.position.wrapping_add(self.values.len() as i32);
        ByteAddress { position, ..self.first }
    }

    /// Returns the number of bytes that are merged: those of whole words. The remaining bytes are stored one by one.
    fn merged(&self) -> usize {
        let bytes = self.first.word().bytes() as usize;
        self.values.len() / bytes * bytes
    }

    /// Returns true if the first byte of a word is the high one.
    fn is_big_endian(&self) -> bool {
        self.first.flip & 3 == 3
    }

    /// Writes the run as stores of words.
    fn write(&self, c: &mut Cursor<'_>) {
        let ByteAddress { index, position, .. } = self.first;
        let ty = self.first.word();
        let bytes = i64::from(ty.bytes());
        let position = c.iconst(Type::I32, i64::from(position));
        let start = c.binary(BinaryOp::IAdd, index, position);
        let byte = c.binary_imm(BinaryOp::And, start, bytes - 1);
        let shift = c.binary_imm(BinaryOp::Shl, byte, 3);
        let shift = c.convert(ConvertOp::ZExt, shift, ty);
        let rest = c.iconst(ty, bytes * 8 - 1);
        let rest = c.binary(BinaryOp::ISub, rest, shift);
        // Shifts away from the first byte in memory, and towards it.
        let (later, earlier) = match self.is_big_endian() {
            true => (BinaryOp::LShr, BinaryOp::Shl),
            false => (BinaryOp::Shl, BinaryOp::LShr),
        };
        // Returns the bits of a word that are carried into the next one; none if the bytes begin at the start of a
        // word.
        let carried = |c: &mut Cursor<'_>, word: Value| {
            let less = c.binary_imm(earlier, word, 1);
            c.binary(earlier, less, rest)
        };
        let ones = c.iconst(ty, -1);
        let first = c.binary_imm(BinaryOp::And, start, -bytes);
        let mut carry: Option<Value> = None;
        let words = self.values[..self.merged()].chunks_exact(bytes as usize);
        for (at, values) in (0..).step_by(bytes as usize).zip(words) {
            let word = self.word_of_bytes(c, values);
            let moved = c.binary(later, word, shift);
            let at = c.binary_imm(BinaryOp::IAdd, first, at);
            match carry {
                Some(carry) => {
                    let whole = c.binary(BinaryOp::Or, carry, moved);
                    let ptr = self.word_at(c, at);
                    self.store(c, ptr, whole);
                }
                None => {
                    let mask = c.binary(later, ones, shift);
                    self.store_part(c, at, moved, mask);
                }
            }
            carry = Some(carried(c, word));
        }
        let Some(carry) = carry else { return };
        let last = c.binary_imm(BinaryOp::IAdd, start, self.merged() as i64 - 1);
        let last = c.binary_imm(BinaryOp::And, last, -bytes);
        let mask = carried(c, ones);
        self.store_part(c, last, carry, mask);
    }

    /// Returns a pointer to the word at a byte index that is a multiple of the word's size.
    fn word_at(&self, c: &mut Cursor<'_>, index: Value) -> Value {
        let ByteAddress { object, flip, offset, .. } = self.first;
        let words = -(self.first.word().bytes() as i32);
        let index = c.binary_imm(BinaryOp::Xor, index, i64::from(flip & words));
        let index = c.binary_imm(BinaryOp::IAdd, index, i64::from(offset));
        c.ptr_add(object, index)
    }

    /// Stores the bits of a word that are in a mask; `value` has no others.
    fn store_part(&self, c: &mut Cursor<'_>, index: Value, value: Value, mask: Value) {
        let ptr = self.word_at(c, index);
        let old = c.load(self.first.word(), ptr, self.align(), MemFlags::empty());
        let others = c.unary(UnaryOp::Not, mask);
        let kept = c.binary(BinaryOp::And, old, others);
        let new = c.binary(BinaryOp::Or, kept, value);
        self.store(c, ptr, new);
    }

    fn store(&self, c: &mut Cursor<'_>, ptr: Value, word: Value) {
        c.store(ptr, word, self.align(), MemFlags::empty());
    }

    /// Returns the alignment of the words in bytes.
    fn align(&self) -> u32 {
        // Objects that are arrays of words are aligned to the words.
        self.first.align.clamp(4, self.first.word().bytes())
    }

    /// Returns the word that consists of bytes in the order of memory.
    fn word_of_bytes(&self, c: &mut Cursor<'_>, bytes: &[Value]) -> Value {
        let mut bytes: SmallVec<[Value; 8]> = SmallVec::from_slice(bytes);
        if self.is_big_endian() {
            bytes.reverse();
        }
        word_of_parts(c, &bytes).unwrap_or_else(|| match bytes.split_at(4) {
            (low, []) => composed_word(c, low),
            (low, high) => {
                let words = [low, high]
                    .map(|half| word_of_parts(c, half).unwrap_or_else(|| composed_word(c, half)));
                let pair = c.build(&words);
                c.bitcast(pair, Type::I64)
            }
        })
    }
}

/// Returns the word that consists of four bytes, the low one first.
fn composed_word(c: &mut Cursor<'_>, bytes: &[Value]) -> Value {
    let mut word = c.iconst(Type::I32, 0);
    for (byte, shift) in bytes.iter().zip([0, 8, 16, 24]) {
        let wide = c.convert(ConvertOp::ZExt, *byte, Type::I32);
        let moved = c.binary_imm(BinaryOp::Shl, wide, shift);
        word = c.binary(BinaryOp::Or, word, moved);
    }
    word
}

/// Returns the part of one integer that consists of the given bytes, the low one first; `None` if they are not such a
/// part.
fn word_of_parts(c: &mut Cursor<'_>, bytes: &[Value]) -> Option<Value> {
    let (whole, low) = part(c.func, bytes[0])?;
    let follows = |(byte, at): (&Value, u64)| part(c.func, *byte) == Some((whole, at));
    let bits = bytes.len() as u64 * 8;
    let is_part = bytes.iter().zip((low..).step_by(8)).all(follows);
    if !is_part || low + bits > u64::from(c.ty(whole).bits()) {
        return None;
    }
    let moved = c.binary_imm(BinaryOp::LShr, whole, low as i64);
    Some(c.resize(moved, Type::of(Scalar::int(bits as u32)), false))
}

/// Returns the integer from which a byte is truncated, and the index of the byte's lowest bit in it.
fn part(func: &Function, byte: Value) -> Option<(Value, u64)> {
    let &InstData::Convert { op: ConvertOp::Trunc, arg } = func.def_inst(byte)? else {
        return None;
    };
    match func.def_inst(arg) {
        Some(&InstData::Binary { op: BinaryOp::LShr, args: [whole, shift], .. }) => {
            func.as_const(shift).map(|shift| (whole, shift))
        }
        _ => Some((arg, 0)),
    }
}

/// Writes the stores of words at the place of the last store of one of their bytes.
fn rewrite(func: &mut Function, block: Block, runs: &[Run]) {
    let mut c = Cursor::new(func);
    let insts = c.begin(block);
    let mut runs = runs.iter().peekable();
    for (at, &inst) in insts.iter().enumerate() {
        c.func.stand_at(inst);
        let Some(run) = runs.peek() else {
            c.keep(inst);
            continue;
        };
        let merged = &run.at[..run.merged()];
        match merged.binary_search(&at) {
            Err(_) => c.keep(inst),
            Ok(number) if number + 1 < merged.len() => {}
            Ok(_) => {
                run.write(&mut c);
                runs.next();
            }
        }
    }
    c.finish_in(block, insts);
}
