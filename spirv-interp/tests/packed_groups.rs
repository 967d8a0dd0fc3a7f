//! Work-groups in pairs: each has its own local memory, whatever types access it.

mod support;

use hekla_spirv_interp::{Argument, Launch, Memory};
use support::Device;

const GROUPS: u32 = 6;
const SIZE: u32 = 2;

/// Runs `kernel void test(global uint *out, local uint *given)` with a body that reads back what it stored; each work-item must
/// read values of its own work-group.
fn check(body: &str) {
    let devices = [support::capable(), support::middling(), support::weak(), support::weakest()];
    for device in &devices {
        let found = run(&kernel_of(body), device);
        let expected: Vec<u32> =
            (0..GROUPS * SIZE).map(|item| 1000 * (item / SIZE) + item % SIZE).collect();
        assert_eq!(found, expected, "{} on the {} device", body, device.name);
    }
}

fn kernel_of(body: &str) -> String {
    format!(
        "void set(local uint *p, uint value) {{ *p = value; }}
         kernel void test(global uint *out, local uint *given) {{
             uint group = get_group_id(0), item = get_local_id(0), value = 1000 * group + item;
             global uint *own = out + get_global_id(0);
             uint at = item + *own;
             {body}
         }}"
    )
}

fn run(text: &str, device: &Device) -> Vec<u32> {
    let program = support::build(text, "-cl-std=CL3.0", &device.target).expect("a program");
    let kernel = &program.kernels[0];
    assert!(kernel.packs_groups, "{text} on the {} device", device.name);
    let mut memory = Memory::new();
    let bytes = (4 * GROUPS * SIZE) as usize;
    let out = memory.allocate_bytes(&vec![0; bytes]);
    let launch = Launch {
        args: vec![Argument::Address(out), Argument::Local(u64::from(8 * SIZE))],
        global: [u64::from(GROUPS * SIZE), 1, 1],
        local: [SIZE, 1, 1],
        floats: device.floats,
        subgroups: device.subgroups(kernel),
        ..Launch::default()
    };
    launch.run(kernel, &mut memory).unwrap_or_else(|error| panic!("{text}: {error}"));
    support::words_of(&memory.bytes(out, bytes).expect("results"))
}

#[test]
fn variables_and_arguments() {
    check("local uint cells[2]; cells[item] = value; *own = cells[at];");
    check("given[item + 1] = value; *own = given[at + 1];");
    check("local uint cell, cells[2]; cells[item] = value; given[item] = 7; if (item == 0) cell = 1; *own = cells[at];");
}

#[test]
fn pointers() {
    check("local uint cells[2]; local uint *p = (group & 1 ? cells : given) + item; *p = value; *own = p[*own];");
    check("set(given + item, value); *own = given[at];");
    check("local uint *local pointers[2]; pointers[item] = given + item; *pointers[item] = value; *own = given[at];");
    check("uint mine[2]; uint *p = group & 1 ? (uint *)mine : (uint *)given; p[item] = value; *own = p[at];");
}

#[test]
fn elements_of_several_widths() {
    check("local uchar cells[8]; ((local uint *)cells)[item] = value; uchar4 all = vload4(at, cells); *own = as_uint(all);");
    check("local ushort cells[4]; vstore2(as_ushort2(value), item, cells); *own = ((local uint *)cells)[at];");
    check("local ulong cells[2]; cells[item] = (ulong)value << 20; *own = cells[at] >> 20;");
    check("local uchar cells[2]; cells[item] = item; given[item] = value - item; *own = given[at] + cells[at];");
    check("given[item] = 0; atomic_add(given + item, value); *own = given[at];");
}
