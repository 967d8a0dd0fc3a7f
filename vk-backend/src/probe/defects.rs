//! Defects of drivers that make kernels give wrong results without any error, found by running small
//! kernels.

use std::fmt;
use std::sync::Arc;

use crate::asm::{KernelBuilder, Op};
use crate::config::{self, Fault};
use crate::device::Device;
use crate::error::Error;
use crate::probe::run::run_in_place;

/// A defect of a device's driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// Submitted work does not run, though no call fails: for instance if the kernel's part of the driver is replaced by a
    /// stand-in.
    Idle,
    /// Loops whose end depends on loaded values go wrong where a work-group does not fill the vectors that the driver makes of
    /// the work-group: lanes without an invocation load zeros and continue. (On lavapipe of Mesa 22.3 such lanes use up the
    /// rounds that lavapipe allows later loops.)
    InactiveLanes,
    /// Loops end before their condition says so. (lavapipe of Mesa 22.3 counts the rounds of all loops of
    /// an invocation together and ends each loop after its first round once there were 65,535.)
    LongLoops,
    /// A memory barrier waits for all invocations of a work-group even if only some execute it, and invocations that execute
    /// one alone are lost. (Vulkan lets each invocation execute any number of memory barriers.)
    LoneFences,
}

impl Defect {
    /// All defects, in the order in which they are looked for.
    pub const ALL: [Defect; 4] =
        [Defect::Idle, Defect::InactiveLanes, Defect::LongLoops, Defect::LoneFences];

    /// Returns true if a device has the defect.
    fn is_found(self, device: &Arc<Device>) -> Result<bool, Error> {
        match self {
            Defect::Idle => nothing_runs(device),
            Defect::InactiveLanes => inactive_lanes_run(device),
            Defect::LongLoops => long_loops_end_early(device),
            Defect::LoneFences => lone_fences_wait(device),
        }
    }
}

/// Writes the rest of a sentence that begins with the device.
impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Defect::Idle => "runs nothing: a kernel that stores a number left memory as it was",
            Defect::InactiveLanes => "gives wrong results from loops in work-groups of some sizes",
            Defect::LongLoops => "ends long loops early, with wrong results",
            Defect::LoneFences => "loses work-items that execute a fence alone",
        })
    }
}

/// Returns the first defect that the device has.
pub(crate) fn find(device: &Arc<Device>) -> Result<Option<Defect>, Error> {
    if config::fault() == Some(Fault::Defect) {
        return Ok(Some(Defect::LongLoops));
    }
    for defect in Defect::ALL {
        if defect.is_found(device)? {
            return Ok(Some(defect));
        }
    }
    Ok(None)
}

/// Returns true if a kernel that stores a number leaves memory as it was.
fn nothing_runs(device: &Arc<Device>) -> Result<bool, Error> {
    let mut k = KernelBuilder::new(1);
    let (id, one, uint) = (k.global_id_x(), k.constant(1), k.uint());
    k.store(0, uint, id, one);
    Ok(run_in_place(device, &k.finish(), &[0], 1)? == [0])
}

/// Sizes of the work-groups that look for inactive lanes: no multiple of any vector's length.
const ODD_SIZES: [u32; 2] = [1, 10];
/// The number up to which each invocation counts in memory.
const GOAL: u32 = 5;
/// The most rounds, so that the kernel ends on a driver that lets lanes run on; more than 16 bits can count.
const MOST_ROUNDS: u32 = 70_000;

/// Returns true if inactive lanes run: each invocation increments its word of memory until it loads [`GOAL`] there, then until
/// it loads twice that number, and writes how many rounds each loop took.
fn inactive_lanes_run(device: &Arc<Device>) -> Result<bool, Error> {
    for size in ODD_SIZES {
        let mut k = KernelBuilder::new(1);
        k.local_size([size, 1, 1]);
        let (id, uint) = (k.global_id_x(), k.uint());
        let count = |k: &mut KernelBuilder, goal: u32| {
            let (most, goal, one) = (k.constant(MOST_ROUNDS), k.constant(goal), k.constant(1));
            k.repeat_while(most, |k| {
                let word = k.load(0, uint, id);
                let word = k.binary(Op::IAdd, uint, word, one);
                k.store(0, uint, id, word);
                let word = k.load(0, uint, id);
                k.is_less(word, goal)
            })
        };
        let first = count(&mut k, GOAL);
        let second = count(&mut k, 2 * GOAL);
        let hundred = k.constant(100);
        let first = k.binary(Op::IMul, uint, first, hundred);
        let rounds = k.binary(Op::IAdd, uint, first, second);
        k.store(0, uint, id, rounds);
        let groups = 8;
        let found = run_in_place(device, &k.finish(), &vec![0; (groups * size) as usize], groups)?;
        // The last round of each loop is not counted: its condition fails.
        let expected = 100 * (GOAL - 1) + GOAL - 1;
        if found.iter().any(|&rounds| rounds != expected) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Rounds of the loop that shows whether loops can be long: more than 16 bits can count.
const LONG_LOOP: u32 = 70_000;

/// Returns true if loops are ended early: an invocation counts the rounds of a loop whose length it loads.
fn long_loops_end_early(device: &Arc<Device>) -> Result<bool, Error> {
    let mut k = KernelBuilder::new(1);
    let (id, uint) = (k.global_id_x(), k.uint());
    let times = k.load(0, uint, id);
    let count = k.repeat(times, |_| {});
    k.store(0, uint, id, count);
    Ok(run_in_place(device, &k.finish(), &[LONG_LOOP], 1)? != [LONG_LOOP])
}

/// Invocations of the work-group that tests fences.
const FENCING: u32 = 64;

/// Returns true if lone fences wait: invocation n of a work-group executes n fences and writes that it is done.
fn lone_fences_wait(device: &Arc<Device>) -> Result<bool, Error> {
    let mut k = KernelBuilder::new(1);
    k.local_size([FENCING, 1, 1]);
    let (id, done, uint) = (k.global_id_x(), k.constant(1), k.uint());
    k.repeat(id, KernelBuilder::work_group_fence);
    k.store(0, uint, id, done);
    let found = run_in_place(device, &k.finish(), &[0; FENCING as usize], 1)?;
    Ok(found.iter().any(|&done| done != 1))
}
