//! Memory shared with OpenGL: objects whose memory is imported need no copies. Before the memory of the application's objects
//! is imported, an object of the library's own is tested for each format, with one level and with several: both sides must see
//! each other's writes.

use super::buffer::Buffer;
use super::flags;
use super::image::Image;
use super::object::MemObject;
use super::properties::Origin;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::image_copy::parts_of_image;
use crate::core::gl::{Memory, Object, Sharing, Source};
use crate::object::Ref;
use hekla_vk_backend as vk;
use std::sync::Arc;

/// Width and height of the textures for the test.
const PROBE: [i32; 2] = [72, 24];

impl Buffer {
    /// Returns a buffer in the memory of a buffer of OpenGL; `None` if this memory is not shared.
    pub(super) fn in_gl_memory(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        object: &Object,
    ) -> Option<Buffer> {
        let sharing = imports(context)?;
        let works = sharing.shares_memory(object, || probe(context, sharing, object).is_some());
        works.then(|| Buffer::imported_from_gl(context, sharing, flags, object))?
    }

    fn imported_from_gl(
        context: &Ref<Context>,
        sharing: &Sharing,
        flags: cl_mem_flags,
        object: &Object,
    ) -> Option<Buffer> {
        let memory = export(sharing, *object)?;
        let place = (usize::try_from(memory.offset).ok()?, object.bytes());
        let handle = (vk::MemoryHandles::DMA_BUF, memory.descriptor());
        let made = Buffer::imported(context, flags::with_access(flags), place, (handle, None));
        let mut buffer = made.ok()?;
        memory.imported();
        buffer.import.as_mut()?.origin = Origin::Gl;
        Some(buffer)
    }
}

impl Image {
    /// Returns an image in the memory of a texture or a renderbuffer; `None` if this memory is not shared.
    pub(super) fn in_gl_memory(
        context: &Ref<Context>,
        flags: cl_mem_flags,
        object: &Object,
    ) -> Option<Image> {
        let sharing = imports(context)?;
        let flat = match object.source {
            Source::Renderbuffer => true,
            _ => object.image_type() == CL_MEM_OBJECT_IMAGE2D,
        };
        let works =
            flat && sharing.shares_memory(object, || probe(context, sharing, object).is_some());
        works.then(|| Image::from_gl_memory(context, sharing, flags, object))?
    }

    fn from_gl_memory(
        context: &Ref<Context>,
        sharing: &Sharing,
        flags: cl_mem_flags,
        object: &Object,
    ) -> Option<Image> {
        let memory = export(sharing, *object)?;
        let image = Image::imported_from_gl(context, flags, object, &memory)?;
        memory.imported();
        // An image whose texels launches copy to a shadow gains nothing from shared memory.
        image.buffer().is_none().then_some(image)
    }
}

/// Returns the connection to OpenGL of a context that can import memory: it must have one device, which accepts dma_bufs.
fn imports(context: &Context) -> Option<&Arc<Sharing>> {
    let [device] = &context.devices[..] else { return None };
    let taken = device.info().features.external.memory_import;
    context.gl.as_ref().filter(|_| taken.contains(vk::MemoryHandles::DMA_BUF))
}

fn export(sharing: &Sharing, object: Object) -> Option<Memory> {
    sharing.ask(move |gl| Ok(gl.export(&object))).ok()?
}

/// Tests memory sharing with an object of the library's own of the same kind; `None` if the test fails.
fn probe(context: &Ref<Context>, sharing: &Sharing, like: &Object) -> Option<()> {
    let (texels, has_levels) = (like.texels, like.has_levels);
    let own = sharing.ask(move |gl| {
        Ok(match texels {
            Some(texels) => gl.texture_for_probe(PROBE, texels, has_levels),
            None => gl.buffer_for_probe(PROBE[0] as usize * 100),
        })
    });
    let own = own.ok()??;
    let mem = match texels {
        Some(_) => Image::from_gl_memory(context, sharing, CL_MEM_READ_WRITE, &own)
            .map(|image| MemObject::Image(Ref::new(image))),
        None => Buffer::imported_from_gl(context, sharing, CL_MEM_READ_WRITE, &own)
            .map(|buffer| MemObject::Buffer(Ref::new(buffer))),
    };
    let tried = mem.map(|mem| is_same_memory(context, sharing, &own, &mem));
    let _ = sharing.ask(move |gl| {
        match texels {
            Some(_) => gl.forget_texture(own.name),
            None => gl.forget_buffer(own.name),
        }
        Ok(())
    });
    match tried {
        Some(Ok(())) => Some(()),
        Some(Err(error)) => {
            tracing::info!("memory of OpenGL's is not shared: {error}");
            None
        }
        None => None,
    }
}

/// Fails unless OpenCL sees OpenGL's writes to an object, and OpenGL sees OpenCL's.
fn is_same_memory(
    context: &Context,
    sharing: &Sharing,
    object: &Object,
    mem: &MemObject,
) -> Result<()> {
    let bytes = |seed: usize| -> Vec<u8> {
        // The bytes form neither NaNs nor the least value of signed fractions, which OpenGL may change.
        (0..object.bytes()).map(|index| (index * 7 + index / 61 + seed) as u8 & 0x3F).collect()
    };
    let (first, second, object) = (bytes(1), bytes(30), *object);
    let from_gl = first.clone();
    sharing.ask(move |gl| gl.write(&object, &from_gl))?;
    ensure!(seen_and_replaced(context, mem, first.len(), &second)? == first, CL_INVALID_GL_OBJECT);
    let seen = sharing.ask(move |gl| gl.read(&object))?;
    ensure!(seen == second, CL_INVALID_GL_OBJECT);
    Ok(())
}

/// Acquires an object's memory, reads it, writes other bytes and releases it.
fn seen_and_replaced(
    context: &Context,
    mem: &MemObject,
    size: usize,
    written: &[u8],
) -> Result<Vec<u8>> {
    let gpu = &context.gpus[0];
    let queue = gpu.device.create_queue(false)?;
    let mut seen = vec![0; size];
    let run = |record: &dyn Fn(&mut vk::Recorder)| {
        let ((), value) = queue.record(|recorder| record(recorder));
        queue.wait(value)
    };
    match mem {
        MemObject::Buffer(buffer) => {
            let memory = buffer.on_device(0)?;
            run(&|recorder| recorder.acquire(&memory))?;
            gpu.read_now(&memory, buffer.origin as u64, &mut seen)?;
            gpu.write_now(&memory, buffer.origin as u64, written)?;
            run(&|recorder| recorder.release(&memory))?;
        }
        MemObject::Image(image) => {
            let texels = image.on_device(0)?;
            run(&|recorder| recorder.acquire_image(&texels))?;
            // The image is small enough to be a single part.
            for part in parts_of_image(&texels) {
                gpu.read_image(&texels, part, &mut seen)?;
                gpu.write_image(&texels, part, written)?;
            }
            run(&|recorder| recorder.release_image(&texels))?;
        }
        MemObject::Pipe(_) => return Err(ClError(CL_INVALID_GL_OBJECT)),
    }
    Ok(seen)
}
