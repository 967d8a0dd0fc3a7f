//! The commands of queues: a file for each kind of command and its execution.

pub mod copy;
pub mod device_enqueue;
pub mod gl_objects;
pub mod host_copy;
pub mod host_part;
pub mod image;
pub mod launch;
pub mod map;
pub mod native;
pub mod ownership;
pub mod printout;
pub mod replay;
pub mod semaphore;
pub mod slices;
pub mod system_memory;
pub mod transfer;

use crate::cl::error::Result;
use crate::core::context::svm::Allocation;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::host::HostAddress;
use crate::core::memory::mapping::Mapping;
use crate::core::memory::object::MemObject;
use crate::core::memory::operand::Operand;
use crate::core::memory::rect::{runs, Rect};
use crate::core::memory::reservation::{Effect, RangeUse};
use crate::core::queue::event::Phase;
use crate::core::queue::execute::{Execute, Execution};
use crate::object::Ref;
use hekla_vk_backend as vk;
use image::ImageCommand;
use launch::Launch;
use ownership::{Direction, Shared};
use semaphore::Operation;
use smallvec::SmallVec;
use std::sync::Arc;
use transfer::tight;

/// The destination and the contents of a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migration {
    ToDevice,
    /// To the device, with undefined contents.
    ToDeviceUndefined,
    /// To the host: nothing happens, since buffers have no memory of their own on the host.
    ToHost,
    /// To the host, with undefined contents.
    ToHostUndefined,
}

impl Migration {
    /// Returns the effect of the migration on the bytes.
    fn effect(self) -> Option<Effect> {
        match self {
            Migration::ToDevice => Some(Effect::Read),
            Migration::ToDeviceUndefined => Some(Effect::Overwrite),
            Migration::ToHost => None,
            Migration::ToHostUndefined => Some(Effect::Discard),
        }
    }
}

/// A command with everything it needs. It keeps the objects that it uses alive until it has started, and the device
/// memory until it is complete.
pub enum Command {
    /// Takes a place in the order and does nothing: markers, barriers, empty launches.
    Marker,
    /// Moves bytes to the queue's device before the command starts, and does nothing else.
    Migrate {
        mems: Vec<MemObject>,
        migration: Migration,
    },
    /// Reads a buffer: from the device to the application.
    Read {
        mem: Ref<Buffer>,
        from: Rect,
        to: Operand,
    },
    /// Writes a buffer: from the application to the device.
    Write {
        mem: Ref<Buffer>,
        from: Operand,
        to: Rect,
    },
    /// Application to device, from bytes that were copied at enqueue, tightly packed.
    WriteOwned {
        mem: Ref<Buffer>,
        bytes: Vec<u8>,
        to: Rect,
    },
    /// Copies from buffer to buffer.
    Copy {
        source: Ref<Buffer>,
        from: Rect,
        target: Ref<Buffer>,
        to: Rect,
    },
    /// A repeated pattern; rows are a multiple of its length.
    Fill {
        mem: Ref<Buffer>,
        at: Rect,
        pattern: SmallVec<[u8; 16]>,
    },
    /// Device to the memory of a mapping, `to`.
    Map {
        mem: Ref<Buffer>,
        mapping: Mapping,
        to: Operand,
    },
    /// Staging memory of a mapping to the device.
    Unmap {
        mem: Ref<Buffer>,
        mapping: Mapping,
    },
    Image(Box<ImageCommand>),
    Launch(Box<Launch>),
    /// An ownership transfer of other APIs' memory.
    TransferOwnership {
        mems: Vec<Shared>,
        direction: Direction,
    },
    /// A wait for, or a signal of, semaphores that other APIs share.
    Semaphores {
        operation: Operation,
        semaphores: Vec<Arc<vk::Semaphore>>,
    },
}

impl Execute for Command {
    fn name(&self) -> &str {
        match self {
            Command::Marker => "marker",
            Command::Migrate { .. } => "migrate",
            Command::Read { .. } => "read",
            Command::Write { .. } | Command::WriteOwned { .. } => "write",
            Command::Copy { .. } => "copy",
            Command::Fill { .. } => "fill",
            Command::Map { .. } => "map",
            Command::Unmap { .. } => "unmap",
            Command::Image(command) => command.name(),
            Command::Launch(launch) => launch.name(),
            Command::TransferOwnership { direction: Direction::Acquire, .. } => "acquire",
            Command::TransferOwnership { direction: Direction::Release, .. } => "release",
            Command::Semaphores { operation: Operation::Wait, .. } => "wait",
            Command::Semaphores { operation: Operation::Signal, .. } => "signal",
        }
    }

