//! The typed tree that sema builds and lowering consumes.
//!
//! Every implicit conversion is explicit here ([`ExprKind::Convert`]), every overload is resolved,
//! every constant expression is evaluated, every object has a type of known layout. Values
//! ([`Expr`]) and objects ([`Place`]) are different things: reading an object is
//! [`ExprKind::Load`], so lowering never has to ask whether an expression is an lvalue.

pub use crate::builtins::{Builtin, Rounding};

use super::types::{RecordId, TypeId, Types};
use crate::ir::MatrixLayout;
use crate::source::Span;
use crate::syntax::ast::AddressSpace;
pub use crate::syntax::ast::{ArithOp, CompareOp, CompoundOp, Unroll};
use cranelift_entity::{entity_impl, PrimaryMap};

/// A function of the program (also a declared one whose definition is missing).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(u32);
entity_impl!(FunctionId, "fn");

/// A program-scope variable, or a `local`/`constant`/static variable of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(u32);
entity_impl!(GlobalId, "global");

/// A private variable or parameter of one function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(u32);
entity_impl!(LocalId, "local");

/// A goto label of one function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(u32);
entity_impl!(LabelId, "label");

/// A checked program.
#[derive(Debug, Default)]
pub struct Module {
    pub types: Types,
    pub functions: PrimaryMap<FunctionId, Function>,
    pub globals: PrimaryMap<GlobalId, Global>,
    /// True if functions are called whose result depends on which work-items of a sub-group call them together.
    pub uses_subgroups: bool,
    /// Calls that close a cycle of calls, in the order of the text, and the functions that they call.
    pub recursive_calls: Vec<(Span, FunctionId)>,
    /// True if functions are called that some work-items of a sub-group may reach without the others.
    pub parts_meet: bool,
    /// True if a kernel asks for sub-groups that are made of several of the hardware's.
    pub larger_subgroups: bool,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    /// The name by which other programs link to the function, if it has external linkage (C99 6.2.2,
    /// 6.7.4). The names of overloads contain their parameters' types.
    pub symbol: Option<String>,
    pub span: Span,
    pub ret: TypeId,
    /// Parameters are the first locals, in order.
    pub params: Vec<LocalId>,
    pub locals: PrimaryMap<LocalId, Local>,
    pub labels: PrimaryMap<LabelId, String>,
    /// `None` for a declaration without a definition; calling it is an error at link time.
    pub body: Option<Vec<Stmt>>,
    /// The metadata of a kernel; `None` for other functions.
    pub kernel: Option<KernelInfo>,
    /// True if `FP_CONTRACT` is off in this function.
    pub no_contract: bool,
    pub noinline: bool,
}

/// The properties of a kernel from `__attribute__` and the parameter list.
#[derive(Debug, Default, Clone)]
pub struct KernelInfo {
    pub required_local_size: Option<[u32; 3]>,
    pub local_size_hint: Option<[u32; 3]>,
    pub required_subgroup_size: Option<u32>,
    /// The attributes as CL_KERNEL_ATTRIBUTES reports them.
    pub attributes: String,
    /// True for the kernel of a block that is enqueued ([`crate::kernel::Kernel::is_block`]).
    pub is_block: bool,
    /// One per parameter: metadata as clGetKernelArgInfo reports it.
    pub args: Vec<ArgInfo>,
}

#[derive(Debug, Clone)]
pub struct ArgInfo {
    pub name: String,
    /// The name of the type, without qualifiers and spaces: `uint*`.
    pub type_name: String,
    pub address: AddressSpace,
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
}

/// A private variable or parameter. A struct parameter is an object of its own (by value).
#[derive(Debug)]
pub struct Local {
    pub name: String,
    pub ty: TypeId,
    /// Alignment in bytes, at least the type's.
    pub align: u32,
    pub span: Span,
}

