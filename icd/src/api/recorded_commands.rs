//! Commands recorded into command buffers (cl_khr_command_buffer; spec 5.17).

use super::args;
use super::recordable::{self, triple};
use super::recordable_images::{self, image, Region};
use crate::cl::error::{ensure, fail, Result};
use crate::cl::{room, *};
use crate::core::command::Command;
use crate::core::command_buffer::dispatch::MutableCommand;
use crate::core::command_buffer::order::Kind;
use crate::core::command_buffer::{CommandBuffer, Work};
use crate::core::device::capabilities::MUTABLE_DISPATCH_CAPABILITIES;
use crate::core::device::sharing::Sharing;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::Image;
use crate::core::memory::rect::Rect;
use crate::core::program::kernel::Kernel;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// The arguments that all functions for recording commands have.
struct CommandArguments {
    buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    waits: (cl_uint, *const cl_sync_point_khr),
    handle: *mut cl_mutable_command_khr,
}

/// The command buffer that a command is added to, and the sync points that the command waits for.
struct Insertion {
    buffer: Ref<CommandBuffer>,
    waits: Vec<cl_sync_point_khr>,
}

impl CommandArguments {
    /// Checks the common arguments for a kernel command, the only kind with properties and a handle: the command buffer first,
    /// and the others in the order in which the specification lists the errors of recording.
    ///
    /// # Safety
    /// The list of sync points is as the API requires.
    unsafe fn place(&self) -> Result<Insertion> {
        let buffer = Ref::<CommandBuffer>::from_handle(self.buffer)?;
        // NULL stands for the buffer's only queue (cl_khr_command_buffer_multi_device is not offered).
        ensure!(self.queue.is_null(), CL_INVALID_COMMAND_QUEUE);
        buffer.check_recording()?;
        let (count, list) = self.waits;
        ensure!(list.is_null() == (count == 0), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        // SAFETY: as the caller promises.
        let waits = room::copy(unsafe { args::slice(list, count as usize) })?;
        buffer.check_sync_points(&waits)?;
        Ok(Insertion { buffer, waits })
    }

    /// Checks the common arguments of any other command like [`Self::place`], with CL_INVALID_VALUE for a handle or any
    /// property.
    ///
    /// # Safety
    /// The lists are as the API requires.
    unsafe fn plain_place(&self) -> Result<Insertion> {
        // SAFETY: as the caller promises.
        let place = unsafe { self.place() }?;
        // SAFETY: as the caller promises.
        let properties = unsafe { args::property_list(self.properties, 2) };
        ensure!(properties.len() <= 1, CL_INVALID_VALUE);
        ensure!(self.handle.is_null(), CL_INVALID_VALUE);
        Ok(place)
    }
}

impl Insertion {
    /// Returns a buffer of the command buffer's context.
    fn mem(&self, handle: cl_mem) -> Result<Ref<Buffer>> {
        recordable::buffer(&self.buffer.queue, handle)
    }

    /// Adds a command and stores its sync point for the application.
    ///
    /// # Safety
    /// `sync_point` is NULL or valid.
    unsafe fn append(self, command: Command, sync_point: *mut cl_sync_point_khr) -> Result<()> {
        let kind = if matches!(command, Command::Marker) { Kind::Empty } else { Kind::Work };
        let point = self.buffer.append(kind, command.into(), &self.waits)?;
        // SAFETY: as the caller promises.
        unsafe { args::store(sync_point, point) };
        Ok(())
    }

