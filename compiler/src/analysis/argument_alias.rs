//! Alias analysis of private pointer arguments over all calls of a function: the dereferenceable range
//! around each parameter, and which parameters may point into one object.

use super::call_graph::{calls, CallGraph};
use super::underlying_objects::{
    is_private, DecomposedPointer, UnderlyingObject, UnderlyingObjects,
};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most distances between two parameters that are kept apart. Parameters with more distances may alias anywhere.
const MAX_DISTANCES: usize = 8;

/// The range of bytes that may be accessed around a pointer: the number of bytes before the pointer, and from the
/// pointer on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dereferenceable {
    pub before: i64,
    pub after: i64,
}

impl Dereferenceable {
    const NONE: Dereferenceable = Dereferenceable { before: 0, after: 0 };

    fn within_object(size: u64, offset: i64) -> Dereferenceable {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        match (0..=size).contains(&offset) {
            true => Dereferenceable { before: offset, after: size - offset },
            false => Dereferenceable::NONE,
        }
    }

    fn advanced(self, offset: i64) -> Dereferenceable {
        match (-self.before..=self.after).contains(&offset) {
            true => Dereferenceable { before: self.before + offset, after: self.after - offset },
            false => Dereferenceable::NONE,
        }
    }

    fn meet(self, other: Dereferenceable) -> Dereferenceable {
        Dereferenceable {
            before: self.before.min(other.before),
            after: self.after.min(other.after),
        }
    }
}

/// How two parameters may point into one object. Parameters without a result do not alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AliasResult {
    /// The second parameter is the first plus one of these numbers of bytes, or points into another object.
    Distances(SmallVec<[i64; 2]>),
    MayAlias,
}

impl AliasResult {
    /// Combines this result with the result for another call.
    fn join(&mut self, other: AliasResult) {
        match (&mut *self, other) {
            (AliasResult::Distances(all), AliasResult::Distances(more)) => {
                all.extend(more);
                all.sort_unstable();
                all.dedup();
                if all.len() > MAX_DISTANCES {
                    *self = AliasResult::MayAlias;
                }
            }
            _ => *self = AliasResult::MayAlias,
        }
    }
}

/// The results of the analysis, for all functions that kernels reach.
pub struct ArgumentAlias {
    dereferenceable: SecondaryMap<Func, Vec<Option<Dereferenceable>>>,
    /// Alias results by function and two of its parameters, the lower number first.
    aliasing: FxHashMap<(Func, u32, u32), AliasResult>,
}

impl ArgumentAlias {
    /// Analyzes callers before callees. `graph` is the current call graph.
    pub fn compute(module: &Module, graph: &CallGraph) -> ArgumentAlias {
        let mut alias =
            ArgumentAlias { dereferenceable: SecondaryMap::new(), aliasing: FxHashMap::default() };
        for &id in graph.order.iter().rev() {
            let func = &module.functions[id];
            let passes_private = |args: &[Value]| args.iter().any(|&arg| is_private(func, arg));
            if !calls(func).any(|(_, args)| passes_private(args)) {
                continue;
            }
            let objects = UnderlyingObjects::compute(func, &Cfg::compute(func));
            for (callee, args) in calls(func) {
                if passes_private(args) {
                    alias.visit(id, func, &objects, callee, args);
                }
            }
        }
        alias
    }

    /// Returns the range that is dereferenceable around a parameter at every call.
    pub fn dereferenceable(&self, func: Func, param: u32) -> Dereferenceable {
        self.dereferenceable[func]
            .get(param as usize)
            .copied()
            .flatten()
            .unwrap_or(Dereferenceable::NONE)
    }

    /// Returns how parameter `b` may alias parameter `a`; `None` if they do not alias.
    pub fn alias_result(&self, func: Func, a: u32, b: u32) -> Option<AliasResult> {
        let alias_result = self.aliasing.get(&(func, a.min(b), a.max(b)))?.clone();
        Some(match alias_result {
            AliasResult::Distances(all) if a > b => {
                AliasResult::Distances(all.into_iter().map(|distance| -distance).collect())
            }
            other => other,
        })
    }

    fn visit(
        &mut self,
        id: Func,
        func: &Function,
        objects: &UnderlyingObjects,
        callee: Func,
        args: &[Value],
    ) {
        self.dereferenceable[callee].resize(args.len(), None);
        let mut pointers: SmallVec<[(u32, DecomposedPointer); 16]> = SmallVec::new();
        for (i, &arg) in args.iter().enumerate() {
            if !is_private(func, arg) {
                continue;
            }
            let pointer = objects.of(func, arg);
            let dereferenceable = self.dereferenceable_of(id, func, pointer);
            let known = &mut self.dereferenceable[callee][i];
            *known = Some(known.map_or(dereferenceable, |known| known.meet(dereferenceable)));
            for &(other, other_pointer) in &pointers {
                if let Some(alias_result) = self.alias_of(id, other_pointer, pointer) {
                    let key = (callee, other, i as u32);
                    match self.aliasing.get_mut(&key) {
                        Some(known) => known.join(alias_result),
                        None => {
                            self.aliasing.insert(key, alias_result);
                        }
                    }
                }
            }
            pointers.push((i as u32, pointer));
        }
    }

    fn dereferenceable_of(
        &self,
        id: Func,
        func: &Function,
        pointer: DecomposedPointer,
    ) -> Dereferenceable {
        match (pointer.object, pointer.offset) {
            (UnderlyingObject::Alloca(inst), Some(offset)) => match func.insts[inst] {
                InstData::Alloca { size, .. } => Dereferenceable::within_object(size, offset),
                _ => Dereferenceable::NONE,
            },
            (UnderlyingObject::Argument(param), Some(offset)) => {
                self.dereferenceable(id, param).advanced(offset)
            }
            _ => Dereferenceable::NONE,
        }
    }

    /// Returns how `b` may alias `a`, both pointers of function `id`.
    fn alias_of(
        &self,
        id: Func,
        a: DecomposedPointer,
        b: DecomposedPointer,
    ) -> Option<AliasResult> {
        let shift = a.offset.zip(b.offset).map(|(a, b)| b - a);
        let shifted = |alias_result: AliasResult| match (alias_result, shift) {
            (AliasResult::Distances(all), Some(by)) => {
                AliasResult::Distances(all.into_iter().map(|distance| distance + by).collect())
            }
            _ => AliasResult::MayAlias,
        };
        match (a.object, b.object) {
            (UnderlyingObject::Undefined, _) | (_, UnderlyingObject::Undefined) => None,
            (UnderlyingObject::Unknown, _) | (_, UnderlyingObject::Unknown) => {
                Some(AliasResult::MayAlias)
            }
            (a, b) if a == b => Some(shifted(AliasResult::Distances(SmallVec::from_slice(&[0])))),
            (UnderlyingObject::Argument(a), UnderlyingObject::Argument(b)) => {
                self.alias_result(id, a, b).map(shifted)
            }
            // An alloca of the function does not alias what its parameters point to.
            _ => None,
        }
    }
}
