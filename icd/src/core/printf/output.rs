//! The receiver of the text: the application's callback (cl_arm_printf), or stdout.

use crate::object::callbacks;
use crate::object::callbacks::UserData;
use crate::platform;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::thread::ThreadId;

/// CL_PRINTF_CALLBACK_ARM. Its parameters: the text, the text's length, whether the device's buffer holds no more text, user
/// data.
pub type PrintfCallback = unsafe extern "C" fn(*const c_char, usize, usize, *mut c_void);

/// The receiver of the text.
#[derive(Clone, Copy)]
pub enum Sink {
    Stdout,
    Callback(PrintfCallback, UserData),
}

impl Sink {
    fn write(self, text: &[u8]) {
        match self {
            Sink::Stdout => platform::print(text),
            Sink::Callback(function, data) => {
                let start = text.as_ptr().cast();
                // SAFETY: the application gave this function and its data in the context's
                // properties; the text outlives the call.
                unsafe { function(start, text.len(), 1, data.get()) };
            }
        }
    }
}

/// The text of one queue that is not delivered to the sink yet. Text is added while locks are held, and delivered in the same
/// order when the thread holds no lock, since the sink may be the application's.
///
/// A thread delivers the text of the commands that it has waited for. If another thread is delivering, it waits for that
/// thread. So a callback must not wait for a thread that waits for the same queue, but may wait for threads that use other
/// queues.
pub struct Outbox {
    sink: Sink,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    texts: VecDeque<Delivery>,
    /// Number of texts received so far, and of texts delivered.
    taken_in: u64,
    delivered: u64,
    /// The thread that is delivering text. Its callback may call the library again, which may deliver more text.
    deliverer: Option<ThreadId>,
}

/// A piece of text or a call of a callback, to be delivered.
enum Delivery {
    Text(Vec<u8>),
    Call(Box<dyn FnOnce() + Send>),
}

impl Outbox {
    pub fn new(sink: Sink) -> Arc<Outbox> {
        Arc::new(Outbox { sink, state: Mutex::default(), changed: Condvar::new() })
    }

    /// Adds text to deliver.
    pub fn push(&self, text: Vec<u8>) {
        if !text.is_empty() {
            self.add(Delivery::Text(text));
        }
    }

    /// Adds a call of a callback, which is made in the order of the texts.
    pub fn push_call(&self, call: Box<dyn FnOnce() + Send>) {
        self.add(Delivery::Call(call));
    }

    fn add(&self, delivery: Delivery) {
        let mut state = self.state.lock();
        state.taken_in += 1;
        state.texts.push_back(delivery);
    }

    /// Makes sure that all text added so far is delivered before the entry point returns, by this thread or by the thread that
    /// is delivering.
    pub fn deliver_soon(self: &Arc<Self>) {
        let state = self.state.lock();
        if state.delivered < state.taken_in {
            let (outbox, until) = (self.clone(), state.taken_in);
            drop(state);
            callbacks::defer(move || outbox.deliver(until));
        }
    }

    /// Delivers all text added so far, or waits until another thread has delivered it. The caller must not hold a lock.
    pub fn deliver_all(&self) {
        let until = self.state.lock().taken_in;
        self.deliver(until);
    }

    /// Delivers the first `until` texts, or waits until another thread has delivered them.
    fn deliver(&self, until: u64) {
        let this = std::thread::current().id();
        let mut state = self.state.lock();
        while state.delivered < until {
            if state.deliverer.is_some_and(|other| other != this) {
                self.changed.wait(&mut state);
                continue;
            }
            // If this thread is in a callback for one of these texts, that text does not count as delivered yet, and the list
            // may be empty.
            let Some(text) = state.texts.pop_front() else { return };
            let outer = state.deliverer.replace(this);
            MutexGuard::unlocked(&mut state, || match text {
                Delivery::Text(text) => self.sink.write(&text),
                Delivery::Call(call) => call(),
            });
            state.deliverer = outer;
            state.delivered += 1;
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// The data of a test's callback.
    struct Listener {
        texts: mpsc::Sender<Vec<u8>>,
        /// Lets a callback return.
        go: Mutex<mpsc::Receiver<()>>,
    }

    unsafe extern "C" fn listen(text: *const c_char, size: usize, _: usize, data: *mut c_void) {
        // SAFETY: the outbox gives text and size, the test the data.
        let (text, listener) = unsafe {
            (std::slice::from_raw_parts(text.cast::<u8>(), size), &*data.cast::<Listener>())
        };
        listener.texts.send(text.to_vec()).unwrap();
        listener.go.lock().recv().unwrap();
    }

    #[test]
    fn who_finds_text_under_way_waits_for_it_and_keeps_the_order() {
        let (texts, delivered) = mpsc::channel();
        let (go, receiver) = mpsc::channel();
        let listener = Listener { texts, go: Mutex::new(receiver) };
        let data = UserData(std::ptr::from_ref(&listener).cast_mut().cast());
        let outbox = Outbox::new(Sink::Callback(listen, data));
        outbox.push(b"one".to_vec());
        outbox.push(b"two".to_vec());
        std::thread::scope(|scope| {
            let first = scope.spawn(|| outbox.deliver(1));
            assert_eq!(delivered.recv().unwrap(), b"one");
            let second = scope.spawn(|| outbox.deliver(2));
            go.send(()).unwrap();
            assert_eq!(delivered.recv().unwrap(), b"two");
            // The first call's own text is delivered, so it returns while the second thread delivers the next text.
            first.join().unwrap();
            assert!(!second.is_finished());
            go.send(()).unwrap();
            second.join().unwrap();
        });
        outbox.deliver(2);
        assert!(delivered.try_recv().is_err());
    }
}
