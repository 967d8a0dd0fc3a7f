//! The table of instructions: the fields, text form, properties and type rule of each. Printing, parsing, verification and
//! the walk over operands are generated from it; passes ask for properties and speculation. Unless a row says otherwise,
//! operands and result have one common type, scalar or vector, and the instruction acts per lane.
//!
//! A new instruction is a row here, a method in `builder.rs`, SPIR-V in `emit/`, and its meaning in
//! `tests/interpreter/mod.rs`.

use super::entities::{Func, Global, Value};
use super::fields::{Field, Named};
use super::inst::*;
use super::operations::is_address;
use super::parse::{Body, Parse, Parser};
use super::print::Printer;
use super::types::{AddressSpace, Scalar, Type};
use super::verify::{ensure, Check, Checker};
use bitflags::bitflags;
use smallvec::SmallVec;
use Speculation::{Anywhere, Never, OutOfArms, OutOfLoops};

bitflags! {
    /// The properties of an instruction that passes use.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Properties: u8 {
        /// Must stay even if its result is unused: it writes memory or synchronizes. Calls have this property.
        const EFFECT = 1;
        /// Reads memory, so it may not be moved over writes.
        const READS = 2;
        /// Ends a block.
        const TERMINATOR = 4;
        /// Has no result.
        const VOID = 8;
        /// Has a result if the function that it calls has one.
        const CALL = 16;
        /// Each execution may give a different result.
        const UNIQUE = 32;
        /// Acts on each lane of its operands in the same way.
        const LANEWISE = 64;
        /// Its effect depends on which work-items of a sub-group execute it together. It must not be moved to other
        /// control flow, nor duplicated.
        const CONVERGENT = 128;
    }
}

const PURE: Properties = Properties::empty();
const EFFECT: Properties = Properties::EFFECT;
const READS: Properties = Properties::READS;
const VOID: Properties = Properties::VOID;
const CALL: Properties = Properties::CALL;
const UNIQUE: Properties = Properties::UNIQUE;
const LANEWISE: Properties = Properties::LANEWISE;
const CONVERGENT: Properties = Properties::CONVERGENT;
const END: Properties = Properties::TERMINATOR.union(VOID);

