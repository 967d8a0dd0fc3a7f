//! The parts of instructions: flags, memory semantics, branch targets. [`super::opcodes`] has the instructions,
//! [`super::operations`] the arithmetic in them.

use super::entities::{Block, Value};
use super::types::{Scalar, Type};
use bitflags::bitflags;
use smallvec::SmallVec;

pub use super::opcodes::{InstData, Properties};
pub use super::operations::{
    AtomicOp, BinaryOp, ClockScope, ConvertOp, FloatCC, IntCC, MathOp, MatrixLayout, MatrixOp,
    MatrixOperand, MemoryOrder, MemoryScope, ScalarKinds, Speculation, SubgroupScan,
    SubgroupShuffle, SubgroupVote, TexelComponent, UnaryOp, WorkItemQuery,
};
pub use crate::kernel::ImageDim;

bitflags! {
    /// The assumptions and transformations that an operation allows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct OpFlags: u8 {
        /// May not be contracted into a fused multiply-add, nor reassociated.
        const NO_CONTRACT = 1;
        /// Fast relaxed math: no NaN, no infinities, no signed zeros, reassociation, reciprocals.
        const FAST = 2;
        /// The result of an integer operation on signed numbers is exact: overflow is undefined (C99 6.5 p5).
        const NO_SIGNED_WRAP = 4;
        /// A quotient with the accuracy that the device has without any demand: good for divisors and quotients of
        /// magnitudes from 2^-126 to 2^126.
        const NATIVE = 8;
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
        /// The access copies a part of an object that is copied as a whole, whether or not it has a value. Set only for
        /// checks.
        const COPY = 4;
    }
}

bitflags! {
    /// Memory that a barrier or fence orders (CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE, CLK_IMAGE_MEM_FENCE).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct BarrierFlags: u8 {
        const LOCAL = 1;
        const GLOBAL = 2;
        const IMAGE = 4;
    }
}

/// The type of an image as an instruction accesses it. The instruction's slot is an index in the array of images of this
/// type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageView {
    pub dim: ImageDim,
    pub component: TexelComponent,
    /// True for images that the kernel may write; texels of other images never change.
    pub storage: bool,
}

impl ImageView {
    /// Returns the type of a texel's coordinates, including the layer.
    pub fn coordinates(self) -> Type {
        Type::vector(Scalar::I32, self.dim.coordinates())
    }

    /// Returns true if the texels are in a buffer, which may be accessed through pointers as well.
    pub fn is_buffer(self) -> bool {
        self.dim == ImageDim::D1Buffer
    }
}

impl MemoryOrder {
    /// Returns true if later accesses are ordered behind the operation.
    pub fn acquires(self) -> bool {
        matches!(self, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
    }

    /// Returns true if earlier accesses are ordered before the operation.
    pub fn releases(self) -> bool {
        matches!(self, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
    }

    /// Returns the weakest order that is as strong as both orders.
    pub fn as_strong_as(self, other: MemoryOrder) -> MemoryOrder {
        if self == MemoryOrder::SeqCst || other == MemoryOrder::SeqCst {
            return MemoryOrder::SeqCst;
        }
        match (self.acquires() || other.acquires(), self.releases() || other.releases()) {
            (true, true) => MemoryOrder::AcqRel,
            (true, false) => MemoryOrder::Acquire,
            (false, true) => MemoryOrder::Release,
            (false, false) => MemoryOrder::Relaxed,
        }
    }
}

/// The range of bytes that may be accessed through a computed address and addresses derived from it. The bytes are
/// counted from the address that it was computed from. For example, a subscript of an array in a struct stays inside of
/// the array (C99 6.5.6 p8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Within {
    pub start: i32,
    pub end: i32,
}

impl Within {
    pub const ANYWHERE: Within = Within { start: i32::MIN, end: i32::MAX };

    /// Returns the range of the `size` bytes from the address on.
    pub fn first(size: u64) -> Within {
        Within { start: 0, end: i32::try_from(size).unwrap_or(i32::MAX) }
    }

    /// Returns the same bytes, counted from an address that is `by` bytes lower.
    pub fn moved(self, by: i64) -> Within {
        let moved = |at: i32| i32::try_from(i64::from(at).checked_add(by)?).ok();
        let end = if self.end == i32::MAX { None } else { moved(self.end) };
        match moved(self.start) {
            Some(start) if self != Within::ANYWHERE => {
                Within { start, end: end.unwrap_or(i32::MAX) }
            }
            _ => Within::ANYWHERE,
        }
    }
}

/// Order and scope of an atomic operation or a fence. An operation on local memory has work-group scope, whatever the
/// scope says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SyncSemantics {
    pub order: MemoryOrder,
    pub scope: MemoryScope,
}

impl SyncSemantics {
    /// Order and scope of the atomic functions of OpenCL C 1.x.
    pub const RELAXED: SyncSemantics =
        SyncSemantics { order: MemoryOrder::Relaxed, scope: MemoryScope::Device };
    /// Order and scope of operations that are parts of a plain store: they order no accesses, and fences do not order
    /// by them.
    pub const PART_OF_STORE: SyncSemantics =
        SyncSemantics { order: MemoryOrder::Relaxed, scope: MemoryScope::WorkGroup };
    /// Order and scope of the fences of OpenCL C 1.x in local memory.
    pub const FENCE: SyncSemantics =
        SyncSemantics { order: MemoryOrder::AcqRel, scope: MemoryScope::WorkGroup };

    /// Returns true if the operation orders other accesses.
    pub fn orders(self) -> bool {
        self.order != MemoryOrder::Relaxed
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

/// One value of a switch, and its target. (Lowering expands ranges, or turns them into comparisons.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SwitchCase {
    pub value: u64,
    pub target: BlockCall,
}
