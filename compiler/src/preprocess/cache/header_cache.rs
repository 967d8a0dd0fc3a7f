//! The header cache: header files that this process has read, and the results of preprocessing them, for
//! the next program that includes them. The memory is bounded.

use super::cached_header::CachedHeader;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most bytes of all texts and cached headers; beyond this size the cache is cleared.
const MAX_BYTES: usize = 64 << 20;

/// The most cached headers of one text; beyond this number the oldest one is dropped.
const MAX_CACHED_HEADERS: usize = 8;

static CACHE: Mutex<HeaderCache> = Mutex::new(HeaderCache { texts: None, bytes: 0 });

struct HeaderCache {
    texts: Option<FxHashMap<PathBuf, Arc<HeaderText>>>,
    bytes: usize,
}

impl HeaderCache {
    /// Adds a number of bytes to the size of the cache; clears the cache if it becomes too large.
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
pub(in crate::preprocess) struct HeaderText {
    pub text: Arc<str>,
    /// The results of preprocessing the text, the latest last.
    cached_headers: Mutex<Vec<Arc<CachedHeader>>>,
}

/// Returns the text of a file whose contents are `bytes`, with its cached headers if the contents have not changed.
pub(in crate::preprocess) fn load(path: &Path, bytes: Vec<u8>) -> Arc<HeaderText> {
    let mut files = lock(&CACHE);
    let known = files.texts.as_ref().and_then(|texts| texts.get(path));
    if let Some(text) = known.filter(|text| text.text.as_bytes() == bytes) {
        return text.clone();
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    let text = Arc::new(HeaderText { text: text.into(), cached_headers: Mutex::default() });
    files.charge(text.text.len());
    files.texts.get_or_insert_default().insert(path.to_path_buf(), text.clone());
    text
}

impl HeaderText {
    /// Returns the results of preprocessing the text, the latest first.
    pub fn cached_headers(&self) -> Vec<Arc<CachedHeader>> {
        lock(&self.cached_headers).iter().rev().cloned().collect()
    }

    /// Adds a result of preprocessing the text.
    pub fn insert(&self, header: Arc<CachedHeader>) {
        lock(&CACHE).charge(header.bytes());
        let mut cached_headers = lock(&self.cached_headers);
        if cached_headers.len() >= MAX_CACHED_HEADERS {
            cached_headers.remove(0);
        }
        cached_headers.push(header);
    }
}