instructions! {
    Unary { op: UnaryOp, arg: Value, flags: OpFlags } [op flags arg]
        LANEWISE, Anywhere(1);
        |c, ty| {
            ensure(c.ty(*arg) == ty, "operand and result differ in type")?;
            ensure(op.takes().has(ty.scalar), "wrong operand type")
        }
    Binary { op: BinaryOp, args: [Value; 2], flags: OpFlags } [op flags args]
        LANEWISE, op.speculation();
        |c, ty| {
            ensure(c.are(args, ty), "operands and result differ in type")?;
            ensure(op.takes().has(ty.scalar), "wrong operand type")
        }
    Math { op: MathOp, args: SmallVec<[Value; 3]>, flags: OpFlags } [op flags args]
        LANEWISE, op.speculation();
        |c, ty| {
            ensure(args.len() == op.operands(), "wrong number of operands")?;
            let first = c.ty(args[0]);
            let same = ty == op.result(first) && c.are(&args[1..], op.second(first));
            ensure(same, "operands and result differ in type")?;
            ensure(op.acts_on(first.scalar), "wrong operand type")
        }
    /// The result is a bool (or a vector of bools).
    ICmp { cc: IntCC, args: [Value; 2] } ["icmp" cc args]
        LANEWISE, Anywhere(1);
        |c, ty| c.compare(args, ty, !ScalarKinds::FLOAT)
    FCmp { cc: FloatCC, args: [Value; 2], flags: OpFlags } ["fcmp" flags cc args]
        LANEWISE, Anywhere(1);
        |c, ty| c.compare(args, ty, ScalarKinds::FLOAT)
    /// `args[0] ? args[1] : args[2]`; the condition is one bool, or a bool vector of as many lanes.
    Select { args: [Value; 3] } ["select" args]
        LANEWISE, Anywhere(1);
        |c, ty| {
            let cond = c.ty(args[0]);
            let lanes = cond.lanes == 1 || cond.lanes == ty.lanes;
            ensure(cond.scalar == Scalar::Bool && lanes, "condition is not bool")?;
            ensure(c.are(&args[1..], ty), "operands differ in type")
        }
    Convert { op: ConvertOp, arg: Value } [op arg]
        if op.is_lanewise() { LANEWISE } else { PURE }, Anywhere(1);
        |c, ty| ensure(op.converts(c.ty(*arg), ty), "wrong types")
    /// A vector made of its lanes.
    Build { args: SmallVec<[Value; 4]> } ["build" args]
        PURE, OutOfArms(1);
        |c, ty| {
            ensure(c.is_vector(ty) && usize::from(ty.lanes) == args.len(), "wrong lanes")?;
            ensure(c.are(args, ty.lane()), "operand is not of the lanes' type")
        }
    /// Extracts one lane.
    Extract { arg: Value, lane: u8 } ["extract" arg, lane]
        PURE, Anywhere(1);
        |c, ty| {
            let from = c.ty(*arg);
            ensure(c.is_vector(from) && *lane < from.lanes, "no such lane")?;
            ensure(from.lane() == ty, "result is not of the lanes' type")
        }
    /// One lane chosen at run time; the index (I32) is taken modulo the lanes.
    ExtractDynamic { arg: Value, index: Value } ["extract_dynamic" arg, index]
        PURE, Never;
        |c, ty| {
            let from = c.ty(*arg);
            ensure(c.is_vector(from) && from.lane() == ty, "result is not of the lanes' type")?;
            ensure(c.ty(*index) == Type::I32, "index is not i32")
        }
    /// The vector `arg` with one lane replaced.
    Insert { arg: Value, element: Value, lane: u8 } ["insert" arg, element, lane]
        PURE, Never;
        |c, ty| {
            ensure(*lane < ty.lanes, "no such lane")?;
            c.insertion(*arg, *element, ty)
        }
    InsertDynamic { arg: Value, element: Value, index: Value } ["insert_dynamic" arg, element, index]
        PURE, Never;
        |c, ty| {
            ensure(c.ty(*index) == Type::I32, "index is not i32")?;
            c.insertion(*arg, *element, ty)
        }
    /// Lanes of the concatenation of two vectors of one type.
    Shuffle { args: [Value; 2], lanes: SmallVec<[u8; 16]> } ["shuffle" args, lanes]
        PURE, Never;
        |c, ty| {
            let from = c.ty(args[0]);
            ensure(c.are(args, from) && from.scalar == ty.scalar, "operands do not fit the result")?;
            let count = usize::from(ty.lanes) == lanes.len();
            ensure(count && c.is_vector(ty) && c.is_vector(from), "wrong lanes")?;
            ensure(lanes.iter().all(|&lane| lane < from.lanes * 2), "no such lane")
        }
    /// A private object of `size` bytes. Must be in the entry block. Gives `ptr.private`.
    Alloca { size: u64, align: u32 } ["alloca" size, "align" align]
        UNIQUE, Never;
        |c, ty| {
            ensure(ty == Type::ptr(AddressSpace::Private), "gives ptr.private")?;
            ensure(align.is_power_of_two(), "alignment is not a power of two")?;
            ensure(c.is_in_entry(), "is not in the entry block")
        }
    /// Address of a global variable.
    GlobalAddr { global: Global } ["global_addr" global]
        PURE, OutOfLoops;
        |c, ty| c.global_addr(*global, ty)
    /// Pointer plus a signed byte offset: I64 or I32 for 64-bit spaces, I32 for local and private.
    PtrAdd { ptr: Value, offset: Value, within: Within }
        ["ptradd" ptr, offset within unless Within::ANYWHERE]
        PURE, Anywhere(1);
        |c, ty| {
            ensure(ty.scalar.is_ptr() && ty.lanes == 1, "gives a pointer")?;
            ensure(c.ty(*ptr) == ty, "operand and result differ in type")?;
            let offset = c.ty(*offset);
            ensure(offset == Type::I32 || is_address(offset, ty), "wrong offset type")
        }
    /// Address of the element with number `index + skipped`, counted from a local or private pointer; elements have
    /// `bytes` bytes. Legal accesses to work-group and private memory use only such addresses.
    ElementAddr { ptr: Value, index: Value, skipped: i32, bytes: u32 }
        ["element_addr" ptr, index, skipped "bytes" bytes]
        PURE, Never;
        |c, ty| {
            let is_array = matches!(ty.space(), Some(AddressSpace::Local | AddressSpace::Private));
            ensure(is_array && ty.lanes == 1, "gives a local or private pointer")?;
            ensure(c.ty(*ptr) == ty, "operand and result differ in type")?;
            ensure(c.ty(*index) == Type::I32, "index is not i32")?;
            ensure(matches!(bytes, 1 | 2 | 4 | 8 | 16), "no element has that size")
        }
    /// Reads a scalar or vector; `align` in bytes is at least 1 and may be less than natural.
    Load { ptr: Value, align: u32, flags: MemFlags } ["load" ptr, "align" align flags]
        if flags.contains(MemFlags::VOLATILE) { READS | EFFECT } else { READS }, Never;
        |c, ty| c.access(*ptr, ty, *align)
    /// Writes a scalar or vector; no result.
    Store { ptr: Value, value: Value, align: u32, flags: MemFlags }
        ["store" ptr, value, "align" align flags]
        EFFECT | VOID, Never;
        |c, _| c.access(*ptr, c.ty(*value), *align)
    /// An atomic operation on I32, I64 or F32. Returns the old value.
    AtomicRmw { op: AtomicOp, ptr: Value, value: Value, sync: SyncSemantics }
        ["atomic_rmw" op ptr, value sync unless SyncSemantics::RELAXED]
        READS | EFFECT, Never;
        |c, ty| {
            ensure(c.ty(*value) == ty, "operand and result differ in type")?;
            ensure(op.takes().has(ty.scalar), "wrong operand type")?;
            c.atomic(*ptr, ty)
        }
    /// Stores `desired` if the old value is `expected`, and returns the old value. A comparison that fails orders as a
    /// load does.
    AtomicCmpXchg { ptr: Value, expected: Value, desired: Value, sync: SyncSemantics }
        ["atomic_cmpxchg" ptr, expected, desired sync unless SyncSemantics::RELAXED]
        READS | EFFECT, Never;
        |c, ty| {
            ensure(c.are(&[*expected, *desired], ty), "operands and result differ in type")?;
            c.atomic(*ptr, ty)
        }
    AtomicLoad { ptr: Value, sync: SyncSemantics }
        ["atomic_load" ptr sync unless SyncSemantics::RELAXED]
        READS | EFFECT, Never;
        |c, ty| c.atomic(*ptr, ty)
    /// Writes a value atomically; no result.
    AtomicStore { ptr: Value, value: Value, sync: SyncSemantics }
        ["atomic_store" ptr, value sync unless SyncSemantics::RELAXED]
        EFFECT | VOID, Never;
        |c, _| c.atomic(*ptr, c.ty(*value))
    WorkItem { query: WorkItemQuery, dim: u8 } ["workitem" query dim]
        PURE, OutOfLoops;
        |_, ty| {
            ensure(query.ty() == ty, "wrong result type")?;
            ensure(*dim < query.dims(), "no such dimension")
        }
    /// Reads a scalar, vector or pointer (global, constant, local) at byte `offset` of the kernel argument with number
    /// `arg`. Only in kernel entry functions (which have no parameters).
    LoadArg { arg: u32, offset: u32 } ["load_arg" arg, offset]
        PURE, OutOfLoops;
        |c, ty| {
            ensure(ty.scalar != Scalar::Bool, "bool has no memory form")?;
            ensure(!ty.scalar.is_matrix(), "no argument is a matrix")?;
            c.argument(*arg, *offset, ty)
        }
    /// A texel of an image that the kernel does not write; coordinates and level are in the image's range.
    ImageFetch { view: ImageView, slot: Value, coords: Value, level: Value }
        ["image_fetch" view slot, coords, level]
        PURE, OutOfLoops;
        |c, ty| {
            ensure(!view.storage, "is of a storage image")?;
            ensure(view.component.texel() == ty, "result is no texel")?;
            c.texel(*view, *slot, *coords)?;
            ensure(c.ty(*level) == Type::I32, "level is not i32")
        }
    /// A sample that one of the device's samplers takes of an image that the kernel does not write, at any coordinates.
    ImageSample { view: ImageView, slot: Value, sampler: Value, coords: Value }
        ["image_sample" view slot, sampler, coords]
        PURE, OutOfLoops;
        |c, ty| {
            ensure(!view.storage && !view.is_buffer(), "is not of a sampled image")?;
            ensure(view.component.texel() == ty, "result is no texel")?;
            ensure(c.are(&[*slot, *sampler], Type::I32), "slot or sampler is not i32")?;
            let coordinates = view.coordinates().with_scalar(Scalar::F32);
            ensure(c.ty(*coords) == coordinates, "wrong type of coordinates")
        }
    /// A texel of an image that the kernel may write; coordinates are in the image's range.
    ImageRead { view: ImageView, slot: Value, coords: Value } ["image_read" view slot, coords]
        READS, Never;
        |c, ty| {
            ensure(view.storage, "is not of a storage image")?;
            ensure(view.component.texel() == ty, "result is no texel")?;
            c.texel(*view, *slot, *coords)
        }
    /// Writes a texel; no result. Coordinates beyond the image write nothing, but those of a view of a buffer must be
    /// in its range.
    ImageWrite { view: ImageView, slot: Value, coords: Value, texel: Value }
        ["image_write" view slot, coords, texel]
        EFFECT | VOID, Never;
        |c, _| {
            ensure(view.storage, "is not of a storage image")?;
            ensure(c.ty(*texel) == view.component.texel(), "operand is no texel")?;
            c.texel(*view, *slot, *coords)
        }
    /// The number of texels in each direction, and the number of layers.
    ImageSize { view: ImageView, slot: Value, level: Value } ["image_size" view slot, level]
        PURE, OutOfLoops;
        |c, ty| {
            ensure(view.coordinates() == ty, "result is not as many numbers")?;
            ensure(c.are(&[*slot, *level], Type::I32), "slot or level is not i32")
        }
    /// The number of levels of an image that is only read.
    ImageLevels { view: ImageView, slot: Value } ["image_levels" view slot]
        PURE, OutOfLoops;
        |c, ty| {
            ensure(!view.storage && !view.is_buffer(), "has no levels")?;
            ensure(ty == Type::I32 && c.are(&[*slot], Type::I32), "result or slot is not i32")
        }
    /// The time of a clock, the low word first. Each execution reads the clock anew, in the order of the program.
    ReadClock { scope: ClockScope } ["read_clock" scope]
        EFFECT | UNIQUE, Never;
        |_, ty| ensure(ty == Type::PAIR, "gives two words")
    /// Work-group control barrier; no result.
    Barrier { flags: BarrierFlags } ["barrier" flags]
        EFFECT | VOID | CONVERGENT, Never;
        |_, _| Ok(())
    /// Sub-group control barrier; no result.
    SubgroupBarrier { flags: BarrierFlags } ["subgroup_barrier" flags]
        EFFECT | VOID | CONVERGENT, Never;
        |_, _| Ok(())
    /// True in the first of the work-items of the sub-group that execute this together. This and the following
    /// instructions act on these work-items only.
    SubgroupElect ["subgroup_elect"]
        CONVERGENT, Never;
        |_, ty| ensure(ty == Type::BOOL, "result is not bool")
    SubgroupVote { op: SubgroupVote, arg: Value } [op arg]
        CONVERGENT, Never;
        |c, ty| {
            let arg = c.ty(*arg);
            ensure(op.takes().has(arg.scalar) && arg.lanes == 1, "wrong operand type")?;
            ensure(ty == Type::BOOL, "result is not bool")
        }
    /// A bit for each work-item, 32 in a word, the first work-item in the lowest bit. A bit is set if the operand is
    /// true.
    SubgroupBallot { arg: Value } ["subgroup_ballot" arg]
        CONVERGENT, Never;
        |c, ty| {
            ensure(c.ty(*arg) == Type::BOOL, "operand is not bool")?;
            ensure(ty == Type::BALLOT, "result is not four words")
        }
    /// The value of the first work-item of those that execute this together.
    SubgroupBroadcastFirst { arg: Value } ["subgroup_broadcast_first" arg]
        CONVERGENT, Never;
        |c, ty| {
            ensure(c.ty(*arg) == ty, "operand and result differ in type")?;
            c.is_exchanged(ty)
        }
    /// The value of another work-item, which the second operand (I32) selects.
    SubgroupShuffle { op: SubgroupShuffle, args: [Value; 2] } [op args]
        CONVERGENT, Never;
        |c, ty| c.exchange(args, ty)
    /// The value of the work-item whose number is higher by the second operand (I32). The first of `cluster` work-items
    /// follows the last; 0 means all work-items.
    SubgroupRotate { args: [Value; 2], cluster: u32 } ["subgroup_rotate" args "cluster" cluster]
        CONVERGENT, Never;
        |c, ty| {
            ensure(*cluster == 0 || cluster.is_power_of_two(), "cluster is no power of two")?;
            c.exchange(args, ty)
        }
    /// Combines values of the work-items of each cluster of `cluster` work-items; 0 means all work-items.
    SubgroupScan { scan: SubgroupScan, op: BinaryOp, arg: Value, cluster: u32 }
        [scan op arg "cluster" cluster]
        CONVERGENT, Never;
        |c, ty| {
            let is_whole = *cluster == 0;
            ensure(is_whole || cluster.is_power_of_two(), "cluster is no power of two")?;
            ensure(c.ty(*arg) == ty && ty.lanes == 1, "operand and result differ in type")?;
            ensure(op.is_of_subgroups() && op.takes().has(ty.scalar), "wrong operation")
        }
    /// Loads a matrix. Its rows, or columns, begin at the address and then every `stride` elements (I32). The operands are
    /// the same in the whole sub-group.
    MatrixLoad { layout: MatrixLayout, ptr: Value, stride: Value, align: u32, flags: MemFlags }
        ["matrix_load" layout ptr, stride, "align" align flags]
        READS | CONVERGENT, Never;
        |c, ty| c.matrix_access(*ptr, *stride, *align, ty)
    /// Writes a matrix; no result.
    MatrixStore { layout: MatrixLayout, ptr: Value, stride: Value, value: Value, align: u32, flags: MemFlags }
        ["matrix_store" layout ptr, stride, value, "align" align flags]
        EFFECT | VOID | CONVERGENT, Never;
        |c, _| c.matrix_access(*ptr, *stride, *align, c.ty(*value))
    /// `args[0] * args[1] + args[2]`. `operands` are SPIR-V's: they say which elements are signed and whether the sum
    /// saturates.
    MatrixProduct { args: [Value; 3], operands: u32 } ["matrix_product" args "operands" operands]
        CONVERGENT, Never;
        |c, ty| c.matrix_product(args, *operands, ty)
    Matrix { op: MatrixOp, args: SmallVec<[Value; 3]> } [op args]
        CONVERGENT, Never;
        |c, ty| c.matrix_operation(*op, args, ty)
    /// Memory fence; no result.
    Fence { flags: BarrierFlags, sync: SyncSemantics } ["fence" flags sync unless SyncSemantics::FENCE]
        EFFECT | VOID, Never;
        |_, _| Ok(())
    /// Calls a function. The result is the function's first, if it has one.
    Call { func: Func, args: SmallVec<[Value; 4]> } ["call" func (args)]
        READS | EFFECT | CALL, Never;
        |c, _| c.call(*func, args)
    /// The number of a kernel within the program, given by the kernel's entry function. The number is known once all is
    /// linked ([`crate::link::number_kernels`]).
    KernelNumber { kernel: Func } ["kernel_number" kernel]
        PURE, Never;
        |_, ty| ensure(ty == Type::I32, "result is not i32")
    /// Result number `index`, at least 1, of a call whose first result is `call`. Must be behind the call in the same
    /// block.
    CallResult { call: Value, index: u32 } ["call_result" call, index]
        PURE, Never;
        |c, ty| c.call_result(*call, *index, ty)

    Jump { target: BlockCall } ["jump" target]
        END, Never;
        |c, _| c.target(target)
    Brif { cond: Value, then: BlockCall, otherwise: BlockCall } ["brif" cond, then, otherwise]
        END, Never;
        |c, _| {
            ensure(c.ty(*cond) == Type::BOOL, "condition is not bool")?;
            c.target(then)?;
            c.target(otherwise)
        }
    /// A switch on an integer value of any width.
    Switch { value: Value, cases: Vec<SwitchCase>, default: BlockCall } ["switch" value, cases, default]
        END, Never;
        |c, _| {
            c.cases(c.ty(*value), cases)?;
            c.target(default)
        }
    /// Returns as many values as the function has results.
    Return { values: SmallVec<[Value; 1]> } ["return" values]
        END, Never;
        |c, _| c.returned(values)
    Unreachable ["unreachable"]
        END, Never;
        |_, _| Ok(())
}

