//! The tables of operations: for each its name in the text form, the types that it takes, and the transformations that
//! passes may apply.
//!
//! A new operation is a row here, a value in `fold.rs`, SPIR-V in `emit/`, and its meaning in
//! `tests/interpreter/operations.rs`.

use super::matrix::MatrixElement;
use super::types::{AddressSpace, Scalar, Type};
use bitflags::bitflags;

bitflags! {
    /// Kinds of scalars.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ScalarKinds: u8 {
        const BOOL = 1;
        const INT = 2;
        const FLOAT = 4;
        const PTR = 8;
        const MATRIX = 16;
    }
}

impl ScalarKinds {
    /// Returns true if a scalar is of one of these kinds.
    pub fn has(self, scalar: Scalar) -> bool {
        self.contains(match scalar {
            Scalar::Bool => BOOL,
            Scalar::Ptr(_) => PTR,
            Scalar::Matrix(_) => ScalarKinds::MATRIX,
            _ if scalar.is_float() => FLOAT,
            _ => INT,
        })
    }
}

const BOOL: ScalarKinds = ScalarKinds::BOOL;
const INT: ScalarKinds = ScalarKinds::INT;
const FLOAT: ScalarKinds = ScalarKinds::FLOAT;
const PTR: ScalarKinds = ScalarKinds::PTR;

/// Where an operation may be executed although the program would not execute it there. Such an operation can neither
/// fail nor touch memory. The numbers are costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speculation {
    Never,
    /// The operation may move in front of a loop that contains it.
    OutOfLoops,
    /// The operation may be executed unconditionally, in place of the branch around it.
    OutOfArms(u32),
    /// The operation may do both.
    Anywhere(u32),
}

impl Speculation {
    /// Returns the cost of executing the operation without the branch around it; `None` if this is not allowed.
    pub fn cost_out_of_arm(self) -> Option<u32> {
        match self {
            Speculation::OutOfArms(cost) | Speculation::Anywhere(cost) => Some(cost),
            Speculation::Never | Speculation::OutOfLoops => None,
        }
    }

    /// Returns true if the operation may be executed in front of a loop that contains it.
    pub fn leaves_loops(self) -> bool {
        matches!(self, Speculation::OutOfLoops | Speculation::Anywhere(_))
    }
}

use Speculation::{Anywhere, Never, OutOfArms, OutOfLoops};

operations! {
    /// Operations with one operand. The result has the operand's type.
    UnaryOp: ScalarKinds {
        /// Two's complement negation.
        INeg = "ineg" => INT,
        /// Bitwise not; logical not on bool.
        Not = "not" => BOOL.union(INT),
        FNeg = "fneg" => FLOAT,
    }
}

impl UnaryOp {
    /// Returns the kinds of scalars that the operation takes.
    pub fn takes(self) -> ScalarKinds {
        *self.rule()
    }
}

/// The row of an operation on operands of one type.
struct Arithmetic {
    takes: ScalarKinds,
    /// Number of operands.
    operands: usize,
    is_commutative: bool,
    speculation: Speculation,
}

const fn on(takes: ScalarKinds) -> Arithmetic {
    Arithmetic { takes, operands: 2, is_commutative: false, speculation: Anywhere(1) }
}

impl Arithmetic {
    const fn commutes(self) -> Arithmetic {
        Arithmetic { is_commutative: true, ..self }
    }

    const fn moves(self, speculation: Speculation) -> Arithmetic {
        Arithmetic { speculation, ..self }
    }

    /// Sets the number of operands, where it is not two.
    const fn operands(self, operands: usize) -> Arithmetic {
        Arithmetic { operands, ..self }
    }
}

