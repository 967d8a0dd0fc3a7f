//! Where the text goes: to the application's callback (cl_arm_printf), or to stdout.

use crate::object::callbacks;
use crate::object::callbacks::UserData;
use parking_lot::{Mutex, ReentrantMutex};
use std::collections::VecDeque;
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// CL_PRINTF_CALLBACK_ARM: text, its length, whether the device's buffer holds no more, user data.
pub type PrintfCallback = unsafe extern "C" fn(*const c_char, usize, usize, *mut c_void);

/// Who receives the text.
#[derive(Clone, Copy)]
pub enum Sink {
    Stdout,
    Callback(PrintfCallback, UserData),
}

impl Sink {
    fn write(self, text: &[u8]) {
        match self {
            Sink::Stdout => stdout(text),
            Sink::Callback(function, data) => {
                let start = text.as_ptr().cast();
                // SAFETY: the application gave this function and its data in the context's
                // properties; the text outlives the call.
                unsafe { function(start, text.len(), 1, data.get()) };
            }
        }
    }
}

/// C's own stream, so that the text takes its place among what the application prints.
#[cfg(unix)]
fn stdout(text: &[u8]) {
    unsafe extern "C" {
        #[cfg_attr(target_vendor = "apple", link_name = "__stdoutp")]
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the stream is C's, which keeps it valid and locks it for each call; the text is as
    // long as is said.
    unsafe {
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        libc::fflush(stdout);
    }
}

#[cfg(not(unix))]
fn stdout(text: &[u8]) {
    use std::io::Write;
    // There is nobody to tell that nobody listens.
    let _ = std::io::stdout().lock().write_all(text);
    let _ = std::io::stdout().lock().flush();
}

/// Text on its way to a sink. It is taken in while locks are held, and delivered, in the same order,
/// when the entry point holds none: the sink may be the application's.
pub struct Outbox {
    sink: Sink,
    texts: Mutex<VecDeque<Vec<u8>>>,
    undelivered: AtomicUsize,
    /// Held while delivering. A callback may call into the library again.
    delivering: ReentrantMutex<()>,
}

impl Outbox {
    pub fn new(sink: Sink) -> Arc<Outbox> {
        Arc::new(Outbox {
            sink,
            texts: Mutex::default(),
            undelivered: AtomicUsize::new(0),
            delivering: ReentrantMutex::new(()),
        })
    }

    /// Takes text in.
    pub fn push(&self, text: Vec<u8>) {
        if !text.is_empty() {
            self.undelivered.fetch_add(1, Ordering::AcqRel);
            self.texts.lock().push_back(text);
        }
    }

    /// Makes sure that all that was taken in is delivered before the entry point returns, by this
    /// thread or by one that is at it.
    pub fn deliver_soon(self: &Arc<Self>) {
        if self.undelivered.load(Ordering::Acquire) > 0 {
            let outbox = self.clone();
            callbacks::defer(move || outbox.deliver());
        }
    }

    fn deliver(&self) {
        let _order = self.delivering.lock();
        loop {
            let next = self.texts.lock().pop_front();
            let Some(text) = next else { return };
            self.sink.write(&text);
            self.undelivered.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
