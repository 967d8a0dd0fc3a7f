//! Pipe functions (OpenCL C 6.15.18): calls of the library around a copy of the packet.
//!
//! A pipe is the device address of its buffer ([`crate::kernel::pipe_header`]), a reservation a number of 64 bits. In group
//! functions one work-item acts for the group.

use super::row::{Check, Lower, Names, PipeArguments, Row};
use super::signature::Sig;
use super::{Call, Lowerer};
use crate::checks::Checks;
use crate::ir::{
    Addr, AddressSpace, BarrierFlags, BinaryOp, Func, GlobalData, IntCC, Linkage, MemFlags, Scalar,
    Type, Value,
};
use crate::kernel::{pipe_header, ImageAccess};
use crate::options::ClStd;

/// The patterns of pipe functions: none, since patterns cannot describe the types of pipes.
const NO_PATTERNS: &[Sig] = &[];

const fn pipe(names: Names, access: Option<ImageAccess>, arguments: PipeArguments) -> Row {
    let check = Check::Pipe { access, arguments };
    Row::new(names, NO_PATTERNS, Lower::Call(|_, _| None)).since(ClStd::Cl20).check(check)
}

const READ: Option<ImageAccess> = Some(ImageAccess::ReadOnly);
const WRITE: Option<ImageAccess> = Some(ImageAccess::WriteOnly);

pub(super) const ROWS: &[Row] = &[
    pipe(&["read_pipe"], READ, PipeArguments::Packet),
    pipe(&["write_pipe"], WRITE, PipeArguments::Packet),
    pipe(
        &["reserve_read_pipe", "work_group_reserve_read_pipe", "sub_group_reserve_read_pipe"],
        READ,
        PipeArguments::Count,
    ),
    pipe(
        &["reserve_write_pipe", "work_group_reserve_write_pipe", "sub_group_reserve_write_pipe"],
        WRITE,
        PipeArguments::Count,
    ),
    pipe(
        &["commit_read_pipe", "work_group_commit_read_pipe", "sub_group_commit_read_pipe"],
        READ,
        PipeArguments::Reservation,
    ),
    pipe(
        &["commit_write_pipe", "work_group_commit_write_pipe", "sub_group_commit_write_pipe"],
        WRITE,
        PipeArguments::Reservation,
    ),
    pipe(&["get_pipe_num_packets", "get_pipe_max_packets"], None, PipeArguments::Nothing),
    Row::call(&["is_valid_reserve_id"], NO_PATTERNS, |l, c| match *c.args {
        [reservation] => Some(l.b.is_nonzero(reservation)),
        _ => None,
    })
    .since(ClStd::Cl20)
    .check(Check::Reservation),
];

/// The packets of a pipe in memory.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    pub size: u64,
    pub align: u32,
    /// The packets' type, if it is a type of values in the IR.
    pub value: Option<Type>,
    /// True if the kernel checks the size of the pipe's packets, and transfers none if it is another one.
    pub checked: bool,
}

/// The work-items that a reservation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    WorkItem,
    SubGroup,
    WorkGroup,
}

/// The index of a packet that no reservation has.
const NO_PACKET: i64 = -1;
/// The most pieces of a packet that are copied without a loop.
const MOST_PIECES: u64 = 16;

