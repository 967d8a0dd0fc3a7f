//! The emitter's SPIR-V for sub-groups is valid on every kind of device, and uses only operations that the device has.

#[allow(dead_code)] // Each test file uses its part.
#[path = "emit/support.rs"]
mod support;

use hekla_compiler::target::{Reconvergence, Subgroups};
use hekla_compiler::Quirks;
use hekla_compiler::{Options, Target};
use support::{check, disassemble, try_emit};

/// Returns a kernel with every sub-group operation on values of a type, each of which `make` makes from an I32.
fn kernel(ty: &str, make: &str, op: &str) -> String {
    let mut lines = String::new();
    let mut last = "v3".to_string();
    let operations = [
        "subgroup_broadcast_first X".to_string(),
        "subgroup_broadcast X, v2".to_string(),
        "subgroup_broadcast X, 1:i32".to_string(),
        "subgroup_shuffle X, v2".to_string(),
        "subgroup_shuffle_xor X, v2".to_string(),
        "subgroup_shuffle_up X, v2".to_string(),
        "subgroup_shuffle_down X, v2".to_string(),
        "subgroup_rotate X, v2 cluster 0".to_string(),
        "subgroup_rotate X, v2 cluster 2".to_string(),
        format!("subgroup_reduce {op} X cluster 0"),
        format!("subgroup_reduce {op} X cluster 2"),
        format!("subgroup_reduce {op} X cluster 64"),
        format!("subgroup_inclusive_scan {op} X cluster 0"),
        format!("subgroup_exclusive_scan {op} X cluster 0"),
    ];
    for (operation, number) in operations.iter().zip(4..) {
        let operation = operation.replace('X', &last);
        lines += &format!("    v{number}:{ty} = {operation}\n");
        last = format!("v{number}");
    }
    format!(
        "kernel @k k(a: buffer) subgroup 8\nfn @k() {{\nblock0:\n    \
         v0:ptr.global = load_arg 0, 0\n    v1:i32 = load v0, align 4\n    \
         v2:i32 = workitem subgroup_invocation 0\n    v3:{ty} = {make} v1\n{lines}    \
         v40:bool = subgroup_all_equal {last}\n    v41:bool = subgroup_reduce xor v40 cluster 0\n    \
         v42:bool = subgroup_all v41\n    v43:bool = subgroup_any v42\n    v44:bool = subgroup_elect\n    \
         v45:bool = or v43, v44\n    v46:i32x4 = subgroup_ballot v45\n    v47:i32 = extract v46, 0\n    \
         subgroup_barrier local\n    store v0, v47, align 4\n    return\n}}\n"
    )
}

/// Returns devices whose sub-groups differ in what they can do.
fn targets() -> Vec<Target> {
    let [generic, minimal] = [Target::generic(), Target::minimal()];
    let all = generic.subgroups.expect("the generic device has sub-groups");
    let with = |target: &Target, subgroups| Target { subgroups: Some(subgroups), ..target.clone() };
    vec![
        with(&generic, Subgroups { extended_types: false, ..all }),
        with(&generic, Subgroups { clustered: false, dynamic_broadcast: false, ..all }),
        with(&generic, Subgroups { size: 128, ..Subgroups::LEAST }),
        with(&minimal, Subgroups { arithmetic: true, ..Subgroups::LEAST }),
        with(&generic, Subgroups { reconvergence: Reconvergence::Uniform, ..all }),
        Target { float16: true, quirks: Quirks::SLOW_SUBGROUP_SCANS, ..generic },
        minimal,
    ]
}

#[test]
fn every_operation_of_every_type() {
    let types = [
        ("i8", "trunc", "smin"),
        ("i16", "trunc", "umax"),
        ("i32", "ineg", "iadd"),
        ("i64", "sext", "imul"),
        ("i64", "zext", "xor"),
        ("f16", "stof", "fadd"),
        ("f32", "stof", "fmax"),
        ("f64", "stof", "fmul"),
    ];
    for target in targets() {
        for (ty, make, op) in types {
            let is_there = match ty {
                "f16" => target.float16,
                "f64" => target.float64,
                _ => true,
            };
            if is_there {
                let kernel = check(&kernel(ty, make, op), &target);
                assert!(kernel.uses_subgroups && kernel.local_size_visible);
                assert_eq!(kernel.required_subgroup_size, Some(8));
            }
        }
    }
}

#[test]
fn devices_are_asked_for_what_they_have_only() {
    let text = kernel("i64", "sext", "iadd");
    let count = |target: &Target, what: &str| {
        disassemble(&check(&text, target).spirv).matches(what).count()
    };
    let all = Target::generic();
    assert_eq!(count(&all, "GroupNonUniformIAdd"), 5);
    assert_eq!(count(&all, "ClusteredReduce"), 1, "a cluster beyond the sub-group is none");
    assert_eq!(count(&all, "GroupNonUniformRotate"), 0);
    let least = Target { subgroups: Some(Subgroups::LEAST), ..all.clone() };
    for lacking in ["GroupNonUniformIAdd", "ShuffleUp", "ShuffleDown", "GroupNonUniformClustered"] {
        assert_eq!(count(&least, lacking), 0, "{lacking}");
    }
}

/// Where a driver's scans are slow, a scan that the whole sub-group executes becomes one shuffle for each bit of its size.
#[test]
fn slow_scans_are_shuffles_where_all_come_to_them() {
    let target = Target { quirks: Quirks::SLOW_SUBGROUP_SCANS, ..Target::generic() };
    let size = target.subgroups.expect("the generic device has sub-groups").size;
    let text = |gathering: &str, scan: &str, cluster: u32| {
        format!(
            "kernel @k k(a: buffer) {gathering}\nfn @k() {{\nblock0:\n    v0:ptr.global = load_arg 0, 0\n    \
             v1:f32 = load v0, align 4\n    v2:f32 = subgroup_{scan} fadd v1 cluster {cluster}\n    \
             store v0, v2, align 4\n    return\n}}\n"
        )
    };
    let counts = |text: &str, target: &Target| {
        let module = disassemble(&check(text, target).spirv);
        ["GroupNonUniformFAdd", "ShuffleUp"].map(|what| module.matches(what).count())
    };
    let steps = size.ilog2() as usize;
    assert_eq!(counts(&text("whole", "inclusive_scan", 0), &target), [0, steps]);
    assert_eq!(counts(&text("whole", "exclusive_scan", 0), &target), [0, steps + 1]);
    for kept in [
        counts(&text("", "inclusive_scan", 0), &target),
        counts(&text("whole", "reduce", 0), &target),
        counts(&text("whole", "inclusive_scan", 0), &Target::generic()),
    ] {
        assert_eq!(kept, [1, 0]);
    }
}

/// The operand of OpExecutionMode for MaximallyReconvergesKHR, which older validators do not know.
#[test]
fn reconvergence_is_asked_for() {
    const MODE: [u32; 2] = [3 << 16 | 16, 6023];
    let subgroups = Target::generic().subgroups.expect("the generic device has sub-groups");
    let subgroups = Subgroups { reconvergence: Reconvergence::Maximal, ..subgroups };
    let target = Target { subgroups: Some(subgroups), ..Target::generic() };
    let asks = |text: &str| {
        let kernel = try_emit(text, &Options::default(), &target).expect("a kernel");
        kernel.spirv.windows(3).any(|words| [words[0], words[2]] == MODE)
    };
    assert!(asks(&kernel("i32", "ineg", "iadd")));
    assert!(!asks("kernel @k k()\nfn @k() {\nblock0:\n    return\n}\n"));
}
