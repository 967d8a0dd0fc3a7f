//! Functions of cl_intel_subgroups and of the like extensions for other widths: shuffles of two sources, and blocks that
//! the work-items of a sub-group read and write together. Every device with sub-groups can run them; programs may use
//! them where a profile lists the extension ([`crate::Target::shown`]).

use super::row::{Check, LowerCall, Names, Row};
use super::signature::ImageUse::{Sample, Write};
use super::signature::TypePattern::{self, Image, In, Out, Void, G, V};
use super::signature::{Elements, Scalar as Name, Sig, Spaces, SCALAR};
use super::subgroups::{ADD, MAX, MIN};
use super::{Call, Lowerer};
use crate::ir::{
    Addr, BinaryOp, IntCC, Scalar, SubgroupScan, SubgroupShuffle, Type, Value, Within,
    WorkItemQuery,
};
use crate::kernel::ImageDim::D2;

const UINT: TypePattern = TypePattern::S(Name::UInt);
const INT2: TypePattern = V(Name::Int, 2);

/// The extension that all functions here need; with it the functions of all widths exist.
const EXTENSION: &str = "cl_intel_subgroups";

const SHUFFLE: &[Sig] = &[Sig::new(Elements::ALL, G, &[G, UINT])];
const SHUFFLE_BOTH: &[Sig] = &[Sig::new(Elements::ALL, G, &[G, G, UINT])];

/// Functions on chars and shorts: cl_khr_subgroups has them for other numbers alone, under other names.
const NARROW: &[Sig] = &[Sig::new(Elements::INTS_8_16, G, &[G]).lanes(SCALAR)];
const NARROW_BROADCAST: &[Sig] = &[Sig::new(Elements::INTS_8_16, G, &[G, UINT]).lanes(SCALAR)];

const fn row(names: Names, sigs: &'static [Sig], lower: LowerCall) -> Row {
    Row::call(names, sigs, lower).check(Check::Subgroup(EXTENSION))
}

/// The reductions and scans of one operation.
macro_rules! scans {
    ($op:expr, $($names:literal $scan:ident),*) => {
        &[$(row(&[$names], NARROW, |l, c| {
            let &[x] = c.args else { return None };
            Some(l.subgroup_scan(SubgroupScan::$scan, $op(c), x, 0))
        })),*]
    };
}

/// The functions that read and write blocks. The number of elements for each work-item is part of their names.
macro_rules! blocks {
    ($element:ident: $([$($suffix:literal),+] $result:expr),* $(,)?) => {
        &[$(
            row(
                &[$(concat!("intel_sub_group_block_read", $suffix)),+],
                &[
                    Sig::new(Elements::$element, $result, &[In(Spaces::SHARED)]).lanes(SCALAR),
                    Sig::new(Elements::$element, $result, &[Image(D2, Sample), INT2]).lanes(SCALAR),
                ],
                |l, c| match c.types.first()?.image {
                    Some(_) => l.image_block_read(c),
                    None => l.block_read(c),
                },
            ),
            row(
                &[$(concat!("intel_sub_group_block_write", $suffix)),+],
                &[
                    Sig::new(Elements::$element, Void, &[Out(Spaces::SHARED), $result])
                        .lanes(SCALAR),
                    Sig::new(Elements::$element, Void, &[Image(D2, Write), INT2, $result])
                        .lanes(SCALAR),
                ],
                |l, c| match c.types.first()?.image {
                    Some(_) => l.image_block_write(c),
                    None => l.block_write(c),
                },
            ),
        )*]
    };
}

