//! `printf` (OpenCL C 6.15.14): its arguments after the default promotions, and clang's warnings
//! (-Wformat) where the format string is known.

use crate::builtins::Builtin;
use crate::printf::{pieces, Conversion, Directive, Length, Mistake, Piece};
use crate::sema::convert::Context;
use crate::sema::hir::{Expr, ExprKind, GlobalId, Place, PlaceKind};
use crate::sema::operand::value;
use crate::sema::types::{PointerType, Scalar, TypeId, TypeKind};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast::AddressSpace;

/// The most arguments of one call. clang has no limit, but the size of a record needs one.
const MAX_ARGS: usize = 256;

/// The format string, if it is known when the program is compiled.
enum Format {
    /// The format is one of these texts, without terminating zeros.
    Texts(Vec<Vec<u8>>),
    Unknown,
}

impl Sema<'_> {
    /// Analyzes a call of `printf`: the format as a pointer to constant char, the arguments promoted.
    pub(super) fn printf(&mut self, function: Builtin, mut args: Vec<Expr>, span: Span) -> Expr {
        if args.is_empty() || args.len() > MAX_ARGS {
            let few = if args.is_empty() { "few" } else { "many" };
            let have = args.len();
            let message =
                format!("too {few} arguments to function call, expected at least 1, have {have}");
            return self.fail(span, message);
        }
        let rest = args.split_off(1);
        let Some(format) = args.pop() else { return self.error_value(span) };
        let format = self.format_pointer(format);
        if self.is_error(format.ty) {
            return self.error_value(span);
        }
        match self.format_of(&format) {
            Format::Texts(texts) => {
                texts.iter().for_each(|text| self.check_format(text, &format, &rest));
            }
            Format::Unknown => {
                self.diags.warning(format.span, "format string is not a string literal");
            }
        }
        let mut all = vec![format];
        for arg in rest {
            let arg = self.promote_argument(arg);
            if self.is_error(arg.ty) {
                return self.error_value(span);
            }
            all.push(arg);
        }
        value(ExprKind::Builtin { function, args: all }, self.basic.int, span)
    }

    fn format_pointer(&mut self, format: Expr) -> Expr {
        let pointer = PointerType {
            pointee: self.basic.char_,
            space: AddressSpace::Constant,
            is_const: true,
            is_volatile: false,
        };
        let ty = self.module.types.intern(TypeKind::Pointer(pointer));
        self.assign_convert(format, ty, Context::Passing)
    }

    /// Applies the default argument promotions (C99 6.5.2.2). Floats stay floats: promotion to double would not
    /// change their values, nor the printed text.
    fn promote_argument(&mut self, arg: Expr) -> Expr {
        match *self.module.types.kind(arg.ty) {
            TypeKind::Scalar(Scalar::Half) => self.convert_to_scalar(arg, Scalar::Float),
            TypeKind::Scalar(_) => self.promote(arg),
            TypeKind::Vector(..) | TypeKind::Pointer(_) => arg,
            _ => {
                let message =
                    format!("cannot pass an object of type {} to printf", self.quoted(arg.ty));
                self.fail(arg.span, message)
            }
        }
    }

    /// Returns the strings that a pointer to constant char may point to, if they are known.
    fn format_of(&self, e: &Expr) -> Format {
        match &e.kind {
            ExprKind::AddressOf(place) => {
                self.string_at(place).map_or(Format::Unknown, |text| Format::Texts(vec![text]))
            }
            ExprKind::PointerCast(inner) | ExprKind::Comma(_, inner) => self.format_of(inner),
            ExprKind::Conditional { then, otherwise, .. } => {
                match (self.format_of(then), self.format_of(otherwise)) {
                    (Format::Texts(mut all), Format::Texts(more)) => {
                        all.extend(more);
                        Format::Texts(all)
                    }
                    _ => Format::Unknown,
                }
            }
            ExprKind::Load(place) => {
                self.pointed_to(place).map_or(Format::Unknown, |text| Format::Texts(vec![text]))
            }
            _ => Format::Unknown,
        }
    }

    /// Returns the string in an array of constant memory. `place` is the whole array or its first element.
    fn string_at(&self, place: &Place) -> Option<Vec<u8>> {
        match place.kind {
            PlaceKind::Global(id) => self.string_in(id, 0),
            _ => None,
        }
    }

    /// Returns the string that a pointer in constant memory points to.
    fn pointed_to(&self, place: &Place) -> Option<Vec<u8>> {
        let PlaceKind::Global(id) = place.kind else { return None };
        let global = self.module.globals.get(id)?;
        match global.relocations[..] {
            [target] if global.space == AddressSpace::Constant && target.offset == 0 => {
                self.string_in(target.target, target.addend)
            }
            _ => None,
        }
    }

    fn string_in(&self, id: GlobalId, offset: i64) -> Option<Vec<u8>> {
        let global = self.module.globals.get(id)?;
        let init = global.init.as_ref().filter(|_| global.space == AddressSpace::Constant)?;
        let bytes = init.get(usize::try_from(offset).ok()?..)?;
        let end = bytes.iter().position(|&byte| byte == 0)?;
        Some(bytes[..end].to_vec())
    }

    /// Warns if the format and the arguments, before promotion, do not fit together.
    fn check_format(&mut self, text: &[u8], format: &Expr, args: &[Expr]) {
        let mut used = 0;
        for piece in pieces(text) {
            match piece {
                Piece::Text(_) => {}
                Piece::Invalid(text, mistake) => self.warn_mistake(text, mistake, format.span),
                Piece::Directive(directive) => {
                    let Some(arg) = args.get(used) else {
                        let message = "more '%' conversions than data arguments";
                        self.diags.warning(format.span, message);
                        return;
                    };
                    used += 1;
                    self.check_argument(&directive, arg);
                }
            }
        }
        if let Some(arg) = args.get(used) {
            self.diags.warning(arg.span, "data argument not used by format string");
        }
    }

    fn warn_mistake(&mut self, text: &[u8], mistake: Mistake, span: Span) {
        let text = String::from_utf8_lossy(text);
        let message = match mistake {
            Mistake::Incomplete => "incomplete format specifier".to_string(),
            Mistake::Specifier(letter) => format!("invalid conversion specifier '{letter}'"),
            Mistake::Star => format!("'*' is not supported by OpenCL C (in '{text}')"),
            Mistake::VectorSize => format!("invalid vector specifier in '{text}'"),
            Mistake::Length(length) => {
                format!("length modifier '{length}' is not supported by OpenCL C (in '{text}')")
            }
        };
        self.diags.warning(span, message);
    }

    fn check_argument(&mut self, directive: &Directive, arg: &Expr) {
        if self.fits(directive, arg.ty) || self.is_error(arg.ty) {
            return;
        }
        let message = format!(
            "format specifies type '{}' but the argument has type {}",
            expected(directive),
            self.quoted(arg.ty)
        );
        self.diags.warning(arg.span, message);
    }

    /// Returns true if a directive prints values of a type.
    fn fits(&self, directive: &Directive, ty: TypeId) -> bool {
        let types = &self.module.types;
        if let Some(pointer) = types.as_pointer(ty) {
            let is_char =
                matches!(types.numeric(pointer.pointee), Some((Scalar::Char | Scalar::UChar, 1)));
            return match directive.conversion {
                Conversion::Pointer => true,
                Conversion::String => is_char && pointer.space == AddressSpace::Constant,
                _ => false,
            };
        }
        // Arguments of other types are errors elsewhere: they cannot be passed to `printf`.
        let Some((scalar, lanes)) = types.numeric(ty) else { return true };
        let integer = !scalar.is_float();
        let kind_fits = match directive.conversion {
            Conversion::Char => integer,
            Conversion::String | Conversion::Pointer => false,
            _ => integer == directive.conversion.is_integer(),
        };
        if lanes != directive.lanes || !kind_fits {
            return false;
        }
        let size = scalar.size();
        match directive.length {
            // Without a length modifier a directive fits vectors with elements of any size.
            Length::None if lanes > 1 => true,
            Length::None => !integer || size <= 4,
            Length::Char | Length::Short if lanes == 1 => integer && size <= 4,
            Length::Char => size == 1,
            Length::Short => size == 2,
            Length::Int => size == 4,
            // C99 lets `l` have no effect on floating-point conversions.
            Length::Long if lanes == 1 && !integer => true,
            Length::Long => size == 8,
            Length::Size | Length::Difference => integer && size == 8,
        }
    }
}

/// Returns the type that a directive is for, as diagnostics name it.
fn expected(directive: &Directive) -> String {
    let float = directive.conversion.is_float();
    let signed = directive.conversion == Conversion::Signed;
    let scalar = match (directive.conversion, directive.length) {
        (Conversion::Char, _) => "int",
        (Conversion::String, _) => "__constant char *",
        (Conversion::Pointer, _) => "void *",
        (_, Length::Short) if float => "half",
        (_, Length::None | Length::Int) if float && directive.lanes > 1 => "float",
        _ if float => "double",
        (_, Length::Size) => "size_t",
        (_, Length::Difference) => "ptrdiff_t",
        (_, Length::Char) if signed => "char",
        (_, Length::Char) => "uchar",
        (_, Length::Short) if signed => "short",
        (_, Length::Short) => "ushort",
        (_, Length::Long) if signed => "long",
        (_, Length::Long) => "ulong",
        _ if signed => "int",
        _ => "uint",
    };
    match directive.lanes {
        1 => scalar.to_string(),
        lanes => format!("{scalar}{lanes}"),
    }
}
