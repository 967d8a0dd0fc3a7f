//! One work-item: its calls, and its control flow.

use crate::access::{self, Target};
use crate::alu;
use crate::error::{Error, Res};
use crate::float::Floats;
use crate::image;
use crate::matrix;
use crate::memory::{Bytes, Memory};
use crate::module::{Function, Inst, Module, Object};
use crate::subgroup::{self, Construct, Meeting};
use crate::trace::Tracer;
use crate::value::{Bits, Place, Pointer, Value};
use rspirv::spirv::{BuiltIn, Op};

/// The deepest nesting of calls.
const MAX_DEPTH: usize = 200;

/// The next action of a work-item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Running,
    /// The work-item waits at the barrier at this place of the program: function and instruction of each call.
    Waiting(Vec<(usize, usize)>),
    /// The work-item waits for others of its sub-group ([`Invocation::meeting`]).
    Meeting,
    Done,
}

/// The position of a work-item in the dispatch.
#[derive(Debug, Clone, Copy)]
pub struct Position {
    pub group: [u32; 3],
    pub local: [u32; 3],
    pub global: [u32; 3],
    /// The number of the sub-group in the work-group, and of the work-item in the sub-group.
    pub subgroup: [u32; 2],
}

/// A call in progress.
#[derive(Debug)]
struct Frame {
    function: usize,
    /// Index of the next instruction.
    next: usize,
    /// The label of the current block.
    label: u32,
    values: Vec<Option<Value>>,
    /// The event that each value came from, for a tracer; empty without.
    origins: Vec<u32>,
    /// The event of the call, for a tracer.
    call: u32,
    /// The number of objects that existed before the call.
    objects: usize,
    /// The id of the call's result in the caller.
    result: u32,
}

/// The surroundings in which a work-item executes a step.
pub struct Context<'a> {
    pub module: &'a Module,
    pub floats: Floats,
    pub device: &'a mut Memory,
    pub shared: &'a mut [Bytes],
    pub push_constants: &'a Bytes,
    pub tracer: Option<&'a mut Tracer>,
}

/// A work-item.
#[derive(Debug)]
pub struct Invocation {
    pub position: Position,
    pub state: State,
    /// Present while the state is [`State::Meeting`].
    pub meeting: Option<Meeting>,
    frames: Vec<Frame>,
    /// The event of the current instruction, for a tracer; 0 without.
    event: u32,
    keeps_origins: bool,
    /// Selections and loops, the innermost last.
    constructs: Vec<Construct>,
    /// Private memory: the module's variables, then the variables of the functions being executed.
    pub objects: Vec<Bytes>,
}

/// Returns the initial bytes of an object.
pub fn fresh(object: &Object) -> Bytes {
    object.contents.clone().unwrap_or_else(|| Bytes::undefined(object.size as usize))
}

fn slot(function: &Function, id: u32) -> Option<usize> {
    function.ids.contains(&id).then(|| (id - function.ids.start) as usize)
}

impl Invocation {
    /// Returns a work-item before its first instruction.
    pub fn new(module: &Module, position: Position) -> Res<Invocation> {
        let mut item = Invocation {
            position,
            state: State::Running,
            meeting: None,
            frames: Vec::new(),
            event: 0,
            keeps_origins: false,
            constructs: Vec::new(),
            objects: module.private.iter().map(fresh).collect(),
        };
        item.enter(module, module.main, Vec::new(), 0)?;
        Ok(item)
    }

    /// Begins to keep the events that values come from. The work-item must be before its first instruction.
    pub fn keep_origins(&mut self) {
        self.keeps_origins = true;
        for frame in &mut self.frames {
            frame.origins = vec![0; frame.values.len()];
        }
    }

    /// Executes up to `most` instructions, or up to the one with which a tracer ends; returns their number.
    pub fn run(&mut self, context: &mut Context<'_>, most: u64) -> Res<u64> {
        let mut steps = 0;
        while steps < most && self.state == State::Running {
            steps += 1;
            let module = context.module;
            let Some(frame) = self.frames.last_mut() else { break };
            let function = &module.functions[frame.function];
            let Some(inst) = function.code.get(frame.next) else {
                return Error::invalid("a block without a terminator");
            };
            frame.next += 1;
            self.traced_step(context, inst).map_err(|error| {
                let Position { group, local, .. } = self.position;
                error.at(|| format!("{inst}, work-item {local:?} of work-group {group:?}"))
            })?;
            if context.tracer.as_ref().is_some_and(|tracer| tracer.hit.is_some()) {
                break;
            }
        }
        Ok(steps)
    }

