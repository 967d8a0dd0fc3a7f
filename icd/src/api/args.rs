//! Arguments that C passes by pointer: arrays, lists, strings, places for results.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::info::Value;
use crate::cl::{room, *};
use crate::core::context::Context;
use crate::core::queue::event::Event;
use crate::core::queue::Queue;
use crate::object::{Kind, Ref};
use std::ffi::{c_char, c_void, CStr};

/// Returns the elements of a C array; empty for NULL.
///
/// # Safety
/// `pointer` is NULL or valid for `count` elements while the result lives.
pub unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// Returns the elements of a list that ends with 0, the 0 included; empty for NULL. `step` elements belong
/// together, and the 0 is the first of its group.
///
/// # Safety
/// `pointer` is NULL or the start of such a list.
pub unsafe fn property_list<T: Copy + Default + PartialEq>(
    pointer: *const T,
    step: usize,
) -> Vec<T> {
    let mut list = Vec::new();
    if pointer.is_null() {
        return list;
    }
    let mut at = 0;
    loop {
        // SAFETY: the list has not ended, so this element exists.
        let first = unsafe { pointer.add(at).read() };
        list.push(first);
        if first == T::default() {
            return list;
        }
        // SAFETY: a group that begins with another value than 0 is complete.
        list.extend((1..step).map(|i| unsafe { pointer.add(at + i).read() }));
        at += step;
    }
}

/// Returns the text of a C string, or `None` for NULL; bytes that are not UTF-8 are replaced. CL_OUT_OF_HOST_MEMORY for one
/// that there is no room for.
///
/// # Safety
/// `pointer` is NULL or the start of a string that ends with a zero.
pub unsafe fn text(pointer: *const c_char) -> Result<Option<String>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    let bytes = unsafe { CStr::from_ptr(pointer) }.to_bytes();
    room::text(room::copy(bytes)?).map(Some)
}

/// Stores a result at a place, unless that is NULL.
///
/// # Safety
/// `place` is NULL or valid for writing.
pub unsafe fn store<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: as the caller promises.
        unsafe { place.write(value) };
    }
}

