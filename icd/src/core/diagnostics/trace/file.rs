//! The file of a trace: a JSON array that is complete at any time, however the process ends.

use crate::platform;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of events that are buffered.
const BUFFER: usize = 64 << 10;
const HEAD: &str = "[
{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"host\"}},
{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"args\":{\"name\":\"devices\"}}";
const TAIL: &str = "\n]\n";

pub struct TraceFile {
    file: File,
    /// The offset of the end of the array, where the next event goes.
    end: u64,
    buffer: String,
    /// The id of the process that writes the trace. Its forked children do not write.
    process: u32,
}

impl TraceFile {
    /// Begins a trace in a file, in the place of an earlier trace.
    ///
    /// # Errors
    /// Errors of the system; `AlreadyExists` for a file that holds something else.
    pub fn create(path: &Path) -> io::Result<TraceFile> {
        let file = platform::open_sink(path, false)?;
        if !is_replaceable(&file)? {
            let message = "the file is there and holds no trace of Hekla's";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        file.set_len(0)?;
        let buffer = HEAD.to_string();
        let mut trace = TraceFile { file, end: 0, buffer, process: std::process::id() };
        trace.write()?;
        Ok(trace)
    }

    /// Adds an event: the members of a JSON object.
    pub fn add(&mut self, event: String) {
        self.buffer.push_str(",\n{");
        self.buffer.push_str(&event);
        self.buffer.push('}');
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }

    /// Writes the buffered events. Events that cannot be written are lost.
    pub fn flush(&mut self) {
        if self.process != std::process::id() {
            self.buffer.clear();
        }
        if self.buffer.is_empty() {
            return;
        }
        if let Err(error) = self.write() {
            tracing::warn!("HEKLA_TRACE: {error}");
            self.buffer.clear();
            // Restores the last complete array.
            let whole = self.file.set_len(self.end + TAIL.len() as u64);
            let _ = whole.and_then(|()| platform::write_at(&self.file, TAIL.as_bytes(), self.end));
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let size = self.buffer.len();
        self.buffer.push_str(TAIL);
        platform::write_at(&self.file, self.buffer.as_bytes(), self.end)?;
        self.end += size as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Returns true for a file that is empty or begins as a trace does.
fn is_replaceable(file: &File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.take(HEAD.len() as u64).read_to_end(&mut start)?;
    Ok(HEAD.as_bytes().starts_with(&start) && (start.is_empty() || start.len() == HEAD.len()))
}

/// Returns a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole_after_each_write() {
        let path = std::env::temp_dir().join(format!("hekla-trace-{}", std::process::id()));
        let mut trace = TraceFile::create(&path).unwrap();
        let text = || std::fs::read_to_string(&path).unwrap();
        assert_eq!(text(), format!("{HEAD}{TAIL}"));
        trace.add("\"a\":1".into());
        assert_eq!(text(), format!("{HEAD}{TAIL}"));
        trace.flush();
        trace.add("\"b\":2".into());
        trace.flush();
        trace.flush();
        assert_eq!(text(), format!("{HEAD},\n{{\"a\":1}},\n{{\"b\":2}}{TAIL}"));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn an_earlier_trace_is_replaced_and_nothing_else() {
        let path = std::env::temp_dir().join(format!("hekla-retrace-{}", std::process::id()));
        let text = || std::fs::read_to_string(&path).unwrap();
        let mut trace = TraceFile::create(&path).unwrap();
        trace.add("\"a\":1".into());
        trace.flush();
        TraceFile::create(&path).unwrap();
        assert_eq!(text(), format!("{HEAD}{TAIL}"));
        std::fs::write(&path, "precious").unwrap();
        let refused = TraceFile::create(&path).map(|_| ()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(text(), "precious");
        std::fs::remove_file(&path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_no_place_for_a_trace() {
        let name = |what| std::env::temp_dir().join(format!("hekla-{what}-{}", std::process::id()));
        let (target, link, pipe) = (name("target"), name("link"), name("pipe"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&link, &pipe] {
            assert!(TraceFile::create(path).is_err(), "{path:?}");
            std::fs::remove_file(path).unwrap();
        }
        assert!(!target.exists());
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a\"b\\c\n\u{e9}"), "\"a\\\"b\\\\c\\u000a\u{e9}\"");
    }
}
