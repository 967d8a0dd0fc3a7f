//! The intermediate representation: a typed SSA control-flow graph with opaque pointers.
//!
//! A [`Module`] holds functions and global variables. A [`Function`] is a list of [`Block`]s; a
//! block has parameters (they play the part of phis: a branch passes arguments to them), a list of
//! instructions and ends with one terminator. Every [`Value`] is a block parameter, the result of
//! an instruction, or a constant; constants belong to no block and dominate everything.
//!
//! Types ([`types::Type`]) are scalars, vectors of 2, 3, 4, 8 or 16 scalars, and pointers, which
//! have an address space and no pointee: loads, stores and atomics say what they access, and
//! address arithmetic ([`InstData::PtrAdd`]) counts bytes. There are no aggregates: a struct is
//! memory, and copies of it are loads and stores of its members. Integers carry no sign; the
//! operations do.
//!
//! The text form ([`mod@print`], [`parse`]) is for file tests; [`verify`] states the
//! rules that hold between any two passes.
//!
//! | address space | type | width and meaning |
//! | --- | --- | --- |
//! | global, constant | `ptr.global`, `ptr.constant` | 64 bits: a device address |
//! | local | `ptr.local` | 32 bits: a byte offset into the work-group block |
//! | private | `ptr.private` | 32 bits: a byte offset; names an object until objects are placed in the stack |
//! | generic | `ptr.generic` | 64 bits, tagged in the top bits |

#[macro_use]
mod table;

pub mod address;
pub mod builder;
pub mod cfg;
pub mod dominators;
pub mod entities;
mod fields;
pub mod fold;
pub mod function;
pub mod incoming;
pub mod inst;
pub mod iterated_frontiers;
pub mod location;
pub mod loops;
pub mod matrix;
pub mod module;
pub mod names;
pub mod opcodes;
pub mod operations;
pub mod parse;
pub mod print;
pub mod shorthand;
pub mod sparse_map;
pub mod structure;
pub mod types;
pub mod verify;

pub use address::Addr;
pub use builder::{Builder, InsertionPoint, InstBuilder};
pub use entities::{Block, Func, Global, Inst, Value};
pub use function::{BlockData, Constant, Function, UnrollHint, ValueDef};
pub use inst::{
    AtomicOp, BarrierFlags, BinaryOp, BlockCall, ClockScope, ConvertOp, FloatCC, ImageDim,
    ImageView, InstData, IntCC, MathOp, MatrixLayout, MatrixOp, MatrixOperand, MemFlags,
    MemoryOrder, MemoryScope, OpFlags, Properties, ScalarKinds, Speculation, SubgroupScan,
    SubgroupShuffle, SubgroupVote, SwitchCase, SyncSemantics, TexelComponent, UnaryOp, Within,
    WorkItemQuery,
};
pub use location::{Loc, Location, Locations};
pub use matrix::{Matrix, MatrixElement, MatrixUse};
pub use module::{Gathering, GlobalData, KernelEntry, Kernels, Linkage, Module};
pub use structure::{Merge, Structure};
pub use types::{AddressSpace, Scalar, Type};
