//! Fetches programs that Debian does not have: Python packages into environments of their own, and sources at a
//! revision, which it builds, all under `target/apps`. Programs that are there already are left alone.

use crate::system::{self, step};
use crate::Outcome;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A folder with the files that programs need, made on another machine: `root` has the files of Debian's packages, its
/// Python among them; `lib` the libraries that this machine lacks; `bin` links (`python` leads to the one in `root`,
/// since compiled packages fit one version); `site` Python packages; `built` and `sources` the folders of
/// `target/apps`; `programs` the names of the programs. With such a folder nothing is installed.
static PREPARED: OnceLock<PathBuf> = OnceLock::new();

/// Uses the programs of a prepared folder.
pub fn take_from(folder: &str) -> Outcome {
    let full = std::fs::canonicalize(folder).map_err(|e| format!("{folder}: {e}"))?;
    PREPARED.set(full).map_err(|_| "two prepared folders".to_string())
}

/// Returns the programs of the prepared folder; none without such a folder.
pub fn prepared() -> Result<Option<Vec<String>>, String> {
    let Some(folder) = PREPARED.get() else { return Ok(None) };
    let file = folder.join("programs");
    let text = system::read_text(&file)?;
    Ok(Some(text.lines().map(str::to_string).collect()))
}

/// Makes a command find the programs and libraries of the prepared folder.
pub fn find(command: &mut Command) {
    let Some(folder) = PREPARED.get() else { return };
    let before = |variable: &str, folders: &[&str]| {
        let old = std::env::var_os(variable).unwrap_or_default();
        let new = folders.iter().map(|name| folder.join(name));
        std::env::join_paths(new.chain(std::env::split_paths(&old))).unwrap_or(old)
    };
    command.env("PATH", before("PATH", &["bin", "root/usr/bin"]));
    command.env("LD_LIBRARY_PATH", before("LD_LIBRARY_PATH", &["lib"]));
    command.env("PYTHONPATH", folder.join("site")).env("ROOT", folder.join("root"));
}

/// A virtual environment that several programs use.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    pub name: String,
    /// The least version of Python that its packages take.
    #[serde(default = "oldest_python")]
    pub python: String,
    /// True to see Debian's Python packages as well.
    #[serde(default)]
    pub system: bool,
    /// Requirements for pip.
    #[serde(default)]
    pub requirements: Vec<String>,
    /// Packages that are installed from sources.
    #[serde(default)]
    pub sources: Vec<Source>,
}

fn oldest_python() -> String {
    "3.9".to_string()
}

/// A folder of a public repository at a tag or commit.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub git: String,
    pub revision: String,
    #[serde(default = "whole_repository")]
    pub folder: String,
}

fn whole_repository() -> String {
    ".".to_string()
}

/// The place of a program, and the files that it needs there.
#[derive(Debug, Clone)]
pub struct Installation {
    pub name: String,
    pub python: Option<Environment>,
    /// The program's tests, which are run in a copy.
    pub source: Option<Source>,
    /// A shell command that builds the program, in a folder that later commands know as `$BUILT`.
    pub build: Option<String>,
}

impl Installation {
    /// Fetches and builds what is missing.
    pub fn prepare(&self) -> Outcome {
        if let Some(python) = &self.python {
            python.prepare()?;
        }
        if let Some(source) = &self.source {
            source.prepare()?;
        }
        let Some(line) = &self.build else { return Ok(()) };
        once(&self.built(), line, || {
            step(&format!("building {}", self.name));
            let mut command = Command::new("sh");
            command.args(["-ec", line]).env("BUILT", self.built());
            // Cargo must not use this workspace's settings.
            command.env_remove("CARGO_TARGET_DIR").env("CARGO_TARGET_DIR", apps().join("cargo"));
            if let Some(source) = &self.source {
                command.env("SOURCE", source.checkout());
            }
            system::run(&mut command)
        })
    }

    /// Returns the folder that a check runs in, inside the run's folder: a fresh copy of the sources, if there are any.
    pub fn fresh_copy(&self, around: &Path) -> Result<PathBuf, String> {
        let folder = around.join(format!("run-{}", self.name));
        super::fresh(&folder)?;
        if let Some(source) = &self.source {
            let from = source.checkout().join(&source.folder).join(".");
            system::run(Command::new("cp").arg("-r").arg(from).arg(&folder))?;
        }
        Ok(folder)
    }

