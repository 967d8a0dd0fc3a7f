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
    "apple-kosmickrisp"
    "apple-moltenvk"
    "intel-anv"
    "mali-panvk"
    "pi4-v3dv"
    "pi5-v3dv"
    "radeon-radv"
}

/// Returns the short names of the files that [`super::DeviceFile::find`] knows.
pub fn device_file_names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Returns the text of a file.
pub(super) fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
