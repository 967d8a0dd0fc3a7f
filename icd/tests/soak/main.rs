//! Many threads create, use and release every kind of object at random, in one context, and check every result; at the
//! end no object and no memory is left behind.
//!
//! `HEKLA_SOAK_SECONDS` (6), `HEKLA_SOAK_THREADS` (8) and `HEKLA_SOAK_SEED` set the time, the number of threads, and
//! the seed; `HEKLA_SOAK_SCENE` selects the scenes whose names contain its text. If scenes with images are among them,
//! `HEKLA_SOAK_IMAGES` (1000) images are created and released besides. `HEKLA_SOAK_DEVICES` (1) sets the number of
//! devices of the context; where the driver has one device, the second is another driver's.
//!
//! `HEKLA_SOAK_PLAIN=1` runs the threads in this process; there `HEKLA_SOAK_OTHERS=0` leaves the memory of drivers out
//! of account. Otherwise they run in processes of their own: one measures the memory, one runs under the validation
//! layer with its checks of synchronization, which must report nothing, and one has two devices where
//! `HEKLA_TEST_OTHER_DRIVER` names another driver. `HEKLA_SOAK_LEAK` makes every scene leak this many bytes, to see
//! that the leak is found. `HEKLA_SOAK_LOSSES` (3) processes lose their device at a random call. See `cargo xtask
//! soak`.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/drivers.rs"]
mod drivers;
mod footprint;
mod graph;
mod images;
mod loss;
mod memory;
mod owned;
mod programs;
mod shared;
mod unified;
mod waiting;
mod world;

use common::*;
use footprint::Others;
use owned::Numbers;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use world::World;

/// A scene: the work that a thread does in one go.
type Scene = fn(&World, &mut Numbers);

const SCENES: [(&str, Scene); 14] = [
    ("graph in queues of its own", graph::own_queues),
    ("graph in shared queues", graph::shared_queues),
    ("transfers", memory::transfers),
    ("maps", memory::maps),
    ("sub-buffers", memory::sub_buffers),
    ("images", images::images),
    ("shared virtual memory", shared::allocations),
    ("unified shared memory", unified::allocations),
    ("failing events", waiting::failures),
    ("callbacks", waiting::callbacks),
    ("building", programs::build),
    ("linking", programs::link),
    ("printing", programs::print),
    ("contexts and queries", world::contexts),
];

/// The time after which a thread that is at one scene counts as hanging.
const PATIENCE: Duration = Duration::from_secs(240);
/// The time between two measurements of the memory.
const ROUND: Duration = Duration::from_secs(30);

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The progress of a thread: the number of scenes that it has begun, and its present scene.
#[derive(Default)]
struct Progress {
    begun: AtomicU64,
    scene: AtomicU64,
}

fn work(world: &World, seed: u64, until: Instant, progress: &Progress) {
    let mut numbers = Numbers::new(seed);
    let name = std::env::var("HEKLA_SOAK_SCENE").unwrap_or_default();
    let chosen: Vec<_> =
        (0..SCENES.len()).filter(|scene| SCENES[*scene].0.contains(&name)).collect();
    let leak = setting("HEKLA_SOAK_LEAK", 0) as usize;
    while Instant::now() < until {
        std::mem::forget(Vec::<u8>::with_capacity(leak));
        let scene = *numbers.pick(&chosen);
        progress.scene.store(scene as u64, Ordering::Relaxed);
        progress.begun.fetch_add(1, Ordering::Relaxed);
        SCENES[scene].1(world, &mut numbers);
    }
}

/// Runs the threads. Returns how many scenes they did.
fn run(world: &Arc<World>, threads: u64, seed: u64, time: Duration) -> u64 {
    let until = Instant::now() + time;
    let all: Vec<Arc<Progress>> = (0..threads).map(|_| Arc::default()).collect();
    let workers: Vec<_> = (0..)
        .zip(&all)
        .map(|(index, progress)| {
            let (world, progress) = (world.clone(), progress.clone());
            std::thread::spawn(move || work(&world, seed * 1000 + index, until, &progress))
        })
        .collect();
    let mut seen = vec![(0, Instant::now()); all.len()];
    while !workers.iter().all(|worker| worker.is_finished()) {
        std::thread::sleep(Duration::from_millis(100));
        for ((begun, since), (progress, worker)) in seen.iter_mut().zip(all.iter().zip(&workers)) {
            let now = progress.begun.load(Ordering::Relaxed);
            if now != *begun || worker.is_finished() {
                (*begun, *since) = (now, Instant::now());
            }
            if since.elapsed() > PATIENCE {
                let scene = progress.scene.load(Ordering::Relaxed) as usize;
                eprintln!("a thread hangs: {}", SCENES[scene].0);
                std::process::abort();
            }
        }
    }
    let died = workers.into_iter().map(|worker| worker.join()).filter(|end| end.is_err()).count();
    assert_eq!(died, 0, "threads found something wrong");
    all.iter().map(|progress| progress.begun.load(Ordering::Relaxed)).sum()
}

