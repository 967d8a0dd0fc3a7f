//! Property lists in which some properties have lists for values, each with an end of its own
//! (clCreateBufferWithProperties, clCreateSemaphoreWithPropertiesKHR).

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;

/// The shape of the value that follows the name of a property.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One value.
    One,
    /// Values up to a 0.
    List,
}

/// A property list: as given, and by name.
#[derive(Default)]
pub struct PropertyList {
    /// The list with its terminating zero; empty for NULL.
    pub flat: Vec<cl_properties>,
    /// Names with their values, without ends.
    pub entries: Vec<(cl_properties, Vec<cl_properties>)>,
}

/// Reads a list; `shape` returns the shape of a name's value. CL_INVALID_PROPERTY for a name that has none or comes a
/// second time: nothing after it is read.
///
/// # Safety
/// `pointer` is NULL or the start of such a list.
pub unsafe fn read(
    pointer: *const cl_properties,
    shape: impl Fn(cl_properties) -> Option<Shape>,
) -> Result<PropertyList> {
    let mut list = PropertyList::default();
    if pointer.is_null() {
        return Ok(list);
    }
    let mut next = pointer;
    let mut take = |flat: &mut Vec<cl_properties>| {
        // SAFETY: the list has not ended, so that this element exists.
        let value = unsafe { next.read() };
        next = next.wrapping_add(1);
        flat.push(value);
        value
    };
    loop {
        let name = take(&mut list.flat);
        if name == 0 {
            return Ok(list);
        }
        let shape = shape(name).ok_or(ClError(CL_INVALID_PROPERTY))?;
        ensure!(list.entries.iter().all(|(other, _)| *other != name), CL_INVALID_PROPERTY);
        let mut values = Vec::new();
        match shape {
            Shape::One => values.push(take(&mut list.flat)),
            Shape::List => loop {
                match take(&mut list.flat) {
                    0 => break,
                    value => values.push(value),
                }
            },
        }
        list.entries.push((name, values));
    }
}
