//! A second Vulkan driver beside the one under test, for tests of several devices.

use std::path::Path;
use std::sync::Once;

const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Makes Vulkan see a second driver: the manifest that `HEKLA_TEST_OTHER_DRIVER` names (`cargo xtask test`
/// always does), else SwiftShader. To be called before the first look at devices. False, with a message,
/// where there is none.
pub fn add_another() -> bool {
    let named = std::env::var("HEKLA_TEST_OTHER_DRIVER").ok();
    let other = named.as_deref().unwrap_or(SWIFTSHADER);
    if !Path::new(other).exists() {
        assert!(named.is_none(), "HEKLA_TEST_OTHER_DRIVER={other} is not there");
        eprintln!("skipped: there is no second driver ({other})");
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
