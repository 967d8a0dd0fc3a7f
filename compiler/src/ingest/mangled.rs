//! Imported functions that are OpenCL C's own: clang's SPIR-V back end leaves calls of some built-in functions as calls
//! of functions that no module defines, under the names that the Itanium C++ ABI gives them
//! (<https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling>).
//!
//! The call has the types of values; only the function and the signs of integers are read from the name.

use super::ext_std::{instance, Function, OperandKinds, Operands};
use crate::builtins::signature::Scalar as Name;
use crate::builtins::{ArgType, Builtin, Check, Number, Rounding};
use crate::ir::Type;

/// Deepest nesting of a parameter's type.
const MAX_DEPTH: u32 = 16;

/// The prefix of an atomic type.
const ATOMIC: &str = "U7_Atomic";

/// The meaning of a call of a function with a mangled name.
#[derive(Debug, Clone)]
pub(super) enum MangledCall {
    Call(Function),
    /// `convert_`: the conversion of a number to another type.
    Convert {
        from: Number,
        to: Number,
        rounding: Option<Rounding>,
        saturate: bool,
    },
}

/// The part of a parameter's type that matters here.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Param {
    /// A number, a vector of numbers, or a pointer to one of them.
    Number(Name),
    Other,
}

/// Returns the built-in function with a mangled name, if there is one that takes operands of these types.
pub(super) fn known(name: &str, operands: Operands<'_>) -> Option<MangledCall> {
    if let Some(to_space) = name.strip_prefix("__").filter(|name| name.starts_with("to_")) {
        return of_space(to_space, operands);
    }
    if let Some(intrinsic) = name.strip_prefix("llvm.") {
        return saturated(intrinsic, operands);
    }
    let (function, params) = parse(name)?;
    if let Some(target) = function.strip_prefix("convert_") {
        return conversion(target, &params, operands);
    }
    if function == "get_fence" {
        return of_space(function, operands);
    }
    let builtin = Builtin::named(function)?;
    let told = match params.first()? {
        Param::Number(name) if number(*name).is_float() => OperandKinds::Floats,
        Param::Number(name) if name.is_signed() => OperandKinds::Signed,
        Param::Number(_) => OperandKinds::Unsigned,
        Param::Other => OperandKinds::Nothing,
    };
    let plain = builtin.sigs().iter().all(|sig| sig.shapes().take(2).count() == 1);
    let told = if plain { OperandKinds::Nothing } else { told };
    let types = builtin.sigs().iter().find_map(|sig| instance(sig, told, operands))?;
    Some(MangledCall::Call(Function { builtin, types }))
}

/// Returns the call of `to_global` and its like, or of `get_fence`, with a generic pointer.
fn of_space(name: &str, operands: Operands<'_>) -> Option<MangledCall> {
    let builtin = Builtin::named(name).filter(|f| matches!(f.check(), Check::Space(_)))?;
    let (&[pointer], Some(result)) = (operands.types, operands.result) else { return None };
    let fits = match builtin.check() {
        Check::Space(Some(space)) => result == Type::ptr(space),
        _ => result == Type::I32,
    };
    let is_generic = pointer.space() == Some(crate::ir::AddressSpace::Generic);
    let types = vec![ArgType { number: Number::INT, lanes: 1, image: None }];
    (is_generic && fits).then_some(MangledCall::Call(Function { builtin, types }))
}

/// Returns the call of LLVM's intrinsic functions for saturating sums and differences, which its translator to SPIR-V
/// leaves in modules.
fn saturated(intrinsic: &str, operands: Operands<'_>) -> Option<MangledCall> {
    let (intrinsic, _) = intrinsic.split_once(".sat.")?;
    let (name, told) = match intrinsic {
        "uadd" => ("add_sat", OperandKinds::Unsigned),
        "sadd" => ("add_sat", OperandKinds::Signed),
        "usub" => ("sub_sat", OperandKinds::Unsigned),
        "ssub" => ("sub_sat", OperandKinds::Signed),
        _ => return None,
    };
    let builtin = Builtin::named(name)?;
    let types = builtin.sigs().iter().find_map(|sig| instance(sig, told, operands))?;
    Some(MangledCall::Call(Function { builtin, types }))
}