#[derive(Debug)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    pub align: u32,
    /// `Constant`, `Global` or `Local`. (String literals are Constant.)
    pub space: AddressSpace,
    pub is_const: bool,
    /// Initial bytes, exactly the size of the type; `None` is zero (always for `Local`).
    pub init: Option<Vec<u8>>,
    /// Addresses in the initializer: at byte offset, the address of another global plus an addend.
    pub relocations: Vec<Relocation>,
    /// True if other programs may link to the variable by its name (C99 6.2.2).
    pub is_external: bool,
    /// False if the variable is only declared `extern`.
    pub is_defined: bool,
    pub span: Span,
}

#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    pub offset: u32,
    pub target: GlobalId,
    pub addend: i64,
}

#[derive(Debug)]
pub enum Stmt {
    Expr(Expr),
    /// The declaration of a local, whose lifetime restarts here, with or without an initializer.
    Declare(LocalId, Option<Init>),
    Block(Vec<Stmt>),
    If {
        cond: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    While {
        cond: Expr,
        body: Vec<Stmt>,
        unroll: Option<Unroll>,
    },
    DoWhile {
        body: Vec<Stmt>,
        cond: Expr,
        unroll: Option<Unroll>,
    },
    /// `for`; its scope is an enclosing Block when init declares.
    For {
        init: Vec<Stmt>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Vec<Stmt>,
        unroll: Option<Unroll>,
    },
    /// `value` is int, uint, long or ulong after promotion. `cases` lists all labels in `body`
    /// (to any depth, but not the labels of inner switches): number n is marked by `CaseLabel(n)`.
    Switch {
        value: Expr,
        cases: Vec<Case>,
        has_default: bool,
        body: Vec<Stmt>,
    },
    CaseLabel(u32),
    DefaultLabel,
    Break,
    Continue,
    Return(Option<Expr>),
    Goto(LabelId),
    Label(LabelId),
}

/// An inclusive range of case values, as bits of the switch's type.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub low: u64,
    pub high: u64,
}

/// An initializer, flattened.
#[derive(Debug)]
pub enum Init {
    /// A whole-object value.
    Value(Expr),
    /// Zero the object first if `zero`, then fill its parts in order.
    Parts { zero: bool, parts: Vec<Part> },
}

/// The effect of an initializer on part of an object.
#[derive(Debug)]
pub enum Part {
    /// Stores a value at a byte offset.
    Value(u32, Expr),
    /// Sets the part of this type at a byte offset to zero.
    Zero(u32, TypeId),
    Repeat(Repeat),
}

/// Copies a part that has been initialized to the other parts that its range designators name.
#[derive(Debug, Clone)]
pub struct Repeat {
    /// Byte offset of the first part, which has been initialized.
    pub offset: u64,
    pub ty: TypeId,
    /// Distance in bytes and number of elements of each range, the outermost first.
    pub ranges: Vec<Range>,
}

/// The elements that `[first ... last]` designates.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    pub stride: u64,
    pub count: u64,
}

/// A value. Its type is never an array (they decay) and never a function.
#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

/// An object.
#[derive(Debug)]
pub struct Place {
    pub kind: PlaceKind,
    pub ty: TypeId,
    pub is_volatile: bool,
    /// The alignment in bytes, if it is known and differs from the type's (packed members).
    pub align: Option<u32>,
    pub span: Span,
}

impl Place {
    /// Returns a place that is not volatile and has its type's alignment.
    pub fn new(kind: PlaceKind, ty: TypeId, span: Span) -> Place {
        Place { kind, ty, is_volatile: false, align: None, span }
    }
}

#[derive(Debug)]
pub enum PlaceKind {
    Local(LocalId),
    Global(GlobalId),
    /// The object that a pointer value points to.
    Deref(Box<Expr>),
    /// Member of a struct or union place, `offset` bytes in.
    Field {
        base: Box<Place>,
        offset: u32,
    },
    /// Components of a vector place, in order, without repeats if they are written. A single component
    /// has the element type. `v[i]` with constant i is of this kind, too. Lane 3 of a vector of 3 has any
    /// value when it is read, and writes to it are dropped.
    Components {
        base: Box<Place>,
        lanes: Vec<u8>,
    },
    /// `v[i]` of a vector place with an index that is not constant (of any integer type).
    ComponentAt {
        base: Box<Place>,
        index: Box<Expr>,
    },
    /// A temporary object for a value: of record type, whose member is read (a function's result), or of
    /// vector type, which is subscripted by an index that is not constant.
    Temporary(Box<Expr>),
}

