//! The process that starts others and counts the outcomes of their sequences.

use super::settings::{self, BLOCK};
use crate::attack::process::{self, End, Ran, Target};
use crate::attack::Request;
use crate::Outcome;
use cl3::error_codes::{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_RESOURCES};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The time after which a child counts as hanging: a fixed part, and a part for each of its sequences. A child finds
/// its own hangs sooner.
const LIMIT: Duration = Duration::from_secs(120);
const EACH: Duration = Duration::from_secs(10);

/// How often progress is printed.
const NEWS: Duration = Duration::from_secs(300);

/// Part of the message by which the log reports each loss of a device, once.
const LOSS: &str = " was lost (";

/// The outcomes of the sequences.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    sequences: u64,
    operations: u64,
    /// Wrong calls, which were refused as they must be.
    refused: u64,
    wrong: u64,
    crashed: u64,
    hung: u64,
    /// Sequences in which the driver lost the device, and the calls reported it.
    lost: u64,
}

impl Tally {
    /// Returns the tally in one line.
    fn shown(&self, time: Duration) -> String {
        let Tally { sequences, operations, refused, wrong, crashed, hung, lost } = self;
        format!(
            "{sequences} sequences, {operations} operations, {refused} calls refused: {wrong} wrong, \
             {crashed} crashed, {hung} hung, {lost} lost with the device ({} s)",
            time.as_secs()
        )
    }
}

fn lock(tally: &Mutex<Tally>) -> Result<MutexGuard<'_, Tally>, String> {
    tally.lock().map_err(|e| e.to_string())
}

/// Seeds from a first one on, which one process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seeds {
    first: u64,
    count: u64,
}

/// Runs sequences until the time is over, or until all that are asked for have run.
pub fn run(request: &Request) -> Outcome {
    let target = Target::of(request)?;
    let folder = request.folder("sequences")?;
    let (start, tally) = (Instant::now(), Mutex::new(Tally::default()));
    let next = AtomicU64::new(request.seed);
    let end = request.count.map_or(u64::MAX, |count| request.seed.saturating_add(count));
    let told = AtomicU64::new(0);
    let work = || -> Outcome {
        while start.elapsed() < request.time() {
            let first = next.load(Ordering::Relaxed);
            let block = (first / BLOCK + 1).saturating_mul(BLOCK).min(end);
            if first >= end {
                break;
            }
            if next.compare_exchange(first, block, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                let seeds = Seeds { first, count: block - first };
                run_seeds((&target, &request.with), seeds, &tally, &folder)?;
                let due = start.elapsed().as_secs() / NEWS.as_secs();
                if told.fetch_max(due, Ordering::Relaxed) < due {
                    println!("{}", lock(&tally)?.shown(start.elapsed()));
                }
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..request.jobs).map(|_| scope.spawn(work)).collect();
        let mut ended = threads.into_iter().map(|thread| thread.join());
        ended.try_for_each(|end| end.unwrap_or_else(|_| Err("a thread panicked".to_string())))
    })?;
    let tally = *lock(&tally)?;
    println!("{}", tally.shown(start.elapsed()));
    let Tally { sequences, wrong, crashed, hung, .. } = tally;
    match wrong + crashed + hung {
        0 => Ok(()),
        failed => Err(format!("{failed} of {sequences} sequences failed")),
    }
}

/// Runs seeds, each once: after a sequence that ends a process, another process continues with the next one. The output
/// of a process with a failure is left in a folder.
fn run_seeds(
    (target, with): (&Target, &Option<String>),
    seeds: Seeds,
    tally: &Mutex<Tally>,
    folder: &Path,
) -> Outcome {
    let settings = settings::of(seeds.first);
    let end = seeds.first + seeds.count;
    let mut first = seeds.first;
    while first < end {
        let count = (end - first).to_string();
        let mut args = vec!["--seed".to_string(), first.to_string(), "--count".to_string(), count];
        args.extend(with.iter().flat_map(|with| ["--with".to_string(), with.clone()]));
        let mut command = target.child("sequences", &args)?;
        command.env("XDG_CACHE_HOME", folder.join("cache")).env("HEKLA_CACHE_SIZE", "64");
        // After a hang the log shows what was submitted to the device.
        command.env("HEKLA_LOG", "warn").envs(settings.iter().copied());
        let ran = process::run(&mut command, LIMIT + EACH * (end - first) as u32)?;
        if ran.end != End::Code(0) {
            let file = folder.join(format!("from-{first}.txt"));
            let text = format!("{:?}, {settings:?}\n{}\n{}", ran.end, ran.output, ran.errors);
            crate::system::write_file(&file, text)?;
        }
        let mut tally = lock(tally)?;
        first = read(&ran, Seeds { first, count: end - first }, &settings, &mut tally)?;
    }
    Ok(())
}