operations! {
    /// Operations with two operands. The result has the operands' type.
    BinaryOp: Arithmetic {
        IAdd = "iadd" => on(INT).commutes(),
        ISub = "isub" => on(INT),
        IMul = "imul" => on(INT).commutes(),
        /// Division by zero and overflow give some value, never a trap.
        SDiv = "sdiv" => on(INT).moves(Never),
        UDiv = "udiv" => on(INT).moves(Never),
        SRem = "srem" => on(INT).moves(Never),
        URem = "urem" => on(INT).moves(Never),
        /// Shift amounts have the type of the shifted value and are less than its width (lowering masks them).
        Shl = "shl" => on(INT),
        LShr = "lshr" => on(INT),
        AShr = "ashr" => on(INT),
        And = "and" => on(BOOL.union(INT)).commutes(),
        Or = "or" => on(BOOL.union(INT)).commutes(),
        Xor = "xor" => on(BOOL.union(INT)).commutes(),
        SMin = "smin" => on(INT).commutes(),
        SMax = "smax" => on(INT).commutes(),
        UMin = "umin" => on(INT).commutes(),
        UMax = "umax" => on(INT).commutes(),
        /// High half of the double-width product.
        SMulHi = "smulhi" => on(INT).commutes().moves(Anywhere(2)),
        UMulHi = "umulhi" => on(INT).commutes().moves(Anywhere(2)),
        FAdd = "fadd" => on(FLOAT).commutes(),
        FSub = "fsub" => on(FLOAT),
        FMul = "fmul" => on(FLOAT).commutes(),
        FDiv = "fdiv" => on(FLOAT).moves(OutOfLoops),
        /// C's fmod (result has the sign of the dividend).
        FRem = "frem" => on(FLOAT).moves(Never),
        /// fmin, fmax: if one operand is NaN the other is the result.
        FMin = "fmin" => on(FLOAT),
        FMax = "fmax" => on(FLOAT),
    }
}

impl BinaryOp {
    /// Returns the kinds of scalars that the operation takes.
    pub fn takes(self) -> ScalarKinds {
        self.rule().takes
    }

    pub fn is_float(self) -> bool {
        self.takes() == FLOAT
    }

    pub fn is_commutative(self) -> bool {
        self.rule().is_commutative
    }

    /// Returns the unsigned operation for a signed division or remainder; other operations unchanged.
    pub fn unsigned(self) -> BinaryOp {
        match self {
            BinaryOp::SDiv => BinaryOp::UDiv,
            BinaryOp::SRem => BinaryOp::URem,
            op => op,
        }
    }

    pub fn speculation(self) -> Speculation {
        self.rule().speculation
    }

    /// Returns the bits of the identity element of an operation for which [`Self::is_of_subgroups`] is true.
    pub fn identity(self, scalar: Scalar) -> u64 {
        use BinaryOp::*;
        let bits = scalar.bits();
        let ones = u64::MAX >> (64 - bits);
        let float = |half: u64, single: f32, double: f64| match scalar {
            Scalar::F16 => half,
            Scalar::F32 => single.to_bits().into(),
            _ => double.to_bits(),
        };
        match self {
            IMul => 1,
            And | UMin => ones,
            SMin => ones >> 1,
            SMax => 1 << (bits - 1),
            FMul => float(0x3c00, 1.0, 1.0),
            FMin => float(0x7c00, f32::INFINITY, f64::INFINITY),
            FMax => float(0xfc00, f32::NEG_INFINITY, f64::NEG_INFINITY),
            _ => 0,
        }
    }

    /// Returns true if sub-groups can reduce and scan with the operation. Such operations are associative, except for
    /// rounding.
    pub fn is_of_subgroups(self) -> bool {
        use BinaryOp::*;
        matches!(self, IAdd | IMul | SMin | SMax | UMin | UMax | And | Or | Xor)
            || matches!(self, FAdd | FMul | FMin | FMax)
    }
}

