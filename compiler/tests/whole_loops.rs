//! Loops in kernels with barriers, on drivers for which they must not become two.

use hekla_compiler::{compile_to_ir, IrAt, Options, Source, Target};

/// Returns how many loads a kernel has that sums up `n` numbers behind a statement.
fn loads(statement: &str, target: &Target) -> usize {
    let text = format!(
        "kernel void k(global uint *out, global const uint *in, uint n) {{
             {statement};
             uint sum = 0;
             for (uint i = 0; i < n; i++) sum += in[i];
             out[get_global_id(0)] = sum;
         }}"
    );
    let source = Source { name: "t.cl".into(), text, headers: Vec::new() };
    let ir = compile_to_ir(&source, &Options::default(), target, &IrAt::End).unwrap();
    ir.matches(" = load v").count()
}

#[test]
fn a_loop_stays_one_behind_a_barrier() {
    let barrier = "barrier(CLK_GLOBAL_MEM_FENCE)";
    let careful = Target { whole_loops_at_barriers: true, ..Target::generic() };
    assert_eq!(loads(barrier, &Target::generic()), 5);
    assert_eq!(loads(barrier, &careful), 1);
    assert_eq!(loads("", &careful), 5);
    // Rounds that are a multiple leave nothing behind.
    assert_eq!(loads(&format!("{barrier}; n = 400"), &careful), 4);
}
