//! Pipes (SPIR-V 3.49.22): calls of the functions that OpenCL C has for them.
//!
//! The type of a pipe does not have the size of its packets, but each instruction has it. Whether the pipe's packets have
//! this size is known only when the kernel runs ([`Packet::checked`]).

use super::function::{unsupported, Translator};
use super::types::Kind;
use super::words::Inst;
use crate::builtins::{Builtin, Call, Packet};
use crate::ir::{Scalar, Type, Value};
use crate::kernel::ImageAccess;
use rspirv::spirv::{Op, Scope};

/// Greatest alignment that packets may have.
const MAX_ALIGN: u64 = 1 << 16;

/// The function that an instruction calls, and the operands that are arguments of the function.
struct Function {
    name: &'static str,
    access: Option<ImageAccess>,
    /// The number of operands between the pipe and the size of packets.
    operands: usize,
    /// True if the first operand is a scope: its work-items call the function together.
    grouped: bool,
}

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    op == Op::IsValidReserveId || function(op).is_some()
}

fn function(op: Op) -> Option<Function> {
    const READ: Option<ImageAccess> = Some(ImageAccess::ReadOnly);
    const WRITE: Option<ImageAccess> = Some(ImageAccess::WriteOnly);
    let (name, access, operands, grouped) = match op {
        Op::ReadPipe => ("read_pipe", READ, 1, false),
        Op::WritePipe => ("write_pipe", WRITE, 1, false),
        Op::ReservedReadPipe => ("read_pipe", READ, 3, false),
        Op::ReservedWritePipe => ("write_pipe", WRITE, 3, false),
        Op::ReserveReadPipePackets => ("reserve_read_pipe", READ, 1, false),
        Op::ReserveWritePipePackets => ("reserve_write_pipe", WRITE, 1, false),
        Op::CommitReadPipe => ("commit_read_pipe", READ, 1, false),
        Op::CommitWritePipe => ("commit_write_pipe", WRITE, 1, false),
        Op::GetNumPipePackets => ("get_pipe_num_packets", None, 0, false),
        Op::GetMaxPipePackets => ("get_pipe_max_packets", None, 0, false),
        Op::GroupReserveReadPipePackets => ("reserve_read_pipe", READ, 1, true),
        Op::GroupReserveWritePipePackets => ("reserve_write_pipe", WRITE, 1, true),
        Op::GroupCommitReadPipe => ("commit_read_pipe", READ, 1, true),
        Op::GroupCommitWritePipe => ("commit_write_pipe", WRITE, 1, true),
        _ => return None,
    };
    Some(Function { name, access, operands, grouped })
}

impl Translator<'_, '_, '_> {
    pub(super) fn pipe(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        if inst.op == Op::IsValidReserveId {
            let id = self.reservation(inst.arg(0)?)?;
            let valid = self.b.is_nonzero(id);
            return self.give(inst, valid);
        }
        let Some(Function { name, access, operands, grouped }) = function(inst.op) else {
            return unsupported();
        };
        let first = usize::from(grouped);
        let prefix = if grouped { self.group_prefix(inst.arg(0)?)? } else { "" };
        let mut args = vec![self.pipe_operand(inst.arg(first)?, access)?];
        for index in 0..operands {
            let id = inst.arg(first + 1 + index)?;
            args.push(self.pipe_argument(name, id, index, operands)?);
        }
        let packet = self.packet(inst, first + 1 + operands)?;
        let name = format!("{prefix}{name}");
        let builtin = Builtin::named(&name).ok_or_else(|| format!("no function '{name}'"))?;
        let has_result = inst.id != 0;
        let result = if has_result { self.result(inst)? } else { Type::I32 };
        let types = self.arg_types(&args, false);
        let call = Call { builtin, args: &args, types: &types, result };
        match self.with_lowerer(|lowerer| lowerer.pipe_function(&call, packet)) {
            Some(value) => self.give(inst, value),
            None if has_result => Err("it is not supported".to_string()),
            None => Ok(()),
        }
    }

    /// Returns the prefix of the names of functions that the work-items of a scope call together.
    fn group_prefix(&mut self, scope: u32) -> Result<&'static str, String> {
        let scope = self.known_integer(scope)?.and_then(|scope| u32::try_from(scope).ok());
        match scope.and_then(Scope::from_u32) {
            Some(Scope::Workgroup) => Ok("work_group_"),
            Some(Scope::Subgroup) if self.m.out.target().subgroups.is_some() => Ok("sub_group_"),
            Some(Scope::Subgroup) => Err("the device has no sub-groups".to_string()),
            _ => Err("its scope is neither a work-group nor a sub-group".to_string()),
        }
    }

    fn pipe_operand(&mut self, id: u32, wanted: Option<ImageAccess>) -> Result<Value, String> {
        let val = self.val(id)?;
        match *self.m.types.kind(val.ty) {
            Kind::Pipe(access) if wanted.is_none_or(|wanted| wanted == access) => Ok(val.leaves[0]),
            Kind::Pipe(access) => Err(format!("the pipe %{id} is {}", access.name())),
            _ => Err(format!("%{id} is not a pipe")),
        }
    }

    fn reservation(&mut self, id: u32) -> Result<Value, String> {
        let val = self.val(id)?;
        match *self.m.types.kind(val.ty) {
            Kind::ReserveId => Ok(val.leaves[0]),
            _ => Err(format!("%{id} is not a reservation")),
        }
    }

    /// Returns operand `index` of `count` of a function: a reservation, a number of packets, the packet's index in the
    /// reservation, or a pointer to the packet.
    fn pipe_argument(
        &mut self,
        name: &str,
        id: u32,
        index: usize,
        count: usize,
    ) -> Result<Value, String> {
        let transfers = matches!(name, "read_pipe" | "write_pipe");
        if transfers && index + 1 == count {
            return Ok(self.pointer(id)?.0);
        }
        if name.starts_with("commit") || transfers && index == 0 {
            return self.reservation(id);
        }
        let number = self.number(id)?;
        match self.b.ty(number) {
            Type::I32 => Ok(number),
            _ => Err(format!("%{id} is not an integer of 32 bits")),
        }
    }

    /// Returns the size and alignment of packets, which are the operands at `at` and behind it.
    fn packet(&mut self, inst: &Inst<'_>, at: usize) -> Result<Packet, String> {
        let mut numbers = [0; 2];
        for (number, index) in numbers.iter_mut().zip(at..) {
            let known = self.known_integer(inst.arg(index)?)?;
            *number = known.ok_or("size and alignment of packets are not constants")?;
        }
        let [size, align] = numbers;
        if size == 0 || size > u64::from(u32::MAX) {
            return Err(format!("packets of {size} bytes are not supported"));
        }
        if !align.is_power_of_two() || align > MAX_ALIGN {
            return Err(format!("packets cannot be aligned to {align} bytes"));
        }
        // Packets in a pipe are adjacent, so their alignment cannot exceed the greatest power of two that divides their size.
        let align = align.min(1 << size.trailing_zeros().min(16)) as u32;
        let of_number = [1, 2, 4, 8].contains(&size) && u64::from(align) == size;
        let value = of_number.then(|| Type::of(Scalar::int(8 * size as u32)));
        Ok(Packet { size, align, value, checked: true })
    }
}