operations! {
    /// Operations that map onto a device instruction (GLSL.std.450 or core SPIR-V).
    MathOp: Arithmetic {
        /// fma(a, b, c). Fused on devices where the probe found so; lowering emits it only for these devices or for
        /// `mad`.
        Fma = "fma" => on(FLOAT).operands(3),
        FAbs = "fabs" => on(FLOAT).operands(1),
        Floor = "floor" => on(FLOAT).operands(1).moves(OutOfArms(1)),
        Ceil = "ceil" => on(FLOAT).operands(1).moves(OutOfArms(1)),
        Trunc = "ftrunc" => on(FLOAT).operands(1).moves(OutOfArms(1)),
        /// Rounds to nearest even.
        Rint = "rint" => on(FLOAT).operands(1).moves(OutOfArms(1)),
        Sqrt = "sqrt" => on(FLOAT).operands(1).moves(Never),
        /// 1/sqrt, device precision.
        RSqrt = "rsqrt" => on(FLOAT).operands(1).moves(Never),
        /// Device-precision (native_) functions.
        Sin = "sin" => on(FLOAT).operands(1).moves(Never),
        Cos = "cos" => on(FLOAT).operands(1).moves(Never),
        Tan = "tan" => on(FLOAT).operands(1).moves(Never),
        Exp2 = "exp2" => on(FLOAT).operands(1).moves(Never),
        Log2 = "log2" => on(FLOAT).operands(1).moves(Never),
        Pow = "pow" => on(FLOAT).moves(Never),
        /// x * 2^e, e an I32 per lane.
        Ldexp = "ldexp" => on(FLOAT).moves(Never),
        /// Whether the operand is NaN, or (`IsInf`) infinite; bool result.
        IsNan = "isnan" => on(FLOAT).operands(1).moves(OutOfArms(1)),
        IsInf = "isinf" => on(FLOAT).operands(1).moves(OutOfArms(1)),
        /// Absolute value of a signed number. This operation and the following ones take integers.
        SAbs = "sabs" => on(INT).operands(1),
        /// Leading zeros; the width for 0.
        Clz = "clz" => on(INT).operands(1).moves(OutOfArms(2)),
        /// Trailing zeros; the width for 0.
        Ctz = "ctz" => on(INT).operands(1).moves(OutOfArms(2)),
        PopCount = "popcount" => on(INT).operands(1).moves(OutOfArms(2)),
        BitReverse = "bitreverse" => on(INT).operands(1).moves(OutOfArms(2)),
        /// Dot products of the four 8-bit numbers in each of two words (I32): both signed, both unsigned, the first
        /// signed and the second unsigned.
        SDot = "sdot" => on(INT).moves(OutOfArms(4)),
        UDot = "udot" => on(INT).moves(OutOfArms(4)),
        SUDot = "sudot" => on(INT).moves(OutOfArms(4)),
    }
}

impl MathOp {
    /// Returns the kinds of scalars that the operation takes.
    pub fn takes(self) -> ScalarKinds {
        self.rule().takes
    }

    pub fn operands(self) -> usize {
        self.rule().operands
    }

    pub fn speculation(self) -> Speculation {
        self.rule().speculation
    }

    /// Returns for each operand of a dot product whether its numbers are signed; `None` for any other operation.
    pub fn signs_of_dot(self) -> Option<[bool; 2]> {
        match self {
            MathOp::SDot => Some([true, true]),
            MathOp::UDot => Some([false, false]),
            MathOp::SUDot => Some([true, false]),
            _ => None,
        }
    }

    /// Returns true if the operation takes operands of this type.
    pub fn acts_on(self, scalar: Scalar) -> bool {
        self.takes().has(scalar) && (self.signs_of_dot().is_none() || scalar == Scalar::I32)
    }

    /// Returns the result's type, which follows from the type of the first operand.
    pub fn result(self, first: Type) -> Type {
        match self {
            MathOp::IsNan | MathOp::IsInf => first.with_scalar(Scalar::Bool),
            _ => first,
        }
    }

    /// Returns the type of the operands after the first.
    pub fn second(self, first: Type) -> Type {
        match self {
            MathOp::Ldexp => first.with_scalar(Scalar::I32),
            _ => first,
        }
    }
}

/// The rule that the types of a conversion obey.
type ConvertRule = fn(Type, Type) -> bool;

/// Returns true if `to` has as many lanes as `from` and the lanes are of the given kinds.
fn per_lane(from: Type, from_kinds: ScalarKinds, to: Type, to_kinds: ScalarKinds) -> bool {
    from.lanes == to.lanes && from_kinds.has(from.scalar) && to_kinds.has(to.scalar)
}

fn widens(from: Type, to: Type) -> bool {
    per_lane(from, BOOL.union(INT), to, INT) && from.scalar.bits() < to.scalar.bits()
}

/// Returns true if a type is an integer of the width of a pointer's address.
pub fn is_address(ty: Type, pointer: Type) -> bool {
    pointer.scalar.is_ptr() && ty == Type::of(Scalar::int(pointer.scalar.bits()))
}

/// Returns true if a type is the integer type `int` or, after legalization, the words that replace it.
fn is_int_or_words(ty: Type, int: Type) -> bool {
    ty == int || int == Type::I64 && ty == Type::PAIR
}

