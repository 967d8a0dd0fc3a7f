//! Sub-groups: their built-in variables, and operations of their work-items together (SPIR-V 3.49.21, 3.49.24).

use super::function::{unsupported, Translator};
use super::words::Inst;
use crate::ir::{BarrierFlags, IntCC, MathOp, MemoryScope, Scalar, Type, Value};
use rspirv::spirv::{BuiltIn, GroupOperation, Op, Scope};

/// Returns the function of OpenCL C for a built-in variable of sub-groups, if there is one, and the variable's number of
/// components.
pub(super) fn input(built_in: BuiltIn) -> Option<(&'static str, u8)> {
    Some(match built_in {
        BuiltIn::SubgroupSize => ("get_sub_group_size", 1),
        BuiltIn::SubgroupMaxSize => ("get_max_sub_group_size", 1),
        BuiltIn::NumSubgroups => ("get_num_sub_groups", 1),
        BuiltIn::NumEnqueuedSubgroups => ("get_enqueued_num_sub_groups", 1),
        BuiltIn::SubgroupId => ("get_sub_group_id", 1),
        BuiltIn::SubgroupLocalInvocationId => ("get_sub_group_local_id", 1),
        BuiltIn::SubgroupEqMask => ("get_sub_group_eq_mask", 4),
        BuiltIn::SubgroupGeMask => ("get_sub_group_ge_mask", 4),
        BuiltIn::SubgroupGtMask => ("get_sub_group_gt_mask", 4),
        BuiltIn::SubgroupLeMask => ("get_sub_group_le_mask", 4),
        BuiltIn::SubgroupLtMask => ("get_sub_group_lt_mask", 4),
        _ => return None,
    })
}

/// Returns true for the instructions that act on sub-groups alone.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        GroupNonUniformElect
            | GroupNonUniformAll
            | GroupNonUniformAny
            | GroupNonUniformAllEqual
            | GroupNonUniformBroadcast
            | GroupNonUniformBroadcastFirst
            | GroupNonUniformBallot
            | GroupNonUniformInverseBallot
            | GroupNonUniformBallotBitExtract
            | GroupNonUniformBallotBitCount
            | GroupNonUniformBallotFindLSB
            | GroupNonUniformBallotFindMSB
            | GroupNonUniformShuffle
            | GroupNonUniformShuffleXor
            | GroupNonUniformShuffleUp
            | GroupNonUniformShuffleDown
            | GroupNonUniformRotateKHR
    ) || combination(op).is_some()
        || super::intel_subgroups::has(op)
}

/// Returns the last part of the name of a reduction or scan, and whether its integers are signed.
fn combination(op: Op) -> Option<(&'static str, bool)> {
    Some(match op {
        Op::GroupNonUniformIAdd | Op::GroupNonUniformFAdd => ("add", true),
        Op::GroupNonUniformIMul | Op::GroupNonUniformFMul => ("mul", true),
        Op::GroupNonUniformSMin | Op::GroupNonUniformFMin => ("min", true),
        Op::GroupNonUniformUMin => ("min", false),
        Op::GroupNonUniformSMax | Op::GroupNonUniformFMax => ("max", true),
        Op::GroupNonUniformUMax => ("max", false),
        Op::GroupNonUniformBitwiseAnd => ("and", true),
        Op::GroupNonUniformBitwiseOr => ("or", true),
        Op::GroupNonUniformBitwiseXor => ("xor", true),
        Op::GroupNonUniformLogicalAnd => ("logical_and", true),
        Op::GroupNonUniformLogicalOr => ("logical_or", true),
        Op::GroupNonUniformLogicalXor => ("logical_xor", true),
        _ => return None,
    })
}

