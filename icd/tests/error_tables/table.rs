//! The table: rows with the codes that calls returned, and the rows that many entry points have in common.

use crate::world::World;
use hekla::cl::error;
use hekla::cl::*;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

#[derive(Default)]
pub struct Table {
    chapter: &'static str,
    function: &'static str,
    functions: BTreeSet<&'static str>,
    count: usize,
    wrong: Vec<String>,
}

/// A wait list as commands take it.
#[derive(Clone, Copy)]
pub struct Waits {
    pub count: cl_uint,
    pub list: *const cl_event,
}

impl Waits {
    pub const NONE: Waits = Waits { count: 0, list: null() };

    /// Returns a list of one event.
    pub fn on(event: &cl_event) -> Waits {
        Waits { count: 1, list: event }
    }
}

/// Returns the code of a function that returns a handle. The handle must be NULL exactly if the code is an error.
pub fn code<T>(create: impl FnOnce(*mut cl_int) -> *mut T) -> cl_int {
    let mut code = 1;
    let handle = create(&mut code);
    assert_eq!(handle.is_null(), code != CL_SUCCESS, "NULL is returned exactly with an error");
    code
}

impl Table {
    /// Begins a chapter: the rows that follow belong to it.
    pub fn begin(&mut self, chapter: &'static str) {
        self.chapter = chapter;
    }

    /// Begins an entry point: the rows that follow are about it.
    pub fn about(&mut self, function: &'static str) {
        self.function = function;
        self.functions.insert(function);
    }

    /// Returns the entry points with rows.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.functions.iter().copied()
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Adds one row.
    pub fn row(&mut self, expected: cl_int, condition: &str, got: cl_int) {
        self.count += 1;
        if got != expected {
            let (expected, got) = (error::name(expected), error::name(got));
            let (chapter, function) = (self.chapter, self.function);
            self.wrong.push(format!("{chapter}: {function}: {condition}: {got}, not {expected}"));
        }
    }

    /// The call of which the other rows are variations.
    pub fn correct(&mut self, got: cl_int) {
        self.row(CL_SUCCESS, "nothing is wrong", got);
    }

    /// Adds a row for each of several wrong values of an argument.
    pub fn each<T: Copy>(
        &mut self,
        expected: cl_int,
        argument: &str,
        values: impl IntoIterator<Item = (&'static str, T)>,
        call: impl Fn(T) -> cl_int,
    ) {
        for (what, value) in values {
            self.row(expected, &format!("{argument} is {what}"), call(value));
        }
    }

    /// Adds the rows of the wait list of a command whose other arguments are correct.
    pub fn wait_lists(&mut self, world: &World, call: impl Fn(Waits) -> cl_int) {
        let invalid = CL_INVALID_EVENT_WAIT_LIST;
        let hole = Waits { count: 1, list: null() };
        self.row(invalid, "event_wait_list is NULL and its length is not 0", call(hole));
        let unused = Waits { count: 0, list: &world.complete };
        self.row(invalid, "event_wait_list is not NULL and its length is 0", call(unused));
        for (what, event) in world.no_events() {
            let list = [world.complete, event];
            let waits = Waits { count: 2, list: list.as_ptr() };
            self.row(invalid, &format!("an event in event_wait_list is {what}"), call(waits));
        }
        let list = [world.complete, world.other.event];
        let waits = Waits { count: 2, list: list.as_ptr() };
        self.row(CL_INVALID_CONTEXT, "an event is of another context than the queue", call(waits));
    }

    /// Adds the row of a blocking command behind an event that failed.
    pub fn failed_wait(&mut self, world: &World, call: impl Fn(Waits) -> cl_int) {
        let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        let condition = "the call blocks and the status of an event is negative";
        self.row(failed, condition, call(Waits::on(&world.failed)));
    }

    /// Adds the rows of a clGet…Info function; `name` is one of its parameters.
    pub fn query(&mut self, name: cl_uint, call: impl Fn(cl_uint, usize, *mut c_void) -> cl_int) {
        let mut room = [0u64; 4096];
        let place: *mut c_void = room.as_mut_ptr().cast();
        self.correct(call(name, size_of_val(&room), place));
        let unknown = "param_name is not one of the supported values";
        self.row(CL_INVALID_VALUE, unknown, call(0x7777, size_of_val(&room), place));
        self.row(CL_INVALID_VALUE, unknown, call(0, 0, null_mut()));
        let small = "param_value_size is less than the value's and param_value is not NULL";
        self.row(CL_INVALID_VALUE, small, call(name, 0, place));
        self.row(CL_INVALID_VALUE, small, call(name, 1, place));
    }

    /// Adds rows for the other parameters of a clGet…Info function, which it has to answer.
    pub fn answered(
        &mut self,
        names: impl IntoIterator<Item = cl_uint>,
        call: impl Fn(cl_uint, usize, *mut c_void) -> cl_int,
    ) {
        let mut room = [0u64; 4096];
        for name in names {
            let got = call(name, size_of_val(&room), room.as_mut_ptr().cast());
            self.row(CL_SUCCESS, &format!("parameter {name:#x} is answered"), got);
        }
    }

    /// Adds the rows of a function that fills a list: room, list, place for the count.
    pub fn list<T>(&mut self, call: impl Fn(cl_uint, *mut *mut T, *mut cl_uint) -> cl_int) {
        let (mut entry, mut count) = (null_mut(), 0);
        self.correct(call(1, &mut entry, &mut count));
        self.correct(call(0, null_mut(), &mut count));
        self.correct(call(1, &mut entry, null_mut()));
        let no_room = "the list is not NULL and has no room";
        self.row(CL_INVALID_VALUE, no_room, call(0, &mut entry, &mut count));
        self.row(CL_INVALID_VALUE, "list and count are NULL", call(0, null_mut(), null_mut()));
    }

    /// Fails if a row was answered otherwise than expected.
    pub fn verdict(self) {
        let (wrong, count) = (self.wrong.len(), self.count);
        assert!(self.wrong.is_empty(), "{wrong} of {count} rows:\n{}", self.wrong.join("\n"));
    }
}
