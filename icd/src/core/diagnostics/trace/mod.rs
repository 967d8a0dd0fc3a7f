//! `HEKLA_TRACE=FILE`: every call of the application and every command of the device as a Chrome trace
//! (for ui.perfetto.dev or chrome://tracing), on one clock.
//!
//! Calls are shown under process 1, a line per thread; commands under process 2, a line per queue, with
//! the device's timestamps. Without the variable, the cost is one read of a static.

mod file;

use crate::config;
use crate::core::process::clock;
use crate::core::process::fork;
use crate::platform;
use file::{quoted, TraceFile};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::cell::Cell;
use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// The clock of a device.
pub trait DeviceTime: Send + Sync {
    /// Converts a time of the device's clock, in nanoseconds, to the host's clock; `None` if the device's clock cannot be read
    /// any more.
    fn on_host(&self, device_ns: u64) -> Option<u64>;
}

pub struct Trace {
    file: Mutex<TraceFile>,
    /// Commands whose times are not known yet.
    pending: Mutex<Vec<Pending>>,
    queues: AtomicU32,
}

/// A command that was given to the device.
struct Pending {
    times: Arc<vk::CommandTimes>,
    name: String,
    queue: u32,
    device: Arc<dyn DeviceTime>,
}

/// Returns the trace of this process, if `HEKLA_TRACE` requests one.
#[inline]
pub fn trace() -> Option<&'static Trace> {
    static TRACE: OnceLock<Option<Trace>> = OnceLock::new();
    TRACE.get_or_init(start).as_ref()
}

fn start() -> Option<Trace> {
    let path = config::trace_file()?;
    crate::core::diagnostics::log::init();
    match TraceFile::create(&path) {
        Ok(file) => {
            platform::at_exit(at_exit);
            let (pending, queues) = (Mutex::default(), AtomicU32::new(0));
            Some(Trace { file: Mutex::new(file), pending, queues })
        }
        Err(error) => {
            tracing::warn!("HEKLA_TRACE={}: {error}", path.display());
            None
        }
    }
}

extern "C" fn at_exit() {
    // In a forked process, the locks may be held by threads that exist in the parent alone.
    if fork::is_child() {
        return;
    }
    if let Some(trace) = trace() {
        trace.collect();
        trace.file.lock().flush();
    }
}

impl Trace {
    /// Adds a call of the application that began at `start` on the host clock and ends now. `error` is the code that
    /// it returned, unless that is CL_SUCCESS.
    pub fn call(&self, name: &str, start: u64, error: Option<i32>) {
        let mut event = slice(name, (1, thread_number()), start, clock::now());
        if let Some(error) = error {
            // Writing to a String cannot fail.
            let _ = write!(event, ",\"args\":{{\"error\":{error}}}");
        }
        self.file.lock().add(event);
    }

    /// Adds the pipeline of a kernel, whose creation began at `start` on the host clock and ends now.
    pub fn pipeline(&self, kernel: &str, start: u64, how: vk::Creation) {
        let name = format!("pipeline of {kernel}");
        let mut event = slice(&name, (1, thread_number()), start, clock::now());
        let found = how.found.map_or("null".to_string(), |found| found.to_string());
        // Writing to a String cannot fail.
        let _ = write!(event, ",\"args\":{{\"known bytes\":{},\"found\":{found}}}", how.given);
        self.file.lock().add(event);
    }

    /// Returns a number for a new queue, under which its commands are shown.
    pub fn queue(&self, device: &str) -> u32 {
        let number = self.queues.fetch_add(1, Ordering::Relaxed) + 1;
        let label = quoted(&format!("queue {number}, {device}"));
        self.file.lock().add(format!(
            "\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":{number},\"args\":{{\"name\":{label}}}"
        ));
        number
    }

    /// Adds a command of a queue, whose times will be known when it is complete.
    pub fn command(
        &self,
        queue: u32,
        name: &str,
        times: Arc<vk::CommandTimes>,
        device: Arc<dyn DeviceTime>,
    ) {
        let pending = Pending { times, name: name.to_string(), queue, device };
        self.pending.lock().push(pending);
    }

    /// Writes the commands that are complete.
    pub fn collect(&self) {
        let all = std::mem::take(&mut *self.pending.lock());
        let (done, left): (Vec<_>, Vec<_>) = all.into_iter().partition(|p| p.times.get().is_some());
        // Other threads may have added commands meanwhile.
        let mut pending = self.pending.lock();
        let newer = std::mem::replace(&mut *pending, left);
        pending.extend(newer);
        drop(pending);
        for Pending { times, name, queue, device } in done {
            let Some(times) = times.get() else { continue };
            let on_host = |time| device.on_host(time);
            if let Some((start, end)) = on_host(times.begin_ns).zip(on_host(times.end_ns)) {
                self.file.lock().add(slice(&name, (2, queue), start, end));
            }
        }
    }
}

/// Returns a span of time of a thread or queue, as the members of a JSON object.
fn slice(name: &str, (process, thread): (u32, u32), start: u64, end: u64) -> String {
    let name = quoted(name);
    let duration = micros(end.saturating_sub(start));
    let start = micros(start);
    format!(
        "\"name\":{name},\"ph\":\"X\",\"pid\":{process},\"tid\":{thread},\"ts\":{start},\"dur\":{duration}"
    )
}

/// Returns nanoseconds as exact microseconds.
fn micros(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

/// Returns the number of this thread, in the order of the threads' first calls.
fn thread_number() -> u32 {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NUMBER: Cell<u32> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(COUNT.fetch_add(1, Ordering::Relaxed) + 1);
        }
        number.get()
    })
}
