//! Calls: of built-in functions by the type of their result, of functions and of blocks.

use super::places::{Kind, Parameter, Place};
use super::types::{Scalar, Type, LANES};
use super::Writer;
use crate::draw::Draw;
use arbitrary::Result;

const UNARY: &[&str] = &[
    "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atanh", "atanpi", "cbrt",
    "ceil", "cos", "cosh", "cospi", "erf", "erfc", "exp", "exp2", "exp10", "expm1", "fabs",
    "floor", "lgamma", "log", "log2", "log10", "log1p", "logb", "rint", "round", "rsqrt", "sin",
    "sinh", "sinpi", "sqrt", "tan", "tanh", "tanpi", "tgamma", "trunc", "degrees", "radians",
    "sign",
];
const BINARY: &[&str] = &[
    "atan2",
    "atan2pi",
    "copysign",
    "fdim",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "maxmag",
    "minmag",
    "nextafter",
    "pow",
    "powr",
    "remainder",
    "max",
    "min",
    "step",
];
const TERNARY: &[&str] = &["fma", "mad", "clamp", "mix", "smoothstep"];
const NATIVE: &[&str] = &[
    "native_sin",
    "native_exp2",
    "native_rsqrt",
    "half_cos",
    "half_log",
    "half_sqrt",
    "native_recip",
];
const INTEGER: &[&str] = &[
    "add_sat", "hadd", "rhadd", "max", "min", "mul_hi", "rotate", "sub_sat", "mad_hi", "mad_sat",
    "clamp", "clz", "ctz", "popcount",
];
const WORK_ITEM: &[&str] = &[
    "get_global_id",
    "get_local_id",
    "get_group_id",
    "get_global_size",
    "get_local_size",
    "get_num_groups",
    "get_global_offset",
    "get_enqueued_local_size",
];
const ATOMICS: &[&str] = &[
    "atomic_add",
    "atomic_sub",
    "atomic_xchg",
    "atomic_min",
    "atomic_max",
    "atomic_and",
    "atomic_or",
];
const COLLECTIVE: &[&str] = &[
    "work_group_reduce_add",
    "work_group_reduce_max",
    "work_group_scan_inclusive_min",
    "work_group_scan_exclusive_add",
];
const ORDERS: &[&str] = &["memory_order_relaxed", "memory_order_acq_rel", "memory_order_seq_cst"];
const SCOPES: &[&str] = &["memory_scope_work_group", "memory_scope_device"];

impl Writer<'_, '_> {
    /// Returns a built-in function's result.
    pub fn builtin(&mut self, ty: Type, depth: u32) -> Result<String> {
        match self.u.int_in_range(0..=7)? {
            0..=3 if ty.scalar.is_float() => self.math(ty, depth),
            0..=3 => self.integers(ty, depth),
            4 => self.selection(ty, depth),
            5 => self.vector_load(ty, depth),
            6 => self.geometry(ty, depth),
            _ => self.of_the_launch(ty, depth),
        }
    }

    fn same(&mut self, name: &str, ty: Type, count: usize, depth: u32) -> Result<String> {
        let list: Vec<String> =
            (0..count).map(|_| self.expression(ty, depth)).collect::<Result<_>>()?;
        Ok(format!("{name}({})", list.join(", ")))
    }

    fn math(&mut self, ty: Type, depth: u32) -> Result<String> {
        let int = ty.of(Scalar::Int);
        match self.u.int_in_range(0..=9)? {
            0..=2 => {
                let name = self.one(UNARY)?;
                self.same(name, ty, 1, depth)
            }
            3 | 4 => {
                let name = self.one(BINARY)?;
                self.same(name, ty, 2, depth)
            }
            5 => {
                let name = self.one(TERNARY)?;
                self.same(name, ty, 3, depth)
            }
            6 if ty.scalar == Scalar::Float => {
                let name = self.one(NATIVE)?;
                self.same(name, ty, 1, depth)
            }
            7 => {
                let name = self.one(&["ldexp", "pown", "rootn"])?;
                Ok(format!(
                    "{name}({}, {})",
                    self.expression(ty, depth)?,
                    self.expression(int, depth)?
                ))
            }
            8 => {
                let name = self.one(&["frexp", "remquo", "lgamma_r"])?;
                let pointer = self.pointer_to(int, "")?;
                let first = self.same(name, ty, if name == "remquo" { 2 } else { 1 }, depth)?;
                Ok(format!("{}, {pointer})", &first[..first.len() - 1]))
            }
            _ => {
                let (name, pointer) =
                    (self.one(&["modf", "fract", "sincos"])?, self.pointer_to(ty, "")?);
                Ok(format!("{name}({}, {pointer})", self.expression(ty, depth)?))
            }
        }
    }

