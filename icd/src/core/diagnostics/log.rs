//! The log (`HEKLA_LOG=error|warn|info|debug|trace`), on standard error or in the file that `HEKLA_LOG_FILE` names.
//! Without the variable the library is silent, except for messages that users must see ([`notice`]).

use crate::{config, platform};
use std::fmt::{Debug, Write as _};
use std::fs::File;
use std::io::Write as _;
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Writes events up to a level, one line each.
struct Logger {
    level: LevelFilter,
    /// The log's file; `None` for standard error.
    file: Option<File>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a String cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

impl Subscriber for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(format!("hekla: {}:", event.metadata().level()));
        event.record(&mut line);
        line.0.push('\n');
        // Errors cannot be reported anywhere. One write a line: processes may share the file.
        let _ = match &self.file {
            Some(file) => (&mut &*file).write_all(line.0.as_bytes()),
            None => std::io::stderr().write_all(line.0.as_bytes()),
        };
    }
}

/// Prints a message, once, that users must see even without a log: on standard error, or, with `HEKLA_LOG`, as an
/// error in the log.
pub fn notice(message: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| match config::log_level() {
        Some(_) => tracing::error!("{message}"),
        None => complain(message),
    });
}

/// Writes a line to standard error.
fn complain(message: &str) {
    let _ = std::io::stderr().write_all(format!("hekla: {message}\n").as_bytes());
}

/// Installs the logger once, when `HEKLA_LOG` asks for one.
pub fn init() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let level = match config::log_level() {
            Some(Ok(level)) => level,
            Some(Err(message)) => return complain(&message),
            None => return,
        };
        let file = config::log_file().and_then(|path| {
            let opened = platform::open_sink(&path, true);
            let failed = |error| complain(&format!("HEKLA_LOG_FILE={}: {error}", path.display()));
            opened.map_err(failed).ok()
        });
        // An application that links this crate as a Rust library may have its own subscriber.
        let _ = tracing::subscriber::set_global_default(Logger { level, file });
    });
}
