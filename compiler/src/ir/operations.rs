//! The tables of operations: of each its name in the text form, on what it acts, and what passes may do with it.
//!
//! A new operation is a row here, a value in `fold.rs`, SPIR-V in `emit/`, and its meaning in
//! `tests/interpreter/operations.rs`.

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
    /// Returns true if a scalar is of one of the kinds.
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

/// Where an operation may be executed though the program would not have executed it: one that can neither fail nor
/// touch memory. The numbers are costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speculation {
    Never,
    /// It may move in front of a loop that contains it.
    OutOfLoops,
    /// It may replace a branch around it.
    OutOfArms(u32),
    /// It may do both.
    Anywhere(u32),
}

impl Speculation {
    /// Returns the cost of executing the operation whatever a branch around it decides; `None` if it may not be.
    pub fn cost_out_of_arm(self) -> Option<u32> {
        match self {
            Speculation::OutOfArms(cost) | Speculation::Anywhere(cost) => Some(cost),
            Speculation::Never | Speculation::OutOfLoops => None,
        }
    }

    /// Returns true if the operation is cheap, and may be executed in front of a loop that it stands in.
    pub fn leaves_loops(self) -> bool {
        matches!(self, Speculation::OutOfLoops | Speculation::Anywhere(_))
    }
}

use Speculation::{Anywhere, Never, OutOfArms, OutOfLoops};

operations! {
    /// Operations with one operand, whose type the result has.
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
    /// Operations with two operands, whose type the result has.
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

    /// Returns the division of unsigned numbers in the place of one of signed ones.
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

    /// Returns the bits of the value that changes nothing, of an operation that [`Self::is_of_subgroups`].
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

    /// Returns true if sub-groups reduce and scan by the operation. It is associative, except for rounding.
    pub fn is_of_subgroups(self) -> bool {
        use BinaryOp::*;
        matches!(self, IAdd | IMul | SMin | SMax | UMin | UMax | And | Or | Xor)
            || matches!(self, FAdd | FMul | FMin | FMax)
    }
}