    /// Executes an instruction, and lets the tracer know, if there is one.
    fn traced_step(&mut self, context: &mut Context<'_>, inst: &Inst) -> Res<()> {
        let module = context.module;
        let Some(tracer) = context.tracer.take() else { return self.step(context, inst) };
        let get = |id| Some((self.get(module, id).ok()?, self.origin(module, id)));
        let stack = || self.frames.iter().map(|frame| frame.call).collect();
        let noted = tracer.note((module, context.device), inst, self.position.local, &get, &stack);
        self.event = noted?;
        let done = self.step(context, inst);
        if self.event != 0 {
            if inst.op == Op::Variable {
                tracer.forget(Place::Own(self.objects.len() - 1));
            }
            if let (true, Ok(value)) = (inst.id != 0, self.get(module, inst.id)) {
                tracer.note_value(self.event, value);
            }
        }
        context.tracer = Some(tracer);
        done
    }

    /// Returns the event that the value of an id came from; 0 if none is known.
    fn origin(&self, module: &Module, id: u32) -> u32 {
        let origin = self.frames.last().and_then(|frame| {
            let slot = slot(&module.functions[frame.function], id)?;
            frame.origins.get(slot).copied()
        });
        origin.unwrap_or(0)
    }

    fn set_origin(&mut self, module: &Module, id: u32, event: u32) {
        let Some(frame) = self.frames.last_mut() else { return };
        let slot = slot(&module.functions[frame.function], id);
        if let Some(origin) = slot.and_then(|slot| frame.origins.get_mut(slot)) {
            *origin = event;
        }
    }

    fn frame(&mut self) -> Res<&mut Frame> {
        match self.frames.last_mut() {
            Some(frame) => Ok(frame),
            None => Error::invalid("an instruction outside functions"),
        }
    }

    /// Returns the value of an id.
    pub fn get<'v>(&'v self, module: &'v Module, id: u32) -> Res<&'v Value> {
        let local = self.frames.last().and_then(|frame| {
            let slot = slot(&module.functions[frame.function], id)?;
            frame.values.get(slot).and_then(Option::as_ref)
        });
        match local.or_else(|| module.constant(id)) {
            Some(value) => Ok(value),
            None => Error::invalid(format!("%{id} is used before it is defined")),
        }
    }

