//! `heklac --doctor`: whether OpenCL programs find Hekla on this machine and get right results, a line for each thing
//! that may be at fault, and what to do about it.

mod kernel;
mod loader;
mod machine;

use hekla::core::device::defects;
use hekla::core::device::selection::{self, EnumeratedDevice, Selection};
use std::fmt;

/// The meaning of a finding for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Fine,
    /// Programs work, but maybe not as well as they could.
    Note,
    /// Programs that need it do not work.
    Fault,
}

/// The advice for a machine without a device; environment variables that choose drivers have lines of their own.
const ADVICE: &str =
    "install the GPU's Vulkan driver, or lavapipe of Mesa 25.0 or newer (apt install mesa-vulkan-drivers; on Debian 12 \
     from bookworm-backports)";

/// One line of the output.
pub struct Finding {
    severity: Severity,
    /// The part of the machine that was examined.
    subject: String,
    text: String,
}

impl Finding {
    pub fn new(severity: Severity, subject: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding { severity, subject: subject.into(), text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.severity {
            Severity::Fine => "ok",
            Severity::Note => "note",
            Severity::Fault => "FAULT",
        };
        write!(f, "{mark:<6}{:<11}{}", self.subject, self.text)
    }
}

/// Examines the machine and prints what it finds; fails if there is a fault.
pub fn run() -> Result<(), String> {
    let mut faults = 0;
    let mut print = |findings: Vec<Finding>| {
        for finding in findings {
            println!("{finding}");
            faults += usize::from(finding.severity == Severity::Fault);
        }
    };
    let (mut devices, offered) = devices();
    print(loader::icd_files());
    print(loader::examine(offered));
    print(machine::vulkan_manifests());
    print(machine::device_files());
    print(machine::memory());
    print(machine::cache());
    if offered > 0 {
        devices.extend(kernel::run_on_all());
    }
    print(devices);
    match faults {
        0 => Ok(()),
        1 => Err("one fault: see the line above that begins with FAULT".to_string()),
        _ => Err(format!("{faults} faults: see the lines above that begin with FAULT")),
    }
}

/// Runs `--doctor-loader`, the check of the loader, in the process of its own that it needs: other vendors' drivers may end the
/// process.
pub fn run_loader() -> Result<(), String> {
    loader::run_in_child()
}

/// Returns a line for each Vulkan device, and the number of devices that are offered.
fn devices() -> (Vec<Finding>, usize) {
    let all = match selection::enumerate() {
        Ok(all) => all,
        Err(error) => {
            let text = format!("{}: {ADVICE}", selection::failure(&error));
            return (vec![Finding::new(Severity::Fault, "vulkan", text)], 0);
        }
    };
    let is_offered = |device: &&EnumeratedDevice| device.selection == Selection::Offered;
    let offered = all.iter().filter(is_offered).count();
    let mut findings: Vec<_> =
        all.iter().enumerate().map(|(index, device)| describe(index, device, offered)).collect();
    if offered == 0 {
        let text = format!("Hekla offers no device to OpenCL programs: {ADVICE}");
        findings.push(Finding::new(Severity::Fault, "vulkan", text));
    }
    (findings, offered)
}

/// Returns the line about a device: its driver and version, whether it is offered, and the known quirks that are worked around.
fn describe(index: usize, device: &EnumeratedDevice, offered: usize) -> Finding {
    let info = &device.physical.info;
    let (major, minor) = (info.api_version >> 22 & 0x7f, info.api_version >> 12 & 0x3ff);
    let memory = info.memory.global_bytes as f64 / 1e9;
    let mut text = format!(
        "{}, {} {}, Vulkan {major}.{minor}, {memory:.1} GB: {}",
        info.name,
        info.driver_name,
        defects::driver(info),
        device.explanation()
    );
    let quirks: Vec<_> = info.quirks.iter_names().map(|(name, _)| name.to_lowercase()).collect();
    if !quirks.is_empty() {
        text.push_str(&format!("; seen to: {}", quirks.join(", ")));
    }
    let severity = match &device.selection {
        Selection::Offered => Severity::Fine,
        Selection::Defective(_) if offered == 0 => Severity::Fault,
        _ => Severity::Note,
    };
    Finding::new(severity, format!("device {index}"), text)
}
