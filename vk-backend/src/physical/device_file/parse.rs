//! Reads a device file, which is TOML. A key that is not known is an error, with its line.

use ash::vk;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

use super::names::{Slot, EXTENSIONS, FEATURES, FLAGS, LIMITS};
use super::{probed, DeviceFile, Formats, Identity, Subgroups};
use crate::physical::device_info::DeviceType;
use crate::physical::features::SubgroupOps;
use crate::physical::format::Format;
use crate::physical::found::Probe;
use crate::physical::properties::Properties;
use hekla_device::Quirks;

/// An error, and its place in the text.
pub(super) type Located<T> = Result<T, (std::ops::Range<usize>, String)>;
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Reads the text of a file. An error has its line in the text.
pub(super) fn parse(name: &str, text: &str) -> Result<DeviceFile, String> {
    let at = |(span, message): (std::ops::Range<usize>, String)| {
        let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
        format!("line {line}: {message}")
    };
    let table = DeTable::parse(text)
        .map_err(|error| at((error.span().unwrap_or(0..0), error.message().to_string())))?;
    let mut file = empty(name);
    for (key, value) in table.get_ref() {
        set(&mut file, key.get_ref(), key.span(), value).map_err(at)?;
    }
    let needed = [
        ("device", !file.device.is_empty()),
        ("driver", !file.driver.is_empty()),
        ("vulkan", file.version != 0),
    ];
    match needed.iter().find(|(_, there)| !there) {
        Some((key, _)) => Err(format!("there is no key '{key}'")),
        None => Ok(file),
    }
}

fn empty(name: &str) -> DeviceFile {
    DeviceFile {
        name: name.to_string(),
        device: String::new(),
        driver: String::new(),
        version: 0,
        extensions: Vec::new(),
        features: Vec::new(),
        flags: Vec::new(),
        limits: Vec::new(),
        subgroups: Subgroups::default(),
        independence: [None; 2],
        queue_count: None,
        timestamp_valid_bits: None,
        heap_bytes: None,
        lacking_formats: Formats::default(),
        identity: Identity::default(),
        quirks: Quirks::empty(),
        probed: None,
        digest: 0,
    }
}

fn set(
    file: &mut DeviceFile,
    key: &str,
    span: std::ops::Range<usize>,
    value: &Value<'_>,
) -> Located<()> {
    match key {
        "device" => file.device = string(key, value)?,
        "driver" => file.driver = string(key, value)?,
        "source" => drop(string(key, value)?),
        "type" => file.identity.device_type = Some(device_type(key, value)?),
        "driverID" => file.identity.driver = driver(key, value)?,
        "driverVersion" => file.identity.version = number(key, value)?,
        "driverInfo" => file.identity.info = string(key, value)?,
        "quirks" => file.quirks = quirks(key, value)?,
        "vulkan" => file.version = version(key, value)?,
        "extensions" => file.extensions = names(key, value, EXTENSIONS.iter().copied())?,
        "features" => file.features = names(key, value, FEATURES.iter().map(|row| row.0))?,
        "properties" => file.flags = names(key, value, FLAGS.iter().map(|row| row.0))?,
        "limits" => return each(key, value, |key, value| set_limit(file, key, value)),
        "subgroups" => {
            return each(key, value, |key, value| set_subgroups(&mut file.subgroups, key, value))
        }
        "float_controls" => {
            return each(key, value, |key, value| {
                let places = ["denormBehaviorIndependence", "roundingModeIndependence"];
                let place = places.iter().position(|place| *place == key);
                let place = place.ok_or_else(|| unknown(key, value))?;
                file.independence[place] = Some(independence(key, value)?);
                Ok(())
            })
        }
        "queues" => {
            return each(key, value, |key, value| {
                match key {
                    "count" => file.queue_count = Some(number(key, value)?),
                    "timestampValidBits" => file.timestamp_valid_bits = Some(number(key, value)?),
                    _ => return Err(unknown(key, value)),
                }
                Ok(())
            })
        }
        "memory" => {
            return each(key, value, |key, value| match key {
                "heap" => {
                    file.heap_bytes = Some(number(key, value)?);
                    Ok(())
                }
                _ => Err(unknown(key, value)),
            })
        }
        "probed" => {
            let probe = file.probed.insert(Probe::default());
            return each(key, value, |key, value| probed::set(probe, key, value));
        }
        "lacking_formats" => {
            let formats = &mut file.lacking_formats;
            return each(key, value, |key, value| set_formats(formats, key, value));
        }
        _ => return Err((span, format!("there is no key '{key}'"))),
    }
    Ok(())
}

