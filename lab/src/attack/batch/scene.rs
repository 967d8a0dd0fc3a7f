//! Attacks on the state that a process finds when it begins: each scene is a function that arranges something, and runs
//! processes of this program that build and run programs with known results.

use super::super::process::{self, End, Ran, Target};
use super::super::Request;
use super::child::Verdict;
use super::death::{self, Culprit};
use super::known;
use super::opencl::World;
use super::random::Random;
use crate::platform::attack as system;
use crate::platform::attack::{report_death, Limit};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a process may take.
const LIMIT: Duration = Duration::from_secs(30);
/// The id of a user without other processes, to run processes without root's rights.
pub const USER: u32 = 4321;
/// The exit code of a process in which a function returned an allowed error.
const REFUSED: i32 = 3;
/// The beginning of the errand of a scene's process.
const ERRAND: &str = "once:";

/// The surroundings of a scene.
pub struct Stage<'a> {
    kind: &'static str,
    target: &'a Target,
    /// The scene's own folder, empty at first.
    pub folder: PathBuf,
    pub random: Random,
}

/// A scene; it returns an error if the library did not hold.
pub type Scene = fn(&mut Stage<'_>) -> Outcome;

/// Puts something in the place of a file or folder.
pub type Make = fn(&Path) -> std::io::Result<()>;

/// Plays scenes and reports the outcome of each; returns an error if the library did not hold in one.
pub fn play(
    request: &Request,
    kind: &'static str,
    target: &Target,
    scenes: &[(&str, Scene)],
) -> Outcome {
    let folder = request.folder(kind)?.join(format!("scenes-{}", std::process::id()));
    let mut faults = 0;
    for (name, scene) in scenes {
        clear(&folder);
        crate::system::make_folder(&folder)?;
        let _ = system::set_mode(&folder, 0o755);
        let random = Random::new(request.seed);
        match scene(&mut Stage { kind, target, folder: folder.clone(), random }) {
            Ok(()) => println!("{kind}: {name}: held"),
            Err(error) => {
                faults += 1;
                println!("{kind}: {name}: FAULT: {error}");
            }
        }
    }
    clear(&folder);
    println!("{kind}: {} scenes, {faults} faults", scenes.len());
    match faults {
        0 => Ok(()),
        _ => Err(format!("{faults} scenes with faults")),
    }
}

/// Removes a folder on which something may be mounted.
fn clear(folder: &Path) {
    let _ = system::unmount(&folder.join("small"));
    let _ = std::fs::remove_dir_all(folder);
}

impl Stage<'_> {
    /// Returns a process for an [`Errand`].
    pub fn process(&self, errand: Errand) -> Result<Command, String> {
        let with = format!("{ERRAND}{}", errand.text());
        self.target.child(self.kind, &["--with".to_string(), with])
    }

    /// Notes that a part of a scene cannot be played here.
    pub fn leave_out(&self, why: &str) {
        println!("{}: left out: {why}", self.kind);
    }
}

/// The work of a process: it opens the device, and runs programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errand {
    /// The number of programs: the process runs the programs from 1 to this number.
    pub programs: u32,
    /// True if the process gives up root's rights first.
    pub as_user: bool,
    /// A limit of a resource from the start of the process; a limit of memory is relative to the memory in use.
    pub before: Option<(Limit, u64)>,
    /// A limit of a resource from the moment when the device is open.
    pub after: Option<(Limit, u64)>,
    /// True if the process has no standard streams.
    pub is_closed: bool,
    /// True if the programs include `known.h` of the process' folder.
    pub includes: bool,
}

impl Errand {
    /// Returns an errand that runs some programs, and nothing else.
    pub fn programs(programs: u32) -> Errand {
        Errand {
            programs,
            as_user: false,
            before: None,
            after: None,
            is_closed: false,
            includes: false,
        }
    }

    fn text(self) -> String {
        let limit = |limit: Option<(Limit, u64)>| {
            limit.map_or("-".to_string(), |(what, most)| format!("{what:?}={most}"))
        };
        let (before, after) = (limit(self.before), limit(self.after));
        let Errand { programs, as_user, is_closed, includes, .. } = self;
        format!("{programs} {as_user} {is_closed} {includes} {before} {after}")
    }

    fn parse(text: &str) -> Option<Errand> {
        let limit = |text: &str| -> Option<(Limit, u64)> {
            let (what, most) = text.split_once('=')?;
            let all = [Limit::Memory, Limit::FileSize, Limit::Files, Limit::Threads];
            let what = all.into_iter().find(|limit| format!("{limit:?}") == what)?;
            Some((what, most.parse().ok()?))
        };
        let words: Vec<&str> = text.split(' ').collect();
        let [programs, as_user, is_closed, includes, before, after] = words[..] else {
            return None;
        };
        Some(Errand {
            programs: programs.parse().ok()?,
            as_user: as_user == "true",
            is_closed: is_closed == "true",
            includes: includes == "true",
            before: limit(before),
            after: limit(after),
        })
    }
}

