//! The device files that come with this crate, by their short names.

macro_rules! files {
    ($($name:literal)*) => {
        const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../devices/", $name, ".toml"))),)*];
    };
}

files! {
    "adreno-turnip"
    "android"
    "anv-bmg"
    "anv-dg2"
    "anv-skl"
    "apple-honeykrisp"
    "apple-kosmickrisp"
    "apple-moltenvk"
    "intel-anv"
    "mali-panvk"
    "nvk-ampere"
    "pi4-v3dv"
    "pi5-v3dv"
    "radeon-radv"
    "radv-gfx1201"
    "radv-navi10"
    "radv-navi21"
    "radv-navi31"
    "radv-vega10"
    "turnip-a630"
    "turnip-a740"
}

/// Returns the short names of the files that [`super::DeviceFile::find`] knows.
pub fn device_file_names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Returns the text of a shipped file.
pub(super) fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::super::DeviceFile;
    use super::*;
    use hekla_device::Quirks;

    /// The table of quirks names drivers by number, the files by name.
    #[test]
    fn devices_have_the_quirks_of_their_drivers() {
        let quirks = |name: &str| DeviceFile::find(name).unwrap().device().info.quirks;
        let of_nir = Quirks::SEQUENTIAL_SWITCHES
            | Quirks::QUIET_DIVISIONS
            | Quirks::KEPT_NARROWINGS
            | Quirks::COSTLY_SELECTIONS
            | Quirks::SUMMED_PRODUCTS
            | Quirks::SLOW_LONG_COUNTERS;
        let nvk = Quirks::SUBTRACTED_ROTATES
            | Quirks::UNROLLED_BY_DRIVER
            | Quirks::SPLIT_PRODUCTS
            | Quirks::ROWS_FIRST;
        assert_eq!(quirks("nvk-ampere"), of_nir | nvk);
        let mesa = Quirks::PLAIN_LOOPS | Quirks::SLOW_PRODUCTS;
        for name in ["mali-panvk", "pi5-v3dv"] {
            assert_eq!(quirks(name), of_nir | mesa, "{name}");
        }
        let anv = Quirks::WORD_VECTORS | Quirks::SUBTRACTED_ROTATES | Quirks::SPLIT_ADDRESSES;
        assert_eq!(quirks("anv-dg2"), of_nir | mesa | anv);
        let has_words = |name: &&str| quirks(name).contains(Quirks::WORD_VECTORS);
        let with_words: Vec<_> = device_file_names().filter(has_words).collect();
        let wanted = "adreno-turnip anv-bmg anv-dg2 anv-skl apple-honeykrisp intel-anv turnip-a630 turnip-a740";
        assert_eq!(with_words.join(" "), wanted);
        assert!(quirks("radv-navi31").contains(Quirks::NARROW_OFFSETS | Quirks::SLOW_DENORMALS));
        assert!(
            quirks("apple-honeykrisp").contains(Quirks::READ_ONLY_LOADS | Quirks::ORDERED_ZEROS)
        );
        assert!(quirks("adreno-turnip").contains(Quirks::CHAINED_ADDRESSES));
        assert_eq!(quirks("apple-moltenvk"), Quirks::empty());
    }

    /// The extension is part of Vulkan 1.3's core.
    #[test]
    fn non_semantic_instructions_come_with_vulkan_1_3_or_the_extension() {
        let device = |rest: &str| {
            let text = format!("device = 'd'\ndriver = 'e'\n{rest}");
            DeviceFile::parse("x", &text).unwrap().device().info.features.non_semantic_info
        };
        assert!(device("vulkan = '1.3'\n"));
        assert!(!device("vulkan = '1.2'\n"));
        assert!(device("vulkan = '1.2'\nextensions = ['VK_KHR_shader_non_semantic_info']\n"));
    }

    #[test]
    fn every_file_is_listed_and_whole() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/devices");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
            assert!(text(&name).is_some(), "{name} is not listed");
        }
        for name in device_file_names() {
            let file = DeviceFile::find(name).unwrap();
            assert_eq!(file.misplaced_features(), [""; 0], "{name}");
            assert_eq!(file.device().info.refusal, None, "{name}");
        }
    }

    #[test]
    fn a_device_that_lacks_what_is_needed_is_refused() {
        let text = text("pi4-v3dv").unwrap();
        let without = text.replace("\"bufferDeviceAddress\",", "");
        let refusal = DeviceFile::parse("x", &without).unwrap().device().info.refusal;
        assert_eq!(refusal.as_deref(), Some("lacks bufferDeviceAddress, which Hekla needs"));
        let old = text.replace("vulkan = \"1.3\"", "vulkan = \"1.1\"");
        let refusal = DeviceFile::parse("x", &old).unwrap().device().info.refusal;
        assert_eq!(refusal.as_deref(), Some("offers Vulkan 1.1; Hekla needs 1.2"));
    }
}
