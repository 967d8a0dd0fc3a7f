//! Commands that read, write, copy, fill and map images (spec 5.3).

use super::args;
use super::enqueue::enqueue;
use super::mapping;
use super::recordable::buffer;
use super::recordable_images::{self, image, Region};
use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::command::image::ImageCommand;
use crate::core::command::Command;
use crate::core::memory::host::HostAddress;
use crate::core::memory::image::mapping::ImageMapping;
use crate::core::memory::image::Image;
use crate::core::memory::operand::Operand;
use crate::core::memory::rect::Rect;
use crate::core::queue::event::Event;
use crate::core::queue::Queue;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// The arguments that a transfer between the host and an image begins with.
struct TransferArguments {
    queue: cl_command_queue,
    image: cl_mem,
    origin: *const usize,
    region: *const usize,
    waits: (cl_uint, *const cl_event),
}

/// The objects that the handles name.
struct Target {
    queue: Ref<Queue>,
    region: Region,
    waits: Vec<Ref<Event>>,
}

impl TransferArguments {
    /// Checks the arguments in the order of the lists of errors.
    ///
    /// # Safety
    /// The pointers are as the API requires.
    unsafe fn target(&self) -> Result<Target> {
        let queue = args::queue(self.queue)?;
        let image = image(&queue, self.image)?;
        // SAFETY: as the caller promises.
        unsafe {
            let waits = args::wait_list(&queue.context, self.waits.0, self.waits.1)?;
            let region = Region::new(image, self.origin, self.region)?;
            Ok(Target { queue, region, waits })
        }
    }
}

impl Region {
    /// Returns the region's bytes in the application's memory.
    fn at_host(&self, pointer: *const c_void, pitches: [usize; 2]) -> Result<Rect> {
        ensure!(!pointer.is_null(), CL_INVALID_VALUE);
        self.image.rect(&self.at, pointer as usize, pitches[0], pitches[1])
    }
}

entry! {
    /// clEnqueueReadImage.
    fn clEnqueueReadImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_read: cl_bool,
        origin: *const usize,
        region: *const usize,
        row_pitch: usize,
        slice_pitch: usize,
        ptr: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let waits = (num_events_in_wait_list, event_wait_list);
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { TransferArguments { queue: command_queue, image, origin, region, waits }.target() }?;
        let Target { queue, region, waits } = target;
        let host = region.at_host(ptr, [row_pitch, slice_pitch])?;
        ensure!(region.image.host_readable(), CL_INVALID_OPERATION);
        let to = Operand::target(&queue.context, host);
        let command = match region.in_buffer() {
            Some((mem, from)) => Command::Read { mem, from, to },
            None => {
                let Region { image, at: from } = region;
                Command::Image(ImageCommand::Read { image, from, to }.into())
            }
        };
        let blocking = blocking_read != CL_FALSE;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_READ_IMAGE, command, waits, blocking, event) }
    }

    /// clEnqueueWriteImage.
    fn clEnqueueWriteImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_write: cl_bool,
        origin: *const usize,
        region: *const usize,
        input_row_pitch: usize,
        input_slice_pitch: usize,
        ptr: *const c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let waits = (num_events_in_wait_list, event_wait_list);
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { TransferArguments { queue: command_queue, image, origin, region, waits }.target() }?;
        let Target { queue, region, waits } = target;
        let host = region.at_host(ptr, [input_row_pitch, input_slice_pitch])?;
        ensure!(region.image.host_writable(), CL_INVALID_OPERATION);
        let from = Operand::source(&queue.context, host);
        let command = match region.in_buffer() {
            Some((mem, to)) => Command::Write { mem, from, to },
            None => {
                let Region { image, at: to } = region;
                Command::Image(ImageCommand::Write { image, from, to }.into())
            }
        };
        let blocking = blocking_write != CL_FALSE;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_WRITE_IMAGE, command, waits, blocking, event) }
    }

    /// clEnqueueFillImage.
    fn clEnqueueFillImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        fill_color: *const c_void,
        origin: *const usize,
        region: *const usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let waits = (num_events_in_wait_list, event_wait_list);
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { TransferArguments { queue: command_queue, image, origin, region, waits }.target() }?;
        let Target { queue, region, waits } = target;
        // SAFETY: the pointers are as the API requires.
        let command = unsafe { recordable_images::fill(region, fill_color) }?;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_FILL_IMAGE, command, waits, false, event) }
    }

    /// clEnqueueCopyImage.
    fn clEnqueueCopyImage(
        command_queue: cl_command_queue,
        src_image: cl_mem,
        dst_image: cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let queue = args::queue(command_queue)?;
        let images = (image(&queue, src_image)?, image(&queue, dst_image)?);
        let places = (src_origin, dst_origin, region);
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let waits = args::wait_list(&queue.context, num_events_in_wait_list, event_wait_list)?;
            let command = recordable_images::copy(images, places)?;
            enqueue(&queue, CL_COMMAND_COPY_IMAGE, command, waits, false, event)
        }
    }

    /// clEnqueueCopyImageToBuffer.
    fn clEnqueueCopyImageToBuffer(
        command_queue: cl_command_queue,
        src_image: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const usize,
        region: *const usize,
        dst_offset: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let queue = args::queue(command_queue)?;
        let (image, target) = (image(&queue, src_image)?, buffer(&queue, dst_buffer)?);
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let waits = args::wait_list(&queue.context, num_events_in_wait_list, event_wait_list)?;
            let from = Region::new(image, src_origin, region)?;
            let command = recordable_images::copy_to_buffer(from, (target, dst_offset))?;
            enqueue(&queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, command, waits, false, event)
        }
    }

    /// clEnqueueCopyBufferToImage.
    fn clEnqueueCopyBufferToImage(
        command_queue: cl_command_queue,
        src_buffer: cl_mem,
        dst_image: cl_mem,
        src_offset: usize,
        dst_origin: *const usize,
        region: *const usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let queue = args::queue(command_queue)?;
        let (source, image) = (buffer(&queue, src_buffer)?, image(&queue, dst_image)?);
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let waits = args::wait_list(&queue.context, num_events_in_wait_list, event_wait_list)?;
            let to = Region::new(image, dst_origin, region)?;
            let command = recordable_images::copy_from_buffer((source, src_offset), to)?;
            enqueue(&queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, command, waits, false, event)
        }
    }

    /// clEnqueueMapImage.
    fn clEnqueueMapImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_map: cl_bool,
        map_flags: cl_map_flags,
        origin: *const usize,
        region: *const usize,
        image_row_pitch: *mut usize,
        image_slice_pitch: *mut usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> handle *mut c_void {
        let waits = (num_events_in_wait_list, event_wait_list);
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { TransferArguments { queue: command_queue, image, origin, region, waits }.target() }?;
        let Target { queue, region, waits } = target;
        mapping::check_flags(&region.image, map_flags)?;
        let pitched = region.image.has_slices();
        ensure!(!image_row_pitch.is_null(), CL_INVALID_VALUE);
        ensure!(!pitched || !image_slice_pitch.is_null(), CL_INVALID_VALUE);
        let mapped = map(&queue, &region, map_flags)?;
        let blocking = blocking_map != CL_FALSE;
        let (pointer, [row, slice]) = (mapped.pointer, mapped.pitches);
        // SAFETY: the pointers are as the API requires.
        let done = unsafe {
            enqueue(&queue, CL_COMMAND_MAP_IMAGE, mapped.command, waits, blocking, event)
        };
        if done.is_err() {
            // The command failed, so the region is not mapped.
            let _ = unmap(&region.image, pointer);
        }
        done?;
        // SAFETY: the pointers are as the API requires.
        unsafe {
            args::store(image_row_pitch, row);
            args::store(image_slice_pitch, slice);
        }
        Ok(pointer.0 as *mut c_void)
    }
}

