//! What Vulkan devices the machine has, which of them are offered to OpenCL, and why the others are
//! not: for the platform, the log, and people who see no device.

use super::defects;
use hekla_vk_backend as vk;
use std::fmt::Write;
use std::sync::Arc;

/// A Vulkan device and what became of it.
pub struct Found {
    pub physical: vk::PhysicalDevice,
    pub verdict: Verdict,
    /// `HEKLA_DEVICE` names it.
    pub named: bool,
}

/// Whether a device is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Taken,
    /// Hekla cannot use it: a sentence.
    Refused(String),
    /// It computes wrong results: a sentence. Only `HEKLA_DEVICE` shows it.
    Defective(String),
    /// `HEKLA_DEVICE` asks for others.
    NotWished,
    /// A processor beside a GPU.
    Hidden,
}

/// Returns all devices: the usable ones in the order in which `HEKLA_DEVICE` counts them, best first; then the
/// others. The error says why there is no Vulkan.
pub fn survey() -> Result<Vec<Found>, vk::Error> {
    let instance: Arc<vk::Instance> = vk::Instance::load()?;
    let mut all = instance.physical_devices();
    // The most capable first; stable, so that equals stay in Vulkan's order.
    all.sort_by_key(|physical| {
        let features = &physical.info.features;
        let refused = physical.info.refusal.is_some();
        (refused, rank(physical.info.device_type), !features.float64, !features.int64)
    });
    let wish = std::env::var("HEKLA_DEVICE").unwrap_or_default();
    let verdicts = judge(&all.iter().map(|p| Candidate::of(&p.info)).collect::<Vec<_>>(), &wish);
    let named = wishes(&wish).next().is_some();
    let found = all.into_iter().zip(verdicts).map(|(physical, verdict)| {
        let verdict = match verdict {
            Verdict::Taken if !named => trusted(&physical),
            other => other,
        };
        Found { named: named && verdict == Verdict::Taken, physical, verdict }
    });
    Ok(found.collect())
}

/// Whether a device that would be taken computes right. Only those of old drivers are run for that here;
/// the others are when they are opened.
fn trusted(physical: &vk::PhysicalDevice) -> Verdict {
    if !defects::is_suspect(&physical.info) {
        return Verdict::Taken;
    }
    let defect = vk::Device::open(physical).and_then(|device| defects::defect(&device));
    match defect {
        Ok(None) => Verdict::Taken,
        Ok(Some(defect)) => Verdict::Defective(defects::sentence(&physical.info, defect)),
        Err(error) => Verdict::Refused(format!("was tested for wrong results and failed: {error}")),
    }
}

fn rank(device_type: vk::DeviceType) -> u32 {
    match device_type {
        vk::DeviceType::DiscreteGpu => 0,
        vk::DeviceType::IntegratedGpu => 1,
        vk::DeviceType::VirtualGpu => 2,
        vk::DeviceType::Other => 3,
        vk::DeviceType::Cpu => 4,
    }
}

/// What decides about a device.
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

/// The parts of `HEKLA_DEVICE`, which commas separate.
fn wishes(wish: &str) -> impl Iterator<Item = String> + '_ {
    wish.split(',').map(|part| part.trim().to_lowercase()).filter(|part| !part.is_empty())
}

