//! Folders for caches in which something is wrong before a process begins. Their entries include findings about the device.

use super::super::batch::scene::{self, gives_results, is_sound, Errand, Make, Stage, USER};
use super::super::process::Target;
use super::super::Request;
use super::entry::{remove, Damage, Entry};
use super::{entries, format, use_cache};
use crate::platform::{attack as system, link};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Processes that write at the same time.
const WRITERS: u32 = 6;

const SCENES: [(&str, scene::Scene); 13] = [
    ("entries of everything damaged", every_damage),
    ("entries of everything exchanged", exchanged),
    ("a folder that is a FIFO, a file, a loop or nothing", no_folder),
    ("caches in /dev, /proc and /", system_folders),
    ("a folder of somebody else's that all may write", foreign),
    ("a folder that may not be written", read_only),
    ("a disk that is full", full),
    ("several processes at once, in a cache that is too small", writers),
    ("all entries are FIFOs", fifos),
    ("profiles.toml is a FIFO", |stage| profiles(stage, system::make_fifo)),
    ("profiles.toml is /dev/zero", |stage| {
        profiles(stage, |path| link(Path::new("/dev/zero"), path))
    }),
    ("profiles.toml is a file of 8 GB", |stage| profiles(stage, sparse)),
    ("a device file is a FIFO or /dev/zero", device_file),
];

/// Plays all scenes.
pub fn play(request: &Request, target: &Target) -> Outcome {
    scene::play(request, "cache", target, &SCENES)
}

/// Returns a process that has its caches in a folder.
fn process(stage: &Stage<'_>, caches: &Path, errand: Errand) -> Result<Command, String> {
    let mut command = stage.process(errand)?;
    use_cache(&mut command);
    command.env("XDG_CACHE_HOME", caches).env("XDG_CONFIG_HOME", stage.folder.join("config"));
    Ok(command)
}

/// Fails unless programs give their results.
fn holds(stage: &Stage<'_>, caches: &Path, programs: u32) -> Outcome {
    gives_results(&mut process(stage, caches, Errand::programs(programs))?)
}

/// Does the same as a user who is not root, if this user is root.
fn holds_for_user(stage: &Stage<'_>, caches: &Path, programs: u32) -> Outcome {
    let errand = Errand { as_user: system::is_root(), ..Errand::programs(programs) };
    gives_results(&mut process(stage, caches, errand)?)
}

/// Returns a folder with the entries of some programs and of findings about the device.
fn filled(stage: &Stage<'_>) -> Result<PathBuf, String> {
    let caches = stage.folder.join("filled");
    if !caches.exists() {
        holds(stage, &caches, 3)?;
    }
    Ok(caches)
}

/// Reads all entries of a folder.
fn read(caches: &Path) -> Vec<Entry> {
    let read = |path: PathBuf| Some(Entry { bytes: std::fs::read(&path).ok()?, path });
    entries(caches).into_iter().filter_map(read).collect()
}

/// Damages all entries at once, in each of the ways.
fn every_damage(stage: &mut Stage<'_>) -> Outcome {
    let caches = filled(stage)?;
    let good = read(&caches);
    let mut wrong = Vec::new();
    for damage in Damage::ALL {
        // A forged entry may have any content, also about the device; entries are exchanged below.
        if damage.may_change() {
            continue;
        }
        let _ = std::fs::remove_dir_all(caches.join(format::FOLDER));
        let _ = std::fs::create_dir_all(caches.join(format::FOLDER));
        good.iter().for_each(Entry::restore);
        for entry in &good {
            let _ = damage.put(entry, &good, &mut stage.random);
        }
        if let Err(error) = holds(stage, &caches, 3) {
            wrong.push(format!("{damage:?} {error}"));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("; ")),
    }
}

/// Writes each entry over all others in turn.
fn exchanged(stage: &mut Stage<'_>) -> Outcome {
    let caches = filled(stage)?;
    let good = read(&caches);
    let mut wrong = Vec::new();
    for (number, source) in good.iter().enumerate() {
        for entry in &good {
            remove(&entry.path);
            std::fs::write(&entry.path, &source.bytes).map_err(|e| e.to_string())?;
        }
        if let Err(error) = holds(stage, &caches, 3) {
            wrong.push(format!("entry {number}, of {} bytes: {error}", source.bytes.len()));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("; ")),
    }
}

