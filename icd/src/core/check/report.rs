//! Reports of findings, like a compiler's messages on standard error: equal findings once, with a summary at exit.

use super::{callback, table};
use crate::cl::error::Result;
use crate::core::cache::digest;
use crate::core::device::open::Gpu;
use crate::{config, platform};
use hekla_compiler::checks::{
    Accessor, Certain, Checks, Description, Finding, OF_A_TEXEL, SLOT_WORDS,
};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Once};

/// The findings so far: how often each was found, and the line that reported it first.
static FOUND: Mutex<BTreeMap<Key, Total>> = Mutex::new(BTreeMap::new());

/// Findings with the same key are equal: the kind, the description, and a hash of the program's data, since different programs
/// may have equal lines.
type Key = (u32, Vec<u8>, u64);

struct Total {
    count: u64,
    line: String,
}

/// What a launch found.
pub struct Findings {
    /// Passes the findings to the program's callback, if there is one; it must be called without a lock.
    pub call: Option<Box<dyn FnOnce() + Send>>,
    /// What was found for the first time.
    pub new: Vec<Cause>,
}

/// What a launch found at one place, for the launch to be run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The message.
    pub message: String,
    pub global_id: [u32; 3],
    /// The device address of the word that counts the findings of the place.
    pub counter: u64,
}

/// Writes to standard error.
pub fn tell(text: &str) {
    // If standard error is closed, there is no other place for the text.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Registers the summary of findings, which is printed when the process ends.
pub fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| platform::at_exit(sum_up));
}

extern "C" fn sum_up() {
    let Some(found) = FOUND.try_lock() else { return };
    if found.is_empty() {
        return;
    }
    let mut text = format!("hekla: {} found in kernels:\n", mistakes(found.len()));
    for total in found.values() {
        text.push_str(&format!("  {}, {}\n", total.line, times(total.count)));
    }
    tell(&text);
    if config::check_exit() {
        platform::end_process(1);
    }
}

fn mistakes(count: usize) -> String {
    match count {
        1 => "1 mistake".to_string(),
        count => format!("{count} mistakes"),
    }
}

fn times(count: u64) -> String {
    match count {
        0 => "never".to_string(),
        1 => "once".to_string(),
        count => format!("{count} times"),
    }
}

/// Reads the findings of a launch, which must be complete, from its buffer, which has `capacity` bytes for `printf`, and
/// reports them. `data`: the bytes of the program's data image; `at`: returns the bytes of this image from a device address on,
/// of which it takes the low 32 bits.
pub fn collect<'a>(
    gpu: &Gpu,
    buffer: &Arc<vk::Buffer>,
    capacity: u32,
    data: &[u8],
    at: impl Fn(u32) -> Option<&'a [u8]>,
) -> Result<Findings> {
    let (start, size) = table::findings(capacity);
    let mut bytes = vec![0; size];
    gpu.read_now(buffer, start, &mut bytes)?;
    let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
    let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    let wants = callback::is_set();
    let mut reported = Vec::new();
    let mut causes = Vec::new();
    for (slot, words) in words.chunks_exact(SLOT_WORDS).enumerate() {
        let Some(finding) = Finding::read(words) else { continue };
        if let Some(text) = at(finding.description) {
            let other = finding.other().and_then(|other| at(other.description));
            let Some(description) = Description::decode(text) else { continue };
            let other = other.and_then(Description::decode);
            let is_new = note(&finding, &description, other.as_ref(), digest::hash(data));
            if is_new {
                causes.push(Cause {
                    message: whole(&finding, &description, other.as_ref()),
                    global_id: finding.global_id,
                    counter: buffer.address() + start + (4 * SLOT_WORDS * slot) as u64,
                });
            }
            if wants {
                reported.push(callback::ReportedFinding {
                    kind: kind(finding.kind),
                    what: what(&finding, &description),
                    message: whole(&finding, &description, other.as_ref()),
                    finding,
                    description,
                });
            }
        }
    }
    let report = move || callback::report(&reported);
    let call = wants.then(|| Box::new(report) as Box<dyn FnOnce() + Send>);
    Ok(Findings { call, new: causes })
}

