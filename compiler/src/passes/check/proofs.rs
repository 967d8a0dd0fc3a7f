//! Proofs that checks are not needed: for each object, the conditions under which none of its accesses has a certain kind of
//! mistake.
//!
//! *Inside*: all accesses in loops are in the object. *Written*: each read is behind a barrier before which the work-items
//! have written the whole object or, in private memory, behind stores to the whole object. *Orderly*: accesses between which
//! there is no barrier are all by one work-item, or all reads, or all atomic. If a launch fulfils the conditions the checks
//! are skipped, otherwise all of them are executed.

use super::affine::{Address, Affine, Factor, Most, Sum, Symbol, Term};
use super::conditions::{is_told, Condition, Object, Writer};
use super::extents::Extents;
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::{EntitySet, PrimaryMap};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most accesses of an object that are analysed.
const MOST_ACCESSES: usize = 64;
/// The most barriers between which accesses are distinguished.
const MOST_BARRIERS: usize = 64;
/// The largest private variable whose bytes are tracked, in bytes.
const MAX_PRIVATE: u64 = 1 << 16;

/// A property that all accesses of an object may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    Inside,
    Written,
    Orderly,
}

/// An access of memory.
struct Access {
    inst: Inst,
    bytes: i64,
    align: i64,
    writes: bool,
    atomic: bool,
    address: Option<Address>,
}

impl Access {
    /// Returns true if two accesses of the same bytes by different work-items are a race.
    fn conflicts(&self, other: &Access) -> bool {
        (self.writes || other.writes) && !(self.atomic && other.atomic)
    }
}

/// The conditions, and values that are true if the launch fulfils them.
#[derive(Default)]
pub struct Proofs {
    conditions: Vec<(Question, UnderlyingObject, Vec<Condition>)>,
    known: FxHashMap<(Question, UnderlyingObject), Value>,
    /// Private variables of which no byte is read before it is written.
    pub written: FxHashSet<Inst>,
    /// The accesses to which proofs of `Inside` apply.
    inside: EntitySet<Inst>,
}

/// The input of the proofs.
pub struct Subject<'a> {
    pub kernel: &'a KernelEntry,
    pub objects: &'a UnderlyingObjects,
    pub globals: &'a PrimaryMap<Global, GlobalData>,
    /// Returns true for an instruction from the program's own text.
    pub is_own: &'a dyn Fn(&Function, Inst) -> bool,
    pub questions: &'a [Question],
}

impl Proofs {
    /// Analyses all accesses of a kernel.
    pub fn new(func: &Function, subject: &Subject<'_>) -> Proofs {
        let affine = Affine::new(func);
        let mut accesses: FxHashMap<UnderlyingObject, Vec<Access>> = FxHashMap::default();
        let mut order = Vec::new();
        let mut anywhere = false;
        for inst in func.layout_insts() {
            let Some((ptr, ty)) = func.access(inst) else { continue };
            let object = subject.objects.of(func, ptr).object;
            let data = &func.insts[inst];
            let is_matrix =
                matches!(data, InstData::MatrixLoad { .. } | InstData::MatrixStore { .. });
            let space = func.ty(ptr).space();
            let is_unknown = !matches!(
                object,
                UnderlyingObject::Alloca(_)
                    | UnderlyingObject::Variable(_)
                    | UnderlyingObject::KernelArgument(_)
            );
            let is_far = matches!(space, Some(AddressSpace::Global | AddressSpace::Generic));
            let is_untold = match object {
                UnderlyingObject::KernelArgument(arg) => !is_told(subject.kernel, arg),
                _ => is_unknown,
            };
            anywhere |= is_far && (is_untold || is_matrix);
            let address = affine.address(inst).filter(|it| {
                !is_matrix && subject.objects.of(&affine.func, it.root).object == object
            });
            let (atomic, align) = match *data {
                // In work-group memory, volatile accesses do not count as atomic.
                InstData::Load { flags, align, .. } | InstData::Store { flags, align, .. } => {
                    (is_far && flags.contains(MemFlags::VOLATILE), align)
                }
                _ => (!is_matrix, ty.bytes()),
            };
            let access = Access {
                inst,
                bytes: ty.bytes().into(),
                align: align.into(),
                writes: !matches!(data, InstData::Load { .. } | InstData::AtomicLoad { .. }),
                atomic,
                address,
            };
            let list = accesses.entry(object).or_default();
            if list.is_empty() {
                order.push(object);
            }
            list.push(access);
        }
        let mut proofs = Proofs::default();
        let find = Finder { func, affine: &affine, subject };
        for object in order {
            let list = &accesses[&object];
            if list.len() > MOST_ACCESSES {
                continue;
            }
            let target = find.object(object);
            for &question in subject.questions {
                let conditions = match question {
                    Question::Inside => {
                        let Some(target) = target else { continue };
                        let inside = find.inside(target, list);
                        proofs.inside.extend(inside.1);
                        inside.0
                    }
                    Question::Written => match object {
                        UnderlyingObject::Alloca(alloca) => {
                            if find.is_written(alloca, list) {
                                proofs.written.insert(alloca);
                            }
                            None
                        }
                        _ => target.and_then(|target| find.written(target, list)),
                    },
                    Question::Orderly => {
                        target.and_then(|target| find.orderly(target, list, anywhere))
                    }
                };
                if let Some(conditions) = conditions {
                    proofs.conditions.push((question, object, conditions));
                }
            }
        }
        proofs
    }

