//! The programs of `programs.toml`: each row has what to install, what to run, and how to judge from the output that
//! the results are right.

use super::judge::{Judge, Known};
use super::prepare::{Environment, Installation, Source};
use super::{App, Bench, Check, Measure};
use crate::system::root;
use serde::Deserialize;

/// The table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Programs {
    environment: Vec<Environment>,
    program: Vec<Program>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    what: String,
    #[serde(default)]
    packages: Vec<String>,
    /// The name of the program's environment.
    python: Option<String>,
    source: Option<Source>,
    build: Option<String>,
    #[serde(default)]
    only_opencl: bool,
    check: Vec<Row>,
}

/// A check: a line of the shell, and how its output is judged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    run: String,
    /// The least number of tests that pass, where pytest judges.
    pytest: Option<usize>,
    #[serde(default)]
    expect: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
    #[serde(default)]
    known: Vec<Known>,
}

/// What a program's checks need, once the program is installed.
#[derive(Debug, Clone)]
struct Client {
    place: Installation,
    /// True where a program cannot compute without OpenCL, so that its kernels need not be counted.
    only_opencl: bool,
}

/// Returns the programs of the table in its present state.
pub fn apps() -> Result<Vec<App>, String> {
    let path = root().join("lab/src/apps/programs.toml");
    let text = crate::system::read_text(&path)?;
    let table: Programs = toml::from_str(&text).map_err(|e| format!("programs.toml: {e}"))?;
    table.program.into_iter().map(|program| app(program, &table.environment)).collect()
}

fn app(program: Program, environments: &[Environment]) -> Result<App, String> {
    let Program { name, what, packages, python, source, build, only_opencl, check: rows } = program;
    let environment = |wanted: String| {
        let found = environments.iter().find(|environment| environment.name == wanted);
        found.cloned().ok_or_else(|| format!("{name}: no environment {wanted}"))
    };
    let python = python.map(environment).transpose()?;
    let place = Installation { name: name.clone(), python, source, build };
    let client = Client { place: place.clone(), only_opencl };
    let known = rows.iter().flat_map(|row| row.known.clone()).collect();
    let checks = rows.into_iter().map(|row| check(row, &client)).collect::<Result<_, _>>();
    let checks = checks.map_err(|why| format!("{name}: {why}"))?;
    Ok(App { name, what, packages, checks, place: Some(place), left_out: 0, known })
}

fn check(row: Row, client: &Client) -> Result<Check, String> {
    let Row { name, run: line, pytest, expect, never, known } = row;
    let judge = match pytest {
        Some(least) => Judge::Pytest { least, known },
        None if expect.is_empty() => return Err(format!("nothing to expect of {line}")),
        None => Judge::Text { expect, never },
    };
    let client = client.clone();
    Ok(Check::new(name, move |bench: &Bench| run(&client, &line, &judge, bench)))
}

/// Runs a shell command in the program's folder, and judges its output.
fn run(client: &Client, line: &str, judge: &Judge, bench: &Bench) -> Measure {
    let folder = client.place.fresh_copy(&bench.folder)?;
    // `timeout` also ends the processes that the line has started.
    let mut command = bench.client(&bench.vendor, "timeout")?;
    let limit = bench.limit.as_secs().saturating_sub(3).max(1).to_string();
    command.args(["--kill-after=1", &limit, "sh", "-ec", line]).current_dir(folder);
    client.place.set_environment(&mut command)?;
    if client.only_opencl {
        command.env_remove("HEKLA_TRACE").env_remove("POCL_TRACING");
    }
    let (status, output) = bench.run(&mut command)?;
    if status.code() == Some(124) {
        return Err(format!("takes more than {limit} s\n{}", super::tail(&output)));
    }
    let measure = judge.of(status, &output)?;
    match client.only_opencl {
        true => Ok(measure),
        false => Ok(format!("{measure}, {}", bench.kernels()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let apps = apps().unwrap();
        assert!(apps.iter().all(|app| !app.checks.is_empty() && !app.what.is_empty()));
        let mut names: Vec<_> = apps.iter().map(|app| app.name.clone()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), apps.len(), "two programs have one name");
    }

    #[test]
    fn a_misspelt_key_is_an_error() {
        let program = toml::from_str::<Program>("name = 'a'\nwhta = 'b'");
        assert!(program.err().unwrap().to_string().contains("whta"));
    }

    #[test]
    fn a_check_needs_a_sign_of_success() {
        let place = Installation { name: "a".into(), python: None, source: None, build: None };
        let client = Client { place, only_opencl: true };
        let row: Row = toml::from_str("name = 'a'\nrun = 'true'").unwrap();
        assert!(check(row, &client).err().unwrap().contains("expect"));
    }
}
