//! Argument promotion: rewrites the signature of a function that is not inlined, so that its parameters and results are
//! scalars and its callers' private objects need not be memory. Vectors become their lanes. A pointer to private memory
//! that is only accessed at constant offsets becomes the values at these offsets; the values that the function writes
//! are also among its results.
//!
//! [`PromotedSignature::call`] rewrites a call of the old signature.

use super::cursor::{align_at, Cursor};
use super::dead_args::{fixed_results, keep_params, keep_results, used_params};
use crate::analysis::argument_alias::{AliasResult, ArgumentAlias};
use crate::analysis::underlying_objects::{is_private, UnderlyingObject, UnderlyingObjects};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use smallvec::SmallVec;

/// The most parameters of a function: SPIR-V allows 255.
const MAX_PARAMS: usize = 240;
/// The alignment of the allocas that replace pointer parameters, in bytes.
const OBJECT_ALIGN: i64 = 16;
/// The most bytes between the first and the last access through a pointer that is replaced by values.
const MAX_EXTENT: i64 = 4096;
/// The most parts that one set of overlapping accesses is split into.
const MAX_PARTS: i64 = 64;

/// A part of the memory that a parameter points to, which is passed as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgPart {
    /// Number of the old parameter.
    param: u32,
    /// Offset from the pointer in bytes.
    offset: i64,
    ty: Type,
    align: u32,
}

/// The source of the value that a call passes for a new parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgSource {
    /// An old argument, or the lane of it with this number.
    Arg(u32, u8),
    Part(ArgPart),
}

/// The destination of a value that the call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultTarget {
    /// The next lane of the old result.
    Result,
    Part(ArgPart),
}

/// The source of the value for a result target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultSource {
    /// The result of the new function with this number.
    Result(u32),
    /// The argument for a parameter. The parameter may have been removed because it was unused.
    Param(ArgSource),
    Constant(Type, Constant),
}

/// How calls of a function with promoted arguments are made.
#[derive(Debug, Clone, Default)]
pub struct PromotedSignature {
    /// For each new parameter, the source of its argument.
    params: Vec<ArgSource>,
    targets: Vec<(ResultTarget, ResultSource)>,
    returns: SmallVec<[Type; 1]>,
}

