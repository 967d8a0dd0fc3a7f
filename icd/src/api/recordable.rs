//! Commands that only the device takes part in, as entry points request them: the checks are the same for commands
//! that are enqueued and those that are recorded into a command buffer.

use super::args;
use crate::cl::error::{ensure, fail, Result};
use crate::cl::*;
use crate::core::command::Command;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::rect::{overlap, Rect};
use crate::core::program::shape::Sizes;
use crate::core::queue::Queue;
use crate::object::Ref;
use smallvec::SmallVec;
use std::ffi::c_void;

/// Reads three sizes; CL_INVALID_VALUE for NULL.
///
/// # Safety
/// `pointer` is NULL or valid for three values.
pub(super) unsafe fn triple(pointer: *const usize) -> Result<[usize; 3]> {
    ensure!(!pointer.is_null(), CL_INVALID_VALUE);
    // SAFETY: as the caller promises.
    Ok(unsafe { pointer.cast::<[usize; 3]>().read() })
}

/// Returns a buffer of a queue's context.
pub(super) fn buffer(queue: &Queue, handle: cl_mem) -> Result<Ref<Buffer>> {
    let buffer = Ref::<Buffer>::from_handle(handle)?;
    ensure!(buffer.context == queue.context, CL_INVALID_CONTEXT);
    buffer.check_acquired()?;
    Ok(buffer)
}

/// Copies `size` bytes from and to offsets in buffers (clEnqueueCopyBuffer).
pub(super) fn copy(
    (source, src_offset): (Ref<Buffer>, usize),
    (target, dst_offset): (Ref<Buffer>, usize),
    size: usize,
) -> Result<Command> {
    source.check_range(src_offset, size)?;
    target.check_range(dst_offset, size)?;
    let (from, to) = (Rect::linear(src_offset, size), Rect::linear(dst_offset, size));
    check_overlap(&source, &from, &target, &to)?;
    target.check_mutable()?;
    Ok(match size {
        0 => Command::Marker,
        _ => Command::Copy { source, from, target, to },
    })
}

/// Copies between boxes in buffers (clEnqueueCopyBufferRect).
pub(super) fn copy_rect(
    (source, from): (Ref<Buffer>, Rect),
    (target, to): (Ref<Buffer>, Rect),
) -> Result<Command> {
    if std::ptr::eq(&*source, &*target) {
        // The pitches must agree within one buffer.
        let same = from.row_pitch == to.row_pitch && from.slice_pitch == to.slice_pitch;
        ensure!(same, CL_INVALID_VALUE);
    }
    copy_boxes((source, from), (target, to))
}

/// Copies between boxes in buffers.
pub(super) fn copy_boxes(
    (source, from): (Ref<Buffer>, Rect),
    (target, to): (Ref<Buffer>, Rect),
) -> Result<Command> {
    ensure!(from.end().is_some_and(|end| end <= source.size), CL_INVALID_VALUE);
    ensure!(to.end().is_some_and(|end| end <= target.size), CL_INVALID_VALUE);
    check_overlap(&source, &from, &target, &to)?;
    target.check_mutable()?;
    Ok(Command::Copy { source, from, target, to })
}

/// Fails with CL_MEM_COPY_OVERLAP if source and target have bytes in common.
fn check_overlap(source: &Buffer, from: &Rect, target: &Buffer, to: &Rect) -> Result<()> {
    if source.same_storage(target)
        && overlap(&from.shifted(source.origin), &to.shifted(target.origin))
    {
        return fail(CL_MEM_COPY_OVERLAP);
    }
    Ok(())
}

/// Repeats a pattern in a buffer (clEnqueueFillBuffer).
///
/// # Safety
/// `pattern` is NULL or valid for `pattern_size` bytes.
pub(super) unsafe fn fill(
    mem: Ref<Buffer>,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
) -> Result<Command> {
    mem.check_range(offset, size)?;
    ensure!(!pattern.is_null() && pattern_size > 0, CL_INVALID_VALUE);
    ensure!(pattern_size.is_power_of_two() && pattern_size <= 128, CL_INVALID_VALUE);
    let whole = offset.is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size);
    ensure!(whole, CL_INVALID_VALUE);
    mem.check_mutable()?;
    // SAFETY: as the caller promises.
    let pattern = unsafe { args::slice(pattern.cast::<u8>(), pattern_size) };
    Ok(match size {
        0 => Command::Marker,
        _ => {
            let (at, pattern) = (Rect::linear(offset, size), SmallVec::from_slice(pattern));
            Command::Fill { mem, at, pattern }
        }
    })
}

