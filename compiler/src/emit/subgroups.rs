//! Operations of the work-items of a sub-group together: each of the IR's becomes an OpGroupNonUniform instruction.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use crate::ir::{BinaryOp, SubgroupScan, SubgroupShuffle, SubgroupVote, Type, Value};
use crate::target::Reconvergence;
use rspirv::spirv::{Capability, ExecutionMode, GroupOperation, Op, Scope};

impl Emitter<'_> {
    /// Declares the reconvergence that the device offers for work-items that are together, if the kernel acts on sub-groups.
    pub fn declare_reconvergence(&mut self) {
        let subgroups = self.target.subgroups.filter(|_| self.info.uses_subgroups);
        let (extension, mode) = match subgroups.map(|subgroups| subgroups.reconvergence) {
            Some(Reconvergence::Maximal) => {
                ("SPV_KHR_maximal_reconvergence", ExecutionMode::MaximallyReconvergesKHR)
            }
            Some(Reconvergence::Uniform) => (
                "SPV_KHR_subgroup_uniform_control_flow",
                ExecutionMode::SubgroupUniformControlFlowKHR,
            ),
            Some(Reconvergence::Unspecified) | None => return,
        };
        self.builder.extension(extension);
        self.builder.execution_mode(mode, None);
    }

    /// Emits an operation of the work-items of the sub-group that execute it together.
    fn group_op(
        &mut self,
        op: Op,
        capability: Capability,
        ty: Type,
        operands: &[u32],
    ) -> EmitResult<u32> {
        self.builder.require_capability(Capability::GroupNonUniform);
        self.builder.require_capability(capability);
        let mut all = vec![self.const_u32(Scope::Subgroup as u32)];
        all.extend_from_slice(operands);
        let ty = self.ty(ty)?;
        Ok(self.op(op, ty, &all))
    }

    pub fn subgroup_elect(&mut self) -> EmitResult<u32> {
        self.group_op(Op::GroupNonUniformElect, Capability::GroupNonUniform, Type::BOOL, &[])
    }

    pub fn subgroup_vote(&mut self, op: SubgroupVote, arg: Value) -> EmitResult<u32> {
        let op = match op {
            SubgroupVote::All => Op::GroupNonUniformAll,
            SubgroupVote::Any => Op::GroupNonUniformAny,
            SubgroupVote::AllEqual => Op::GroupNonUniformAllEqual,
        };
        let arg = self.id(arg)?;
        self.group_op(op, Capability::GroupNonUniformVote, Type::BOOL, &[arg])
    }

    pub fn subgroup_ballot(&mut self, arg: Value) -> EmitResult<u32> {
        let arg = self.id(arg)?;
        let op = Op::GroupNonUniformBallot;
        self.group_op(op, Capability::GroupNonUniformBallot, Type::BALLOT, &[arg])
    }

    pub fn subgroup_broadcast_first(&mut self, arg: Value) -> EmitResult<u32> {
        let (ty, arg) = (self.func.ty(arg), self.id(arg)?);
        let op = Op::GroupNonUniformBroadcastFirst;
        self.group_op(op, Capability::GroupNonUniformBallot, ty, &[arg])
    }

    pub fn subgroup_shuffle(&mut self, op: SubgroupShuffle, args: [Value; 2]) -> EmitResult<u32> {
        use Capability as C;
        let (op, capability) = match op {
            SubgroupShuffle::Broadcast => (Op::GroupNonUniformBroadcast, C::GroupNonUniformBallot),
            SubgroupShuffle::Index => (Op::GroupNonUniformShuffle, C::GroupNonUniformShuffle),
            SubgroupShuffle::Xor => (Op::GroupNonUniformShuffleXor, C::GroupNonUniformShuffle),
            SubgroupShuffle::Up => {
                (Op::GroupNonUniformShuffleUp, C::GroupNonUniformShuffleRelative)
            }
            SubgroupShuffle::Down => {
                (Op::GroupNonUniformShuffleDown, C::GroupNonUniformShuffleRelative)
            }
        };
        let ty = self.func.ty(args[0]);
        let ids = [self.id(args[0])?, self.id(args[1])?];
        self.group_op(op, capability, ty, &ids)
    }

    pub fn subgroup_scan(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        arg: Value,
        cluster: u32,
    ) -> EmitResult<u32> {
        use BinaryOp::*;
        let op = match op {
            IAdd => Op::GroupNonUniformIAdd,
            IMul => Op::GroupNonUniformIMul,
            FAdd => Op::GroupNonUniformFAdd,
            FMul => Op::GroupNonUniformFMul,
            SMin => Op::GroupNonUniformSMin,
            UMin => Op::GroupNonUniformUMin,
            FMin => Op::GroupNonUniformFMin,
            SMax => Op::GroupNonUniformSMax,
            UMax => Op::GroupNonUniformUMax,
            FMax => Op::GroupNonUniformFMax,
            And => Op::GroupNonUniformBitwiseAnd,
            Or => Op::GroupNonUniformBitwiseOr,
            Xor => Op::GroupNonUniformBitwiseXor,
            _ => return Err(EmitError::malformed(format!("a scan by {op:?}"))),
        };
        let mut capability = Capability::GroupNonUniformArithmetic;
        let operation = match scan {
            SubgroupScan::Reduce if cluster != 0 => {
                capability = Capability::GroupNonUniformClustered;
                GroupOperation::ClusteredReduce
            }
            SubgroupScan::Reduce => GroupOperation::Reduce,
            SubgroupScan::Inclusive => GroupOperation::InclusiveScan,
            SubgroupScan::Exclusive => GroupOperation::ExclusiveScan,
        };
        let (ty, arg) = (self.func.ty(arg), self.id(arg)?);
        let mut operands = vec![operation as u32, arg];
        if cluster != 0 {
            operands.push(self.const_u32(cluster));
        }
        self.group_op(op, capability, ty, &operands)
    }
}
