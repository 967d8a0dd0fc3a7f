//! The abstract syntax tree: the program as it was written, without types.
//!
//! The parser knows which identifiers name types (it must, to parse C) but checks nothing else. It
//! limits the height of trees ([`super::MAX_TREE_HEIGHT`]), so that later stages may recurse over
//! them.

use crate::preprocess::{Pragma, Symbol};
use crate::source::Span;

/// A name and its place.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    pub symbol: Symbol,
    pub span: Span,
}

/// A whole program.
#[derive(Debug, Default)]
pub struct TranslationUnit {
    pub items: Vec<Item>,
}

/// A declaration at file scope.
#[derive(Debug)]
pub enum Item {
    Function(Box<FunctionDef>),
    Declaration(Declaration),
    StaticAssert(Box<StaticAssert>),
    Pragma(Pragma, Span),
}

/// `_Static_assert(cond, message);`
#[derive(Debug)]
pub struct StaticAssert {
    pub cond: Expr,
    pub message: Option<Vec<u8>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct FunctionDef {
    pub specs: DeclSpecs,
    /// The declarator's innermost derivation is `Function`.
    pub declarator: Declarator,
    pub body: Block,
    pub use_: Use,
    pub span: Span,
}

/// The use of a function by the kernels of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Possible,
    /// No kernel uses the function: after the check its body may be dropped.
    None,
    /// No kernel uses the function, and its body, which was checked before, is left out.
    CheckedBefore,
}

/// `specs declarator = init, ... ;` A declaration without declarators declares a tag.
#[derive(Debug)]
pub struct Declaration {
    pub specs: DeclSpecs,
    pub declarators: Vec<InitDeclarator>,
    pub span: Span,
}

#[derive(Debug)]
pub struct InitDeclarator {
    pub declarator: Declarator,
    pub init: Option<Initializer>,
}

#[derive(Debug)]
pub enum Initializer {
    Expr(Expr),
    List(Vec<DesignatedInit>, Span),
}

#[derive(Debug)]
pub struct DesignatedInit {
    pub designators: Vec<Designator>,
    pub init: Initializer,
}

#[derive(Debug)]
pub enum Designator {
    Field(Symbol, Span),
    Index(Expr),
    /// GNU `[first ... last]`.
    Range(Expr, Expr),
}

/// Storage-class specifiers; OpenCL C has neither `auto` nor `register` (6.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
}

/// Address space qualifiers (OpenCL C 6.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AddressSpace {
    Private,
    Global,
    Local,
    Constant,
    Generic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Type qualifiers as written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
    pub space: Option<AddressSpace>,
    pub access: Option<Access>,
}

#[derive(Debug)]
pub struct DeclSpecs {
    pub storage: Option<StorageClass>,
    pub is_inline: bool,
    pub is_kernel: bool,
    pub quals: Quals,
    pub ty: TypeSpec,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// `__attribute__((name(args)))`; unknown ones are kept and warned about later. The name is without
/// the underscores that may surround it (`__packed__` is `packed`).
#[derive(Debug)]
pub struct Attribute {
    pub name: Symbol,
    pub args: Vec<Expr>,
    /// A type operand, as in `vec_type_hint(float4)`.
    pub type_arg: Option<Box<TypeName>>,
    pub span: Span,
}

/// Scalar types by their OpenCL C name; every spelling (`unsigned int`, `uint`) maps to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarName {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    /// A type as wide as `long`, but different from it (C99 6.2.5), without vectors and built-in functions.
    LongLong,
    ULongLong,
    Half,
    Float,
    Double,
}

impl ScalarName {
    /// The types that have vectors and built-in functions, and bool.
    pub const ALL: [ScalarName; 12] = {
        use ScalarName::*;
        [Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double]
    };
}

#[derive(Debug)]
pub enum TypeSpec {
    Void,
    Scalar(ScalarName),
    /// `float4`: element and number of components (2, 3, 4, 8, 16).
    Vector(ScalarName, u8),
    Typedef(Symbol),
    /// Other built-in opaque types by name: `image2d_t`, `sampler_t`, `event_t`, `atomic_int`, ...
    Opaque(Symbol),
    /// A pipe of packets of a type.
    Pipe(Box<TypeSpec>),
    Record {
        is_union: bool,
        tag: Option<Name>,
        /// `None` for a reference or forward declaration.
        fields: Option<Vec<FieldDecl>>,
        attributes: Vec<Attribute>,
        /// The largest alignment of members in bytes, from an earlier `#pragma pack`; 0 for any.
        pack: u32,
    },
    Enum {
        tag: Option<Name>,
        enumerators: Option<Vec<Enumerator>>,
        attributes: Vec<Attribute>,
    },
    TypeofExpr(Box<Expr>),
    TypeofType(Box<TypeName>),
    /// No type was written; sema reports it.
    Missing,
}

#[derive(Debug)]
pub struct Enumerator {
    pub name: Symbol,
    pub span: Span,
    pub value: Option<Expr>,
}

/// A member declaration, with a list of declarators as in C, which is empty for an anonymous struct or union.
#[derive(Debug)]
pub struct FieldDecl {
    pub specs: DeclSpecs,
    pub declarators: Vec<FieldDeclarator>,
    pub span: Span,
}

#[derive(Debug)]
pub struct FieldDeclarator {
    pub declarator: Declarator,
    pub bit_width: Option<Expr>,
}

