//! Padding of arrays in work-group memory against bank conflicts.
//!
//! One element is left unused behind each row, as programmers do by hand (`float tile[32][33]`): the element `i` moves to
//! `i + (i >> log2(row))`. If the row of an index is known without computing it, this costs nothing. An array is padded if
//! all its accesses are known, and if padding saves several times the time of the operations that it adds.

use crate::analysis::bank_conflicts::{cycles, LaneValues, BANKS, CYCLE_BYTES};
use crate::analysis::known_bits::KnownBits;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::Loops;
use crate::ir::*;
use crate::passes::cursor::{rewrite_insts, Cursor};
use crate::passes::{cse, dce};
use crate::target::Target;
use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The number of row lengths that are tried: consecutive powers of two, from the number of elements in all banks on.
const ROWS: u32 = 4;
/// The depth to which a sum is split into terms.
const MAX_DEPTH: u32 = 8;
/// The number of operations that take as long as a cycle of the banks.
const OPERATIONS_PER_CYCLE: u64 = 4;
/// The least ratio of the time that padding saves to the time that it costs. Both are estimates, and larger arrays
/// leave room for fewer work-groups.
const MARGIN: u64 = 4;
/// The number of operations that compute the row of an index and add it: from the whole index, or for each of its
/// terms.
const OPERATIONS_OF_ROW: u64 = 3;
const OPERATIONS_OF_TERM: u64 = 2;
/// How often a loop's block is assumed to run for each run of the block around it, as a power of two, and the number of
/// nested loops for which this counts.
const LOOP_WEIGHT: u32 = 3;
const MAX_LOOPS: u32 = 4;

/// Pads the arrays of all kernels, if their accesses are through addresses of elements. Returns the functions that
/// changed.
pub fn run(module: &mut Module, target: &Target) -> Vec<Func> {
    let mut changed = Vec::new();
    let users = users_of_local_variables(module);
    let Module { functions, globals, kernels, .. } = module;
    for kernel in kernels.iter() {
        let id = kernel.func;
        if !users.values().any(|&user| user == Some(id)) {
            continue;
        }
        let mut func = functions[id].clone();
        // Remove byte addresses that element addresses have replaced, and merge equal indices.
        cse::run(&mut func, Some(kernel));
        dce::run(&mut func);
        let mut arrays = arrays(&func);
        for (global, array) in &mut arrays {
            array.is_refused |= users[global] != Some(id);
        }
        let rows = choose_rows(&func, kernel, globals, &arrays);
        if !rows.is_empty() && fits(arrays.into_keys(), globals, &rows, target) {
            for (&global, &row) in &rows {
                let data = &mut globals[global];
                data.size = row.padded_size(data.size);
                data.init.iter_mut().for_each(|zeros| zeros.resize(data.size as usize, 0));
            }
            pad(&mut func, kernel, &rows);
            functions[id] = func;
            changed.push(id);
        }
    }
    changed
}

/// A length of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    /// The number of elements, as a power of two.
    log2: u32,
    /// Bytes of an element.
    bytes: u32,
}

impl Row {
    fn padded_size(self, size: u64) -> u64 {
        let elements = size / u64::from(self.bytes);
        (elements + (elements.saturating_sub(1) >> self.log2)) * u64::from(self.bytes)
    }

    fn padded(self, element: u32) -> u32 {
        element.wrapping_add(element >> self.log2)
    }

    /// Splits a number of elements into whole rows and the rest.
    fn split(self, elements: i32) -> (i32, u32) {
        let rows = elements >> self.log2;
        (rows, (elements - (rows << self.log2)) as u32)
    }

    /// Finds out how the row of `index + rest` can be computed. `rest` is less than a row.
    fn number(self, func: &Function, kernel: &KernelEntry, index: Value, rest: u32) -> RowNumber {
        let known = KnownBits::new(func, Some(kernel));
        let mut terms = Terms { log2: self.log2, ..Terms::default() };
        terms.add(func, &known, index, MAX_DEPTH);
        match (terms.below_row + u64::from(rest)) >> self.log2 {
            0 => RowNumber::Sum(terms.whole_rows),
            _ => RowNumber::Computed,
        }
    }
}

/// An array in work-group memory.
#[derive(Default)]
struct Array {
    accesses: Vec<Access>,
    /// True if its address has other uses, also by another function, or if its elements differ in size.
    is_refused: bool,
}

/// An access to an element.
#[derive(Clone, Copy)]
struct Access {
    block: Block,
    index: Value,
    skipped: i32,
    bytes: u32,
}

/// Returns the variable whose address a value is, if it is one.
fn global_of(func: &Function, value: Value) -> Option<Global> {
    let is_local = func.ty(value).space() == Some(AddressSpace::Local);
    match func.def_inst(value)? {
        &InstData::GlobalAddr { global } if is_local => Some(global),
        _ => None,
    }
}

