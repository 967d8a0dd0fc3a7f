//! The commands on images. Commands on an image whose texels are a buffer's bytes become commands on the buffer.

pub mod copy;
mod map;
mod transfer;

use super::transfer::tight;
use crate::cl::error::Result;
use crate::core::context::svm::Allocation;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::mapping::ImageMapping;
use crate::core::memory::image::Image;
use crate::core::memory::operand::Operand;
use crate::core::memory::rect::Rect;
use crate::core::memory::reservation::{Effect, RangeUse};
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::core::queue::Queue;
use crate::object::Ref;
use copy::ImageCopy;
use hekla_vk_backend::ImageBox;
use smallvec::SmallVec;

/// A command on images.
pub enum ImageCommand {
    /// Reads texels: from the device to the application.
    Read {
        image: Ref<Image>,
        from: ImageBox,
        to: Operand,
    },
    /// Writes texels: from the application to the device.
    Write {
        image: Ref<Image>,
        from: Operand,
        to: ImageBox,
    },
    /// Application to device, from bytes that were copied at enqueue, closely packed; `from` is the box in these bytes.
    WriteOwned {
        image: Ref<Image>,
        bytes: Vec<u8>,
        from: Rect,
        to: ImageBox,
    },
    /// Image to image, to a box of the same size.
    Copy {
        source: Ref<Image>,
        from: ImageBox,
        target: Ref<Image>,
        to: ImageBox,
    },
    /// Image to texels in a buffer.
    ToBuffer {
        source: Ref<Image>,
        from: ImageBox,
        target: Ref<Buffer>,
        to: Rect,
    },
    FromBuffer {
        source: Ref<Buffer>,
        from: Rect,
        target: Ref<Image>,
        to: ImageBox,
    },
    /// Fills a box with a texel.
    Fill {
        image: Ref<Image>,
        at: ImageBox,
        texel: SmallVec<[u8; 16]>,
    },
    /// Device to `to`, the memory of a mapping.
    Map {
        image: Ref<Image>,
        mapping: ImageMapping,
        to: Operand,
    },
    /// Memory of a mapping to the device.
    Unmap {
        image: Ref<Image>,
        mapping: ImageMapping,
    },
}

