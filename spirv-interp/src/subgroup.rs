//! Instructions that the work-items of a sub-group execute together. A work-item that reaches such an instruction waits until
//! no other one can reach it any more: reconvergence is maximal (VK_KHR_shader_maximal_reconvergence), as the compiler assumes.

use crate::error::{Error, Res};
use crate::float::Floats;
use crate::invocation::{Invocation, State};
use crate::module::{Inst, Module};
use crate::value::{ones, signed, Bits, Value};
use crate::{glsl, integer, matrix};
use hekla_spirv::Glsl;
use rspirv::spirv::{GroupOperation, Op, Scope};
use std::cmp::Ordering;

/// The sub-groups of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subgroups {
    /// Work-items of a whole sub-group.
    pub size: u32,
    /// shaderSubgroupExtendedTypes.
    pub extended_types: bool,
}

impl Default for Subgroups {
    fn default() -> Subgroups {
        Subgroups { size: 32, extended_types: true }
    }
}

/// A selection or loop that a work-item is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Construct {
    /// The call that the construct is in, counted from the entry point's.
    pub frame: usize,
    /// The position of the construct's merge instruction in the function.
    pub at: usize,
    pub merge: u32,
    /// The continue target of a loop; `None` for a selection.
    pub continue_target: Option<u32>,
    /// The number of rounds that the loop has begun after the first.
    pub round: u64,
}

/// A collective instruction at which a work-item waits, with the work-item's operands.
#[derive(Debug, Clone)]
pub struct Meeting {
    pub inst: Inst,
    /// The position of the instruction in the function.
    pub at: usize,
    pub constructs: Vec<Construct>,
    /// The values of the operands that are not literals.
    pub values: Vec<Value>,
}

/// Returns true if work-items of a sub-group execute an instruction together.
pub fn is_collective(module: &Module, inst: &Inst) -> bool {
    let number = inst.op as u32;
    let is_group =
        (Op::GroupNonUniformElect as u32..=Op::GroupNonUniformLogicalXor as u32).contains(&number);
    let is_product = inst.op == Op::CooperativeMatrixMulAddKHR;
    is_group
        || is_product
        || inst.op == Op::ControlBarrier && scope(module, inst) == Some(Scope::Subgroup as u64)
}

fn scope(module: &Module, inst: &Inst) -> Option<u64> {
    let id = module.operand(inst, 0).ok()?;
    module.constant(id)?.defined("a scope").ok()
}

/// Returns the operands of a collective instruction that are values.
pub fn value_ids<'m>(module: &'m Module, inst: &Inst) -> &'m [u32] {
    let operands = module.operands(inst);
    let first = match inst.op {
        // The operands behind the first three are literals that say which matrices are signed.
        Op::CooperativeMatrixMulAddKHR => return operands.get(..3).unwrap_or(&[]),
        Op::ControlBarrier => operands.len(),
        _ if is_scan(inst.op) => 2,
        _ => 1,
    };
    operands.get(first..).unwrap_or(&[])
}

fn is_scan(op: Op) -> bool {
    (Op::GroupNonUniformIAdd as u32..=Op::GroupNonUniformLogicalXor as u32).contains(&(op as u32))
}

/// Orders two places by which of them work-items leave first: a place that other work-items may still reach comes last.
fn order(a: &Meeting, b: &Meeting) -> Ordering {
    for (a, b) in a.constructs.iter().zip(&b.constructs) {
        let place = a.at.cmp(&b.at).then(a.round.cmp(&b.round));
        if place != Ordering::Equal {
            return place;
        }
    }
    b.constructs.len().cmp(&a.constructs.len()).then(a.at.cmp(&b.at))
}

