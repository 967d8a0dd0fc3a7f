//! The contents of cts-config/: the groups, and the expected results of each driver.

use crate::driver::Driver;
use crate::system;
use std::collections::BTreeMap;
use std::path::Path;

/// One entry of groups.toml.
pub struct Group {
    pub name: String,
    /// Path of the binary under the folder given.
    pub binary: String,
    pub args: Vec<String>,
    /// More arguments where the driver computes on the processor, so that a subtest takes seconds there too.
    pub software_args: Vec<String>,
    /// Variables of the environment where the driver computes on the processor.
    pub software_environment: Vec<(String, String)>,
    /// Subtests; empty when the binary's own list is taken.
    pub subtests: Vec<String>,
    /// The arguments of each process that a subtest is split into; one without arguments where it is not split.
    pub parts: Vec<Vec<String>>,
    /// Time limit of one subtest.
    pub seconds: u64,
    /// True if nothing else may run at the same time.
    pub alone: bool,
}

/// The expected result of a subtest, and the reason why it does not pass.
#[derive(Clone)]
pub struct Expectation {
    pub result: String,
    pub why: String,
}

/// The expected results of a driver. Subtests that are not listed are expected to pass.
pub struct Expectations(BTreeMap<String, Expectation>);

impl Expectations {
    /// cts-config/expected/all.toml, and DRIVER.toml, which has the last word:
    /// `[group] subtest = { result = "fail", why = "..." }`, where `"*"` stands for all subtests of the group that are
    /// not listed themselves.
    pub fn read(driver: Driver) -> Result<Expectations, String> {
        let mut all = BTreeMap::new();
        for name in ["all", driver.name()] {
            let path = system::root().join(format!("cts-config/expected/{name}.toml"));
            add(&mut all, &read_toml(&path)?)?;
        }
        Ok(Expectations(all))
    }

    /// Returns the expectation of a subtest, if it or its whole group is listed.
    pub fn of(&self, group: &str, subtest: &str) -> Option<&Expectation> {
        let entry = |subtest: &str| self.0.get(&format!("{group}.{subtest}"));
        entry(subtest).or_else(|| entry("*"))
    }
}

fn add(all: &mut BTreeMap<String, Expectation>, table: &toml::Table) -> Result<(), String> {
    for (group, subtests) in table {
        for (subtest, entry) in subtests.as_table().into_iter().flatten() {
            let text = |key: &str| entry.get(key).and_then(toml::Value::as_str).map(str::to_string);
            let (Some(result), Some(why)) = (text("result"), text("why")) else {
                return Err(format!("{group}.{subtest} needs a result and a reason (why)"));
            };
            all.insert(format!("{group}.{subtest}"), Expectation { result, why });
        }
    }
    Ok(())
}

/// cts-config/groups.toml: `[name] binary, args, software_args, software_environment, subtests, split, seconds, alone`.
pub fn read_groups() -> Result<Vec<Group>, String> {
    let table = read_toml(&system::root().join("cts-config/groups.toml"))?;
    let group = |(name, value): (&String, &toml::Value)| {
        let text = |key: &str| value.get(key).and_then(toml::Value::as_str).map(str::to_string);
        Ok(Group {
            name: name.clone(),
            binary: text("binary").ok_or_else(|| format!("group {name} names no binary"))?,
            args: strings(value.get("args")),
            software_args: strings(value.get("software_args")),
            software_environment: variables(value.get("software_environment")),
            subtests: strings(value.get("subtests")),
            parts: parts(value.get("split")),
            seconds: value.get("seconds").and_then(toml::Value::as_integer).unwrap_or(120) as u64,
            alone: value.get("alone").and_then(toml::Value::as_bool).unwrap_or(false),
        })
    };
    table.iter().map(group).collect()
}

fn read_toml(path: &Path) -> Result<toml::Table, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.parse().map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns the combinations of one choice from each list of `split`; a choice is arguments with spaces between.
fn parts(split: Option<&toml::Value>) -> Vec<Vec<String>> {
    let lists = split.and_then(toml::Value::as_array);
    let mut parts = vec![Vec::new()];
    for list in lists.into_iter().flatten() {
        let choices = strings(Some(list));
        let with = |part: &Vec<String>, choice: &String| {
            let words = choice.split_whitespace().map(str::to_string);
            part.iter().cloned().chain(words).collect::<Vec<_>>()
        };
        parts = parts.iter().flat_map(|part| choices.iter().map(|c| with(part, c))).collect();
    }
    parts
}

fn variables(value: Option<&toml::Value>) -> Vec<(String, String)> {
    let table = value.and_then(toml::Value::as_table);
    let text = |(name, value): (&String, &toml::Value)| {
        value.as_str().map(|value| (name.clone(), value.to_string()))
    };
    table.into_iter().flatten().filter_map(text).collect()
}

fn strings(value: Option<&toml::Value>) -> Vec<String> {
    let array = value.and_then(toml::Value::as_array);
    array.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_readable() {
        assert!(!read_groups().unwrap().is_empty());
        for driver in Driver::ALL {
            Expectations::read(driver).unwrap();
        }
    }

    #[test]
    fn a_subtest_is_split_into_all_combinations() {
        let table: toml::Table =
            "split = [[\"int\", \"float\"], [\"A B\", \"C\"]]".parse().unwrap();
        let expected =
            [vec!["int", "A", "B"], vec!["int", "C"], vec!["float", "A", "B"], vec!["float", "C"]];
        assert_eq!(parts(table.get("split")), expected);
        assert_eq!(parts(None), [Vec::<String>::new()]);
    }

    #[test]
    fn a_driver_has_the_last_word() {
        let mut all = BTreeMap::new();
        let table = |text: &str| text.parse::<toml::Table>().unwrap();
        add(&mut all, &table("[a]\nb = { result = \"skip\", why = \"x\" }")).unwrap();
        add(&mut all, &table("[a]\nb = { result = \"fail\", why = \"y\" }")).unwrap();
        assert_eq!((all["a.b"].result.as_str(), all["a.b"].why.as_str()), ("fail", "y"));
        assert!(add(&mut all, &table("[a]\nb = { result = \"fail\" }")).is_err());
    }

    #[test]
    fn a_star_stands_for_the_rest_of_a_group() {
        let text = "[a]\n\"*\" = { result = \"skip\", why = \"x\" }\nb = { result = \"fail\", why = \"y\" }";
        let mut all = BTreeMap::new();
        add(&mut all, &text.parse().unwrap()).unwrap();
        let all = Expectations(all);
        let result = |group, subtest| all.of(group, subtest).map(|entry| entry.result.as_str());
        assert_eq!(result("a", "b"), Some("fail"));
        assert_eq!(result("a", "c"), Some("skip"));
        assert_eq!(result("b", "b"), None);
    }
}
