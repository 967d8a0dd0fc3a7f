//! Device selection: which of the machine's Vulkan devices are offered to OpenCL, and why the others are
//! not: for the platform, the log, and people who see no device.

use super::{defects, open};
use crate::config;
use hekla_vk_backend as vk;
use std::fmt::Write;
use std::sync::Arc;

/// A Vulkan device of the machine.
pub struct EnumeratedDevice {
    pub physical: vk::PhysicalDevice,
    pub selection: Selection,
    /// True if `HEKLA_DEVICE` names the device.
    pub named: bool,
}

/// The result of device selection for one device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The device is offered to OpenCL programs.
    Offered,
    /// Hekla cannot use the device, for this reason: the rest of a sentence that begins with the device.
    Unsupported(String),
    /// The device computes wrong results, as this text says; only `HEKLA_DEVICE` makes it visible.
    Defective(String),
    /// `HEKLA_DEVICE` names other devices.
    NotRequested,
    /// The device is a processor, and there is a GPU.
    Hidden,
}

/// Returns all devices: the usable ones in the order in which `HEKLA_DEVICE` counts them, best first; then the
/// others.
///
/// # Errors
/// The reason why Vulkan cannot be used.
pub fn enumerate() -> Result<Vec<EnumeratedDevice>, vk::Error> {
    let instance: Arc<vk::Instance> = vk::Instance::load()?;
    let mut all = instance.physical_devices();
    // The most capable devices are first. The sort is stable, so that equal devices stay in Vulkan's order.
    all.sort_by_key(|physical| {
        let features = &physical.info.features;
        let refused = physical.info.refusal.is_some();
        (refused, rank(physical.info.device_type), !features.float64, !features.int64)
    });
    let requested = parse_request(&config::requested_devices());
    let candidates: Vec<_> = all.iter().map(|p| Candidate::of(&p.info)).collect();
    let selections = select(&candidates, &requested);
    let named = !requested.is_empty();
    let devices = all.into_iter().zip(selections).map(|(physical, selection)| {
        let selection = match selection {
            Selection::Offered if !named => check_results(&physical),
            other => other,
        };
        let named = named && selection == Selection::Offered;
        EnumeratedDevice { physical, selection, named }
    });
    Ok(devices.collect())
}

/// Tests a device that would be offered, if its driver is known to give wrong results at times. All other devices are tested
/// when they are opened.
fn check_results(physical: &vk::PhysicalDevice) -> Selection {
    if !physical.info.quirks.contains(vk::Quirks::TESTED_BEFORE_USE) {
        return Selection::Offered;
    }
    let defect = vk::Device::open(physical).and_then(|device| defects::defect(&device));
    match defect {
        Ok(None) => Selection::Offered,
        Ok(Some(defect)) => Selection::Defective(defects::explanation(&physical.info, defect)),
        Err(error) => {
            Selection::Unsupported(format!("was tested for wrong results and failed: {error}"))
        }
    }
}

/// Returns the place of a type of device in the order of preference.
fn rank(device_type: vk::DeviceType) -> u32 {
    match device_type {
        vk::DeviceType::DiscreteGpu => 0,
        vk::DeviceType::IntegratedGpu => 1,
        vk::DeviceType::VirtualGpu => 2,
        vk::DeviceType::Other => 3,
        vk::DeviceType::Cpu => 4,
    }
}

/// The properties of a device that decide whether it is offered.
struct Candidate<'a> {
    name: &'a str,
    is_cpu: bool,
    refusal: Option<&'a str>,
}

impl Candidate<'_> {
    fn of(info: &vk::DeviceInfo) -> Candidate<'_> {
        let is_cpu = info.device_type == vk::DeviceType::Cpu;
        Candidate { name: &info.name, is_cpu, refusal: info.refusal.as_deref() }
    }
}

