//! Acquiring and releasing objects of OpenGL (cl_khr_gl_sharing). Memory that OpenGL and Vulkan share changes its owner, like
//! the memory of other APIs. The contents of other objects are copied by the host: from OpenGL when they are acquired, and back
//! when they are released.
//!
//! Such a copy is enqueued as two markers. The first marker's completion starts the copy on a thread of its own; the second
//! marker waits for the copy as for a user event.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::{room, *};
use crate::core::command::host_part::{end, hold_back, marker, on_thread};
use crate::core::command::ownership::{Direction, Shared};
use crate::core::command::Command;
use crate::core::device::image_copy::{parts_of_image, size_of};
use crate::core::gl::{Fence, Object, Sharing};
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::Image;
use crate::core::memory::object::MemObject;
use crate::core::memory::properties::Origin;
use crate::core::memory::reservation::{Effect, Target};
use crate::core::process::clock;
use crate::core::queue::effects::Effects;
use crate::core::queue::event::Event;
use crate::core::queue::{Queue, Request};
use crate::object::Ref;
use std::sync::Arc;

/// Copies of objects that start when the queue's marker is complete.
struct Waiting {
    queue: Ref<Queue>,
    sharing: Arc<Sharing>,
    mems: Vec<MemObject>,
    direction: Direction,
    /// A fence behind OpenGL's last commands on the objects, if they are acquired.
    fence: Option<Fence>,
    event: Ref<Event>,
}

impl Waiting {
    /// Starts the copies when the marker before them has ended with `status`. Returns the effects of the event's end if the
    /// copies cannot be made.
    fn begin(self, status: cl_int) -> Effects {
        let event = self.event.clone();
        on_thread("hekla-gl-copy", &event, status, move || self.run())
    }

    /// Makes the copies on this thread, and runs the effects of their end.
    fn run(mut self) {
        let begun = clock::now();
        let status = self.copy().map_or_else(|error| error.0, |()| CL_COMPLETE);
        let Waiting { queue, event, mems, sharing, .. } = self;
        end(event, begun, status, (queue, mems, sharing));
    }

    fn copy(&mut self) -> Result<()> {
        if let Some(fence) = self.fence.take() {
            self.sharing.ask(move |gl| {
                fence.wait(gl);
                Ok(())
            })?;
        }
        let effect = match self.direction {
            Direction::Acquire => Effect::Overwrite,
            Direction::Release => Effect::Read,
        };
        self.mems.iter().try_for_each(|mem| {
            let object = mem.gl.as_ref().ok_or(ClError(CL_INVALID_GL_OBJECT))?.object;
            if self.direction == Direction::Acquire {
                let bytes = self.sharing.ask(move |gl| gl.read(&object))?;
                return self.with_memory(mem, effect, |memory| memory.write(&bytes));
            }
            if object.is_read_only() {
                return Ok(());
            }
            let bytes = self.with_memory(mem, effect, |memory| memory.read(&object))?;
            self.sharing.ask(move |gl| gl.write(&object, &bytes))
        })
    }

    /// Runs `f` with an object's memory on the queue's device, which holds the contents.
    fn with_memory<T>(
        &self,
        mem: &MemObject,
        effect: Effect,
        f: impl FnOnce(Memory<'_>) -> Result<T>,
    ) -> Result<T> {
        let target = Target { context: &self.queue.context, device: self.queue.device_index };
        // The reservation lasts until the copy is made.
        let uses = [mem.whole(effect)];
        let _reservation = target.reserve(None, &uses)?;
        match mem {
            MemObject::Buffer(buffer) => f(Memory::Bytes(&self.queue, buffer)),
            MemObject::Image(image) => f(match image.buffer() {
                Some(buffer) => Memory::Bytes(&self.queue, buffer),
                None => Memory::Texels(&self.queue, image),
            }),
            MemObject::Pipe(_) => fail(CL_INVALID_GL_OBJECT),
        }
    }
}

/// The memory of an object that no command uses.
enum Memory<'a> {
    Bytes(&'a Queue, &'a Buffer),
    Texels(&'a Queue, &'a Image),
}

impl Memory<'_> {
    /// Replaces the contents of the memory.
    fn write(&self, bytes: &[u8]) -> Result<()> {
        match self {
            Memory::Bytes(queue, buffer) => {
                ensure!(bytes.len() <= buffer.size, CL_INVALID_GL_OBJECT);
                let memory = buffer.on_device(queue.device_index)?;
                queue.gpu.write_now(&memory, buffer.origin as u64, bytes)
            }
            Memory::Texels(queue, image) => {
                let texels = image.on_device(queue.device_index)?;
                let mut rest = bytes;
                for part in parts_of_image(&texels) {
                    let size = size_of(&texels, part) as usize;
                    ensure!(size <= rest.len(), CL_INVALID_GL_OBJECT);
                    let (now, later) = rest.split_at(size);
                    queue.gpu.write_image(&texels, part, now)?;
                    rest = later;
                }
                Ok(())
            }
        }
    }

    /// Returns the contents, as many bytes as the object of OpenGL has.
    fn read(&self, object: &Object) -> Result<Vec<u8>> {
        let mut bytes = room::zeros(object.bytes())?;
        match self {
            Memory::Bytes(queue, buffer) => {
                ensure!(bytes.len() <= buffer.size, CL_INVALID_GL_OBJECT);
                let memory = buffer.on_device(queue.device_index)?;
                queue.gpu.read_now(&memory, buffer.origin as u64, &mut bytes)?;
            }
            Memory::Texels(queue, image) => {
                let texels = image.on_device(queue.device_index)?;
                let mut rest = &mut bytes[..];
                for part in parts_of_image(&texels) {
                    let size = size_of(&texels, part) as usize;
                    ensure!(size <= rest.len(), CL_INVALID_GL_OBJECT);
                    let (now, later) = rest.split_at_mut(size);
                    queue.gpu.read_image(&texels, part, now)?;
                    rest = later;
                }
            }
        }
        Ok(bytes)
    }
}

