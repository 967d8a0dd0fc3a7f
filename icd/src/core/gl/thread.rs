//! The thread that has a context of OpenGL. Contexts and errors belong to threads, and the application's own threads are left
//! alone.

use super::binding::{Binding, Refusal};
use super::context::Gl;
use super::fences::Fences;
use parking_lot::Mutex;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// A job for the thread, with its context and the fences that it polls.
type Job = Box<dyn FnOnce(&Gl, &mut Fences) + Send>;

/// How long the thread waits for work before it polls the fences again.
const BETWEEN_LOOKS: Duration = Duration::from_micros(200);

/// A thread with a context. The thread and its context end on drop, or when the thread is [stopped](Thread::stop).
pub(super) struct Thread {
    jobs: Mutex<Option<Sender<Job>>>,
    handle: Mutex<Option<JoinHandle<()>>>,
}

impl Thread {
    /// Starts a thread with a context that shares objects with the application's. Returns the thread and the devices of its
    /// context.
    ///
    /// # Errors
    /// Errors of the window system, and of contexts that lack something that sharing needs.
    pub(super) fn start(binding: Binding) -> Result<(Thread, Vec<[u8; 16]>), Refusal> {
        let (jobs, received) = channel();
        let (tell, told) = channel();
        let started = hekla_vk_backend::spawn("hekla gl", move || {
            let gl = match open(binding) {
                Ok(gl) => gl,
                // The receiver waits for this result, so the send succeeds.
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

    /// Gives the thread a job; returns false if the thread has ended.
    pub(super) fn post(&self, job: impl FnOnce(&Gl, &mut Fences) + Send + 'static) -> bool {
        let jobs = self.jobs.lock();
        jobs.as_ref().is_some_and(|jobs| jobs.send(Box::new(job)).is_ok())
    }

    /// Gives the thread a job and waits for the result; `None` if the thread has ended.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Gl) -> T + Send + 'static,
    ) -> Option<T> {
        let (tell, told) = channel();
        self.post(move |gl, _| drop(tell.send(job(gl)))).then_some(())?;
        told.recv().ok()
    }

    /// Ends the thread once it has done its earlier jobs, and waits for the end.
    pub(super) fn stop(&self) {
        drop(self.jobs.lock().take());
        let handle = self.handle.lock().take();
        // The caller may be a job on the thread itself, if it drops the last reference.
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

/// Makes a context on this thread, in the newest version that the driver has.
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

/// Runs jobs as they come, and polls the fences between them.
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