impl ImageCommand {
    /// Returns the name of the command in the trace.
    pub fn name(&self) -> &'static str {
        match self {
            ImageCommand::Read { .. } => "read image",
            ImageCommand::Write { .. } | ImageCommand::WriteOwned { .. } => "write image",
            ImageCommand::Copy { .. } => "copy image",
            ImageCommand::ToBuffer { .. } => "copy image to buffer",
            ImageCommand::FromBuffer { .. } => "copy buffer to image",
            ImageCommand::Fill { .. } => "fill image",
            ImageCommand::Map { .. } => "map image",
            ImageCommand::Unmap { .. } => "unmap image",
        }
    }

    pub fn execute(&self, execution: &mut Execution<'_>) -> Result<Phase> {
        match self {
            ImageCommand::Read { image, from, to } => execution.read_image(image, *from, to),
            ImageCommand::Write { image, from, to } => execution.write_image(image, from, *to),
            ImageCommand::WriteOwned { image, bytes, from, to } => {
                let from = Rect { offset: bytes.as_ptr() as usize, ..*from };
                execution.write_image(image, &Operand::own_source(from), *to)
            }
            ImageCommand::Copy { source, from, target, to } => {
                let copy = ImageCopy::images(execution.queue, (source, *from), (target, *to))?;
                Ok(execution.copy_image(&copy))
            }
            ImageCommand::ToBuffer { source, from, target, to } => {
                let target = (&**target, *to);
                let copy = ImageCopy::to_buffer(execution.queue, (source, *from), target)?;
                Ok(execution.copy_image(&copy))
            }
            ImageCommand::FromBuffer { source, from, target, to } => {
                let source = (&**source, *from);
                let copy = ImageCopy::from_buffer(execution.queue, source, (target, *to))?;
                Ok(execution.copy_image(&copy))
            }
            ImageCommand::Fill { image, at, texel } => {
                let (queue, upload) = (execution.queue, &mut execution.state.upload);
                let copy = ImageCopy::fill(queue, upload, (image, *at), texel)?;
                Ok(execution.copy_image(&copy))
            }
            ImageCommand::Map { image, mapping, to } => execution.map_image(image, mapping, to),
            ImageCommand::Unmap { image, mapping } => execution.unmap_image(image, mapping),
        }
    }

    /// Returns true if the command may use memory of an allocation.
    pub fn may_reach(&self, memory: &Allocation) -> bool {
        match self {
            ImageCommand::Read { to: host, .. }
            | ImageCommand::Map { to: host, .. }
            | ImageCommand::Write { from: host, .. } => host.reaches(memory),
            ImageCommand::ToBuffer { target: mem, .. }
            | ImageCommand::FromBuffer { source: mem, .. } => {
                mem.only_buffer().is_some_and(|buffer| memory.has(buffer))
            }
            ImageCommand::WriteOwned { .. }
            | ImageCommand::Copy { .. }
            | ImageCommand::Fill { .. }
            | ImageCommand::Unmap { .. } => false,
        }
    }

    /// Returns the command ready to be recorded into a command buffer; `None` for commands of which the host does a part.
    pub fn prepare(
        &self,
        queue: &Queue,
        upload: &mut crate::core::device::staging::Arena,
    ) -> Result<Option<ImageCopy>> {
        Ok(Some(match self {
            ImageCommand::Copy { source, from, target, to } => {
                ImageCopy::images(queue, (source, *from), (target, *to))?
            }
            ImageCommand::ToBuffer { source, from, target, to } => {
                ImageCopy::to_buffer(queue, (source, *from), (target, *to))?
            }
            ImageCommand::FromBuffer { source, from, target, to } => {
                ImageCopy::from_buffer(queue, (source, *from), (target, *to))?
            }
            ImageCommand::Fill { image, at, texel } => {
                ImageCopy::fill(queue, upload, (image, *at), texel)?
            }
            _ => return Ok(None),
        }))
    }

    /// Returns the memory that the command uses. A write to some of an image's texels keeps the others, so it is a
    /// modification.
    pub fn uses(&self) -> Vec<RangeUse<'_>> {
        // The bytes between the rows of an image in a buffer must not change either.
        let changed = |image: &'_ Image, at: &ImageBox| match image.is_whole(at)
            && image.buffer().is_none()
        {
            true => Effect::Overwrite,
            false => Effect::Modify,
        };
        match self {
            ImageCommand::Read { image, .. } => vec![image.whole(Effect::Read)],
            ImageCommand::Write { image, to: at, .. }
            | ImageCommand::WriteOwned { image, to: at, .. }
            | ImageCommand::Fill { image, at, .. } => vec![image.whole(changed(image, at))],
            ImageCommand::Copy { source, target, to, .. } => {
                vec![source.whole(Effect::Read), target.whole(changed(target, to))]
            }
            ImageCommand::ToBuffer { source, target, to, .. } => {
                let read = std::iter::once(source.whole(Effect::Read));
                read.chain(RangeUse::rect(target, to, Effect::Overwrite)).collect()
            }
            ImageCommand::FromBuffer { source, from, target, to } => {
                let written = std::iter::once(target.whole(changed(target, to)));
                written.chain(RangeUse::rect(source, from, Effect::Read)).collect()
            }
            ImageCommand::Map { image, mapping, .. } if mapping.reads() => {
                vec![image.whole(Effect::Read)]
            }
            ImageCommand::Unmap { image, mapping } if mapping.writes() => {
                vec![image.whole(changed(image, &mapping.at))]
            }
            ImageCommand::Map { .. } | ImageCommand::Unmap { .. } => Vec::new(),
        }
    }

    /// Returns the range of the application's memory that the command reads when it starts: first address and end.
    pub fn host_source(&self) -> Option<(usize, usize)> {
        match self {
            ImageCommand::Write { from, .. } => Some(from.span()),
            ImageCommand::Unmap { mapping, .. } if mapping.writes() => Some(mapping.span()),
            _ => None,
        }
    }

    /// Returns true if the command needs the application's memory after it has started.
    pub fn needs_host_bytes(&self) -> bool {
        match self {
            ImageCommand::Write { from, .. } => !from.is_own(),
            ImageCommand::WriteOwned { .. } => false,
            _ => true,
        }
    }

    /// Copies the bytes of a write before it starts; returns true if the application may then reuse its memory.
    pub fn take_host_bytes(&mut self) -> bool {
        let ImageCommand::Write { image, from, to } = self else { return false };
        let (start, end) = from.span();
        // If a write to these bytes is pending, they do not have their values yet.
        if !from.is_own() || image.context.host_writes.reach(start, end) {
            return false;
        }
        let (bytes, packed) = (super::bytes_of(&from.rect), tight(&from.rect));
        *self = ImageCommand::WriteOwned { image: image.clone(), bytes, from: packed, to: *to };
        true
    }

    /// Prevents all further writes of the command to the application's memory, since the command has failed.
    pub fn cancel(&self) {
        if let ImageCommand::Read { to, .. } | ImageCommand::Map { to, .. } = self {
            to.cancel();
        }
    }
}

impl Execution<'_> {
    fn copy_image(&mut self, copy: &ImageCopy) -> Phase {
        let value = self.record(|recorder| copy.append(recorder));
        Phase::Recorded { first: value, last: value }
    }
}