/// Answers a clGet…Info call: CL_INVALID_VALUE when the place is too small.
///
/// # Safety
/// `place` is NULL or valid for `size` bytes; `size_ret` is NULL or valid.
pub unsafe fn answer(
    value: Option<Value>,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> Result<()> {
    let Some(Value(bytes)) = value else { return fail(CL_INVALID_VALUE) };
    // SAFETY: as the caller promises.
    unsafe { answer_bytes(&[&bytes], size, place, size_ret) }
}

/// Like [`answer`], with bytes in pieces, which may be of any size: nothing is copied on the way.
///
/// # Safety
/// Like [`answer`].
pub unsafe fn answer_bytes(
    pieces: &[&[u8]],
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> Result<()> {
    let needed = pieces.iter().map(|piece| piece.len()).sum();
    if !place.is_null() {
        ensure!(size >= needed, CL_INVALID_VALUE);
        let mut end = place.cast::<u8>();
        for piece in pieces {
            // SAFETY: the place holds `size` bytes, no fewer than all pieces.
            unsafe {
                end.copy_from_nonoverlapping(piece.as_ptr(), piece.len());
                end = end.add(piece.len());
            }
        }
    }
    // SAFETY: as the caller promises.
    unsafe { store(size_ret, needed) };
    Ok(())
}

/// Like [`answer_bytes`], with a text and the zero at its end.
///
/// # Safety
/// Like [`answer`].
pub unsafe fn answer_text(
    text: &str,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe { answer_bytes(&[text.as_bytes(), &[0]], size, place, size_ret) }
}

/// Fills a list of handles: CL_INVALID_VALUE when the application wants neither list nor count, or gives a list of length 0.
///
/// # Safety
/// `list` is NULL or valid for `room` handles; `count_ret` is NULL or valid.
pub unsafe fn answer_list<T: Copy>(
    all: &[T],
    room: cl_uint,
    list: *mut T,
    count_ret: *mut cl_uint,
) -> Result<()> {
    ensure!(list.is_null() || room > 0, CL_INVALID_VALUE);
    ensure!(!list.is_null() || !count_ret.is_null(), CL_INVALID_VALUE);
    if !list.is_null() {
        for (index, item) in all.iter().take(room as usize).enumerate() {
            // SAFETY: the index is less than `room`.
            unsafe { list.add(index).write(*item) };
        }
    }
    // SAFETY: as the caller promises.
    unsafe { store(count_ret, all.len() as cl_uint) };
    Ok(())
}

/// Returns the objects of an array of handles, or the kind's error.
///
/// # Safety
/// Like [`slice`].
pub unsafe fn objects<T: Kind>(
    handles: *const *mut T::Target,
    count: cl_uint,
) -> Result<Vec<Ref<T>>> {
    // SAFETY: as the caller promises.
    let handles = unsafe { slice(handles, count as usize) };
    let mut objects = room::list(handles.len())?;
    for handle in handles {
        objects.push(Ref::from_handle(*handle)?);
    }
    Ok(objects)
}

/// Returns the events of a wait list (5.10): CL_INVALID_EVENT_WAIT_LIST when count and list contradict each
/// other or a handle is not an event; CL_INVALID_CONTEXT for another context's event; CL_INVALID_EVENT for a fence of OpenGL
/// (cl_khr_gl_event).
///
/// # Safety
/// Like [`slice`].
pub unsafe fn wait_list(
    context: &Ref<Context>,
    count: cl_uint,
    list: *const cl_event,
) -> Result<Vec<Ref<Event>>> {
    // SAFETY: as the caller promises.
    let events = unsafe { wait_list_with_fences(context, count, list) }?;
    ensure!(events.iter().all(|event| !event.is_fence()), CL_INVALID_EVENT);
    Ok(events)
}

/// Like [`wait_list`], with fences of OpenGL as well.
///
/// # Safety
/// Like [`slice`].
pub unsafe fn wait_list_with_fences(
    context: &Ref<Context>,
    count: cl_uint,
    list: *const cl_event,
) -> Result<Vec<Ref<Event>>> {
    ensure!(list.is_null() == (count == 0), CL_INVALID_EVENT_WAIT_LIST);
    if count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: as the caller promises.
    let events = unsafe { objects::<Event>(list, count) };
    let events = events.map_err(|error| match error.0 {
        CL_OUT_OF_HOST_MEMORY => error,
        _ => ClError(CL_INVALID_EVENT_WAIT_LIST),
    })?;
    ensure!(events.iter().all(|e| e.context == *context), CL_INVALID_CONTEXT);
    Ok(events)
}

/// Stores the event, if the application wants it.
///
/// # Safety
/// `place` is NULL or valid for writing.
pub unsafe fn store_event(place: *mut cl_event, event: Option<Ref<Event>>) {
    if let Some(event) = event {
        // SAFETY: as the caller promises.
        unsafe { store(place, event.expose()) };
    }
}

/// CL_INVALID_VALUE for map flags that do not exist or contradict each other.
pub fn check_map_flags(flags: cl_map_flags) -> Result<()> {
    let known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    ensure!(flags & !known == 0, CL_INVALID_VALUE);
    let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    ensure!(!invalidates || flags & (CL_MAP_READ | CL_MAP_WRITE) == 0, CL_INVALID_VALUE);
    Ok(())
}

/// CL_INVALID_VALUE for flags that clEnqueueMigrateMemObjects does not know.
pub fn check_migration_flags(flags: cl_mem_migration_flags) -> Result<()> {
    let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    ensure!(flags & !known == 0, CL_INVALID_VALUE);
    Ok(())
}

/// Returns the queue of a handle: CL_INVALID_COMMAND_QUEUE for a queue on the device, in which only kernels enqueue.
pub fn queue(handle: cl_command_queue) -> Result<Ref<Queue>> {
    let queue = any_queue(handle)?;
    ensure!(!queue.is_on_device(), CL_INVALID_COMMAND_QUEUE);
    Ok(queue)
}

/// Returns the queue of a handle; queues on the device are allowed.
pub fn any_queue(handle: cl_command_queue) -> Result<Ref<Queue>> {
    Ref::from_handle(handle)
}
