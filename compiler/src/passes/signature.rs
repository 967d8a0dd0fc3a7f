//! Rewrites the signature of a function that stays one, so that what it takes and gives are scalars
//! and its callers' private objects need not be memory: vectors become their lanes, and a pointer to
//! private memory that is only accessed at known distances becomes the values there, with those that
//! are written among the results (argument promotion).
//!
//! [`Signature::call`] makes a call of the function from one that was written for the old signature.

use super::cursor::{align_at, Cursor};
use super::dead_args::{fixed_results, keep_params, keep_results, used_params};
use super::param_alias::{ParamAlias, Relation};
use super::pointer_bases::{is_private, Bases, Root};
use crate::ir::*;
use smallvec::SmallVec;

/// Most parameters of a function: SPIR-V allows 255.
const MAX_PARAMS: usize = 240;
/// The alignment of objects in place of parameters.
const OBJECT_ALIGN: i64 = 16;
/// Most bytes that lie between the first and the last access through a pointer that becomes values.
const MAX_EXTENT: i64 = 4096;
/// More pieces than this for one set of overlapping accesses are not worth it.
const MAX_PIECES: i64 = 64;

/// A value in the memory that a parameter points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Number of the old parameter.
    param: u32,
    /// Bytes from where it points.
    offset: i64,
    ty: Type,
    align: u32,
}

/// The value that is passed for a new parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// An old argument, or its lane of that number.
    Arg(u32, u8),
    Cell(Cell),
}

/// The place of a value that the call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// The next lane of the old result.
    Result,
    Cell(Cell),
}

/// The result of the call for a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    /// Result of that number.
    Result(u32),
    /// What a parameter has that was passed, or would be.
    Source(Source),
    Constant(Type, Constant),
}

/// The way in which calls of a function are made.
#[derive(Debug, Clone, Default)]
pub struct Signature {
    /// For each new parameter.
    params: Vec<Source>,
    targets: Vec<(Target, Given)>,
    returns: SmallVec<[Type; 1]>,
}

/// Accesses through one parameter.
#[derive(Debug, Clone, Default)]
struct Accesses {
    list: Vec<Access>,
    /// True if there are accesses at unknown offsets, or other uses.
    opaque: bool,
    stored: bool,
}

#[derive(Debug, Clone, Copy)]
struct Access {
    start: i64,
    end: i64,
    ty: Type,
    align: u32,
    store: bool,
}

impl Accesses {
    fn touches(&self, other: &Accesses, distance: i64) -> bool {
        self.list.iter().any(|a| {
            other.list.iter().any(|b| {
                let (start, end) = (b.start + distance, b.end + distance);
                a.start < end && start < a.end && (a.store || b.store)
            })
        })
    }
}

/// Rewrites a function's signature and gives how to call it. `unknown`: it calls functions that
/// access private memory through pointers of unknown origin.
pub fn rewrite(func: &mut Function, id: Func, alias: &ParamAlias, unknown: bool) -> Signature {
    let accesses = promotable(func, id, alias, unknown);
    let mut params = Vec::new();
    let mut cells: Vec<(Cell, bool)> = Vec::new();
    for (i, &value) in func.params().iter().enumerate() {
        let param = i as u32;
        match &accesses[i] {
            Some(accesses) => {
                for (cell, stored) in split(param, accesses) {
                    params.push(Source::Cell(cell));
                    cells.push((cell, stored));
                }
            }
            None => {
                let lanes = func.ty(value).lanes;
                params.extend((0..lanes).map(|lane| Source::Arg(param, lane)));
            }
        }
    }
    let written: Vec<Cell> = cells.iter().filter(|(_, s)| *s).map(|&(cell, _)| cell).collect();
    let lanes = func.ret().map_or(0, |ty| ty.lanes);
    let old_params = take_params(func, &params, &accesses);
    give_results(func, &old_params, &written);
    let results = (0..lanes).map(|_| Target::Result);
    let targets = results.chain(written.into_iter().map(Target::Cell));
    let targets = targets.enumerate().map(|(i, target)| (target, Given::Result(i as u32)));
    Signature { params, targets: targets.collect(), returns: func.returns.clone() }
}

