//! The process that tries cases: before each case it writes the number to a file, and after it the outcome.

use super::super::Request;
use crate::platform::attack::report_death;
use crate::Outcome;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The changed program or file does the same as before the change.
    Same,
    /// The input was accepted and does something else, or its results were not compared.
    Accepted,
    /// A function returned an error that the specification has for it.
    Refused(String),
    /// Behaviour that is never allowed, in words.
    Wrong(String),
}

/// What the parent passes to the child besides the seed and the number of cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    /// A word that depends on the kind of attack; may be empty.
    pub mode: String,
    /// Where to write the outcomes of the cases.
    pub log: PathBuf,
}

impl Errand {
    /// Returns the errand as a word of the command line.
    pub fn text(&self) -> String {
        format!("{}:{}", self.mode, self.log.display())
    }

    fn parse(text: &str) -> Option<Errand> {
        let (mode, log) = text.split_once(':')?;
        Some(Errand { mode: mode.to_string(), log: log.into() })
    }
}

/// Returns the path of the standard error of the child that writes a log.
pub fn errors_of(log: &Path) -> PathBuf {
    log.with_extension("errors")
}

/// The process that tries cases.
pub struct Child {
    log: File,
    log_path: PathBuf,
    errors: Option<File>,
    /// Bytes of `errors` that have been read.
    seen: u64,
    pub mode: String,
    /// Set when this process cannot go on: its device is lost.
    pub lost: bool,
    /// Where to write the input of a case, if there is a single case.
    kept: Option<PathBuf>,
}

impl Child {
    /// Opens the files that the parent of this process reads.
    pub fn open(request: &Request) -> Result<Child, String> {
        report_death();
        let errand = request.with.as_deref().and_then(Errand::parse);
        let errand = errand.ok_or("a child needs --with MODE:LOG")?;
        let log = File::options().append(true).create(true).open(&errand.log);
        let log = log.map_err(|e| format!("{}: {e}", errand.log.display()))?;
        let errors = File::open(errors_of(&errand.log)).ok();
        let folder = errand.log.parent().filter(|_| request.count == Some(1));
        let kept = folder.map(|folder| folder.join(format!("{}", request.seed)));
        let log_path = errand.log;
        Ok(Child { log, log_path, errors, seen: 0, mode: errand.mode, lost: false, kept })
    }

    fn say(&mut self, line: &str) {
        // Written at once: the process may die in its next step.
        let _ = self.log.write_all(line.as_bytes());
    }

    /// Reports the next step of the present case.
    pub fn stage(&mut self, name: &str) {
        self.say(&format!("stage {name}\n"));
    }

    /// Returns the path of a folder that belongs to this process alone.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.log_path.with_extension(name)
    }

    /// Writes the input of the present case to a file `SEED.ENDING` beside the log, if the case is tried alone.
    pub fn keep(&self, bytes: &[u8], ending: &str) {
        if let Some(path) = &self.kept {
            let _ = std::fs::write(path.with_extension(ending), bytes);
        }
    }

    /// Returns a line that a panic in the library printed since the last call.
    fn panic(&mut self) -> Option<String> {
        let file = self.errors.as_mut()?;
        let size = file.metadata().ok()?.len();
        if size == self.seen {
            return None;
        }
        file.seek(SeekFrom::Start(self.seen)).ok()?;
        let mut text = Vec::new();
        file.take(size - self.seen).read_to_end(&mut text).ok()?;
        self.seen = size;
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut lines = text.lines().skip_while(|line| !line.contains("panicked at"));
        Some(format!("{} {}", lines.next()?, lines.next().unwrap_or_default()))
    }

    /// Tries the cases of a request, one seed after the other.
    pub fn run(
        mut self,
        request: &Request,
        mut case: impl FnMut(u64, &mut Child) -> Verdict,
    ) -> Outcome {
        self.panic();
        self.say("ready\n");
        for number in 0..request.count.unwrap_or(0) {
            let seed = request.seed.wrapping_add(number);
            self.say(&format!("case {seed}\n"));
            let verdict = case(seed, &mut self);
            let verdict = self.panic().map_or(verdict, Verdict::Wrong);
            let line = match verdict {
                Verdict::Same => "same\n".to_string(),
                Verdict::Accepted => "accepted\n".to_string(),
                Verdict::Refused(code) => format!("refused {code}\n"),
                Verdict::Wrong(what) => format!("wrong {}\n", what.replace('\n', " | ")),
            };
            self.say(&line);
            if self.lost {
                break;
            }
        }
        self.say("done\n");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_errand_comes_through_the_command_line() {
        let errand = Errand { mode: "build-only".into(), log: "/a folder/x:1.log".into() };
        assert_eq!(Errand::parse(&errand.text()), Some(errand));
        assert_eq!(Errand::parse("nothing"), None);
        assert_eq!(errors_of(Path::new("/a/3.log")), Path::new("/a/3.errors"));
    }
}