pub(super) const ROWS: &[&[Row]] = &[
    &[
        row(&["intel_sub_group_shuffle"], SHUFFLE, |l, c| match *c.args {
            [data, from] => Some(l.subgroup_shuffle(SubgroupShuffle::Index, data, from)),
            _ => None,
        }),
        row(&["intel_sub_group_shuffle_xor"], SHUFFLE, |l, c| match *c.args {
            [data, mask] => Some(l.subgroup_shuffle(SubgroupShuffle::Xor, data, mask)),
            _ => None,
        }),
        row(&["intel_sub_group_shuffle_down"], SHUFFLE_BOTH, |l, c| match *c.args {
            [current, next, delta] => Some(l.shuffle_of_two(current, next, delta, BinaryOp::IAdd)),
            _ => None,
        }),
        row(&["intel_sub_group_shuffle_up"], SHUFFLE_BOTH, |l, c| match *c.args {
            [previous, current, delta] => {
                Some(l.shuffle_of_two(current, previous, delta, BinaryOp::ISub))
            }
            _ => None,
        }),
        row(&["intel_sub_group_broadcast"], NARROW_BROADCAST, |l, c| match *c.args {
            [x, from] => Some(l.subgroup_shuffle(SubgroupShuffle::Broadcast, x, from)),
            _ => None,
        }),
    ],
    scans!(ADD, "intel_sub_group_reduce_add" Reduce, "intel_sub_group_scan_inclusive_add" Inclusive,
        "intel_sub_group_scan_exclusive_add" Exclusive),
    scans!(MIN, "intel_sub_group_reduce_min" Reduce, "intel_sub_group_scan_inclusive_min" Inclusive,
        "intel_sub_group_scan_exclusive_min" Exclusive),
    scans!(MAX, "intel_sub_group_reduce_max" Reduce, "intel_sub_group_scan_inclusive_max" Inclusive,
        "intel_sub_group_scan_exclusive_max" Exclusive),
    blocks! { UINT: ["", "_ui"] G, ["2", "_ui2"] V(Name::UInt, 2), ["4", "_ui4"] V(Name::UInt, 4),
    ["8", "_ui8"] V(Name::UInt, 8) },
    blocks! { UCHAR: ["_uc"] G, ["_uc2"] V(Name::UChar, 2), ["_uc4"] V(Name::UChar, 4),
    ["_uc8"] V(Name::UChar, 8), ["_uc16"] V(Name::UChar, 16) },
    blocks! { USHORT: ["_us"] G, ["_us2"] V(Name::UShort, 2), ["_us4"] V(Name::UShort, 4),
    ["_us8"] V(Name::UShort, 8), ["_us16"] V(Name::UShort, 16) },
    blocks! { ULONG: ["_ul"] G, ["_ul2"] V(Name::ULong, 2), ["_ul4"] V(Name::ULong, 4),
    ["_ul8"] V(Name::ULong, 8) },
];

impl Lowerer<'_, '_> {
    /// Returns the value of another work-item, whose number is `op` of this one's and `delta`: its `current` within the
    /// sub-group; beyond it `other`, as if the next or the previous sub-group had these values.
    fn shuffle_of_two(
        &mut self,
        current: Value,
        other: Value,
        delta: Value,
        op: BinaryOp,
    ) -> Value {
        let id = self.b.work_item(WorkItemQuery::SubgroupInvocation, 0);
        let size = self.b.work_item(WorkItemQuery::SubgroupMaxSize, 0);
        let index = self.b.binary(op, id, delta);
        let is_inside = self.b.icmp(IntCC::Ult, index, size);
        // The size is a power of two.
        let mask = self.b.add_const(size, -1);
        let index = self.b.binary(BinaryOp::And, index, mask);
        let inside = self.subgroup_shuffle(SubgroupShuffle::Index, current, index);
        let outside = self.subgroup_shuffle(SubgroupShuffle::Index, other, index);
        self.b.select(is_inside, inside, outside)
    }

    /// Returns the addresses of this work-item's elements of a block, one for each lane of `ty`. The elements that all
    /// work-items have in one lane are adjacent.
    fn block_addresses(&mut self, block: Value, ty: Type) -> Vec<Addr> {
        let element = ty.scalar.bytes();
        let mut index = self.b.work_item(WorkItemQuery::SubgroupInvocation, 0);
        let size = self.b.work_item(WorkItemQuery::SubgroupMaxSize, 0);
        let mut addresses = Vec::new();
        for lane in 0..ty.lanes {
            if lane != 0 {
                index = self.b.binary(BinaryOp::IAdd, index, size);
            }
            let (step, anywhere) = (u64::from(element), Within::ANYWHERE);
            let place = self.b.pointer_add(block, (index, false), step, false, anywhere);
            addresses.push(Addr::new(place, element.min(4)));
        }
        addresses
    }