    fn integers(&mut self, ty: Type, depth: u32) -> Result<String> {
        match self.u.int_in_range(0..=5)? {
            0 if !ty.scalar.is_signed() => {
                let from = ty.of(self.one(&[ty.scalar, ty.scalar.signed()])?);
                let (name, count) = self.one(&[("abs", 1), ("abs_diff", 2)])?;
                self.same(name, from, count, depth)
            }
            1 if matches!(ty.scalar, Scalar::Int | Scalar::Uint) => {
                let (name, count) = self.one(&[("mul24", 2), ("mad24", 3)])?;
                self.same(name, ty, count, depth)
            }
            2 if ty.scalar.narrower().is_some() => {
                let half = ty.scalar.narrower().unwrap_or(Scalar::Char);
                let (high, low) = (ty.of(half), ty.of(half.unsigned()));
                Ok(format!(
                    "upsample({}, {})",
                    self.expression(high, depth)?,
                    self.expression(low, depth)?
                ))
            }
            _ => {
                let name = self.one(INTEGER)?;
                let count = match name {
                    "clz" | "ctz" | "popcount" => 1,
                    "mad_hi" | "mad_sat" | "clamp" => 3,
                    _ => 2,
                };
                self.same(name, ty, count, depth)
            }
        }
    }

    fn selection(&mut self, ty: Type, depth: u32) -> Result<String> {
        let (a, b) = (self.expression(ty, depth)?, self.expression(ty, depth)?);
        if self.seldom(3)? {
            return Ok(format!("bitselect({a}, {b}, {})", self.expression(ty, depth)?));
        }
        if ty.is_vector() && ty.lanes != 3 && self.seldom(3)? {
            let mask = self.expression(ty.of(ty.scalar.unsigned()), depth)?;
            return Ok(format!("shuffle2({a}, {b}, {mask})"));
        }
        let by = self.one(&[ty.scalar.signed(), ty.scalar.unsigned()])?;
        Ok(format!("select({a}, {b}, {})", self.expression(ty.of(by), depth)?))
    }

    fn vector_load(&mut self, ty: Type, depth: u32) -> Result<String> {
        let space = self.one(&["global", "local", "private", "constant", ""])?;
        if !ty.is_vector() {
            return Ok(format!("*({})", self.pointer_to(ty, space)?));
        }
        let (index, from) = (
            self.expression(Scalar::Ulong.into(), depth)?,
            self.pointer_to(ty.scalar.into(), space)?,
        );
        Ok(format!("vload{}({index}, {from})", ty.lanes))
    }

    fn geometry(&mut self, ty: Type, depth: u32) -> Result<String> {
        match (ty.scalar.is_float(), ty.lanes) {
            (true, 1) => {
                let of = Type { lanes: self.one(&[2, 3, 4])?, ..ty };
                let (name, count) = self.one(&[("dot", 2), ("length", 1), ("distance", 2)])?;
                self.same(name, of, count, depth)
            }
            (true, 3 | 4) if self.seldom(2)? => self.same("cross", ty, 2, depth),
            (true, 2..=4) => self.same("normalize", ty, 1, depth),
            (false, 1) if ty.scalar == Scalar::Int => {
                let (scalar, lanes) =
                    (self.one(&[Scalar::Int, Scalar::Char, Scalar::Long])?, self.one(&LANES)?);
                let name = self.one(&["any", "all"])?;
                self.same(name, Type { scalar, lanes }, 1, depth)
            }
            _ => self.selection(ty, depth),
        }
    }