/// Returns the parts of a value of `HEKLA_DEVICE`, in lower case: commas separate them.
fn parse_request(text: &str) -> Vec<String> {
    let parts = text.split(',').map(|part| part.trim().to_lowercase());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Selects devices. `requested` (indices and parts of names) picks among all usable devices, which come first;
/// without it a processor is hidden while a GPU exists.
fn select(devices: &[Candidate<'_>], requested: &[String]) -> Vec<Selection> {
    let is_requested = |index: usize, name: &str| {
        requested.iter().any(|part| match part.parse::<usize>() {
            Ok(number) => number == index,
            Err(_) => name.to_lowercase().contains(part),
        })
    };
    let any = !requested.is_empty();
    let any_gpu = devices.iter().any(|device| device.refusal.is_none() && !device.is_cpu);
    let select_one = |(index, device): (usize, &Candidate<'_>)| match device.refusal {
        Some(reason) => Selection::Unsupported(reason.to_string()),
        None if any && !is_requested(index, device.name) => Selection::NotRequested,
        None if !any && any_gpu && device.is_cpu => Selection::Hidden,
        None => Selection::Offered,
    };
    devices.iter().enumerate().map(select_one).collect()
}

impl EnumeratedDevice {
    /// Returns the result of selection in words, as the rest of a sentence that begins with the device.
    pub fn explanation(&self) -> String {
        match &self.selection {
            Selection::Offered => "is offered".to_string(),
            Selection::Unsupported(reason) | Selection::Defective(reason) => {
                format!("is not used: it {reason}")
            }
            Selection::NotRequested => {
                let requested = config::requested_devices();
                format!("is not offered: HEKLA_DEVICE={requested} asks for others")
            }
            Selection::Hidden => "is not offered: a processor is hidden while there is a GPU \
                                  (HEKLA_DEVICE shows it)"
                .to_string(),
        }
    }
}

/// Returns the reason in one line why there is no device, if it is a driver's wrong results.
pub fn refusal_notice(devices: &[EnumeratedDevice]) -> Option<String> {
    if devices.iter().any(|device| device.selection == Selection::Offered) {
        return None;
    }
    devices.iter().find_map(|device| match &device.selection {
        Selection::Defective(reason) => {
            Some(format!("no OpenCL device: {} {reason}", device.physical.info.name))
        }
        _ => None,
    })
}

/// Returns what `heklac --explain` prints, and true if any device is offered.
pub fn explain() -> (String, bool) {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let offered = match enumerate() {
        Ok(devices) => {
            for (index, device) in devices.iter().enumerate() {
                let _ = describe(&mut text, index, device);
            }
            if devices.is_empty() {
                text.push_str("Vulkan works, but no driver offers a device.\n");
            }
            devices.iter().any(|device| device.selection == Selection::Offered)
        }
        Err(error) => {
            let _ = writeln!(text, "{}.", failure(&error));
            false
        }
    };
    if !offered {
        text.push_str("\nHekla offers no device to OpenCL programs.\n");
        text.push_str(&advice());
    }
    (text, offered)
}

/// Returns the reason why devices cannot be enumerated.
pub fn failure(error: &vk::Error) -> String {
    match error {
        // The environment asks for something that is not possible.
        vk::Error::Invalid(what) => format!("HEKLA_LIMIT_TO asks for what cannot be: {what}"),
        _ => format!("There is no Vulkan: {error}"),
    }
}

/// Writes what a device is, whether it is offered, and which features OpenCL programs lack on it.
fn describe(text: &mut String, index: usize, device: &EnumeratedDevice) -> std::fmt::Result {
    let info = &device.physical.info;
    match device.selection {
        Selection::Unsupported(_) => write!(text, "    ")?,
        _ => write!(text, "[{index}] ")?,
    }
    let (major, minor) = (info.api_version >> 22 & 0x7f, info.api_version >> 12 & 0x3ff);
    let driver = format!("{} {}", info.driver_name, info.driver_info);
    writeln!(text, "{}: {}, Vulkan {major}.{minor}", info.name, driver.trim())?;
    writeln!(text, "    {}", device.explanation())?;
    if let Some((name, _)) = &info.limited_to {
        writeln!(text, "    HEKLA_LIMIT_TO={name} restricts it")?;
    }
    if device.selection == Selection::Offered {
        for line in shortcomings(info) {
            writeln!(text, "    {line}")?;
        }
    }
    Ok(())
}

/// Returns the features that a device lacks and that OpenCL programs may need.
fn shortcomings(info: &vk::DeviceInfo) -> Vec<&'static str> {
    let f = &info.features;
    let all = [
        (open::computes_doubles(info), "no double: it lacks shaderFloat64"),
        (f.float16 && f.storage16, "no cl_khr_fp16: it lacks shaderFloat16 or 16-bit storage"),
        (f.int64, "64-bit integers and addresses are pairs of words: it lacks shaderInt64"),
        (
            f.int16 && f.storage16,
            "16-bit integers are emulated: it lacks shaderInt16 or 16-bit storage",
        ),
        (f.int8 && f.storage8, "8-bit integers are emulated: it lacks shaderInt8 or 8-bit storage"),
        (f.atomic_int64_buffer, "no 64-bit atomics: it lacks shaderBufferInt64Atomics"),
        (
            f.vulkan_memory_model && f.vulkan_memory_model_device_scope,
            "relaxed atomics only: it lacks vulkanMemoryModelDeviceScope",
        ),
    ];
    all.into_iter().filter(|(there, _)| !there).map(|(_, line)| line).collect()
}

/// Returns advice for a machine without a device.
fn advice() -> String {
    let mut text = String::new();
    for (variable, path) in config::vulkan_drivers() {
        let state = if std::path::Path::new(&path).exists() { "" } else { ", which is not there" };
        let _ = writeln!(text, "{variable} lets Vulkan see {path} alone{state}.");
    }
    text.push_str(
        "A GPU needs its vendor's Vulkan driver or Mesa's; without a GPU lavapipe of Mesa 25.0 or newer \
         will do (apt install mesa-vulkan-drivers; on Debian 12 from bookworm-backports). `vulkaninfo \
         --summary` shows what Vulkan sees.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_pick_by_index_and_name() {
        use Selection::*;
        let refusal = "lacks timelineSemaphore, which Hekla needs";
        let gpu = || Candidate { name: "GeForce", is_cpu: false, refusal: None };
        let cpu = || Candidate { name: "llvmpipe", is_cpu: true, refusal: None };
        let old = || Candidate { name: "GeForce 8", is_cpu: false, refusal: Some(refusal) };
        let check = |request: &str, [first, second]: [Selection; 2]| {
            let expected = [first, second, Unsupported(refusal.to_string())];
            let selected = select(&[gpu(), cpu(), old()], &parse_request(request));
            assert_eq!(selected, expected, "{request}");
        };
        check("", [Offered, Hidden]);
        check(" , ", [Offered, Hidden]);
        check("1", [NotRequested, Offered]);
        check("LLVM", [NotRequested, Offered]);
        check("force, llvm", [Offered, Offered]);
        check("0,1", [Offered, Offered]);
        check("2", [NotRequested, NotRequested]);
        check("radeon", [NotRequested, NotRequested]);
        // A GPU that cannot be used does not hide the processor.
        assert_eq!(select(&[cpu(), old()], &[])[0], Offered);
    }
}