/// Returns true if a type can hold a pointer's address.
fn holds_address(ty: Type, pointer: Type) -> bool {
    pointer.scalar.is_ptr() && is_int_or_words(ty, Type::of(Scalar::int(pointer.scalar.bits())))
}

fn leaves_generic(from: Type, to: Type) -> bool {
    use AddressSpace::{Generic, Global, Local, Private};
    from.space() == Some(Generic) && matches!(to.space(), Some(Global | Local | Private))
}

operations! {
    /// Conversions. The result type is the target; the number of lanes does not change.
    ConvertOp: ConvertRule {
        /// Integer to a narrower one.
        Trunc = "trunc" => |a, b| per_lane(a, INT, b, INT) && a.scalar.bits() > b.scalar.bits(),
        /// Integer or bool to a wider integer.
        ZExt = "zext" => widens,
        /// Integer or bool (true is -1) to a wider integer.
        SExt = "sext" => widens,
        /// Float to signed integer, toward zero; out of range is undefined.
        FToS = "ftos" => |a, b| per_lane(a, FLOAT, b, INT),
        /// Float to unsigned integer, toward zero; out of range is undefined.
        FToU = "ftou" => |a, b| per_lane(a, FLOAT, b, INT),
        /// Signed integer to float, to nearest even.
        SToF = "stof" => |a, b| per_lane(a, INT, b, FLOAT),
        UToF = "utof" => |a, b| per_lane(a, INT, b, FLOAT),
        /// Float to a float of another width, to nearest even.
        FConvert = "fconvert" => |a, b| per_lane(a, FLOAT, b, FLOAT) && a != b,
        /// The same bits with another type; the number of lanes may differ. Operands may be vectors, but not bools.
        Bitcast = "bitcast" => |a, b| {
            let kinds = INT.union(FLOAT);
            kinds.has(a.scalar) && kinds.has(b.scalar) && a.bits() == b.bits()
        },
        /// Pointer to I64 (global, constant, generic) or I32 (local, private). Two I32 stand for an I64 where the
        /// device has none.
        PtrToInt = "ptrtoint" => |a, b| holds_address(b, a),
        IntToPtr = "inttoptr" => |a, b| holds_address(a, b),
        /// Pointer to a pointer of another address space (global <-> constant is a no-op; to and from generic adds
        /// or strips the tag). Null stays null.
        SpaceCast = "spacecast" => |a, b| per_lane(a, PTR, b, PTR) && a != b,
        /// Generic pointer to one of global, local or private memory; null if it points elsewhere.
        ToSpace = "tospace" => leaves_generic,
    }
}

impl ConvertOp {
    /// Returns true if the operation converts from one type to the other.
    pub fn converts(self, from: Type, to: Type) -> bool {
        self.rule()(from, to)
    }

    /// Returns true if each lane is converted by itself.
    pub fn is_lanewise(self) -> bool {
        !matches!(self, ConvertOp::Bitcast | ConvertOp::PtrToInt | ConvertOp::IntToPtr)
    }
}

operations! {
    IntCC {
        Eq = "eq",
        Ne = "ne",
        Slt = "slt",
        Sle = "sle",
        Sgt = "sgt",
        Sge = "sge",
        Ult = "ult",
        Ule = "ule",
        Ugt = "ugt",
        Uge = "uge",
    }
}

impl IntCC {
    /// Returns the condition that holds if and only if this one does not.
    pub fn inverted(self) -> IntCC {
        use IntCC::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Slt => Sge,
            Sge => Slt,
            Sle => Sgt,
            Sgt => Sle,
            Ult => Uge,
            Uge => Ult,
            Ule => Ugt,
            Ugt => Ule,
        }
    }

    /// Returns the condition for exchanged operands.
    pub fn swapped(self) -> IntCC {
        use IntCC::*;
        match self {
            Eq | Ne => self,
            Slt => Sgt,
            Sgt => Slt,
            Sle => Sge,
            Sge => Sle,
            Ult => Ugt,
            Ugt => Ult,
            Ule => Uge,
            Uge => Ule,
        }
    }

    /// Returns the condition of the same numbers without signs.
    pub fn unsigned(self) -> IntCC {
        use IntCC::*;
        match self {
            Slt => Ult,
            Sgt => Ugt,
            Sle => Ule,
            Sge => Uge,
            cc => cc,
        }
    }
}