/// Reads the output of a process, and reports its failures; returns the seed that is next.
fn read(
    ran: &Ran,
    seeds: Seeds,
    settings: &settings::Settings,
    tally: &mut Tally,
) -> Result<u64, String> {
    let end = seeds.first + seeds.count;
    let mut running = None;
    let mut losses = ran.errors.lines().filter(|line| line.contains(LOSS)).count();
    let mut lines = ran.output.lines();
    while let Some(line) = lines.next() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut numbers = rest.split(' ').map_while(|word| word.parse::<u64>().ok());
        match word {
            "seed" => running = numbers.next(),
            "done" => {
                running = None;
                tally.sequences += 1;
                tally.operations += numbers.next().unwrap_or(0);
                tally.refused += numbers.next().unwrap_or(0);
            }
            "wrong" => {
                running = None;
                tally.sequences += 1;
                if losses > 0 && tells_of_loss(lines.clone()) {
                    losses -= 1;
                    tally.lost += 1;
                    println!("seed {}, {settings:?}: the device is lost in {rest}", seeds.first);
                } else {
                    tally.wrong += 1;
                    println!("seed {}, {settings:?}: wrong {rest}", seeds.first);
                }
            }
            "|" => println!("    {rest}"),
            "hang" => println!("seed {}, {settings:?}: hangs at {rest}", running.unwrap_or(0)),
            _ => {}
        }
    }
    let hung = ran.end == End::Hang || ran.output.lines().any(|line| line.starts_with("hang "));
    let seed = match (running, &ran.end) {
        (None, End::Code(0 | 1)) if !ran.output.is_empty() => return Ok(end),
        // A process that reports why it does not begin would not begin with the next seed either.
        (None, End::Code(_)) => {
            return Err(format!("the process of seed {} ends: {}", seeds.first, tail(&ran.errors)));
        }
        // The process died at its start, or at its end.
        (None, _) if ran.output.is_empty() => seeds.first,
        (None, _) => end - 1,
        (Some(seed), _) => seed,
    };
    // A sequence that had ended is counted already.
    tally.sequences += u64::from(running.is_some() || ran.output.is_empty());
    match hung {
        true => tally.hung += 1,
        false => tally.crashed += 1,
    }
    println!(
        "seed {seed} of a process from {}, {settings:?}: {:?}\n{}",
        seeds.first,
        ran.end,
        tail(&ran.errors)
    );
    Ok(seed + 1)
}

/// Returns true if a report, whose lines follow, is about a command that failed, or that waited for a failed one: the
/// errors of calls after the device is lost.
fn tells_of_loss<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let failures = [CL_OUT_OF_RESOURCES, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST];
    let mut report = lines.take_while(|line| line.starts_with("| "));
    report.any(|line| failures.iter().any(|code| line.ends_with(&format!(" gives {code}"))))
}

/// Returns the last lines of a text.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(output: &str, end: End) -> (Result<u64, String>, Tally) {
        let ran = Ran { end, output: output.to_string(), errors: String::new() };
        let mut tally = Tally::default();
        let next = read(&ran, Seeds { first: 5, count: 3 }, &Vec::new(), &mut tally);
        (next, tally)
    }

    #[test]
    fn sequences_are_counted_and_a_crash_is_gone_on_behind() {
        let (next, tally) = read_text("seed 5\ndone 10 2\nseed 6\n", End::Crash("SIGSEGV".into()));
        assert_eq!(next, Ok(7));
        let expected =
            Tally { sequences: 2, operations: 10, refused: 2, crashed: 1, ..Tally::default() };
        assert_eq!(tally, expected);
    }

    #[test]
    fn a_hang_is_one_however_it_is_found() {
        assert_eq!(read_text("seed 5\n", End::Hang).1.hung, 1);
        let told = read_text("seed 5\nhang step 3\n", End::Crash("SIGABRT".into()));
        assert_eq!((told.1.hung, told.1.crashed), (1, 0));
    }

    #[test]
    fn a_wrong_byte_ends_no_process() {
        let (next, tally) = read_text("seed 5\nwrong step 3\nseed 6\ndone 1 0\n", End::Code(1));
        assert_eq!((next, tally.wrong, tally.sequences), (Ok(8), 1, 2));
        assert!(read_text("", End::Code(101)).0.is_err());
    }

    #[test]
    fn a_loss_of_the_device_excuses_one_failed_command_and_no_byte() {
        let loss = "hekla: ERROR: device GPU was lost (vkWaitForFences)\n";
        let output = "seed 5\nwrong 5\n| step 3\n| it gives -14\nseed 6\nwrong 6\n| step 1\n| it gives -5\nseed 7\ndone 1 0\n";
        let bytes = "seed 5\nwrong 5\n| byte 3 is 1\nseed 6\ndone 1 0\nseed 7\ndone 1 0\n";
        for (output, errors, lost, wrong) in
            [(output, loss, 1, 1), (output, "", 0, 2), (bytes, loss, 0, 1)]
        {
            let ran = Ran { end: End::Code(1), output: output.into(), errors: errors.into() };
            let mut tally = Tally::default();
            read(&ran, Seeds { first: 5, count: 3 }, &Vec::new(), &mut tally).unwrap();
            assert_eq!((tally.lost, tally.wrong, tally.sequences), (lost, wrong, 3));
        }
    }

    #[test]
    fn a_crash_outside_of_sequences_is_one() {
        let (next, tally) = read_text("", End::Crash("SIGABRT".into()));
        assert_eq!((next, tally.crashed, tally.sequences), (Ok(6), 1, 1));
        let done = "seed 5\ndone 1 0\nseed 6\ndone 1 0\nseed 7\ndone 1 0\n";
        let (next, tally) = read_text(done, End::Crash("SIGSEGV".into()));
        assert_eq!((next, tally.crashed, tally.sequences), (Ok(8), 1, 3));
    }
}
