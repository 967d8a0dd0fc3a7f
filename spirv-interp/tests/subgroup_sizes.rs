//! Sub-groups of other sizes than the hardware's: the conformance files' programs that use sub-groups give the same results
//! with each size that a kernel may ask for.

mod programs;
mod support;

use hekla_compiler::target::{Reconvergence, Subgroups};
use hekla_compiler::Target;
use programs::Program;
use support::Device;

/// The message for a kernel that calls sub-group functions where not all work-items reach them.
const REFUSAL: &str = "depends on what may differ between them";

/// The rules of programs in which one sub-group acts differently from the others, in a work-group of 128.
const ONE_OF_MANY: &[&str] = &["a barrier of the sub-group does not wait for other sub-groups"];

/// The rules of programs in which some work-items of a sub-group act differently from the others.
const BY_SOME: &[&str] = &[
    "those of the work-items that are there",
    "those of double",
    "those of half",
    "work-items that are in a loop together",
    "those that leave a loop by break in one round",
    "those that return from within loops in one round",
    "those that leave loops by goto in one round",
    "work-items that a switch parts, and that join behind it",
];

/// Returns devices whose hardware has sub-groups of 8, of 16 and 32, and of 64 and 128, with all operations and with few.
fn devices() -> Vec<Device> {
    let capable = support::capable();
    let own = capable.target.subgroups.expect("sub-groups");
    let with = |name, subgroups| Device {
        name,
        target: Target { subgroups: Some(subgroups), ..capable.target.clone() },
        ..capable.clone()
    };
    let least = Subgroups { reconvergence: Reconvergence::Uniform, ..Subgroups::LEAST };
    vec![
        with("of 8", Subgroups { size: 8, sizes: [8, 8], ..own }),
        with("of 16 and 32", Subgroups { sizes: [16, 32], ..own }),
        with("of 64 and 128", Subgroups { size: 64, sizes: [64, 128], ..own }),
        with("of 8, with few operations", Subgroups { size: 8, sizes: [8, 8], ..least }),
    ]
}

/// Returns the programs that use sub-groups or work-group functions, and whose only kernel can be given a size of sub-groups.
fn programs(device: &Device) -> Vec<Program> {
    let acts = |program: &Program| {
        let text = &program.text;
        let is_one = text.matches("kernel void test").count() == 1 && !text.contains("intel_reqd");
        is_one && (text.contains("sub_group") || text.contains("work_group_"))
    };
    programs::of_device(device).into_iter().filter(acts).collect()
}

#[test]
fn every_size_gives_the_same() {
    for device in devices() {
        for size in [2, 4, 8, 16, 32, 64, 128] {
            check(&device, size);
        }
    }
}

fn check(device: &Device, size: u32) {
    let Device { name, target, .. } = device;
    let subgroups = target.subgroups.expect("sub-groups");
    let [least, most] = subgroups.sizes;
    let has_pieces = size > most;
    let (mut ran, mut failures) = (0, Vec::new());
    for program in programs(device) {
        let asking = format!("__attribute__((intel_reqd_sub_group_size({size}))) kernel void test");
        let text = program.text.replace("kernel void test", &asking);
        let rule = program.rule.as_str();
        let is_made = !(least..=most).contains(&size);
        let may_be_refused = is_made && size < 128 && ONE_OF_MANY.contains(&rule)
            || has_pieces && BY_SOME.contains(&rule);
        match (run(&program, &text, device, size), may_be_refused) {
            (Ok(()), false) => ran += 1,
            (Err(log), true) if log.contains(REFUSAL) => {}
            (result, _) => {
                let complaint = result.err().unwrap_or_else(|| "it is not refused".to_string());
                failures.push(format!("{}: {rule}\n    {complaint}", program.place));
            }
        }
    }
    let count = failures.len();
    let all = failures.join("\n");
    assert!(count == 0, "{count} of {ran} on sub-groups {name}, asking for {size}:\n\n{all}");
    let is_complete = ran >= 25 || !programs::wanted().is_empty();
    assert!(is_complete, "{ran} programs on sub-groups {name}, asking for {size}");
}

/// Runs a program with this text. A program whose work-groups are larger than its kernel allows counts as refused.
fn run(program: &Program, text: &str, device: &Device, size: u32) -> Result<(), String> {
    let built = support::build(text, &program.options, &device.target)?;
    let items: u64 = match &program.local {
        Some(local) => local.iter().map(|&size| u64::from(size)).product(),
        None => program.global.iter().product(),
    };
    match support::kernel(&built, "test")?.one_subgroup && items > u64::from(size) {
        true => Err(REFUSAL.to_string()),
        false => programs::run(program, &built, device),
    }
}