    fn execute(&self, execution: &mut Execution<'_>) -> Result<Phase> {
        match self {
            Command::Marker | Command::Migrate { .. } => execution.mark(),
            Command::Read { mem, from, to } => execution.read(mem, from.shifted(mem.origin), to),
            Command::Write { mem, from, to } => execution.write(mem, from, to.shifted(mem.origin)),
            Command::WriteOwned { mem, bytes, to } => {
                let from = tight(&Rect { offset: bytes.as_ptr() as usize, ..*to });
                execution.write(mem, &Operand::own_source(from), to.shifted(mem.origin))
            }
            Command::Copy { source, from, target, to } => {
                let (from, to) = (from.shifted(source.origin), to.shifted(target.origin));
                execution.copy((source, &from), (target, &to))
            }
            Command::Fill { mem, at, pattern } => {
                execution.fill(mem, &at.shifted(mem.origin), pattern)
            }
            Command::Map { mem, mapping, to } => execution.map(mem, mapping, to),
            Command::Unmap { mem, mapping } => execution.unmap(mem, mapping),
            Command::Image(command) => command.execute(execution),
            Command::Launch(launch) => launch.execute(execution),
            Command::TransferOwnership { mems, direction } => {
                execution.transfer_ownership(mems, *direction)
            }
            Command::Semaphores { operation, semaphores } => {
                execution.exchange(*operation, semaphores)
            }
        }
    }

    fn uses(&self) -> Vec<RangeUse<'_>> {
        match self {
            Command::Marker | Command::Semaphores { .. } => Vec::new(),
            Command::Migrate { mems, migration } => {
                let effect = migration.effect();
                mems.iter().filter_map(|mem| Some(mem.whole(effect?))).collect()
            }
            Command::Read { mem, from, .. } => RangeUse::rect(mem, from, Effect::Read).collect(),
            Command::Write { mem, to, .. } | Command::WriteOwned { mem, to, .. } => {
                RangeUse::rect(mem, to, Effect::Overwrite).collect()
            }
            Command::Copy { source, from, target, to } => {
                let read = RangeUse::rect(source, from, Effect::Read);
                read.chain(RangeUse::rect(target, to, Effect::Overwrite)).collect()
            }
            Command::Fill { mem, at, .. } => RangeUse::rect(mem, at, Effect::Overwrite).collect(),
            Command::Map { mem, mapping, .. } if mapping.reads() => {
                vec![RangeUse::new(mem, mapping.offset, mapping.size, Effect::Read)]
            }
            Command::Unmap { mem, mapping } if mapping.writes() => {
                vec![RangeUse::new(mem, mapping.offset, mapping.size, Effect::Overwrite)]
            }
            Command::Map { .. } | Command::Unmap { .. } => Vec::new(),
            Command::Image(command) => command.uses(),
            Command::Launch(launch) => launch.uses(),
            Command::TransferOwnership { mems, direction } => {
                ownership::uses(mems, *direction).collect()
            }
        }
    }

    fn may_reach(&self, memory: &Allocation) -> bool {
        let is_in = |mem: &Buffer| mem.only_buffer().is_some_and(|buffer| memory.has(buffer));
        match self {
            Command::Marker
            | Command::Migrate { .. }
            | Command::TransferOwnership { .. }
            | Command::Semaphores { .. } => false,
            Command::Read { mem, to: host, .. } | Command::Write { mem, from: host, .. } => {
                is_in(mem) || host.reaches(memory)
            }
            Command::WriteOwned { mem, .. }
            | Command::Fill { mem, .. }
            | Command::Map { mem, .. }
            | Command::Unmap { mem, .. } => is_in(mem),
            Command::Copy { source, target, .. } => is_in(source) || is_in(target),
            Command::Image(command) => command.may_reach(memory),
            Command::Launch(launch) => launch.may_reach(memory),
        }
    }

    fn host_source(&self) -> Option<(usize, usize)> {
        match self {
            Command::Write { from, .. } => Some(from.span()),
            Command::Unmap { mapping, .. } if mapping.is_copy() => {
                Some((mapping.pointer.0, mapping.pointer.0 + mapping.size))
            }
            Command::Image(command) => command.host_source(),
            _ => None,
        }
    }

    fn needs_host_bytes(&self) -> bool {
        match self {
            Command::Write { from, .. } => !from.is_own(),
            Command::WriteOwned { .. } => false,
            Command::Image(command) => command.needs_host_bytes(),
            _ => true,
        }
    }

    fn take_host_bytes(&mut self) -> bool {
        match self {
            Command::Write { mem, from, to } => {
                let (start, end) = from.span();
                // If a write to these bytes is pending, they do not have their values yet.
                if !from.is_own() || mem.context.host_writes.reach(start, end) {
                    return false;
                }
                let bytes = bytes_of(&from.rect);
                *self = Command::WriteOwned { mem: mem.clone(), bytes, to: *to };
                true
            }
            Command::Image(command) => command.take_host_bytes(),
            _ => false,
        }
    }

    fn cancel(&self) {
        match self {
            Command::Read { to, .. } | Command::Map { to, .. } => to.cancel(),
            Command::Image(command) => command.cancel(),
            _ => {}
        }
    }
}

/// Returns the bytes of a box in the application's memory. The memory is valid: the function that enqueues the command has not
/// returned.
fn bytes_of(from: &Rect) -> Vec<u8> {
    let packed = Rect { offset: 0, ..tight(from) };
    let mut bytes = vec![0; from.bytes()];
    for run in runs(from, &packed) {
        let target = &mut bytes[run.to..run.to + run.size];
        // SAFETY: clEnqueueWriteBuffer, which has not returned, names this memory.
        unsafe { HostAddress(run.from).copy_to(target) };
    }
    bytes
}
