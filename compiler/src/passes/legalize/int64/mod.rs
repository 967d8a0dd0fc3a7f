//! 64-bit integers on devices without them: two words of 32 bits.
//!
//! As a block parameter or an operand, a number is two values. Where a number must be one value (in memory, as a parameter or
//! result of a function, as an address) it is a vector of both words, the low one first. A vector of numbers becomes as many
//! vectors of at most four words as needed.
//!
//! Pointers of 64 bits do not change, but PtrToInt returns their words and IntToPtr takes words; arithmetic on pointers
//! becomes arithmetic on the words.

mod division;
mod objects;
mod words;

use super::split::Splitter;
use crate::ir::*;
use crate::passes::unreachable;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use division::Division;
use objects::pieces;
use smallvec::{smallvec, SmallVec};
use words::{sign_of, word, Words};

/// The results of each function before any function was changed.
pub type Results = PrimaryMap<Func, SmallVec<[Type; 1]>>;

/// Returns the results of a module's functions.
pub fn results(module: &Module) -> Results {
    module.functions.values().map(|func| func.returns.clone()).collect()
}

/// Legalizes a function, including its parameters and results. Returns true if anything changed.
pub fn run(func: &mut Function, results: &Results) -> bool {
    if !func.values.values().any(|value| is_wide(value.ty) || is_address(value.ty)) {
        return false;
    }
    let (cfg, _) = unreachable::remove(func);
    let (words, calls, replaced) = (func.value_map(), func.value_map(), func.value_map());
    func.returns = func.returns.iter().flat_map(|&ty| pieces_or_whole(ty)).collect();
    let s = Splitter::new(func, cfg.rpo()[0]);
    let mut pass = Expansion { s, results, words, calls, replaced, divisions: Vec::new() };
    for &block in &cfg.rpo()[1..] {
        pass.split_params(block);
    }
    for &block in cfg.rpo() {
        pass.rewrite_block(block);
    }
    true
}

fn is_wide(ty: Type) -> bool {
    ty.scalar == Scalar::I64
}

/// Returns true for types of 64-bit pointers.
fn is_address(ty: Type) -> bool {
    ty.scalar.is_ptr() && ty.scalar.bits() == 64
}

fn pieces_or_whole(ty: Type) -> SmallVec<[Type; 4]> {
    if is_wide(ty) {
        pieces(ty)
    } else {
        SmallVec::from_slice(&[ty])
    }
}

/// Returns true if a conversion acts on words. Conversions between floats and integers are legalized before this pass.
fn is_of_words(op: ConvertOp) -> bool {
    use ConvertOp::*;
    matches!(op, Trunc | ZExt | SExt | PtrToInt | IntToPtr | Bitcast)
}

struct Expansion<'a> {
    s: Splitter<'a>,
    results: &'a Results,
    /// By value, the words of each lane of a number, or the words of an address that this pass computed.
    words: SecondaryMap<Value, SmallVec<[Words; 1]>>,
    /// By result of a call, the first vector that the call returns for it.
    calls: SecondaryMap<Value, Option<Value>>,
    /// By value, the value that replaces it.
    replaced: SecondaryMap<Value, Option<Value>>,
    /// Divisions of the block that is being rewritten.
    divisions: Vec<Division>,
}

