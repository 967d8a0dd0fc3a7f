//! The thread that has a context of OpenGL: contexts and errors belong to threads, and the application's own are left alone.

use super::binding::{Binding, Refusal};
use super::context::Gl;
use super::fences::Fences;
use parking_lot::Mutex;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// What the thread is to do: with its context, and the fences that it looks at.
type Job = Box<dyn FnOnce(&Gl, &mut Fences) + Send>;

/// How long the thread waits for work before it looks at fences again.
const BETWEEN_LOOKS: Duration = Duration::from_micros(200);

/// A thread with a context. It ends, and the context with it, when this goes or is [stopped](Thread::stop).
pub(super) struct Thread {
    jobs: Mutex<Option<Sender<Job>>>,
    handle: Mutex<Option<JoinHandle<()>>>,
}

impl Thread {
    /// Starts a thread with a context that shares objects with the application's. Returns the devices of the context, too.
    ///
    /// # Errors
    /// Those of the window system, and contexts that lack what sharing takes.
    pub(super) fn start(binding: Binding) -> Result<(Thread, Vec<[u8; 16]>), Refusal> {
        let (jobs, received) = channel();
        let (tell, told) = channel();
        let started = hekla_vk_backend::spawn("hekla gl", move || {
            let gl = match open(binding) {
                Ok(gl) => gl,
                // The other side waits for the answer.
                Err(refusal) => return drop(tell.send(Err(refusal))),
            };
            let _ = tell.send(Ok(gl.devices.clone()));
            run(&gl, &received);
        });
        let handle = started.map_err(|_| Refusal::Invalid("no thread can be started"))?;
        let devices = told.recv().map_err(|_| Refusal::Invalid("OpenGL failed"))??;
        let thread = Thread { jobs: Mutex::new(Some(jobs)), handle: Mutex::new(Some(handle)) };
        Ok((thread, devices))
    }

    /// Has the thread do something; false if it has ended.
    pub(super) fn post(&self, job: impl FnOnce(&Gl, &mut Fences) + Send + 'static) -> bool {
        let jobs = self.jobs.lock();
        jobs.as_ref().is_some_and(|jobs| jobs.send(Box::new(job)).is_ok())
    }

    /// Has the thread do something and waits for the result; `None` if it has ended.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Gl) -> T + Send + 'static,
    ) -> Option<T> {
        let (tell, told) = channel();
        self.post(move |gl, _| drop(tell.send(job(gl)))).then_some(())?;
        told.recv().ok()
    }

    /// Ends the thread once it has done what it was told before, and waits for that.
    pub(super) fn stop(&self) {
        drop(self.jobs.lock().take());
        let handle = self.handle.lock().take();
        // A job that drops the last reference is on the thread itself.
        if let Some(handle) = handle.filter(|h| h.thread().id() != std::thread::current().id()) {
            let _ = handle.join();
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Makes a context on this thread, in the newest version that there is.
fn open(binding: Binding) -> Result<Gl, Refusal> {
    let mut attempt = 0;
    while let Some(current) = binding.share(attempt)? {
        if let Some(gl) = Gl::of_thread(binding, current) {
            return match gl.probe() {
                true => Ok(gl),
                false => Err(Refusal::Invalid("OpenGL does not copy objects")),
            };
        }
        attempt += 1;
    }
    Err(Refusal::Invalid("OpenGL makes no context that has what sharing takes"))
}

/// Does the jobs that come, and looks at fences in between.
fn run(gl: &Gl, jobs: &Receiver<Job>) {
    let mut fences = Fences::default();
    loop {
        let job = match fences.is_empty() {
            true => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => jobs.recv_timeout(BETWEEN_LOOKS),
        };
        match job {
            Ok(job) => job(gl, &mut fences),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return fences.give_up(gl),
        }
        fences.look(gl);
    }
}
