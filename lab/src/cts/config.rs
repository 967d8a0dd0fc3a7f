//! The contents of cts-config/: the groups, and the expected results of each driver.

use crate::driver::Driver;
use crate::system;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::Path;

/// One entry of groups.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    #[serde(skip)]
    pub name: String,
    /// Path of the binary below the folder of binaries.
    pub binary: String,
    #[serde(default)]
    pub args: Vec<String>,
    /// More arguments for a driver that computes on the processor, so that a subtest takes only seconds with it, too.
    #[serde(default)]
    pub software_args: Vec<String>,
    /// Variables of the environment for a driver that computes on the processor.
    #[serde(default)]
    pub software_environment: BTreeMap<String, String>,
    /// Subtests; empty when the binary's own list is taken.
    #[serde(default)]
    pub subtests: Vec<String>,
    /// The arguments of each process that a subtest is split into: one process without more arguments if it is not
    /// split. The file has lists of choices; a part is one choice of each list.
    #[serde(rename = "split", default = "whole", deserialize_with = "parts")]
    pub parts: Vec<Vec<String>>,
    /// Time limit of one subtest, in seconds.
    #[serde(default = "two_minutes")]
    pub seconds: u64,
    /// True if nothing else may run at the same time.
    #[serde(default)]
    pub alone: bool,
}

/// The expected result of a subtest, and the reason why it does not pass.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    pub result: String,
    pub why: String,
}

/// The expected results of a driver. Subtests that are not listed are expected to pass.
pub struct Expectations(BTreeMap<String, Expectation>);

impl Expectations {
    /// cts-config/expected/all.toml, and DRIVER.toml, whose entries take precedence: `[group] subtest = { result =
    /// "fail", why = "..." }`, where `"*"` stands for all subtests of the group that are not listed themselves.
    pub fn read(driver: Driver) -> Result<Expectations, String> {
        let mut all = BTreeMap::new();
        for name in ["all", driver.name()] {
            let path = system::root().join(format!("cts-config/expected/{name}.toml"));
            add(&mut all, read_toml(&path)?);
        }
        Ok(Expectations(all))
    }

    /// Returns the expectation of a subtest, if it or its whole group is listed.
    pub fn of(&self, group: &str, subtest: &str) -> Option<&Expectation> {
        let entry = |subtest: &str| self.0.get(&format!("{group}.{subtest}"));
        entry(subtest).or_else(|| entry("*"))
    }
}

/// The expectations of a file: by group, then by subtest.
type Listed = BTreeMap<String, BTreeMap<String, Expectation>>;

fn add(all: &mut BTreeMap<String, Expectation>, listed: Listed) {
    for (group, subtests) in listed {
        all.extend(subtests.into_iter().map(|(name, entry)| (format!("{group}.{name}"), entry)));
    }
}

/// The groups of cts-config/groups.toml, in its order.
pub fn read_groups() -> Result<Vec<Group>, String> {
    let table: toml::Table = read_toml(&system::root().join("cts-config/groups.toml"))?;
    let group = |(name, value): (String, toml::Value)| {
        let group = value.try_into::<Group>().map_err(|e| format!("group {name}: {e}"))?;
        Ok(Group { name, ..group })
    };
    table.into_iter().map(group).collect()
}

fn read_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = system::read_text(path)?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn two_minutes() -> u64 {
    120
}

fn whole() -> Vec<Vec<String>> {
    vec![Vec::new()]
}

/// Reads the combinations of one choice from each list of `split`; a choice is arguments with spaces between.
fn parts<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Vec<String>>, D::Error> {
    let lists = Vec::<Vec<String>>::deserialize(input)?;
    Ok(lists.iter().fold(whole(), |parts, choices| {
        let with = |part: &Vec<String>, choice: &String| {
            let words = choice.split_whitespace().map(str::to_string);
            part.iter().cloned().chain(words).collect::<Vec<_>>()
        };
        parts.iter().flat_map(|part| choices.iter().map(|c| with(part, c))).collect()
    }))
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
        let group = |text: &str| toml::from_str::<Group>(text).unwrap();
        let split = group("binary = 'b'\nsplit = [[\"int\", \"float\"], [\"A B\", \"C\"]]");
        let expected =
            [vec!["int", "A", "B"], vec!["int", "C"], vec!["float", "A", "B"], vec!["float", "C"]];
        assert_eq!(split.parts, expected);
        assert_eq!(group("binary = 'b'").parts, [Vec::<String>::new()]);
        assert!(toml::from_str::<Group>("binary = 'b'\nsecods = 1").is_err());
    }

    #[test]
    fn a_driver_has_the_last_word() {
        let mut all = BTreeMap::new();
        let listed = |text: &str| toml::from_str::<Listed>(text);
        add(&mut all, listed("[a]\nb = { result = \"skip\", why = \"x\" }").unwrap());
        add(&mut all, listed("[a]\nb = { result = \"fail\", why = \"y\" }").unwrap());
        assert_eq!((all["a.b"].result.as_str(), all["a.b"].why.as_str()), ("fail", "y"));
        assert!(listed("[a]\nb = { result = \"fail\" }").is_err());
    }

    #[test]
    fn a_star_stands_for_the_rest_of_a_group() {
        let text = "[a]\n\"*\" = { result = \"skip\", why = \"x\" }\nb = { result = \"fail\", why = \"y\" }";
        let mut all = BTreeMap::new();
        add(&mut all, toml::from_str(text).unwrap());
        let all = Expectations(all);
        let result = |group, subtest| all.of(group, subtest).map(|entry| entry.result.as_str());
        assert_eq!(result("a", "b"), Some("fail"));
        assert_eq!(result("a", "c"), Some("skip"));
        assert_eq!(result("b", "b"), None);
    }
}
