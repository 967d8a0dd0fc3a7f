//! Reads callgrind's profiles: the instructions of one part, by the code that executed them.

use std::collections::HashMap;
use std::path::Path;

/// Instructions of a profile.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub total: u64,
    /// Instructions in calls into the Vulkan driver, including all that it calls.
    pub driver: u64,
    /// Instructions in the client's own code.
    pub client: u64,
}

/// Returns true if an object file is a Vulkan driver.
fn is_driver(object: &str) -> bool {
    let name = object.rsplit('/').next().unwrap_or(object);
    name.starts_with("libvulkan_") || name.starts_with("libvk_") || name.contains("nvidia")
}

/// Returns the instructions of a profile (callgrind's format: valgrind manual, "Callgrind Format Specification") of a
/// client.
pub fn cost(profile: &str, client: &Path) -> Cost {
    let client = client.to_string_lossy();
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut cost = Cost::default();
    let (mut object, mut callee, mut is_call) = ("", None, false);
    for line in profile.lines() {
        if let Some(text) = line.strip_prefix("ob=") {
            object = named(&mut names, text);
        } else if let Some(text) = line.strip_prefix("cob=") {
            callee = Some(named(&mut names, text));
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let count = line.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
            if std::mem::take(&mut is_call) {
                let callee = callee.take().unwrap_or(object);
                if is_driver(callee) && !is_driver(object) {
                    cost.driver += count;
                }
                continue;
            }
            cost.total += count;
            if object == client {
                cost.client += count;
            }
        }
    }
    cost
}

/// Returns the name that a text gives or refers to: a name is written once, with a number, as in `(3) /lib/libc.so.6`,
/// and later by the number alone.
fn named<'a>(names: &mut HashMap<&'a str, &'a str>, text: &'a str) -> &'a str {
    let (number, name) = text.split_once(' ').unwrap_or((text, ""));
    if !number.starts_with('(') {
        return text;
    }
    if !name.is_empty() {
        names.insert(number, name);
    }
    names.get(number).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE: &str = "\
events: Ir
ob=(1) /bin/client
fl=(1) c.rs
fn=(1) measured
10 5
cob=(2) /lib/libhekla.so
cfn=(2) clFlush
calls=3 0
11 900

ob=(2)
fn=(2)
0 100
+1 200
cob=(3) /lib/libvulkan_lvp.so
cfn=(3) submit
calls=3 0
* 600

ob=(3)
fn=(3)
0 450
cob=(4) /lib/libc.so.6
cfn=(4) malloc
calls=1 0
0 150

ob=(4)
fn=(4)
0 150
totals: 905
";

    #[test]
    fn instructions_belong_to_the_client_the_driver_or_the_rest() {
        let cost = cost(PROFILE, Path::new("/bin/client"));
        assert_eq!(cost, Cost { total: 905, driver: 600, client: 5 });
    }
}