    /// Writes the evaluation of the conditions at the start of the kernel.
    pub fn begin(&mut self, c: &mut Cursor<'_>, extents: &Extents<'_>, kernel: &KernelEntry) {
        for (question, object, conditions) in &self.conditions {
            let holds = Writer::new(c, extents.area, kernel).all(conditions);
            if c.func.as_const(holds) != Some(0) {
                self.known.insert((*question, *object), holds);
            }
        }
    }

    /// Returns a value that is true if a check is not needed; `None` if there is no proof.
    pub fn of(&self, question: Question, object: UnderlyingObject) -> Option<Value> {
        self.known.get(&(question, object)).copied()
    }

    /// Returns a value that is true if an access is in its object, as [`Proofs::of`] does.
    pub fn is_inside(&self, inst: Inst, object: UnderlyingObject) -> Option<Value> {
        self.of(Question::Inside, object).filter(|_| self.inside.contains(inst))
    }
}

/// Searches for conditions.
struct Finder<'a> {
    func: &'a Function,
    affine: &'a Affine,
    subject: &'a Subject<'a>,
}

impl Finder<'_> {
    fn object(&self, object: UnderlyingObject) -> Option<Object> {
        match object {
            UnderlyingObject::Variable(global) => {
                let data = &self.subject.globals[global];
                (data.space == AddressSpace::Local).then_some(Object::Variable(data.size))
            }
            UnderlyingObject::KernelArgument(arg) if is_told(self.subject.kernel, arg) => {
                let kind = &self.subject.kernel.args[arg as usize].kind;
                let is_local = !matches!(kind, crate::kernel::ArgKind::Buffer);
                Some(Object::Argument { arg, is_local })
            }
            _ => None,
        }
    }

    /// Returns the conditions under which accesses in loops are in the object, and the accesses to which they apply.
    fn inside(&self, object: Object, list: &[Access]) -> (Option<Vec<Condition>>, Vec<Inst>) {
        let (mut conditions, mut insts) = (Vec::new(), Vec::new());
        for access in list {
            let Some(address) = &access.address else { continue };
            let parts = address.offset.terms.iter().map(|term| term.scale);
            let is_aligned =
                parts.chain([address.offset.constant]).all(|it| it % access.align.max(1) == 0);
            if !is_aligned || !self.affine.is_in_loop(access.inst) {
                continue;
            }
            add_narrow(&mut conditions, address);
            let (offset, bytes, align) = (address.offset.clone(), access.bytes, access.align);
            add(&mut conditions, Condition::Inside { object, offset, bytes, align });
            insts.push(access.inst);
        }
        ((!insts.is_empty()).then_some(conditions), insts)
    }

    /// Returns the conditions under which the work-items have written a whole work-group variable before they read any
    /// byte of it.
    fn written(&self, object: Object, list: &[Access]) -> Option<Vec<Condition>> {
        let Object::Variable(size) = object else { return None };
        let reads = self.reads(list);
        let barriers = self.barriers();
        list.iter().find_map(|store| {
            let data = &self.func.insts[store.inst];
            let address = store.address.as_ref()?;
            let is_plain = matches!(data, InstData::Store { .. }) && address.offset.constant == 0;
            let is_of_group = |term: &Term| matches!(term.symbol, Symbol::LocalId(_));
            let mut terms = address.offset.terms.clone();
            let is_right =
                is_plain && terms.iter().all(|it| is_of_group(it) && it.scale % store.bytes == 0);
            if !is_right || !one_per_dimension(&terms) {
                return None;
            }
            let is_between = |barrier: Inst| {
                self.affine.is_uniform(barrier)
                    && self.affine.precedes(store.inst, barrier)
                    && reads.iter().all(|&read| self.affine.precedes(barrier, read))
            };
            barriers.iter().any(|&barrier| is_between(barrier)).then_some(())?;
            sort(&mut terms);
            let mut conditions = Vec::new();
            add_narrow(&mut conditions, address);
            let (bytes, size) = (store.bytes, size as i64);
            add(&mut conditions, Condition::Covers { terms, bytes, size });
            Some(conditions)
        })
    }

    fn reads(&self, list: &[Access]) -> Vec<Inst> {
        list.iter().map(|it| it.inst).filter(|&it| self.func.result(it).is_some()).collect()
    }

    fn barriers(&self) -> Vec<Inst> {
        let is_barrier = |inst: &Inst| matches!(self.func.insts[*inst], InstData::Barrier { .. });
        self.func.layout_insts().filter(is_barrier).collect()
    }

    /// Returns true if stores to all bytes of a private variable precede each read.
    fn is_written(&self, alloca: Inst, list: &[Access]) -> bool {
        let InstData::Alloca { size, .. } = self.func.insts[alloca] else { return false };
        if size > MAX_PRIVATE {
            return false;
        }
        let reads = self.reads(list);
        let mut left: Vec<bool> = vec![true; size as usize];
        for store in list {
            let InstData::Store { value, .. } = self.func.insts[store.inst] else { continue };
            // A copied value may never have been written, and a vector may have lanes that were not.
            let copies = |it: &InstData| match it {
                InstData::Load { flags, .. } => {
                    flags.contains(MemFlags::COPY) || self.func.ty(value).is_vector()
                }
                _ => false,
            };
            if self.func.def_inst(value).is_some_and(copies) {
                continue;
            }
            for offset in self.certain_offsets(store, &reads) {
                // A wrong access is not executed, so it writes nothing.
                let end = offset + store.bytes;
                let bytes = (offset % store.align.max(1) == 0)
                    .then(|| left.get_mut(offset as usize..end as usize));
                bytes.flatten().into_iter().flatten().for_each(|byte| *byte = false);
            }
        }
        !left.contains(&true)
    }

    /// Returns the offsets that a store has written by the time any of the reads is executed: one offset, or the offsets of
    /// all iterations of a loop.
    fn certain_offsets(&self, store: &Access, reads: &[Inst]) -> Vec<i64> {
        let Some(address) = &store.address else { return Vec::new() };
        let affine = self.affine;
        let first = address.offset.constant;
        match address.offset.terms[..] {
            [] if reads.iter().all(|&read| affine.precedes(store.inst, read)) => vec![first],
            [term] => {
                let Some((index, rounds)) = affine.rounds(store.inst, &term) else {
                    return Vec::new();
                };
                if !reads.iter().all(|&read| affine.is_behind(index, read)) {
                    return Vec::new();
                }
                rounds.into_iter().map(|round| first + round * term.scale).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the conditions under which accesses to an object do not race. `anywhere`: the kernel accesses memory of
    /// devices through pointers of which nothing is known.
    fn orderly(&self, object: Object, list: &[Access], anywhere: bool) -> Option<Vec<Condition>> {
        let own: Vec<&Access> =
            list.iter().filter(|it| (self.subject.is_own)(self.func, it.inst)).collect();
        let mut conditions = Vec::new();
        let in_group = match object {
            Object::Argument { arg, is_local: false } => {
                if anywhere || arg >= 32 {
                    return None;
                }
                conditions.push(Condition::Alone(arg));
                false
            }
            _ => true,
        };
        let unordered = if in_group { self.unordered(&own)? } else { own };
        let meets = |a: &&&Access| unordered.iter().any(|b| a.conflicts(b));
        let meeting: Vec<&Access> = unordered.iter().filter(meets).copied().collect();
        if meeting.is_empty() {
            return Some(conditions);
        }
        let mut shared: Option<Vec<Term>> = None;
        let (mut first, mut end, mut more) = (i64::MAX, 0, Sum::default());
        for access in meeting {
            let address = access.address.as_ref()?;
            let is_of_item = |term: &&Term| match term.symbol {
                Symbol::LocalId(_) => in_group,
                Symbol::GlobalId(_) | Symbol::One => true,
                Symbol::Counter(..) => false,
            };
            let (mut terms, counters): (Vec<Term>, Vec<Term>) =
                address.offset.terms.iter().partition(is_of_item);
            // Work-groups at the end of a launch may have other sizes.
            let is_of_group = |term: &Term| match term.symbol {
                Symbol::LocalId(_) => true,
                Symbol::Counter(_, Most::Below(Factor::Query(WorkItemQuery::LocalSize, _))) => true,
                _ => matches!(term.by, Some(Factor::Query(WorkItemQuery::LocalSize, _))),
            };
            if !in_group && address.offset.terms.iter().any(is_of_group) {
                return None;
            }
            sort(&mut terms);
            if shared.get_or_insert_with(|| terms.clone()) != &terms {
                return None;
            }
            let constant = address.offset.constant;
            first = first.min(constant);
            end = end.max(constant + access.bytes);
            for term in counters {
                if !more.terms.contains(&term) {
                    more.terms.push(term);
                }
            }
            add_narrow(&mut conditions, address);
        }
        let mut terms = shared?;
        terms.retain(|term| term.symbol != Symbol::One);
        if !one_per_dimension(&terms) {
            return None;
        }
        conditions.push(Condition::Apart { terms, span: end - first, more, in_group });
        Some(conditions)
    }

    /// Returns the accesses that may conflict with another access between the same two barriers: writes, and accesses beside
    /// a write. `None` if work-items may reach different barriers.
    fn unordered<'b>(&self, own: &[&'b Access]) -> Option<Vec<&'b Access>> {
        let barriers = self.barriers();
        if barriers.len() > MOST_BARRIERS
            || !barriers.iter().all(|&barrier| self.affine.is_uniform(barrier))
        {
            return None;
        }
        let mut starts = vec![(self.func.entry(), 0)];
        for &barrier in &barriers {
            let (block, place) = self.affine.place(barrier)?;
            starts.push((block, place + 1));
        }
        let mut found: Vec<&Access> = Vec::new();
        for start in starts {
            let reached = self.reached(start);
            let here: Vec<&&Access> = own.iter().filter(|it| reached.contains(it.inst)).collect();
            for a in &here {
                let meets = here.iter().any(|b| a.conflicts(b));
                if meets && !found.iter().any(|it| it.inst == a.inst) {
                    found.push(a);
                }
            }
        }
        Some(found)
    }

    /// Returns the instructions that may be executed after a place without a barrier in between.
    fn reached(&self, (block, place): (Block, usize)) -> EntitySet<Inst> {
        let func = &self.affine.func;
        let mut reached = EntitySet::new();
        let mut entered: EntitySet<Block> = EntitySet::new();
        let mut pending = vec![(block, place)];
        while let Some((block, place)) = pending.pop() {
            let mut goes_on = true;
            for &inst in &func.blocks[block].insts[place..] {
                if matches!(func.insts[inst], InstData::Barrier { .. }) {
                    goes_on = false;
                    break;
                }
                reached.insert(inst);
            }
            if goes_on {
                let next =
                    self.affine.cfg.succs(block).iter().filter(|&&next| entered.insert(next));
                pending.extend(next.map(|&next| (next, 0)));
            }
        }
        reached
    }
}

fn add(conditions: &mut Vec<Condition>, condition: Condition) {
    if !conditions.contains(&condition) {
        conditions.push(condition);
    }
}

fn add_narrow(conditions: &mut Vec<Condition>, address: &Address) {
    for sum in &address.narrow {
        add(conditions, Condition::Narrow(sum.clone()));
    }
}

/// Sorts terms by the distance between neighbours, the least first; factors that only the launch knows come last.
fn sort(terms: &mut [Term]) {
    terms.sort_by_key(|term| (term.by.is_some(), term.scale));
}

/// Returns true if no dimension has two terms.
fn one_per_dimension(terms: &[Term]) -> bool {
    let dimension = |term: &Term| match term.symbol {
        Symbol::LocalId(dim) | Symbol::GlobalId(dim) => Some(dim),
        _ => None,
    };
    (0..3).all(|dim| terms.iter().filter(|term| dimension(term) == Some(dim)).count() < 2)
}
