//! Contraction: a sum and a product in it become one Fma, if both may be contracted and the device's Fma rounds once.
//!
//! Drivers' compilers contract too, but not wherever it is allowed: NVIDIA's does not in kernels that ask for both
//! RoundingModeRTE and SignedZeroInfNanPreserve.

use super::cursor::{rewrite_insts, Cursor};
use crate::ir::*;
use crate::target::Target;
use cranelift_entity::SecondaryMap;

/// Returns true if the device has a fused Fma of a type.
pub fn is_fused(target: &Target, scalar: Scalar) -> bool {
    match scalar {
        Scalar::F16 => target.float16 && target.fma16_fused,
        Scalar::F32 => target.fma32_fused,
        Scalar::F64 => target.float64 && target.fma64_fused,
        _ => false,
    }
}

/// Contracts in a function; `fuses` returns true for types with a fused Fma. Returns true if anything changed.
pub fn run(func: &mut Function, fuses: impl Fn(Scalar) -> bool) -> bool {
    let products = products(func, fuses);
    if products.is_empty() {
        return false;
    }
    rewrite_insts(func, |c, inst| {
        let (is_sub, args, flags) = sum(&c.func.insts[inst])?;
        let first = args.iter().position(|&arg| products[arg].is_some())?;
        let (factors, addend) = (products[args[first]]?, args[1 - first]);
        Some(fma(c, factors, addend, (is_sub, first), flags))
    })
}

/// Returns the factors of products that are used only in sums that may be contracted.
fn products(
    func: &Function,
    fuses: impl Fn(Scalar) -> bool,
) -> SecondaryMap<Value, Option<[Value; 2]>> {
    let mut products = SecondaryMap::new();
    for inst in func.layout_insts() {
        let InstData::Binary { op: BinaryOp::FMul, args, flags } = func.insts[inst] else {
            continue;
        };
        let Some(result) = func.result(inst) else { continue };
        if !flags.contains(OpFlags::NO_CONTRACT) && fuses(func.ty(result).scalar) {
            products[result] = Some(args);
        }
    }
    if products.is_empty() {
        return products;
    }
    for inst in func.layout_insts() {
        let data = &func.insts[inst];
        if sum(data).is_none() {
            data.for_each_arg(|arg| {
                if products[arg].is_some() {
                    products[arg] = None;
                }
            });
        }
    }
    products
}

/// Returns whether a sum that may be contracted is a difference, and its operands and flags.
fn sum(data: &InstData) -> Option<(bool, [Value; 2], OpFlags)> {
    match *data {
        InstData::Binary { op: op @ (BinaryOp::FAdd | BinaryOp::FSub), args, flags }
            if !flags.contains(OpFlags::NO_CONTRACT) =>
        {
            Some((op == BinaryOp::FSub, args, flags))
        }
        _ => None,
    }
}

/// Returns the Fma of a sum, or of a difference, whose first or second operand is a product.
fn fma(
    c: &mut Cursor<'_>,
    [mut a, mut b]: [Value; 2],
    mut addend: Value,
    (is_sub, product): (bool, usize),
    flags: OpFlags,
) -> InstData {
    if is_sub && product == 0 {
        addend = c.unary(UnaryOp::FNeg, addend);
    }
    if is_sub && product == 1 {
        // Negating a constant costs nothing.
        if c.func.as_const(b).is_none() {
            (a, b) = (b, a);
        }
        b = c.unary(UnaryOp::FNeg, b);
    }
    InstData::Math { op: MathOp::Fma, args: [a, b, addend].as_slice().into(), flags }
}
