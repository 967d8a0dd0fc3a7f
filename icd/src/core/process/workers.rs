//! Threads for jobs that may block. Each job runs at once on a thread of its own, so that no job waits for another;
//! a thread without a job stays for a while and takes the next one.

use hekla_vk_backend as vk;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// The time for which a thread without a job stays.
const LINGER: Duration = Duration::from_millis(500);

type Job = Box<dyn FnOnce() + Send>;

/// The threads for one kind of job.
pub struct Workers {
    /// The name of the threads.
    name: &'static str,
    state: Mutex<State>,
    added: Condvar,
}

struct State {
    /// The number of threads that wait for a job; never less than the number of jobs.
    idle: usize,
    jobs: VecDeque<Job>,
}

impl Workers {
    pub const fn new(name: &'static str) -> Workers {
        let state = State { idle: 0, jobs: VecDeque::new() };
        Workers { name, state: Mutex::new(state), added: Condvar::new() }
    }

    /// Runs a job on an idle thread or, if there is none, on a new one.
    ///
    /// # Errors
    /// Like [`vk::spawn`]; the job is dropped.
    pub fn run(&'static self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut state = self.state.lock();
        if state.idle > state.jobs.len() {
            state.jobs.push_back(Box::new(job));
            drop(state);
            self.added.notify_one();
            return Ok(());
        }
        drop(state);
        vk::spawn(self.name, move || {
            job();
            self.serve();
        })?;
        Ok(())
    }

    /// Runs jobs until none comes for a while.
    fn serve(&self) {
        let mut state = self.state.lock();
        while let Some(job) = self.next(&mut state) {
            MutexGuard::unlocked(&mut state, job);
        }
    }

    /// Waits for a job; `None` if none comes in time.
    fn next(&self, state: &mut MutexGuard<'_, State>) -> Option<Job> {
        let deadline = Instant::now() + LINGER;
        state.idle += 1;
        let mut timed_out = false;
        while state.jobs.is_empty() && !timed_out {
            timed_out = self.added.wait_until(state, deadline).timed_out();
        }
        state.idle -= 1;
        state.jobs.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread::{self, ThreadId};

    #[test]
    fn one_thread_does_jobs_that_follow_one_another() {
        static WORKERS: Workers = Workers::new("test-workers");
        let (sender, receiver) = channel::<ThreadId>();
        let mut seen = Vec::new();
        for _ in 0..20 {
            let sender = sender.clone();
            WORKERS.run(move || sender.send(thread::current().id()).unwrap()).unwrap();
            seen.push(receiver.recv().unwrap());
            // The thread becomes idle a little after the job has ended.
            while WORKERS.state.lock().idle == 0 {
                thread::yield_now();
            }
        }
        assert!(seen.iter().all(|id| *id == seen[0]), "{seen:?}");
    }

    #[test]
    fn no_job_waits_for_another() {
        static WORKERS: Workers = Workers::new("test-workers");
        let (sender, receiver) = channel();
        // Each job can end only after the next job, which is started later, has ended.
        let mut next: Option<std::sync::mpsc::Sender<()>> = None;
        for i in 0..8 {
            let (end, ended) = channel();
            let (previous, sender) = (next.replace(end), sender.clone());
            let job = move || {
                ended.recv().unwrap();
                if let Some(previous) = previous {
                    previous.send(()).unwrap();
                }
                sender.send(i).unwrap();
            };
            WORKERS.run(job).unwrap();
        }
        next.unwrap().send(()).unwrap();
        let mut order: Vec<i32> = (0..8).map(|_| receiver.recv().unwrap()).collect();
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
