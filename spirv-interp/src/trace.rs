//! Tracing: how the value that a check found came about.
//!
//! [`trace`] runs one work-group until a work-item writes to a word of device memory that is *watched*: the counter of a
//! check's findings. What one work-item does on the way is recorded as events, each with the events that its operands came
//! from, and for loads with the store that wrote the bytes. From the call in which the word is written, [`trace`] goes back
//! over these to the [`Step`]s that the values of its arguments depend on.

use crate::access;
use crate::alu;
use crate::error::{Error, Res};
use crate::group::{run_group, Dispatch};
use crate::image::{self, Touched};
use crate::memory::Memory;
use crate::module::{Inst, Line, Module};
use crate::types::Type;
use crate::value::{signed, Place, Pointer, Value};
use rspirv::spirv::Op;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most events that are recorded.
const MOST_EVENTS: usize = 4_000_000;

/// One step of how a value came about: a place in the program's text, and the last value that was computed there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub file: String,
    /// The line and column, from 1 on.
    pub line: u32,
    pub column: u32,
    /// The line's text, if the module contains it.
    pub text: Option<String>,
    /// The value as text: `16`, `(0.5, 1)`, `true`.
    pub value: String,
    /// The source of a value that was loaded.
    pub from: Option<Source>,
}

/// The source of a value that was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The push constants, at a byte offset.
    PushConstants { offset: u64 },
    /// The ids of the work-item or work-group.
    Ids,
    /// Device memory that nothing wrote in this run, at an address.
    Before { address: u64 },
    /// Work-group or private memory that nothing wrote.
    Nothing,
    /// A store by a work-item of the work-group, whose local id this is, at a place in the text. `address`: of device memory.
    Store { local_id: [u32; 3], file: String, line: u32, column: u32, address: Option<u64> },
}

/// The outcome of a traced run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A work-item wrote the watched word; its local id in the dispatch, and the steps in the order of execution.
    Found { local_id: [u32; 3], steps: Vec<Step> },
    /// The work-group ran to its end and did not write the word.
    Ended,
}

/// Runs the work-group `group` of a dispatch until the work-item `item` (or, if that does not, any other) writes the word
/// at device address `watched`. `restore` returns the memory before the run.
///
/// # Errors
/// Like [`crate::run`]; when the work-item executes too many instructions.
pub fn trace(
    words: &[u32],
    dispatch: &Dispatch,
    group: [u32; 3],
    item: [u32; 3],
    watched: u64,
    restore: &dyn Fn() -> Res<Memory>,
) -> Res<Outcome> {
    let module = Module::load(words, &dispatch.specialization, dispatch.subgroups.size)?;
    let run = |item: Option<[u32; 3]>| {
        let mut tracer = Tracer::new(item, watched);
        run_group(&module, dispatch, group, &mut restore()?, &mut tracer)?;
        Ok(tracer)
    };
    let mut tracer = run(Some(item))?;
    if tracer.hit.is_none() {
        // In another order of the work-items, another one may be the first.
        match run(None)?.hit {
            Some(other) => tracer = run(Some(other))?,
            None => return Ok(Outcome::Ended),
        }
    }
    Ok(match tracer.hit {
        Some(local_id) => Outcome::Found { local_id, steps: tracer.steps(&module) },
        None => Outcome::Ended,
    })
}

/// An executed instruction.
#[derive(Debug)]
struct Event {
    op: Op,
    ty: u32,
    line: Option<Line>,
    value: Option<Value>,
    /// The events that the operands came from.
    sources: Vec<u32>,
    /// What a load read.
    read: Option<(Pointer, Option<Store>)>,
}

/// A store: the work-item that made it, its place, and its event.
#[derive(Debug, Clone, Copy)]
struct Store {
    local: [u32; 3],
    line: Option<Line>,
    event: Option<u32>,
}

/// An access to memory: pointer, size in bytes, and whether it reads and writes.
#[derive(Clone, Copy)]
struct Access {
    pointer: Pointer,
    size: u64,
    reads: bool,
    writes: bool,
}

/// Records what one work-item does, and the last store to each byte.
pub struct Tracer {
    /// The local id of the work-item whose events are recorded, and whose write of the watched word counts; any if there is
    /// none.
    item: Option<[u32; 3]>,
    watched: u64,
    events: Vec<Event>,
    stores: HashMap<Place, HashMap<u64, Store>>,
    /// The work-item that wrote the watched word.
    pub hit: Option<[u32; 3]>,
    /// The events of the calls that the work-item was in then, the innermost last.
    stack: Vec<u32>,
}

impl Tracer {
    fn new(item: Option<[u32; 3]>, watched: u64) -> Tracer {
        let (events, stores, stack) = Default::default();
        Tracer { item, watched, events, stores, hit: None, stack }
    }

    /// Returns true if the events of a work-item are recorded.
    pub fn records(&self, local: [u32; 3]) -> bool {
        self.item == Some(local)
    }