/// Types of devices, with their names in files.
pub(super) const TYPES: [(&str, DeviceType); 5] = [
    ("cpu", DeviceType::Cpu),
    ("integrated", DeviceType::IntegratedGpu),
    ("discrete", DeviceType::DiscreteGpu),
    ("virtual", DeviceType::VirtualGpu),
    ("other", DeviceType::Other),
];

/// A bound above all numbers of VkDriverId.
const MOST_DRIVERS: i32 = 256;

fn set_limit(file: &mut DeviceFile, key: &str, value: &Value<'_>) -> Located<()> {
    let row = LIMITS.iter().find(|row| row.0 == key).ok_or_else(|| unknown(key, value))?;
    let is_number = !matches!(row.2(&mut Properties::default()), Slot::Dimensions(_));
    let bound: u64 = match row.2(&mut Properties::default()) {
        Slot::U64(_) => u64::MAX,
        _ => u64::from(u32::MAX),
    };
    let values = match is_number {
        true => [number(key, value)?; 3],
        false => three(key, value)?,
    };
    if values.iter().any(|value| *value > bound) {
        return Err((value.span(), format!("'{key}' is more than {bound}")));
    }
    file.limits.push((row, values));
    Ok(())
}

fn set_subgroups(subgroups: &mut Subgroups, key: &str, value: &Value<'_>) -> Located<()> {
    match key {
        "size" => subgroups.size = number(key, value)?,
        "sizes" => {
            let list = list(key, value)?;
            let [least, most] = list else {
                return Err((value.span(), format!("'{key}' needs two numbers")));
            };
            subgroups.sizes = Some([number(key, least)?, number(key, most)?]);
        }
        "operations" => {
            for item in list(key, value)? {
                let name = string(key, item)?;
                let operation = SubgroupOps::from_name(&name.to_uppercase());
                subgroups.operations |= operation.ok_or_else(|| unknown(&name, item))?;
            }
        }
        _ => return Err(unknown(key, value)),
    }
    Ok(())
}

fn set_formats(formats: &mut Formats, key: &str, value: &Value<'_>) -> Located<()> {
    let place = match key {
        "sampled" => &mut formats.sampled,
        "filtered" => &mut formats.filtered,
        "storage" => &mut formats.storage,
        "uniformTexelBuffer" => &mut formats.uniform_texel_buffer,
        "storageTexelBuffer" => &mut formats.storage_texel_buffer,
        _ => return Err(unknown(key, value)),
    };
    for item in list(key, value)? {
        let name = string(key, item)?;
        place.push(Format::named(&name).ok_or_else(|| unknown(&name, item))?.0);
    }
    Ok(())
}

pub(super) fn unknown(key: &str, value: &Value<'_>) -> (std::ops::Range<usize>, String) {
    (value.span(), format!("there is no '{key}'"))
}

/// Calls a function for each key of a table.
pub(super) fn each(
    key: &str,
    value: &Value<'_>,
    mut f: impl FnMut(&str, &Value<'_>) -> Located<()>,
) -> Located<()> {
    let table = value.get_ref().as_table();
    let table = table.ok_or_else(|| (value.span(), format!("'{key}' is no table")))?;
    table.iter().try_for_each(|(key, value)| f(key.get_ref(), value))
}

pub(super) fn string(key: &str, value: &Value<'_>) -> Located<String> {
    let text = value.get_ref().as_str().map(str::to_string);
    text.ok_or_else(|| (value.span(), format!("'{key}' needs a string")))
}

pub(super) fn list<'a, 'b>(key: &str, value: &'a Value<'b>) -> Located<&'a [Value<'b>]> {
    let list = value.get_ref().as_array();
    list.map(|list| list.as_ref()).ok_or_else(|| (value.span(), format!("'{key}' needs a list")))
}

fn number<T: TryFrom<u64>>(key: &str, value: &Value<'_>) -> Located<T> {
    let digits = value.get_ref().as_integer();
    let parsed = digits.and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok());
    let number = parsed.and_then(|n| T::try_from(n).ok());
    number.ok_or_else(|| (value.span(), format!("'{key}' needs a number that it can have")))
}

fn three(key: &str, value: &Value<'_>) -> Located<[u64; 3]> {
    match list(key, value)? {
        [a, b, c] => Ok([number(key, a)?, number(key, b)?, number(key, c)?]),
        _ => Err((value.span(), format!("'{key}' needs three numbers"))),
    }
}

/// Returns the names of a list, each of which must be known.
pub(super) fn names(
    key: &str,
    value: &Value<'_>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Located<Vec<&'static str>> {
    let items = list(key, value)?.iter();
    let name = |item: &Value<'_>| {
        let name = string(key, item)?;
        known.clone().find(|known| *known == name).ok_or_else(|| unknown(&name, item))
    };
    items.map(name).collect()
}

