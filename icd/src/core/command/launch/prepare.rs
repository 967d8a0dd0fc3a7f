//! Preparation: a launch's pipelines, and the push constants of its dispatches.

use super::arguments::{put, put_u64x3, ArgumentBuffer};
use super::reach::Object;
use super::Launch;
use crate::cl::error::Result;
use crate::core::check::Table;
use crate::core::command::replay::Capture;
use crate::core::device::staging::{Arena, Staging};
use crate::core::memory::image::shadow::{self, ShadowUse};
use crate::core::memory::reservation::Effect;
use crate::core::program::ndrange::Dispatch;
use crate::core::program::shape::Dispatches;
use crate::core::queue::Queue;
use hekla_compiler::kernel::Field;
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A dispatch ready to be recorded.
pub(super) struct Grid {
    pub(super) pipeline: Arc<vk::Pipeline>,
    pub(super) push: Push,
    pub(super) groups: [u32; 3],
    /// Work-items of a work-group.
    pub(super) items: u64,
}

/// The push constants of a dispatch.
pub(super) enum Push {
    /// The launch's kernel-argument buffer.
    Arguments,
    /// A kernel-argument buffer of its own.
    Patched(Box<ArgumentBuffer>),
    /// The device address of the dispatch's kernel-argument buffer, and the memory that holds the buffer.
    Address(u64, Arc<Staging>),
}

/// A launch ready to be recorded: its dispatches, and the objects that they use.
pub struct Prepared<'a> {
    pub(super) launch: &'a Launch,
    pub(super) grids: SmallVec<[Grid; 1]>,
    pub(super) printf: Option<Arc<vk::Buffer>>,
    /// The table of extents, for a kernel that looks for its own mistakes.
    pub(super) table: Option<Table>,
    /// Where the launch keeps what it needs to be run again.
    pub(super) capture: Option<Arc<Capture>>,
    pub(super) shadowed: Option<Box<Shadowed>>,
}

/// The shadows that a launch uses.
#[derive(Default)]
pub(super) struct Shadowed {
    /// The words by which the kernel knows the shadows, each with its offset in the kernel-argument buffer.
    pub(super) words: Vec<(usize, u32)>,
    pub(super) slots: Vec<Arc<vk::Slot>>,
    pub(super) uses: Vec<ShadowUse>,
}

/// The sources of the fields of the kernel-argument buffer that are known only when the launch is recorded.
struct LateFields<'a> {
    printf: Option<&'a Arc<vk::Buffer>>,
    shadowed: Option<&'a Shadowed>,
}

impl LateFields<'_> {
    fn is_empty(&self) -> bool {
        self.printf.is_none() && self.shadowed.is_none()
    }
}

impl Launch {
    /// Returns the launch ready to be recorded on the queue's device. `upload` gives memory to kernel-argument buffers that do
    /// not fit push constants; `printf` is the buffer for the kernel's output. `replayed`: the launch becomes part of a
    /// recording.
    pub fn prepare(
        &self,
        queue: &Queue,
        upload: &mut Arena,
        printf: Option<Arc<vk::Buffer>>,
        replayed: bool,
    ) -> Result<Prepared<'_>> {
        let shadowed = self.shadowed(queue, replayed)?;
        let has_table = printf.is_some() && queue.context.printer.has_checks();
        let table = has_table.then(|| self.table(queue, replayed));
        let mut prepared = Prepared {
            launch: self,
            grids: SmallVec::new(),
            printf,
            table,
            capture: None,
            shadowed,
        };
        let late =
            LateFields { printf: prepared.printf.as_ref(), shadowed: prepared.shadowed.as_deref() };
        match &self.shape.dispatches {
            Dispatches::One(groups) => {
                let changed = self.shape.key.has_global_offset || !late.is_empty();
                let patched =
                    changed.then(|| self.patched([self.shape.range.offset, [0; 3]], &late));
                let pipeline = self.shape.pipeline(&self.kernel)?;
                prepared.grids.push(Grid {
                    pipeline,
                    push: self.push(upload, patched)?,
                    groups: *groups,
                    items: items(self.shape.key.local_size),
                });
            }
            Dispatches::Several(dispatches) => {
                for dispatch @ Dispatch { local, groups, global_base, group_base, .. } in dispatches
                {
                    let bases = [*global_base, *group_base];
                    let pipeline = self.kernel.pipeline(&self.shape.key_of(dispatch))?;
                    let push = self.push(upload, Some(self.patched(bases, &late)))?;
                    let items = items(*local);
                    prepared.grids.push(Grid { pipeline, push, groups: *groups, items });
                }
            }
        }
        Ok(prepared)
    }

    /// Returns the shadows of a launch on a queue, if it uses any. `replayed`: the launch becomes part of a recording.
    fn shadowed(&self, queue: &Queue, replayed: bool) -> Result<Option<Box<Shadowed>>> {
        let owner = (!replayed).then_some(&queue.vk);
        let mut shadowed: Option<Box<Shadowed>> = None;
        for object in &self.objects {
            let Object::Shadowed { image, effect, at } = object else { continue };
            let writes = *effect == Effect::Modify;
            let bound = image.bind_shadow(queue.device_index, writes, owner)?;
            let shadowed = shadowed.get_or_insert_with(Box::default);
            shadowed.words.push((*at, bound.word));
            shadowed.slots.push(bound.slot);
            shadow::add(&mut shadowed.uses, bound.shadow);
        }
        Ok(shadowed)
    }

    /// Returns the kernel-argument buffer with the fields that are known only when a dispatch is recorded.
    fn patched(
        &self,
        [global_base, group_base]: [[u64; 3]; 2],
        LateFields { printf, shadowed }: &LateFields<'_>,
    ) -> ArgumentBuffer {
        let mut arguments = self.arguments.clone();
        for (at, word) in shadowed.iter().flat_map(|shadowed| &shadowed.words) {
            put(&mut arguments, *at, &word.to_le_bytes());
        }
        for entry in &self.kernel.kernel.argument_fields {
            let at = entry.offset as usize;
            match (entry.field, printf) {
                (Field::GlobalBase, _) => put_u64x3(&mut arguments, at, global_base),
                (Field::GroupBase, _) => put_u64x3(&mut arguments, at, group_base),
                (Field::PrintfBuffer, Some(buffer)) => {
                    put(&mut arguments, at, &buffer.address().to_le_bytes());
                }
                _ => {}
            }
        }
        arguments
    }

    /// Returns the push constants of a dispatch. `patched`: the dispatch's own kernel-argument buffer, if it does not use the
    /// launch's.
    fn push(&self, upload: &mut Arena, patched: Option<ArgumentBuffer>) -> Result<Push> {
        if self.kernel.kernel.arguments_in_push_constants || self.arguments.is_empty() {
            let patched = patched.map(|arguments| Push::Patched(Box::new(arguments)));
            return Ok(patched.unwrap_or(Push::Arguments));
        }
        let arguments = patched.as_ref().unwrap_or(&self.arguments);
        let (piece, offset) = upload.take(arguments.len() as u64)?;
        // SAFETY: the piece of staging memory is this launch's alone.
        unsafe { piece.buffer.write(offset, arguments) }?;
        Ok(Push::Address(piece.buffer.address() + offset, piece))
    }
}

/// Returns the number of work-items of a work-group.
fn items(local: [u32; 3]) -> u64 {
    local.iter().map(|size| u64::from(*size)).product()
}