/// Does the errand of a request; does nothing where the request has none.
pub fn once(request: &Request) -> Option<Outcome> {
    let errand = Errand::parse(request.with.as_deref()?.strip_prefix(ERRAND)?)?;
    Some(run(errand))
}

fn run(errand: Errand) -> Outcome {
    report_death();
    if errand.is_closed {
        system::close_standard_streams();
    }
    if errand.as_user {
        system::become_user(USER).map_err(|e| format!("another user: {e}"))?;
    }
    let bound = |limit: Option<(Limit, u64)>| {
        let Some((what, most)) = limit else { return Ok(()) };
        bound(what, most).map_err(|e| e.to_string())
    };
    bound(errand.before)?;
    let refuse = |what: String| -> Outcome {
        eprintln!("refused: {what}");
        std::process::exit(REFUSED)
    };
    let world = match World::open() {
        Ok(world) => world,
        Err(why) => return refuse(why),
    };
    bound(errand.after)?;
    if errand.includes {
        // The header's contents are unspecified.
        let program = world.source(b"#include \"known.h\"\nkernel void k() {}");
        return match program.and_then(|program| program.build("-I .")) {
            Err(Verdict::Wrong(what)) => Err(what),
            _ => Ok(()),
        };
    }
    for number in 1..=errand.programs {
        match known::run(&world, number, "") {
            Ok(()) => {}
            Err(Verdict::Wrong(what)) => return Err(what),
            Err(verdict) => return refuse(format!("{verdict:?}")),
        }
    }
    Ok(())
}

/// Limits this process; a limit of memory is relative to the memory that it has.
pub fn bound(what: Limit, most: u64) -> std::io::Result<()> {
    if what == Limit::FileSize {
        system::ignore_large_files();
    }
    let most = if what == Limit::Memory { system::address_space()? + most } else { most };
    system::limit(what, Some(most))
}

/// Fails unless a process gave all results.
pub fn gives_results(command: &mut Command) -> Outcome {
    let ran = process::run(command, LIMIT)?;
    match ran.end {
        End::Code(REFUSED) => Err(last_line(&ran)),
        _ => judge(&ran),
    }
}

/// Fails unless a process gave all results, or an allowed error in place of one. A death in the driver is allowed, too,
/// and is reported.
pub fn is_sound(command: &mut Command) -> Outcome {
    let ran = process::run(command, LIMIT)?;
    match &ran.end {
        End::Code(REFUSED) if !ran.errors.contains("panicked at") => Ok(()),
        End::Crash(_) | End::Code(_) if death::is_starved(&ran.errors) => {
            println!("no memory at all: {:?}", ran.end);
            Ok(())
        }
        End::Crash(signal) if placed(&ran) == Culprit::Driver => {
            println!("died in the driver: {signal}");
            Ok(())
        }
        _ => judge(&ran),
    }
}

fn placed(ran: &Ran) -> Culprit {
    death::read(&ran.errors).map_or(Culprit::Unknown, |death| death.place)
}

fn judge(ran: &Ran) -> Outcome {
    let panic = ran.errors.lines().find(|line| line.contains("panicked at"));
    match (&ran.end, panic) {
        (_, Some(panic)) => Err(panic.to_string()),
        (End::Code(0), None) => Ok(()),
        (End::Code(code), None) => Err(format!("ends with {code}: {}", last_line(ran))),
        (End::Crash(signal), None) => {
            let death = death::read(&ran.errors);
            let stack = death.map(|death| death.stack.join(" ")).unwrap_or_default();
            let said = ran.errors.lines().find(|line| line.contains("memory allocation of"));
            Err(format!("{signal}: {} [{stack:.300}]", said.unwrap_or_default()))
        }
        (End::Hang, None) => Err("hangs".to_string()),
    }
}

fn last_line(ran: &Ran) -> String {
    ran.errors.trim_end().lines().last().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_errand_comes_through_the_command_line() {
        let errand = Errand {
            as_user: true,
            before: Some((Limit::Memory, 1 << 40)),
            after: Some((Limit::Threads, 0)),
            ..Errand::programs(3)
        };
        assert_eq!(Errand::parse(&errand.text()), Some(errand));
        let plain = Errand::programs(1);
        assert_eq!(Errand::parse(&plain.text()), Some(plain));
        assert_eq!(Errand::parse("build-only:/x"), None);
    }
}