operations! {
    /// Operations that map onto a device instruction (GLSL.std.450 or core SPIR-V).
    MathOp: Arithmetic {
        /// fma(a, b, c): fused on devices where the probe said so; lowering emits it only there or for `mad`.
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
        /// Bool result.
        IsNan = "isnan" => on(FLOAT).operands(1).moves(OutOfArms(1)),
        IsInf = "isinf" => on(FLOAT).operands(1).moves(OutOfArms(1)),
        /// Integer operations.
        SAbs = "sabs" => on(INT).operands(1),
        /// Leading zeros; the width for 0.
        Clz = "clz" => on(INT).operands(1).moves(OutOfArms(2)),
        /// Trailing zeros; the width for 0.
        Ctz = "ctz" => on(INT).operands(1).moves(OutOfArms(2)),
        PopCount = "popcount" => on(INT).operands(1).moves(OutOfArms(2)),
        BitReverse = "bitreverse" => on(INT).operands(1).moves(OutOfArms(2)),
        /// Sums of the products of the four 8-bit numbers in each of two words (I32): signed ones, unsigned ones, and
        /// signed ones by unsigned ones.
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

    /// Returns of each operand of a dot product if its numbers are signed; `None` for any other operation.
    pub fn signs_of_dot(self) -> Option<[bool; 2]> {
        match self {
            MathOp::SDot => Some([true, true]),
            MathOp::UDot => Some([false, false]),
            MathOp::SUDot => Some([true, false]),
            _ => None,
        }
    }

    /// Returns true if the operation is one of lanes of this type.
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

    /// Returns the type of the operands behind the first.
    pub fn second(self, first: Type) -> Type {
        match self {
            MathOp::Ldexp => first.with_scalar(Scalar::I32),
            _ => first,
        }
    }
}

/// The rule that a conversion's types obey.
type ConvertRule = fn(Type, Type) -> bool;

/// Returns true if all lanes change from one kind to another.
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

/// Returns true if a type has the bits of an integer type in one number or, after legalization, in words.
fn is_int_or_words(ty: Type, int: Type) -> bool {
    ty == int || int == Type::I64 && ty == Type::PAIR
}

/// Returns true if a type holds a pointer's address.
fn holds_address(ty: Type, pointer: Type) -> bool {
    pointer.scalar.is_ptr() && is_int_or_words(ty, Type::of(Scalar::int(pointer.scalar.bits())))
}

fn leaves_generic(from: Type, to: Type) -> bool {
    use AddressSpace::{Generic, Global, Local, Private};
    from.space() == Some(Generic) && matches!(to.space(), Some(Global | Local | Private))
}

operations! {
    /// Conversions; the result type says to what. Lanes are kept.
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
        /// Same total number of bits, other type; lanes may differ. Also bool-free vectors.
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

    /// Returns true if lanes are converted one by one.
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
    /// Returns the condition that holds where this one does not.
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

    /// Returns the condition with its operands exchanged.
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
        /// If one number is NaN the other is the result.
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
    /// Returns the operation on numbers that is made atomic; `None` for an exchange.
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
    /// How a matrix lies in memory. The numbers are SPIR-V's.
    MatrixLayout {
        RowMajor = "rows",
        ColumnMajor = "columns",
    }
}

operations! {
    /// Operations on matrices, element by element. The number is the number of operands.
    MatrixOp: MatrixRule {
        /// A matrix of equal elements.
        Splat = "matrix_splat" => &[MatrixOperand::Element],
        /// The number of elements that a work-item holds of a matrix like the operand.
        Length = "matrix_length" => &[MatrixOperand::Any],
        /// An element that the work-item holds, by its number (I32).
        Extract = "matrix_extract" => &[MatrixOperand::Any, MatrixOperand::Index],
        /// The matrix with another such element.
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

/// What an operand of a [`MatrixOp`] is to the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixOperand {
    /// It has the result's type.
    Same,
    /// A matrix of its size and use.
    Shape,
    /// It has the type of the result's elements.
    Element,
    /// It may be any matrix.
    Any,
    /// An I32.
    Index,
}

type MatrixRule = &'static [MatrixOperand];

impl MatrixOp {
    /// Returns what the operands are.
    pub fn operands(self) -> &'static [MatrixOperand] {
        self.rule()
    }

    /// Returns the kinds of elements of the first matrix and of the result that the operation is for.
    pub fn elements(self) -> (ScalarKinds, ScalarKinds) {
        use MatrixOp::*;
        let any = INT.union(FLOAT);
        match self {
            Splat | Length | Extract | Insert | Scale | Bitcast => (any, any),
            INeg | IAdd | ISub | IMul | SDiv | UDiv | SConvert | UConvert => (INT, INT),
            FNeg | FAdd | FSub | FMul | FDiv | FConvert => (FLOAT, FLOAT),
            FToS | FToU => (FLOAT, INT),
            SToF | UToF => (INT, FLOAT),
        }
    }
}

operations! {
    /// What the work-items of a sub-group that are together at a place find out of a value.
    SubgroupVote: ScalarKinds {
        All = "subgroup_all" => BOOL,
        Any = "subgroup_any" => BOOL,
        /// True if all have the same value; zeros of different signs are equal, NaN is not equal to itself.
        AllEqual = "subgroup_all_equal" => BOOL.union(INT).union(FLOAT),
    }
}

operations! {
    /// From which work-item of the sub-group a value is taken, by an operand. It is undefined where that one is not
    /// together with this one at the place.
    SubgroupShuffle {
        /// The work-item with this number, which is the same for all.
        Broadcast = "subgroup_broadcast",
        /// The work-item with this number.
        Index = "subgroup_shuffle",
        /// The work-item whose number is the own one with some bits inverted.
        Xor = "subgroup_shuffle_xor",
        /// The work-item with a number lower by so much.
        Up = "subgroup_shuffle_up",
        /// The work-item with a number higher by so much.
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
    /// What the four components of a texel are. Signed and unsigned integers are different kinds of image.
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
    /// Among which work-items an order holds.
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
    /// Values that the launch gives, and their types; the dimension is 0, 1 or 2, unless said otherwise.
    WorkItemQuery: Type {
        GlobalId = "global_id" => Type::I64,
        GlobalSize = "global_size" => Type::I64,
        GlobalOffset = "global_offset" => Type::I64,
        GroupId = "group_id" => Type::I64,
        NumGroups = "num_groups" => Type::I64,
        /// Below the device's largest work-group.
        LocalId = "local_id" => Type::I32,
        /// This work-group's actual size.
        LocalSize = "local_size" => Type::I32,
        EnqueuedLocalSize = "enqueued_local_size" => Type::I32,
        /// Dimension is 0.
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
        /// The global id within the dispatch. What follows, too, is what legalization makes of the above.
        InvocationId = "invocation_id" => Type::I32,
        /// The id of the work-group within the dispatch.
        WorkGroupId = "work_group_id" => Type::I32,
        /// True if the dispatch has a global offset, or begins at another work-group than the first; dimension is 0.
        HasOffset = "has_offset" => Type::BOOL,
        /// A word of the global id of the dispatch's first work-item. The dimension counts words, two for each
        /// dimension, in this query and all that follow.
        GlobalBaseWord = "global_base_word" => Type::I32,
        /// A word of the id of the dispatch's first work-group.
        GroupBaseWord = "group_base_word" => Type::I32,
        GlobalOffsetWord = "global_offset_word" => Type::I32,
        GlobalSizeWord = "global_size_word" => Type::I32,
        NumGroupsWord = "num_groups_word" => Type::I32,
        /// A word of the address.
        PrintfBufferWord = "printf_buffer_word" => Type::I32,
        /// A word of the address.
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

    /// Returns true if the value is of the work-item's sub-group.
    pub fn is_of_subgroup(self) -> bool {
        use WorkItemQuery::*;
        matches!(self, SubgroupInvocation | SubgroupId | SubgroupMaxSize | SubgroupSize)
            || matches!(self, NumSubgroups | EnqueuedNumSubgroups)
    }

    /// Returns what the dimension is less than.
    pub fn dims(self) -> u8 {
        use WorkItemQuery::*;
        match self {
            GlobalBaseWord | GroupBaseWord | GlobalOffsetWord | GlobalSizeWord | NumGroupsWord => 6,
            _ => 3,
        }
    }
}
