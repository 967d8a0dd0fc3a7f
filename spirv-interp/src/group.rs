//! A dispatch: work-groups, and the order in which their work-items take steps.

use crate::error::{Error, Res};
use crate::float::Floats;
use crate::invocation::{fresh, Context, Invocation, Position, State};
use crate::memory::{Bytes, Memory};
use crate::module::Module;
use crate::subgroup::{self, Subgroups};
use crate::trace::Tracer;
use std::collections::{BTreeMap, VecDeque};

/// Work-items of all the groups that run at the same time.
const RESIDENT: usize = 512;

/// The inputs of a dispatch.
#[derive(Debug, Clone)]
pub struct Dispatch {
    /// Number of work-groups.
    pub groups: [u32; 3],
    pub push_constants: Vec<u8>,
    /// Values of specialization constants, by SpecId.
    pub specialization: BTreeMap<u32, u32>,
    pub floats: Floats,
    pub subgroups: Subgroups,
    /// Chooses the order in which work-items take steps.
    pub seed: u64,
    /// The most instructions that all work-items together may execute.
    pub limit: u64,
}

impl Default for Dispatch {
    fn default() -> Dispatch {
        Dispatch {
            groups: [1; 3],
            push_constants: Vec::new(),
            specialization: BTreeMap::new(),
            floats: Floats::default(),
            subgroups: Subgroups::default(),
            seed: 1,
            limit: 100_000_000,
        }
    }
}

/// Runs the entry point of a module for all work-items of a dispatch; returns how many instructions they
/// executed.
///
/// # Errors
/// When the interpreter does not know the module's instructions, or the module does something without a defined result.
pub fn run(words: &[u32], dispatch: &Dispatch, device: &mut Memory) -> Res<u64> {
    let module = Module::load(words, &dispatch.specialization, dispatch.subgroups.size)?;
    let mut scheduler = Scheduler::new(&module, dispatch);
    let [x, y, z] = dispatch.groups;
    let places = (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])));
    let mut waiting: VecDeque<[u32; 3]> = places.collect();
    let size = module.local_size.iter().product::<u32>().max(1) as usize;
    let mut resident = Vec::new();
    while !waiting.is_empty() || !resident.is_empty() {
        while resident.len() < (RESIDENT / size).max(1) {
            let Some(place) = waiting.pop_front() else { break };
            resident.push(Group::new(&module, place, dispatch.subgroups.size.max(1))?);
        }
        for group in &mut resident {
            scheduler.pass(group, device, None)?;
        }
        resident.retain(|group| group.items.iter().any(|item| item.state != State::Done));
    }
    Ok(scheduler.steps)
}

/// Runs one work-group of a dispatch, until it ends or the tracer has found what it looks for.
pub fn run_group(
    module: &Module,
    dispatch: &Dispatch,
    place: [u32; 3],
    device: &mut Memory,
    tracer: &mut Tracer,
) -> Res<()> {
    let mut scheduler = Scheduler::new(module, dispatch);
    let mut group = Group::new(module, place, dispatch.subgroups.size.max(1))?;
    for item in &mut group.items {
        if tracer.records(item.position.local) {
            item.keep_origins();
        }
    }
    while tracer.hit.is_none() && group.items.iter().any(|item| item.state != State::Done) {
        scheduler.pass(&mut group, device, Some(&mut *tracer))?;
    }
    Ok(())
}

/// A work-group.
struct Group {
    items: Vec<Invocation>,
    shared: Vec<Bytes>,
}

impl Group {
    fn new(module: &Module, group: [u32; 3], subgroup: u32) -> Res<Group> {
        let [x, y, z] = module.local_size;
        let mut items = Vec::new();
        for k in 0..z {
            for j in 0..y {
                for i in 0..x {
                    let local = [i, j, k];
                    let at = |d: usize| group[d] * module.local_size[d] + local[d];
                    let number = items.len() as u32;
                    let position = Position {
                        group,
                        local,
                        global: [at(0), at(1), at(2)],
                        subgroup: [number / subgroup, number % subgroup],
                    };
                    items.push(Invocation::new(module, position)?);
                }
            }
        }
        Ok(Group { items, shared: module.shared.iter().map(fresh).collect() })
    }

    /// Lets the work-items continue if all of them wait at the same barrier.
    fn release(&mut self) -> Res<()> {
        let goes_on = |state: &State| matches!(state, State::Running | State::Meeting);
        if self.items.iter().any(|item| goes_on(&item.state)) {
            return Ok(());
        }
        let Some(first) = self.items.first().map(|item| item.state.clone()) else { return Ok(()) };
        if self.items.iter().any(|item| item.state != first) {
            return Error::undefined("a barrier that not all work-items of a work-group reach");
        }
        if first != State::Done {
            self.items.iter_mut().for_each(|item| item.state = State::Running);
        }
        Ok(())
    }
}

struct Scheduler<'a> {
    module: &'a Module,
    dispatch: &'a Dispatch,
    push_constants: Bytes,
    /// The state of the random number generator.
    state: u64,
    steps: u64,
}

impl<'a> Scheduler<'a> {
    fn new(module: &'a Module, dispatch: &'a Dispatch) -> Scheduler<'a> {
        Scheduler {
            module,
            dispatch,
            push_constants: Bytes::new(&dispatch.push_constants),
            state: dispatch.seed | 1,
            steps: 0,
        }
    }

    /// Returns how many instructions a work-item executes before the next work-item's turn: often few, so that accesses
    /// interleave, and seldom many.
    fn turn(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        1 + self.state % [3, 40, 300][(self.state >> 32) as usize % 3]
    }

    /// Gives each work-item of a group one turn, up to the one with which a tracer ends.
    fn pass(
        &mut self,
        group: &mut Group,
        device: &mut Memory,
        mut tracer: Option<&mut Tracer>,
    ) -> Res<()> {
        for item in &mut group.items {
            if item.state != State::Running {
                continue;
            }
            let turn = self.turn();
            let mut context = Context {
                module: self.module,
                floats: self.dispatch.floats,
                device,
                shared: &mut group.shared,
                push_constants: &self.push_constants,
                tracer: tracer.as_deref_mut(),
            };
            self.steps += item.run(&mut context, turn)?;
            if tracer.as_ref().is_some_and(|tracer| tracer.hit.is_some()) {
                return Ok(());
            }
        }
        if self.steps > self.dispatch.limit {
            return Err(Error::Limit(self.dispatch.limit));
        }
        let Dispatch { floats, subgroups, .. } = *self.dispatch;
        for members in group.items.chunks_mut(subgroups.size.max(1) as usize) {
            subgroup::release(self.module, floats, subgroups, members)?;
        }
        group.release()
    }
}
