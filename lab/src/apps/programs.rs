//! The programs of `programs.toml`: each row says what to install, what to run, and how to tell from its output that
//! the results are right.

use super::judge::{Judge, Known};
use super::prepare::{Environment, Place, Source};
use super::{App, Bench, Check, Measure};
use crate::system::root;
use toml::{Table, Value};

/// What a program's checks need, once it is there.
#[derive(Debug, Clone)]
struct Client {
    place: Place,
    /// True where a program cannot compute without OpenCL, so that its kernels need not be counted.
    only_opencl: bool,
}

/// Returns the programs of the table, as it is now.
pub fn apps() -> Result<Vec<App>, String> {
    let path = root().join("lab/src/apps/programs.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let table: Table = text.parse().map_err(|e| format!("programs.toml: {e}"))?;
    let environments = rows(&table, "environment")?;
    let environments = environments.into_iter().map(environment).collect::<Result<Vec<_>, _>>()?;
    rows(&table, "program")?.into_iter().map(|row| app(row, &environments)).collect()
}

fn rows<'a>(table: &'a Table, key: &str) -> Result<Vec<&'a Table>, String> {
    let list = table.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let tables = list.iter().map(|row| row.as_table().ok_or(format!("{key} is no table")));
    tables.collect()
}

fn environment(row: &Table) -> Result<Environment, String> {
    allow(row, &["name", "python", "system", "requirements", "sources"])?;
    Ok(Environment {
        name: text(row, "name")?,
        python: row.get("python").and_then(Value::as_str).unwrap_or("3.9").to_string(),
        system: row.get("system").and_then(Value::as_bool).unwrap_or(false),
        requirements: list(row, "requirements")?,
        sources: rows(row, "sources")?.into_iter().map(source).collect::<Result<_, _>>()?,
    })
}

fn source(row: &Table) -> Result<Source, String> {
    allow(row, &["git", "revision", "folder"])?;
    let folder = row.get("folder").and_then(Value::as_str).unwrap_or(".").to_string();
    Ok(Source { git: text(row, "git")?, revision: text(row, "revision")?, folder })
}

fn app(row: &Table, environments: &[Environment]) -> Result<App, String> {
    allow(row, &["name", "what", "packages", "python", "source", "build", "only_opencl", "check"])?;
    let name = text(row, "name")?;
    let python = match row.get("python").and_then(Value::as_str) {
        None => None,
        Some(wanted) => {
            let found = environments.iter().find(|environment| environment.name == wanted);
            Some(found.cloned().ok_or_else(|| format!("{name}: no environment {wanted}"))?)
        }
    };
    let source = row.get("source").and_then(Value::as_table).map(source).transpose()?;
    let build = row.get("build").and_then(Value::as_str).map(str::to_string);
    let place = Place { name: name.clone(), python, source, build };
    let only_opencl = row.get("only_opencl").and_then(Value::as_bool).unwrap_or(false);
    let client = Client { place: place.clone(), only_opencl };
    let checks = rows(row, "check")?.into_iter().map(|row| check(row, &client));
    let checks = checks.collect::<Result<Vec<_>, _>>().map_err(|why| format!("{name}: {why}"))?;
    let known = checks.iter().flat_map(|(_, known)| known.iter().cloned()).collect();
    Ok(App {
        what: text(row, "what")?,
        packages: list(row, "packages")?,
        checks: checks.into_iter().map(|(check, _)| check).collect(),
        place: Some(place),
        left_out: 0,
        known,
        name,
    })
}

fn check(row: &Table, client: &Client) -> Result<(Check, Vec<Known>), String> {
    allow(row, &["name", "run", "pytest", "expect", "never", "known"])?;
    let line = text(row, "run")?;
    let known = rows(row, "known")?.into_iter().map(|row| {
        allow(row, &["test", "why"])?;
        Ok::<_, String>(Known { test: text(row, "test")?, why: text(row, "why")? })
    });
    let known = known.collect::<Result<Vec<_>, _>>()?;
    let judge = match row.get("pytest").and_then(Value::as_integer) {
        Some(least) => Judge::Pytest {
            least: usize::try_from(least).map_err(|_| "pytest is no count")?,
            known: known.clone(),
        },
        None => Judge::Text { expect: list(row, "expect")?, never: list(row, "never")? },
    };
    if matches!(&judge, Judge::Text { expect, .. } if expect.is_empty()) {
        return Err(format!("nothing to expect of {line}"));
    }
    let client = client.clone();
    let run = move |bench: &Bench| run(&client, &line, &judge, bench);
    Ok((Check::new(text(row, "name")?, run), known))
}

/// Runs a line of the shell where the program is, and judges what it prints.
fn run(client: &Client, line: &str, judge: &Judge, bench: &Bench) -> Measure {
    let folder = client.place.fresh_copy(&bench.folder)?;
    // It ends what the line started, too.
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

fn text(row: &Table, key: &str) -> Result<String, String> {
    let value = row.get(key).and_then(Value::as_str);
    value.map(str::to_string).ok_or_else(|| format!("no text '{key}' in {row}"))
}

/// Returns a list of texts, which may be absent.
fn list(row: &Table, key: &str) -> Result<Vec<String>, String> {
    let Some(value) = row.get(key) else { return Ok(Vec::new()) };
    let items = value.as_array().ok_or_else(|| format!("'{key}' is no list in {row}"))?;
    let texts = items.iter().map(|item| item.as_str().map(str::to_string));
    texts.collect::<Option<_>>().ok_or_else(|| format!("'{key}' is no list of texts in {row}"))
}

/// Refuses keys that nothing reads.
fn allow(row: &Table, keys: &[&str]) -> Result<(), String> {
    match row.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown key '{key}' in {row}")),
        None => Ok(()),
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
        let row: Table = "name = 'a'\nwhta = 'b'".parse().unwrap();
        assert!(app(&row, &[]).err().unwrap().contains("whta"));
    }

    #[test]
    fn a_check_needs_a_sign_of_success() {
        let place = Place { name: "a".into(), python: None, source: None, build: None };
        let client = Client { place, only_opencl: true };
        let row: Table = "name = 'a'\nrun = 'true'".parse().unwrap();
        assert!(check(&row, &client).err().unwrap().contains("expect"));
    }
}
