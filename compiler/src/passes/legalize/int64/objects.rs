//! 64-bit integers that must be one value: in memory, as parameters and results of functions, and as addresses.

use super::words::{self, Words};
use super::{is_wide, pieces_or_whole, Expansion};
use crate::ir::*;
use crate::passes::cursor::align_at;
use smallvec::{smallvec, SmallVec};

/// Returns the types of the vectors of words that hold a number, or a vector of numbers.
pub fn pieces(ty: Type) -> SmallVec<[Type; 4]> {
    let of_two = |first: u8| Type::vector(Scalar::I32, 2 * (ty.lanes - first).min(2));
    (0..ty.lanes).step_by(2).map(of_two).collect()
}

impl Expansion<'_> {
    /// Returns the words that vectors hold.
    fn of_pieces(&mut self, vectors: &[Value]) -> SmallVec<[Words; 1]> {
        let mut lanes = SmallVec::new();
        for &vector in vectors {
            for at in (0..self.s.c.ty(vector).lanes).step_by(2) {
                let lo = self.s.c.extract(vector, at);
                lanes.push(Words { lo, hi: self.s.c.extract(vector, at + 1) });
            }
        }
        lanes
    }

    /// Returns the vectors that hold a number; other values unchanged.
    pub fn as_pieces(&mut self, value: Value) -> SmallVec<[Value; 4]> {
        if !is_wide(self.s.c.ty(value)) {
            return SmallVec::from_slice(&[value]);
        }
        let lanes = self.all_words(value);
        let vector = |lanes: &[Words]| {
            let words: SmallVec<[Value; 4]> =
                lanes.iter().flat_map(|lane| [lane.lo, lane.hi]).collect();
            self.s.c.build(&words)
        };
        lanes.chunks(2).map(vector).collect()
    }

    /// Replaces the function's 64-bit parameters by vectors of words.
    pub fn split_function_params(&mut self, entry: Block) {
        for param in std::mem::take(&mut self.s.c.func.blocks[entry].params) {
            let ty = self.s.c.ty(param);
            if is_wide(ty) {
                let vectors: SmallVec<[Value; 4]> =
                    pieces(ty).into_iter().map(|ty| self.s.c.func.add_param(entry, ty)).collect();
                self.words[param] = self.of_pieces(&vectors);
            } else {
                self.s.c.func.push_param(entry, param);
            }
        }
    }

    /// Moves the results of each call directly behind the call, so that no division comes between them.
    pub fn gather_call_results(&self, insts: &mut Vec<Inst>) {
        let func = &self.s.c.func;
        let call_of = |inst: Inst| match func.insts[inst] {
            InstData::CallResult { call, .. } => Some(call),
            _ => None,
        };
        if !insts.iter().any(|&inst| call_of(inst).is_some()) {
            return;
        }
        let old = std::mem::take(insts);
        for &inst in old.iter().filter(|&&inst| call_of(inst).is_none()) {
            insts.push(inst);
            if let (InstData::Call { .. }, Some(call)) = (&func.insts[inst], func.result(inst)) {
                insts.extend(old.iter().filter(|&&other| call_of(other) == Some(call)));
            }
        }
    }

    pub fn call(&mut self, inst: Inst, func: Func, args: &[Value]) {
        let args = args.iter().flat_map(|&arg| self.as_pieces(arg)).collect();
        let data = InstData::Call { func, args };
        match self.s.c.func.result(inst).filter(|&result| is_wide(self.s.c.ty(result))) {
            Some(result) => self.calls[result] = Some(self.take_result(result, data, 0)),
            None => {
                self.s.c.func.insts[inst] = data;
                self.s.c.keep(inst);
            }
        }
    }

    /// Rewrites a further result of a call. The results before it may have become several.
    pub fn call_result(&mut self, inst: Inst, call: Value, index: u32) {
        let Some(&InstData::Call { func, .. }) = self.s.c.func.def_inst(call) else {
            return self.s.c.keep(inst);
        };
        let before = &self.results[func][..index as usize];
        let index = before.iter().map(|&ty| pieces_or_whole(ty).len() as u32).sum();
        let data = InstData::CallResult { call: self.calls[call].unwrap_or(call), index };
        match self.s.c.func.result(inst).filter(|&result| is_wide(self.s.c.ty(result))) {
            Some(result) => _ = self.take_result(result, data, index),
            None => {
                self.s.c.func.insts[inst] = data;
                self.s.c.keep(inst);
            }
        }
    }

    /// Inserts the instructions for the vectors of a call's result. `index` is the index of the first vector. Returns
    /// the first vector.
    fn take_result(&mut self, result: Value, data: InstData, index: u32) -> Value {
        let pieces = pieces(self.s.c.ty(result));
        let behind = match data {
            InstData::CallResult { call, .. } => Some(call),
            _ => None,
        };
        let first = self.s.c.inst(data, pieces[0]);
        let call = behind.unwrap_or(first);
        let mut vectors: SmallVec<[Value; 4]> = SmallVec::from_slice(&[first]);
        for (&ty, index) in pieces[1..].iter().zip(index + 1..) {
            vectors.push(self.s.c.inst(InstData::CallResult { call, index }, ty));
        }
        self.words[result] = self.of_pieces(&vectors);
        first
    }

    /// Loads a number from device memory. In memory that consists of arrays, 64-bit numbers are vectors of two words by
    /// now.
    pub fn load(
        &mut self,
        ptr: Value,
        ty: Type,
        align: u32,
        flags: MemFlags,
    ) -> SmallVec<[Words; 1]> {
        let mut words: SmallVec<[Value; 4]> = SmallVec::new();
        let mut offset = 0;
        for ty in pieces(ty) {
            let at = self.offset(ptr, offset);
            let value = self.s.c.load(ty, at, align_at(align, offset.into()), flags);
            words.extend((0..ty.lanes).map(|lane| self.s.c.extract(value, lane)));
            offset += ty.bytes();
        }
        words.chunks(2).map(|pair| Words { lo: pair[0], hi: pair[1] }).collect()
    }

    pub fn store(&mut self, ptr: Value, value: Value, align: u32, flags: MemFlags) {
        let ty = self.s.c.ty(value);
        let lanes = self.all_words(value);
        let words: SmallVec<[Value; 8]> =
            lanes.iter().flat_map(|lane| [lane.lo, lane.hi]).collect();
        let mut offset = 0;
        for ty in pieces(ty) {
            let first = offset as usize / 4;
            let value = self.s.c.build(&words[first..first + usize::from(ty.lanes)]);
            let at = self.offset(ptr, offset);
            self.s.c.store(at, value, align_at(align, offset.into()), flags);
            offset += ty.bytes();
        }
    }

    /// Returns a pointer advanced by a constant number of bytes.
    fn offset(&mut self, ptr: Value, bytes: u32) -> Value {
        if bytes == 0 {
            return ptr;
        }
        let (base, bytes) = (self.words(ptr), Words::constant(&mut self.s.c, bytes.into()));
        let words = words::add(&mut self.s.c, base, bytes);
        let vector = words.joined(&mut self.s.c);
        let ty = self.s.c.ty(ptr);
        self.s.c.inst(InstData::Convert { op: ConvertOp::IntToPtr, arg: vector }, ty)
    }

    /// Rewrites PtrAdd of a 64-bit pointer, with an offset of I32 or I64. For other pointers the instruction stays.
    pub fn ptr_add(&mut self, inst: Inst, ptr: Value, offset: Value) {
        let base = self.words(ptr);
        let offset = match is_wide(self.s.c.ty(offset)) {
            true => self.words(offset),
            false => Words::sign_extended(&mut self.s.c, offset),
        };
        let words = words::add(&mut self.s.c, base, offset);
        self.become_address(inst, words);
    }

    /// Makes an instruction return the pointer that consists of these words.
    pub fn become_address(&mut self, inst: Inst, words: Words) {
        let vector = words.joined(&mut self.s.c);
        self.s.c.func.insts[inst] = InstData::Convert { op: ConvertOp::IntToPtr, arg: vector };
        self.s.c.keep(inst);
        if let Some(result) = self.s.c.func.result(inst) {
            self.words[result] = smallvec![words];
        }
    }
}
