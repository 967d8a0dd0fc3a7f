//! The instructions. Unless said otherwise operands and result have one common type, scalar or
//! vector, and act per lane.

use super::entities::{Block, Func, Global, Value};
use super::types::{AddressSpace, Type};
use bitflags::bitflags;
use smallvec::SmallVec;

bitflags! {
    /// What a floating-point operation may assume or do.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct FpFlags: u8 {
        /// May not be contracted into a fused multiply-add (FP_CONTRACT OFF).
        const NO_CONTRACT = 1;
        /// Fast relaxed math: no NaN, no infinities, no signed zeros, reassociation, reciprocals.
        const FAST = 2;
    }
}

bitflags! {
    /// Properties of a memory access.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct MemFlags: u8 {
        /// `volatile`: never removed, merged or reordered with other volatile accesses.
        const VOLATILE = 1;
        /// The memory does not change while the kernel runs (`constant` space).
        const INVARIANT = 2;
    }
}

bitflags! {
    /// Memory that a barrier or fence orders (CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct BarrierFlags: u8 {
        const LOCAL = 1;
        const GLOBAL = 2;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Two's complement negation.
    INeg,
    /// Bitwise not; logical not on bool.
    Not,
    FNeg,
}

/// Conversions; the result type says to what. Lanes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConvertOp {
    /// Integer to a narrower one.
    Trunc,
    /// Integer or bool to a wider integer.
    ZExt,
    /// Integer or bool (true is -1) to a wider integer.
    SExt,
    /// Float to signed integer, toward zero; out of range is undefined.
    FToS,
    /// Float to unsigned integer, toward zero; out of range is undefined.
    FToU,
    /// Signed integer to float, to nearest even.
    SToF,
    UToF,
    /// Float to a float of another width, to nearest even.
    FConvert,
    /// Same total number of bits, other type; lanes may differ. Also bool-free vectors.
    Bitcast,
    /// Pointer to I64 (global, constant, generic) or I32 (local, private).
    PtrToInt,
    IntToPtr,
    /// Pointer to a pointer of another address space (global <-> constant is a no-op; to and from
    /// generic adds or strips the tag). Null stays null.
    SpaceCast,
    /// Generic pointer to one of global, local or private memory; null if it points elsewhere.
    ToSpace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    IAdd,
    ISub,
    IMul,
    /// Division by zero and overflow give some value, never a trap.
    SDiv,
    UDiv,
    SRem,
    URem,
    /// Shift amounts have the type of the shifted value and are less than its width (lowering masks
    /// them).
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    /// High half of the double-width product.
    SMulHi,
    UMulHi,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// C's fmod (result has the sign of the dividend).
    FRem,
    /// fmin, fmax: if one operand is NaN the other is the result.
    FMin,
    FMax,
}

impl BinaryOp {
    pub fn is_float(self) -> bool {
        use BinaryOp::*;
        matches!(self, FAdd | FSub | FMul | FDiv | FRem | FMin | FMax)
    }

    pub fn is_commutative(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            IAdd | IMul
                | And
                | Or
                | Xor
                | SMin
                | SMax
                | UMin
                | UMax
                | SMulHi
                | UMulHi
                | FAdd
                | FMul
        )
    }
}

/// Operations that map onto a device instruction (GLSL.std.450 or core SPIR-V).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MathOp {
    /// fma(a, b, c): fused on devices where the probe said so; lowering emits it only there or for
    /// `mad`.
    Fma,
    FAbs,
    Floor,
    Ceil,
    Trunc,
    /// To nearest even.
    Rint,
    Sqrt,
    /// 1/sqrt, device precision.
    RSqrt,
    /// Device-precision (native_) functions.
    Sin,
    Cos,
    Tan,
    Exp2,
    Log2,
    Pow,
    /// x * 2^e, e an I32 per lane.
    Ldexp,
    /// Bool result.
    IsNan,
    IsInf,
    /// Integer operations.
    SAbs,
    /// Leading zeros; the width for 0.
    Clz,
    /// Trailing zeros; the width for 0.
    Ctz,
    PopCount,
    BitReverse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntCC {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

/// Float comparisons: ordered (false with NaN) except for `Une`, and the unordered forms `U..`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatCC {
    Oeq,
    One,
    Olt,
    Ole,
    Ogt,
    Oge,
    Ueq,
    Une,
    Ult,
    Ule,
    Ugt,
    Uge,
    /// Neither is NaN.
    Ord,
    /// One is NaN.
    Uno,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    Xchg,
    Add,
    Sub,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    FAdd,
}

