//! Faults that exist when a process begins.

use super::super::batch::scene::{self, gives_results, is_sound, Errand, Make, Stage};
use super::super::process::Target;
use super::super::Request;
use crate::platform::attack::{self as system, Limit};
use crate::platform::link;
use crate::Outcome;
use std::path::Path;

/// Bounds that are tried of each kind.
const STEPS: u64 = 24;

const SCENES: [(&str, scene::Scene); 8] = [
    ("memory that ends while the device is opened", |stage| memory(stage, true)),
    ("memory that ends after that", |stage| memory(stage, false)),
    ("no threads", threads),
    ("few numbers for files", files),
    ("closed standard streams", closed),
    ("a header that is a FIFO, endless, or a folder", headers),
    ("logs, traces and dumps to what is no file", sinks),
    ("no room in files", file_size),
];

/// Plays all scenes.
pub fn play(request: &Request, target: &Target) -> Outcome {
    scene::play(request, "faults", target, &SCENES)
}

/// Plays a scene for each bound, and reports everything that went wrong.
fn each(
    stage: &Stage<'_>,
    bounds: impl Iterator<Item = u64>,
    errand: impl Fn(u64) -> Errand,
) -> Outcome {
    let mut wrong = Vec::new();
    for bound in bounds {
        if let Err(error) = is_sound(&mut stage.process(errand(bound))?) {
            wrong.push(format!("{bound}: {error}"));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("; ")),
    }
}

fn memory(stage: &mut Stage<'_>, is_before: bool) -> Outcome {
    let bounds: Vec<u64> =
        (1..=STEPS).map(|step| (step << 24) + stage.random.below(1 << 24) as u64).collect();
    each(stage, bounds.into_iter(), |bytes| {
        let limit = Some((Limit::Memory, bytes));
        let plain = Errand::programs(2);
        match is_before {
            true => Errand { before: limit, ..plain },
            false => Errand { after: limit, ..plain },
        }
    })
}

/// Processes of other users do not count, and root's have no bound: a user has as many threads as the bound says.
fn threads(stage: &mut Stage<'_>) -> Outcome {
    if !system::is_root() {
        stage.leave_out("it needs root");
        return Ok(());
    }
    let plain = Errand { as_user: true, ..Errand::programs(2) };
    each(stage, 1..10, |most| Errand { before: Some((Limit::Threads, most)), ..plain })?;
    each(stage, 1..3, |most| Errand { after: Some((Limit::Threads, most)), ..plain })
}

fn files(stage: &mut Stage<'_>) -> Outcome {
    each(stage, 3..30, |most| Errand {
        before: Some((Limit::Files, most)),
        ..Errand::programs(1)
    })?;
    each(stage, 3..30, |most| Errand { after: Some((Limit::Files, most)), ..Errand::programs(1) })
}

fn file_size(stage: &mut Stage<'_>) -> Outcome {
    let bounds = [0, 1, 100, 4096, 1 << 16, 1 << 20];
    each(stage, bounds.into_iter(), |most| Errand {
        after: Some((Limit::FileSize, most)),
        ..Errand::programs(1)
    })
}

fn closed(stage: &mut Stage<'_>) -> Outcome {
    let errand = Errand { is_closed: true, ..Errand::programs(2) };
    // Files that are opened now get the numbers of the streams: nothing that is printed may be written to them.
    gives_results(stage.process(errand)?.env("HEKLA_LOG", "trace"))
}

/// Headers that are not files lead to a diagnostic, and nothing waits.
fn headers(stage: &mut Stage<'_>) -> Outcome {
    let folder = stage.folder.join("headers");
    std::fs::create_dir(&folder).map_err(|e| e.to_string())?;
    let make: [(&str, Make); 5] = [
        ("a FIFO", system::make_fifo),
        ("/dev/zero", |path| link(Path::new("/dev/zero"), path)),
        ("/dev/tty", |path| link(Path::new("/dev/tty"), path)),
        ("a folder", |path| std::fs::create_dir(path)),
        ("8 GB", |path| std::fs::File::create(path)?.set_len(8 << 30)),
    ];
    for (name, make) in make {
        let path = folder.join("known.h");
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
        make(&path).map_err(|e| format!("{name}: {e}"))?;
        let errand = Errand { includes: true, ..Errand::programs(1) };
        let mut command = stage.process(errand)?;
        is_sound(command.current_dir(&folder)).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// With such a variable the log may be slow, but nothing waits for ever, and programs give their results.
fn sinks(stage: &mut Stage<'_>) -> Outcome {
    let fifo = stage.folder.join("fifo");
    system::make_fifo(&fifo).map_err(|e| e.to_string())?;
    let nowhere = stage.folder.join("no").join("where");
    for variable in ["HEKLA_LOG_FILE", "HEKLA_TRACE", "HEKLA_DUMP"] {
        for path in [fifo.as_path(), &nowhere, &stage.folder, Path::new("/dev/full"), Path::new("")]
        {
            let mut command = stage.process(Errand::programs(1))?;
            command.env("HEKLA_LOG", "debug").env(variable, path).current_dir(&stage.folder);
            gives_results(&mut command)
                .map_err(|error| format!("{variable}={}: {error}", path.display()))?;
        }
    }
    Ok(())
}
