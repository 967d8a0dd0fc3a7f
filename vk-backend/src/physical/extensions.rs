//! The device extensions that a physical device offers.

use std::collections::HashSet;
use std::ffi::{CStr, CString};

/// Names of extensions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Extensions {
    names: HashSet<CString>,
}

impl Extensions {
    pub(crate) fn new(names: impl IntoIterator<Item = CString>) -> Extensions {
        Extensions { names: names.into_iter().collect() }
    }

    pub(crate) fn has(&self, name: &CStr) -> bool {
        self.names.contains(name)
    }

    /// Returns those of the extensions for which `is_kept` is true.
    pub(crate) fn keep(&self, is_kept: impl Fn(&CStr) -> bool) -> Extensions {
        Extensions::new(self.names.iter().filter(|name| is_kept(name)).cloned())
    }
}
