//! `HEKLA_LOG=error|warn|info|debug|trace`: what the library says on standard error. Silent
//! without it.

use std::fmt::{Debug, Write};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Writes events up to one level to standard error, a line each.
struct Stderr {
    level: LevelFilter,
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

impl Subscriber for Stderr {
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
        eprintln!("{}", line.0);
    }
}

/// Installs the logger once, when `HEKLA_LOG` asks for one.
pub fn init() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Ok(text) = std::env::var("HEKLA_LOG") else { return };
        let Ok(level) = text.parse::<LevelFilter>() else {
            eprintln!("hekla: HEKLA_LOG={text} is none of off, error, warn, info, debug, trace");
            return;
        };
        // An application that linked us as a Rust library may have its own subscriber.
        let _ = tracing::subscriber::set_global_default(Stderr { level });
    });
}