/// Returns the function that uses each variable in work-group memory; `None` for a variable that several functions use, as
/// when kernels call kernels.
fn users_of_local_variables(module: &Module) -> FxHashMap<Global, Option<Func>> {
    let mut users: FxHashMap<Global, Option<Func>> = FxHashMap::default();
    for (id, func) in &module.functions {
        let results = func.layout_insts().filter_map(|inst| func.result(inst));
        for global in results.filter_map(|value| global_of(func, value)) {
            let user = users.entry(global).or_insert(Some(id));
            *user = user.filter(|&user| user == id);
        }
    }
    users
}

/// Returns the arrays in work-group memory of a function. Returns none if there is other work-group memory, of
/// arguments or called functions: then it is unknown how much the device has left.
fn arrays(func: &Function) -> FxHashMap<Global, Array> {
    let mut arrays: FxHashMap<Global, Array> = FxHashMap::default();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            match func.insts[inst] {
                InstData::Call { .. } => return FxHashMap::default(),
                InstData::LoadArg { .. } => {
                    let space = func.result(inst).and_then(|result| func.ty(result).space());
                    if space == Some(AddressSpace::Local) {
                        return FxHashMap::default();
                    }
                }
                InstData::ElementAddr { ptr, index, skipped, bytes } => {
                    if let Some(global) = global_of(func, ptr) {
                        let access = Access { block, index, skipped, bytes };
                        arrays.entry(global).or_default().add(access);
                    }
                }
                ref data => data.for_each_arg(|arg| {
                    if let Some(global) = global_of(func, arg) {
                        arrays.entry(global).or_default().is_refused = true;
                    }
                }),
            }
        }
    }
    arrays
}

impl Array {
    fn add(&mut self, access: Access) {
        let is_alike = self.accesses.first().is_none_or(|first| first.bytes == access.bytes);
        self.is_refused |= !is_alike || access.bytes < 4;
        self.accesses.push(access);
    }

    /// Returns true if a block accesses adjacent elements. The driver may vectorize such accesses if there is no
    /// padding between the elements.
    fn has_adjacent_accesses(&self) -> bool {
        let place = |access: &Access, skipped| (access.block, access.index, skipped);
        let places: FxHashSet<_> =
            self.accesses.iter().map(|access| place(access, access.skipped)).collect();
        let next = |access: &Access| place(access, access.skipped.wrapping_add(1));
        self.accesses.iter().any(|access| places.contains(&next(access)))
    }
}

/// Returns the rows of the arrays that are worth padding.
fn choose_rows(
    func: &Function,
    kernel: &KernelEntry,
    globals: &PrimaryMap<Global, GlobalData>,
    arrays: &FxHashMap<Global, Array>,
) -> FxHashMap<Global, Row> {
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &DomTree::compute(&cfg));
    let mut values = LaneValues::new(func, &cfg, kernel.required_local_size);
    let work_items = kernel.required_local_size.map_or(u32::MAX, |size| size.iter().product());
    let work_items = (work_items as usize).clamp(1, BANKS);
    let mut rows = FxHashMap::default();
    for (&global, array) in arrays {
        let Some(&Access { bytes, .. }) = array.accesses.first() else { continue };
        let size = globals[global].size;
        let is_whole = size.is_multiple_of(u64::from(bytes));
        if array.is_refused || !is_whole || array.has_adjacent_accesses() {
            continue;
        }
        let sample = |&access: &Access| {
            let depth = loops.depth(access.block).min(MAX_LOOPS);
            let element = |index: u32| index.wrapping_add_signed(access.skipped);
            let elements = values.of(access.index);
            let elements =
                elements.map(|it| it.into_iter().take(work_items).map(element).collect());
            Sample { weight: 1 << (LOOP_WEIGHT * depth), access, elements }
        };
        let samples: Vec<Sample> = array.accesses.iter().map(sample).collect();
        if let Some(row) = best_row(&samples, func, kernel, size) {
            rows.insert(global, row);
        }
    }
    rows
}

/// How often an access is executed, and the elements that the work-items of a sub-group access, if they are known.
struct Sample {
    weight: u64,
    access: Access,
    elements: Option<Vec<u32>>,
}

/// Returns the row with which accesses take the least time, if padding is worth it.
fn best_row(samples: &[Sample], func: &Function, kernel: &KernelEntry, size: u64) -> Option<Row> {
    let bytes = samples.first()?.access.bytes;
    // A work-item whose element would be beyond the array does not exist.
    let exists = |element: &&u32| u64::from(**element) < size / u64::from(bytes);
    let time_of_banks = |row: Option<Row>| -> u64 {
        let of_sample = |sample: &Sample| {
            let existing = sample.elements.iter().flatten().filter(exists);
            let padded: SmallVec<[u32; BANKS]> = match row {
                Some(row) => existing.map(|&element| row.padded(element)).collect(),
                None => existing.copied().collect(),
            };
            sample.weight * u64::from(cycles(&padded, bytes)) * OPERATIONS_PER_CYCLE
        };
        samples.iter().map(of_sample).sum()
    };
    let costs = |row: Row| operations(samples, func, kernel, row);
    let time = |row: Row| time_of_banks(Some(row)) + costs(row);
    let shortest = (CYCLE_BYTES / bytes).max(1).ilog2();
    let rows = (shortest..shortest + ROWS).map(|log2| Row { log2, bytes });
    let rows = rows.filter(|row| size > u64::from(bytes) << row.log2);
    let best = rows.min_by_key(|&row| time(row))?;
    let saved = time_of_banks(None).saturating_sub(time_of_banks(Some(best)));
    (saved > MARGIN * costs(best)).then_some(best)
}

