//! Dot products: sums of the products of the four bytes of two words become the instruction that devices have for it.
//!
//! Programs that know no function for dot products write the sums out (`c + a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w`). Others
//! do so because they do not trust a driver's support. The two bytes of a product must be at the same position in their words.

use super::bytes::field::Field;
use super::bytes::load_words;
use super::cursor::{rewrite_insts, Cursor};
use crate::ir::*;
use crate::target::DotProducts;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// The most terms of a sum that are searched for dot products.
const MAX_TERMS: usize = 32;

/// The product of two bytes that are at the same position in two words.
#[derive(Clone, Copy)]
struct Product {
    dot: Dot,
    /// Index of the byte; the lowest byte is 0.
    byte: u32,
}

/// A dot product of two words: a [`MathOp`] and its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Dot {
    op: MathOp,
    words: [Value; 2],
}

type Terms = SmallVec<[Value; MAX_TERMS]>;

/// Replaces sums by dot products of the kinds that a device accelerates. Returns true if there were any.
pub fn run(func: &mut Function, accelerated: DotProducts) -> bool {
    let Some(mut sums) = Sums::find(func, accelerated) else { return false };
    let mut vectors = Vec::new();
    for inst in func.layout_insts() {
        let dots = sums.dots(func, inst).map_or_else(SmallVec::new, |(dots, _)| dots);
        let words = dots.iter().flat_map(|dot| dot.words);
        vectors.extend(words.filter(|&word| func.ty(word).is_vector()));
    }
    load_words(func, &vectors);
    rewrite_insts(func, |c, inst| {
        let (dots, rest) = sums.dots(c.func, inst)?;
        let is_word = |&word: &Value| c.func.ty(word) == Type::I32;
        dots.iter().all(|dot| dot.words.iter().all(is_word)).then(|| sums.sum(c, &dots, &rest))
    })
}

/// The sums of a function that may contain dot products.
struct Sums {
    products: SecondaryMap<Value, Option<Product>>,
    /// True for products and sums whose only use is a sum in the same block.
    inner: SecondaryMap<Value, bool>,
    /// The most products that each sum contains.
    held: SecondaryMap<Value, u32>,
}

impl Sums {
    /// Finds the sums of a function; `None` if no sum contains enough products.
    fn find(func: &Function, accelerated: DotProducts) -> Option<Sums> {
        let mut products = func.value_map::<Option<Product>>();
        let mut count = 0;
        for inst in func.layout_insts() {
            let found = product(func, inst).filter(|it| accelerated.has(it.dot.op));
            if let (Some(found), Some(result)) = (found, func.result(inst)) {
                products[result] = Some(found);
                count += 1;
            }
        }
        if count < 4 {
            return None;
        }
        let mut sums = Sums { products, inner: func.value_map(), held: func.value_map() };
        sums.connect(func);
        sums.held.values().any(|&held| held >= 4).then_some(sums)
    }