    /// Notes that a work-item is about to execute an instruction. `get` returns the value and event of an id; `stack`: the
    /// events of the calls that the work-item is in. Returns the instruction's event, if it is recorded.
    pub fn note<'v>(
        &mut self,
        (module, memory): (&Module, &Memory),
        inst: &Inst,
        local: [u32; 3],
        get: &dyn Fn(u32) -> Option<(&'v Value, u32)>,
        stack: &dyn Fn() -> Vec<u32>,
    ) -> Res<u32> {
        let access = access_of((module, memory), inst, get);
        let mut event = 0;
        if self.records(local) {
            if self.events.len() >= MOST_EVENTS {
                return Err(Error::Limit(MOST_EVENTS as u64));
            }
            let sources = value_ids(module, inst).iter().filter_map(|id| get(*id));
            let sources = sources.map(|(_, event)| event).filter(|event| *event != 0).collect();
            let read = access.filter(|it| it.reads).map(|it| {
                let stores = self.stores.get(&it.pointer.place);
                (it.pointer, stores.and_then(|known| known.get(&it.pointer.offset)).copied())
            });
            let line = inst.line;
            self.events.push(Event { op: inst.op, ty: inst.ty, line, value: None, sources, read });
            event = self.events.len() as u32;
        }
        let is_own = |place| matches!(place, Place::Own(_));
        let known = access.filter(|it| it.writes && (event != 0 || !is_own(it.pointer.place)));
        if let Some(Access { pointer, size, .. }) = known {
            let store = Store { local, line: inst.line, event: (event != 0).then_some(event) };
            let bytes = self.stores.entry(pointer.place).or_default();
            bytes.extend((0..size).map(|at| (pointer.offset.wrapping_add(at), store)));
            let is_watched = pointer.place == Place::Device && pointer.offset == self.watched;
            if is_watched && self.item.is_none_or(|item| item == local) {
                self.hit = Some(local);
                self.stack = stack();
            }
        }
        Ok(event)
    }

    /// Notes the result of an event.
    pub fn note_value(&mut self, event: u32, value: &Value) {
        if let Some(event) = self.events.get_mut((event as usize).wrapping_sub(1)) {
            event.value = Some(value.clone());
        }
    }

    /// Forgets the stores to an object that begins anew.
    pub fn forget(&mut self, place: Place) {
        self.stores.remove(&place);
    }

    fn event(&self, number: u32) -> Option<&Event> {
        self.events.get((number as usize).wrapping_sub(1))
    }

    /// Returns the steps that the arguments of the innermost call with a place in the program's text depend on.
    fn steps(&self, module: &Module) -> Vec<Step> {
        let has_line = |number: &&u32| self.event(**number).is_some_and(|it| it.line.is_some());
        let Some(&call) = self.stack.iter().rev().find(has_line) else { return Vec::new() };
        let mut seen = BTreeSet::new();
        let mut pending = vec![call];
        while let Some(number) = pending.pop() {
            let Some(event) = self.event(number) else { continue };
            if seen.insert(number) {
                pending.extend(&event.sources);
                let store = event.read.and_then(|(_, store)| store);
                pending.extend(store.and_then(|store| store.event));
            }
        }
        // At the call's own place there are only addresses. Elsewhere the last value of a place tells most. What is read
        // before anything was written is told for each address, and a texel beside what becomes of it.
        let own = self.event(call).and_then(|it| it.line);
        let mut last: BTreeMap<(u32, u32, u32, u64), u32> = BTreeMap::new();
        for &number in &seen {
            let Some(event) = self.event(number) else { continue };
            let place = event.line.filter(|line| Some(*line) != own);
            let Some(Line { file, line, column }) = place else { continue };
            if tells(event.op) && self.value_of(module, event).is_some() {
                let address = match event.read {
                    Some((
                        Pointer { place: Place::PushConstants | Place::Device, offset },
                        None,
                    )) => offset.wrapping_add(1),
                    Some(_) if matches!(event.op, Op::ImageRead | Op::ImageFetch) => 1,
                    _ => 0,
                };
                last.insert((file, line, column, address), number);
            }
        }
        let mut chosen: Vec<u32> = last.into_values().collect();
        chosen.sort_unstable();
        chosen.into_iter().filter_map(|number| self.step(module, self.event(number)?)).collect()
    }

    fn value_of(&self, module: &Module, event: &Event) -> Option<String> {
        text_of(module, event.ty, event.value.as_ref()?)
    }

    fn step(&self, module: &Module, event: &Event) -> Option<Step> {
        let line = event.line?;
        let (file, text) = module.place(line);
        let value = self.value_of(module, event)?;
        let from = event.read.map(|(pointer, store)| source_of(module, pointer, store));
        Some(Step { file, line: line.line, column: line.column, text, value, from })
    }
}