impl Translator<'_, '_, '_> {
    /// Checks that an instruction's scope is the sub-group, and that the device has sub-groups.
    pub(super) fn check_subgroups(&mut self, scope: u32) -> Result<(), String> {
        if self.execution_scope(scope)? != Scope::Subgroup {
            return Err("this scope is not supported".to_string());
        }
        self.need_subgroups()
    }

    pub(super) fn need_subgroups(&self) -> Result<(), String> {
        match self.m.out.target().subgroups.is_some() {
            true => Ok(()),
            false => Err("the device has no sub-groups".to_string()),
        }
    }

    pub(super) fn subgroup(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        if super::intel_subgroups::has(inst.op) {
            return self.intel_subgroup(inst);
        }
        self.check_subgroups(inst.arg(0)?)?;
        if let Some((name, signed)) = combination(inst.op) {
            return self.subgroup_combination(inst, name, signed);
        }
        let name = match inst.op {
            Op::GroupNonUniformElect => {
                let value = self.subgroup_call("sub_group_elect", &[], Type::I32)?;
                return self.give_truth(inst, value);
            }
            Op::GroupNonUniformAll => return self.subgroup_vote(inst, "non_uniform_all"),
            Op::GroupNonUniformAny => return self.subgroup_vote(inst, "non_uniform_any"),
            Op::GroupNonUniformAllEqual => return self.all_equal(inst),
            Op::GroupNonUniformBallot => {
                let predicate = self.truth(inst.arg(1)?)?;
                let predicate = self.b.int_of_bool(predicate, Type::I32);
                let ballot = Type::vector(Scalar::I32, 4);
                let value = self.subgroup_call("sub_group_ballot", &[predicate], ballot)?;
                return self.give(inst, value);
            }
            Op::GroupNonUniformInverseBallot
            | Op::GroupNonUniformBallotBitExtract
            | Op::GroupNonUniformBallotBitCount
            | Op::GroupNonUniformBallotFindLSB
            | Op::GroupNonUniformBallotFindMSB => return self.of_ballot(inst),
            Op::GroupNonUniformBroadcastFirst => {
                return self.exchange(inst, "sub_group_broadcast_first", None)
            }
            Op::GroupNonUniformBroadcast => "sub_group_non_uniform_broadcast",
            Op::GroupNonUniformShuffle => "sub_group_shuffle",
            Op::GroupNonUniformShuffleXor => "sub_group_shuffle_xor",
            Op::GroupNonUniformShuffleUp => "sub_group_shuffle_up",
            Op::GroupNonUniformShuffleDown => "sub_group_shuffle_down",
            Op::GroupNonUniformRotateKHR => return self.rotate(inst),
            _ => return unsupported(),
        };
        let by = self.word(inst.arg(2)?)?;
        self.exchange(inst, name, Some(by))
    }

    /// Translates an instruction that takes a ballot.
    fn of_ballot(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match inst.op {
            Op::GroupNonUniformInverseBallot => {
                let ballot = self.ballot(inst.arg(1)?)?;
                let value = self.with_lowerer(|lowerer| lowerer.inverse_ballot(ballot));
                self.give_truth(inst, value)
            }
            Op::GroupNonUniformBallotBitExtract => {
                let ballot = self.ballot(inst.arg(1)?)?;
                let index = self.word(inst.arg(2)?)?;
                let value = self.with_lowerer(|lowerer| lowerer.ballot_bit(ballot, index));
                self.give_truth(inst, value)
            }
            Op::GroupNonUniformBallotBitCount => {
                use crate::ir::SubgroupScan::{Exclusive, Inclusive, Reduce};
                let scan = match GroupOperation::from_u32(inst.arg(1)?) {
                    Some(GroupOperation::Reduce) => Reduce,
                    Some(GroupOperation::InclusiveScan) => Inclusive,
                    Some(GroupOperation::ExclusiveScan) => Exclusive,
                    _ => return Err("this group operation is not supported".to_string()),
                };
                let ballot = self.ballot(inst.arg(2)?)?;
                let value = self.with_lowerer(|lowerer| lowerer.ballot_count(scan, ballot));
                self.give(inst, value)
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                let is_low = inst.op == Op::GroupNonUniformBallotFindLSB;
                let op = if is_low { MathOp::Ctz } else { MathOp::Clz };
                let ballot = self.ballot(inst.arg(1)?)?;
                let value = self.with_lowerer(|lowerer| lowerer.ballot_find(op, ballot));
                self.give(inst, value)
            }
            _ => unsupported(),
        }
    }

    /// Translates a group instruction whose scope is the sub-group.
    pub(super) fn uniform_subgroup(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        self.check_subgroups(inst.arg(0)?)?;
        match inst.op {
            Op::GroupAll => self.subgroup_vote(inst, "all"),
            Op::GroupAny => self.subgroup_vote(inst, "any"),
            Op::GroupBroadcast => {
                let id = self.word(inst.arg(2)?)?;
                self.exchange(inst, "sub_group_broadcast", Some(id))
            }
            _ => unsupported(),
        }
    }

    /// A barrier of the sub-group.
    pub(super) fn subgroup_barrier(
        &mut self,
        flags: BarrierFlags,
        scope: MemoryScope,
    ) -> Result<(), String> {
        self.need_subgroups()?;
        let flags = self.b.int(Scalar::I32, i64::from(flags.bits()));
        // memory_scope_work_group and memory_scope_device.
        let scope = self.b.int(Scalar::I32, if scope == MemoryScope::Device { 2 } else { 1 });
        let types = self.arg_types(&[flags, scope], false);
        self.builtin("sub_group_barrier", &[flags, scope], &types, Type::I32)?;
        Ok(())
    }

    pub(super) fn subgroup_call(
        &mut self,
        name: &str,
        args: &[Value],
        result: Type,
    ) -> Result<Value, String> {
        let types = self.arg_types(args, true);
        let value = self.builtin(name, args, &types, result)?;
        value.ok_or_else(|| "it is not supported for these types".to_string())
    }

    fn truth(&mut self, id: u32) -> Result<Value, String> {
        let value = self.number(id)?;
        match self.b.ty(value) == Type::BOOL {
            true => Ok(value),
            false => Err(format!("%{id} is not a bool")),
        }
    }

    /// Returns an integer as an I32.
    pub(super) fn word(&mut self, id: u32) -> Result<Value, String> {
        let value = self.number(id)?;
        let ty = self.b.ty(value);
        match ty.lanes == 1 && ty.scalar.is_int() {
            true => Ok(self.b.resize(value, Type::I32, false)),
            false => Err(format!("%{id} is not an integer")),
        }
    }

    fn ballot(&mut self, id: u32) -> Result<Value, String> {
        let value = self.number(id)?;
        match self.b.ty(value) == Type::vector(Scalar::I32, 4) {
            true => Ok(value),
            false => Err(format!("%{id} is not a ballot")),
        }
    }

    fn give_truth(&mut self, inst: &Inst<'_>, value: Value) -> Result<(), String> {
        let truth = self.b.is_nonzero(value);
        self.give(inst, truth)
    }

    fn subgroup_vote(&mut self, inst: &Inst<'_>, name: &str) -> Result<(), String> {
        let predicate = self.truth(inst.arg(1)?)?;
        let predicate = self.b.int_of_bool(predicate, Type::I32);
        let value = self.subgroup_call(&format!("sub_group_{name}"), &[predicate], Type::I32)?;
        self.give_truth(inst, value)
    }

    /// Returns the lanes of a value, bools as integers, and true if they were bools.
    fn exchanged(&mut self, id: u32) -> Result<(Vec<Value>, bool), String> {
        let mut value = self.number(id)?;
        let ty = self.b.ty(value);
        let is_bool = ty.scalar == Scalar::Bool;
        if is_bool {
            value = self.b.convert(crate::ir::ConvertOp::ZExt, value, ty.with_scalar(Scalar::I32));
        }
        Ok((self.lanes(value), is_bool))
    }

    fn all_equal(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (lanes, _) = self.exchanged(inst.arg(1)?)?;
        let mut all: Option<Value> = None;
        for lane in lanes {
            let name = "sub_group_non_uniform_all_equal";
            let equal = self.subgroup_call(name, &[lane], Type::I32)?;
            let equal = self.b.icmp_imm(IntCC::Ne, equal, 0);
            all = Some(match all {
                Some(before) => self.b.binary(crate::ir::BinaryOp::And, before, equal),
                None => equal,
            });
        }
        self.give(inst, all.ok_or("it has no operand")?)
    }

    /// Calls a function that returns the value of another work-item, for each lane.
    fn exchange(&mut self, inst: &Inst<'_>, name: &str, by: Option<Value>) -> Result<(), String> {
        let (lanes, is_bool) = self.exchanged(inst.arg(1)?)?;
        let mut results = Vec::with_capacity(lanes.len());
        for lane in lanes {
            let mut args = vec![lane];
            args.extend(by);
            let result = self.b.ty(lane);
            results.push(self.subgroup_call(name, &args, result)?);
        }
        let value = self.b.build(&results);
        match is_bool {
            true => self.give_truth(inst, value),
            false => self.give(inst, value),
        }
    }

    /// Translates a rotation. Operands: scope, value, distance, and maybe the size of clusters.
    fn rotate(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let by = self.word(inst.arg(2)?)?;
        let cluster = match inst.args.get(3) {
            Some(&cluster) => self.cluster(cluster)?,
            None => return self.exchange(inst, "sub_group_rotate", Some(by)),
        };
        let (lanes, is_bool) = self.exchanged(inst.arg(1)?)?;
        let mut results = Vec::with_capacity(lanes.len());
        for lane in lanes {
            let (args, result) = ([lane, by, cluster], self.b.ty(lane));
            results.push(self.subgroup_call("sub_group_clustered_rotate", &args, result)?);
        }
        let value = self.b.build(&results);
        match is_bool {
            true => self.give_truth(inst, value),
            false => self.give(inst, value),
        }
    }

    /// Returns the size of clusters: a constant power of two.
    fn cluster(&mut self, id: u32) -> Result<Value, String> {
        match self.known_integer(id)? {
            Some(size) if size.is_power_of_two() && size <= 128 => {
                Ok(self.b.int(Scalar::I32, size as i64))
            }
            _ => Err(format!("%{id} is not a power of two up to 128")),
        }
    }

    fn subgroup_combination(
        &mut self,
        inst: &Inst<'_>,
        name: &str,
        signed: bool,
    ) -> Result<(), String> {
        let value = self.number(inst.arg(2)?)?;
        let is_logical = name.starts_with("logical");
        let ty = self.b.ty(value);
        let is_float = name_is_float(inst.op);
        let fits = match ty.scalar {
            Scalar::Bool => is_logical,
            scalar => !is_logical && scalar.is_float() == is_float,
        };
        if !fits {
            return Err("the operand is of the wrong type".to_string());
        }
        let operation = GroupOperation::from_u32(inst.arg(1)?);
        let (prefix, cluster) = match operation {
            Some(GroupOperation::Reduce) => ("non_uniform_reduce", None),
            Some(GroupOperation::InclusiveScan) => ("non_uniform_scan_inclusive", None),
            Some(GroupOperation::ExclusiveScan) => ("non_uniform_scan_exclusive", None),
            Some(GroupOperation::ClusteredReduce) => {
                ("clustered_reduce", Some(self.cluster(inst.arg(3)?)?))
            }
            _ => return Err("this group operation is not supported".to_string()),
        };
        let name = format!("sub_group_{prefix}_{name}");
        let (lanes, is_bool) = self.exchanged(inst.arg(2)?)?;
        let mut results = Vec::with_capacity(lanes.len());
        for lane in lanes {
            let mut args = vec![lane];
            args.extend(cluster);
            let (types, result) = (self.arg_types(&args, signed), self.b.ty(lane));
            let value = self.builtin(&name, &args, &types, result)?;
            results.push(value.ok_or("it is not supported for these types")?);
        }
        let value = self.b.build(&results);
        match is_bool {
            true => self.give_truth(inst, value),
            false => self.give(inst, value),
        }
    }
}

fn name_is_float(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        GroupNonUniformFAdd | GroupNonUniformFMul | GroupNonUniformFMin | GroupNonUniformFMax
    )
}