/// Reads the name of a conversion behind `convert_`: `TYPE[_sat][_ROUNDING]`.
fn conversion(target: &str, params: &[Param], operands: Operands<'_>) -> Option<MangledCall> {
    let (&[Param::Number(from)], &[value], Some(result)) =
        (params, operands.types, operands.result)
    else {
        return None;
    };
    let (target, rounding) = match target.rsplit_once('_') {
        Some((rest, "rte")) => (rest, Some(Rounding::NearestEven)),
        Some((rest, "rtz")) => (rest, Some(Rounding::TowardZero)),
        Some((rest, "rtp")) => (rest, Some(Rounding::TowardPositive)),
        Some((rest, "rtn")) => (rest, Some(Rounding::TowardNegative)),
        _ => (target, None),
    };
    let (target, saturate) = match target.strip_suffix("_sat") {
        Some(rest) => (rest, true),
        None => (target, false),
    };
    let element = target.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let to = Name::ALL.into_iter().find(|name| name.spelling() == element)?;
    let (from, to) = (number(from), number(to));
    let fits = value.scalar == from.scalar
        && result == Type::vector(to.scalar, value.lanes)
        && (!saturate || to.scalar.is_int());
    fits.then_some(MangledCall::Convert { from, to, rounding, saturate })
}

/// Returns the function of a mangled name.
pub(super) fn function_name(name: &str) -> Option<&str> {
    source_name(&mut name.strip_prefix("_Z")?)
}

/// Takes a mangled name apart into the function's name and its parameters.
fn parse(name: &str) -> Option<(&str, Vec<Param>)> {
    let mut rest = name.strip_prefix("_Z")?;
    let function = source_name(&mut rest)?;
    let mut reader = Reader { rest, seen: Vec::new() };
    let mut params = Vec::new();
    while !reader.rest.is_empty() {
        params.push(reader.ty(0)?);
    }
    Some((function, params))
}

/// Takes a name with its length before it.
fn source_name<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
    let length: usize = rest[..digits].parse().ok()?;
    let (name, others) = rest[digits..].split_at_checked(length)?;
    *rest = others;
    Some(name)
}

/// A reader of mangled types. Substitutions in the name refer to types that were read before.
struct Reader<'a> {
    rest: &'a str,
    seen: Vec<Param>,
}

impl Reader<'_> {
    fn ty(&mut self, depth: u32) -> Option<Param> {
        if depth > MAX_DEPTH {
            return None;
        }
        let first = self.rest.chars().next()?;
        match first {
            'P' => {
                self.rest = &self.rest[1..];
                let pointee = self.ty(depth + 1)?;
                self.remember(pointee)
            }
            'V' | 'K' | 'r' | 'U' => {
                self.qualifiers()?;
                let inner = self.ty(depth + 1)?;
                self.remember(inner)
            }
            'S' => self.substitution(),
            'D' => self.vector_or_half(depth),
            '0'..='9' => {
                source_name(&mut self.rest)?;
                self.remember(Param::Other)
            }
            _ => {
                let param = builtin_type(first)?;
                self.rest = &self.rest[1..];
                Some(param)
            }
        }
    }

    fn remember(&mut self, param: Param) -> Option<Param> {
        self.seen.push(param);
        Some(param)
    }

    /// Takes the qualifiers of one type: an address space, `volatile`, `const`, `restrict`; or the prefix of an atomic type
    /// alone.
    fn qualifiers(&mut self) -> Option<()> {
        if let Some(rest) = self.rest.strip_prefix(ATOMIC) {
            self.rest = rest;
            return Some(());
        }
        while !self.rest.starts_with(ATOMIC) && self.rest.starts_with(['V', 'K', 'r', 'U']) {
            let is_named = self.rest.starts_with('U');
            self.rest = &self.rest[1..];
            if is_named {
                source_name(&mut self.rest)?;
            }
        }
        Some(())
    }

    /// Reads a substitution, `S_`, `S0_`, `S1_`, …: the number of a type that was read before, in base 36.
    fn substitution(&mut self) -> Option<Param> {
        let end = self.rest.find('_')?;
        let index = match &self.rest[1..end] {
            "" => 0,
            digits => usize::from_str_radix(digits, 36).ok()?.checked_add(1)?,
        };
        self.rest = &self.rest[end + 1..];
        self.seen.get(index).copied()
    }

    /// `Dh`, or `DvN_T`.
    fn vector_or_half(&mut self, depth: u32) -> Option<Param> {
        if let Some(rest) = self.rest.strip_prefix("Dh") {
            self.rest = rest;
            return Some(Param::Number(Name::Half));
        }
        let (_, rest) = self.rest.strip_prefix("Dv")?.split_once('_')?;
        self.rest = rest;
        let element = self.ty(depth + 1)?;
        self.remember(element)
    }
}

