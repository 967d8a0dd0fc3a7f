//! Recording: a prepared launch becomes dispatches of a batch or command buffer, whole or in parts.

use super::prepare::{Grid, Prepared, Push};
use super::reach::Object;
use crate::core::memory::image::shadow::{self};
use crate::core::printf::Printer;
use hekla_vk_backend as vk;
use std::any::Any;
use std::sync::Arc;

/// A part of a launch: a box of a grid's work-groups.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The index of the grid in the launch.
    pub grid: usize,
    /// The ids of the part's first work-group.
    pub first: [u32; 3],
    pub groups: [u32; 3],
    pub items_of_group: u64,
}

impl Part {
    /// Returns the number of work-items in the part.
    pub fn items(&self) -> u64 {
        self.groups.iter().fold(self.items_of_group, |all, count| all * u64::from(*count))
    }
}

/// Something that the device keeps while the launch runs.
type KeptAlive = Arc<dyn Any + Send + Sync>;

impl Prepared<'_> {
    /// Makes the driver compile the launch's pipelines, if it would otherwise compile at the first dispatch.
    pub(super) fn compile(&self, recorder: &mut vk::Recorder) {
        for grid in &self.grids {
            recorder.compile(&grid.pipeline);
        }
    }

    /// Returns the grids, each as one part.
    pub fn whole(&self) -> impl Iterator<Item = Part> + '_ {
        self.grids.iter().enumerate().map(|(grid, Grid { groups, items, .. })| Part {
            grid,
            first: [0; 3],
            groups: *groups,
            items_of_group: *items,
        })
    }

    /// Appends the launch to a command buffer, with no barrier between its dispatches.
    pub fn append(&self, printer: &Printer, recorder: &mut vk::Recorder) {
        self.append_parts(printer, recorder, self.whole(), [true; 2]);
    }

    /// Appends parts of the launch. `first`, `last`: true if the launch's first or last part is among them; commands that must
    /// run before the launch or behind it are then appended, too (for shadows and `printf`). Parts that are not whole grids are
    /// for devices that allow them.
    pub fn append_parts(
        &self,
        printer: &Printer,
        recorder: &mut vk::Recorder,
        parts: impl IntoIterator<Item = Part>,
        [first, last]: [bool; 2],
    ) {
        if let Some(shadowed) = self.shadowed.as_ref().filter(|_| first) {
            shadow::load(&shadowed.uses, recorder);
        }
        if let Some(buffer) = &self.printf {
            if first {
                printer.clear(recorder, buffer, self.table.as_ref());
                if let Some(capture) = &self.capture {
                    capture.record(recorder);
                }
            }
            recorder.retain(buffer.clone());
        }
        for Part { grid, first, groups, .. } in parts {
            let Some(Grid { pipeline, push, .. }) = self.grids.get(grid) else { continue };
            let address: [u8; 8];
            let push = match push {
                Push::Arguments => &self.launch.arguments[..],
                Push::Patched(arguments) => arguments,
                Push::Address(at, piece) => {
                    recorder.retain(piece.clone());
                    address = at.to_le_bytes();
                    &address
                }
            };
            // SAFETY: the application vouches for what its kernel accesses through the buffers and addresses that it
            // set (OpenCL API 5.8); those that the launch names are retained below.
            unsafe { recorder.dispatch_part(pipeline, push, first, groups) };
        }
        if let Some(shadowed) = self.shadowed.as_ref().filter(|_| last) {
            shadow::store(&shadowed.uses, recorder);
            shadowed.slots.iter().for_each(|slot| recorder.retain(slot.clone()));
        }
        let kept = self.launch.objects.iter().filter_map(|object| -> Option<KeptAlive> {
            match object {
                Object::Buffer { bytes, .. } => Some(bytes.clone()),
                Object::Image { slot, .. } => Some(slot.clone()),
                Object::Shadowed { .. } => None,
            }
        });
        recorder.retain_all(kept);
        self.launch.others.iter().for_each(|buffer| recorder.retain(buffer.clone()));
    }
}
