//! The environment variables that this crate reads, as typed values.
//!
//! No other module of the crate reads the environment. All of these variables are for tests and for finding faults.

use crate::platform;
use std::ffi::OsString;
use std::time::Duration;

/// The checks of the Khronos validation layer that `HEKLA_VALIDATE` requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Validation {
    /// The layer is not loaded.
    Off,
    /// `1`: the layer's usual checks.
    Core,
    /// `sync`: synchronization validation as well.
    Synchronization,
}

/// Reads `HEKLA_VALIDATE`.
pub(crate) fn validation() -> Validation {
    match read("HEKLA_VALIDATE").as_deref() {
        Some("1") => Validation::Core,
        Some("sync") => Validation::Synchronization,
        _ => Validation::Off,
    }
}

/// Reads `HEKLA_COMPLETION_MARKERS`: `1` turns completion markers on for any device, `0` turns them off for
/// all, and anything else (`None`) leaves the choice to the table of quirks.
pub(crate) fn completion_markers() -> Option<bool> {
    match read("HEKLA_COMPLETION_MARKERS")?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// The least value of `HEKLA_MAX_ALLOCATION` in bytes, which replaces lesser ones: the size of a block that small buffers
/// share.
const LEAST_MAX_ALLOCATION: u64 = 8 << 20;

/// Reads `HEKLA_MAX_ALLOCATION`: the largest allocation in bytes that a device is treated as having.
pub(crate) fn max_allocation() -> Option<u64> {
    parse_max_allocation(&read("HEKLA_MAX_ALLOCATION")?)
}

fn parse_max_allocation(text: &str) -> Option<u64> {
    let bytes: u64 = text.trim().parse().ok()?;
    Some(bytes.max(LEAST_MAX_ALLOCATION))
}

/// Reads `HEKLA_STALL`: after how many seconds of a thread's wait for a device the log reports what the device was given.
/// Default: 10.
pub(crate) fn stall() -> Duration {
    let seconds = read("HEKLA_STALL").and_then(|text| text.trim().parse().ok());
    Duration::from_secs(seconds.unwrap_or(10))
}

/// Reads `HEKLA_NONCOHERENT`: returns true if mapped memory must behave as if it were not coherent.
pub(crate) fn noncoherent() -> bool {
    read("HEKLA_NONCOHERENT").as_deref() == Some("1")
}

/// Reads `HEKLA_TIMESTAMP_BITS`: how many valid bits of timestamps a device is treated as having at most.
pub(crate) fn timestamp_bits() -> Option<u32> {
    read("HEKLA_TIMESTAMP_BITS")?.trim().parse().ok()
}

/// Reads `HEKLA_QUEUES`: the most Vulkan queues with which a device is opened. With NVIDIA's driver 580 each takes 25 ms to
/// create and 9 ms to destroy.
pub(crate) fn queues() -> Option<u32> {
    read("HEKLA_QUEUES")?.trim().parse().ok()
}

/// Reads `HEKLA_QUEUE_COPIES`: the number of Vulkan queues that each Vulkan queue is treated as.
pub(crate) fn queue_copies() -> usize {
    let copies = read("HEKLA_QUEUE_COPIES").and_then(|text| text.trim().parse().ok());
    copies.unwrap_or(1).clamp(1, 8)
}

/// Reads `HEKLA_LIMIT_TO`: the device file, by short name or path, to which devices are restricted.
pub(crate) fn limit_to() -> Option<String> {
    read("HEKLA_LIMIT_TO").filter(|name| !name.is_empty())
}

/// The fault that `HEKLA_FAULT` asks for: a loss of the device, or a finding of the probes. Submissions and calls are counted
/// from 1 for each physical device, including calls of its probes, so that a device which is opened again has no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// `hang:N`: submission N never completes.
    Hang(u64),
    /// `silent:N`: submission N never completes, and only a wait for a fence reports the loss.
    Silent(u64),
    /// `submit:N`: submission N returns VK_ERROR_DEVICE_LOST.
    Submit(u64),
    /// `call:N`: call N of those that may return VK_ERROR_DEVICE_LOST returns it; polling counts as one call.
    Call(u64),
    /// `defect`: no device is lost, but the probes find that the driver ends long loops early.
    Defect,
    /// `subgroups`: no device is lost, but the probes find that sub-groups are in no order.
    Subgroups,
    /// `exit`: no device is lost, but the driver is treated as one that ends at exit().
    Exit,
}

/// Returns true if `HEKLA_FAULT` injects a fault, so that the device's behaviour may not be its own.
pub fn has_injected_fault() -> bool {
    fault().is_some()
}

/// Reads `HEKLA_FAULT`.
pub(crate) fn fault() -> Option<Fault> {
    parse_fault(&read("HEKLA_FAULT")?)
}

fn parse_fault(text: &str) -> Option<Fault> {
    match text {
        "defect" => return Some(Fault::Defect),
        "subgroups" => return Some(Fault::Subgroups),
        "exit" => return Some(Fault::Exit),
        _ => {}
    }
    let (kind, number) = text.split_once(':')?;
    let number = number.parse().ok()?;
    match kind {
        "hang" => Some(Fault::Hang(number)),
        "silent" => Some(Fault::Silent(number)),
        "submit" => Some(Fault::Submit(number)),
        "call" => Some(Fault::Call(number)),
        _ => None,
    }
}

/// Returns the value of an environment variable: the one place where this library reads any. `None` where it is unset, and in a
/// process with more rights than the user who set its environment, as `secure_getenv` of the C library has it: that user must
/// not choose the files that a setuid program reads and writes.
pub fn variable(name: &str) -> Option<OsString> {
    match platform::has_more_rights() {
        true => None,
        false => std::env::var_os(name),
    }
}

/// Returns a variable's value; `None` when it is unset or not UTF-8.
fn read(name: &str) -> Option<String> {
    variable(name)?.into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_parsed() {
        assert_eq!(parse_fault("hang:3"), Some(Fault::Hang(3)));
        assert_eq!(parse_fault("silent:4"), Some(Fault::Silent(4)));
        assert_eq!(parse_fault("submit:2"), Some(Fault::Submit(2)));
        assert_eq!(parse_fault("subgroups"), Some(Fault::Subgroups));
        assert_eq!(parse_fault("exit"), Some(Fault::Exit));
        for nothing in ["", "hang", "hang:x", "other:1"] {
            assert_eq!(parse_fault(nothing), None);
        }
    }

    #[test]
    fn small_allocations_hold_a_shared_block_at_least() {
        assert_eq!(parse_max_allocation(" 16777216 "), Some(16 << 20));
        assert_eq!(parse_max_allocation("1"), Some(8 << 20));
        assert_eq!(parse_max_allocation("x"), None);
    }
}