fn validated() -> bool {
    std::env::var("HEKLA_VALIDATE").is_ok_and(|value| value != "0")
}

fn soak() {
    std::env::set_var("HEKLA_TEST_LINKED", "1");
    if setting("HEKLA_SOAK_DEVICES", 1) > 1 {
        drivers::add_another();
    }
    let seconds = setting("HEKLA_SOAK_SECONDS", 6);
    let (threads, seed) = (setting("HEKLA_SOAK_THREADS", 8), setting("HEKLA_SOAK_SEED", 1));
    // Opens the devices, which live as long as the process.
    drop(World::new());
    let live = hekla::object::registry::live();
    let world = World::new();
    // In the first third of the time every pool is filled, and every thread of the library starts; the memory is
    // measured after it.
    let time = Duration::from_secs(seconds);
    let warm = time / 3;
    let first = run(&world, threads, seed, warm);
    let before = world.footprint();
    println!("{first} scenes by {threads} threads, seed {seed}: {before}");
    if "images".contains(&std::env::var("HEKLA_SOAK_SCENE").unwrap_or_default()) {
        images::come_and_go(&world, threads, setting("HEKLA_SOAK_IMAGES", 1000) as usize);
    }
    let rounds = ((time - warm).as_secs() / ROUND.as_secs()).max(1);
    let (mut scenes, mut after) = (0, before);
    for round in 1..=rounds {
        scenes += run(&world, threads, seed + round, (time - warm) / rounds as u32);
        after = world.footprint();
        println!("{} scenes: {after}", first + scenes);
    }
    drop(world);
    // The library's threads release their objects soon.
    let patience = Instant::now() + Duration::from_secs(20);
    while hekla::object::registry::live() > live && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(hekla::object::registry::live(), live, "objects are left behind");
    // The validation layer's memory grows without end, and ThreadSanitizer has a malloc of its own.
    let others = match setting("HEKLA_SOAK_OTHERS", 1) == 0 || validated() {
        true => Others::Free,
        false if time < ROUND => Others::New,
        false => Others::Settled,
    };
    let gained = after.gained_since(&before, scenes as usize, others);
    assert!(gained.is_empty(), "memory is left behind: {}", gained.join(", "));
}

#[test]
fn objects_come_and_go() {
    if setting("HEKLA_SOAK_PLAIN", 0) == 1 {
        return soak();
    }
    let validations = [("HEKLA_VALIDATE", "0"), ("HEKLA_VALIDATE", "sync")];
    if validations.iter().any(|validation| run_again_with(&[*validation])) {
        return soak();
    }
    // Runs with a context of two devices, unless the number is given.
    let is_given = std::env::var_os("HEKLA_SOAK_DEVICES").is_some();
    if std::env::var_os("HEKLA_TEST_OTHER_DRIVER").is_some() && !is_given {
        run_again_with(&[("HEKLA_SOAK_DEVICES", "2")]);
    }
}

#[test]
fn a_device_is_lost() {
    if setting("HEKLA_SOAK_LOSS", 0) == 1 {
        loss::in_this_process();
    } else if setting("HEKLA_SOAK_PLAIN", 0) == 0 && std::env::var_os("HEKLA_TEST_AGAIN").is_none()
    {
        loss::lose(setting("HEKLA_SOAK_LOSSES", 3), setting("HEKLA_SOAK_SEED", 1));
    }
}

#[test]
fn a_leak_is_found() {
    if setting("HEKLA_SOAK_PLAIN", 0) == 1 || std::env::var_os("HEKLA_TEST_AGAIN").is_some() {
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "objects_come_and_go"])
        .envs([("HEKLA_SOAK_PLAIN", "1"), ("HEKLA_SOAK_SECONDS", "2")])
        .envs([("HEKLA_SOAK_LEAK", "16384"), ("HEKLA_SOAK_SCENE", "events")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("memory is left behind: Rust code"), "{said}");
}