    /// Returns an image of the command buffer's context that its device has.
    fn image(&self, handle: cl_mem) -> Result<Ref<Image>> {
        image(&self.buffer.queue, handle)
    }
}

/// Returns the properties of a kernel command: its updatable fields, unless it leaves them to the device, and
/// its assertions. CL_INVALID_VALUE for an unknown property or one that is listed twice.
fn parse(
    list: &[cl_command_properties_khr],
) -> Result<(Option<cl_mutable_dispatch_fields_khr>, cl_bitfield)> {
    let (mut fields, mut asserts) = (None, None);
    for pair in list.chunks_exact(2) {
        let place = match pair[0] {
            CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR => &mut fields,
            CL_MUTABLE_DISPATCH_ASSERTS_KHR => &mut asserts,
            _ => return fail(CL_INVALID_VALUE),
        };
        ensure!(place.replace(pair[1]).is_none(), CL_INVALID_VALUE);
    }
    ensure!(fields.unwrap_or(0) & !MUTABLE_DISPATCH_CAPABILITIES == 0, CL_INVALID_VALUE);
    let asserts = asserts.unwrap_or(0);
    let known = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    ensure!(asserts & !known == 0, CL_INVALID_VALUE);
    Ok((fields, asserts))
}

entry! {
    /// clCommandBarrierWithWaitListKHR.
    fn clCommandBarrierWithWaitListKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        let barrier = Work::from(Command::Marker);
        let point = place.buffer.append(Kind::Barrier, barrier, &place.waits)?;
        // SAFETY: the pointers are as the API requires.
        unsafe { args::store(sync_point, point) };
        Ok(())
    }

