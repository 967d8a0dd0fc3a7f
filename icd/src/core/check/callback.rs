//! The program's callback for findings (clSetCheckCallbackHEKLA).

use crate::cl::{cl_ulong, hekla_check_callback, hekla_check_finding};
use crate::object::callbacks::UserData;
use hekla_compiler::checks::{Description, Finding};
use parking_lot::Mutex;
use std::ffi::{c_void, CString};

type Callback = unsafe extern "C" fn(*const hekla_check_finding, *mut c_void);

static CALLBACK: Mutex<Option<(Callback, UserData)>> = Mutex::new(None);

/// Sets the program's callback for findings.
pub fn set(callback: hekla_check_callback, user_data: *mut c_void) {
    *CALLBACK.lock() = callback.map(|callback| (callback, UserData(user_data)));
}

/// Returns true if the program has set a callback for findings.
pub fn is_set() -> bool {
    CALLBACK.lock().is_some()
}

/// A finding, with its texts.
pub struct ReportedFinding {
    pub finding: Finding,
    pub kind: &'static str,
    pub description: Description,
    pub what: String,
    pub message: String,
}

/// Calls the program's callback for each finding. The caller must not hold a lock.
pub fn report(all: &[ReportedFinding]) {
    let Some((callback, user_data)) = *CALLBACK.lock() else { return };
    for reported in all {
        let ReportedFinding { finding, description, .. } = reported;
        let text = |text: &str| CString::new(text.replace('\0', " ")).unwrap_or_default();
        let place = description.places.first();
        let file = place.map_or("", |place| &place.file);
        let texts =
            [reported.kind, &description.kernel, file, &reported.what, &reported.message].map(text);
        let [kind, kernel, file, what, message] = texts.each_ref().map(|text| text.as_ptr());
        let finding = hekla_check_finding {
            struct_size: size_of::<hekla_check_finding>(),
            kind,
            kernel,
            file,
            line: place.map_or(0, |place| place.line),
            column: place.map_or(0, |place| place.column),
            global_id: finding.global_id,
            local_id: finding.local_id,
            count: cl_ulong::from(finding.count),
            what,
            message,
        };
        // SAFETY: the program gave this function with its data; the structure and its strings outlive the call.
        unsafe { callback(&raw const finding, user_data.get()) };
    }
}