/// Returns where a loaded value comes from.
fn source_of(module: &Module, pointer: Pointer, store: Option<Store>) -> Source {
    let address = (pointer.place == Place::Device).then_some(pointer.offset);
    match (pointer.place, store) {
        (Place::PushConstants, _) => Source::PushConstants { offset: pointer.offset },
        (Place::BuiltIn(_), _) => Source::Ids,
        (_, Some(Store { local, line: Some(line), .. })) => Source::Store {
            local_id: local,
            file: module.place(line).0,
            line: line.line,
            column: line.column,
            address,
        },
        (Place::Device, _) => Source::Before { address: pointer.offset },
        _ => Source::Nothing,
    }
}

/// Returns false for operations that only give a value another form.
fn tells(op: Op) -> bool {
    !matches!(
        op,
        Op::Bitcast
            | Op::CopyObject
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::CompositeExtract
            | Op::CompositeConstruct
            | Op::CompositeInsert
            | Op::UConvert
            | Op::SConvert
            | Op::ConvertUToPtr
            | Op::ConvertPtrToU
            | Op::FunctionCall
            | Op::Variable
    )
}

/// Returns the ids of the values that an instruction uses.
fn value_ids<'m>(module: &'m Module, inst: &Inst) -> &'m [u32] {
    let operands = module.operands(inst);
    let range = match inst.op {
        // Their values are chosen, and passed on, one by one.
        Op::Phi | Op::Branch | Op::LoopMerge | Op::SelectionMerge | Op::Variable => 0..0,
        Op::FunctionCall => 1..operands.len(),
        Op::BranchConditional | Op::Switch | Op::Load => 0..1,
        // Not what names the image, which is only a number of the driver's.
        Op::ImageFetch | Op::ImageRead | Op::ImageSampleExplicitLod => 1..2,
        Op::ImageWrite => 1..3,
        Op::ImageQuerySize | Op::ImageQuerySizeLod | Op::ImageQueryLevels | Op::SampledImage => {
            0..0
        }
        Op::Store => 0..2,
        _ if access::is_access(inst.op) => 0..operands.len(),
        _ => return alu::value_operands(inst.op, operands),
    };
    operands.get(range).unwrap_or(&[])
}

/// Returns the access that an instruction makes.
fn access_of<'v>(
    (module, memory): (&Module, &Memory),
    inst: &Inst,
    get: &dyn Fn(u32) -> Option<(&'v Value, u32)>,
) -> Option<Access> {
    if image::is_on_image(inst.op) {
        let value = |id| match get(id) {
            Some((value, _)) => Ok(value),
            None => Error::invalid("a value"),
        };
        let Touched { pointer, size, writes } = image::touched(module, memory, inst, &value)?;
        return Some(Access { pointer, size, reads: !writes, writes });
    }
    let makes_pointer = matches!(inst.op, Op::AccessChain | Op::InBoundsAccessChain);
    if !access::is_access(inst.op) || makes_pointer {
        return None;
    }
    let id = module.operand(inst, 0).ok()?;
    let pointer = get(id)?.0.pointer().ok()?;
    let (_, pointee) = module.pointee(module.type_of(id).ok()?).ok()?;
    // An image or sampler, which is no memory, has no size.
    let size = module.types.size(pointee).ok()?;
    let writes = !matches!(inst.op, Op::Load | Op::AtomicLoad | Op::CooperativeMatrixLoadKHR);
    Some(Access { pointer, size, reads: inst.id != 0, writes })
}

/// Returns a value as text; `None` for pointers, and values with many components.
fn text_of(module: &Module, ty: u32, value: &Value) -> Option<String> {
    match (module.types.get(ty).ok()?, value) {
        (_, Value::Bits(bits)) if bits.undef != 0 => Some("undefined".to_string()),
        (Type::Bool, Value::Bits(bits)) => Some((bits.bits != 0).to_string()),
        (Type::Int { width }, Value::Bits(bits)) => Some(integer(bits.bits, *width)),
        (Type::Float { width: 64 }, Value::Bits(bits)) => {
            Some(f64::from_bits(bits.bits).to_string())
        }
        (Type::Float { width: 32 }, Value::Bits(bits)) => {
            Some(f32::from_bits(bits.bits as u32).to_string())
        }
        (Type::Float { width: 16 }, Value::Bits(bits)) => {
            Some(half::f16::from_bits(bits.bits as u16).to_string())
        }
        (Type::Vector { element, count }, Value::Composite(members)) if *count <= 4 => {
            let parts: Option<Vec<String>> =
                members.iter().map(|member| text_of(module, *element, member)).collect();
            Some(format!("({})", parts?.join(", ")))
        }
        _ => None,
    }
}

/// Returns an integer, which may be signed, as text. Numbers beyond 2^40 are most likely addresses.
fn integer(bits: u64, width: u32) -> String {
    let number = signed(bits, width);
    match () {
        () if width == 64 && bits >> 40 != 0 && number < -(1 << 40) || number > 1 << 40 => {
            format!("{bits:#x}")
        }
        () if number < 0 => format!("{number} (unsigned {bits})"),
        () => bits.to_string(),
    }
}
