//! A process that tries cases, as its parent sees it: what it reports, how it dies, whether it hangs or takes too much
//! memory.

use super::child::{errors_of, Errand};
use super::death::{self, Culprit};
use super::tally::Fate;
use super::Batch;
use crate::platform::attack::{ask_to_die, resident, ticks};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The time between two looks at a process.
const LOOK: Duration = Duration::from_millis(20);
/// How long a process may take to open the device.
const START: Duration = Duration::from_secs(180);
/// The number of frames of a stack that are reported.
const FRAMES: usize = 6;

/// How a process ended.
pub enum End {
    /// The process has tried its cases up to this one; not all of them, where it lost its device.
    Done { last: u64 },
    /// The time for all cases is over.
    Late,
    /// The process ended, or was ended, in a case.
    InCase { seed: u64, fate: Fate, took: Duration },
}

/// What a process has reported so far.
struct Watched {
    log: File,
    /// The last line of the output, which is not complete yet.
    rest: String,
    ready: bool,
    done: bool,
    /// The seed of the case that is running.
    seed: u64,
    /// The time at which the case began.
    since: Instant,
    stage: String,
    /// True if a changed kernel has run in this process.
    ran: bool,
}

impl Watched {
    /// Reads new output, and passes on the cases that have ended.
    fn read(&mut self, each: &mut dyn FnMut(u64, Fate, Duration)) -> Result<(), String> {
        let mut new = Vec::new();
        self.log.read_to_end(&mut new).map_err(|e| e.to_string())?;
        self.rest.push_str(&String::from_utf8_lossy(&new));
        while let Some(end) = self.rest.find('\n') {
            let line: String = self.rest.drain(..=end).collect();
            self.line(line.trim_end(), each);
        }
        Ok(())
    }

    fn line(&mut self, line: &str, each: &mut dyn FnMut(u64, Fate, Duration)) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let fate = match word {
            "ready" | "done" => {
                self.ready = true;
                self.done |= word == "done";
                self.since = Instant::now();
                return;
            }
            "case" => {
                self.seed = rest.parse().unwrap_or_default();
                self.since = Instant::now();
                self.stage.clear();
                return;
            }
            "stage" => {
                self.stage = rest.to_string();
                self.ran |= rest == "finish";
                return;
            }
            "same" => Fate::Same,
            "accepted" => Fate::Accepted,
            "refused" => Fate::Refused(rest.to_string()),
            _ => Fate::Wrong(rest.to_string()),
        };
        each(self.seed, fate, self.since.elapsed());
    }
}