/// Returns the accesses through each parameter that can become values.
fn promotable(
    func: &Function,
    id: Func,
    alias: &ParamAlias,
    unknown: bool,
) -> Vec<Option<Accesses>> {
    let count = func.params().len();
    let Some(all) = find_accesses(func).filter(|_| !unknown) else { return vec![None; count] };
    let mut good: Vec<bool> = (0..count)
        .map(|i| {
            let (accesses, room) = (&all[i], alias.room(id, i as u32));
            let inside = |a: &Access| a.start >= -room.before && a.end <= room.behind;
            let start = accesses.list.iter().map(|a| a.start).min().unwrap_or(0);
            let end = accesses.list.iter().map(|a| a.end).max().unwrap_or(0);
            is_private(func, func.params()[i])
                && !accesses.opaque
                && end - start <= MAX_EXTENT
                && accesses.list.iter().all(inside)
                && split(i as u32, accesses).len() <= MAX_PARAMS
        })
        .collect();
    let conflict = |a: usize, b: usize| match alias.relation(id, a as u32, b as u32) {
        None => false,
        Some(_) if all[a].opaque || all[b].opaque => true,
        Some(Relation::Any) => all[a].stored || all[b].stored,
        Some(Relation::Distances(distances)) => {
            distances.iter().any(|&distance| all[a].touches(&all[b], distance))
        }
    };
    for a in 0..count {
        for b in 0..a {
            if (good[a] || good[b]) && conflict(a, b) {
                (good[a], good[b]) = (false, false);
            }
        }
    }
    // The largest go first when there are too many.
    let size = |i: usize, good: bool| match good {
        true => split(i as u32, &all[i]).len(),
        false => usize::from(func.ty(func.params()[i]).lanes),
    };
    while (0..count).map(|i| size(i, good[i])).sum::<usize>() > MAX_PARAMS {
        let Some(largest) = (0..count).filter(|&i| good[i]).max_by_key(|&i| size(i, true)) else {
            break;
        };
        good[largest] = false;
    }
    all.into_iter().zip(good).map(|(accesses, good)| good.then_some(accesses)).collect()
}

/// Returns the accesses through each parameter. `None`: there are accesses through pointers of unknown
/// origin, which may be any of them.
fn find_accesses(func: &Function) -> Option<Vec<Accesses>> {
    let bases = Bases::compute(func);
    let mut all = vec![Accesses::default(); func.params().len()];
    let param_of = |value: Value| match bases.of(func, value).root {
        Root::Param(param) if is_private(func, value) => Some(param as usize),
        _ => None,
    };
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        let data = &func.insts[inst];
        let (ptr, ty, align, flags, store) = match *data {
            InstData::Load { ptr, align, flags } => {
                let ty = func.result(inst).map_or(Type::I32, |v| func.ty(v));
                (ptr, ty, align, flags, false)
            }
            InstData::Store { ptr, value, align, flags } => {
                if let Some(param) = param_of(value) {
                    all[param].opaque = true;
                }
                (ptr, func.ty(value), align, flags, true)
            }
            InstData::PtrAdd { .. } => continue,
            _ => {
                // What else is done with a pointer; a generic one may be private.
                data.for_each_arg(|arg| {
                    if let Some(param) = param_of(arg) {
                        all[param].opaque = true;
                        all[param].stored = true;
                    }
                });
                continue;
            }
        };
        if func.ty(ptr).space() == Some(AddressSpace::Generic) {
            return None;
        }
        if !is_private(func, ptr) {
            continue;
        }
        let base = bases.of(func, ptr);
        let Root::Param(param) = base.root else {
            if base.root == Root::Unknown {
                return None;
            }
            continue;
        };
        let accesses = &mut all[param as usize];
        accesses.stored |= store;
        let plain = !(flags.contains(MemFlags::VOLATILE) || ty.scalar.is_ptr() && ty.lanes > 1);
        match base.offset {
            Some(start) if plain => {
                let end = start + i64::from(ty.bytes());
                accesses.list.push(Access { start, end, ty, align, store });
            }
            _ => accesses.opaque = true,
        }
    }
    Some(all)
}

