//! `attack cache`: a disk cache whose entries are damaged, forged, exchanged, and replaced by things that are not
//! files. Programs still give their own results, and nothing waits for ever.
//!
//! Entries are damaged while a process runs, many times each; then whole folders are damaged before a process begins
//! ([`scenes`]).

mod entry;
mod format;
mod scenes;

use super::batch::child::{Child, Verdict};
use super::batch::known;
use super::batch::opencl::World;
use super::batch::random::Random;
use super::batch::{self, scene, Batch};
use super::process::Target;
use super::Request;
use crate::Outcome;
use entry::{Damage, Entry};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Programs whose entries are damaged.
const PROGRAMS: u32 = 8;

/// Runs the attack, or one of its processes.
pub fn run(request: &Request) -> Outcome {
    if request.is_child {
        return scene::once(request).unwrap_or_else(|| child(request));
    }
    let target = Target::of(request)?;
    let batch = Batch {
        kind: "cache",
        target: &target,
        mode: String::new(),
        prepare: &use_cache,
        per_process: 2000,
        limit: Duration::from_secs(5),
        memory: 2 << 30,
    };
    let entries = batch::attack(request, &batch);
    let folders = scenes::play(request, &target);
    entries.and(folders)
}

/// Turns the library's disk cache on, and the drivers' caches off.
fn use_cache(command: &mut Command) {
    command
        .env("HEKLA_CACHE", "1")
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("__GL_SHADER_DISK_CACHE", "0")
        .env_remove("HEKLA_CACHE_SIZE");
}

/// Returns the entries in a folder for caches; none where there is no such folder.
fn entries(caches: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(caches.join(format::FOLDER));
    let mut all: Vec<PathBuf> =
        files.map(|files| files.flatten().map(|file| file.path()).collect()).unwrap_or_default();
    all.sort();
    all
}

fn child(request: &Request) -> Outcome {
    let child = Child::open(request)?;
    let caches = child.folder("caches");
    let _ = std::fs::remove_dir_all(&caches);
    crate::system::make_folder(&caches)?;
    // The variable is set before the library is loaded, which reads it.
    std::env::set_var("XDG_CACHE_HOME", &caches);
    let world = World::open()?;
    let mut programs = Vec::new();
    for number in 0..PROGRAMS {
        let before = entries(&caches);
        known::run(&world, number, "").map_err(|verdict| format!("{verdict:?}"))?;
        let mut new = entries(&caches);
        new.retain(|path| !before.contains(path));
        // A driver may keep its pipelines in the same folder.
        let path = new.into_iter().max_by_key(|path| path.metadata().map_or(0, |m| m.len()));
        let path = path.ok_or("a program that was built left no entry in the cache")?;
        let bytes = crate::system::read_bytes(&path)?;
        programs.push(Entry { path, bytes });
    }
    let result = child.run(request, |seed, child| {
        let mut random = Random::new(seed);
        let number = random.below(programs.len());
        programs.rotate_left(number);
        let verdict = attempt(&world, &programs, number as u32, &mut random, child);
        programs[0].restore();
        programs.rotate_right(number);
        verdict
    });
    let _ = std::fs::remove_dir_all(&caches);
    result
}

/// Damages the first of the entries, which belongs to program `number`, and runs the program.
fn attempt(
    world: &World,
    entries: &[Entry],
    number: u32,
    random: &mut Random,
    child: &mut Child,
) -> Verdict {
    let damage = *random.of(&Damage::ALL);
    child.stage(&format!("{damage:?}"));
    if let Err(error) = damage.put(&entries[0], &entries[1..], random) {
        return Verdict::Refused(format!("{damage:?}: {error}"));
    }
    let verdict = known::run(world, number, "");
    match verdict {
        Ok(()) => Verdict::Same,
        Err(Verdict::Wrong(_)) if damage.may_change() => Verdict::Accepted,
        // The program must still work, since only an entry is missing.
        Err(Verdict::Refused(what)) if !damage.may_change() => {
            Verdict::Wrong(format!("{damage:?}: {what}"))
        }
        Err(Verdict::Wrong(what)) => Verdict::Wrong(format!("{damage:?}: {what}")),
        Err(verdict) => verdict,
    }
}
