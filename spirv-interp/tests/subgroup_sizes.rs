//! Sub-groups of other sizes than the hardware's: the conformance files' programs that have any do the same with each size
//! that a kernel may ask for.

mod programs;
mod support;

use hekla_compiler::target::{Reconvergence, Subgroups};
use hekla_compiler::Target;
use programs::Program;
use support::Device;

/// What a kernel is told whose functions of sub-groups not all work-items come to.
const REFUSAL: &str = "depends on what may differ between them";

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

/// Returns the programs in which the kernel can be told which sub-groups to have.
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
    let (mut ran, mut refused, mut failures) = (0, 0, Vec::new());
    for program in programs(device) {
        let asking = format!("__attribute__((intel_reqd_sub_group_size({size}))) kernel void test");
        let text = program.text.replace("kernel void test", &asking);
        let result = support::build(&text, &program.options, target)
            .and_then(|built| programs::run(&program, &built, device));
        match result {
            Ok(()) => ran += 1,
            Err(log) if log.contains(REFUSAL) => refused += 1,
            Err(complaint) => {
                failures.push(format!("{}: {}\n    {complaint}", program.place, program.rule));
            }
        }
    }
    let count = failures.len();
    let all = failures.join("\n");
    assert!(count == 0, "{count} of {ran} on sub-groups {name}, asking for {size}:\n\n{all}");
    let subgroups = target.subgroups.expect("sub-groups");
    // Smaller ones: a barrier of sub-groups that not all of the work-group come to.
    let most_refused = match size <= subgroups.sizes[1] {
        true => 1,
        false => 16,
    };
    let is_complete = ran >= 25 && refused <= most_refused;
    assert!(
        is_complete || !programs::wanted().is_empty(),
        "{ran} programs, {refused} refused on sub-groups {name}, asking for {size}"
    );
}
