//! Rows of the table of built-in functions.

use super::lowerer::{Call, Lowerer};
use super::signature::Sig;
use crate::ir::{AddressSpace, Value};
use crate::kernel::ImageAccess;
use crate::options::ClStd;

/// Functions that share everything but their names.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub(super) names: Names,
    pub(super) sigs: &'static [Sig],
    pub(super) since: ClStd,
    pub(super) check: Check,
    pub(super) lower: Lower,
    pub(super) halves: Halves,
    pub(super) relaxed: Option<LowerCall>,
    pub(super) by_device: Option<LowerCall>,
}

/// Lowers a call. Returns `None` if the call has no result, or if it cannot be lowered in this way.
pub(super) type LowerCall = fn(&mut Lowerer<'_, '_>, &Call<'_>) -> Option<Value>;

pub(super) type LowerUnary = fn(&mut Lowerer<'_, '_>, &Call<'_>, Value) -> Value;
pub(super) type LowerBinary = fn(&mut Lowerer<'_, '_>, &Call<'_>, Value, Value) -> Value;
pub(super) type LowerTernary = fn(&mut Lowerer<'_, '_>, &Call<'_>, Value, Value, Value) -> Value;

pub(super) type Names = &'static [&'static str];

/// How a function is lowered.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lower {
    /// Lowered from one, two or three arguments; scalars are repeated to the lanes of the widest one.
    Unary(LowerUnary),
    Binary(LowerBinary),
    Ternary(LowerTernary),
    /// Lowered from the call.
    Call(LowerCall),
    /// Lowered to a call of the library's function of the same name for the type of the first argument: `__sin_f32`.
    Library,
    /// Lowered to a call of the library's function of another name.
    LibraryAs(&'static str),
}

/// How a function is lowered for halves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Halves {
    /// Lowered as for other types.
    Alike,
    /// Lowered in float: halves are converted to float, and a half result back.
    InFloat,
    /// Lowered in a way of their own.
    By(Lower),
}

/// The rule that a front end checks in addition to the patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    Nothing,
    /// 64-bit objects need the device's atomics on them.
    Atomic64,
    /// Orders and scopes need features of the device (6.15.12.10).
    Synchronization(Synchronization),
    /// Needs `__opencl_c_work_group_collective_functions`.
    Collective,
    /// `shuffle` or `shuffle2`: takes this number of vectors, of a type that no pattern describes, and a mask.
    Shuffle(usize),
    /// Takes a pointer to anything in the generic address space. Returns a pointer to this space, or flags for `None`.
    Space(Option<AddressSpace>),
    /// `printf`, of any arguments.
    Printf,
    /// Needs images.
    Images,
    /// Needs this feature or extension of sub-groups, which every device with sub-groups has, in any version of
    /// OpenCL C.
    Subgroup(&'static str),
    /// Like [`Check::Subgroup`]; in addition the last argument must be a constant power of two.
    Clustered(&'static str),
    /// Needs an optional feature, also in versions of OpenCL C without its macro.
    Feature(&'static str),
    /// Takes a pipe, with this access if the function asks for one, and arguments.
    Pipe {
        access: Option<ImageAccess>,
        arguments: PipeArguments,
    },
    /// Takes a reservation of packets of a pipe.
    Reservation,
    /// Takes queues on the device or their events.
    DeviceQueue,
}

/// The arguments of a function after the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeArguments {
    /// A pointer to a packet, maybe after a reservation and an index.
    Packet,
    /// A number of packets.
    Count,
    Reservation,
    Nothing,
}

/// The order and scope arguments of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Synchronization {
    /// Position of the first order.
    pub first: usize,
    /// Number of orders; the scope comes after them.
    pub orders: usize,
    /// True for a fence, whose acquire and release orders every device offers.
    pub is_fence: bool,
    /// The orders that the function does not allow: as its first order and as its second.
    pub wrong: [&'static [i128]; 2],
}

impl Row {
    pub(super) const fn new(names: Names, sigs: &'static [Sig], lower: Lower) -> Row {
        let (since, check) = (ClStd::Cl10, Check::Nothing);
        let (relaxed, by_device) = (None, None);
        Row { names, sigs, since, check, lower, halves: Halves::Alike, relaxed, by_device }
    }

    pub(super) const fn unary(names: Names, sigs: &'static [Sig], lower: LowerUnary) -> Row {
        Row::new(names, sigs, Lower::Unary(lower))
    }

    pub(super) const fn binary(names: Names, sigs: &'static [Sig], lower: LowerBinary) -> Row {
        Row::new(names, sigs, Lower::Binary(lower))
    }

    pub(super) const fn ternary(names: Names, sigs: &'static [Sig], lower: LowerTernary) -> Row {
        Row::new(names, sigs, Lower::Ternary(lower))
    }

    pub(super) const fn call(names: Names, sigs: &'static [Sig], lower: LowerCall) -> Row {
        Row::new(names, sigs, Lower::Call(lower))
    }

    /// Halves are computed in float.
    pub(super) const fn in_float(self) -> Row {
        Row { halves: Halves::InFloat, ..self }
    }

    pub(super) const fn since(self, since: ClStd) -> Row {
        Row { since, ..self }
    }

    pub(super) const fn check(self, check: Check) -> Row {
        Row { check, ..self }
    }

    pub(super) const fn halves(self, lower: Lower) -> Row {
        Row { halves: Halves::By(lower), ..self }
    }

    /// Uses `lower` for 32-bit floats under -cl-fast-relaxed-math, where it returns a value.
    pub(super) const fn relaxed(self, lower: LowerCall) -> Row {
        Row { relaxed: Some(lower), ..self }
    }

    /// Uses `lower` for 32-bit floats, where it returns a value.
    pub(super) const fn by_device(self, lower: LowerCall) -> Row {
        Row { by_device: Some(lower), ..self }
    }
}
