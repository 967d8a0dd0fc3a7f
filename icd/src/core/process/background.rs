//! Background jobs, on few threads, each after a delay. Jobs call the driver, so exit() waits for jobs that have begun.

use hekla_vk_backend as vk;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::thread;
use std::time::{Duration, Instant};

/// The time for which a thread without a job stays.
const LINGER: Duration = Duration::from_millis(500);
/// The most jobs that wait: a job beyond them would be of little use when its turn came.
const MOST_WAITING: usize = 64;
/// The most threads; there are also no more than half as many as processors.
const MOST_THREADS: usize = 4;

type Job = Box<dyn FnOnce() + Send>;

/// The threads, and the jobs that have not begun.
pub struct Background {
    state: Mutex<State>,
    added: Condvar,
    ended: Condvar,
}

struct State {
    /// Jobs with the times at which they may begin, ascending.
    jobs: VecDeque<(Instant, Job)>,
    threads: usize,
    /// The number of threads that are running a job.
    busy: usize,
    /// Set by exit(): no job begins any more.
    stopped: bool,
}

/// The jobs of this process.
pub static BACKGROUND: Background = Background::new();

impl Background {
    const fn new() -> Background {
        let state = State { jobs: VecDeque::new(), threads: 0, busy: 0, stopped: false };
        Background { state: Mutex::new(state), added: Condvar::new(), ended: Condvar::new() }
    }

    /// Runs a job after a delay, unless the process ends before or too many jobs wait. If no thread can be started, the job may
    /// never run.
    pub fn run_after(&'static self, time: Duration, job: impl FnOnce() + Send + 'static) {
        let mut state = self.state.lock();
        if state.stopped || state.jobs.len() >= MOST_WAITING {
            return;
        }
        let due = Instant::now() + time;
        let place = state.jobs.partition_point(|(other, _)| *other <= due);
        state.jobs.insert(place, (due, Box::new(job)));
        let idle = state.threads - state.busy;
        if idle >= state.jobs.len() || state.threads >= most_threads() {
            self.added.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        if let Err(error) = vk::spawn("hekla-background", || self.serve()) {
            tracing::debug!("no thread for jobs in the background: {error}");
            self.state.lock().threads -= 1;
        }
    }

    /// Drops the jobs that have not begun, and waits for the running ones until `deadline`.
    pub fn stop(&self, deadline: Instant) {
        let mut state = self.state.lock();
        state.stopped = true;
        let dropped = std::mem::take(&mut state.jobs);
        while state.busy > 0 {
            if self.ended.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        drop(state);
        drop(dropped);
    }

    /// Runs jobs until none has come for a while. A panic ends only its own job.
    fn serve(&self) {
        let mut state = self.state.lock();
        while let Some(job) = self.next(&mut state) {
            state.busy += 1;
            let ended = MutexGuard::unlocked(&mut state, || catch_unwind(AssertUnwindSafe(job)));
            if ended.is_err() {
                tracing::error!("internal error (panic) in the background");
            }
            state.busy -= 1;
            self.ended.notify_all();
        }
        state.threads -= 1;
    }

    /// Waits for a job, and until it may begin; `None` if none comes in time.
    fn next(&self, state: &mut MutexGuard<'_, State>) -> Option<Job> {
        let end = Instant::now() + LINGER;
        loop {
            let now = Instant::now();
            let until = match state.jobs.front() {
                Some((due, _)) if *due <= now => return state.jobs.pop_front().map(|(_, job)| job),
                Some((due, _)) => *due,
                None if end <= now => return None,
                None => end,
            };
            self.added.wait_until(state, until);
        }
    }
}

fn most_threads() -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    (processors / 2).clamp(1, MOST_THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    const MOMENT: Duration = Duration::from_millis(1);

    #[test]
    fn jobs_begin_after_their_times() {
        static JOBS: Background = Background::new();
        let (sender, receiver) = channel();
        for i in 0..20 {
            let (sender, due) = (sender.clone(), Instant::now() + MOMENT * (20 - i));
            JOBS.run_after(MOMENT * (20 - i), move || {
                sender.send((i, Instant::now() >= due)).unwrap()
            });
        }
        let mut seen: Vec<_> = (0..20).map(|_| receiver.recv().unwrap()).collect();
        assert!(seen.iter().all(|(_, is_due)| *is_due));
        seen.sort_unstable();
        assert!(seen.iter().map(|(i, _)| *i).eq(0..20));
        assert!(JOBS.state.lock().threads <= MOST_THREADS);
    }

    #[test]
    fn a_panic_ends_its_job_alone() {
        static JOBS: Background = Background::new();
        let (sender, receiver) = channel();
        JOBS.run_after(MOMENT, || panic!("on purpose"));
        JOBS.run_after(MOMENT, move || sender.send(()).unwrap());
        receiver.recv().unwrap();
        JOBS.stop(Instant::now() + Duration::from_secs(10));
        assert_eq!(JOBS.state.lock().busy, 0);
    }

    #[test]
    fn no_more_jobs_wait_than_are_of_use() {
        static JOBS: Background = Background::new();
        let hour = Duration::from_secs(3600);
        for _ in 0..2 * MOST_WAITING {
            JOBS.run_after(hour, || unreachable!());
        }
        assert_eq!(JOBS.state.lock().jobs.len(), MOST_WAITING);
        JOBS.stop(Instant::now());
        assert!(JOBS.state.lock().jobs.is_empty());
    }

    #[test]
    fn the_end_waits_for_jobs_that_have_begun_and_drops_the_others() {
        static JOBS: Background = Background::new();
        let (begun, has_begun) = channel();
        let (ended, has_ended) = channel();
        JOBS.run_after(MOMENT, move || {
            begun.send(()).unwrap();
            thread::sleep(Duration::from_millis(50));
            ended.send(()).unwrap();
        });
        has_begun.recv().unwrap();
        let (never, is_dropped) = channel::<()>();
        JOBS.run_after(MOMENT, move || never.send(()).unwrap());
        JOBS.stop(Instant::now() + Duration::from_secs(10));
        assert!(has_ended.try_recv().is_ok());
        assert!(is_dropped.recv().is_err());
        let (late, is_dropped) = channel::<()>();
        JOBS.run_after(MOMENT, move || late.send(()).unwrap());
        assert!(is_dropped.recv().is_err());
    }

    #[test]
    fn the_end_does_not_wait_forever() {
        static JOBS: Background = Background::new();
        let (begun, has_begun) = channel();
        let (end, ended) = channel::<()>();
        JOBS.run_after(MOMENT, move || {
            begun.send(()).unwrap();
            let _ = ended.recv();
        });
        has_begun.recv().unwrap();
        JOBS.stop(Instant::now() + Duration::from_millis(20));
        drop(end);
    }
}
