//! The results of kernels that ran on a device, as a table of a device file: `probed`.
//!
//! `answers` names the fields of [`crate::Probe`] that are true; `half`, `single` and `double` are there for widths that the
//! device has, and name the operations that differ from IEEE 754, with the properties that they lack. `assumed` is true if no
//! kernels were run.
//!
//! ```toml
//! [probed]
//! assumed = false
//! answers = ["fma32_fused", "subgroups_in_order"]
//! [probed.single]
//! Fma = ["keeps_inputs", "keeps_results"]
//! ```

use super::parse::{each, list, names, string, unknown, Located, Value};
use crate::physical::found::{Behaviour, FloatOp, FloatWidth, Probe, ANSWERS, BEHAVIOUR};

/// The names of widths in files.
const WIDTHS: [(&str, FloatWidth); 3] =
    [("half", FloatWidth::Half), ("single", FloatWidth::Single), ("double", FloatWidth::Double)];

/// Sets the fields of the probe that a key of the table stands for.
pub(super) fn set(probe: &mut Probe, key: &str, value: &Value<'_>) -> Located<()> {
    match key {
        "assumed" => {
            let known = value.get_ref().as_bool().map(drop);
            known.ok_or_else(|| (value.span(), format!("'{key}' is true or false")))
        }
        "answers" => {
            let given = names(key, value, ANSWERS.iter().map(|row| row.0))?;
            for (name, place) in ANSWERS {
                *place(probe) = given.contains(name);
            }
            Ok(())
        }
        _ => {
            let width = WIDTHS.iter().find(|(name, _)| *name == key);
            let (_, width) = width.ok_or_else(|| unknown(key, value))?;
            probe.floats.add_width(*width);
            each(key, value, |key, value| set_operation(probe, *width, key, value))
        }
    }
}

/// Removes from an operation the properties that it lacks.
fn set_operation(
    probe: &mut Probe,
    width: FloatWidth,
    key: &str,
    value: &Value<'_>,
) -> Located<()> {
    let op = FloatOp::ALL.into_iter().find(|op| format!("{op:?}") == key);
    let op = op.ok_or_else(|| unknown(key, value))?;
    for item in list(key, value)? {
        let name = string(key, item)?;
        let row = BEHAVIOUR.iter().find(|(known, _)| *known == name);
        let (_, place) = row.ok_or_else(|| unknown(&name, item))?;
        if let Some(behaviour) = probe.floats.place(width, op) {
            *place(behaviour) = false;
        }
    }
    Ok(())
}

/// Writes the table.
pub(super) fn write(probe: &Probe, assumed: bool, out: &mut String) {
    let mut probe = probe.clone();
    let given = ANSWERS.iter().filter(|(_, place)| *place(&mut probe)).map(|row| row.0);
    let given: Vec<String> = given.map(|name| format!("\n    \"{name}\",")).collect();
    *out += &format!("\n[probed]\nassumed = {assumed}\nanswers = [{}\n]\n", given.concat());
    for (name, width) in WIDTHS {
        if probe.floats.get(width, FloatOp::Add).is_none() {
            continue;
        }
        *out += &format!("\n[probed.{name}]\n");
        for op in FloatOp::ALL {
            let lacks = probe.floats.get(width, op).map_or(Vec::new(), Behaviour::lacks);
            if !lacks.is_empty() {
                *out += &format!("{op:?} = {lacks:?}\n");
            }
        }
    }
}
