//! Built-in functions whose types no pattern describes: conversions and reinterpretations, named
//! after their result (OpenCL C 6.4.3, 6.4.4), shuffles and `vec_step` (6.15.13), and `printf`.

use crate::options::ClStd;
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

fn parse_reinterpretation(name: &str) -> Option<(Scalar, u8)> {
    parse_type(name.strip_prefix("as_")?)
}

/// Returns the version of OpenCL C from which on there is a function of this name; `None` if there is none.
pub(super) fn since(name: &str) -> Option<ClStd> {
    match name {
        "printf" => Some(ClStd::Cl12),
        "shuffle" | "shuffle2" => Some(ClStd::Cl11),
        "__builtin_expect" => Some(ClStd::Cl10),
        _ => {
            let by_type =
                parse_conversion(name).is_some() || parse_reinterpretation(name).is_some();
            by_type.then_some(ClStd::Cl10)
        }
    }
}

impl Sema<'_> {
    /// Returns true if there is such a function in the program's version.
    pub(super) fn has_special_builtin(&self, name: &str) -> bool {
        since(name).is_some_and(|since| since <= self.options.std)
    }

    /// Analyzes a call of one of these functions; `None` if the name is none of theirs.
    pub(super) fn special_builtin(
        &mut self,
        name: &str,
        mut args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Option<Expr> {
        if !self.has_special_builtin(name) {
            return None;
        }
        let count = match name {
            "printf" => return Some(self.printf(args, span)),
            "shuffle2" => 3,
            "shuffle" | "__builtin_expect" => 2,
            _ => 1,
        };
        if args.len() != count {
            let (have, few) = (args.len(), if args.len() < count { "few" } else { "many" });
            self.error(
                span,
                format!("too {few} arguments to function call, expected {count}, have {have}"),
            );
            return Some(self.error_value(span));
        }
        match name {
            "__builtin_expect" => {
                args.pop();
                return args.pop();
            }
            "shuffle" => return Some(self.shuffle("shuffle", args, at, span)),
            "shuffle2" => return Some(self.shuffle("shuffle2", args, at, span)),
            _ => {}
        }
        let arg = args.pop()?;
        if let Some((element, lanes)) = parse_reinterpretation(name) {
            let to = self.offered_type(element, lanes, at)?;
            return Some(self.reinterpret(arg, to, span));
        }
        let conversion = parse_conversion(name)?;
        Some(self.conversion(name, &conversion, arg, at, span))
    }

    /// Returns a type that the device offers; the error type after a diagnostic.
    fn offered_type(&mut self, element: Scalar, lanes: u8, at: Span) -> Option<TypeId> {
        let extension = match element {
            Scalar::Double if !self.target.float64 => "cl_khr_fp64",
            Scalar::Half if !self.half_arithmetic() => "cl_khr_fp16",
            _ => return Some(self.module.types.vector(element, lanes)),
        };
        let message = format!(
            "use of type '{}' requires {extension} which this device does not offer",
            element.spelling()
        );
        self.error(at, message);
        Some(self.basic.error)
    }

    fn conversion(
        &mut self,
        name: &str,
        conversion: &Conversion,
        arg: Expr,
        at: Span,
        span: Span,
    ) -> Expr {
        let Some(to) = self.offered_type(conversion.element, conversion.lanes, at) else {
            return self.error_value(span);
        };
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
            let message = format!(
                "invalid reinterpretation: sizes of {} and {} must match",
                self.quoted(to),
                self.quoted(arg.ty)
            );
            self.error(span, message);
            return self.error_value(span);
        }
        if arg.ty == to {
            return Expr { span, ..arg };
        }
        value(ExprKind::Bitcast(Box::new(arg)), to, span)
    }

    /// Components of a type; 4 for a vector of 3 (OpenCL C 6.15.13).
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

    /// `shuffle(x, mask)`, `shuffle2(x, y, mask)`.
    fn shuffle(&mut self, name: &'static str, args: Vec<Expr>, at: Span, span: Span) -> Expr {
        let shapes: Vec<_> = args.iter().map(|arg| self.module.types.numeric(arg.ty)).collect();
        let power_of_two = |lanes: u8| lanes > 1 && lanes.is_power_of_two();
        let (first, mask) = (shapes.first().copied().flatten(), shapes.last().copied().flatten());
        let (Some((element, lanes)), Some((index, count))) = (first, mask) else {
            return self.no_shuffle(name, at, span);
        };
        let same =
            args.len() < 3 || args.first().map(|arg| arg.ty) == args.get(1).map(|arg| arg.ty);
        let fits = same
            && power_of_two(lanes)
            && power_of_two(count)
            && index == element.unsigned_of_width();
        if !fits {
            return self.no_shuffle(name, at, span);
        }
        let ty = self.module.types.vector(element, count);
        value(ExprKind::Builtin { name, args }, ty, span)
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