/// Counts a finding, and reports it if it is new. Returns true if it is.
fn note(
    finding: &Finding,
    description: &Description,
    other: Option<&Description>,
    program: u64,
) -> bool {
    let key = (finding.kind.bits(), description.encode(), program);
    let mut found = FOUND.lock();
    let is_new = !found.contains_key(&key);
    let total = found.entry(key).or_insert_with(|| Total {
        count: 0,
        line: format!(
            "{}{}: {}",
            place(description),
            kind(finding.kind),
            what(finding, description)
        ),
    });
    total.count += u64::from(finding.count);
    if is_new {
        tell(&whole(finding, description, other));
    }
    is_new
}

/// Returns a finding's message and, for a race, the note about the other access.
fn whole(finding: &Finding, description: &Description, other: Option<&Description>) -> String {
    let note = other.map_or_else(String::new, |other| note_of_other(finding, other));
    message(finding, description) + &note
}

/// `a.cl:12:9: `, or nothing where the place is not known.
fn place(description: &Description) -> String {
    let first = description.places.first();
    first.map_or_else(String::new, |p| format!("{}:{}:{}: ", p.file, p.line, p.column))
}

fn kind(kind: Checks) -> &'static str {
    let mut known = Checks::NAMES.iter();
    known.find(|known| known.1 == kind).map_or("mistake", |known| known.0)
}

/// Describes the mistake that a finding reports.
fn what(finding: &Finding, description: &Description) -> String {
    let Description { action, object, .. } = description;
    let Finding { address, start, size, .. } = *finding;
    let offset = address.wrapping_sub(start) as i64;
    let whose = match object.as_str() {
        "" => "an allocation",
        object => object,
    };
    let bytes = if size == 1 { "byte" } else { "bytes" };
    match finding.kind {
        Checks::NULL => match object.as_str() {
            "" => format!("{action} through a null pointer, at offset {offset}"),
            object => format!("{action} through {object}, which is null, at offset {offset}"),
        },
        Checks::BARRIERS => {
            let (least, most) = (times(address), times(start));
            format!("this work-item comes to the barrier {least}, another one {most}")
        }
        Checks::RACES => race(finding, action, whose),
        Checks::BOUNDS if action.ends_with(OF_A_TEXEL) => texel(finding, action, object),
        Checks::INIT => format!("{action} of {whose} that were not written before"),
        // In work-group and private memory, addresses count from the object.
        Checks::ALIGN if start == 0 => format!("misaligned {action} at offset {offset} of {whose}"),
        Checks::ALIGN => {
            format!("misaligned {action} at offset {offset} of {whose}, address {address:#x}")
        }
        Checks::ARITH if size == 0 => {
            format!("{action} by zero, or with a result that does not fit")
        }
        Checks::ARITH => format!("{action}: {} by {}", address as i64, start as i64),
        _ if size == 0 => {
            format!("{action} at address {address:#x}, in no memory that the kernel may reach")
        }
        _ => format!("{action} at offset {offset} of {whose}, which has {size} {bytes}"),
    }
}

/// Describes a texel that is outside of its image.
fn texel(finding: &Finding, action: &str, object: &str) -> String {
    let (index, sizes) = finding.texel();
    let count = sizes.iter().take_while(|&&size| size != 0).count().max(1);
    let words = |numbers: Vec<String>, between: &str| numbers[..count].join(between);
    let index = words(index.map(|i| i.to_string()).to_vec(), ", ");
    let sizes = words(sizes.map(|size| size.to_string()).to_vec(), " x ");
    let whose = if object.is_empty() { "an image" } else { object };
    format!("{action} at ({index}) of {whose}, which has {sizes} texels")
}

/// Describes an access that is part of a race.
fn race(finding: &Finding, action: &str, whose: &str) -> String {
    let Some(other) = finding.other() else { return action.to_string() };
    let does = if other.reads { "reads" } else { "writes" };
    let who = match (other.of_other_group, other.is_global) {
        (true, _) => format!("a work-item of another work-group {does}"),
        (_, true) => {
            format!("another work-item {does} without a barrier for global memory between")
        }
        _ => format!("another work-item {does} without a barrier between"),
    };
    format!("{action} at offset {} of {whose}, which {who}", other.offset)
}

/// Describes the other access of a race: its place, and the work-item or work-group that made it.
fn note_of_other(finding: &Finding, other: &Description) -> String {
    let whose = match finding.other().and_then(|other| other.by) {
        Some(Accessor::Item([x, y, z])) => format!("the other one, local id ({x}, {y}, {z})"),
        Some(Accessor::Group([x, y, z])) => format!("the other one, work-group ({x}, {y}, {z})"),
        None => "one of the others".to_string(),
    };
    let mut text = format!("{}note: {} of {whose}\n", place(other), other.action);
    text.push_str(&line_of(other));
    text
}