/// Executes a collective instruction for the work-items of a sub-group that wait at it together, and lets them continue; does
/// nothing while another work-item of the sub-group still runs.
pub fn release(
    module: &Module,
    floats: Floats,
    subgroups: Subgroups,
    members: &mut [Invocation],
) -> Res<()> {
    if members.iter().any(|item| item.state == State::Running) {
        return Ok(());
    }
    let meetings = members.iter().filter_map(|item| item.meeting.as_ref());
    let Some(first) = meetings.min_by(|a, b| order(a, b)).cloned() else { return Ok(()) };
    let is_here = |item: &Invocation| {
        item.meeting.as_ref().is_some_and(|meeting| order(meeting, &first) == Ordering::Equal)
    };
    let here: Vec<usize> = (0..members.len()).filter(|&i| is_here(&members[i])).collect();
    let is_barrier = first.inst.op == Op::ControlBarrier;
    if is_barrier
        && members
            .iter()
            .enumerate()
            .any(|(i, item)| !here.contains(&i) && item.state != State::Done)
    {
        return Error::undefined("a barrier that not all work-items of a sub-group reach");
    }
    let is_product = first.inst.op == Op::CooperativeMatrixMulAddKHR;
    if is_product && here.len() != subgroups.size as usize {
        return Error::undefined("a product of matrices that not all of a whole sub-group come to");
    }
    let values = here.iter().map(|&i| members[i].meeting.take().map_or(Vec::new(), |it| it.values));
    let values: Vec<Vec<Value>> = values.collect();
    let together = Together { module, floats, subgroups, inst: &first.inst, here: &here, values };
    for (place, &member) in here.iter().enumerate() {
        members[member].state = State::Running;
        if !is_barrier {
            let value = together.result(place).map_err(|e| e.at(|| first.inst.to_string()))?;
            members[member].define(module, first.inst.id, value)?;
        }
    }
    Ok(())
}

/// The execution of a collective instruction by several work-items.
struct Together<'a> {
    module: &'a Module,
    floats: Floats,
    subgroups: Subgroups,
    inst: &'a Inst,
    /// The numbers of the work-items, ascending.
    here: &'a [usize],
    /// The operands of each work-item.
    values: Vec<Vec<Value>>,
}