    pub fn define(&mut self, module: &Module, id: u32, value: Value) -> Res<()> {
        let event = self.event;
        let frame = self.frame()?;
        if let Some(slot) = slot(&module.functions[frame.function], id) {
            frame.values[slot] = Some(value);
            if let Some(origin) = frame.origins.get_mut(slot) {
                *origin = event;
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        module: &Module,
        function: usize,
        args: Vec<Value>,
        result: u32,
    ) -> Res<()> {
        let called = &module.functions[function];
        if self.frames.len() >= MAX_DEPTH {
            return Error::undefined("recursion");
        }
        if called.params.len() != args.len() {
            return Error::invalid("a call with the wrong number of arguments");
        }
        let first = called.labels.iter().find(|(_, at)| **at == 0).map(|(label, _)| *label);
        self.frames.push(Frame {
            function,
            next: 0,
            label: first.unwrap_or(0),
            values: vec![None; called.ids.len()],
            origins: vec![0; if self.keeps_origins { called.ids.len() } else { 0 }],
            call: self.event,
            objects: self.objects.len(),
            result,
        });
        for (param, arg) in called.params.iter().zip(args) {
            self.define(module, *param, arg)?;
        }
        Ok(())
    }

    fn leave(&mut self, module: &Module, value: Option<Value>) -> Res<()> {
        let Some(frame) = self.frames.pop() else { return Error::invalid("a return") };
        self.objects.truncate(frame.objects);
        let depth = self.frames.len();
        self.constructs.retain(|construct| construct.frame < depth);
        if self.frames.is_empty() {
            self.state = State::Done;
            return Ok(());
        }
        match value {
            Some(value) => self.define(module, frame.result, value),
            None => Ok(()),
        }
    }

    /// Enters a selection or a loop, or begins the loop's next round.
    fn enter_construct(&mut self, merge: u32, continue_target: Option<u32>) -> Res<()> {
        let (depth, at) = (self.frames.len(), self.frame()?.next);
        let is_same = |other: &Construct| other.frame + 1 == depth && other.merge == merge;
        match self.constructs.iter().position(is_same) {
            Some(known) => {
                self.constructs.truncate(known + 1);
                self.constructs[known].round += 1;
            }
            None => {
                let frame = depth - 1;
                self.constructs.push(Construct { frame, at, merge, continue_target, round: 0 });
            }
        }
        Ok(())
    }

    /// Leaves the selections and loops that a branch to a block leads out of.
    fn leave_constructs(&mut self, label: u32) {
        let depth = self.frames.len();
        let mut own = self.constructs.iter().enumerate().filter(|(_, it)| it.frame + 1 == depth);
        let end = own.find_map(|(i, it)| match () {
            () if it.merge == label => Some(i),
            () if it.continue_target == Some(label) => Some(i + 1),
            () => None,
        });
        self.constructs.truncate(end.unwrap_or(self.constructs.len()));
    }

    /// Waits for the others of the sub-group at a collective instruction.
    fn meet(&mut self, module: &Module, inst: &Inst) -> Res<()> {
        let ids = subgroup::value_ids(module, inst);
        let values: Res<Vec<Value>> = ids.iter().map(|id| self.get(module, *id).cloned()).collect();
        let (values, at) = (values?, self.frame()?.next);
        let constructs = self.constructs.clone();
        self.meeting = Some(Meeting { inst: inst.clone(), at, constructs, values });
        self.state = State::Meeting;
        Ok(())
    }

    /// Branches to a block: the block's phis take their values, all at once.
    fn branch(&mut self, module: &Module, label: u32) -> Res<()> {
        self.leave_constructs(label);
        let frame = self.frame()?;
        let (function, from) = (&module.functions[frame.function], frame.label);
        let Some(&start) = function.labels.get(&label) else {
            return Error::invalid(format!("a branch to %{label}, which is no block"));
        };
        let phis: Vec<&Inst> =
            function.code[start..].iter().take_while(|inst| inst.op == Op::Phi).collect();
        let mut values = Vec::with_capacity(phis.len());
        for inst in &phis {
            let mut pairs = module.operands(inst).chunks_exact(2);
            match pairs.find(|pair| pair[1] == from) {
                Some(pair) => {
                    let origin = self.origin(module, pair[0]);
                    values.push((self.get(module, pair[0])?.clone(), origin));
                }
                None => return Error::invalid(format!("{inst} without an edge from %{from}")),
            }
        }
        for (inst, (value, origin)) in phis.iter().zip(values) {
            self.define(module, inst.id, value)?;
            self.set_origin(module, inst.id, origin);
        }
        let frame = self.frame()?;
        (frame.next, frame.label) = (start + phis.len(), label);
        Ok(())
    }

    fn step(&mut self, context: &mut Context<'_>, inst: &Inst) -> Res<()> {
        let module = context.module;
        let operands = module.operands(inst);
        match inst.op {
            Op::Branch => self.branch(module, module.operand(inst, 0)?),
            Op::BranchConditional => {
                let taken = self.get(module, module.operand(inst, 0)?)?.defined("a branch")?;
                let label = module.operand(inst, if taken != 0 { 1 } else { 2 })?;
                self.branch(module, label)
            }
            Op::Switch => self.switch(module, operands),
            Op::SelectionMerge => self.enter_construct(module.operand(inst, 0)?, None),
            Op::LoopMerge => {
                let continue_target = module.operand(inst, 1)?;
                self.enter_construct(module.operand(inst, 0)?, Some(continue_target))
            }
            Op::MemoryBarrier => Ok(()),
            _ if subgroup::is_collective(module, inst) => self.meet(module, inst),
            Op::ControlBarrier => {
                let place = self.frames.iter().map(|frame| (frame.function, frame.next)).collect();
                self.state = State::Waiting(place);
                Ok(())
            }
            Op::Return => self.leave(module, None),
            Op::ReturnValue => {
                let value = self.get(module, module.operand(inst, 0)?)?.clone();
                self.leave(module, Some(value))
            }
            Op::Unreachable => Error::undefined("OpUnreachable is reached"),
            Op::FunctionCall => {
                let function = module.function(module.operand(inst, 0)?)?;
                let args: Res<Vec<Value>> =
                    operands[1..].iter().map(|id| self.get(module, *id).cloned()).collect();
                let origins: Vec<u32> =
                    operands[1..].iter().map(|id| self.origin(module, *id)).collect();
                self.enter(module, function, args?, inst.id)?;
                for (param, origin) in module.functions[function].params.iter().zip(origins) {
                    self.set_origin(module, *param, origin);
                }
                Ok(())
            }
            Op::Variable => {
                let (_, pointee) = module.pointee(inst.ty)?;
                self.objects.push(fresh(&module.object(inst, 1, pointee)?));
                let place = Place::Own(self.objects.len() - 1);
                self.define(module, inst.id, Value::Pointer(Pointer { place, offset: 0 }))
            }
            Op::Undef => {
                let value = module.types.fill(inst.ty, &Bits::undefined)?;
                self.define(module, inst.id, value)
            }
            Op::CooperativeMatrixLengthKHR => {
                let ty = module.operand(inst, 0)?;
                let value = matrix::length(module, ty, self.position.subgroup[1])?;
                self.define(module, inst.id, value)
            }
            _ if image::is_on_image(inst.op) => {
                let value =
                    image::execute(module, context.device, inst, &|id| self.get(module, id))?;
                match value {
                    Some(value) => self.define(module, inst.id, value),
                    None => Ok(()),
                }
            }
            _ if access::is_access(inst.op) => {
                let built_in = self.built_ins(module);
                let mut target = Target { context, objects: &mut [], built_in };
                // The objects and the values both belong to this work-item, and cannot be borrowed at once.
                let mut objects = std::mem::take(&mut self.objects);
                target.objects = &mut objects;
                let result = access::execute(&mut target, inst, &|id| self.get(module, id));
                self.objects = objects;
                match result? {
                    Some(value) => self.define(module, inst.id, value),
                    None => Ok(()),
                }
            }
            _ => {
                let ids = alu::value_operands(inst.op, operands);
                let values: Res<Vec<&Value>> = ids.iter().map(|id| self.get(module, *id)).collect();
                let value = alu::evaluate(module, context.floats, inst, operands, &values?)?;
                self.define(module, inst.id, value)
            }
        }
    }

    fn switch(&mut self, module: &Module, operands: &[u32]) -> Res<()> {
        let [selector, default, cases @ ..] = operands else {
            return Error::invalid("OpSwitch without operands");
        };
        let width = module.types.width(module.type_of(*selector)?)?;
        let value = self.get(module, *selector)?.defined("a switch")?;
        let literal = if width > 32 { 2 } else { 1 };
        let number = |case: &[u32]| {
            let high = if literal == 2 { u64::from(case[1]) << 32 } else { 0 };
            u64::from(case[0]) | high
        };
        let mut cases = cases.chunks_exact(literal + 1);
        let label = cases.find(|case| number(case) == value).map_or(*default, |case| case[literal]);
        self.branch(module, label)
    }

    /// Returns the built-in variables of this work-item.
    fn built_ins(&self, module: &Module) -> impl Fn(u32) -> Option<[u32; 3]> {
        let Position { group, local, global, subgroup: [place, member] } = self.position;
        let size = module.local_size;
        move |number| match BuiltIn::from_u32(number)? {
            BuiltIn::WorkgroupId => Some(group),
            BuiltIn::LocalInvocationId => Some(local),
            BuiltIn::GlobalInvocationId => Some(global),
            BuiltIn::WorkgroupSize => Some(size),
            BuiltIn::SubgroupId => Some([place, 0, 0]),
            BuiltIn::SubgroupLocalInvocationId => Some([member, 0, 0]),
            _ => None,
        }
    }
}