/// Ends an event on drop, whether its work was done or, at the end of a display, never will be.
struct Settled(Ref<Event>);

impl Drop for Settled {
    fn drop(&mut self) {
        self.0.complete_user_event(CL_COMPLETE).into_iter().for_each(Effects::run);
    }
}

impl Ref<Queue> {
    /// Enqueues the transfer that acquires or releases objects of OpenGL: a copy or, for memory that is shared, a transfer of
    /// ownership. Commands may use the objects after they are acquired and until they are released. Returns the event.
    pub fn enqueue_gl(
        &self,
        sharing: Arc<Sharing>,
        mems: Vec<MemObject>,
        direction: Direction,
        waits: Vec<Ref<Event>>,
    ) -> Result<Ref<Event>> {
        let all = mems.clone();
        let shared = |mem: &MemObject| Shared::of(mem.clone(), Origin::Gl);
        let (direct, copied): (Vec<_>, Vec<_>) =
            mems.into_iter().partition(|mem| shared(mem).is_some());
        let event = match direct.is_empty() {
            true => self.enqueue_gl_copies(sharing, copied, direction, waits)?,
            false => {
                let mut waits = waits;
                if !copied.is_empty() {
                    let first =
                        self.enqueue_gl_copies(sharing.clone(), copied, direction, waits.clone())?;
                    waits.push(first);
                }
                if direction == Direction::Acquire {
                    let settled = self.settle_gl(&sharing, &direct, waits.clone())?;
                    waits.push(settled);
                }
                let mems = direct.iter().filter_map(shared).collect();
                self.enqueue_gl_transfer(mems, direction, waits)?
            }
        };
        for shared in all.iter().filter_map(|mem| mem.gl.as_ref()) {
            shared.set_acquired(direction == Direction::Acquire);
        }
        Ok(event)
    }

    /// Enqueues a wait, behind other events, for OpenGL's commands on memory that is to be acquired. Returns the event.
    fn settle_gl(
        &self,
        sharing: &Arc<Sharing>,
        mems: &[MemObject],
        waits: Vec<Ref<Event>>,
    ) -> Result<Ref<Event>> {
        let (fence, sharing) = (sharing.fence(), sharing.clone());
        let objects = mems.iter().filter_map(|mem| Some(mem.gl.as_ref()?.object)).collect();
        let event = Event::of_acquire(self.context.clone());
        let settled = Settled(event.clone());
        let settle = move || sharing.when_settled(fence, objects, move || drop(settled));
        if waits.is_empty() {
            settle();
            return Ok(event);
        }
        let Some(ready) = self.enqueue(marker(CL_COMMAND_ACQUIRE_GL_OBJECTS, waits, true))? else {
            return fail(CL_OUT_OF_RESOURCES);
        };
        ready.then(move |_| {
            settle();
            Effects::default()
        });
        Ok(event)
    }

    fn enqueue_gl_transfer(
        &self,
        mems: Vec<Shared>,
        direction: Direction,
        waits: Vec<Ref<Event>>,
    ) -> Result<Ref<Event>> {
        let made = self.enqueue(Request {
            command_type: direction.of_gl(),
            command: Box::new(Command::TransferOwnership { mems, direction }),
            waits,
            blocking: false,
            wants_event: true,
        })?;
        made.ok_or(ClError(CL_OUT_OF_RESOURCES))
    }

    fn enqueue_gl_copies(
        &self,
        sharing: Arc<Sharing>,
        mems: Vec<MemObject>,
        direction: Direction,
        waits: Vec<Ref<Event>>,
    ) -> Result<Ref<Event>> {
        let command_type = direction.of_gl();
        let event = Event::of_command(self, command_type);
        let fence = match direction {
            Direction::Acquire => sharing.fence(),
            Direction::Release => None,
        };
        let Some(ready) = self.enqueue(marker(command_type, waits, true))? else {
            return fail(CL_OUT_OF_RESOURCES);
        };
        let queue = self.clone();
        let waiting = Waiting { queue, sharing, mems, direction, fence, event: event.clone() };
        let behind = hold_back(self, &event);
        ready.then(move |status| waiting.begin(status));
        behind?;
        Ok(event)
    }
}