impl InstData {
    pub fn is_terminator(&self) -> bool {
        self.properties().contains(Properties::TERMINATOR)
    }

    /// Returns true if the instruction must stay even if its result is unused.
    pub fn has_side_effect(&self) -> bool {
        self.properties().intersects(EFFECT | Properties::TERMINATOR)
    }

    /// Returns true if the instruction reads memory, so it may not be moved over writes.
    pub fn reads_memory(&self) -> bool {
        self.properties().contains(READS)
    }

    /// Returns true if the result depends on the operands only, so that an equal instruction may replace this one.
    pub fn is_mergeable(&self) -> bool {
        let keeps = EFFECT | READS | UNIQUE | CONVERGENT | Properties::TERMINATOR;
        !self.properties().intersects(keeps)
    }

    /// Returns true if the instruction must not be moved to other control flow, nor duplicated: its effect depends on
    /// which work-items execute it together.
    pub fn is_convergent(&self) -> bool {
        self.properties().contains(CONVERGENT)
    }

    /// Returns true if the instruction acts on the sub-group, or returns a property of it.
    pub fn is_of_subgroup(&self) -> bool {
        match self {
            InstData::WorkItem { query, .. } => query.is_of_subgroup(),
            InstData::Barrier { .. } => false,
            data => data.is_convergent(),
        }
    }