/// Returns the number of operations that padding adds. Accesses with the same index share them.
fn operations(samples: &[Sample], func: &Function, kernel: &KernelEntry, row: Row) -> u64 {
    let mut counted: FxHashSet<(Value, u32)> = FxHashSet::default();
    let mut sum = 0;
    for Sample { weight, access, .. } in samples {
        let (_, rest) = row.split(access.skipped);
        let (operations, rest) = match row.number(func, kernel, access.index, rest) {
            RowNumber::Sum(terms) => (OPERATIONS_OF_TERM * terms.len() as u64, 0),
            RowNumber::Computed => (OPERATIONS_OF_ROW, rest),
        };
        if func.as_const(access.index).is_none() && counted.insert((access.index, rest)) {
            sum += weight * operations;
        }
    }
    sum
}

/// Returns true if the device has enough work-group memory for all arrays of a function with these rows.
fn fits(
    mut arrays: impl Iterator<Item = Global>,
    globals: &PrimaryMap<Global, GlobalData>,
    rows: &FxHashMap<Global, Row>,
    target: &Target,
) -> bool {
    let total = arrays.try_fold(0u64, |total, global| {
        let data = &globals[global];
        let size = rows.get(&global).map_or(data.size, |row| row.padded_size(data.size));
        total.checked_add(size)?.checked_add(u64::from(data.align))
    });
    total.is_some_and(|total| total <= target.local_memory_size)
}

/// Rewrites the addresses of the elements of padded arrays.
fn pad(func: &mut Function, kernel: &KernelEntry, rows: &FxHashMap<Global, Row>) {
    rewrite_insts(func, |c, inst| {
        let InstData::ElementAddr { ptr, index, skipped, bytes } = c.func.insts[inst] else {
            return None;
        };
        let row = rows.get(&global_of(c.func, ptr)?)?;
        let (whole, rest) = row.split(skipped);
        let number = match row.number(c.func, kernel, index, rest) {
            RowNumber::Sum(terms) => {
                let zero = c.iconst(Type::I32, 0);
                terms.into_iter().fold(zero, |sum, term| {
                    let rows = rows_of(c, term, row.log2);
                    c.binary(BinaryOp::IAdd, sum, rows)
                })
            }
            RowNumber::Computed => {
                let element = c.binary_imm(BinaryOp::IAdd, index, rest.into());
                c.binary_imm(BinaryOp::AShr, element, row.log2.into())
            }
        };
        let index = c.binary(BinaryOp::IAdd, index, number);
        Some(InstData::ElementAddr { ptr, index, skipped: skipped.wrapping_add(whole), bytes })
    });
}

/// Returns `value >> log2`. The value is a multiple of a row.
fn rows_of(c: &mut Cursor<'_>, value: Value, log2: u32) -> Value {
    if let Some(&InstData::Binary { op: BinaryOp::Shl, args: [a, by], flags }) =
        c.func.def_inst(value)
    {
        let by = c.func.as_const(by).filter(|&by| (u64::from(log2)..32).contains(&by));
        if let Some(by) = by.filter(|_| flags.contains(OpFlags::NO_SIGNED_WRAP)) {
            return c.binary_imm(BinaryOp::Shl, a, by as i64 - i64::from(log2));
        }
    }
    c.binary_imm(BinaryOp::AShr, value, log2.into())
}

/// How the row of an index is computed. The row may be negative, if the constant part of the index is not.
enum RowNumber {
    /// The sum of the rows of these values, which are multiples of a row.
    Sum(SmallVec<[Value; 4]>),
    /// Computed from the index by a shift.
    Computed,
}

/// The terms of an index whose sums do not overflow.
#[derive(Default)]
struct Terms {
    log2: u32,
    /// Terms that are multiples of a row.
    whole_rows: SmallVec<[Value; 4]>,
    /// The greatest possible sum of all other terms.
    below_row: u64,
}

impl Terms {
    fn add(&mut self, func: &Function, known: &KnownBits, value: Value, depth: u32) {
        let is_exact = |[a, b]: [Value; 2], flags: OpFlags| {
            let most = known.max(a) + known.max(b);
            flags.contains(OpFlags::NO_SIGNED_WRAP) || most <= u64::from(u32::MAX >> 1)
        };
        match func.def_inst(value) {
            Some(&InstData::Binary { op: BinaryOp::IAdd, args, flags })
                if depth > 0 && is_exact(args, flags) =>
            {
                args.into_iter().for_each(|arg| self.add(func, known, arg, depth - 1));
            }
            _ if known.trailing_zeros(value) >= self.log2 => self.whole_rows.push(value),
            _ => self.below_row += known.max(value),
        }
    }
}