    /// Returns an expression that depends on the launch: ids, atomics, collectives.
    fn of_the_launch(&mut self, ty: Type, depth: u32) -> Result<String> {
        if ty.is_vector() {
            return self.selection(ty, depth);
        }
        let collective = !matches!(ty.scalar.bits(), 8 | 16);
        if collective && self.seldom(4)? {
            let name = self.one(COLLECTIVE)?;
            return self.same(name, ty, 1, depth);
        }
        match ty.scalar {
            Scalar::Ulong => {
                let name = self.one(WORK_ITEM)?;
                self.same(name, Scalar::Uint.into(), 1, depth)
            }
            Scalar::Int | Scalar::Uint => {
                let space = self.one(&["global", "local"])?;
                let (name, to) = (self.one(ATOMICS)?, self.pointer_to(ty, space)?);
                Ok(format!("{name}({to}, {})", self.expression(ty, depth)?))
            }
            _ => Ok(format!("({})sizeof({})", ty.name(), self.expression(ty, depth)?)),
        }
    }

    /// Returns an atomic operation of C11 on one of the kernel's counters.
    pub fn atomic(&mut self, depth: u32) -> Result<String> {
        let (order, scope) = (self.one(ORDERS)?, self.one(SCOPES)?);
        let name = self.one(&["fetch_add", "fetch_sub", "fetch_or", "fetch_max", "exchange"])?;
        let value = self.expression(Scalar::Int.into(), depth)?;
        Ok(format!("atomic_{name}_explicit(counters + ({value} & 3), {value}, {order}, {scope})"))
    }

    /// Returns a call of a function or a block that gives this type, or a conversion of what one gives.
    pub fn call(&mut self, ty: Type, depth: u32) -> Result<String> {
        let (result, call) = match self.seldom(3)? && !self.blocks.is_empty() {
            true => {
                let (name, result, parameter) = self.u.choose(&self.blocks)?.clone();
                (result, format!("{name}({})", self.expression(parameter, depth)?))
            }
            false if self.functions.is_empty() => return self.builtin(ty, depth),
            false => {
                let function = self.u.choose(&self.functions)?.clone();
                let list: Vec<String> = function
                    .parameters
                    .iter()
                    .map(|parameter| self.argument(parameter, depth))
                    .collect::<Result<_>>()?;
                (function.result, format!("{}({})", function.name, list.join(", ")))
            }
        };
        Ok(match result.lanes == ty.lanes {
            true => format!("convert_{}({call})", ty.name()),
            false if result.is_vector() => format!("({})(({call}).s0)", ty.name()),
            false => format!("({})({call})", ty.name()),
        })
    }

    fn argument(&mut self, parameter: &Parameter, depth: u32) -> Result<String> {
        match parameter {
            Parameter::Value(ty) => self.expression(*ty, depth),
            Parameter::Pointer(ty, space) => self.pointer_to(*ty, space),
            Parameter::Structure if self.structures.is_empty() => Ok("(S){ 0 }".to_string()),
            Parameter::Structure => Ok(self.u.choose(&self.structures)?.clone()),
        }
    }

    /// Returns a store of a vector through a pointer to its scalar, as a statement.
    pub fn vector_store(&mut self) -> Result<String> {
        let fits =
            |place: &&Place| place.writable && place.addressable && place.kind != Kind::Variable;
        let places: Vec<Place> = self.places.iter().filter(fits).cloned().collect();
        let Some(place) = places.iter().find(|place| !place.ty.is_vector()) else {
            return Ok(String::new());
        };
        let lanes = self.one(&LANES)?;
        let value = self.expression(Type { lanes, ..place.ty }, 2)?;
        Ok(format!(
            "vstore{lanes}({value}, {}, {})",
            self.expression(Scalar::Uint.into(), 1)?,
            place.name
        ))
    }
}