/// Returns the cells that accesses need, ascending, and whether each is written.
fn split(param: u32, accesses: &Accesses) -> Vec<(Cell, bool)> {
    let mut list = accesses.list.clone();
    list.sort_by_key(|a| (a.start, a.end));
    let mut cells = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let first = list[at];
        let mut end = first.end;
        let mut next = at + 1;
        while next < list.len() && list[next].start < end {
            end = end.max(list[next].end);
            next += 1;
        }
        let group = &list[at..next];
        at = next;
        let align = group.iter().map(|a| a.align).min().unwrap_or(1);
        let same = group.iter().all(|a| (a.start, a.end) == (first.start, first.end));
        let store = group.iter().any(|a| a.store);
        if same && first.ty.lanes == 1 {
            let cell = Cell { param, offset: first.start, ty: first.ty, align };
            cells.push((cell, store));
            continue;
        }
        let units = group.iter().fold(0, |bits, a| {
            bits | (a.start - first.start) as u64 | u64::from(a.ty.scalar.bytes())
        });
        let unit = 1i64 << units.trailing_zeros().min(3);
        let ty = Type::of(Scalar::int(unit as u32 * 8));
        for start in (first.start..end).step_by(unit as usize) {
            let align = align_at(align, (start - first.start) as u64).min(unit as u32);
            let written = group.iter().any(|a| a.store && a.start < start + unit && start < a.end);
            cells.push((Cell { param, offset: start, ty, align }, written));
        }
        if (end - first.start) / unit > MAX_PIECES {
            // Too many to be of use: the caller finds more than it can pass.
            cells.resize(MAX_PARAMS + 1, cells[0]);
            return cells;
        }
    }
    cells
}

/// Gives the entry block the new parameters; the old ones become what is made of them: private
/// objects hold what the pointers were to find. Gives the old ones.
fn take_params(
    func: &mut Function,
    params: &[Source],
    accesses: &[Option<Accesses>],
) -> Vec<Value> {
    let entry = func.entry();
    let old = std::mem::take(&mut func.blocks[entry].params);
    let rest = std::mem::take(&mut func.blocks[entry].insts);
    let mut lanes: Vec<SmallVec<[Value; 4]>> = vec![SmallVec::new(); old.len()];
    let mut found = Vec::new();
    for &source in params {
        match source {
            Source::Arg(param, _) => {
                let value = old[param as usize];
                let ty = func.ty(value);
                if ty.is_vector() {
                    let lane = func.add_param(entry, ty.lane());
                    lanes[param as usize].push(lane);
                } else {
                    let index = func.blocks[entry].params.len() as u32;
                    func.values[value].def = ValueDef::Param(entry, index);
                    func.blocks[entry].params.push(value);
                }
            }
            Source::Cell(cell) => found.push((cell, func.add_param(entry, cell.ty))),
        }
    }
    let mut c = Cursor::new(func);
    for (i, &value) in old.iter().enumerate() {
        let data = match &accesses[i] {
            Some(accesses) => object(&mut c, accesses),
            None if lanes[i].is_empty() => continue,
            None => InstData::Build { args: lanes[i].iter().copied().collect() },
        };
        let inst = c.func.make_inst(data, None);
        c.func.results[inst] = Some(value);
        c.func.values[value].def = ValueDef::Inst(inst);
        c.keep(inst);
    }
    for (cell, value) in found {
        let ptr = c.ptr_add_const(old[cell.param as usize], cell.offset);
        c.store(ptr, value, cell.align, MemFlags::empty());
    }
    c.out.extend(rest);
    c.finish(entry);
    old
}

/// Returns a pointer into a new object that has room for all accesses.
fn object(c: &mut Cursor, accesses: &Accesses) -> InstData {
    let start = accesses.list.iter().map(|a| a.start).min().unwrap_or(0).min(0);
    let end = accesses.list.iter().map(|a| a.end).max().unwrap_or(0).max(0);
    // So that the pointer is as well aligned as it was.
    let start = start.div_euclid(OBJECT_ALIGN) * OBJECT_ALIGN;
    let data = InstData::Alloca { size: (end - start) as u64, align: OBJECT_ALIGN as u32 };
    if start == 0 {
        return data;
    }
    let ptr = c.inst(data, Type::ptr(AddressSpace::Private));
    InstData::PtrAdd { ptr, offset: c.iconst(Type::I32, -start) }
}