/// Returns the quirks of a list of names such as `SLOW_LOOPS`.
fn quirks(key: &str, value: &Value<'_>) -> Located<Quirks> {
    let quirk = |item: &Value<'_>| {
        let name = string(key, item)?;
        Quirks::from_name(&name).ok_or_else(|| unknown(&name, item))
    };
    list(key, value)?.iter().map(quirk).collect()
}

fn version(key: &str, value: &Value<'_>) -> Located<u32> {
    let text = string(key, value)?;
    let parts = text.split_once('.');
    let parsed = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match parsed {
        Some((1, minor @ 0..=99)) => Ok(vk::make_api_version(0, 1, minor, 0)),
        _ => Err((value.span(), format!("'{key}' needs a version such as \"1.3\""))),
    }
}

fn device_type(key: &str, value: &Value<'_>) -> Located<DeviceType> {
    let text = string(key, value)?;
    let named = TYPES.iter().find(|(name, _)| *name == text);
    named.map(|(_, device_type)| *device_type).ok_or_else(|| unknown(&text, value))
}

/// Returns the VkDriverId of a name such as `MESA_RADV`.
fn driver(key: &str, value: &Value<'_>) -> Located<vk::DriverId> {
    let text = string(key, value)?;
    let mut known = (1..MOST_DRIVERS).map(vk::DriverId::from_raw);
    known.find(|id| format!("{id:?}") == text).ok_or_else(|| unknown(&text, value))
}

fn independence(key: &str, value: &Value<'_>) -> Located<vk::ShaderFloatControlsIndependence> {
    use vk::ShaderFloatControlsIndependence as Independence;
    match string(key, value)?.as_str() {
        "all" => Ok(Independence::ALL),
        "32-bit only" => Ok(Independence::TYPE_32_ONLY),
        "none" => Ok(Independence::NONE),
        _ => Err((value.span(), format!("'{key}' is \"all\", \"32-bit only\" or \"none\""))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines with the keys that every file needs.
    const HEAD: &str = "device = 'd'\ndriver = 'e'\nvulkan = '1.3'\n";

    #[test]
    fn mistakes_are_told_with_line_and_key() {
        let check = |text: &str, message: &str| {
            let error = parse("f", &format!("{HEAD}{text}")).err().unwrap_or_default();
            assert!(error.contains(message), "{text}: {error}");
        };
        check("colour = 1\n", "line 4: there is no key 'colour'");
        check(
            "features = [\n'shaderInt64',\n'shaderInt65']\n",
            "line 6: there is no 'shaderInt65'",
        );
        check("extensions = ['VK_KHR_swapchain']\n", "line 4: there is no 'VK_KHR_swapchain'");
        check("[limits]\nmaxLines = 1\n", "line 5: there is no 'maxLines'");
        check("[limits]\nmaxPushConstantsSize = -1\n", "line 5: 'maxPushConstantsSize' needs");
        check("[limits]\nmaxPushConstantsSize = 4294967296\n", "line 5: 'maxPushConstantsSize' is");
        check("[limits]\nmaxComputeWorkGroupSize = 8\n", "line 5: 'maxComputeWorkGroupSize' needs");
        check("[subgroups]\noperations = ['dance']\n", "line 5: there is no 'dance'");
        check("[lacking_formats]\nsampled = ['R9_UNORM']\n", "line 5: there is no 'R9_UNORM'");
        check("[queues]\ncount = 'two'\n", "line 5: 'count' needs a number");
        check("[float_controls]\nroundingModeIndependence = 'some'\n", "line 5: 'rounding");
        check("type = 'quantum'\n", "line 4: there is no 'quantum'");
        check("driverID = 'MESA_DANCE'\n", "line 4: there is no 'MESA_DANCE'");
        check("quirks = [\n'SLOW_LOOPS',\n'SLOW_DANCES']\n", "line 6: there is no 'SLOW_DANCES'");
        check("[probed]\nassumed = 1\n", "line 5: 'assumed' is true or false");
        check("[probed]\nanswers = ['fma8_fused']\n", "line 5: there is no 'fma8_fused'");
        check("[probed.quarter]\n", "line 4: there is no 'quarter'");
        check("[probed.half]\nFmb = []\n", "line 5: there is no 'Fmb'");
        check("[probed.half]\nFma = ['keeps']\n", "line 5: there is no 'keeps'");
        check("limits = 1\n", "line 4: 'limits' is no table");
        check("[a\n", "line 4");
        assert_eq!(
            parse("f", "device = 'd'\ndriver = 'e'\n").err().unwrap(),
            "there is no key 'vulkan'"
        );
        let old = HEAD.replace("1.3", "2.0");
        assert!(parse("f", &old).err().unwrap().contains("line 3: 'vulkan' needs a version"));
    }
}
