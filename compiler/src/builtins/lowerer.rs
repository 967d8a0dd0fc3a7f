//! Lowering of calls of built-in functions into the function that a builder builds.

use super::convert::Number;
use super::row::{Halves, Lower};
use super::Builtin;
use crate::ir::{Builder, ConvertOp, Func, Global, GlobalData, Scalar, Type, Value};
use crate::kernel::ImageType;
use crate::options::Options;
use crate::target::Target;

/// A call with evaluated arguments, converted to the parameters' types.
#[derive(Debug, Clone, Copy)]
pub struct Call<'c> {
    pub builtin: Builtin,
    pub args: &'c [Value],
    /// The types of the arguments in OpenCL C, which say more than their types in the IR.
    pub types: &'c [ArgType],
    /// Type of the result; I32 for void.
    pub result: Type,
}

/// The type of an argument; for a pointer, the type that it points to.
#[derive(Debug, Clone, Copy)]
pub struct ArgType {
    pub number: Number,
    pub lanes: u8,
    /// The type of an image argument.
    pub image: Option<ImageType>,
}

/// Operations that lowering asks of the front end.
pub trait FrontEnd {
    /// Returns the library's function with a name (`sin`) for F32 or F64, if there is one.
    fn library_function(&mut self, name: &str, scalar: Scalar) -> Option<Func>;

    /// Returns the library's function on images or pipes with a name, if there is one.
    fn image_function(&mut self, name: &str) -> Option<Func>;

    /// Returns the program's variable with this name, size and contents, which is made on first use.
    fn shared_global(&mut self, data: GlobalData) -> Global;

    /// Returns true if a kernel of the program asks for sub-groups that are made of several of the hardware's.
    fn has_larger_subgroups(&self) -> bool;
}

/// Lowers calls at the current place of a builder.
pub struct Lowerer<'l, 'f> {
    pub b: &'l mut Builder<'f>,
    pub target: &'l Target,
    pub options: &'l Options,
    /// True in functions of the library, whose arithmetic is exact as written: no option relaxes it.
    pub in_library: bool,
    pub front: &'l mut dyn FrontEnd,
}

impl ArgType {
    /// Returns the type of values.
    pub fn value(self) -> Type {
        Type::vector(self.number.scalar, self.lanes)
    }

    /// Returns size and alignment in memory: three lanes take as much memory as four.
    pub fn layout(self) -> (u32, u32) {
        let lanes = if self.lanes == 3 { 4 } else { u32::from(self.lanes) };
        let size = self.number.scalar.bytes() * lanes;
        (size, size)
    }
}

impl Call<'_> {
    /// Returns the element type of the first argument, or of what it points to.
    pub fn number(&self) -> Number {
        self.types.first().map_or(Number::INT, |ty| ty.number)
    }

    pub fn is_signed(&self) -> bool {
        self.number().signed
    }

    /// Returns the operation for the signedness of the first argument.
    pub fn by_sign<T>(&self, signed: T, unsigned: T) -> T {
        if self.is_signed() {
            signed
        } else {
            unsigned
        }
    }
}

impl Lowerer<'_, '_> {
    /// Lowers a call. Returns `None` if it has no result, or if the function does not exist for these types.
    pub fn call(&mut self, call: &Call<'_>) -> Option<Value> {
        let row = call.builtin.row();
        let scalar = call.args.first().map(|&arg| self.b.ty(arg).scalar);
        let of_halves = scalar == Some(Scalar::F16) || call.result.scalar == Scalar::F16;
        match row.halves {
            Halves::InFloat if of_halves => return self.in_float(call),
            Halves::By(lower) if of_halves => return self.lower(lower, call),
            _ => {}
        }
        let relaxes = self.options.fast_relaxed_math && !self.in_library;
        let relaxed = row.relaxed.filter(|_| relaxes);
        let by_device = row.by_device.filter(|_| !self.in_library);
        let mut single = [relaxed, by_device].into_iter().flatten();
        single
            .find_map(|lower| (scalar == Some(Scalar::F32)).then(|| lower(self, call))?)
            .or_else(|| self.lower(row.lower, call))
    }

    fn lower(&mut self, lower: Lower, call: &Call<'_>) -> Option<Value> {
        match lower {
            Lower::Call(lower) => return lower(self, call),
            Lower::Library => return self.library(call.builtin.name(), call),
            Lower::LibraryAs(name) => return self.library(name, call),
            _ => {}
        }
        let args = self.splat_args(call);
        Some(match (lower, args.as_slice()) {
            (Lower::Unary(lower), &[x]) => lower(self, call, x),
            (Lower::Binary(lower), &[x, y]) => lower(self, call, x, y),
            (Lower::Ternary(lower), &[x, y, z]) => lower(self, call, x, y, z),
            _ => return None,
        })
    }

    /// Lowers a call through the float version of the function.
    pub(super) fn in_float(&mut self, call: &Call<'_>) -> Option<Value> {
        let args: Vec<Value> = call.args.iter().map(|&arg| self.b.half_as_float(arg)).collect();
        let result = match call.result.scalar {
            Scalar::F16 => call.result.with_scalar(Scalar::F32),
            _ => call.result,
        };
        let value = self.call(&Call { args: &args, result, ..*call })?;
        Some(self.b.convert(ConvertOp::FConvert, value, call.result))
    }

    /// Returns the arguments, scalars repeated to the widest vector among them.
    pub(super) fn splat_args(&mut self, call: &Call<'_>) -> Vec<Value> {
        let widest = call.args.iter().copied().max_by_key(|&arg| self.b.ty(arg).lanes);
        let Some(widest) = widest else { return Vec::new() };
        call.args.iter().map(|&arg| self.b.match_lanes(arg, widest)).collect()
    }

    /// `if (condition) body()`.
    pub(super) fn when(&mut self, condition: Value, body: impl FnOnce(&mut Self)) {
        let (then, join) = (self.b.new_block(), self.b.new_block());
        self.b.brif(condition, then, join);
        self.b.switch_to(then);
        body(self);
        self.b.jump(join, &[]);
        self.b.switch_to(join);
    }
}