    /// Makes a command find the program.
    pub fn set_environment(&self, command: &mut Command) -> Outcome {
        command.env("BUILT", self.built()).env("PYTHONDONTWRITEBYTECODE", "1");
        if PREPARED.get().is_some() {
            return Ok(());
        }
        command.env_remove("PYTHONPATH").env("ROOT", "");
        if let Some(python) = &self.python {
            let before = std::env::var_os("PATH").unwrap_or_default();
            let all = [python.folder().join("bin")].into_iter();
            let all = std::env::join_paths(all.chain(std::env::split_paths(&before)));
            command.env("PATH", all.map_err(|e| e.to_string())?);
        }
        Ok(())
    }

    fn built(&self) -> PathBuf {
        apps().join("built").join(&self.name)
    }
}

impl Environment {
    fn folder(&self) -> PathBuf {
        apps().join("environments").join(&self.name)
    }

    fn prepare(&self) -> Outcome {
        for source in &self.sources {
            source.prepare()?;
        }
        let wanted = format!("{self:?}");
        once(&self.folder(), &wanted, || {
            step(&format!("making the Python environment {}", self.name));
            let mut venv = Command::new(self.interpreter()?);
            venv.args(["-m", "venv"]).args(self.system.then_some("--system-site-packages"));
            system::run(venv.arg(self.folder()))?;
            let mut pip = Command::new(self.folder().join("bin/python3"));
            pip.args(["-m", "pip", "install", "--quiet", "--prefer-binary"]);
            pip.args(&self.requirements).args(self.sources.iter().map(Source::checkout));
            system::run(&mut pip)
        })
    }
}

impl Environment {
    /// Returns a Python that is new enough: Debian's, or the first on the path.
    fn interpreter(&self) -> Result<&'static str, String> {
        let line = "import sys; v = sys.argv[1].split('.'); exit(sys.version_info[:2] < (int(v[0]), int(v[1])))";
        let is_good = |python: &str| {
            Command::new(python)
                .args(["-c", line, &self.python])
                .status()
                .is_ok_and(|s| s.success())
        };
        let choices: &[&str] = match self.system {
            true => &["/usr/bin/python3"],
            false => &["python3", "python3.12", "python3.13", "python3.14"],
        };
        let found = choices.iter().find(|python| is_good(python));
        found.copied().ok_or_else(|| format!("{} needs Python {} or newer", self.name, self.python))
    }
}

impl Source {
    fn checkout(&self) -> PathBuf {
        let name = self.git.rsplit('/').next().unwrap_or("source");
        apps().join("sources").join(format!("{name}-{}", self.revision))
    }

    /// Fetches a single revision.
    fn prepare(&self) -> Outcome {
        let folder = self.checkout();
        once(&folder, &self.revision, || {
            step(&format!("fetching {}", self.git));
            let git =
                |args: &[&str]| system::run(Command::new("git").arg("-C").arg(&folder).args(args));
            git(&["init", "--quiet"])?;
            git(&["fetch", "--quiet", "--depth", "1", &self.git, &self.revision])?;
            git(&["checkout", "--quiet", "FETCH_HEAD"])?;
            git(&["submodule", "--quiet", "update", "--init", "--depth", "1"])
        })
        .map_err(|why| format!("{why}\na copy of its files at {} does", folder.display()))
    }
}

/// Makes a folder anew, unless it exists and was made in the same way.
fn once(folder: &Path, how: &str, make: impl FnOnce() -> Outcome) -> Outcome {
    let stamp = PathBuf::from(format!("{}.made", folder.display()));
    if std::fs::read_to_string(&stamp).is_ok_and(|old| old == how) {
        return Ok(());
    }
    super::fresh(folder)?;
    make()?;
    super::write(&stamp, how)
}

fn apps() -> PathBuf {
    if let Some(folder) = PREPARED.get() {
        return folder.clone();
    }
    let target = system::target();
    target.canonicalize().unwrap_or(target).join("apps")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_once_and_again_when_the_way_changes() {
        let folder = std::env::temp_dir().join(format!("hekla-once-{}", std::process::id()));
        let made = |how: &str| {
            let mut made = false;
            once(&folder, how, || {
                made = true;
                Ok(())
            })
            .unwrap();
            made
        };
        assert!(made("a") && !made("a") && made("b"));
        assert!(once(&folder, "c", || Err("no".to_string())).is_err());
        assert!(made("c"), "what failed is not there");
        let _ = std::fs::remove_dir_all(&folder);
        let _ = std::fs::remove_file(format!("{}.made", folder.display()));
    }
}