    /// clCommandCopyBufferKHR.
    fn clCommandCopyBufferKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        src_buffer: cl_mem,
        dst_buffer: cl_mem,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        let (source, target) = (place.mem(src_buffer)?, place.mem(dst_buffer)?);
        let command = recordable::copy((source, src_offset), (target, dst_offset), size)?;
        // SAFETY: the pointers are as the API requires.
        unsafe { place.append(command, sync_point) }
    }

    /// clCommandCopyBufferRectKHR.
    fn clCommandCopyBufferRectKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        src_buffer: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize,
        src_row_pitch: usize,
        src_slice_pitch: usize,
        dst_row_pitch: usize,
        dst_slice_pitch: usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        let (source, target) = (place.mem(src_buffer)?, place.mem(dst_buffer)?);
        // SAFETY: the pointers are as the API requires.
        let (src_origin, dst_origin, region) =
            unsafe { (triple(src_origin)?, triple(dst_origin)?, triple(region)?) };
        let from = Rect::new(src_origin, region, src_row_pitch, src_slice_pitch)?;
        let to = Rect::new(dst_origin, region, dst_row_pitch, dst_slice_pitch)?;
        let command = recordable::copy_rect((source, from), (target, to))?;
        // SAFETY: the pointers are as the API requires.
        unsafe { place.append(command, sync_point) }
    }

    /// clCommandFillBufferKHR.
    fn clCommandFillBufferKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        buffer: cl_mem,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        let mem = place.mem(buffer)?;
        // SAFETY: the pointers are as the API requires.
        let command = unsafe { recordable::fill(mem, pattern, pattern_size, offset, size) }?;
        // SAFETY: the pointers are as the API requires.
        unsafe { place.append(command, sync_point) }
    }

    /// clCommandSVMMemcpyKHR. Both addresses are of shared virtual memory: the device does not reach the host's own memory.
    fn clCommandSVMMemcpyKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        dst_ptr: *mut c_void,
        src_ptr: *const c_void,
        size: usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        ensure!(place.buffer.queue.gpu.sharing() != Sharing::None, CL_INVALID_OPERATION);
        let (to, from) = (dst_ptr as usize, src_ptr as usize);
        let command = if size == 0 {
            Command::Marker
        } else {
            recordable::check_shared_copy(to, from, size)?;
            let queue = &place.buffer.queue;
            let mems =
                (recordable::shared(queue, from, size)?, recordable::shared(queue, to, size)?);
            let (Some(source), Some(target)) = mems else { return fail(CL_INVALID_VALUE) };
            let whole = Rect::linear(0, size);
            Command::Copy { source, from: whole, target, to: whole }
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { place.append(command, sync_point) }
    }

    /// clCommandSVMMemFillKHR.
    fn clCommandSVMMemFillKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        svm_ptr: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        ensure!(place.buffer.queue.gpu.sharing() != Sharing::None, CL_INVALID_OPERATION);
        let (queue, address) = (&place.buffer.queue, svm_ptr as usize);
        // SAFETY: the pointers are as the API requires.
        let command = unsafe {
            recordable::fill_shared(queue, address, pattern, pattern_size, size)
        }?;
        // SAFETY: the pointers are as the API requires.
        unsafe { place.append(command, sync_point) }
    }

    /// clCommandNDRangeKernelKHR.
    fn clCommandNDRangeKernelKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let Insertion { buffer, waits } = unsafe { given.place() }?;
        // SAFETY: the pointers are as the API requires.
        let list = unsafe { args::property_list(properties, 2) };
        let (fields, asserts) = parse(&list)?;
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        ensure!(kernel.program.context == buffer.queue.context, CL_INVALID_CONTEXT);
        // SAFETY: the pointers are as the API requires.
        let sizes = unsafe {
            recordable::sizes(work_dim, global_work_offset, global_work_size, local_work_size)
        }?;
        // Without a local size the number of work-groups is not known.
        let counted = buffer.no_additional_groups || asserts != 0;
        ensure!(!counted || sizes.local.is_some(), CL_INVALID_VALUE);
        let set_later = fields.unwrap_or(0) & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0;
        let kind = if sizes.is_empty() && !buffer.mutable { Kind::Empty } else { Kind::Work };
        let command = MutableCommand::new(
            &buffer,
            &kernel,
            sizes,
            (!properties.is_null()).then_some(list),
            (fields.unwrap_or(MUTABLE_DISPATCH_CAPABILITIES), set_later && buffer.mutable),
        )?;
        let point = buffer.append(kind, Work::Dispatch(command.clone()), &waits)?;
        // SAFETY: the pointers are as the API requires.
        unsafe {
            args::store(sync_point, point);
            args::store(mutable_handle, command.register());
        }
        Ok(())
    }

    /// clCommandCopyImageKHR.
    fn clCommandCopyImageKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        src_image: cl_mem,
        dst_image: cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        let images = (place.image(src_image)?, place.image(dst_image)?);
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let command = recordable_images::copy(images, (src_origin, dst_origin, region))?;
            place.append(command, sync_point)
        }
    }

    /// clCommandCopyImageToBufferKHR.
    fn clCommandCopyImageToBufferKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        src_image: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const usize,
        region: *const usize,
        dst_offset: usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        let (image, target) = (place.image(src_image)?, place.mem(dst_buffer)?);
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let from = Region::new(image, src_origin, region)?;
            let command = recordable_images::copy_to_buffer(from, (target, dst_offset))?;
            place.append(command, sync_point)
        }
    }

    /// clCommandCopyBufferToImageKHR.
    fn clCommandCopyBufferToImageKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        src_buffer: cl_mem,
        dst_image: cl_mem,
        src_offset: usize,
        dst_origin: *const usize,
        region: *const usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        let (source, image) = (place.mem(src_buffer)?, place.image(dst_image)?);
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let to = Region::new(image, dst_origin, region)?;
            let command = recordable_images::copy_from_buffer((source, src_offset), to)?;
            place.append(command, sync_point)
        }
    }

    /// clCommandFillImageKHR.
    fn clCommandFillImageKHR(
        command_buffer: cl_command_buffer_khr,
        command_queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        image: cl_mem,
        fill_color: *const c_void,
        origin: *const usize,
        region: *const usize,
        num_sync_points_in_wait_list: cl_uint,
        sync_point_wait_list: *const cl_sync_point_khr,
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> status {
        let given = CommandArguments {
            buffer: command_buffer,
            queue: command_queue,
            properties,
            waits: (num_sync_points_in_wait_list, sync_point_wait_list),
            handle: mutable_handle,
        };
        // SAFETY: the pointers are as the API requires.
        let place = unsafe { given.plain_place() }?;
        let image = place.image(image)?;
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let command = recordable_images::fill(Region::new(image, origin, region)?, fill_color)?;
            place.append(command, sync_point)
        }
    }
}