    fn block_read(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[block] = call.args else { return None };
        let element = Type::vector(call.result.scalar, 1);
        let addresses = self.block_addresses(block, call.result);
        let lanes: Vec<Value> =
            addresses.into_iter().map(|addr| self.b.read(element, addr)).collect();
        Some(self.b.build(&lanes))
    }

    fn block_write(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[block, data] = call.args else { return None };
        let addresses = self.block_addresses(block, self.b.ty(data));
        for (lane, addr) in (0..).zip(addresses) {
            let number = self.b.extract(data, lane);
            self.b.write(addr, number);
        }
        None
    }

    /// Returns the byte in a row of an image at which this work-item's element of a block begins, and the row.
    fn image_block_place(&mut self, place: Value, bytes: u32) -> (Value, Value) {
        let (start, row) = (self.b.extract(place, 0), self.b.extract(place, 1));
        let id = self.b.work_item(WorkItemQuery::SubgroupInvocation, 0);
        let offset = self.b.binary_imm(BinaryOp::IMul, id, i64::from(bytes));
        (self.b.binary(BinaryOp::IAdd, start, offset), row)
    }

    /// Reads a block of an image, each lane from a row of its own. The library reads pieces of at most a word, according to the
    /// layout of texels in memory.
    fn image_block_read(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[image, place] = call.args else { return None };
        let func = self.front.image_function("block_of_image")?;
        let (scalar, bytes) = (call.result.scalar, call.result.scalar.bytes());
        let (x, y) = self.image_block_place(place, bytes);
        let count = self.b.int(Scalar::I32, i64::from(bytes.min(4)));
        let mut lanes = Vec::new();
        for lane in 0..call.result.lanes {
            let row = self.b.add_const(y, i64::from(lane));
            let mut words = Vec::new();
            for word in 0..bytes.div_ceil(4) {
                let x = self.b.add_const(x, i64::from(4 * word));
                words.push(self.b.call(func, &[image, x, row, count], Some(Type::I32))?);
            }
            lanes.push(match *words {
                [word] => self.b.resize_lanes(word, scalar, false),
                _ => {
                    let pair = self.b.build(&words);
                    self.b.bitcast(pair, Type::vector(scalar, 1))
                }
            });
        }
        Some(self.b.build(&lanes))
    }

    fn image_block_write(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[image, place, data] = call.args else { return None };
        let func = self.front.image_function("block_to_image")?;
        let (ty, bytes) = (self.b.ty(data), self.b.ty(data).scalar.bytes());
        let (x, y) = self.image_block_place(place, bytes);
        let count = self.b.int(Scalar::I32, i64::from(bytes.min(4)));
        for lane in 0..ty.lanes {
            let row = self.b.add_const(y, i64::from(lane));
            let number = self.b.extract(data, lane);
            let words = match bytes {
                8 => {
                    let pair = self.b.bitcast(number, Type::vector(Scalar::I32, 2));
                    vec![self.b.extract(pair, 0), self.b.extract(pair, 1)]
                }
                _ => vec![self.b.resize_lanes(number, Scalar::I32, false)],
            };
            for (word, own) in (0..).zip(words) {
                let x = self.b.add_const(x, 4 * word);
                let around = self.bytes_around(own, bytes);
                self.b.call(func, &[image, x, row, own, around, count], None);
            }
        }
        None
    }

    /// Returns the word that `own`, which has `bytes` bytes, is a part of: adjacent work-items have the other parts.
    fn bytes_around(&mut self, own: Value, bytes: u32) -> Value {
        let parts = 4 / bytes.min(4);
        let id = self.b.work_item(WorkItemQuery::SubgroupInvocation, 0);
        let first = self.b.and_const(id, !(i64::from(parts) - 1));
        let mut word = own;
        for part in 0..if parts == 1 { 0 } else { parts } {
            let from = self.b.add_const(first, i64::from(part));
            let other = self.subgroup_shuffle(SubgroupShuffle::Index, own, from);
            let other = self.b.binary_imm(BinaryOp::Shl, other, i64::from(8 * bytes * part));
            word = if part == 0 { other } else { self.b.binary(BinaryOp::Or, word, other) };
        }
        word
    }
}
