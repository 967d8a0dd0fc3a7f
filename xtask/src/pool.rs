//! Runs jobs on several threads, and passes on their results in the order of the jobs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Returns the number of jobs that this machine's processors run at once.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `run` on each item, `jobs` at once, and passes the results to `each` in the order of the items, each as soon as
/// those before it exist. Starts no more items once `each` fails, and returns its error.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    run: impl Fn(&T) -> R + Sync,
    mut each: impl FnMut(&T, R) -> Result<(), String>,
) -> Result<(), String> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = |sender: mpsc::Sender<(usize, R)>| {
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            if sender.send((index, run(item))).is_err() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.max(1).min(items.len()) {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (index, result) in results {
            early.insert(index, result);
            while let Some(result) = early.remove(&due) {
                each(&items[due], result).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                due += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn results_come_in_order() {
        let items: Vec<usize> = (0..100).collect();
        for jobs in [0, 1, 4, 200] {
            let mut seen = Vec::new();
            let each = |item: &usize, result: usize| {
                assert_eq!(result, item * item);
                seen.push(*item);
                Ok(())
            };
            in_order(&items, jobs, |item| item * item, each).unwrap();
            assert_eq!(seen, items);
        }
    }

    #[test]
    fn jobs_run_at_once() {
        // Each job waits for the others.
        let all = Barrier::new(3);
        in_order(&[(); 3], 3, |()| all.wait(), |(), _| Ok(())).unwrap();
    }

    #[test]
    fn an_error_ends_it() {
        let ran = AtomicUsize::new(0);
        let items: Vec<usize> = (0..1000).collect();
        let run = |_: &usize| ran.fetch_add(1, Ordering::Relaxed);
        let each = |item: &usize, _| if *item == 3 { Err("no more".to_string()) } else { Ok(()) };
        assert_eq!(in_order(&items, 1, run, each), Err("no more".to_string()));
        assert!(in_order(&[] as &[()], 2, |()| (), |(), ()| Ok(())).is_ok());
    }
}