impl Lowerer<'_, '_> {
    /// Lowers a call of a function on a pipe, whose packets are as `packet` says.
    pub fn pipe_function(&mut self, call: &Call<'_>, packet: Packet) -> Option<Value> {
        let name = call.builtin.name();
        let prefixes = [("work_group_", Owner::WorkGroup), ("sub_group_", Owner::SubGroup)];
        let mut owners = prefixes.into_iter();
        let (function, owner) = owners
            .find_map(|(prefix, owner)| Some((name.strip_prefix(prefix)?, owner)))
            .unwrap_or((name, Owner::WorkItem));
        let (&pipe, rest) = call.args.split_first()?;
        match (function, rest) {
            ("read_pipe", &[to]) => self.transfer(pipe, None, to, packet, true),
            ("read_pipe", &[id, index, to]) => {
                self.transfer(pipe, Some((id, index)), to, packet, true)
            }
            ("write_pipe", &[from]) => self.transfer(pipe, None, from, packet, false),
            ("write_pipe", &[id, index, from]) => {
                self.transfer(pipe, Some((id, index)), from, packet, false)
            }
            ("reserve_read_pipe", &[count]) => self.reserve("reserve_read", pipe, count, owner),
            ("reserve_write_pipe", &[count]) => self.reserve("reserve_write", pipe, count, owner),
            ("commit_read_pipe", &[id]) => self.commit("commit_read", pipe, id, owner),
            ("commit_write_pipe", &[id]) => self.commit("commit_write", pipe, id, owner),
            ("get_pipe_num_packets", []) => self.library_pipe("num_packets", &[pipe], Type::I32),
            ("get_pipe_max_packets", []) => self.library_pipe("max_packets", &[pipe], Type::I32),
            _ => None,
        }
    }

    /// Calls the library's function `__pipe_<name>`.
    fn library_pipe(&mut self, name: &str, args: &[Value], result: Type) -> Option<Value> {
        let func = self.front.image_function(&format!("pipe_{name}"))?;
        self.b.call(func, args, Some(result))
    }