/// The order of an atomic operation or a fence among the accesses around it (OpenCL C 6.15.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl MemoryOrder {
    pub const ALL: [MemoryOrder; 5] = [
        MemoryOrder::Relaxed,
        MemoryOrder::Acquire,
        MemoryOrder::Release,
        MemoryOrder::AcqRel,
        MemoryOrder::SeqCst,
    ];

    /// Returns true if later accesses are ordered behind the operation.
    pub fn acquires(self) -> bool {
        matches!(self, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
    }

    /// Returns true if earlier accesses are ordered before the operation.
    pub fn releases(self) -> bool {
        matches!(self, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
    }
}

/// Among which work-items an order holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryScope {
    WorkGroup,
    Device,
}

/// Order and scope of an atomic operation or a fence. An operation on local memory is of its
/// work-group, whatever the scope says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SyncSemantics {
    pub order: MemoryOrder,
    pub scope: MemoryScope,
}

impl SyncSemantics {
    /// Order and scope of the atomic functions of OpenCL C 1.x.
    pub const RELAXED: SyncSemantics =
        SyncSemantics { order: MemoryOrder::Relaxed, scope: MemoryScope::Device };
    /// Order and scope of the fences of OpenCL C 1.x in local memory.
    pub const FENCE: SyncSemantics =
        SyncSemantics { order: MemoryOrder::AcqRel, scope: MemoryScope::WorkGroup };

    /// Returns true if the operation orders other accesses.
    pub fn orders(self) -> bool {
        self.order != MemoryOrder::Relaxed
    }
}

/// Values that the launch gives; the dimension is 0, 1 or 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorkItemQuery {
    /// I64.
    GlobalId,
    /// I64.
    GlobalSize,
    /// I64.
    GlobalOffset,
    /// I64.
    GroupId,
    /// I64.
    NumGroups,
    /// I32: below the device's largest work-group.
    LocalId,
    /// I32: this work-group's actual size.
    LocalSize,
    /// I32.
    EnqueuedLocalSize,
    /// I32; dimension is 0.
    WorkDim,
    /// Global pointer to the launch's buffer for [`crate::printf`]; dimension is 0.
    PrintfBuffer,
}

impl WorkItemQuery {
    /// Type of the result.
    pub fn ty(self) -> Type {
        use WorkItemQuery::*;
        match self {
            GlobalId | GlobalSize | GlobalOffset | GroupId | NumGroups => Type::I64,
            LocalId | LocalSize | EnqueuedLocalSize | WorkDim => Type::I32,
            PrintfBuffer => Type::ptr(AddressSpace::Global),
        }
    }
}

/// A branch target with the arguments for its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlockCall {
    pub block: Block,
    pub args: SmallVec<[Value; 2]>,
}

impl BlockCall {
    pub fn new(block: Block) -> BlockCall {
        BlockCall { block, args: SmallVec::new() }
    }

    pub fn with_args(block: Block, args: &[Value]) -> BlockCall {
        BlockCall { block, args: SmallVec::from_slice(args) }
    }
}

/// One value of a switch. (Ranges are expanded or turned into comparisons by lowering.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SwitchCase {
    pub value: u64,
    pub target: BlockCall,
}