operations! {
    /// Float comparisons: ordered (false with NaN) except for `Une`, and the unordered forms `U..`.
    FloatCC {
        Oeq = "oeq",
        One = "one",
        Olt = "olt",
        Ole = "ole",
        Ogt = "ogt",
        Oge = "oge",
        Ueq = "ueq",
        Une = "une",
        Ult = "ult",
        Ule = "ule",
        Ugt = "ugt",
        Uge = "uge",
        /// True if neither operand is NaN.
        Ord = "ord",
        /// True if an operand is NaN.
        Uno = "uno",
    }
}

operations! {
    AtomicOp: ScalarKinds {
        Xchg = "xchg" => INT.union(FLOAT),
        Add = "add" => INT,
        Sub = "sub" => INT,
        And = "and" => INT,
        Or = "or" => INT,
        Xor = "xor" => INT,
        SMin = "smin" => INT,
        SMax = "smax" => INT,
        UMin = "umin" => INT,
        UMax = "umax" => INT,
        FAdd = "fadd" => FLOAT,
        /// If one number is NaN, the other is the result.
        FMin = "fmin" => FLOAT,
        FMax = "fmax" => FLOAT,
    }
}

impl SubgroupVote {
    /// Returns the kinds of scalars that the operation takes.
    pub fn takes(self) -> ScalarKinds {
        *self.rule()
    }
}

impl AtomicOp {
    /// Returns the arithmetic operation that this operation performs atomically; `None` for an exchange.
    pub fn arithmetic(self) -> Option<BinaryOp> {
        Some(match self {
            AtomicOp::Xchg => return None,
            AtomicOp::Add => BinaryOp::IAdd,
            AtomicOp::Sub => BinaryOp::ISub,
            AtomicOp::And => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
            AtomicOp::SMin => BinaryOp::SMin,
            AtomicOp::SMax => BinaryOp::SMax,
            AtomicOp::UMin => BinaryOp::UMin,
            AtomicOp::UMax => BinaryOp::UMax,
            AtomicOp::FAdd => BinaryOp::FAdd,
            AtomicOp::FMin => BinaryOp::FMin,
            AtomicOp::FMax => BinaryOp::FMax,
        })
    }

    /// Returns the kinds of scalars that the operation takes.
    pub fn takes(self) -> ScalarKinds {
        *self.rule()
    }
}

operations! {
    /// The order of a matrix's elements in memory. The numbers are SPIR-V's.
    MatrixLayout {
        RowMajor = "rows",
        ColumnMajor = "columns",
    }
}

operations! {
    /// Operations on matrices, element by element. Each row lists the roles of the operands.
    MatrixOp: MatrixRule {
        /// A matrix of equal elements.
        Splat = "matrix_splat" => &[MatrixOperand::Element],
        /// The number of elements that a work-item holds of a matrix of the operand's type.
        Length = "matrix_length" => &[MatrixOperand::Any],
        /// An element that the work-item holds, by its index (I32).
        Extract = "matrix_extract" => &[MatrixOperand::Any, MatrixOperand::Index],
        /// The matrix with one element that the work-item holds replaced.
        Insert = "matrix_insert" => &[MatrixOperand::Same, MatrixOperand::Element, MatrixOperand::Index],
        INeg = "matrix_ineg" => &[MatrixOperand::Same],
        FNeg = "matrix_fneg" => &[MatrixOperand::Same],
        IAdd = "matrix_iadd" => &[MatrixOperand::Same; 2],
        ISub = "matrix_isub" => &[MatrixOperand::Same; 2],
        IMul = "matrix_imul" => &[MatrixOperand::Same; 2],
        SDiv = "matrix_sdiv" => &[MatrixOperand::Same; 2],
        UDiv = "matrix_udiv" => &[MatrixOperand::Same; 2],
        FAdd = "matrix_fadd" => &[MatrixOperand::Same; 2],
        FSub = "matrix_fsub" => &[MatrixOperand::Same; 2],
        FMul = "matrix_fmul" => &[MatrixOperand::Same; 2],
        FDiv = "matrix_fdiv" => &[MatrixOperand::Same; 2],
        /// Multiplies each element by a number.
        Scale = "matrix_scale" => &[MatrixOperand::Same, MatrixOperand::Element],
        FConvert = "matrix_fconvert" => &[MatrixOperand::Shape],
        SConvert = "matrix_sconvert" => &[MatrixOperand::Shape],
        UConvert = "matrix_uconvert" => &[MatrixOperand::Shape],
        FToS = "matrix_ftos" => &[MatrixOperand::Shape],
        FToU = "matrix_ftou" => &[MatrixOperand::Shape],
        SToF = "matrix_stof" => &[MatrixOperand::Shape],
        UToF = "matrix_utof" => &[MatrixOperand::Shape],
        Bitcast = "matrix_bitcast" => &[MatrixOperand::Shape],
    }
}

