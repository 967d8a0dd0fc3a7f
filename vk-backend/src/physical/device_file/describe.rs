//! Writes the device file of a device of this machine.

use std::ffi::CString;
use std::fmt::Display;

use ash::vk;

use super::names::{Slot, EXTENSIONS, FEATURES, FLAGS, LIMITS};
use super::{parse, probed};
use crate::physical::device_info::DeviceInfo;
use crate::physical::features::{Features, Independence, SubgroupOps};
use crate::physical::format::Format;
use crate::physical::found::Probe;
use crate::physical::PhysicalDevice;

impl PhysicalDevice {
    /// Returns the text of a device file that describes this device, of Vulkan 1.2 or later. Without a probe the file has the
    /// answers of good hardware, and says that they are assumed.
    pub fn describe(&self, probe: Option<&Probe>) -> String {
        let info = &self.info;
        let mut out = identity(info);
        let mut chain = self.feature_chain();
        let mut p = self.properties();
        let has_feature = |(name, place): &super::names::FeatureRow| {
            place(&mut chain).is_some_and(|on| *on == vk::TRUE).then_some(*name)
        };
        let features: Vec<&str> = FEATURES.iter().filter_map(has_feature).collect();
        let flags = FLAGS.iter().filter(|(_, place)| *place(&mut p) == vk::TRUE);
        let flags: Vec<&str> = flags.map(|row| row.0).collect();
        let has = |name: &&str| CString::new(*name).is_ok_and(|name| self.extensions.has(&name));
        let extensions: Vec<&str> = EXTENSIONS.iter().copied().filter(has).collect();
        out += &list("extensions", &extensions);
        out += &list("features", &features);
        out += &list("properties", &flags);
        out += "\n[limits]\n";
        for (name, _, place) in LIMITS {
            // Zero stands for a limit that was not queried.
            out += &match place(&mut p) {
                Slot::U32(0) | Slot::U64(0) => String::new(),
                Slot::U32(limit) => line(name, limit),
                Slot::U64(limit) => line(name, limit),
                Slot::Dimensions(limits) => line(name, format_args!("{limits:?}")),
            };
        }
        out += &subgroups(&info.features);
        out += "\n[float_controls]\n";
        out += &line("denormBehaviorIndependence", independence(info.features.denorm_independence));
        out += &line("roundingModeIndependence", independence(info.features.rounding_independence));
        out += "\n[queues]\n";
        out += &line("count", info.limits.queue_count);
        out += &line("timestampValidBits", info.limits.timestamp_valid_bits);
        out += "\n[memory]\n";
        out += &line("heap", info.memory.largest_heap_bytes);
        out += &self.lacking_formats();
        let assumed = || Probe::assumed(&info.features, info.quirks);
        probed::write(&probe.cloned().unwrap_or_else(assumed), probe.is_none(), &mut out);
        out
    }

    /// Returns the table of formats that the device lacks, by use; empty if it lacks none.
    fn lacking_formats(&self) -> String {
        use vk::FormatFeatureFlags as Flags;
        let images = |p: &vk::FormatProperties| p.optimal_tiling_features;
        let buffers = |p: &vk::FormatProperties| p.buffer_features;
        type Of = fn(&vk::FormatProperties) -> Flags;
        let uses: [(&str, Of, Flags); 5] = [
            ("sampled", images, Flags::SAMPLED_IMAGE),
            ("filtered", images, Flags::SAMPLED_IMAGE_FILTER_LINEAR),
            ("storage", images, Flags::STORAGE_IMAGE),
            ("uniformTexelBuffer", buffers, Flags::UNIFORM_TEXEL_BUFFER),
            ("storageTexelBuffer", buffers, Flags::STORAGE_TEXEL_BUFFER),
        ];
        let mut out = String::new();
        for (key, of, flag) in uses {
            let lacks = |format: Format| !of(&self.format_properties(format)).contains(flag);
            let names = Format::ALL.iter().filter(|(_, format)| lacks(*format)).map(|row| row.0);
            let names: Vec<&str> = names.collect();
            if !names.is_empty() {
                out += &list(key, &names);
            }
        }
        match out.is_empty() {
            true => out,
            false => format!("\n[lacking_formats]\n{out}"),
        }
    }
}

/// Returns the lines that name device and driver.
fn identity(info: &DeviceInfo) -> String {
    let version = info.api_version;
    let [major, minor] = [vk::api_version_major(version), vk::api_version_minor(version)];
    let types = parse::TYPES.iter().find(|(_, device_type)| *device_type == info.device_type);
    let quoted = |text: &str| format!("{text:?}");
    [
        line("device", quoted(&info.name)),
        line("driver", quoted(&format!("{} {}", info.driver_name, info.driver_info))),
        line("source", quoted("heklac --describe")),
        line("type", quoted(types.map_or("other", |(name, _)| name))),
        line("driverID", format_args!("\"{:?}\"", vk::DriverId::from_raw(info.driver_id as i32))),
        line("driverVersion", info.driver_version),
        line("driverInfo", quoted(&info.driver_info)),
        line("vulkan", quoted(&format!("{major}.{minor}"))),
    ]
    .concat()
}

fn subgroups(f: &Features) -> String {
    let mut out = format!("\n[subgroups]\n{}", line("size", f.subgroup_size));
    if f.subgroup_size_control {
        out += &line("sizes", format_args!("{:?}", f.subgroup_size_range));
    }
    let operations = f.subgroup_ops & SubgroupOps::all();
    let names: Vec<String> = operations.iter_names().map(|(name, _)| name.to_lowercase()).collect();
    out + &line("operations", format_args!("{names:?}"))
}

fn independence(of: Independence) -> &'static str {
    match of {
        Independence::All => "\"all\"",
        Independence::Float32Only => "\"32-bit only\"",
        Independence::None => "\"none\"",
    }
}

fn line(key: &str, value: impl Display) -> String {
    format!("{key} = {value}\n")
}

/// Returns a list of names, several of them in a line.
fn list(key: &str, names: &[&str]) -> String {
    let mut out = format!("{key} = [");
    let mut width = usize::MAX;
    for name in names {
        if width.saturating_add(name.len()) > 100 {
            out += "\n   ";
            width = 3;
        }
        out += &format!(" \"{name}\",");
        width += name.len() + 4;
    }
    out + "\n]\n"
}
