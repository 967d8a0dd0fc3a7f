//! The clock frequency of a device (CL_DEVICE_MAX_CLOCK_FREQUENCY). Vulkan does not report it, so it is read from the system.

use hekla_vk_backend as vk;
use std::path::Path;

/// The frequency in MHz if the system reports none. Programs divide by the frequency, so it is not 0; they compare devices by
/// it, so it is a medium one.
const UNKNOWN: u32 = 1000;

/// Returns the highest clock in MHz that the system reports, or 1000 if it reports none.
pub fn in_mhz(info: &vk::DeviceInfo) -> u32 {
    let told = match info.device_type {
        vk::DeviceType::Cpu => of_processor(),
        _ => info.pci.and_then(of_gpu),
    };
    told.filter(|&frequency| frequency != 0).unwrap_or(UNKNOWN)
}

/// Returns the highest clock that the processor may have or, if that is not known, its current clock.
fn of_processor() -> Option<u32> {
    let most = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
    if let Some(khz) = number(Path::new(most)) {
        return Some(khz / 1000);
    }
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let lines = text.lines().filter(|line| line.starts_with("cpu MHz"));
    let values = lines.filter_map(|line| line.split(':').nth(1)?.trim().parse::<f64>().ok());
    values.map(|value| value as u32).max()
}

/// Returns the highest clock that the kernel's drivers of AMD's and Intel's GPUs report.
fn of_gpu(place: vk::PciBusInfo) -> Option<u32> {
    let vk::PciBusInfo { domain, bus, device, function } = place;
    let folder = format!("/sys/bus/pci/devices/{domain:04x}:{bus:02x}:{device:02x}.{function:x}");
    let folder = Path::new(&folder);
    let levels = std::fs::read_to_string(folder.join("pp_dpm_sclk")).ok();
    levels.as_deref().and_then(highest_level).or_else(|| {
        let cards = std::fs::read_dir(folder.join("drm")).ok()?;
        cards.flatten().find_map(|card| number(&card.path().join("gt_max_freq_mhz")))
    })
}

/// Returns the highest of a list of levels: `0: 500Mhz`, `1: 2200Mhz *`.
fn highest_level(levels: &str) -> Option<u32> {
    let level = |line: &str| {
        let value = line.split_once(':')?.1.trim();
        value[..value.find(|c: char| !c.is_ascii_digit())?].parse().ok()
    };
    levels.lines().filter_map(level).max()
}

fn number(path: &Path) -> Option<u32> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_level_counts() {
        assert_eq!(highest_level("0: 500Mhz \n1: 0Mhz *\n2: 2475Mhz \n"), Some(2475));
        assert_eq!(highest_level("S: 19Mhz *\nx\n"), Some(19));
        assert_eq!(highest_level(""), None);
    }

    #[test]
    fn a_processor_has_a_clock() {
        assert_ne!(of_processor(), Some(0));
    }
}