impl Together<'_> {
    fn value(&self, place: usize, operand: usize) -> Res<&Value> {
        match self.values.get(place).and_then(|values| values.get(operand)) {
            Some(value) => Ok(value),
            None => Error::invalid("an operand is missing"),
        }
    }

    fn number(&self, place: usize, operand: usize) -> Res<u64> {
        self.value(place, operand)?.defined("what work-items do together")
    }

    fn all(&self, test: impl Fn(u64, u64) -> bool) -> Res<bool> {
        let first = self.number(0, 0)?;
        let mut holds = true;
        for place in 0..self.here.len() {
            holds &= test(self.number(place, 0)?, first);
        }
        Ok(holds)
    }

    /// Returns the instruction's result for one of the work-items.
    fn result(&self, place: usize) -> Res<Value> {
        let truth = |value: bool| Ok(integer::truth(value).into());
        let id = self.here[place] as u64;
        match self.inst.op {
            Op::GroupNonUniformElect => truth(place == 0),
            Op::GroupNonUniformAll => truth(self.all(|x, _| x != 0)?),
            Op::GroupNonUniformAny => truth(!self.all(|x, _| x == 0)?),
            Op::GroupNonUniformAllEqual => {
                self.check_type(self.operand_type(1)?)?;
                if self.module.types.is_float(self.operand_type(1)?)? {
                    return Error::invalid("floats are compared by the compiler");
                }
                truth(self.all(|x, first| x == first)?)
            }
            Op::GroupNonUniformBallot => self.ballot(),
            Op::GroupNonUniformBroadcastFirst => self.value_of(Some(0)),
            Op::GroupNonUniformBroadcast => {
                let index = self.number(place, 1)?;
                if index != self.number(0, 1)? {
                    return Error::undefined("a broadcast from different work-items");
                }
                self.of_number(Some(index))
            }
            Op::GroupNonUniformShuffle => self.of_number(Some(self.number(place, 1)?)),
            Op::GroupNonUniformShuffleXor => self.of_number(Some(id ^ self.number(place, 1)?)),
            Op::GroupNonUniformShuffleUp => self.of_number(id.checked_sub(self.number(place, 1)?)),
            Op::GroupNonUniformShuffleDown => self.of_number(Some(id + self.number(place, 1)?)),
            Op::CooperativeMatrixMulAddKHR => {
                matrix::product(self.module, self.floats, self.inst, place, &self.values)
            }
            op if is_scan(op) => self.scan(place),
            op => Err(Error::Unsupported(format!("Op{op:?}"))),
        }
    }

    fn operand_type(&self, index: usize) -> Res<u32> {
        self.module.type_of(self.module.operand(self.inst, index)?)
    }

    fn check_type(&self, ty: u32) -> Res<()> {
        let (types, width) = (&self.module.types, self.module.types.width(ty)?);
        let is_basic = matches!(width, 1 | 32) || width == 64 && types.is_float(ty)?;
        match is_basic || self.subgroups.extended_types {
            true => Ok(()),
            false => Error::invalid(format!("{width} bits without shaderSubgroupExtendedTypes")),
        }
    }

    fn ballot(&self) -> Res<Value> {
        let mut words = [0u64; 4];
        for (place, &id) in self.here.iter().enumerate() {
            if let Some(word) = words.get_mut(id / 32) {
                *word |= self.number(place, 0)? << (id % 32);
            }
        }
        Ok(Value::Composite(words.map(|word| Bits::new(word).into()).into()))
    }

    /// Returns the value of the work-item with this number; undefined if that work-item does not take part.
    fn of_number(&self, id: Option<u64>) -> Res<Value> {
        self.value_of(self.here.iter().position(|&other| Some(other as u64) == id))
    }

    fn value_of(&self, place: Option<usize>) -> Res<Value> {
        self.check_type(self.inst.ty)?;
        match place {
            Some(place) => Ok(self.value(place, 0)?.clone()),
            None => self.module.types.fill(self.inst.ty, &Bits::undefined),
        }
    }

    fn scan(&self, place: usize) -> Res<Value> {
        let width = self.module.types.width(self.inst.ty)?;
        self.check_type(self.inst.ty)?;
        let operation = GroupOperation::from_u32(self.module.operand(self.inst, 1)?);
        let cluster = match operation {
            Some(GroupOperation::ClusteredReduce) => self.number(place, 1)? as usize,
            _ => self.subgroups.size as usize,
        };
        if !cluster.is_power_of_two() || cluster > self.subgroups.size as usize {
            return Error::invalid("a cluster of that size");
        }
        let id = self.here[place];
        let takes = |other: usize| match operation {
            Some(GroupOperation::InclusiveScan) => other <= id,
            Some(GroupOperation::ExclusiveScan) => other < id,
            _ => other / cluster == id / cluster,
        };
        let mut sum = None;
        for (place, &other) in self.here.iter().enumerate() {
            if takes(other) {
                let value = self.value(place, 0)?.scalar()?;
                sum = Some(match sum {
                    Some(before) => self.combine(before, value, width)?,
                    None => value,
                });
            }
        }
        Ok(sum.unwrap_or_else(|| Bits::new(self.identity(width))).into())
    }

    fn combine(&self, a: Bits, b: Bits, width: u32) -> Res<Bits> {
        let by = |op| {
            let integer = integer::binary(op, a, b, width);
            integer.or_else(|| self.floats.binary(op, a, b, width))
        };
        let (x, y) = (signed(a.bits, width), signed(b.bits, width));
        let pick = |first: bool| match a.undef | b.undef {
            0 => Some(if first { a } else { b }),
            _ => Some(Bits::undefined(width)),
        };
        let result = match self.inst.op {
            Op::GroupNonUniformIAdd => by(Op::IAdd),
            Op::GroupNonUniformFAdd => by(Op::FAdd),
            Op::GroupNonUniformIMul => by(Op::IMul),
            Op::GroupNonUniformFMul => by(Op::FMul),
            Op::GroupNonUniformSMin => pick(x <= y),
            Op::GroupNonUniformUMin => pick(a.bits <= b.bits),
            Op::GroupNonUniformSMax => pick(x >= y),
            Op::GroupNonUniformUMax => pick(a.bits >= b.bits),
            Op::GroupNonUniformFMin => {
                return glsl::component(self.floats, Glsl::NMin as u32, &[a, b], width);
            }
            Op::GroupNonUniformFMax => {
                return glsl::component(self.floats, Glsl::NMax as u32, &[a, b], width);
            }
            Op::GroupNonUniformBitwiseAnd => by(Op::BitwiseAnd),
            Op::GroupNonUniformBitwiseOr => by(Op::BitwiseOr),
            Op::GroupNonUniformBitwiseXor => by(Op::BitwiseXor),
            _ => None,
        };
        result.ok_or_else(|| Error::Unsupported(format!("Op{:?}", self.inst.op)))
    }

    /// Returns the neutral element of the operation.
    fn identity(&self, width: u32) -> u64 {
        let float = |number: f64| self.floats.rounded(number, width);
        match self.inst.op {
            Op::GroupNonUniformIMul => 1,
            Op::GroupNonUniformFMul => float(1.0),
            Op::GroupNonUniformFMin => float(f64::INFINITY),
            Op::GroupNonUniformFMax => float(f64::NEG_INFINITY),
            Op::GroupNonUniformSMin => ones(width - 1),
            Op::GroupNonUniformSMax => 1 << (width - 1),
            Op::GroupNonUniformUMin | Op::GroupNonUniformBitwiseAnd => ones(width),
            _ => 0,
        }
    }
}