    /// Returns true if a vector's lanes are computed one by one.
    pub fn is_lanewise(&self) -> bool {
        self.properties().contains(LANEWISE)
    }

    /// Returns true if neither the operands nor the result can be pointers.
    pub fn is_arithmetic(&self) -> bool {
        matches!(self, InstData::Unary { .. } | InstData::Binary { .. } | InstData::Math { .. })
    }

    /// Returns the pointer through which the instruction accesses memory.
    pub fn address(&self) -> Option<Value> {
        match *self {
            InstData::Load { ptr, .. }
            | InstData::Store { ptr, .. }
            | InstData::AtomicRmw { ptr, .. }
            | InstData::AtomicCmpXchg { ptr, .. }
            | InstData::AtomicLoad { ptr, .. }
            | InstData::AtomicStore { ptr, .. }
            | InstData::MatrixLoad { ptr, .. }
            | InstData::MatrixStore { ptr, .. } => Some(ptr),
            _ => None,
        }
    }

    /// Returns the pointer operand that points into the same object as the result.
    pub fn base(&self) -> Option<Value> {
        match *self {
            InstData::PtrAdd { ptr, .. } | InstData::ElementAddr { ptr, .. } => Some(ptr),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_operations_share_a_mnemonic() {
        let mut names = HashSet::new();
        let unary = UnaryOp::ALL.iter().map(|op| op.name());
        let binary = BinaryOp::ALL.iter().map(|op| op.name());
        let math = MathOp::ALL.iter().map(|op| op.name());
        let convert = ConvertOp::ALL.iter().map(|op| op.name());
        let matrix = MatrixOp::ALL.iter().map(|op| op.name());
        for name in unary.chain(binary).chain(math).chain(convert).chain(matrix) {
            assert!(names.insert(name), "{name}");
        }
    }

    #[test]
    fn speculated_operations_neither_fail_nor_touch_memory() {
        for op in BinaryOp::ALL {
            let divides = matches!(op.name(), "sdiv" | "udiv" | "srem" | "urem");
            assert!(!divides || op.speculation() == Never, "{op:?}");
        }
        let ptr = Value::from_u32(0);
        let load = InstData::Load { ptr, align: 4, flags: MemFlags::empty() };
        assert_eq!((load.speculation(), load.is_mergeable()), (Never, false));
        assert!(!load.has_side_effect() && load.reads_memory());
        let volatile = InstData::Load { ptr, align: 4, flags: MemFlags::VOLATILE };
        assert!(volatile.has_side_effect());
        assert!(!InstData::Alloca { size: 4, align: 4 }.is_mergeable());
        let ballot = InstData::SubgroupBallot { arg: ptr };
        assert_eq!((ballot.speculation(), ballot.is_mergeable()), (Never, false));
        assert!(ballot.is_convergent() && !ballot.has_side_effect());
    }
}
