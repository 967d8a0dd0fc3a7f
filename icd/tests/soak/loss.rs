//! The device is lost at a random call while the threads run their scenes: the scenes end with the errors of the
//! specification, nothing is left behind, and a new context computes.

use crate::common::*;
use crate::owned::Numbers;
use crate::world::World;
use crate::{setting, SCENES};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Number of calls that may report a lost device: calls that open a device, and those of one second of scenes. One of
/// them reports it.
const CALLS: usize = 3000;
/// The most times that all scenes run until they come to the call.
const MOST_ROUNDS: usize = 20;
/// The time after which a process counts as hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// Loses a device in each of `count` processes.
pub fn lose(count: u64, seed: u64) {
    let mut numbers = Numbers::new(seed);
    let mut lost = 0;
    for _ in 0..count {
        let fault = format!("call:{}", 1 + numbers.below(CALLS));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_device_is_lost", "--nocapture"])
            .envs([("HEKLA_SOAK_PLAIN", "1"), ("HEKLA_SOAK_LOSS", "1"), ("HEKLA_FAULT", &fault)])
            .env("HEKLA_SOAK_SEED", numbers.below(1 << 30).to_string())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > PATIENCE {
                child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{fault}: {}\n{said}", output.status);
        lost += u64::from(String::from_utf8_lossy(&output.stdout).contains("lost in"));
    }
    println!("{count} processes, the device was lost in {lost} of them");
    assert!(lost > 0 || count == 0, "no device was lost");
}

/// The messages of panics in scenes, while they are collected.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static COLLECTING: AtomicBool = AtomicBool::new(true);

/// Ends the collection of panics: each message must report the loss of a device.
fn judge() {
    COLLECTING.store(false, Ordering::Relaxed);
    let all = std::mem::take(&mut *PANICS.lock().unwrap());
    let wrong: Vec<_> = all.into_iter().filter(|message| !tells_of_loss(message)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns true if a scene ended with a code that a lost device gives, and not with a wrong result.
fn tells_of_loss(message: &str) -> bool {
    let codes = [
        CL_OUT_OF_RESOURCES,
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        // The code for a context of a device that is lost while it is opened.
        CL_DEVICE_NOT_AVAILABLE,
    ];
    codes.iter().any(|code| message.contains(&format!("left: {code}\n right: 0")))
}

/// Runs scenes in threads until all have met the loss, or a second has passed. Returns true if any has.
fn until_lost(world: &Arc<World>, seed: u64) -> bool {
    let end = Instant::now() + Duration::from_secs(1);
    let ended = Arc::new(Mutex::new(Vec::new()));
    let begun = Arc::new(AtomicUsize::new(0));
    let workers: Vec<_> = (0..4)
        .map(|index| {
            let (world, ended, begun) = (world.clone(), ended.clone(), begun.clone());
            std::thread::spawn(move || {
                let mut numbers = Numbers::new(seed * 1000 + index);
                while Instant::now() < end {
                    begun.fetch_add(1, Ordering::Relaxed);
                    let (name, scene) = SCENES[numbers.below(SCENES.len())];
                    let run = AssertUnwindSafe(|| scene(&world, &mut numbers));
                    if catch_unwind(run).is_err() {
                        return ended.lock().unwrap().push(name);
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    let (begun, ended) = (begun.load(Ordering::Relaxed), ended.lock().unwrap());
    println!("{begun} scenes begun");
    if !ended.is_empty() {
        println!("lost in {}", ended.join(", "));
    }
    !ended.is_empty()
}

/// Runs all scenes in a new context.
fn all_scenes(seed: u64) {
    let (world, mut numbers) = (World::new(), Numbers::new(seed));
    SCENES.iter().for_each(|(_, scene)| scene(&world, &mut numbers));
}

/// Runs in a process of its own, and loses the device at some call.
pub fn in_this_process() {
    std::env::set_var("HEKLA_TEST_LINKED", "1");
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        match COLLECTING.load(Ordering::Relaxed) {
            true => PANICS.lock().unwrap().push(panic.to_string()),
            false => told(panic),
        };
    }));
    let seed = setting("HEKLA_SOAK_SEED", 1);
    // Devices live as long as the process.
    let (mut platform, mut count) = (std::ptr::null_mut(), 0);
    unsafe {
        check((cl().clGetPlatformIDs)(1, &mut platform, &mut count));
        let (all, none) = (CL_DEVICE_TYPE_ALL, std::ptr::null_mut());
        check((cl().clGetDeviceIDs)(platform, all, 0, none, &mut count));
    }
    let live = hekla::object::registry::live();
    // The device may be lost before there is a context.
    let mut is_lost = match catch_unwind(World::new) {
        Ok(world) => until_lost(&world, seed),
        Err(_) => {
            println!("lost in a new context");
            true
        }
    };
    // A slow device has not come to the call in a second.
    for _ in 0..MOST_ROUNDS {
        if !is_lost && catch_unwind(|| all_scenes(seed)).is_err() {
            println!("lost in a later scene");
            is_lost = true;
        }
    }
    judge();
    // The library's threads release their objects soon.
    let patience = Instant::now() + Duration::from_secs(20);
    while hekla::object::registry::live() > live && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(hekla::object::registry::live(), live, "objects are left behind");
    if is_lost {
        all_scenes(seed);
    }
}