/// A new mapping.
struct Mapped {
    pointer: HostAddress,
    /// The row pitch and the slice pitch in bytes; the slice pitch is 0 for images without slices.
    pitches: [usize; 2],
    /// The command that copies the texels to `pointer`.
    command: Command,
}

/// Maps a region.
fn map(queue: &Ref<Queue>, region: &Region, flags: cl_map_flags) -> Result<Mapped> {
    let image = &region.image;
    if let Some((mem, bytes)) = region.in_buffer().filter(|_| image.is_view_of_buffer()) {
        let (pointer, command) = mapping::map(queue, &mem, flags, (bytes.offset, bytes.width))?;
        return Ok(Mapped { pointer, pitches: [bytes.width, 0], command });
    }
    let mapping = image.place_mapping(&queue.gpu, flags, region.at)?;
    let (pointer, pitches) = (mapping.pointer(), image.mapped_pitches(&mapping));
    let command = map_command(image, &mapping);
    image.add_mapping(mapping)?;
    Ok(Mapped { pointer, pitches, command })
}

/// Returns the command that makes a region's texels visible to the application.
fn map_command(image: &Ref<Image>, mapping: &ImageMapping) -> Command {
    if image.is_in_place() {
        return Command::Marker;
    }
    let to = match mapping.is_copy() {
        true => Operand::own_target(&image.context, mapping.rect),
        false => Operand::target(&image.context, mapping.rect),
    };
    let command = ImageCommand::Map { image: image.clone(), mapping: mapping.clone(), to };
    Command::Image(command.into())
}

/// Ends a mapping. Returns the command that brings what the host wrote to the device.
pub(super) fn unmap(image: &Ref<Image>, pointer: HostAddress) -> Result<Command> {
    if let Some(mem) = image.buffer().filter(|_| image.is_view_of_buffer()) {
        return mapping::unmap(mem.clone(), pointer);
    }
    let mapping = image.take_mapping(pointer)?;
    if !mapping.writes() || image.is_in_place() {
        return Ok(Command::Marker);
    }
    let image = image.clone();
    Ok(Command::Image(ImageCommand::Unmap { image, mapping }.into()))
}
