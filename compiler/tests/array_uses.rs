//! Private arrays with many accesses, on drivers whose compile time grows with the square of the accesses: the kernel begins
//! with stores to the arrays and a barrier.

mod module_support;

use hekla_compiler::Quirks;
use hekla_compiler::Target;
use module_support::module;
use rspirv::spirv::Op;

/// Returns the numbers of stores to arrays and of barriers at the beginning of a kernel, and the number of all its barriers.
fn begins_with(text: &str, target: &Target) -> (usize, usize, usize) {
    let module = module(text, target);
    let blocks: Vec<_> = module.functions.iter().flat_map(|function| &function.blocks).collect();
    let is_barrier = |op: Op| op == Op::ControlBarrier;
    let barriers = blocks.iter().flat_map(|block| &block.instructions);
    let barriers = barriers.filter(|inst| is_barrier(inst.class.opcode)).count();
    // The kernel is the last function.
    let entry = &module.functions.last().expect("a function").blocks[0].instructions;
    let first = |inst: &&rspirv::dr::Instruction| {
        matches!(inst.class.opcode, Op::Variable | Op::AccessChain | Op::Store | Op::ControlBarrier)
    };
    let prefix: Vec<Op> = entry.iter().take_while(first).map(|inst| inst.class.opcode).collect();
    let count = |op: Op| prefix.iter().filter(|&&found| found == op).count();
    (count(Op::Store), count(Op::ControlBarrier), barriers)
}

/// Returns a kernel with `count` loads of a private array.
fn sbox(count: usize) -> String {
    let loads: String =
        (0..count).map(|i| format!("x = s[x % 256] ^ (x >> {});\n", i % 31)).collect();
    format!(
        "kernel void k(global uint *p) {{
             uint s[256], x = p[0];
             for (uint i = 0; i < 256; i++) s[i] = p[i];
             {loads} p[get_global_id(0)] = x; }}"
    )
}

#[test]
fn arrays_that_are_used_often_are_alive_across_a_barrier() {
    let slow = Target { quirks: Quirks::QUADRATIC_PRIVATE_ARRAYS, ..Target::generic() };
    assert_eq!(begins_with(&sbox(500), &slow), (32, 1, 1));
    assert_eq!(begins_with(&sbox(500), &Target::generic()).2, 0);
    assert_eq!(begins_with(&sbox(300), &slow).2, 0);
    // The number of stores grows with the number of accesses, up to the number of elements.
    assert_eq!(begins_with(&sbox(1500), &slow), (86, 1, 1));
    assert_eq!(begins_with(&sbox(20_000), &slow), (256, 1, 1));
}

#[test]
fn accesses_count_as_often_as_their_function_is_called() {
    let slow = Target { quirks: Quirks::QUADRATIC_PRIVATE_ARRAYS, ..Target::generic() };
    let calls = |count: usize| {
        let calls = "x = step(s, x);\n".repeat(count);
        format!(
            "__attribute__((noinline)) uint step(uint *s, uint x) {{
                 for (uint i = 0; i < x % 9; i++) {{ s[x % 64] ^= x; x = s[x / 64 % 64] + s[x % 64] * 3; }}
                 return x;
             }}
             kernel void k(global uint *p) {{
                 uint s[64], x = p[0];
                 for (uint i = 0; i < 64; i++) s[i] = p[i];
                 {calls} p[get_global_id(0)] = x; }}"
        )
    };
    assert_eq!(begins_with(&calls(3), &slow).2, 0);
    let (stores, barriers, all) = begins_with(&calls(200), &slow);
    assert!((16..=68).contains(&stores), "{stores}");
    assert_eq!((barriers, all), (1, 1));
}