/// Returns the line of a place, and a caret below it.
fn line_of(description: &Description) -> String {
    let (false, Some(first)) = (description.text.is_empty(), description.places.first()) else {
        return String::new();
    };
    with_caret(&description.text, first.column)
}

/// Returns a line of text, and a line with a caret below the character at a column, which counts from 1.
pub fn with_caret(text: &str, column: u32) -> String {
    // Tabs are kept, so that the caret is below its character.
    let indent = text.chars().take(column.max(1) as usize - 1);
    let indent: String = indent.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    format!("{text}\n{indent}^\n")
}

/// Returns the message about a mistake that is certain to happen, in the form of a compiler's warning.
pub fn warning(mistake: &Certain) -> String {
    let Certain { finding, description, condition } = mistake;
    let what = match finding.kind {
        Checks::BARRIERS => {
            "barrier that some work-items of a work-group may not reach".to_string()
        }
        _ => what(finding, description),
    };
    let kind = kind(finding.kind);
    let mut text = format!("{}warning: {what} [{kind}]\n", place(description));
    text.push_str(&line_of(description));
    text.push_str(&calls(description));
    if let Some(condition) = condition.as_ref().filter(|it| !it.places.is_empty()) {
        text.push_str(&format!("{}note: the id of the work-item decides here\n", place(condition)));
        text.push_str(&line_of(condition));
    }
    text
}

/// Returns a line for each call that led to a place.
fn calls(description: &Description) -> String {
    let mut text = String::new();
    for call in description.places.iter().skip(1) {
        let (file, line, column) = (&call.file, call.line, call.column);
        text.push_str(&format!(
            "{file}:{line}:{column}: note: called here, by '{}'\n",
            call.function
        ));
    }
    text
}

/// Returns the full message about a finding.
fn message(finding: &Finding, description: &Description) -> String {
    let [gx, gy, gz] = finding.global_id;
    let [lx, ly, lz] = finding.local_id;
    let of = match description.kernel.as_str() {
        "" => String::new(),
        kernel => format!("kernel '{kernel}', "),
    };
    let mut text = format!(
        "{}{}: {} [{of}global id ({gx}, {gy}, {gz}), local id ({lx}, {ly}, {lz}); {} in this launch]\n",
        place(description),
        kind(finding.kind),
        what(finding, description),
        times(finding.count.into()),
    );
    text.push_str(&line_of(description));
    text.push_str(&calls(description));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hekla_compiler::checks::Place;

    fn finding(kind: Checks) -> Finding {
        Finding {
            count: 3,
            description: 0,
            kind,
            global_id: [5, 0, 0],
            local_id: [1, 0, 0],
            address: 0x1010,
            start: 0x1000,
            size: 16,
        }
    }

    #[test]
    fn messages_read_like_a_compilers() {
        let place = |line, column, function: &str| Place {
            file: "a.cl".into(),
            line,
            column,
            function: function.into(),
        };
        let description = Description {
            action: "load of 4 bytes".into(),
            object: "argument 'a'".into(),
            kernel: "k".into(),
            text: "\tx = a[i];".into(),
            places: vec![place(12, 6, "f"), place(20, 3, "k")],
        };
        assert_eq!(
            message(&finding(Checks::BOUNDS), &description),
            "a.cl:12:6: bounds: load of 4 bytes at offset 16 of argument 'a', which has 16 bytes \
             [kernel 'k', global id (5, 0, 0), local id (1, 0, 0); 3 times in this launch]\n\
             \tx = a[i];\n\t    ^\n\
             a.cl:20:3: note: called here, by 'k'\n"
        );
        let unknown = Description { action: "store of 1 byte".into(), ..Description::default() };
        assert_eq!(
            message(&Finding { size: 0, count: 1, ..finding(Checks::BOUNDS) }, &unknown),
            "bounds: store of 1 byte at address 0x1010, in no memory that the kernel may reach \
             [global id (5, 0, 0), local id (1, 0, 0); once in this launch]\n"
        );
        let null = Finding { start: 0, size: 0, address: 8, ..finding(Checks::NULL) };
        let line = what(&null, &description);
        assert_eq!(line, "load of 4 bytes through argument 'a', which is null, at offset 8");
    }
}