/// Accesses through one pointer parameter.
#[derive(Debug, Clone, Default)]
struct Accesses {
    list: Vec<Access>,
    /// True if there are accesses at unknown offsets, or uses that are not accesses.
    unpromotable: bool,
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

/// Promotes a function's arguments, and returns its new signature. `has_unknown_access`: the function calls functions
/// that access private memory through pointers whose underlying object is unknown.
pub fn promote_arguments(
    func: &mut Function,
    id: Func,
    alias: &ArgumentAlias,
    has_unknown_access: bool,
) -> PromotedSignature {
    let accesses = promotable(func, id, alias, has_unknown_access);
    let mut params = Vec::new();
    let mut parts: Vec<(ArgPart, bool)> = Vec::new();
    for (i, &value) in func.params().iter().enumerate() {
        let param = i as u32;
        match &accesses[i] {
            Some(accesses) => {
                for (part, stored) in split_into_parts(param, accesses) {
                    params.push(ArgSource::Part(part));
                    parts.push((part, stored));
                }
            }
            None => {
                let lanes = func.ty(value).lanes;
                params.extend((0..lanes).map(|lane| ArgSource::Arg(param, lane)));
            }
        }
    }
    let written: Vec<ArgPart> = parts.iter().filter(|(_, s)| *s).map(|&(part, _)| part).collect();
    let lanes = func.ret().map_or(0, |ty| ty.lanes);
    let old_params = rewrite_params(func, &params, &accesses);
    rewrite_returns(func, &old_params, &written);
    let results = (0..lanes).map(|_| ResultTarget::Result);
    let targets = results.chain(written.into_iter().map(ResultTarget::Part));
    let targets = targets.enumerate().map(|(i, target)| (target, ResultSource::Result(i as u32)));
    PromotedSignature { params, targets: targets.collect(), returns: func.returns.clone() }
}

/// Returns, by parameter, the accesses through each pointer that can be replaced by values.
fn promotable(
    func: &Function,
    id: Func,
    alias: &ArgumentAlias,
    has_unknown_access: bool,
) -> Vec<Option<Accesses>> {
    let count = func.params().len();
    let Some(all) = find_accesses(func).filter(|_| !has_unknown_access) else {
        return vec![None; count];
    };
    let mut promoted: Vec<bool> = (0..count)
        .map(|i| {
            let (accesses, dereferenceable) = (&all[i], alias.dereferenceable(id, i as u32));
            let inside =
                |a: &Access| a.start >= -dereferenceable.before && a.end <= dereferenceable.after;
            let start = accesses.list.iter().map(|a| a.start).min().unwrap_or(0);
            let end = accesses.list.iter().map(|a| a.end).max().unwrap_or(0);
            is_private(func, func.params()[i])
                && !accesses.unpromotable
                && end - start <= MAX_EXTENT
                && accesses.list.iter().all(inside)
                && split_into_parts(i as u32, accesses).len() <= MAX_PARAMS
        })
        .collect();
    let conflict = |a: usize, b: usize| match alias.alias_result(id, a as u32, b as u32) {
        None => false,
        Some(_) if all[a].unpromotable || all[b].unpromotable => true,
        Some(AliasResult::MayAlias) => all[a].stored || all[b].stored,
        Some(AliasResult::Distances(distances)) => {
            distances.iter().any(|&distance| all[a].touches(&all[b], distance))
        }
    };
    for a in 0..count {
        for b in 0..a {
            if (promoted[a] || promoted[b]) && conflict(a, b) {
                (promoted[a], promoted[b]) = (false, false);
            }
        }
    }
    // If the parts are too many, the parameters with the most parts are not promoted.
    let size = |i: usize, promoted: bool| match promoted {
        true => split_into_parts(i as u32, &all[i]).len(),
        false => usize::from(func.ty(func.params()[i]).lanes),
    };
    while (0..count).map(|i| size(i, promoted[i])).sum::<usize>() > MAX_PARAMS {
        let Some(largest) = (0..count).filter(|&i| promoted[i]).max_by_key(|&i| size(i, true))
        else {
            break;
        };
        promoted[largest] = false;
    }
    all.into_iter().zip(promoted).map(|(accesses, promoted)| promoted.then_some(accesses)).collect()
}

/// Returns the accesses through each parameter. `None` if some accesses are through pointers whose underlying object is
/// unknown, since they may alias any parameter's.
fn find_accesses(func: &Function) -> Option<Vec<Accesses>> {
    let objects = UnderlyingObjects::compute(func, &Cfg::compute(func));
    let mut all = vec![Accesses::default(); func.params().len()];
    let param_of = |value: Value| match objects.of(func, value).object {
        UnderlyingObject::Argument(param) if is_private(func, value) => Some(param as usize),
        _ => None,
    };
    for inst in func.layout_insts() {
        let data = &func.insts[inst];
        let (ptr, ty, align, flags, store) = match *data {
            InstData::Load { ptr, align, flags } => {
                let ty = func.result(inst).map_or(Type::I32, |v| func.ty(v));
                (ptr, ty, align, flags, false)
            }
            InstData::Store { ptr, value, align, flags } => {
                if let Some(param) = param_of(value) {
                    all[param].unpromotable = true;
                }
                (ptr, func.ty(value), align, flags, true)
            }
            InstData::PtrAdd { .. } => continue,
            _ => {
                // Any other use of a pointer: for example, a conversion to a generic pointer.
                data.for_each_arg(|arg| {
                    if let Some(param) = param_of(arg) {
                        all[param].unpromotable = true;
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
        let pointer = objects.of(func, ptr);
        let UnderlyingObject::Argument(param) = pointer.object else {
            if pointer.object == UnderlyingObject::Unknown {
                return None;
            }
            continue;
        };
        let accesses = &mut all[param as usize];
        accesses.stored |= store;
        let plain = !(flags.contains(MemFlags::VOLATILE) || ty.scalar.is_ptr() && ty.lanes > 1);
        match pointer.offset {
            Some(start) if plain => {
                let end = start + i64::from(ty.bytes());
                accesses.list.push(Access { start, end, ty, align, store });
            }
            _ => accesses.unpromotable = true,
        }
    }
    Some(all)
}

/// Returns the parts that accesses need, in ascending order, and whether each is written.
fn split_into_parts(param: u32, accesses: &Accesses) -> Vec<(ArgPart, bool)> {
    let mut list = accesses.list.clone();
    list.sort_by_key(|a| (a.start, a.end));
    let mut parts = Vec::new();
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
            let part = ArgPart { param, offset: first.start, ty: first.ty, align };
            parts.push((part, store));
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
            parts.push((ArgPart { param, offset: start, ty, align }, written));
        }
        if (end - first.start) / unit > MAX_PARTS {
            // So many parts are of no use. With more parts than a call can pass, the parameter is not promoted.
            parts.resize(MAX_PARAMS + 1, parts[0]);
            return parts;
        }
    }
    parts
}

/// Replaces the entry block's parameters, and returns the old ones. These are rebuilt from the new parameters: vectors
/// from their lanes, pointers as pointers into allocas that the parts are stored to.
fn rewrite_params(
    func: &mut Function,
    params: &[ArgSource],
    accesses: &[Option<Accesses>],
) -> Vec<Value> {
    let entry = func.entry();
    let old = std::mem::take(&mut func.blocks[entry].params);
    let rest = std::mem::take(&mut func.blocks[entry].insts);
    let mut lanes: Vec<SmallVec<[Value; 4]>> = vec![SmallVec::new(); old.len()];
    let mut found = Vec::new();
    for &source in params {
        match source {
            ArgSource::Arg(param, _) => {
                let value = old[param as usize];
                let ty = func.ty(value);
                if ty.is_vector() {
                    let lane = func.add_param(entry, ty.lane());
                    lanes[param as usize].push(lane);
                } else {
                    func.push_param(entry, value);
                }
            }
            ArgSource::Part(part) => found.push((part, func.add_param(entry, part.ty))),
        }
    }
    let mut c = Cursor::new(func);
    for (i, &value) in old.iter().enumerate() {
        let data = match &accesses[i] {
            Some(accesses) => replacement_object(&mut c, accesses),
            None if lanes[i].is_empty() => continue,
            None => InstData::Build { args: lanes[i].iter().copied().collect() },
        };
        let inst = c.func.make_inst(data, None);
        c.func.results[inst] = Some(value);
        c.func.values[value].def = ValueDef::Inst(inst);
        c.keep(inst);
    }
    for (part, value) in found {
        let ptr = c.ptr_add_const(old[part.param as usize], part.offset);
        c.store(ptr, value, part.align, MemFlags::empty());
    }
    c.out.extend(rest);
    c.finish(entry);
    old
}

/// Returns a pointer into a new alloca that has room for all accesses.
fn replacement_object(c: &mut Cursor, accesses: &Accesses) -> InstData {
    let start = accesses.list.iter().map(|a| a.start).min().unwrap_or(0).min(0);
    let end = accesses.list.iter().map(|a| a.end).max().unwrap_or(0).max(0);
    // Rounding the start keeps the pointer's alignment.
    let start = start.div_euclid(OBJECT_ALIGN) * OBJECT_ALIGN;
    let data = InstData::Alloca { size: (end - start) as u64, align: OBJECT_ALIGN as u32 };
    if start == 0 {
        return data;
    }
    let ptr = c.inst(data, Type::ptr(AddressSpace::Private));
    InstData::PtrAdd { ptr, offset: c.iconst(Type::I32, -start), within: Within::ANYWHERE }
}

/// Makes every return pass the lanes of the result and the values of the written parts.
fn rewrite_returns(func: &mut Function, params: &[Value], written: &[ArgPart]) {
    let result = func.ret();
    func.returns =
        (0..result.map_or(0, |ty| ty.lanes)).filter_map(|_| result).map(Type::lane).collect();
    func.returns.extend(written.iter().map(|part| part.ty));
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
        for part in written {
            let ptr = c.ptr_add_const(params[part.param as usize], part.offset);
            values.push(c.load(part.ty, ptr, part.align, MemFlags::empty()));
        }
        c.func.insts[inst] = InstData::Return { values };
        c.keep(inst);
        c.finish(block);
    }
}

impl PromotedSignature {
    /// Removes unused parameters, and results that are parameters or constants, after optimization.
    pub fn prune(&mut self, func: &mut Function) {
        let fixed_sources: Vec<Option<ResultSource>> =
            fixed_results(func).into_iter().map(|fixed| self.result_source(func, fixed?)).collect();
        let kept: Vec<bool> = fixed_sources.iter().map(Option::is_none).collect();
        for (_, source) in &mut self.targets {
            let ResultSource::Result(old) = *source else { continue };
            *source = fixed_sources[old as usize].unwrap_or_else(|| {
                let before = kept[..old as usize].iter().filter(|&&kept| kept).count();
                ResultSource::Result(before as u32)
            });
        }
        // A part that is not changed need not be returned.
        self.targets.retain(|(target, source)| match (target, source) {
            (ResultTarget::Part(part), ResultSource::Param(ArgSource::Part(source))) => {
                part != source
            }
            _ => true,
        });
        keep_results(func, &kept);
        self.returns = func.returns.clone();
        let used = used_params(func);
        keep_params(func, &used);
        let mut used = used.into_iter();
        self.params.retain(|_| used.next().unwrap_or(true));
    }

    fn result_source(&self, func: &Function, fixed: Value) -> Option<ResultSource> {
        match func.def(fixed) {
            ValueDef::Const(constant) => Some(ResultSource::Constant(func.ty(fixed), constant)),
            ValueDef::Param(_, index) => Some(ResultSource::Param(self.params[index as usize])),
            ValueDef::Inst(_) => None,
        }
    }

    /// Builds a call of the new function from the arguments for the old signature; returns the old result.
    pub fn call(&self, c: &mut Cursor, callee: Func, args: &[Value]) -> Option<Value> {
        let new_args: SmallVec<[Value; 4]> =
            self.params.iter().map(|&source| evaluate(c, source, args)).collect();
        let values: Vec<Option<Value>> = self
            .targets
            .iter()
            .map(|(_, source)| match *source {
                ResultSource::Result(_) => None,
                ResultSource::Param(source) => Some(evaluate(c, source, args)),
                ResultSource::Constant(ty, Constant::Bits(bits)) => Some(c.func.constant(ty, bits)),
                ResultSource::Constant(ty, Constant::Undef) => Some(c.func.undef(ty)),
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
        for (&(target, source), value) in self.targets.iter().zip(values) {
            let value = match (source, value) {
                (ResultSource::Result(index), _) => results[index as usize],
                (_, Some(value)) => value,
                (_, None) => continue,
            };
            match target {
                ResultTarget::Result => lanes.push(value),
                ResultTarget::Part(part) => {
                    let ptr = c.ptr_add_const(args[part.param as usize], part.offset);
                    c.store(ptr, value, part.align, MemFlags::empty());
                }
            }
        }
        (!lanes.is_empty()).then(|| c.build(&lanes))
    }
}

/// Returns the value that a call passes for a new parameter.
fn evaluate(c: &mut Cursor, source: ArgSource, args: &[Value]) -> Value {
    match source {
        ArgSource::Arg(param, lane) => c.extract(args[param as usize], lane),
        ArgSource::Part(part) => {
            let ptr = c.ptr_add_const(args[part.param as usize], part.offset);
            c.load(part.ty, ptr, part.align, MemFlags::empty())
        }
    }
}
