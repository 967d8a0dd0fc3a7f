//! The command line of an attack.

use crate::driver::Driver;
use crate::{artifact, system};
use std::path::PathBuf;
use std::time::Duration;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Names of kinds; none for all.
    pub kinds: Vec<String>,
    /// How long each kind attacks, where `count` does not say it.
    pub minutes: f64,
    /// How many cases each kind tries, however long that takes.
    pub count: Option<u64>,
    /// The seed of the first case; those of the others follow it, one by one.
    pub seed: u64,
    /// How many processes attack at once.
    pub jobs: usize,
    /// The Vulkan driver; what the machine has where none is named.
    pub driver: Option<Driver>,
    /// The library; built where none is named.
    pub library: Option<PathBuf>,
    /// True in a process that an attack has started.
    pub is_child: bool,
    /// What a kind of attack, or a process that it has started, is to know besides.
    pub with: Option<String>,
}

impl Request {
    /// Reads the command line; an error where it names what is not among `kinds`, or an unknown option.
    pub fn parse(args: &[String], kinds: &[&str]) -> Result<Request, String> {
        let mut request = Request {
            kinds: Vec::new(),
            minutes: 1.0,
            count: None,
            seed: 1,
            jobs: 2,
            driver: None,
            library: None,
            is_child: false,
            with: None,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if kinds.contains(&arg.as_str()) {
                request.kinds.push(arg.clone());
                continue;
            }
            if !arg.starts_with("--") {
                return Err(format!("no attack '{arg}': one of {}", kinds.join(", ")));
            }
            if arg == "--child" {
                request.is_child = true;
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
            request.set(arg, value)?;
        }
        Ok(request)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), String> {
        let number = || value.parse().map_err(|_| format!("{option} needs a number"));
        match option {
            "--minutes" => {
                self.minutes = value.parse().map_err(|_| "--minutes needs a number")?;
            }
            "--count" => self.count = Some(number()?),
            "--seed" => self.seed = number()?,
            "--jobs" => self.jobs = number()?.clamp(1, 1024) as usize,
            "--driver" => self.driver = Some(Driver::named(value)?),
            "--library" => {
                let path = PathBuf::from(value);
                let path = path.canonicalize().map_err(|e| format!("{value}: {e}"))?;
                self.library = Some(path);
            }
            "--with" => self.with = Some(value.to_string()),
            other => return Err(format!("unknown option '{other}'")),
        }
        Ok(())
    }

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

    /// Returns a folder for what an attack leaves to be looked at, which is there.
    pub fn folder(&self, kind: &str) -> Result<PathBuf, String> {
        let folder = system::target().join("attack").join(kind);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Request::parse(&words, &["sequences", "cache"])
    }

    #[test]
    fn kinds_and_options_are_read_in_any_order() {
        let request = parse("cache --seed 7 sequences --count 3 --driver swiftshader").unwrap();
        assert_eq!(request.kinds, ["cache", "sequences"]);
        assert_eq!((request.seed, request.count), (7, Some(3)));
        assert_eq!(request.driver, Some(Driver::SwiftShader));
        assert_eq!(request.time(), Duration::MAX);
        assert_eq!(parse("--minutes 0.5").unwrap().time(), Duration::from_secs(30));
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        assert!(parse("everything").unwrap_err().contains("one of sequences, cache"));
        assert!(parse("--hours 1").unwrap_err().contains("--hours"));
        assert!(parse("--seed").unwrap_err().contains("needs a value"));
        assert!(parse("--seed x").unwrap_err().contains("needs a number"));
    }
}
