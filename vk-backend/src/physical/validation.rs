//! The Khronos validation layer, with a messenger that prints the layer's messages to stderr.

use std::borrow::Cow;
use std::ffi::{c_void, CStr};
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use ash::{ext, vk};

use crate::config::{self, Validation};
use crate::error::Error;

/// Name of the Khronos validation layer.
pub(crate) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

static MESSAGES: AtomicU64 = AtomicU64::new(0);

/// Returns how many messages the validation layer has sent to this process: 0 unless the environment
/// has `HEKLA_VALIDATE`.
pub fn validation_message_count() -> u64 {
    MESSAGES.load(Ordering::Relaxed)
}

/// Returns the checks that the environment requests of the layer besides its usual ones; `None` without validation.
pub(crate) fn requested_checks() -> Option<&'static [vk::ValidationFeatureEnableEXT]> {
    match config::validation() {
        Validation::Off => None,
        Validation::Core => Some(&[]),
        Validation::Synchronization => {
            Some(&[vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION])
        }
    }
}

/// Prints one line to stderr. An error, such as a closed stderr, is ignored.
pub(crate) fn print_line(line: &str) {
    let _ = writeln!(std::io::stderr(), "hekla: validation: {line}");
}

/// The debug messenger of an instance.
pub(crate) struct Messenger {
    functions: ext::debug_utils::Instance,
    raw: vk::DebugUtilsMessengerEXT,
}

impl Messenger {
    /// Installs the messenger; the instance must have VK_EXT_debug_utils enabled.
    pub(crate) fn new(entry: &ash::Entry, instance: &ash::Instance) -> Result<Messenger, Error> {
        let functions = ext::debug_utils::Instance::new(entry, instance);
        let info = create_info();
        // SAFETY: the extension is enabled on the instance, and `info` lives across the call.
        let raw = unsafe { functions.create_debug_utils_messenger(&info, None) }
            .map_err(|e| Error::from_vk("vkCreateDebugUtilsMessengerEXT", e))?;
        Ok(Messenger { functions, raw })
    }

    /// Removes the messenger. Called once, before the instance is destroyed.
    pub(crate) fn destroy(&self) {
        // SAFETY: the messenger was created on a still living instance and is not used again.
        unsafe { self.functions.destroy_debug_utils_messenger(self.raw, None) }
    }
}

/// Returns the messenger's creation info. It is also chained to instance creation, so that messages about
/// that are printed.
pub(crate) fn create_info() -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        )
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(on_message))
}

unsafe extern "system" fn on_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _user: *mut c_void,
) -> vk::Bool32 {
    MESSAGES.fetch_add(1, Ordering::Relaxed);
    // SAFETY: Vulkan passes a valid structure whose message is null or a NUL-terminated string, both
    // valid until the callback returns.
    let text = unsafe { data.as_ref().and_then(|d| d.message_as_c_str()) };
    print_line(&text.map_or(Cow::Borrowed("(no text)"), CStr::to_string_lossy));
    vk::FALSE
}
