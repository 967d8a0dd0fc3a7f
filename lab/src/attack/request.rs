//! The command line of an attack.

use crate::driver::Driver;
use crate::{artifact, options, system};
use std::path::PathBuf;
use std::time::Duration;

/// Options of the command: which attacks, and for how long.
#[derive(Debug, Clone, clap::Args)]
pub struct Request {
    /// The kinds of attacks; without one all
    #[arg(value_parser = super::KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>())]
    pub kinds: Vec<String>,
    /// How long each kind attacks
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub minutes: f64,
    /// How many cases each kind tries, however long that takes
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// The seed of the first case; each later case adds one
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How many processes attack at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,
    /// The Vulkan driver; what the machine has without
    #[arg(long, value_name = "NAME")]
    pub driver: Option<Driver>,
    /// The library; built when none is given
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    pub library: Option<PathBuf>,
    /// What a kind of attack is to know besides: for sequences `story` (standard error has each step), for binaries
    /// `build-only` (they launch nothing), for modules and texts `launch`, for faults the name of a case
    #[arg(long, value_name = "WHAT")]
    pub with: Option<String>,
    /// The heklac of growth and bombs; built when none is given
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    pub compiler: Option<PathBuf>,
    /// The shapes of growth and bombs whose names have the text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// The bytes of the smaller program of growth
    #[arg(long, value_name = "N", default_value_t = super::growth::BYTES)]
    pub bytes: usize,
    /// This is a process that an attack has started
    #[arg(long = "child", hide = true)]
    pub is_child: bool,
}

impl Request {
    /// Returns the library, built now where none was named.
    pub fn library(&self) -> Result<PathBuf, String> {
        match (&self.library, self.driver) {
            (Some(library), _) => Ok(library.clone()),
            (None, Some(_)) => artifact::build(),
            (None, None) => {
                artifact::find_device()?;
                artifact::build()
            }
        }
    }

    /// Returns how long a kind attacks: for ever where the number of cases is given.
    pub fn time(&self) -> Duration {
        match self.count {
            Some(_) => Duration::MAX,
            None => Duration::from_secs_f64(self.minutes.clamp(0.0, 1e6) * 60.0),
        }
    }

    /// Returns a folder for files that an attack leaves for inspection; makes the folder.
    pub fn folder(&self, kind: &str) -> Result<PathBuf, String> {
        let folder = system::target().join("attack").join(kind);
        system::make_folder(&folder)?;
        Ok(folder)
    }
}
