//! What all calls of a function say of its private pointer parameters: how much memory surely lies
//! around each, and which of them point into one object.

use super::call_graph::{calls, CallGraph};
use super::pointer_bases::{is_private, Base, Bases, Root};
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// More distances than this between two parameters are as good as none known.
const MAX_DISTANCES: usize = 8;

/// The range of bytes that may be accessed around a pointer: how many before it, and how many behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    pub before: i64,
    pub behind: i64,
}

impl Room {
    const NONE: Room = Room { before: 0, behind: 0 };

    fn of_object(size: u64, offset: i64) -> Room {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        match (0..=size).contains(&offset) {
            true => Room { before: offset, behind: size - offset },
            false => Room::NONE,
        }
    }

    fn moved(self, offset: i64) -> Room {
        match (-self.before..=self.behind).contains(&offset) {
            true => Room { before: self.before + offset, behind: self.behind - offset },
            false => Room::NONE,
        }
    }

    fn meet(self, other: Room) -> Room {
        Room { before: self.before.min(other.before), behind: self.behind.min(other.behind) }
    }
}

/// The ways in which two parameters may point into one object; without any, they never do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// The second is the first plus one of these numbers of bytes, or in another object.
    Distances(SmallVec<[i64; 2]>),
    Any,
}

impl Relation {
    /// Adds what another call says.
    fn join(&mut self, other: Relation) {
        match (&mut *self, other) {
            (Relation::Distances(all), Relation::Distances(more)) => {
                all.extend(more);
                all.sort_unstable();
                all.dedup();
                if all.len() > MAX_DISTANCES {
                    *self = Relation::Any;
                }
            }
            _ => *self = Relation::Any,
        }
    }
}

/// The findings, for all functions that kernels reach.
pub struct ParamAlias {
    room: SecondaryMap<Func, Vec<Option<Room>>>,
    /// By function and two of its parameters, the lower number first.
    related: FxHashMap<(Func, u32, u32), Relation>,
}

impl ParamAlias {
    /// Goes from callers to callees. The functions are still as `graph` saw them.
    pub fn compute(module: &Module, graph: &CallGraph) -> ParamAlias {
        let mut facts = ParamAlias { room: SecondaryMap::new(), related: FxHashMap::default() };
        for &id in graph.order.iter().rev() {
            let func = &module.functions[id];
            let passes_private = |args: &[Value]| args.iter().any(|&arg| is_private(func, arg));
            if !calls(func).any(|(_, args)| passes_private(args)) {
                continue;
            }
            let bases = Bases::compute(func);
            for (callee, args) in calls(func) {
                if passes_private(args) {
                    facts.visit(id, func, &bases, callee, args);
                }
            }
        }
        facts
    }

    /// Memory that every caller has around what it passes for a parameter.
    pub fn room(&self, func: Func, param: u32) -> Room {
        self.room[func].get(param as usize).copied().flatten().unwrap_or(Room::NONE)
    }

    /// Returns how parameter `b` may relate to parameter `a`, and so which bytes they share. `None`: they
    /// share none.
    pub fn relation(&self, func: Func, a: u32, b: u32) -> Option<Relation> {
        let relation = self.related.get(&(func, a.min(b), a.max(b)))?.clone();
        Some(match relation {
            Relation::Distances(all) if a > b => {
                Relation::Distances(all.into_iter().map(|distance| -distance).collect())
            }
            other => other,
        })
    }

    fn visit(&mut self, id: Func, func: &Function, bases: &Bases, callee: Func, args: &[Value]) {
        self.room[callee].resize(args.len(), None);
        let mut pointers: SmallVec<[(u32, Base); 16]> = SmallVec::new();
        for (i, &arg) in args.iter().enumerate() {
            if !is_private(func, arg) {
                continue;
            }
            let base = bases.of(func, arg);
            let room = self.room_of(id, func, base);
            let known = &mut self.room[callee][i];
            *known = Some(known.map_or(room, |known| known.meet(room)));
            for &(other, other_base) in &pointers {
                if let Some(relation) = self.relate(id, other_base, base) {
                    let key = (callee, other, i as u32);
                    match self.related.get_mut(&key) {
                        Some(known) => known.join(relation),
                        None => {
                            self.related.insert(key, relation);
                        }
                    }
                }
            }
            pointers.push((i as u32, base));
        }
    }

    fn room_of(&self, id: Func, func: &Function, base: Base) -> Room {
        match (base.root, base.offset) {
            (Root::Object(inst), Some(offset)) => match func.insts[inst] {
                InstData::Alloca { size, .. } => Room::of_object(size, offset),
                _ => Room::NONE,
            },
            (Root::Param(param), Some(offset)) => self.room(id, param).moved(offset),
            _ => Room::NONE,
        }
    }

    /// Returns how `b` may relate to `a`, both pointers of function `id`.
    fn relate(&self, id: Func, a: Base, b: Base) -> Option<Relation> {
        let shift = a.offset.zip(b.offset).map(|(a, b)| b - a);
        let shifted = |relation: Relation| match (relation, shift) {
            (Relation::Distances(all), Some(by)) => {
                Relation::Distances(all.into_iter().map(|distance| distance + by).collect())
            }
            _ => Relation::Any,
        };
        match (a.root, b.root) {
            (Root::None, _) | (_, Root::None) => None,
            (Root::Unknown, _) | (_, Root::Unknown) => Some(Relation::Any),
            (a, b) if a == b => Some(shifted(Relation::Distances(SmallVec::from_slice(&[0])))),
            (Root::Param(a), Root::Param(b)) => self.relation(id, a, b).map(shifted),
            // An object of the function itself is none that its parameters point to.
            _ => None,
        }
    }
}