/// Returns the shared bytes at an address, for commands of a queue, as a memory object; `None` for the host's own
/// memory. CL_INVALID_VALUE for memory of another device.
pub(super) fn shared(queue: &Queue, address: usize, size: usize) -> Result<Option<Ref<Buffer>>> {
    let Some((allocation, offset)) = queue.context.svm.find_range(address, size)? else {
        return Ok(None);
    };
    Buffer::of_shared(&allocation, &queue.context, (offset, size), queue.device_index).map(Some)
}

/// Checks the addresses of clEnqueueSVMMemcpy for `size` bytes, more than none.
pub(super) fn check_shared_copy(to: usize, from: usize, size: usize) -> Result<()> {
    ensure!(to != 0 && from != 0, CL_INVALID_VALUE);
    ensure!(to.abs_diff(from) >= size, CL_MEM_COPY_OVERLAP);
    Ok(())
}

/// Repeats a pattern in shared memory (clEnqueueSVMMemFill, clEnqueueMemFillINTEL).
///
/// # Safety
/// `pattern` is NULL or valid for `pattern_size` bytes.
pub(super) unsafe fn fill_shared(
    queue: &Queue,
    address: usize,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
) -> Result<Command> {
    // SAFETY: as the caller promises.
    let pattern = unsafe { shared_pattern(address, pattern, pattern_size, size) }?;
    if size == 0 {
        return Ok(Command::Marker);
    }
    let Some(mem) = shared(queue, address, size)? else { return fail(CL_INVALID_VALUE) };
    Ok(Command::Fill { mem, at: Rect::linear(0, size), pattern: pattern.into() })
}

/// Returns the pattern to repeat at an address of shared memory; checks the pattern's size against the address and `size`.
///
/// # Safety
/// `pattern` is NULL or valid for `pattern_size` bytes, as long as what is returned.
pub(super) unsafe fn shared_pattern<'a>(
    address: usize,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
) -> Result<&'a [u8]> {
    let sized = pattern_size.is_power_of_two() && pattern_size <= 128;
    ensure!(!pattern.is_null() && sized, CL_INVALID_VALUE);
    ensure!(address != 0 && address.is_multiple_of(pattern_size), CL_INVALID_VALUE);
    ensure!(size.is_multiple_of(pattern_size), CL_INVALID_VALUE);
    // SAFETY: as the caller promises.
    Ok(unsafe { args::slice(pattern.cast::<u8>(), pattern_size) })
}

/// Reads up to three sizes; the other dimensions have `default`.
///
/// # Safety
/// `pointer` is valid for `dimensions` (at most 3) values.
pub(super) unsafe fn up_to_three(
    pointer: *const usize,
    dimensions: cl_uint,
    default: usize,
) -> [usize; 3] {
    let given = if pointer.is_null() { 0 } else { dimensions as usize };
    std::array::from_fn(|d| match d < given {
        // SAFETY: as the caller promises.
        true => unsafe { pointer.add(d).read() },
        false => default,
    })
}

/// Reads the sizes of a launch; CL_INVALID_WORK_DIMENSION for an impossible dimension.
///
/// # Safety
/// The pointers are NULL or valid for `dimensions` values.
pub(super) unsafe fn sizes(
    dimensions: cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
) -> Result<Sizes> {
    ensure!((1..=3).contains(&dimensions), CL_INVALID_WORK_DIMENSION);
    // SAFETY: as the caller promises.
    unsafe {
        Ok(Sizes {
            dimensions,
            offset: up_to_three(offset, dimensions, 0),
            // A NULL global size means an empty index space (since OpenCL 2.1).
            global: if global.is_null() { [0; 3] } else { up_to_three(global, dimensions, 1) },
            local: (!local.is_null()).then(|| up_to_three(local, dimensions, 1)),
        })
    }
}
