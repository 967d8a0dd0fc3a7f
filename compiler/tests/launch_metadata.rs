//! The emitter's metadata of a kernel's launch: its arguments, and how its work-groups may differ from the application's.

#[path = "emit/support.rs"]
#[allow(dead_code)]
mod support;

use hekla_compiler::kernel::{ArgumentField, Field, Kernel};
use hekla_compiler::Quirks;
use hekla_compiler::Target;
use support::{check, targets};

#[test]
fn arguments() {
    let text = "\
kernel @k k(a: buffer, c: value 1, s: value 24, v: value 12, p: buffer, n: value 4) reqd 8 4 2
fn @k() {
block0:
    v0:ptr.global = load_arg 0, 0
    v1:i8 = load_arg 1, 0
    v2:i8 = load_arg 2, 3
    v3:i64 = load_arg 2, 8
    v4:i32 = load_arg 2, 13
    v5:i16x3 = load_arg 2, 17
    v6:f32x3 = load_arg 3, 0
    store v0, v1, align 1
    store v0, v2, align 1
    store v0, v3, align 8
    store v0, v4, align 4
    store v0, v5, align 2
    store v0, v6, align 4
    return
}
";
    for (_, target) in targets() {
        let kernel = check(text, &target);
        let at = |arg, offset| ArgumentField { field: Field::Arg(arg), offset };
        assert_eq!(kernel.argument_fields, [at(0, 0), at(1, 8), at(2, 16), at(3, 40)]);
        assert_eq!(kernel.argument_buffer_size, 52);
        assert_eq!(kernel.required_local_size, Some([8, 4, 2]));
        assert!(!kernel.local_size_visible);
    }
}

/// Returns the metadata of a kernel with a body in which `v0` is the address of a buffer; argument 1 is a local pointer.
fn metadata(body: &str) -> Kernel {
    let text = format!(
        "kernel @k k(a: buffer, l: local 0 align 16)\nfn @k() {{\nblock0:\n    v0:ptr.global = load_arg 0, 0\n{body}}}\n"
    );
    check(&text, &Target::generic())
}

#[test]
fn work_groups_run_as_one_where_none_can_tell() {
    let packs = |body: &str| metadata(body).packs_groups;
    let round = "    jump block1\nblock1:\n";
    let repeat =
        "    v9:bool = icmp eq v1, 0:i32\n    brif v9, block1, block2\nblock2:\n    return\n";
    assert!(packs("    v1:i32 = workitem local_id 0\n    store v0, v1, align 4\n    return\n"));
    let atomic = "    v1:i32 = atomic_rmw add v0, 1:i32\n";
    assert!(packs(&format!("{atomic}    return\n")));
    let plain = "    v1:i32 = load v0, align 4\n";
    assert!(packs(&format!("{round}{plain}{repeat}")));
    // Kernels that may wait for another work-group are not packed.
    let volatile = "    v1:i32 = load v0, align 4 volatile\n";
    for sees_others in [atomic, volatile] {
        assert!(!packs(&format!("{round}{sees_others}{repeat}")), "{sees_others}");
    }
    // A loop that counts its rounds does not wait.
    let counted = "    jump block1(0:i32)\nblock1(v3:i32):\n";
    let next = "    v4:i32 = iadd v3, 1:i32\n    v5:bool = icmp ult v4, 9:i32\n    brif v5, block1(v4), block2\nblock2:\n    return\n";
    assert!(packs(&format!("{counted}{atomic}{next}")));
    let part = "    v2:ptr.local = load_arg 1, 0\n    v1:i32 = atomic_rmw or v2, 1:i32 relaxed work_group\n";
    assert!(packs(&format!("{round}{part}{repeat}")));
    // Kernels whose work-items act as a work-group are not packed.
    assert!(!packs("    barrier local\n    return\n"));
    assert!(!packs("    v1:ptr.local = load_arg 1, 0\n    barrier local\n    return\n"));
    // Each of the packed work-groups has its own local memory.
    assert!(packs("    v1:ptr.local = load_arg 1, 0\n    store v1, 1:i32, align 4\n    return\n"));
}

#[test]
fn work_items_have_the_dimensions_of_their_ids() {
    let dimensions = |query: &str| {
        let body =
            format!("    v1:i32 = workitem {query}\n    store v0, v1, align 4\n    return\n");
        metadata(&body).dimensions
    };
    assert_eq!(dimensions("local_id 0"), 1);
    assert_eq!(dimensions("work_group_id 1"), 2);
    assert_eq!(dimensions("invocation_id 2"), 3);
    assert_eq!(dimensions("local_size 2"), 0);
    assert_eq!(dimensions("global_base_word 5"), 0);
}

#[test]
fn kernels_check_bounds_where_they_cannot_tell_the_local_size() {
    let bounds = |size: u32, required: &str, body: &str, target: &Target| {
        let text = format!(
            "kernel @k k(s: value {size}, a: buffer){required}\nfn @k() {{\nblock0:\n    v0:i32 = load_arg 0, 0\n    v1:ptr.global = load_arg 1, 0\n{body}    return\n}}\n"
        );
        let kernel = check(&text, target);
        let entry = kernel.argument_fields.iter().find(|entry| entry.field == Field::Bounds);
        assert_eq!(kernel.bounded, entry.is_some());
        entry.map(|entry| (entry.offset, kernel.argument_buffer_size))
    };
    let target = Target { push_constant_size: 128, ..Target::generic() };
    assert_eq!(bounds(4, "", "", &target), Some((16, 28)));
    let slow = Target { quirks: Quirks::SLOW_BOUND_TESTS, ..target.clone() };
    assert_eq!(bounds(4, "", "", &slow), None);
    assert_eq!(bounds(4, " reqd 8 4 2", "", &target), None);
    let id = "    v2:i32 = workitem local_id 0\n    store v1, v2, align 4\n";
    assert_eq!(bounds(4, "", id, &target), None);
    // These kernels read their arguments from memory, not from push constants.
    assert_eq!(bounds(108, "", "", &target), None);
    assert_eq!(bounds(100, "", "", &target), Some((112, 124)));
    assert_eq!(bounds(124, "", "", &target), Some((136, 148)));
}

#[test]
fn empty_kernel_needs_nothing() {
    let kernel = check("kernel @k k()\nfn @k() {\nblock0:\n    return\n}\n", &Target::generic());
    // The only field is that of the check of bounds, 12 bytes.
    assert_eq!((kernel.argument_buffer_size, kernel.argument_fields.len()), (12, 1));
    assert_eq!((kernel.local.static_size, kernel.private_size), (0, 0));
}
