//! The names of the operations in the IR's text form, both ways.

use super::inst::{
    AtomicOp, BarrierFlags, BinaryOp, ConvertOp, FloatCC, FpFlags, IntCC, MathOp, MemFlags,
    MemoryOrder, MemoryScope, UnaryOp, WorkItemQuery,
};
use super::module::Linkage;
use super::types::{AddressSpace, Scalar, Type};

/// Gives an enum `name` and `from_name`.
macro_rules! names {
    ($ty:ident { $($variant:ident => $name:literal),* $(,)? }) => {
        impl $ty {
            /// Returns the name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($ty::$variant => $name),* }
            }

            /// Inverts [`Self::name`].
            pub fn from_name(name: &str) -> Option<$ty> {
                match name { $($name => Some($ty::$variant),)* _ => None }
            }
        }
    };
}

names!(UnaryOp { INeg => "ineg", Not => "not", FNeg => "fneg" });

names!(ConvertOp {
    Trunc => "trunc",
    ZExt => "zext",
    SExt => "sext",
    FToS => "ftos",
    FToU => "ftou",
    SToF => "stof",
    UToF => "utof",
    FConvert => "fconvert",
    Bitcast => "bitcast",
    PtrToInt => "ptrtoint",
    IntToPtr => "inttoptr",
    SpaceCast => "spacecast",
    ToSpace => "tospace",
});

names!(BinaryOp {
    IAdd => "iadd",
    ISub => "isub",
    IMul => "imul",
    SDiv => "sdiv",
    UDiv => "udiv",
    SRem => "srem",
    URem => "urem",
    Shl => "shl",
    LShr => "lshr",
    AShr => "ashr",
    And => "and",
    Or => "or",
    Xor => "xor",
    SMin => "smin",
    SMax => "smax",
    UMin => "umin",
    UMax => "umax",
    SMulHi => "smulhi",
    UMulHi => "umulhi",
    FAdd => "fadd",
    FSub => "fsub",
    FMul => "fmul",
    FDiv => "fdiv",
    FRem => "frem",
    FMin => "fmin",
    FMax => "fmax",
});

names!(MathOp {
    Fma => "fma",
    FAbs => "fabs",
    Floor => "floor",
    Ceil => "ceil",
    Trunc => "ftrunc",
    Rint => "rint",
    Sqrt => "sqrt",
    RSqrt => "rsqrt",
    Sin => "sin",
    Cos => "cos",
    Tan => "tan",
    Exp2 => "exp2",
    Log2 => "log2",
    Pow => "pow",
    Ldexp => "ldexp",
    IsNan => "isnan",
    IsInf => "isinf",
    SAbs => "sabs",
    Clz => "clz",
    Ctz => "ctz",
    PopCount => "popcount",
    BitReverse => "bitreverse",
});

names!(IntCC {
    Eq => "eq",
    Ne => "ne",
    Slt => "slt",
    Sle => "sle",
    Sgt => "sgt",
    Sge => "sge",
    Ult => "ult",
    Ule => "ule",
    Ugt => "ugt",
    Uge => "uge",
});

names!(FloatCC {
    Oeq => "oeq",
    One => "one",
    Olt => "olt",
    Ole => "ole",
    Ogt => "ogt",
    Oge => "oge",
    Ueq => "ueq",
    Une => "une",
    Ult => "ult",
    Ule => "ule",
    Ugt => "ugt",
    Uge => "uge",
    Ord => "ord",
    Uno => "uno",
});

names!(AtomicOp {
    Xchg => "xchg",
    Add => "add",
    Sub => "sub",
    And => "and",
    Or => "or",
    Xor => "xor",
    SMin => "smin",
    SMax => "smax",
    UMin => "umin",
    UMax => "umax",
    FAdd => "fadd",
});

names!(MemoryOrder {
    Relaxed => "relaxed",
    Acquire => "acquire",
    Release => "release",
    AcqRel => "acq_rel",
    SeqCst => "seq_cst",
});

names!(MemoryScope {
    WorkGroup => "work_group",
    Device => "device",
});

names!(WorkItemQuery {
    GlobalId => "global_id",
    GlobalSize => "global_size",
    GlobalOffset => "global_offset",
    GroupId => "group_id",
    NumGroups => "num_groups",
    LocalId => "local_id",
    LocalSize => "local_size",
    EnqueuedLocalSize => "enqueued_local_size",
    WorkDim => "work_dim",
    PrintfBuffer => "printf_buffer",
});

/// Names of the flags, in the order in which they are printed.
pub const FP_FLAGS: [(&str, FpFlags); 2] = [("nc", FpFlags::NO_CONTRACT), ("fast", FpFlags::FAST)];
pub const MEM_FLAGS: [(&str, MemFlags); 2] =
    [("volatile", MemFlags::VOLATILE), ("invariant", MemFlags::INVARIANT)];
pub const BARRIER_FLAGS: [(&str, BarrierFlags); 2] =
    [("local", BarrierFlags::LOCAL), ("global", BarrierFlags::GLOBAL)];

/// Returns the word for a linkage in the text form; none for what is internal.
pub fn linkage_name(linkage: Linkage) -> Option<&'static str> {
    match linkage {
        Linkage::Internal => None,
        Linkage::External => Some("external"),
        Linkage::Import => Some("import"),
    }
}

/// Inverts [`linkage_name`].
pub fn linkage_from_name(name: &str) -> Option<Linkage> {
    match name {
        "external" => Some(Linkage::External),
        "import" => Some(Linkage::Import),
        _ => None,
    }
}

/// Returns the name of an address space in the text form.
pub fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Private => "private",
        AddressSpace::Global => "global",
        AddressSpace::Local => "local",
        AddressSpace::Constant => "constant",
        AddressSpace::Generic => "generic",
    }
}

/// Inverts [`space_name`].
pub fn space_from_name(name: &str) -> Option<AddressSpace> {
    Some(match name {
        "private" => AddressSpace::Private,
        "global" => AddressSpace::Global,
        "local" => AddressSpace::Local,
        "constant" => AddressSpace::Constant,
        "generic" => AddressSpace::Generic,
        _ => return None,
    })
}

/// Reads a type as [`Type`]'s `Display` writes it: `i32`, `f32x4`, `ptr.global`.
pub fn type_from_name(name: &str) -> Option<Type> {
    if let Some(space) = name.strip_prefix("ptr.") {
        return Some(Type::ptr(space_from_name(space)?));
    }
    let (scalar, lanes) = match name.split_once('x') {
        Some((scalar, lanes)) => (scalar, lanes.parse::<u8>().ok()?),
        None => (name, 1),
    };
    let scalar = match scalar {
        "bool" => Scalar::Bool,
        "i8" => Scalar::I8,
        "i16" => Scalar::I16,
        "i32" => Scalar::I32,
        "i64" => Scalar::I64,
        "f16" => Scalar::F16,
        "f32" => Scalar::F32,
        "f64" => Scalar::F64,
        _ => return None,
    };
    matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16).then_some(Type::vector(scalar, lanes))
}
