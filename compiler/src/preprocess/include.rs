//! `#include`: the search for headers.

use super::cache::header_cache;
use super::cache::recorder::Inclusion;
use super::lexer::{Lexer, PpKind, PpToken};
use super::limits::{MAX_DEPTH, MAX_TEXT};
use super::state::{File, Key, Preprocessor};
use super::token::Punct;
use crate::source::{FileId, Span};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The operand of an `#include`.
pub(super) struct Header {
    pub name: String,
    /// True for `<name>`, false for `"name"`.
    pub angled: bool,
    pub span: Span,
}

impl Preprocessor<'_> {
    /// Returns the header that expanded tokens name (C99 6.10.2p4).
    pub(super) fn header_from_tokens(&mut self, line: &[PpToken], at: Span) -> Option<Header> {
        match line.first() {
            Some(token) if token.kind == PpKind::Str => {
                let text = token.spelling(self.interner);
                let name = text.trim_matches('"').to_string();
                self.check_extra(line.get(1), "include");
                Some(Header { name, angled: false, span: token.span })
            }
            Some(token) if token.is(Punct::Lt) => {
                let Some(end) = line.iter().position(|token| token.is(Punct::Gt)) else {
                    return self.diags.fail(token.span, "expected '>'");
                };
                let name = self.spell(line.get(1..end).unwrap_or(&[]));
                self.check_extra(line.get(end + 1), "include");
                Some(Header { name, angled: true, span: token.span })
            }
            first => {
                let span = first.map_or(at, |token| token.span);
                self.diags.fail(span, "expected \"FILENAME\" or <FILENAME>")
            }
        }
    }

    /// Reads a header next.
    pub(super) fn include(&mut self, header: &Header, at: Span) {
        if header.name.is_empty() {
            self.diags.error(header.span, "empty filename");
            return;
        }
        if self.files.len() > MAX_DEPTH {
            self.diags.fatal(at, "#include nested too deeply");
            return;
        }
        let Some(from) = self.files.last() else { return };
        let (from, inclusion) = (from.lexer.file, from.inclusion);
        let directory = self.directory();
        let Header { name, angled, .. } = header;
        let Some((file, directory)) = self.find(name, *angled, from, directory.as_deref()) else {
            self.diags.fatal(header.span, format!("'{name}' file not found"));
            return;
        };
        let was_once = self.once.contains(&file);
        let (name, angled, from) = (name.clone(), *angled, inclusion);
        let inclusion = Inclusion { from, name, angled, found: file, was_once };
        self.recorder.inclusions.push(inclusion);
        if was_once {
            return;
        }
        if self.can_replay() && self.texts.contains_key(&file) {
            if self.replay(file, directory.as_deref()) {
                return;
            }
            self.start_recording();
        }
        self.enter(file, directory, header.span);
    }

    /// Notes that the file is read only once.
    pub(super) fn mark_once(&mut self, file: FileId) {
        self.once.insert(file);
        self.recorder.once(file);
    }

    /// Reads a file next.
    pub(super) fn enter(&mut self, file: FileId, directory: Option<PathBuf>, at: Span) {
        let Some(source) = self.sources.file(file) else { return };
        self.text_read += source.text.len();
        if self.text_read > MAX_TEXT {
            self.diags.fatal(at, "too much source text");
            return;
        }
        let lexer = Lexer::new(file, source.text.clone());
        let inclusion = self.recorder.inclusions.len().saturating_sub(1);
        self.files.push(File { lexer, conditionals: Vec::new(), directory, inclusion });
    }

    /// Looks for a header: among those given with the source, in the `-I` directories, and for
    /// `"name"` in the directory of the including file, if that file came from disk. Returns the header's
    /// file and, if it is from disk, its directory.
    pub(super) fn find(
        &mut self,
        name: &str,
        angled: bool,
        from: FileId,
        directory: Option<&Path>,
    ) -> Option<(FileId, Option<PathBuf>)> {
        let given = self.headers.iter().position(|(given, _)| given == name);
        let beside = || if angled { None } else { self.find_given_beside(name, from) };
        if let Some(index) = given.or_else(beside) {
            return Some((self.load_given(index), None));
        }
        let name = Path::new(name);
        let mut places: Vec<PathBuf> =
            self.options.include_dirs.iter().map(|dir| Path::new(dir).join(name)).collect();
        if !angled {
            places.extend(directory.map(|directory| directory.join(name)));
        }
        if name.is_absolute() {
            places = vec![name.to_path_buf()];
        }
        places.into_iter().find_map(|path| {
            let file = self.load_path(&path);
            self.sources.looked_up(&path, file);
            Some((file?, path.parent().map(Path::to_path_buf)))
        })
    }

    /// Looks for a given header beside the including one: `"b.h"` in the given header `dir/a.h` may be the given header
    /// `dir/b.h`.
    fn find_given_beside(&self, name: &str, from: FileId) -> Option<usize> {
        let (directory, _) = self.sources.file(from)?.name.rsplit_once('/')?;
        let name = format!("{directory}/{name}");
        self.headers.iter().position(|(given, _)| *given == name)
    }

    /// Returns the directory of the text that is being read, if the text came from disk.
    fn directory(&self) -> Option<PathBuf> {
        if let Some(directory) = self.files.last().and_then(|file| file.directory.clone()) {
            return Some(directory);
        }
        // The main text is from disk if its name is that of a file.
        let main = Path::new(self.main_name);
        let is_main = self.files.len() == 1 && main.is_file();
        is_main.then(|| main.parent().map(Path::to_path_buf)).flatten()
    }

    fn load_given(&mut self, index: usize) -> FileId {
        if let Some(&file) = self.loaded.get(&Key::Given(index)) {
            return file;
        }
        let (name, text) = self.headers.get(index).map_or(("", ""), |(n, t)| (n, t));
        let file = self.sources.add(name, text);
        self.loaded.insert(Key::Given(index), file);
        file
    }

    /// Reads a regular file of bounded size.
    fn load_path(&mut self, path: &Path) -> Option<FileId> {
        if !is_header(path) {
            return None;
        }
        let key = Key::Path(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
        if let Some(&file) = self.loaded.get(&key) {
            return Some(file);
        }
        let text = header_cache::load(path, read(path)?);
        let file = self.sources.add(&path.to_string_lossy(), text.text.clone());
        self.texts.insert(file, text);
        self.loaded.insert(key, file);
        Some(file)
    }
}

/// Returns true if an `#include` finds a header at a path: pipes and devices do not count.
fn is_header(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut reader = std::fs::File::open(path).ok()?.take(MAX_TEXT as u64 + 1);
    reader.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the text that an `#include` of this path finds now, in the form of [`crate::source::Lookup::text`].
pub fn read_header(path: &Path) -> Option<String> {
    let bytes = is_header(path).then(|| read(path))??;
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}
