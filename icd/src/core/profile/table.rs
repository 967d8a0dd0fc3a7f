//! Reads a table of profiles: TOML with a table for each profile.

use super::{Profile, SHOWABLE};
use toml::de::{DeTable, DeValue};

/// Reads all profiles of a text, in its order.
///
/// # Errors
/// A description of the mistake in the text, with its line.
pub fn parse(text: &str) -> Result<Vec<Profile>, String> {
    let at = |span: std::ops::Range<usize>, message: String| {
        let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
        format!("line {line}: {message}")
    };
    let table = DeTable::parse(text)
        .map_err(|error| at(error.span().unwrap_or(0..0), error.message().to_string()))?;
    let mut profiles = Vec::new();
    for (name, value) in table.get_ref() {
        let DeValue::Table(rows) = value.get_ref() else {
            return Err(at(name.span(), format!("'{}' is no table", name.get_ref())));
        };
        let mut profile = Profile { name: name.get_ref().to_string(), ..Profile::default() };
        for (key, value) in rows {
            profile
                .set(key.get_ref(), value.get_ref())
                .map_err(|message| at(key.span(), message))?;
        }
        profiles.push((name.span().start, profile));
    }
    profiles.sort_by_key(|(start, _)| *start);
    Ok(profiles.into_iter().map(|(_, profile)| profile).collect())
}

impl Profile {
    fn set(&mut self, key: &str, value: &DeValue<'_>) -> Result<(), String> {
        match key {
            "reason" => self.reason = text(key, value)?,
            "programs" => self.programs = texts(key, value)?,
            "subgroup_sizes" => self.subgroup_sizes = sizes(key, value)?,
            "subgroup_size" => {
                self.subgroup_size = Some(size(value).ok_or("'subgroup_size' needs a size")?)
            }
            "device_type" => match text(key, value)?.as_str() {
                "gpu" => self.as_gpu = true,
                _ => return Err("'device_type' can be \"gpu\" alone".to_string()),
            },
            "double" => match text(key, value)?.as_str() {
                "soft" => self.soft_doubles = true,
                _ => return Err("'double' can be \"soft\" alone".to_string()),
            },
            "platform_name" => self.platform_name = Some(text(key, value)?),
            "platform_vendor" => self.platform_vendor = Some(text(key, value)?),
            "device_name" => self.device_name = Some(text(key, value)?),
            "device_vendor" => self.device_vendor = Some(text(key, value)?),
            "device_vendor_id" => {
                self.device_vendor_id =
                    Some(size(value).ok_or("'device_vendor_id' needs a number of 32 bits")?);
            }
            "show" => {
                self.show = texts(key, value)?;
                let wrong = self.show.iter().find(|name| !SHOWABLE.contains(&name.as_str()));
                if let Some(name) = wrong {
                    return Err(format!(
                        "'{name}' cannot be shown; what can is {}",
                        SHOWABLE.join(", ")
                    ));
                }
            }
            "hide" => self.hide = texts(key, value)?,
            other => return Err(format!("there is no key '{other}'")),
        }
        Ok(())
    }
}

fn text(key: &str, value: &DeValue<'_>) -> Result<String, String> {
    value.as_str().map(str::to_string).ok_or_else(|| format!("'{key}' needs a string"))
}

fn texts(key: &str, value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let wrong = || format!("'{key}' needs a list of strings");
    let list = value.as_array().ok_or_else(wrong)?;
    list.iter().map(|item| item.get_ref().as_str().map(str::to_string).ok_or_else(wrong)).collect()
}

fn size(value: &DeValue<'_>) -> Option<u32> {
    let number = value.as_integer()?;
    u32::from_str_radix(number.as_str(), number.radix()).ok()
}

fn sizes(key: &str, value: &DeValue<'_>) -> Result<Vec<u32>, String> {
    let wrong = || format!("'{key}' needs a list of sizes");
    let list = value.as_array().ok_or_else(wrong)?;
    list.iter().map(|item| size(item.get_ref()).ok_or_else(wrong)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_profiles_in_their_order() {
        let text = "[z]\nprograms = ['one', \"two*\"]\ndevice_type = 'gpu'\nsubgroup_sizes = [8, 16]\nsubgroup_size = 32\n\
                    [a]\nshow = ['cl_intel_subgroups']\nhide = ['cl_khr_fp64']\nplatform_vendor = 'x'\n\
                    device_vendor_id = 0x10de\ndouble = 'soft'\n";
        let profiles = parse(text).unwrap();
        let [z, a] = profiles.as_slice() else { panic!("{profiles:?}") };
        assert_eq!((z.name.as_str(), a.name.as_str()), ("z", "a"));
        assert!(z.as_gpu && z.is_for("two three") && z.is_for("one") && !z.is_for("one two"));
        assert_eq!((z.subgroup_sizes.as_slice(), z.subgroup_size), ([8, 16].as_slice(), Some(32)));
        assert!(a.shown() == ["cl_intel_subgroups"] && a.hides("cl_khr_fp64"));
        assert!(a.soft_doubles && !z.soft_doubles);
        assert_eq!((a.platform_vendor.as_deref(), a.device_vendor_id), (Some("x"), Some(0x10de)));
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        let check = |text: &str, message: &str| {
            let error = parse(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        };
        check("[a]\n\nname = 'x'\n", "line 3: there is no key 'name'");
        check("[a]\nprograms = 'x'\n", "line 2: 'programs' needs a list of strings");
        check("[a]\nreason = 1\n", "line 2: 'reason' needs a string");
        check("[a]\nsubgroup_sizes = [-1]\n", "line 2: 'subgroup_sizes' needs a list of sizes");
        check("[a]\nsubgroup_sizes = ['8']\n", "line 2: 'subgroup_sizes' needs a list of sizes");
        check("[a]\nsubgroup_size = '8'\n", "line 2: 'subgroup_size' needs a size");
        check("[a]\ndevice_vendor_id = 0x100000000", "line 2: 'device_vendor_id' needs a number");
        check("[a]\ndevice_type = 'cpu'\n", "line 2: 'device_type' can be \"gpu\" alone");
        check("[a]\ndouble = true\n", "line 2: 'double' needs a string");
        check("[a]\ndouble = 'fast'\n", "line 2: 'double' can be \"soft\" alone");
        check("[a]\nshow = ['cl_khr_gl_sharing']\n", "line 2: 'cl_khr_gl_sharing' cannot be shown");
        check("a = 1\n", "line 1: 'a' is no table");
        check("[a]\n[a\n", "line 2");
    }
}
