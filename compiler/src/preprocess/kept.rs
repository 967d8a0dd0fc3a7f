//! Header files that this process has read, and what reading them came to, kept for the next program
//! that includes them. The memory is bounded.

use super::reading::Reading;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of texts and readings that are kept; when there are more, all are forgotten.
const MAX_BYTES: usize = 64 << 20;

/// Readings of one text that are kept.
const MAX_READINGS: usize = 8;

static FILES: Mutex<Files> = Mutex::new(Files { texts: None, bytes: 0 });

struct Files {
    texts: Option<FxHashMap<PathBuf, Arc<Text>>>,
    bytes: usize,
}

impl Files {
    /// Makes room for this number of bytes more.
    fn charge(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes > MAX_BYTES {
            self.texts = None;
            self.bytes = bytes;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file's text.
#[derive(Debug)]
pub(super) struct Text {
    pub text: Arc<str>,
    /// The results of reading it, the latest last.
    readings: Mutex<Vec<Arc<Reading>>>,
}

/// Returns the text of a file that holds these bytes now; with its readings, if it held them before.
pub(super) fn load(path: &Path, bytes: Vec<u8>) -> Arc<Text> {
    let mut files = lock(&FILES);
    let known = files.texts.as_ref().and_then(|texts| texts.get(path));
    if let Some(text) = known.filter(|text| text.text.as_bytes() == bytes) {
        return text.clone();
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    let text = Arc::new(Text { text: text.into(), readings: Mutex::default() });
    files.charge(text.text.len());
    files.texts.get_or_insert_default().insert(path.to_path_buf(), text.clone());
    text
}

impl Text {
    /// Returns the results of reading the text, the latest first.
    pub fn readings(&self) -> Vec<Arc<Reading>> {
        lock(&self.readings).iter().rev().cloned().collect()
    }

    /// Keeps what reading the text came to.
    pub fn keep(&self, reading: Arc<Reading>) {
        lock(&FILES).charge(reading.bytes());
        let mut readings = lock(&self.readings);
        if readings.len() >= MAX_READINGS {
            readings.remove(0);
        }
        readings.push(reading);
    }
}
