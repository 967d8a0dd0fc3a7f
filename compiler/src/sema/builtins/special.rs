//! Built-in functions whose types no pattern describes: conversions and reinterpretations, named
//! after their result (OpenCL C 6.4.3, 6.4.4), shuffles and `vec_step` (6.15.13), and `printf`.

use crate::builtins::Builtin;
use crate::sema::convert::Context;
use crate::sema::hir::{Expr, ExprKind, Rounding};
use crate::sema::operand::value;

use crate::sema::types::{Scalar, TypeId};
use crate::sema::Sema;
use crate::source::Span;

/// The parts of a name of the form `convert_T[_sat][_rtX]`.
struct Conversion {
    element: Scalar,
    lanes: u8,
    saturate: bool,
    rounding: Option<Rounding>,
}

/// Returns the scalar or vector type of a name: `uchar4`.
fn parse_type(name: &str) -> Option<(Scalar, u8)> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let element = Scalar::from_spelling(&name[..name.len() - digits.len()])?;
    let lanes = match digits {
        "" => 1,
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    Some((element, lanes)).filter(|&(element, _)| element != Scalar::Bool)
}

fn parse_conversion(name: &str) -> Option<Conversion> {
    let mut rest = name.strip_prefix("convert_")?;
    let mut rounding = None;
    for (suffix, mode) in [
        ("_rte", Rounding::NearestEven),
        ("_rtz", Rounding::TowardZero),
        ("_rtp", Rounding::TowardPositive),
        ("_rtn", Rounding::TowardNegative),
    ] {
        if let Some(shorter) = rest.strip_suffix(suffix) {
            (rest, rounding) = (shorter, Some(mode));
            break;
        }
    }
    let saturate = rest.strip_suffix("_sat");
    let (element, lanes) = parse_type(saturate.unwrap_or(rest))?;
    Some(Conversion { element, lanes, saturate: saturate.is_some(), rounding })
}

/// A function that no pattern describes; most have their types in the name.
enum Special {
    Conversion(Conversion),
    /// The type and number of the elements that the bits are reinterpreted as.
    Reinterpretation(Scalar, u8),
    /// `__builtin_expect`, or `__builtin_expect_with_probability` if `probability` is true.
    Expect {
        probability: bool,
    },
    /// `__builtin_assume`.
    Assume,
    /// `__builtin_unreachable`.
    Unreachable,
}

impl Special {
    /// Returns the number of arguments.
    fn arguments(&self) -> usize {
        match self {
            Special::Conversion(_) | Special::Reinterpretation(..) | Special::Assume => 1,
            Special::Expect { probability } => 2 + usize::from(*probability),
            Special::Unreachable => 0,
        }
    }
}

fn parse(name: &str) -> Option<Special> {
    let hint = match name {
        "__builtin_expect" => Some(Special::Expect { probability: false }),
        "__builtin_expect_with_probability" => Some(Special::Expect { probability: true }),
        "__builtin_assume" => Some(Special::Assume),
        "__builtin_unreachable" => Some(Special::Unreachable),
        _ => None,
    };
    if hint.is_some() {
        return hint;
    }
    let reinterpretation = || {
        let (element, lanes) = parse_type(name.strip_prefix("as_")?)?;
        Some(Special::Reinterpretation(element, lanes))
    };
    parse_conversion(name).map(Special::Conversion).or_else(reinterpretation)
}

/// Returns true if one of these functions has the name.
pub(super) fn is_special(name: &str) -> bool {
    parse(name).is_some()
}

