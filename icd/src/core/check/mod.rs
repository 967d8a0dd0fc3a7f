//! Kernels that look for their own mistakes (`HEKLA_CHECK`): the tables that launches give them, and what they find.
//!
//! The compiler puts the checks in (`hekla_compiler::checks` describes what both sides agree on). A launch's buffer for
//! `printf` then has a check area as well, which the launch fills with the extents of its arguments and of all memory that
//! it may reach, and which is read when the launch is complete.

mod callback;
mod report;
mod table;

pub use callback::set as set_callback;
pub use report::{begin, collect, tell, warning, with_caret, Cause, Findings};
pub use table::Table;

use crate::config;
use hekla_compiler::checks::Checks;
use std::sync::OnceLock;

/// Returns the checks that `HEKLA_CHECK` asks for; unknown names are reported once.
pub fn wanted() -> Checks {
    static WANTED: OnceLock<Checks> = OnceLock::new();
    *WANTED.get_or_init(|| {
        let (checks, unknown) = config::checks();
        for name in unknown {
            report::tell(&format!("hekla: HEKLA_CHECK: {}\n", unknown_name(&name)));
        }
        checks
    })
}

/// Returns the message that no check has a name, with a list of the checks.
fn unknown_name(name: &str) -> String {
    let known: Vec<&str> = Checks::NAMES.iter().map(|(name, _)| *name).collect();
    format!("there is no check '{name}': {}, all", known.join(", "))
}

/// Returns the checks that a text names, between commas, or `all`.
///
/// Errors: a message about the first unknown name.
pub fn named(text: &str) -> Result<Checks, String> {
    let (checks, unknown) = config::parse_checks(text);
    unknown.first().map_or(Ok(checks), |name| Err(unknown_name(name)))
}
