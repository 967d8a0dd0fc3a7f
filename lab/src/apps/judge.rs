//! Judges from the output of a program whether its results are right.

use super::tail;
use std::process::ExitStatus;

/// A test that fails on any driver, or depends on something other than the driver, and the reason.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Part of the test's name.
    pub test: String,
    pub why: String,
}

/// A requirement on a program's output.
#[derive(Debug, Clone)]
pub enum Judge {
    /// pytest's summary: at least `least` tests pass, and only known ones fail.
    Pytest { least: usize, known: Vec<Known> },
    /// The program succeeds; its output has all texts of `expect` and none of `never`.
    Text { expect: Vec<String>, never: Vec<String> },
}

impl Judge {
    /// Judges an output; returns the result in words.
    pub fn of(&self, status: ExitStatus, output: &str) -> Result<String, String> {
        match self {
            Judge::Pytest { least, known } => pytest(output, *least, known),
            Judge::Text { expect, never } => {
                if !status.success() {
                    return Err(format!("{status}\n{}", tail(output)));
                }
                if let Some(bad) = never.iter().find(|bad| output.contains(bad.as_str())) {
                    return Err(format!("it printed '{bad}'\n{}", tail(output)));
                }
                match expect.iter().find(|text| !output.contains(text.as_str())) {
                    Some(text) => Err(format!("no '{text}' printed\n{}", tail(output))),
                    None => Ok("right".to_string()),
                }
            }
        }
    }
}

fn pytest(output: &str, least: usize, known: &[Known]) -> Result<String, String> {
    let summary = output.lines().rev().find(|line| is_summary(line));
    let summary = summary.ok_or_else(|| format!("no summary\n{}", tail(output)))?;
    let of = |word: &str| count(summary, word).unwrap_or(0);
    let failures: Vec<&str> = output.lines().filter_map(failure).collect();
    let is_known = |failure: &&str| known.iter().any(|known| failure.contains(&known.test));
    let unknown: Vec<&str> = failures.iter().copied().filter(|f| !is_known(f)).collect();
    if !unknown.is_empty() || of("failed") + of("error") > failures.len() {
        return Err(format!("{summary}\n{}", unknown.join("\n")));
    }
    let passed = of("passed");
    if passed < least {
        return Err(format!("{passed} of at least {least} tests passed: {summary}"));
    }
    let mut words = vec![format!("{passed} tests passed")];
    let more = [(failures.len(), "failed as known"), (of("skipped"), "skipped")];
    words.extend(more.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    Ok(words.join(", "))
}

/// Returns the name of the test in a line about a failure.
fn failure(line: &str) -> Option<&str> {
    ["FAILED ", "ERROR "].iter().find_map(|word| line.strip_prefix(word))
}

/// Returns true for a line like `2 failed, 303 passed in 4.20s`.
fn is_summary(line: &str) -> bool {
    let time = line.split_once(" in ").and_then(|(_, time)| time.split_whitespace().next());
    time.and_then(|time| time.strip_suffix('s')).is_some_and(|time| time.parse::<f64>().is_ok())
}

/// Returns the number before a word, in singular or plural, of pytest's summary.
fn count(summary: &str, word: &str) -> Option<usize> {
    let words: Vec<&str> = summary.split([' ', ',']).collect();
    let is_it = |found: &str| found == word || found.strip_suffix('s') == Some(word);
    words.windows(2).find(|pair| is_it(pair[1])).and_then(|pair| pair[0].parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::exit_status;

    fn known(test: &str) -> Vec<Known> {
        vec![Known { test: test.to_string(), why: "it fails everywhere".to_string() }]
    }

    const OUTPUT: &str = "..F.\nFAILED test_a.py::test_x[1] - AssertionError\n\
                          1 failed, 30 passed, 3 skipped, 2 warnings in 4.25s\n";

    #[test]
    fn known_failures_do_not_fail_a_suite() {
        let judge = Judge::Pytest { least: 30, known: known("test_x") };
        let words = judge.of(exit_status(1), OUTPUT).unwrap();
        assert_eq!(words, "30 tests passed, 1 failed as known, 3 skipped");
    }

    #[test]
    fn other_failures_and_too_few_tests_do() {
        let judge = |least, test| Judge::Pytest { least, known: known(test) };
        let status = exit_status(1);
        assert!(judge(30, "test_y").of(status, OUTPUT).unwrap_err().contains("test_x"));
        assert!(judge(31, "test_x").of(status, OUTPUT).unwrap_err().contains("at least 31"));
        assert!(judge(0, "test_x").of(status, "Segmentation fault").is_err());
    }

    #[test]
    fn failures_that_the_summary_counts_and_no_line_names_fail_it() {
        let judge = Judge::Pytest { least: 1, known: known("test_x") };
        let output = "2 errors, 5 passed in 1.00s (0:00:01)\n";
        assert!(judge.of(exit_status(1), output).is_err());
        assert_eq!(count(output.trim(), "error"), Some(2));
    }

    #[test]
    fn texts_are_looked_for() {
        let list = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        let judge = Judge::Text { expect: list(&["PASS"]), never: list(&["FAIL"]) };
        let (good, bad) = (exit_status(0), exit_status(1));
        assert!(judge.of(good, "test PASS").is_ok());
        assert!(judge.of(good, "test PASS, FAIL").is_err());
        assert!(judge.of(good, "nothing").is_err());
        assert!(judge.of(bad, "test PASS").is_err());
    }
}
