//! Loads on drivers that execute a load even where no invocation reaches it: the load's address is made to differ between
//! invocations as far as the driver can tell.

mod module_support;

use hekla_compiler::Quirks;
use hekla_compiler::Target;
use module_support::{count, module};
use rspirv::dr::Operand;
use rspirv::spirv::BuiltIn;

/// Returns true if a kernel asks for the invocation's number in its sub-group.
fn asks(text: &str, target: &Target) -> bool {
    let number = Operand::BuiltIn(BuiltIn::SubgroupLocalInvocationId);
    count(&module(text, target), |inst| inst.operands.contains(&number)) > 0
}

#[test]
fn loads_vary_where_the_driver_forgets_the_mask() {
    let careful = Target { quirks: Quirks::UNMASKED_UNIFORM_LOADS, ..Target::generic() };
    let load = "kernel void k(global int *out, global int *p) { if (p) out[0] = *p; }";
    assert!(asks(load, &careful));
    assert!(!asks(load, &Target::generic()));
    let store = "kernel void k(global int *out, int x) { if (x) out[0] = x; }";
    assert!(!asks(store, &careful));
}