/// A declarator, turned inside out: `derivations` are applied in order to the specified type. `int *a[3]`,
/// an array of 3 pointers to int, has `[Pointer, Array 3]`, since the pointer is built first.
#[derive(Debug, Default)]
pub struct Declarator {
    pub name: Option<Symbol>,
    /// The span of the name, or of the whole declarator if it has no name.
    pub span: Span,
    pub derivations: Vec<Derivation>,
    pub attributes: Vec<Attribute>,
}

#[derive(Debug)]
pub enum Derivation {
    /// Qualifiers of the pointer itself (`* const restrict`).
    Pointer(Quals),
    Array(Option<Box<Expr>>),
    Function {
        params: Vec<ParamDecl>,
        is_variadic: bool,
    },
    /// `^` of a block type (OpenCL C 6.14).
    BlockPointer(Quals),
}

#[derive(Debug)]
pub struct ParamDecl {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    pub span: Span,
}

/// A type-name, as in casts and sizeof.
#[derive(Debug)]
pub struct TypeName {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    pub span: Span,
}

#[derive(Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    Declaration(Declaration),
    StaticAssert(Box<StaticAssert>),
    Block(Block),
    If {
        cond: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    /// A long chain of `if (cond) then else if (cond) then ... else otherwise`.
    IfChain {
        branches: Vec<(Expr, Stmt)>,
        otherwise: Option<Box<Stmt>>,
    },
    While {
        cond: Expr,
        body: Box<Stmt>,
        unroll: Option<UnrollHint>,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: Expr,
        unroll: Option<UnrollHint>,
    },
    For {
        init: Option<Box<Stmt>>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
        unroll: Option<UnrollHint>,
    },
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    /// `case low:` or GNU `case low ... high:`
    Case {
        low: Expr,
        high: Option<Expr>,
        body: Box<Stmt>,
    },
    Default(Box<Stmt>),
    Break,
    Continue,
    Return(Option<Expr>),
    Goto(Name),
    Label(Symbol, Box<Stmt>),
    Pragma(Pragma),
}

/// The unroll attributes before a loop.
#[derive(Debug)]
pub enum UnrollHint {
    Pragma(Unroll),
    /// `opencl_unroll_hint`, perhaps with a factor, which sema evaluates (OpenCL C 6.13.5).
    Attribute(Option<Box<Expr>>, Span),
}

/// The requested number of copies of a loop's body, or full unrolling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unroll {
    Full,
    Count(u32),
    Disable,
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// Suffixes of an integer literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntLiteral {
    pub value: u64,
    pub is_unsigned: bool,
    pub is_long: bool,
    pub is_long_long: bool,
    /// True for decimal literals, which never become unsigned by size alone (C99 6.4.4.1).
    pub is_decimal: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FloatLiteral {
    /// No suffix: double on devices with double, else float. The text is rounded to each of them.
    Plain {
        double: f64,
        single: f32,
    },
    Single(f32),
    /// Bits of an IEEE half.
    Half(u16),
    Double(f64),
}

#[derive(Debug)]
pub enum ExprKind {
    Ident(Symbol),
    Int(IntLiteral),
    /// `true` or `false`, of type bool.
    Bool(bool),
    Float(FloatLiteral),
    Char(i64),
    /// Bytes without the terminating NUL.
    Str(Vec<u8>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A long chain of binary operators and commas that group from the left: `a + b - c, d`.
    Chain(Box<Expr>, Vec<Link>),
    /// `a = b` (`None`) or `a op= b`.
    Assign(Option<CompoundOp>, Box<Expr>, Box<Expr>),
    /// `a ? b : c`, or GNU `a ?: c`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// A long chain of `a ? b : c ? d : ... e`: each condition with the operand that it chooses, and the last operand.
    Choices(Vec<(Expr, Expr)>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    /// `base.name` or, with `arrow`, `base->name`: a member or vector components.
    Member {
        base: Box<Expr>,
        name: Symbol,
        name_span: Span,
        arrow: bool,
    },
    Cast(Box<TypeName>, Box<Expr>),
    /// `(float4)(a, b, c, d)`: a vector literal of two parts or more; `(float4)(a)` is a `Cast`. If the type
    /// is a typedef or a typeof that is not a vector, this is a cast of a comma expression.
    VectorLiteral(Box<TypeName>, Vec<Expr>),
    /// `(struct s){ ... }`
    CompoundLiteral(Box<TypeName>, Box<Initializer>),
    SizeofExpr(Box<Expr>),
    SizeofType(Box<TypeName>),
    AlignofType(Box<TypeName>),
    /// `vec_step(type)`; for an expression the type is its `typeof` (OpenCL C 6.15.13).
    VecStep(Box<TypeName>),
    /// `__builtin_astype(e, type)`
    AsType(Box<Expr>, Box<TypeName>),
    /// GNU statement expression.
    StmtExpr(Block),
    /// `^int (int x) { ... }` (OpenCL C 6.14.3).
    Block(Box<BlockLiteral>),
}

/// The elements after the first one of an [`ExprKind::Chain`].
#[derive(Debug)]
pub struct Link {
    /// `None` for a comma.
    pub op: Option<BinaryOp>,
    pub operand: Expr,
    /// The span from the beginning of the chain to the end of the operand.
    pub span: Span,
}

/// A block literal.
#[derive(Debug)]
pub struct BlockLiteral {
    /// The return type of the block; if it is `None`, the `return` statements decide.
    pub ret: Option<TypeName>,
    pub params: Vec<ParamDecl>,
    pub is_variadic: bool,
    pub body: Block,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
    Deref,
    AddressOf,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    Compound(CompoundOp),
    Compare(CompareOp),
    LogicalAnd,
    LogicalOr,
}

/// An operator that may be part of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompoundOp {
    Arith(ArithOp),
    Shl,
    Shr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArithOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}