#[derive(Debug)]
pub enum ExprKind {
    /// Integer or bool constant: bits truncated to the type's width, zero extended.
    Int(u64),
    /// Half, float or double constant, exactly representable in the type.
    Float(f64),
    /// A null pointer, or an integer cast to a pointer constant.
    NullPointer,
    /// Zero of a vector or record type, or the null event.
    Zero,
    /// Reads an object of scalar, vector, pointer or record type.
    Load(Box<Place>),
    /// Address of an object. An array place gives a pointer to its first element with the type of
    /// this expression (decay and `&a[0]` are the same).
    AddressOf(Box<Place>),
    /// `-x` (integers and floats, scalars and vectors).
    Neg(Box<Expr>),
    /// `~x` on integers.
    BitNot(Box<Expr>),
    /// `!x`: int 0 or 1 on scalars (operand already Bool); on vectors -1 or 0 of equal width.
    Not(Box<Expr>),
    /// Both operands and the result have the same scalar or vector type.
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    /// A shift. Left operand and result have the same type; the right operand is an integer scalar or vector
    /// with the same number of components and any width. It counts modulo the left operand's width.
    Shift {
        left: bool,
        value: Box<Expr>,
        amount: Box<Expr>,
    },
    /// Operands have the same type. Scalars and pointers give int 0/1; vectors 0/-1 of the signed
    /// integer type of equal width.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `&&`, `||` of scalar Bool operands with short circuit: int 0/1.
    Logical {
        and: bool,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `&&`, `||` of vectors, both of which are evaluated. Components of operands and result are 0 or -1;
    /// all have the same type.
    VectorLogical {
        and: bool,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `c ? a : b`, `cond` scalar Bool; only one side is evaluated. Any type, also void and record.
    Conditional {
        cond: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `c ? a : b` with an integer vector condition: per component by the sign bit.
    VectorSelect {
        cond: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// Conversion among scalars, or vectors with the same number of components. A conversion to Bool is `!= 0`;
    /// pointers convert to Bool too. To void: the value (of any type) is dropped.
    Convert {
        value: Box<Expr>,
        rounding: Option<Rounding>,
        saturate: bool,
    },
    /// Scalar to vector: every component.
    Splat(Box<Expr>),
    /// Same bits, other type (`as_type`, and vec3 to vec4 with an undefined last component).
    Bitcast(Box<Expr>),
    /// Pointer to pointer: other pointee or other address space.
    PointerCast(Box<Expr>),
    PointerToInt(Box<Expr>),
    IntToPointer(Box<Expr>),
    /// `pointer + index * stride` bytes; index is any integer type, signed as its type is.
    PointerAdd {
        pointer: Box<Expr>,
        index: Box<Expr>,
        stride: u64,
        subtract: bool,
    },
    /// `(a - b) / stride` as a long.
    PointerDiff {
        lhs: Box<Expr>,
        rhs: Box<Expr>,
        stride: u64,
    },
    /// `(float4)(a, b.xy, c)`: parts are scalars and vectors whose components add up.
    VectorLiteral(Vec<Expr>),
    /// Components of a vector value; one lane gives a scalar.
    Swizzle {
        value: Box<Expr>,
        lanes: Vec<u8>,
    },
    /// Stores and returns the stored value.
    Assign {
        place: Box<Place>,
        value: Box<Expr>,
    },
    /// `place op= value`: the place is loaded once and converted to `value`'s type (for shifts, to its own
    /// promoted type `compute`); the result is converted back and stored. For pointers see `PointerAssign`.
    CompoundAssign {
        place: Box<Place>,
        op: CompoundOp,
        value: Box<Expr>,
        compute: TypeId,
    },
    /// `p += index`, `p -= index`.
    PointerAssign {
        place: Box<Place>,
        index: Box<Expr>,
        stride: u64,
        subtract: bool,
    },
    /// `++x`, `--x`, `x++`, `x--` on scalars, vectors and pointers (`stride` bytes).
    IncDec {
        place: Box<Place>,
        increment: bool,
        prefix: bool,
        stride: u64,
    },
    /// A user (or library) function. Record arguments and results are by value.
    Call {
        function: FunctionId,
        args: Vec<Expr>,
    },
    /// A built-in function of OpenCL C 6.15, arguments converted to the parameter types of the overload chosen.
    Builtin {
        function: Builtin,
        args: Vec<Expr>,
    },
    /// A call of a function on matrices. Operators on matrices are the same as on numbers: [`ExprKind::Neg`],
    /// [`ExprKind::Arith`], and [`ExprKind::Convert`] to a matrix of the same size.
    Matrix {
        call: MatrixCall,
        args: Vec<Expr>,
    },
    /// `enqueue_kernel` or `enqueue_marker`: int.
    Enqueue(Box<Enqueue>),
    /// A property of a block's kernel, for some properties with a range: uint.
    KernelProperty {
        property: KernelProperty,
        kernel: FunctionId,
        range: Option<Box<Expr>>,
    },
    Comma(Box<Expr>, Box<Expr>),
    /// A compound literal or other unnamed object: initializes `local`, and then has the value
    /// `value`.
    InitThen {
        local: LocalId,
        init: Box<Init>,
        value: Box<Expr>,
    },
    /// GNU statement expression; its value is the value of the last expression, if any.
    StmtExpr {
        body: Vec<Stmt>,
        value: Option<Box<Expr>>,
    },
}

/// A function on cooperative matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixCall {
    /// Loads a matrix. Arguments: a pointer, and a uint: the distance from row to row (or column to column) in elements.
    Load(MatrixLayout),
    /// Stores a matrix; void. Arguments: a pointer, a matrix, and a uint as for a load.
    Store(MatrixLayout),
    /// `a * b + c`; `operands` are SPIR-V's.
    Product { operands: u32 },
    /// Makes a matrix whose elements all are the argument, a number.
    Splat,
    /// Multiplies each element of a matrix by a number.
    Scale,
    /// Returns the number of elements of a matrix that the work-item holds; uint.
    Length,
}

/// A command that a kernel enqueues (OpenCL C 6.15.17).
#[derive(Debug)]
pub struct Enqueue {
    pub queue: Expr,
    /// `None` for a marker.
    pub block: Option<EnqueuedBlock>,
    pub events: Option<EventArguments>,
}

/// A block that is enqueued.
#[derive(Debug)]
pub struct EnqueuedBlock {
    pub kernel: FunctionId,
    pub flags: Expr,
    /// The range, of type `ndrange_t`.
    pub range: Expr,
    /// The sizes of the local arguments in bytes, of type uint.
    pub local_sizes: Vec<Expr>,
    /// The number of bytes that the block captured.
    pub captured_bytes: u32,
    /// The variable in which `stores` expect the address of these bytes.
    pub captured: LocalId,
    /// Statements that store the captured values.
    pub stores: Vec<Stmt>,
}

/// Events of a command: the number of events to wait for, a pointer to them, and a pointer to the variable for the command's
/// own event; `None` for null.
#[derive(Debug)]
pub struct EventArguments {
    pub count: Expr,
    pub list: Option<Expr>,
    pub event: Option<Expr>,
}

/// A property of a block's kernel that kernels may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelProperty {
    WorkGroupSize,
    PreferredMultiple,
    MaxSubgroupSize,
    SubgroupCount,
}

/// Returns the record of a type, if the type is a record.
pub fn record_of(types: &Types, ty: TypeId) -> Option<RecordId> {
    match types.kind(ty) {
        super::types::TypeKind::Record(id) => Some(*id),
        _ => None,
    }
}
