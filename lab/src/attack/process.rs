//! Processes that attack: each sees one library and one Vulkan driver, and has a time limit.

use super::Request;
use crate::artifact;
use crate::driver::Installed;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The process ended by itself, with a code.
    Code(i32),
    /// A signal ended the process, according to its status.
    Crash(String),
    /// The process was killed at the time limit.
    Hang,
}

/// The end and the output of a process.
#[derive(Debug, Clone)]
pub struct Ran {
    pub end: End,
    /// The standard output of the process.
    pub output: String,
    /// The standard error of the process.
    pub errors: String,
}

/// The library and the driver that processes see.
pub struct Target {
    library: PathBuf,
    driver: Option<Installed>,
}

impl Target {
    /// Finds or makes the library and the driver that are asked for.
    pub fn of(request: &Request) -> Result<Target, String> {
        let driver = request.driver.map(|driver| driver.install()).transpose()?;
        Ok(Target { library: request.library()?, driver })
    }

    /// Returns this program as a child of a kind of attack: `attack --child KIND ARGS`, with Hekla as the only
    /// platform.
    pub fn child(&self, kind: &str, args: &[String]) -> Result<Command, String> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut command = self.program(program)?;
        command.args(["attack", "--child", kind]).args(args);
        if let Some(driver) = &self.driver {
            driver.select(&mut command);
        }
        Ok(command)
    }

    /// Returns a program that sees the library alone, on the driver that the environment names.
    fn program(&self, program: PathBuf) -> Result<Command, String> {
        artifact::client_of(&self.library, program)
    }
}

/// Runs a process to its end, or kills it when it takes longer than `limit`.
pub fn run(command: &mut Command, limit: Duration) -> Result<Ran, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    let (output, errors) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break Some(status);
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |thread: std::thread::JoinHandle<String>| thread.join().unwrap_or_default();
    Ok(Ran { end: status.map_or(End::Hang, end), output: text(output), errors: text(errors) })
}

fn end(status: ExitStatus) -> End {
    status.code().map_or_else(|| End::Crash(status.to_string()), End::Code)
}

/// Reads a stream to its end, in a thread: a full pipe stops the process.
fn listen(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, milliseconds: u64) -> Ran {
        let mut command = Command::new("sh");
        run(command.args(["-c", line]), Duration::from_millis(milliseconds)).unwrap()
    }

    #[test]
    fn ends_of_processes_are_told_apart() {
        let ran = shell("echo one; echo two >&2; exit 3", 60_000);
        assert_eq!(
            (ran.end, ran.output.as_str(), ran.errors.as_str()),
            (End::Code(3), "one\n", "two\n")
        );
        assert!(matches!(shell("kill -SEGV $$", 60_000).end, End::Crash(_)));
        assert_eq!(shell("exec sleep 60", 100).end, End::Hang);
    }
}