fn no_folder(stage: &mut Stage<'_>) -> Outcome {
    let make: [(&str, Make); 5] = [
        ("a FIFO", system::make_fifo),
        ("a file", |path| std::fs::write(path, b"x")),
        ("a loop", |path| link(path, path)),
        ("a dangling link", |path| link(Path::new("nowhere"), path)),
        ("/dev/full", |path| link(Path::new("/dev/full"), path)),
    ];
    for (name, make) in make {
        let caches = stage.folder.join("odd");
        // The folder of all caches, and Hekla's own.
        remove(&caches);
        make(&caches).map_err(|e| format!("{name}: {e}"))?;
        holds(stage, &caches, 1).map_err(|error| format!("{name} for all caches: {error}"))?;
        remove(&caches);
        std::fs::create_dir(&caches).map_err(|e| e.to_string())?;
        make(&caches.join(format::FOLDER)).map_err(|e| format!("{name}: {e}"))?;
        holds(stage, &caches, 1).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

fn system_folders(stage: &mut Stage<'_>) -> Outcome {
    let long = format!("/{}", "x/".repeat(2500));
    for caches in ["/dev", "/proc", "/sys", "relative", "", long.as_str()] {
        holds(stage, Path::new(caches), 1).map_err(|error| format!("{caches}: {error}"))?;
    }
    let _ = std::fs::remove_dir_all(Path::new("/dev").join(format::FOLDER));
    Ok(())
}

/// Somebody else's folder of mode 777, in which an entry was exchanged.
fn foreign(stage: &mut Stage<'_>) -> Outcome {
    if !system::is_root() {
        stage.leave_out("it needs root");
        return Ok(());
    }
    let caches = filled(stage)?;
    let good = read(&caches);
    let folder = caches.join(format::FOLDER);
    for (entry, other) in good.iter().zip(good.iter().cycle().skip(1)) {
        std::fs::write(&entry.path, &other.bytes).map_err(|e| e.to_string())?;
        let _ = system::give(&entry.path, USER + 1);
    }
    for path in [&caches, &folder] {
        system::set_mode(path, 0o777).map_err(|e| e.to_string())?;
        system::give(path, USER + 1).map_err(|e| e.to_string())?;
    }
    holds(stage, &caches, 3)?;
    holds_for_user(stage, &caches, 3)
}

fn read_only(stage: &mut Stage<'_>) -> Outcome {
    let caches = stage.folder.join("read-only");
    std::fs::create_dir(&caches).map_err(|e| e.to_string())?;
    system::set_mode(&caches, 0o555).map_err(|e| e.to_string())?;
    // Modes do not stop root.
    holds_for_user(stage, &caches, 2)?;
    system::set_mode(&caches, 0).map_err(|e| e.to_string())?;
    holds_for_user(stage, &caches, 2)
}

fn full(stage: &mut Stage<'_>) -> Outcome {
    let caches = stage.folder.join("small");
    std::fs::create_dir(&caches).map_err(|e| e.to_string())?;
    for bytes in [4 << 10, 16 << 10, 64 << 10] {
        if let Err(error) = system::mount_small(&caches, bytes) {
            stage.leave_out(&format!("mounting: {error}"));
            return Ok(());
        }
        let result = holds(stage, &caches, 3).and_then(|()| holds(stage, &caches, 3));
        let _ = system::unmount(&caches);
        result.map_err(|error| format!("{bytes} bytes: {error}"))?;
    }
    Ok(())
}

/// Several processes write at the same time, in a cache of 1 MiB.
fn writers(stage: &mut Stage<'_>) -> Outcome {
    let caches = stage.folder.join("shared");
    // Old entries, so that the cache is always too large.
    let folder = caches.join(format::FOLDER);
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for number in 0..64 {
        let _ = std::fs::write(folder.join(format!("{number:064x}")), vec![0; 16 << 10]);
    }
    let stage = &*stage;
    let run = || -> Outcome {
        let mut command = process(stage, &caches, Errand::programs(12))?;
        gives_results(command.env("HEKLA_CACHE_SIZE", "1"))
    };
    let results: Vec<Outcome> = std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..WRITERS).map(|_| scope.spawn(run)).collect();
        jobs.into_iter().map(|job| job.join().unwrap_or(Err("a panic".to_string()))).collect()
    });
    results.into_iter().collect()
}

fn fifos(stage: &mut Stage<'_>) -> Outcome {
    let caches = filled(stage)?;
    for entry in read(&caches) {
        remove(&entry.path);
        system::make_fifo(&entry.path).map_err(|e| e.to_string())?;
    }
    holds(stage, &caches, 3)
}

fn profiles(stage: &mut Stage<'_>, make: Make) -> Outcome {
    let folder = stage.folder.join("config").join("hekla");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    make(&folder.join("profiles.toml")).map_err(|e| e.to_string())?;
    holds(stage, &stage.folder.join("none"), 1)
}

fn sparse(path: &Path) -> std::io::Result<()> {
    std::fs::File::create(path)?.set_len(8 << 30)
}

/// A device file that cannot be read leaves the device unchanged, or leads to no device: nothing waits, and nothing
/// fills the memory.
fn device_file(stage: &mut Stage<'_>) -> Outcome {
    let fifo = stage.folder.join("device");
    system::make_fifo(&fifo).map_err(|e| e.to_string())?;
    for path in [fifo.as_path(), Path::new("/dev/zero"), Path::new("/dev/full")] {
        let mut command = process(stage, &stage.folder.join("none"), Errand::programs(1))?;
        is_sound(command.env("HEKLA_LIMIT_TO", path))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
