//! `cargo xtask hashcat`: hashcat cracks its own example hashes on Hekla, mode after mode. Each time
//! hashcat's self-test runs first, then an attack that must find the example's password: by a mask for
//! fast hashes, by a list of words for slow ones, with a fresh cache, so that programs are built.
//!
//! `xtask hashcat --library libhekla.so` needs neither cargo nor the sources, nor a network.

use crate::driver::{Driver, Installed};
use crate::{artifact, options, system, Outcome};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Modes that are cracked if none are named: raw hashes of every family, salted, HMAC, crypt, PBKDF2, network
/// protocols, files, and the memory-hard scrypt (hashcat 6.2.6 has no Argon2).
const MODES: [u32; 41] = [
    0, 10, 50, 100, 110, 300, 900, 1000, 1300, 1400, 1410, 1450, 1500, 1700, 1710, 2600, 3000,
    5500, 5600, 6000, 7300, 10800, 13100, 17400, 18000, 400, 500, 1600, 2100, 3200, 7400, 1800,
    8900, 9300, 9600, 10000, 10500, 10900, 12100, 13600, 22000,
];

/// Wrong passwords, tried before the right one.
const DECOYS: &str = "password\n123456\nletmein\ncorrect horse\n";

/// Options of the command: which modes are tried, and with what.
#[derive(clap::Args)]
pub struct Request {
    /// The Vulkan driver; what the machine has without
    #[arg(long, value_name = "NAME")]
    driver: Option<Driver>,
    /// The library; built when none is given
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    library: Option<PathBuf>,
    /// The program, where it is not Debian's
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    hashcat: Option<PathBuf>,
    /// The modes
    #[arg(long, value_name = "N,N...", value_delimiter = ',', default_values_t = MODES)]
    modes: Vec<u32>,
    /// Take the kernels for passwords of any length even where faster ones exist
    #[arg(long)]
    pure: bool,
    /// Time limit of one mode
    #[arg(long, value_name = "N", default_value = "600", value_parser = options::seconds)]
    seconds: Duration,
}

/// The properties of a mode as hashcat reports them.
struct Mode {
    number: u32,
    name: String,
    hash: String,
    password: String,
    slow: bool,
    /// True if the mode has a self-test.
    tests_itself: bool,
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    let driver = request.driver.map(Driver::install).transpose()?;
    let driver = driver.as_ref();
    if request.driver.is_none() && request.library.is_none() {
        artifact::find_device()?;
    }
    let folder = std::env::temp_dir().join(format!("hekla-hashcat-{}", std::process::id()));
    let mut good = 0;
    for &number in &request.modes {
        let start = Instant::now();
        let mode = info(request, driver, &folder, number)?;
        let outcome = crack(request, driver, &folder, &mode);
        let seconds = start.elapsed().as_secs_f64();
        let tested = if mode.tests_itself { "self-test passed" } else { "no self-test" };
        match &outcome {
            Ok(()) => println!("{number} {}: cracked, {tested} ({seconds:.1} s)", mode.name),
            Err(error) => println!("{number} {}: {error} ({seconds:.1} s)", mode.name),
        }
        good += usize::from(outcome.is_ok());
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("\n{good} of {} modes cracked", request.modes.len());
    match good == request.modes.len() {
        true => Ok(()),
        false => Err(format!("{} modes failed", request.modes.len() - good)),
    }
}

/// Returns a command that runs hashcat with Hekla as its only device and a fresh home in `folder`.
fn hashcat(
    request: &Request,
    driver: Option<&Installed>,
    folder: &Path,
) -> Result<Command, String> {
    let home = folder.join("home");
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(&home).map_err(|e| format!("cannot make {}: {e}", home.display()))?;
    let program = request.hashcat.as_deref().unwrap_or(Path::new("hashcat"));
    let mut command = match &request.library {
        Some(library) => artifact::client_of(library, program)?,
        None => artifact::client(program)?,
    };
    if let Some(driver) = driver {
        driver.select(&mut command);
    }
    for variable in ["HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
        command.env(variable, &home);
    }
    command.current_dir(folder);
    Ok(command)
}

/// Returns the output of `hashcat --hash-info` for a mode, as JSON.
fn info(
    request: &Request,
    driver: Option<&Installed>,
    folder: &Path,
    number: u32,
) -> Result<Mode, String> {
    let mut command = hashcat(request, driver, folder)?;
    command.args(["--hash-info", "--machine-readable", "-m", &number.to_string()]);
    let output = command.output().map_err(|e| format!("cannot run hashcat: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let string = |key: &str| {
        string(&text, key).ok_or_else(|| format!("hashcat --hash-info -m {number} has no {key}"))
    };
    Ok(Mode {
        number,
        name: string("name")?,
        hash: string("example_hash")?,
        password: string("example_pass")?,
        slow: text.contains("\"slow_hash\": true"),
        tests_itself: text.contains("\"self_test_enabled\": true"),
    })
}

/// Returns the value of a key whose value is a string.
fn string(json: &str, key: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!("\"{key}\": \""))?;
    let mut value = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some(value),
            '\\' => value.push(chars.next()?),
            other => value.push(other),
        }
    }
}

/// Runs the attack; returns an error unless the self-test was run, if there is one, and the password found.
fn crack(request: &Request, driver: Option<&Installed>, folder: &Path, mode: &Mode) -> Outcome {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|e| format!("cannot write {name}: {e}"))
    };
    write("hash", &mode.hash)?;
    write("words", &format!("{DECOYS}{}\n", mode.password))?;
    write("found", "")?;
    let mut command = hashcat(request, driver, folder)?;
    command.args(["-m", &mode.number.to_string(), "--potfile-disable", "--restore-disable"]);
    command.args(["--backend-ignore-cuda", "--backend-ignore-hip", "--hwmon-disable"]);
    command.args(["--outfile", "found", "--outfile-format", "2"]);
    if !request.pure {
        command.arg("-O");
    }
    match mode.slow {
        true => command.args(["-a", "0", "hash", "words"]),
        false => command.args(["-a", "3", "hash", &mask(&mode.password)]),
    };
    let output = std::fs::File::create(folder.join("output")).map_err(|e| e.to_string())?;
    let same = output.try_clone().map_err(|e| e.to_string())?;
    command.stdin(Stdio::null()).stdout(output).stderr(same);
    let status = system::wait(&mut command, request.seconds)?;

    let text = std::fs::read(folder.join("output")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let found = std::fs::read_to_string(folder.join("found")).unwrap_or_default();
    match status {
        _ if text.contains("self-test failed") => Err("self-test fails".to_string()),
        None => Err("takes too long".to_string()),
        _ if !text.contains("[Hekla project]") => Err(format!("not on Hekla\n{text}")),
        _ if mode.tests_itself && !text.contains("Finished self-test") => {
            Err(format!("no self-test\n{text}"))
        }
        Some(status) if !status.success() => Err(format!("{status}\n{text}")),
        Some(_) if found.trim_end() != mode.password => Err(format!("found '{found}'\n{text}")),
        Some(_) => Ok(()),
    }
}

/// Returns a mask of 26^3 or fewer passwords, one of which is `password`: its last three letters and digits are free.
fn mask(password: &str) -> String {
    let free = password.chars().count().saturating_sub(3);
    let class = |(index, c): (usize, char)| match c {
        'a'..='z' if index >= free => "?l".to_string(),
        'A'..='Z' if index >= free => "?u".to_string(),
        '0'..='9' if index >= free => "?d".to_string(),
        '?' => "??".to_string(),
        other => other.to_string(),
    };
    password.chars().enumerate().map(class).collect()
}