/// Lets every return give the lanes of the result and the values of the written cells.
fn give_results(func: &mut Function, params: &[Value], written: &[Cell]) {
    let result = func.ret();
    func.returns =
        (0..result.map_or(0, |ty| ty.lanes)).filter_map(|_| result).map(Type::lane).collect();
    func.returns.extend(written.iter().map(|cell| cell.ty));
    for block in func.layout.clone() {
        let Some(inst) = func.terminator(block) else { continue };
        let InstData::Return { values } = &func.insts[inst] else { continue };
        let result = values.first().copied();
        let mut c = Cursor::new(func);
        c.out = std::mem::take(&mut c.func.blocks[block].insts);
        c.out.pop();
        let mut values = SmallVec::new();
        if let Some(result) = result {
            let lanes = c.ty(result).lanes;
            values.extend((0..lanes).map(|lane| c.extract(result, lane)));
        }
        for cell in written {
            let ptr = c.ptr_add_const(params[cell.param as usize], cell.offset);
            values.push(c.load(cell.ty, ptr, cell.align, MemFlags::empty()));
        }
        c.func.insts[inst] = InstData::Return { values };
        c.keep(inst);
        c.finish(block);
    }
}

impl Signature {
    /// After optimization: leaves out parameters that are not used, and results that are parameters
    /// or constants.
    pub fn tighten(&mut self, func: &mut Function) {
        let known: Vec<Option<Given>> =
            fixed_results(func).into_iter().map(|fixed| self.given(func, fixed?)).collect();
        let kept: Vec<bool> = known.iter().map(Option::is_none).collect();
        for (_, given) in &mut self.targets {
            let Given::Result(old) = *given else { continue };
            *given = known[old as usize].unwrap_or_else(|| {
                let before = kept[..old as usize].iter().filter(|&&kept| kept).count();
                Given::Result(before as u32)
            });
        }
        // A cell that keeps its value need not be written.
        self.targets.retain(|(target, given)| match (target, given) {
            (Target::Cell(cell), Given::Source(Source::Cell(source))) => cell != source,
            _ => true,
        });
        keep_results(func, &kept);
        self.returns = func.returns.clone();
        let used = used_params(func);
        keep_params(func, &used);
        let mut used = used.into_iter();
        self.params.retain(|_| used.next().unwrap_or(true));
    }

    fn given(&self, func: &Function, fixed: Value) -> Option<Given> {
        match func.def(fixed) {
            ValueDef::Const(constant) => Some(Given::Constant(func.ty(fixed), constant)),
            ValueDef::Param(_, index) => Some(Given::Source(self.params[index as usize])),
            ValueDef::Inst(_) => None,
        }
    }

    /// Makes the call with the arguments for the old signature; returns the old result.
    pub fn call(&self, c: &mut Cursor, callee: Func, args: &[Value]) -> Option<Value> {
        let new_args: SmallVec<[Value; 4]> =
            self.params.iter().map(|&source| evaluate(c, source, args)).collect();
        let sources: Vec<Option<Value>> = self
            .targets
            .iter()
            .map(|(_, given)| match *given {
                Given::Result(_) => None,
                Given::Source(source) => Some(evaluate(c, source, args)),
                Given::Constant(ty, Constant::Bits(bits)) => Some(c.func.constant(ty, bits)),
                Given::Constant(ty, Constant::Undef) => Some(c.func.undef(ty)),
            })
            .collect();
        let data = InstData::Call { func: callee, args: new_args };
        let mut results: SmallVec<[Value; 4]> = SmallVec::new();
        match self.returns.split_first() {
            None => c.void(data),
            Some((&first, rest)) => {
                let call = c.inst(data, first);
                results.push(call);
                results.extend(
                    rest.iter()
                        .zip(1..)
                        .map(|(&ty, index)| c.inst(InstData::CallResult { call, index }, ty)),
                );
            }
        }
        let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
        for (&(target, given), source) in self.targets.iter().zip(sources) {
            let value = match (given, source) {
                (Given::Result(index), _) => results[index as usize],
                (_, Some(value)) => value,
                (_, None) => continue,
            };
            match target {
                Target::Result => lanes.push(value),
                Target::Cell(cell) => {
                    let ptr = c.ptr_add_const(args[cell.param as usize], cell.offset);
                    c.store(ptr, value, cell.align, MemFlags::empty());
                }
            }
        }
        (!lanes.is_empty()).then(|| c.build(&lanes))
    }
}

/// Returns the value for a parameter, where the call stands.
fn evaluate(c: &mut Cursor, source: Source, args: &[Value]) -> Value {
    match source {
        Source::Arg(param, lane) => c.extract(args[param as usize], lane),
        Source::Cell(cell) => {
            let ptr = c.ptr_add_const(args[cell.param as usize], cell.offset);
            c.load(cell.ty, ptr, cell.align, MemFlags::empty())
        }
    }
}