/// An instruction. Result types stand in the function's value table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum InstData {
    Unary {
        op: UnaryOp,
        arg: Value,
        flags: FpFlags,
    },
    Binary {
        op: BinaryOp,
        args: [Value; 2],
        flags: FpFlags,
    },
    Math {
        op: MathOp,
        args: SmallVec<[Value; 3]>,
        flags: FpFlags,
    },
    /// Bool (or bool vector) result.
    ICmp {
        cc: IntCC,
        args: [Value; 2],
    },
    FCmp {
        cc: FloatCC,
        args: [Value; 2],
        flags: FpFlags,
    },
    /// `args[0] ? args[1] : args[2]`; the condition is one bool, or a bool vector of as many lanes.
    Select {
        args: [Value; 3],
    },
    Convert {
        op: ConvertOp,
        arg: Value,
    },
    /// A vector from its lanes.
    Build {
        args: SmallVec<[Value; 4]>,
    },
    /// One lane.
    Extract {
        arg: Value,
        lane: u8,
    },
    /// One lane chosen at run time; the index (I32) is taken modulo the lanes.
    ExtractDynamic {
        arg: Value,
        index: Value,
    },
    /// The vector with one lane replaced.
    Insert {
        arg: Value,
        element: Value,
        lane: u8,
    },
    InsertDynamic {
        arg: Value,
        element: Value,
        index: Value,
    },
    /// Lanes of the concatenation of two vectors of one type.
    Shuffle {
        args: [Value; 2],
        lanes: SmallVec<[u8; 16]>,
    },
    /// A private object of `size` bytes. Must be in the entry block. Gives `ptr.private`.
    Alloca {
        size: u64,
        align: u32,
    },
    /// Address of a global variable.
    GlobalAddr {
        global: Global,
    },
    /// Pointer plus a signed byte offset: I64 or I32 for 64-bit spaces, I32 for local and private.
    PtrAdd {
        ptr: Value,
        offset: Value,
    },
    /// Reads a scalar or vector; `align` in bytes is at least 1 and may be less than natural.
    Load {
        ptr: Value,
        align: u32,
        flags: MemFlags,
    },
    /// No result.
    Store {
        ptr: Value,
        value: Value,
        align: u32,
        flags: MemFlags,
    },
    /// Of I32, I64 or F32. Gives the old value.
    AtomicRmw {
        op: AtomicOp,
        ptr: Value,
        value: Value,
        sync: SyncSemantics,
    },
    /// Returns the old value. One that fails orders as a load does.
    AtomicCmpXchg {
        ptr: Value,
        expected: Value,
        desired: Value,
        sync: SyncSemantics,
    },
    AtomicLoad {
        ptr: Value,
        sync: SyncSemantics,
    },
    /// No result.
    AtomicStore {
        ptr: Value,
        value: Value,
        sync: SyncSemantics,
    },
    WorkItem {
        query: WorkItemQuery,
        dim: u8,
    },
    /// Reads a scalar, vector or pointer (global, constant, local) at byte `offset` of the kernel
    /// argument number `arg`. Only in kernel entry functions (which have no parameters).
    LoadArg {
        arg: u32,
        offset: u32,
    },
    /// Work-group control barrier; no result.
    Barrier {
        flags: BarrierFlags,
    },
    /// Memory fence; no result.
    Fence {
        flags: BarrierFlags,
        sync: SyncSemantics,
    },
    /// The result is the callee's first, if it has one.
    Call {
        func: Func,
        args: SmallVec<[Value; 4]>,
    },
    /// Result number `index`, at least 1, of a call whose first result is `call`. Stands behind the
    /// call in its block.
    CallResult {
        call: Value,
        index: u32,
    },

    /// Terminators.
    Jump {
        target: BlockCall,
    },
    Brif {
        cond: Value,
        then: BlockCall,
        otherwise: BlockCall,
    },
    /// On an integer value of any width.
    Switch {
        value: Value,
        cases: Vec<SwitchCase>,
        default: BlockCall,
    },
    /// As many values as the function has results.
    Return {
        values: SmallVec<[Value; 1]>,
    },
    Unreachable,
}

impl InstData {
    pub fn is_terminator(&self) -> bool {
        use InstData::*;
        matches!(self, Jump { .. } | Brif { .. } | Switch { .. } | Return { .. } | Unreachable)
    }

    /// Calls `f` for every operand, branch arguments among them.
    pub fn for_each_arg(&self, mut f: impl FnMut(Value)) {
        use InstData::*;
        let mut one = |v: &Value| f(*v);
        match self {
            Unary { arg, .. } | Convert { arg, .. } | Extract { arg, .. } => one(arg),
            Binary { args, .. } | ICmp { args, .. } | FCmp { args, .. } | Shuffle { args, .. } => {
                args.iter().for_each(one)
            }
            Math { args, .. } => args.iter().for_each(one),
            Select { args } => args.iter().for_each(one),
            Build { args } => args.iter().for_each(one),
            Call { args, .. } => args.iter().for_each(one),
            ExtractDynamic { arg, index } => [arg, index].into_iter().for_each(one),
            Insert { arg, element, .. } => [arg, element].into_iter().for_each(one),
            InsertDynamic { arg, element, index } => {
                [arg, element, index].into_iter().for_each(one)
            }
            PtrAdd { ptr, offset } => [ptr, offset].into_iter().for_each(one),
            Load { ptr, .. } | AtomicLoad { ptr, .. } => one(ptr),
            Store { ptr, value, .. }
            | AtomicRmw { ptr, value, .. }
            | AtomicStore { ptr, value, .. } => [ptr, value].into_iter().for_each(one),
            AtomicCmpXchg { ptr, expected, desired, .. } => {
                [ptr, expected, desired].into_iter().for_each(one)
            }
            Jump { target } => target.args.iter().for_each(one),
            Brif { cond, then, otherwise } => {
                one(cond);
                then.args.iter().chain(&otherwise.args).for_each(one);
            }
            Switch { value, cases, default } => {
                one(value);
                cases.iter().flat_map(|case| &case.target.args).for_each(&mut one);
                default.args.iter().for_each(one);
            }
            CallResult { call, .. } => one(call),
            Return { values } => values.iter().for_each(one),
            Alloca { .. }
            | GlobalAddr { .. }
            | WorkItem { .. }
            | LoadArg { .. }
            | Barrier { .. }
            | Fence { .. }
            | Unreachable => {}
        }
    }