/// `HEKLA_DEVICE` (indices and parts of names, between commas) picks among all usable devices, which
/// come first; otherwise a processor is hidden while a GPU exists.
fn judge(devices: &[Candidate<'_>], wish: &str) -> Vec<Verdict> {
    let wishes: Vec<String> = wishes(wish).collect();
    let any_wish = !wishes.is_empty();
    let is_wished = |index: usize, name: &str| {
        wishes.iter().any(|wish| match wish.parse::<usize>() {
            Ok(number) => number == index,
            Err(_) => name.to_lowercase().contains(wish),
        })
    };
    let any_gpu = devices.iter().any(|device| device.refusal.is_none() && !device.is_cpu);
    let judge_one = |(index, device): (usize, &Candidate<'_>)| match device.refusal {
        Some(reason) => Verdict::Refused(reason.to_string()),
        None if any_wish && !is_wished(index, device.name) => Verdict::NotWished,
        None if !any_wish && any_gpu && device.is_cpu => Verdict::Hidden,
        None => Verdict::Taken,
    };
    devices.iter().enumerate().map(judge_one).collect()
}

impl Found {
    /// Returns what became of it, in a sentence.
    pub fn sentence(&self) -> String {
        match &self.verdict {
            Verdict::Taken => "is offered".to_string(),
            Verdict::Refused(reason) | Verdict::Defective(reason) => {
                format!("is not used: it {reason}")
            }
            Verdict::NotWished => {
                let wish = std::env::var("HEKLA_DEVICE").unwrap_or_default();
                format!("is not offered: HEKLA_DEVICE={wish} asks for others")
            }
            Verdict::Hidden => "is not offered: a processor is hidden while there is a GPU \
                                (HEKLA_DEVICE shows it)"
                .to_string(),
        }
    }
}

/// Returns why there is no device, in one line, where a driver's wrong results are the reason.
pub fn refusal_notice(found: &[Found]) -> Option<String> {
    if found.iter().any(|device| device.verdict == Verdict::Taken) {
        return None;
    }
    found.iter().find_map(|device| match &device.verdict {
        Verdict::Defective(reason) => {
            Some(format!("no OpenCL device: {} {reason}", device.physical.info.name))
        }
        _ => None,
    })
}

/// Tells everything, and whether any device is offered.
pub fn explain() -> (String, bool) {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let offered = match survey() {
        Ok(found) => {
            for (index, device) in found.iter().enumerate() {
                let _ = describe(&mut text, index, device);
            }
            if found.is_empty() {
                text.push_str("Vulkan works, but no driver offers a device.\n");
            }
            found.iter().any(|device| device.verdict == Verdict::Taken)
        }
        Err(error) => {
            let _ = writeln!(text, "There is no Vulkan: {error}.");
            false
        }
    };
    if !offered {
        text.push_str("\nHekla offers no device to OpenCL programs.\n");
        text.push_str(&advice());
    }
    (text, offered)
}

/// Returns a device: what it is, what became of it, and what OpenCL programs do without on it.
fn describe(text: &mut String, index: usize, device: &Found) -> std::fmt::Result {
    let info = &device.physical.info;
    match device.verdict {
        Verdict::Refused(_) => write!(text, "    ")?,
        _ => write!(text, "[{index}] ")?,
    }
    let (major, minor) = (info.api_version >> 22 & 0x7f, info.api_version >> 12 & 0x3ff);
    let driver = format!("{} {}", info.driver_name, info.driver_info);
    writeln!(text, "{}: {}, Vulkan {major}.{minor}", info.name, driver.trim())?;
    writeln!(text, "    {}", device.sentence())?;
    if device.verdict == Verdict::Taken {
        for line in shortcomings(&info.features) {
            writeln!(text, "    {line}")?;
        }
    }
    Ok(())
}

/// Returns what a device lacks that costs OpenCL programs something.
fn shortcomings(f: &vk::Features) -> Vec<&'static str> {
    let all = [
        (f.float64, "no double: it lacks shaderFloat64"),
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

/// Returns what may help where there is no device.
fn advice() -> String {
    let mut text = String::new();
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        let Ok(value) = std::env::var(variable) else { continue };
        for path in value.split(':').filter(|path| !path.is_empty()) {
            let state =
                if std::path::Path::new(path).exists() { "" } else { ", which is not there" };
            let _ = writeln!(text, "{variable} lets Vulkan see {path} alone{state}.");
        }
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
    fn wishes_pick_by_index_and_name() {
        use Verdict::*;
        let refusal = "lacks timelineSemaphore, which Hekla needs";
        let gpu = || Candidate { name: "GeForce", is_cpu: false, refusal: None };
        let cpu = || Candidate { name: "llvmpipe", is_cpu: true, refusal: None };
        let old = || Candidate { name: "GeForce 8", is_cpu: false, refusal: Some(refusal) };
        let check = |wish: &str, [first, second]: [Verdict; 2]| {
            let expected = [first, second, Refused(refusal.to_string())];
            assert_eq!(judge(&[gpu(), cpu(), old()], wish), expected, "{wish}");
        };
        check("", [Taken, Hidden]);
        check(" , ", [Taken, Hidden]);
        check("1", [NotWished, Taken]);
        check("LLVM", [NotWished, Taken]);
        check("force, llvm", [Taken, Taken]);
        check("0,1", [Taken, Taken]);
        check("2", [NotWished, NotWished]);
        check("radeon", [NotWished, NotWished]);
        // A GPU that cannot be used hides nothing.
        assert_eq!(judge(&[cpu(), old()], "")[0], Taken);
    }
}