/// Runs a process for `count` cases from a seed on, and passes on the outcome of each. Returns an error if the process
/// could not begin.
pub fn run(
    batch: &Batch<'_>,
    log: &Path,
    first: u64,
    count: u64,
    until: Option<Instant>,
    each: &mut dyn FnMut(u64, Fate, Duration),
) -> Result<End, String> {
    let tell = |error: std::io::Error| format!("{}: {error}", log.display());
    File::create(log).map_err(tell)?;
    let errors = File::create(errors_of(log)).map_err(tell)?;
    let errand = Errand { mode: batch.mode.clone(), log: log.to_path_buf() }.text();
    let (first, count) = (first.to_string(), count.to_string());
    let args = ["--seed", &first, "--count", &count, "--with", &errand];
    let mut command = batch.target.child(batch.kind, &args.map(str::to_string))?;
    (batch.prepare)(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
    let mut child = command.spawn().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    let mut watched = Watched {
        log: File::open(log).map_err(tell)?,
        rest: String::new(),
        ready: false,
        done: false,
        seed: 0,
        since: Instant::now(),
        stage: String::new(),
        ran: false,
    };
    let why = loop {
        let status = child.try_wait().map_err(|e| e.to_string())?;
        watched.read(each)?;
        if let Some(status) = status {
            break Why::Ended(status);
        }
        if let Some(why) = look(batch, &watched, &child, until) {
            if matches!(why, Why::Hangs) {
                ask_to_die(&child);
                std::thread::sleep(Duration::from_secs(2));
            }
            let _ = child.kill();
            let _ = child.wait();
            // Reports from before the process was killed count.
            watched.read(each)?;
            break why;
        }
        std::thread::sleep(LOOK);
    };
    let bytes = std::fs::read(errors_of(log)).map_err(tell)?;
    end(batch, watched, why, &String::from_utf8_lossy(&bytes))
}

/// The reason why the parent no longer watches a process.
enum Why {
    Ended(ExitStatus),
    Late,
    Hangs,
    /// The process hangs while a changed kernel runs, and uses processor time.
    Computes,
    Grows(u64),
}

/// Returns the reason to kill a process, if there is one.
fn look(
    batch: &Batch<'_>,
    watched: &Watched,
    child: &Child,
    until: Option<Instant>,
) -> Option<Why> {
    if until.is_some_and(|until| Instant::now() > until) && watched.ready {
        return Some(Why::Late);
    }
    if let Some(bytes) = resident(child.id()).ok().filter(|bytes| *bytes > batch.memory) {
        return Some(Why::Grows(bytes));
    }
    let limit = if watched.ready { batch.limit } else { START };
    if watched.since.elapsed() < limit {
        return None;
    }
    let used = || ticks(child.id()).unwrap_or_default();
    let before = used();
    std::thread::sleep(Duration::from_secs(1));
    // A waiting process uses no processor time; the share of a computing process depends on the machine.
    let computes = watched.stage == "finish" && used() - before > 5;
    Some(if computes { Why::Computes } else { Why::Hangs })
}

fn end(batch: &Batch<'_>, watched: Watched, why: Why, errors: &str) -> Result<End, String> {
    if !watched.ready {
        return Err(format!("{}: no process could begin:\n{errors}", batch.kind));
    }
    let stage = match watched.stage.as_str() {
        "" => String::new(),
        stage => format!(", in {stage}"),
    };
    let fate = match why {
        Why::Late => return Ok(End::Late),
        Why::Ended(status) if watched.done && status.success() => {
            return Ok(End::Done { last: watched.seed })
        }
        Why::Ended(status) => died(&watched, &format!("{status}{stage}"), errors),
        Why::Computes => Fate::Endless,
        Why::Hangs => {
            let (_, stack) = placed(errors);
            Fate::Hung(format!("for {} s{stage}{stack}", batch.limit.as_secs()))
        }
        Why::Grows(bytes) => Fate::Grew(format!("to {} MB{stage}", bytes >> 20)),
    };
    Ok(End::InCase { seed: watched.seed, fate, took: watched.since.elapsed() })
}

/// Returns the fate of a case in which a process died.
fn died(watched: &Watched, status: &str, errors: &str) -> Fate {
    let (place, stack) = placed(errors);
    let text = format!("{status}{stack}");
    // Mesa's threads block these signals, so that no handler runs. The library's own code raises none of them without a
    // message: a division by zero is a panic.
    let is_blocked = ["SIGFPE", "SIGILL"].iter().any(|signal| status.contains(signal));
    match place {
        Culprit::Unknown if is_blocked && !errors.contains("panicked at") => {
            Fate::DiedInDriver(format!("{text}, in a thread that blocks signals"))
        }
        _ if death::is_starved(errors) => Fate::Starved(text),
        Culprit::Driver => Fate::DiedInDriver(text),
        _ if watched.ran => Fate::DiedLater(text),
        _ => Fate::Crashed(text),
    }
}

/// Returns the place where a process died, and a description of it.
fn placed(errors: &str) -> (Culprit, String) {
    // Messages of the library itself: a failed allocation, a panic in a panic.
    let said = errors.lines().rev().find(|line| {
        ["Rust cannot catch foreign", "fatal runtime error", "memory allocation of", "panicked at"]
            .iter()
            .any(|sign| line.contains(sign))
    });
    let said = said.map(|line| format!(": {line}")).unwrap_or_default();
    match death::read(errors) {
        None => (Culprit::Unknown, format!("{said}, and told nothing")),
        Some(death) => {
            let shown = &death.stack[..death.stack.len().min(FRAMES)];
            (death.place, format!("{said} [{}]", shown.join(" ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::attack::DEATH;

    fn watched(log: &Path, text: &str) -> (Watched, Vec<(u64, Fate)>) {
        std::fs::write(log, text).unwrap();
        let mut watched = Watched {
            log: File::open(log).unwrap(),
            rest: String::new(),
            ready: false,
            done: false,
            seed: 0,
            since: Instant::now(),
            stage: String::new(),
            ran: false,
        };
        let mut fates = Vec::new();
        watched.read(&mut |seed, fate, _| fates.push((seed, fate))).unwrap();
        (watched, fates)
    }

    #[test]
    fn what_a_process_tells_is_read_up_to_the_case_that_it_died_in() {
        let log = std::env::temp_dir().join(format!("hekla-attack-{}.log", std::process::id()));
        let told = "ready\ncase 7\nstage build\nrefused CL_X\ncase 8\nstage finish\nsame\n\
                    case 9\nstage create\nstage bui";
        let (watched, fates) = watched(&log, told);
        assert_eq!(fates, [(7, Fate::Refused("CL_X".into())), (8, Fate::Same)]);
        assert_eq!((watched.seed, watched.stage.as_str()), (9, "create"));
        assert!(watched.ready && watched.ran && !watched.done);
        std::fs::remove_file(&log).unwrap();

        let maps = "maps\n1000-2000 r-xp 00000000 00:00 1 /w/libhekla.so\n\
                    3000-4000 r-xp 00000000 00:00 2 /usr/lib/libvulkan_lvp.so\n";
        let at = |place: &str| format!("{DEATH}11\npc {place}\nat {place}\n{maps}");
        assert!(matches!(died(&watched, "", &at("3001")), Fate::DiedInDriver(_)));
        // A changed kernel has run before, and may have written anywhere.
        assert!(matches!(died(&watched, "", &at("1001")), Fate::DiedLater(_)));
        let calm = Watched { ran: false, ..watched };
        assert!(matches!(died(&calm, "", &at("1001")), Fate::Crashed(_)));
        assert!(matches!(died(&calm, "", ""), Fate::Crashed(_)));
        assert!(matches!(died(&calm, "8 (SIGFPE)", ""), Fate::DiedInDriver(_)));
        let panic = "thread 'x' panicked at y";
        assert!(matches!(died(&calm, "4 (SIGILL)", panic), Fate::Crashed(_)));
        let starved = "memory allocation of 64 bytes failed\n";
        assert!(matches!(died(&calm, "", starved), Fate::Starved(_)));
    }
}