    /// Copies a packet of the reservation `reserved`, or of a reservation made for this packet alone. Returns 0, or -1 where
    /// there is no packet.
    fn transfer(
        &mut self,
        pipe: Value,
        reserved: Option<(Value, Value)>,
        object: Value,
        packet: Packet,
        reads: bool,
    ) -> Option<Value> {
        let (reserve, commit) = match reads {
            true => ("reserve_read", "commit_read"),
            false => ("reserve_write", "commit_write"),
        };
        let (id, index) = match reserved {
            Some((id, index)) => (id, self.unless_other(pipe, packet, index, NO_PACKET)),
            None => {
                let one = self.b.int(Scalar::I32, 1);
                let count = self.unless_other(pipe, packet, one, 0);
                let id = self.library_pipe(reserve, &[pipe, count], Type::I64)?;
                (id, self.b.int(Scalar::I32, 0))
            }
        };
        let place = Type::ptr(AddressSpace::Global);
        let place = self.library_pipe("packet", &[pipe, id, index], place)?;
        let there = self.b.is_nonzero(place);
        let commit = match reserved {
            None => Some(self.front.image_function(&format!("pipe_{commit}"))?),
            Some(_) => None,
        };
        self.when(there, |this| {
            let (in_pipe, object) =
                (Addr::new(place, packet.align), Addr::new(object, packet.align));
            match reads {
                true => this.copy_packet(object, in_pipe, packet),
                false => this.copy_packet(in_pipe, object, packet),
            }
            if let Some(commit) = commit {
                this.b.call(commit, &[pipe, id], None);
            }
        });
        let (zero, failed) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, -1));
        Some(self.b.select(there, zero, failed))
    }

    /// Returns `number`, or `other` where the pipe's packets are of another size than `packet`.
    fn unless_other(&mut self, pipe: Value, packet: Packet, number: Value, other: i64) -> Value {
        if !packet.checked {
            return number;
        }
        let size = self.b.offset(Addr::new(pipe, 4), 4 * pipe_header::PACKET as u64);
        let size = self.b.read(Type::I32, size);
        let same = self.b.icmp_imm(IntCC::Eq, size, i64::from(packet.size as u32));
        let other = self.b.int(Scalar::I32, other);
        self.b.select(same, number, other)
    }

    fn copy_packet(&mut self, to: Addr, from: Addr, packet: Packet) {
        if let Some(ty) = packet.value {
            let value = self.b.read(ty, from);
            return self.b.write(to, value);
        }
        // The bytes between the members of a struct need not be written, so this is a copy, not a read.
        let mut from = from;
        if self.target.checks.contains(Checks::INIT) && !self.in_library {
            from.flags |= MemFlags::COPY;
        }
        let bytes = packet.align.clamp(1, 8);
        let piece = Type::of(Scalar::int(8 * bytes));
        let count = packet.size / u64::from(bytes);
        if count <= MOST_PIECES {
            for i in 0..count {
                let offset = i * u64::from(bytes);
                let (source, target) = (self.b.offset(from, offset), self.b.offset(to, offset));
                let value = self.b.read(piece, source);
                self.b.write(target, value);
            }
            return;
        }
        let [start, end, step] = [0, count as i64, 1].map(|number| self.b.int(Scalar::I32, number));
        let open = self.b.open_loop(start, end);
        let [source, target] = [from, to].map(|addr| {
            let index = self.b.pointer_sized(open.counter, addr.ptr, false);
            self.b.indexed(addr, index, u64::from(bytes))
        });
        let value = self.b.read(piece, source);
        self.b.write(target, value);
        self.b.close_loop(open, BinaryOp::IAdd, step);
    }

    fn reserve(&mut self, name: &str, pipe: Value, count: Value, owner: Owner) -> Option<Value> {
        let function = self.front.image_function(&format!("pipe_{name}"))?;
        let args = [pipe, count];
        match owner {
            Owner::WorkItem => self.b.call(function, &args, Some(Type::I64)),
            Owner::SubGroup => {
                let first = self.b.subgroup_elect();
                let (then, join) = (self.b.new_block(), self.b.new_block());
                let id = self.b.func.add_param(join, Type::I64);
                let none = self.b.int(Scalar::I64, 0);
                self.b.brif_with(first, (then, &[]), (join, &[none]));
                self.b.switch_to(then);
                let reserved = self.b.call(function, &args, Some(Type::I64))?;
                self.b.jump(join, &[reserved]);
                self.b.switch_to(join);
                Some(self.b.subgroup_broadcast_first(id))
            }
            Owner::WorkGroup => Some(self.reserve_for_work_group(function, &args)),
        }
    }

    /// The first work-item reserves, and shares the reservation.
    fn reserve_for_work_group(&mut self, function: Func, args: &[Value]) -> Value {
        let global = self.front.shared_global(GlobalData {
            name: "reservation".into(),
            size: 8,
            align: 8,
            space: AddressSpace::Local,
            is_const: false,
            init: None,
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        let shared = self.b.global_addr(global, AddressSpace::Local);
        let shared = Addr::new(shared, 8);
        let first = self.is_first();
        self.b.barrier(BarrierFlags::LOCAL);
        self.when(first, |this| {
            if let Some(id) = this.b.call(function, args, Some(Type::I64)) {
                this.b.write(shared, id);
            }
        });
        self.b.barrier(BarrierFlags::LOCAL | BarrierFlags::GLOBAL);
        self.b.read(Type::I64, shared)
    }

    /// Makes the packets of all work-items of a group visible before one of them publishes the reservation.
    fn commit(&mut self, name: &str, pipe: Value, id: Value, owner: Owner) -> Option<Value> {
        let function = self.front.image_function(&format!("pipe_{name}"))?;
        let first = match owner {
            Owner::WorkItem => {
                self.b.call(function, &[pipe, id], None);
                return None;
            }
            Owner::SubGroup => {
                self.b.subgroup_barrier(BarrierFlags::GLOBAL);
                self.b.subgroup_elect()
            }
            Owner::WorkGroup => {
                self.b.barrier(BarrierFlags::LOCAL | BarrierFlags::GLOBAL);
                self.is_first()
            }
        };
        self.when(first, |this| {
            this.b.call(function, &[pipe, id], None);
        });
        None
    }

    /// Returns true in the first work-item of the work-group.
    fn is_first(&mut self) -> Value {
        let id = self.local_linear_id();
        self.b.icmp_imm(IntCC::Eq, id, 0)
    }
}