/// The relation of an operand's type to the result's type in a [`MatrixOp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixOperand {
    /// The operand has the result's type.
    Same,
    /// The operand is a matrix with the size and use of the result.
    Shape,
    /// The operand has the type of the result's elements.
    Element,
    /// The operand may be any matrix.
    Any,
    /// The operand is an I32.
    Index,
}

type MatrixRule = &'static [MatrixOperand];

impl MatrixOp {
    /// Returns the roles of the operands.
    pub fn operands(self) -> &'static [MatrixOperand] {
        self.rule()
    }

    /// Returns true if the first matrix and the result may have these elements. Nothing is computed with bfloat16.
    pub fn takes(self, from: MatrixElement, to: MatrixElement) -> bool {
        use MatrixOp::*;
        let is_number = |element| element != MatrixElement::BF16;
        match self {
            Splat | Length | Extract | Insert | Bitcast => true,
            Scale => is_number(to),
            INeg | IAdd | ISub | IMul | SDiv | UDiv | SConvert | UConvert => {
                !from.is_float() && !to.is_float()
            }
            FNeg | FAdd | FSub | FMul | FDiv => to.is_float() && is_number(to),
            FConvert => from.is_float() && to.is_float(),
            FToS | FToU => from.is_float() && !to.is_float(),
            SToF | UToF => !from.is_float() && to.is_float(),
        }
    }
}

operations! {
    /// Predicates of a value in the work-items of a sub-group that execute the operation together.
    SubgroupVote: ScalarKinds {
        All = "subgroup_all" => BOOL,
        Any = "subgroup_any" => BOOL,
        /// True if the value is the same in all work-items; zeros of different signs are equal, NaN is not equal to
        /// itself.
        AllEqual = "subgroup_all_equal" => BOOL.union(INT).union(FLOAT),
    }
}

operations! {
    /// From which work-item of the sub-group a value is taken, as an operand selects. The result is undefined if that
    /// work-item does not execute the operation together with this one.
    SubgroupShuffle {
        /// The work-item whose number is the operand, which is the same for all.
        Broadcast = "subgroup_broadcast",
        /// The work-item whose number is the operand.
        Index = "subgroup_shuffle",
        /// The work-item whose number is this work-item's number xor the operand.
        Xor = "subgroup_shuffle_xor",
        /// The work-item whose number is lower by the operand.
        Up = "subgroup_shuffle_up",
        /// The work-item whose number is higher by the operand.
        Down = "subgroup_shuffle_down",
    }
}

operations! {
    /// The work-items whose values are combined.
    SubgroupScan {
        /// Combines the values of all work-items.
        Reduce = "subgroup_reduce",
        /// Combines the values of work-items up to this one.
        Inclusive = "subgroup_inclusive_scan",
        /// Combines the values of work-items before this one.
        Exclusive = "subgroup_exclusive_scan",
    }
}

operations! {
    /// The type of the four components of a texel. Images of signed and of unsigned integers have different types.
    TexelComponent: Scalar {
        Float = "float" => Scalar::F32,
        Int = "int" => Scalar::I32,
        Uint = "uint" => Scalar::I32,
    }
}

impl TexelComponent {
    /// Returns the type of a texel.
    pub fn texel(self) -> Type {
        Type::vector(*self.rule(), 4)
    }
}

operations! {
    /// The order of an atomic operation or a fence among the accesses around it (OpenCL C 6.15.12).
    MemoryOrder {
        Relaxed = "relaxed",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
        SeqCst = "seq_cst",
    }
}

operations! {
    /// The work-items for which an order holds.
    MemoryScope {
        WorkGroup = "work_group",
        Device = "device",
    }
}

operations! {
    /// The work-items that share a clock.
    ClockScope {
        SubGroup = "sub_group",
        Device = "device",
    }
}