    /// Replaces every operand, branch arguments among them.
    pub fn map_args(&mut self, mut f: impl FnMut(Value) -> Value) {
        use InstData::*;
        let mut one = |v: &mut Value| *v = f(*v);
        match self {
            Unary { arg, .. } | Convert { arg, .. } | Extract { arg, .. } => one(arg),
            Binary { args, .. } | ICmp { args, .. } | FCmp { args, .. } | Shuffle { args, .. } => {
                args.iter_mut().for_each(one)
            }
            Math { args, .. } => args.iter_mut().for_each(one),
            Select { args } => args.iter_mut().for_each(one),
            Build { args } => args.iter_mut().for_each(one),
            Call { args, .. } => args.iter_mut().for_each(one),
            ExtractDynamic { arg, index } => [arg, index].into_iter().for_each(one),
            Insert { arg, element, .. } => [arg, element].into_iter().for_each(one),
            InsertDynamic { arg, element, index } => {
                [arg, element, index].into_iter().for_each(one)
            }
            PtrAdd { ptr, offset } => [ptr, offset].into_iter().for_each(one),
            Load { ptr, .. } | AtomicLoad { ptr, .. } => one(ptr),
            Store { ptr, value, .. }
            | AtomicRmw { ptr, value, .. }
            | AtomicStore { ptr, value, .. } => [ptr, value].into_iter().for_each(one),
            AtomicCmpXchg { ptr, expected, desired, .. } => {
                [ptr, expected, desired].into_iter().for_each(one)
            }
            Jump { target } => target.args.iter_mut().for_each(one),
            Brif { cond, then, otherwise } => {
                one(cond);
                then.args.iter_mut().chain(&mut otherwise.args).for_each(one);
            }
            Switch { value, cases, default } => {
                one(value);
                for case in cases {
                    case.target.args.iter_mut().for_each(&mut one);
                }
                default.args.iter_mut().for_each(one);
            }
            CallResult { call, .. } => one(call),
            Return { values } => values.iter_mut().for_each(one),
            Alloca { .. }
            | GlobalAddr { .. }
            | WorkItem { .. }
            | LoadArg { .. }
            | Barrier { .. }
            | Fence { .. }
            | Unreachable => {}
        }
    }

    /// Calls `f` for every branch target, in order (then, else; cases, default).
    pub fn for_each_target(&self, mut f: impl FnMut(&BlockCall)) {
        match self {
            InstData::Jump { target } => f(target),
            InstData::Brif { then, otherwise, .. } => {
                f(then);
                f(otherwise);
            }
            InstData::Switch { cases, default, .. } => {
                cases.iter().for_each(|c| f(&c.target));
                f(default);
            }
            _ => {}
        }
    }

    /// As [`InstData::for_each_target`], to change them.
    pub fn for_each_target_mut(&mut self, mut f: impl FnMut(&mut BlockCall)) {
        match self {
            InstData::Jump { target } => f(target),
            InstData::Brif { then, otherwise, .. } => {
                f(then);
                f(otherwise);
            }
            InstData::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|c| f(&mut c.target));
                f(default);
            }
            _ => {}
        }
    }

    /// Must stay even if its result is unused: writes memory, synchronizes, or ends a block. (Calls
    /// count as such.)
    pub fn has_side_effect(&self) -> bool {
        use InstData::*;
        match self {
            Load { flags, .. } => flags.contains(MemFlags::VOLATILE),
            Store { .. }
            | AtomicRmw { .. }
            | AtomicCmpXchg { .. }
            | AtomicLoad { .. }
            | AtomicStore { .. }
            | Barrier { .. }
            | Fence { .. }
            | Call { .. } => true,
            _ => self.is_terminator(),
        }
    }

    /// Reads memory (so may not move over writes).
    pub fn reads_memory(&self) -> bool {
        use InstData::*;
        matches!(
            self,
            Load { .. } | AtomicRmw { .. } | AtomicCmpXchg { .. } | AtomicLoad { .. } | Call { .. }
        )
    }
}
