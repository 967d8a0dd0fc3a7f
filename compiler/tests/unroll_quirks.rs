//! Partial unrolling on drivers with quirks: drivers that miscompile remainder loops, and drivers whose loops are slow.

use hekla_compiler::Quirks;
use hekla_compiler::{compile_to_ir, IrAt, Options, Source, Target};

/// Returns the number of loads in a kernel that sums up `n` numbers after a statement.
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
fn a_loop_after_a_barrier_gets_no_remainder_loop() {
    let barrier = "barrier(CLK_GLOBAL_MEM_FENCE)";
    let careful = Target { quirks: Quirks::MISCOMPILED_REMAINDER_LOOPS, ..Target::generic() };
    assert_eq!(loads(barrier, &Target::generic()), 5);
    assert_eq!(loads(barrier, &careful), 1);
    assert_eq!(loads("", &careful), 5);
    // A loop whose number of rounds is a multiple of the copies needs no remainder loop.
    assert_eq!(loads(&format!("{barrier}; n = 400"), &careful), 4);
}

#[test]
fn arithmetic_in_slow_loops_is_unrolled() {
    let text = "kernel void k(global float *out, float a, float b, uint n) {
             float x = a, y = b, z = a + b;
             for (uint i = 0; i < n; i++) { x = sqrt(x); y = sqrt(y); z = sqrt(z) * x * y * y * x * z; }
             out[get_global_id(0)] = x + y + z;
         }";
    let roots = |target: &Target| {
        let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
        let ir = compile_to_ir(&source, &Options::default(), target, &IrAt::End).unwrap();
        ir.matches(" = sqrt").count()
    };
    let exact = Target { sqrt32_exact: true, ..Target::generic() };
    assert_eq!(roots(&exact), 3);
    assert_eq!(roots(&Target { quirks: Quirks::SLOW_LOOPS, ..exact }), 3 * 5);
}

#[test]
fn larger_loops_are_unrolled() {
    let xorshift = "s ^= s << 13; s ^= s >> 17; s ^= s << 5;";
    let marks = |rounds: usize, quirks: Quirks| {
        let text = format!(
            "kernel void k(global uint *out, uint s, uint n) {{
                 for (uint i = 0; i < n; i++) {{ {} s *= 77; }}
                 out[get_global_id(0)] = s;
             }}",
            xorshift.repeat(rounds)
        );
        let source = Source { name: "t.cl".into(), text, headers: Vec::new() };
        let target = Target { quirks, ..Target::generic() };
        let ir = compile_to_ir(&source, &Options::default(), &target, &IrAt::End).unwrap();
        ir.matches(", 77:i32").count()
    };
    assert_eq!([1, 5, 12].map(|rounds| marks(rounds, Quirks::empty())), [1, 1, 1]);
    assert_eq!([1, 5, 12].map(|rounds| marks(rounds, Quirks::ROLLED_LOOPS)), [1, 5, 1]);
}
