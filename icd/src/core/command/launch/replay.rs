//! What a launch of a kernel that looks for its own mistakes keeps to be run again in an interpreter (`HEKLA_CHECK_REPLAY`).

use super::prepare::{Prepared, Push};
use super::reach::{place_in, Object};
use crate::cl::error::Result;
use crate::config;
use crate::core::command::replay::{Argument, Capture, Dispatch, Kept, KeptImage};
use crate::core::program::pipelines::PipelineKey;
use crate::core::program::shape::Dispatches;
use crate::core::queue::Queue;
use hekla_compiler::kernel::{image_word, ArgKind, Field, ImageAccess, ImageDim};
use hekla_vk_backend as vk;
use std::sync::Arc;

impl Prepared<'_> {
    /// Makes room of at most `most` bytes for what the launch needs to be run again, if that is asked for and its kernel has
    /// checks.
    pub fn keep_for_replay(&mut self, queue: &Queue, most: u64) -> Result<()> {
        self.capture = self.new_capture(queue, most)?.map(Arc::new);
        Ok(())
    }

    /// Returns what the launch keeps to be run again.
    pub fn capture(&self) -> Option<Arc<Capture>> {
        self.capture.clone()
    }

    /// Returns room for what the launch needs to be run again; `None` if that is not asked for, or its kernel has no checks.
    fn new_capture(&self, queue: &Queue, most: u64) -> Result<Option<Capture>> {
        let (launch, kernel) = (self.launch, &self.launch.kernel);
        if self.table.is_none() || config::replays().is_none() {
            return Ok(None);
        }
        let mut kept: Vec<Kept> = self.reached(queue)?.iter().map(whole).collect();
        let images = self.images();
        for KeptImage { seen, .. } in &images {
            if let vk::SeenPlace::Buffer(buffer, ..) = &seen.place {
                kept.push(whole(buffer));
            }
        }
        let mut dispatches = Vec::new();
        for (grid, (key, base)) in self.grids.iter().zip(self.keys()) {
            let push = match &grid.push {
                Push::Arguments => launch.arguments.to_vec(),
                Push::Patched(arguments) => arguments.to_vec(),
                Push::Address(at, piece) => {
                    let offset = at - piece.buffer.address();
                    let size = launch.arguments.len() as u64;
                    kept.push(Kept { buffer: piece.buffer.clone(), offset, size });
                    at.to_le_bytes().to_vec()
                }
            };
            let (local, groups) = (key.local_size, grid.groups);
            dispatches.push(Dispatch {
                base,
                local,
                groups,
                constants: key.constants().to_vec(),
                push,
            });
        }
        Capture::new(kernel.clone(), dispatches, self.arguments(), (apart(kept), images), most)
    }

    fn arguments(&self) -> Vec<Argument> {
        let kernel = &self.launch.kernel.kernel;
        let args = kernel.args.iter().enumerate().zip(&self.launch.extents);
        let described = args.map(|((index, arg), memory)| {
            let mut fields = kernel.argument_fields.iter();
            let field = fields.find(|it| it.field == Field::Arg(index as u32));
            let field = field.zip(arg.kind.field_size());
            Argument {
                name: arg.name.clone(),
                field: field.map_or((0, 0), |(field, size)| (field.offset, size)),
                memory: if memory.0 == 0 { (0, 0) } else { *memory },
            }
        });
        described.collect()
    }

    /// Returns the images among the arguments, with the argument's name.
    fn images(&self) -> Vec<KeptImage> {
        let (launch, kernel) = (self.launch, &self.launch.kernel.kernel);
        let shadowed = self.shadowed.as_deref();
        let own = launch.objects.iter().filter_map(|object| match object {
            Object::Image { slot, .. } => Some(slot),
            _ => None,
        });
        let slots: Vec<&Arc<vk::Slot>> =
            own.chain(shadowed.iter().flat_map(|it| &it.slots)).collect();
        let mut images: Vec<KeptImage> = Vec::new();
        for entry in &kernel.argument_fields {
            let Field::Arg(index) = entry.field else { continue };
            let Some(arg) = kernel.args.get(index as usize) else { continue };
            let ArgKind::Image { dim, access, .. } = arg.kind else { continue };
            let at = entry.offset as usize;
            let late = shadowed.and_then(|it| it.words.iter().find(|(place, _)| *place == at));
            let word = match late {
                Some((_, word)) => Some(*word),
                None => launch
                    .arguments
                    .get(at..at + 4)
                    .and_then(|bytes| bytes.try_into().ok().map(u32::from_le_bytes)),
            };
            let writes = access != ImageAccess::ReadOnly;
            let binding = match (dim == ImageDim::D1Buffer, writes) {
                (false, false) => vk::Binding::SampledImage,
                (false, true) => vk::Binding::StorageImage,
                (true, false) => vk::Binding::UniformTexelBuffer,
                (true, true) => vk::Binding::StorageTexelBuffer,
            };
            let number = word.map(|word| word & ((1 << image_word::SLOT_BITS) - 1));
            let mut slots = slots.iter();
            let slot = slots.find(|it| it.binding() == binding && Some(it.index()) == number);
            let seen = slot.into_iter().flat_map(|slot| slot.seen());
            let (name, binding) = (&arg.name, binding.number());
            images.extend(seen.map(|seen| KeptImage { name: name.clone(), binding, seen }));
        }
        images
    }

    /// Returns the memory that the launch may reach.
    fn reached(&self, queue: &Queue) -> Result<Vec<Arc<vk::Buffer>>> {
        let launch = self.launch;
        let own = launch.objects.iter().filter_map(|object| match object {
            Object::Buffer { bytes, .. } => Some(bytes.clone()),
            _ => None,
        });
        let mut reached: Vec<Arc<vk::Buffer>> = own.chain(launch.others.iter().cloned()).collect();
        // Devices that share memory have buffers of their own at one address.
        let shared = (queue.context.devices.len() == 1).then_some(&queue.context.svm);
        for (address, size) in shared.iter().flat_map(|shared| shared.ranges()) {
            let found = shared.and_then(|shared| shared.find(address as usize));
            let buffers = found.into_iter().flat_map(|(it, _)| it.block.buffers.clone());
            let mut inside = buffers.filter(|buffer| place_in(buffer, address, size).is_some());
            reached.extend(inside.next());
        }
        reached.extend(queue.context.printer.given(queue.device_index));
        reached.extend(self.printf.clone());
        reached.push(launch.data().copy()?.buffer.clone());
        Ok(reached)
    }

    /// Returns the key of each grid's pipeline, and the global id of its first work-item.
    fn keys(&self) -> Vec<(PipelineKey, [u64; 3])> {
        let shape = &self.launch.shape;
        match &shape.dispatches {
            Dispatches::One(_) => vec![(shape.key.clone(), shape.range.offset)],
            Dispatches::Several(dispatches) => {
                let key = |it: &_| (shape.key_of(it), it.global_base);
                dispatches.iter().map(key).collect()
            }
        }
    }
}

fn whole(buffer: &Arc<vk::Buffer>) -> Kept {
    Kept { buffer: buffer.clone(), offset: 0, size: buffer.size() }
}

/// Returns pieces of memory without those that begin within another one.
fn apart(mut kept: Vec<Kept>) -> Vec<Kept> {
    let start = |it: &Kept| it.buffer.address() + it.offset;
    kept.sort_by_key(|it| (start(it), u64::MAX - it.size));
    let mut end = 0;
    kept.retain(|it| {
        let is_apart = start(it) >= end;
        if is_apart {
            end = start(it) + it.size;
        }
        is_apart
    });
    kept
}