fn builtin_type(letter: char) -> Option<Param> {
    Some(Param::Number(match letter {
        'b' => Name::Bool,
        'c' | 'a' => Name::Char,
        'h' => Name::UChar,
        's' => Name::Short,
        't' => Name::UShort,
        'i' => Name::Int,
        'j' => Name::UInt,
        'l' => Name::Long,
        'm' => Name::ULong,
        'f' => Name::Float,
        'd' => Name::Double,
        'v' => return Some(Param::Other),
        _ => return None,
    }))
}

fn number(name: Name) -> Number {
    Number { scalar: super::ext_std::scalar(name), signed: name.is_signed() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{AddressSpace, Scalar};

    fn name_of(known: Option<MangledCall>) -> Option<(&'static str, bool)> {
        match known? {
            MangledCall::Call(function) => {
                Some((function.builtin.name(), function.types.first()?.number.signed))
            }
            MangledCall::Convert { from, .. } => Some(("convert", from.signed)),
        }
    }

    #[test]
    fn names_are_taken_apart() {
        let global = Type::ptr(AddressSpace::Global);
        let generic = Type::ptr(AddressSpace::Generic);
        let (int, long) = (Type::I32, Type::I64);
        let known = |name, types: &[Type], result| {
            name_of(known(name, Operands { types, literal: None, result }))
        };
        let update = [global, int];
        assert_eq!(
            known("_Z10atomic_minPU3AS1Vjj", &update, Some(int)),
            Some(("atomic_min", false))
        );
        assert_eq!(
            known("_Z10atomic_minPU3AS1Vii", &update, Some(int)),
            Some(("atomic_min", true))
        );
        let name = "_Z25atomic_fetch_max_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope";
        let args = [generic, int, int, int];
        assert_eq!(known(name, &args, Some(int)), Some(("atomic_fetch_max_explicit", true)));
        assert_eq!(known("_Z9mem_fencej", &[int], None), Some(("mem_fence", false)));
        assert_eq!(known("_Z14convert_doublel", &[long], Some(Type::F64)), Some(("convert", true)));
        assert_eq!(
            known("_Z14convert_doublem", &[long], Some(Type::F64)),
            Some(("convert", false))
        );
        let vector = |scalar| Type::vector(scalar, 3);
        let (floats, ints) = (vector(Scalar::F32), vector(Scalar::I32));
        assert_eq!(
            known("_Z17convert_uint3_satDv3_f", &[floats], Some(ints)),
            Some(("convert", true))
        );
        assert_eq!(known("_Z3maxDv3_iS_", &[ints, ints], Some(ints)), Some(("max", true)));
        assert_eq!(known("__to_global", &[generic], Some(global)), Some(("to_global", true)));
        let texts = [
            "_Z3max",
            "_Z9999999999999999999999max",
            "_Z3maxS9_",
            "_Z3maxPPPPPPPPPPPPPPPPPPPPi",
            "_Z3maxi\u{fffd}",
            "_Z3max\u{fffd}i",
            "_Z\u{fffd}",
            "max",
        ];
        for text in texts {
            assert_eq!(known(text, &[ints, ints], Some(ints)), None, "{text}");
        }
    }
}