operations! {
    /// Values that a launch provides, and their types. The dimension is 0, 1 or 2, unless said otherwise.
    WorkItemQuery: Type {
        GlobalId = "global_id" => Type::I64,
        GlobalSize = "global_size" => Type::I64,
        GlobalOffset = "global_offset" => Type::I64,
        GroupId = "group_id" => Type::I64,
        NumGroups = "num_groups" => Type::I64,
        /// The id of the work-item in its work-group. Less than the device's largest work-group size.
        LocalId = "local_id" => Type::I32,
        /// The actual size of this work-group.
        LocalSize = "local_size" => Type::I32,
        EnqueuedLocalSize = "enqueued_local_size" => Type::I32,
        /// The number of dimensions of the launch; dimension is 0.
        WorkDim = "work_dim" => Type::I32,
        /// Global pointer to the launch's buffer for [`crate::printf`]; dimension is 0.
        PrintfBuffer = "printf_buffer" => Type::ptr(AddressSpace::Global),
        /// Global pointer to the launch's [`crate::device_queue::context`]; dimension is 0.
        QueueContext = "queue_context" => Type::ptr(AddressSpace::Global),
        /// The number of the work-item in its sub-group; dimension is 0, here and in the other queries of sub-groups.
        SubgroupInvocation = "subgroup_invocation" => Type::I32,
        /// The number of the sub-group in its work-group.
        SubgroupId = "subgroup_id" => Type::I32,
        /// Work-items of the largest sub-group of the launch: a power of two.
        SubgroupMaxSize = "subgroup_max_size" => Type::I32,
        /// Work-items of this sub-group: fewer at most in the last one of a work-group.
        SubgroupSize = "subgroup_size" => Type::I32,
        /// Sub-groups of this work-group.
        NumSubgroups = "num_subgroups" => Type::I32,
        EnqueuedNumSubgroups = "enqueued_num_subgroups" => Type::I32,
        /// The global id within the dispatch. Legalization replaces the queries above with this query and the following
        /// ones.
        InvocationId = "invocation_id" => Type::I32,
        /// The id of the work-group within the dispatch.
        WorkGroupId = "work_group_id" => Type::I32,
        /// True if the dispatch has a global offset, or begins at another work-group than the first; dimension is 0.
        HasOffset = "has_offset" => Type::BOOL,
        /// True if an image that the kernel writes may need its components in another order
        /// ([`crate::kernel::spec_id::REORDERS_IMAGES`]); dimension is 0.
        ReordersImages = "reorders_images" => Type::BOOL,
        /// A word of the global id of the dispatch's first work-item. The dimension counts words, two for each
        /// dimension, in this query and all that follow.
        GlobalBaseWord = "global_base_word" => Type::I32,
        /// A word of the id of the dispatch's first work-group.
        GroupBaseWord = "group_base_word" => Type::I32,
        GlobalOffsetWord = "global_offset_word" => Type::I32,
        GlobalSizeWord = "global_size_word" => Type::I32,
        NumGroupsWord = "num_groups_word" => Type::I32,
        /// A word of the address of [`crate::printf`]'s buffer.
        PrintfBufferWord = "printf_buffer_word" => Type::I32,
        /// A word of the address of [`crate::device_queue::context`].
        QueueContextWord = "queue_context_word" => Type::I32,
        /// A word of the address of the program's data image ([`crate::kernel::DataImage`]).
        DataAddressWord = "data_address_word" => Type::I32,
        /// A word of the address of the word that sequentially consistent fences act on.
        OrderAddressWord = "order_address_word" => Type::I32,
    }
}

impl WorkItemQuery {
    /// Returns the type of the result.
    pub fn ty(self) -> Type {
        *self.rule()
    }

    /// Returns true if the query is about the work-item's sub-group.
    pub fn is_of_subgroup(self) -> bool {
        use WorkItemQuery::*;
        matches!(self, SubgroupInvocation | SubgroupId | SubgroupMaxSize | SubgroupSize)
            || matches!(self, NumSubgroups | EnqueuedNumSubgroups)
    }

    /// Returns the upper bound of the dimension (exclusive).
    pub fn dims(self) -> u8 {
        use WorkItemQuery::*;
        match self {
            GlobalBaseWord | GroupBaseWord | GlobalOffsetWord | GlobalSizeWord | NumGroupsWord => 6,
            _ => 3,
        }
    }
}
