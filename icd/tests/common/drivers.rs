//! A second Vulkan driver beside the one under test, for tests of several devices.

use crate::common::skip;
use std::path::{Path, PathBuf};
use std::sync::Once;

const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Makes Vulkan see a second driver: the manifest that `HEKLA_TEST_OTHER_DRIVER` names (`cargo xtask test` always
/// does), else SwiftShader. To be called before the first look at devices. Returns false, with a message, where there
/// is no second driver.
pub fn add_another() -> bool {
    let named = std::env::var("HEKLA_TEST_OTHER_DRIVER").ok();
    let other = named.as_deref().unwrap_or(SWIFTSHADER);
    if !Path::new(other).exists() {
        assert!(named.is_none(), "HEKLA_TEST_OTHER_DRIVER={other} is not there");
        skip(format!("there is no second driver ({other})"));
        return false;
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| match std::env::var("VK_DRIVER_FILES") {
        Ok(first) => {
            for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
                std::env::set_var(name, format!("{first}:{other}"));
            }
        }
        Err(_) => std::env::set_var("VK_ADD_DRIVER_FILES", other),
    });
    true
}

/// Makes a second driver of the driver under test: a copy of its library under another name, with a manifest. Returns
/// the folder and the manifest; `None` where `VK_DRIVER_FILES` names no manifest. [`add_another`] may have added a
/// second manifest.
#[allow(dead_code)]
pub fn twin() -> Option<(PathBuf, PathBuf)> {
    let manifest = std::env::split_paths(&std::env::var_os("VK_DRIVER_FILES")?).next()?;
    let text = std::fs::read_to_string(&manifest).ok()?;
    let (before, rest) = text.split_once("\"library_path\"")?;
    let (separator, rest) = rest.split_once('"')?;
    let (library, after) = rest.split_once('"')?;
    let library = manifest.parent()?.join(library);
    let folder = std::env::temp_dir().join(format!("hekla-twin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let copy = folder.join("libtwin.so");
    std::fs::copy(library, &copy).ok()?;
    let text = format!("{before}\"library_path\"{separator}\"{}\"{after}", copy.display());
    let named = folder.join("twin.json");
    std::fs::write(&named, text).ok()?;
    Some((folder, named))
}
