//! Loads on drivers that execute those that no invocation gets to: they load from an address that differs
//! between invocations as far as the driver can tell.

use hekla_compiler::{compile, Options, Source, Target};

// Of SPIR-V.
const DECORATE: u32 = 71;
const BUILT_IN: u32 = 11;
const SUBGROUP_LOCAL_INVOCATION_ID: u32 = 41;

/// Returns true if a kernel asks for the invocation's number in its sub-group.
fn asks(text: &str, target: &Target) -> bool {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let compiled = compile(&source, &Options::default(), target);
    let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
    let mut rest = &program.kernels[0].spirv[5..];
    while let Some(&word) = rest.first() {
        let (this, next) = rest.split_at((word >> 16) as usize);
        let is_decoration = word & 0xffff == DECORATE;
        if is_decoration && this[2..] == [BUILT_IN, SUBGROUP_LOCAL_INVOCATION_ID] {
            return true;
        }
        rest = next;
    }
    false
}

#[test]
fn loads_vary_where_the_driver_forgets_the_mask() {
    let careful = Target { unmasked_uniform_loads: true, ..Target::generic() };
    let load = "kernel void k(global int *out, global int *p) { if (p) out[0] = *p; }";
    assert!(asks(load, &careful));
    assert!(!asks(load, &Target::generic()));
    let store = "kernel void k(global int *out, int x) { if (x) out[0] = x; }";
    assert!(!asks(store, &careful));
}