impl Expansion<'_> {
    /// Replaces each 64-bit parameter of a block by two parameters.
    fn split_params(&mut self, block: Block) {
        let func = &mut *self.s.c.func;
        if !func.blocks[block].params.iter().any(|&param| is_wide(func.ty(param))) {
            return;
        }
        for param in std::mem::take(&mut func.blocks[block].params) {
            let ty = func.ty(param);
            if is_wide(ty) {
                let mut word = || func.add_param(block, Type::I32);
                let lanes = (0..ty.lanes).map(|_| Words { lo: word(), hi: word() });
                self.words[param] = lanes.collect();
            } else {
                func.push_param(block, param);
            }
        }
    }

    fn rewrite_block(&mut self, block: Block) {
        self.divisions.clear();
        self.s.switch_to(block);
        // If a division ends the block, the allocas are still in it.
        let mut insts = self.s.take_insts();
        if block == self.s.c.func.entry() {
            self.split_function_params(block);
        }
        self.gather_call_results(&mut insts);
        for inst in insts {
            self.s.c.func.stand_at(inst);
            let replaced = &self.replaced;
            self.s.c.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            if self.is_concerned(inst) {
                self.rewrite(inst);
            } else {
                self.s.c.keep(inst);
            }
        }
        self.s.finish();
    }

    /// Returns true if an instruction has operands or results that are numbers or addresses of 64 bits.
    fn is_concerned(&self, inst: Inst) -> bool {
        let func = &self.s.c.func;
        let mut concerned = func.result(inst).is_some_and(|result| is_wide(func.ty(result)));
        func.insts[inst].for_each_arg(|arg| concerned |= is_wide(func.ty(arg)));
        concerned
            || match func.insts[inst] {
                InstData::PtrAdd { ptr: arg, .. } | InstData::ICmp { args: [arg, _], .. } => {
                    is_address(func.ty(arg))
                }
                // The index of a call's result may change.
                InstData::CallResult { .. } => true,
                _ => false,
            }
    }

    fn rewrite(&mut self, inst: Inst) {
        let data = self.s.c.func.insts[inst].clone();
        if data.is_terminator() {
            return self.terminator(inst, data);
        }
        let result = self.s.c.func.result(inst);
        let ty = result.map_or(Type::I32, |result| self.s.c.ty(result));
        let lanes: SmallVec<[Words; 1]> = match data {
            InstData::Unary { op, arg, .. } => {
                let arg = self.words(arg);
                smallvec![self.unary(op, arg)]
            }
            InstData::Math { op: MathOp::SAbs, ref args, .. } => {
                let arg = self.words(args[0]);
                let sign = sign_of(&mut self.s.c, arg.hi);
                smallvec![words::negate_if(&mut self.s.c, arg, sign)]
            }
            InstData::Binary { op, args: [a, b], .. } => {
                let (a, b) = (self.words(a), self.words(b));
                let simple = words::binary(&mut self.s.c, op, a, b);
                smallvec![simple.unwrap_or_else(|| self.divide(op, a, b))]
            }
            InstData::ICmp { cc, args: [a, b] } => {
                let (a, b) = (self.words(a), self.words(b));
                let holds = words::compare(&mut self.s.c, cc, a, b);
                return self.replace(result, holds);
            }
            InstData::Select { args: [cond, then, otherwise] } => {
                let (then, otherwise) = (self.words(then), self.words(otherwise));
                smallvec![words::select(&mut self.s.c, cond, then, otherwise)]
            }
            InstData::Convert { op, arg } if is_of_words(op) => {
                return self.convert(inst, op, arg, ty);
            }
            InstData::Build { ref args } => args.iter().map(|&arg| self.words(arg)).collect(),
            InstData::Extract { arg, lane } => {
                smallvec![self.all_words(arg)[usize::from(lane)]]
            }
            InstData::PtrAdd { ptr, offset, .. } => return self.ptr_add(inst, ptr, offset),
            InstData::Load { ptr, align, flags } => self.load(ptr, ty, align, flags),
            InstData::Store { ptr, value, align, flags } => {
                return self.store(ptr, value, align, flags)
            }
            InstData::Call { func, ref args } => return self.call(inst, func, args),
            InstData::CallResult { call, index } => return self.call_result(inst, call, index),
            _ => return self.keep_wide(inst, data),
        };
        if let Some(result) = result {
            self.words[result] = lanes;
        }
    }

    /// Notes that a value replaces a result.
    fn replace(&mut self, result: Option<Value>, value: Value) {
        if let Some(result) = result {
            self.replaced[result] = Some(value);
        }
    }

    /// Returns the words of all lanes of a number.
    fn all_words(&mut self, value: Value) -> SmallVec<[Words; 1]> {
        if !self.words[value].is_empty() {
            return self.words[value].clone();
        }
        let ty = self.s.c.ty(value);
        let one = match self.s.c.func.def(value) {
            ValueDef::Const(Constant::Bits(bits)) => Words::constant(&mut self.s.c, bits),
            ValueDef::Const(Constant::Undef) => {
                let undef = self.s.c.func.undef(Type::I32);
                Words { lo: undef, hi: undef }
            }
            _ => {
                let op = if is_address(ty) { ConvertOp::PtrToInt } else { ConvertOp::Bitcast };
                let vector = self.s.c.convert(op, value, Type::PAIR);
                Words::of_vector(&mut self.s.c, vector)
            }
        };
        SmallVec::from_elem(one, usize::from(ty.lanes))
    }

    /// Returns the words of a scalar number or an address.
    fn words(&mut self, value: Value) -> Words {
        self.all_words(value)[0]
    }

    fn unary(&mut self, op: UnaryOp, arg: Words) -> Words {
        match op {
            UnaryOp::Not => {
                Words { lo: self.s.c.unary(op, arg.lo), hi: self.s.c.unary(op, arg.hi) }
            }
            _ => words::negate(&mut self.s.c, arg),
        }
    }

    fn convert(&mut self, inst: Inst, op: ConvertOp, arg: Value, ty: Type) {
        let result = self.s.c.func.result(inst);
        let converted = match op {
            ConvertOp::Trunc => {
                let low = self.words(arg).lo;
                let cut = self.s.c.resize(low, ty, false);
                return self.replace(result, cut);
            }
            ConvertOp::ZExt => {
                let low = self.s.c.convert(op, arg, Type::I32);
                Words::zero_extended(&mut self.s.c, low)
            }
            ConvertOp::SExt => {
                let low = self.s.c.convert(op, arg, Type::I32);
                Words::sign_extended(&mut self.s.c, low)
            }
            ConvertOp::Bitcast if is_wide(ty) => {
                let vector = self.s.c.bitcast(arg, Type::PAIR);
                Words::of_vector(&mut self.s.c, vector)
            }
            ConvertOp::Bitcast => {
                let vector = self.words(arg).joined(&mut self.s.c);
                let other = self.s.c.bitcast(vector, ty);
                return self.replace(result, other);
            }
            ConvertOp::IntToPtr => {
                let words = self.words(arg);
                return self.become_address(inst, words);
            }
            _ => self.words(arg),
        };
        if let Some(result) = result {
            self.words[result] = smallvec![converted];
        }
    }

    /// Keeps an instruction that is legalized elsewhere, or refused: joins the words of its operands, and splits its
    /// result.
    fn keep_wide(&mut self, inst: Inst, mut data: InstData) {
        data.map_args(|arg| match is_wide(self.s.c.ty(arg)) {
            true => {
                debug_assert!(!self.s.c.ty(arg).is_vector(), "scalarize runs before");
                let vector = self.words(arg).joined(&mut self.s.c);
                self.s.c.bitcast(vector, Type::I64)
            }
            false => arg,
        });
        self.s.c.func.insts[inst] = data;
        self.s.c.keep(inst);
        if let Some(result) = self.s.c.func.result(inst).filter(|&v| is_wide(self.s.c.ty(v))) {
            let vector = self.s.c.bitcast(result, Type::PAIR);
            self.words[result] = smallvec![Words::of_vector(&mut self.s.c, vector)];
        }
    }

    fn terminator(&mut self, inst: Inst, data: InstData) {
        let mut data = match data {
            InstData::Switch { value, cases, default } if is_wide(self.s.c.ty(value)) => {
                self.switch(value, cases, default)
            }
            InstData::Return { values } => {
                let values = values.into_iter().flat_map(|value| self.as_pieces(value)).collect();
                InstData::Return { values }
            }
            _ => data,
        };
        data.for_each_target_mut(|call| {
            let args = std::mem::take(&mut call.args);
            for arg in args {
                if is_wide(self.s.c.ty(arg)) {
                    let words = self.all_words(arg);
                    call.args.extend(words.into_iter().flat_map(|words| [words.lo, words.hi]));
                } else {
                    call.args.push(arg);
                }
            }
        });
        self.s.c.func.insts[inst] = data;
        self.s.c.keep(inst);
    }

    /// Returns a switch on the index of the case that a value equals, counted from 1.
    fn switch(&mut self, value: Value, cases: Vec<SwitchCase>, default: BlockCall) -> InstData {
        let value = self.words(value);
        let mut selector = word(&mut self.s.c, 0);
        let mut numbered = Vec::with_capacity(cases.len());
        for (case, number) in cases.into_iter().zip(1..) {
            let constant = Words::constant(&mut self.s.c, case.value);
            let here = words::compare(&mut self.s.c, IntCC::Eq, value, constant);
            let chosen = word(&mut self.s.c, number);
            selector = self.s.c.select(here, chosen, selector);
            numbered.push(SwitchCase { value: number.into(), target: case.target });
        }
        InstData::Switch { value: selector, cases: numbered, default }
    }
}