impl Sema<'_> {
    /// Analyzes a call of one of these functions; `None` if no such function has the name.
    pub(super) fn special_builtin(
        &mut self,
        name: &str,
        mut args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Option<Expr> {
        let special = parse(name)?;
        if !self.has_count(&args, special.arguments(), span) {
            return Some(self.error_value(span));
        }
        match special {
            Special::Expect { probability } => Some(self.expect(args, probability, span)),
            Special::Assume => Some(self.assume(args.pop()?, span)),
            Special::Unreachable => Some(self.nothing(span)),
            Special::Reinterpretation(element, lanes) => {
                let to = self.offered_type(element, lanes, at);
                Some(self.reinterpret(args.pop()?, to, span))
            }
            Special::Conversion(conversion) => {
                Some(self.conversion(name, &conversion, args.pop()?, at, span))
            }
        }
    }

    /// `__builtin_expect(value, expected)`: returns the value as a long, as in clang. All arguments are evaluated.
    fn expect(&mut self, args: Vec<Expr>, probability: bool, span: Span) -> Expr {
        let long = self.basic.long;
        let mut args = args.into_iter();
        let mut next = |sema: &mut Self| {
            let arg = args.next().unwrap_or_else(|| sema.error_value(span));
            sema.assign_convert(arg, long, Context::Passing)
        };
        let (given, expected) = (next(self), next(self));
        if let Some(chance) = args.next().filter(|_| probability) {
            if !self.is_probability(&chance) {
                let message = "probability argument to '__builtin_expect_with_probability' is no \
                               constant between 0 and 1";
                return self.fail(chance.span, message);
            }
        }
        if self.is_error(given.ty) || self.is_error(expected.ty) {
            return self.error_value(span);
        }
        value(ExprKind::Comma(Box::new(expected), Box::new(given)), long, span)
    }

    fn is_probability(&self, arg: &Expr) -> bool {
        let number = match arg.kind {
            ExprKind::Float(number) => Some(number),
            _ => self.eval_int(arg).map(|number| number as f64),
        };
        self.is_error(arg.ty) || number.is_some_and(|number| (0.0..=1.0).contains(&number))
    }

    /// `__builtin_assume(condition)`: the condition is not used for optimizations and, as in clang, not evaluated.
    fn assume(&mut self, condition: Expr, span: Span) -> Expr {
        let condition = self.assign_convert(condition, self.basic.bool_, Context::Passing);
        if self.is_error(condition.ty) {
            return self.error_value(span);
        }
        self.nothing(span)
    }

    /// Returns an expression of type void that does nothing.
    fn nothing(&mut self, span: Span) -> Expr {
        let zero = Box::new(self.int_value(0, self.basic.int, span));
        let kind = ExprKind::Convert { value: zero, rounding: None, saturate: false };
        value(kind, self.basic.void, span)
    }

    /// Returns true if a call has the right number of arguments; false after a diagnostic.
    pub(super) fn has_count(&mut self, args: &[Expr], count: usize, span: Span) -> bool {
        if args.len() != count {
            self.wrong_count("function", (count, args.len()), span);
        }
        args.len() == count
    }

    /// Returns a scalar or vector type, if the device offers it; otherwise the error type, after a diagnostic.
    fn offered_type(&mut self, element: Scalar, lanes: u8, at: Span) -> TypeId {
        let extension = match element {
            Scalar::Double if !self.target.float64 => "cl_khr_fp64",
            Scalar::Half if !self.half_arithmetic() => "cl_khr_fp16",
            _ => return self.module.types.vector(element, lanes),
        };
        let message = format!(
            "use of type '{}' requires {extension} which this device does not offer",
            element.spelling()
        );
        self.fail(at, message)
    }

    fn conversion(
        &mut self,
        name: &str,
        conversion: &Conversion,
        arg: Expr,
        at: Span,
        span: Span,
    ) -> Expr {
        let to = self.offered_type(conversion.element, conversion.lanes, at);
        if self.is_error(to) {
            return self.error_value(span);
        }
        let lanes = self.module.types.numeric(arg.ty).map(|(_, lanes)| lanes);
        let wrong_sat = conversion.saturate && conversion.element.is_float();
        if lanes != Some(conversion.lanes) || wrong_sat {
            self.error(at, format!("no matching function for call to '{name}'"));
            let note = format!(
                "candidate function not viable: no known conversion from {} for 1st argument",
                self.quoted(arg.ty)
            );
            self.diags.note(None, note);
            return self.error_value(span);
        }
        if conversion.rounding.is_none() && !conversion.saturate {
            return Expr { span, ..self.convert_numeric(arg, to) };
        }
        let (rounding, saturate) = (conversion.rounding, conversion.saturate);
        value(ExprKind::Convert { value: Box::new(arg), rounding, saturate }, to, span)
    }

    /// Returns the same bits as another type of equal size.
    pub(in crate::sema) fn reinterpret(&mut self, arg: Expr, to: TypeId, span: Span) -> Expr {
        if self.is_error(arg.ty) || self.is_error(to) {
            return self.error_value(span);
        }
        let types = &self.module.types;
        let numeric = types.numeric(arg.ty).is_some() && types.numeric(to).is_some();
        if !numeric || types.size(arg.ty) != types.size(to) {
            let (to, arg) = (self.quoted(to), self.quoted(arg.ty));
            let message = format!("invalid reinterpretation: sizes of {to} and {arg} must match");
            return self.fail(span, message);
        }
        if arg.ty == to {
            return Expr { span, ..arg };
        }
        value(ExprKind::Bitcast(Box::new(arg)), to, span)
    }

    /// Number of components of a type; 4 for a vector of 3 (OpenCL C 6.15.13).
    pub(in crate::sema) fn vec_step(&mut self, ty: TypeId, span: Span) -> Expr {
        match self.module.types.numeric(ty) {
            Some((_, lanes)) => {
                let step = if lanes == 3 { 4 } else { lanes };
                self.int_value(u64::from(step), self.basic.int, span)
            }
            None if self.module.types.is_void(ty) => self.int_value(1, self.basic.int, span),
            None => {
                if !self.is_error(ty) {
                    let message = format!(
                        "'vec_step' requires built-in scalar or vector type, {} invalid",
                        self.quoted(ty)
                    );
                    self.error(span, message);
                }
                self.error_value(span)
            }
        }
    }

    /// `shuffle(x, mask)`, `shuffle2(x, y, mask)`. A scalar beside a vector is widened to it, with a warning.
    pub(super) fn shuffle(
        &mut self,
        function: Builtin,
        sources: usize,
        mut args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        let name = function.name();
        if !self.has_count(&args, sources + 1, span) {
            return self.error_value(span);
        }
        if let [x, y, _] = &mut args[..] {
            let lanes = |ty| self.module.types.numeric(ty).map_or(0, |(_, lanes)| lanes);
            let (scalar, ty) = match (lanes(x.ty), lanes(y.ty)) {
                (1, 2..) => (Some(x), y.ty),
                (2.., 1) => (Some(y), x.ty),
                (_, _) => (None, x.ty),
            };
            if let Some(scalar) = scalar {
                self.warn_of_widening(scalar, ty);
                let narrow = std::mem::replace(scalar, self.error_value(span));
                *scalar = self.convert_numeric(narrow, ty);
            }
        }
        let shapes: Vec<_> = args.iter().map(|arg| self.module.types.numeric(arg.ty)).collect();
        let power_of_two = |lanes: u8| lanes > 1 && lanes.is_power_of_two();
        let (first, mask) = (shapes.first().copied().flatten(), shapes.last().copied().flatten());
        let (Some((element, lanes)), Some((index, count))) = (first, mask) else {
            return self.no_shuffle(name, at, span);
        };
        let same = sources < 2 || args.first().map(|arg| arg.ty) == args.get(1).map(|arg| arg.ty);
        let fits = same
            && power_of_two(lanes)
            && power_of_two(count)
            && index == element.unsigned_of_width();
        if !fits {
            return self.no_shuffle(name, at, span);
        }
        let ty = self.module.types.vector(element, count);
        value(ExprKind::Builtin { function, args }, ty, span)
    }

    fn no_shuffle(&mut self, name: &str, at: Span, span: Span) -> Expr {
        self.error(at, format!("no matching function for call to '{name}'"));
        self.diags.note(
            None,
            "candidate function not viable: needs vectors of 2, 4, 8 or 16 components, and a mask of \
             unsigned integers as wide as their elements",
        );
        self.error_value(span)
    }
}