    /// Finds the inner products and sums, and counts the products of each sum.
    fn connect(&mut self, func: &Function) {
        let mut uses = func.value_map::<u32>();
        for inst in func.layout_insts() {
            func.insts[inst].for_each_arg(|arg| uses[arg] += 1);
        }
        let mut place = func.value_map::<Option<Block>>();
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                let Some(result) = func.result(inst) else { continue };
                if self.products[result].is_some() {
                    self.held[result] = 1;
                    place[result] = Some(block);
                } else if let Some(args) = summands(func, result) {
                    for arg in args.into_iter().filter(|&arg| uses[arg] == 1) {
                        self.inner[arg] = place[arg] == Some(block);
                        self.held[result] += if self.inner[arg] { self.held[arg] } else { 0 };
                    }
                    place[result] = Some(block);
                }
            }
        }
    }

    /// Returns the dot products that a sum contains, and its other terms; `None` if there is no dot product.
    fn dots(&self, func: &Function, inst: Inst) -> Option<(SmallVec<[Dot; 4]>, Terms)> {
        let result = func.result(inst).filter(|&result| self.held[result] >= 4)?;
        let mut rest = self.terms(func, summands(func, result)?);
        let mut dots = SmallVec::new();
        let mut at = 0;
        while at < rest.len() {
            let product = self.products[rest[at]];
            let whole = product.and_then(|product| self.bytes_of(product.dot, &rest));
            match product.zip(whole) {
                Some((product, bytes)) => {
                    dots.push(product.dot);
                    rest.retain(|term| !bytes.contains(term));
                    at = 0;
                }
                None => at += 1,
            }
        }
        (!dots.is_empty()).then_some((dots, rest))
    }

    /// Returns the four terms of a sum that are the products of a dot product. Terms that have other uses, or are computed in
    /// another block, do not count.
    fn bytes_of(&self, dot: Dot, terms: &[Value]) -> Option<[Value; 4]> {
        let of_byte = |byte: u32| {
            terms.iter().copied().find(|&term| {
                let product = self.products[term].filter(|_| self.inner[term]);
                product.is_some_and(|it| it.dot == dot && it.byte == byte)
            })
        };
        Some([of_byte(0)?, of_byte(1)?, of_byte(2)?, of_byte(3)?])
    }

    /// Returns the terms of a sum of two operands. Terms of inner sums are included in place of the inner sums.
    fn terms(&self, func: &Function, operands: [Value; 2]) -> Terms {
        let mut terms = Terms::new();
        let mut open = Terms::from_slice(&operands);
        while let Some(value) = open.pop() {
            let fits = terms.len() + open.len() + 2 <= MAX_TERMS;
            match summands(func, value).filter(|_| self.inner[value] && fits) {
                Some(args) => open.extend(args),
                None => terms.push(value),
            }
        }
        terms
    }

    /// Returns the instruction that adds dot products and other terms.
    fn sum(&mut self, c: &mut Cursor<'_>, dots: &[Dot], rest: &[Value]) -> InstData {
        let mut values: Terms = rest.into();
        let (last, others) = (dots[dots.len() - 1], &dots[..dots.len() - 1]);
        values.extend(others.iter().map(|dot| c.math(dot.op, &dot.words)));
        let Some((&first, more)) = values.split_first() else {
            let args = last.words.into_iter().collect();
            return InstData::Math { op: last.op, args, flags: OpFlags::empty() };
        };
        let mut sum = first;
        for &value in more {
            let held = self.held[sum] + self.held[value];
            sum = c.binary(BinaryOp::IAdd, sum, value);
            // Sums that are visited later may contain this sum as an inner one.
            (self.inner[sum], self.held[sum]) = (true, held);
        }
        let dot = c.math(last.op, &last.words);
        InstData::Binary { op: BinaryOp::IAdd, args: [sum, dot], flags: OpFlags::empty() }
    }
}

/// Returns the operands of a sum of two integers of 32 bits.
fn summands(func: &Function, value: Value) -> Option<[Value; 2]> {
    match func.def_inst(value) {
        Some(&InstData::Binary { op: BinaryOp::IAdd, args, .. }) => {
            (func.ty(value) == Type::I32).then_some(args)
        }
        _ => None,
    }
}

/// Returns the product of two bytes that an instruction computes.
fn product(func: &Function, inst: Inst) -> Option<Product> {
    let InstData::Binary { op: BinaryOp::IMul, args, .. } = func.insts[inst] else { return None };
    let byte = |arg: Value| Field::of(func, arg).filter(Field::is_byte);
    let (mut a, mut b) = (byte(args[0])?, byte(args[1])?);
    let is_word = |field: &Field| func.ty(field.word).bits() == 32;
    let fits = func.ty(func.result(inst)?) == Type::I32 && a.low == b.low;
    if !fits || !is_word(&a) || !is_word(&b) {
        return None;
    }
    // The operands have one order: signed before unsigned, then by the number of the word.
    if (b.signed, a.word) > (a.signed, b.word) {
        (a, b) = (b, a);
    }
    let op = match [a.signed, b.signed] {
        [true, true] => MathOp::SDot,
        [false, false] => MathOp::UDot,
        _ => MathOp::SUDot,
    };
    Some(Product { dot: Dot { op, words: [a.word, b.word] }, byte: a.low / 8 })
}
